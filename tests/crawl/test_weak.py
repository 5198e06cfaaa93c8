"""Pages with a weak text are asked for once more, and the better answer is kept."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from shutil import which
from typing import ClassVar

import pytest
import scrapy
from scrapy.settings import Settings

from scrapy_eatext import main_text
from scrapy_eatext.crawl.ownrequests import OWN, retry_meta
from scrapy_eatext.crawl.retries import is_better, is_weak
from scrapy_eatext.crawl.settings import Config
from scrapy_eatext.execution.cascade import Outcome
from scrapy_eatext.execution.choice import Weak
from scrapy_eatext.page.walls import PASSABLE, WALLS
from scrapy_eatext.result import MainText
from tests.support import crawling
from tests.support.crawling import ADDON, PLAIN, UrlSpider, crawl
from tests.support.mockserver import text_of

pytestmark = pytest.mark.slow

RENDERED = {"meta": {"rendered": True}, "min_chars": 100}


class Rendering:
    """Stands for a browser, and counts what goes out to the net."""

    sent: ClassVar[Counter[str]] = Counter()
    failing = False

    def process_request(self, request):
        if request.meta.get("rendered"):
            if self.failing:
                raise OSError("no browser")
            request.headers["X-Rendered"] = "1"
        self.sent[request.url] += 1


SETTINGS = {
    **ADDON,
    "EATEXT_WEAK": RENDERED,
    "DOWNLOADER_MIDDLEWARES": {Rendering: 950},
    "RETRY_TIMES": 3,
}


class NotingSpider(UrlSpider):
    """Yields the result in each callback, which runs once a page."""

    def parse(self, response):
        assert response.meta["main_text"].text == main_text(response).text
        yield {
            "url": response.url,
            "rendered": response.meta.get("rendered", False),
            "meta": sorted(response.meta),
            "kwargs": response.cb_kwargs,
        }


@pytest.fixture(autouse=True)
def _nothing_is_sent_yet():
    Rendering.sent = Counter()


def crawled(server, paths, **settings):
    requests = tuple(
        path if isinstance(path, scrapy.Request) else scrapy.Request(server(path))
        for path in paths
    )
    done = crawl(NotingSpider, {**SETTINGS, **settings}, urls=requests)
    counts = done.eatext("weak/")
    answers = counts.get("better", 0) + counts.get("no_better", 0)
    assert counts.get("asked", 0) == answers
    assert "retry/count" not in done.stats
    return done


PLAIN_PATHS = [f"/page/{i}" for i in range(35)]
SCRIPT_PATHS = [f"/script/{i}" for i in range(20)]
WALL_PATHS = [f"/wall/checking?{i}" for i in range(5)]
ALL_PATHS = [
    path
    for some in zip(*[iter(PLAIN_PATHS)] * 7, *[iter(SCRIPT_PATHS)] * 4, WALL_PATHS, strict=True)
    for path in some
]  # fmt: skip


def check_sixty_pages(server, done):
    texts = {item["url"]: item["main_text"] for item in done.items}
    assert len(done.items) == len(texts) == 60
    for path in PLAIN_PATHS + SCRIPT_PATHS:
        assert texts[server(path)] == text_of(path.rpartition("/")[2])
    assert [texts[server(path)] for path in WALL_PATHS] == [""] * 5
    assert done.eatext("weak/") == {"asked": 25, "better": 20, "no_better": 5}
    assert done.eatext("response/") == {"extracted": 55, "checking": 5}
    assert done.eatext("item/") == {"response": 60}
    assert done.eatext("algorithm/") == {"plain": 60}


@pytest.mark.parametrize("executor", ["inline", "thread", "process"])
def test_sixty_pages(server, executor):
    done = crawled(server, ALL_PATHS, EATEXT_EXECUTOR=executor)
    check_sixty_pages(server, done)
    twice = {server(path) for path in SCRIPT_PATHS + WALL_PATHS}
    assert Rendering.sent == {server(p): 1 + (server(p) in twice) for p in ALL_PATHS}
    for item in done.items:
        assert item["rendered"] == ("/script/" in item["url"])
        assert not {"dont_cache", "dont_retry"}.intersection(item["meta"])
        assert not [key for key in item["meta"] if key.startswith("_")]


def test_out_of_the_cache_comes_the_first_answer_alone(server, tmp_path):
    cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    for hits in (0, 60):
        Rendering.sent = Counter()
        done = crawled(server, ALL_PATHS, **cache)
        assert done.stats.get("httpcache/hit", 0) == hits
        check_sixty_pages(server, done)
        assert sum(Rendering.sent.values()) == 85 - hits
    # A crawl that has the cache alone asks nobody.
    Rendering.sent = Counter()
    done = crawled(server, ["/script/1"], **cache, HTTPCACHE_IGNORE_MISSING=True)
    assert done.eatext("weak/") == {"given_up": 1}
    assert not Rendering.sent


def test_a_host_where_it_never_helps_is_left_alone(server):
    paths = [f"/wall/checking?{i}" for i in range(40)]
    done = crawled(server, paths, CONCURRENT_REQUESTS=4)
    counts = done.eatext("weak/")
    assert 10 <= counts["asked"] == counts["no_better"] <= 14
    assert counts["given_up"] == 40 - counts["asked"]
    assert sum(Rendering.sent.values()) == 40 + counts["asked"]


def test_where_it_nearly_always_helps_pages_go_there_at_once(server):
    paths = [f"/script/{i}" for i in range(30)]
    done = crawled(server, paths, CONCURRENT_REQUESTS=1)
    assert done.eatext("weak/") == {"asked": 10, "better": 10, "direct": 20}
    assert [item["main_text"] for item in done.items] == [text_of(i) for i in range(30)]
    assert sum(Rendering.sent.values()) == 40
    assert all(item["rendered"] for item in done.items)
    assert not any("dont_cache" in item["meta"] for item in done.items)


class Writing(Rendering):
    """As scrapy-splash, which writes a page's URL into the dict that it is given."""

    def process_request(self, request):
        if given := request.meta.get("rendered"):
            assert given["steps"][0].setdefault("url", request.url) == request.url
        super().process_request(request)


def test_a_middleware_may_write_into_its_meta(server):
    weak = {**RENDERED, "meta": {"rendered": {"steps": [{}]}}}
    settings = {"DOWNLOADER_MIDDLEWARES": {Writing: 950}, "EATEXT_WEAK": weak}
    paths = [f"/script/{i}" for i in range(12)]
    done = crawled(server, paths, CONCURRENT_REQUESTS=1, **settings)
    assert done.eatext("weak/") == {"asked": 10, "better": 10, "direct": 2}


class Ending(Rendering):
    """A browser or an API that works for so many pages."""

    status = 0

    def process_request(self, request):
        self.failing = self.sent["rendered"] >= 15 and not self.status
        super().process_request(request)
        self.sent["rendered"] += bool(request.meta.get("rendered"))

    def process_response(self, request, response):
        if self.sent["rendered"] > 15 and request.meta.get("rendered") and self.status:
            return response.replace(status=self.status)
        return response


@pytest.mark.parametrize("status", [0, 403])
def test_pages_do_not_go_there_at_once_when_it_does_not_work_any_more(
    server, monkeypatch, status
):
    monkeypatch.setattr(Ending, "status", status)
    paths = [f"/script/{i}" for i in range(30)]
    settings = {"DOWNLOADER_MIDDLEWARES": {Ending: 950}, "RETRY_ENABLED": False}
    done = crawled(server, paths, CONCURRENT_REQUESTS=1, **settings)
    # The first ten teach it, five more work, and two teach that it is over.
    assert done.eatext("weak/")["direct"] == 7
    assert len(done.items) == 28
    assert sum(item.get("main_text", "") != "" for item in done.items) == 15


def test_no_more_than_its_share_of_a_host(server):
    done = crawled(server, SCRIPT_PATHS, EATEXT_WEAK={**RENDERED, "per_host": 3})
    assert done.eatext("weak/") == {"asked": 3, "better": 3, "given_up": 17}


def test_a_second_request_inherits_nothing_of_the_first_download(server):
    request = scrapy.Request(
        server("/redirect/boats?script"),
        meta={"mine": 1, "eatext": {"weak": {"min_chars": 1000, "only_if_scripts": False}}},
        cb_kwargs={},
        headers={"X-Mine": "1"},
    )  # fmt: skip
    done = crawled(server, [request])
    (item,) = done.items
    assert {"mine", "redirect_urls", "download_latency"} <= set(item["meta"])
    assert done.eatext("weak/") == {"asked": 1, "no_better": 1}
    meta = {
        "download_latency": 1.0, "download_slot": "a", "download_timeout": 9,
        "main_text": MainText(), "retry_times": 2, "redirect_urls": ["http://a"],
        "redirect_times": 1, "cached_response": None, "mine": 1, 7: 8, "depth": 3,
    }  # fmt: skip
    assert retry_meta(meta, {"rendered": True}) == {
        "mine": 1, 7: 8, "depth": 3, "rendered": True,
        "dont_cache": True, "dont_retry": True, OWN: True,
    }  # fmt: skip


def test_what_leads_to_a_page_stays_known(server):
    done = crawled(server, ["/redirect-to/script/boats"])
    (item,) = done.items
    assert item["url"] == server("/script/boats")
    assert item["main_text"] == text_of("boats")
    assert done.eatext("weak/") == {"asked": 1, "better": 1}
    assert "redirect_urls" in item["meta"]


@pytest.mark.parametrize(
    "request_of",
    [
        lambda url: scrapy.Request(url, meta={"eatext": {"weak": False}}),
        lambda url: scrapy.Request(url, method="POST"),
        lambda url: scrapy.Request(url, meta={"eatext": {"weak": {"min_chars": 0, "min_score": 0}}}),
    ],
)  # fmt: skip
def test_what_is_not_asked_for_once_more(server, request_of):
    done = crawled(server, [request_of(server("/short/1"))])
    assert done.eatext("weak/") == {}
    assert sum(Rendering.sent.values()) == 1


def test_sites_and_requests_say_otherwise(server):
    site = {"127.0.0.1": {"weak": {"only_if_scripts": False}}}
    done = crawled(server, ["/short/1"], EATEXT_SITES=site)
    assert done.eatext("weak/") == {"asked": 1, "no_better": 1}
    done = crawled(server, ["/short/1"])
    assert done.eatext("weak/") == {}
    asked = scrapy.Request(
        server("/script/1"), meta={"eatext": {"weak": RENDERED}}, dont_filter=True
    )
    done = crawled(server, [asked, "/script/2"], EATEXT_WEAK={})
    assert done.eatext("weak/") == {"asked": 1, "better": 1}


def test_a_second_answer_that_fails_costs_no_page(server, monkeypatch):
    monkeypatch.setattr(Rendering, "failing", True)
    done = crawled(server, ["/script/1", "/script/2"])
    assert done.eatext("weak/") == {"asked": 2, "no_better": 2, "failed": 2}
    assert done.eatext("response/") == {"shell": 2}
    assert len(done.items) == 2


# -- decisions


def outcome(chars=0, kind="extracted", score=1.0):
    return Outcome(MainText("x" * chars, score=score), kind)


WEAK = Weak(meta={"rendered": True})
SCRIPT = b"<html><script src=a.js></script>"


def test_what_is_weak():
    assert is_weak(outcome(199), WEAK, SCRIPT)
    assert not is_weak(outcome(200), WEAK, SCRIPT)
    assert is_weak(outcome(200, score=0.2), WEAK, SCRIPT)
    assert is_weak(outcome(0, "empty"), WEAK, SCRIPT)
    assert not is_weak(outcome(0, "failed"), WEAK, SCRIPT)
    for no_script in (b"<html>", b"<script type=application/ld+json>{}</script>"):
        assert not is_weak(outcome(0, "empty"), WEAK, no_script)
    assert {kind for kind in WALLS if is_weak(outcome(0, kind), WEAK, b"")} == PASSABLE


def test_which_answer_is_better():
    weak = outcome(100)
    assert is_better(outcome(200), weak, WEAK)
    assert is_better(outcome(201, score=0.1), weak, WEAK)
    assert not is_better(outcome(199, score=0.1), weak, WEAK)
    assert not is_better(outcome(150), weak, WEAK)
    assert not is_better(outcome(900, "timed_out"), weak, WEAK)
    assert not is_better(outcome(0, "captcha"), outcome(), WEAK)


def test_settings_as_text_and_of_a_site():
    given = '{"meta": {"rendered": true}, "share": 0.5}'
    sites = {"a.org": {"weak": {"per_host": 7}}, "b.org": {"weak": False}}
    said = {"EATEXT_ALGORITHM": PLAIN, "EATEXT_WEAK": given, "EATEXT_SITES": sites}
    made = Config.from_settings(Settings(said))
    assert made.choice.weak == Weak(meta={"rendered": True}, share=0.5)
    at_a = made.choice_for("http://a.org/").weak
    assert (at_a.per_host, at_a.share, at_a.meta) == (7, 0.5, {"rendered": True})
    assert not made.choice_for("http://b.org/").weak.meta


# -- a real browser

CHROMIUM = which("chromium")
# The script fetches the text after the page has loaded.
IN_A_BROWSER = {
    "playwright": True,
    "playwright_page_goto_kwargs": {"wait_until": "networkidle"},
}


@pytest.mark.skipif(
    not (CHROMIUM and find_spec("scrapy_playwright")),
    reason="needs scrapy-playwright and chromium",
)
@pytest.mark.skipif(
    crawling.reactor_name != "asyncio", reason="scrapy-playwright needs this reactor"
)
def test_in_a_browser(server):
    handler = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
    launch = {"executable_path": CHROMIUM, "args": ["--no-sandbox"]}
    settings = {
        **ADDON,
        "EATEXT_WEAK": {"meta": IN_A_BROWSER, "min_chars": 100},
        "DOWNLOAD_HANDLERS": {"http": handler},
        "PLAYWRIGHT_LAUNCH_OPTIONS": launch,
        "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": 60_000,
    }
    done = crawl(NotingSpider, settings, urls=tuple(map(server, ALL_PATHS)))
    check_sixty_pages(server, done)
