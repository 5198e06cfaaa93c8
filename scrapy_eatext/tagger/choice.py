"""Which blocks to keep, given how likely each is to be content.

The set is chosen that has the best expected F of its words: with chances p and
words w, kept words K, expected hits S (the sum of p x w over those kept) and
expected content T (the same over all), F-beta is (1 + b2) S / (K + b2 T).  The
best set is always the likeliest blocks down to some chance, a fact that goes
back to Lewis (1995), so that one pass over the blocks in that order finds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.twins import load
from scrapy_eatext.tagger.context import CHANCE, best_first

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.tagger.features import Ints

_compiled = load("tagger._tagger")

# Thousandths of beta squared: below one precision counts more, above it recall.
# The balance is a little below one, as chances are less sure than they say.
FAVOR = {"precision": 300, "balance": 850, "recall": 3000}


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
        return Choice(*_compiled.choose(likelihood, w, square, least))
    return python_choice(likelihood, w, square, least)


def python_choice(likelihood: Ints, w: Ints, square: int, least: int | None) -> Choice:
    """What choose() chooses, given thousandths of beta squared."""
    chance = CHANCE[likelihood]
    order = best_first(likelihood)
    hits = np.cumsum((chance * w)[order])
    words = np.cumsum(w[order]) * 1000
    kept = np.zeros(len(w), dtype=np.bool_)
    total = int(hits[-1]) if len(hits) else 0
    if not total:
        return Choice(kept, 0)
    if least is None:
        worth = (
            (1000 + square)
            * hits
            // np.maximum((words + square * total // 1000) // 1000, 1)
        )
        last = int(worth.argmax())
        # Equals stand or fall together.
        count = int((likelihood >= likelihood[order[last]]).sum())
    else:
        count = int((chance >= least).sum())
    if not count:
        return Choice(kept, 0)
    kept[order[:count]] = True
    return Choice(kept, int(2000 * hits[count - 1] // (words[count - 1] + total)))
