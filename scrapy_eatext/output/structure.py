"""Decides what the kept part of a page consists of: its lists, tables, figures, code.

placing.py makes nodes of elements by their tags.  A list, quote, table, definition or
figure stays a node if it holds what its tag promises.  Elements that only lay out the
page, tables among them, are dissolved: their blocks move into the node around.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, takewhile
from typing import TYPE_CHECKING, Any

from scrapy_eatext.output.callouts import wrap_callouts
from scrapy_eatext.output.code import Content, language
from scrapy_eatext.output.embeds import with_scripts
from scrapy_eatext.output.footnotes import with_notes
from scrapy_eatext.output.formulas import has_formulas, with_formulas
from scrapy_eatext.output.images import others_of
from scrapy_eatext.output.inline import Inlines
from scrapy_eatext.output.nodes import Cell, Code, Nodes, Table, link_once, with_emoji
from scrapy_eatext.output.placing import KIND_OF_BLOCK, Byline, place, signs_of
from scrapy_eatext.output.readings import with_readings
from scrapy_eatext.output.text import numbers_of
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import BlockColumn, ElementColumn, NodeKind
from scrapy_eatext.page.datatables import MAX_SPAN, data_tables, span
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import KINDS, STRONG_TEXT, TAG_ID
from scrapy_eatext.page.walk import nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Removed, Units
    from scrapy_eatext.output.threads import Thread
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.walk import Walk

# The only kind of parent in which a node of a kind may stand.
_HELD_BY: dict[int, int] = {
    NodeKind.TERM: NodeKind.DEFINITIONS,
    NodeKind.DEFINITION: NodeKind.DEFINITIONS,
    NodeKind.ROW: NodeKind.TABLE,
    NodeKind.CELL: NodeKind.ROW,
}
# The nodes of units that are not blocks; all other kinds are paragraphs.
_KIND_OF_UNIT = {KINDS[kind]: node for kind, node in KIND_OF_BLOCK.items()}
# Kinds of nodes that stay nodes whatever they hold.
_ALWAYS_STAND = frozenset((NodeKind.ITEM, NodeKind.QUOTE, NodeKind.FIGURE))
# Kinds of nodes that are dissolved with the node around them.
_DISSOLVED = frozenset(
    (NodeKind.ITEM, NodeKind.ROW, NodeKind.CELL, NodeKind.TERM, NodeKind.DEFINITION)
)
_LISTS = (NodeKind.LIST, NodeKind.NUMBERED)
_IN_DEFINITIONS = (NodeKind.TERM, NodeKind.DEFINITION)
# Kinds of nodes that may stand before the heading of a card.
_BEFORE_HEADINGS = (NodeKind.BYLINE, NodeKind.IMAGE, NodeKind.EMBED)
# The most columns of a table; the most places of any table, and how many more for each
# cell.  All rows are filled up to the longest, so one long row makes every row long.
WIDEST = 200
PLACES, PLACES_OF_CELL = 10_000, 20
# How many elements down from its item a task's checkbox may stand: a paragraph and a
# label may be around it.
BOX_LEVELS = 3

# The sections of a table: no cell spans beyond the end of its section.
_PARTS = [TAG_ID[name] for name in ("thead", "tbody", "tfoot")]
Line = list[Cell]
# For each column into which a cell from above spans: how many more rows it spans, and
# the cell, or None if its row is not kept.
_Below = dict[int, tuple[int, Cell | None]]


def tree_of(
    page: Page,
    units: Units,
    shown: Content,
    without: Collection[int] = (),
    thread: Thread | None = None,
    removed: Removed | None = None,
    *,
    links: bool = True,
    images: bool = True,
) -> Nodes:
    """The nodes of the shown units of a page or thread, except those in ``without``.

    Without ``links``, a link is replaced by its text, and embeds, which consist of a
    link alone, are left out.
    """
    if not isinstance(units, Blocks):
        return _flat(units, [unit for unit in shown.units if unit not in without])
    walk = with_scripts(page, with_readings(page, units.walk))
    units = units if walk is units.walk else Blocks(walk)
    numbers = list(shown.units)
    bylines = bylines_of(thread, numbers) if thread else {}
    others, captions = others_of(walk, numbers, removed)
    numbers = with_notes(walk, numbers, page.url or "", removed)
    data = data_tables(walk)
    tables: Collection[int] = ()
    headers: Collection[int] = ()
    if data is not None:
        tables, headers = data.shown(numbers, shown.several_lines), data.headers
    removed_images = removed.images if removed else ()
    inlines = Inlines(page, removed_images, links=links, images=images)
    layout = replace(walk, elements=thread.laid_out().elements) if thread else walk
    if captions and images:
        numbers = sorted({*numbers, *captions})
    placed = place(layout, numbers, shown.code, bylines, inlines, others)
    kinds, parents, rows, numbers, levels, spans = placed
    embeds = {
        node: inlines.embeds[spans[node][0][2]]
        for node in _of_kind(kinds, NodeKind.EMBED)
    }
    quotes = {rows[node]: node for node in _of_kind(kinds, NodeKind.QUOTE)}
    embeds |= inlines.posts(quotes)
    if links:
        link_once(kinds, parents, spans)
    if inlines.has_emoji:
        spans = with_emoji(kinds, spans)
    if has_formulas(page, walk.text, spans):
        spans = [with_formulas(inside) for inside in spans]
    nodes = Nodes(kinds, rows, numbers, levels, spans, embeds=embeds)
    if NodeKind.CODE in kinds:
        _read_code(nodes, numbers, units, shown)
    gone = _gone(kinds, parents, numbers, without) if without else ()
    _add_children(nodes, parents, gone)
    if not thread:  # none, or one without posts
        nodes.fragments = inlines.fragments()
        wrap_callouts(nodes, walk, gone, parents)
    if len(nodes.children) > 1:
        _Structure(nodes, walk, tables, headers).decide()
    if NodeKind.RULE in kinds:
        _keep_rules_between(nodes)
    return nodes


def _add_children(nodes: Nodes, parents: Sequence[int], gone: Collection[int]) -> None:
    """Give each parent its children, except those that are gone or repeated."""
    kinds, children = nodes.kinds, nodes.children
    children[0] = []
    for node in range(1, len(kinds)):
        kind, parent = kinds[node], parents[node]
        if gone and (node in gone or parent in gone):
            continue
        if kind >= NodeKind.DOCUMENT:
            children[node] = []
        elif kind in (NodeKind.IMAGE, NodeKind.EMBED) and _is_repeated(
            nodes, children[parent], node
        ):
            continue
        children[parent].append(node)


def _of_kind(kinds: list[int], wanted: int) -> list[int]:
    """The nodes of one kind."""
    if wanted not in kinds:  # the usual case
        return []
    return [node for node, kind in enumerate(kinds) if kind == wanted]


def _keep_rules_between(nodes: Nodes) -> None:
    """Leave out rules that are first or last in their parent, or follow a rule."""
    for node, inside in nodes.children.items():
        is_rule = [nodes.kinds[child] == NodeKind.RULE for child in inside]
        places = zip(inside, is_rule, [True, *is_rule], strict=False)
        kept = [
            child for child, rule, after_rule in places if not (rule and after_rule)
        ]
        if kept and nodes.kinds[kept[-1]] == NodeKind.RULE:
            kept.pop()
        nodes.children[node] = kept


def _is_repeated(nodes: Nodes, before: Sequence[int], node: int) -> bool:
    """Whether an image or embed has the address of the one right before it."""
    kind = nodes.kinds[node]
    if not before or nodes.kinds[before[-1]] != kind:
        return False
    place = 3 if kind == NodeKind.IMAGE else 2
    return nodes.spans[before[-1]][0][place] == nodes.spans[node][0][place]


def _gone(
    kinds: Sequence[int],
    parents: Sequence[int],
    units: Sequence[int],
    without: Collection[int],
) -> Collection[int]:
    """The nodes of the units in ``without``, and parents without other units."""
    gone = {node for node, unit in enumerate(units) if unit in without}
    # Parents that hold another unit.  A node's number is larger than its parent's.
    full = {0}
    for node in reversed(range(len(kinds))):
        if kinds[node] == NodeKind.RULE:
            continue
        if node not in gone and (kinds[node] < NodeKind.DOCUMENT or node in full):
            full.add(parents[node])
        elif node:
            gone.add(node)
    return gone


def _flat(units: Units, kept: Sequence[int]) -> Nodes:
    """The nodes of units that are not blocks, and so have no elements around them."""
    nodes = Nodes([], [], [], [], [])
    inside: list[int] = []
    nodes.hold(NodeKind.DOCUMENT, inside)
    for i in kept:
        name, text = units.kind(i), units.text(i)
        kind = _KIND_OF_UNIT.get(name, NodeKind.PARAGRAPH)
        spans = ((text, 0, "", "", signs_of(text)),)
        level = (units.level(i) or 2) if kind == NodeKind.HEADING else 0
        node = nodes.add(kind, spans, level, i)
        if kind == NodeKind.CODE:
            nodes.code[node] = Code(text, "")
        if name == "list item":
            if not inside or nodes.kinds[inside[-1]] != NodeKind.LIST:
                inside.append(nodes.hold(NodeKind.LIST, []))
            nodes.children[inside[-1]].append(nodes.hold(NodeKind.ITEM, [node]))
        else:
            inside.append(node)
    return nodes


def bylines_of(thread: Thread, units: Sequence[int]) -> dict[int, Byline]:
    """The byline of each post of a thread, by the post's first block."""
    first: dict[int, int] = {}
    for unit, post in thread.of_units(units).items():
        first.setdefault(post, unit)
    shown = {*units}
    bylines = {
        unit: Byline(post, thread.byline(post, shown)) for post, unit in first.items()
    }
    return {unit: byline for unit, byline in bylines.items() if byline.texts}


def _read_code(
    nodes: Nodes, numbers: Sequence[int], blocks: Blocks, shown: Content
) -> None:
    """Set the text and the language of each node that is code."""
    code = {node: numbers[node] for node in _of_kind(nodes.kinds, NodeKind.CODE)}
    rows = blocks.walk.blocks[list(code.values()), BlockColumn.ELEMENT].tolist()
    in_order = sorted(set(rows))
    elements = dict(zip(in_order, nodes_of(blocks.walk, in_order), strict=True))
    for (node, unit), row in zip(code.items(), rows, strict=True):
        text = shown.code.get(unit) or blocks.text(unit)
        nodes.code[node] = Code(text, language(elements[row]))


class _Structure:
    """Decides which nodes stay and which are dissolved, the innermost first."""

    def __init__(
        self,
        nodes: Nodes,
        walk: Walk,
        tables: Collection[int],
        headers: Collection[int],
    ) -> None:
        self._nodes = nodes
        self._kinds = nodes.kinds
        self._children = nodes.children
        self._walk = walk
        # The elements that are data tables, and those that are their header rows.
        self._tables, self._headers = tables, headers
        self._numbered: list[int] = []  # the numbered lists
        # What a list, a table or definitions hold before the first item or row, and
        # after the last: it is moved out, beside the node.
        self._beside: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
        if NodeKind.TABLE in self._kinds:
            self._add_rows()
        # The rows of tables, kept or not, and their elements.
        found = {nodes.rows[node] for node in _of_kind(self._kinds, NodeKind.ROW)}
        found.discard(-1)
        if found:
            found.update(rows_with(walk.elements, ElementColumn.TAG, TAG_ID["tr"]))
        self._rows = sorted(found)
        self._elements = dict(zip(self._rows, nodes_of(walk, self._rows), strict=True))

    def decide(self) -> None:
        children = self._children
        # The dict has parents before their children.
        for node in reversed(list(children)):
            inside = children[node]
            if children.keys().isdisjoint(inside):
                continue
            kind = self._kinds[node]
            remaining: list[int] = []
            for child in inside:
                if child not in children:
                    remaining.append(child)
                elif self._kinds[child] in _ALWAYS_STAND or self._stands(child, kind):
                    before, behind = self._beside.pop(child, ((), ()))
                    remaining += (*before, child, *behind)
                else:
                    remaining += self._dissolved(child)
            children[node] = remaining
        self._number_lists()
        self._find_tasks()

    def _dissolved(self, node: int) -> Iterator[int]:
        """The nodes that replace a dissolved node.

        Its rows, items, cells go as well.
        """
        for child in self._children[node]:
            if self._kinds[child] in _DISSOLVED:
                yield from self._dissolved(child)
            else:
                yield child

    def _stands(self, node: int, around: int) -> bool:
        """Whether a node holds what its tag promises."""
        kind = self._kinds[node]
        if kind in _LISTS:
            return self._is_list(node)
        if kind == NodeKind.TABLE:
            table = self._table(node)
            if table is not None:
                self._nodes.tables[node] = table
            return table is not None
        if kind == NodeKind.DEFINITIONS:
            return self._is_definitions(node, around)
        return _HELD_BY[kind] == around

    def _is_list(self, node: int) -> bool:
        """Whether a list has items, and is no list of cards.

        A stray child joins the item before it, as do the lists of an item that has no
        text of its own; those of the first such items stand before the list.
        """
        nodes, kinds, children = self._nodes, self._kinds, self._children
        if self._has_cards(children[node]):
            return False
        items: list[int] = []
        before = list(takewhile(lambda child: child not in children, children[node]))

        def begin(node: int) -> int:
            return self._walk.elements.item(nodes.rows[node], ElementColumn.FIRST_BLOCK)

        for child in children[node][len(before) :]:
            is_item = kinds[child] == NodeKind.ITEM
            inside = children[child] if is_item else [child]
            are_lists = all(kinds[part] in _LISTS for part in inside)
            joins = not is_item or (are_lists and begin(child) == begin(inside[0]))
            if items and joins:
                children[items[-1]] += inside
            elif are_lists and not items:
                before += inside
            else:
                items.append(child if is_item else nodes.hold(NodeKind.ITEM, inside))
        if all(nodes.rows[item] < 0 for item in items):
            return False
        children[node] = items
        self._beside[node] = (before, ())
        if kinds[node] == NodeKind.NUMBERED:
            self._numbered.append(node)
        return True

    def _is_definitions(self, node: int, around: int) -> bool:
        """Whether there are terms, in an item several, as boards lay topics out with one.

        A stray child joins the definition before it.
        """
        nodes, kinds, children = self._nodes, self._kinds, self._children
        inside = children[node]
        terms = sum(kinds[child] == NodeKind.TERM for child in inside)
        if terms <= (around == NodeKind.ITEM):
            return False
        before = list(
            takewhile(lambda child: kinds[child] not in _IN_DEFINITIONS, inside)
        )
        parts: list[int] = []
        for child in inside[len(before) :]:
            if kinds[child] in _IN_DEFINITIONS:
                parts.append(child)
                continue
            if kinds[parts[-1]] == NodeKind.TERM:
                parts.append(nodes.hold(NodeKind.DEFINITION, []))
            children[parts[-1]].append(child)
        children[node] = parts
        self._beside[node] = (before, ())
        return True

    def _has_cards(self, inside: Sequence[int]) -> bool:
        """Whether an item is a card, and half of all items have headings.

        Else the heading is only one above further items.
        """
        if not any(map(self._is_card, inside)):
            return False
        kinds = self._kinds
        headed = [
            any(kinds[child] == NodeKind.HEADING for child in self._children[item])
            for item in inside
            if kinds[item] == NodeKind.ITEM
        ]
        return 2 * sum(headed) >= len(headed)

    def _is_card(self, node: int) -> bool:
        """Whether a node is an item that begins with a heading."""
        if self._kinds[node] != NodeKind.ITEM:
            return False
        for child in self._children[node]:
            if self._kinds[child] not in _BEFORE_HEADINGS:
                return self._kinds[child] == NodeKind.HEADING
        return False

    def _number_lists(self) -> None:
        """Give the items of numbered lists their numbers, as in the plain text."""
        rows, levels, children = self._nodes.rows, self._nodes.levels, self._children
        first = {rows[node]: rows[children[node][0]] for node in self._numbered}
        numbers = numbers_of(self._walk, first)
        for node in self._numbered:
            levels[node] = numbers[rows[node]]
            for number, item in enumerate(children[node], levels[node]):
                levels[item] = number

    def _find_tasks(self) -> None:
        """Find the items that are tasks: they begin with a disabled checkbox."""
        nodes, walk = self._nodes, self._walk
        element, block = walk.elements.item, walk.blocks.item
        items: dict[int, int] = {}
        for node in self._children:
            row = nodes.rows[node]
            if self._kinds[node] != NodeKind.ITEM or row < 0:
                continue
            # An item that holds an image alone may have no block, and none behind it.
            first = element(row, ElementColumn.FIRST_BLOCK)
            if first < element(row, ElementColumn.LAST_BLOCK) and block(
                first, BlockColumn.CONTROLS
            ):
                items[row] = node
        rows = sorted(items)
        for row, item in zip(rows, nodes_of(walk, rows), strict=True):
            box = _box_of(item)
            if box is not None:
                nodes.tasks[items[row]] = box.get("checked") is not None

    # -- tables

    def _add_rows(self) -> None:
        """Put cells that stand in no row into a new row, as a browser does.

        The new row's element is the section or table around its cells.  Each element
        has one node at most, so a section whose cells are not consecutive stays as is.
        """
        nodes, kinds, children = self._nodes, self._kinds, self._children
        for table in [node for node in children if kinds[node] == NodeKind.TABLE]:
            runs = [
                (part, list(run))
                for part, run in groupby(children[table], self._part_around)
            ]
            parts = [part for part, _ in runs if part >= 0]
            if not parts or len(set(parts)) < len(parts):
                continue
            children[table] = inside = []
            for part, run in runs:
                if part < 0:
                    inside += run
                    continue
                inside.append(nodes.hold(NodeKind.ROW, run))
                nodes.rows[inside[-1]] = part

    def _part_around(self, node: int) -> int:
        """The row of a cell's parent element, -1 for a node that is no cell."""
        if self._kinds[node] != NodeKind.CELL:
            return -1
        row = self._nodes.rows[node]
        return self._walk.elements.item(row, ElementColumn.PARENT)

    def _table(self, node: int) -> Table | None:
        """The cells of a data table, None for a table that only lays out the page."""
        kinds, children = self._kinds, self._children
        if self._nodes.rows[node] not in self._tables:
            return None
        inside = children[node]
        is_row = [kinds[child] == NodeKind.ROW for child in inside]
        begin = is_row.index(True) if any(is_row) else 0
        end = begin + sum(is_row)
        if not all(is_row[begin:end]):
            return None
        before, rows, behind = inside[:begin], inside[begin:end], inside[end:]
        grid = self._grid(rows)
        if not grid:  # a caption alone is no table
            return None
        caption: list[int] = []
        if all(kinds[child] == NodeKind.CAPTION for child in before):
            caption, before = before, []
        for leaf in caption:
            kinds[leaf] = NodeKind.TABLE_CAPTION
        children[node] = caption + rows
        self._beside[node] = (before, behind)
        width = len(grid[0])
        head = 0
        for row, line in zip(rows, grid, strict=True):
            if not (
                self._nodes.rows[row] in self._headers
                or all(cell.header or not cell.leaves for cell in line)
            ):
                break
            if head and len(set(line)) == 1 < width:
                break  # one cell across the table: a heading of the rows below
            head += 1
        if head == len(grid):
            head = 1
        elif not head and [self._is_strong(line) for line in grid[:2]] == [True, False]:
            for cell in grid[0]:
                cell.header = True
            head = 1
        return Table(grid[:head], grid[head:], width)

    def _is_strong(self, line: Line) -> bool:
        """Whether a row has several texts, all of them strong."""
        leaves = dict.fromkeys(leaf for cell in line for leaf in cell.leaves)
        inside = [self._nodes.spans[leaf] for leaf in leaves]
        texts = [
            style & STRONG_TEXT
            for spans in inside
            for text, style, *_ in spans
            if not text.isspace()
        ]
        return len(inside) > 1 and bool(texts) and all(texts)

    def _grid(self, rows: Sequence[int]) -> list[Line] | None:
        """Rows of equal width; None if a row is too wide or holds more than cells."""
        grid: list[Line] = []
        below: _Below = {}
        kept = {self._nodes.rows[node]: node for node in rows}
        cell = self._walk.elements.item
        parts = {cell(row, ElementColumn.PARENT) for row in kept}
        within = -1
        first = bisect_left(self._rows, min(parts, default=0))
        for row in self._rows[first : bisect_right(self._rows, max(kept, default=-1))]:
            part = cell(row, ElementColumn.PARENT)
            if part not in parts:
                continue
            section = part if cell(part, ElementColumn.TAG) in _PARTS else -1
            if section != within:
                within = section
                below.clear()
            kept_cells = self._cells(kept[row]) if row in kept else {}
            if kept_cells is None:
                return None
            line = self._line(self._elements[row], kept_cells, below)
            if line is None:
                return None
            if row in kept:
                grid.append(line)
        return _trimmed(grid)

    def _line(
        self, row: Any, kept_cells: Mapping[int, int], below: _Below
    ) -> Line | None:
        """A row's cells, None if the row is too wide.

        ``kept_cells`` has the node of each kept cell by its place in the row; it is empty
        for a row that is not kept.
        """
        line: Line = []
        nodes = self._nodes
        for at, element in enumerate(row):
            if element.tag not in ("td", "th"):
                continue
            _fill_from_above(line, below)
            node = kept_cells.get(at)
            inside: Sequence[int] = () if node is None else self._children[node]
            # A rule cannot stand in a line.
            leaves = [
                leaf
                for leaf in nodes.leaves_among(inside)
                if nodes.kinds[leaf] != NodeKind.RULE
            ]
            columns = span(element.get("colspan"))
            # A rowspan of 0 reaches to the end of the section, as may a larger one.
            down = span(element.get("rowspan"), MAX_SPAN)
            cell = Cell(leaves, element.tag == "th", inside)
            for column in range(len(line), len(line) + columns):
                below[column] = (down - 1, cell if kept_cells else None)
            line += [cell] * columns
            if len(line) > WIDEST:
                return None
        _fill_from_above(line, below)
        return None if len(line) > WIDEST else line

    def _cells(self, row: int) -> Mapping[int, int] | None:
        """The kept cells of a row by their places; None if it holds anything else."""
        rows, cell = self._nodes.rows, self._walk.elements.item
        kept: dict[int, int] = {}
        for child in self._children[row]:
            # A cell inside another element, such as a form, is not the row's own.
            if (
                self._kinds[child] != NodeKind.CELL
                or cell(rows[child], ElementColumn.PARENT) != rows[row]
            ):
                return None
            kept[cell(rows[child], ElementColumn.PLACE)] = child
        return kept


def _box_of(item: Any) -> Any:
    """The disabled checkbox that an item begins with, or None."""
    inside = item
    for _ in range(BOX_LEVELS):
        if (inside.text or "").strip() or not len(inside):
            return None
        inside = inside[0]
        if inside.tag == "input":
            is_box = (inside.get("type") or "").lower() == "checkbox"
            return inside if is_box and inside.get("disabled") is not None else None
    return None


def _fill_from_above(line: Line, below: _Below) -> None:
    while (reaches := below.get(len(line))) and reaches[0] > 0:
        below[len(line)] = (reaches[0] - 1, reaches[1])
        line.append(reaches[1] or Cell())


def _trimmed(grid: list[Line]) -> list[Line] | None:
    """A grid in which all rows have the same columns, those in which a text begins.

    None for a grid that is mostly empty.
    """
    used = {
        column
        for line in grid
        for column, cell in enumerate(line)
        if cell.leaves and not (column and line[column - 1] is cell)
    }
    count = len(set(chain.from_iterable(grid)))
    if len(used) * len(grid) > PLACES + PLACES_OF_CELL * count:
        return None
    columns = sorted(used)
    return [
        [line[column] if column < len(line) else Cell() for column in columns]
        for line in grid
    ]
