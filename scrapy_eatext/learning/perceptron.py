"""Training of the perceptron's eighteen networks.

As by default in the original's library, a network is trained in batch mode by resilient
backpropagation (Riedmiller and Braun 1993).  Then its output is shifted so that 0.5 is
the threshold with the best F1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.algorithms import perceptron
from scrapy_eatext.learning import check_classes
from scrapy_eatext.learning.labels import label_content, label_page, parsed
from scrapy_eatext.learning.train import Fitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from scrapy_eatext.algorithms.perceptron import Lines
    from scrapy_eatext.learning.data import LabelledPage
    from scrapy_eatext.learning.labels import Labels
    from scrapy_eatext.learning.train import Progress

    Floats = npt.NDArray[np.float64]

# The weight of false positives, as against false negatives.
FALSE_POSITIVE = 1.5
HIDDEN = 16
EPOCHS = {"slp": 100, "mlp": 300}
# Lines drawn for training; more do not improve it.
MOST_LINES = 60_000
# A page with fewer words counts as one with this many.
FEWEST_WORDS = 20
# Weights are rounded to this many digits, so that the order of summation does not
# change the file.
DIGITS = 3
# The thresholds that are tried.
THRESHOLDS = np.arange(0.15, 0.71, 0.05)
segments = False


@dataclass(frozen=True)
class Reading:
    """A page's lines: their attributes, whether they are content, their words.

    ``found`` has how many of these are in the true text, of ``wanted`` words in all.
    """

    attributes: Floats
    content: npt.NDArray[np.bool_]
    words: Floats
    found: Floats
    wanted: int

    @property
    def weight(self) -> Floats:
        """The share of the page's words that each line has."""
        share: Floats = self.words / max(self.words.sum(), FEWEST_WORDS)
        return share


def sample(page: LabelledPage) -> dict[str, Reading]:
    """The page's blocks, and its lines as the original separated them, labelled.

    Raises DataError if its true text is not on it.
    """
    source, texts = parsed(page)
    blocks, written = perceptron.block_lines(source), perceptron.written_lines(source)
    lines = [written.units.text(i) for i in range(len(written.units))]
    return {
        "blocks": _reading(blocks, label_content(texts, page)),
        "written": _reading(written, label_page(lines, page, page.text)),
    }


def fit(
    samples: Sequence[dict[str, Reading]],
    seed: int,
    progress: Progress,
    readings: Sequence[str] = perceptron.READINGS,
) -> Fitted:
    """All networks in one model; one with fewer ``readings`` must not be saved."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for reading in readings:
        lines = [sample[reading] for sample in samples]
        made = fit_networks(lines, seed, progress)
        arrays |= {f"{reading}.{name}": array for name, array in made.items()}
    notes = {
        "attributes": list(perceptron.ATTRIBUTES),
        "false_positive_weight": FALSE_POSITIVE,
        "hidden_units": HIDDEN,
        "lines_drawn": MOST_LINES,
        "readings": list(readings),
    }
    features = [f"{a} of a line and its two neighbours" for a in perceptron.ATTRIBUTES]
    return Fitted(arrays, {}, features, notes)


def _reading(lines: Lines, labels: Labels) -> Reading:
    words = labels.words.astype(np.float64)
    return Reading(
        perceptron.attributes_of(lines),
        labels.share > 0.5,
        words,
        words * labels.share,
        labels.wanted,
    )


def fit_networks(
    pages: Sequence[Reading], seed: int, progress: Progress
) -> dict[str, npt.NDArray[Any]]:
    """A network of each type for each number of lines and attributes, as arrays.

    Raises DataError if the lines are of one class.
    """
    all_attributes = np.concatenate([page.attributes for page in pages])
    spread = all_attributes.std(axis=0).round(DIGITS)
    arrays: dict[str, npt.NDArray[Any]] = {
        "mean": all_attributes.mean(axis=0).round(DIGITS),
        "spread": np.where(spread > 0, spread, 1.0),
    }
    content = np.concatenate([page.content for page in pages])
    check_classes(content, ~content, "line")
    drawn = np.random.default_rng(seed).permutation(len(content))[:MOST_LINES]
    drawn.sort()
    target = content[drawn].astype(np.float64)
    weight = np.concatenate([page.weight for page in pages])[drawn]
    weight = weight * np.where(target > 0, 1.0, FALSE_POSITIVE)
    weight = weight / max(weight.mean(), 1e-12)
    scaled = [(page.attributes - arrays["mean"]) / arrays["spread"] for page in pages]
    variants = [
        (k, n, a)
        for k in perceptron.NETWORKS
        for n in perceptron.SIZES
        for a in perceptron.SIZES
    ]
    for kind, lines, attributes in progress(variants, "networks"):
        rows = [
            perceptron.with_neighbours(rows[:, :attributes], lines) for rows in scaled
        ]
        inputs = np.concatenate(rows)
        hidden = HIDDEN if kind == "mlp" else 0
        network = backpropagate(
            inputs[drawn], target, weight, hidden, EPOCHS[kind], seed
        )
        # The output is shifted, so that the best threshold becomes 0.5.
        threshold = best_threshold(network.output(inputs), pages)
        network.layers[-1][-1] -= np.log(threshold / (1 - threshold))
        name = perceptron.network_name(kind, lines, attributes)
        keys = ("hidden", "output")[-len(network.layers) :]
        for key, layer in zip(keys, network.layers, strict=True):
            arrays[f"{name}.{key}"] = layer.round(DIGITS).astype(np.float32)
    return arrays


def best_threshold(outputs: Floats, pages: Sequence[Reading]) -> float:
    """The threshold with the best mean F1 of pages, over words."""
    owner = np.repeat(np.arange(len(pages)), [len(page.words) for page in pages])
    words = np.concatenate([page.words for page in pages])
    in_text = np.concatenate([page.found for page in pages])
    wanted = np.array([page.wanted for page in pages])

    def f1(threshold: float) -> float:
        kept = outputs > threshold
        hits, kept_words = (
            np.bincount(owner, values * kept, len(pages)) for values in (in_text, words)
        )
        return float(np.mean(2 * hits / np.maximum(kept_words + wanted, 1)))

    return float(max(THRESHOLDS, key=f1))


def backpropagate(
    inputs: Floats, target: Floats, weight: Floats, hidden: int, epochs: int, seed: int
) -> perceptron.Network:
    """Fit a network to weighted rows, by cross-entropy."""
    random, columns = np.random.default_rng(seed), inputs.shape[1] + 1
    layers = [np.zeros((columns, 1))]
    if hidden:
        shapes = (columns, hidden), (hidden + 1, 1)
        layers = [random.normal(0, 0.5, shape) for shape in shapes]
    inputs = np.column_stack([inputs, np.ones(len(inputs))])
    steps = [np.full(layer.shape, 0.05) for layer in layers]
    last_slopes = [np.zeros(layer.shape) for layer in layers]
    for _ in range(epochs):
        slopes = _slopes(layers, inputs, target, weight)
        for layer, slope, step, last in zip(
            layers, slopes, steps, last_slopes, strict=True
        ):
            # Steps grow while a slope keeps its sign; after a change of sign the step
            # is reduced and not taken.
            turn = np.sign(slope * last)
            np.multiply(
                step, np.select([turn > 0, turn < 0], [1.2, 0.5], 1.0), out=step
            )
            np.clip(step, 1e-6, 5.0, out=step)
            last[:] = np.where(turn < 0, 0.0, slope)
            np.subtract(layer, np.sign(last) * step, out=layer)
    return perceptron.Network(tuple(layers))


def _slopes(
    layers: Sequence[Floats], inputs: Floats, target: Floats, weight: Floats
) -> list[Floats]:
    """The gradient of the loss for each layer; inputs have a column of ones."""
    last = layers[-1]
    units = inputs
    if len(layers) > 1:
        units = np.column_stack([np.tanh(inputs @ layers[0]), np.ones(len(inputs))])
    output = 1 / (1 + np.exp(-np.clip((units @ last)[:, 0], -500, 500)))
    error = weight * (output - target)
    slopes = [units.T @ error[:, None]]
    if len(layers) > 1:
        back = error[:, None] * last[:-1, 0] * (1 - units[:, :-1] ** 2)
        slopes.insert(0, inputs.T @ back)
    return slopes
