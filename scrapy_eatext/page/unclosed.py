"""Pages that an element without an end tag swallows.

What follows a title without an end is the title's text, to the end of the page, and what
follows an object is shown only where the object is not.  Neither is what the page's
author saw when the page was made, as browsers of that time closed both.
"""

from __future__ import annotations

import re
from typing import Any

# Of a title without an end the text is up to the next tag.
_TITLE = re.compile(rb"<title(?:\s[^<>]*)?>[^<]*", re.IGNORECASE)
_OBJECT = re.compile(rb"<object(?=[\s>])[^<>]*>?", re.IGNORECASE)
# The names as pages write them.  Searching for both takes a tenth of the time of a search
# that ignores case.
_OBJECTS = ((b"<object", b"</object"), (b"<OBJECT", b"</OBJECT"))


def is_swallowed(root: Any) -> bool:
    """Whether a title holds a page that has no body."""
    if root.tag != "html" or root.find("body") is not None:
        return False
    title = next(root.iter("title"), None)
    return title is not None and "<" in (title.text or "")


def with_end_of_title(source: bytes) -> bytes:
    """A page's source whose last title ends before the next tag."""
    last = None
    for last in _TITLE.finditer(source):  # noqa: B007
        pass
    if last is None:
        return source
    return source[: last.end()] + b"</title>" + source[last.end() :]


def without_open_objects(source: bytes) -> bytes:
    """A page's source without the tags of objects, if some of these have no end."""
    opened = sum(source.count(begin) for begin, _ in _OBJECTS if begin in source)
    if opened and opened > sum(source.count(end) for _, end in _OBJECTS):
        return _OBJECT.sub(b"", source)
    return source
