"""Pages that are nested deeper than the parser goes.

libxml2 has 2,048 elements open at most.  At one more it stops reading, and all text
behind is lost.  Browsers go 512 elements deep: an element that would be deeper ends
where the next one begins.  A page that was cut off is written anew in this way.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from lxml import etree

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.guard import NOTHING, VOID, tags

# How deep the parser goes, its root element counted, and how deep a rewritten page is.
PARSER_DEPTH = 2048
MAX_DEPTH = 512
# The parser opens and closes these by rules of its own, once a page.
_OUTER = frozenset((b"html", b"head", b"body"))
# Elements without an end tag that the parser leaves open all the same.
_LEFT_OPEN = frozenset(b"bgsound embed source track wbr".split())


def is_cut_off(root: Any) -> bool:
    """Whether the parser stopped within a tree, as the tree was too deep.

    The last element that it read is then the last child of the last child and so on, in
    the last root if the page has several (page/behind.py).
    """
    element = [root, *root.itersiblings(etree.Element)][-1]
    for _ in range(PARSER_DEPTH - 1):
        element = next(element.iterchildren(reversed=True), None)
        if element is None:
            return False
    return True


def flattened(source: bytes) -> bytes:
    """The source of a page in UTF-8 with no element deeper than some MAX_DEPTH.

    End tags are written wherever elements end, in their order, so that the parser has
    no more elements open than are counted here.  Raises TimeLimitError.
    """
    kept = bytearray()
    done = 0
    opened: list[bytes] = []
    count: dict[bytes, int] = defaultdict(int)
    # Elements that were ended before their end tags.
    early: dict[bytes, int] = defaultdict(int)
    for start, end, name, opens, closed, _ in watched(tags(source)):
        if opens and name in _LEFT_OPEN:
            kept += source[done:end] + b"</%b>" % name
            done = end
            continue
        if name in _OUTER or name in VOID or (opens and closed):
            continue
        full = len(opened) == MAX_DEPTH
        ended = []
        if opens:
            if full:
                ended.append(opened.pop())
                early[ended[0]] += 1
            opened.append(name)
            count[name] += 1
        elif early[name] and not (full and opened[-1] == name):
            early[name] -= 1
        elif count[name]:
            while name not in ended[-1:]:
                ended.append(opened.pop())
            if len(opened) < MAX_DEPTH - 1:
                early.clear()
        for each in ended:
            count[each] -= 1
        if ended or not opens:
            kept += source[done:start]
            kept += b"".join([b"</%b>" % each for each in ended]) or NOTHING
            done = start if opens else end
    return bytes(kept + source[done:])
