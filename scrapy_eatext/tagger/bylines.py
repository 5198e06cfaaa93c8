"""Leaves out dated lines between a page's headline and its text, mostly bylines."""

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
# The most words of a byline; the fewest characters of the text's first long block, as
# some scripts have no spaces; and how many of the first kept blocks may be bylines.
_SHORT, _LONG, _FIRST = 12, 150, 4
_COLUMNS = [BlockColumn.KIND, BlockColumn.START, BlockColumn.END]


def without_bylines(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without short, unsure, dated ones before the first long one.

    Headings stay, and so do all blocks of a page without a long one.
    """
    shown = kept.nonzero()[0]
    is_long = walk.blocks[shown, BlockColumn.CHARS] >= _LONG
    if not is_long.any():
        return kept
    dropped = []
    for i in shown[: min(int(is_long.argmax()), _FIRST)].tolist():
        kind, start, end = walk.blocks[i, _COLUMNS].tolist()
        if kind != HEADING and w[i] <= _SHORT and chances[i] < _SURE:
            text = walk.text[start:end].decode()
            if next(dates.found(text), None) is not None:
                dropped.append(i)
    if not dropped:
        return kept
    kept = kept.copy()
    kept[dropped] = False
    return kept
