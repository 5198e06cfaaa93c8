"""Counts, prunes and rounds character sequences for the models of `ngram`."""

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

    from scrapy_eatext.algorithms.ngram.characters import Floats, Ints


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
    # The places where the sequences of the previous length end, and their numbers.
    places = np.arange(len(units))
    numbers = np.zeros(len(units), dtype=np.int64)
    contexts = 1
    for _ in range(order):
        keys, numbers = np.unique(
            (numbers << UNIT_BITS) | units[places], return_inverse=True
        )
        cells = numbers * categories + category[places]
        cells = np.bincount(cells, minlength=len(keys) * categories)
        counts = cells.reshape(-1, categories).astype(np.float64)
        none = np.zeros((contexts, categories))
        levels.append(Level(keys, counts, none, none))
        contexts = len(keys)
        places, numbers = _onward(places, numbers, starts)
    return levels


def _onward(
    places: Ints,
    numbers: Ints,
    starts: npt.NDArray[np.bool_],
) -> tuple[Ints, Ints]:
    """The places one unit further, as far as they are in the same text."""
    places = places + 1
    inside = places < len(starts)
    inside[inside] = ~starts[places[inside]]
    return places[inside], numbers[inside]


def prune(levels: Sequence[Level], size: int, smoothing: Smoothing) -> list[Level]:
    """Keep the ``size`` sequences with the most bits, and all their prefixes."""
    bits = _bits(levels, smoothing)
    all_bits = np.concatenate(bits)
    if size >= len(all_bits):
        return list(levels)
    # Stable, so that ties go to shorter sequences, then to lower keys.
    chosen = np.zeros(len(all_bits), dtype=np.bool_)
    chosen[np.argsort(-all_bits, kind="stable")[:size]] = True
    kept = np.split(chosen, np.cumsum([len(values) for values in bits])[:-1])
    for n in range(len(levels) - 1, 0, -1):
        kept[n - 1][levels[n].contexts[kept[n]]] = True
    result = []
    # The new number of each context, -1 if it is pruned.
    numbers = np.zeros(1, dtype=np.int64)
    for level, keep in zip(levels, kept, strict=True):
        context = numbers[level.contexts]
        units = level.keys & 0xFFFF
        pruned = (context >= 0) & ~keep
        size = int(numbers.max(initial=-1)) + 1
        lost = level.counts[pruned]
        result.append(
            Level(
                (context[keep] << UNIT_BITS) | units[keep],
                level.counts[keep],
                level.pruned[numbers >= 0] + _sums(context[pruned], lost, size),
                level.pruned_kinds[numbers >= 0]
                + _sums(context[pruned], lost > 0, size),
            )
        )
        numbers = np.where(keep, np.cumsum(keep) - 1, -1)
    return result


def _sums(context: Ints, columns: npt.NDArray[Any], size: int) -> Floats:
    sums = [np.bincount(context, column, size) for column in columns.T]
    return np.stack(sums, axis=1)


def _bits(levels: Sequence[Level], smoothing: Smoothing) -> list[Floats]:
    """The bits of each sequence: its count, times the change if it is pruned.

    That is the change of one category's log probability relative to another's.
    """
    bits_of_levels = []
    shorter = np.full((1, levels[0].counts.shape[1]), 1 / smoothing.characters)
    # For each sequence, the number of its suffix without the first unit; for a single
    # unit, that of the empty sequence.
    ending = np.zeros(1, dtype=np.int64)
    for n, level in enumerate(levels):
        context = level.contexts
        if n == 0:
            ending = np.zeros(len(level.keys), dtype=np.int64)
        else:
            # Levels that were not pruned have every suffix of every sequence.
            wanted = (ending[context] << UNIT_BITS) | (level.keys & 0xFFFF)
            ending = np.searchsorted(levels[n - 1].keys, wanted)
        counts, kinds = level.successors()
        seen = counts > 0
        damped = np.where(seen, smoothing.factor * kinds, 1.0)[context]
        total = np.where(seen, counts, 0.0)[context] + damped
        fallback = shorter[ending]
        own = (level.counts + damped * fallback) / total
        without = (level.counts + damped) * fallback / total
        bits = np.log2(own / without)
        bits_of_levels.append(
            level.counts.sum(axis=1) * (bits.max(axis=1) - bits.min(axis=1))
        )
        shorter = own
    return bits_of_levels


def rounded(levels: Sequence[Level], steps: int) -> list[Level]:
    """Levels with counts rounded on a logarithmic scale, ``steps`` per doubling."""
    return [
        Level(
            level.keys,
            _round(level.counts, steps),
            _round(level.pruned, steps),
            _round(level.pruned_kinds, steps),
        )
        for level in levels
    ]


def _round(counts: Floats, steps: int) -> Floats:
    some = np.maximum(counts, 1)
    coarse = np.rint(2 ** (np.rint(np.log2(some) * steps) / steps))
    result: Floats = np.where(counts > 0, coarse, 0.0)
    return result
