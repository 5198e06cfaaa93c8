"""Calibrates likelihoods by the kind of the page, and scores pages.

Where the trees are unsure, they overestimate blocks of shops, and underestimate those
of institutions.  So the logits of a page are changed by a linear function: the mean of
the functions of all kinds, weighted by how likely the page is of each kind.

Most pages are extracted almost perfectly.  To rank these as well, the trees estimate
the logarithm of the lack: what the F1 of a page lacks.
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
# The lack is this minus the F1, as the logarithm of 0 would outweigh all others.
_TOP = 1.02
# The mean lack is above the geometric mean, which the trees estimate: by this factor,
# as measured by benchmarks/trials.py.
_RISE = 1.62


def votes(answers: Ints, scale: int) -> Ints:
    """The weight of each kind of page, by answers in 1/``scale`` logits."""
    behind = (answers.max() - answers) * 100 // scale
    weights: Ints = CHANCE[np.maximum(ZERO - behind, 0)]
    return weights


def calibrated(likelihood: Ints, weight: Ints, lines: Ints) -> Ints:
    """The calibrated likelihoods of a page's blocks.

    ``weight`` are the votes() of the kinds.  ``lines`` has a row for each kind: the
    slope in thousandths, and the intercept in hundredths of a logit.
    """
    slope, intercept = weight @ lines // weight.sum()
    changed = (likelihood - ZERO) * slope // LEVEL + ZERO + intercept
    # Much faster than clip() on short rows.
    bounded: Ints = np.minimum(np.maximum(changed, 0), HIGHEST)
    return bounded


def lack_of(f1: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The logarithm of the lack of each page, from its F1."""
    lack: npt.NDArray[np.float64] = np.log(_TOP - f1)
    return lack


def score_of(lack: float) -> float:
    """The expected F1 of a page, from the estimated logarithm of its lack."""
    return min(max(_TOP - _RISE * math.exp(min(lack, 0.0)), 0.0), 1.0)
