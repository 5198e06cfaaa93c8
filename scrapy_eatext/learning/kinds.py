"""Learns weights of words for kinds of pages, by a regression for each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.learning import need
from scrapy_eatext.learning.names import hundredths, regress
from scrapy_eatext.tagger.kinds import VoteTable, rows_among

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_eatext.learning.tagger import Sample
    from scrapy_eatext.learning.words import Tokens
    from scrapy_eatext.tagger.facts import TokenTable
    from scrapy_eatext.tagger.kinds import PythonKindVotes
    from scrapy_eatext.tagger.operations import Ints

# The penalty on the squares of the weights, found by cross-validation.
_PENALTY = 8e-5


def learn_kinds(
    samples: Sequence[Sample],
    tokens: Sequence[Tokens],
    table: TokenTable,
    kinds: Sequence[str],
    kind_weights: Mapping[str, float],
) -> tuple[VoteTable, VoteTable]:
    """The votes of the words in attributes, and of those that blocks begin with.

    They are learned for the words of ``table``, by pages whose whole text is known.
    ``tokens`` are each sample's words of the second sort.
    """
    whole = [
        (sample, words)
        for sample, (words, _) in zip(samples, tokens, strict=True)
        if sample.true is not None
    ]
    weight = np.array([kind_weights[sample.kind] for sample, _ in whole])
    truths = [
        np.array([sample.kind == kind for sample, _ in whole], dtype=np.float64)
        for kind in kinds
    ]
    return (
        _votes(
            table.hashes, [sample.walk.tokens for sample, _ in whole], truths, weight
        ),
        _votes(table.words.hashes, [words for _, words in whole], truths, weight),
    )


def _votes(
    hashes: NDArray[np.uint32],
    pages: Sequence[NDArray[np.uint32]],
    truths: Sequence[NDArray[np.float64]],
    weight: NDArray[np.float64],
) -> VoteTable:
    """The votes of the words ``hashes`` on pages with these words."""
    if not len(pages) or not len(hashes):
        return VoteTable(hashes, np.zeros((len(hashes), len(truths)), dtype=np.int16))
    rows = [rows_among(hashes, words) for words in pages]
    counts = np.array([len(row) for row in rows])
    matrix = need("scipy.sparse").csr_matrix(
        (
            np.repeat(1 / np.sqrt(np.maximum(counts, 1)), counts),
            np.concatenate(rows),
            np.concatenate([[0], counts.cumsum()]),
        ),
        shape=(len(pages), len(hashes)),
    )
    columns = [
        hundredths(regress(matrix, truth, weight / weight.sum(), _PENALTY))
        for truth in truths
    ]
    return VoteTable(hashes, np.stack(columns, axis=1).astype(np.int16))


def figures_of_votes(
    samples: Sequence[Sample], votes: Sequence[PythonKindVotes], fold: NDArray[np.intp]
) -> Ints:
    """The votes on each page, of names and of words, by tables without its fold."""
    return np.array(
        [
            votes[k].figures(sample.walk)
            for sample, k in zip(samples, fold.tolist(), strict=True)
        ]
    )
