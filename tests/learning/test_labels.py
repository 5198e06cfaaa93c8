"""Labels: a page's words aligned with its true text."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.learning.labels import common, label, words


def by_table(page: list[str], true: list[str]) -> list[bool]:
    """The alignment by the textbook, with the original's choices between equals."""
    # Lengths of the longest common subsequences of all beginnings.
    lengths = [[0] * (len(true) + 1) for _ in range(len(page) + 1)]
    for i, a in enumerate(page):
        for j, b in enumerate(true):
            longest = max(lengths[i][j + 1], lengths[i + 1][j])
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if a == b else longest
    taken = [False] * len(page)
    i, j = len(page), len(true)
    while i and j:
        if page[i - 1] == true[j - 1]:
            taken[i - 1] = True
            i, j = i - 1, j - 1
        elif lengths[i][j - 1] >= lengths[i - 1][j]:
            j -= 1
        else:
            i -= 1
    assert sum(taken) == lengths[-1][-1]
    return taken


def test_the_originals_example():
    page = "some words here the football".split()
    true = "he said words kick the football".split()
    # "here" and "some" have no partner.
    assert common(page, true).tolist() == [False, True, False, True, True]


FEW_WORDS = st.one_of(
    st.lists(st.sampled_from("abcd"), max_size=40),
    st.lists(st.text("abc", max_size=3)),
)


@given(FEW_WORDS, FEW_WORDS)
def test_same_as_the_textbook(page, true):
    assert common(page, true).tolist() == by_table(page, true)


def test_ten_thousand_words():
    # A page of which every second word is true, among words that repeat.
    page = [f"w{i * i % 997}" for i in range(10_000)]
    start = time.process_time()
    taken = common(page, page[::2])
    assert time.process_time() - start < 5
    assert taken.sum() == 5_000
    with pytest.raises(ValueError, match="too many to align"):
        common(["a"] * 400_000, ["b"] * 400_000)


def test_words():
    for text, found, originals in (
        ("Café au lait, no_1!", "café au lait no 1", "Café au lait no 1"),
        ("文字とword", "文 字 と word", "文字とword"),
    ):
        assert words(text) == found.split()
        assert words(text, reference=True) == originals.split()


def test_blocks():
    labels = label(
        ["Home About", "The bridge was opened in May.", "...", "It is red. Share"],
        "The bridge was opened in May. It is red, and long.",
    )
    assert labels.words.tolist() == [2, 6, 0, 4]
    assert labels.share.tolist() == [0, 1, 0, 0.75]
    assert (labels.found, labels.wanted) == (9, 11)
    labels = label([], "some text")
    assert labels.share.shape == labels.words.shape == (0,)
    assert labels.wanted == 2


@given(st.lists(st.text("ab ", max_size=12), max_size=8), st.text("ab ", max_size=40))
def test_shares_add_up(blocks, true):
    labels = label(blocks, true)
    assert np.all((labels.share >= 0) & (labels.share <= 1))
    assert round(float(labels.share @ labels.words)) == labels.found
    assert labels.found <= labels.wanted
