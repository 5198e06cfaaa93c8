"""What the words in attributes tell of a page's kind."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.page import Page
from scrapy_eatext.page.walk import Walk
from scrapy_eatext.tagger.facts import VOTES, no_names
from scrapy_eatext.tagger.features import block_features
from scrapy_eatext.tagger.kinds import NameVotes, words_on


def walk_of(*names: str) -> Walk:
    boxes = "".join(f"<div class='{name}'><p>Some words.</p></div>" for name in names)
    return Page.of(f"<body>{boxes}").blocks.walk


def table_of(**weight: list[int]) -> tuple[np.ndarray, np.ndarray]:
    rows = sorted((int(walk_of(name).tokens[0]), row) for name, row in weight.items())
    return (
        np.array([value for value, _ in rows], dtype=np.uint32),
        np.array([row for _, row in rows], dtype=np.int16),
    )


def test_each_known_word_of_a_page_counts_once() -> None:
    of = NameVotes(
        *table_of(thread=[100, 0], reply=[50, -20], cart=[-70, 90], price=[7, 7])
    )
    assert of.figures(walk_of("thread")).tolist() == [100, 0]
    # The root of two is 1.41.
    assert of.figures(walk_of("thread", "reply")).tolist() == [106, -15]
    crowded = walk_of("reply", "thread unknown", "thread", "reply", "thread")
    assert of.figures(crowded).tolist() == [106, -15]


def test_pages_without_a_known_word() -> None:
    of = NameVotes(*table_of(thread=[100, 0], reply=[50, -20]))
    assert of.figures(walk_of("sidebar")).tolist() == [0, 0]
    assert of.figures(Page.of("").blocks.walk).tolist() == [0, 0]
    nothing = NameVotes(np.zeros(0, dtype=np.uint32), np.zeros((0, 3), dtype=np.int16))
    assert nothing.figures(walk_of("thread")).tolist() == [0, 0, 0]


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
    empty = np.zeros((0, 0), dtype=np.int32)
    walk = Walk(b"", empty, empty, np.array(tokens, dtype=np.uint32), None)
    found = hashes[words_on(walk, hashes)]
    assert found.tolist() == sorted(known & {*tokens})
