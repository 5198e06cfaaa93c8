"""Decides which responses are extracted, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.httperror import HttpError, HttpErrorMiddleware

from scrapy_eatext.crawl.ownrequests import INPUT
from scrapy_eatext.page.decode import is_binary

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

    from scrapy_eatext.crawl.settings import Config
    from scrapy_eatext.execution.choice import Choice

# Statuses whose responses have no body, by HTTP's rules.
_WITHOUT_BODY = frozenset((204, 205, 304))


class Admission:
    """Decides for a crawl which responses are extracted."""

    def __init__(self, crawler: Crawler, config: Config) -> None:
        self._crawler = crawler
        self._config = config

    def choice_for(
        self, request: Request, response: Response
    ) -> tuple[Choice | None, str]:
        """How to extract a response, or None, and the outcome's kind if it is None."""
        overrides = request.meta.get(INPUT)
        if overrides is False:
            return None, "skipped_off"
        # Requests for robots.txt and of media pipelines have no callback.
        if request.callback is NO_CALLBACK and overrides is None:
            return None, "skipped_internal"
        if not isinstance(response, HtmlResponse) or is_binary(
            response.body, response.encoding
        ):
            return None, "skipped_type"
        if not 200 <= response.status < 300 and not self.passes(request, response):
            return None, "skipped_status"
        if request.method == "HEAD" or response.status in _WITHOUT_BODY:
            return None, "skipped_type"
        return self._config.choice_for(response.url, overrides), "skipped_off"

    def passes(self, request: Request, response: Response) -> bool:
        """Whether an unsuccessful response reaches its callback, and not the errback."""
        checker = self._crawler.get_spider_middleware(HttpErrorMiddleware)
        try:
            if checker is not None:
                # In downloader middlewares a response has no request yet.
                checker.process_spider_input(response.replace(request=request))
        except HttpError:
            return False
        return True
