"""Leaves out headings whose text is not kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tags import HEADING

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints

# A heading with at least this chance, in thousandths, is always kept: also in main text
# a heading may stand above something other than text, such as a video.
_SURE = 700
# If the other kept blocks have fewer words, all headings stay.
_FEW = 40


def without_bare_headings(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without unsure headings whose text is not kept.

    A heading is dropped if the next block is no heading, and no block is kept up to the
    next kept heading of the same or a higher level, or the end of the page.  The first
    kept block always stays.
    """
    kinds = walk.blocks[:, BlockColumn.KIND]
    is_heading = kinds == HEADING
    # Most pages have no heading that could be dropped.
    unsure = kept & is_heading & (chances < _SURE)
    if not unsure.any():
        return kept
    shown = kept.nonzero()[0]
    if int(w[kept & ~is_heading].sum()) < _FEW:
        return kept
    levels = walk.blocks[:, BlockColumn.LEVEL]
    # The next kept block after each; after the last one, the number of blocks.
    following = np.append(shown[1:], len(kept))
    bare = unsure[shown] & (following > shown + 1)
    bare[0] = False
    heading, next_kept = shown[bare], following[bare]
    ends = next_kept == len(kept)
    next_kept = np.where(ends, heading, next_kept)
    dropped = ends | (is_heading[next_kept] & (levels[next_kept] <= levels[heading]))
    dropped &= ~is_heading[heading + 1]
    if not dropped.any():
        return kept
    kept = kept.copy()
    kept[heading[dropped]] = False
    # A heading of a higher level may have lost all text below it.
    return without_bare_headings(walk, kept, w, chances)
