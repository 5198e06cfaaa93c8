"""Crawls each kind of item in each way of yielding it, and holds the docs to it.

``python -m tests.crawl.test_item_table`` writes the table of docs/items.md anew.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest
import scrapy
from itemadapter import ItemAdapter
from scrapy.loader import ItemLoader
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from benchmarks.tables import fill
from tests.support.crawling import ADDON, DOCS, UNTIED, crawl, install_reactor
from tests.support.items import kinds_of
from tests.support.mockserver import MockServer, text_of

pytestmark = pytest.mark.slow

PAGE = DOCS / "items.md"
# What an item's text is called in the table.
NAMES = {
    text_of("page"): "page",
    text_of("other"): "other",
    text_of("fetched"): "other",
    "A text of its own.": "HTML",
    "": "none",
    None: "none",
}


KINDS = kinds_of(url="", html="", more="", main_text="")


class CopyingPipeline:
    """Puts an equal item into the place of each."""

    def process_item(self, item):
        values = ItemAdapter(item).asdict()
        return type(item)(**values)


class ItemsSpider(scrapy.Spider):
    """Comes to a page by way of another, and yields an item of each kind there."""

    name = "items"
    server: Any
    way: Any

    async def start(self):
        yield scrapy.Request(self.server("/page/other"))

    def parse(self, response):
        yield response.follow("/redirect/page", self.parse_page)

    def parse_nothing(self, response):
        return []

    async def parse_page(self, response):
        for make in KINDS.values():
            async for output in self.way(self, response, make):
                yield output


def having(**paths):
    """A way of yielding an item with fields: URLs are given by their paths."""

    async def way(spider, response, make):
        yield make(
            **{
                name: spider.server(told) if told.startswith("/") else told
                for name, told in paths.items()
            }
        )

    return way


async def downloaded(spider, response, make):
    download = spider.crawler.engine.download_async(response.follow("/page/fetched"))
    fetched = await maybe_deferred_to_future(deferred_from_coro(download))
    yield make(url=fetched.url)


async def loaded(spider, response, make):
    loader = ItemLoader(item=make(), response=response)
    loader.add_value("url", response.url)
    try:
        yield loader.load_item()
    except Exception:  # noqa: BLE001 - it is frozen
        return


async def unextracted(spider, response, make):
    url = response.urljoin("/page/later")
    # However soon it comes, there is no text of it.
    yield scrapy.Request(url, spider.parse_nothing, meta={"eatext": False})
    yield make(url=url)


async def within(spider, response, make):
    yield make(url=response.url, more=make(url=response.url))


async def refused(spider, response, make):
    yield make(url=response.url, main_text=False)


HTML = "<p>A text of its own."
COPIED = {"ITEM_PIPELINES": {"tests.crawl.test_item_table.CopyingPipeline": 50}}
# The description of a way -> the way, and settings.
WAYS = {
    "same page, with its URL": (having(url="/page/page"), {}),
    "same page, with its URL before a redirect": (having(url="/redirect/page"), {}),
    "same page, without a URL": (having(), {}),
    "same page, by an item loader": (loaded, {}),
    "begun on another page, with its URL": (having(url="/page/other"), {}),
    "with the URL of a page whose text is not at hand": (unextracted, {}),
    "with a URL that was not requested": (having(url="https://short.example/1"), {}),
    'the same, `EATEXT_URL_FIELD = ""`': (
        having(url="https://short.example/1"),
        {"EATEXT_URL_FIELD": ""},
    ),
    "copied by a pipeline before this one": (having(url="/page/page"), COPIED),
    "copied, without a URL": (having(), COPIED),
    "copied, with the URL of another page": (having(url="/page/other"), COPIED),
    "with HTML and the page's URL": (having(url="/page/page", html=HTML), {}),
    "with HTML and another URL": (having(url="https://a.example/", html=HTML), {}),
    "with the URL of a page from `download_async()`": (downloaded, {}),
    "within another item": (within, {}),
    "with `False` in the field": (refused, {}),
    "without the spider middleware, with a URL": (having(url="/page/page"), UNTIED),
    "without the spider middleware or a URL": (having(), UNTIED),
}


class Warned(logging.Handler):
    """Collects the names of the classes that were warned about."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.classes: list[str] = []

    def emit(self, record):
        self.classes.append(record.args["cls"])


def cell(server, name):
    """What items of all kinds get in one way."""
    way, more = WAYS[name]
    settings = {**ADDON, "EATEXT_HTML_FIELD": "html", **more}
    warned = Warned()
    logger = logging.getLogger("scrapy_eatext")
    logger.addHandler(warned)
    try:
        done = crawl(ItemsSpider, settings, server=server, way=way)
    finally:
        logger.removeHandler(warned)
    assert sum(done.eatext("item/").values()) == done.stats["eatext/item_count"]
    # Each class is warned about once.
    assert len(warned.classes) == len(set(warned.classes))
    found = set()
    for kind in KINDS.values():
        items = [item for item in done.items if type(item) is kind]
        if not items:  # an item loader cannot fill a frozen item
            assert way is loaded
            assert kind.__qualname__.startswith("Frozen")
            continue
        (item,) = items
        if way is within:
            item = ItemAdapter(item)["more"]
        adapter = ItemAdapter(item)
        text = NAMES[adapter.get("main_text") or None]
        if way is not within:
            assert not adapter.get("html")
        found.add(text + (" !" if kind.__qualname__ in warned.classes else ""))
    (same,) = found
    return same


def cells_of(line):
    return [cell.strip() for cell in line.strip("|\n").split("|")]


@pytest.mark.parametrize("name", WAYS)
def test_the_docs_have_what_items_get(server, name):
    rows = [
        cells_of(line)
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    (documented,) = [cells[1] for cells in rows if cells[0] == name]
    assert cell(server, name) == documented, "python -m tests.crawl.test_item_table"


def test_the_docs_have_no_other_ways():
    text = PAGE.read_text("utf-8")
    table = text.partition("<!-- table items -->\n")[2].partition("<!-- end items")[0]
    head, _, *rows = map(cells_of, table.splitlines())
    assert head == ["the item", "its text"]
    assert [cells[0] for cells in rows] == list(WAYS)


def main():
    install_reactor(None)
    with MockServer() as server:
        rows = [[name, cell(server, name)] for name in WAYS]
    lines = [["the item", "its text"], ["---", "---"], *rows]
    fill(PAGE, "items", "\n".join(f"| {' | '.join(line)} |" for line in lines))


if __name__ == "__main__":
    main()
