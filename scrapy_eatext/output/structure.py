"""The kept blocks of a page as a small document tree, for Markdown and HTML.

The tree has what both can say: lists, quotes, tables, definitions, figures, and
in them headings, paragraphs, code and images.  Elements that only lay out the
page, tables among them, are dissolved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_eatext.output.code import Content, content, language
from scrapy_eatext.output.inline import Inlines, Span
from scrapy_eatext.output.posts import Posts
from scrapy_eatext.output.text import first_number
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.tags import TAGS

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.page import Page

# What an element is in the tree.
_NODE_OF = {
    "ul": "list",
    "menu": "list",
    "dir": "list",
    "ol": "numbered",
    "li": "item",
    "blockquote": "quote",
    "table": "table",
    "tr": "row",
    "td": "cell",
    "th": "cell",
    "dl": "definitions",
    "dt": "term",
    "dd": "definition",
    "figure": "figure",
}
NODE_OF_TAG = [_NODE_OF.get(tag, "") for tag in TAGS]
_LISTS = frozenset(("list", "numbered"))
# Blocks whose kind the tree tells otherwise are paragraphs.
_LEAVES = frozenset(("heading", "code", "caption"))

_PARENT, _TAG, _PLACE = (ElementColumn.PARENT, ElementColumn.TAG, ElementColumn.PLACE)

# What is nested deeper is taken to be level with what is around it: renderers of
# Markdown go no deeper than 20, of which a list takes two, and nobody means it.
DEEPEST = 18
# Cells with more characters lay out a page, unless the table has headers.
LONG_CELL = 600
# The widest table, how many places any has, and how many more for each cell: what one
# row is longer than others comes out with each of them.
WIDEST = 200
PLACES, PLACES_OF_CELL = 10_000, 20
# How many columns or rows one cell may span.
_MAX_SPAN = 50


@dataclass(slots=True, eq=False)
class Leaf:
    """A block: a paragraph, heading, caption, code, or image that stands alone; or
    the byline of a post, which is no block of its own.

    Code has its text and, where the page tells it, its language; all others
    have spans.
    """

    kind: str
    spans: Sequence[Span] = ()
    level: int = 0
    text: str = ""
    language: str = ""


@dataclass(slots=True, eq=False)
class Node:
    """What holds blocks together; ``start`` is a numbered list's first number."""

    kind: str
    row: int = -1
    depth: int = 0
    children: list[Node | Leaf] = field(default_factory=list)
    start: int = 1
    table: Table | None = None


class Cell(NamedTuple):
    """A cell of a table: its blocks, and how many columns and rows it spans."""

    leaves: Sequence[Leaf]
    header: bool = False
    columns: int = 1
    rows: int = 1


_EMPTY = Cell(())


@dataclass(frozen=True, slots=True)
class Table:
    """A table that holds data: a caption, rows of headers, rows of data.

    A row has a cell a column, None where another cell reaches into its place.
    """

    caption: Sequence[Leaf]
    head: Sequence[Sequence[Cell | None]]
    body: Sequence[Sequence[Cell | None]]
    width: int


def document(page: Page, units: Units, kept: Sequence[bool]) -> Node:
    """The tree of the kept units of a page."""
    return tree_of(page, units, content(units, kept))


def tree_of(page: Page, units: Units, shown: Content) -> Node:
    """The tree of what comes out of a page's units."""
    if isinstance(units, Blocks):
        return _Builder(page, units).build(shown)
    return _flat(units, shown.units)


def leaves(node: Node) -> Iterator[Leaf]:
    """All blocks in a node, in order."""
    for child in node.children:
        if isinstance(child, Leaf):
            yield child
        else:
            yield from leaves(child)


def _flat(units: Units, kept: Sequence[int]) -> Node:
    """The tree of units that have no place on the page."""
    root = Node("document")
    for i in kept:
        kind = units.kind(i)
        spans = (Span(units.text(i)),)
        if kind == "list item":
            last = root.children[-1] if root.children else None
            if not isinstance(last, Node):
                last = Node("list")
                root.children.append(last)
            last.children.append(Node("item", children=[Leaf("paragraph", spans)]))
        elif kind == "code":
            root.children.append(Leaf("code", text=units.text(i)))
        else:
            level = units.level(i) if kind == "heading" else 0
            kind = kind if kind in _LEAVES else "paragraph"
            root.children.append(Leaf(kind, spans, level or 2))
    return root


class _Builder:
    def __init__(self, page: Page, blocks: Blocks) -> None:
        self._blocks = blocks
        self._inlines = Inlines(page)
        elements = blocks.walk.elements
        self._parents: list[int] = elements[:, _PARENT].tolist()
        self._tags: list[int] = elements[:, _TAG].tolist()
        self._root = Node("document")
        # For each row of the element table that was looked at, the node that it
        # stands in, or is.
        self._nodes: dict[int, Node] = {-1: self._root}

    def build(self, shown: Content) -> Node:
        blocks, inlines = self._blocks, self._inlines
        kinds = blocks.kinds
        elements = blocks.column("element")
        posts = Posts(blocks, shown.units)
        post_of = posts.around([elements[i] for i in shown.units])
        introduced: set[int] = set()
        before = -2
        for i in shown.units:
            post = post_of.get(elements[i], -1)
            if post >= 0 and post not in introduced:
                introduced.add(post)
                byline = posts.byline(post)
                if byline:
                    self._node(post).children.append(Leaf("byline", byline))
            children = self._node(elements[i]).children
            kind = kinds[i]
            if kind == "code" or i in shown.code:
                text = shown.code.get(i) or blocks.text(i)
                name = language(blocks.element(i))
                children.append(Leaf("code", text=text, language=name))
            else:
                spans = inlines.spans(i)
                if before == i - 1 or kind == "caption":
                    for image in inlines.images_before(i):
                        children.append(Leaf("image", (image,)))
                if kind not in _LEAVES:
                    kind = "paragraph"
                level = blocks.level(i) if kind == "heading" else 0
                children.append(Leaf(kind, spans, level))
            before = i
        if len(self._nodes) > 1:
            self._settle(self._root)
        return self._root

    def _node(self, row: int) -> Node:
        """The node that an element is, or stands in."""
        nodes = self._nodes
        way = []
        while row not in nodes:
            way.append(row)
            row = self._parents[row]
        node = nodes[row]
        for passed in reversed(way):
            kind = NODE_OF_TAG[self._tags[passed]]
            if kind and node.depth < DEEPEST:
                if kind == "item" and node.kind not in _LISTS:
                    node = self._loose_list(node)
                # What is in a list, but in no item, comes into one.
                into_item = kind != "item" and node.kind in _LISTS
                child = Node(kind, passed, node.depth + 1 + into_item)
                node.children.append(child)
                node = child
            nodes[passed] = node
        return node

    def _loose_list(self, node: Node) -> Node:
        """The list for items that stand in none."""
        last = node.children[-1] if node.children else None
        if isinstance(last, Node) and last.kind == "list" and last.row < 0:
            return last
        made = Node("list", -1, node.depth + 1)
        node.children.append(made)
        return made

    # -- what nodes turn out to be

    def _settle(self, node: Node) -> None:
        """Decide on a node's children what they are, and dissolve the rest."""
        settled: list[Node | Leaf] = []
        for child in node.children:
            if isinstance(child, Leaf):
                settled.append(child)
                continue
            self._settle(child)
            if self._stands(child, node.kind):
                settled.append(child)
            else:
                settled += _dissolved(child)
        node.children = settled

    @cached_property
    def _places(self) -> list[int]:
        places: list[int] = self._blocks.walk.elements[:, _PLACE].tolist()
        return places

    def _stands(self, node: Node, around: str) -> bool:
        """Whether a node is what its tag says."""
        kind = node.kind
        if kind in _LISTS:
            return self._is_list(node)
        if kind == "table":
            node.table = self._table(node)
            return node.table is not None
        if kind == "definitions":
            return any(
                isinstance(child, Node) and child.kind == "term"
                for child in node.children
            )
        if kind in ("term", "definition"):
            return around == "definitions"
        if kind == "row":
            return around == "table"
        if kind == "cell":
            return around == "row"
        return True

    def _is_list(self, node: Node) -> bool:
        items: list[Node] = []
        for child in node.children:
            if isinstance(child, Node) and child.kind == "item":
                first = next(
                    part
                    for part in child.children
                    if isinstance(part, Node) or part.kind != "byline"
                )
                if isinstance(first, Leaf) and first.kind == "heading":
                    return False  # cards
                items.append(child)
            elif items:
                # What stands between items belongs to the one before.
                items[-1].children.append(child)
            else:
                items.append(Node("item", children=[child]))
        if not any(item.row >= 0 for item in items):
            return False
        node.children = list(items)
        if node.kind == "numbered":
            node.start = first_number(self._blocks.walk, node.row, items[0].row)
        return True

    def _table(self, node: Node) -> Table | None:
        """A table of data, None for one that lays out the page."""
        if is_for_layout(self._blocks.walk.node(node.row)):
            return None
        caption: list[Leaf] = []
        rows: list[Node] = []
        for child in node.children:
            if isinstance(child, Leaf):
                if child.kind != "caption" or rows:
                    return None
                caption.append(child)
            elif child.kind == "row":
                rows.append(child)
            else:
                return None
        grid = self._grid(rows)
        if grid is None or not _holds_data(grid):
            return None
        head = 0
        while head < len(grid) and all(
            cell is None or cell.header or not cell.leaves for cell in grid[head]
        ):
            head += 1
        if head == len(grid):
            head = 1
        return Table(caption, grid[:head], grid[head:], len(grid[0]))

    def _grid(self, rows: Sequence[Node]) -> list[list[Cell | None]] | None:
        """Rows of cells, each as wide; None where there is more than cells."""
        node_of = self._blocks.walk.node
        grid: list[list[Cell | None]] = []
        # For each column, how many more rows a cell from above reaches down.
        below: dict[int, int] = {}
        for row in rows:
            kept: dict[int, Node] = {}
            for child in row.children:
                # A cell inside something else, as a form, is none of the row's own.
                if (
                    isinstance(child, Leaf)
                    or child.kind != "cell"
                    or self._parents[child.row] != row.row
                ):
                    return None
                kept[self._places[child.row]] = child
            line: list[Cell | None] = []
            for place, header, columns, down in cells(node_of(row.row)):
                self._fill_from_above(line, below)
                found = kept.get(place)
                inside = tuple(leaves(found)) if found is not None else ()
                cell = Cell(inside, header, columns, down)
                for column in range(len(line), len(line) + cell.columns):
                    below[column] = cell.rows - 1
                line += [cell] + [None] * (cell.columns - 1)
                if len(line) > WIDEST:
                    return None
            self._fill_from_above(line, below)
            if len(line) > WIDEST:
                return None
            grid.append(line)
        return _trimmed(grid)

    @staticmethod
    def _fill_from_above(line: list[Cell | None], below: dict[int, int]) -> None:
        while below.get(len(line), 0) > 0:
            below[len(line)] -= 1
            line.append(None)


def _dissolved(node: Node) -> list[Node | Leaf]:
    """What is left of a node that is none: of a list or table, its items' blocks."""
    parts: list[Node | Leaf] = []
    for child in node.children:
        if isinstance(child, Node) and child.kind in ("item", "row", "cell"):
            parts += _dissolved(child)
        else:
            parts.append(child)
    return parts


def is_for_layout(table: Any) -> bool:
    """Whether a table says that it holds no data."""
    return (table.get("role") or "").lower() in ("presentation", "none")


def cells(row: Any) -> Iterator[tuple[int, bool, int, int]]:
    """The cells of a table's row.

    For each its place among the row's children, whether it is a header, and how many
    columns and rows it spans.
    """
    for place, element in enumerate(row):
        if element.tag in ("td", "th"):
            header = element.tag == "th"
            columns, rows = element.get("colspan"), element.get("rowspan")
            yield place, header, _span(columns), _span(rows)


def _span(value: str | None) -> int:
    value = (value or "1").strip()
    if value.isascii() and value.isdigit():
        return min(max(int(value[:9]), 1), _MAX_SPAN)
    return 1


def _trimmed(grid: list[list[Cell | None]]) -> list[list[Cell | None]] | None:
    """A grid in which all rows are as wide, without columns that have nothing.

    None for one that is mostly nothing.
    """
    width = max(map(len, grid), default=0)
    used = [False] * width
    count = 0
    for line in grid:
        for column, cell in enumerate(line):
            if cell is not None:
                count += 1
                used[column] = used[column] or bool(cell.leaves)
    if sum(used) * len(grid) > PLACES + PLACES_OF_CELL * count:
        return None
    for line in grid:
        line.extend([_EMPTY] * (width - len(line)))
    if all(used):
        return grid
    trimmed: list[list[Cell | None]] = []
    for line in grid:
        kept: list[Cell | None] = []
        for column, cell in enumerate(line):
            if not used[column]:
                continue
            if cell is not None and cell.columns > 1:
                spanned = sum(used[column : column + cell.columns])
                kept.append(cell._replace(columns=spanned))
            else:
                kept.append(cell)
        trimmed.append(kept)
    return trimmed


def _holds_data(grid: Sequence[Sequence[Cell | None]]) -> bool:
    cells = [cell for line in grid for cell in line if cell and cell.leaves]
    if not any(sum(1 for c in line if c and c.leaves) > 1 for line in grid):
        return False
    found = [leaf for cell in cells for leaf in cell.leaves]
    if any(leaf.kind == "code" and "\n" in leaf.text for leaf in found):
        return False
    if any(cell.header for cell in cells):
        return True
    if len(grid) < 2 or any(leaf.kind == "heading" for leaf in found):
        return False
    return all(
        sum(len(span.text) for leaf in cell.leaves for span in leaf.spans) < LONG_CELL
        for cell in cells
    )
