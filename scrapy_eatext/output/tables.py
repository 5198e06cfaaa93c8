"""The data tables among the kept blocks, as rows of texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from scrapy_eatext.output.nodes import text_of
from scrapy_eatext.page.columns import NodeKind

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.output.nodes import Cell, Nodes

# The most characters of all texts that are repeated in places that cells span.
REPEATED = 100_000


def write_tables(judged: JudgedPage) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The tables of a page's main text."""
    return rows_of_tables(judged.nodes)


def rows_of_tables(nodes: Nodes) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """For each table its rows, all of the same length.

    The first row has the names of the columns, empty if the page has none.  A table in
    a cell comes after the outer table, whose cell leaves it out.
    """
    reader = _Reader(nodes)
    made: list[tuple[tuple[str, ...], ...]] = []
    for node, table in sorted(nodes.tables.items()):
        count = len(table.head)
        rows = reader.rows(node, (*table.head, *table.body))
        made.append((_names(rows[:count], table.width), *rows[count:]))
    return tuple(made)


def _names(head: Sequence[Sequence[str]], width: int) -> tuple[str, ...]:
    """The names of columns, joined from all header rows, without repeated texts."""
    columns = zip(*head, strict=True) if head else [()] * width
    return tuple(" ".join(dict.fromkeys(filter(None, names))) for names in columns)


class _Reader:
    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._left = REPEATED
        # For each block the innermost table around it: inner tables come later.
        self._table_of = {
            leaf: node
            for node, table in sorted(nodes.tables.items())
            for cell in chain(*table.head, *table.body)
            if cell is not None
            for leaf in cell.leaves
        }

    def text(self, leaf: int) -> str:
        nodes = self._nodes
        if nodes.kinds[leaf] == NodeKind.CODE:
            return nodes.code[leaf].text
        return text_of(nodes.spans[leaf])

    def _text_of(self, table: int, cell: Cell) -> str:
        """The text of a cell, without that of tables in it."""
        own = [
            leaf
            for leaf in cell.leaves
            if self._table_of[leaf] == table and leaf not in self._nodes.embeds
        ]
        return "\n".join(filter(None, map(self.text, own)))

    def rows(
        self, table: int, lines: Sequence[Sequence[Cell | None]]
    ) -> list[tuple[str, ...]]:
        """Rows with a text for each column; a cell's text fills all places it spans."""
        # For each column: the text of the last cell, and how many more rows it spans.
        below: dict[int, tuple[str, int]] = {}
        made: list[tuple[str, ...]] = []
        for line in lines:
            row: list[str] = []
            # The text of the cell to the left, and how many more columns and rows it
            # spans.
            reach: tuple[str, int, int] = ("", 0, 0)
            for column, cell in enumerate(line):
                if cell is not None:
                    text = self._text_of(table, cell)
                    reach = (text, cell.columns - 1, cell.rows - 1)
                    row.append(text)
                    below[column] = (text, cell.rows - 1)
                    continue
                text, down = below.get(column, ("", 0))
                if down > 0:
                    below[column] = (text, down - 1)
                elif reach[1] > 0:
                    text = reach[0]
                    below[column] = (text, reach[2])
                    reach = (text, reach[1] - 1, reach[2])
                else:
                    text = ""
                row.append(self._bounded(text))
            made.append(tuple(row))
        return made

    def _bounded(self, text: str) -> str:
        self._left -= len(text)
        return text if self._left >= 0 else ""
