"""Finds which of a page's blocks an algorithm keeps, for algorithms of any units."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_eatext.result import MainText

# The number of consecutive words that are compared.
_SHINGLE = 4


def kept_blocks(result: MainText, texts: Sequence[str]) -> list[bool]:
    """For each of a page's blocks, given as texts, whether a result keeps it.

    If the algorithm judges other units, a block counts as kept if most of its text is
    in the result.
    """
    blocks = result.blocks
    if [block.text for block in blocks] == list(texts):
        return [block.kept for block in blocks]
    in_result = set(_shingles(result.text))
    return [
        2 * sum(shingle in in_result for shingle in shingles) > len(shingles)
        for shingles in map(_shingles, texts)
    ]


def _shingles(text: str) -> list[tuple[str, ...]]:
    """All runs of _SHINGLE words, or all words if there are fewer.

    In a text without spaces, each character is a word.
    """
    words = text.split()
    if len(text) > 20 * len(words):
        words = [letter for letter in text if not letter.isspace()]
    if len(words) < _SHINGLE:
        return [tuple(words)] if words else []
    return list(zip(*(words[i:] for i in range(_SHINGLE)), strict=False))
