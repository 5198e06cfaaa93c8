"""Likelihoods that mean about the same on pages of every kind, and scores of pages.

Where the trees are unsure, more blocks of a shop are junk than they say, and more of an
institution are content.  So the logits of a page go through a line, by how likely the
page is of each kind.

Most pages come out almost whole.  So that scores order these too, the trees estimate the
logarithm of what the F1 of a page lacks.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.tagger.context import CHANCE, HIGHEST, ZERO

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.tagger.operations import Ints

# A slope of one, in thousandths.
LEVEL = 1000
# What a page lacks is counted from here, as a logarithm of 0 would outweigh all others.
_TOP = 1.02
# The mean of what pages lack is above the number whose logarithm is the mean: so many
# times, as benchmarks/trials.py found.
_RISE = 1.62


def votes(answers: Ints, scale: int) -> Ints:
    """How much each kind of page counts, by the answers of its trees in 1/``scale`` logits."""
    behind = (answers.max() - answers) * 100 // scale
    counted: Ints = CHANCE[np.maximum(ZERO - behind, 0)]
    return counted


def calibrated(likelihood: Ints, weight: Ints, lines: Ints) -> Ints:
    """The likelihoods of a page's blocks, by the mean line of the kinds.

    ``weight`` are the kinds' votes; ``lines`` has a row for each kind: the slope in
    thousandths, and what is added, in hundredths of a logit.
    """
    slope, more = weight @ lines // weight.sum()
    changed = (likelihood - ZERO) * slope // LEVEL + ZERO + more
    # Faster by far on short rows than clip().
    bounded: Ints = np.minimum(np.maximum(changed, 0), HIGHEST)
    return bounded


def lack_of(f1: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The logarithm of what pages lack, by the F1 of each."""
    lack: npt.NDArray[np.float64] = np.log(_TOP - f1)
    return lack


def score_of(lack: float) -> float:
    """The F1 to be expected where this is the likeliest logarithm."""
    return min(max(_TOP - _RISE * math.exp(min(lack, 0.0)), 0.0), 1.0)
