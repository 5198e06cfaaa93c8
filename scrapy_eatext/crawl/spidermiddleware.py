"""The spider middleware, which ties each item to its response for the pipeline."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import is_item
from scrapy.http import Request

from scrapy_eatext.crawl.ownrequests import RESULT
from scrapy_eatext.crawl.reextraction import attached
from scrapy_eatext.crawl.service import Component
from scrapy_eatext.result import MainText

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.http import Response


class EatextSpiderMiddleware(Component):
    """Ties each item to its response, and removes inherited results from requests.

    It is close to the engine (a low number), so that it sees items that other spider
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
        async for output in result:
            if isinstance(output, Request):
                # With JOBDIR the request may be written to disk.
                output.meta.pop(RESULT, None)
                self._service.requested.add_url(output.url)
            elif is_item(output):
                self._service.ties.tie(output, response)
            yield output
