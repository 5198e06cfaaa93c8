"""The weights of the words that blocks begin with, by a regression of blocks over them.

As with names, a word counts only if several sites use it.  Of these only the most telling
ones are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.learning import need
from scrapy_eatext.learning.names import MIN_SITES, hundredths, regress
from scrapy_eatext.tagger.facts import weights
from scrapy_eatext.tagger.words import WordTable, word_tokens

if TYPE_CHECKING:
    from scrapy_eatext.learning.tagger import Sample

# How many words are kept.
WORDS = 16_000
# The penalty on the squares of the weights, found by cross-validation.
_PENALTY = 3e-4
# A block's weight grows with its words up to so many.
_LONG = 60

Tokens = tuple[NDArray[np.uint32], NDArray[np.intp]]


def tokens_of(samples: Sequence[Sample]) -> list[Tokens]:
    """The words of the samples' blocks, and of which block each is."""
    return [word_tokens(sample.walk) for sample in samples]


def learn_words(samples: Sequence[Sample], tokens: Sequence[Tokens]) -> WordTable:
    """The table of the words in texts, given those of each sample."""
    known = _vocabulary(samples, tokens)
    if not len(known):
        return WordTable(known, np.zeros(0, dtype=np.int32))
    sparse = need("scipy.sparse")
    parts, truths, heavy = [], [], []
    for sample, (hashes, of) in zip(samples, tokens, strict=True):
        w = weights(sample.walk)
        usable = (sample.share >= 0) & (w > 0)
        place = np.minimum(known.searchsorted(hashes), len(known) - 1)
        there = (known[place] == hashes) & usable[of]
        row = (np.cumsum(usable) - 1)[of[there]]
        shape = int(usable.sum()), len(known)
        ones = np.ones(len(row))
        parts.append(sparse.csr_matrix((ones, (row, place[there])), shape=shape))
        truths.append(sample.share[usable].clip(0, 1).astype(np.float64))
        weight = np.sqrt(np.minimum(w[usable], _LONG).astype(np.float64))
        heavy.append(weight / max(float(weight.sum()), 1.0))
    matrix = sparse.vstack(parts).tocsr()
    weight = np.concatenate(heavy)
    found = regress(matrix, np.concatenate(truths), weight / weight.sum(), _PENALTY)
    return _best(known, found, matrix)


def _vocabulary(
    samples: Sequence[Sample], tokens: Sequence[Tokens]
) -> NDArray[np.uint32]:
    """The words that enough sites use."""
    site = {name: i for i, name in enumerate(sorted({s.site for s in samples}))}
    used = [
        np.unique(hashes).astype(np.uint64) << np.uint64(32)
        | np.uint64(site[sample.site])
        for sample, (hashes, _) in zip(samples, tokens, strict=True)
    ]
    pairs = np.unique(np.concatenate(used))
    hashes, count = np.unique(
        (pairs >> np.uint64(32)).astype(np.uint32), return_counts=True
    )
    enough: NDArray[np.uint32] = hashes[count >= MIN_SITES]
    return enough


def _best(
    known: NDArray[np.uint32], found: NDArray[np.float64], matrix: Any
) -> WordTable:
    """The words that tell most, by weight and by how often they are there."""
    share = np.minimum(np.asarray(matrix.mean(axis=0)).ravel(), 0.5)
    telling = np.abs(found) * np.sqrt(share * (1 - share))
    weight = hundredths(found)
    best = np.argsort(-telling, kind="stable")[:WORDS]
    best = np.sort(best[weight[best] != 0])
    return WordTable(known[best], weight[best])
