"""Which blocks to keep, given how likely each is to be content.

Blocks of one page are right or wrong together: a list that is not content is so
with all of its items.  So what the page's content may be is taken for one of
nested sets, equally likely: the blocks with a chance above 1 %, above 3 %, and so
on to 99 %.  That of them is kept whose words have the best expected F over all.

Were blocks independent, the ratio of expected words would do (Lewis, 1995), but it
keeps too much: many doubtful words are then as good as half of them for certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.tagger.context import CHANCE

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.tagger.operations import Ints

# Thousandths of beta squared: below one precision counts more, above it recall.
FAVOR = {"precision": 300, "balance": 1000, "recall": 3000}
SETS = 50
# In how many of the sets a block is, by its likelihood.
_LEVEL = (CHANCE + 500 // SETS) * SETS // 1000


@dataclass(frozen=True, slots=True)
class Choice:
    """The blocks to keep, and the F1 in thousandths that may be expected of them."""

    kept: npt.NDArray[np.bool_]
    expected: int


def choose(
    likelihood: Ints, w: Ints, favor: str = "balance", least: int | None = None
) -> Choice:
    """Choose blocks by likelihood and words.

    ``least`` is a chance in thousandths from which on a block is kept, instead
    of what is best by ``favor``.
    """
    square = FAVOR[favor]
    step = 1000 // SETS
    # The words of the blocks in so many of the sets, and then those in each set.  They
    # are whole numbers, exact up to 2^53.
    words = np.bincount(_LEVEL[likelihood], w, SETS + 1)[:0:-1].cumsum()[::-1]
    if least is None:
        hits = words * (1000 * (1000 + square))
        worth = np.minimum(hits[:, None], hits)
        worth /= np.maximum(1000 * words, 1)[:, None] + square * words
        best = int(np.floor(worth, out=worth).sum(axis=1).argmax())
        # The chance from which on a block is in the best of them.
        least = (best + 1) * step - step // 2
    kept = CHANCE[likelihood] >= least
    count = int(w @ kept)
    if not count:
        return Choice(np.zeros(len(w), dtype=np.bool_), 0)
    expected = np.floor(2000 * np.minimum(words, count) / (words + count))
    return Choice(kept, int(expected.sum()) // SETS)
