"""The main text of its page in every item."""

from __future__ import annotations

import dataclasses
import logging
from contextlib import suppress
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter, is_item
from scrapy import Item
from scrapy.exceptions import DropItem

from scrapy_eatext.crawl.extractor import POOR
from scrapy_eatext.crawl.service import Component
from scrapy_eatext.crawl.tally import shortened
from scrapy_eatext.crawl.ties import current_response
from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.result import NOTHING, Block

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_eatext.crawl.extractor import Extracted

# Stands for a value: the field is to be removed from the item.
_REMOVED = object()
# Items whose fields can be removed; those of other classes are always there.
_OPEN_ITEMS = (dict, Item)
_TEXTS = attrgetter("text", "kind", "xpath", "reason")


class EatextPipeline(Component):
    """Fills the fields of EATEXT_FIELDS that the spider left empty.

    The text is that of the response that yielded the item, even if an earlier pipeline
    replaced the item.  If the item has another page's URL, or no response, the text is
    that of the item's HTML, else that of the page last seen at the URL.  A field that
    cannot be set loses no item; an item is dropped only if EATEXT_BELOW says so.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._service.fill_items()
        self._config = self._service.config
        self._tally = self._service.tally

    async def process_item(self, item: Any, spider: Spider | None = None) -> Any:
        if not is_item(item):
            return item
        kind, extracted = "cancelled", None
        try:
            item, kind, extracted = await self._filled(item)
        finally:
            # Both at once, so that they add up even if the crawl gives up waiting.
            self._tally.inc("item_count")
            self._tally.inc(f"item/{kind}")
        if kind == "dropped" and extracted is not None:
            raise DropItem(
                f"main text is {extracted.kind}: {len(extracted.result.text)} "
                f"characters, score {extracted.result.score:.2f}"
            )
        return item

    async def _filled(self, item: Any) -> tuple[Any, str, Extracted | None]:
        """The item or a filled copy, its outcome as in the stats, and its page."""
        adapter = ItemAdapter(item)
        names = self._names(item, adapter)
        if names is None:
            return item, "skipped_off", None
        values = {name: _value(adapter, name) for name in names}
        unfilled = [name for name in names if _is_empty(values[name])]
        refused = [name for name in names if values[name] is False]
        changes = self._without_html(item, adapter)
        extracted = None
        if refused:
            kind = "skipped_off"
            for name in refused:
                empty = NOTHING.value(self._config.fields[name])
                changes[name] = _REMOVED if isinstance(item, _OPEN_ITEMS) else empty
        elif not names:
            kind = "no_field"
        elif not unfilled:
            kind = "already_filled"
        else:
            kind, extracted = await self._text_of(item, adapter)
        if extracted is not None:
            # A failed extraction drops no item.
            if extracted.choice.below == "drop" and extracted.kind in POOR:
                return item, "dropped", extracted
            for name in unfilled:
                value = extracted.result.value(self._config.fields[name])
                changes[name] = storable(value)
        item, failed = self._changed(item, adapter, changes)
        if extracted is not None and failed.intersection(unfilled):
            kind = "not_settable"
        return item, kind, extracted

    def _names(self, item: Any, adapter: ItemAdapter) -> list[str] | None:
        """The fields of EATEXT_FIELDS that the item may have.

        None if the item is not to be filled, as its class or EATEXT_ITEMS says.
        """
        cls, items = type(item), self._config.items
        is_named = isinstance(items, str) or issubclass(cls, items)
        if not is_named or getattr(cls, "eatext", None) is False:
            return None
        declared = items == "declared"
        names: Any = ItemAdapter.get_field_names_from_class(cls)
        if names is None and declared:  # a dict has the fields that it has
            names = adapter
        known = [f for f in self._config.fields if names is None or f in names]
        missing = sorted(set(self._config.fields) - set(known))
        if missing and not declared:
            in_class = "eatext = False in the class"
            meant = "EATEXT_ITEMS = 'declared'" if known else in_class
            self._warn(
                item,
                "%(cls)s has no field %(missing)s, which EATEXT_FIELDS names: declare "
                "it, or say with %(meant)s that this is meant",
                {"missing": ", ".join(missing), "meant": meant},
            )
        return known

    # -- which text

    async def _text_of(
        self, item: Any, adapter: ItemAdapter
    ) -> tuple[str, Extracted | None]:
        """The source of an item's text, as the stats name it, and the text's page."""
        response = current_response()
        url = ""
        try:
            given = _value(adapter, self._config.url_field)
            if hasattr(given, "host"):  # a URL object: pydantic's HttpUrl, yarl's URL
                given = str(given)
            if isinstance(given, str) and given.strip():
                url = given
                if response is not None:
                    with suppress(ValueError):  # it is no URL
                        url = response.urljoin(given.strip())
            source, extracted = await self._find(item, adapter, response, url)
        except Exception as error:  # noqa: BLE001 - an item is never lost
            self._tally.error(url, error)
            return "none", None
        if extracted is None and source != "other_page":
            source = "none"
        return source, extracted

    async def _find(
        self, item: Any, adapter: ItemAdapter, response: Response | None, url: str
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
        extracted = extractor.at_url(url) if url else None
        if extracted is not None or own or response is None:
            return "url", extracted
        if self._service.requested.has_url(url):
            self._warn(
                item,
                "%(cls)s has the URL of another page of this crawl, whose text is not "
                "at hand, and gets none (%(url)s): yield it from that page's callback "
                "or fill it there with main_text(); EATEXT_URL_FIELD = '' gives each "
                "item the text of the response that yields it",
                {"url": shortened(url)},
            )
            return "other_page", None
        extracted = await extractor.of_response(response)
        if extracted is not None:
            self._warn(
                item,
                "%(cls)s has a URL that this crawl has not requested, and gets the "
                "text of the response that yields it (%(url)s): EATEXT_URL_FIELD = '' "
                "says that this is meant, EATEXT_ITEMS leaves such items empty",
                {"url": shortened(url)},
            )
        return "response", extracted

    # -- changes

    def _without_html(self, item: Any, adapter: ItemAdapter) -> dict[str, Any]:
        """The change that removes the raw HTML; a class's field is emptied."""
        name = self._config.html_field
        if isinstance(item, _OPEN_ITEMS):
            return {name: _REMOVED} if name in adapter else {}
        value = _value(adapter, name, whole=True)
        if _is_empty(value):
            return {}
        is_emptied = isinstance(value, (str, bytes, list, tuple))
        return {name: type(value)() if is_emptied else None}

    def _changed(
        self, item: Any, adapter: ItemAdapter, changes: Mapping[str, Any]
    ) -> tuple[Any, set[str]]:
        """The item with other values, and the fields that refused their values.

        A frozen item stays as it is, and a copy is returned.
        """
        failed: dict[str, Exception] = {}
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
            except Exception as error:  # noqa: BLE001 - whatever its class does then
                failed.update(dict.fromkeys(frozen, error))
            else:
                for name in frozen:
                    del failed[name]
        if failed:
            name, why = next(iter(failed.items()))
            self._warn(
                item,
                "The field %(name)s of %(cls)s cannot be set: %(error)s; let it take "
                "what EATEXT_FIELDS puts there, or leave the class out with "
                "EATEXT_ITEMS or a class attribute eatext = False",
                {"name": name, "error": shortened(why)},
            )
        return item, set(failed)

    def _warn(self, item: Any, message: str, values: Mapping[str, object]) -> None:
        """Log a warning once for each class of items."""
        self._tally.log(
            logging.WARNING,
            message,
            {"cls": type(item).__qualname__, **values},
            once=f"{message} {type(item)}",
        )


def _is_frozen(cls: Any, name: str, error: Exception) -> bool:
    """Whether a field can never be set, given the error over setting it."""
    if hasattr(cls, "model_fields"):  # of pydantic
        return bool(cls.model_config.get("frozen") or cls.model_fields[name].frozen)
    # FrozenInstanceError of dataclasses and attrs, and FrozenAttributeError.
    return type(error).__name__.startswith("Frozen")


def _copied(item: Any, values: Mapping[str, Any]) -> Any:
    """A copy of a frozen item with other values."""
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return dataclasses.replace(item, **values)
    if hasattr(item, "model_copy"):
        return item.model_copy(update=values)
    import attrs

    names = {field.name: field.alias for field in attrs.fields(type(item))}
    return attrs.evolve(item, **{names[name]: values[name] for name in values})


def _value(adapter: ItemAdapter, name: str, *, whole: bool = False) -> Any:
    """An item's field, None if there is none; "" names no field.

    Item loaders put values into lists: a value that is alone in one comes without it,
    unless the ``whole`` is wanted.
    """
    try:
        value: Any = adapter.get(name) if name else None
    except AttributeError:  # declared, but not set yet
        return None
    is_alone = isinstance(value, (list, tuple)) and len(value) == 1
    return value[0] if is_alone and not whole else value


def _is_empty(value: Any) -> bool:
    try:
        return not value
    except Exception:  # noqa: BLE001 - as of an array, which is neither true nor false
        return False


def storable(value: Any) -> Any:
    """A result's value without the characters that feeds refuse.

    Parts that need no change stay the same objects: all items of a page share them.
    """
    if isinstance(value, str):
        return strip_unstorable(value)
    if isinstance(value, tuple):
        if value and isinstance(value[0], Block):
            # A page may have many thousands: one by one they would stall the crawl.
            together = "".join(chain.from_iterable(map(_TEXTS, value)))
            if strip_unstorable(together) == together:
                return value
        return tuple(map(storable, value))
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    parts = ((name, getattr(value, name)) for name in value.__dataclass_fields__)
    changed = {name: new for name, old in parts if (new := storable(old)) != old}
    return dataclasses.replace(value, **changed) if changed else value
