"""The components for Scrapy beside the pipeline, and the add-on that enables them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter, is_item
from scrapy.exporters import JsonLinesItemExporter
from scrapy.http import Request
from scrapy.utils.misc import load_object

from scrapy_eatext.crawl.extractor import attached
from scrapy_eatext.crawl.ownrequests import RESULT
from scrapy_eatext.crawl.pipelines import EatextPipeline
from scrapy_eatext.crawl.service import Component
from scrapy_eatext.execution.choice import SettingError, part_of
from scrapy_eatext.result import MainText

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_OF_RETRY = 550


class EatextDownloaderMiddleware(Component):
    """Puts a MainText into ``response.meta["main_text"]``.

    Its priority is below RetryMiddleware's (550), so it gets each final response once,
    decompressed and after redirects.  It never raises: if the extraction of a page
    fails, the text is empty.
    """

    def __init__(self, crawler: Crawler) -> None:
        name = "DOWNLOADER_MIDDLEWARES"
        for path, priority in crawler.settings.getdict(name).items():
            if (priority or 0) >= _OF_RETRY and load_object(path) is type(self):
                allowed = f"below RetryMiddleware's {_OF_RETRY}"
                raise SettingError(part_of(name, path), priority, allowed)
        super().__init__(crawler)

    def process_request(self, request: Request) -> None:
        self._service.prepare(request)

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._service.retries.failed(request, exception)

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        return await self._service.process(request, response)


class EatextSpiderMiddleware(Component):
    """Ties each item to its response, and removes inherited results from requests.

    It is close to the engine (a low number), so that it gets the items that other spider
    middlewares make or replace.
    """

    def process_spider_input(self, response: Response) -> None:
        request = response.request
        if (
            request is not None
            and isinstance(request.meta.get(RESULT), MainText)
            and attached(request, response) is None
        ):
            self._service.tally.log(
                logging.WARNING,
                "A downloader middleware has replaced %(response)s after its main text "
                "was extracted: items and main_text() get the new one's text, by one "
                "more extraction and without further pages; response.meta has the old "
                "one's. Give that middleware a higher number in DOWNLOADER_MIDDLEWARES "
                "than EatextDownloaderMiddleware has (545)",
                {"response": response},
                once="replaced",
            )

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        request = response.request
        # The items of an errback are tied to no response.
        is_tied = (
            200 <= response.status < 300
            or request is None
            or self._service.extractor.passes(request, response)
        )
        async for output in result:
            if isinstance(output, Request):
                # With JOBDIR the request may be written to disk.
                output.meta.pop(RESULT, None)
                self._service.requested.add_url(output.url)
            elif is_tied and is_item(output):
                self._service.ties.tie(output, response)
            yield output


class ChunkItemExporter(JsonLinesItemExporter):
    """Writes each chunk of an item as a line of JSON, for FEED_EXPORTERS.

    The chunks are those that EATEXT_FIELDS puts into the field ``chunks``.  A line has
    the chunk's attributes, its ``index`` and the item's other fields; ``url`` is the
    chunk's.  An item without chunks has no line.
    """

    _warned = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        exporter = cls(*args, **kwargs)
        # What the pipeline leaves without chunks is of a page without a text.
        fields = crawler.settings.getdict("EATEXT_FIELDS")
        exporter._warned = fields.get("chunks") == "chunks"
        return exporter

    def export_item(self, item: Any) -> None:
        adapter = ItemAdapter(item)
        fields = {
            name: super(ChunkItemExporter, self).serialize_field(
                adapter.get_field_meta(name), name, value
            )
            for name, value in adapter.items()
            if name != "chunks"
        }
        if "chunks" not in adapter and not self._warned:
            self._warned = True
            logger.warning(
                "%s has no field chunks, so it has no line in this feed: unless its "
                "page was skipped, EATEXT_FIELDS = {'chunks': 'chunks'} fills it",
                type(item).__qualname__,
            )
        for index, chunk in enumerate(adapter.get("chunks") or ()):
            values = ItemAdapter(chunk).asdict()
            super().export_item({**fields, **values, "index": index})


_COMPONENTS = (
    # Below RetryMiddleware (550), and above the middlewares of project templates and
    # scrapy-poet (543), so that these can read the text.
    ("DOWNLOADER_MIDDLEWARES", EatextDownloaderMiddleware, 545),
    # Next to the engine, after every middleware that makes or replaces items.
    ("SPIDER_MIDDLEWARES", EatextSpiderMiddleware, 40),
    # Before pipelines that check or store items.
    ("ITEM_PIPELINES", EatextPipeline, 100),
)


class Addon:
    """``ADDONS = {"scrapy_eatext.Addon": 500}`` enables everything.

    A component that is in the project's settings keeps the priority given there.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        for key, component, priority in _COMPONENTS:
            settings.setdefault_in_component_priority_dict(key, component, priority)
