"""The lines that calibrate the default algorithm's likelihoods, by kind of page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.tagger.calibration import LEVEL, votes
from scrapy_eatext.tagger.context import ZERO
from scrapy_eatext.tagger.kinds import figure_names
from scrapy_eatext.tagger.trees import NamedTrees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_eatext.learning.tagger import Sample
    from scrapy_eatext.tagger.operations import Ints
    from scrapy_eatext.tagger.trees import Trees

# What the blocks of a page weigh together; a block counts by the root of its words.
_PAGE = 60
# What keeps the kinds' lines near one line for all pages, and that one near no change.
_RIDGE = 300
_ROUNDS = 20


def kind_votes(
    trees: Sequence[Trees],
    fold: NDArray[np.intp],
    figures: Ints,
    kinds: Sequence[str],
) -> list[Ints]:
    """What each kind counts on each page, by the trees without the page's fold."""
    named = [NamedTrees(one, figure_names(kinds)) for one in trees]
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
    """The slope in thousandths and the shift in hundredths for each kind.

    The likelihoods and the kinds' votes, the ``weights``, are by trees that have not
    seen the page's site.  Pages of which only segments are known tell nothing.
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
    y, by = np.concatenate(truth), np.concatenate(weight)
    start = _fit(np.hstack([x, np.ones_like(x)]), y, by, np.array([1.0, 0.0]))
    line = _fit(np.hstack([of_kind * x, of_kind]), y, by, np.repeat(start, count))
    return np.rint(line.reshape(2, count).T * (LEVEL, 100)).astype(np.int32)


def _fit(
    columns: NDArray[np.float64],
    truth: NDArray[np.bool_],
    weight: NDArray[np.float64],
    near: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The coefficients of a logistic regression that is drawn to others."""
    found = near
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-np.clip(columns @ found, -30, 30)))
        slope = (weight * (truth - chance)) @ columns - _RIDGE * (found - near)
        bends = (columns.T * (weight * chance * (1 - chance))) @ columns
        found = found + np.linalg.solve(bends + _RIDGE * np.eye(len(near)), slope)
    return found
