"""What a page says of itself: read without harm, and kept within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from typing import Any, NamedTuple

from scrapy_eatext.page.characters import fit


class Bound(NamedTuple):
    """How many characters a value may have, and whether a longer one is cut.

    A text is cut at a word; what means nothing without its end is left out.
    """

    most: int
    cut: bool = False


# A bound for everything that is kept of what a page says of itself, but for authors: what
# is taken for a name (visible.is_name()) is short.
BOUNDS = {
    "title": Bound(1000, cut=True),
    "site_name": Bound(200, cut=True),
    "description": Bound(5000, cut=True),
    "language": Bound(35),
    "canonical_url": Bound(4000),
    "image": Bound(4000),
    "tag": Bound(100),
    "caption": Bound(500, cut=True),
    "page_type": Bound(35),
    "published": Bound(35),
    "modified": Bound(35),
    "date_raw": Bound(100, cut=True),
}
# How many authors and tags are kept, and how many values under one name are looked at.
MOST_VALUES = 50
# What is read of a value is longer than any bound, so that one too long shows as such.
LONGEST = max(bound.most for bound in BOUNDS.values()) + 1
# White space may stand between words: so many times as long is what a text is cut from.
_SLACK = 4
LONGEST_READ = _SLACK * LONGEST

# Commas and semicolons between the values of a list: Latin, Chinese and Arabic.
COMMAS = ",;、，；،؛"
COMMA = re.compile(f"[{COMMAS}]")

_TAG_END = re.compile(r"[-_,;.@\s]")

# A reference with more digits than any character has, or zeros before them.
_LONG_REFERENCE = re.compile(r"&#(?=[0-9]{8})0*([0-9]*)")
_MOST_DIGITS = 7
_BEYOND_UNICODE = "9999999"
# A reference whose end is there: what is left of one that was escaped twice.
_REFERENCE = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)


def kept(field: str, value: str) -> str:
    """What is kept of a value that a page gives of itself: nothing where it is too long
    to be cut.
    """
    value = fit(value)
    most, cut = BOUNDS[field]
    if len(value) <= most:
        return value
    return shortened(value, most) if cut else ""


def shortened(text: str, most: int = LONGEST) -> str:
    """A text with its white space collapsed; a longer one ends at a word before."""
    if len(text) > _SLACK * most:
        # Its words, each an object, would take many times the memory of the text.
        text = text.lstrip()[: _SLACK * most]
    words = " ".join(text.split())
    if len(words) <= most:
        return words
    return words[: most + 1].rpartition(" ")[0] or words[:most]


def beginning(element: Any, most: int) -> str:
    """The beginning of an element's text."""
    parts: list[str] = []
    left = most
    for text in element.itertext():
        parts.append(text[:left])
        left -= len(parts[-1])
        if not left:
            break
    return "".join(parts)


def different(values: Iterable[str]) -> list[str]:
    """The first of some values, each once."""
    found: dict[str, None] = {}
    for value in values:
        found[value] = None
        if len(found) == MOST_VALUES:
            break
    return list(found)


def primary_tag(language: str) -> str:
    """The primary tag of the first language named: en of en_GB and of "en, de".

    Nothing where it is no word, as {{lang}}, or too long for a tag.
    """
    # Lower case may be longer, by a few characters at most.
    begun = language.strip()[: 2 * BOUNDS["language"].most].lower()
    tag = _TAG_END.split(begun, maxsplit=1)[0]
    return kept("language", tag) if len(tag) > 1 and tag.isalpha() else ""


def unescaped(text: str) -> str:
    """A text with its character references resolved, whatever they are.

    html.unescape() raises for a number of more digits than Python reads.
    """
    return unescape(_LONG_REFERENCE.sub(_short_reference, text))


def _short_reference(found: re.Match[str]) -> str:
    digits = found[1] or "0"
    return "&#" + (digits if len(digits) <= _MOST_DIGITS else _BEYOND_UNICODE)


def plain(text: str) -> str:
    """A value without the references that are left where a page escapes it twice."""
    return unescaped(text) if "&" in text and _REFERENCE.search(text) else text
