"""The default algorithm's trees, and the choice of blocks."""

from __future__ import annotations

from typing import Any

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
    made = stump(["a", "b"])
    values = np.array([[10, 11, 10, 11], [5, 5, 6, 6]], dtype=np.int32)
    for trees in (made, trees_from("x", made.arrays("x"), ["a", "b"], 10)):
        assert PythonForest(trees).sums(values).tolist() == [[101, 102, 103, 104]]


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


@pytest.mark.parametrize(
    ("likelihood", "words", "how", "kept", "expected"),
    [
        ([100, 1100, 1000, 50], [50, 30, 40, 80], {}, [0, 1, 1, 0], (950, 50)),
        # With chances of 0.4, three blocks of a list and one certain block have more of
        # the expected words together; but most such lists are no content.
        ([1200, 560, 560, 560], [100] * 4, {}, [1, 0, 0, 0], None),
        ([1200, 560, 560, 560], [100] * 4, {"favor": "recall"}, [1, 1, 1, 1], None),
        # A third of the words is content for certain, the rest with a chance of a
        # quarter: the mean over all that may be true.
        ([1200, 490], [100, 200], {}, [1, 0], (1000 * (0.75 * 1 + 0.25 * 0.5), 10)),
        ([900], [0], {}, [0], (0, 0)),
        # A threshold by hand.
        ([1000, 650, 560], [20] * 3, {"least": 500}, [1, 1, 0], None),
        ([1000, 650, 560], [20] * 3, {"least": 999}, [0, 0, 0], None),
        ([1000, 650, 560], [20] * 3, {"least": 0}, [1, 1, 1], None),
    ],
)
def test_what_is_chosen_and_expected(
    likelihood: list[int],
    words: list[int],
    how: dict[str, Any],
    kept: list[int],
    expected: tuple[float, int] | None,
) -> None:
    choice = select(np.array(likelihood), np.array(words), **how)
    assert choice.kept.tolist() == kept
    if expected is not None:
        assert choice.expected == pytest.approx(expected[0], abs=expected[1])


def test_favor_moves_the_border() -> None:
    likelihood, w = np.array([1000, 650, 560, 450, 300]), np.full(5, 20)
    precise, _, greedy = counts = [
        int(select(likelihood, w, favor).kept.sum())
        for favor in ("precision", "balance", "recall")
    ]
    assert counts == sorted(counts)
    assert precise < greedy


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
