"""Improves labels of blocks by the final measure: the word F1 of the kept blocks.

An alignment labels a block by the place of its words in the true text.  It fails if the
true text has another order than the page, or has a repeated text only once.  So labels
of single blocks are changed as long as this improves the word F1.

Some true texts leave out all code, and some end in the middle of the page's text.
Blocks that are missing for such a reason are not learned from at all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tags import CODE
from scrapy_eatext.tagger.facts import tree_of, weights

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints

# In scripts without spaces between words each character is a word.
_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(f"[{_SPACELESS}]|[^\\W{_SPACELESS}]+")
_ROUNDS = 3
# A block is added only if _IN_TEXT of its words are in the true text, and _GAIN of its
# words are in the true text but not covered by kept blocks.
_IN_TEXT, _GAIN = 0.75, 0.6
# A block with fewer words than _SHORT needs a kept block within _NEAR blocks.
_SHORT, _NEAR = 4, 3
# A true text counts as cut off if at least _MORE_BLOCKS with _MORE_WORDS follow that
# have paths typical of the text.  A typical path is that of at least _OFTEN blocks of
# the text, and of at most _SELDOM times as many other blocks before the text's end.
_MORE_BLOCKS, _MORE_WORDS = 5, 100
_OFTEN, _SELDOM = 3, 0.2


def bag(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def folded(text: str) -> str:
    """A text in which runs of white space are one space; segments are found in it."""
    return " ".join(text.split())


def words_of(bags: Sequence[Counter[str]], kept: Iterable[bool]) -> Counter[str]:
    """The words of the kept blocks; ``bags`` are the words of each block."""
    words: Counter[str] = Counter()
    for of_block, is_kept in zip(bags, kept, strict=True):
        if is_kept:
            words.update(of_block)
    return words


def refine(
    labels: NDArray[np.bool_], bags: Sequence[Counter[str]], true: Counter[str]
) -> NDArray[np.bool_]:
    """Improved labels, by the words of blocks and of the true text."""
    sizes = [words.total() for words in bags]
    kept = [bool(label) and size > 0 for label, size in zip(labels, sizes, strict=True)]
    if not true:
        return np.zeros(len(bags), dtype=np.bool_)
    in_text = [
        (words & true).total() / max(n, 1) for words, n in zip(bags, sizes, strict=True)
    ]
    kept_words = words_of(bags, kept)
    count, wanted = kept_words.total(), true.total()
    hits = (kept_words & true).total()
    best = 2 * hits / (count + wanted)

    def change(i: int, least: float = -math.inf) -> None:
        """Change a block's label if that improves the F1 and wins at least ``least`` hits."""
        nonlocal hits, count, best
        sign = -1 if kept[i] else 1
        won = sum(
            min(kept_words[word] + sign * n, true[word])
            - min(kept_words[word], true[word])
            for word, n in bags[i].items()
        )
        f1 = 2 * (hits + won) / (count + sign * sizes[i] + wanted)
        if won >= least and f1 > best:
            kept[i], best = not kept[i], f1
            (kept_words.update if kept[i] else kept_words.subtract)(bags[i])
            hits, count = hits + won, count + sign * sizes[i]

    poorest = sorted(range(len(bags)), key=lambda i: in_text[i])
    richest = sorted(range(len(bags)), key=lambda i: -in_text[i] * min(sizes[i], 30))
    for _ in range(_ROUNDS):
        last_best = best
        for i in poorest:
            if kept[i]:
                change(i)
        for i in richest:
            if kept[i] or not sizes[i] or in_text[i] < _IN_TEXT:
                continue
            if sizes[i] >= _SHORT or any(kept[max(i - _NEAR, 0) : i + _NEAR + 1]):
                change(i, _GAIN * sizes[i])
        if best == last_best:
            break
    return np.array(kept, dtype=np.bool_)


def noisy(share: NDArray[np.float32], walk: Walk) -> NDArray[np.bool_]:
    """The blocks not to learn from; ``share`` is the share of content of each block."""
    is_code = walk.blocks[:, BlockColumn.KIND] == CODE
    way = tree_of(walk).same_way[walk.blocks[:, BlockColumn.INNER]]
    # For each block the last one up to it that is no code.
    place = np.maximum.accumulate(np.where(is_code, -1, np.arange(len(share))))
    follows_content = (place >= 0) & (share[place] > 0)
    omitted_code: NDArray[np.bool_] = is_code & follows_content & (share == 0)
    return omitted_code | behind_cut(share, way, weights(walk))


def behind_cut(
    share: NDArray[np.float32], way: NDArray[np.intp], w: Ints
) -> NDArray[np.bool_]:
    """The blocks after a true text that ends in the middle of the page's text.

    ``way`` is a hash of each block's path, ``w`` are its words.
    """
    is_cut = np.zeros(len(share), dtype=np.bool_)
    content = np.flatnonzero(share > 0)
    if not len(content):
        return is_cut
    end = int(content[-1]) + 1
    inside = Counter(way[content].tolist())
    beside = Counter(way[:end][share[:end] == 0].tolist())
    typical = [
        path
        for path, count in inside.items()
        if count >= _OFTEN and beside[path] <= _SELDOM * count
    ]
    behind = end + np.flatnonzero(np.isin(way[end:], typical))
    if len(behind) >= _MORE_BLOCKS and int(w[behind].sum()) >= _MORE_WORDS:
        is_cut[end : behind[-1] + 1] = True
    return is_cut
