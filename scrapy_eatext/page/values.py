"""Values that a page gives of itself: read without harm, and bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from html import unescape
from typing import Any

from lxml.etree import tostring

from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.result import Bound, Metadata, Product, Recipe

# The bound of each value that a page gives of itself.
BOUNDS: dict[str, Bound] = {
    **{
        f.name: f.metadata["bound"]
        for kind in (Product, Recipe, Metadata)
        for f in fields(kind)
        if f.metadata
    },
    "caption": Bound(500, cut=True),
    "page_type": Bound(35),
}
# How many authors and tags come out, and how many values under one name are looked at.
MOST_VALUES = 50
# What is read of a value is longer than any bound, so that one too long shows as such.
LONGEST = max(bound.most for bound in BOUNDS.values()) + 1
# A text is cut from a piece this many times as long, as it may have much white space.
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


def bounded(field: str, value: str) -> str:
    """A value as it is stored: cut, or "" if it is too long and cannot be cut."""
    value = strip_unstorable(value)
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


def text_in(element: Any) -> str:
    """The text of an element, in an eighth of the time that itertext() takes."""
    text: str = tostring(element, encoding="unicode", method="text", with_tail=False)
    return text


def beginning(element: Any, most: int) -> str:
    """The beginning of an element's text."""
    if not len(element):  # most have no others, and itertext() takes long to begin
        return (element.text or "")[:most]
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
    return bounded("language", tag) if len(tag) > 1 and tag.isalpha() else ""


def unescaped(text: str) -> str:
    """A text with its character references resolved, whatever they are.

    html.unescape() raises for a number of more digits than Python reads.
    """
    return unescape(_LONG_REFERENCE.sub(_short_reference, text))


def _short_reference(found: re.Match[str]) -> str:
    digits = found[1] or "0"
    return "&#" + (digits if len(digits) <= _MOST_DIGITS else _BEYOND_UNICODE)


def unescaped_again(text: str) -> str:
    """A value without the references that are left if the page has escaped it twice."""
    return unescaped(text) if "&" in text and _REFERENCE.search(text) else text
