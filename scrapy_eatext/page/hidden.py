"""Whether a text is in an element that a browser does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.elements import is_hidden

if TYPE_CHECKING:
    from scrapy_eatext.page.blocks import Blocks


def origin(blocks: Blocks, kept: Sequence[bool]) -> str:
    """The place of most of the kept text: "noscript", "hidden" or "page"."""
    walk = blocks.walk
    parents = walk.elements[:, ElementColumn.PARENT].tolist()
    places = {-1: "page"}
    chars: Counter[str] = Counter()
    for innermost, count, is_kept in zip(
        blocks.column("inner"), blocks.chars, kept, strict=True
    ):
        if not is_kept:
            continue
        # Each element is visited once, so this is linear on deep pages too.
        path = []
        row = innermost
        while row not in places:
            path.append(row)
            row = parents[row]
        place = places[row]
        for row in reversed(path):
            if place == "page":
                element = walk.node(row)
                if element.tag == "noscript":
                    place = "noscript"
                elif is_hidden(dict(element.items()), element.tag):
                    place = "hidden"
            places[row] = place
        chars[place] += count
    return max(chars, key=chars.__getitem__, default="page")
