"""Closes titles and objects without an end tag, which would contain the whole page.

The rest of the page is then the title's text, or is shown only if the object cannot be.
Old browsers closed both, so the authors of such pages did not see the error.
"""

from __future__ import annotations

import re
from typing import Any

# The text of a title without an end tag ends before the next tag.
_TITLE = re.compile(rb"<title(?:\s[^<>]*)?>[^<]*", re.IGNORECASE)
_OBJECT = re.compile(rb"<object(?=[\s>])[^<>]*>?", re.IGNORECASE)
# Searching for both spellings takes a tenth of the time of a case-insensitive search.
_OBJECTS = ((b"<object", b"</object"), (b"<OBJECT", b"</OBJECT"))


def is_swallowed(root: Any) -> bool:
    """Whether a page has no body, and its title contains markup."""
    if root.tag != "html" or root.find("body") is not None:
        return False
    title = next(root.iter("title"), None)
    return title is not None and "<" in (title.text or "")


def with_end_of_title(source: bytes) -> bytes:
    """A page's source with an end tag for its last title."""
    last = None
    for last in _TITLE.finditer(source):  # noqa: B007
        pass
    if last is None:
        return source
    return source[: last.end()] + b"</title>" + source[last.end() :]


def without_open_objects(source: bytes) -> bytes:
    """A page's source without the start tags of objects, if one has no end tag.

    Otherwise it is the same object.
    """
    opened = sum(source.count(begin) for begin, _ in _OBJECTS if begin in source)
    if opened and opened > sum(source.count(end) for _, end in _OBJECTS):
        return _OBJECT.sub(b"", source)
    return source
