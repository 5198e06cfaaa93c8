"""Articles on several pages, joined in a crawl."""

from __future__ import annotations

import threading

import pytest
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Request
from scrapy.utils.defer import deferred_from_coro

from scrapy_eatext import main_text
from scrapy_eatext.execution import cascade
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.page import Page
from scrapy_eatext.page.continued import next_page, page_of
from scrapy_eatext.result import COMPUTED, Block, MainText, Metadata, joined
from tests.support.algorithms import Plain
from tests.support.crawling import ADDON, UrlSpider, complaints, crawl, fail
from tests.support.mockserver import page, text_of

pytestmark = pytest.mark.slow

FIELDS = {"main_text": "text", "markdown": "markdown", "title": "title"}


def crawled(server, path, pages=10, **settings):
    done = crawl(
        UrlSpider,
        {**ADDON, "EATEXT_PAGES": pages, "EATEXT_FIELDS": FIELDS, **settings},
        urls=(server(path),),
    )
    assert not done.eatext("exception_count/") or "EATEXT_ALGORITHM" in settings
    assert done.stats["eatext/response_count"] == len(done.items) == 1
    return done.items[0], done.eatext("pages/")


def whole(pages):
    return "\n\n".join(text_of(f"{i} of boats") for i in range(1, pages + 1))


@pytest.mark.parametrize("executor", ["inline", "thread", "process"])
def test_pages_are_joined(server, executor):
    item, counts = crawled(server, "/several/boats/4", EATEXT_EXECUTOR=executor)
    assert item["main_text"] == item["markdown"] == whole(4)
    assert item["title"] == "boats 1"
    assert counts == {"asked": 3, "joined": 3}


MISSING = "/several/boats/4?missing=3"


@pytest.mark.parametrize(
    ("path", "settings", "text", "counts"),
    [
        ("/several/boats/9", {"pages": 3}, whole(3), {"asked": 2, "joined": 2}),
        ("/several/boats/4", {"pages": 0}, whole(1), {}),
        ("/several/boats/4", {"pages": 1}, whole(1), {}),
        # A page that comes again.
        ("/same/boats", {}, text_of("boats"), {"asked": 1}),
        # The page of an error, also where the spider asks for such pages.
        (MISSING, {}, whole(2), {"asked": 2, "joined": 1}),
        (MISSING, {"HTTPERROR_ALLOW_ALL": True}, whole(2), {"asked": 2, "joined": 1}),
    ],
)
def test_where_an_article_ends(server, path, settings, text, counts):
    item, found = crawled(server, path, **settings)
    assert (item["main_text"], found) == (text, counts)


def test_a_page_that_cannot_be_downloaded_ends_it(server, caplog):
    class NoSecondPage:
        def process_request(self, request):
            if "page=2" in request.url:
                raise IgnoreRequest("robots.txt forbids it")

    refusing = {"DOWNLOADER_MIDDLEWARES": {NoSecondPage: 100}, "LOG_LEVEL": "INFO"}
    item, counts = crawled(server, "/several/boats/4", **refusing)
    assert item["main_text"] == whole(1)
    assert counts == {"asked": 1, "failed": 1}
    assert complaints(caplog) == []


def test_further_pages_are_downloaded_as_the_first_one(server):
    noted: list[dict[str, object]] = []

    class NotingMiddleware:
        def process_request(self, request):
            noted.append(dict(request.meta))

    way = {"download_timeout": 99.0, "download_maxsize": 10_000, "download_slot": "a"}
    browsers = {"playwright_include_page": True, "playwright_page": "open"}
    meta = {**way, **browsers, "playwright": True, "download_latency": 9}
    noting = {"DOWNLOADER_MIDDLEWARES": {NotingMiddleware: 999}}
    settings = {**ADDON, **noting, "EATEXT_PAGES": 2}
    request = Request(server("/several/boats/2"), meta=meta)
    done = crawl(UrlSpider, settings, urls=(request,))
    assert done.items[0]["main_text"] == whole(2)
    _, further = noted
    assert way.items() <= further.items()
    assert further["playwright"] is True
    assert not {*browsers, "download_latency"} & set(further)


@pytest.mark.parametrize("executor", ["thread", "process"])
def test_a_crawls_own_thread_parses_no_page(server, executor, monkeypatch):
    class ManyAttributes:
        """Puts a tag before each page that would take the parser seconds."""

        TAG = f"<p {' '.join(f'a{i}=1' for i in range(50_000))}>".encode()

        def process_response(self, request, response):
            return response.replace(body=self.TAG + response.body)

    def selector(response):
        assert threading.current_thread() is not threading.main_thread()
        return parse(response)

    parse = HtmlResponse.selector.fget
    monkeypatch.setattr(HtmlResponse, "selector", property(selector))
    path, middlewares = "/several/boats/3", {ManyAttributes: 999}
    settings = {"EATEXT_EXECUTOR": executor, "DOWNLOADER_MIDDLEWARES": middlewares}
    item, counts = crawled(server, path, **settings)
    assert item["main_text"] == whole(3)
    assert counts == {"asked": 2, "joined": 2}


def test_a_next_page_that_is_not_found_for_an_error_costs_no_text(monkeypatch):
    monkeypatch.setattr(cascade, "next_page", fail)
    job = Job(page("<p>" + text_of("boats")), URL, Choice(), Limits(), sought=(URL, 2))
    outcome = extract_page(job)
    assert (outcome.kind, outcome.next_url) == ("extracted", "")
    assert [(f.name, f.field) for f in outcome.failures] == [("OSError", "next_url")]


class PausingMiddleware:
    def __init__(self, crawler):
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def process_request(self, request):
        if "page=3" in request.url:
            engine = self.crawler.engine
            deferred_from_coro(engine.close_spider_async(reason="paused"))


# Older releases of Scrapy leave a file of the queue open where they go on.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_crawl_that_closes_asks_for_no_further_page(server, tmp_path):
    settings = {
        **ADDON,
        "EATEXT_PAGES": 4,
        "JOBDIR": str(tmp_path),
        "CONCURRENT_REQUESTS": 1,
        "DOWNLOADER_MIDDLEWARES": {PausingMiddleware: 999},
    }
    urls = (server("/several/boats/4"), server("/several/ships/4"))
    done = [crawl(UrlSpider, settings, urls=urls) for _ in urls]
    assert [one.stats["finish_reason"] for one in done] == ["paused"] * 2
    # The one that was asked for before is waited for.
    assert {item["main_text"] for one in done for item in one.items} == {
        whole(3),
        whole(3).replace("boats", "ships"),
    }
    counts = {"asked": 2, "joined": 2, "given_up": 1}
    assert [one.eatext("pages/") for one in done] == [counts] * 2
    assert [len(one.items) for one in done] == [1, 1]


@pytest.mark.parametrize(
    "fields", [{"main_text": "text"}, {name: name for name in COMPUTED}]
)
def test_a_callback_gets_what_all_pages_have(server, fields):
    found = []

    class Asking(UrlSpider):
        def parse(self, response):
            result = main_text(response)
            again = response.replace(url=response.url)
            chunks = [result.text[c.start : c.end] for c in result.chunks(40, 0)]
            values = {name: result.value(name) for name in COMPUTED}
            found.append((result.title, values, chunks, main_text(again).text))
            yield {"url": response.url}

    settings = {**ADDON, "EATEXT_PAGES": 3, "EATEXT_FIELDS": fields}
    crawl(Asking, settings, urls=(server("/several/boats/4"),))
    ((title, values, chunks, of_one),) = found
    assert title == "boats 1"
    assert values["markdown"] == whole(3)
    for number in range(1, 4):
        assert text_of(f"{number} of boats") in values["html"]
    assert len([block for block in values["blocks"] if block.kept]) == 3
    assert (
        chunks == [chunk.text for chunk in values["chunks"]] == whole(3).split("\n\n")
    )
    # A response in its place has its own text alone.
    assert of_one == whole(1)


class NoThird(Plain):
    """Raises an error on an article's third page."""

    name = "no third"

    def judge(self, page):
        if page.url.endswith("page=3"):
            raise ValueError("broken on purpose")
        return super().judge(page)


def test_what_fails_on_a_further_page_is_told(server, caplog):
    item, counts = crawled(
        server, "/several/boats/4", EATEXT_ALGORITHM="tests.crawl.test_pages.NoThird"
    )
    assert item["main_text"] == whole(4)
    assert counts == {"asked": 3, "joined": 3}
    (told,) = complaints(caplog)
    assert "ValueError" in told
    assert "/several/boats/4?page=3" in told


def test_what_is_not_computed_is_not_the_first_pages_alone():
    first, second = MainText("a", score=1.0), MainText("bbb", score=0.6)
    first = first.backed({"html": "<p>a</p>", "metadata": Metadata("t")})
    second = second.backed({"html": "<p>b</p>", "metadata": Metadata()})
    made = joined([first, second])
    assert (made.text, made.html) == ("a\n\nbbb", "<p>a</p>\n\n<p>b</p>")
    assert made.title == "t"
    assert made.score == pytest.approx(0.7)
    with pytest.raises(LookupError):
        made.markdown  # noqa: B018
    block = Block("a", "paragraph", 0, "/p", 1.0, True, "")
    both = [MainText("a").backed({"blocks": (block,)})] * 2
    assert joined(both).blocks == (block, block)
    tables = [MainText(name).backed({"tables": ([[name]],)}) for name in ("a", "b")]
    assert joined(tables).tables == ([["a"]], [["b"]])


URL = "https://a.org/boats"


@pytest.mark.parametrize(
    ("first", "link", "number"),
    [
        (URL, '<link rel="next" href="?page=2">', 2),
        (URL, '<a rel="nofollow Next" href="/boats/2">more</a>', 2),
        (URL, '<a href="/boats/page/3/#text">3</a>', 3),
        (URL + ".html", '<a href="boats_2.html">Weiter &gt;</a>', 2),
        (URL + "?id=7", '<a href="/boats?id=7&amp;page=2">2</a>', 2),
        (URL + "/12", '<a href="/boats/12?p=2">2</a>', 2),
        # No next page.
        (URL, '<link rel="next" href="/chapter2">', None),
        (URL, '<a href="/boats/3">3</a>', None),
        (URL, '<a href="/boats/2">Two boats</a>', None),
        (URL, '<a href="/boats2">2</a>', None),
        (URL + "/2", '<a href="/boats/3">3</a>', None),
        (URL + "/12", '<a rel=next href="/boats/13">next</a>', None),
    ],
)
def test_where_the_next_page_is(first, link, number):
    page = Page.of(f"<p>x {link}", first)
    found = next_page(page, first, number or 2)
    assert found.startswith(URL) if number else found == ""


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("https://a.org/b", ("https://a.org/b", 1)),
        ("https://a.org/b/2/", ("https://a.org/b", 2)),
        ("https://a.org/2024/03/b", ("https://a.org/2024/03/b", 1)),
        ("https://a.org/b?page=3&c=d", ("https://a.org/b?c=d", 3)),
        ("https://a.org/b/12345", ("https://a.org/b/12345", 1)),
    ],
)
def test_the_number_of_a_page(url, page):
    assert page_of(url) == page
