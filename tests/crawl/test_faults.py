"""Whatever breaks, each response has its callback, and each item is in the feed."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import scrapy
from scrapy.exceptions import CloseSpider
from scrapy.extensions.httpcache import FilesystemCacheStorage
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import deferred_from_coro
from twisted.internet import defer
from twisted.internet.defer import AlreadyCalledError

from scrapy_eatext.crawl.service import Service
from tests import ROOT
from tests.support import crawling
from tests.support.algorithms import Slow
from tests.support.crawling import (
    ADDON,
    PATIENCE,
    Crawl,
    UrlSpider,
    crawl,
    fed,
    happens,
)
from tests.support.mockserver import text_of

pytestmark = pytest.mark.slow

needs_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="looks into /proc"
)
# These start crawls with a reactor of their own.
once = pytest.mark.skipif(
    crawling.reactor_was_chosen, reason="the same under every --crawl-reactor"
)
needs_asyncio = pytest.mark.skipif(
    crawling.reactor_name == "select", reason="cancels tasks of asyncio"
)


class FaultCrawl:
    """A crawl in another process, which the test may interrupt."""

    def __init__(self, folder: Path, urls: list[str], **settings: object) -> None:
        self.folder = folder
        self.urls = urls
        self.settings = settings

    def start(self) -> subprocess.Popen[str]:
        with (self.folder / "log").open("w") as log:
            program = [sys.executable, "-m", "tests.support.faultcrawl"]
            given = [str(self.folder), json.dumps(self.settings), *self.urls]
            self.process = subprocess.Popen(
                [*program, *given], cwd=ROOT, stderr=log, text=True
            )
        return self.process

    def end(self) -> None:
        self.process.wait(timeout=PATIENCE)

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    @property
    def callbacks(self) -> list[str]:
        path = self.folder / "callbacks"
        return sorted(path.read_text().split()) if path.exists() else []

    @property
    def items(self) -> list[dict[str, str]]:
        path = self.folder / "items.jsonl"
        return fed(path) if path.exists() else []

    @property
    def stats(self) -> dict[str, object]:
        return json.loads((self.folder / "stats.json").read_text())

    def has_all(self, urls: list[str]) -> bool:
        """Whether each URL has had one callback, and its item is in the feed."""
        items = [item["url"] for item in self.items]
        return self.callbacks == sorted(items) == sorted(urls)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        assert happens(condition), "the crawl does not go on"

    def workers(self) -> list[int]:
        """The crawl's worker processes."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        pids = [int(pid) for task in tasks for pid in task.read_text().split()]
        return [pid for pid in pids if alive(pid)]


@pytest.fixture
def fault_crawl(tmp_path):
    """Makes crawls, and ends those that their test has not."""
    made: list[FaultCrawl] = []

    def make(urls: list[str], folder: Path = tmp_path, **settings: object):
        made.append(FaultCrawl(folder, urls, **settings))
        return made[-1]

    yield make
    for fault in made:
        if fault.process.poll() is None:
            fault.process.kill()
            fault.process.wait()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.apart
@needs_linux
@once
def test_workers_that_are_killed_all_the_time(server, fault_crawl):
    urls = [server(f"/word/slow?{n}") for n in range(10)]
    fault = fault_crawl(urls, EATEXT_EXECUTOR="process", EATEXT_WORKERS=2)
    process = fault.start()
    # On a busy machine a killed process takes a while to end.
    killed: set[int] = set()
    while process.poll() is None and len(killed) < 3:
        others = [pid for pid in fault.workers() if pid not in killed]
        for pid in others[:1] if len(fault.callbacks) > len(killed) else []:
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        time.sleep(0.05)
    fault.end()
    assert process.returncode == 0
    assert killed
    assert fault.has_all(urls)
    # A page over which two were killed has what the last resort keeps of it, or
    # nothing where the third met that one too.
    texts = Counter(item["main_text"] for item in fault.items)
    died = fault.stats.get("eatext/response/worker_died", 0)
    assert died <= 1
    assert texts.pop(f"{text_of('slow')}\n\nslow") == len(urls) - died
    assert texts.keys() <= {text_of("slow"), ""}
    # Some are killed before they are ready.
    noticed = ("eatext/worker/died", "eatext/worker/not_started")
    assert sum(fault.stats.get(name, 0) for name in noticed) == len(killed)


@once
@pytest.mark.parametrize("executor", ["thread", "process"])
def test_a_crawl_that_is_stopped_and_taken_up_again(
    server, fault_crawl, tmp_path, executor
):
    urls = [server(f"/word/slow?{n}") for n in range(8)]
    fault = fault_crawl(
        urls,
        EATEXT_EXECUTOR=executor,
        EATEXT_WORKERS=2,
        CONCURRENT_REQUESTS=3,
        JOBDIR=str(tmp_path / "job"),
    )
    fault.start()
    fault.wait_for(lambda: len(fault.callbacks) >= 2)
    fault.process.send_signal(signal.SIGINT)
    fault.end()
    first = fault.callbacks
    assert fault.stats["finish_reason"] == "shutdown"
    assert 2 <= len(first) < len(urls)
    assert fault.stats["response_received_count"] == len(first)
    assert sorted(item["url"] for item in fault.items) == first

    fault.start()
    fault.end()
    assert fault.stats["finish_reason"] == "finished"
    assert fault.has_all(urls)
    assert {item["main_text"] for item in fault.items} == {text_of("slow") + "\n\nslow"}
    assert "Traceback" not in fault.log


@pytest.mark.apart
@needs_linux
@once
@pytest.mark.parametrize("how", ["two interrupts", "kill", "kill without limit"])
def test_a_crawl_that_is_ended_by_force_leaves_no_worker(server, fault_crawl, how):
    urls = [server(f"/word/stuck?{n}") for n in range(4)]
    fault = fault_crawl(
        urls,
        EATEXT_ALGORITHM="tests.support.algorithms.Stuck",
        EATEXT_EXECUTOR="process",
        EATEXT_WORKERS=2,
        EATEXT_TIMEOUT=60 if how == "kill" else 0,
    )
    fault.start()
    fault.wait_for(lambda: len(fault.workers()) == 2)
    workers = fault.workers()
    time.sleep(0.8)  # they are at their pages
    if "kill" in how:
        fault.process.kill()
    else:
        fault.process.send_signal(signal.SIGINT)
        fault.wait_for(lambda: "shutting down gracefully" in fault.log)
        assert fault.process.poll() is None
        fault.process.send_signal(signal.SIGINT)
    fault.end()
    # Workers that the crawl can no longer end, end by themselves.
    assert happens(lambda: not any(map(alive, workers)))


class CalledSpider(UrlSpider):
    """Notes its callbacks, and its errbacks apart."""

    async def start(self):
        for url in self.urls:
            yield scrapy.Request(url, errback=self.failed)

    def parse(self, response):
        self.called.append(response.url)
        yield {"url": response.url}

    def failed(self, failure):
        self.not_called.append(failure.request.url)
        yield {"failed": failure.request.url}


@pytest.fixture
def fed_crawl(tmp_path):
    """Runs crawls that write a feed, and reads the feed."""

    def run(
        urls: list[str], spider: type[scrapy.Spider] = CalledSpider, **settings: object
    ) -> Crawl:
        feed = tmp_path / "items.jsonl"
        called: list[str] = []
        not_called: list[str] = []
        done = crawl(
            spider,
            {**ADDON, "FEEDS": {str(feed): {"format": "jsonlines"}}, **settings},
            urls=tuple(urls),
            called=called,
            not_called=not_called,
        )
        assert sorted(called + not_called) == sorted(urls)
        assert done.stats["response_received_count"] == len(called)
        assert fed(feed) == done.items
        of_pages = [item["url"] for item in done.items if "url" in item]
        assert sorted(of_pages) == sorted(called)
        assert len(done.items) == len(urls)
        return done

    return run


class ClosingSpider(CalledSpider):
    """Closes itself while other pages are worked on."""

    def parse(self, response):
        yield from super().parse(response)
        if "slow" not in response.url:
            raise CloseSpider("enough")


@pytest.mark.parametrize("executor", ["thread", "process"])
def test_a_spider_that_is_closed_in_mid_page(server, fed_crawl, executor):
    done = fed_crawl(
        [server("/word/slow?1"), server("/word/slow?2"), server("/page/fast")],
        ClosingSpider,
        EATEXT_ALGORITHM="tests.support.algorithms.Slow",
        EATEXT_EXECUTOR=executor,
        EATEXT_WORKERS=3,
    )
    assert done.stats["finish_reason"] == "enough"
    assert all(item["main_text"] for item in done.items)
    assert done.eatext("response/") == {"extracted": 3}


class LateSpider(CalledSpider):
    """Downloads pages before the crawl has begun, and when it is over."""

    texts: tuple[dict[str, str], ...] = ({},)

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        for signal_ in (scrapy.signals.spider_opened, scrapy.signals.spider_closed):
            crawler.signals.connect(spider.download, signal_)
        return spider

    async def download(self, signal):
        for word in ("one", "two"):
            when = "after" if signal is scrapy.signals.spider_closed else "before"
            url = self.urls[0].replace("/page/1", f"/word/{when}-{word}")
            request = scrapy.Request(url)
            # Having done it Scrapy wants to close once more, and fails.
            with suppress(AlreadyCalledError):
                await self.crawler.engine.download_async(request)
            self.texts[0][f"{when}-{word}"] = request.meta["main_text"].text


@pytest.mark.parametrize("executor", ["inline", "thread", "process"])
def test_pages_downloaded_before_and_after_the_crawl(server, executor):
    LateSpider.texts[0].clear()
    settings = {**ADDON, "EATEXT_EXECUTOR": executor}
    done = crawl(LateSpider, settings, urls=(server("/page/1"),), called=[])
    words = ("before-one", "before-two", "after-one", "after-two")
    assert LateSpider.texts[0] == {w: f"{text_of(w)}\n\n{w}" for w in words}
    assert done.eatext("response/") == {"extracted": 5}


class CancellingSpider(CalledSpider):
    """Waits for some pages for less time than they take."""

    async def parse(self, response):
        for result in super().parse(response):
            yield result
        for number in range(3):
            request = scrapy.Request(f"{response.url}?slow={number}")
            download = self.crawler.engine.download_async(request)
            if is_asyncio_available():
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(download, 1)
            else:
                from twisted.internet import reactor

                with suppress(defer.TimeoutError):
                    await deferred_from_coro(download).addTimeout(1, reactor)


class SlowServed(Slow):
    """As Slow, by a page's address."""

    def judge(self, page):
        if "slow=" in page.url:
            time.sleep(2)
        return super().judge(page)


@pytest.mark.parametrize("executor", ["thread", "process"])
def test_downloads_that_are_cancelled_while_their_pages_are_worked_on(
    server, fed_crawl, executor
):
    done = fed_crawl(
        [server("/page/1")],
        CancellingSpider,
        EATEXT_ALGORITHM="tests.crawl.test_faults.SlowServed",
        EATEXT_EXECUTOR=executor,
        EATEXT_WORKERS=1,
    )
    assert done.eatext("response/") == {"extracted": 1, "cancelled": 3}
    assert done.eatext()["response_count"] == 4


class SharingSpider(CalledSpider):
    """Asks twice for what is found late, and cancels one of the two."""

    cancelled = 0

    async def parse(self, response):
        for result in super().parse(response):
            yield result
        service = Service.of(self.crawler)
        body = b"<p>A slow page.</p>"
        response = response.replace(body=body, request=response.request)
        found = [
            asyncio.ensure_future(service.extractor.of_response(response))
            for _ in range(2)
        ]
        await asyncio.sleep(0.1)
        found.pop(self.cancelled).cancel()
        self.texts.append((await found[0]).result.text)
        self.texts.append((await service.extractor.of_response(response)).result.text)


@needs_asyncio
@pytest.mark.parametrize("cancelled", [0, 1])
def test_one_that_waits_for_a_late_page_may_be_cancelled(
    server, fed_crawl, cancelled, monkeypatch
):
    texts: list[str] = []
    monkeypatch.setattr(SharingSpider, "texts", texts, raising=False)
    monkeypatch.setattr(SharingSpider, "cancelled", cancelled)
    done = fed_crawl(
        [server("/page/1")],
        SharingSpider,
        EATEXT_ALGORITHM="tests.support.algorithms.Slow",
        EATEXT_EXECUTOR="thread",
    )
    assert texts == ["A slow page."] * 2
    assert done.eatext("late/") == {"extracted": 1}


class FullDisk(FilesystemCacheStorage):
    """A cache on a disk that is full after two pages."""

    stored = 0

    def store_response(self, *args):
        FullDisk.stored += 1
        if FullDisk.stored > 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        super().store_response(*args)


def test_a_full_disk_under_the_cache(server, fed_crawl, tmp_path):
    """Its responses have errbacks, as they have without extraction."""
    FullDisk.stored = 0
    done = fed_crawl(
        [server(f"/page/{n}") for n in range(6)],
        HTTPCACHE_ENABLED=True,
        HTTPCACHE_DIR=str(tmp_path),
        HTTPCACHE_STORAGE="tests.crawl.test_faults.FullDisk",
    )
    assert sum("failed" in item for item in done.items) == 4
    assert sum("main_text" in item for item in done.items) == 2
    assert done.eatext("response/") == {"extracted": 2}


@pytest.mark.apart
@once
def test_pages_that_break_everything_at_once(server, fault_crawl, tmp_path):
    names = ("Broken", "Endless", "Stuck", "Killed")
    words = [name.lower() for name in names]
    urls = [server(f"/word/{word}") for word in (*words, "fine")]
    for name in names:
        folder = tmp_path / name
        folder.mkdir()
        algorithm = f"tests.support.algorithms.{name}"
        settings = {"EATEXT_EXECUTOR": "process", "EATEXT_TIMEOUT": 2}
        fault = fault_crawl(urls, folder, EATEXT_ALGORITHM=algorithm, **settings)
        fault.start()
        fault.end()
        assert fault.has_all(urls)
        texts = {
            item["url"].rsplit("/", 1)[1]: item["main_text"] for item in fault.items
        }
        bad = name.lower()
        assert texts.pop(bad) == text_of(bad)
        others = {*words, "fine"} - {bad}
        assert texts == {word: f"{text_of(word)}\n\n{word}" for word in others}
        ours = [line for line in fault.log.splitlines() if "scrapy_eatext" in line]
        assert sum(server(f"/word/{bad}") in line for line in ours) == 1
