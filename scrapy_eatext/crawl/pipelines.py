"""The item pipeline, which puts the main text into items."""

from __future__ import annotations

import dataclasses
import logging
from contextlib import suppress
from itertools import chain
from numbers import Number
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter, is_item
from scrapy import Item
from scrapy.exceptions import DropItem

from scrapy_eatext.crawl.recent import current_response
from scrapy_eatext.crawl.service import Component
from scrapy_eatext.crawl.tally import shortened
from scrapy_eatext.execution.cascade import POOR
from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.result import NOTHING, Block

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_eatext.crawl.extractor import Extracted

# Stands for a value: the field is removed from the item.
_REMOVED = object()
# The classes of items whose fields can be removed.
_OPEN_ITEMS = (dict, Item)
_TEXTS = attrgetter("text", "kind", "xpath", "reason")


class EatextPipeline(Component):
    """Fills the fields of EATEXT_FIELDS that the spider left empty.

    The text is that of the response whose callback yielded the item, even if an earlier
    pipeline replaced the item.  If the item has another page's URL, or no response, the
    text is that of the item's HTML, or else of the page last seen at the URL.  An item
    is dropped only with EATEXT_BELOW = "drop".
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._service.fill_items()
        self._config = self._service.config
        self._tally = self._service.tally

    def close_spider(self, spider: Spider | None = None) -> None:
        # Monitors of stats look at them when the spider is closed.
        self._tally.write_times()

    async def process_item(self, item: Any, spider: Spider | None = None) -> Any:
        if not is_item(item):
            return item
        kind, extracted = "cancelled", None
        try:
            item, kind, extracted = await self._filled(item)
        finally:
            # Together, so that the kinds add up to the count even after a cancellation.
            self._tally.inc("item_count")
            self._tally.inc(f"item/{kind}")
        if kind == "dropped" and extracted is not None:
            raise DropItem(
                f"main text is {extracted.kind}: {len(extracted.result.body)} "
                f"characters, score {extracted.result.score:.2f}"
            )
        return item

    async def _filled(self, item: Any) -> tuple[Any, str, Extracted | None]:
        """The item or a filled copy, its outcome's name in the stats, and the result."""
        adapter = ItemAdapter(item)
        names = self._names(adapter)
        if names is None:
            return item, "skipped_off", None
        values = {name: _value(adapter, name) for name in names}
        # A 0 in a class may be its field's default, but one in a dict is the spider's.
        kept = Number if isinstance(item, _OPEN_ITEMS) else ()
        unfilled = [
            name
            for name in names
            if _is_empty(values[name]) and not isinstance(values[name], kept)
        ]
        # Fields that the spider has set to False.
        declined = [name for name in names if values[name] is False]
        changes = self._without_html(adapter)
        kind, extracted = "already_filled" if names else "no_field", None
        if declined:
            kind = "skipped_off"
            for name in declined:
                empty = NOTHING.value(self._config.fields[name])
                changes[name] = _REMOVED if isinstance(item, _OPEN_ITEMS) else empty
        elif unfilled:
            kind, extracted = await self._text_of(adapter)
        if extracted is not None:
            # POOR does not include failed extractions.
            if extracted.choice.below == "drop" and extracted.kind in POOR:
                return item, "dropped", extracted
            for name in unfilled:
                value = extracted.result.value(self._config.fields[name])
                changes[name] = storable(value)
        item, failed = self._changed(adapter, changes)
        if extracted is not None and failed.intersection(unfilled):
            kind = "not_settable"
        return item, kind, extracted

    def _names(self, adapter: ItemAdapter) -> list[str] | None:
        """The fields of EATEXT_FIELDS that the item may have, None if it is excluded."""
        cls, items = type(adapter.item), self._config.items
        is_included = isinstance(items, str) or issubclass(cls, items)
        if not is_included or getattr(cls, "eatext", None) is False:
            return None
        only_declared = items == "declared"
        names: Any = ItemAdapter.get_field_names_from_class(cls)
        if names is None and only_declared:  # a dict's fields are its keys
            names = adapter
        fields = [f for f in self._config.fields if names is None or f in names]
        missing = sorted(set(self._config.fields) - set(fields))
        if missing and not only_declared:
            in_class = "eatext = False in the class"
            self._warn(
                adapter,
                "%(cls)s has no field %(missing)s, which EATEXT_FIELDS names: declare "
                "it, or set %(meant)s if this is intended",
                missing=", ".join(missing),
                meant="EATEXT_ITEMS = 'declared'" if fields else in_class,
            )
        return fields

    # -- finding an item's text

    async def _text_of(self, adapter: ItemAdapter) -> tuple[str, Extracted | None]:
        """The source of an item's text, by its name in the stats, and its page's result."""
        response = current_response()
        url = ""
        try:
            value = _value(adapter, self._config.url_field)
            if hasattr(value, "host"):  # a URL object: pydantic's HttpUrl, yarl's URL
                value = str(value)
            if isinstance(value, str) and value.strip():
                url = value
                if response is not None:
                    with suppress(ValueError):  # an invalid URL
                        url = response.urljoin(value.strip())
            source, extracted = await self._find(adapter, response, url)
        except Exception as error:  # noqa: BLE001 - an error must not lose the item
            self._tally.error(url, error)
            return "none", None
        if extracted is None and source != "other_page":
            source = "none"
            if self._service.components == 1:
                self._warn(
                    adapter,
                    "%(cls)s gets no text, as EatextPipeline is alone: set ADDONS = "
                    "{'scrapy_eatext.Addon': 500}, or DOWNLOADER_MIDDLEWARES too",
                )
        return source, extracted

    async def _find(
        self, adapter: ItemAdapter, response: Response | None, url: str
    ) -> tuple[str, Extracted | None]:
        extractor = self._service.extractor
        own = response is not None and (not url or extractor.is_url_of(response, url))
        if own and response is not None:
            extracted = await extractor.of_response(response)
            if extracted is not None:
                return "response", extracted
        html = _value(adapter, self._config.html_field)
        if isinstance(html, (str, bytes)) and html:
            return "html", await extractor.of_html(html, url)
        # A skipped response has no text, unless it stands for a page (HEAD, status 304).
        is_skipped = own and response is not None and response.body
        extracted = extractor.at_url(url) if url and not is_skipped else None
        if extracted is not None or own or response is None:
            return "url", extracted
        if self._service.requested.has_url(url):
            self._warn(
                adapter,
                "%(cls)s has the URL of another page of this crawl, whose text is not "
                "at hand, and gets none (%(url)s): yield it from that page's callback "
                "or fill it there with main_text(); EATEXT_URL_FIELD = '' gives each "
                "item the text of the response that yields it",
                url=shortened(url),
            )
            return "other_page", None
        extracted = await extractor.of_response(response)
        if extracted is not None:
            self._warn(
                adapter,
                "%(cls)s has a URL that this crawl has not requested, and gets the "
                "text of the response that yields it (%(url)s): set EATEXT_URL_FIELD = '' "
                "if this is intended, or EATEXT_ITEMS to exclude such items",
                url=shortened(url),
            )
        return "response", extracted

    # -- changing an item

    def _without_html(self, adapter: ItemAdapter) -> dict[str, Any]:
        """The change that removes the raw HTML, or empties a field of a class."""
        name = self._config.html_field
        if isinstance(adapter.item, _OPEN_ITEMS):
            return {name: _REMOVED} if name and name in adapter else {}
        value = _value(adapter, name, whole=True)
        if _is_empty(value):
            return {}
        is_emptied = isinstance(value, (str, bytes, list, tuple))
        return {name: type(value)() if is_emptied else None}

    def _changed(
        self, adapter: ItemAdapter, changes: Mapping[str, Any]
    ) -> tuple[Any, set[str]]:
        """The item or a changed copy, and the fields that could not be set."""
        item, failed = adapter.item, dict[str, Exception]()
        for name, value in changes.items():
            try:
                if value is _REMOVED:
                    del adapter[name]
                else:
                    adapter[name] = value
            except Exception as error:  # noqa: BLE001, PERF203 - frozen, or invalid
                failed[name] = error
        frozen = [name for name in failed if _is_frozen(type(item), name, failed[name])]
        if frozen:
            try:
                item = _copied(item, {name: changes[name] for name in frozen})
                failed = {n: why for n, why in failed.items() if n not in frozen}
            except Exception as error:  # noqa: BLE001 - any error of the item's class
                failed.update(dict.fromkeys(frozen, error))
        # What neither the page nor the item has, such as a date, may be refused.
        for name in tuple(failed):
            if not changes[name] and _is_empty(_value(adapter, name)):
                del failed[name]
        if failed:
            name, why = next(iter(failed.items()))
            self._warn(
                adapter,
                "The field %(name)s of %(cls)s cannot be set: %(error)s; let it take "
                "the values of EATEXT_FIELDS, or exclude the class with EATEXT_ITEMS or a "
                "class attribute eatext = False",
                name=name,
                error=shortened(why),
            )
        return item, set(failed)

    def _warn(self, adapter: ItemAdapter, message: str, **values: object) -> None:
        """Log a warning once for each class of items."""
        cls = type(adapter.item)
        values["cls"] = cls.__qualname__
        self._tally.log(logging.WARNING, message, values, once=f"{message} {cls}")


def _is_frozen(cls: Any, name: str, error: Exception) -> bool:
    """Whether a field is frozen, given the error of setting it."""
    if hasattr(cls, "model_fields"):  # a pydantic model
        return bool(cls.model_config.get("frozen") or cls.model_fields[name].frozen)
    # FrozenInstanceError of dataclasses and attrs, and FrozenAttributeError.
    return type(error).__name__.startswith("Frozen")


def _copied(item: Any, values: Mapping[str, Any]) -> Any:
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return dataclasses.replace(item, **values)
    if hasattr(item, "model_copy"):
        return item.model_copy(update=values)
    import attrs

    names = {field.name: field.alias for field in attrs.fields(type(item))}
    return attrs.evolve(item, **{names[name]: values[name] for name in values})


def _value(adapter: ItemAdapter, name: str, *, whole: bool = False) -> Any:
    """The value of an item's field, None if there is none or the name is "".

    A list of one value, as of an item loader, gives that value, unless ``whole``.
    """
    # A field may be declared but not set, and reading a key may add it (defaultdict).
    value: Any = adapter[name] if name and name in tuple(adapter) else None
    is_single = isinstance(value, (list, tuple)) and len(value) == 1
    return value[0] if is_single and not whole else value


def _is_empty(value: Any) -> bool:
    try:
        return not value
    except Exception:  # noqa: BLE001 - an array has no truth value
        return False


def storable(value: Any) -> Any:
    """A result's value without characters that feeds cannot store.

    Unchanged parts remain the same objects, which all items of a page share.
    """
    if isinstance(value, str):
        return strip_unstorable(value)
    if isinstance(value, tuple):
        if value and isinstance(value[0], Block):
            # A page may have thousands: checking each would stall the crawl.
            all_texts = "".join(chain.from_iterable(map(_TEXTS, value)))
            if strip_unstorable(all_texts) == all_texts:
                return value
        return tuple(map(storable, value))
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    parts = ((name, getattr(value, name)) for name in value.__dataclass_fields__)
    changed = {name: new for name, old in parts if (new := storable(old)) != old}
    return dataclasses.replace(value, **changed) if changed else value
