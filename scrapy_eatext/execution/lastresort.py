"""The algorithm for pages on which all others fail: dense blocks, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.algorithms.base import Verdict

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

NAME = "last resort"
VERSION = "1"
# A block is text rather than boilerplate if it has this many characters, and at most
# this share of them in links; a heading is kept before such a block.
_MIN_CHARS = 80
_MAX_LINKS = 0.25


def judge(page: Page) -> Verdict:
    """Keep long blocks with few links, and the headings right above them.

    It takes linear time on any page.  It is sure of nothing: its score is 0.
    """
    blocks = page.blocks
    dense = [
        blocks.chars[i] >= _MIN_CHARS
        and blocks.link_chars[i] <= _MAX_LINKS * blocks.chars[i]
        for i in range(len(blocks))
    ]
    kept = list(dense)
    for i in range(len(blocks) - 1):
        if dense[i + 1] and blocks.kind(i) == "heading":
            kept[i] = True
    return Verdict(
        units=blocks,
        kept=kept,
        scores=[float(keep) for keep in kept],
        reasons=["dense" if keep else "thin" for keep in kept],
        score=0.0,
    )
