"""Splits a page into paragraphs exactly as jusText 3.0.2 does.

The original copies the parsed tree, cleans it, and splits it on a recursive walk.
Here, one walk over the parsed tree skips what the original's cleaner removes, and joins
the texts on both sides.  So deep pages need no recursion, and the time is linear.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass

from lxml import etree, html

from scrapy_eatext.algorithms.trail import PageError, Trail
from scrapy_eatext.page.events import events
from scrapy_eatext.page.guard import tame
from scrapy_eatext.page.memory import raise_memory

# The elements that end a paragraph: jusText's own list, which has no ol,
# tbody, section or article.
PARAGRAPH_TAGS = frozenset(
    "body blockquote caption center col colgroup dd div dl dt fieldset form legend"
    " optgroup option p pre table td textarea tfoot th thead tr ul li"
    " h1 h2 h3 h4 h5 h6".split()
)
# Elements that the original's cleaner removes with their content, and those that it
# replaces by their content.
_KILLED = frozenset(
    "applet base button head input script select style textarea".split()
)
_DISSOLVED = frozenset("embed form iframe layer object param".split())

_WHITE_SPACE = re.compile(r"\s+")
_LINE_END = re.compile(r"[\n\r]")
# `\d`, not [1-6]: for the original, h0, h7 and names such as my-h1 are headings too.
_HEADING = re.compile(r"\bh\d\b")

_META = re.compile(rb"<meta", re.IGNORECASE)
_CHARSET = re.compile(rb"""charset=["']?([^'"/>\s]+)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of jusText's.

    ``link_chars`` counts before the text is stripped.  ``in_select`` is true if the
    name of an element around it contains "select".
    """

    text: str
    link_chars: int
    heading: bool
    in_select: bool
    place: int


def paragraphs(source: bytes | str) -> tuple[list[Paragraph], Trail]:
    """The paragraphs of a page, and the trail with their paths.

    Raises PageError where the original fails: for a page without elements, and for a
    declared encoding that Python knows but cannot decode with.  If the original fails
    only because of its copy or its recursion (control characters beside removed
    elements, elements nested too deeply), the paragraphs are found nevertheless.
    """
    root = _parse(source)
    if not isinstance(root.tag, str):
        raise PageError("the page holds nothing but a comment")
    maker = _Maker()
    # If the original removes the root, nothing is left.
    if not _is_killed(root):
        _read(root, maker)
    return maker.paragraphs, maker.trail


def _parse(source: bytes | str) -> html.HtmlElement:
    try:
        decoded = source if isinstance(source, str) else _decode(source)
    except ValueError as e:
        raise PageError(f"the page cannot be decoded: {e}") from e
    raw = decoded.encode("utf-8", "surrogatepass")
    harmless = tame(raw)
    if harmless is not raw:
        decoded = harmless.decode("utf-8", "surrogatepass")
    try:
        try:
            return html.fromstring(decoded, parser=html.HTMLParser())
        except ValueError:
            # lxml refuses a str with an XML encoding declaration.
            raw = source.encode() if isinstance(source, str) else source
            return html.fromstring(tame(raw), parser=html.HTMLParser())
    except (etree.LxmlError, ValueError) as e:
        raise_memory(e)
        raise PageError(f"the page cannot be parsed: {e}") from e


def _decode(body: bytes) -> str:
    """Decode as the original does: by the first meta charset, else as UTF-8."""
    declared = _declared_charset(body)
    with suppress(LookupError):  # an unknown encoding counts as none
        if declared is not None:
            return body.decode(declared.decode("ascii"), "replace")
    return body.decode("utf-8", "replace")


def _declared_charset(body: bytes) -> bytes | None:
    r"""The first match of ``<meta[^>]+charset=["']?([^'"/>\s]+)``, in linear time.

    All unclosed ``<meta`` before one ">" share their candidates for the charset, so
    these are tried once, from the last to the first, as the expression is greedy.
    """
    lowered = body.lower()
    start = 0
    while (meta := _META.search(body, start)) is not None:
        end = body.find(b">", meta.end())
        if end < 0:
            end = len(body)
        candidate = lowered.rfind(b"charset=", meta.end() + 1, end)
        while candidate >= 0:
            if (charset := _CHARSET.match(body, candidate)) is not None:
                return charset.group(1)
            candidate = lowered.rfind(b"charset=", meta.end() + 1, candidate)
        start = end
    return None


def _read(root: html.HtmlElement, maker: _Maker) -> None:
    """Pass the nodes of the cleaned tree to the maker."""
    for event, node in events(root, _is_killed):
        name = _name(node, root)
        if event == "start":
            if name not in _DISSOLVED:
                maker.start(name)
            maker.add(node.text)
            continue
        if event == "end" and name not in _DISSOLVED:
            maker.end(name)
        elif node.tag is etree.PI:  # pragma: no cover
            # libxml2 before 2.14 has these; in the cleaned tree they separate texts.
            maker.end_text()
        maker.add(node.tail)
    maker.flush()


def _is_killed(element: html.HtmlElement) -> bool:
    """Whether the original's cleaner removes an element with its content."""
    return element.tag in _KILLED or (
        element.tag == "link" and "stylesheet" in element.get("rel", "").lower()
    )


def _name(element: html.HtmlElement, root: html.HtmlElement) -> str:
    """An element's name in the cleaned tree."""
    name = str(element.tag)
    if name == "image":
        return "img"
    if element is root and name in _DISSOLVED:
        return "div"
    return name


def _collapse(text: str) -> str:
    """Collapse each run of white space to a line feed, if it has one, or a space."""
    return _WHITE_SPACE.sub(lambda run: "\n" if _LINE_END.search(run[0]) else " ", text)


class _Maker:
    """Builds paragraphs from the nodes of a walk."""

    def __init__(self) -> None:
        self.paragraphs: list[Paragraph] = []
        self.trail = Trail()
        # For each element whether it is in a heading, and in a name with "select".
        self._headings = [False]
        self._selects = [False]
        self._in_link = False
        self._after_br = False
        # Pieces of one text of the cleaned tree.
        self._pending: list[str] = []
        self._open()

    def _open(self) -> None:
        self._texts: list[str] = []
        self._link_chars = 0
        self._place = self.trail.here

    def flush(self) -> None:
        """End the paragraph and begin the next one here."""
        self.end_text()
        if text := _collapse("".join(self._texts).strip()):
            place = self._place
            inside = self._headings[place], self._selects[place]
            self.paragraphs.append(Paragraph(text, self._link_chars, *inside, place))
        self._open()

    def start(self, name: str) -> None:
        self.end_text()
        around = self.trail.here
        self.trail.enter(name)
        self._headings.append(self._headings[around] or bool(_HEADING.search(name)))
        self._selects.append(self._selects[around] or "select" in name)
        if name in PARAGRAPH_TAGS or (name == "br" and self._after_br):
            self.flush()
            return
        self._after_br = name == "br"
        if self._after_br:
            self._texts.append(" ")
        elif name == "a":
            self._in_link = True

    def end(self, name: str) -> None:
        self.end_text()
        self.trail.leave()
        if name in PARAGRAPH_TAGS:
            self.flush()
        elif name == "a":
            self._in_link = False

    def add(self, text: str | None) -> None:
        """Add a piece of the current text, which ends with end_text()."""
        if text:
            self._pending.append(text)

    def end_text(self) -> None:
        """Add the text since the last tag to the paragraph."""
        if not self._pending:
            return
        text = "".join(self._pending)
        self._pending.clear()
        if text.isspace():
            return
        text = _collapse(text)
        self._texts.append(text)
        if self._in_link:
            self._link_chars += len(text)
        self._after_br = False
