"""Counting character sequences for the models of `ngram`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.algorithms.ngram.characters import (
    UNIT_BITS,
    Level,
    Smoothing,
    code_units,
    starts_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


def count_sequences(
    texts: Sequence[str],
    labels: Sequence[int],
    *,
    categories: int,
    order: int,
) -> list[Level]:
    """Count the sequences of 1 to ``order`` code units in labelled texts.

    ``labels`` has the category of each text, from 0.  No sequence crosses from
    one text to the next.
    """
    narrow, owner = code_units(texts)
    units, starts = narrow.astype(np.int64), starts_of(owner)
    category = np.asarray(labels, dtype=np.int64)[owner]
    levels = []
    # The places where the sequences of the last length end, and their numbers.
    places = np.arange(len(units))
    numbers = np.zeros(len(units), dtype=np.int64)
    contexts = 1
    for _ in range(order):
        keys, numbers = np.unique(
            (numbers << UNIT_BITS) | units[places], return_inverse=True
        )
        counts = _by_category(numbers, category[places], len(keys), categories)
        none = np.zeros((contexts, categories))
        levels.append(Level(keys, counts, none, none))
        contexts = len(keys)
        places, numbers = _onward(places, numbers, starts)
    return levels


def _by_category(
    inverse: npt.NDArray[np.int64],
    category: npt.NDArray[np.int64],
    size: int,
    categories: int,
) -> npt.NDArray[np.float64]:
    cells = np.bincount(inverse * categories + category, minlength=size * categories)
    return cells.reshape(size, categories).astype(np.float64)


def _onward(
    places: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int64],
    starts: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The places one unit further, if still in the same text."""
    places = places + 1
    inside = places < len(starts)
    inside[inside] = ~starts[places[inside]]
    return places[inside], numbers[inside]


def prune(levels: Sequence[Level], size: int, smoothing: Smoothing) -> list[Level]:
    """Keep the ``size`` sequences that tell the categories apart the most.

    A sequence tells its count times the bits by which its removal would shift one
    category against another.  The beginnings of kept sequences are kept too, so there
    are somewhat more.
    """
    told = _bits(levels, smoothing)
    every = np.concatenate(told)
    if size >= len(every):
        return list(levels)
    # Stable, so that of equals the shorter sequences are kept, then those with lower
    # keys.
    telling = np.zeros(len(every), dtype=np.bool_)
    telling[np.argsort(-every, kind="stable")[:size]] = True
    kept = np.split(telling, np.cumsum([len(values) for values in told])[:-1])
    for n in range(len(levels) - 1, 0, -1):
        kept[n - 1][levels[n].contexts[kept[n]]] = True
    result = []
    # The new number of each context, -1 if it is gone.
    numbers = np.zeros(1, dtype=np.int64)
    for level, keep in zip(levels, kept, strict=True):
        context = numbers[level.contexts]
        units = level.keys & 0xFFFF
        gone = (context >= 0) & ~keep
        size = int(numbers.max(initial=-1)) + 1
        lost = level.counts[gone]
        result.append(
            Level(
                (context[keep] << UNIT_BITS) | units[keep],
                level.counts[keep],
                level.pruned[numbers >= 0] + _sums(context[gone], lost, size),
                level.pruned_kinds[numbers >= 0] + _sums(context[gone], lost > 0, size),
            )
        )
        numbers = np.where(keep, np.cumsum(keep) - 1, -1)
    return result


def _sums(
    context: npt.NDArray[np.int64], columns: npt.NDArray[Any], size: int
) -> npt.NDArray[np.float64]:
    sums = [np.bincount(context, column, size) for column in columns.T]
    return np.stack(sums, axis=1)


def _bits(
    levels: Sequence[Level], smoothing: Smoothing
) -> list[npt.NDArray[np.float64]]:
    """The bits that each sequence tells of the category, over all its occurrences."""
    told = []
    shorter = np.full((1, levels[0].counts.shape[1]), 1 / smoothing.characters)
    # For each sequence, the number of the sequence without its first unit; for a single
    # unit, that of the empty sequence.
    ending = np.zeros(1, dtype=np.int64)
    for n, level in enumerate(levels):
        context = level.contexts
        if n == 0:
            ending = np.zeros(len(level.keys), dtype=np.int64)
        else:
            # Levels that were not pruned have every ending of every sequence.
            wanted = (ending[context] << UNIT_BITS) | (level.keys & 0xFFFF)
            ending = np.searchsorted(levels[n - 1].keys, wanted)
        often, kinds = level.successors()
        seen = often > 0
        damped = np.where(seen, smoothing.factor * kinds, 1.0)[context]
        total = np.where(seen, often, 0.0)[context] + damped
        fallback = shorter[ending]
        own = (level.counts + damped * fallback) / total
        without = (level.counts + damped) * fallback / total
        bits = np.log2(own / without)
        told.append(level.counts.sum(axis=1) * (bits.max(axis=1) - bits.min(axis=1)))
        shorter = own
    return told


def rounded(levels: Sequence[Level], steps: int) -> list[Level]:
    """Levels whose counts are rounded on a logarithmic scale, ``steps`` a doubling."""
    return [
        Level(
            level.keys,
            _round(level.counts, steps),
            _round(level.pruned, steps),
            _round(level.pruned_kinds, steps),
        )
        for level in levels
    ]


def _round(counts: npt.NDArray[np.float64], steps: int) -> npt.NDArray[np.float64]:
    some = np.maximum(counts, 1)
    coarse = np.rint(2 ** (np.rint(np.log2(some) * steps) / steps))
    result: npt.NDArray[np.float64] = np.where(counts > 0, coarse, 0.0)
    return result
