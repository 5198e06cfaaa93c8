"""Two rounds of trees over a page's blocks: from a walk to how likely each is content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from scrapy_eatext.page.twins import load
from scrapy_eatext.tagger.context import HIGHEST, ZERO, context_features
from scrapy_eatext.tagger.features import TokenTable, block_features, tree_of

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.features import Ints
    from scrapy_eatext.tagger.trees import Trees

_compiled = load("tagger._tagger")


class Twin(Protocol):
    """What gives the figures of a page's blocks, see Tagger."""

    def features(self, walk: Walk, names: Sequence[str]) -> Mapping[str, Ints]: ...
    def likelihoods(self, walk: Walk) -> Ints: ...


class Tagger:
    """The tagger of one model.

    ``first`` are trees over the features of blocks; ``second`` see besides what
    the first think of the blocks around.  Raises ValueError for trees that ask
    about features that do not exist.
    """

    def __init__(self, table: TokenTable, first: Trees, second: Trees) -> None:
        self.table = table
        self.first = first
        self.second = second
        self._twin: Twin | None = _compiled and _compiled.Tagger(table, first, second)

    def likelihoods(self, walk: Walk) -> Ints:
        """How likely each block is content: 0 to 1200, and 600 is even."""
        if self._twin is not None:
            return self._twin.likelihoods(walk)
        return self.python_likelihoods(walk)

    def features(self, walk: Walk, names: Sequence[str]) -> Mapping[str, Ints]:
        """Some of the features that the first trees see, by name: a number a block.

        All of them at once take hundreds of times the memory of the page.
        """
        if self._twin is not None:
            return self._twin.features(walk, names)
        return self.python_features(walk, names)

    def python_features(self, walk: Walk, names: Sequence[str]) -> Mapping[str, Ints]:
        rows = block_features(walk, self.table)
        return {name: rows[name].copy() for name in names}

    def python_likelihoods(self, walk: Walk) -> Ints:
        if not len(walk.blocks):
            return np.zeros(0, dtype=np.int64)
        tree = tree_of(walk)
        rows = block_features(walk, self.table, tree)
        first = likelihood_of(self.first, rows)
        rows |= context_features(walk, first, rows["w"], rows["depth"], tree)
        return likelihood_of(self.second, rows)


def likelihood_of(trees: Trees, rows: Mapping[str, Ints]) -> Ints:
    """What trees say of each block, given features by name."""
    names = trees.names
    values = np.concatenate(
        [rows[name] for name in names], dtype=np.int32, casting="unsafe"
    ).reshape(len(names), -1)
    logit = trees.sums(values)[0] * 100 // trees.scale
    likelihood: Ints = np.clip(logit + ZERO, 0, HIGHEST)
    return likelihood
