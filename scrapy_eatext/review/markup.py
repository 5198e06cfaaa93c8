"""A page's markup as events, with the block of each piece of text.

From the events `frame.py` writes the page for the frame, and marked_source() the page
with its main text between comments, as the n-gram model reads it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_eatext.learning.marked import BEGIN, FINISH
from scrapy_eatext.page.characters import BROKEN_LINE, INVISIBLE
from scrapy_eatext.page.events import events as nodes
from scrapy_eatext.page.replacements import local_name, replacement_of

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

START, TEXT, END = "start", "text", "end"
VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param "
    "source track wbr".split()
)
# Elements that are left out: a line in one could look like a mark.
_UNMARKED = frozenset(("script", "style"))


class Event(NamedTuple):
    """The start or the end of an element, or a piece of text.

    ``element`` starts, ends, or is the text's parent.  ``block`` is the number of the
    text's block, -1 for none.
    """

    what: str
    element: Any
    text: str = ""
    block: int = -1


def events(page: Page) -> Iterator[Event]:
    """All elements and texts of a page, in document order, without comments.

    As the walk has only the place where a block begins, the texts of the page and those
    of the blocks are compared in parallel, without white space.  Hidden texts are in no
    block.  A formula is one text, in TeX.
    """
    blocks = page.blocks
    shown = set(blocks.walk.nodes)
    follow = _Follower(blocks.texts())

    def texts(inside: Any, text: str | None) -> Iterator[Event]:
        if text:
            block = follow.block_of(text) if inside in shown else -1
            yield Event(TEXT, inside, text, block)

    formula = Event(TEXT, None)

    def is_formula(element: Any) -> bool:
        """Whether the walk reads a text instead of an element, such as a formula's TeX."""
        nonlocal formula
        around = element.getparent()
        if element in shown or around not in shown:
            return False
        text = replacement_of(element)
        block = -1 if text is None else follow.block_of(text)
        formula = Event(TEXT, around, text or "", block)
        return block >= 0

    for event, node in nodes(page.root, is_formula):
        if event == "start":
            yield Event(START, node)
            yield from texts(node, node.text)
            continue
        if event == "end":
            yield Event(END, node)
        elif event == "skipped":
            yield formula
        if node is not page.root:
            yield from texts(node.getparent(), node.tail)


class _Follower:
    """Matches the texts of a page, in order, with the texts of its blocks."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = ["".join(text.split()) for text in texts]
        self._block = 0
        self._at = 0

    def block_of(self, text: str) -> int:
        """The number of the block of the page's next text, -1 for none."""
        bare = "".join(INVISIBLE.sub("", BROKEN_LINE.sub("", text)).split())
        if not bare or self._block == len(self._texts):
            return -1
        if not self._texts[self._block].startswith(bare, self._at):
            return -1
        here = self._block
        self._at += len(bare)
        if self._at == len(self._texts[here]):
            self._block, self._at = here + 1, 0
        return here


def name_of(element: Any) -> str:
    """An element's name in lower case, without a namespace."""
    # lxml's QName refuses some names of pages, such as "a:b:c".
    return local_name(str(element.tag)).lower()


def marked_source(page: Page, main: Container[int]) -> Iterator[str]:
    """The parts of a page's source, with comments around the blocks in ``main``."""
    inside = False
    for event in events(page):
        name = name_of(event.element)
        if name in _UNMARKED:
            continue
        if event.what == TEXT:
            if event.block >= 0 and (event.block in main) != inside:
                inside = not inside
                yield f"\n{BEGIN if inside else FINISH}\n"
            yield escape(event.text, quote=False)
        elif event.what == START:
            attributes = event.element.attrib.items()
            written = "".join(f' {key}="{escape(value)}"' for key, value in attributes)
            yield f"<{name}{written}>"
        elif name not in VOID:
            yield f"</{name}>"
    if inside:
        yield f"\n{FINISH}\n"
