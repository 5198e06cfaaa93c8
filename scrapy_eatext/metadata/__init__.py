"""A page's metadata: title, authors, dates and so on.

Data for machines are preferred to the visible text, in the order JSON-LD, OpenGraph,
meta elements, microdata, time elements, visible text.  There are two exceptions.  A
heading whose words are in the title replaces it, as titles in the data often have the
site's name in them.  And the page's lang attribute comes first, as og:locale is a
default on many sites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.metadata.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page import Page
    from scrapy_eatext.result import Metadata


def read_metadata(
    page: Page,
    kind: str = "",
    opening: Callable[[], tuple[str, str]] = lambda: ("", ""),
) -> Metadata:
    """The metadata of a page of a type.  Raises IncompleteError if a field fails.

    ``opening`` finds the author and the time of a thread's first post.
    """
    return Reader(page, kind, opening).read()


def write_metadata(judged: JudgedPage) -> Metadata:
    return read_metadata(judged.page, judged.verdict.page_type or "", judged.opening)
