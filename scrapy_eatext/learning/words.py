"""Learns weights of words, by logistic regressions.

They are of words in attributes and at the beginnings of blocks for main text, and of
words in attributes for kinds of pages.  For main text a word is used only if several
sites have it, so that the meaning of words is learned, not the vocabulary of a site.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.learning import need
from scrapy_eatext.learning.logistic import Floats, sparse
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.tagger.facts import MAX_FLAGS, NEAR, TokenTable, weights
from scrapy_eatext.tagger.kinds import name_votes, words_on
from scrapy_eatext.tagger.words import WordTable, no_words, places_in, word_tokens

if TYPE_CHECKING:
    from scrapy_eatext.learning.tagger import Sample
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints

# The fewest sites that use a word.
MIN_SITES = 5
# The number of words that are kept.
WORDS = 16_000
# The penalties on the squares of the weights, found by cross-validation.
_OF_NAMES, _OF_WORDS, _OF_KINDS = 7e-4, 3e-4, 8e-5
# The most blocks of a page in the regression of names, evenly spread.
_BLOCKS = 120
# In that of words a block's weight grows with its words, up to this many.
_LONG = 60
_HIGHEST = 500

Hashes = NDArray[np.uint32]
# The words of a page's blocks, and the block of each word.
Tokens = tuple[Hashes, NDArray[np.intp]]


def learn_tables(
    samples: Sequence[Sample], of_kinds: Mapping[str, float], fold: NDArray[np.intp]
) -> tuple[TokenTable, list[TokenTable]]:
    """The table of all samples' names and words, and the tables without each fold.

    The names with a feature of their own are the same in all tables that have them.
    """
    tokens = [word_tokens(sample.walk) for sample in samples]

    def learned(
        places: Sequence[int], flagged: Hashes | None
    ) -> tuple[TokenTable, Hashes]:
        some = [samples[i] for i in places]
        table, flagged = learn_names(some, flagged)
        kinds = learn_kinds(some, table.hashes, of_kinds)
        words = learn_words(some, [tokens[i] for i in places])
        return replace(table, kinds=kinds, words=words), flagged

    whole, flagged = learned(range(len(samples)), None)
    others = (np.flatnonzero(fold != k).tolist() for k in range(int(fold.max()) + 1))
    return whole, [learned(places, flagged)[0] for places in others]


def learn_names(
    samples: Sequence[Sample], flagged: Hashes | None = None
) -> tuple[TokenTable, Hashes]:
    """The table of names alone, and the names with a feature of their own."""
    vocabulary = _vocabulary(samples, [sample.walk.tokens for sample in samples])
    examples = []
    for sample in samples:
        w = weights(sample.walk)
        usable = np.flatnonzero((sample.share >= 0) & (w > 0))
        usable = usable[:: -(-len(usable) // _BLOCKS) or 1]
        counts = _counts(sample.walk, usable, vocabulary)
        weight = np.sqrt(w[usable].astype(np.float64))
        of_page = max(float(np.sqrt(w[sample.share >= 0]).sum()), 1.0)
        examples.append((counts, sample.share[usable], weight / of_page))
    matrix, fitted = _fitted(examples, _OF_NAMES)
    near, far = fitted[: len(vocabulary)], fitted[len(vocabulary) :]
    if flagged is None:
        shares = np.asarray((matrix > 0).mean(axis=0)).ravel()
        importance = np.abs(fitted) * np.sqrt(shares * (1 - shares))
        importance = importance[: len(vocabulary)] + importance[len(vocabulary) :]
        flagged = vocabulary[np.argsort(-importance, kind="stable")[:MAX_FLAGS]]
    flag = np.full(len(vocabulary), -1, dtype=np.int32)
    place, is_known = places_in(vocabulary, flagged)
    flag[place[is_known]] = np.flatnonzero(is_known)
    columns = vocabulary, _hundredths(near), _hundredths(far), flag
    no_kinds = np.zeros((len(vocabulary), 0), dtype=np.int16)
    return TokenTable(*columns, no_kinds), flagged


def _counts(walk: Walk, blocks: NDArray[np.intp], vocabulary: Hashes) -> Any:
    """For each block the counts of words near it, then of words on outer elements."""
    scipy = need("scipy.sparse")
    place, is_known = places_in(vocabulary, walk.tokens)
    sizes = walk.elements[:, ElementColumn.TOKENS]
    owner = np.repeat(np.arange(len(sizes)), sizes)[is_known]
    # The last row is of no element, whose number is -1.
    shape = len(sizes) + 1, len(vocabulary)
    cells = np.ones(len(owner)), (owner, place[is_known])
    on_element = scipy.csr_matrix(cells, shape=shape)
    parents = np.append(walk.elements[:, ElementColumn.PARENT], -1)
    at, steps = walk.blocks[blocks, BlockColumn.INNER], 0
    near = far = scipy.csr_matrix((len(blocks), len(vocabulary)))
    while (at >= 0).any():
        if steps < NEAR:
            near = near + on_element[at]
        else:
            far = far + on_element[at]
        at, steps = parents[at], steps + 1
    counts = scipy.hstack([near, far], "csr")
    # Counts above two are cut to two.
    counts.data = np.minimum(counts.data, 2.0)
    return counts


def learn_words(samples: Sequence[Sample], tokens: Sequence[Tokens]) -> WordTable:
    """The table of the most important words in texts, by weight and frequency."""
    vocabulary = _vocabulary(samples, [hashes for hashes, _ in tokens])
    if not len(vocabulary):
        return no_words()
    csr_matrix = need("scipy.sparse").csr_matrix
    examples = []
    for sample, (hashes, block) in zip(samples, tokens, strict=True):
        w = weights(sample.walk)
        usable = (sample.share >= 0) & (w > 0)
        place, is_known = places_in(vocabulary, hashes)
        is_used = is_known & usable[block]
        row = (np.cumsum(usable) - 1)[block[is_used]]
        shape = int(usable.sum()), len(vocabulary)
        ones = np.ones(len(row))
        part = csr_matrix((ones, (row, place[is_used])), shape=shape)
        weight = np.sqrt(np.minimum(w[usable], _LONG).astype(np.float64))
        weight /= max(float(weight.sum()), 1.0)
        examples.append((part, sample.share[usable], weight))
    matrix, fitted = _fitted(examples, _OF_WORDS)
    share = np.minimum(np.asarray(matrix.mean(axis=0)).ravel(), 0.5)
    importance = np.abs(fitted) * np.sqrt(share * (1 - share))
    weight = _hundredths(fitted)
    best = np.argsort(-importance, kind="stable")[:WORDS]
    best = np.sort(best[weight[best] != 0])
    return WordTable(vocabulary[best], weight[best])


def learn_kinds(
    samples: Sequence[Sample], hashes: Hashes, of_kinds: Mapping[str, float]
) -> NDArray[np.int16]:
    """The weights of words for each kind, by the pages whose whole text is known."""
    whole = [sample for sample in samples if sample.true is not None]
    if not whole or not len(hashes):
        return np.zeros((len(hashes), len(of_kinds)), dtype=np.int16)
    words_of_pages = [words_on(sample.walk, hashes) for sample in whole]
    counts = np.array([len(words) for words in words_of_pages])
    matrix = need("scipy.sparse").csr_matrix(
        (
            np.repeat(1 / np.sqrt(np.maximum(counts, 1)), counts),
            np.concatenate(words_of_pages),
            np.concatenate([[0], counts.cumsum()]),
        ),
        shape=(len(whole), len(hashes)),
    )
    weight = np.array([of_kinds[sample.kind] for sample in whole])
    of_kind = np.array([[sample.kind == kind for sample in whole] for kind in of_kinds])
    columns = [
        _hundredths(sparse(matrix, truth, weight / weight.sum(), _OF_KINDS))
        for truth in of_kind.astype(np.float64)
    ]
    return np.stack(columns, axis=1).astype(np.int16)


def votes_of_names(
    samples: Sequence[Sample], tables: Sequence[TokenTable], fold: NDArray[np.intp]
) -> Ints:
    """The name_votes() of each page, a row for each, by the table without its fold."""
    return np.array(
        [
            name_votes(sample.walk, tables[k])
            for sample, k in zip(samples, fold.tolist(), strict=True)
        ]
    )


def _vocabulary(samples: Sequence[Sample], tokens: Iterable[Hashes]) -> Hashes:
    """The sorted words that enough sites use; ``tokens`` are the words of each sample."""
    of_sites: dict[str, list[Hashes]] = {}
    for sample, hashes in zip(samples, tokens, strict=True):
        of_sites.setdefault(sample.site, []).append(hashes)
    used = [np.unique(np.concatenate(parts)) for parts in of_sites.values()]
    hashes, count = np.unique(np.concatenate(used), return_counts=True)
    return hashes[count >= MIN_SITES]


def _fitted(
    examples: Sequence[tuple[Any, NDArray[np.float32], Floats]], penalty: float
) -> tuple[Any, Floats]:
    """The matrix of all pages, given by matrix, truth and weights; its columns' weights."""
    parts, shares, weights = zip(*examples, strict=True)
    matrix = need("scipy.sparse").vstack(parts).tocsr()
    weight, truth = np.concatenate(weights), np.concatenate(shares).astype(np.float64)
    return matrix, sparse(matrix, truth, weight / weight.sum(), penalty)


def _hundredths(weights: Floats) -> NDArray[np.int32]:
    """Weights in hundredths, as whole numbers within bounds."""
    return np.rint(weights * 100).clip(-_HIGHEST, _HIGHEST).astype(np.int32)
