"""Crawl a site and yield its pages: the main text comes by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from example.items import PageItem
from example.server import Site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class SiteSpider(Spider):
    """Every page of the bundled site, or with ``-a url=...`` of another host."""

    name = "site"
    links = LinkExtractor()

    def __init__(self, *args: Any, url: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if url and not urlsplit(url).hostname:
            raise ValueError(f"url is {url!r}, it must be a full address: https://...")
        self.url = url
        self.allowed_domains = [urlsplit(url).hostname or "127.0.0.1"]

    async def start(self) -> AsyncIterator[Request]:
        if not self.url:
            self.site = Site()
            self.crawler.signals.connect(self.site.close, signals.spider_closed)
            self.url = self.site.url
        yield Request(self.url)

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, HtmlResponse):
            return
        yield PageItem(url=response.url, title=response.css("title::text").get(""))
        yield from response.follow_all(self.links.extract_links(response))
