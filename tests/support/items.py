"""Items of every type, and crawls that yield them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import attrs
import pydantic
import scrapy

from tests.support.crawling import DOWNLOADER, PIPELINE, SPIDER, UrlSpider, crawl

# Neither add-on nor spider middleware.
TWO = {**DOWNLOADER, **PIPELINE}
# No downloader middleware: pages are extracted for their items.
LATE = {**SPIDER, **PIPELINE}


class ScrapyItem(scrapy.Item):
    url = scrapy.Field()
    html = scrapy.Field()
    main_text = scrapy.Field()


@dataclass
class DataItem:
    url: str = ""
    html: str = ""
    main_text: str | None = None


@dataclass(slots=True)
class SlotsItem:
    url: str = ""
    html: str = ""
    main_text: str = ""


@attrs.define
class AttrsItem:
    url: str = ""
    html: str = ""
    main_text: str = ""


@dataclass
class LooseItem:
    html: Any = ""
    main_text: str = ""


class PydanticItem(pydantic.BaseModel):
    url: str = ""
    html: str = ""
    main_text: str = ""


TYPES = (dict, ScrapyItem, DataItem, SlotsItem, AttrsItem, PydanticItem)


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
    assert not done.errors
    (item,) = done.items
    assert sum(done.eatext("item/").values()) == done.stats["eatext/item_count"] == 1
    return item, done
