"""How likelihoods are calibrated by kind of page, and pages scored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.tagger.calibration import (
    LEVEL,
    calibrated,
    lack_of,
    score_of,
    votes,
)
from scrapy_eatext.tagger.context import HIGHEST, ZERO

LINES = np.array([(LEVEL, 0), (500, 40)], dtype=np.int32)
LOGITS = np.array([0, ZERO - 100, ZERO, ZERO + 100, HIGHEST])


def test_the_kind_that_a_page_is_of_counts_most() -> None:
    assert votes(np.array([900, 900]), 100).tolist() == [500, 500]
    one, other = votes(np.array([900, 700]), 100).tolist()
    assert one == 500
    assert other == 119
    assert votes(np.array([0, 10**7]), 100).tolist() == [2, 500]


def test_the_line_is_the_mean_of_the_kinds() -> None:
    first = calibrated(LOGITS, np.array([500, 0]), LINES)
    assert first.tolist() == LOGITS.tolist()
    second = calibrated(LOGITS, np.array([0, 500]), LINES)
    assert second.tolist() == [340, 590, 640, 690, 940]
    between = calibrated(LOGITS, np.array([500, 500]), LINES)
    assert between.tolist() == [170, 545, 620, 695, 1070]


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
