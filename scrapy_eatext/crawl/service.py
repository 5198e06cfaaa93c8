"""The service of a crawler, which all its components share."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from scrapy import signals
from scrapy.exceptions import NotConfigured
from twisted.internet.defer import CancelledError

from scrapy_eatext.crawl import tuning
from scrapy_eatext.crawl.admission import Admission
from scrapy_eatext.crawl.continuations import join_continuations
from scrapy_eatext.crawl.decay import DecayWatch, report_decay
from scrapy_eatext.crawl.extractor import Extracted, Extractor, urls_of
from scrapy_eatext.crawl.ownrequests import (
    DIRECT,
    INPUT,
    OWN,
    RESULT,
    clean,
    was_direct,
)
from scrapy_eatext.crawl.recent import Requested
from scrapy_eatext.crawl.retries import Retries
from scrapy_eatext.crawl.settings import Config
from scrapy_eatext.crawl.tally import Tally
from scrapy_eatext.crawl.ties import ItemTies
from scrapy_eatext.execution.cascade import GIVEN_UP
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.walk import compiled
from scrapy_eatext.result import NOTHING

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

    # typing.Self requires Python 3.11
    from typing_extensions import Self


# By the crawlers' ids.  Only the components hold the service, which holds the crawler,
# so both are freed if the crawl cannot start.
services: WeakValueDictionary[int, Service] = WeakValueDictionary()


class Service:
    """The shared parts of a crawler's components; one for each crawler."""

    def __init__(self, crawler: Crawler) -> None:
        config = self.config = Config.from_settings(crawler.settings)
        if not config.enabled:
            raise NotConfigured
        self.crawler = crawler
        self.components = 0
        self.tally = Tally(crawler)
        self.admission = Admission(crawler, config)
        self.extractor = Extractor(config, self.tally, self.admission)
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
        if not (service := services.get(id(crawler))):
            service = services[id(crawler)] = cls(crawler)
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
            choice, skipped = self.admission.choice_for(request, response)
            if choice is None:
                kind = skipped
                if direct:
                    self.retries.skipped(request, response)
            else:
                outcome = await self.extractor.run(response, response.url, choice)
                if self.config.retries or INPUT in request.meta:
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
            services.pop(id(self.crawler), None)


class Component:
    """A Scrapy component that uses its crawler's service."""

    def __init__(self, crawler: Crawler) -> None:
        self._service = Service.of(crawler)
        self._service.components += 1

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)
