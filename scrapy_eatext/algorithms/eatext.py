"""This project's own algorithm, the default: trees over blocks, their places and pages.

A block is seen with its containers, its neighbours and the whole page; what a
first round of boosted trees thinks of all blocks is what a second one sees of
each.  Those blocks are kept whose words have the best expected F1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.algorithms.base import (
    Algorithm,
    Options,
    Verdict,
    choice,
    number,
    switch,
)
from scrapy_eatext.algorithms.modelfile import (
    SHIPPED,
    ModelError,
    load_model,
    model_path,
)
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.embedded import embedded_text
from scrapy_eatext.page.names import COMMENTS, HUMAN_TESTS
from scrapy_eatext.page.tags import HEADING
from scrapy_eatext.tagger.choice import choose
from scrapy_eatext.tagger.context import CHANCE
from scrapy_eatext.tagger.facts import TokenTable, weights
from scrapy_eatext.tagger.model import Tagger
from scrapy_eatext.tagger.trees import Asked, trees_from
from scrapy_eatext.tagger.whole import NAMES, page_figures

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page import Page
    from scrapy_eatext.page.embedded import Embedded
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints

MODEL = "eatext.model"
_CODE_VERSION = "1"
# A page whose likeliest block has a lower chance than this, in thousandths, has no
# main text: found by cross-validation, like all that is learned.
_UNLIKELY = 300
# With fewer words than this chosen, the page's data are looked at for a text,
# which has to be so many times as long.
_FEW, _LONGER = 40, 3
# A page with no more words than these of text may be none but an error's, a form to
# log in, or a test of whether a human asks.  The first has in its title or one of its
# first headings the status that a server would send with it; numbers that are something
# else as often (500) count where they begin.  The others ask for a password, or have
# elements named after the test, and few words in all.
_ERROR_WORDS, _ERROR_HEADINGS = 60, 3
_LOGIN_WORDS, _TEST_WORDS = 150, 80
_STATUS = re.compile(
    r"(?<![\w.,/$€£#-])4(?:0[0-689]|10|29|51)(?![\w.,%/-])|^\s{0,9}50[0-4](?![\w.,%/-])"
)


# A block of fewer words than this among comments is rather a button.
_COMMENT_WORDS = 3


@dataclass(frozen=True)
class EatextOptions(Options):
    """Which mistakes are worse, and whether readers' comments are wanted."""

    reference: bool = choice(
        False, False, doc="There is no original that it could reproduce."
    )
    favor: str = choice(
        "balance",
        "precision",
        "balance",
        "recall",
        doc="Which mistakes are worse: `precision` leaves out what is doubtful, `recall` "
        "takes it in, `balance` is for the best F1.",
    )
    comments: bool = switch(
        False,
        "Whether what readers wrote below an article is kept too. On a forum the posts "
        "are the main text in any case.",
    )
    threshold: float | str = number(
        "best",
        0,
        1,
        "best",
        doc="The chance from which on a block is kept, instead of what `favor` finds "
        "best for the page.",
    )
    model: str = model_path()


class Eatext(Algorithm[EatextOptions]):
    """Keeps the blocks that a model, trained on pages of seven kinds, takes for content."""

    name = "eatext"
    options_class = EatextOptions

    def __init__(self, options: EatextOptions) -> None:
        super().__init__(options)
        self.model = _model(options.model)
        self.version = f"{_CODE_VERSION}+{self.model.version}"

    def judge(self, page: Page) -> Verdict:
        """Judge the page's blocks; with none worth keeping, its data."""
        blocks = page.blocks
        if not len(blocks):
            found = embedded_text(page)
            return _of_data(found) if found else Verdict(blocks, (), (), ())
        walk, options, model = blocks.walk, self.options, self.model
        likelihood, w = model.tagger.likelihoods(walk), weights(walk)
        least = options.threshold
        chosen = choose(
            likelihood,
            w,
            options.favor,
            None if isinstance(least, str) else round(least * 1000),
        )
        kind, score = _whole(model, page_figures(walk, likelihood, w, chosen))
        kept = chosen.kept
        if isinstance(least, str) and CHANCE[likelihood.max()] < _UNLIKELY:
            kept = np.zeros_like(kept)
        if options.comments:
            kept = kept | _comments(walk, w, kept)
        words = int(w[kept].sum())
        if words < _FEW:
            found = embedded_text(page)
            chars = walk.blocks[:, BlockColumn.CHARS]
            if found and found.chars > _LONGER * int(chars[kept].sum()):
                return _of_data(found)
        if (
            words < _ERROR_WORDS
            and isinstance(least, str)
            and _has_no_content(page, int(w.sum()))
        ):
            kept = np.zeros_like(kept)
        chances = CHANCE[likelihood] / 1000
        return Verdict(
            units=blocks,
            kept=kept.tolist(),
            scores=chances.tolist(),
            reasons=_Reasons(walk, model.tagger, chances),
            score=score if kept.any() else min(score, _UNLIKELY / 1000),
            page_type=kind,
        )


@dataclass(frozen=True, slots=True)
class TaggerModel:
    """What a model file holds.

    ``tagger`` is for blocks.  ``kinds`` and ``quality`` see the figures of the
    whole page: the first has a class for each of ``kind_names``, the second tells
    the word F1 that a choice can expect.
    """

    version: str
    tagger: Tagger
    kinds: Asked
    kind_names: tuple[str, ...]
    quality: Asked


# Bounded by the few model files that a process has use for.
@lru_cache(maxsize=8)
def _model(path: str) -> TaggerModel:
    return load_tagger(path or SHIPPED / MODEL)


def load_tagger(path: str | Path) -> TaggerModel:
    """Read a model file.

    Raises ModelError, naming the file, for one that is not whole, and OSError
    where it can't be read.
    """
    model = load_model(path, Eatext.name)
    arrays, header = model.arrays, model.header
    try:
        table = TokenTable(
            *(arrays[f"tokens.{name}"] for name in ("hashes", "near", "far", "flag"))
        )
        if len({len(a) for a in (table.hashes, table.near, table.far, table.flag)}) > 1:
            raise ValueError("the tables of names differ in length")
        parts = {
            name: trees_from(
                name,
                arrays,
                [str(feature) for feature in header["features"][name]],
                int(header["scales"][name]),
            )
            for name in ("first", "second", "kinds", "quality")
        }
        kinds = tuple(str(kind) for kind in header["kinds"])
        if len(parts["kinds"].leaves) != len(kinds):
            raise ValueError("there is not a class for each kind of page")
        return TaggerModel(
            version=model.version,
            tagger=Tagger(table, parts["first"], parts["second"]),
            kinds=Asked(parts["kinds"], NAMES),
            kind_names=kinds,
            quality=Asked(parts["quality"], NAMES),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is damaged: {error}") from error


def _whole(model: TaggerModel, figures: Ints) -> tuple[str, float]:
    """The kind of a page, and the word F1 that the choice can expect."""
    kind = model.kind_names[int(model.kinds.answers(figures).argmax())]
    score = int(model.quality.answers(figures)[0]) / model.quality.scale
    return kind, round(min(max(score, 0.0), 1.0), 4)


def _of_data(found: Embedded) -> Verdict:
    """The verdict on a text that stands in the page's data alone."""
    count = len(found.blocks)
    return Verdict(
        units=found.blocks,
        kept=[True] * count,
        scores=[0.5] * count,
        reasons=[f"only in the page's data ({found.origin})"] * count,
        score=0.5,
        page_type=found.page_type,
        origin=found.origin,
        page=found.page,
    )


def _has_no_content(page: Page, words: int) -> bool:
    """Whether a page of so many words, few of them kept, is but there in place of one."""
    return (
        _is_error(page)
        or (words < _LOGIN_WORDS and _is_login(page))
        or (words < _TEST_WORDS and bool(HUMAN_TESTS.rows(page.blocks.walk)))
    )


def _is_error(page: Page) -> bool:
    """Whether a page tells an HTTP status in its title or one of its first headings."""
    blocks = page.blocks
    headings = (i for i, kind in enumerate(blocks.column("kind")) if kind == HEADING)
    texts = [page.title, *map(blocks.text, islice(headings, _ERROR_HEADINGS))]
    return any(_STATUS.search(text) for text in texts)


def _is_login(page: Page) -> bool:
    """Whether a page asks for a password."""
    return any(
        (field.get("type") or "").strip().lower() == "password"
        for field in page.root.iter("input")
    )


def _comments(
    walk: Walk, w: Ints, kept: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """The blocks in elements named after comments that look like text.

    What most of the kept text is in only says that there are comments, as a body
    named "comments-open" does.
    """
    parents, begins, ends = (
        walk.elements[:, ElementColumn[name.upper()]].tolist()
        for name in ("parent", "first_block", "last_block")
    )
    named = frozenset(COMMENTS.rows(walk))
    told = np.concatenate([[0], np.cumsum(np.where(kept, w, 0))]).tolist()
    inside: list[bool] = []
    for row, (parent, begin, end) in enumerate(zip(parents, begins, ends, strict=True)):
        here = row in named and (
            not told[-1] or 2 * (told[end] - told[begin]) < told[-1]
        )
        inside.append(here or (parent >= 0 and inside[parent]))
    around = np.array(inside, dtype=np.bool_)[walk.blocks[:, BlockColumn.INNER]]
    chars, links = (
        walk.blocks[:, BlockColumn[name.upper()]] for name in ("chars", "link_chars")
    )
    return around & (w >= _COMMENT_WORDS) & (2 * links < chars)


# What tells against a block, the plainest first: a feature, from where on, in words.
_AGAINST = (
    ("in_nav", 1, "in a nav element"),
    ("in_footer", 1, "in a footer"),
    ("in_aside", 1, "in an aside"),
    ("in_form", 1, "in a form"),
    ("link_chars_share", 500, "mostly links"),
    ("copies", 2, "said more than once"),
)
_FOR = (
    ("in_article", 1, "in an article element"),
    ("in_main", 1, "in the main element"),
    ("ends", 2, "sentences"),
)
_NAMES_SPEAK = 100
_TOLD = ("names", *(name for name, _, _ in (*_AGAINST, *_FOR)))


class _Reasons(Sequence[str]):
    """For each block its chance, and what of it is plain to see; made when asked for."""

    def __init__(
        self, walk: Walk, tagger: Tagger, chances: npt.NDArray[np.float64]
    ) -> None:
        self._walk = walk
        self._tagger = tagger
        self._chances = chances

    @cached_property
    def _rows(self) -> Mapping[str, Ints]:
        return self._tagger.features(self._walk, _TOLD)

    def __len__(self) -> int:
        return len(self._chances)

    def __getitem__(self, i: int) -> str:  # type: ignore[override]
        rows, chance = self._rows, float(self._chances[i])
        seen = _FOR if chance >= 0.5 else _AGAINST
        facts = [said for name, least, said in seen if rows[name][i] >= least]
        names = int(rows["names"][i])
        if abs(names) >= _NAMES_SPEAK and (names > 0) == (chance >= 0.5):
            facts.append("the names of its elements")
        return f"chance {chance:.2f}" + (": " + ", ".join(facts) if facts else "")
