"""Which of a page's blocks an algorithm keeps, whatever units it judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_eatext.result import MainText

# So many words in a row count as found if the other text has them in a row too.
_SHINGLE = 4


def kept_blocks(result: MainText, texts: Sequence[str]) -> list[bool]:
    """For each of a page's blocks, given as texts, whether a result keeps it.

    An algorithm that judges other units than the page's blocks counts as keeping a
    block if most of the block's text is in the result.
    """
    blocks = result.blocks
    if [block.text for block in blocks] == list(texts):
        return [block.kept for block in blocks]
    found = set(_shingles(result.text))
    return [
        2 * sum(shingle in found for shingle in shingles) > len(shingles)
        for shingles in map(_shingles, texts)
    ]


def _shingles(text: str) -> list[tuple[str, ...]]:
    """Every few words in a row, or all words if there are fewer.

    Texts without spaces are taken letter by letter.
    """
    words = text.split()
    if len(text) > 20 * len(words):
        words = [letter for letter in text if not letter.isspace()]
    if len(words) < _SHINGLE:
        return [tuple(words)] if words else []
    return list(zip(*(words[i:] for i in range(_SHINGLE)), strict=False))
