"""Two rounds of trees over a page's blocks give the likelihood that each is content."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.native.loading import twin
from scrapy_eatext.tagger.context import (
    HIGHEST,
    ZERO,
    asked_features,
    context_facts,
    lines_of,
)
from scrapy_eatext.tagger.facts import facts_of, tree_of
from scrapy_eatext.tagger.kinds import name_votes
from scrapy_eatext.tagger.operations import evaluate_all
from scrapy_eatext.tagger.trees import PythonForest

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.facts import TokenTable
    from scrapy_eatext.tagger.operations import Ints, Rows
    from scrapy_eatext.tagger.trees import Trees


class PythonTagger:
    """The tagger of one model; Tagger is this class or its compiled twin.

    ``first`` are trees over the features of features.py; ``second`` may also test those
    of context.py, which are computed from the first round's likelihoods.  Raises
    ValueError for trees that test a feature that their round does not have.
    """

    def __init__(self, names: TokenTable, first: Trees, second: Trees) -> None:
        self._names = names
        self._first, self._second = first, second
        own, around = asked_features(first.names, second.names, names.flags)
        self._own = lines_of(own, names.flags, later=False)
        self._around = lines_of(around, names.flags, later=True)

    def likelihoods(self, walk: Walk) -> tuple[Ints, Ints]:
        """Each block's likelihood of being content, and the page's name_votes().

        A likelihood is from 0 to 1200; 600 is even odds.  Without blocks there are no
        likelihoods, and the votes are 0.
        """
        count = len(walk.blocks)
        if not count:
            return np.zeros(0, np.int64), np.zeros(self._names.kinds.shape[1], np.int64)
        tree, votes = tree_of(walk), name_votes(walk, self._names)
        facts = facts_of(walk, self._names, tree, votes)
        rows = evaluate_all(self._own, facts)
        likelihood = likelihood_of(self._first, spread(rows, count))
        facts = context_facts(facts, tree, likelihood)
        rows |= evaluate_all(self._around, facts)
        return likelihood_of(self._second, spread(rows, count)), votes

    def features(
        self, walk: Walk, names: Collection[str], likelihood: Ints | None = None
    ) -> Rows:
        """Some features by name, with a number for each block.

        They are features of the first round, or, if its likelihoods are given, of the
        second.  All together take hundreds of times the memory of the page.
        """
        if not len(walk.blocks):
            return {name: np.zeros(0, dtype=np.int64) for name in names}
        tree = tree_of(walk)
        # Features of the second round read no votes.
        votes = name_votes(walk, self._names) if likelihood is None else ()
        facts = facts_of(walk, self._names, tree, votes)
        if likelihood is not None:
            facts = context_facts(facts, tree, likelihood)
        lines = lines_of(names, self._names.flags, later=likelihood is not None)
        return spread(evaluate_all(lines, facts), len(walk.blocks))


def spread(rows: Rows, count: int) -> Rows:
    """The rows with ``count`` numbers each; rows of a single number are repeated."""
    return {
        name: row if len(row) == count else np.full(count, row[0])
        for name, row in rows.items()
    }


def likelihood_of(trees: Trees, rows: Mapping[str, Ints]) -> Ints:
    """Each block's likelihood by an ensemble of trees, from its features by name."""
    values = np.array([rows[name] for name in trees.names], dtype=np.int32)
    logit = PythonForest(trees).sums(values)[0].astype(np.int64) * 100 // trees.scale
    likelihood: Ints = np.clip(logit + ZERO, 0, HIGHEST)
    return likelihood


Tagger = twin(PythonTagger, "_tagger")
