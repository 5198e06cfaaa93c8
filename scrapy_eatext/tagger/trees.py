"""Boosted trees whose every level asks one question (oblivious trees).

A tree of depth d is d comparisons and a table of 2^d whole numbers, so that a
block's place in the table is a number of d bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.twins import load

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.tagger.operations import Ints

_compiled = load("tagger._tagger")

# How many questions a tree may ask.
MAX_DEPTH = 8
# The arrays of an ensemble, with what their numbers have to fit.
_ARRAYS = {
    "borders": np.int32,
    "starts": np.int32,
    "feature": np.int16,
    "bin": np.uint8,
    "leaves": np.int16,
    "bias": np.int32,
}

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
    # The compiled twin, where there is one.
    forest: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self._is_sound():
            raise ValueError("the trees do not fit together")
        forest = None if _compiled is None else _compiled.Forest(self)
        object.__setattr__(self, "forest", forest)

    def _is_sound(self) -> bool:
        """Whether every number that points somewhere may do so."""
        shape, classes = self.feature.shape, len(self.bias)
        count, borders = len(self.names), np.diff(self.starts)
        types = (getattr(self, name).dtype for name in _ARRAYS)
        return (
            all(map(np.can_cast, types, _ARRAYS.values()))
            and len(shape) == 2
            and 0 < shape[1] <= MAX_DEPTH
            # So that the sums fit 32 bits.
            and shape[0] < 1 << 16
            and self.bin.shape == shape
            and self.leaves.shape == (classes, shape[0], 1 << shape[1])
            and self.starts.shape == (count + 1,)
            and self.starts[0] == 0
            and self.starts[-1] == len(self.borders)
            and bool(((borders >= 0) & (borders < 256)).all())
            and bool(((self.feature >= 0) & (self.feature < count)).all())
            and bool((self.bin < borders[self.feature]).all())
            and self.scale > 0
        )

    @property
    def depth(self) -> int:
        """How many questions a tree asks."""
        return int(self.feature.shape[1])

    def sums(self, values: npt.NDArray[np.int32]) -> Ints:
        """The answers for each block: an array a class, in 1/``scale`` logits.

        ``values`` has a row for each of ``names`` and a column a block.
        """
        if self.forest is not None:
            found: Ints = self.forest.sums(values)
            return found
        return self.python_sums(values)

    def python_sums(self, values: npt.NDArray[np.int32]) -> Ints:
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
        return {f"{of}.{name}": getattr(self, name) for name in _ARRAYS}


class Asked:
    """An ensemble that is asked about one thing at a time, whose figures have names.

    Raises ValueError where a feature that it asks about has no figure.
    """

    def __init__(self, trees: Trees, names: Sequence[str]) -> None:
        place = {name: i for i, name in enumerate(names)}
        if not place.keys() >= set(trees.names):
            raise ValueError(f"there are no figures {set(trees.names) - set(place)}")
        self._trees = trees
        self._places = np.array([place[name] for name in trees.names], dtype=np.intp)
        self.scale = trees.scale

    def answers(self, figures: Ints) -> Ints:
        """The answer of each class, in 1/``scale`` logits."""
        values = figures[self._places].astype(np.int32)[:, None]
        answers: Ints = self._trees.sums(values)[:, 0]
        return answers


def trees_from(
    of: str, arrays: Mapping[str, npt.NDArray[Any]], names: Sequence[str], scale: int
) -> Trees:
    """The ensemble that Trees.arrays() wrote.

    Raises ValueError or KeyError for arrays that do not fit one another.
    """
    part = {name: arrays[f"{of}.{name}"] for name in _ARRAYS}
    try:
        return Trees(names=tuple(names), scale=scale, **part)
    except (IndexError, ValueError) as error:
        raise ValueError(f"the trees {of!r} do not fit together") from error
