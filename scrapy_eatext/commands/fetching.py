"""Pages fetched with Scrapy, by the settings of the project and of its spiders."""

from __future__ import annotations

import logging
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request
from scrapy.exceptions import UsageError
from scrapy.utils.conf import arglist_to_dict
from scrapy.utils.spider import DefaultSpider, spidercls_for_request

from scrapy_eatext.commands.terminal import fail
from scrapy_eatext.execution.cascade import describe_error
from scrapy_eatext.execution.choice import SettingError

if TYPE_CHECKING:
    from asyncio import Future

    from scrapy import Spider
    from scrapy.commands import ScrapyCommand
    from scrapy.crawler import Crawler, CrawlerProcessBase
    from scrapy.http import Response

logger = logging.getLogger(__name__)

# Signals that end a process.
_ENDS = (signal.SIGINT, signal.SIGTERM)


def fetch_all(command: ScrapyCommand, urls: Sequence[str]) -> list[Response]:
    """The responses of some URLs; standard error names those that have none."""
    process = _process(command)
    found: list[Response] = []
    process.crawl(_crawler(process, urls, DefaultSpider, found.append))
    handlers = {name: signal.getsignal(name) for name in _ENDS}
    process.start()
    # Scrapy's handlers would not end what follows the crawl.
    for name, handler in handlers.items():
        signal.signal(name, handler)
    return found


class OnePage:
    """A crawl of one page, by the spider that is named or that the URL belongs to.

    The spider is made with the arguments given on the command line.  Raises UsageError.
    """

    def __init__(
        self, command: ScrapyCommand, url: str, spider: str | None, given: list[str]
    ) -> None:
        try:
            self._arguments = arglist_to_dict(given)
        except ValueError:
            message = f"--spider-arg is {' '.join(given)!r}, it must be NAME=VALUE"
            raise UsageError(message, print_help=False) from None
        self._process = _process(command)
        self._found: list[Response] = []
        loader = self._process.spider_loader
        try:
            cls = loader.load(spider) if spider else None
        except KeyError:
            message = f"--spider is {spider!r}: there is no such spider"
            raise UsageError(message, print_help=False) from None
        cls = cls or spidercls_for_request(loader, Request(url), DefaultSpider)
        self.crawler = _crawler(self._process, [url], cls, self._found.append)

    def fetch(self) -> Response | None:
        """The response; if there is none, standard error says why.

        Raises SettingError and UsageError.
        """
        for error in run_crawl(self._process, self.crawler, **self._arguments):
            if isinstance(error, SettingError):
                raise error
            if self.crawler.spider is None:  # it is made before all else
                made = f"the spider {self.crawler.spidercls.name!r} cannot be made"
                logger.info(made, exc_info=error)
                hint = "give its arguments with --spider-arg NAME=VALUE"
                message = f"{made} ({describe_error(error)}); {hint}"
                raise UsageError(message, print_help=False) from error
            logger.error("The crawl of one page failed", exc_info=error)
        return self._found[0] if self._found else None


def run_crawl(
    process: CrawlerProcessBase, crawler: Crawler, **arguments: Any
) -> list[BaseException]:
    """Run a crawl to its end; the error that ended it, if one did."""
    errors: list[BaseException] = []
    crawl: Any = process.crawl(crawler, **arguments)
    # A task or a Deferred: an error that nobody takes from it is logged as a traceback.
    if hasattr(crawl, "addErrback"):
        crawl.addErrback(lambda failure: errors.append(failure.value))
    else:
        crawl.add_done_callback(
            lambda task: errors.extend(filter(None, [_error_of(task)]))
        )
    process.start()
    return errors


def _process(command: ScrapyCommand) -> CrawlerProcessBase:
    return cast("CrawlerProcessBase", command.crawler_process)


def _crawler(
    process: CrawlerProcessBase,
    urls: Sequence[str],
    spider: type[Spider],
    found: Callable[[Response], None],
) -> Crawler:
    """A crawler of some pages, with the settings of the project and of a spider."""

    async def start(self: Spider) -> AsyncIterator[Any]:
        for url in urls:
            # The project's components need not extract the page too.
            meta = {"eatext": False}
            yield Request(
                url, callback=found, errback=_report, dont_filter=True, meta=meta
            )

    return process.create_crawler(type(spider.__name__, (spider,), {"start": start}))


def _report(failure: Any) -> None:
    """Name a page that could not be fetched, and why."""
    response = getattr(failure.value, "response", None)
    status = "" if response is None else f" ({response.status})"
    fail(f"{failure.request.url}: {failure.getErrorMessage()}{status}")


def _error_of(task: Future[None]) -> BaseException | None:
    return None if task.cancelled() else task.exception()
