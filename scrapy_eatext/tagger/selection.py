"""Chooses the blocks to keep, from each block's likelihood of being content.

Errors on blocks of one page are correlated: if a list is not content, none of its items
is.  So the true content is assumed to be one of nested sets, all equally likely: the
blocks with a chance above 1 %, above 3 %, and so on up to 99 %.  The set with the
highest expected F-measure over words is kept.

For independent blocks, the ratio of expected words could be maximized instead (Lewis,
1995).  That keeps too much: words with a chance of one half count as much as half as
many certain words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.native.loading import twin
from scrapy_eatext.tagger.context import CHANCE
from scrapy_eatext.tagger.operations import NONE

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.tagger.operations import Ints

# Beta squared of the F-measure, in thousandths: below 1000 precision counts more,
# above 1000 recall.
FAVOR = {"precision": 300, "balance": 1000, "recall": 3000}
SETS = 50


@dataclass(frozen=True, slots=True)
class Selection:
    """The blocks to keep, and their expected F1 in thousandths."""

    kept: npt.NDArray[np.bool_]
    expected: int


def select(
    likelihood: Ints, w: Ints, favor: str = "balance", least: int | None = None
) -> Selection:
    """Choose blocks by their likelihoods and words.

    With ``least``, a chance in thousandths, the blocks with at least this chance are
    kept, whatever ``favor`` is.
    """
    threshold = NONE if least is None else least
    return Selection(*kept_of(likelihood, w, FAVOR[favor], threshold, SETS))


def python_kept_of(
    likelihood: Ints, w: Ints, square: int, least: int, sets: int
) -> tuple[npt.NDArray[np.bool_], int]:
    """The kept blocks and their expected F1, of ``sets`` nested sets; see select().

    ``square`` is one of FAVOR's numbers; ``least`` is NONE for no threshold.
    """
    step = 1000 // sets
    # For each likelihood, the number of sets that have its blocks.
    level = (CHANCE + step // 2) * sets // 1000
    # The words of each set: whole numbers, which floats hold exactly up to 2^53.
    words = np.bincount(level[likelihood], w, sets + 1)[:0:-1].cumsum()[::-1]
    if least == NONE:
        hits = words * (1000 * (1000 + square))
        worth = np.minimum(hits[:, None], hits)
        worth /= np.maximum(1000 * words, 1)[:, None] + square * words
        best = int(np.floor(worth, out=worth).sum(axis=1).argmax())
        # The lowest chance of a block in the best set.
        least = (best + 1) * step - step // 2
    kept = CHANCE[likelihood] >= least
    count = int(w @ kept)
    if not count:
        return np.zeros(len(w), dtype=np.bool_), 0
    expected = np.floor(2000 * np.minimum(words, count) / (words + count))
    return kept, int(expected.sum()) // sets


kept_of = twin(python_kept_of, "_tagger")
