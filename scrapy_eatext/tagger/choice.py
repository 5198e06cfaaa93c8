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

from scrapy_eatext.page.twins import load
from scrapy_eatext.tagger.context import CHANCE

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.tagger.features import Ints

_compiled = load("tagger._tagger")

# Thousandths of beta squared: below one precision counts more, above it recall.
FAVOR = {"precision": 300, "balance": 1000, "recall": 3000}
SETS = 50


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
    if _compiled is not None:
        return Choice(*_compiled.choose(likelihood, w, SETS, square, least))
    return python_choice(likelihood, w, square, least)


def python_choice(likelihood: Ints, w: Ints, square: int, least: int | None) -> Choice:
    """What choose() chooses, given thousandths of beta squared."""
    chance = CHANCE[likelihood]
    # In how many of the sets a block is, and the words that are in each.
    step = 1000 // SETS
    level = (chance + step // 2) // step
    by_level = np.zeros(SETS + 1, dtype=np.int64)
    np.add.at(by_level, level, w)
    words = by_level[:0:-1].cumsum()[::-1]
    if least is None:
        hits = np.minimum(words[:, None], words)
        whole = 1000 * words[:, None] + square * words
        worth = (1000 + square) * 1000 * hits // np.maximum(whole, 1)
        # The chance from which on a block is in the best of them.
        least = (int(worth.sum(axis=1).argmax()) + 1) * step - step // 2
    kept = chance >= least
    count = w[kept].sum()
    if not count:
        return Choice(np.zeros(len(w), dtype=np.bool_), 0)
    expected = 2000 * np.minimum(words, count) // (words + count)
    return Choice(kept, int(expected.sum()) // SETS)
