"""The main text of its page in every item."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter, is_item
from scrapy import Item
from scrapy.exceptions import DropItem

from scrapy_eatext.page.characters import fit
from scrapy_eatext.result import Block
from scrapy_eatext.service import Found, Service

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    # typing.Self requires Python 3.11
    from typing_extensions import Self


class EatextPipeline:
    """Fills the fields of EATEXT_FIELDS.

    The text is that of the response which the spider middleware tied the item
    to, else that of the HTML in the item, else that of the page last seen at
    the item's URL.  A field that the spider filled stays.  An item is never
    lost over a field that cannot be set; it is dropped only where EATEXT_BELOW
    says so.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._service = Service.of(crawler)
        self._config = self._service.config
        self._tally = self._service.tally

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any, spider: Spider | None = None) -> Any:
        response = self._service.untie(item)
        if not is_item(item):
            return item
        self._tally.inc("item_count")
        adapter = ItemAdapter(item)
        open_fields = self._open_fields(item, adapter)
        if not open_fields:
            self._drop_html(item, adapter)
            return item
        source, found = "none", None
        try:
            source, found = await self._find(adapter, response)
        except Exception as error:  # noqa: BLE001 - an item is never lost
            self._tally.error(self._url(adapter), error)
        self._drop_html(item, adapter)
        if found is None:
            self._tally.inc("item/none")
            return item
        if found.drop:
            self._tally.inc("item/dropped")
            raise DropItem(
                f"main text is {found.outcome.kind}: {len(found.result.text)} "
                f"characters, score {found.result.score:.2f}"
            )
        filled = [self._set(item, adapter, f, found) for f in open_fields]
        self._tally.inc(f"item/{source}" if all(filled) else "item/not_settable")
        return item

    def _open_fields(self, item: Any, adapter: ItemAdapter) -> list[str]:
        """The fields that the item has and that are empty."""
        names = ItemAdapter.get_field_names_from_class(type(item))
        known = [f for f in self._config.fields if names is None or f in names]
        if len(known) < len(self._config.fields):
            missing = sorted(set(self._config.fields) - set(known))
            self._tally.log(
                logging.WARNING,
                "%(cls)s has no field %(missing)s for the main text",
                {"cls": type(item).__qualname__, "missing": ", ".join(missing)},
                once=f"field {type(item)}",
            )
        open_fields = [f for f in known if not _value(adapter, f)]
        if not known:
            self._tally.inc("item/no_field")
        elif not open_fields:
            self._tally.inc("item/already_filled")
        return open_fields

    async def _find(
        self, adapter: ItemAdapter, response: Any
    ) -> tuple[str, Found | None]:
        """An item's text and where it is from."""
        if response is not None:
            found = await self._service.of_response(response)
            if found is not None:
                return "response", found
        html = _single(_value(adapter, self._config.html_field))
        if isinstance(html, (str, bytes)) and html:
            return "html", await self._service.of_html(html, self._url(adapter))
        url = self._url(adapter)
        return "url", self._service.of_url(url) if url else None

    def _url(self, adapter: ItemAdapter) -> str:
        url = _single(_value(adapter, self._config.url_field))
        return url if isinstance(url, str) else ""

    def _drop_html(self, item: Any, adapter: ItemAdapter) -> None:
        """Take the raw HTML out of an item; a field that must be there is emptied."""
        name = self._config.html_field
        if not _value(adapter, name):
            return
        if isinstance(item, (dict, Item)):
            del adapter[name]
        else:
            self._assign(item, adapter, name, type(adapter[name])())

    def _set(self, item: Any, adapter: ItemAdapter, name: str, found: Found) -> bool:
        value = _fit(getattr(found.result, self._config.fields[name]))
        return self._assign(item, adapter, name, value)

    def _assign(self, item: Any, adapter: ItemAdapter, name: str, value: Any) -> bool:
        try:
            adapter[name] = value
        except Exception as error:  # noqa: BLE001 - frozen, or its own validation
            self._tally.log(
                logging.WARNING,
                "The field %(name)s of %(cls)s cannot be set: %(error)r",
                {"name": name, "cls": type(item).__qualname__, "error": error},
                once=f"set {name} {type(item)}",
            )
            return False
        return True


def _value(adapter: ItemAdapter, name: str) -> Any:
    """An item's field, None where there is none; "" is the name of none."""
    try:
        return adapter.get(name) if name else None
    except AttributeError:  # it is declared, and left for the pipeline to set
        return None


def _single(value: Any) -> Any:
    """A value alone: item loaders put it into a list unless told otherwise."""
    alone = isinstance(value, (list, tuple)) and len(value) == 1
    return value[0] if alone else value


def _fit(value: Any) -> Any:
    """A value of a result as feeds can hold it; metadata are so from the beginning."""
    if isinstance(value, str):
        return fit(value)
    if isinstance(value, tuple):
        return tuple(map(_fit, value))
    if isinstance(value, Block):
        # Most are fit, and all items of a page share them.
        text = fit(value.text)
        return value if text == value.text else replace(value, text=text)
    return value
