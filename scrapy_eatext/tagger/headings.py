"""Kept headings of which the text below is not kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tags import HEADING

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints

# A heading with at least this chance, in thousandths, is always kept: in main text,
# too, a heading may stand above something other than text, such as a video.
_SURE = 700
# Every heading stays where the other kept blocks have fewer words.
_FEW = 40


def without_bare_headings(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without unsure headings of which the text below is not kept.

    A heading is dropped if it is followed by a block that is no heading, and if no
    block is kept up to the next kept heading of the same or a higher level, or up to
    the end of the page.  The first kept block always stays.
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
    here, there = shown[bare], following[bare]
    ends = there == len(kept)
    there = np.where(ends, here, there)
    left = ends | (is_heading[there] & (levels[there] <= levels[here]))
    left &= ~is_heading[here + 1]
    if not left.any():
        return kept
    kept = kept.copy()
    kept[here[left]] = False
    # A heading further up may have nothing left below it now.
    return without_bare_headings(walk, kept, w, chances)
