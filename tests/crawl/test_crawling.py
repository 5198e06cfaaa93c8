"""Whole crawls of a mock server, through every component."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from typing import ClassVar

import pytest
import scrapy
import scrapy.core.scheduler

from scrapy_eatext.crawl.settings import EXECUTORS
from tests.support import crawling
from tests.support.algorithms import Plain
from tests.support.crawling import (
    ADDON,
    DOWNLOADER,
    PLAIN,
    UrlSpider,
    complaints,
    crawl,
)
from tests.support.mockserver import text_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("executor", EXECUTORS)
def test_every_item_has_its_text(server, executor, caplog):
    urls = tuple(server(f"/page/{i}") for i in range(8))
    done = crawl(UrlSpider, {**ADDON, "EATEXT_EXECUTOR": executor}, urls=urls)
    assert {item["url"]: item["main_text"] for item in done.items} == {
        server(f"/page/{i}"): text_of(i) for i in range(8)
    }
    assert done.eatext("response/") == {"extracted": 8}
    assert done.eatext("item/") == {"response": 8}
    assert not complaints(caplog)


@pytest.mark.apart
@pytest.mark.skipif(
    crawling.reactor_was_chosen, reason="starts the runs with reactors itself"
)
@pytest.mark.parametrize(
    "reactor", sorted({"asyncio", "select"} - {crawling.DEFAULT_REACTOR})
)
def test_under_a_reactor(reactor):
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"--crawl-reactor={reactor}", __file__],
        check=True,
    )


class MixedSpider(UrlSpider):
    """Notes the text that each response comes with."""

    seen: Counter[str]

    def parse(self, response):
        self.seen[response.url] += 1
        text = response.meta.get("main_text")
        yield {"url": response.url, "got": None if text is None else str(text)}


def test_each_page_once_whatever_its_way(server):
    seen: Counter[str] = Counter()
    urls = (
        server("/redirect/one"),
        server("/refresh/two"),
        server("/retry/three"),
        server("/gzip/four"),
        server("/image.png"),
        server("/data.json"),
        server("/missing"),
        scrapy.Request(server("/page/off"), meta={"eatext": False}),
    )
    done = crawl(MixedSpider, {**ADDON, "ROBOTSTXT_OBEY": True}, urls=urls, seen=seen)
    texts = {item["url"]: item["got"] for item in done.items}
    assert texts == {
        server("/page/one"): text_of("one"),
        server("/page/two"): text_of("two"),
        server("/retry/three"): text_of("three"),
        server("/gzip/four"): text_of("four"),
        server("/image.png"): None,
        server("/data.json"): None,
        server("/page/off"): None,
    }
    assert done.eatext("response/") == {
        "extracted": 4,
        "skipped_type": 2,
        "skipped_status": 1,
        "skipped_off": 1,
        "skipped_internal": 1,
    }
    assert done.eatext("algorithm/") == {"plain": 4}


class CopyingSpider(UrlSpider):
    def parse(self, response):
        assert str(response.meta["main_text"]) == text_of("first")
        yield response.follow(
            "/data.json", self.parse_child, meta={**response.meta, "eatext": None}
        )
        yield response.follow("/page/child", self.parse_child, meta=response.meta)

    def parse_child(self, response):
        text = response.meta.get("main_text")
        yield {"at": response.url, "got": None if text is None else str(text)}


class NotingScheduler(scrapy.core.scheduler.Scheduler):
    """Notes what each request carries when it goes into the queue."""

    metas: ClassVar[list] = []

    def enqueue_request(self, request):
        self.metas.append(dict(request.meta))
        return super().enqueue_request(request)


@pytest.mark.parametrize("components", [ADDON, DOWNLOADER])
def test_a_copied_meta_brings_no_text_into_the_queue_or_a_callback(server, components):
    NotingScheduler.metas.clear()
    said = {"algorithm": (Plain,), "min_chars": 3}
    first = scrapy.Request(server("/page/first"), meta={"eatext": said})
    settings = {**components, "SCHEDULER": NotingScheduler}
    done = crawl(CopyingSpider, settings, urls=(first,))
    assert {item["at"]: item["got"] for item in done.items} == {
        server("/data.json"): None,
        server("/page/child"): text_of("child"),
    }
    queued = {"algorithm": [PLAIN], "min_chars": 3}
    noted = [json.loads(json.dumps(meta["eatext"])) for meta in NotingScheduler.metas]
    assert sorted(noted, key=bool) == [None, queued, queued]
    assert not any("main_text" in meta for meta in NotingScheduler.metas)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_bad_input(server, executor):
    names = ("nested", "nul", "truncated", "latin1 as utf8", "binary", "empty", "blank")
    paths = [*(f"/file/{name}" for name in names), "/cutgzip/x", "/missing"]
    settings = {**ADDON, "EATEXT_EXECUTOR": executor, "HTTPERROR_ALLOW_ALL": True}
    done = crawl(UrlSpider, settings, urls=tuple(map(server, paths)))
    items = {
        item["url"].rsplit("/", 1)[1]: item.get("main_text") for item in done.items
    }
    assert len(items) == len(paths)
    assert "failed" not in done.eatext("response/")
    assert items["nul"] == "beforeafter"
    assert items["truncated"] == text_of("truncated")
    assert items["latin1%20as%20utf8"].startswith("caf")
    assert items["empty"] == ""
    assert items["binary"] is None
    assert items["missing"] == "There is no such page."
