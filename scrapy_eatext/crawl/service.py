"""The service of a crawler, which all its components share, and main_text()."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakValueDictionary

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import JsonResponse, Response, TextResponse
from twisted.internet.defer import CancelledError

from scrapy_eatext.crawl import tuning
from scrapy_eatext.crawl.decay import DecayWatch, report_decay
from scrapy_eatext.crawl.extractor import (
    Extracted,
    Extractor,
    attached,
    declares_html,
    urls_of,
)
from scrapy_eatext.crawl.ownrequests import (
    DIRECT,
    OWN,
    RESULT,
    clean,
    join_continuations,
    was_direct,
)
from scrapy_eatext.crawl.recent import ItemTies, Requested
from scrapy_eatext.crawl.retries import Retries
from scrapy_eatext.crawl.settings import Config
from scrapy_eatext.crawl.tally import Tally
from scrapy_eatext.execution.cascade import GIVEN_UP
from scrapy_eatext.extraction import extract
from scrapy_eatext.page.decode import is_binary
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.walk import compiled
from scrapy_eatext.result import NOTHING

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request

    # typing.Self requires Python 3.11
    from typing_extensions import Self

    from scrapy_eatext.result import MainText


# By the crawlers' ids.  Only the components hold the service, which holds the crawler,
# so both are freed if the crawl cannot start.
_services: WeakValueDictionary[int, Service] = WeakValueDictionary()


class Service:
    """The shared parts of a crawler's components; one for each crawler."""

    def __init__(self, crawler: Crawler) -> None:
        config = self.config = Config.from_settings(crawler.settings)
        if not config.enabled:
            raise NotConfigured
        self.crawler = crawler
        self.components = 0
        self.tally = Tally(crawler)
        self.extractor = Extractor(crawler, config, self.tally)
        self.retries = Retries(self)
        self._decay = DecayWatch()
        self.requested = Requested()
        self.ties = ItemTies()
        crawler.signals.connect(self._open, signals.spider_opened)
        crawler.signals.connect(self._close, signals.spider_closed)
        crawler.signals.connect(self.requested.add, signals.response_received)
        crawler.signals.connect(clean, signals.request_scheduled)

    @classmethod
    def of(cls, crawler: Crawler) -> Service:
        """The crawler's service, made at the first call.

        Raises SettingError, or NotConfigured if EATEXT_ENABLED is off.
        """
        if not (service := _services.get(id(crawler))):
            service = _services[id(crawler)] = cls(crawler)
        return service

    def fill_items(self) -> None:
        """Remember the items' responses and the requested URLs for the pipeline."""
        self.ties.wanted = True
        self.requested.keeps_urls = bool(self.config.url_field)

    def prepare(self, request: Request) -> None:
        self.requested.prepare(request)
        self.retries.prepare(request)

    async def process(self, request: Request, response: Response) -> Response:
        """Extract a downloaded response, and put the result into request.meta.

        Returns the response, or that of a retry if its text is better.  Raises only
        CancelledError: other errors are counted and logged.
        """
        if OWN in request.meta:
            return response
        request.meta.pop(RESULT, None)
        direct = DIRECT in request.meta and was_direct(request.meta)
        kind = "cancelled"
        try:
            choice, skipped = self.extractor.choice_for(request, response)
            if choice is None:
                kind = skipped
                if direct:
                    self.retries.skipped(request, response)
            else:
                outcome = await self.extractor.run(response, response.url, choice)
                if choice.weak.meta:
                    answer = response, outcome, choice
                    response, outcome, choice = await self.retries.better(
                        request, answer, direct=direct
                    )
                extracted = self.extractor.counted(response.url, outcome, choice)
                if outcome.next_url:
                    extracted = await join_continuations(
                        self, request, response, extracted, outcome.next_url
                    )
                kind = extracted.kind
                request.meta[RESULT] = self.extractor.remember(
                    response, extracted, urls_of(response, request)
                )
                # Texts of the last resort do not show a site's decay.
                if kind not in GIVEN_UP and self.config.on_decay != "ignore":
                    host = host_of(response.url)
                    result = extracted.result
                    decay = self._decay.add(host, result.body, result.template)
                    if decay:
                        report_decay(self, host, decay)
        except CancelledError:  # Twisted's; asyncio's is not an Exception
            raise
        except Exception as error:  # noqa: BLE001
            kind = "failed"
            self.tally.error(response.url, error)
            failed = Extracted(NOTHING, kind, self.config.choice)
            request.meta[RESULT] = self.extractor.remember(response, failed, ())
        finally:
            # Together, so that the kinds always add up to the count.
            self.tally.inc("response_count")
            self.tally.inc(f"response/{kind}")
        return response

    def _open(self) -> None:
        if not compiled:
            message = "Main text: without %(what)s pages take several times longer"
            self.tally.log(logging.INFO, message, {"what": "the compiled modules"})
        if self.config.tune_process:
            tuning.tune(self.crawler)
        if self.ties.wanted:
            # Before any pipeline.
            pipelines = self.crawler.engine.scraper.itemproc.methods
            pipelines["process_item"].appendleft(self.ties.enter)

    async def _close(self) -> None:
        tuning.restore(self.crawler)
        try:
            await self.extractor.close()
        finally:
            self.tally.close()
            _services.pop(id(self.crawler), None)


class Component:
    def __init__(self, crawler: Crawler) -> None:
        self._service = Service.of(crawler)
        self._service.components += 1

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)


# -- for callbacks

# Not kept in request.meta, which other requests may inherit.
_extracted_here: WeakKeyDictionary[Response, MainText] = WeakKeyDictionary()


def main_text(response: Response) -> MainText:
    """The main text of a response, for callbacks.

    It is the result that the downloader middleware attached.  If there is none, or the
    response has been replaced since, the response is extracted now, with the settings
    of its request's crawl; without a request, with those of the only crawl in this
    process.  Without this package's components, or if the crawl is unknown, which is
    logged as a warning, the default algorithm extracts it.

    The result is empty for JSON and for what is not text, by its type or its bytes,
    such as an image.  Raises TypeError for other objects, and SettingError for a wrong
    ``eatext`` in the request's meta.
    """
    if not isinstance(response, Response):
        raise TypeError(
            f"main_text() takes a Scrapy response, not {type(response).__name__}; "
            "extract() takes HTML and selectors"
        )
    if (
        not (isinstance(response, TextResponse) or declares_html(response))
        or isinstance(response, JsonResponse)
        or is_binary(response.body, response.encoding)
    ):
        return NOTHING
    request = response.request
    if request is not None and (found := attached(request, response)):
        return found
    if response not in _extracted_here:
        _extracted_here[response] = _known_or_extracted(response)
    return _extracted_here[response]


def _known_or_extracted(response: TextResponse) -> MainText:
    # The service of a crawl that could not start may still exist.
    crawls = [s for s in _services.values() if s.crawler.crawling]
    # In downloader middlewares a response has no request yet.
    for crawl in crawls:
        if known := crawl.extractor.known(response):
            return known
    # A response has no reference to its crawl.  A replaced one keeps its request.
    request = response.request
    own = [c for c in crawls if request is None or request in c.requested]
    if len(own) == 1:
        return own[0].extractor.now(response)
    if crawls:
        # The settings and stats of another crawl would be wrong.
        why = f"has no request, and {len(own)} crawls run"
        if not own:
            why = "belongs to no request of a crawl with this package's components"
        crawls[0].tally.log(
            logging.WARNING,
            "main_text(): %(response)s %(why)s, so the default algorithm extracts it; "
            'put ADDONS = {"scrapy_eatext.Addon": 500} into the settings of its crawl, '
            "or give it its request: response.replace(request=...)",
            {"response": response, "why": why},
            once=f"main_text() {bool(own)}",
        )
    return extract(response)
