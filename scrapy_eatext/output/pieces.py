"""The text of a chunk: a part of the whole text, as plain text or as Markdown.

A part that begins inside a table begins with the table's headers.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.output.nodes import Cell, Code, Table, bounds_of, cut, text_of
from scrapy_eatext.page.columns import NodeKind
from scrapy_eatext.page.tags import TEX_TEXT

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.output.nodes import Nodes
    from scrapy_eatext.output.passages import Layout
    from scrapy_eatext.output.placing import Span

# Where a text may be cut: behind a space, or before an ideograph or kana.
_PAUSE = re.compile(" |(?=[\u2e80-\ud7ff])")
# The most characters that count as a word or token where a text may repeat.
_LONGEST = 20
Measure = Callable[[str], int]
_Row = Sequence[Cell]


def _may_repeat(text: str, measure: Measure, most: int) -> bool:
    """Whether a text that comes with several chunks takes at most half of one."""
    return len(text) <= _LONGEST * most and measure(text) <= most // 2


class PlainParts:
    """The parts of a plain text."""

    def __init__(
        self, judged: JudgedPage, layout: Layout, measure: Measure, most: int
    ) -> None:
        self._text = text = judged.text
        # The tables with repeated headers: the ends of headers and table, the headers,
        # and their size.
        self._tables = [
            (end, last, f"{head}\n", measure(head))
            for begin, end, last in layout.tables
            if _may_repeat(head := text[begin:end], measure, most)
        ]
        self._ends = [end for end, *_ in self._tables]

    def _headers(self, start: int) -> tuple[str, int]:
        at = bisect_right(self._ends, start) - 1
        if at < 0 or start >= self._tables[at][1]:
            return "", 0
        return self._tables[at][2:]

    def part(self, start: int, end: int) -> str:
        """The text of a part, given by its offsets, below repeated headers."""
        return self._headers(start)[0] + self._text[start:end]

    def lead(self, start: int, end: int) -> int:
        """The size of the headers repeated before a part."""
        return self._headers(start)[1]


class MarkdownParts:
    """The parts of a page's text in Markdown.

    Each is written from the nodes of its units.  An item that began in an earlier part
    has no mark, and an incomplete row of a table without headers is written as plain
    blocks.
    """

    def __init__(
        self, judged: JudgedPage, layout: Layout, measure: Measure, most: int
    ) -> None:
        nodes = self._whole = judged.markdown_nodes
        self._measure, self._most = measure, most
        # A copy, which is cut to each part while that is written.
        self._nodes = replace(nodes, spans=[*nodes.spans], code={**nodes.code})
        self._layout = layout
        self._parents: dict[int, int] = {}
        # For each term and definition the first term of its item.
        self._terms: dict[int, int] = {}
        in_tables = self._read_holders()
        # For each block in a table, the outermost table around it and its row there.
        self._row_of = self._rows_of_leaves()
        # Rules in tables are not written.
        leaves = [
            leaf
            for leaf in nodes.leaves()
            if nodes.kinds[leaf] != NodeKind.RULE or leaf not in in_tables
        ]
        self._order = {leaf: n for n, leaf in enumerate(leaves)}
        self._leaves = self._by_unit(leaves, has_headline=bool(judged.headline.text))
        # Where each table begins, and where each row begins and ends.
        self._begins: dict[int, int] = {}
        self._rows: dict[tuple[int, int], tuple[int, int]] = {}
        for at, of_unit in enumerate(self._leaves):
            for leaf in filter(self._row_of.get, of_unit):
                row, begin = self._row_of[leaf], layout.starts[at]
                self._begins.setdefault(row[0], begin)
                self._rows[row] = self._rows.get(row, (begin,))[0], layout.ends[at]
        # The headers to repeat for each table, and the size of its beginning with them.
        self._heads = {node: self._headers(node) for node in self._begins}
        self._texts: dict[int, tuple[list[Span], str, list[int]]] = {}

    def _read_holders(self) -> set[int]:
        """Note the parent of each node and the terms; returns the nodes in tables."""
        nodes = self._whole
        holders = [0]
        in_tables: set[int] = set()
        while holders:
            holder = holders.pop()
            inside = nodes.children[holder]
            self._parents |= dict.fromkeys(inside, holder)
            if nodes.kinds[holder] == NodeKind.DEFINITIONS:
                term = before = inside[0]
                for node in inside:
                    begins = nodes.kinds[before] != nodes.kinds[node] == NodeKind.TERM
                    self._terms[node] = term = node if begins else term
                    before = node
            if holder in nodes.tables or holder in in_tables:
                in_tables.update(inside)
            holders += [node for node in inside if node in nodes.children]
        return in_tables

    def _rows_of_leaves(self) -> dict[int, tuple[int, int]]:
        tables = self._whole.tables
        row_of: dict[int, tuple[int, int]] = {}
        for node in sorted(tables, reverse=True):
            lines = [*enumerate((*tables[node].head, *tables[node].body))]
            for number, line in reversed(lines):  # a cell's first row counts
                place = node, number
                row_of |= {leaf: place for cell in line for leaf in cell.leaves}
        return row_of

    def _headers(self, node: int) -> tuple[Sequence[_Row], int]:
        """The headers of a table, none if they are too large to repeat, and their size."""
        head = self._whole.tables[node].head
        size = self._measure(written := self._beginning(node, head))
        if _may_repeat(written, self._measure, self._most):
            return head, size
        return (), self._measure(self._beginning(node, ()))

    def _beginning(self, node: int, head: Sequence[_Row]) -> str:
        table = replace(self._whole.tables[node], head=head, body=())
        return markdown(self._tree([node], {node: table}, 0))

    def _by_unit(self, leaves: list[int], *, has_headline: bool) -> list[list[int]]:
        """For each unit its block, with the images and bylines before it.

        The last unit also has what comes after it.
        """
        layout, units = self._layout, self._whole.units
        places = {unit: n for n, unit in enumerate(layout.units) if unit >= 0}
        by_unit: list[list[int]] = [[] for _ in layout.units]
        waiting: list[int] = []
        place, row = 0, None
        for leaf in leaves:
            waiting.append(leaf)
            if has_headline and leaf == leaves[0]:
                by_unit[0], waiting = [leaf], []
            elif units[leaf] in places:
                place, row = places[units[leaf]], self._row_of.get(leaf)
                by_unit[place] += waiting
                waiting = []
            elif row is not None and self._row_of.get(leaf) == row:
                # An image in the row comes with the row.
                by_unit[place].append(waiting.pop())
        if by_unit:
            by_unit[place] += waiting
        return by_unit

    def lead(self, start: int, end: int) -> int:
        at = bisect_right(self._layout.ends, start)
        leaves = self._leaves[at] if at < len(self._leaves) else ()
        row = next(filter(None, map(self._row_of.get, leaves)), None)
        if (
            row is None
            or start <= self._begins[row[0]]
            or not self._is_row(row, start, end)
        ):
            return 0
        return self._heads[row[0]][1]

    def _is_row(self, row: tuple[int, int], start: int, end: int) -> bool:
        """Whether a part of the text has a whole row, or the headers of its cells."""
        begin, behind = self._rows[row]
        return (start <= begin and behind <= end) or bool(self._heads[row[0]][0])

    def part(self, start: int, end: int) -> str:
        layout, nodes = self._layout, self._nodes
        first = bisect_right(layout.ends, start)
        last = bisect_left(layout.starts, end, first)
        leaves: list[int] = []
        cut: list[int] = []
        begun = False
        for at in range(first, last):
            begin, behind = layout.starts[at], layout.ends[at]
            of_unit = self._leaves[at]
            if start > begin or end < behind:
                own = [leaf for leaf in of_unit if self._is_own(leaf, at)]
                for leaf in own:
                    self._cut(leaf, start - begin, end - begin, behind - begin)
                cut += own
                if start > begin:
                    begun, of_unit = True, own
            leaves += of_unit
        leaves.sort(key=self._order.__getitem__)
        rows = {
            leaf: row
            for leaf in leaves
            if (row := self._row_of.get(leaf)) and self._is_row(row, start, end)
        }
        text = self._written(leaves, rows, begun=begun)
        for leaf in cut:
            nodes.spans[leaf] = self._whole.spans[leaf]
            if leaf in nodes.code:
                nodes.code[leaf] = self._whole.code[leaf]
        return text

    def _is_own(self, leaf: int, at: int) -> bool:
        unit = self._whole.units[leaf]
        # Images and bylines have no unit, nor may the headline.
        is_headline = self._whole.kinds[leaf] == NodeKind.HEADING
        return unit == self._layout.units[at] if unit >= 0 else is_headline

    def _cut(self, leaf: int, start: int, end: int, length: int) -> None:
        """Cut a block to its characters from ``start`` to ``end`` of ``length``."""
        nodes = self._nodes
        if leaf in nodes.code:
            text, language = self._whole.code[leaf]
            nodes.code[leaf] = Code(text[max(start, 0) : end], language)
            return
        if leaf not in self._texts:
            spans = [self._cuttable(span) for span in self._whole.spans[leaf]]
            self._texts = {leaf: (spans, text_of(spans), bounds_of(spans))}
        spans, text, bounds = self._texts[leaf]
        places = []
        for place in (start, end):
            at = min(max(place, 0), length)
            if len(text) != length:
                # Formulas, emoji and readings differ between Markdown and the text.
                at = at * len(text) // length
                if 0 < at < len(text):
                    pause = _PAUSE.search(text, at)
                    at = len(text) if pause is None else pause.end()
            number = bisect_right(bounds, at) - 1
            if (
                number < len(spans)
                and spans[number][1] & TEX_TEXT
                and at > bounds[number]
            ):
                at = bounds[number + 1]
            places.append(at)
        nodes.spans[leaf] = cut(spans, places[0], places[1], bounds)

    def _cuttable(self, span: Span) -> Span:
        """A span, without its link if the address is too large to be in each piece."""
        text, style, link, image, signs = span
        if not link or _may_repeat(link, self._measure, self._most):
            return span
        return text, style, "", image, signs

    def _written(
        self,
        leaves: Sequence[int],
        rows: dict[int, tuple[int, int]],
        *,
        begun: bool,
    ) -> str:
        """Some blocks in Markdown; ``rows`` has those in rows of tables.

        ``begun`` says that the first block began in an earlier part.
        """
        inside: list[int] = []
        shown: dict[int, list[int]] = {}
        for leaf in leaves:
            node, row = rows.get(leaf, (leaf, -1))
            if node not in shown:
                inside.append(node)
            if row >= 0:
                shown.setdefault(node, []).append(row)
        tables = {
            node: self._table(node, sorted(set(numbers)), rows.keys())
            for node, numbers in shown.items()
        }
        first = self._order[leaves[0]] + begun if leaves else 0
        return markdown(self._tree(inside, tables, first))

    def _table(self, node: int, rows: Sequence[int], blocks: Container[int]) -> Table:
        """A table with some blocks of some of its rows, and its headers."""
        table = self._whole.tables[node]
        count = len(table.head)
        head: Sequence[_Row] = [table.head[n] for n in rows if n < count]
        # The cells as they are shown.
        made = {cell: cell for line in table.head for cell in line}
        body = [table.body[n - count] for n in rows if n >= count]
        for cell in chain.from_iterable(body):
            if cell not in made:
                shown = [leaf for leaf in cell.leaves if leaf in blocks]
                made[cell] = Cell(shown, cell.header)
        body = [[made[cell] for cell in line] for line in body]
        return Table(head or self._heads[node][0], body, table.width)

    def _tree(
        self, inside: Iterable[int], tables: dict[int, Table], first: int
    ) -> Nodes:
        """The nodes ``inside``, with the lists and quotes around them.

        Items whose first block, or term, comes before the one of number ``first`` are
        left out, with their lists.
        """
        parents, kinds = self._parents, self._whole.kinds
        children: dict[int, list[int]] = {0: [], **{node: [] for node in tables}}
        for node in inside:
            child, holder = node, parents[node]
            while True:
                if kinds[holder] == NodeKind.TABLE:  # the node is a caption
                    holder = parents[holder]
                elif (
                    kinds[holder] == NodeKind.ITEM or holder in self._terms
                ) and self._first(self._terms.get(holder, holder)) < first:
                    holder = parents[parents[holder]]
                elif holder in children:
                    children[holder].append(child)
                    break
                else:
                    children[holder] = [child]
                    child, holder = holder, parents[holder]
        self._nodes.children, self._nodes.tables = children, tables
        return self._nodes

    def _first(self, holder: int) -> int:
        """The number of the first block in a holder."""
        leaves = self._whole.leaves(holder)
        return next(self._order[leaf] for leaf in leaves if leaf in self._order)


Shown = PlainParts | MarkdownParts
