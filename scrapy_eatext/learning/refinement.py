"""Labels of blocks by the final measure: the word F1 of the blocks kept.

An alignment labels a block by the place of its words in the true text.  If the true
text has another order than the page, or says once what the page says twice, the
alignment goes wrong.  So labels of single blocks are changed as long as that improves
the word F1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# In scripts without spaces between words each character is one.
_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(f"[{_SPACELESS}]|[^\\W{_SPACELESS}]+")
_ROUNDS = 3
# A block is added only if this share of its words is in the true text, and this share
# is not covered by the kept blocks.
_IN_TEXT, _GAIN = 0.75, 0.6
# A block with fewer words than _SHORT needs a kept block within _NEAR blocks.
_SHORT, _NEAR = 4, 3


def bag(text: str) -> Counter[str]:
    """The words of a text, each with its count."""
    return Counter(_WORD.findall(text.lower()))


def refine(
    labels: NDArray[np.bool_], bags: Sequence[Counter[str]], true: Counter[str]
) -> NDArray[np.bool_]:
    """Better labels than the given ones, for blocks with these words."""
    sizes = [words.total() for words in bags]
    kept = [bool(label) and size > 0 for label, size in zip(labels, sizes, strict=True)]
    if not true:
        return np.zeros(len(bags), dtype=np.bool_)
    found = [
        (words & true).total() / max(n, 1) for words, n in zip(bags, sizes, strict=True)
    ]
    held: Counter[str] = Counter()
    for words, is_kept in zip(bags, kept, strict=True):
        if is_kept:
            held.update(words)
    hits, given, wanted = (held & true).total(), held.total(), true.total()
    best = 2 * hits / (given + wanted)
    poorest = sorted(range(len(bags)), key=lambda i: found[i])
    richest = sorted(range(len(bags)), key=lambda i: -found[i] * min(sizes[i], 30))
    for _ in range(_ROUNDS):
        before = best
        for i in poorest:
            if not kept[i]:
                continue
            lost = sum(
                min(held[word], true[word]) - min(held[word] - n, true[word])
                for word, n in bags[i].items()
            )
            f1 = 2 * (hits - lost) / (given - sizes[i] + wanted)
            if f1 > best:
                kept[i], best = False, f1
                held.subtract(bags[i])
                hits, given = hits - lost, given - sizes[i]
        for i in richest:
            if kept[i] or not sizes[i] or found[i] < _IN_TEXT:
                continue
            near = kept[max(i - _NEAR, 0) : i + _NEAR + 1]
            if sizes[i] < _SHORT and not any(near):
                continue
            gain = sum(
                min(held[word] + n, true[word]) - min(held[word], true[word])
                for word, n in bags[i].items()
            )
            f1 = 2 * (hits + gain) / (given + sizes[i] + wanted)
            if gain >= _GAIN * sizes[i] and f1 > best:
                kept[i], best = True, f1
                held.update(bags[i])
                hits, given = hits + gain, given + sizes[i]
        if best == before:
            break
    return np.array(kept, dtype=np.bool_)
