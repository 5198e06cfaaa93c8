"""The kind of a page: evidence from words in attributes, and likelihoods calibrated by it.

Authors of sites use similar class names and ids, such as "cart", and these tell kinds
of pages apart better than figures of the layout.  As in a TokenTable, there is no list
of words: weights are learned for hashes.

Where the trees are unsure, they overestimate blocks of shops, and underestimate those
of institutions.  So the logits of a page are changed by a linear function: the mean of
the functions of all kinds, weighted by how likely the page is of each kind.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.tagger.context import CHANCE, HIGHEST, ZERO
from scrapy_eatext.tagger.whole import NAMES
from scrapy_eatext.tagger.words import places_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.facts import TokenTable
    from scrapy_eatext.tagger.operations import Ints

# A slope of one, in thousandths.
LEVEL = 1000


def name_votes(walk: Walk, table: TokenTable) -> Ints:
    """For each kind of page the sum of the weights of the distinct words on a page.

    The sum is divided by the square root of the number of words.
    """
    words = words_on(walk, table.hashes)
    total = table.kinds[words].sum(axis=0, dtype=np.int64)
    scaled: Ints = total * 100 // max(isqrt(len(words) * 10_000), 1)
    return scaled


def words_on(walk: Walk, hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
    """The places in a table of the words in a page's attributes, each once."""
    # Most words occur many times: sorting them is faster than looking each up, and than
    # np.unique().
    words = np.sort(walk.tokens)
    is_first = np.ones(len(words), dtype=np.bool_)
    np.not_equal(words[1:], words[:-1], out=is_first[1:])
    place, known = places_in(hashes, words[is_first])
    return place[known]


def figure_names(kinds: Iterable[str]) -> tuple[str, ...]:
    """The names of the figures that predict kinds: the page's, then its name_votes()."""
    return (*NAMES, *(f"names_{kind}" for kind in kinds))


def votes(answers: Ints, scale: int) -> Ints:
    """The weight of each kind of page, by answers in 1/``scale`` logits."""
    # On so few numbers lists are faster than numpy.
    logits = answers.tolist()
    most = max(logits)
    behind = ((most - logit) * 100 // scale for logit in logits)
    return np.array([CHANCE.item(max(ZERO - each, 0)) for each in behind])


def calibrated(likelihood: Ints, weight: Ints, lines: Ints) -> Ints:
    """The calibrated likelihoods of a page's blocks.

    ``weight`` are the votes() of the kinds.  ``lines`` has a row for each kind: the
    slope in thousandths, and the intercept in hundredths of a logit.
    """
    # On short rows, numbers of Python's are twice as fast as numpy's, and in place as
    # new arrays are; clip() is slower than both of its halves.
    slope, intercept = (weight @ lines // weight.sum()).tolist()
    changed: Ints = (likelihood - ZERO) * slope
    changed //= LEVEL
    changed += ZERO + intercept
    np.maximum(changed, 0, out=changed)
    return np.minimum(changed, HIGHEST, out=changed)
