"""Items of every type, and where their text comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import attrs
import pydantic
import pytest
import scrapy
from scrapy.loader import ItemLoader

from tests.crawling import ADDON, UrlSpider, complaints, crawl
from tests.mockserver import page, text_of

# Neither add-on nor spider middleware.
TWO = {
    "DOWNLOADER_MIDDLEWARES": {"scrapy_eatext.EatextDownloaderMiddleware": 545},
    "ITEM_PIPELINES": {"scrapy_eatext.EatextPipeline": 100},
}


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


class PydanticItem(pydantic.BaseModel):
    url: str = ""
    html: str = ""
    main_text: str = ""


TYPES = (dict, ScrapyItem, DataItem, SlotsItem, AttrsItem, PydanticItem)
every_type = pytest.mark.parametrize("item_type", TYPES)


def value(item: Any, name: str) -> Any:
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


@every_type
def test_tied_items_need_no_url(server, item_type):
    item, done = one(server, ADDON, item_type)
    assert value(item, "main_text") == text_of("one")
    assert done.eatext("item/") == {"response": 1}


@every_type
def test_two_components_find_an_item_by_its_url(server, item_type):
    item, done = one(server, TWO, item_type, url=url_of)
    assert value(item, "main_text") == text_of("one")
    assert done.eatext("item/") == {"url": 1}


@every_type
@pytest.mark.parametrize("kind", [str, bytes])
def test_html_in_an_item_is_used_and_dropped(server, item_type, kind):
    if kind is bytes and item_type is PydanticItem:
        pytest.skip("its field is a string")
    html = page("<p>Another text.</p>")
    item, done = one(
        server,
        {**TWO, "EATEXT_HTML_FIELD": "html"},
        item_type,
        html=html if kind is bytes else html.decode(),
        url="https://other.example/",
    )
    assert value(item, "main_text") == "Another text."
    assert not value(item, "html")
    if isinstance(item, (dict, scrapy.Item)):
        assert "html" not in item
    assert done.eatext("item/") == {"html": 1}
    assert done.eatext("html/") == {"extracted": 1}


@every_type
def test_a_filled_field_stays(server, item_type):
    settings = {**ADDON, "EATEXT_HTML_FIELD": "html", "EATEXT_BELOW": "drop"}
    item, done = one(
        server, settings, item_type, path="/short", main_text="Mine.", html=html_of
    )
    assert value(item, "main_text") == "Mine."
    assert not value(item, "html")
    assert done.eatext("item/") == {"already_filled": 1}


def test_the_tied_response_goes_before_html(server):
    item, done = one(
        server, {**ADDON, "EATEXT_HTML_FIELD": "html"}, dict, html="<p>Other."
    )
    assert item == {"main_text": text_of("one")}
    assert done.eatext("item/") == {"response": 1}


def test_html_goes_before_the_url(server):
    settings = {**TWO, "EATEXT_HTML_FIELD": "html"}
    item, _ = one(server, settings, dict, html="<p>Other.", url=url_of)
    assert item["main_text"] == "Other."


def test_html_of_a_response_that_is_no_page(server):
    settings = {**ADDON, "EATEXT_HTML_FIELD": "html"}
    item, done = one(server, settings, dict, path="/data.json", html="<p>Other.")
    assert item["main_text"] == "Other."
    assert done.eatext("response/") == {"skipped_type": 1}


@pytest.mark.parametrize(
    "url",
    [
        "{server}/redirect/one",
        "{server}/page/one",
        "{server}/page/one#part",
        "{server}/page/o%6Ee",
    ],
)
@pytest.mark.parametrize("path", ["/redirect/one", "/refresh/one"])
def test_before_and_after_a_redirect(server, path, url):
    if "redirect" in url:
        url = "{server}" + path
    item, _ = one(server, TWO, dict, path=path, url=url.format(server=server.url))
    assert item["main_text"] == text_of("one")


def test_items_of_a_loader(server):
    """Its fields are lists."""

    class LoaderSpider(UrlSpider):
        def parse(self, response):
            for name, given in (("url", response.url), ("html", response.text)):
                loader = ItemLoader(item={})
                loader.add_value(name, given)
                yield loader.load_item()

    settings = {**TWO, "EATEXT_HTML_FIELD": "html"}
    done = crawl(LoaderSpider, settings, urls=(server("/page/one"),))
    assert [item["main_text"] for item in done.items] == [text_of("one")] * 2
    assert done.eatext("item/") == {"url": 1, "html": 1}


@pytest.mark.parametrize("url", [None, 3, "", "http://[", "https://other.example/"])
def test_an_item_that_cannot_be_matched(server, url):
    item, done = one(server, TWO, dict, url=url)
    assert item == {"url": url}
    assert done.eatext("item/") == {"none": 1}


@pytest.mark.parametrize(("more", "source"), [((), "url"), (("blocks",), "none")])
def test_what_is_remembered_is_bounded(server, monkeypatch, more, source):
    """The text is within the bound here; the text and the blocks are not."""
    monkeypatch.setattr("scrapy_eatext.recent.MAX_CHARS", 2 * len(text_of("one")))
    fields = {"main_text": "text", **{name: name for name in more}}
    settings = {**TWO, "EATEXT_FIELDS": fields}
    _, done = one(server, settings, dict, url=url_of)
    assert done.eatext("item/") == {source: 1}


def test_other_fields_by_other_names(server):
    settings = {
        **TWO,
        "EATEXT_URL_FIELD": "link",
        "EATEXT_FIELDS": {
            "body": "text",
            "headline": "title",
            "by": "algorithm",
            "sure": "score",
        },
    }
    item, _ = one(server, settings, dict, link=url_of, sure=0.0)
    del item["link"]
    assert item == {
        "body": text_of("one"),
        "headline": "Page one",
        "by": "plain",
        "sure": 0.5,
    }


@dataclass
class LackingItem:
    url: str = ""


@dataclass(frozen=True)
class FrozenItem:
    url: str = ""
    main_text: str = ""


class StrictItem(pydantic.BaseModel, validate_assignment=True):
    url: str = ""
    main_text: str = pydantic.Field("", max_length=3)


@pytest.mark.parametrize(
    ("item_type", "counted", "said"),
    [
        (LackingItem, "no_field", "LackingItem has no field main_text"),
        (FrozenItem, "not_settable", "main_text of FrozenItem cannot be set: Frozen"),
        (StrictItem, "not_settable", "main_text of StrictItem cannot be set: 1 valid"),
    ],
)
@pytest.mark.parametrize("settings", [ADDON, TWO])
def test_an_item_that_cannot_be_filled_is_not_lost(
    server, caplog, item_type, counted, said, settings
):
    done = crawl(
        TypeSpider,
        settings,
        urls=(server("/page/1"), server("/page/2")),
        item_type=item_type,
        fields={"url": url_of},
    )
    assert len(done.items) == 2
    assert done.eatext("item/") == {counted: 2}
    (complaint,) = complaints(caplog)
    assert said in complaint


@pytest.mark.parametrize("settings", [ADDON, {**TWO, "EATEXT_HTML_FIELD": "html"}])
def test_fields_that_are_not_there_before_they_are_set(server, settings):
    @dataclass
    class Unset:
        url: str
        html: str = field(init=False)
        main_text: str = field(init=False)

    item, done = one(server, settings, Unset, url=url_of)
    assert item.main_text == text_of("one")
    assert not hasattr(item, "html")
    assert sum(done.eatext("item/").values()) == 1


def test_half_of_the_fields(server, caplog):
    @dataclass
    class Half:
        main_text: str = ""

    settings = {**ADDON, "EATEXT_FIELDS": {"main_text": "text", "headline": "title"}}
    item, done = one(server, settings, Half)
    assert item.main_text == text_of("one")
    assert done.eatext("item/") == {"response": 1}
    assert "has no field headline" in complaints(caplog)[0]


@pytest.mark.parametrize(
    ("below", "path", "text"),
    [
        ("keep", "/short", "Short."),
        ("keep", "/page/one", text_of("one")),
        ("empty", "/short", ""),
        ("empty", "/page/one", text_of("one")),
        ("drop", "/page/one", text_of("one")),
    ],
)
def test_texts_below_the_threshold(server, below, path, text):
    settings = {**ADDON, "EATEXT_MIN_CHARS": 20, "EATEXT_BELOW": below}
    item, done = one(server, settings, dict, path=path)
    assert item["main_text"] == text
    assert done.eatext("response/") == {"below" if "short" in path else "extracted": 1}


@pytest.mark.parametrize(
    ("more", "path", "kind"),
    [
        ({"EATEXT_MIN_CHARS": 20}, "/short", "below"),
        ({"EATEXT_MIN_SCORE": 0.75}, "/page/one", "below"),
        ({"EATEXT_ALGORITHM": "tests.algorithms.Nothing"}, "/page/one", "empty"),
        ({}, "/file/empty", "empty"),
    ],
)
@pytest.mark.parametrize("components", [ADDON, TWO])
def test_texts_below_the_threshold_drop_items(server, more, path, kind, components):
    done = crawl(
        TypeSpider,
        {**components, **more, "EATEXT_BELOW": "drop"},
        urls=(server(path),),
        fields={"url": url_of},
    )
    assert len(done.dropped) == 1
    assert not done.items
    assert not done.errors
    assert done.eatext("response/") == {kind: 1}
    assert done.eatext("item/") == {"dropped": 1}
    assert done.stats["item_dropped_count"] == 1


def test_a_page_that_breaks_the_algorithm_drops_no_item(server):
    settings = {
        **ADDON,
        "EATEXT_ALGORITHM": "tests.algorithms.Broken",
        "EATEXT_BELOW": "drop",
        "EATEXT_MIN_CHARS": 10_000,
        "EATEXT_LAST_RESORT": "empty",
    }
    item, done = one(server, settings, dict, path="/word/broken")
    assert item["main_text"] == ""
    assert done.eatext("response/") == {"failed": 1}


class StartSpider(scrapy.Spider):
    """Yields items that no response stands behind, and what is no item."""

    name = "start"

    async def start(self):
        yield {"url": "https://other.example/"}
        yield {"html": "<p>From elsewhere."}


def test_items_without_a_response():
    done = crawl(StartSpider, {**ADDON, "EATEXT_HTML_FIELD": "html"})
    assert done.items == [
        {"url": "https://other.example/"},
        {"main_text": "From elsewhere."},
    ]
    assert done.eatext("item/") == {"none": 1, "html": 1}


def test_html_of_a_site_that_is_off(server):
    settings = {
        **ADDON,
        "EATEXT_HTML_FIELD": "html",
        "EATEXT_SITES": {"127.0.0.1": False},
    }
    item, done = one(server, settings, dict, url=url_of, html=html_of)
    assert item == {"url": server("/page/one")}
    assert done.eatext("response/") == {"skipped_off": 1}
    assert done.eatext("item/") == {"none": 1}


class ReplacingPipeline:
    """Puts new items in the place of those it gets, and drops some."""

    def process_item(self, item):
        if item.get("number") == 1:
            raise scrapy.exceptions.DropItem
        return dict(item)


def test_items_that_another_pipeline_replaced(server):
    pipelines = {"tests.test_pipeline.ReplacingPipeline": 50}
    settings = {**ADDON, "ITEM_PIPELINES": pipelines}
    item, done = one(server, settings, dict, url=url_of)
    assert item["main_text"] == text_of("one")
    assert done.eatext("item/") == {"url": 1}


class SharingSpider(scrapy.Spider):
    """Yields the item it began on the first page from the second."""

    name = "sharing"
    at = ""

    async def start(self):
        yield scrapy.Request(self.at + "/page/first")

    def parse(self, response):
        item = {"text of first": str(response.meta["main_text"])}
        yield response.follow("/page/second", self.parse_2, cb_kwargs={"item": item})

    def parse_2(self, response, item):
        yield item
        yield item


def test_an_item_has_the_text_of_the_response_that_yields_it(server):
    done = crawl(SharingSpider, ADDON, at=server.url)
    item = {"text of first": text_of("first"), "main_text": text_of("second")}
    assert done.items == [item, item]


@dataclass
class NestedItem:
    main_text: str = ""
    more: dict[str, Any] = field(default_factory=dict)


def test_many_items_of_one_page_share_its_text(server):
    class Many(UrlSpider):
        def parse(self, response):
            for _ in range(300):
                yield NestedItem()

    done = crawl(Many, ADDON, urls=(server("/page/many"),))
    assert len({id(item.main_text) for item in done.items}) == 1
    assert done.eatext("item/") == {"response": 300}
    assert done.eatext("response/") == {"extracted": 1}


def test_what_is_no_item_goes_through(server):
    class Odd(UrlSpider):
        def parse(self, response):
            yield "a string"

    done = crawl(Odd, ADDON, urls=(server("/page/one"),))
    assert done.items == ["a string"]
    assert "eatext/item_count" not in done.stats


def test_an_error_while_a_text_is_sought_loses_no_item(server, monkeypatch, caplog):
    async def fail(*_: object) -> None:
        raise OSError("broken on purpose")

    monkeypatch.setattr("scrapy_eatext.service.Service.of_html", fail)
    settings = {**TWO, "EATEXT_HTML_FIELD": "html"}
    item, done = one(server, settings, dict, html="<p>x", url=url_of)
    assert item == {"url": server("/page/one")}
    assert done.eatext("item/") == {"none": 1}
    assert done.eatext("exception_count/") == {"OSError": 1}
    assert "broken on purpose" in complaints(caplog)[0]


def test_an_error_in_a_late_extraction_loses_no_item(server, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError("broken on purpose")

    monkeypatch.setattr("scrapy_eatext.workers.Pool.submit", fail)

    class Two(UrlSpider):
        def parse(self, response):
            yield {"number": 1}
            yield {"number": 2}

    settings = {
        "SPIDER_MIDDLEWARES": {"scrapy_eatext.EatextSpiderMiddleware": 40},
        "ITEM_PIPELINES": {"scrapy_eatext.EatextPipeline": 100},
    }
    done = crawl(Two, settings, urls=(server("/page/one"),))
    assert done.items == [{"number": 1}, {"number": 2}]
    assert done.eatext("item/") == {"none": 2}


def test_responses_that_are_not_extracted_late_either(server):
    settings = {
        "SPIDER_MIDDLEWARES": {"scrapy_eatext.EatextSpiderMiddleware": 40},
        "ITEM_PIPELINES": {"scrapy_eatext.EatextPipeline": 100},
    }

    class Unrequested(UrlSpider):
        """Its items seem to come from a response that nobody asked for."""

        def parse(self, response):
            response.request = None
            yield {"url": response.url}

    for spider, path in ((UrlSpider, "/data.json"), (Unrequested, "/page/one")):
        done = crawl(spider, settings, urls=(server(path),))
        assert done.items == [{"url": server(path)}]
        assert done.eatext("item/") == {"none": 1}
