"""The walk: one pass that makes tables of elements, blocks and marks of a tree.

All values are integers, so that the walk and its compiled twin give identical tables.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from scrapy_eatext.deadline import check
from scrapy_eatext.native.loading import twin
from scrapy_eatext.page.characters import (
    BROKEN_LINE,
    CLASS_OF,
    CLASSES,
    DIGIT,
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
from scrapy_eatext.page.elements import (
    BUTTON,
    QUESTION,
    QUESTION_MARKS,
    TAGS,
    Tag,
    as_its_role,
    ends_in_question,
    is_hidden,
    is_skipped,
    tag_of,
)
from scrapy_eatext.page.replacements import replacement_of
from scrapy_eatext.page.tags import (
    AMP_IMAGES,
    APART,
    CELL,
    CODE,
    CONTROLS,
    EMBEDS,
    HEADING,
    IMG,
    ITEM,
    LISTS,
    PARAGRAPH,
    QUOTE,
    RAISED,
    SHOWN,
    SOURCE,
    SPACERS,
    SPECIAL_TAGS,
    STRONG,
    TEX_TEXT,
)

if TYPE_CHECKING:
    import numpy.typing as npt

# The styles of marks without text: an image, an embed, a rule.
IMAGE, EMBED, RULE = -1, -2, -3
# The marks of skipped elements.
_OTHERS = {**dict.fromkeys(EMBEDS, EMBED), IMG: IMAGE, SOURCE: IMAGE}

# Attributes whose words show the purpose of an element, each with a prefix for its
# words: those of roles and microdata are standardized, those of the others chosen by
# each site.
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
# The word of a wiki's links to edit a section; in a heading they are no text.
EDITING = "editsection"

# A word in a name: sidebarLeft-2 has the words sidebar and Left.
NAME_WORD = re.compile(r"[A-Z]+[a-z]*|[a-z]+")
_QUESTION_MARKS = tuple(map(str.encode, QUESTION_MARKS))
_NEWLINES = re.compile(r"\r\n?")
# White space in preformatted text that is replaced by a space.
_PRE_SPACE = re.compile(r"[^\S\n\t]")
# The number of elements between two checks of the time limit.
_CLOCK = 1024

_NONE, _SPACE, _LINE = range(3)
Children = Iterator[tuple[int, Any]]
# The style and the link of plain text.
_PLAIN = (0, -1)
_ROW = len(ELEMENT_COLUMNS)
# The character classes that are counted in each block, and that of white space.
_COUNTED = range(UPPER, SPACE)
_SPACE_CLASS = bytes([SPACE])
# bytes.translate() of ASCII is many times as fast as str.translate().
_CLASS_OF_BYTE = CLASSES[:256]

# Positions in the text are 32-bit integers.
MAX_TEXT = 2**31 - 1


def free_backwards(cache: dict[Any, Any]) -> None:
    """Empty a dict of elements, or of lists of them, from its end.

    When lxml frees an element, it searches the ancestors for one that is not freed yet.
    That is the parent if children are freed first, and otherwise the top of the page: a
    quarter of a second for 10,000 elements of a deep page, while no other thread runs.
    """
    while cache:
        cache.popitem()


@dataclass(frozen=True)
class Walk:
    """The tables of one page.

    ``text`` has the blocks' texts in UTF-8, one after the other.  ``elements``,
    ``blocks`` and ``marks`` are tables of 32-bit integers with a row for each element,
    block or mark, and the columns of columns.py; ``tokens`` are unsigned 32-bit hashes.
    ``root`` is the element that the walk started from, None if the tables were stored
    without their page.  ``descriptions`` are the page's own descriptions of its text,
    if they have been read (tagger/descriptions.py).  ``gaps`` has the start and the end of each
    text that browsers do not show, as that of a formula, or an empty one where they
    show more.
    """

    text: bytes
    elements: npt.NDArray[np.int32]
    blocks: npt.NDArray[np.int32]
    tokens: npt.NDArray[np.uint32]
    root: Any
    marks: npt.NDArray[np.int32] = field(
        default_factory=lambda: _table([], len(MARK_COLUMNS))
    )
    descriptions: tuple[bytes, ...] = ()
    gaps: npt.NDArray[np.int32] = field(default_factory=lambda: _table([], 2))

    @cached_property
    def _known(self) -> dict[int, Any]:
        return {-1: None, 0: self.root}

    @cached_property
    def _children(self) -> dict[int, list[Any]]:
        return {}

    def __del__(self) -> None:
        self.__dict__.pop("_known", None)
        free_backwards(self.__dict__.get("_children", {}))

    def node(self, row: int) -> Any:
        """The lxml element of a row; the tree must not have changed.

        The children of an element are listed once, so that many look-ups take linear
        time.
        """
        known, value = self._known, self.elements.item
        path = []
        while row not in known:
            path.append(row)
            row = value(row, ElementColumn.PARENT)
        for child in reversed(path):
            known[child] = self.child(row, value(child, ElementColumn.PLACE))
            row = child
        return known[row]

    def child(self, row: int, place: int) -> Any:
        """The child of a row's element at an index, shown or not."""
        children = self._children.get(row)
        if children is None:
            children = self._children[row] = list(self.node(row).iterchildren())
        return children[place]

    @cached_property
    def ends(self) -> list[int]:
        """For each element the row after its last descendant."""
        ends: list[int] = self.elements[:, ElementColumn.END].tolist()
        return ends

    def names_of(self, row: int) -> bytes:
        """The hashes of the words in an element's attributes, as comparable bytes."""
        cell = self.elements.item
        first = cell(row, ElementColumn.FIRST_TOKEN)
        return self.tokens[first : first + cell(row, ElementColumn.TOKENS)].tobytes()

    @cached_property
    def nodes(self) -> list[Any]:
        """The lxml element of each row of ``elements``."""
        return [self.node(row) for row in range(len(self.elements))]


def python_nodes_of(
    walk: Walk, rows: list[int], places: list[int] | None = None
) -> list[Any]:
    """The elements of some rows, or their children at the indices ``places``.

    The tree must not have changed.  Sorted rows are looked up in linear time.
    """
    if places is None:
        return [walk.node(row) for row in rows]
    return list(map(walk.child, rows, places))


def nodes_in(
    walk: Walk, rows: list[int], names: tuple[str, ...], most: int
) -> list[list[Any]]:
    """For each row the first descendants of some names, or the element itself."""
    return [list(islice(node.iter(*names), most)) for node in nodes_of(walk, rows)]


def python_attribute_values(walk: Walk, rows: list[int], name: str) -> list[str | None]:
    """An attribute of the elements of some rows; None for elements without it."""
    return [node.get(name) for node in python_nodes_of(walk, rows)]


def fnv1a(data: bytes) -> int:
    value = 0x811C9DC5
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


# Both caches are bounded, as a site repeats its words but a crawl has many sites.
@lru_cache(maxsize=16384)
def name_tokens(value: str, prefix: str = "") -> tuple[int, ...]:
    """The hashes of the words in an attribute's value."""
    return tuple(
        [
            _word_token(prefix + word)
            for word in NAME_WORD.findall(value)
            if MIN_TOKEN <= len(word) <= MAX_TOKEN
        ]
    )


@lru_cache(maxsize=16384)
def _word_token(word: str) -> int:
    return fnv1a(word.lower().encode())


_EDITING = fnv1a(EDITING.encode())


def tokens_of(attributes: dict[str, str]) -> list[int]:
    """The hashes of the first words in an element's attributes."""
    tokens: list[int] = []
    for name, value in attributes.items():
        prefix = TOKEN_ATTRIBUTES.get(name)
        if prefix is not None:
            tokens += name_tokens(value[:MAX_VALUE], prefix)
    return tokens[:MAX_TOKENS]


def _in_word(sign: str) -> bool:
    kind = CLASS_OF[ord(sign)]
    return (kind <= DIGIT or kind == WIDE) and not INVISIBLE.match(sign)


class _Frame(NamedTuple):
    """The properties that a piece of text has from the elements around it."""

    kind: int = PARAGRAPH
    level: int = 0
    item: int = -1
    row: int = -1
    lists: int = 0
    link: bool = False
    # Whether the link leads to a place on the page.
    near: bool = False
    strong: bool = False
    pre: bool = False
    mark: tuple[int, int] = _PLAIN  # the style and the link


class _Run:
    """Collects the text of the next block."""

    def __init__(self) -> None:
        # The innermost block-level element around; 0 is the root.
        self.block = 0
        self.inner = 0
        # The style and the link of pending white space.
        self.around = _PLAIN
        self.clear()

    def clear(self) -> None:
        self.parts: list[str] = []
        self.pending = _NONE
        # The number of parts when an element of APART ended, -1 for none.
        self.apart = -1
        self.link_chars = self.strong_chars = 0
        # Rows of marks, without their block; the start is a number of parts, not bytes.
        self.marks: list[tuple[int, ...]] = []
        # The starts and ends of gaps, as numbers of parts.
        self.gaps: list[int] = []
        # The style and the link of the previous text, None after an image.
        self.marked: tuple[int, int] | None = _PLAIN

    def add(self, piece: str, frame: _Frame, inner: int) -> None:
        """Add a non-empty text of the source.

        White space is collapsed, except in preformatted text.
        """
        if frame.pre:
            self._add_preformatted(piece, frame, inner)
            return
        if frame.link and (
            frame.kind == HEADING or (frame.near and not frame.mark[0] & RAISED)
        ):
            only = piece.strip(" \t\r\n\f\xa0")
            if len(only) == 1 and only in PERMALINKS:
                self.gap()
                return
        if piece.isspace():
            self.space(frame)
            return
        others: list[str] = []
        if not piece.isascii():
            piece, *others = BROKEN_LINE.split(piece)
        text = " ".join(piece.split())
        # A printable text has no invisible characters, and this test is fast.
        if not text.isprintable():
            piece = INVISIBLE.sub("", piece)
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
        for other in others:
            self.gap()  # browsers show a space
            self.add(other, frame, inner)

    def _add_preformatted(self, piece: str, frame: _Frame, inner: int) -> None:
        piece = INVISIBLE.sub("", piece)
        piece = _PRE_SPACE.sub(" ", _NEWLINES.sub("\n", piece))
        if piece:
            if not self.parts:
                self.inner = inner
            self._append(piece, frame)

    def add_other(self, style: int, around: int, place: int, frame: _Frame) -> None:
        """Mark an image, embed or rule, by its parent's row and its index there."""
        if not frame.pre:
            self.marks.append((len(self.parts), style, frame.mark[1], around, place))
            self.marked = None

    def begin(self, tag: Tag, frame: _Frame) -> None:
        """Process the start of an inline element."""
        if tag.style & RAISED:
            # The number of a footnote stays directly after the link before it.
            self.apart = -1
        elif tag.name in APART and len(self.parts) == self.apart:
            if self.parts and not self.pending:
                self.gap()
            self.space(frame)
        elif tag is BUTTON and self.parts:
            self.gap()

    def gap(self, begin: int | None = None) -> None:
        """Note that browsers do not show the text from ``begin`` on, or show more."""
        end = len(self.parts)
        self.gaps += end if begin is None else begin, end

    def space(self, frame: _Frame) -> None:
        """Add a space, unless one is pending."""
        if self.parts and not self.pending:
            self.pending, self.around = _SPACE, frame.mark

    def end(self, tag: Tag, tail: str | None, row: int, frame: _Frame) -> None:
        """Process the end of an element, given its row and the frame around it."""
        if tag.name in APART:
            self.apart = len(self.parts)
        elif (
            tag.name == "cite"
            and frame.kind == QUOTE
            and self.parts
            and self.inner >= row
            and tail
            and _in_word(tail[0])
        ):
            # Style sheets show a cite that begins a quote as a block.
            self.pending, self.around = _LINE, frame.mark

    def new_line(self) -> None:
        """Start a new line in preformatted text, unless the last one is empty."""
        if self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")

    def _append(self, text: str, frame: _Frame) -> None:
        self.parts.append(text)
        if frame.link:
            self.link_chars += len(text)
        if frame.strong:
            self.strong_chars += len(text)


class _Tables:
    """The growing tables, and counts since the last block."""

    def __init__(self) -> None:
        self.text = bytearray()
        # Flat lists of all rows, as lists grow fastest.
        self.elements: list[int] = []
        self.tokens: list[int] = []
        self.count = 0
        self.links = 0
        self.images = 0
        self.controls = 0
        self.started = 0
        self.blocks: list[int] = []
        self.marks: list[int] = []
        self.gaps: list[int] = []

    def enter(
        self, attributes: dict[str, str], tag: int, parent: int, depth: int, place: int
    ) -> None:
        """Add a row for an element, whose end is not known yet."""
        if len(self.elements) % (_CLOCK * _ROW) == 0:
            check()
        first, here = len(self.tokens), self.count
        self.tokens += tokens_of(attributes)
        count = len(self.tokens) - first
        self.elements += (parent, tag, depth, here, here, first, count, place, 0)
        self.started += 1

    def leave(self, row: int) -> None:
        """Set where an element ends."""
        at = row * _ROW
        self.elements[at + ElementColumn.LAST_BLOCK] = self.count
        self.elements[at + ElementColumn.END] = len(self.elements) // _ROW

    def has_asked(self, run: _Run) -> bool:
        """Whether the text so far ends in a question mark."""
        if run.parts:
            return run.parts[-1].endswith(QUESTION_MARKS)
        return self.text.endswith(_QUESTION_MARKS)

    def flush(self, run: _Run, frame: _Frame) -> None:
        """Make a block of the collected text, if there is any."""
        text = whole = "".join(run.parts)
        if frame.pre:
            text = _outer_strip(text)
        if run.marks or run.gaps:
            ends = [0, *accumulate(map(len, map(str.encode, run.parts)))]
            start = len(self.text)
            # Without text they are those of images before the next block.
            begin = start if run.parts else -1
            for parts, *values in run.marks:
                self.marks += (self.count, begin + ends[parts], *values)
            if run.gaps:
                end = start + len(text.encode())
                if text != whole:
                    begin -= len(whole.rstrip(" \t\n")) - len(text)
                self.gaps += [min(max(begin + ends[n], start), end) for n in run.gaps]
        elif not run.parts:
            run.apart = -1
            return
        if text:
            self._block(text, run, frame)
        run.clear()

    def finish(self, root: Any) -> Walk:
        if len(self.text) > MAX_TEXT:
            raise OverflowError(f"the page has more than {MAX_TEXT} bytes of text")
        return Walk(
            bytes(self.text),
            _table(self.elements, len(ELEMENT_COLUMNS)),
            _table(self.blocks, len(BLOCK_COLUMNS)),
            np.array(array("I", self.tokens), dtype=np.uint32),
            root,
            _table(self.marks, len(MARK_COLUMNS)),
            gaps=_table(self.gaps, 2),
        )

    def _block(self, text: str, run: _Run, frame: _Frame) -> None:
        encoded = text.encode()
        start = len(self.text)
        self.text += encoded
        chars = len(text)
        # The class of each character.
        if text.isascii():
            classes = encoded.translate(_CLASS_OF_BYTE)
        else:
            classes = text.translate(CLASS_OF).encode()
        counts = list(map(classes.count, _COUNTED))
        words = len(list(filter(None, classes.split(_SPACE_CLASS))))
        self.blocks += (
            start,
            start + len(encoded),
            run.block,
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
            classes[0],
            classes[-1],
            self.images,
            self.controls,
            self.started,
            # Signed, as the table is.
            (crc32(encoded) ^ 0x80000000) - 0x80000000,
        )
        self.count += 1
        self.links = self.images = self.controls = self.started = 0


def _table(numbers: list[int], width: int) -> npt.NDArray[np.int32]:
    # An array is faster than a list, in which numpy checks the type of each item.
    return np.array(array("i", numbers), dtype=np.int32).reshape(-1, width)


def _outer_strip(text: str) -> str:
    """Preformatted text without leading empty lines and trailing white space."""
    text = text.rstrip(" \t\n")
    blank = len(text) - len(text.lstrip(" \t\n"))
    return text[text.rfind("\n", 0, blank) + 1 :]


def _is_entered(
    element: Any,
    tag: Tag,
    frame: _Frame,
    run: _Run,
    tables: _Tables,
    lenient: bool,
    place: tuple[int, int],
) -> bool:
    """Whether to walk an element's content; if not, the element is processed here.

    ``place`` is the row of its parent and its index there.
    """
    name = tag.name
    if name in SPECIAL_TAGS or not name:
        begin, replacement = len(run.parts), replacement_of(element)
        if replacement:
            style, link = frame.mark
            around = frame._replace(mark=(style | TEX_TEXT, link))
            run.add(replacement, around, place[0])
        if replacement is not None:
            run.gap(begin)
            return False
    if is_skipped(element, name, frame.kind == HEADING, lenient):
        tables.controls += name in CONTROLS
        tables.images += name == IMG
        if name in _OTHERS:
            run.add_other(_OTHERS[name], *place, frame)
        if name in SHOWN:
            run.gap()
        if name in SPACERS:
            run.space(frame)
        return False
    if name == "br":
        if frame.pre:
            run.parts += "\n" if run.parts else ""
        elif run.pending == _LINE:
            tables.flush(run, frame)
        elif run.parts:
            run.pending, run.around = _LINE, frame.mark
        return False
    if name == "hr":
        _border(run, frame, frame.pre, tables)
        run.add_other(RULE, *place, frame)
        return False
    if name in AMP_IMAGES:
        run.add_other(IMAGE, *place, frame)
    return True


def _is_shown(
    attributes: dict[str, str],
    tag: Tag,
    frame: _Frame,
    lenient: bool,
    answer: str,
    asked: bool,
) -> bool:
    """Whether an element is not hidden, and no wiki's link to edit in a heading."""
    if frame.kind == HEADING and _EDITING in tokens_of(attributes):
        return False
    asked = asked and tag.is_block
    return lenient or not is_hidden(attributes, tag.name, answer, asked)


def _is_behind_question(element: Any) -> bool:
    """Whether the element before has a text that ends in a question mark."""
    before = element.getprevious()
    return before is not None and ends_in_question(before)


def _border(run: _Run, frame: _Frame, inside_pre: bool, tables: _Tables) -> None:
    """End the block, or inside preformatted text the line."""
    if inside_pre:
        run.new_line()
    else:
        tables.flush(run, frame)


def _inside(frame: _Frame, tag: Tag, attributes: dict[str, str], here: int) -> _Frame:
    """The frame inside an element, given the frame around it."""
    style, link = frame.mark
    if tag.name == "a" and "href" in attributes:
        near = len(attributes["href"]) > 1 and attributes["href"][0] == "#"
        return frame._replace(link=True, near=near, mark=(style, here))
    if not tag.is_block:
        if not tag.style:
            return frame
        strong = frame.strong or tag.name in STRONG
        return frame._replace(strong=strong, mark=(style | tag.style, link))
    if style:
        frame = frame._replace(mark=(0, link))
    if tag.kind < 0:
        if tag.name in LISTS:
            return frame._replace(lists=frame.lists + 1)
        return frame._replace(row=here) if tag.name == "tr" else frame
    level = 0
    if tag.kind == HEADING:
        level = tag.level
    elif tag.kind == ITEM:
        level = frame.lists
    elif tag.kind == QUOTE:
        level = frame.level + 1 if frame.kind == QUOTE else 1
    item = here if tag.kind in (ITEM, CELL) else frame.item
    pre = frame.pre or tag.kind == CODE
    return frame._replace(kind=tag.kind, level=level, item=item, pre=pre)


def python_walk(root: Any, lenient: bool = False) -> Walk:
    """Walk a tree from its root element, without changing it.

    A lenient walk also reads elements that browsers hide: noscript, hidden ones,
    buttons, and the content of an svg or object without an end tag.
    """
    tables = _Tables()
    run = _Run()
    frame = _Frame()
    here = count = -1
    # The ID of the element that the last question or heading shows.
    answer = ""
    # Each open element with its tag, the row, block and frame around it, and its
    # remaining siblings.  iterwalk() takes quadratic time for many adjacent comments.
    open_elements: list[tuple[Any, Tag, int, int, _Frame, Children]] = []
    children: Children = enumerate((root,))
    while True:
        for place, element in children:
            # Most tags are known and have no namespace.
            tag = TAGS.get(element.tag) or tag_of(element)
            if tag is BUTTON and frame.kind != HEADING and ends_in_question(element):
                tag = QUESTION
            if tag is not None and (
                tag.is_plain
                or _is_entered(element, tag, frame, run, tables, lenient, (here, place))
            ):
                # Unlike get(), this does not add attributes that a DTD declares.
                attributes = dict(element.items())
                asked = tables.has_asked(run) and _is_behind_question(element)
                if _is_shown(attributes, tag, frame, lenient, answer, asked):
                    break
                run.gap()
            # The root's tail is not part of the page.
            if open_elements and element.tail:
                run.add(element.tail, frame, here)
        else:
            if not open_elements:
                break
            element, tag, outer, block, outer_frame, children = open_elements.pop()
            if tag.is_block:
                _border(run, frame, outer_frame.pre, tables)
            tables.leave(here)
            run.end(tag, element.tail, here, outer_frame)
            here, run.block, frame = outer, block, outer_frame
            if open_elements and element.tail:
                run.add(element.tail, frame, here)
            continue
        tag = as_its_role(tag, attributes)
        if tag.is_block:
            _border(run, frame, frame.pre, tables)
        else:
            run.begin(tag, frame)
        open_elements.append((element, tag, here, run.block, frame, children))
        children = enumerate(element)
        count += 1
        tables.enter(attributes, tag.number, here, len(open_elements), place)
        here = count
        if tag.is_block:
            run.block = here
        frame = _inside(frame, tag, attributes, here)
        may_open = tag is QUESTION or frame.kind == HEADING
        answer = attributes.get("aria-controls", answer) if may_open else answer
        if tag.name == "a" and frame.link:
            tables.links += 1
        if element.text:
            run.add(element.text, frame, here)
    tables.flush(run, frame)
    return tables.finish(root)


walk = twin(python_walk, "_walk")
nodes_of = twin(python_nodes_of, "_walk")
attribute_values = twin(python_attribute_values, "_walk")
# Whether the compiled modules run.
compiled = walk is not python_walk
