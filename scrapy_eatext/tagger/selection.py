"""Which blocks to keep, given how likely each is to be content.

Blocks of one page are right or wrong together: if a list is not content, none of its
items is.  So the true content is taken to be one of nested sets, all equally likely:
the blocks with a chance above 1 %, above 3 %, and so on up to 99 %.  The set is kept
whose words have the highest expected F-measure.

If blocks were independent, the ratio of expected words could be maximized instead
(Lewis, 1995).  That keeps too much: many words with a chance of one half are then worth
as much as half as many words that are certain.
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
    """The blocks to keep, and the F1 in thousandths that may be expected of them."""

    kept: npt.NDArray[np.bool_]
    expected: int


def select(
    likelihood: Ints, w: Ints, favor: str = "balance", least: int | None = None
) -> Selection:
    """Choose blocks by likelihood and words.

    With ``least``, a chance in thousandths, the blocks with at least this chance are
    kept, whatever ``favor`` is.
    """
    given = NONE if least is None else least
    return Selection(*kept_of(likelihood, w, FAVOR[favor], given, SETS))


def python_kept_of(
    likelihood: Ints, w: Ints, square: int, least: int, sets: int
) -> tuple[npt.NDArray[np.bool_], int]:
    """What select() chooses out of ``sets`` nested sets.

    ``square`` is one of FAVOR's numbers; ``least`` is NONE where select() has none.
    """
    step = 1000 // sets
    # The number of sets that a block of each likelihood is in.
    level = (CHANCE + step // 2) * sets // 1000
    # The words of each set.  They are whole numbers, which floats hold exactly up to
    # 2^53.
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
