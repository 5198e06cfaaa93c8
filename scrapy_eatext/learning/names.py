"""The weights of the words in attributes, by a regression of blocks over all of them.

A word counts only if several sites use it, so that the meaning of words is learned, and
not the names of sites.
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

# A word has to be used by so many sites.
MIN_SITES = 5
# How many words get a feature of their own.
FLAGS = 64
# The penalty on the squares of the weights, found by cross-validation.
_PENALTY = 7e-4
# The most blocks of a page that take part, evenly spread.
_BLOCKS = 120
_STEPS = 40
_HIGHEST = 500


def learn_names(
    samples: Sequence[Sample], flagged: NDArray[np.uint32] | None = None
) -> tuple[TokenTable, NDArray[np.uint32]]:
    """The table of names, and the hashes of the names with a feature of their own.

    If ``flagged`` is given, these hashes get the features.
    """
    sparse = need("scipy.sparse")
    known = _vocabulary(samples)
    parts, truths, weighted = [], [], []
    for sample in samples:
        w = weights(sample.walk)
        usable = np.flatnonzero((sample.share >= 0) & (w > 0))
        usable = usable[:: -(-len(usable) // _BLOCKS) or 1]
        parts.append(_counts(sample.walk, usable, known))
        truths.append(sample.share[usable].astype(np.float64))
        weight = np.sqrt(w[usable].astype(np.float64))
        weighted.append(weight / max(float(np.sqrt(w[sample.share >= 0]).sum()), 1.0))
    matrix = sparse.vstack(parts).tocsr()
    truth, weight = np.concatenate(truths), np.concatenate(weighted)
    found = regress(matrix, truth, weight / weight.sum(), _PENALTY)
    near, far = found[: len(known)], found[len(known) :]
    if flagged is None:
        shares = np.asarray((matrix > 0).mean(axis=0)).ravel()
        telling = np.abs(found) * np.sqrt(shares * (1 - shares))
        telling = telling[: len(known)] + telling[len(known) :]
        flagged = known[np.argsort(-telling, kind="stable")[:FLAGS]]
    flag = np.full(len(known), -1, dtype=np.int32)
    for number, value in enumerate(flagged.tolist()):
        place = int(np.searchsorted(known, value))
        if place < len(known) and known[place] == value:
            flag[place] = number
    table = TokenTable(known, hundredths(near), hundredths(far), flag)
    return table, flagged


def hundredths(weights: NDArray[np.float64]) -> NDArray[np.int32]:
    """Weights as whole numbers within bounds."""
    return np.rint(weights * 100).clip(-_HIGHEST, _HIGHEST).astype(np.int32)


def _vocabulary(samples: Sequence[Sample]) -> NDArray[np.uint32]:
    sites: dict[int, set[str]] = {}
    for sample in samples:
        for value in np.unique(sample.walk.tokens).tolist():
            sites.setdefault(value, set()).add(sample.site)
    enough = [value for value, users in sites.items() if len(users) >= MIN_SITES]
    return np.array(sorted(enough), dtype=np.uint32)


def _counts(walk: Walk, blocks: NDArray[np.intp], known: NDArray[np.uint32]) -> Any:
    """How often each word is near the blocks, then how often farther out."""
    sparse = need("scipy.sparse")
    parents, firsts, tokens = (
        walk.elements[:, ElementColumn[name.upper()]].tolist()
        for name in ("parent", "first_token", "tokens")
    )
    place = np.minimum(np.searchsorted(known, walk.tokens), max(len(known) - 1, 0))
    hit = known[place] == walk.tokens if len(known) else np.zeros(len(place), bool)
    which = np.where(hit, place, -1).tolist()
    inner = walk.blocks[:, BlockColumn.INNER]
    around: dict[int, list[int]] = {}
    ends, found = [0], []
    for element in inner[blocks].tolist():
        if element not in around:
            row, at, steps = [], element, 0
            while at >= 0:
                shift = 0 if steps < NEAR else len(known)
                own = which[firsts[at] : firsts[at] + tokens[at]]
                row += [value + shift for value in own if value >= 0]
                at, steps = parents[at], steps + 1
            around[element] = row
        found += around[element]
        ends.append(len(found))
    ones = np.ones(len(found))
    shape = len(blocks), 2 * len(known)
    made = sparse.csr_matrix((ones, np.array(found, dtype=np.int64), ends), shape=shape)
    made.sum_duplicates()
    # A word that occurs more often counts as one that occurs twice.
    made.data = np.minimum(made.data, 2.0)
    return made


def regress(
    matrix: Any,
    truth: NDArray[np.float64],
    weight: NDArray[np.float64],
    penalty: float,
) -> NDArray[np.float64]:
    """The weights of a logistic regression with an intercept, which is left out."""
    across = matrix.T.tocsr()

    def loss(at: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, bias = at[:-1], at[-1]
        logit = matrix @ weights + bias
        value = float((weight * (np.logaddexp(0, logit) - truth * logit)).sum())
        off = weight * (1 / (1 + np.exp(-logit)) - truth)
        slope = np.append(across @ off + penalty * weights, off.sum())
        return value + penalty * float(weights @ weights) / 2, slope

    start = np.zeros(matrix.shape[1] + 1)
    found = need("scipy.optimize").minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}
    )
    weights: NDArray[np.float64] = found.x[:-1]
    return weights
