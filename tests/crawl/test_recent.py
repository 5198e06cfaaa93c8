"""The table of pages by their URLs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.crawl import recent
from scrapy_eatext.crawl.pipelines import storable
from scrapy_eatext.crawl.recent import (
    RecentPages,
    Requested,
    key_of,
    keys_of,
    size_of,
)
from scrapy_eatext.result import Block, MainText, Metadata
from tests.support.properties import least_seconds


def find(pages, url):
    return pages.find(key_of(url))


@pytest.fixture
def pages():
    return RecentPages()


def test_every_url_of_a_page_finds_it(pages):
    pages.remember(["http://a.org/x", "http://a.org/y?b=2&a=1"], "page", 4)
    for url in (
        "http://a.org/x",
        "http://A.org/x#part",
        "http://a.org/%78",
        "http://a.org/y?a=1&b=2",
    ):
        assert find(pages, url) == "page"
    assert find(pages, "http://a.org/") is None


def test_what_is_no_url_is_taken_as_it_is(pages):
    pages.remember(["http://[", ""], "page", 4)
    assert find(pages, "http://[") == "page"
    assert find(pages, "http://[[") is None


def test_pages_are_bounded(pages):
    for number in range(recent.MAX_URLS + 5):
        pages.remember([f"http://a.org/{number}"], number, 1)
    assert len(pages._pages) == recent.MAX_URLS
    assert find(pages, "http://a.org/4") is None
    assert find(pages, "http://a.org/5") == 5


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 25_000_000))))
def test_what_is_kept_is_bounded(visits):
    pages: RecentPages[int] = RecentPages()
    for number, size in visits:
        pages.remember([f"http://a.org/{number}"], number, size)
        assert pages._bytes == sum(size for _, size in pages._pages.values())
        assert pages._bytes <= recent.MAX_BYTES
        found = number if size <= recent.MAX_BYTES else None
        assert find(pages, f"http://a.org/{number}") == found


def test_a_long_url_is_not_kept(pages):
    url = "http://a.org/" + "x" * 15_000
    pages.remember([url], 1, 0)
    assert find(pages, url) == 1
    assert size_of(tuple(pages._pages)) < 200


@pytest.mark.parametrize(
    "other",
    [
        "https://a.org/x?b=2&a=1",
        "http://a.org/x/?a=1&b=2",
        "https://A.org/x/?a=1&b=2#part",
        "http://a.org/%78?a=1&b=2",
    ],
)
def test_urls_that_most_likely_mean_the_same_page(other):
    url = "http://a.org/x?a=1&b=2"
    assert key_of(url) in keys_of(other)
    assert key_of(other) in keys_of(url)
    # First the URL itself.
    assert keys_of(other)[0] == key_of(other)


@pytest.mark.parametrize(
    "other", ["http://a.org/x", "http://a.org/y?a=1", "ftp://a.org/x?a=1", "", "x"]
)
def test_urls_of_other_pages(other):
    assert key_of("http://a.org/x?a=1") not in keys_of(other)


def test_seen_urls_are_known_and_bounded(monkeypatch):
    monkeypatch.setattr("scrapy_eatext.crawl.recent.MAX_IN_TABLE", 64)
    seen = Requested()
    seen.add_url("http://a.org/0")
    assert not seen.has_url("http://a.org/0")
    seen.keeps_urls = True
    for number in range(10_000):
        seen.add_url(f"http://a.org/{number}#part")
        assert seen.has_url(f"http://a.org/{number}")
    known = [n for n in range(10_000) if seen.has_url(f"http://a.org/{n}")]
    assert 1 <= len(known) <= 64


TEXT = "x" * 1000


@pytest.mark.parametrize(
    "value",
    [
        TEXT,
        TEXT.encode(),
        (TEXT,),
        [("a", TEXT)],
        {TEXT: 1},
        {"markdown": TEXT},
        MainText(TEXT),
        MainText(language=TEXT),
        MainText(version=TEXT),
        Metadata(title=TEXT),
        Metadata(tags=("a", TEXT)),
        Metadata(sources={"title": TEXT}),
        (Block(TEXT, "", 0, "", 0.0, True, ""),),
        (Block("", "", 0, TEXT, 0.0, True, ""),),
    ],
)
def test_all_that_is_kept_is_counted(value):
    assert 1000 < size_of(value) < 3000


def test_a_page_of_many_blocks_does_not_stall_the_crawl():
    blocks = tuple(
        Block(f"Line {i}", "paragraph", 0, f"/html/body/p[{i}]", 0.5, True, "model")
        for i in range(50_000)
    )
    assert least_seconds(size_of, blocks) < 0.1
    assert least_seconds(storable, blocks) < 0.1
    assert storable(blocks) is blocks
    broken = replace(blocks[0], text="Line\0 0")
    assert storable((*blocks[1:3], broken)) == (*blocks[1:3], blocks[0])
