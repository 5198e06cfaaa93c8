"""The rules after the choice of blocks: some are left out, rows and figures completed.

Blocks are judged one by one, so copies of a text look as good as the text, and of the
short cells of a row some look like content and others do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn, MarkColumn
from scrapy_eatext.page.datatables import data_tables
from scrapy_eatext.page.names import CAPTIONS, EDITS, SIGNATURES, Names
from scrapy_eatext.page.tables import are_among, covered, rows_with
from scrapy_eatext.page.tags import CODE, HEADING, QUOTE, TAG_ID, TEX_TEXT

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints

# A run of copies has at least _COPIES, _COPIED_WORDS, and one in _ONE_IN of the kept
# words; all runs together have at least one in _ALL_ONE_IN of them.
_COPIES, _COPIED_WORDS, _ONE_IN, _ALL_ONE_IN = 2, 40, 20, 4
# An element with this share of the kept words or more is not left out for its name.
_NEARLY_ALL = 0.9
# A heading with at least this chance, in thousandths, is always kept: also in main text
# a heading may stand above something other than text, such as a video.
_SURE_HEADING = 700
# All headings stay if the other kept blocks have fewer words.
_FEW = 40
# A dated line with at least this chance, in thousandths, is always kept.
_SURE_LINE = 900
# The most words of a byline; the fewest characters of the text's first long block, as
# some scripts have no spaces; and how many of the first kept blocks may be bylines.
_SHORT, _LONG, _FIRST = 12, 150, 4
# How vBulletin's signatures begin, and the most words of one.
_LINE_ABOVE, _SIGNATURE = b"_" * 18, 100
# A row of a table is kept if more than one in this many of its words was chosen.
_SHARE = 3
_FIGURE, _FIGCAPTION = TAG_ID["figure"], TAG_ID["figcaption"]
_TABLE = TAG_ID["table"]
_BOUNDS = [ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK]
_PLACE = [ElementColumn.PARENT, *_BOUNDS]
_MARKS = [MarkColumn.BLOCK, MarkColumn.START, MarkColumn.STYLE]
_LINE = [BlockColumn.KIND, BlockColumn.START, BlockColumn.END]


def _without(kept: Flags, dropped: Flags | npt.NDArray[np.intp] | list[int]) -> Flags:
    """The kept blocks without ``dropped``, flags or places; itself if it has none."""
    if not kept[dropped].any():
        return kept
    remaining = kept.copy()
    remaining[dropped] = False
    return remaining


def without_copies(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without copies of long parts of the text.

    Copies are for small screens, printers and tabs.  Quotations are no copies, nor are
    runs with the same parent, as the refrains of a song.  All copies together must have
    a quarter of the kept words, so that repeated notes in a manual stay.
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
        if size >= max(_COPIED_WORDS, total // _ONE_IN):
            copied[begin : begin + count] = True
    if _ALL_ONE_IN * int(words[copied].sum()) < total:
        return kept
    return _without(kept, shown[copied])


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
        if count >= _COPIES:
            yield first, at, count
        at += max(count, 1)


def without_named(
    names: tuple[Names, ...], walk: Walk, kept: Flags, w: Ints, chances: Ints
) -> Flags:
    """The kept blocks, without those in elements with some names.

    An element with nearly all of the kept words is left as it is.
    """
    return _without(kept, in_named(names, walk, kept, w, _NEARLY_ALL))


def in_named(
    names: tuple[Names, ...], walk: Walk, kept: Flags, w: Ints, most: float
) -> Flags:
    """The blocks inside elements with some names.

    An element with the share ``most`` of the kept words or more does not count.
    """
    rows = [row for each in names for row in each.rows(walk)]
    if not rows:
        return np.zeros(len(kept), dtype=np.bool_)
    begins, ends = walk.elements[rows][:, _BOUNDS].T
    words = np.concatenate([[0], np.where(kept, w, 0).cumsum()])
    is_part = (words[ends] - words[begins] < most * words[-1]) | (words[-1] == 0)
    return covered(begins[is_part], ends[is_part], len(kept))


def without_signatures(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without those in elements that are named as signatures.

    A short element that begins with a long line of underscores is one too.
    """
    kept = without_named((SIGNATURES,), walk, kept, w, chances)
    if _LINE_ABOVE not in walk.text:  # the usual case
        return kept
    dropped: list[int] = []
    for i in kept.nonzero()[0].tolist():
        if walk.text.startswith(_LINE_ABOVE, walk.blocks.item(i, BlockColumn.START)):
            element = walk.blocks.item(i, BlockColumn.ELEMENT)
            first, last = walk.elements[element, _BOUNDS].tolist()
            if first == i and w[first:last].sum() <= _SIGNATURE:
                dropped += range(first, last)
    return _without(kept, dropped)


def without_edit_links(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without those that begin in an element named after editing."""
    if not (named := EDITS.rows(walk)):
        return kept
    rows = np.array(named, dtype=np.intp)
    blocks = walk.elements[rows, ElementColumn.FIRST_BLOCK]
    has_block = blocks < len(kept)
    rows, blocks = rows[has_block], blocks[has_block]
    return _without(kept, blocks[walk.blocks[blocks, BlockColumn.INNER] == rows])


def without_bare_headings(walk: Walk, kept: Flags, w: Ints, chances: Ints) -> Flags:
    """The kept blocks, without unsure headings whose text is not kept.

    A heading is dropped if the next block is no heading, and no block is kept up to the
    next kept heading of the same or a higher level, or the end of the page.  The first
    kept block always stays.
    """
    is_heading = walk.blocks[:, BlockColumn.KIND] == HEADING
    # Most pages have no heading that could be dropped.
    unsure = kept & is_heading & (chances < _SURE_HEADING)
    if not unsure.any() or int(w[kept & ~is_heading].sum()) < _FEW:
        return kept
    shown = kept.nonzero()[0]
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
    remaining = _without(kept, heading[dropped])
    # A heading of a higher level may have lost all text below it.
    return without_bare_headings(walk, remaining, w, chances)


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
        kind, start, end = walk.blocks[i, _LINE].tolist()
        if kind != HEADING and w[i] <= _SHORT and chances[i] < _SURE_LINE:
            text = walk.text[start:end].decode()
            if next(dates.found(text), None) is not None:
                dropped.append(i)
    return _without(kept, dropped)


def with_captions(walk: Walk, kept: Flags) -> Flags:
    """The kept blocks, and the captions of figures with other kept blocks.

    What is named as a caption is one too, with a kept table below it and no image above.
    """
    elements = walk.elements
    rows = rows_with(elements, ElementColumn.TAG, _FIGCAPTION)
    named = CAPTIONS.rows(walk)
    if not rows and not named:
        return kept
    is_table = elements[:, ElementColumn.TAG] == _TABLE
    tables = frozenset(elements[is_table, ElementColumn.FIRST_BLOCK].tolist())
    is_other = walk.marks[:, MarkColumn.STYLE] < 0
    images = frozenset(walk.marks[is_other, MarkColumn.BLOCK].tolist())
    count = np.concatenate([[0], kept.cumsum()])
    kept = kept.copy()
    for row in rows:
        figure = elements.item(row, ElementColumn.PARENT)
        if figure >= 0 and elements.item(figure, ElementColumn.TAG) == _FIGURE:
            first, last = elements[row, _BOUNDS].tolist()
            begin, end = elements[figure, _BOUNDS].tolist()
            if count[end] - count[begin] > count[last] - count[first]:
                kept[first:last] = True
    for around, first, last in elements[named][:, _PLACE].tolist():
        is_inside = last < elements.item(around, ElementColumn.LAST_BLOCK)
        if last in tables and is_inside and kept[last] and first not in images:
            kept[first:last] = True
    return kept


def with_code(walk: Walk, kept: Flags) -> Flags:
    """The kept blocks, and code and formulas between two: the text refers to them."""
    is_one = walk.blocks[:, BlockColumn.KIND] == CODE
    is_one[_formulas(walk)] = True
    dropped = np.flatnonzero(is_one & ~kept)
    if not len(dropped):
        return kept
    others = np.flatnonzero(~is_one)
    above = np.searchsorted(others, dropped)
    are_kept = np.concatenate([[False], kept[others], [False]])
    kept = kept.copy()
    kept[dropped] = are_kept[above] & are_kept[above + 1]
    return kept


def _formulas(walk: Walk) -> npt.NDArray[np.int32]:
    """The blocks that are a formula: their only mark is one of TeX, at their beginning."""
    block, start, style = walk.marks[:, _MARKS].T
    tex = ((style > 0) & (style & TEX_TEXT > 0)).nonzero()[0]
    if len(tex):
        tex = tex[np.bincount(block)[block[tex]] == 1]
        tex = tex[walk.blocks[block[tex], BlockColumn.START] == start[tex]]
    found: npt.NDArray[np.int32] = block[tex]
    return found


def whole_tables(walk: Walk, kept: Flags, w: Ints) -> Flags:
    """The kept blocks, with each row of a data table kept as a whole or not at all.

    A row without one of its cells would have another meaning.  Rows that a cell spans
    are kept or dropped together.  If a row is kept, so are the header rows and the
    caption of its table.  A row that contains another table's rows is not changed.
    """
    data = data_tables(walk)
    if data is None:
        return kept
    begins, ends = data.begins, data.ends
    w = np.maximum(w, 1)
    words = np.concatenate([[0], w.cumsum()])
    chosen = np.concatenate([[0], (w * kept).cumsum()])
    of_rows, chosen_of_rows = words[ends] - words[begins], chosen[ends] - chosen[begins]
    if not chosen_of_rows.any():
        return kept
    groups = data.groups(walk)
    enough = np.bincount(groups, chosen_of_rows) * _SHARE > np.bincount(groups, of_rows)
    stays = enough[groups]
    count = len(walk.elements)
    is_header = are_among(data.rows, data.headers, count)
    tables = data.tables[stays & ~is_header].tolist()
    stays |= is_header & are_among(data.tables, tables, count)
    kept = kept.copy()
    for row in data.is_inner.nonzero()[0].tolist():
        kept[begins[row] : ends[row]] = stays[row]
    shown = frozenset(data.tables[stays].tolist())
    for table, first, last in data.captions:
        if table in shown:
            kept[first:last] = True
    return kept
