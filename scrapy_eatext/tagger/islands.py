"""What is kept far behind the text: other stories, for the most part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tags import PARAGRAPH

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints

# A paragraph of at least so many words is the page's own text for sure from the first
# chance on, in thousandths; blocks with less than the second are unsure.
_SENTENCE, _SURE, _UNSURE = 15, 800, 700
# Of ten kept words so many are at least in such paragraphs where there is a text that
# others are apart from, and so many words that are not kept part it from these.
_OF_TEN, _GAP = 3, 40


def without_islands(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without unsure ones behind the text and apart from it.

    The text ends with the last long paragraph that is sure; what is kept further down is
    apart from it once enough between has been left out.
    """
    shown = kept.nonzero()[0]
    chance = chances[shown]
    # Each step is cheaper than the next, and most pages end at one of them.
    if not (chance < _UNSURE).any():
        return kept
    words = w[shown]
    body = ((chance >= _SURE) & (words >= _SENTENCE)).nonzero()[0]
    body = body[walk.blocks[shown[body], BlockColumn.KIND] == PARAGRAPH]
    if not len(body) or 10 * words[body].sum() < _OF_TEN * words.sum():
        return kept
    end = int(body[-1])
    if not (chance[end:] < _UNSURE).any():
        return kept
    behind = shown[end:]
    sums = np.cumsum(w[behind[0] : behind[-1] + 1])[behind - behind[0]]
    apart = np.diff(sums) - words[end + 1 :] >= _GAP
    if not apart.any():
        return kept
    kept = kept.copy()
    first = int(behind[1:][apart.argmax()])
    kept[first:] &= chances[first:] >= _UNSURE
    return kept
