"""A perceptron on the text density, bytes and length of a line and its neighbours.

After the article "The Easy Way to Extract Useful Text from Arbitrary HTML" (ai-depot),
whose lines are those of Python 2's htmllib.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.algorithms.base import Algorithm, Options, Unit, UnitList, Verdict
from scrapy_eatext.algorithms.density import block_markup, limit, mean_score
from scrapy_eatext.algorithms.modelfile import ModelError, load_model, model_path
from scrapy_eatext.algorithms.perceptron.lines import write_lines
from scrapy_eatext.declared import number, one_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import numpy.typing as npt

    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.page import Page

    Floats = npt.NDArray[np.float64]

NETWORKS = ("slp", "mlp")
SIZES = (1, 2, 3)
# The prefixes of a model's arrays: for a page's blocks, and for the original's lines.
READINGS = ("blocks", "written")
ATTRIBUTES = ("density", "bytes", "length")


@dataclass(frozen=True)
class PerceptronOptions(Options):
    """The network, its inputs, and the limit that its output must exceed."""

    network: str = one_of(
        "mlp",
        *NETWORKS,
        "none",
        doc='`"none"` holds the density itself against the threshold, as the original '
        "did first.",
    )
    lines: int = one_of(
        3,
        *SIZES,
        doc="1: the line alone; 2: also the one before it; 3: also the one after it.",
    )
    attributes: int = one_of(
        3, *SIZES, doc="1: density; 2: also bytes; 3: also length."
    )
    threshold: float | str = number(
        0.5,
        0,
        1,
        "mean",
        doc="What the network's output, or without a network the density, must exceed; "
        '`"mean"` is the mean over the page\'s lines.',
    )
    model: str = model_path()


@dataclass(frozen=True)
class Lines:
    """Lines as units, with their characters of text and bytes of HTML.

    ``written`` are the lines as the original wrote them, None if the lines are blocks.
    """

    units: Units
    length: Floats
    bytes: Floats
    written: Sequence[str] | None = None

    @property
    def density(self) -> Floats:
        """Text divided by bytes; 0 for a line of no bytes."""
        some = self.bytes > 0
        return np.where(some, self.length / np.where(some, self.bytes, 1.0), 0.0)


def block_lines(page: Page) -> Lines:
    """A page's blocks as lines; bytes are characters of text and of markup."""
    length = np.array(page.blocks.chars, dtype=np.float64)
    return Lines(page.blocks, length, length + block_markup(page))


def written_lines(page: Page) -> Lines:
    """The lines as the original separated them."""
    lines = write_lines(page.html)
    return Lines(
        UnitList([Unit(line.text.rstrip("\n"), "line") for line in lines]),
        np.array([len(line.text) for line in lines], dtype=np.float64),
        np.array([line.bytes for line in lines], dtype=np.float64),
        [line.text for line in lines],
    )


def attributes_of(lines: Lines) -> Floats:
    """A row for each line: density, log(1 + bytes), log(1 + length)."""
    logs = np.log1p(np.maximum([lines.bytes, lines.length], 0.0))
    return np.column_stack([lines.density, *logs])


def with_neighbours(rows: Floats, lines: int) -> Floats:
    """Each row followed by that before it (``lines`` 2 or 3) and after it (3), or zeros."""
    padded = np.pad(rows, ((1, 1), (0, 0)))
    # The row itself, the one before it, the one after it.
    parts = [padded[1:-1], padded[:-2], padded[2:]]
    return np.hstack(parts[:lines])


@dataclass(frozen=True)
class Network:
    """The weights of one or two layers, by tanh and the logistic function.

    The last row of each has the biases.
    """

    layers: tuple[Floats, ...]

    def output(self, inputs: Floats) -> Floats:
        *hidden, last = self.layers
        values = inputs
        for weights in hidden:
            values = np.tanh(_through(values, weights))
        values = _through(values, last).squeeze(1)
        # The exponential of larger numbers overflows.
        result: Floats = 1 / (1 + np.exp(-np.clip(values, -500, 500)))
        return result


def _through(values: Floats, weights: Floats) -> Floats:
    # Not by @, whose threads would compete with the crawl's.
    result: Floats = np.einsum("ij,jk->ik", values, weights[:-1]) + weights[-1]
    return result


def network_name(network: str, lines: int, attributes: int) -> str:
    return f"{network}-{lines}-{attributes}"


@dataclass(frozen=True)
class Scaled:
    """A network with the numbers of its lines and attributes, and their scale."""

    network: Network
    lines: int
    attributes: int
    mean: Floats
    spread: Floats

    @classmethod
    def of(
        cls,
        arrays: Mapping[str, npt.NDArray[Any]],
        reading: str,
        kind: str,
        lines: int,
        attributes: int,
    ) -> Scaled:
        """A network of a model.  Raises KeyError without it, ValueError for a damaged one."""
        name = f"{reading}.{network_name(kind, lines, attributes)}"
        keys = [f"{name}.hidden"] * (kind == "mlp") + [f"{name}.output"]
        layers = tuple(arrays[key].astype(np.float64) for key in keys)
        mean, spread = (
            arrays[f"{reading}.{key}"].astype(np.float64) for key in ("mean", "spread")
        )
        if not (spread > 0).all():
            raise ValueError("the attributes have no scale")
        made = cls(Network(layers), lines, attributes, mean, spread)
        # Arrays that do not fit raise.
        made.output(Lines(UnitList(), np.zeros(0), np.zeros(0)))
        return made

    def output(self, lines: Lines) -> Floats:
        rows = (attributes_of(lines) - self.mean) / self.spread
        inputs = with_neighbours(rows[:, : self.attributes], self.lines)
        return self.network.output(inputs)


class Perceptron(Algorithm[PerceptronOptions]):
    """Keeps the lines with a high output of a network, or a high density."""

    name = "perceptron"
    options_class = PerceptronOptions

    def __init__(self, options: PerceptronOptions) -> None:
        super().__init__(options)
        self._network: Scaled | None = None
        self.version = "1"
        if options.network == "none":
            return
        file = options.model or "perceptron.model"
        model = load_model(options.model, self.name)
        inputs = options.network, options.lines, options.attributes
        try:
            reading = READINGS[options.reference]
            self._network = Scaled.of(model.arrays, reading, *inputs)
        except KeyError:
            raise ModelError(f"{file} has no network {network_name(*inputs)}") from None
        except ValueError as error:
            raise ModelError(f"{file} is damaged: {error}") from error
        self.version = f"1-{model.version}"

    def judge(self, page: Page) -> Verdict:
        lines = written_lines(page) if self.options.reference else block_lines(page)
        network = self._network
        scores = lines.density if network is None else network.output(lines)
        # A line may have more text than bytes, as the original wrote &pi; as &#960;.
        shares = np.minimum(scores, 1.0)
        above = scores > limit(scores, self.options.threshold)
        written, kept = None, above
        if lines.written is not None:
            written = "".join(compress(lines.written, above))
            # A line of white space alone does not count as kept.
            kept = above & [bool(line.strip()) for line in lines.written]
        return Verdict(
            units=lines.units,
            kept=kept.tolist(),
            scores=shares.tolist(),
            reasons=["above" if flag else "below" for flag in above.tolist()],
            text=written,
            score=mean_score(kept, shares, lines.length),
        )
