"""Makes nodes of the kept blocks and of the elements around them.

This is the reference for its compiled twin, which gives the same nodes.  Each element
becomes a node of the kind that its tag stands for; structure.py decides which of these
nodes stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_eatext.native.loading import twin
from scrapy_eatext.output.inline import ADDRESS_CHARS, Inlines
from scrapy_eatext.page import tags
from scrapy_eatext.page.columns import (
    BlockColumn,
    ElementColumn,
    MarkColumn,
    NodeColumn,
    NodeKind,
    SpanColumn,
)
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
_KIND_OF_BLOCK = {
    tags.HEADING: NodeKind.HEADING,
    tags.CAPTION: NodeKind.CAPTION,
    tags.CODE: NodeKind.CODE,
}
# The columns that Placed has.
_SHOWN = (
    NodeColumn.KIND,
    NodeColumn.PARENT,
    NodeColumn.ROW,
    NodeColumn.UNIT,
    NodeColumn.LEVEL,
)
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

    They are columns of NodeColumn, and the spans of each node.
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
    for unit in units:
        if not 0 <= unit < len(walk.blocks):
            raise IndexError(f"there is no block {unit}")
    for mark in others:
        if not 0 <= mark < len(walk.marks):
            raise IndexError(f"there is no mark {mark}")
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


class _Placing:
    """The tables of nodes and spans, as they grow."""

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
        self._nodes: list[list[int]] = []
        self._spans: list[list[int]] = []
        # Texts of spans that are not in the walk's text.
        self._other_texts: dict[int, str] = {}
        self._addresses = [""]
        self._numbers = {"": 0}
        self._links: dict[int, int] = {}
        # The number of characters of the addresses written so far.
        self._used = 0
        # The node that an element is or stands in, by its row, for those looked up.
        self._node_of = {-1: self._add(NodeKind.DOCUMENT, -1)}

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
        spans = list(map(self._written, range(len(self._spans))))
        first, last = NodeColumn.FIRST_SPAN, NodeColumn.LAST_SPAN
        inside: list[Sequence[Span]] = [
            spans[node[first] : node[last]] for node in nodes
        ]
        kinds, parents, rows, numbers, levels = (
            [node[column] for node in nodes] for column in _SHOWN
        )
        return Placed(kinds, parents, rows, numbers, levels, inside)

    def _written(self, number: int) -> Span:
        """A span with its text and its addresses."""
        start, end, style, link, image = self._spans[number]
        text = self._other_texts.get(number)
        if text is None:
            text = self._walk.text[start:end].decode()
        addresses = self._addresses
        return text, style, addresses[link], addresses[image], signs_of(text)

    # -- nodes

    def _add(
        self,
        kind: int,
        parent: int,
        *,
        row: int = -1,
        depth: int = 0,
        unit: int = -1,
        level: int = 0,
        first_span: int = 0,
        last_span: int = 0,
    ) -> int:
        number = len(self._nodes)
        if parent >= 0:
            self._nodes[parent][NodeColumn.LAST] = number
        self._nodes.append(
            [kind, parent, row, depth, -1, unit, level, first_span, last_span]
        )
        return number

    def _node(self, row: int) -> int:
        """The node that an element is, or stands in."""
        rows = []
        while row not in self._node_of:
            rows.append(row)
            row = self._elements[row][ElementColumn.PARENT]
        node = self._node_of[row]
        for inner in reversed(rows):
            kind = KIND_OF_TAG[self._elements[inner][ElementColumn.TAG]]
            if kind and self._nodes[node][NodeColumn.DEPTH] < DEEPEST:
                node = self._holder(kind, inner, node)
            self._node_of[inner] = node
        return node

    def _holder(self, kind: int, row: int, parent: int) -> int:
        """A new node for an element."""
        is_item = kind == NodeKind.ITEM
        if is_item and self._nodes[parent][NodeColumn.KIND] not in _LISTS:
            parent = self._loose_list(parent)
        around = self._nodes[parent]
        # A child of a list that is no item will be put into an item.
        into_item = not is_item and around[NodeColumn.KIND] in _LISTS
        depth = around[NodeColumn.DEPTH] + 1 + into_item
        return self._add(kind, parent, row=row, depth=depth)

    def _loose_list(self, parent: int) -> int:
        """The list for an item outside of lists: a new one, or the previous item's."""
        last = self._nodes[parent][NodeColumn.LAST]
        if last >= 0:
            sibling = self._nodes[last]
            if (
                sibling[NodeColumn.KIND] == NodeKind.LIST
                and sibling[NodeColumn.ROW] < 0
            ):
                return last
        depth = self._nodes[parent][NodeColumn.DEPTH] + 1
        return self._add(NodeKind.LIST, parent, depth=depth)

    def add_byline(self, byline: Byline) -> None:
        node = self._node(byline.row)
        first = len(self._spans)
        for text, style in byline.texts:
            self._add_other_text(text, style=style)
        last = len(self._spans)
        self._add(NodeKind.BYLINE, node, first_span=first, last_span=last)

    def add_block(self, unit: int, is_code: bool) -> None:
        block = self._walk.blocks[unit].tolist()
        parent = self._node(block[BlockColumn.ELEMENT])
        kind = _KIND_OF_BLOCK.get(block[BlockColumn.KIND], NodeKind.PARAGRAPH)
        if is_code or kind == NodeKind.CODE:
            self._add(NodeKind.CODE, parent, unit=unit)
            return
        first_span = len(self._spans)
        self._add_spans(unit, block[BlockColumn.START], block[BlockColumn.END])
        last_span = len(self._spans)
        self._add(
            kind,
            parent,
            unit=unit,
            level=block[BlockColumn.LEVEL] if kind == NodeKind.HEADING else 0,
            first_span=first_span,
            last_span=last_span,
        )

    def add_before(self, unit: int, start: int = MAX_TEXT) -> None:
        """Add the images, rules and embeds with marks before those of a block.

        It stops at one that stands in a line after the byte ``start``.
        """
        while (
            self._next < len(self._others)
            and self._others[self._next] < self._bounds[unit]
        ):
            mark = self._marks[self._others[self._next]]
            if mark[MarkColumn.START] > start:
                break
            self._next += 1
            if mark[MarkColumn.STYLE] == RULE:
                self._add(NodeKind.RULE, self._node(mark[MarkColumn.AROUND_STYLE]))
                continue
            if mark[MarkColumn.STYLE] == EMBED:
                self._add_embed(mark)
                continue
            first = len(self._spans)
            link = self._link(mark[MarkColumn.LINK])
            if not self._allows(self._addresses[link]):
                link = 0
            self._add_images(mark, link, in_line=False)
            if len(self._spans) > first:
                parent = self._node(mark[MarkColumn.AROUND_STYLE])
            for span in range(first, len(self._spans)):
                self._add(NodeKind.IMAGE, parent, first_span=span, last_span=span + 1)

    def _add_embed(self, mark: list[int]) -> None:
        """Add an embed as a line with a link, if its address may still be written."""
        row, place = mark[MarkColumn.AROUND_STYLE], mark[MarkColumn.AROUND_LINK]
        label, url = self._inlines.embed(row, place)
        if url and self._allows(url):
            first = len(self._spans)
            self._add_other_text(label, link=self._number(url))
            self._add(
                NodeKind.EMBED, self._node(row), first_span=first, last_span=first + 1
            )

    # -- spans

    def _add_spans(self, unit: int, start: int, stop: int) -> None:
        """Add a block's spans.

        Together, images left out, they have the block's text.
        """
        marks = [
            mark
            for mark in self._marks[self._bounds[unit] : self._bounds[unit + 1]]
            if mark[MarkColumn.START] >= 0
        ]
        first_span = len(self._spans)
        until = marks[0][MarkColumn.START] if marks else stop
        if until > start:
            self._add_text(first_span, start, until, 0, 0)
        link, linked = 0, -1
        for number, mark in enumerate(marks):
            _, at, style, row, around_style, around_row = mark
            if row != linked:
                link, linked = self._link(row), row
                if not self._allows(self._addresses[link]):
                    link = 0
            if style < 0:
                if style == IMAGE:
                    self._add_images(mark, link, in_line=True)
                continue
            around = self._link(around_row)
            until = stop
            if number + 1 < len(marks):
                until = marks[number + 1][MarkColumn.START]
            if at > start and self._walk.text[at] in b" \n":
                space = self._space(style, link, around_style, around)
                if space != (style, link):
                    self._add_text(first_span, at, at + 1, *space)
                    at += 1
            self._add_text(first_span, at, until, style, link)

    def _space(
        self, style: int, link: int, around_style: int, around: int
    ) -> tuple[int, int]:
        """The style and link of the white space before a piece of text.

        They are those that the space shares with the pieces on both sides, so that no
        styled text begins or ends with a space.
        """
        last = self._spans[-1]
        differ = last[SpanColumn.STYLE] ^ style
        common = last[SpanColumn.STYLE] & style & around_style
        # Links are written around quotation marks, these around strong, and strong
        # around other styles: where an outer element ends, so do the inner ones.
        if not last[SpanColumn.LINK] == link == around:
            return 0, 0
        if differ & QUOTE_TEXT:
            common = 0
        elif differ & STRONG_TEXT:
            common &= QUOTE_TEXT
        elif differ & EM_TEXT:
            common &= STRONG_TEXT | QUOTE_TEXT
        return common, link

    def _add_text(
        self, first_span: int, start: int, end: int, style: int, link: int
    ) -> None:
        """Extend the last span by text of the same style and link, or add a span."""
        if len(self._spans) > first_span:
            last = self._spans[-1]
            if last[SpanColumn.STYLE :] == [style, link, 0]:
                last[SpanColumn.END] = end
                return
        self._spans.append([start, end, style, link, 0])

    def _add_other_text(
        self, text: str, *, style: int = 0, link: int = 0, image: int = 0
    ) -> None:
        self._other_texts[len(self._spans)] = text
        self._spans.append([-1, -1, style, link, image])

    def _add_images(self, mark: list[int], link: int, *, in_line: bool) -> None:
        """Add the images at a mark whose addresses may still be written."""
        place = mark[MarkColumn.AROUND_STYLE], mark[MarkColumn.AROUND_LINK]
        for image in self._inlines.images(*place, in_line):
            # An address that is not written is not stored either.
            if self._allows(image.url):
                self._add_other_text(
                    image.alt,
                    style=image.breaks,
                    link=link,
                    image=self._number(image.url),
                )

    # -- addresses

    def _is_full(self) -> bool:
        """Whether no more addresses may be written."""
        return self._used > ADDRESS_CHARS and self._used > self._inlines.most

    def _allows(self, url: str) -> bool:
        """Count an address; returns whether it may be written."""
        self._used += len(url)
        return not self._is_full()

    def _link(self, row: int) -> int:
        """The number of a link's address, 0 for none."""
        if row < 0 or self._is_full():
            return 0
        if row not in self._links:
            self._links[row] = self._number(self._inlines.link(row))
        return self._links[row]

    def _number(self, url: str) -> int:
        """The number of an address."""
        if url not in self._numbers:
            self._numbers[url] = len(self._addresses)
            self._addresses.append(url)
        return self._numbers[url]


place = twin(python_place, "_nodes")
