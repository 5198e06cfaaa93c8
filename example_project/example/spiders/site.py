"""Crawl whole sites: by what they name, and what their lists list."""

from __future__ import annotations

from typing import Any, ClassVar

from example.items import PageItem
from example.server import Site
from scrapy_eatext import spiders


class SiteSpider(spiders.SiteSpider):
    """Every page of the bundled site, or with ``-a urls=...`` the pages of others."""

    # The project's delays are patient, and none is wanted on the bundled site.
    custom_settings: ClassVar[dict[str, Any]] = {"AUTOTHROTTLE_ENABLED": False}

    def __init__(self, *args: Any, urls: str = "", **kwargs: Any) -> None:
        self.site = None if urls else Site()
        super().__init__(*args, urls=self.site.url if self.site else urls, **kwargs)

    def wants(self, response: Any, result: Any) -> bool:
        # Of the bundled site lists and front pages, too.
        return self.site is not None or super().wants(response, result)

    def item(self, response: Any, result: Any) -> PageItem:
        return PageItem(url=response.url, title=result.title)

    def closed(self, reason: str) -> None:
        if self.site:
            self.site.close()
