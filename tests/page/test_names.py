"""Elements are found by the words in their names."""

from __future__ import annotations

from hypothesis import given

from scrapy_eatext.page import Page, names
from scrapy_eatext.page.names import Names
from tests.support.pages import any_pages
from tests.support.suites import EXAMPLE

ALL = [value for value in vars(names).values() if isinstance(value, Names)]


def check(html: str | bytes) -> None:
    """Each element is found that has a token of a Names, in their order, and no other."""
    walk = Page.of(html).blocks.walk
    first, count = walk.elements[:, 5].tolist(), walk.elements[:, 6].tolist()
    tokens = walk.tokens.tolist()
    for wanted in ALL:
        hashes = {*wanted.hashes.tolist()}
        assert wanted.rows(walk) == [
            row
            for row, (begin, size) in enumerate(zip(first, count, strict=True))
            if hashes & {*tokens[begin : begin + size]}
        ]


def test_what_is_found():
    walk = Page.of(
        "<div class='comment author'>a</div><p class=Comment-Text id=comments>b</p>"
        "<p itemprop=author>c</p><p class=comme>d</p>"
    ).blocks.walk
    found = {
        name: rows
        for name, value in vars(names).items()
        if isinstance(value, Names)
        if (rows := [row - 1 for row in value.rows(walk)])
    }
    assert found == {
        "POSTS": [1, 2],
        "POSTERS": [1, 3],
        "WRITERS": [1, 3],
        "COMMENTS": [1, 2],
        "BYLINES": [1, 3],
        "BADGES": [1],
    }


@given(html=any_pages())
def test_pages(html):
    check(html)


def test_pages_of_the_example():
    for page in EXAMPLE:
        check(page)
