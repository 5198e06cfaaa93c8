"""What the words in attributes tell of a page's kind, and what the kind changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.page import Page
from scrapy_eatext.page.walk import Walk
from scrapy_eatext.tagger.context import HIGHEST, ZERO
from scrapy_eatext.tagger.facts import VOTES, TokenTable
from scrapy_eatext.tagger.kinds import LEVEL, calibrated, name_votes, votes, words_on
from scrapy_eatext.tagger.model import PythonTagger, Tagger
from scrapy_eatext.tagger.trees import NO_TREES
from scrapy_eatext.tagger.whole import lack_of, score_of
from tests.support.properties import both


def walk_of(*names: str) -> Walk:
    boxes = "".join(f"<div class='{name}'><p>Some words.</p></div>" for name in names)
    return Page.of(f"<body>{boxes}").blocks.walk


def table_of(**weight: list[int]) -> TokenTable:
    rows = sorted((int(walk_of(name).tokens[0]), row) for name, row in weight.items())
    none = np.zeros(len(rows), dtype=np.int32)
    return TokenTable(
        np.array([value for value, _ in rows], dtype=np.uint32),
        none,
        none,
        none - 1,
        np.array([row for _, row in rows], dtype=np.int16),
    )


def test_each_known_word_of_a_page_counts_once() -> None:
    table = table_of(thread=[100, 0], reply=[50, -20], cart=[-70, 90], price=[7, 7])
    assert name_votes(walk_of("thread"), table).tolist() == [100, 0]
    # The root of two is 1.41.
    assert name_votes(walk_of("thread", "reply"), table).tolist() == [106, -15]
    crowded = walk_of("reply", "thread unknown", "thread", "reply", "thread")
    assert name_votes(crowded, table).tolist() == [106, -15]
    for unknown in (walk_of("sidebar"), Page.of("").blocks.walk):
        assert name_votes(unknown, table).tolist() == [0, 0]
    none = np.zeros(0, dtype=np.int32)
    no_kinds = np.zeros((0, 3), dtype=np.int16)
    nothing = TokenTable(none.astype(np.uint32), none, none, none, no_kinds)
    assert name_votes(walk_of("thread"), nothing).tolist() == [0, 0, 0]


@pytest.mark.parametrize("make", both(PythonTagger, Tagger))
def test_blocks_have_the_votes_of_their_page(make: type[PythonTagger]) -> None:
    names = [f"page_{name}" for name in VOTES]
    tagger = make(table_of(thread=[5, -7]), NO_TREES, NO_TREES)
    rows = tagger.features(walk_of("thread", "thread"), names)
    assert [rows[name].tolist() for name in names[:3]] == [[5, 5], [-7, -7], [0, 0]]
    # Of more kinds than there are features the last ones have none.
    tagger = make(table_of(thread=[*range(30)]), NO_TREES, NO_TREES)
    many = tagger.features(walk_of("thread"), names)
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


def test_the_kind_that_a_page_is_of_counts_most() -> None:
    assert votes(np.array([900, 900]), 100).tolist() == [500, 500]
    assert votes(np.array([900, 700]), 100).tolist() == [500, 119]
    assert votes(np.array([0, 10**7]), 100).tolist() == [2, 500]
    # The line is the mean of the kinds.
    lines = np.array([(LEVEL, 0), (500, 40)], dtype=np.int32)
    logits = np.array([0, ZERO - 100, ZERO, ZERO + 100, HIGHEST])
    for weight, likelihoods in (
        ([500, 0], logits.tolist()),
        ([0, 500], [340, 590, 640, 690, 940]),
        ([500, 500], [170, 545, 620, 695, 1070]),
    ):
        assert calibrated(logits, np.array(weight), lines).tolist() == likelihoods


@given(
    st.lists(st.integers(0, HIGHEST), min_size=1, max_size=20),
    st.tuples(st.integers(0, 3000), st.integers(-2000, 2000)),
)
def test_calibrated_likelihoods_keep_their_order_and_bounds(
    found: list[int], line: tuple[int, int]
) -> None:
    changed = calibrated(np.array(sorted(found)), np.array([7]), np.array([line]))
    assert (np.diff(changed) >= 0).all()
    assert changed.min() >= 0
    assert changed.max() <= HIGHEST


def test_scores_rise_with_the_f1_that_they_are_learned_from() -> None:
    f1 = np.array([0.0, 0.5, 0.9, 0.99, 1.0])
    scores = [score_of(lack) for lack in lack_of(f1).tolist()]
    assert scores == sorted(scores)
    assert scores[0] == 0
    assert scores[-1] == pytest.approx(0.99, abs=0.01)
    assert score_of(-1e6) == 1
    assert score_of(1e6) == 0
