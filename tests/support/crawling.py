"""Crawls inside a test, under whichever reactor the test run has."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import re
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerRunner, CrawlerRunner
from scrapy.utils.test import get_reactor_settings

from tests import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

DOCS = ROOT / "docs"
# Seconds to wait for what should happen.  It takes one or two of them, but a machine may
# be busy with other things.
PATIENCE = 300
ADDON = {"ADDONS": {"scrapy_eatext.Addon": 500}}
# Components one by one, without the add-on; beside it UNTIED switches one off.
DOWNLOADER = {
    "DOWNLOADER_MIDDLEWARES": {"scrapy_eatext.EatextDownloaderMiddleware": 545}
}
SPIDER = {"SPIDER_MIDDLEWARES": {"scrapy_eatext.EatextSpiderMiddleware": 40}}
UNTIED = {"SPIDER_MIDDLEWARES": {"scrapy_eatext.EatextSpiderMiddleware": None}}
PIPELINE = {"ITEM_PIPELINES": {"scrapy_eatext.EatextPipeline": 100}}
PLAIN = "tests.support.algorithms.Plain"
NOTHING = "tests.support.algorithms.Nothing"
BROKEN = "tests.support.algorithms.Broken"

# Scrapy's downloads without a reactor are aiohttp's, before 2.19 those of httpx,
# which it does not bring along.
WITHOUT_REACTOR = bool(
    find_spec("scrapy.core.downloader.handlers._aiohttp") or find_spec("httpx")
)
DEFAULT_REACTOR = "none" if WITHOUT_REACTOR else "asyncio"

# The value of pytest's --crawl-reactor: none, asyncio or select.
reactor_name = DEFAULT_REACTOR
reactor_was_chosen = False


def fail(*_: object, **__: object) -> None:
    """Stand for a function that breaks."""
    raise OSError("broken on purpose")


def happens(condition: Callable[[], bool]) -> bool:
    """Whether something becomes true, sooner or later."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def install_reactor(name: str | None) -> None:
    """Make the reactor that all crawls of this test run have."""
    global reactor_name, reactor_was_chosen  # noqa: PLW0603
    reactor_was_chosen = name is not None
    reactor_name = name = name or DEFAULT_REACTOR
    if name == "asyncio":
        from scrapy.utils.reactor import install_reactor

        install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    elif name == "select":
        from twisted.internet import selectreactor

        selectreactor.install()
    if name != "none":
        from twisted.internet import reactor

        reactor.startRunning(installSignalHandlers=False)


def stop_reactor() -> None:
    """End the reactor's threads, which would keep the process alive."""
    if reactor_name != "none":
        from twisted.internet import reactor

        reactor.fireSystemEvent("shutdown")


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end under the reactor there is."""
    if reactor_name == "none":
        return asyncio.run(coroutine)
    from scrapy.utils.defer import deferred_from_coro

    deferred = deferred_from_coro(coroutine)
    from twisted.internet import reactor

    if reactor_name == "asyncio":
        loop = reactor._asyncioEventloop
        return loop.run_until_complete(deferred.asFuture(loop))
    results: list[Any] = []
    deferred.addBoth(results.append)
    while not results:
        reactor.iterate(0.005)
    if hasattr(results[0], "raiseException"):
        results[0].raiseException()
    return results[0]


@dataclass
class Crawl:
    """A finished crawl: its items, its log, its stats."""

    items: list[Any] = field(default_factory=list)
    dropped: list[Any] = field(default_factory=list)
    errors: list[Any] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    error: Exception | None = None

    def eatext(self, under: str = "") -> dict[str, Any]:
        """The stats under eatext/."""
        prefix = f"eatext/{under}"
        return {
            key.removeprefix(prefix): value
            for key, value in self.stats.items()
            if key.startswith(prefix)
        }


# The stats that the docs name; what stands in <> is a part of a name.
_STATS = [
    re.compile(re.sub("<[^>]*>", "[^/]+", name))
    for name in re.findall(r"`([\w<>/]+)`", (DOCS / "stats.md").read_text("utf-8"))
]


def is_documented(stat: str) -> bool:
    """Whether a stat under eatext/ stands in the docs."""
    # These have the outcomes of responses.
    name = re.sub("^(late|html)/", "response/", stat)
    return any(known.fullmatch(name) for known in _STATS)


def default_settings() -> dict[str, Any]:
    """The settings that all crawls share."""
    return {
        "REMOTE_CONTROL_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "EATEXT_ALGORITHM": PLAIN,
        **get_reactor_settings(),
    }


def crawl(
    spider: type[scrapy.Spider],
    settings: dict[str, Any],
    *,
    fails: bool = False,
    **kwargs: Any,
) -> Crawl:
    """Run a spider to its end.  An error at its start is in ``error``.

    Unless it ``fails``, no callback and no pipeline raises an error.  Each response has
    one outcome.
    """
    done = Crawl()

    async def start() -> None:
        make = AsyncCrawlerRunner if reactor_name == "none" else CrawlerRunner
        runner = make({**default_settings(), **settings})
        crawler = runner.create_crawler(spider)

        # Signals have weak references to their receivers: these names keep them alive.
        def scraped(item: Any) -> None:
            done.items.append(item)

        def dropped(item: Any) -> None:
            done.dropped.append(item)

        def failed(failure: Any) -> None:
            done.errors.append(failure)

        crawler.signals.connect(scraped, signals.item_scraped)
        crawler.signals.connect(dropped, signals.item_dropped)
        crawler.signals.connect(failed, signals.item_error)
        crawler.signals.connect(failed, signals.spider_error)
        try:
            await crawler.crawl_async(**kwargs)
        except Exception as error:  # noqa: BLE001
            done.error = error
            # Tracebacks, those of its causes too, would keep the whole crawl alive.
            cause: BaseException | None = error
            while cause is not None:
                cause.__traceback__ = None
                cause = cause.__cause__ or cause.__context__
        with suppress(RuntimeError):  # it has none before it starts
            done.stats = crawler.stats.get_stats()

    run(start())
    assert [stat for stat in done.eatext() if not is_documented(stat)] == []
    assert bool(done.errors) == fails
    outcomes = done.eatext("response/").values()
    assert sum(outcomes) == done.stats.get("eatext/response_count", 0)
    if done.error is not None:
        # What the failure left open is to be reported in this test, not in a later one.
        gc.collect()
    return done


class UrlSpider(scrapy.Spider):
    """Requests the URLs it is given and yields an item a page."""

    name = "urls"
    urls: tuple[Any, ...] = ()

    async def start(self):
        for url in self.urls:
            yield url if isinstance(url, scrapy.Request) else scrapy.Request(url)

    def parse(self, response):
        yield {"url": response.url}


def fed(path: Path) -> list[Any]:
    """The items of a feed in JSON Lines, whose texts may have other line ends."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged as a warning or worse, of this package or not.

    That reactor-less downloads are experimental is no complaint.
    """
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.WARNING
        and "experimental" not in record.getMessage()
    ]
