"""Character language models of several categories, in one trie.

As in LingPipe's NGramProcessLM, a model has counts of character sequences up to a
length; probabilities are interpolated from the shortest context to the longest by the
method of Witten and Bell (1991).  Characters are UTF-16 code units, as in Java.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.deadline import check

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

UNIT_BITS = 16
# How many units are looked up at once: few enough for the processor's cache.
SLICE = 1 << 15
_TABLES = ("counts", "pruned", "pruned_kinds")


@dataclass(frozen=True)
class Smoothing:
    """The longest sequences' length, the alphabet's size, and the discount ``factor``.

    The discount is of contexts with many distinct successors.
    """

    order: int = 6
    characters: int = 65535
    factor: float = 6.0


@dataclass(frozen=True)
class Level:
    """The sequences of one length, in the order of their keys.

    A key is a pair of numbers: the sequence's context, which is the place of the
    sequence without its last unit in the level below, and that unit.  ``counts`` has a
    row for each sequence and a column for each category.  ``pruned`` and
    ``pruned_kinds`` have a row for each context: the total count of pruned successors,
    and their number.
    """

    keys: Ints
    counts: Floats
    pruned: Floats
    pruned_kinds: Floats

    @property
    def contexts(self) -> Ints:
        """For each sequence the number of its context."""
        return self.keys >> UNIT_BITS

    def successors(self) -> tuple[Floats, Floats]:
        """For each context the count of its successors, and of distinct ones."""
        size = len(self.pruned)
        often = sums(self.contexts, self.counts, size)
        kinds = sums(self.contexts, self.counts > 0, size)
        return often + self.pruned, kinds + self.pruned_kinds


def sums(owners: npt.NDArray[Any], rows: npt.NDArray[Any], size: int) -> Floats:
    """The sum of the rows of each of ``size`` owners; ``owners`` has that of each row."""
    columns = [np.bincount(owners, column, size) for column in rows.T]
    return np.stack(columns, axis=1)


class CharModel:
    """Gives the probability of texts in each category; ``trained`` counts its texts."""

    def __init__(
        self, levels: Sequence[Level], trained: Sequence[int], smoothing: Smoothing
    ) -> None:
        self.smoothing = smoothing
        self._levels = [_prepared(level, smoothing) for level in levels]
        total = sum(trained) + len(trained)
        # Add-one smoothing.
        self.log_priors = np.log2([(count + 1) / total for count in trained])

    def log2_probabilities(self, texts: Sequence[str]) -> Floats:
        """log2 P(text | category): a row for each text, a column for each category."""
        units, owner = code_units(texts)
        totals = np.zeros((len(texts), len(self.log_priors)))
        for begin in range(0, len(units), SLICE):
            check()
            # The units before the slice are read again, but only as contexts.
            before = min(begin, self.smoothing.order - 1)
            part = slice(begin - before, begin + SLICE)
            rows = owner[begin : begin + SLICE]
            inside = totals[rows[0] : rows[-1] + 1]
            logs = np.log2(self._probabilities(units[part], owner[part])[before:])
            inside += sums(rows - rows[0], logs, len(inside))
        return totals

    def _probabilities(
        self, units: npt.NDArray[np.uint16], owner: npt.NDArray[np.int32]
    ) -> Floats:
        """The probability of each unit after its context, a column for each category."""
        wide, starts = units.astype(np.int64), starts_of(owner)
        shape = len(units), len(self.log_priors)
        p = np.full(shape, 1 / self.smoothing.characters)
        # The number of each unit's context, -1 if it is not in the trie.
        contexts = np.zeros(len(units), dtype=np.int64)
        for table, own, lost in self._levels:
            sequences = table.find((contexts << UNIT_BITS) | wide)
            p *= lost.take(contexts, axis=0)
            p += own.take(sequences, axis=0)
            # The sequence that ends at a unit is the context of the next unit.
            contexts[1:] = sequences[:-1]
            contexts[starts] = -1
        return p


def _prepared(level: Level, smoothing: Smoothing) -> tuple[_Table, Floats, Floats]:
    """A level's table of keys, and shares of probability, a column for each category.

    A context with n successors, k of them distinct, distributes n / (n + L k) of the
    probability among its successors, where L is the factor.  The remaining probability,
    and that of pruned successors, is distributed by the context one unit shorter.  The
    shares are those of each sequence, and those that each context leaves to the shorter
    one: all of it without successors.  The last row of both, number -1, is for sequences
    that are not in the trie.
    """
    successors, kinds = level.successors()
    seen = successors > 0
    damped = smoothing.factor * kinds
    total = np.where(seen, successors + damped, 1.0)
    own = level.counts / total[level.contexts]
    lost = np.where(seen, (damped + level.pruned) / total, 1.0)
    return _Table(level.keys), _with_last(own, 0.0), _with_last(lost, 1.0)


def _with_last(rows: Floats, value: float) -> Floats:
    """Rows and a last one of a value, each in one piece of memory."""
    padded = np.pad(rows, ((0, 1), (0, 0)), constant_values=value)
    return np.ascontiguousarray(padded)


class _Table:
    """A hash table of the places of keys: much faster than a binary search.

    A slot has the place of a key, or -1; collisions are resolved by linear probing.
    """

    def __init__(self, keys: Ints) -> None:
        # At place -1, that of missing keys, there is a key that equals none.
        self._keys = np.append(keys, -1)
        # At least half of the slots are free.
        bits = max((2 * len(keys)).bit_length(), 1)
        self._shift = np.uint64(64 - bits)
        self._last = (1 << bits) - 1
        self._slots = np.full(1 << bits, -1)
        waiting = np.arange(len(keys))
        slots = self._hash(keys)
        while len(waiting):
            free = self._slots[slots] < 0
            # Of several keys for one slot, one stays in it, the others probe on.
            self._slots[slots[free]] = waiting[free]
            lost = self._slots[slots] != waiting
            waiting, slots = waiting[lost], (slots[lost] + 1) & self._last

    def find(self, keys: Ints) -> Ints:
        """The place of each key, -1 if it is missing."""
        slots = self._hash(keys)
        places = self._slots[slots]
        others = np.flatnonzero((places >= 0) & (self._keys[places] != keys))
        while len(others):
            slots[others] = (slots[others] + 1) & self._last
            at = self._slots[slots[others]]
            places[others] = at
            others = others[(at >= 0) & (self._keys[at] != keys[others])]
        return places

    def _hash(self, keys: Ints) -> Ints:
        # Fibonacci hashing: the upper bits of a product, which may overflow.
        product = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return (product >> self._shift).astype(np.int64)


def code_units(
    texts: Sequence[str],
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int32]]:
    """The UTF-16 code units of all texts, and for each unit the number of its text."""
    encoded = [text.encode("utf-16-le", "surrogatepass") for text in texts]
    units = np.frombuffer(b"".join(encoded), dtype="<u2")
    lengths = [len(part) // 2 for part in encoded]
    return units, np.repeat(np.arange(len(texts), dtype=np.int32), lengths)


def starts_of(owner: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """For each unit whether it is the first of a text; the first of all always is."""
    return np.diff(owner, prepend=-1) > 0


def to_arrays(levels: Sequence[Level]) -> dict[str, npt.NDArray[Any]]:
    """Levels as small arrays for a model file.

    Of keys the units and the number of successors of each context are stored, of a
    count its place in the table of distinct counts.
    """
    tables = [getattr(level, name) for level in levels for name in _TABLES]
    values = np.unique(np.concatenate([table.ravel() for table in tables]))
    arrays: dict[str, npt.NDArray[Any]] = {"values": values}
    for n, level in enumerate(levels, 1):
        arrays[f"units{n}"] = (level.keys & 0xFFFF).astype(np.uint16)
        following = np.bincount(level.contexts, minlength=len(level.pruned))
        arrays[f"following{n}"] = _smallest(following)
        for name in _TABLES:
            # Category by category, as similar neighbours compress better.
            places = np.searchsorted(values, getattr(level, name).T)
            arrays[f"{name}{n}"] = _smallest(places)
    return arrays


def from_arrays(arrays: Mapping[str, npt.NDArray[Any]], order: int) -> list[Level]:
    """The levels in arrays of to_arrays().  Raises ValueError if these do not fit."""
    levels = []
    contexts = 1
    try:
        values = arrays["values"].astype(np.float64)
        for n in range(1, order + 1):
            following = arrays[f"following{n}"].astype(np.int64)
            units = arrays[f"units{n}"].astype(np.int64)
            context = np.repeat(np.arange(len(following)), following)
            keys = (context << UNIT_BITS) | units
            level = Level(keys, *(values[arrays[f"{name}{n}"]].T for name in _TABLES))
            sizes = len(following), len(level.pruned), len(level.pruned_kinds)
            if sizes != (contexts,) * 3 or len(level.counts) != len(keys):
                raise ValueError(f"tables of length {n} differ in size")
            if (np.diff(keys) <= 0).any():
                raise ValueError(f"sequences of length {n} are not in order")
            levels.append(level)
            contexts = len(keys)
    except (KeyError, IndexError) as error:
        raise ValueError(f"a table is missing or too short: {error}") from error
    return levels


def _smallest(numbers: Ints) -> npt.NDArray[Any]:
    """Whole numbers of at least 0, in the smallest type that holds them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
