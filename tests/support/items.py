"""Items of every type, and crawls that yield them."""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import Any

import attrs
import pydantic
import scrapy

from tests.support.crawling import ADDON, DOWNLOADER, PIPELINE, SPIDER, UrlSpider, crawl

# Neither add-on nor spider middleware.
TWO = {**DOWNLOADER, **PIPELINE}
WITH_HTML, TWO_WITH_HTML = (
    {**settings, "EATEXT_HTML_FIELD": "html"} for settings in (ADDON, TWO)
)
# No downloader middleware: pages are extracted for their items.
LATE = {**SPIDER, **PIPELINE}


def kinds_of(**fields: Any) -> dict[str, Any]:
    """A class of each kind of item, with these fields and what they have by default."""
    typed = [(name, Any, value) for name, value in fields.items()]
    of_attrs = {name: attrs.field(default=value) for name, value in fields.items()}
    of_pydantic: Any = {name: (Any, value) for name, value in fields.items()}
    frozen = pydantic.ConfigDict(frozen=True)
    return {
        "dict": dict,
        "`scrapy.Item`": type(
            "Item", (scrapy.Item,), dict.fromkeys(fields, scrapy.Field())
        ),
        "dataclass": make_dataclass("Data", typed),
        "dataclass with slots": make_dataclass("Slots", typed, slots=True),
        "attrs": attrs.make_class("Attrs", of_attrs),
        "pydantic": pydantic.create_model("Pydantic", **of_pydantic),
        "frozen dataclass": make_dataclass("FrozenData", typed, frozen=True),
        "frozen attrs": attrs.make_class("FrozenAttrs", of_attrs, frozen=True),
        "frozen pydantic": pydantic.create_model(
            "FrozenPydantic", __config__=frozen, **of_pydantic
        ),
    }


KINDS = kinds_of(url="", html="", main_text="")
TYPES = [made for kind, made in KINDS.items() if "frozen" not in kind]
_, ScrapyItem, DataItem, _, AttrsItem, _ = TYPES


def export(exporter: Any, *items: Any) -> None:
    """Write some items with an exporter of feeds."""
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()


def value_of(item: Any, name: str) -> Any:
    if isinstance(item, (dict, scrapy.Item)):
        return item.get(name)
    return getattr(item, name)


class TypeSpider(UrlSpider):
    """Yields an item of its type for each response, with the fields it is told."""

    item_type: Any = dict
    fields: dict[str, Any]

    def parse(self, response):
        told = {
            name: given(response) if callable(given) else given
            for name, given in self.fields.items()
        }
        yield self.item_type(**told)


def url_of(response):
    return response.url


def html_of(response):
    return response.text


def one(server, settings, item_type, path="/page/one", **fields):
    """The item of one page, and its crawl."""
    done = crawl(
        TypeSpider, settings, urls=(server(path),), item_type=item_type, fields=fields
    )
    (item,) = done.items
    assert sum(done.eatext("item/").values()) == done.stats["eatext/item_count"] == 1
    return item, done
