"""Finds which of a page's blocks an algorithm keeps, for algorithms of any units."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_eatext.result import MainText

# The number of consecutive words that are compared.
_RUN = 4


def kept_blocks(result: MainText, texts: Sequence[str]) -> list[bool]:
    """For each of a page's blocks, given as texts, whether a result keeps it.

    If the algorithm judges other units, a block counts as kept if most of its runs of
    words are in the result's text.
    """
    blocks = result.blocks
    if [block.text for block in blocks] == list(texts):
        return [block.kept for block in blocks]
    in_result = set(_runs(result.text))
    return [
        2 * sum(run in in_result for run in runs) > len(runs)
        for runs in map(_runs, texts)
    ]


def _runs(text: str) -> list[tuple[str, ...]]:
    """All runs of _RUN words, or a single run of all words if there are fewer.

    In a text without spaces, each character is a word.
    """
    words = text.split()
    if len(text) > 20 * len(words):
        words = [letter for letter in text if not letter.isspace()]
    if len(words) < _RUN:
        return [tuple(words)] if words else []
    return list(zip(*(words[i:] for i in range(_RUN)), strict=False))
