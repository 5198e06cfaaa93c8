"""Links that are no text: a single one kept of a list, and a wiki's to edit a section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import EDITS
from scrapy_eatext.page.tags import ITEM

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints

# A link with at least this chance, in thousandths, is always kept.
_SURE = 700
# Every link stays where the other kept blocks have fewer words.
_FEW = 40
# A list of links has at least so many items that are links.  An item is a link if at
# least so many tenths of its characters are linked.
_LINKS, _TENTHS = 3, 9


def without_lone_links(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without unsure links that are the only kept item of their list.

    A list of links is content as a whole or not at all: a single kept link is a slip.
    """
    kinds, chars, linked, items = (
        walk.blocks[:, column]
        for column in (
            BlockColumn.KIND,
            BlockColumn.CHARS,
            BlockColumn.LINK_CHARS,
            BlockColumn.ITEM,
        )
    )
    links = (kinds == ITEM) & (10 * linked >= _TENTHS * chars)
    lone = links & kept & (chances < _SURE)
    if not lone.any() or int(w[kept & ~links].sum()) < _FEW:
        return kept
    inside = (kinds == ITEM).nonzero()[0]
    lists = walk.elements[:, ElementColumn.PARENT][items[inside]]
    left = np.bincount(lists, kept[inside])[lists] == 1
    left &= np.bincount(lists, links[inside])[lists] >= _LINKS
    if not (lone[inside] & left).any():
        return kept
    kept = kept.copy()
    kept[inside[lone[inside] & left]] = False
    return kept


def without_edit_links(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without those that begin in an element named after editing."""
    # Few pages have the word, and looking all names up takes four times as long.
    if not any((walk.tokens == value).any() for value in EDITS.hashes):
        return kept
    rows = np.array(EDITS.rows(walk), dtype=np.intp)
    blocks = walk.elements[rows, ElementColumn.FIRST_BLOCK]
    there = blocks < len(kept)
    rows, blocks = rows[there], blocks[there]
    edits = blocks[walk.blocks[blocks, BlockColumn.INNER] == rows]
    if not kept[edits].any():
        return kept
    kept = kept.copy()
    kept[edits] = False
    return kept
