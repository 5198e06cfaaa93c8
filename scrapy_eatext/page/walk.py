"""The walk, in Python: one pass from a tree to tables of elements and blocks.

This is the reference for its compiled twin, which gives the same tables.
Every figure is a whole number, so that both are equal to the last bit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from scrapy_eatext.deadline import check
from scrapy_eatext.page.characters import (
    CLASS_LETTERS,
    INVISIBLE,
    SPACE,
    UPPER,
    WIDE,
    letter_of,
)
from scrapy_eatext.page.tags import (
    BLOCK,
    CELL,
    CODE,
    CONTROLS,
    HEADING,
    ITEM,
    KIND_OF,
    LENIENT_SKIP,
    LISTS,
    PARAGRAPH,
    QUOTE,
    SKIP,
    SPACERS,
    STRONG,
    TAG_ID,
)

if TYPE_CHECKING:
    import numpy.typing as npt

# What the walk tells of an element that is shown.  first_block to last_block
# (not included) are the blocks inside it, first_token and tokens its share of
# the hashed attribute tokens, place its number among its parent's children as
# lxml counts them.
ELEMENT_COLUMNS = (
    "parent",
    "tag",
    "depth",
    "first_block",
    "last_block",
    "first_token",
    "tokens",
    "place",
)

# What the walk tells of a block.  start and end are bytes of the text buffer;
# element is the innermost block-level element around it, inner the innermost
# element at its first character, item and row the list item and the table row
# that it stands in (-1 for none), rows of the element table all of them.
# width counts wide characters double; upper to other count characters by
# class, first and last are the classes of the outermost ones.  images,
# controls and elements count what was met since the block before.
BLOCK_COLUMNS = (
    "start",
    "end",
    "element",
    "inner",
    "item",
    "row",
    "kind",
    "level",
    "chars",
    "words",
    "width",
    "lines",
    "link_chars",
    "links",
    "strong_chars",
    "upper",
    "digits",
    "ends",
    "commas",
    "marks",
    "money",
    "rights",
    "wide",
    "other",
    "first",
    "last",
    "images",
    "controls",
    "elements",
    "hash",
)

# Attributes whose words tell what an element is for, with what is put before
# each word: roles and microdata have meanings of their own, apart from the
# names that a site's makers chose.
TOKEN_ATTRIBUTES = {
    "class": "",
    "id": "",
    "data-testid": "",
    "data-component": "",
    "role": "role:",
    "itemprop": "prop:",
    "itemtype": "type:",
}
MAX_TOKENS = 16
MIN_TOKEN, MAX_TOKEN = 2, 24
MAX_VALUE = 1000
TOKEN_LIMITS = MAX_TOKENS, MIN_TOKEN, MAX_TOKEN, MAX_VALUE

# A word of a name: sidebarLeft-2 has sidebar and Left.
_NAME_WORD = re.compile(r"[A-Z]+[a-z]*|[a-z]+")
# White space inside is bounded by what stands before it, so this is linear.
_HIDING = re.compile(
    r"(?:display[ \t\n\r\f]*:[ \t\n\r\f]*none|visibility[ \t\n\r\f]*:[ \t\n\r\f]*hidden)",
    # A dotless i is no i.
    re.IGNORECASE | re.ASCII,
)
_NEWLINES = re.compile(r"\r\n?")
# All white space of preformatted text but tabs and line feeds is one column.
_PRE_SPACE = re.compile(r"[^\S\n\t]")
# How many elements there are between two looks at the clock.
_CLOCK = 1024

# The letters of the classes that blocks count, from UPPER to OTHER.
_COUNTED = [letter_of(kind) for kind in range(UPPER, SPACE)]

_NONE, _SPACE, _LINE = range(3)
Children = Iterator[tuple[int, Any]]
_END: tuple[int, Any] = (0, None)
_PARENT, _LAST_BLOCK, _PLACE = (
    ELEMENT_COLUMNS.index(name) for name in ("parent", "last_block", "place")
)


# The text is addressed by 32-bit numbers.
MAX_TEXT = 2**31 - 1


@dataclass(frozen=True)
class Walk:
    """The tables of one page.

    ``text`` holds the blocks' texts in UTF-8, one after the other;
    ``elements`` and ``blocks`` have a row an element or block and the columns
    named above, as 32-bit integers; ``tokens`` are unsigned 32-bit hashes.
    ``root`` is the element that the walk started from, None where the tables
    have been kept without their page.
    """

    text: bytes
    elements: npt.NDArray[np.int32]
    blocks: npt.NDArray[np.int32]
    tokens: npt.NDArray[np.uint32]
    root: Any

    @cached_property
    def _known(self) -> dict[int, Any]:
        return {-1: None, 0: self.root}

    @cached_property
    def _children(self) -> dict[int, list[Any]]:
        return {}

    def node(self, row: int) -> Any:
        """The lxml element of one row; the tree must be as it was.

        It is looked up when asked for, as most elements of most pages are never
        asked for, and lxml makes an object of each.  The children of an element
        are listed once, so that many look-ups are linear too.
        """
        known = self._known
        if row in known:
            return known[row]
        cell = self.elements.item
        way = []
        while row not in known:
            way.append(row)
            row = cell(row, _PARENT)
        node = known[row]
        for child in reversed(way):
            children = self._children.get(row)
            if children is None:
                children = self._children[row] = list(node.iterchildren())
            node = known[child] = children[cell(child, _PLACE)]
            row = child
        return node

    @cached_property
    def nodes(self) -> list[Any]:
        """The lxml element of each row of ``elements``."""
        return [self.node(row) for row in range(len(self.elements))]


def fnv1a(data: bytes) -> int:
    """The 32-bit FNV-1a hash."""
    value = 0x811C9DC5
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


# Bounded: attribute values of one site repeat, those of all sites do not end.
@lru_cache(maxsize=16384)
def name_tokens(value: str, prefix: str) -> tuple[int, ...]:
    """The hashes of the words in an attribute's value."""
    return tuple(
        fnv1a((prefix + word.lower()).encode())
        for word in _NAME_WORD.findall(value)
        if MIN_TOKEN <= len(word) <= MAX_TOKEN
    )


class _Run:
    """The text being gathered for the next block."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.pending = _NONE
        self.chars = 0
        self.link_chars = 0
        self.strong_chars = 0
        self.inner = 0

    def clear(self) -> None:
        self.parts = []
        self.pending = _NONE
        self.chars = self.link_chars = self.strong_chars = 0

    def add(self, piece: str, link: bool, strong: bool, inner: int) -> None:
        """Add text as it stands in the source; its white space is collapsed."""
        if INVISIBLE.search(piece):
            piece = INVISIBLE.sub("", piece)
        words = piece.split()
        if not words:
            if piece:
                self.space()
            return
        text = " ".join(words)
        if self.parts:
            if self.pending == _LINE:
                text = "\n" + text
            elif self.pending or piece[0].isspace():
                text = " " + text
        else:
            self.inner = inner
        self._append(text, link, strong)
        self.pending = _SPACE if piece[-1].isspace() else _NONE

    def add_preformatted(
        self, piece: str, link: bool, strong: bool, inner: int
    ) -> None:
        """Add text whose white space counts."""
        if INVISIBLE.search(piece):
            piece = INVISIBLE.sub("", piece)
        piece = _PRE_SPACE.sub(" ", _NEWLINES.sub("\n", piece))
        if piece:
            if not self.parts:
                self.inner = inner
            self._append(piece, link, strong)

    def space(self) -> None:
        """Add a space, unless one stands there."""
        if self.parts and not self.pending:
            self.pending = _SPACE

    def new_line(self) -> None:
        """Begin a line in preformatted text, unless one has just begun."""
        if self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")
            self.chars += 1

    def _append(self, text: str, link: bool, strong: bool) -> None:
        self.parts.append(text)
        length = len(text)
        self.chars += length
        if link:
            self.link_chars += length
        if strong:
            self.strong_chars += length


class _Frame(NamedTuple):
    """What the elements around a piece of text make of it."""

    block: int = 0  # what stands in no block is the root's
    kind: int = PARAGRAPH
    level: int = 0
    item: int = -1
    row: int = -1
    lists: int = 0
    link: bool = False
    strong: bool = False
    pre: bool = False


class _Tables:
    """The tables as they grow, and what was met since the last block."""

    def __init__(self) -> None:
        self.text = bytearray()
        self.elements: list[list[int]] = []
        self.blocks: list[list[int]] = []
        self.tokens: list[int] = []
        self.links = 0
        self.images = 0
        self.controls = 0
        self.started = 0

    def enter(
        self, attributes: dict[str, str], tag: int, parent: int, depth: int, place: int
    ) -> int:
        """Add a row for an element; gives its number."""
        first = len(self.tokens)
        for name, value in attributes.items():
            prefix = TOKEN_ATTRIBUTES.get(name)
            if prefix is not None:
                self.tokens += name_tokens(value[:MAX_VALUE], prefix)
        del self.tokens[first + MAX_TOKENS :]
        here = len(self.blocks)
        tokens = len(self.tokens) - first
        self.elements.append([parent, tag, depth, here, here, first, tokens, place])
        self.started += 1
        return len(self.elements) - 1

    def flush(self, run: _Run, frame: _Frame) -> None:
        """Make a block of the text gathered, if there is any."""
        if not run.parts:
            return
        text = "".join(run.parts)
        if frame.pre:
            text = _outer_strip(text)
        if text:
            self._block(text, run, frame)
        run.clear()

    def finish(self, root: Any) -> Walk:
        """The tables as arrays."""
        if len(self.text) > MAX_TEXT:
            raise OverflowError(f"the page has more than {MAX_TEXT} bytes of text")
        shape = len(self.elements), len(ELEMENT_COLUMNS)
        elements = np.array(self.elements, dtype=np.int32).reshape(shape)
        shape = len(self.blocks), len(BLOCK_COLUMNS)
        blocks = np.array(self.blocks, dtype=np.int32).reshape(shape)
        tokens = np.array(self.tokens, dtype=np.uint32)
        return Walk(bytes(self.text), elements, blocks, tokens, root)

    def _block(self, text: str, run: _Run, frame: _Frame) -> None:
        encoded = text.encode()
        letters = text.translate(CLASS_LETTERS)
        counts = [letters.count(letter) for letter in _COUNTED]
        wide = counts[WIDE - UPPER]
        start = len(self.text)
        self.text += encoded
        chars = len(text)
        self.blocks.append(
            [
                start,
                start + len(encoded),
                frame.block,
                run.inner,
                frame.item,
                frame.row,
                frame.kind,
                frame.level,
                chars,
                len(text.split()),
                chars + wide,
                text.count("\n"),
                min(run.link_chars, chars),
                self.links,
                min(run.strong_chars, chars),
                *counts,
                ord(letters[0]) - 0x41,
                ord(letters[-1]) - 0x41,
                self.images,
                self.controls,
                self.started,
                # As a signed number, to stand beside the others.
                (crc32(encoded) ^ 0x80000000) - 0x80000000,
            ]
        )
        self.links = self.images = self.controls = self.started = 0


def _outer_strip(text: str) -> str:
    """Preformatted text without the empty lines before it and the space after."""
    text = text.rstrip(" \t\n")
    blank = len(text) - len(text.lstrip(" \t\n"))
    return text[text.rfind("\n", 0, blank) + 1 :]


def is_hidden(attributes: dict[str, str], tag: str) -> bool:
    """Whether a browser hides an element, as far as its own attributes tell."""
    style = attributes.get("style")
    if style is not None and _HIDING.search(style):
        return True
    if "hidden" in attributes:
        # React streams parts of a page as hidden S: elements, and a line of
        # script moves each to its place.
        return not attributes.get("id", "").startswith("S:")
    return tag == "dialog" and "open" not in attributes


def _skipped(
    attributes: dict[str, str], name: str, heading: bool, lenient: bool
) -> bool:
    """Whether an element's content is none of the page's text by its tag alone."""
    if name == "template":
        # A shadow tree that is written out is shown.
        return "shadowrootmode" not in attributes
    if lenient:
        return name in LENIENT_SKIP
    return name in SKIP or (name == "button" and not heading)


def _leaf(
    attributes: dict[str, str],
    name: str,
    frame: _Frame,
    run: _Run,
    tables: _Tables,
    lenient: bool,
) -> bool:
    """Deal with an element whose content is no text; False for all others."""
    if _skipped(attributes, name, frame.kind == HEADING, lenient):
        if name in CONTROLS:
            tables.controls += 1
        elif name == "img":
            tables.images += 1
        if name in SPACERS:
            run.space()
        return True
    if name == "br":
        if frame.pre:
            run.new_line()
        elif run.pending == _LINE:
            tables.flush(run, frame)
        elif run.parts:
            run.pending = _LINE
        return True
    if name == "hr":
        _border(run, frame, frame.pre, tables)
        return True
    return not lenient and is_hidden(attributes, name)


def _border(run: _Run, frame: _Frame, inside_pre: bool, tables: _Tables) -> None:
    """A border between blocks, which inside preformatted text is a new line."""
    if inside_pre:
        run.new_line()
    else:
        tables.flush(run, frame)


def _inside(
    frame: _Frame, attributes: dict[str, str], name: str, row: int, is_block: bool
) -> _Frame:
    """The frame inside an element, given the one outside."""
    if not is_block:
        if name == "a":
            return frame._replace(link=True) if "href" in attributes else frame
        return frame._replace(strong=True) if name in STRONG else frame
    block, kind, level, item, table_row, lists, link, strong, pre = frame
    block = row
    of_tag = KIND_OF.get(name)
    if of_tag is not None:
        kind = of_tag
        if kind == HEADING:
            level = int(name[1])
        elif kind == ITEM:
            level, item = lists, row
        elif kind == QUOTE:
            level = level + 1 if frame.kind == QUOTE else 1
        else:
            level = 0
            if kind == CELL:
                item = row
            elif kind == CODE:
                pre = True
    elif name in LISTS:
        lists += 1
    elif name == "tr":
        table_row = row
    return _Frame(block, kind, level, item, table_row, lists, link, strong, pre)


def walk(root: Any, lenient: bool = False) -> Walk:
    """Walk a tree from its root element; the tree is not changed.

    A lenient walk also reads what a browser hides: noscript, elements that are
    not displayed, buttons, and what an unclosed svg or object swallowed.
    """
    tables = _Tables()
    run = _Run()
    frame = _Frame()
    here = -1
    # For each open element: its row, its frame, whether blocks end at it, and
    # what of its children is still to come.  iterwalk() would do the same in
    # quadratic time where many comments stand side by side.
    open_elements: list[tuple[Any, int, _Frame, bool, Children]] = []
    link_ended = False
    children: Children = enumerate((root,))
    while True:
        place, element = next(children, _END)
        if element is None:
            if not open_elements:
                break
            element, outer, outer_frame, is_block, children = open_elements.pop()
            if is_block:
                _border(run, frame, outer_frame.pre, tables)
            tables.elements[here][_LAST_BLOCK] = len(tables.blocks)
            link_ended = _local_name(element.tag) == "a"
            here, frame = outer, outer_frame
            # What stands behind the root is no part of it.
            text = element.tail if open_elements else None
        elif not isinstance(element.tag, str):  # a comment or the like
            link_ended = False
            text = element.tail if open_elements else None
        else:
            name = _local_name(element.tag)
            # As the tree has them: get() would add what a DTD declares.
            attributes = dict(element.items())
            if _leaf(attributes, name, frame, run, tables, lenient):
                text = element.tail if open_elements else None
            else:
                is_block = name in BLOCK
                if is_block:
                    _border(run, frame, frame.pre, tables)
                elif link_ended and name == "a":
                    # Two links side by side are never one word.
                    run.space()
                open_elements.append((element, here, frame, is_block, children))
                children = enumerate(element.iterchildren())
                if len(tables.elements) % _CLOCK == 0:
                    check()
                tag, depth = TAG_ID.get(name, 0), len(open_elements)
                here = tables.enter(attributes, tag, here, depth, place)
                frame = _inside(frame, attributes, name, here, is_block)
                if frame.link and name == "a":
                    tables.links += 1
                text = element.text
            link_ended = False
        if text:
            link_ended = False
            if frame.pre:
                run.add_preformatted(text, frame.link, frame.strong, here)
            else:
                run.add(text, frame.link, frame.strong, here)
    tables.flush(run, frame)
    return tables.finish(root)


def _local_name(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rpartition("}")[2] if tag.startswith("{") else tag
