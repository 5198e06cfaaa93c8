"""What the words in attributes, and those of blocks, tell of a page's kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.page import Page
from scrapy_eatext.tagger.facts import VOTES, no_names
from scrapy_eatext.tagger.features import block_features
from scrapy_eatext.tagger.kinds import (
    KindVotes,
    PythonKindVotes,
    VoteTable,
    rows_among,
)
from scrapy_eatext.tagger.words import word_tokens
from tests.support.properties import both

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk

BOTH = pytest.mark.parametrize("make", both(PythonKindVotes, KindVotes))


def walk_of(*names: str, text: str = "Some words.") -> Walk:
    boxes = "".join(f"<div class='{name}'><p>{text}</p></div>" for name in names)
    return Page.of(f"<body>{boxes}").blocks.walk


def votes_of(**weight: list[int]) -> VoteTable:
    rows = sorted((int(walk_of(name).tokens[0]), row) for name, row in weight.items())
    return VoteTable(
        np.array([value for value, _ in rows], dtype=np.uint32),
        np.array([row for _, row in rows], dtype=np.int16),
    )


def nothing(kinds: int = 2) -> VoteTable:
    hashes = np.zeros(0, dtype=np.uint32)
    return VoteTable(hashes, np.zeros((0, kinds), dtype=np.int16))


@BOTH
def test_each_known_word_of_a_page_counts_once(make: type[PythonKindVotes]) -> None:
    names = votes_of(thread=[100, 0], reply=[50, -20], cart=[-70, 90], price=[7, 7])
    of = make(names, nothing())
    assert of.figures(walk_of("thread")).tolist() == [[100, 0], [0, 0]]
    # The root of two is 1.41.
    assert of.figures(walk_of("thread", "reply"))[0].tolist() == [106, -15]
    crowded = walk_of("reply", "thread unknown", "thread", "reply", "thread")
    assert of.figures(crowded)[0].tolist() == [106, -15]


@BOTH
def test_words_that_blocks_begin_with_vote_too(make: type[PythonKindVotes]) -> None:
    basket = walk_of("a", text="Add to basket")
    hashes = np.unique(word_tokens(basket)[0])
    weight = np.full((len(hashes), 2), (3, -300), dtype=np.int16)
    of = make(nothing(), VoteTable(hashes, weight))
    root = len(hashes) ** 0.5
    for walk in (basket, walk_of("a", "b", text="Add to basket")):
        found = of.figures(walk)
        assert found[0].tolist() == [0, 0]
        assert found[1] == pytest.approx([3 * root, -300 * root], rel=0.01, abs=1)
    assert of.figures(walk_of("a", text="Nothing of it"))[1].tolist() == [0, 0]


@BOTH
def test_pages_without_a_known_word(make: type[PythonKindVotes]) -> None:
    of = make(votes_of(thread=[100, 0], reply=[50, -20]), nothing())
    for walk in (walk_of("sidebar"), Page.of("").blocks.walk):
        assert of.figures(walk).tolist() == [[0, 0], [0, 0]]
    none = make(nothing(3), nothing(3)).figures(walk_of("thread"))
    assert none.tolist() == [[0] * 3] * 2


def test_blocks_have_the_votes_of_their_page() -> None:
    names = [f"page_{name}" for name in VOTES]
    rows = block_features(walk_of("a", "b"), no_names(), names, votes=[5, -7])
    assert [rows[name].tolist() for name in names[:3]] == [[5, 5], [-7, -7], [0, 0]]
    # Of more kinds than there are features the last ones have none.
    many = block_features(walk_of("a"), no_names(), names, votes=range(30))
    assert [int(row[0]) for row in many.values()] == list(range(len(VOTES)))


@given(
    st.sets(st.integers(0, 2**32 - 1), max_size=20),
    st.lists(st.integers(0, 2**32 - 1), max_size=20),
    st.data(),
)
def test_words_of_a_table_are_found(
    known: set[int], tokens: list[int], data: st.DataObject
) -> None:
    if known:
        tokens += data.draw(st.lists(st.sampled_from(sorted(known)), max_size=20))
    hashes = np.array(sorted(known), dtype=np.uint32)
    found = hashes[rows_among(hashes, np.array(tokens, dtype=np.uint32))]
    assert found.tolist() == sorted(known & {*tokens})


@pytest.mark.parametrize("shape", [(3,), (2, 2)])
def test_weights_need_a_row_for_each_word(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="not a row of weights"):
        VoteTable(np.arange(3, dtype=np.uint32), np.zeros(shape, dtype=np.int16))
