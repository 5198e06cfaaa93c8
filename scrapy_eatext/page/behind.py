"""Pages whose text stands behind the end of their root.

Templates that are put together in a wrong order end a page too early, as in
``<html><head></head></html><body>``.  Browsers read on as if it had not ended.  libxml2
begins a second root, which is no part of the page that anybody looks at.
"""

from __future__ import annotations

from typing import Any

from lxml import etree

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.guard import NOTHING, tags
from scrapy_eatext.page.walk import walk

_ENDLESS = frozenset((b"html", b"body"))


def ends_early(root: Any) -> bool:
    """Whether more text stands behind a root than inside.

    Mostly only scripts or a footer stand there, and the page is left as it is.  An
    element with a parent is no root.
    """
    if root.getparent() is not None:
        return False
    behind = sum(map(_chars, root.itersiblings(etree.Element)))
    return behind > 0 and behind > _chars(root)


def without_ends(source: bytes) -> bytes:
    """The source of a page in UTF-8 without the end tags of its root and its body.

    Raises TimeLimitError.
    """
    kept = bytearray()
    done = 0
    for tag in watched(tags(source)):
        if not tag.opens and tag.name in _ENDLESS:
            kept += source[done : tag.start] + NOTHING
            done = tag.end
    return bytes(kept + source[done:])


def source_with_behind(root: Any) -> bytes:
    """The source that a root and what stands behind it are written as, in UTF-8."""
    return b"".join(
        etree.tostring(part, encoding="unicode", method="html").encode(
            "utf-8", "replace"
        )
        for part in (root, *root.itersiblings())
    )


def _chars(root: Any) -> int:
    return int(walk(root).blocks[:, BlockColumn.CHARS].sum())
