"""Dated lines between a page's headline and its text: bylines, for the most part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tags import HEADING

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints

# A line with at least this chance, in thousandths, is always kept.
_SURE = 800
# How many words a byline has at most, how many characters the text's first block has at
# least, for some scripts part no words, and how many of the first kept blocks are looked
# at.
_SHORT, _LONG, _FIRST = 12, 150, 4
_COLUMNS = [BlockColumn.KIND, BlockColumn.START, BlockColumn.END]


def without_bylines(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without unsure short ones with a date before the first long one.

    Headings stay, and so does everything on a page without a long block.
    """
    shown = kept.nonzero()[0]
    is_long = walk.blocks[shown, BlockColumn.CHARS] >= _LONG
    if not is_long.any():
        return kept
    left = []
    for i in shown[: min(int(is_long.argmax()), _FIRST)].tolist():
        kind, start, end = walk.blocks[i, _COLUMNS].tolist()
        if kind != HEADING and w[i] <= _SHORT and chances[i] < _SURE:
            text = walk.text[start:end].decode()
            if next(dates.found(text), None) is not None:
                left.append(i)
    if not left:
        return kept
    kept = kept.copy()
    kept[left] = False
    return kept
