"""Dragnet's blocks: the table from which its features are computed.

There are two readings.  original_blocks() parses and splits a page as Dragnet's own
code did, off-by-one errors included.  page_blocks() takes the blocks of the page's
walk, which end with their elements.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.events import events
from scrapy_eatext.page.guard import tame
from scrapy_eatext.page.memory import raise_memory
from scrapy_eatext.page.tags import TAGS
from scrapy_eatext.page.walk import fnv1a

if TYPE_CHECKING:
    from scrapy_eatext.page.blocks import Blocks

Floats = NDArray[np.float64]

# Elements that start a block, and elements of which only the tail is read; "fram" is
# the original's.
_STARTS = frozenset("h1 h2 h3 h4 h5 h6 p div table map".split())
_IGNORED = frozenset(
    "applet area base basefont bdo button caption fieldset fram frameset iframe img "
    "input legend link menu meta noframes noscript object optgroup option param "
    "script select style textarea var xmp like like-box plusone svg math".split()
)
_SKIPPED = _IGNORED | {"a"}

# Readability's weights: an id or class that matches counts 25 up or down ...
_BAD_WORDS = (
    "combx comment com- contact foot footer footnote masthead media meta outbrain "
    "promo related scroll shoutbox sidebar sponsor shopping tags tool widget".split()
)
_GOOD_WORDS = "article body content entry hentry main page pagination post text blog story".split()
_BAD = re.compile("|".join(_BAD_WORDS), re.IGNORECASE)
_GOOD = re.compile("|".join(_GOOD_WORDS), re.IGNORECASE)
# ... and some tags a little.
_TAG_WEIGHTS = {
    **dict.fromkeys("div pre td blockquote".split(), 5),
    **dict.fromkeys("address ol ul dl dd dt li form".split(), -3),
    **dict.fromkeys("h1 h2 h3 h4 h5 h6 th".split(), -5),
}

# The separators of the original's words: all but ASCII letters and digits.
_SEPARATORS = re.compile(rb"[\W_]+")
_ANY_WORD = re.compile(r"[^\W_]")

_XML_ENCODING = re.compile(rb"""^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]+)""")
_META_CHARSET = re.compile(
    rb"""<meta[^>]{0,400}charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)

_LINE = 80
# A block counts for its parent if it has more characters than this and such a tag.
_SCORED_LENGTH = 25
_SCORED_TAGS = frozenset(("div", "p"))


@dataclass(frozen=True)
class Table:
    """The blocks of a page, and the tree of nodes around them.

    Arrays with an entry for each block are ``length`` of the text (in bytes for the
    original's), ``link_density``, ``text_density`` (words per line of 80 characters),
    ``ratio`` (length to tags), ``node`` (its parent in the tree) and ``scored``
    (whether it counts for its parent).  Arrays with an entry for each node, parents
    before their children, are ``parent`` (-1 for the root), ``end`` (the node after its
    last descendant) and ``weight``.  Only original_blocks() sets ``texts``, the blocks'
    texts, and ``ids`` and ``classes``, the names of their elements.
    """

    length: Floats
    link_density: Floats
    text_density: Floats
    ratio: Floats
    node: NDArray[np.int64]
    scored: NDArray[np.bool_]
    parent: NDArray[np.int64]
    end: NDArray[np.int64]
    weight: Floats
    texts: Sequence[str] = ()
    ids: Sequence[str] = ()
    classes: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.length)


@dataclass(slots=True)
class _Block:
    """A block of the original's.

    While it is read it has pieces; at its end it gets a text, and ``nodes``, the first
    node that began in it and the one after the last.
    """

    tag: str = ""
    node: int = 0
    pieces: list[str] = field(default_factory=list)
    in_links: list[str] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=lambda: {"id": [], "class": []})
    tags: int = 1
    text: bytes = b""
    nodes: tuple[int, int] = (0, 0)


class _Cutter:
    """Splits a tree into blocks as the original does: at start tags alone."""

    def __init__(self, root: Any) -> None:
        self.done: list[_Block] = []
        self.parent = [-1]
        self.end = [1]
        self.weight = [_weight(root)]
        self._block = _Block()
        self._written = 0
        self._walk(root)
        # As in the original, the last flush also leaves out one tag.
        self._flush("", 0)

    def _walk(self, root: Any) -> None:
        nodes = [0]
        walk = events(root, lambda element: element.tag in _SKIPPED)
        next(walk)
        for event, element in walk:
            if event == "end":
                self.end[nodes.pop()] = len(self.parent)
            else:
                node = self._start(element, nodes[-1])
                if event == "start":
                    nodes.append(node)
                    self._block.pieces.append(element.text or "")
                    continue
            if nodes:
                self._block.pieces.append(element.tail or "")

    def _start(self, element: Any, parent: int) -> int:
        """Begin an element; returns its node."""
        tag = element.tag
        self._block.tags += 1
        node = len(self.parent)
        self.parent.append(parent)
        self.end.append(node + 1)
        self.weight.append(_weight(element))
        if tag in _STARTS:
            self._flush(tag, parent)
        if tag not in _IGNORED:
            for key, names in self._block.names.items():
                if value := element.get(key):
                    names.append(value.lower())
        if tag == "a":
            pieces = self._anchor(element)
            self._block.pieces += pieces
            self._block.in_links += pieces
        return node

    def _anchor(self, anchor: Any) -> list[str]:
        """The texts inside an anchor, in which no block starts."""
        pieces = []
        for event, element in events(anchor, lambda inside: inside.tag in _IGNORED):
            inside = element is not anchor
            self._block.tags += inside and event != "end"
            if event == "start":
                pieces.append(element.text or "")
            elif inside:
                pieces.append(element.tail or "")
        return pieces

    def _flush(self, tag: str, parent: int) -> None:
        """End the current block, and begin the next one with the tag."""
        block = self._block
        block.text = _joined(block.pieces)
        if block.text:
            # The element that starts the next block belongs to that block.
            until = len(self.parent) - 1
            block.nodes = (self._written, until)
            self._written = until
            if _ANY_WORD.search(block.text.decode("utf-8", "replace")):
                self.done.append(block)
        self._block = _Block(tag, parent)


def _joined(pieces: Sequence[str]) -> bytes:
    """Pieces of text as UTF-8, white space of bytes collapsed: not the no-break space."""
    return b" ".join(" ".join(pieces).encode("utf-8", "replace").split())


def original_blocks(html: bytes, encoding: str | None = None) -> Table:
    """The blocks as Dragnet splits them; none if the page can't be parsed."""
    try:
        parser = etree.HTMLParser(
            recover=True,
            remove_comments=True,
            remove_pis=True,
            encoding=encoding or declared_encoding(html),
        )
        root = etree.fromstring(tame(html), parser)
    except (etree.LxmlError, LookupError, ValueError) as error:
        raise_memory(error)
        root = None
    return _table(_Cutter(etree.Element("html") if root is None else root))


def declared_encoding(html: bytes) -> str:
    """The encoding that a page declares where Dragnet looks, or UTF-8."""
    match = _XML_ENCODING.search(html[:1024])
    if match is None:
        match = _META_CHARSET.search(html[: max(2048, len(html) // 20)])
    return match.group(1).decode("ascii", "replace") if match else "utf-8"


def _table(cutter: _Cutter) -> Table:
    blocks = cutter.done
    written = np.zeros(len(cutter.parent), dtype=np.bool_)
    for block in blocks:
        # A node's weight belongs to the block in which the node began, and is lost with
        # that block.
        written[slice(*block.nodes)] = True
    length = _floats(len(block.text) for block in blocks)
    counts = _floats(_count(block.text) for block in blocks)
    links = _floats(_count(_joined(block.in_links)) for block in blocks)
    tags = _floats(block.tags - 1 for block in blocks)
    in_scored = np.array([block.tag in _SCORED_TAGS for block in blocks], dtype=bool)
    return Table(
        length=length,
        link_density=links / np.maximum(counts, 1),
        text_density=_floats(_density(block.text) for block in blocks),
        ratio=length / np.maximum(tags, 1),
        node=np.array([block.node for block in blocks], dtype=np.int64),
        scored=(length > _SCORED_LENGTH) & in_scored,
        parent=np.array(cutter.parent, dtype=np.int64),
        end=np.array(cutter.end, dtype=np.int64),
        weight=_floats(cutter.weight) * written,
        texts=[block.text.decode("utf-8", "replace") for block in blocks],
        ids=[" ".join(block.names["id"]) for block in blocks],
        classes=[" ".join(block.names["class"]) for block in blocks],
    )


def _floats(numbers: Iterable[float]) -> Floats:
    return np.fromiter(numbers, dtype=np.float64)


def _count(text: bytes) -> int:
    """The number of words as in the original, with empty ones at the ends."""
    return len(_SEPARATORS.split(text))


def _density(text: bytes) -> float:
    """Words per line of 80 bytes; the last line counts only if it is the only one."""
    lines = math.ceil(len(text) / _LINE)
    if lines == 1:
        return _count(text)
    return _count(text[: (lines - 1) * _LINE]) / (lines - 1)


def _weight(element: Any) -> int:
    """Readability's weight of an element, by its id, class and tag."""
    weight = 0
    for value in (element.get("id"), element.get("class")):
        if value:
            weight -= 25 * (_BAD.search(value) is not None)
            weight += 25 * (_GOOD.search(value) is not None)
    return weight + _TAG_WEIGHTS.get(element.tag, 0)


# By a tag's number in the walk.
_WEIGHT_OF = np.array([_TAG_WEIGHTS.get(tag, 0) for tag in TAGS], dtype=np.float64)
_SCORED_TAG = np.array([tag in _SCORED_TAGS for tag in TAGS])


def _hashes(words: Sequence[str]) -> NDArray[np.uint32]:
    """The walk's hashes of words and of their plurals."""
    forms = [form for word in words for form in (word, word + "s")]
    return np.array([fnv1a(form.encode()) for form in forms], dtype=np.uint32)


# The walk has whole words of names alone, not "com-".
_BAD_HASHES = _hashes([word for word in _BAD_WORDS if word.isalpha()])
_GOOD_HASHES = _hashes(_GOOD_WORDS)


def page_blocks(blocks: Blocks) -> Table:
    """The table of a page's own blocks, without texts and names.

    Other than in the original's, densities are of characters, so that all scripts
    count; a block's parent is the element around its own; no node's weight is lost.
    """
    walk = blocks.walk
    column = walk.blocks.T.astype(np.float64)
    elements = walk.elements.astype(np.int64)
    length, words = column[BlockColumn.CHARS], column[BlockColumn.WORDS]
    width = np.maximum(column[BlockColumn.WIDTH], 1)
    # A wide character counts as a word.
    words = words + column[BlockColumn.WIDE]
    own = walk.blocks[:, BlockColumn.ELEMENT].astype(np.int64)
    tag, parent = elements[:, ElementColumn.TAG], elements[:, ElementColumn.PARENT]
    return Table(
        length=length,
        link_density=column[BlockColumn.LINK_CHARS] / np.maximum(length, 1),
        text_density=words / np.maximum(width / _LINE, 1),
        ratio=length / np.maximum(column[BlockColumn.ELEMENTS], 1),
        node=np.maximum(parent[own], 0),
        scored=(length > _SCORED_LENGTH) & _SCORED_TAG[tag[own]],
        parent=parent,
        end=elements[:, ElementColumn.END],
        weight=_WEIGHT_OF[tag] + _name_weights(walk.tokens, elements),
    )


def _name_weights(tokens: NDArray[np.uint32], elements: NDArray[np.int64]) -> Floats:
    """For each element 25 if it has a good name, and minus 25 if it has a bad one."""
    counts = elements[:, ElementColumn.TOKENS]
    owner = np.repeat(np.arange(len(elements)), counts)
    weights = np.zeros(len(elements))
    for hashes, value in ((_BAD_HASHES, -25.0), (_GOOD_HASHES, 25.0)):
        named = owner[np.isin(tokens, hashes)]
        weights[np.unique(named)] += value
    return weights
