"""A page's metadata: title, authors, dates and so on.

Data for machines are trusted more than what is shown.  The order is: JSON-LD, OpenGraph,
meta elements, microdata, time elements, the page itself.  There are two exceptions.  If
the page's own heading confirms the title, the heading is taken, as titles in the data
often have the site's name in them.  And the language is the one that the page declares,
as og:locale is a default on many sites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.metadata.reader import Reader

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page import Page
    from scrapy_eatext.result import Metadata


def write_metadata(judged: JudgedPage) -> Metadata:
    """The metadata of a page, as an output."""
    return read_metadata(judged.page)


def read_metadata(page: Page) -> Metadata:
    """The metadata of a page, read from its tree and its blocks."""
    return Reader(page).read()
