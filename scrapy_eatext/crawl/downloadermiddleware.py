"""The downloader middleware, which extracts each HTML response before its callback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.crawl.service import Component

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Request, Response


class EatextDownloaderMiddleware(Component):
    """Puts a MainText into ``response.meta["main_text"]``.

    Its priority is below RetryMiddleware's (550), so it sees each final response once,
    decompressed and after redirects.  It never raises: if the extraction of a page
    fails, the text is empty.
    """

    def process_request(self, request: Request) -> None:
        self._service.prepare(request)

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._service.retries.failed(request, exception)

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        return await self._service.process(request, response)
