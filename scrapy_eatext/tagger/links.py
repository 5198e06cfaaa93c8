"""Leaves out a wiki's links to edit a section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import EDITS

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints


def without_edit_links(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without those that begin in an element named after editing."""
    # Few pages have such a word; looking up all names takes four times as long.
    if not any((walk.tokens == value).any() for value in EDITS.hashes):
        return kept
    rows = np.array(EDITS.rows(walk), dtype=np.intp)
    blocks = walk.elements[rows, ElementColumn.FIRST_BLOCK]
    has_block = blocks < len(kept)
    rows, blocks = rows[has_block], blocks[has_block]
    edits = blocks[walk.blocks[blocks, BlockColumn.INNER] == rows]
    if not kept[edits].any():
        return kept
    kept = kept.copy()
    kept[edits] = False
    return kept
