"""Dragnet: content extraction from diverse feature sets (Peters and Lecocq, 2013).

A logistic regression judges each block of a page by the densities of text and links in
it and its neighbours, words in ids and classes, the ratio of text to tags around it,
and the readability score of the elements around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.algorithms.base import Algorithm, Options, Unit, UnitList, Verdict
from scrapy_eatext.algorithms.density import mean_score
from scrapy_eatext.algorithms.dragnet.blocks import original_blocks, page_blocks
from scrapy_eatext.algorithms.dragnet.features import (
    CLASS_TOKENS,
    GROUPS,
    ID_TOKENS,
    columns_of,
    original_tokens,
    page_tokens,
)
from scrapy_eatext.algorithms.modelfile import Model, ModelError, load_model, model_path
from scrapy_eatext.declared import OptionError, number, one_of, text

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.algorithms.dragnet.blocks import Floats, Table
    from scrapy_eatext.page import Page

TARGETS = ("content", "comments", "both")
# The default groups: all, or with ``reference`` those of the original's own model.
_ALL = (1 << len(GROUPS)) - 1
_ORIGINALS = 0b10101
_MIN_BLOCKS = 3
# The numbers of columns: those of the original's tokens, and those of no tokens.
_TOKENS, _OTHERS = len(ID_TOKENS) + len(CLASS_TOKENS), 10


def subset(features: str) -> int:
    """Names of groups, joined by "+", as bits.  Raises OptionError for unknown ones."""
    bits = 0
    for name in features.split("+"):
        if name not in GROUPS:
            known = ", ".join(GROUPS)
            allowed = f'"auto", or some of {known} joined by "+"'
            raise OptionError("features", features, allowed)
        bits |= 1 << GROUPS.index(name)
    return bits


@dataclass(frozen=True)
class DragnetOptions(Options):
    """The kind of text, the features, and the limit of a kept block's probability."""

    content: str = one_of(
        "content",
        *TARGETS,
        doc="What is kept: `content`, the main text; `comments`, readers' comments below "
        "it; `both`.",
    )
    features: str = text(
        "auto",
        "names of feature groups",
        'The groups that the model has, joined by `+`, such as `"shallow+tokens"`: '
        "there is a model for every choice. `auto` is all five, with `reference` the "
        "three of the original's own model, `shallow+cetr+readability`.",
    )
    threshold: float = number(
        0.5, 0, 1, doc="A block is kept if it is more probable than this."
    )
    model: str = model_path()

    def __post_init__(self) -> None:
        _ = self.groups  # raises OptionError for unknown ones

    @property
    def groups(self) -> int:
        if self.features == "auto":
            return _ORIGINALS if self.reference else _ALL
        return subset(self.features)


@dataclass(frozen=True)
class Judge:
    """A model for one target and one subset of features.

    ``weights`` has an entry for each column, then the intercept.  ``chosen`` marks the
    used columns of page_tokens() with the ``vocabulary``.
    """

    weights: Floats
    vocabulary: NDArray[np.uint32]
    chosen: NDArray[np.bool_]

    def columns(self, page: Page, table: Table, *, reference: bool) -> Floats:
        """The model's input, a row for each block."""
        if reference:
            return columns_of(table, original_tokens(table), logarithms=False)[0]
        tokens = page_tokens(page.blocks.walk, self.vocabulary)[:, self.chosen]
        return columns_of(table, tokens, logarithms=True)[0]

    def probabilities(self, columns: Floats) -> Floats:
        # Not by @, whose threads would compete with the crawl's.
        values = np.einsum("ij,j->i", columns, self.weights[:-1]) + self.weights[-1]
        logistic: Floats = 1 / (1 + np.exp(-np.clip(values, -40, 40)))
        return logistic


def judge_of(model: Model, options: DragnetOptions) -> Judge:
    """The part of a model for some options.  Raises ModelError if it has none."""
    name = "original" if options.reference else "page"
    file = options.model or "dragnet.model"
    try:
        weights = model.arrays[name][TARGETS.index(options.content), options.groups]
        vocabulary, chosen = model.arrays["vocabulary"], model.arrays["chosen"]
    except (KeyError, IndexError) as error:
        raise ModelError(f"{file} is damaged: it lacks arrays") from error
    tokens = _TOKENS if options.reference else int(chosen.sum())
    if not (
        weights.shape == (_OTHERS + tokens + 1,)
        and np.isfinite(weights).all()
        and (vocabulary.ndim, vocabulary.dtype.str) == (1, "<u4")
        and (chosen.shape, chosen.dtype.str) == ((2 * len(vocabulary),), "|b1")
    ):
        raise ModelError(f"{file} is damaged: its arrays do not fit together")
    if not weights.any():
        raise ModelError(f"{file} was not trained to find {options.content}")
    return Judge(weights.astype(np.float64), vocabulary, chosen)


class Dragnet(Algorithm[DragnetOptions]):
    """Judges blocks one by one; of a page with fewer than three it keeps nothing."""

    name = "dragnet"
    options_class = DragnetOptions

    def __init__(self, options: DragnetOptions) -> None:
        super().__init__(options)
        model = load_model(options.model, self.name)
        self._judge = judge_of(model, options)
        self.version = f"1-{model.version}"

    def judge(self, page: Page) -> Verdict:
        reference = self.options.reference
        table, units = read_page(page, reference=reference)
        scores, other = np.zeros(len(table)), "too few blocks"
        if len(table) >= _MIN_BLOCKS:
            columns = self._judge.columns(page, table, reference=reference)
            scores, other = self._judge.probabilities(columns), "improbable"
        kept = scores > self.options.threshold
        likely = f"probably {self.options.content}"
        return Verdict(
            units,
            kept.tolist(),
            scores.tolist(),
            [likely if keep else other for keep in kept.tolist()],
            text="\n".join(compress(table.texts, kept)) if reference else None,
            score=mean_score(kept, scores, table.length),
        )


def read_page(page: Page, *, reference: bool) -> tuple[Table, Units]:
    """A page's table, and the units that are its rows."""
    if not reference:
        return page_blocks(page.blocks), page.blocks
    if page.body is not None:
        table = original_blocks(page.body)
    else:
        table = original_blocks(page.html.encode("utf-8", "replace"), "utf-8")
    return table, UnitList(map(Unit, table.texts))
