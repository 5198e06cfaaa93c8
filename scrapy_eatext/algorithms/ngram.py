"""Text density, then two language models of characters: keep and discard.

After an article on boilerplate removal that put LingPipe's classifier behind a
density filter: a line goes to the category whose model finds it likelier.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.algorithms.base import Algorithm, text
from scrapy_eatext.algorithms.charmodel import CharModel, Smoothing, from_arrays
from scrapy_eatext.algorithms.density import (
    DensityOptions,
    filter_lines,
    measure,
    reasons,
    verdict,
)
from scrapy_eatext.algorithms.modelfile import SHIPPED, ModelError, load_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from scrapy_eatext.algorithms.base import Verdict
    from scrapy_eatext.page import Page

MODEL = "ngram.model"
KEEP, DISCARD = range(2)


@dataclass(frozen=True)
class NgramOptions(DensityOptions):
    """Those of density, and the path of a model; empty for the shipped one."""

    model: str = text("", "the path of a model file")


@dataclass(frozen=True)
class LineModel:
    """The two language models, and how readily a line is kept.

    ``bias`` are the bits by which discard must be the likelier.
    """

    version: str
    chars: CharModel
    bias: float = 0.0

    def bits(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """By how many bits each text is likelier to be kept than discarded."""
        joint = self.chars.joint(texts)
        bits: npt.NDArray[np.float64] = joint[:, KEEP] - joint[:, DISCARD]
        return bits


# A model takes some megabytes; a crawl uses one or two.
@lru_cache(maxsize=4)
def load_lines(path: str) -> LineModel:
    """Read a model file; ModelError where it is none of ngram's, or damaged."""
    model = load_model(path, "ngram")
    try:
        header = model.header
        smoothing = Smoothing(
            int(header["order"]), int(header["characters"]), float(header["factor"])
        )
        trained = [int(header["trained"][0]), int(header["trained"][1])]
        levels = from_arrays(model.arrays, smoothing.order)
        chars = CharModel(levels, trained, smoothing)
        return LineModel(model.version, chars, float(model.arrays["bias"][0]))
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is damaged: {error}") from error


class Ngram(Algorithm[NgramOptions]):
    """Filter lines by density, then by what their characters look like."""

    name = "ngram"
    options_class = NgramOptions

    def __init__(self, options: NgramOptions) -> None:
        super().__init__(options)
        self._model = load_lines(options.model or str(SHIPPED / MODEL))
        self.version = f"1-{self._model.version}"
        # The original gives a line to the likelier category, and knew no bias.
        self._bias = 0.0 if options.reference else self._model.bias

    def judge(self, page: Page) -> Verdict:
        lines = measure(page, self.options)
        found = filter_lines(lines, self.options)
        why = reasons(found)
        scores = np.zeros(len(why))
        kept = found.kept.copy()
        places = np.flatnonzero(found.kept).tolist()
        bits = self._model.bits([lines.units.text(i) for i in places]) + self._bias
        # Beyond a thousand bits the power is no longer a number that floats hold.
        scores[places] = 1 / (1 + np.exp2(-np.clip(bits, -1000, 1000)))
        # Of equals the first category wins, which is keep.
        kept[places] = bits >= 0
        for i in places:
            why[i] = "keep" if kept[i] else "discard"
        return verdict(lines, kept, scores, why)
