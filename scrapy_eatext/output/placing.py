"""Makes nodes of the kept blocks and of the elements around them.

This is the reference for its compiled twin, which gives the same nodes.  Each element
becomes a node of the kind that its tag stands for; structure.py decides which of these
nodes stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_eatext.native.loading import twin
from scrapy_eatext.output.inline import ADDRESS_CHARS, Inlines
from scrapy_eatext.page import tags
from scrapy_eatext.page.columns import BlockColumn, ElementColumn, MarkColumn, NodeKind
from scrapy_eatext.page.tags import EM_TEXT, QUOTE_TEXT, STRONG_TEXT, TAGS
from scrapy_eatext.page.walk import EMBED, IMAGE, MAX_TEXT, RULE

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk

_KIND_OF = {
    "ul": NodeKind.LIST,
    "menu": NodeKind.LIST,
    "dir": NodeKind.LIST,
    "ol": NodeKind.NUMBERED,
    "li": NodeKind.ITEM,
    "blockquote": NodeKind.QUOTE,
    "table": NodeKind.TABLE,
    "tr": NodeKind.ROW,
    "td": NodeKind.CELL,
    "th": NodeKind.CELL,
    "dl": NodeKind.DEFINITIONS,
    "dt": NodeKind.TERM,
    "dd": NodeKind.DEFINITION,
    "figure": NodeKind.FIGURE,
}
# The kind of node that an element of each tag is, 0 for none.
KIND_OF_TAG = bytes(_KIND_OF.get(tag, 0) for tag in TAGS)
# Blocks of all other kinds are paragraphs.
KIND_OF_BLOCK = {
    tags.HEADING: NodeKind.HEADING,
    tags.CAPTION: NodeKind.CAPTION,
    tags.CODE: NodeKind.CODE,
}
_LISTS = frozenset((NodeKind.LIST, NodeKind.NUMBERED))
# Elements nested deeper make no nodes; their blocks join the innermost one that does.
# Renderers of Markdown go no deeper than 20, a list takes two levels, and no author
# means more.
DEEPEST = 18


# A piece of a block: text, styles, the address of its link, the address of an image,
# and the formats for which the text has signs.  An image has its description for a
# text, and the line breaks beside it for styles.
Span = tuple[str, int, str, str, int]

# The signs of each format: characters that may be markup in a line of Markdown, and
# those that HTML escapes.  A span has a format's bit if any of them is in its text.
MARKDOWN, HTML = 1, 2
SIGNS = {MARKDOWN: "\\`*_[]<&~", HTML: "&<>\"'\n"}
_HAS_SIGN = {bit: re.compile(f"[{re.escape(signs)}]") for bit, signs in SIGNS.items()}


class Byline(NamedTuple):
    """The line before a post: the post's element, and texts, each with its style."""

    row: int
    texts: list[tuple[str, int]]


class Placed(NamedTuple):
    """Nodes in document order, as lists with an entry for each node.

    ``kinds`` are of NodeKind, ``parents`` the nodes around, -1 for the document,
    ``rows`` those of elements and ``units`` the blocks, -1 for none, and ``levels``
    those of headings.
    """

    kinds: list[int]
    parents: list[int]
    rows: list[int]
    units: list[int]
    levels: list[int]
    spans: list[Sequence[Span]]


def python_place(
    walk: Walk,
    units: list[int],
    code: Collection[int],
    bylines: Mapping[int, Byline],
    inlines: Inlines,
    others: list[int],
) -> Placed:
    """The nodes of some blocks, given in rising order, and of the elements around them.

    ``code`` has the blocks that are code whatever their elements, and ``bylines`` the
    bylines by the blocks before which they stand.  ``others`` are the marks, in rising
    order, of images and rules between blocks, and of embeds.  Raises IndexError for
    blocks and marks that do not exist.
    """
    tables = ("block", units, walk.blocks), ("mark", others, walk.marks)
    for name, numbers, table in tables:
        for number in numbers:
            if not 0 <= number < len(table):
                raise IndexError(f"there is no {name} {number}")
    placing = _Placing(walk, inlines, others)
    placing.read(units)
    for unit in units:
        placing.add_before(unit)
        if unit in bylines:
            placing.add_byline(bylines[unit])
        placing.add_before(unit + 1, walk.blocks.item(unit, BlockColumn.START))
        placing.add_block(unit, unit in code)
    placing.add_before(len(walk.blocks) + 1)
    return placing.result()


def signs_of(text: str) -> int:
    """Which formats have signs in a text."""
    return sum(bit for bit, sign in _HAS_SIGN.items() if sign.search(text))


@dataclass(slots=True)
class _Piece:
    """A span whose text may still be extended: bytes of the walk's text, or ``text``."""

    style: int
    link: str = ""
    image: str = ""
    text: str | None = None
    start: int = -1
    end: int = -1


@dataclass(slots=True)
class _Node:
    """A node; ``depth`` is how many nodes are around it when it is rendered."""

    kind: int
    parent: int
    row: int = -1
    depth: int = 0
    unit: int = -1
    level: int = 0
    spans: Sequence[_Piece] = ()
    last: int = -1  # its last child


class _Placing:
    """The nodes and their spans, as they grow."""

    def __init__(self, walk: Walk, inlines: Inlines, others: list[int]) -> None:
        self._walk = walk
        self._inlines = inlines
        self._elements: list[list[int]] = walk.elements.tolist()
        self._marks: list[list[int]] = walk.marks.tolist()
        self._others = others
        self._next = 0
        # The number of each block's first mark, with two more entries for the end.
        units = np.arange(len(walk.blocks) + 2)
        self._bounds = walk.marks[:, MarkColumn.BLOCK].searchsorted(units).tolist()
        self._nodes = [_Node(NodeKind.DOCUMENT, -1)]
        # The node that an element is or stands in, by its row, for those looked up.
        self._node_of = {-1: 0}
        self._links: dict[int, str] = {}
        # The number of characters of the addresses written so far.
        self._used = 0

    def read(self, units: list[int]) -> None:
        """Read the attributes of the links, images and embeds in some blocks."""
        links: set[int] = set()
        others = set(self._others)
        for unit in units:
            for number in range(self._bounds[unit], self._bounds[unit + 1]):
                _, _, style, link, _, around_link = self._marks[number]
                links.add(link)
                if style < 0:
                    others.add(number)
                else:
                    links.add(around_link)
        marks = [self._marks[number] for number in sorted(others)]
        links |= {mark[MarkColumn.LINK] for mark in marks}
        self._inlines.read(
            sorted(links - {-1}),
            [mark[MarkColumn.AROUND_STYLE] for mark in marks],
            [mark[MarkColumn.AROUND_LINK] for mark in marks],
        )

    def result(self) -> Placed:
        nodes = self._nodes
        return Placed(
            [node.kind for node in nodes],
            [node.parent for node in nodes],
            [node.row for node in nodes],
            [node.unit for node in nodes],
            [node.level for node in nodes],
            [list(map(self._written, node.spans)) for node in nodes],
        )

    def _written(self, piece: _Piece) -> Span:
        text = piece.text
        if text is None:
            text = self._walk.text[piece.start : piece.end].decode()
        return text, piece.style, piece.link, piece.image, signs_of(text)

    # -- nodes

    def _add(self, node: _Node) -> int:
        self._nodes[node.parent].last = len(self._nodes)
        self._nodes.append(node)
        return len(self._nodes) - 1

    def _node(self, row: int) -> int:
        """The node that an element is, or stands in."""
        rows = []
        while row not in self._node_of:
            rows.append(row)
            row = self._elements[row][ElementColumn.PARENT]
        node = self._node_of[row]
        for inner in reversed(rows):
            kind = KIND_OF_TAG[self._elements[inner][ElementColumn.TAG]]
            if kind and self._nodes[node].depth < DEEPEST:
                node = self._holder(kind, inner, node)
            self._node_of[inner] = node
        return node

    def _holder(self, kind: int, row: int, parent: int) -> int:
        """A new node for an element."""
        is_item = kind == NodeKind.ITEM
        if is_item and self._nodes[parent].kind not in _LISTS:
            parent = self._loose_list(parent)
        around = self._nodes[parent]
        # A child of a list that is no item will be put into an item.
        into_item = not is_item and around.kind in _LISTS
        return self._add(_Node(kind, parent, row, around.depth + 1 + into_item))

    def _loose_list(self, parent: int) -> int:
        """The list for an item outside of lists: a new one, or the previous item's."""
        around = self._nodes[parent]
        last = self._nodes[around.last]
        if around.last >= 0 and last.kind == NodeKind.LIST and last.row < 0:
            return around.last
        return self._add(_Node(NodeKind.LIST, parent, depth=around.depth + 1))

    def add_byline(self, byline: Byline) -> None:
        spans = [_Piece(style, text=text) for text, style in byline.texts]
        self._add(_Node(NodeKind.BYLINE, self._node(byline.row), spans=spans))

    def add_block(self, unit: int, is_code: bool) -> None:
        block = self._walk.blocks[unit].tolist()
        kind = KIND_OF_BLOCK.get(block[BlockColumn.KIND], NodeKind.PARAGRAPH)
        made = _Node(kind, self._node(block[BlockColumn.ELEMENT]), unit=unit)
        if is_code or kind == NodeKind.CODE:
            made.kind = NodeKind.CODE
        else:
            made.spans = self._spans(
                unit, block[BlockColumn.START], block[BlockColumn.END]
            )
            if kind == NodeKind.HEADING:
                made.level = block[BlockColumn.LEVEL]
        self._add(made)

    def add_before(self, unit: int, start: int = MAX_TEXT) -> None:
        """Add the images, rules and embeds with marks before those of a block.

        It stops at one that stands in a line after the byte ``start``.
        """
        while (
            self._next < len(self._others)
            and self._others[self._next] < self._bounds[unit]
        ):
            _, at, style, link, row, _ = mark = self._marks[self._others[self._next]]
            if at > start:
                break
            self._next += 1
            if style == RULE:
                self._add(_Node(NodeKind.RULE, self._node(row)))
            elif style == EMBED:
                self._add_embed(mark)
            else:
                address = self._allowed(self._link(link))
                for piece in self._images(mark, address, in_line=False):
                    self._add(_Node(NodeKind.IMAGE, self._node(row), spans=[piece]))

    def _add_embed(self, mark: list[int]) -> None:
        """Add an embed as a line with a link, if its address may still be written."""
        row, place = mark[MarkColumn.AROUND_STYLE], mark[MarkColumn.AROUND_LINK]
        label, url = self._inlines.embed(row, place)
        if url := self._allowed(url):
            spans = [_Piece(0, url, text=label)]
            self._add(_Node(NodeKind.EMBED, self._node(row), spans=spans))

    # -- spans

    def _spans(self, unit: int, start: int, stop: int) -> list[_Piece]:
        """A block's spans: together, images left out, they have the block's text."""
        spans: list[_Piece] = []

        def add(at: int, end: int, style: int, link: str) -> None:
            """Extend the last span by text of the same style and link, or add a span."""
            last = spans[-1] if spans else None
            if last and (last.style, last.link, last.image) == (style, link, ""):
                last.end = end
            else:
                spans.append(_Piece(style, link, start=at, end=end))

        marks = [
            mark
            for mark in self._marks[self._bounds[unit] : self._bounds[unit + 1]]
            if mark[MarkColumn.START] >= 0
        ]
        ends = [*(mark[MarkColumn.START] for mark in marks), stop]
        if ends[0] > start:
            add(start, ends[0], 0, "")
        link, linked = "", -1
        for mark, until in zip(marks, ends[1:], strict=True):
            _, at, style, row, around_style, around_row = mark
            if row != linked:
                link, linked = self._allowed(self._link(row)), row
            if style < 0:
                if style == IMAGE:
                    spans += self._images(mark, link, in_line=True)
                continue
            around = self._link(around_row)
            if at > start and self._walk.text[at] in b" \n":
                space = _space(spans[-1], style, link, around_style, around)
                if space != (style, link):
                    add(at, at + 1, *space)
                    at += 1
            add(at, until, style, link)
        return spans

    def _images(self, mark: list[int], link: str, *, in_line: bool) -> Iterator[_Piece]:
        """The images at a mark whose addresses may still be written."""
        place = mark[MarkColumn.AROUND_STYLE], mark[MarkColumn.AROUND_LINK]
        for image in self._inlines.images(*place, in_line):
            if url := self._allowed(image.url):
                yield _Piece(image.breaks, link, url, image.alt)

    # -- addresses

    def _is_full(self) -> bool:
        """Whether no more addresses may be written."""
        return self._used > ADDRESS_CHARS and self._used > self._inlines.most

    def _allowed(self, url: str) -> str:
        """Count an address; "" if it may not be written."""
        self._used += len(url)
        return "" if self._is_full() else url

    def _link(self, row: int) -> str:
        """A link's address, "" for none."""
        if row < 0 or self._is_full():
            return ""
        if row not in self._links:
            self._links[row] = self._inlines.link(row)
        return self._links[row]


def _space(
    last: _Piece, style: int, link: str, around_style: int, around: str
) -> tuple[int, str]:
    """The style and link of the white space between two pieces of text.

    They are those that the space shares with the pieces on both sides, so that no
    styled text begins or ends with a space.
    """
    # Links are written around quotation marks, these around strong, and strong
    # around other styles: where an outer element ends, so do the inner ones.
    if not last.link == link == around:
        return 0, ""
    differ = last.style ^ style
    common = last.style & style & around_style
    if differ & QUOTE_TEXT:
        common = 0
    elif differ & STRONG_TEXT:
        common &= QUOTE_TEXT
    elif differ & EM_TEXT:
        common &= STRONG_TEXT | QUOTE_TEXT
    return common, link


place = twin(python_place, "_nodes")
