"""What a page says of itself: title, authors, dates and so on.

Data for machines are trusted more than what is shown: JSON-LD, OpenGraph, meta
elements, microdata, time elements, and the page itself, in that order.  There are two
exceptions: a title that the page's own heading confirms is taken from the heading, as
titles in the data often have the site's name in them; and the language is the one that
the page declares, as og:locale is a default on many sites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.metadata.reader import Reader

if TYPE_CHECKING:
    from scrapy_eatext.page import Page
    from scrapy_eatext.result import Metadata


def read_metadata(page: Page) -> Metadata:
    """The metadata of a page, read from its tree and its blocks."""
    return Reader(page).read()
