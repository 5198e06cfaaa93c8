"""Finds the data tables of a page, as opposed to its layout tables.

They have rows, cells and captions; all code that needs these finds them here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_eatext.page.columns import BlockColumn, ElementColumn, MarkColumn
from scrapy_eatext.page.tables import are_among, rows_with, values_of
from scrapy_eatext.page.tags import CODE, HEADING, TAG_ID
from scrapy_eatext.page.walk import IMAGE, attribute_values

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk

    _Ints = npt.NDArray[np.intp]
    _Flags = npt.NDArray[np.bool_]
    _Table = npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]

# A cell with this many characters makes a layout table, unless the table has headers: a
# cell of one block, like a paragraph, and one of several, like a post.
LONG_CELL, LONG_CELL_OF_SEVERAL = 600, 100
# How many columns or rows one cell may span.
MAX_SPAN = 50
_TABLE, _ROW, _TH, _HEAD, _CAPTION = (
    TAG_ID[name] for name in ("table", "tr", "th", "thead", "caption")
)
_BOUNDS = (ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK)


def _is_tag(*names: str) -> _Flags:
    """For each tag number whether it is that of one of the names."""
    return np.isin(range(len(TAG_ID)), [TAG_ID[name] for name in names])


_IS_CELL = _is_tag("td", "th")
# The possible parents of cells.  A parent other than tr counts as their row.
_IS_ROW = _is_tag("tr", "thead", "tbody", "tfoot", "table")
# The elements that may stand between a row and its table, at most _LEVELS of them.
_IS_BETWEEN = _is_tag("thead", "tbody", "tfoot", "form")
_LEVELS = 3
# How many ancestors of an image are searched for a cell.
_IMAGE_LEVELS = 6


def span(value: str | None, zero: int = 1) -> int:
    """The columns or rows that a cell spans, from the value of its attribute.

    ``zero`` is the meaning of "0".
    """
    value = (value or "").strip()
    if value.isascii() and value.isdigit():
        return min(int(value[:9]) or zero, MAX_SPAN)
    return 1


class Places(NamedTuple):
    """The data table, row and cell of each block in a list.

    All are rows of the element table, -1 for a block outside of data tables.
    """

    tables: list[int]
    rows: list[int]
    cells: list[int]

    def gap(self, before: int, at: int) -> str:
        """The separator in a text between a block in a row and the block before it.

        ``at`` and ``before`` are indices of these lists, ``before`` -1 for none.
        """
        if before < 0 or self.tables[before] != self.tables[at]:
            return "\n\n"
        if self.rows[before] != self.rows[at]:
            return "\n"
        return " | " if self.cells[before] != self.cells[at] else " "

    def gaps(self) -> list[str]:
        """The separator before each block, "" for blocks outside of data tables."""
        return [
            self.gap(n - 1, n) if row >= 0 else "" for n, row in enumerate(self.rows)
        ]


@dataclass(frozen=True)
class DataTables:
    """The data tables of a page, without cells that have neither text nor image.

    Elements are given by their rows in the walk's ``elements``, and blocks as half-open
    ranges.  ``rows`` are sorted by table.  For each row ``tables`` has its table,
    ``begins`` and ``ends`` the range of its blocks, ``is_header`` whether all of its
    cells are headers or it is in a thead, and ``is_inner`` whether its cells contain no
    other row.  ``cells`` are those of all rows, in order.
    """

    elements: npt.NDArray[np.int32]
    rows: _Ints
    tables: _Ints
    begins: _Ints
    ends: _Ints
    is_header: _Flags
    is_inner: _Flags
    cells: _Ints

    @cached_property
    def headers(self) -> frozenset[int]:
        """The header rows at the beginning of each table."""
        headers: list[int] = []
        previous_table, is_leading = -1, False
        for row, table, is_header in zip(
            self.rows.tolist(), self.tables.tolist(), self.is_header, strict=True
        ):
            is_leading = bool(is_header) and (is_leading or table != previous_table)
            previous_table = table
            if is_leading:
                headers.append(row)
        return frozenset(headers)

    @cached_property
    def captions(self) -> list[tuple[int, int, int]]:
        """The table of each caption, and the range of the caption's blocks."""
        captions = rows_with(self.elements, ElementColumn.TAG, _CAPTION)
        columns = (ElementColumn.PARENT, *_BOUNDS)
        parents, first, last = values_of(self.elements, captions, columns)
        tables = frozenset(self.tables.tolist())
        found = zip(parents, first, last, strict=True)
        return [caption for caption in found if caption[0] in tables]

    def shown(self, blocks: Sequence[int], code: Sequence[int] = ()) -> frozenset[int]:
        """The tables that remain tables if only some blocks are shown.

        Such a table has a row with two or more cells that are shown.  ``code`` are
        blocks that turned out to be code, which no data table contains.
        """
        elements = self.elements
        first, last = (elements[self.cells, column] for column in _BOUNDS)
        is_shown = self._count_before(blocks)
        filled = self.cells[(is_shown[last] > is_shown[first]) | (last == first)]
        wide = np.bincount(
            elements[filled, ElementColumn.PARENT], minlength=len(elements)
        )[self.rows]
        some = is_shown[self.ends] > is_shown[self.begins]
        tables = frozenset(self.tables[(wide > 1) & some].tolist())
        if code:
            is_code = self._count_before(code)
            tables -= {*self.tables[is_code[self.ends] > is_code[self.begins]].tolist()}
        return tables

    def _count_before(self, blocks: Sequence[int]) -> _Ints:
        """For each block the number of the given blocks before it."""
        is_given = np.zeros(self.elements[:, ElementColumn.LAST_BLOCK].max(), np.bool_)
        is_given[np.array(blocks, dtype=np.intp)] = True
        return _before(is_given)

    def places(self, blocks: Sequence[int], shown: Collection[int]) -> Places | None:
        """The places of some blocks in the tables ``shown``; None if all are outside.

        The innermost table around a block counts.
        """
        elements = self.elements
        table_of = np.full(len(elements), -1, dtype=np.intp)
        table_of[self.rows] = self.tables
        table_of[self.rows[~self.is_inner]] = -1
        tables = table_of[elements[self.cells, ElementColumn.PARENT]]
        cells = self.cells[are_among(tables, shown, len(elements))]
        if not cells.size:
            return None
        first, last = (elements[cells, column] for column in _BOUNDS)
        at = first.searchsorted(blocks, side="right") - 1
        cells = np.where((at >= 0) & (last[at] > blocks), cells[at], -1)
        if cells.max(initial=-1) < 0:
            return None
        rows = np.where(cells < 0, -1, elements[cells, ElementColumn.PARENT])
        tables = np.where(cells < 0, -1, table_of[rows])
        return Places(tables.tolist(), rows.tolist(), cells.tolist())

    def groups(self, walk: Walk) -> _Ints:
        """The group of each row, from 0: the rows that a cell spans form one."""
        parents = self.elements[:, ElementColumn.PARENT]
        index_of = np.full(len(parents), -1, dtype=np.intp)
        index_of[self.rows] = np.arange(len(self.rows))
        is_spanned = np.zeros(len(self.rows), dtype=np.bool_)
        ends = self.tables.searchsorted(self.tables, side="right").tolist()
        spans = attribute_values(walk, self.cells.tolist(), "rowspan")
        indices = index_of[parents[self.cells]].tolist()
        for index, value in zip(indices, spans, strict=True):
            if value is not None:
                is_spanned[index + 1 : min(index + span(value), ends[index])] = True
        groups: _Ints = (~is_spanned).cumsum() - 1
        return groups


def data_tables(walk: Walk) -> DataTables | None:
    """The data tables of a page, None if it has none."""
    # Cached with the walk's own cached properties.
    if "_data_tables" not in walk.__dict__:
        walk.__dict__["_data_tables"] = _found(walk)
    tables: DataTables | None = walk.__dict__["_data_tables"]
    return tables


def _found(walk: Walk) -> DataTables | None:
    elements = walk.elements
    tags = elements[:, ElementColumn.TAG]
    is_cell = _IS_CELL[tags]
    if not is_cell.any():
        return None
    # The parent of the root is the root here.
    parents = np.maximum(elements[:, ElementColumn.PARENT], 0)
    first, last = (elements[:, column] for column in _BOUNDS)
    is_cell &= _IS_ROW[tags[parents]]
    is_filled = last > first
    cells = (is_cell & (is_filled | _has_image(walk, is_cell, parents))).nonzero()[0]
    if not is_filled[cells].any():
        return None
    return _Rows(walk, parents, cells).data_tables()


class _Rows:
    """The rows of all tables of a page, also of those for layout.

    ``tables``, ``begins``, ``ends`` and ``is_whole`` have an entry for each row, as in
    DataTables; a row is whole if all of its text is in its cells.  ``wide``, ``filled``
    and ``headed`` have one for each element: the number of its cells, of those with text,
    and of header cells.
    """

    def __init__(self, walk: Walk, parents: _Ints, cells: _Ints) -> None:
        self.walk, self.parents, self.cells = walk, parents, cells
        self.tags = walk.elements[:, ElementColumn.TAG]
        self.first, self.last = (walk.elements[:, column] for column in _BOUNDS)
        first, last, tags = self.first, self.last, self.tags
        self.row_of = row_of = parents[cells]
        self.wide = wide = self.sums(row_of)
        self.filled = self.sums(row_of, last[cells] > first[cells])
        self.headed = self.sums(row_of, tags[cells] == _TH)
        rows = wide.nonzero()[0]
        # Cells are in order, and so are those of a row.
        order = row_of.argsort(kind="stable")
        behind = wide[rows].cumsum()
        begins = first[cells[order[behind - wide[rows]]]].astype(np.intp)
        ends = last[cells[order[behind - 1]]].astype(np.intp)
        is_tr = tags[rows] == _ROW
        begins[is_tr], ends[is_tr] = first[rows[is_tr]], last[rows[is_tr]]
        is_whole = self.sums(row_of, last[cells] - first[cells])[rows] == ends - begins
        tables = np.where(tags[rows] == _TABLE, rows, parents[rows])
        for _ in range(_LEVELS):
            tables = np.where(_IS_BETWEEN[tags[tables]], parents[tables], tables)
        # Cells without a tr that are scattered in their parent are no row.
        used = ((tags[tables] == _TABLE) & (is_tr | is_whole)).nonzero()[0]
        # Rows of a nested table stand between those of the table around it.
        used = used[np.lexsort((rows[used], tables[used]))]
        self.rows, self.tables, self.begins, self.ends, self.is_whole = (
            of[used] for of in (rows, tables, begins, ends, is_whole)
        )
        # For each element whether a header cell is in one of its rows.
        self.has_headers = self.sums(self.tables, self.headed[self.rows]) > 0

    def sums(self, groups: _Table, values: _Table | None = None) -> _Ints:
        """For each element its count in ``groups``, or the sum of its values."""
        counts = np.bincount(groups, values, minlength=len(self.tags))
        return counts.astype(np.intp, copy=False)

    def data_tables(self) -> DataTables | None:
        used = ~self._is_layout()[self.tables]
        if not used.any():
            return None
        places = self.rows, self.tables, self.begins, self.ends
        rows, tables, begins, ends = (of[used] for of in places)
        tags, cells, row_of = self.tags, self.cells, self.row_of
        is_filled = self.last[cells] > self.first[cells]
        # The cells that begin in a row, and before its end, are in it.
        with_text = cells[is_filled]
        inside = self.first[with_text].searchsorted(ends) - np.maximum(
            with_text.searchsorted(rows, side="right"),
            self.first[with_text].searchsorted(begins),
        )
        # An image alone in a cell counts as data where the table has headers.
        table_of = np.full(len(tags), -1, dtype=np.intp)
        table_of[rows] = tables
        of_cells = table_of[row_of]
        shown = (of_cells >= 0) & (is_filled | self.has_headers[of_cells])
        is_header = self.headed[rows] == self.wide[rows]
        is_header |= (tags[rows] == _HEAD) | (tags[self.parents[rows]] == _HEAD)
        return DataTables(
            self.walk.elements,
            rows,
            tables,
            begins,
            ends,
            is_header,
            is_inner=inside == self.filled[rows],
            cells=cells[shown],
        )

    def _is_layout(self) -> _Flags:
        """For each element whether it is a table of layout, if it has rows."""
        tables, begins, ends, sums = self.tables, self.begins, self.ends, self.sums
        has_headers = self.has_headers
        blocks = self.walk.blocks
        is_code = blocks[:, BlockColumn.KIND] == CODE
        has_code = self._hold(is_code & (blocks[:, BlockColumn.LINES] > 0))
        is_layout = sums(tables, ~self.is_whole | has_code) > 0
        wide, filled = self.wide[self.rows], self.filled[self.rows]
        is_layout |= sums(tables, np.where(has_headers[tables], wide, filled) > 1) == 0
        # A table with text between its rows is one of layout.
        reach = np.zeros(len(self.tags), dtype=np.intp)
        reach[tables] = ends
        reach[tables[::-1]] -= begins[::-1]
        is_layout |= sums(tables, ends - begins) != reach
        # Only tables with headers may have a single row or headings, and only those with
        # headers or a first row in bold long cells.
        is_plain = blocks[:, BlockColumn.CHARS] > blocks[:, BlockColumn.STRONG_CHARS]
        is_names = (filled > 1) & ~self._hold(is_plain)
        is_names[1:] &= tables[1:] != tables[:-1]
        prose = self._has_long_cell() & (sums(tables, is_names)[tables] == 0)
        prose |= self._hold(blocks[:, BlockColumn.KIND] == HEADING)
        is_layout |= ~has_headers & ((sums(tables) < 2) | (sums(tables, prose) > 0))
        # One of linked words alone is a menu or a list in columns.
        chars, digits = blocks[:, BlockColumn.CHARS], blocks[:, BlockColumn.DIGITS]
        is_data = (chars > blocks[:, BlockColumn.LINK_CHARS]) | (2 * digits > chars)
        is_layout |= ~has_headers & (sums(tables, self._hold(is_data)) == 0)
        # Some shops give this role to data tables too, but only to those with headers.
        names = sorted(set(tables[~(is_layout | has_headers)[tables]].tolist()))
        roles = attribute_values(self.walk, names, "role")
        for table, role in zip(names, roles, strict=True):
            is_layout[table] = (role or "").lower() in ("presentation", "none")
        return is_layout

    def _hold(self, blocks: _Flags) -> _Flags:
        """For each row whether it has one of some blocks."""
        count = _before(blocks)
        holds: _Flags = count[self.ends] > count[self.begins]
        return holds

    def _has_long_cell(self) -> _Flags:
        """For each row whether it has a cell as long as a paragraph or a post."""
        first, last = self.first[self.cells], self.last[self.cells]
        chars = _before(self.walk.blocks[:, BlockColumn.CHARS])
        limit = np.where(last - first > 1, LONG_CELL_OF_SEVERAL, LONG_CELL)
        is_long = chars[last] - chars[first] >= limit
        has_long: _Flags = self.sums(self.row_of, is_long)[self.rows] > 0
        return has_long


def _before(values: _Table) -> _Ints:
    """The sum of the values before each block."""
    return np.concatenate([[0], values.cumsum()])


def _has_image(walk: Walk, is_cell: _Flags, parents: _Ints) -> _Flags:
    """For each element whether it is a cell with an image outside of text."""
    has_image = np.zeros(len(is_cell), dtype=np.bool_)
    marks = walk.marks[walk.marks[:, MarkColumn.STYLE] == IMAGE]
    at = marks[marks[:, MarkColumn.START] < 0, MarkColumn.AROUND_STYLE]
    for _ in range(_IMAGE_LEVELS):
        at = np.where(is_cell[at], at, parents[at])
    has_image[at[is_cell[at]]] = True
    return has_image
