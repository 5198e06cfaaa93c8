"""Whole rows of data tables: a row is kept with all of its cells or not at all.

Blocks are judged one by one, and of a row of short cells some look like content and
others do not.  A row without one of its cells says something else than the page does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.cells import LONG_CELL, lays_out, span
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import CODE, HEADING, TAG_ID
from scrapy_eatext.page.walk import attribute_values

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints

# A row is kept if more than one in so many of its words was chosen.
_SHARE = 3
_TABLE, _ROW, _TH, _HEAD = (TAG_ID[name] for name in ("table", "tr", "th", "thead"))
# By the number of a tag, whether its elements are cells, and whether they are parts of
# a table that hold rows.  Indexing takes a tenth of np.isin()'s time, which counts as
# most pages have few rows or none.
_IS_CELL = np.isin(range(len(TAG_ID)), [TAG_ID["td"], _TH])
_IS_PART = np.isin(range(len(TAG_ID)), [_HEAD, TAG_ID["tbody"], TAG_ID["tfoot"]])


def whole_rows(walk: Walk, kept: Flags, w: Ints) -> Flags:
    """The kept blocks, with each row of a data table kept as a whole or not at all.

    Rows that a cell spans are kept or dropped together.  Where a row is kept, so are
    the header rows at the beginning of its table.
    """
    elements, blocks = walk.elements, walk.blocks
    found = rows_with(elements, ElementColumn.TAG, _ROW)
    if not found:
        return kept
    tags, parents, first, last = (
        elements[:, column]
        for column in (
            ElementColumn.TAG,
            ElementColumn.PARENT,
            ElementColumn.FIRST_BLOCK,
            ElementColumn.LAST_BLOCK,
        )
    )
    rows = np.array(found, dtype=np.intp)
    tables = parents[rows]
    tables = np.where(_IS_PART[tags[tables]], parents[tables], tables)
    before = np.concatenate([[0], kept.cumsum()])
    some = before[last[tables]] - before[first[tables]]
    torn = (tags[tables] == _TABLE) & (some > 0) & (some < (last - first)[tables])
    if not torn.any():
        return kept
    rows, tables = rows[torn], tables[torn]
    count = len(elements)
    own = np.zeros(count, dtype=np.bool_)
    own[rows] = True
    cells = (_IS_CELL[tags] & (last > first)).nonzero()[0]
    cells = cells[own[parents[cells]]]
    of = parents[cells]
    wide = np.bincount(of, minlength=count)[rows]
    heads = np.bincount(of, tags[cells] == _TH, minlength=count)[rows]
    chars = np.concatenate([[0], blocks[:, BlockColumn.CHARS].cumsum()])
    longest = np.zeros(count, dtype=np.int64)
    np.maximum.at(longest, of, chars[last[cells]] - chars[first[cells]])
    # The blocks of which each row is the innermost: a row around others is layout.
    around = blocks[:, BlockColumn.ROW]
    inside = np.bincount(around[around >= 0], minlength=count)[rows]
    kinds = blocks[:, BlockColumn.KIND]
    code = (kinds == CODE) & (blocks[:, BlockColumn.LINES] > 0)

    def among(some: Ints, others: Ints) -> Flags:
        """Which of some elements are among others."""
        there = np.zeros(count, dtype=np.bool_)
        there[others] = True
        found: Flags = there[some]
        return found

    laid_out = among(rows, around[(kinds == HEADING) & (around >= 0)])
    laid_out |= longest[rows] >= LONG_CELL
    laid_out &= ~among(tables, tables[heads > 0])
    laid_out |= among(rows, around[code & (around >= 0)])
    data = among(tables, tables[wide > 1]) & ~among(tables, tables[laid_out])
    data &= inside == (last - first)[rows]
    if not data.any():
        return kept
    rows, tables = rows[data], tables[data]
    # np.unique() would load numpy.ma, which takes a new process a while.
    names = sorted(set(tables.tolist()))
    roles = attribute_values(walk, names, "role")
    plain = [row for row, role in zip(names, roles, strict=True) if not lays_out(role)]
    shown = np.isin(tables, plain)
    # Sorted by table, as rows of a nested table stand between those of the outer one.
    order = np.lexsort((rows[shown], tables[shown]))
    rows, tables = rows[shown][order], tables[shown][order]
    is_head = (heads == wide)[data][shown][order]
    is_head |= tags[parents[rows]] == _HEAD
    kept = kept.copy()
    _settle(walk, kept, w, rows, tables, is_head, cells)
    return kept


def _settle(
    walk: Walk,
    kept: Flags,
    w: Ints,
    rows: Ints,
    tables: Ints,
    is_head: Flags,
    cells: Ints,
) -> None:
    """Keep or drop each of ``rows``, which are sorted by table."""
    elements = walk.elements
    first, last = elements[rows][
        :, [ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK]
    ].T
    w = np.maximum(w, 1)
    said = np.concatenate([[0], w.cumsum()])
    told = np.concatenate([[0], (w * kept).cumsum()])
    groups = _groups(walk, rows, tables, cells)
    words = np.bincount(groups, said[last] - said[first])
    chosen = np.bincount(groups, told[last] - told[first])
    stays = (chosen * _SHARE > words)[groups]
    leading = True
    table = -1
    heads: list[int] = []
    for at, (of, head, stay) in enumerate(
        zip(tables.tolist(), is_head.tolist(), stays.tolist(), strict=True)
    ):
        if of != table:
            table, leading, heads = of, True, []
        leading = leading and head
        if leading:
            heads.append(at)
        elif stay:
            stays[heads] = True
            heads = []
    for begin, end, stay in zip(
        first.tolist(), last.tolist(), stays.tolist(), strict=True
    ):
        kept[begin:end] = stay


def _groups(walk: Walk, rows: Ints, tables: Ints, cells: Ints) -> Ints:
    """The group of each row, counted from 0: rows that a cell spans are one."""
    parents = walk.elements[:, ElementColumn.PARENT]
    place = np.full(len(walk.elements), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    cells = cells[place[parents[cells]] >= 0]
    bound = [False] * len(rows)
    ends = tables.searchsorted(tables, side="right").tolist()
    spans = attribute_values(walk, cells.tolist(), "rowspan")
    for at, value in zip(place[parents[cells]].tolist(), spans, strict=True):
        end = min(at + span(value), ends[at])
        bound[at + 1 : end] = [True] * (end - at - 1)
    groups: Ints = (~np.array(bound, dtype=np.bool_)).cumsum() - 1
    return groups
