"""A reviewed page's markup: as HTML for the frame, and with marks around the main text.

For the frame only listed elements and attributes are written, nothing active.
Independently of this, the answer's Content-Security-Policy and the sandbox forbid to
load, submit and run anything.  The n-gram model reads the marks.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_eatext.learning.marked import BEGIN, FINISH
from scrapy_eatext.page.characters import BROKEN_LINE, INVISIBLE
from scrapy_eatext.page.events import events as nodes
from scrapy_eatext.page.replacements import local_name, replacement_of

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

# Without allow-scripts no script runs in the sandbox.  With allow-same-origin the
# review's own scripts can highlight blocks in it.
SANDBOX = "allow-same-origin"
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; "
    f"base-uri 'none'; frame-ancestors 'self'; sandbox {SANDBOX}"
)

_TAGS = frozenset(
    "a abbr acronym address article aside b bdi bdo big blockquote body br caption "
    "center cite code col colgroup dd del details dfn dir div dl dt em fieldset "
    "figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr html i ins kbd "
    "label legend li listing main mark menu nav ol p pre q rp rt ruby s samp search "
    "section small span strike strong sub summary sup table tbody td tfoot th thead "
    "time tr tt u ul var wbr".split()
)
_ATTRIBUTES = frozenset(
    "align bgcolor border cellpadding cellspacing class color colspan dir face height "
    "id lang open reversed rowspan size start style type valign value width".split()
)
# Elements that are left out with their content, except text in blocks.
_LEFT_OUT = frozenset(
    "applet audio button canvas datalist embed iframe input math meta object "
    "optgroup option progress script select source style svg template textarea title "
    "track video".split()
)
_MAX_VALUE = 2000
# Parts of styles that load something.
_LOADS = re.compile(
    r"""url\s*\([^)]*\)?|@import[^;]*;?|image-set\s*\(|src\s*\(|\\""", re.IGNORECASE
)
_MAX_STYLE = 1_000_000

# The element around each piece of text, with a name that no page's style sheet has.
PIECE = "eatext-t"
_OWN_STYLE = f"""
html {{ color-scheme: light; background: #fff; color: #111; }}
a {{ color: #0645ad; }}
{PIECE} {{ cursor: pointer !important; border-radius: 2px;
  visibility: visible !important; opacity: 1 !important; }}
{PIECE}[k=m] {{ background: rgba(52, 168, 83, .26) !important; }}
{PIECE}[k=c] {{ background: rgba(66, 133, 244, .26) !important; }}
{PIECE}[k="-"] {{ background: rgba(128, 128, 128, .10) !important; }}
{PIECE}[d] {{ text-decoration: underline wavy #d93025 2px !important;
  text-decoration-skip-ink: none !important; }}
{PIECE}[h] {{ outline: 1px dotted #555 !important; }}
{PIECE}[s] {{ outline: 2px solid #f29900 !important; outline-offset: 1px; }}
eatext-i {{ display: inline-block; background: #ddd; border: 1px solid #bbb; }}
"""

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


def framed(page: Page) -> Iterator[str]:
    """The parts of a page's HTML, each text in an element with its block's number."""
    yield f'<!DOCTYPE html><meta charset="utf-8"><style>{_OWN_STYLE}</style>'
    # The element that is being left out, if any.
    left_out: Any = None
    for event in events(page):
        element, what = event.element, event.what
        if what in (START, END):
            if left_out is not None:
                if what == END and element is left_out:
                    left_out = None
                continue
            name = name_of(element)
            if name in _TAGS:
                if what == START:
                    yield f"<{name}{_attributes(element)}>"
                elif name not in VOID:
                    yield f"</{name}>"
            elif what == START:
                if name == "style":
                    # Without "<", which could end the style element.
                    style = harmless((element.text or "")[:_MAX_STYLE])
                    yield f"<style>{style.replace('<', ' ')}</style>"
                elif name == "img":
                    yield _image(element)
                if name in _LEFT_OUT:
                    left_out = element
        elif event.block >= 0:
            yield f'<{PIECE} b="{event.block}">{escape(event.text)}</{PIECE}>'
        elif left_out is None:
            yield escape(event.text)


def _attributes(element: Any) -> str:
    written = []
    for name, value in element.attrib.items():
        if name in _ATTRIBUTES and len(value) <= _MAX_VALUE:
            allowed = harmless(value) if name == "style" else value
            written.append(f' {name}="{escape(allowed)}"')
    return "".join(written)


def harmless(style: str) -> str:
    """A style sheet or attribute without parts that load anything."""
    return _LOADS.sub(" ", style)


def _image(element: Any) -> str:
    """A box in place of an image."""
    sizes = []
    for side in ("width", "height"):
        value = (element.get(side) or "").strip().removesuffix("px")
        pixels = min(int(value), 2000) if re.fullmatch(r"[0-9]{1,5}", value) else 24
        sizes.append(f"{side}:{pixels}px")
    return f'<eatext-i style="{";".join(sizes)};max-width:100%"></eatext-i>'
