"""Pages that are nested deeper than libxml2 allows.

With more than 2,048 open elements libxml2 stops, and the rest of the page is lost.
Browsers allow 512: they end a deeper element where the next one begins.  The source of
a page that libxml2 has cut off is rewritten in the same way.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from lxml import etree

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.guard import NOTHING, VOID, tags

# The maximum depth of libxml2, with the root, and that of a rewritten page.
PARSER_DEPTH = 2048
MAX_DEPTH = 512
# The parser opens and closes these by its own rules, once in a page.
_OUTER = frozenset((b"html", b"head", b"body"))
# Void elements that the parser leaves open.
_LEFT_OPEN = frozenset(b"bgsound embed source track wbr".split())


def is_cut_off(root: Any) -> bool:
    """Whether the parser stopped because the page was nested too deeply.

    The chain of last children is then PARSER_DEPTH long, in the last root if there are
    several (page/behind.py).
    """
    element = [root, *root.itersiblings(etree.Element)][-1]
    for _ in range(PARSER_DEPTH - 1):
        element = next(element.iterchildren(reversed=True), None)
        if element is None:
            return False
    return True


def flattened(source: bytes) -> bytes:
    """The source of a page in UTF-8 with a depth of about MAX_DEPTH at most.

    An end tag is written wherever an element ends, so that the parser has no more
    elements open than are counted here.  Raises TimeLimitError.
    """
    result = bytearray()
    copied = 0
    opened: list[bytes] = []
    count: dict[bytes, int] = defaultdict(int)
    # The number of elements that were ended before their own end tags.
    early: dict[bytes, int] = defaultdict(int)
    for start, end, name, opens, closed, _ in watched(tags(source)):
        if opens and name in _LEFT_OPEN:
            result += source[copied:end] + b"</%b>" % name
            copied = end
            continue
        if name in _OUTER or name in VOID or (opens and closed):
            continue
        is_full = len(opened) == MAX_DEPTH
        ended = []
        if opens:
            if is_full:
                ended.append(opened.pop())
                early[ended[0]] += 1
            opened.append(name)
            count[name] += 1
        elif early[name] and not (is_full and opened[-1] == name):
            early[name] -= 1
        elif count[name]:
            while name not in ended[-1:]:
                ended.append(opened.pop())
            if len(opened) < MAX_DEPTH - 1:
                early.clear()
        for ended_name in ended:
            count[ended_name] -= 1
        if ended or not opens:
            result += source[copied:start]
            result += b"".join([b"</%b>" % tag for tag in ended]) or NOTHING
            copied = start if opens else end
    return bytes(result + source[copied:])
