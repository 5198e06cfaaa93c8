"""How eatiht reads a page, reproduced to the character.

The original selects elements by an XPath, which takes quadratic time; it reads the
descendants of each element, writes the path of each, and compares paths as strings.
Here one walk numbers the page's texts and elements.  Then an element's content is a
slice of the texts, its key is its parent's number, and to compare paths is to ask for
ancestors.

More than linear is only the original's output: in version 1 a text inside nested
elements that are selected is read, and comes out, once for each of them.
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

from scrapy_eatext.algorithms.trail import PageError, Trail, events
from scrapy_eatext.deadline import check
from scrapy_eatext.page.decode import decode
from scrapy_eatext.page.guard import tame
from scrapy_eatext.page.memory import raise_memory

detect: Callable[[bytes], Any] | None
try:
    from chardet import detect
except ImportError:  # the extra "reference" brings it
    detect = None

# Texts that stand directly in these are not counted.
_PASSED_OVER = frozenset("script style i b strong span a".split())
_PASSED_OVER_2 = _PASSED_OVER | {"noscript"}

_XPATH_SPACE = re.compile(r"[ \t\r\n]+")
_BRACKETED_DIGITS = re.compile(r"\[\d*\]")
# The original reads the text of nested elements once for each of them.  Only a hostile
# page would have it read more characters than these.
_MOST = 50_000_000
# White space after the end of a sentence, with or without a straight quote, unless
# the sentence ends with a title before a name.  The lookbehinds stand behind the first
# sign, as the search for one sign is quick.
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
    """What the original makes of a page.

    ``counts`` has for the number of each parent how many pieces count for it.
    """

    text: str
    pieces: list[Piece]
    counts: Counter[int]
    trail: Trail


def split_sentences(text: str) -> list[str]:
    """Split where white space follows the end of a sentence."""
    return _SENTENCE_BREAK.split(text)


def read(source: bytes | str, version: int, min_length: int) -> Reading:
    """Read a page as eatiht (version 1) or etv2 (version 2) does.

    Raises PageError where the original fails: if no text is long enough, if no sentence
    or element counts, or if the page has no title (version 2).
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
            # The guard reads bytes of which each ASCII character is one.
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
    """The page as bytes, and their encoding, which the original asks chardet for.

    If chardet is not installed, pages are decoded as everywhere in this package.
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
    # For each open element its number, its first text, whether it stands in a body and
    # is not passed over, and whether it has a text that is long enough.
    open_elements: list[list[int]] = []
    selected: list[_Selected] = []

    def read(text: str | None) -> None:
        if text and open_elements:
            texts.append(text)
            if open_elements[-1][2] and _longer(text, min_length):
                open_elements[-1][3] = True

    # What follows </html> may stand beside the root, and counts as well.
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
    """Whether a text is longer, once white space is normalised as XPath does it."""
    if len(text) <= length:
        return False
    return len(_XPATH_SPACE.sub(" ", text.strip(" \t\r\n"))) > length


def _sentences(
    texts: Sequence[str], selected: Sequence[_Selected]
) -> list[tuple[str, int, bool]]:
    """The sentences, of which each counts; an element's first follows an empty line."""
    found = []
    for place, first, end in selected:
        check()
        text = _BRACKETED_DIGITS.sub("", "".join(texts[first:end]))
        for i, piece in enumerate(split_sentences(text)):
            if piece.endswith(_ENDINGS):
                found.append((piece if i else "\n\n" + piece, place, True))
    return found


def _elements(
    texts: Sequence[str], starts: Sequence[int], selected: Sequence[_Selected]
) -> list[tuple[str, int, bool]]:
    """The selected elements; those longer than the mean text in them count."""
    if not selected:
        raise PageError("no text is long enough")
    # Added up one by one: sum() of floats rounds otherwise since Python 3.12.
    total = 0.0
    for _, first, end in selected:
        total += (starts[end] - starts[first]) / (end - first)
    threshold = total / len(selected)
    return [
        ("".join(texts[first:end]), place, starts[end] - starts[first] > threshold)
        for place, first, end in selected
    ]


def _beneath(trail: Trail, top: int) -> list[bool]:
    """For each element whether its path contains the path of the top one.

    The original looks for one string in the other.  So a sibling named "section" counts
    as beneath an only child named "s".  If there are several children of a name, their
    paths end with an index, which no other name continues.
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
