"""Learns the weights of words at the beginnings of blocks, by a logistic regression.

As with names, a word is used only if several sites have it; the most important ones are
kept.
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

# The number of words that are kept.
WORDS = 16_000
# The penalty on the squares of the weights, found by cross-validation.
_PENALTY = 3e-4
# A block's weight grows with its words, up to this many.
_LONG = 60

Tokens = tuple[NDArray[np.uint32], NDArray[np.intp]]


def tokens_of(samples: Sequence[Sample]) -> list[Tokens]:
    """For each sample the words of its blocks, and the block of each word."""
    return [word_tokens(sample.walk) for sample in samples]


def learn_words(samples: Sequence[Sample], tokens: Sequence[Tokens]) -> WordTable:
    """The table of words in texts; ``tokens`` are the words of each sample."""
    vocabulary = _vocabulary(samples, tokens)
    if not len(vocabulary):
        return WordTable(vocabulary, np.zeros(0, dtype=np.int32))
    sparse = need("scipy.sparse")
    parts, truths, weights_of_parts = [], [], []
    for sample, (hashes, block) in zip(samples, tokens, strict=True):
        w = weights(sample.walk)
        usable = (sample.share >= 0) & (w > 0)
        place = np.minimum(vocabulary.searchsorted(hashes), len(vocabulary) - 1)
        is_used = (vocabulary[place] == hashes) & usable[block]
        row = (np.cumsum(usable) - 1)[block[is_used]]
        shape = int(usable.sum()), len(vocabulary)
        ones = np.ones(len(row))
        parts.append(sparse.csr_matrix((ones, (row, place[is_used])), shape=shape))
        truths.append(sample.share[usable].clip(0, 1).astype(np.float64))
        weight = np.sqrt(np.minimum(w[usable], _LONG).astype(np.float64))
        weights_of_parts.append(weight / max(float(weight.sum()), 1.0))
    matrix = sparse.vstack(parts).tocsr()
    weight = np.concatenate(weights_of_parts)
    fitted = regress(matrix, np.concatenate(truths), weight / weight.sum(), _PENALTY)
    return _best(vocabulary, fitted, matrix)


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
    vocabulary: NDArray[np.uint32], fitted: NDArray[np.float64], matrix: Any
) -> WordTable:
    """The most important words, by weight and frequency."""
    share = np.minimum(np.asarray(matrix.mean(axis=0)).ravel(), 0.5)
    importance = np.abs(fitted) * np.sqrt(share * (1 - share))
    weight = hundredths(fitted)
    best = np.argsort(-importance, kind="stable")[:WORDS]
    best = np.sort(best[weight[best] != 0])
    return WordTable(vocabulary[best], weight[best])
