"""Follow all links, and yield the pages; the pipeline adds the main text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from example.items import PageItem
from example.server import Site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class PagesSpider(Spider):
    """The pages of the bundled site that links lead to."""

    name = "pages"
    allowed_domains = ("127.0.0.1",)
    # The months of the calendar have no text.
    links = LinkExtractor(deny="/calendar/")

    async def start(self) -> AsyncIterator[Request]:
        self.site = Site()
        yield Request(self.site.url)

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, HtmlResponse):
            return
        yield PageItem(url=response.url, title=response.css("title::text").get(""))
        yield from response.follow_all(self.links.extract_links(response))

    def closed(self, reason: str) -> None:
        self.site.close()
