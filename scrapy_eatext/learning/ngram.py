"""Training of ngram's two language models, keep and discard, on labelled lines."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.algorithms.density import DensityOptions, filter_lines, measure
from scrapy_eatext.algorithms.ngram import DISCARD, KEEP, MODEL, LineModel
from scrapy_eatext.algorithms.ngram.characters import (
    CharModel,
    Level,
    Smoothing,
    to_arrays,
)
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.chars import count_sequences, prune, rounded
from scrapy_eatext.learning.labels import label_content
from scrapy_eatext.learning.train import Fitted
from scrapy_eatext.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

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


@dataclass(frozen=True)
class Line:
    """A line that the density filter keeps, with its label."""

    text: str
    keep: bool
    words: int


class NgramTrainer:
    """Learns from the lines that the density filter keeps."""

    segments = False

    def sample(self, page: LabelledPage) -> list[Line]:
        """The page's labelled lines.

        Raises DataError if its true text is not on it.
        """
        parsed = Page.of(page.html, page.url or None)
        blocks = parsed.blocks
        texts = blocks.texts(list(range(len(blocks))))
        labels = label_content(texts, page)
        options = DensityOptions()
        kept = filter_lines(measure(parsed, options), options).kept
        return [
            Line(texts[i], bool(labels.share[i] > 0.5), int(labels.words[i]))
            for i in np.flatnonzero(kept).tolist()
        ]

    def fit(
        self, samples: Sequence[list[Line]], seed: int, progress: Progress
    ) -> Fitted:
        """The models, with the bias and the errors from held-out lines."""
        order = list(samples)
        # Whole pages are held out, as lines of one page are too similar.
        random.Random(seed).shuffle(order)  # noqa: S311 - a split, no secret
        count = max(len(order) // HELD_OUT, 1)
        held, training = _flat(order[:count]), _flat(order[count:])
        lines = _flat(samples)
        counts = _count(training)
        pruned = _shrink(counts)
        model = _model(training, pruned)
        bias = _best_bias(model, held)
        _, surprise = model.look([line.text for line in held])
        strange = float(np.percentile(surprise, KNOWN).round(1))
        notes = {
            "held_out": {
                "lines": len(held),
                "split": f"all lines of 1 page in {HELD_OUT}, shuffled by the seed",
                "bias": bias,
                "bits_a_character_that_are_strange": strange,
                "discarded": _share(not line.keep for line in held),
                "error": _error(model, held),
                "error_with_bias": _error(model, held, bias),
                "error_before_pruning": _error(_model(training, counts), held),
                "sequences": sum(len(level.keys) for level in pruned),
                "sequences_before_pruning": sum(len(level.keys) for level in counts),
            }
        }
        smoothing = Smoothing()
        return Fitted(
            file=MODEL,
            # The last two are learned too, so they are part of the model's version.
            arrays={
                **to_arrays(_shrink(_count(lines))),
                "bias": np.array([bias], dtype=np.float32),
                "strange": np.array([strange], dtype=np.float32),
            },
            header={
                "order": smoothing.order,
                "characters": smoothing.characters,
                "factor": smoothing.factor,
                "trained": _trained(lines),
            },
            features=["sequences of 1 to 6 UTF-16 code units"],
            notes=notes,
        )


def _flat(samples: Sequence[list[Line]]) -> list[Line]:
    return [line for sample in samples for line in sample]


def _count(lines: Sequence[Line]) -> list[Level]:
    """The counts of all sequences.

    Raises DataError if lines of a class are missing.
    """
    trained = _trained(lines)
    if not all(trained):
        missing = "content" if not trained[KEEP] else "boilerplate"
        raise DataError(f"no line of the training data is {missing}")
    texts = [line.text for line in lines]
    labels = [KEEP if line.keep else DISCARD for line in lines]
    return count_sequences(texts, labels, categories=2, order=Smoothing().order)


def _shrink(levels: Sequence[Level]) -> list[Level]:
    return rounded(prune(levels, SEQUENCES, Smoothing()), STEPS)


def _trained(lines: Sequence[Line]) -> list[int]:
    kept = sum(line.keep for line in lines)
    return [kept, len(lines) - kept]


def _model(lines: Sequence[Line], levels: Sequence[Level]) -> LineModel:
    return LineModel("", CharModel(levels, _trained(lines), Smoothing()))


def _best_bias(model: LineModel, lines: Sequence[Line]) -> int:
    """The bias with the best F1 over the words of the lines."""
    bits, _ = model.look([line.text for line in lines])
    keep = np.array([line.keep for line in lines], dtype=np.bool_)
    words = np.array([line.words for line in lines], dtype=np.int64)

    def f1(bias: int) -> float:
        kept = bits + bias >= 0
        both = int(words[kept & keep].sum())
        return 2 * both / max(int(words[kept].sum() + words[keep].sum()), 1)

    return max(BIASES, key=f1)


def _error(model: LineModel, lines: Sequence[Line], bias: float = 0.0) -> float:
    """The share of misclassified lines."""
    kept = model.look([line.text for line in lines])[0] + bias >= 0
    return _share(
        bool(keep) != line.keep for keep, line in zip(kept, lines, strict=True)
    )


def _share(flags: Any) -> float:
    values: npt.NDArray[np.bool_] = np.fromiter(flags, dtype=np.bool_)
    return round(float(values.mean()), 4) if len(values) else 0.0
