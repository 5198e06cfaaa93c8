"""Learns weights of words in attributes for kinds of pages, by a regression for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.learning import need
from scrapy_eatext.learning.names import hundredths, regress
from scrapy_eatext.tagger.kinds import words_on

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_eatext.learning.tagger import Sample
    from scrapy_eatext.tagger.kinds import NameVotes
    from scrapy_eatext.tagger.operations import Ints

# The penalty on the squares of the weights, found by cross-validation.
_PENALTY = 8e-5


def learn_kinds(
    samples: Sequence[Sample],
    hashes: NDArray[np.uint32],
    kinds: Sequence[str],
    kind_weights: Mapping[str, float],
) -> NDArray[np.int16]:
    """The weights of NameVotes for the words ``hashes``.

    They are learned from pages whose whole text is known.
    """
    whole = [sample for sample in samples if sample.true is not None]
    if not whole or not len(hashes):
        return np.zeros((len(hashes), len(kinds)), dtype=np.int16)
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
    weight = np.array([kind_weights[sample.kind] for sample in whole])
    weight /= weight.sum()
    columns = [
        hundredths(
            regress(
                matrix,
                np.array([sample.kind == kind for sample in whole], dtype=np.float64),
                weight,
                _PENALTY,
            )
        )
        for kind in kinds
    ]
    return np.stack(columns, axis=1).astype(np.int16)


def figures_of_names(
    samples: Sequence[Sample], votes: Sequence[NameVotes], fold: NDArray[np.intp]
) -> Ints:
    """The figures of each page, a row for each, by the votes without its fold."""
    return np.array(
        [
            votes[k].figures(sample.walk)
            for sample, k in zip(samples, fold.tolist(), strict=True)
        ]
    )
