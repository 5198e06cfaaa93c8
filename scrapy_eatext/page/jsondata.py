"""Reads the JSON in a page's scripts, also in comments and with common errors."""

from __future__ import annotations

import json
import re
from typing import Any

from scrapy_eatext.page.values import unescaped

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
_MAX_VALUES = 30


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
    while at < len(script) and len(values) < _MAX_VALUES:
        try:
            value, at = JSON.raw_decode(script, at)
        except (ValueError, RecursionError):
            break
        values.append(value)
        at = _AROUND.match(script, at).end()  # type: ignore[union-attr]
    return values
