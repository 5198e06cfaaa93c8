"""Learns the lines that calibrate likelihoods by kind of page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.learning.logistic import newton
from scrapy_eatext.tagger.context import ZERO
from scrapy_eatext.tagger.kinds import LEVEL, figure_names, votes
from scrapy_eatext.tagger.trees import NamedTrees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_eatext.learning.logistic import Floats
    from scrapy_eatext.learning.tagger import Sample
    from scrapy_eatext.tagger.operations import Ints
    from scrapy_eatext.tagger.trees import Trees

# The sum of the weights of a page's blocks, which are square roots of their words.
_PAGE = 60
# The penalty that draws the kinds' lines to one line for all pages, and that one to the
# identity.
_RIDGE = 300


def kind_votes(
    trees: Sequence[Trees],
    fold: NDArray[np.intp],
    figures: Ints,
    kinds: Sequence[str],
) -> list[Ints]:
    """The votes for each kind on each page, by the trees without the page's fold."""
    named = [NamedTrees(ensemble, figure_names(kinds)) for ensemble in trees]
    return [
        votes(named[k].answers(row), named[k].scale)
        for k, row in zip(fold.tolist(), figures, strict=True)
    ]


def calibration_lines(
    samples: Sequence[Sample],
    words: Sequence[Ints],
    likelihoods: Sequence[Ints],
    weights: Sequence[Ints],
) -> Ints:
    """For each kind the slope in thousandths and the intercept in hundredths.

    The likelihoods and ``weights``, the kinds' votes, are out of fold.
    """
    logits, shares, truth, weight = [], [], [], []
    for sample, w, likelihood, vote in zip(
        samples, words, likelihoods, weights, strict=True
    ):
        known = (sample.share >= 0) & (w > 0)
        if sample.true is None or not known.any():
            continue
        root = np.sqrt(w[known])
        logits.append((likelihood[known] - ZERO) / 100)
        shares.append(np.repeat([vote / vote.sum()], len(root), axis=0))
        truth.append(sample.share[known] >= 0.5)
        weight.append(root * (_PAGE / root.sum()))
    count = len(weights[0])
    if not logits:
        return np.array([(LEVEL, 0)] * count, dtype=np.int32)
    x, of_kind = np.concatenate(logits)[:, None], np.concatenate(shares)
    y, block_weights = np.concatenate(truth), np.concatenate(weight)

    def fit(columns: Floats, near: Floats) -> Floats:
        penalty = np.full(len(near), _RIDGE)
        return newton(columns, y, block_weights, penalty, near, near=near)[0]

    start = fit(np.hstack([x, np.ones_like(x)]), np.array([1.0, 0.0]))
    lines = fit(np.hstack([of_kind * x, of_kind]), np.repeat(start, count))
    return np.rint(lines.reshape(2, count).T * (LEVEL, 100)).astype(np.int32)
