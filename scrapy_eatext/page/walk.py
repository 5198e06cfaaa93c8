"""The walk, in Python: one pass from a tree to tables of elements and blocks.

This is the reference for its compiled twin, which gives the same tables.
Every figure is a whole number, so that both are equal to the last bit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from scrapy_eatext.deadline import check
from scrapy_eatext.page.characters import (
    BROKEN_LINE,
    CLASS_OF,
    INVISIBLE,
    PERMALINKS,
    SPACE,
    UPPER,
    WIDE,
)
from scrapy_eatext.page.columns import (
    BLOCK_COLUMNS,
    ELEMENT_COLUMNS,
    MARK_COLUMNS,
    ElementColumn,
)
from scrapy_eatext.page.tags import (
    BLOCK,
    CELL,
    CODE,
    CONTROLS,
    HEADING,
    IMG,
    ITEM,
    KIND_OF,
    LENIENT_SKIP,
    LISTS,
    PARAGRAPH,
    QUOTE,
    SKIP,
    SOURCE,
    SPACERS,
    STRONG,
    STYLE_OF,
    TAG_ID,
)

if TYPE_CHECKING:
    import numpy.typing as npt

# The style of an image's mark.
IMAGE = -1

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
# Roles of what is hidden until a reader opens it.
PANELS = frozenset(("tabpanel", "region"))
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

_NONE, _SPACE, _LINE = range(3)
Children = Iterator[tuple[int, Any]]
# The style and the link of plain text.
_PLAIN = (0, -1)
_ROW = len(ELEMENT_COLUMNS)


# The text is addressed by 32-bit numbers.
MAX_TEXT = 2**31 - 1


def _no_marks() -> npt.NDArray[np.int32]:
    return np.empty((0, len(MARK_COLUMNS)), dtype=np.int32)


@dataclass(frozen=True)
class Walk:
    """The tables of one page.

    ``text`` holds the blocks' texts in UTF-8, one after the other;
    ``elements`` and ``blocks`` have a row an element or block and the columns
    named above, as 32-bit integers, ``marks`` one a mark; ``tokens`` are unsigned
    32-bit hashes.
    ``root`` is the element that the walk started from, None where the tables
    have been kept without their page.
    """

    text: bytes
    elements: npt.NDArray[np.int32]
    blocks: npt.NDArray[np.int32]
    tokens: npt.NDArray[np.uint32]
    root: Any
    marks: npt.NDArray[np.int32] = field(default_factory=_no_marks)

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
            row = cell(row, ElementColumn.PARENT)
        node = known[row]
        for child in reversed(way):
            node = known[child] = self._child(
                row, node, cell(child, ElementColumn.PLACE)
            )
            row = child
        return node

    def child(self, row: int, place: int) -> Any:
        """The element at a place among the children of one row's, shown or not."""
        return self._child(row, self.node(row), place)

    def _child(self, row: int, node: Any, place: int) -> Any:
        children = self._children.get(row)
        if children is None:
            children = self._children[row] = list(node.iterchildren())
        return children[place]

    @cached_property
    def nodes(self) -> list[Any]:
        """The lxml element of each row of ``elements``."""
        return [self.node(row) for row in range(len(self.elements))]


def nodes_of(walk: Walk, rows: list[int]) -> list[Any]:
    """The elements of some rows, in rising order; the tree must be as it was."""
    return [walk.node(row) for row in rows]


def attribute_values(walk: Walk, rows: list[int], name: str) -> list[str | None]:
    """An attribute of some elements, by their rows in rising order; None for none."""
    return [walk.node(row).get(name) for row in rows]


def child_values(
    walk: Walk, rows: list[int], places: list[int], tag: str, names: tuple[str, ...]
) -> list[list[str | None] | None]:
    """Some attributes of children of elements, by their rows and places.

    They are given in the order of the page; for one of another tag there is None.
    """
    children = map(walk.child, rows, places)
    return [
        [child.get(name) for name in names] if child.tag == tag else None
        for child in children
    ]


def fnv1a(data: bytes) -> int:
    """The 32-bit FNV-1a hash."""
    value = 0x811C9DC5
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


# Both are bounded: names of one site repeat, those of all sites do not end.
@lru_cache(maxsize=16384)
def name_tokens(value: str, prefix: str = "") -> tuple[int, ...]:
    """The hashes of the words in an attribute's value."""
    return tuple(
        [
            _word_token(prefix + word)
            for word in _NAME_WORD.findall(value)
            if MIN_TOKEN <= len(word) <= MAX_TOKEN
        ]
    )


@lru_cache(maxsize=16384)
def _word_token(word: str) -> int:
    return fnv1a(word.lower().encode())


@dataclass(frozen=True, slots=True)
class _Tag:
    """What the walk does about elements of one name.

    ``number``, ``kind`` and ``style`` are those of the tables, ``kind`` is -1 where
    the name tells none, and ``level`` is a heading's.
    """

    name: str
    number: int
    kind: int
    level: int
    is_block: bool
    style: int


def _tag(name: str) -> _Tag:
    kind = KIND_OF.get(name, -1)
    return _Tag(
        name=name,
        number=TAG_ID.get(name, 0),
        kind=kind,
        level=int(name[1]) if kind == HEADING else 0,
        is_block=name in BLOCK,
        style=STYLE_OF.get(name, 0),
    )


# Looked up once an element, instead of its name in every set of names.
_TAGS = {name: _tag(name) for name in (*TAG_ID, *STYLE_OF) if name}
_UNKNOWN = _tag("")


def _tag_of(element: Any) -> _Tag | None:
    """The tag of an element that stands under no plain name, None for a comment."""
    name = element.tag
    if not isinstance(name, str):
        return None
    return _TAGS.get(_local_name(name), _UNKNOWN)


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
    mark: tuple[int, int] = _PLAIN  # the style and the link


class _Run:
    """The text being gathered for the next block."""

    __slots__ = (
        "around",
        "inner",
        "link_chars",
        "marked",
        "marks",
        "parts",
        "pending",
        "strong_chars",
    )

    def __init__(self) -> None:
        self.inner = 0
        # What white space that is pending stands in.
        self.around = _PLAIN
        self.clear()

    def clear(self) -> None:
        self.parts: list[str] = []
        self.pending = _NONE
        self.link_chars = self.strong_chars = 0
        # Rows of marks, without their block and with parts for bytes.
        self.marks: list[tuple[int, ...]] = []
        # How the text before is marked, None where an image stands before.
        self.marked: tuple[int, int] | None = _PLAIN

    def add(self, piece: str, frame: _Frame, inner: int) -> None:
        """Add text that is not empty, as it stands in the source.

        Its white space is collapsed where it does not count.
        """
        if frame.pre:
            self._add_preformatted(piece, frame, inner)
            return
        if frame.link and frame.kind == HEADING:
            only = piece.strip(" \t\r\n\f")
            if len(only) == 1 and only in PERMALINKS:
                return
        piece = INVISIBLE.sub("", BROKEN_LINE.sub("", piece))
        text = " ".join(piece.split())
        if not text:
            if piece:
                self.space(frame)
            return
        mark = frame.mark
        if self.parts:
            if not self.pending and piece[0].isspace():
                self.pending, self.around = _SPACE, mark
            if self.pending:
                text = ("\n" if self.pending == _LINE else " ") + text
        else:
            self.inner = inner
        if self.marked != mark or (self.pending and self.around != mark):
            around = self.around if self.pending else mark
            self.marks.append((len(self.parts), *mark, *around))
            self.marked = mark
        self._append(text, frame)
        self.pending, self.around = _SPACE if piece[-1].isspace() else _NONE, mark

    def _add_preformatted(self, piece: str, frame: _Frame, inner: int) -> None:
        piece = INVISIBLE.sub("", piece)
        piece = _PRE_SPACE.sub(" ", _NEWLINES.sub("\n", piece))
        if piece:
            if not self.parts:
                self.inner = inner
            self._append(piece, frame)

    def add_image(self, around: int, place: int, frame: _Frame) -> None:
        """Note an image: the element that it stands in, and its place there."""
        if not frame.pre:
            self.marks.append((len(self.parts), IMAGE, frame.mark[1], around, place))
            self.marked = None

    def space(self, frame: _Frame) -> None:
        """Add a space, unless one stands there."""
        if self.parts and not self.pending:
            self.pending, self.around = _SPACE, frame.mark

    def new_line(self) -> None:
        """Begin a line in preformatted text, unless one has just begun."""
        if self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")

    def _append(self, text: str, frame: _Frame) -> None:
        self.parts.append(text)
        if frame.link:
            self.link_chars += len(text)
        if frame.strong:
            self.strong_chars += len(text)


class _Tables:
    """The tables as they grow, and what was met since the last block."""

    def __init__(self) -> None:
        self.text = bytearray()
        # A row after the other, in lists as they are what grows fastest.
        self.elements: list[int] = []
        self.tokens: list[int] = []
        self.count = 0
        self.links = 0
        self.images = 0
        self.controls = 0
        self.started = 0
        self.blocks: list[int] = []
        self.marks: list[int] = []

    def enter(
        self, attributes: dict[str, str], tag: int, parent: int, depth: int, place: int
    ) -> None:
        """Add a row for an element, whose last block is not known yet."""
        if len(self.elements) % (_CLOCK * _ROW) == 0:
            check()
        tokens = self.tokens
        first = len(tokens)
        for name, whole in attributes.items():
            prefix = TOKEN_ATTRIBUTES.get(name)
            if prefix is not None:
                value = whole[:MAX_VALUE]
                tokens += name_tokens(value, prefix)
        count = len(tokens) - first
        if count > MAX_TOKENS:
            del tokens[first + MAX_TOKENS :]
            count = MAX_TOKENS
        here = self.count
        self.elements += (parent, tag, depth, here, here, first, count, place)
        self.started += 1

    def leave(self, row: int) -> None:
        """Note the last block of an element, as it ends."""
        self.elements[row * _ROW + ElementColumn.LAST_BLOCK] = self.count

    def flush(self, run: _Run, frame: _Frame) -> None:
        """Make a block of the text gathered, if there is any."""
        text = "".join(run.parts)
        if frame.pre:
            text = _outer_strip(text)
        if run.marks:
            self._mark(run)
        if text:
            self._block(text, run, frame)
        run.clear()

    def _mark(self, run: _Run) -> None:
        """Add the marks of the block that is to come; without text they stand apart."""
        start, done = len(self.text) if run.parts else -1, 0
        for parts, *rest in run.marks:
            if parts > done:
                start += len("".join(run.parts[done:parts]).encode())
                done = parts
            self.marks += (self.count, start, *rest)

    def finish(self, root: Any) -> Walk:
        """The tables as arrays."""
        if len(self.text) > MAX_TEXT:
            raise OverflowError(f"the page has more than {MAX_TEXT} bytes of text")
        return Walk(
            bytes(self.text),
            _table(self.elements, len(ELEMENT_COLUMNS)),
            _table(self.blocks, len(BLOCK_COLUMNS)),
            np.array(self.tokens, dtype=np.uint32),
            root,
            _table(self.marks, len(MARK_COLUMNS)),
        )

    def _block(self, text: str, run: _Run, frame: _Frame) -> None:
        encoded = text.encode()
        start = len(self.text)
        self.text += encoded
        chars = len(text)
        # The text with the class of each character in its place.
        classes = text.translate(CLASS_OF)
        counts = [classes.count(chr(number)) for number in range(UPPER, SPACE)]
        words = len([run for run in classes.split(chr(SPACE)) if run])
        self.blocks += (
            start,
            start + len(encoded),
            frame.block,
            run.inner,
            frame.item,
            frame.row,
            frame.kind,
            frame.level,
            chars,
            words,
            chars + counts[WIDE - UPPER],
            text.count("\n"),
            min(run.link_chars, chars),
            self.links,
            min(run.strong_chars, chars),
            *counts,
            ord(classes[0]),
            ord(classes[-1]),
            self.images,
            self.controls,
            self.started,
            # As a signed number, to stand beside the others.
            (crc32(encoded) ^ 0x80000000) - 0x80000000,
        )
        self.count += 1
        self.links = self.images = self.controls = self.started = 0


def _table(numbers: list[int], width: int) -> npt.NDArray[np.int32]:
    """Rows of so many numbers."""
    return np.array(numbers, dtype=np.int32).reshape(-1, width)


def _outer_strip(text: str) -> str:
    """Preformatted text without the empty lines before it and the space after."""
    text = text.rstrip(" \t\n")
    blank = len(text) - len(text.lstrip(" \t\n"))
    return text[text.rfind("\n", 0, blank) + 1 :]


def is_hidden(attributes: dict[str, str], tag: str) -> bool:
    """Whether a browser hides an element for good, as far as its attributes tell.

    What a reader opens, as a tab's panel or an accordion's, is part of the page.
    """
    if tag == "dialog" and "open" not in attributes:
        return True
    style = attributes.get("style")
    hides = style is not None and _HIDING.search(style) is not None
    if not hides and "hidden" in attributes:
        # React streams parts of a page as hidden S: elements, and a line of
        # script moves each to its place.
        hides = not (
            attributes["hidden"].lower() == "until-found"
            or attributes.get("id", "").startswith("S:")
        )
    return hides and not _is_panel(attributes)


def _is_panel(attributes: dict[str, str]) -> bool:
    """Whether an element says, as WAI-ARIA has it, that a control shows it.

    A tab panel or a region does, or what is labelled and plays no other role.
    """
    role = attributes.get("role")
    return role in PANELS if role else "aria-labelledby" in attributes


def _skipped(element: Any, name: str, heading: bool, lenient: bool) -> bool:
    """Whether an element's content is none of the page's text by its tag alone."""
    if name == "template":
        # A shadow tree that is written out is shown.
        return "shadowrootmode" not in dict(element.items())
    if name == "head":
        return not _holds_body(element)
    if lenient:
        return name in LENIENT_SKIP
    return name in SKIP or (name == "button" and not heading)


def _holds_body(head: Any) -> bool:
    """Whether a head has in it what is none of a head.

    HTML lets a page leave out where its head ends and its body begins.  The parser
    then ends the head at elements that it knows, but at none that HTML 5 brought.
    """
    tags = (child.tag for child in head)
    return any(isinstance(tag, str) and _local_name(tag) not in SKIP for tag in tags)


def _is_entered(
    element: Any,
    tag: _Tag,
    frame: _Frame,
    run: _Run,
    tables: _Tables,
    lenient: bool,
    place: tuple[int, int],
) -> bool:
    """Whether an element's content is text of the page; what is not is dealt with.

    ``place`` is the row of the element around it and its number there.
    """
    name = tag.name
    if _skipped(element, name, frame.kind == HEADING, lenient):
        if name in CONTROLS:
            tables.controls += 1
        elif name == IMG:
            tables.images += 1
        if name in (IMG, SOURCE):
            run.add_image(*place, frame)
        if name in SPACERS:
            run.space(frame)
        return False
    if name == "br":
        if frame.pre:
            run.new_line()
        elif run.pending == _LINE:
            tables.flush(run, frame)
        elif run.parts:
            run.pending, run.around = _LINE, frame.mark
        return False
    if name == "hr":
        _border(run, frame, frame.pre, tables)
        return False
    return True


def _border(run: _Run, frame: _Frame, inside_pre: bool, tables: _Tables) -> None:
    """A border between blocks, which inside preformatted text is a new line."""
    if inside_pre:
        run.new_line()
    else:
        tables.flush(run, frame)


def _inside(frame: _Frame, tag: _Tag, attributes: dict[str, str], here: int) -> _Frame:
    """The frame inside an element, given the one outside."""
    style, link = frame.mark
    if tag.name == "a" and "href" in attributes:
        return frame._replace(link=True, mark=(style, here))
    if not tag.is_block:
        if not tag.style:
            return frame
        strong = frame.strong or tag.name in STRONG
        return frame._replace(strong=strong, mark=(style | tag.style, link))
    frame = frame._replace(block=here, mark=(0, link))
    if tag.kind < 0:
        if tag.name in LISTS:
            return frame._replace(lists=frame.lists + 1)
        return frame._replace(row=here) if tag.name == "tr" else frame
    changes: dict[str, Any] = {"kind": tag.kind, "level": 0}
    if tag.kind == HEADING:
        changes["level"] = tag.level
    elif tag.kind == ITEM:
        changes.update(level=frame.lists, item=here)
    elif tag.kind == QUOTE:
        changes["level"] = frame.level + 1 if frame.kind == QUOTE else 1
    elif tag.kind == CELL:
        changes["item"] = here
    elif tag.kind == CODE:
        changes["pre"] = True
    return frame._replace(**changes)


def walk(root: Any, lenient: bool = False) -> Walk:
    """Walk a tree from its root element; the tree is not changed.

    A lenient walk also reads what a browser hides: noscript, elements that are
    not displayed, buttons, and what an unclosed svg or object swallowed.
    """
    tables = _Tables()
    run = _Run()
    frame = _Frame()
    here = count = -1
    # For each open element: its tag, the row and the frame outside, and what is
    # still to come of its siblings.  iterwalk() would do the same in quadratic
    # time where many comments stand side by side.
    open_elements: list[tuple[Any, _Tag, int, _Frame, Children]] = []
    link_ended = False
    children: Children = enumerate((root,))
    while True:
        for place, element in children:
            tag = _tag_of(element)
            if tag is not None and _is_entered(
                element, tag, frame, run, tables, lenient, (here, place)
            ):
                # As the tree has them: get() would add what a DTD declares.
                attributes = dict(element.items())
                if lenient or not is_hidden(attributes, tag.name):
                    break
            link_ended = False
            # What stands behind the root is no part of it.
            if open_elements and element.tail:
                run.add(element.tail, frame, here)
        else:
            if not open_elements:
                break
            element, tag, outer, outer_frame, children = open_elements.pop()
            if tag.is_block:
                _border(run, frame, outer_frame.pre, tables)
            tables.leave(here)
            here, frame = outer, outer_frame
            link_ended = tag.name == "a"
            if open_elements and element.tail:
                link_ended = False
                run.add(element.tail, frame, here)
            continue
        if tag.is_block:
            _border(run, frame, frame.pre, tables)
        elif link_ended and tag.name == "a":
            # Two links side by side are never one word.
            run.space(frame)
        link_ended = False
        open_elements.append((element, tag, here, frame, children))
        children = enumerate(element)
        count += 1
        tables.enter(attributes, tag.number, here, len(open_elements), place)
        here = count
        frame = _inside(frame, tag, attributes, here)
        if tag.name == "a" and frame.link:
            tables.links += 1
        if element.text:
            run.add(element.text, frame, here)
    tables.flush(run, frame)
    return tables.finish(root)


def _local_name(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rpartition("}")[2] if tag.startswith("{") else tag
