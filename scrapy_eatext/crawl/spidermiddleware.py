"""Which response an item came from, for the pipeline to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from itemadapter import is_item
from scrapy.http import Request

from scrapy_eatext.crawl.service import RESULT, Service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    # typing.Self requires Python 3.11
    from typing_extensions import Self


class EatextSpiderMiddleware:
    """Ties every item to its response, and cleans requests of inherited text.

    Its place is close to the engine (a small number), so that it sees items that other
    spider middlewares make or replace.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._service = Service.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_spider_input(self, response: Response) -> None:
        self._service.receive(response)

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, Request):
                # Before it goes to disk, in a crawl with JOBDIR.
                output.meta.pop(RESULT, None)
                self._service.see(output.url)
            elif is_item(output):
                self._service.tie(output, response)
            yield output
