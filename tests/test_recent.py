"""The table of pages by their URLs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext import recent
from scrapy_eatext.recent import RecentPages


def test_every_url_of_a_page_finds_it():
    pages: RecentPages[str] = RecentPages()
    pages.remember(["http://a.org/x", "http://a.org/y?b=2&a=1"], "page", 4)
    for url in (
        "http://a.org/x",
        "http://A.org/x#part",
        "http://a.org/%78",
        "http://a.org/y?a=1&b=2",
    ):
        assert pages.find(url) == "page"
    assert pages.find("http://a.org/") is None


def test_what_is_no_url_is_taken_as_it_is():
    pages: RecentPages[str] = RecentPages()
    pages.remember(["http://[", ""], "page", 4)
    assert pages.find("http://[") == "page"
    assert pages.find("http://[[") is None


def test_the_last_page_of_a_url_counts():
    pages: RecentPages[int] = RecentPages()
    for number in range(3):
        pages.remember(["http://a.org/"], number, 5)
    assert pages.find("http://a.org/") == 2
    assert len(pages) == 1
    assert pages._chars == 5


def test_pages_are_bounded():
    pages: RecentPages[int] = RecentPages()
    for number in range(recent.MAX_URLS + 5):
        pages.remember([f"http://a.org/{number}"], number, 1)
    assert len(pages) == recent.MAX_URLS
    assert pages.find("http://a.org/4") is None
    assert pages.find("http://a.org/5") == 5


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6_000_000))))
def test_text_is_bounded(visits):
    pages: RecentPages[int] = RecentPages()
    for number, chars in visits:
        pages.remember([f"http://a.org/{number}"], number, chars)
        assert pages._chars == sum(c for _, c in pages._pages.values())
        assert pages._chars <= recent.MAX_CHARS
        assert pages.find(f"http://a.org/{number}") == number


def test_a_page_larger_than_all_is_not_kept():
    pages: RecentPages[int] = RecentPages()
    pages.remember(["http://a.org/"], 1, recent.MAX_CHARS + 1)
    assert len(pages) == 0
    assert pages._chars == 0
