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

# The fields of Metadata that are written, each under the name that the result has for it.
_FIELDS = (
    "title authors published modified site_name description language canonical_url "
    "image tags"
).split()
_NAMES = {"published": "date"}
# Characters that must be escaped in YAML, but not in JSON: control characters, YAML's
# line breaks, the byte order mark, surrogates, noncharacters.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def front_matter(metadata: Metadata, url: str = "") -> str:
    """The page's address and non-empty fields, between lines of three dashes.

    It is "" if there are none.
    """
    lines = [f"url: {quoted(url)}\n"] if url else []
    for field in _FIELDS:
        value: str | tuple[str, ...] = getattr(metadata, field)
        if value:
            shown = (
                quoted(value)
                if isinstance(value, str)
                else f"[{', '.join(map(quoted, value))}]"
            )
            lines.append(f"{_NAMES.get(field, field)}: {shown}\n")
    return f"---\n{''.join(lines)}---\n" if lines else ""


def quoted(text: str) -> str:
    """A text as a double-quoted scalar of YAML, which is also a string of JSON."""
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
