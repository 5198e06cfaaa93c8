"""Completes what is kept in part: rows of data tables, captions of tables and figures.

Blocks are judged one by one, and of the short cells of a row some look like content and
others do not.  But a row without one of its cells has another meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.datatables import data_tables
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import TAG_ID

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints

# A row is kept if more than one in this many of its words was chosen.
_SHARE = 3
_FIGURE, _FIGCAPTION = TAG_ID["figure"], TAG_ID["figcaption"]
_BOUNDS = [ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK]


def with_captions(walk: Walk, kept: Flags) -> Flags:
    """The kept blocks, and the captions of figures with other kept blocks."""
    elements = walk.elements
    rows = rows_with(elements, ElementColumn.TAG, _FIGCAPTION)
    if not len(rows):
        return kept
    count = np.concatenate([[0], kept.cumsum()])
    kept = kept.copy()
    for row in rows:
        figure = elements.item(row, ElementColumn.PARENT)
        if figure >= 0 and elements.item(figure, ElementColumn.TAG) == _FIGURE:
            first, last = elements[row, _BOUNDS].tolist()
            begin, end = elements[figure, _BOUNDS].tolist()
            if count[end] - count[begin] > count[last] - count[first]:
                kept[first:last] = True
    return kept


def whole_tables(walk: Walk, kept: Flags, w: Ints) -> Flags:
    """The kept blocks, with each row of a data table kept as a whole or not at all.

    Rows that a cell spans are kept or dropped together.  If a row is kept, so are the
    header rows and the caption of its table.  A row that contains another table's rows
    is not changed.
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
    is_header = np.isin(data.rows, list(data.headers))
    stays |= is_header & np.isin(data.tables, data.tables[stays & ~is_header])
    kept = kept.copy()
    for row in data.is_inner.nonzero()[0].tolist():
        kept[begins[row] : ends[row]] = stays[row]
    tables = frozenset(data.tables[stays].tolist())
    for table, first, last in data.captions:
        if table in tables:
            kept[first:last] = True
    return kept
