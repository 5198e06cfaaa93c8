"""Reads and bounds the values that a page gives: of its metadata, and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from html import unescape
from typing import Any

from lxml.etree import tostring

from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.result import Bound, Metadata, Product, Recipe

# The bound of each field of the metadata.
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
# The maximum number of authors and tags, and of values that are read of one name.
MOST_VALUES = 50
# Values are read up to one character beyond the longest bound, to detect those beyond.
LONGEST = max(bound.most for bound in BOUNDS.values()) + 1
# As a text may have much white space, this many times its bound is read.
_SLACK = 4
LONGEST_READ = _SLACK * LONGEST

# Separators of lists: commas and semicolons in Latin, Chinese and Arabic script.
COMMAS = ",;、，；،؛"
COMMA = re.compile(f"[{COMMAS}]")

_TAG_END = re.compile(r"[-_,;.@\s]")

# A character reference with leading zeros, or with too many digits for any character.
_LONG_REFERENCE = re.compile(r"&#(?=[0-9]{8})0*([0-9]*)")
_MOST_DIGITS = 7
_BEYOND_UNICODE = "9999999"
# A complete character reference, which is left over if a value was escaped twice.
_REFERENCE = re.compile(
    r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)

# An integer with more digits is read as None.
_LONG_NUMBER = 30
# What may stand around JSON: the delimiters of comments and CDATA sections, in HTML and
# in scripts, and semicolons.  No alternative is the beginning of another, so this is
# linear.
_AROUND = re.compile(
    r"(?:[\s;,>\ufeff]|<!--|--!?>|<!\[CDATA\[|<!\]\]>|\]\]>|//|/\*|\*/){0,1000}"
)
_LAST_COMMA = re.compile(r",(\s{0,100}[}\]])")
# The maximum number of values in a script.
_MOST_IN_SCRIPT = 30


def bounded(field: str, value: str) -> str:
    """A value within its field's bound: cut, or "" if it must not be cut."""
    value = strip_unstorable(value)
    most, cut = BOUNDS[field]
    if len(value) <= most:
        return value
    return shortened(value, most) if cut else ""


def shortened(text: str, most: int = LONGEST) -> str:
    """A text with its white space collapsed, cut at a word to ``most`` characters."""
    if len(text) > _SLACK * most:
        # A list of its words would take many times the memory of the text.
        text = text.lstrip()[: _SLACK * most]
    words = " ".join(text.split())
    if len(words) <= most:
        return words
    return words[: most + 1].rpartition(" ")[0] or words[:most]


def text_in(element: Any) -> str:
    """The text of an element, eight times as fast as by itertext()."""
    text: str = tostring(element, encoding="unicode", method="text", with_tail=False)
    return text


def beginning(element: Any, most: int, between: str = "") -> str:
    """The beginning of an element's text, whose parts are joined by ``between``."""
    if not len(element):  # most have no children, and itertext() is slow to start
        return (element.text or "")[:most]
    parts: list[str] = []
    left = most
    for text in element.itertext():
        parts.append(text[:left])
        left -= len(parts[-1])
        if not left:
            break
    return between.join(parts)


def different(values: Iterable[str]) -> list[str]:
    """The values without duplicates, MOST_VALUES at most."""
    distinct: dict[str, None] = {}
    for value in values:
        distinct[value] = None
        if len(distinct) == MOST_VALUES:
            break
    return list(distinct)


def primary_tag(language: str) -> str:
    """The primary tag of the first language: en of en_GB and of "en, de".

    It is "" if that is not a word, like {{lang}}, or too long.
    """
    # lower() may lengthen a text by a few characters.
    beginning = language.strip()[: 2 * BOUNDS["language"].most].lower()
    tag = _TAG_END.split(beginning, maxsplit=1)[0]
    return bounded("language", tag) if len(tag) > 1 and tag.isalpha() else ""


def unescaped(text: str) -> str:
    """A text with its character references resolved.

    Unlike this, html.unescape() raises for numbers of thousands of digits.
    """
    return unescape(_LONG_REFERENCE.sub(_short_reference, text))


def _short_reference(found: re.Match[str]) -> str:
    digits = found[1] or "0"
    return "&#" + (digits if len(digits) <= _MOST_DIGITS else _BEYOND_UNICODE)


def unescaped_again(text: str) -> str:
    """A value with the character references resolved that double escaping left."""
    return unescaped(text) if "&" in text and _REFERENCE.search(text) else text


# -- JSON, also in comments and with common errors


def _whole_number(digits: str) -> int | None:
    # Python raises ValueError for thousands of digits.
    return int(digits) if len(digits) <= _LONG_NUMBER else None


# Not strict, as many pages have line feeds within strings.  One decoder serves all, as
# making one takes longer than reading most scripts.
JSON = json.JSONDecoder(strict=False, parse_int=_whole_number)


def values_in(script: str) -> list[Any]:
    """The JSON values of a script, none where it holds no JSON."""
    try:
        return [JSON.decode(script)]
    except (ValueError, RecursionError):
        pass
    values = _leading_values(script)
    if not values and "," in script:
        values = _leading_values(_LAST_COMMA.sub(r"\1", script))
    if not values and "&quot;" in script and '"' not in script:
        values = _leading_values(unescaped(script))
    return values


def _leading_values(script: str) -> list[Any]:
    """The values up to the first that cannot be read."""
    values: list[Any] = []
    at = _AROUND.match(script).end()  # type: ignore[union-attr]
    while at < len(script) and len(values) < _MOST_IN_SCRIPT:
        try:
            value, at = JSON.raw_decode(script, at)
        except (ValueError, RecursionError):
            break
        values.append(value)
        at = _AROUND.match(script, at).end()  # type: ignore[union-attr]
    return values
