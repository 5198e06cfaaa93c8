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
    for _, table in sorted(nodes.tables.items()):
        count = len(table.head)
        rows = [tuple(map(reader.text, row)) for row in (*table.head, *table.body)]
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
        # For each block the innermost cell around it: inner tables come later.
        self._cell_of = {
            leaf: cell
            for _, table in sorted(nodes.tables.items())
            for cell in chain(*table.head, *table.body)
            for leaf in cell.leaves
        }
        self._texts: dict[Cell, str] = {}

    def text(self, cell: Cell) -> str:
        """The text of a cell, without that of tables in it, for each place it spans."""
        text = self._texts.get(cell)
        if text is not None:
            self._left -= len(text)
            return text if self._left >= 0 else ""
        own = [
            self._text_of(leaf)
            for leaf in cell.leaves
            if self._cell_of[leaf] is cell and leaf not in self._nodes.embeds
        ]
        self._texts[cell] = text = "\n".join(filter(None, own))
        return text

    def _text_of(self, leaf: int) -> str:
        nodes = self._nodes
        if nodes.kinds[leaf] == NodeKind.CODE:
            return nodes.code[leaf].text
        return text_of(nodes.spans[leaf])
