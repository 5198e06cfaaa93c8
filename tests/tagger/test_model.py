"""The default algorithm's trees, and the choice of blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.tagger.context import CHANCE, HIGHEST
from scrapy_eatext.tagger.selection import select
from scrapy_eatext.tagger.trees import NamedTrees, PythonForest, Trees, trees_from


def stump(names: list[str]) -> Trees:
    """One tree of two questions: is a above 10, and is b above 5?"""
    return Trees(
        names=names,
        borders=np.array([10, 20, 5], dtype=np.int32),
        starts=np.array([0, 2, 3], dtype=np.int32),
        feature=np.array([[0, 1]], dtype=np.int16),
        bin=np.array([[0, 0]], dtype=np.uint8),
        leaves=np.array([[[1, 2, 3, 4]]], dtype=np.int16),
        bias=np.array([100], dtype=np.int32),
        scale=10,
    )


def test_a_tree_asks_whether_values_are_above_borders() -> None:
    values = np.array([[10, 11, 10, 11], [5, 5, 6, 6]], dtype=np.int32)
    assert PythonForest(stump(["a", "b"])).sums(values).tolist() == [
        [101, 102, 103, 104]
    ]


def test_trees_survive_their_arrays() -> None:
    made = stump(["a", "b"])
    again = trees_from("x", made.arrays("x"), ["a", "b"], 10)
    values = np.array([np.arange(30), np.arange(30) % 7], dtype=np.int32)
    assert (
        PythonForest(again).sums(values).tolist()
        == PythonForest(made).sums(values).tolist()
    )


def test_an_ensemble_is_asked_about_one_thing() -> None:
    asked = NamedTrees(stump(["a", "b"]), ["c", "b", "a"])
    assert asked.answers(np.array([99, 6, 11])).tolist() == [104]
    assert asked.answers(np.array([99, 5, 10])).tolist() == [101]
    with pytest.raises(ValueError, match="no figures"):
        NamedTrees(stump(["a", "b"]), ["a"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x.starts", np.array([0, 2], dtype=np.int32)),
        ("x.starts", np.array([0, 2, 9], dtype=np.int32)),
        ("x.feature", np.array([[0, 2]], dtype=np.int16)),
        ("x.bin", np.array([[0]], dtype=np.uint8)),
        ("x.leaves", np.zeros((1, 1, 8), dtype=np.int16)),
        ("x.bias", np.zeros(2, dtype=np.int32)),
    ],
)
def test_trees_that_do_not_fit_are_refused(name: str, value: np.ndarray) -> None:
    arrays = stump(["a", "b"]).arrays("x") | {name: value}
    with pytest.raises(ValueError, match="'x' do not fit"):
        trees_from("x", arrays, ["a", "b"], 10)


def test_likely_text_is_chosen_and_unlikely_is_not() -> None:
    likelihood = np.array([100, 1100, 1000, 50])
    choice = select(likelihood, np.array([50, 30, 40, 80]))
    assert choice.kept.tolist() == [False, True, True, False]
    assert 900 <= choice.expected <= 1000


def test_favor_moves_the_border() -> None:
    likelihood = np.array([1000, 650, 560, 450, 300])
    w = np.full(5, 20)
    counts = [
        int(select(likelihood, w, favor).kept.sum())
        for favor in ("precision", "balance", "recall")
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]


def test_a_threshold_by_hand() -> None:
    likelihood = np.array([1000, 650, 560])
    w = np.full(3, 20)
    assert select(likelihood, w, least=500).kept.tolist() == [True, True, False]
    assert select(likelihood, w, least=999).kept.sum() == 0
    assert select(likelihood, w, least=0).kept.sum() == 3


@given(
    st.lists(
        st.tuples(st.integers(0, HIGHEST), st.integers(0, 400)), min_size=1, max_size=40
    )
)
def test_what_is_chosen_is_likelier_than_what_is_not(
    blocks: list[tuple[int, int]],
) -> None:
    likelihood, w = (np.array(column) for column in zip(*blocks, strict=True))
    kept = select(likelihood, w).kept
    if kept.any() and not kept.all():
        assert likelihood[kept].min() >= likelihood[~kept].max()
    # A block with next to no chance is not taken for want of anything better.
    assert kept.any() == bool(w[CHANCE[likelihood] >= 10].any())


def test_blocks_in_doubt_are_right_or_wrong_together() -> None:
    # With chances of 0.4, three blocks of a list and one certain block have more of the
    # expected words together; but most such lists are no content.
    likelihood = np.array([1200, 560, 560, 560])
    w = np.array([100, 100, 100, 100])
    assert select(likelihood, w).kept.tolist() == [True, False, False, False]
    assert select(likelihood, w, "recall").kept.all()


def test_what_is_expected_is_the_mean_over_all_that_may_be_true() -> None:
    # A third of the words is content for certain, the rest with a chance of a quarter.
    likelihood = np.array([1200, 490])
    w = np.array([100, 200])
    assert CHANCE[490] == 250
    choice = select(likelihood, w)
    assert choice.kept.tolist() == [True, False]
    assert choice.expected == pytest.approx(1000 * (0.75 * 1 + 0.25 * 0.5), abs=10)


def test_a_page_without_words_has_nothing_to_choose() -> None:
    choice = select(np.array([900]), np.array([0]))
    assert not choice.kept.any()
    assert choice.expected == 0
