"""What a page says of itself: title, authors, dates and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.result import Metadata

if TYPE_CHECKING:
    from scrapy_eatext.page import Page


def read_metadata(page: Page) -> Metadata:
    """The metadata of a page."""
    return Metadata(title=page.title, sources={"title": "page"} if page.title else {})
