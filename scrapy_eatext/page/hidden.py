"""Whether a text stands where a browser without scripts would not show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.elements import is_hidden

if TYPE_CHECKING:
    from scrapy_eatext.page.blocks import Blocks


def origin(blocks: Blocks, kept: Sequence[bool]) -> str:
    """Where most of the kept text is: in a "noscript", "hidden", or on the "page"."""
    walk = blocks.walk
    parents = walk.elements[:, ElementColumn.PARENT].tolist()
    places = {-1: "page"}
    chars: Counter[str] = Counter()
    for row, count, keep in zip(
        blocks.column("inner"), blocks.chars, kept, strict=True
    ):
        if not keep:
            continue
        # Every element is looked at once, however deep the page.
        way = []
        at = row
        while at not in places:
            way.append(at)
            at = parents[at]
        place = places[at]
        for inside in reversed(way):
            if place == "page":
                element = walk.node(inside)
                if element.tag == "noscript":
                    place = "noscript"
                elif is_hidden(dict(element.items()), element.tag):
                    place = "hidden"
            places[inside] = place
        chars[place] += count
    return max(chars, key=chars.__getitem__, default="page")
