"""Reads a page exactly as eatiht does.

The original selects elements by an XPath, which takes quadratic time; it reads the
descendants of each element, writes the path of each, and compares paths as strings.
Here, one walk numbers the page's texts and elements.  Then the content of an element is
a slice of the texts, its key is its parent's number, and paths are compared by
ancestors.

Only the original's output can be more than linear: in version 1, a text in nested
selected elements is read, and written, once for each of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate, chain
from typing import Any

from lxml import etree, html

from scrapy_eatext.algorithms.trail import PageError, Trail
from scrapy_eatext.deadline import check
from scrapy_eatext.page.decode import decode
from scrapy_eatext.page.events import events
from scrapy_eatext.page.guard import tame
from scrapy_eatext.page.memory import raise_memory

detect: Callable[[bytes], Any] | None
try:
    from chardet import detect
except ImportError:  # it is in the extra "reference"
    detect = None

# Texts directly in these elements are not counted.
_PASSED_OVER = frozenset("script style i b strong span a".split())
_PASSED_OVER_2 = _PASSED_OVER | {"noscript"}

_XPATH_SPACE = re.compile(r"[ \t\r\n]+")
_BRACKETED_DIGITS = re.compile(r"\[\d*\]")
# The most characters to read, as nested elements are read once each: only hostile pages
# have more.
_MOST = 50_000_000
# White space after the end of a sentence, with or without a straight quote, unless it
# ends with a title before a name.  The lookbehinds come after the first character, as a
# search for a single character is fast.
_SENTENCE_BREAK = re.compile(
    r"\s(?:(?<=[.!?]\s)|(?<=[.!?]['\"]\s))"
    + "".join(rf"(?<!{t}\.\s)" for t in ("Mr", "Mrs", "Jr", "Dr", "Prof", "Sr"))
    + r"\s*",
    re.IGNORECASE,
)
_ENDINGS = (".", '"', "?", "!", "'")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence (version 1) or an element's text (version 2), and its element."""

    text: str
    place: int
    kept: bool
    counted: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """The original's result for a page.

    ``counts`` has the number of pieces that count for each parent, by its number.
    """

    text: str
    pieces: list[Piece]
    counts: Counter[int]
    trail: Trail


def split_sentences(text: str) -> list[str]:
    """Split a text at white space after sentences."""
    return _SENTENCE_BREAK.split(text)


def read(source: bytes | str, version: int, min_length: int) -> Reading:
    """Read a page as eatiht (version 1) or etv2 (version 2) does.

    Raises PageError where the original fails: if no text is long enough, no sentence or
    element counts, or the page has no title (version 2).
    """
    root = _parse(source)
    if version == 2 and root.find(".//title") is None:
        raise PageError("the page has no title")
    passed_over = _PASSED_OVER if version == 1 else _PASSED_OVER_2
    texts, selected, trail = _read(root, passed_over, min_length)
    starts = list(accumulate(map(len, texts), initial=0))
    if sum(starts[end] - starts[first] for _, first, end in selected) > _MOST:
        raise PageError("the page's text is nested too deeply")
    if version == 1:
        found = _sentences(texts, selected)
    else:
        found = _elements(texts, starts, selected)
    counts = Counter(trail.parent(place) for _, place, counted in found if counted)
    if not counts:
        raise PageError("no text counts")
    kept = _beneath(trail, counts.most_common(1)[0][0])
    pieces = [
        Piece(text, place, kept[place], counted) for text, place, counted in found
    ]
    if version == 1:
        joined = " ".join(p.text for p in pieces if p.kept)[2:]
    else:
        joined = "\n\n".join(p.text for p in pieces if p.kept)
    return Reading(joined, pieces, counts, trail)


def _parse(source: bytes | str) -> html.HtmlElement:
    try:
        body, encoding = _encoded(source)
        if encoding is not None and encoding.lower().startswith(("utf-16", "utf-32")):
            # The guard reads encodings in which ASCII characters are single bytes.
            body, encoding = body.decode(encoding, "replace").encode(), "utf-8"
        body = tame(body)
        parser = html.HTMLParser(encoding=encoding, remove_blank_text=True)
        root = html.parse(BytesIO(body), parser=parser).getroot()
    except (etree.LxmlError, LookupError) as e:
        raise_memory(e)
        raise PageError(f"the page cannot be parsed: {e}") from e
    if root is None:
        raise PageError("the page is empty")
    return root


def _encoded(source: bytes | str) -> tuple[bytes, str | None]:
    """The page as bytes, and their encoding by chardet, as in the original.

    Without chardet, pages are decoded as everywhere in this package.
    """
    if isinstance(source, bytes):
        if detect is not None:
            return source, detect(source)["encoding"]
        _, source = decode(source)
    return source.encode("utf-8", "replace"), "utf-8"


# A selected element: its number, and the slice of the texts that it contains.
_Selected = tuple[int, int, int]


def _read(
    root: html.HtmlElement, passed_over: frozenset[str], min_length: int
) -> tuple[list[str], list[_Selected], Trail]:
    """The page's texts, its selected elements, and their trail."""
    texts: list[str] = []
    trail = Trail()
    bodies = 0
    # For each open element its number, its first text, whether its texts count, and
    # whether one of them is long enough.
    open_elements: list[list[int]] = []
    selected: list[_Selected] = []

    def read(text: str | None) -> None:
        if text and open_elements:
            texts.append(text)
            if open_elements[-1][2] and _longer(text, min_length):
                open_elements[-1][3] = True

    # Elements after </html> may be siblings of the root, and count as well.
    tops = (root, *root.itersiblings(etree.Element))
    for event, node in chain.from_iterable(map(events, tops)):
        if event == "start":
            name = str(node.tag)
            counts = bodies > 0 and name not in passed_over
            open_elements.append([trail.enter(name), len(texts), counts, False])
            bodies += name == "body"
            read(node.text)
            continue
        if event == "end":
            number, first, _, long_enough = open_elements.pop()
            trail.leave()
            bodies -= node.tag == "body"
            if long_enough:
                selected.append((number, first, len(texts)))
        read(node.tail)
    selected.sort()
    return texts, selected, trail


def _longer(text: str, length: int) -> bool:
    """Whether a text is longer, after its white space is normalised as by XPath."""
    if len(text) <= length:
        return False
    return len(_XPATH_SPACE.sub(" ", text.strip(" \t\r\n"))) > length


def _sentences(
    texts: Sequence[str], selected: Sequence[_Selected]
) -> list[tuple[str, int, bool]]:
    """The sentences, which all count; before an element's first is an empty line."""
    sentences = []
    for place, first, end in selected:
        check()
        text = _BRACKETED_DIGITS.sub("", "".join(texts[first:end]))
        for i, piece in enumerate(split_sentences(text)):
            if piece.endswith(_ENDINGS):
                sentences.append((piece if i else "\n\n" + piece, place, True))
    return sentences


def _elements(
    texts: Sequence[str], starts: Sequence[int], selected: Sequence[_Selected]
) -> list[tuple[str, int, bool]]:
    """The selected elements; those longer than the mean text count."""
    if not selected:
        raise PageError("no text is long enough")
    # Not by sum(), which rounds differently since Python 3.12.
    total = 0.0
    for _, first, end in selected:
        total += (starts[end] - starts[first]) / (end - first)
    threshold = total / len(selected)
    return [
        ("".join(texts[first:end]), place, starts[end] - starts[first] > threshold)
        for place, first, end in selected
    ]


def _beneath(trail: Trail, top: int) -> list[bool]:
    """For each element whether its path contains the path of ``top``.

    The original searches one string in the other.  So a sibling "section" counts as
    beneath an "s" that is the only child of its name.  Otherwise the path of "s" ends
    with an index, which is a prefix of no other name's path.
    """
    name, parent = trail.name(top), trail.parent(top)
    siblings = [n for n in range(1, len(trail)) if trail.parent(n) == parent]
    only = sum(trail.name(n) == name for n in siblings) == 1
    tops = {n for n in siblings if only and trail.name(n).startswith(name)} | {top}
    beneath = [False]
    # An element's number is greater than its parent's.
    for number in range(1, len(trail)):
        beneath.append(number in tops or beneath[trail.parent(number)])
    return beneath
