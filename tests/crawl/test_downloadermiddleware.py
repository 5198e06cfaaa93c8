"""Options of single requests, and broken pages."""

from __future__ import annotations

import gc
import logging
from typing import ClassVar
from weakref import ref

import pytest
import scrapy
import scrapy.core.scheduler
from scrapy import Selector, signals
from scrapy.crawler import Crawler
from scrapy.http import (
    HtmlResponse,
    JsonResponse,
    Request,
    Response,
    TextResponse,
    XmlResponse,
)
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import Settings

from scrapy_eatext import MainText, extract, main_text
from scrapy_eatext.crawl.service import Service
from tests.support.algorithms import Plain
from tests.support.crawling import (
    ADDON,
    BROKEN,
    DOWNLOADER,
    NOTHING,
    PIPELINE,
    PLAIN,
    UrlSpider,
    complaints,
    crawl,
    default_settings,
    fail,
)
from tests.support.items import TypeSpider
from tests.support.mockserver import NOT_ASCII, PNG, text_of

pytestmark = pytest.mark.slow


class MetaSpider(UrlSpider):
    """Yields what it finds under main_text."""

    def parse(self, response):
        yield {"result": response.meta.get("main_text")}


def result_of(url, meta=None, **settings):
    """The result that one request's response has, and its crawl."""
    request = scrapy.Request(url, meta=meta)
    done = crawl(MetaSpider, {**DOWNLOADER, **settings}, urls=(request,))
    (item,) = done.items
    return item["result"], done


# The text of /word/word.
WORD = text_of("word") + "\n\nword"


@pytest.mark.parametrize(
    ("said", "algorithm", "text"),
    [
        (None, "plain", WORD),
        (True, "plain", WORD),
        (NOTHING, "nothing", ""),
        ([NOTHING, PLAIN], "plain", WORD),
        ((NOTHING, BROKEN), "broken", WORD),
        ({}, "plain", WORD),
        ({"algorithm": NOTHING}, "nothing", ""),
        ({"options": {"min_length": 50}}, "plain", text_of("word")),
        ({"options": {PLAIN: {"min_length": 50}}}, "plain", text_of("word")),
        ({"min_chars": 1000, "below": "empty"}, "plain", ""),
        ({"min_score": 0.6, "below": "empty"}, "plain", ""),
        ({"min_score": 0.5, "below": "empty"}, "plain", WORD),
        ({"remove": "article p:first-child"}, "plain", "word"),
        ({"algorithm": NOTHING, "keep": ["li", "h1"]}, "nothing", "Home\nAll\nFooter"),
    ],
)
def test_a_request_has_the_last_word(server, said, algorithm, text):
    settings = {"EATEXT_SITES": {"127.0.0.1": PLAIN}, "EATEXT_ALGORITHM": BROKEN}
    result, _ = result_of(server("/word/word"), {"eatext": said}, **settings)
    assert result.algorithm == algorithm
    assert result.text.replace("- ", "").replace("* ", "") == text


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ("nope", "request.meta['eatext'] is 'nope'"),
        (3, "request.meta['eatext'] is 3"),
        ([], "request.meta['eatext'] is []"),
        ({"min_chars": "x"}, "request.meta['eatext']['min_chars'] is 'x'"),
        ({"colour": 1}, "request.meta['eatext']['colour'] is 1"),
        ({"options": {"x": 1}}, "request.meta['eatext']['options']['x'] is 1"),
        ({"keep": "["}, "request.meta['eatext']['keep'] is '['"),
    ],
)
def test_what_a_request_says_wrongly_fails_its_page_alone(server, caplog, said, where):
    result, done = result_of(server("/page/1"), {"eatext": said})
    assert result == MainText()
    assert done.eatext("response/") == {"failed": 1}
    assert done.eatext("exception_count/") == {"SettingError": 1}
    (complaint,) = complaints(caplog)
    assert complaint.startswith(f"No main text for {server('/page/1')}: {where}")


@pytest.mark.parametrize("executor", ["inline", "thread", "process"])
def test_errors_are_counted_and_logged_once_with_traceback(server, caplog, executor):
    urls = (server("/word/broken"), server("/word/broken?2"), server("/page/fine"))
    settings = {"EATEXT_ALGORITHM": BROKEN, "EATEXT_EXECUTOR": executor}
    done = crawl(MetaSpider, {**DOWNLOADER, **settings}, urls=urls)
    assert len(done.items) == 3
    assert done.eatext("response/") == {"failed": 2, "extracted": 1}
    assert done.eatext("exception_count/") == {"ZeroDivisionError": 2}
    assert done.eatext("algorithm/") == {"last resort": 2, "broken": 1}
    said = complaints(caplog)
    assert len(said) == 2
    assert [message.count("Traceback (most") for message in said] == [1, 0]
    for url in urls[:2]:
        assert sum(f"{url}" == line.split()[5] for line in said[0:2]) == 1


@pytest.mark.parametrize(
    ("word", "error", "executor", "seconds"),
    [
        ("fine", "ZeroDivisionError", "process", 60),
        ("slow", "TimeLimitError", "thread", 1),
    ],
)
def test_a_field_that_fails_leaves_the_text(
    server, caplog, word, error, executor, seconds
):
    result, done = result_of(
        server(f"/word/{word}"),
        EATEXT_ALGORITHM="tests.support.algorithms.Placeless",
        EATEXT_EXECUTOR=executor,
        EATEXT_TIMEOUT=seconds,
        EATEXT_FIELDS={"body": "text", "title": "title", "blocks": "blocks"},
    )
    assert text_of(word) in result.text
    assert (result.title, result.blocks) == (word, ())
    assert done.eatext("response/") == {"extracted": 1}
    assert done.eatext("field_failed/") == {"blocks": 1}
    assert done.eatext("exception_count/") == {error: 1}
    (complaint,) = complaints(caplog)
    assert complaint.startswith(f"Only computing blocks failed with {error} on http")


def test_a_page_that_gets_the_last_resort_is_named(server, caplog):
    result, _ = result_of(server("/page/1"), EATEXT_MAX_SIZE=100)
    assert result.algorithm == "last resort"
    expected = f"{server('/page/1')} gets the last resort: too large"
    assert complaints(caplog) == [expected]


def test_what_callbacks_read_is_computed_ahead(server):
    result, _ = result_of(server("/page/1"), EATEXT_AHEAD=["blocks", "title"])
    assert {"blocks", "metadata"} <= result.computed.keys()
    assert "html" not in result.computed


@pytest.mark.parametrize(
    ("algorithms", "least", "kind", "errors"),
    [
        # The next one takes over.
        ([BROKEN, NOTHING, PLAIN], 0, "extracted", 1),
        # Where none passes, the longest text stays, also where the last one fails.
        ([NOTHING, PLAIN, BROKEN], 1, "below", 1),
        ([NOTHING, PLAIN], 1, "below", 0),
    ],
)
def test_cascades(server, caplog, algorithms, least, kind, errors):
    settings = {"EATEXT_ALGORITHM": algorithms, "EATEXT_MIN_SCORE": least}
    result, done = result_of(server("/word/broken"), **settings)
    assert result.algorithm == "plain"
    assert done.eatext("response/") == {kind: 1}
    failed = {"ZeroDivisionError": errors} if errors else {}
    assert done.eatext("exception_count/") == failed
    assert len(complaints(caplog)) == errors


def test_a_service_that_breaks_loses_no_page(server, monkeypatch, caplog):
    monkeypatch.setattr("scrapy_eatext.execution.executors.Pool.submit", fail)
    result, done = result_of(server("/page/1"))
    assert result == MainText()
    assert done.eatext("response/") == {"failed": 1}
    assert "broken on purpose" in complaints(caplog)[0]


NO_ERRORS = {"scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None}
ALL, CODES = {"HTTPERROR_ALLOW_ALL": True}, {"HTTPERROR_ALLOWED_CODES": [404]}
OFF = {"SPIDER_MIDDLEWARES": NO_ERRORS}


@pytest.mark.parametrize(
    ("settings", "meta", "of_spider", "reached"),
    [
        (ALL, {}, (), True),
        (CODES, {}, None, True),
        (OFF, {"handle_httpstatus_list": [500]}, (), True),
        ({}, {"handle_httpstatus_list": [404]}, (), True),
        ({}, {"handle_httpstatus_list": [404, 500]}, (), True),
        ({}, {"handle_httpstatus_all": True}, (), True),
        ({}, {}, (404,), True),
        (ALL, {"handle_httpstatus_list": [500]}, None, False),
    ],
)
def test_a_status_that_reaches_its_callback_is_extracted(
    server, settings, meta, of_spider, reached
):
    class Handling(MetaSpider):
        if of_spider is not None:
            handle_httpstatus_list = of_spider

    request = scrapy.Request(server("/missing"), meta=meta)
    done = crawl(Handling, {**DOWNLOADER, **settings}, urls=(request,))
    texts = [item["result"].text for item in done.items]
    assert texts == ["There is no such page."] * reached
    kind = "extracted" if reached else "skipped_status"
    assert done.eatext("response/") == {kind: 1}


class Rendered(HtmlResponse):
    def __init__(self, *args, browser, **kwargs):
        super().__init__(*args, **kwargs)


class Renderer:
    def process_request(self, request):
        return Rendered(request.url, status=404, body=b"<p>Gone.</p>", browser=None)


def test_a_response_that_cannot_be_replaced_is_extracted_and_its_item_kept():
    settings = {**ADDON, "DOWNLOADER_MIDDLEWARES": {Renderer: 900}}
    request = scrapy.Request("http://a.test", meta={"handle_httpstatus_all": True})
    (item,) = crawl(MetaSpider, settings, urls=(request,)).items
    assert item["result"].text == item["main_text"] == "Gone."


class OfJson(Response):
    """As SplashJsonResponse, which is no TextResponse, but may hold HTML."""

    encoding = "utf8"
    text = property(lambda self: self.body.decode())
    selector = property(lambda self: Selector(self.text))


@pytest.mark.parametrize("cls", [TextResponse, OfJson, XmlResponse, Response])
def test_responses_whose_header_says_html(cls):
    class Splash:
        def process_request(self, request):
            told = {"Content-Type": "text/html"}
            html = "<p>Schöne Wörter.</p>".encode()
            return cls(request.url, headers=told, body=html)

    settings = {**ADDON, "DOWNLOADER_MIDDLEWARES": {Splash: 900}}
    done = crawl(CallingSpider, settings, urls=("http://a.test",))
    is_html = cls in (TextResponse, OfJson)
    text = "Schöne Wörter." if cls is not Response else ""
    assert done.items[0]["text"] == text
    assert done.eatext("response/") == {"extracted" if is_html else "skipped_type": 1}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("HEAD", "/page/{}", 200),
        ("GET", "/status/204?{}", 204),
        ("GET", "/status/304?{}", 304),
    ],
)
def test_answers_without_a_body_are_no_empty_pages(
    server, caplog, method, path, status
):
    class NoteSpider(UrlSpider):
        handle_httpstatus_list = (304,)

        def parse(self, response):
            yield {"url": response.url, "status": response.status}

    settings = {**ADDON, "EATEXT_BELOW": "drop", "EATEXT_ON_DECAY": "close_spider"}
    urls = [server(path.format(number)) for number in range(30)]
    requests = [scrapy.Request(url, method=method) for url in urls]
    done = crawl(NoteSpider, settings, urls=requests)
    noted = [{"url": url, "status": status} for url in urls]
    assert sorted(done.items, key=lambda item: urls.index(item["url"])) == noted
    assert done.eatext("response/") == {"skipped_type": 30}
    assert done.eatext("item/") == {"none": 30}
    assert not complaints(caplog)


class InlineSpider(UrlSpider):
    """Downloads a page inside of its callback."""

    async def parse(self, response):
        meta = {"eatext": True}
        for callback, more in ((None, {}), (NO_CALLBACK, {}), (NO_CALLBACK, meta)):
            request = scrapy.Request(response.url + "x", callback=callback, meta=more)
            inner = await self.crawler.engine.download_async(request)
            yield {"result": inner.meta.get("main_text")}


def test_downloads_inside_of_callbacks(server):
    done = crawl(InlineSpider, DOWNLOADER, urls=(server("/page/1"),))
    texts = [item["result"] and item["result"].text for item in done.items]
    assert texts == [text_of("1x"), None, text_of("1x")]
    assert done.eatext("response/") == {"extracted": 3, "skipped_internal": 1}


class ReplacingMiddleware:
    """Replaces what the server sent, between this package and the spider."""

    async def process_response(self, request, response):
        return response.replace(body=b"<p>Replaced.</p>")


@pytest.mark.parametrize(
    ("place", "texts", "warnings"),
    [(543, {text_of("1"), text_of("2")}, 1), (546, {"Replaced."}, 0)],
)
def test_a_response_that_is_replaced_too_late_is_told_of_once(
    server, caplog, place, texts, warnings
):
    fields = {"meta": lambda response: response.meta["main_text"].text}
    replacing = {ReplacingMiddleware: place}
    urls = (server("/page/1"), server("/page/2"))
    settings = {**ADDON, "DOWNLOADER_MIDDLEWARES": replacing}
    done = crawl(TypeSpider, settings, urls=urls, fields=fields)
    assert {item["meta"] for item in done.items} == texts
    assert {item["main_text"] for item in done.items} == {"Replaced."}
    assert done.eatext("response/") == {"extracted": 2}
    # For the items it is extracted again.
    assert done.eatext("late/") == ({"extracted": 2} if warnings else {})
    assert len(complaints(caplog)) == warnings


class ReadingMiddleware:
    """Reads the text before the response is tied to its request, and one of its own."""

    async def process_response(self, request, response):
        assert main_text(response) == request.meta["main_text"]
        # What has no request yet goes by the settings.
        other = HtmlResponse(response.url, body=b"<p>Other.", encoding="utf-8")
        by = f"{main_text(response).algorithm}, {main_text(other).algorithm}"
        return response.replace(headers={"X-By": by})


def test_main_text_in_a_downloader_middleware(server):
    fields = {"by": lambda response: response.headers["X-By"].decode()}
    reading = {"DOWNLOADER_MIDDLEWARES": {ReadingMiddleware: 543}}
    settings = {**ADDON, **reading, "EATEXT_ALGORITHM": NOTHING}
    done = crawl(TypeSpider, settings, urls=(server("/page/1"),), fields=fields)
    assert [item["by"] for item in done.items] == ["nothing, nothing"]


@pytest.mark.parametrize("path", ["/page/1", "/file/empty"])
def test_main_text_of_a_response_that_was_replaced(server, path):
    class ReplacedSpider(UrlSpider):
        def parse(self, response):
            yield {"by middleware": main_text(response).text}
            response = response.replace(body=b"<p>By hand.</p>")
            found = main_text(response)
            yield {"by hand": found.text, "markdown": found.markdown}

    replacing = {"DOWNLOADER_MIDDLEWARES": {ReplacingMiddleware: 100}}
    done = crawl(ReplacedSpider, {**ADDON, **replacing}, urls=(server(path),))
    assert done.items == [
        {"by middleware": "Replaced.", "main_text": "Replaced."},
        {"by hand": "By hand.", "markdown": "By hand.", "main_text": "Replaced."},
    ]


@pytest.fixture
def by_plain(monkeypatch):
    """Without a crawl's settings, main_text() extracts by another algorithm."""
    monkeypatch.setattr(
        "scrapy_eatext.crawl.service.extract",
        lambda page: extract(page, algorithm=PLAIN),
    )


class CallingSpider(UrlSpider):
    def parse(self, response):
        first = main_text(response)
        yield {"text": first.text, "same": main_text(response) is first}


@pytest.mark.parametrize(
    ("settings", "meta", "text"),
    [
        ({}, {}, WORD),
        ({}, {"eatext": {"remove": "article p:first-child"}}, "word"),
        ({}, {"eatext": False}, WORD),
        ({"EATEXT_SITES": {"127.0.0.1": NOTHING}}, {}, ""),
        ({"EATEXT_SITES": {"127.0.0.1": False}}, {}, WORD),
        (ADDON, {"eatext": False}, WORD),
    ],
)
def test_main_text_by_hand_goes_by_the_settings(server, settings, meta, text):
    """Where the pipeline alone is on, or the page was skipped, nothing was attached."""
    request = scrapy.Request(server("/word/word"), meta=meta)
    done = crawl(CallingSpider, {**PIPELINE, **settings}, urls=(request,))
    (item,) = done.items
    assert (item["text"], item["same"]) == (text, True)
    assert sum(done.eatext("late/").values()) == 1


@pytest.mark.parametrize(
    "response",
    [
        Response("https://a.org/image", body=PNG),
        HtmlResponse("https://a.org/a", body=PNG, encoding="utf-8"),
        HtmlResponse("https://a.org/b", body=b"%PDF-1.7 x", encoding="utf-8"),
        JsonResponse("https://a.org/c", body=b'{"a": "<p>Some words.</p>"}'),
    ],
)
def test_main_text_of_binary_data_and_json(response, caplog):
    found = main_text(response)
    assert (found.text, found.markdown, found.chunks()) == ("", "", ())
    assert not complaints(caplog)


@pytest.mark.parametrize("wrong", ["<p>HTML", Selector(text="<p>HTML"), None])
def test_main_text_takes_responses_alone(wrong):
    with pytest.raises(TypeError, match=r"not \w+; extract\(\) takes HTML"):
        main_text(wrong)


@pytest.mark.parametrize("settings", [{}, PIPELINE, DOWNLOADER])
@pytest.mark.usefixtures("by_plain")
def test_what_was_found_by_hand_is_not_inherited(server, settings):
    class FollowingSpider(CallingSpider):
        def parse(self, response):
            for found in super().parse(response):
                yield {**found, "in_meta": "main_text" in response.meta}
            if "child" not in response.url:
                yield response.follow("/page/child", meta=response.meta)

    done = crawl(FollowingSpider, settings, urls=(server("/page/1"),))
    how = {"same": True, "in_meta": settings is DOWNLOADER}
    texts = [item.pop("text") for item in done.items]
    assert texts == [text_of(1), text_of("child")]
    assert all(item.items() >= how.items() for item in done.items)


@pytest.mark.parametrize("components", [ADDON, PIPELINE])
def test_main_text_in_a_process_that_runs_two_crawls(server, caplog, components):
    found = {}

    def replaced(response):
        return main_text(response.replace(body=b"<h1>One</h1><p>More.")).algorithm

    class Second(UrlSpider):
        def parse(self, response):
            found["second"] = replaced(response)
            found["first"] = replaced(found.pop("response"))
            for url in (response.url, "http://example.com/"):
                lost = HtmlResponse(url, body=b"<p>More.", encoding="utf-8")
                found[url] = main_text(lost).algorithm

    class First(UrlSpider):
        async def parse(self, response):
            found["response"] = response
            settings = {**components, **default_settings(), "EATEXT_ALGORITHM": NOTHING}
            second = Crawler(Second, Settings(settings))
            await second.crawl_async(urls=(server("/page/2"),))
            # This request is the only one now.
            lost = HtmlResponse(response.url, body=b"<p>More.", encoding="utf-8")
            found["after"] = main_text(lost).algorithm

    crawl(First, components, urls=(server("/page/1"),))
    assert found == {
        "second": "nothing",
        "first": "plain",
        server("/page/2"): "eatext",
        "http://example.com/": "eatext",
        "after": "plain",
    }
    said = [message for message in complaints(caplog) if "main_text()" in message]
    assert len(said) == 1
    assert "has no request, and 2 crawls run" in said[0]


def test_main_text_in_a_crawl_beside_the_one_with_the_components(server, caplog):
    found = []

    class Second(UrlSpider):
        def parse(self, response):
            item = {"by": main_text(response).algorithm}
            found.append((item, "main_text" in response.meta))
            yield item

    class First(UrlSpider):
        async def parse(self, response):
            second = Crawler(Second, Settings(default_settings()))
            await second.crawl_async(urls=(server("/page/2"), server("/page/3")))
            yield {"url": response.url}

    done = crawl(First, ADDON, urls=(server("/page/1"),))
    assert [item["main_text"] for item in done.items] == [text_of(1)]
    assert (done.eatext("response/"), done.eatext("late/")) == ({"extracted": 1}, {})
    assert found == [({"by": "eatext"}, False)] * 2
    (said,) = [message for message in complaints(caplog) if "main_text()" in message]
    assert "belongs to no request of a crawl with this package's components" in said


class Broken:
    """An extension that breaks a crawl at its start, and keeps its crawler alive."""

    @classmethod
    def from_crawler(cls, crawler):
        kept.append((crawler, Service.of(crawler)))
        raise ZeroDivisionError


kept: list[object] = []


def test_main_text_by_hand_after_a_crawl_that_did_not_start(server):
    refusing = {"EXTENSIONS": {Broken: 1}}
    done = crawl(UrlSpider, {**PIPELINE, **refusing})
    assert isinstance(done.error, ZeroDivisionError)
    done = crawl(CallingSpider, PIPELINE, urls=(server("/word/word"),))
    assert done.items[0]["text"] == WORD
    kept.clear()


@pytest.mark.usefixtures("by_plain")
def test_main_text_of_a_response_without_a_crawl():
    url, body = "http://example.com/", b"<p>Some text.</p>"
    for response in (
        HtmlResponse(url, body=body, encoding="utf-8"),
        TextResponse(url, body=body, request=Request(url)),
    ):
        assert main_text(response).text == "Some text."
        assert main_text(response) is main_text(response)


def test_the_response_shares_its_tree(server, monkeypatch):
    roots = []
    judge = Plain.judge
    monkeypatch.setattr(
        Plain, "judge", lambda self, page: roots.append(page.root) or judge(self, page)
    )

    fields = {"same": lambda response: response.selector.root is roots[-1]}
    done = crawl(TypeSpider, DOWNLOADER, urls=(server("/page/1"),), fields=fields)
    assert done.items == [{"same": True}]


@pytest.mark.parametrize("executor", ["inline", "thread", "process"])
@pytest.mark.parametrize("charset", ["gb2312", "iso-8859-1", "idna", "utf-16"])
def test_a_response_that_says_a_wrong_encoding(server, executor, charset):
    settings = {
        "EATEXT_ALGORITHM": PLAIN,
        "EATEXT_EXECUTOR": executor,
        # Decoding fails with an unknown encoding.
        "METAREFRESH_ENABLED": False,
    }
    fields = {
        name: lambda response, name=name: getattr(response.meta["main_text"], name)
        for name in ("text", "markdown")
    }
    urls = (server(f"/charset/{charset}"),)
    done = crawl(TypeSpider, {**DOWNLOADER, **settings}, urls=urls, fields=fields)
    assert done.items == [dict.fromkeys(fields, f"{text_of(charset)} {NOT_ASCII}")]
    assert done.eatext("response/") == {"extracted": 1}


def test_a_tree_goes_with_its_response():
    # Without the garbage collector's help.
    gc.disable()
    try:
        response = HtmlResponse("http://example.com/", body=b"<p>A page.</p>")
        selector = response.selector
        extract(response)
        assert selector.response.url == "http://example.com/"
        assert isinstance(selector.response, HtmlResponse)
        gone = ref(response)
        del response, selector
        assert gone() is None
    finally:
        gc.enable()


NO_STATS = {"STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector"}


@pytest.mark.parametrize(
    ("compiled", "more"), [(True, {}), (False, {}), (True, NO_STATS)]
)
def test_one_line_sums_up(server, caplog, monkeypatch, compiled, more):
    monkeypatch.setattr("scrapy_eatext.crawl.service.compiled", compiled)
    caplog.set_level(logging.INFO, "scrapy_eatext")
    settings = {**ADDON, **more}
    crawl(UrlSpider, settings, urls=(server("/page/1"), server("/data.json")))
    *before, line = (
        r.getMessage() for r in caplog.records if "scrapy_eatext" in r.name
    )
    told = ["the compiled modules" in other for other in before]
    assert told == [True] * (not compiled)
    assert "responses: 1 extracted, 1 skipped_type; items: 1 none, 1 response; " in line
    assert line.endswith(" at most")


def test_the_line_has_no_times_if_no_page_was_extracted(server, caplog):
    caplog.set_level(logging.INFO, "scrapy_eatext")
    crawl(UrlSpider, ADDON, urls=(server("/data.json"),))
    assert "Main text: responses: 1 skipped_type; items: 1 none" in caplog.messages


def test_times_add_up(server):
    _, done = result_of(server("/page/1"))
    times = done.eatext("time/")
    assert 0 < times.pop("min") == times.pop("mean") == times.pop("max")
    assert times.pop("milliseconds") >= 0
    assert sum(times.values()) == 1


class Monitor:
    """Looks at the stats when the spider is closed, before the components do."""

    seen: ClassVar[dict[str, object]] = {}

    @classmethod
    def from_crawler(cls, crawler):
        def look():
            cls.seen = dict(crawler.stats.get_stats())

        crawler.signals.connect(look, signals.spider_closed, weak=False)
        return cls()


def test_monitors_see_the_times(server):
    done = crawl(
        UrlSpider, {**ADDON, "EXTENSIONS": {Monitor: 0}}, urls=(server("/page/1"),)
    )
    for name, value in done.eatext("time/").items():
        assert Monitor.seen[f"eatext/time/{name}"] == value
