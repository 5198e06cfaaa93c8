"""The last resort: a linear-time algorithm for pages on which all others fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.algorithms.base import Verdict

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

NAME = "last resort"
VERSION = "1"
# A block is dense if it has this many characters, and at most this share of them in
# links.
_MIN_CHARS = 80
_MAX_LINKS = 0.25


def judge(page: Page) -> Verdict:
    """Keep dense blocks, and a heading right before one.  The score is always 0."""
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
        scores=[float(is_kept) for is_kept in kept],
        reasons=["dense" if is_kept else "thin" for is_kept in kept],
        score=0.0,
    )
