"""From bytes or a tree to a `Page`, and from a page to the tables of its walk."""

from scrapy_eatext.page.page import Page

__all__ = ["Page"]
