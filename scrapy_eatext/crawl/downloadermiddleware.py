"""The main text of every HTML response, in its meta before the callback runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.crawl.service import Component

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Request, Response


class EatextDownloaderMiddleware(Component):
    """Puts a MainText into ``response.meta["main_text"]``.

    Its priority is below 550, RetryMiddleware's: so it sees every final response once,
    decompressed, redirects followed.  It never raises; a page whose extraction fails
    goes on with an empty text.
    """

    def process_request(self, request: Request) -> None:
        self._service.prepare(request)

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._service.retries.failed(request, exception)

    async def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        return await self._service.process(request, response)
