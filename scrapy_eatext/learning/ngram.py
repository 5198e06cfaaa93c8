"""Training of ngram's two language models, keep and discard, on labelled lines.

Character sequences are counted, those that tell least are pruned, and the others'
counts are rounded.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.algorithms.density import DensityOptions, filter_lines, measure
from scrapy_eatext.algorithms.ngram import DISCARD, KEEP, LineModel
from scrapy_eatext.algorithms.ngram.characters import (
    UNIT_BITS,
    CharModel,
    Level,
    Smoothing,
    code_units,
    starts_of,
    sums,
    to_arrays,
)
from scrapy_eatext.learning import check_classes
from scrapy_eatext.learning.labels import label_content, parsed
from scrapy_eatext.learning.train import Fitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from scrapy_eatext.algorithms.ngram.characters import Floats, Ints
    from scrapy_eatext.learning.data import LabelledPage
    from scrapy_eatext.learning.train import Progress

# The number of sequences in the model, and the steps per doubling that counts are
# rounded to: so it stays under a megabyte; the card has the cost in errors.
SEQUENCES = 250_000
STEPS = 8
# One page in this many is held out, to choose the bias and to measure errors.
HELD_OUT = 10
BIASES = range(0, 61, 5)
# The percentage of held-out lines that count as in a known language.
KNOWN = 99
segments = False


@dataclass(frozen=True)
class Line:
    """A line that the density filter keeps, with its label."""

    text: str
    keep: bool
    words: int


def sample(page: LabelledPage) -> list[Line]:
    """The page's labelled lines.  Raises DataError if its true text is not on it."""
    source, texts = parsed(page)
    labels = label_content(texts, page)
    options = DensityOptions()
    _, kept, _ = filter_lines(measure(source, options), options)
    return [
        Line(texts[i], bool(labels.share[i] > 0.5), int(labels.words[i]))
        for i in np.flatnonzero(kept).tolist()
    ]


def fit(samples: Sequence[list[Line]], seed: int, progress: Progress) -> Fitted:
    """The models, with the bias and the errors from held-out lines."""
    order = list(samples)
    # Whole pages are held out, as lines of one page are too similar.
    random.Random(seed).shuffle(order)  # noqa: S311 - a split, no secret
    count = max(len(order) // HELD_OUT, 1)
    held, training, lines = (
        list(chain.from_iterable(pages))
        for pages in (order[:count], order[count:], samples)
    )
    counts = _count(training)
    pruned = _shrink(counts)
    texts = [line.text for line in held]
    keep = np.array([line.keep for line in held], dtype=np.bool_)
    words = np.array([line.words for line in held], dtype=np.int64)
    bits, surprise = _model(training, pruned).look(texts)
    before_pruning, _ = _model(training, counts).look(texts)

    def f1(bias: int) -> float:
        kept = bits + bias >= 0
        both = int(words[kept & keep].sum())
        return 2 * both / max(int(words[kept].sum() + words[keep].sum()), 1)

    bias = max(BIASES, key=f1)
    strange = float(np.percentile(surprise, KNOWN).round(1))
    notes = {
        "held_out": {
            "lines": len(held),
            "split": f"all lines of 1 page in {HELD_OUT}, shuffled by the seed",
            "bias": bias,
            "bits_a_character_that_are_strange": strange,
            "discarded": _share(~keep),
            "error": _share((bits >= 0) != keep),
            "error_with_bias": _share((bits + bias >= 0) != keep),
            "error_before_pruning": _share((before_pruning >= 0) != keep),
            "sequences": sum(len(level.keys) for level in pruned),
            "sequences_before_pruning": sum(len(level.keys) for level in counts),
        }
    }
    return Fitted(
        # The last two are learned too, so they are part of the model's version.
        arrays={
            **to_arrays(_shrink(_count(lines))),
            "bias": np.array([bias], dtype=np.float32),
            "strange": np.array([strange], dtype=np.float32),
        },
        header={**asdict(Smoothing()), "trained": _trained(lines)},
        features=["sequences of 1 to 6 UTF-16 code units"],
        notes=notes,
    )


def _count(lines: Sequence[Line]) -> list[Level]:
    """The counts of all sequences.  Raises DataError if lines of a class are missing."""
    texts = [line.text for line in lines]
    labels = np.array([KEEP if line.keep else DISCARD for line in lines])
    check_classes(labels == KEEP, labels == DISCARD, "line")
    return count_sequences(texts, labels, categories=2, order=Smoothing().order)


def _shrink(levels: Sequence[Level]) -> list[Level]:
    return rounded(prune(levels, SEQUENCES, Smoothing()), STEPS)


def _trained(lines: Sequence[Line]) -> list[int]:
    kept = sum(line.keep for line in lines)
    return [kept, len(lines) - kept]


def _model(lines: Sequence[Line], levels: Sequence[Level]) -> LineModel:
    return LineModel("", CharModel(levels, _trained(lines), Smoothing()))


def _share(flags: npt.NDArray[np.bool_]) -> float:
    return round(float(flags.mean()), 4) if len(flags) else 0.0


def count_sequences(
    texts: Sequence[str], labels: Sequence[int] | Ints, *, categories: int, order: int
) -> list[Level]:
    """Count the sequences of 1 to ``order`` code units in texts of the categories."""
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
        # One unit further, as far as they are in the same text.
        places = places + 1
        inside = places < len(starts)
        inside[inside] = ~starts[places[inside]]
        places, numbers = places[inside], numbers[inside]
    return levels


def prune(levels: Sequence[Level], size: int, smoothing: Smoothing) -> list[Level]:
    """Keep, once, the ``size`` sequences with the most bits, and all their prefixes."""
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
        is_lost = (context >= 0) & ~keep
        lost, of_lost = level.counts[is_lost], context[is_lost]
        contexts = int(numbers.max(initial=-1)) + 1
        result.append(
            Level(
                (context[keep] << UNIT_BITS) | units[keep],
                level.counts[keep],
                sums(of_lost, lost, contexts),
                sums(of_lost, lost > 0, contexts),
            )
        )
        numbers = np.where(keep, np.cumsum(keep) - 1, -1)
    return result


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

    def coarse(counts: Floats) -> Floats:
        some = np.rint(np.log2(np.maximum(counts, 1)) * steps) / steps
        return np.where(counts > 0, np.rint(2**some), 0.0)

    return [
        Level(
            level.keys, *map(coarse, (level.counts, level.pruned, level.pruned_kinds))
        )
        for level in levels
    ]
