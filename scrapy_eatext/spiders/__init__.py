"""Spiders that are ready to run, and to be subclassed."""

from scrapy_eatext.spiders.site import SiteSpider

__all__ = ["SiteSpider"]
