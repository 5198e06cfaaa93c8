"""Crawl whole sites by their sitemaps, feeds, lists and links."""

from __future__ import annotations

from typing import Any, ClassVar

from example.items import PageItem
from example.server import Site
from scrapy_eatext import spiders


class SiteSpider(spiders.SiteSpider):
    """Every page of the bundled site, or with ``-a urls=...`` the pages of others."""

    # The bundled site needs no delays.
    custom_settings: ClassVar[dict[str, Any]] = {"AUTOTHROTTLE_ENABLED": False}

    def __init__(self, *args: Any, urls: str = "", **kwargs: Any) -> None:
        self.site = None if urls else Site()
        super().__init__(*args, urls=self.site.url if self.site else urls, **kwargs)

    def wants(self, response: Any, result: Any) -> bool:
        # On the bundled site also lists and front pages.
        return self.site is not None or super().wants(response, result)

    def item(self, response: Any, result: Any) -> PageItem:
        return PageItem(url=response.url, title=result.title)

    def closed(self, reason: str) -> None:
        if self.site:
            self.site.close()
