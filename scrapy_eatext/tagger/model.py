"""Two rounds of trees over a page's blocks: from a walk to how likely each is content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.page.twins import load
from scrapy_eatext.tagger import context, features
from scrapy_eatext.tagger.context import HIGHEST, ZERO, context_facts
from scrapy_eatext.tagger.facts import facts_of, tree_of
from scrapy_eatext.tagger.features import block_features, features_with, spread
from scrapy_eatext.tagger.operations import encoded, evaluate_all, wanted

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.facts import TokenTable
    from scrapy_eatext.tagger.operations import Ints
    from scrapy_eatext.tagger.trees import Trees

_compiled = load("tagger._tagger")
# What features of the second round may read.
_FIGURES = {**features.FIGURES, **context.FIGURES}


class Tagger:
    """The tagger of one model.

    ``first`` are trees over the features of blocks; ``second`` see besides what
    the first think of the blocks around.  Raises ValueError for trees that ask
    about features that do not exist.
    """

    def __init__(self, names: TokenTable, first: Trees, second: Trees) -> None:
        self.names = names
        self.first = first
        self.second = second
        known = features_with(names.flags)
        self.around = [name for name in second.names if name not in known]
        asked = dict.fromkeys([*first.names, *second.names])
        self.own = [name for name in asked if name not in self.around]
        for name in asked:
            if name not in known and (
                name not in context.FEATURES or name in first.names
            ):
                raise ValueError(f"no feature is called {name!r}")
        self._twin = None if _compiled is None else Twin(_compiled, self)

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
            return self._twin.features(walk, tuple(names))
        return block_features(walk, self.names, names)

    def python_likelihoods(self, walk: Walk) -> Ints:
        """What likelihoods() gives."""
        count = len(walk.blocks)
        if not count:
            return np.zeros(0, dtype=np.int64)
        tree = tree_of(walk)
        facts = facts_of(walk, self.names, tree)
        known = features_with(self.names.flags)
        rows = evaluate_all(self.own, known, features.FIGURES, facts)
        first = likelihood_of(self.first, spread(rows, count))
        facts = context_facts(facts, tree, first)
        rows |= evaluate_all(self.around, context.FEATURES, _FIGURES, facts)
        return likelihood_of(self.second, spread(rows, count))


class Twin:
    """A Tagger's compiled twin, to which its tables are handed as numbers."""

    def __init__(self, module: ModuleType, tagger: Tagger) -> None:
        self._module = module
        self._flags = tagger.names.flags
        self._words = module.Words(tagger.names)
        place = {name: i for i, name in enumerate([*tagger.own, *tagger.around])}
        rounds = tagger.first, tagger.second
        self._tagger = module.Tagger(
            self._words,
            [
                self._program(tuple(tagger.own)),
                self._program(tuple(tagger.around), True),
            ],
            [trees.forest for trees in rounds],
            [[place[name] for name in trees.names] for trees in rounds],
        )
        # Bounded by the few features that are asked for by themselves.
        self._some = lru_cache(maxsize=8)(self._program)

    def _program(self, names: tuple[str, ...], second: bool = False) -> Any:
        """The lines of features of one round."""
        if second:
            lines = wanted(names, context.FEATURES, _FIGURES)
            columns = context.COLUMNS
        else:
            lines = wanted(names, features_with(self._flags), features.FIGURES)
            columns = context.FIRST_COLUMNS
        return self._module.Program(*(encoded(part, columns) for part in lines))

    def likelihoods(self, walk: Walk) -> Ints:
        found: Ints = self._tagger.likelihoods(walk)
        return found

    def features(
        self, walk: Walk, names: tuple[str, ...], likelihood: Ints | None = None
    ) -> Mapping[str, Ints]:
        """Features of the first round, or of the second where likelihoods are given."""
        program = self._some(names, likelihood is not None)
        rows = self._module.rows(walk, self._words, program, likelihood)
        return dict(zip(names, rows, strict=True))


def likelihood_of(trees: Trees, rows: Mapping[str, Ints]) -> Ints:
    """What trees say of each block, given features by name."""
    names = trees.names
    values = np.array([rows[name] for name in names], dtype=np.int32)
    logit = trees.python_sums(values)[0] * 100 // trees.scale
    likelihood: Ints = np.clip(logit + ZERO, 0, HIGHEST)
    return likelihood
