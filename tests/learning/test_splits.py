"""Splits by site."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.data import LabelledPage
from scrapy_eatext.learning.splits import folds, site, site_of


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.example.com/a", "example.com"),
        ("http://News.Example.co.uk:8000/", "example.co.uk"),
        ("https://a.blogspot.com/", "blogspot.com"),
        ("http://127.0.0.1/x", "127.0.0.1"),
        ("http://localhost/", "localhost"),
        ("http://[broken/", ""),
        ("no url", ""),
        ("", ""),
    ],
)
def test_site(url, expected):
    assert site(url) == expected


def test_pages_without_a_url_are_sites_of_their_own():
    pages = [LabelledPage(name, Path("x")) for name in "ab"]
    assert site_of(pages[0]) != site_of(pages[1])
    page = LabelledPage("a", Path("x"), url="http://x.example.org/")
    assert site_of(page) == "example.org"


@given(st.lists(st.sampled_from("abcdefghij"), min_size=1), st.integers(0, 5))
def test_no_group_is_divided(groups, seed):
    groups = [*groups, *"xyz"]
    places = folds(groups, 3, seed)
    assert places == folds(groups, 3, seed)
    assert len(set(zip(groups, places, strict=True))) == len(set(groups))
    assert set(places) == {0, 1, 2}


def test_folds_are_even_by_the_seed_and_not_by_the_order_of_pages():
    places = folds([f"site{i // 3}" for i in range(300)], 5)
    assert sorted(places.count(fold) for fold in range(5)) == [60] * 5
    groups = [f"site{i % 17}" for i in range(50)]
    assert folds(groups, 5, 0) != folds(groups, 5, 1)
    assert folds(groups[::-1], 5)[::-1] == folds(groups, 5)
    with pytest.raises(DataError, match="5 folds need 5 sites; the data have 2"):
        folds(["a", "a", "b"], 5)
