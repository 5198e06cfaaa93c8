"""Boosted trees whose every level asks one question (oblivious trees).

A tree of depth d is d comparisons and a table of 2^d whole numbers, so that a
block's place in the table is a number of d bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.twins import load

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.tagger.features import Ints

_compiled = load("tagger._tagger")

# Blocks that are looked at together, so that what is made of them stays small.
_BATCH = 512


@dataclass(frozen=True, slots=True)
class Trees:
    """An ensemble of oblivious trees of one depth, in whole numbers.

    ``names`` are the features asked about; ``borders`` has their borders in
    ascending order, one feature's after another, ``starts`` where each
    feature's begin, and the end.  ``feature`` and ``bin`` have a row a tree and
    a column a level: the level's bit is set where the feature's bin is above
    ``bin``.  ``leaves`` has for each tree, and each class, 2^depth numbers;
    their sum plus ``bias`` is the answer, in units of 1/``scale`` logits.
    """

    names: Sequence[str]
    borders: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int16]
    bin: npt.NDArray[np.uint8]
    leaves: npt.NDArray[np.int16]
    bias: npt.NDArray[np.int32]
    scale: int

    @property
    def depth(self) -> int:
        """How many questions a tree asks."""
        return int(self.feature.shape[1])

    def sums(self, values: npt.NDArray[np.int32]) -> Ints:
        """The answers for each block: an array a class, in 1/``scale`` logits.

        ``values`` has a row for each of ``names`` and a column a block.
        """
        batches = [
            self._batch(values[:, i : i + _BATCH])
            for i in watched(range(0, values.shape[1], _BATCH), often=1)
        ]
        return np.concatenate(batches, axis=1)

    def _batch(self, values: npt.NDArray[np.int32]) -> Ints:
        # Trees ask about the same borders: each is looked at once, and then each of
        # the trees' questions is a row of what was found.
        of_border = np.repeat(np.arange(len(self.names)), np.diff(self.starts))
        above = values.take(of_border, axis=0) > self.borders[:, None]
        found = above.view(np.uint8)
        asked = self.starts[self.feature] + self.bin
        place = found.take(asked[:, 0], axis=0)
        for level in range(1, self.depth):
            bits = found.take(asked[:, level], axis=0)
            bits <<= level
            place |= bits
        # In one row of leaves for all trees.
        leaf = place.astype(np.intp)
        leaf += (np.arange(len(asked)) << self.depth)[:, None]
        # A class at a time, as all at once would take their number in memory.
        return np.stack(
            [
                leaves.reshape(-1).take(leaf).sum(axis=0, dtype=np.int64) + bias
                for leaves, bias in zip(self.leaves, self.bias.tolist(), strict=True)
            ]
        )

    def arrays(self, of: str) -> dict[str, npt.NDArray[Any]]:
        """The ensemble as arrays for a model file, under names that begin so."""
        return {
            f"{of}.{name}": getattr(self, name)
            for name in ("borders", "starts", "feature", "bin", "leaves", "bias")
        }


class Asked:
    """An ensemble that is asked about one thing at a time, whose figures have names.

    Raises ValueError where a feature that it asks about has no figure.
    """

    def __init__(self, trees: Trees, names: Sequence[str]) -> None:
        place = {name: i for i, name in enumerate(names)}
        if not place.keys() >= set(trees.names):
            raise ValueError(f"there are no figures {set(trees.names) - set(place)}")
        places = np.array([place[name] for name in trees.names], dtype=np.intp)
        self._which = places[trees.feature] if len(places) else trees.feature
        self._borders = trees.borders[trees.starts[trees.feature] + trees.bin]
        self._bits = 1 << np.arange(trees.depth)
        self._trees = np.arange(len(trees.feature))
        self._leaves = trees.leaves.astype(np.int64)
        self._bias = trees.bias
        self.scale = trees.scale
        self._twin = _compiled and _compiled.Asked(
            self._which, self._borders, self._leaves, self._bias
        )

    def answers(self, figures: Ints) -> Ints:
        """The answer of each class, in 1/``scale`` logits."""
        if self._twin is not None:
            found: Ints = self._twin.answers(figures)
            return found
        return self.python_answers(figures)

    def python_answers(self, figures: Ints) -> Ints:
        leaf = (figures[self._which] > self._borders) @ self._bits
        answers: Ints = self._leaves[:, self._trees, leaf].sum(axis=1) + self._bias
        return answers


def trees_from(
    of: str, arrays: Mapping[str, npt.NDArray[Any]], names: Sequence[str], scale: int
) -> Trees:
    """The ensemble that Trees.arrays() wrote.

    Raises ValueError or KeyError for arrays that do not fit one another.
    """
    part = {
        name: arrays[f"{of}.{name}"]
        for name in ("borders", "starts", "feature", "bin", "leaves", "bias")
    }
    trees, depth = part["feature"].shape
    starts = part["starts"].tolist()
    feature = part["feature"]
    sound = (
        0 < depth <= 8
        and part["bin"].shape == (trees, depth)
        and part["leaves"].shape[1:] == (trees, 1 << depth)
        and part["bias"].shape == part["leaves"].shape[:1]
        and len(starts) == len(names) + 1
        and starts[0] == 0
        and starts[-1] == len(part["borders"])
        and all(0 <= b - a <= 255 for a, b in pairwise(starts))
        and bool(((feature >= 0) & (feature < len(names))).all())
        and bool((part["bin"] < np.diff(part["starts"])[feature]).all())
        and scale > 0
    )
    if not sound:
        raise ValueError(f"the trees {of!r} do not fit together")
    return Trees(names=tuple(names), scale=scale, **part)
