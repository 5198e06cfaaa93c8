"""Fetches pages with Scrapy, with the settings of the project and of its spiders."""

from __future__ import annotations

import logging
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request
from scrapy.downloadermiddlewares import robotstxt
from scrapy.exceptions import UsageError
from scrapy.utils.conf import arglist_to_dict
from scrapy.utils.spider import DefaultSpider, spidercls_for_request

from scrapy_eatext.commands.terminal import fail
from scrapy_eatext.execution.cascade import describe_error
from scrapy_eatext.execution.choice import SettingError

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.commands import ScrapyCommand
    from scrapy.crawler import Crawler, CrawlerProcessBase
    from scrapy.http import Response

logger = logging.getLogger(__name__)

_END_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def fetch_all(command: ScrapyCommand, urls: Sequence[str]) -> list[Response]:
    """The responses of some URLs; errors are printed on standard error."""
    process = process_of(command)
    responses: list[Response] = []
    process.crawl(_crawler(process, urls, DefaultSpider, responses.append))
    handlers = {name: signal.getsignal(name) for name in _END_SIGNALS}
    process.start()
    # With Scrapy's handlers Ctrl-C would have no effect after the crawl.
    for name, handler in handlers.items():
        signal.signal(name, handler)
    return responses


class OnePage:
    """A crawl of one page, with a named spider or the one that handles the URL.

    ``spider_args`` are the texts of --spider-arg.  Raises UsageError and SettingError.
    """

    def __init__(
        self,
        command: ScrapyCommand,
        url: str,
        spider: str | None,
        spider_args: list[str],
    ) -> None:
        try:
            self._arguments = arglist_to_dict(spider_args)
        except ValueError:
            text = " ".join(spider_args)
            raise SettingError("--spider-arg", text, "NAME=VALUE") from None
        self._process = process_of(command)
        self._responses: list[Response] = []
        loader = self._process.spider_loader
        try:
            cls = loader.load(spider) if spider else None
        except KeyError:
            message = f"--spider is {spider!r}: there is no such spider"
            raise UsageError(message) from None
        cls = cls or spidercls_for_request(loader, _request(url), DefaultSpider)
        self.crawler = _crawler(self._process, [url], cls, self._responses.append)

    def fetch(self) -> Response | None:
        """The response, None with the reason printed.  Raises SettingError, UsageError."""
        error = run_crawl(self._process, self.crawler, **self._arguments)
        if isinstance(error, SettingError):
            raise error
        if error and self.crawler.spider is None:  # the crawler makes it first
            reason = f"the spider {self.crawler.spidercls.name!r} cannot be made"
            logger.info(reason, exc_info=error)
            hint = "give its arguments with --spider-arg NAME=VALUE"
            message = f"{reason} ({describe_error(error)}); {hint}"
            raise UsageError(message) from error
        if error:
            logger.error("The crawl of one page failed", exc_info=error)
        return self._responses[0] if self._responses else None


def run_crawl(
    process: CrawlerProcessBase, crawler: Crawler, **arguments: Any
) -> BaseException | None:
    """Run a crawl to its end.  Returns the error that ended it, if any."""
    errors: list[BaseException | None] = []
    crawl: Any = process.crawl(crawler, **arguments)
    # A Deferred or an asyncio task: both log a traceback of an error that nobody
    # handles.
    if hasattr(crawl, "addErrback"):
        crawl.addErrback(lambda failure: errors.append(failure.value))
    else:
        crawl.add_done_callback(
            lambda task: errors.append(None if task.cancelled() else task.exception())
        )
    process.start()
    return next(filter(None, errors), None)


def process_of(command: ScrapyCommand) -> CrawlerProcessBase:
    """The process of a command, which itself reports a host that cannot be reached."""
    logging.getLogger(robotstxt.__name__).setLevel(logging.CRITICAL)
    return cast("CrawlerProcessBase", command.crawler_process)


def _crawler(
    process: CrawlerProcessBase,
    urls: Sequence[str],
    spider: type[Spider],
    callback: Callable[[Response], None],
) -> Crawler:
    """A crawler of some URLs, with the settings of the project and of a spider."""
    how = {"callback": callback, "errback": _report, "dont_filter": True}
    # The command extracts the page itself.
    requests = [_request(url, meta={"eatext": False}, **how) for url in urls]

    async def start(self: Spider) -> AsyncIterator[Any]:
        for request in requests:
            yield request

    # By default Scrapy drops the request for a long URL without an error.
    settings = {**(spider.custom_settings or {}), "URLLENGTH_LIMIT": 0}
    own = {"start": start, "custom_settings": settings}
    return process.create_crawler(type(spider.__name__, (spider,), own))


def _request(url: str, **arguments: Any) -> Request:
    """A request.  Raises UsageError for a URL that is none to Scrapy."""
    try:
        return Request(url, **arguments)
    except ValueError as error:
        raise UsageError(f"{url}: {error}") from None


def _report(failure: Any) -> None:
    response = getattr(failure.value, "response", None)
    status = "" if response is None else f" ({response.status})"
    fail(f"{failure.request.url}: {failure.getErrorMessage()}{status}")
