"""Learns the weights of words in attributes, by a logistic regression over blocks.

A word is used only if several sites have it, so that the meaning of words is learned,
not the vocabulary of a site.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.learning import need
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.tagger.facts import NEAR, TokenTable, weights

if TYPE_CHECKING:
    from scrapy_eatext.learning.tagger import Sample
    from scrapy_eatext.page.walk import Walk

# The fewest sites that use a word.
MIN_SITES = 5
# The number of words with a feature of their own.
FLAGS = 64
# The penalty on the squares of the weights, found by cross-validation.
_PENALTY = 7e-4
# The most blocks of a page in the regression, evenly spread.
_BLOCKS = 120
_STEPS = 40
_HIGHEST = 500


def learn_names(
    samples: Sequence[Sample], flagged: NDArray[np.uint32] | None = None
) -> tuple[TokenTable, NDArray[np.uint32]]:
    """The table of names, and the hashes of the names with a feature of their own.

    The latter are ``flagged``, if given, or else the most important names.
    """
    sparse = need("scipy.sparse")
    vocabulary = _vocabulary(samples)
    parts, truths, weights_of_parts = [], [], []
    for sample in samples:
        w = weights(sample.walk)
        usable = np.flatnonzero((sample.share >= 0) & (w > 0))
        usable = usable[:: -(-len(usable) // _BLOCKS) or 1]
        parts.append(_counts(sample.walk, usable, vocabulary))
        truths.append(sample.share[usable].astype(np.float64))
        weight = np.sqrt(w[usable].astype(np.float64))
        weights_of_parts.append(
            weight / max(float(np.sqrt(w[sample.share >= 0]).sum()), 1.0)
        )
    matrix = sparse.vstack(parts).tocsr()
    truth, weight = np.concatenate(truths), np.concatenate(weights_of_parts)
    fitted = regress(matrix, truth, weight / weight.sum(), _PENALTY)
    near, far = fitted[: len(vocabulary)], fitted[len(vocabulary) :]
    if flagged is None:
        shares = np.asarray((matrix > 0).mean(axis=0)).ravel()
        importance = np.abs(fitted) * np.sqrt(shares * (1 - shares))
        importance = importance[: len(vocabulary)] + importance[len(vocabulary) :]
        flagged = vocabulary[np.argsort(-importance, kind="stable")[:FLAGS]]
    flag = np.full(len(vocabulary), -1, dtype=np.int32)
    for number, value in enumerate(flagged.tolist()):
        place = int(np.searchsorted(vocabulary, value))
        if place < len(vocabulary) and vocabulary[place] == value:
            flag[place] = number
    table = TokenTable(vocabulary, hundredths(near), hundredths(far), flag)
    return table, flagged


def hundredths(weights: NDArray[np.float64]) -> NDArray[np.int32]:
    """Weights in hundredths, as whole numbers within bounds."""
    return np.rint(weights * 100).clip(-_HIGHEST, _HIGHEST).astype(np.int32)


def _vocabulary(samples: Sequence[Sample]) -> NDArray[np.uint32]:
    sites: dict[int, set[str]] = {}
    for sample in samples:
        for value in np.unique(sample.walk.tokens).tolist():
            sites.setdefault(value, set()).add(sample.site)
    enough = [value for value, users in sites.items() if len(users) >= MIN_SITES]
    return np.array(sorted(enough), dtype=np.uint32)


def _counts(
    walk: Walk, blocks: NDArray[np.intp], vocabulary: NDArray[np.uint32]
) -> Any:
    """For each block the counts of words near it, then of words on outer elements."""
    sparse = need("scipy.sparse")
    parents, firsts, tokens = (
        walk.elements[:, ElementColumn[name.upper()]].tolist()
        for name in ("parent", "first_token", "tokens")
    )
    place = np.minimum(
        np.searchsorted(vocabulary, walk.tokens), max(len(vocabulary) - 1, 0)
    )
    is_known = (
        vocabulary[place] == walk.tokens
        if len(vocabulary)
        else np.zeros(len(place), bool)
    )
    place_of_token = np.where(is_known, place, -1).tolist()
    inner = walk.blocks[:, BlockColumn.INNER]
    around: dict[int, list[int]] = {}
    ends, columns = [0], []
    for element in inner[blocks].tolist():
        if element not in around:
            row, at, steps = [], element, 0
            while at >= 0:
                shift = 0 if steps < NEAR else len(vocabulary)
                own = place_of_token[firsts[at] : firsts[at] + tokens[at]]
                row += [value + shift for value in own if value >= 0]
                at, steps = parents[at], steps + 1
            around[element] = row
        columns += around[element]
        ends.append(len(columns))
    ones = np.ones(len(columns))
    shape = len(blocks), 2 * len(vocabulary)
    counts = sparse.csr_matrix(
        (ones, np.array(columns, dtype=np.int64), ends), shape=shape
    )
    counts.sum_duplicates()
    # Counts above two are cut to two.
    counts.data = np.minimum(counts.data, 2.0)
    return counts


def regress(
    matrix: Any,
    truth: NDArray[np.float64],
    weight: NDArray[np.float64],
    penalty: float,
) -> NDArray[np.float64]:
    """The weights of an L2 logistic regression; its intercept is left out."""
    transposed = matrix.T.tocsr()

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, bias = parameters[:-1], parameters[-1]
        logit = matrix @ weights + bias
        value = float((weight * (np.logaddexp(0, logit) - truth * logit)).sum())
        error = weight * (1 / (1 + np.exp(-logit)) - truth)
        slope = np.append(transposed @ error + penalty * weights, error.sum())
        return value + penalty * float(weights @ weights) / 2, slope

    start = np.zeros(matrix.shape[1] + 1)
    solution = need("scipy.optimize").minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}
    )
    weights: NDArray[np.float64] = solution.x[:-1]
    return weights
