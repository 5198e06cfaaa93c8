"""Leaves out copies of a page's text, as for small screens, printers and tabs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.tags import QUOTE

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints

# A run of copies has at least _BLOCKS, _WORDS, and one in _ONE_IN of the kept words;
# all runs together have at least one in _ALL_ONE_IN of them.
_BLOCKS, _WORDS, _ONE_IN, _ALL_ONE_IN = 2, 40, 20, 4


def without_copies(walk: Walk, kept: Flags, w: Ints, _chances: Ints) -> Flags:
    """The kept blocks, without copies of long parts of the text.

    Quotations are no copies, nor are runs with the same parent, as the refrains of a
    song.  All copies together must have a quarter of the kept words, so that repeated
    notes in a manual stay.
    """
    shown = kept.nonzero()[0]
    sums, words = walk.blocks[shown, BlockColumn.HASH], w[shown]
    order = sums.argsort()
    ordered = sums[order]
    again = order[1:][ordered[1:] == ordered[:-1]]
    total = int(words.sum())
    # Most pages repeat next to nothing.
    if _ALL_ONE_IN * int(words[again].sum()) < max(total, 1):
        return kept
    kinds, elements = walk.blocks[shown][:, [BlockColumn.KIND, BlockColumn.ELEMENT]].T
    parents = walk.elements[elements, ElementColumn.PARENT]
    copied = np.zeros(len(shown), dtype=np.bool_)
    for first, begin, count in _runs(sums.tolist()):
        size = int(words[begin : begin + count].sum())
        if kinds[begin] == QUOTE or parents[first] == parents[begin]:
            continue
        if size >= max(_WORDS, total // _ONE_IN):
            copied[begin : begin + count] = True
    if _ALL_ONE_IN * int(words[copied].sum()) < total:
        return kept
    kept = kept.copy()
    kept[shown[copied]] = False
    return kept


def _runs(texts: list[int]) -> Iterator[tuple[int, int, int]]:
    """The runs of texts that occur earlier too: earlier place, place, length.

    Only the first earlier place is compared, so that the search takes linear time.
    """
    places: dict[tuple[int, int], int] = {}
    at = 0
    while at + 1 < len(texts):
        first = places.setdefault((texts[at], texts[at + 1]), at)
        count = 0
        most = min(at - first, len(texts) - at)
        while count < most and texts[first + count] == texts[at + count]:
            count += 1
        if count >= _BLOCKS:
            yield first, at, count
        at += max(count, 1)
