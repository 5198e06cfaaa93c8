"""A page's metadata as YAML, to stand before its Markdown.

Every value is a double-quoted scalar, which is always read as text.  Without quotes,
``no`` would be read as a boolean, and 2024-05-01 as a date.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_eatext.result import Metadata

# The keys, which are names of the result's attributes, and their fields of Metadata.
_KEYS = {
    "title": "title",
    "authors": "authors",
    "date": "published",
    "modified": "modified",
    "site_name": "site_name",
    "description": "description",
    "language": "language",
    "canonical_url": "canonical_url",
    "image": "image",
    "tags": "tags",
}
# Characters that must be escaped in YAML, but not in JSON: control characters, YAML's
# line breaks, the byte order mark, surrogates, noncharacters.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def front_matter(metadata: Metadata, url: str = "") -> str:
    """The page's address and non-empty fields, between lines of three dashes.

    It is "" if there are none.
    """
    lines = [f"url: {quoted(url)}\n"] if url else []
    for name, field in _KEYS.items():
        value: str | tuple[str, ...] = getattr(metadata, field)
        if isinstance(value, str) and value:
            lines.append(f"{name}: {quoted(value)}\n")
        elif value:
            lines.append(f"{name}: [{', '.join(map(quoted, value))}]\n")
    return f"---\n{''.join(lines)}---\n" if lines else ""


def quoted(text: str) -> str:
    """A text as a double-quoted scalar of YAML, which is also a string of JSON."""
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
