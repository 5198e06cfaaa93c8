"""Character language models of several categories, in one trie.

A model is that of LingPipe's NGramProcessLM: counts of the character sequences
up to some length, interpolated from the shortest context to the longest by
Witten and Bell's method.  Characters are UTF-16 code units, as in Java.
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
# So many units are looked up at once: few enough for the processor's cache.
SLICE = 1 << 15


@dataclass(frozen=True)
class Smoothing:
    """The longest sequence that is counted, how many characters there are, and
    the factor by which contexts with many different successors count less.
    """

    order: int = 6
    characters: int = 65535
    factor: float = 6.0


@dataclass(frozen=True)
class Level:
    """The sequences of one length, in the order of their keys.

    A key is the number of the sequence without its last unit among those one
    shorter, and that unit.  ``counts`` has a column a category.  The other two
    have a row for each sequence one shorter: of the sequences that were pruned,
    how often they occurred after it, and how many different ones there were.
    """

    keys: Ints
    counts: Floats
    pruned: Floats
    pruned_kinds: Floats

    @property
    def contexts(self) -> Ints:
        """For each sequence, the number of the one it goes on from."""
        return self.keys >> UNIT_BITS

    def successors(self) -> tuple[Floats, Floats]:
        """For each context, how often anything followed, and how many different things."""
        size = len(self.pruned)
        often = [np.bincount(self.contexts, c, size) for c in self.counts.T]
        kinds = [np.bincount(self.contexts, c > 0, size) for c in self.counts.T]
        return (
            np.stack(often, axis=1) + self.pruned,
            np.stack(kinds, axis=1) + self.pruned_kinds,
        )


class CharModel:
    """How probable texts are in each category.

    ``levels`` are those from length 1 on, ``trained`` is how many texts of
    each category were learned from.
    """

    def __init__(
        self, levels: Sequence[Level], trained: Sequence[int], smoothing: Smoothing
    ) -> None:
        self.smoothing = smoothing
        self._levels = [_Lookup.of(level, smoothing) for level in levels]
        total = sum(trained) + len(trained)
        # Each category counts as if it had one text more.
        self.log_priors = np.log2([(count + 1) / total for count in trained])

    def log2_probabilities(self, texts: Sequence[str]) -> Floats:
        """log2 P(text | category): a row a text, a column a category; 0 for no text."""
        units, owner = code_units(texts)
        sums = np.zeros((len(texts), len(self.log_priors)))
        for begin in range(0, len(units), SLICE):
            check()
            # What stands before it is looked at again, for the contexts only.
            before = min(begin, self.smoothing.order - 1)
            part = slice(begin - before, begin + SLICE)
            rows = owner[begin : begin + SLICE]
            inside = sums[rows[0] : rows[-1] + 1]
            for n, p in enumerate(self._probabilities(units[part], owner[part])):
                logs = np.log2(p[before:])
                inside[:, n] += np.bincount(rows - rows[0], logs, len(inside))
        return sums

    def _probabilities(
        self, units: npt.NDArray[np.uint16], owner: npt.NDArray[np.int32]
    ) -> list[Floats]:
        """The probability of each unit after those before it, an array a category."""
        wide = units.astype(np.int64)
        starts = starts_of(owner)
        uniform = 1 / self.smoothing.characters
        columns = [np.full(len(units), uniform) for _ in self.log_priors]
        # The number of each unit's context, -1 where the trie has it not.
        contexts = np.zeros(len(units), dtype=np.int64)
        for lookup in self._levels:
            found = lookup.find(contexts, wide)
            for p, lost, own in zip(columns, lookup.lost, lookup.own, strict=True):
                np.multiply(p, lost[contexts], out=p)
                np.add(p, own[found], out=p)
            # What ends at a unit is the context of the unit after it.
            contexts[1:] = found[:-1]
            contexts[starts] = -1
        return columns

    def joint(self, texts: Sequence[str]) -> Floats:
        """log2 P(text, category), a row a text, a column a category."""
        joint: Floats = self.log2_probabilities(texts) + self.log_priors
        return joint


@dataclass(frozen=True)
class _Lookup:
    """One level as it is read: sequences by key, and what their contexts give away.

    With ext successors, k different ones, and factor L, a context's own share
    of the probability is ext / (ext + L k); the rest is that of the context one
    shorter, which also takes what the pruned successors had.  ``own`` is, for
    each sequence, what its context gives it, ``lost``, for each context, the
    part of the shorter one; a context without successors leaves all as it was.
    Both have an array a category, with an entry at the end, which -1 finds, for
    what is not there.
    """

    table: _Table
    own: list[Floats]
    lost: list[Floats]

    @classmethod
    def of(cls, level: Level, smoothing: Smoothing) -> _Lookup:
        own, lost = [], []
        often, kinds = level.successors()
        for n, counts in enumerate(level.counts.T):
            seen = often[:, n] > 0
            damped = smoothing.factor * kinds[:, n]
            total = np.where(seen, often[:, n] + damped, 1.0)
            own.append(np.append(counts / total[level.contexts], 0.0))
            rest = np.where(seen, (damped + level.pruned[:, n]) / total, 1.0)
            lost.append(np.append(rest, 1.0))
        return cls(_Table(level.keys), own, lost)

    def find(self, contexts: Ints, units: Ints) -> Ints:
        """The numbers of contexts with a unit after each, -1 where there is none."""
        return self.table.find((contexts << UNIT_BITS) | units)


class _Table:
    """Where each of many keys is, by hashing: many at once, far quicker than a search.

    Slots hold places of keys, -1 where they are free, and a key is in the first
    slot from its hash on that was free when it came.
    """

    def __init__(self, keys: Ints) -> None:
        # What the slot of a key that is not there points to is no key.
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
            # Of keys that take the same slot, one stays; the others go on.
            self._slots[slots[free]] = waiting[free]
            lost = self._slots[slots] != waiting
            waiting, slots = waiting[lost], (slots[lost] + 1) & self._last

    def find(self, keys: Ints) -> Ints:
        """The place of each key, -1 where it is not there."""
        slots = self._hash(keys)
        found = self._slots[slots]
        others = np.flatnonzero((found >= 0) & (self._keys[found] != keys))
        while len(others):
            slots[others] = (slots[others] + 1) & self._last
            at = self._slots[slots[others]]
            found[others] = at
            others = others[(at >= 0) & (self._keys[at] != keys[others])]
        return found

    def _hash(self, keys: Ints) -> Ints:
        # Fibonacci hashing: the upper bits of the product, which may overflow.
        product = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return (product >> self._shift).astype(np.int64)


def code_units(
    texts: Sequence[str],
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int32]]:
    """The UTF-16 code units of texts, one after the other, and each one's text."""
    encoded = [text.encode("utf-16-le", "surrogatepass") for text in texts]
    units = np.frombuffer(b"".join(encoded), dtype="<u2")
    lengths = [len(part) // 2 for part in encoded]
    return units, np.repeat(np.arange(len(texts), dtype=np.int32), lengths)


def starts_of(owner: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """For each unit, whether its text, or all there is, starts with it."""
    starts = np.ones(len(owner), dtype=np.bool_)
    starts[1:] = owner[1:] != owner[:-1]
    return starts


def to_arrays(levels: Sequence[Level]) -> dict[str, npt.NDArray[Any]]:
    """Levels as the small arrays of a model file.

    A key is kept as its unit, and with each sequence how many go on from it; a
    count as its place among all the values that counts have.
    """
    tables = [t for level in levels for t in _tables(level).values()]
    values = np.unique(np.concatenate([table.ravel() for table in tables]))
    arrays: dict[str, npt.NDArray[Any]] = {"values": values}
    for n, level in enumerate(levels, 1):
        arrays[f"units{n}"] = (level.keys & 0xFFFF).astype(np.uint16)
        following = np.bincount(level.contexts, minlength=len(level.pruned))
        arrays[f"following{n}"] = _smallest(following)
        for name, table in _tables(level).items():
            # By category: its counts are more like each other than the other's.
            arrays[f"{name}{n}"] = _smallest(np.searchsorted(values, table.T))
    return arrays


def from_arrays(arrays: Mapping[str, npt.NDArray[Any]], order: int) -> list[Level]:
    """The levels that to_arrays() made arrays of; ValueError where they do not fit."""
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
                raise ValueError(f"tables of length {n} have not the same size")
            if (np.diff(keys) <= 0).any():
                raise ValueError(f"sequences of length {n} are not in order")
            levels.append(level)
            contexts = len(keys)
    except (KeyError, IndexError) as error:
        raise ValueError(f"a table is missing or too short: {error}") from error
    return levels


_TABLES = ("counts", "pruned", "pruned_kinds")


def _tables(level: Level) -> dict[str, Floats]:
    return {name: getattr(level, name) for name in _TABLES}


def _smallest(numbers: Ints) -> npt.NDArray[Any]:
    """Whole numbers from 0 on, in the smallest type that holds them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
