"""A filter by text density, then two character language models: keep and discard.

After the article on boilerplate removal that density.py follows, which applied
LingPipe's classifier after its filter.  A line goes to the category with the higher
probability.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.algorithms import density
from scrapy_eatext.algorithms.base import Algorithm
from scrapy_eatext.algorithms.modelfile import ModelError, load_model, model_path
from scrapy_eatext.algorithms.ngram.characters import CharModel, Smoothing, from_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_eatext.algorithms.base import Verdict
    from scrapy_eatext.algorithms.ngram.characters import Floats
    from scrapy_eatext.page import Page

KEEP, DISCARD = range(2)


@dataclass(frozen=True)
class NgramOptions(density.DensityOptions):
    """The options of density, and the path of a model, "" for the shipped one."""

    model: str = model_path()


@dataclass(frozen=True)
class LineModel:
    """The two language models, and two limits in bits.

    A line is discarded if that is likelier by more than ``bias`` bits, unless the line
    is strange: it is in none of the training languages, as it takes more than
    ``strange`` bits per character in the likelier category.
    """

    version: str
    chars: CharModel
    bias: float = 0.0
    strange: float = 16.0

    def look(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        """For each text the bits in favour of keep, and its bits per character."""
        logs = self.chars.log2_probabilities(texts)
        joint = logs + self.chars.log_priors
        lengths = np.array([max(len(text), 1) for text in texts])
        return joint[:, KEEP] - joint[:, DISCARD], -logs.max(axis=1) / lengths


# A model takes some megabytes; a crawl uses one or two.
@lru_cache(maxsize=4)
def load_lines(path: str) -> LineModel:
    """Read a model file as load_model() does."""
    model = load_model(path, "ngram")
    try:
        header = model.header
        smoothing = Smoothing(
            int(header["order"]), int(header["characters"]), float(header["factor"])
        )
        trained = [int(header["trained"][0]), int(header["trained"][1])]
        levels = from_arrays(model.arrays, smoothing.order)
        chars = CharModel(levels, trained, smoothing)
        bias, strange = (float(model.arrays[k][0]) for k in ("bias", "strange"))
        return LineModel(model.version, chars, bias, strange)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is damaged: {error}") from error


class Ngram(Algorithm[NgramOptions]):
    """Keeps lines that pass the density filter and read like content."""

    name = "ngram"
    options_class = NgramOptions

    def __init__(self, options: NgramOptions) -> None:
        super().__init__(options)
        self._model = load_lines(options.model)
        self.version = f"1-{self._model.version}"
        # The original has no bias, and takes no line for strange.
        if options.reference:
            self._model = replace(self._model, bias=0.0, strange=math.inf)

    def judge(self, page: Page) -> Verdict:
        lines = density.measure(page, self.options)
        _, kept, reasons = density.filter_lines(lines, self.options)
        places = np.flatnonzero(kept)
        texts = [lines.units.text(i) for i in places.tolist()]
        bits, surprise = self._model.look(texts)
        bits = bits + self._model.bias
        # Ties go to keep, the first category.
        strange, keep = surprise > self._model.strange, bits >= 0
        # Powers of more than a thousand bits overflow.
        chance = 1 / (1 + np.exp2(-np.clip(bits, -1000, 1000)))
        scores = np.zeros(len(kept))
        scores[places] = np.where(strange, 0.5, chance)
        kept[places] = strange | keep
        names = np.select([strange, keep], ["strange", "keep"], "discard")
        for i, name in zip(places.tolist(), names.tolist(), strict=True):
            reasons[i] = name
        return density.verdict(lines, kept, scores, reasons)
