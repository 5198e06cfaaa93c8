"""The lines that calibrate likelihoods, learned from made chances."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("threadpoolctl")

from scrapy_eatext.learning.tagger import Sample, calibration_lines
from scrapy_eatext.tagger.context import CHANCE, ZERO
from scrapy_eatext.tagger.kinds import LEVEL

PAGES, BLOCKS = 300, 40


def learned(*changes: tuple[float, int]) -> list[list[int]]:
    """The lines where, by kind, the true logits are so many times the given ones, and more."""
    chance = np.random.default_rng(0)
    samples, likelihoods, votes = [], [], []
    for number in range(PAGES):
        kind = number % len(changes)
        found = chance.integers(ZERO - 400, ZERO + 401, BLOCKS)
        times, more = changes[kind]
        true = ((found - ZERO) * times + more + ZERO).astype(np.int64).clip(0, 2 * ZERO)
        share = (chance.integers(0, 1000, BLOCKS) < CHANCE[true]).astype(np.float32)
        # The walk makes no difference.
        samples.append(Sample("", "", None, share, true=Counter()))  # type: ignore[arg-type]
        likelihoods.append(found)
        votes.append(np.array([500 if k == kind else 2 for k in range(len(changes))]))
    words = [np.full(BLOCKS, 10)] * PAGES
    lines: list[list[int]] = calibration_lines(
        samples, words, likelihoods, votes
    ).tolist()
    return lines


def test_chances_that_are_right_stay() -> None:
    for slope, more in learned((1, 0), (1, 0)):
        assert slope == pytest.approx(LEVEL, rel=0.1)
        assert more == pytest.approx(0, abs=12)


def test_each_kind_has_its_own_line() -> None:
    (steep, less), (flat, more) = learned((1.2, -60), (0.6, 60))
    assert steep > LEVEL > flat + 200
    assert less < -30
    assert more > 30


def test_pages_of_segments_teach_no_line() -> None:
    share = np.ones(4, dtype=np.float32)
    page = Sample("", "", None, share)  # type: ignore[arg-type]
    lines = calibration_lines(
        [page], [np.ones(4)], [np.full(4, ZERO)], [np.array([5, 5])]
    )
    assert lines.tolist() == [[LEVEL, 0]] * 2
