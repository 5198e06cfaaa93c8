"""Pages with text after ``</html>``.

Templates that are joined in the wrong order end the root too early, as in
``<html><head></head></html><body>``.  Browsers ignore that end tag.  libxml2 makes the
text a sibling of the root, where the walk would not find it.
"""

from __future__ import annotations

from typing import Any

from lxml import etree

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.guard import NOTHING, tags
from scrapy_eatext.page.walk import walk

_OUTER = frozenset((b"html", b"body"))


def ends_early(root: Any) -> bool:
    """Whether more text stands behind a root than inside it.

    Less text is mostly a footer, and the page is left as it is.  False for an element
    with a parent.
    """
    if root.getparent() is not None:
        return False
    behind = sum(map(_chars, root.itersiblings(etree.Element)))
    return behind > 0 and behind > _chars(root)


def without_ends(source: bytes) -> bytes:
    """The source of a page in UTF-8 without the end tags of html and body.

    Raises TimeLimitError.
    """
    result = bytearray()
    copied = 0
    for tag in watched(tags(source)):
        if not tag.opens and tag.name in _OUTER:
            result += source[copied : tag.start] + NOTHING
            copied = tag.end
    return bytes(result + source[copied:])


def source_with_behind(root: Any) -> bytes:
    """A root and its siblings, serialized as HTML in UTF-8."""
    return b"".join(
        etree.tostring(part, encoding="unicode", method="html").encode(
            "utf-8", "replace"
        )
        for part in (root, *root.itersiblings())
    )


def _chars(root: Any) -> int:
    """The number of characters in an element's blocks."""
    """The number of characters in an element's blocks."""
    return int(walk(root).blocks[:, BlockColumn.CHARS].sum())
