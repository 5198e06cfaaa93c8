"""Ensembles of oblivious trees: each level of a tree has a single split.

A tree of depth d is d comparisons and a table of 2^d leaves, whole numbers; the d bits
of the comparisons are the number of the leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.native.loading import twin

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.tagger.operations import Ints

# The most levels of a tree.
MAX_DEPTH = 8
# The arrays of an ensemble, and the types that their numbers have to fit.
_ARRAYS = {
    "borders": np.int32,
    "starts": np.int32,
    "feature": np.int16,
    "bin": np.uint8,
    "leaves": np.int16,
    "bias": np.int32,
}

# How many blocks are evaluated at once: it bounds the size of temporary arrays.
_BATCH = 512


@dataclass(frozen=True, slots=True)
class Trees:
    """An ensemble of oblivious trees of one depth, in whole numbers.

    ``names`` are the features that are tested, each once.  ``borders`` has the borders
    of each feature in ascending order, feature by feature, and ``starts`` where those
    of each feature begin, and the end.  ``feature`` and ``bin`` have a row for each
    tree and a column for each level: the level's bit is set if the feature is above the
    border of number ``bin``.  ``leaves`` has 2^depth numbers for each class and tree.
    The answer of a class is the sum of a leaf of each tree and ``bias``, in 1/``scale``
    logits.
    """

    names: Sequence[str]
    borders: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int16]
    bin: npt.NDArray[np.uint8]
    leaves: npt.NDArray[np.int16]
    bias: npt.NDArray[np.int32]
    scale: int
    forest: PythonForest = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self._is_sound():
            raise ValueError("the trees do not fit together")
        object.__setattr__(self, "forest", Forest(self))

    def _is_sound(self) -> bool:
        """Whether the arrays fit together, and every index is in its range."""
        shape, classes = self.feature.shape, len(self.bias)
        count, borders = len(self.names), np.diff(self.starts)
        types = (getattr(self, name).dtype for name in _ARRAYS)
        return (
            all(map(np.can_cast, types, _ARRAYS.values()))
            and len(shape) == 2
            and len({*self.names}) == count
            and 0 < shape[1] <= MAX_DEPTH
            # Sums have to fit 32 bits.
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
        """The number of levels of each tree."""
        return int(self.feature.shape[1])

    def arrays(self, of: str) -> dict[str, npt.NDArray[Any]]:
        """The arrays for a model file; ``of`` is the ensemble's name, a prefix."""
        return {f"{of}.{name}": getattr(self, name) for name in _ARRAYS}


class PythonForest:
    """The sums of an ensemble's leaves; Forest is this class or its compiled twin."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees

    def sums(self, values: npt.NDArray[np.int32]) -> Ints:
        """The answers, with a row for each class and a column for each block.

        ``values`` has a row for each of the ensemble's names and a column for each
        block.
        """
        batches = [
            self._batch(values[:, i : i + _BATCH])
            for i in watched(range(0, values.shape[1], _BATCH), often=1)
        ]
        return np.concatenate(batches, axis=1)

    def answers(self, figures: Ints, places: npt.NDArray[np.intp]) -> Ints:
        """The answers for one sample; its features are the figures at ``places``."""
        answers: Ints = self.sums(figures[places].astype(np.int32)[:, None])[:, 0]
        return answers

    def _batch(self, values: npt.NDArray[np.int32]) -> Ints:
        trees = self._trees
        # Each border is compared once, as several trees test it; each level of a tree
        # then reads a row of the results.
        of_border = np.repeat(np.arange(len(trees.names)), np.diff(trees.starts))
        is_above = values.take(of_border, axis=0) > trees.borders[:, None]
        results = is_above.view(np.uint8)
        border = trees.starts[trees.feature] + trees.bin
        place = results.take(border[:, 0], axis=0)
        for level in range(1, trees.depth):
            bits = results.take(border[:, level], axis=0)
            bits <<= level
            place |= bits
        # The position among the leaves of all trees.
        leaf = place.astype(np.intp)
        leaf += (np.arange(len(border)) << trees.depth)[:, None]
        # One class at a time, to save memory.
        return np.stack(
            [
                leaves.reshape(-1).take(leaf).sum(axis=0, dtype=np.int64) + bias
                for leaves, bias in zip(trees.leaves, trees.bias.tolist(), strict=True)
            ]
        )


class NamedTrees:
    """An ensemble for single samples, given as figures in the order of ``names``.

    Raises ValueError if a feature of the ensemble is not among ``names``.
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
        return self._trees.forest.answers(figures, self._places)


def trees_from(
    of: str, arrays: Mapping[str, npt.NDArray[Any]], names: Sequence[str], scale: int
) -> Trees:
    """The ensemble in the arrays that Trees.arrays() returned.

    Raises ValueError or KeyError for arrays that do not fit together.
    """
    part = {name: arrays[f"{of}.{name}"] for name in _ARRAYS}
    try:
        return Trees(names=tuple(names), scale=scale, **part)
    except (IndexError, ValueError) as error:
        raise ValueError(f"the trees {of!r} do not fit together") from error


Forest = twin(PythonForest, "_tagger")


def constant_trees(answer: float = 0.0, depth: int = 1, scale: int = 1) -> Trees:
    """An ensemble without trees, of one class, that always gives one answer."""
    return Trees(
        names=(),
        borders=np.zeros(0, dtype=np.int32),
        starts=np.zeros(1, dtype=np.int32),
        feature=np.zeros((0, depth), dtype=np.int16),
        bin=np.zeros((0, depth), dtype=np.uint8),
        leaves=np.zeros((1, 0, 1 << depth), dtype=np.int16),
        bias=np.array([round(answer * scale)], dtype=np.int32),
        scale=scale,
    )


# For a tagger that only computes features.
NO_TREES = constant_trees()
