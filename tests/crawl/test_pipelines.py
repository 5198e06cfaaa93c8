"""Items of every type, and where their text comes from."""

from __future__ import annotations

import asyncio
from operator import itemgetter

import pytest
import scrapy
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_eatext import EatextPipeline, main_text
from tests.support.crawling import (
    ADDON,
    BROKEN,
    NOTHING,
    UrlSpider,
    complaints,
    crawl,
    fail,
)
from tests.support.items import (
    LATE,
    TWO,
    TWO_WITH_HTML,
    TYPES,
    WITH_HTML,
    DataItem,
    ScrapyItem,
    TypeSpider,
    html_of,
    one,
    url_of,
    value_of,
)
from tests.support.mockserver import page, text_of

pytestmark = pytest.mark.slow

HTML = page("<p>Another text.</p>")


@pytest.mark.parametrize(
    ("item_type", "html"),
    # With bytes, and as an item loader has it.
    [*((cls, HTML.decode()) for cls in TYPES), (dict, HTML), (dict, [HTML])],
)
def test_html_in_an_item_is_used_and_dropped(server, item_type, html):
    fields = {"html": html, "url": "https://other.example/"}
    item, done = one(server, TWO_WITH_HTML, item_type, **fields)
    assert value_of(item, "main_text") == "Another text."
    assert not value_of(item, "html")
    if isinstance(item, (dict, scrapy.Item)):
        assert "html" not in item
    assert done.eatext("item/") == {"html": 1}
    assert done.eatext("html/") == {"extracted": 1}


@pytest.mark.parametrize("html", ["", b"", None, [], ["<p>A", "<p>B"], 3])
@pytest.mark.parametrize("item_type", [dict, ScrapyItem, DataItem])
def test_html_that_is_none_is_taken_out_too(server, item_type, html):
    item, done = one(server, WITH_HTML, item_type, html=html)
    assert value_of(item, "main_text") == text_of("one")
    assert not value_of(item, "html")
    if item_type is not DataItem:
        assert "html" not in item
    assert done.eatext("item/") == {"response": 1}


@pytest.mark.parametrize("item_type", TYPES)
def test_a_filled_field_stays(server, item_type):
    settings = {**WITH_HTML, "EATEXT_BELOW": "drop"}
    item, done = one(
        server, settings, item_type, path="/short", main_text="Mine.", html=html_of
    )
    assert value_of(item, "main_text") == "Mine."
    assert not value_of(item, "html")
    assert done.eatext("item/") == {"already_filled": 1}


@pytest.mark.parametrize("zero", [0, 0.0, [0]])
@pytest.mark.parametrize("item_type", [dict, ScrapyItem, DataItem])
def test_a_zero_stays_unless_a_class_may_have_it_as_default(server, item_type, zero):
    item, _ = one(server, ADDON, item_type, main_text=zero)
    expected = text_of("one") if item_type is DataItem else zero
    assert value_of(item, "main_text") == expected


@pytest.mark.parametrize(
    ("more", "path", "text", "kind"),
    [
        ({}, "/data.json", "Other.", "skipped_type"),
        ({"EATEXT_SITES": {"127.0.0.1": False}}, "/page/one", None, "skipped_off"),
    ],
)
def test_html_of_a_response_that_is_not_extracted(server, more, path, text, kind):
    item, done = one(
        server, {**WITH_HTML, **more}, dict, path, url=url_of, html="<p>Other."
    )
    assert item.get("main_text") == text
    assert "html" not in item
    assert done.eatext("response/") == {kind: 1}


@pytest.mark.parametrize("url", ["", "/page/one", "/page/one#part", "/page/o%6Ee"])
@pytest.mark.parametrize("path", ["/redirect/one", "/refresh/one"])
def test_before_and_after_a_redirect(server, path, url):
    item, _ = one(server, TWO, dict, path=path, url=server(url or path))
    assert item["main_text"] == text_of("one")


@pytest.mark.parametrize("url", [None, 3, "", "http://[", "https://other.example/"])
def test_an_item_that_cannot_be_matched(server, url):
    item, done = one(server, TWO, dict, url=url)
    assert item == {"url": url}
    assert done.eatext("item/") == {"none": 1}


@pytest.mark.parametrize(
    ("more", "source"),
    [((), "url"), (("blocks",), "none"), (("metadata",), "none")],
)
def test_what_is_remembered_is_bounded(server, monkeypatch, more, source):
    """The text is within the bound here; with the blocks or metadata it is not."""
    monkeypatch.setattr("scrapy_eatext.crawl.recent.MAX_BYTES", 1500)
    fields = {"main_text": "text", **{name: name for name in more}}
    settings = {**TWO, "EATEXT_FIELDS": fields}
    _, done = one(server, settings, dict, url=url_of)
    assert done.eatext("item/") == {source: 1}


def test_other_fields_by_other_names(server):
    fields = {"body": "text", "headline": "title", "by": "algorithm", "sure": "score"}
    settings = {**TWO, "EATEXT_URL_FIELD": "link", "EATEXT_FIELDS": fields}
    item, _ = one(server, settings, dict, link=url_of)
    del item["link"]
    values = [text_of("one"), "Page one", "plain", 0.5]
    assert item == dict(zip(fields, values, strict=True))


@pytest.mark.parametrize(
    ("below", "path", "text"),
    [
        ("keep", "/short", "Short."),
        ("empty", "/short", ""),
        *((below, "/page/one", text_of("one")) for below in ("keep", "empty", "drop")),
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
        ({"EATEXT_ALGORITHM": NOTHING}, "/page/one", "empty"),
        ({}, "/file/empty", "empty"),
    ],
)
@pytest.mark.parametrize("components", [ADDON, TWO])
def test_texts_below_the_threshold_drop_items(server, more, path, kind, components):
    settings = {**components, **more, "EATEXT_BELOW": "drop"}
    done = crawl(TypeSpider, settings, urls=(server(path),), fields={"url": url_of})
    assert len(done.dropped) == 1
    assert not done.items
    assert done.eatext("response/") == {kind: 1}
    assert done.eatext("item/") == {"dropped": 1}
    assert done.stats["item_dropped_count"] == 1


def test_a_dropped_item_is_logged_by_the_length_that_counts(server, caplog):
    settings = {**ADDON, "EATEXT_TITLE": True, "EATEXT_BELOW": "drop"}
    crawl(UrlSpider, {**settings, "EATEXT_MIN_CHARS": 999}, urls=(server("/page/one"),))
    assert f"main text is below: {len(text_of('one'))} characters" in caplog.text


def test_a_page_that_breaks_the_algorithm_drops_no_item(server):
    settings = {
        **ADDON,
        "EATEXT_ALGORITHM": BROKEN,
        "EATEXT_BELOW": "drop",
        "EATEXT_MIN_CHARS": 10_000,
        "EATEXT_LAST_RESORT": "empty",
    }
    item, done = one(server, settings, dict, path="/word/broken")
    assert item["main_text"] == ""
    assert done.eatext("response/") == {"failed": 1}


class ReplacingPipeline:
    """Puts new items in the place of those that it gets, at times of its own."""

    async def process_item(self, item):
        done = Deferred()
        call_later(0.01 * (item["number"] % 3), done.callback, None)
        await maybe_deferred_to_future(done)
        return {"for": item["number"]}


def test_items_that_another_pipeline_replaced(server):
    class Numbers(UrlSpider):
        def parse(self, response):
            page = int(response.url.rpartition("/")[2])
            for number in range(10):
                yield {"number": 10 * page + number}

    pipelines = {"tests.crawl.test_pipelines.ReplacingPipeline": 50}
    settings = {**ADDON, "ITEM_PIPELINES": pipelines, "CONCURRENT_ITEMS": 4}
    urls = tuple(server(f"/page/{n}") for n in range(10))
    done = crawl(Numbers, settings, urls=urls)
    assert {item["for"]: item["main_text"] for item in done.items} == {
        number: text_of(str(number // 10)) for number in range(100)
    }
    assert done.eatext("item/") == {"response": 100}


def test_items_that_no_response_yields_have_no_response(server):
    """Neither from the start of a crawl nor from the failure of a request."""

    class Failing(UrlSpider):
        async def start(self):
            yield {"from": "start"}
            yield {"from": "html", "html": "<p>From elsewhere."}
            yield scrapy.Request(server("/page/one"))

        def parse(self, response):
            yield {"from": "page"}
            yield scrapy.Request("http://127.0.0.1:1/", errback=self.failed)

        def failed(self, failure):
            yield {"from": "failure"}

    done = crawl(Failing, {**WITH_HTML, "RETRY_ENABLED": False})
    assert {item["from"]: item.get("main_text") for item in done.items} == {
        "start": None,
        "html": "From elsewhere.",
        "page": text_of("one"),
        "failure": None,
    }
    assert done.eatext("item/") == {"none": 2, "html": 1, "response": 1}


def test_items_of_a_skipped_response_have_no_other_text_of_its_url(server):
    """Those of an answer without a body, and of an errback, have the page's text."""

    class Twice(UrlSpider):
        async def start(self):
            yield scrapy.Request(server("/page/one"))

        def parse(self, response, kind="first"):
            yield {"url": response.url, "kind": kind}
            if kind == "first":
                again = {"url": response.url, "dont_filter": True}
                for name, more in {
                    "off": {"meta": {"eatext": False}},
                    "head": {"method": "HEAD"},
                }.items():
                    yield scrapy.Request(**again, cb_kwargs={"kind": name}, **more)

    done = crawl(Twice, ADDON)
    assert {item["kind"]: item.get("main_text") for item in done.items} == {
        "first": text_of("one"),
        "off": None,
        "head": text_of("one"),
    }


def test_an_errback_that_asks_for_a_text_ties_it_to_no_item(server):
    class Failing(UrlSpider):
        async def start(self):
            yield scrapy.Request(server("/missing"), errback=self.failed)

        def failed(self, failure):
            response = failure.value.response
            assert main_text(response).text
            yield {"n": 1}
            yield {"n": 2, "url": response.url}

    done = crawl(Failing, ADDON)
    texts = [item.get("main_text") for item in sorted(done.items, key=itemgetter("n"))]
    assert texts == [None, "There is no such page."]


def test_an_error_while_a_text_is_sought_loses_no_item(server, monkeypatch, caplog):
    monkeypatch.setattr("scrapy_eatext.crawl.extractor.Extractor.of_html", fail)
    item, done = one(server, TWO_WITH_HTML, dict, html="<p>x", url=url_of)
    assert item == {"url": server("/page/one")}
    assert done.eatext("item/") == {"none": 1}
    assert done.eatext("exception_count/") == {"OSError": 1}
    assert "broken on purpose" in complaints(caplog)[0]


class LateSpider(UrlSpider):
    """Changes its responses before it yields two items for each."""

    def parse(self, response):
        response.css("article").drop()
        for number in range(2):
            yield {"number": number, "page": response.url}


@pytest.mark.parametrize("broken", [False, True])
def test_without_the_downloader_middleware_pages_are_extracted_late(
    server, monkeypatch, broken
):
    if broken:
        monkeypatch.setattr("scrapy_eatext.execution.executors.Pool.submit", fail)
    done = crawl(LateSpider, LATE, urls=(server("/page/late"),))
    texts = [item.get("main_text") for item in done.items]
    assert texts == [None if broken else text_of("late")] * 2
    assert done.eatext("item/") == {"none" if broken else "response": 2}
    assert done.eatext("late/") == ({} if broken else {"extracted": 1})
    assert "eatext/response_count" not in done.stats


def test_responses_that_are_not_extracted_late_either(server):
    class Unrequested(UrlSpider):
        """Its items seem to come from a response that nobody asked for."""

        def parse(self, response):
            response.request = None
            yield {"url": response.url}

    for spider, path in ((UrlSpider, "/data.json"), (Unrequested, "/page/one")):
        done = crawl(spider, LATE, urls=(server(path),))
        assert done.items == [{"url": server(path)}]
        assert done.eatext("item/") == {"none": 1}


class CancellingSpider(UrlSpider):
    """Cancels the task that waits for the text of an item."""

    async def parse(self, response):
        async def wait(*_: object) -> None:
            raise asyncio.CancelledError

        pipeline = EatextPipeline.from_crawler(self.crawler)
        pipeline._text_of = wait
        with pytest.raises(asyncio.CancelledError):
            await pipeline.process_item({"url": response.url})
        yield {"url": response.url}


def test_an_item_that_nobody_waits_for(server):
    done = crawl(CancellingSpider, ADDON, urls=[server("/page/one")])
    assert done.eatext("item/") == {"cancelled": 1, "response": 1}
    assert done.eatext()["item_count"] == 2
