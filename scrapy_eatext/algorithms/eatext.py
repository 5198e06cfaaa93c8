"""The default algorithm: two rounds of boosted trees over blocks.

The first round has features of the block, its containers, its neighbours, and the page.
The second round also has the first round's likelihoods of the block and of those around
it.  The kept blocks are those with the best expected F1 over words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.algorithms.base import Algorithm, Options, Verdict
from scrapy_eatext.algorithms.modelfile import ModelError, load_model, model_path
from scrapy_eatext.declared import number, one_of, switch, text
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.names import COMMENTS, DIALOGS, REVIEWS, SHOP_PARTS
from scrapy_eatext.result import EMPTY_SCORE
from scrapy_eatext.sites.evidence import taught
from scrapy_eatext.sites.files import load_lessons
from scrapy_eatext.tagger import rules
from scrapy_eatext.tagger.context import CHANCE
from scrapy_eatext.tagger.descriptions import described_walk
from scrapy_eatext.tagger.facts import MAX_FLAGS, TokenTable, weights
from scrapy_eatext.tagger.kinds import calibrated, figure_names, votes
from scrapy_eatext.tagger.model import Tagger
from scrapy_eatext.tagger.selection import select
from scrapy_eatext.tagger.trees import NamedTrees, trees_from
from scrapy_eatext.tagger.whole import NAMES, page_figures, score_of
from scrapy_eatext.tagger.words import WordTable, no_words

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page import Page
    from scrapy_eatext.page.embedded import Embedded
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.model import PythonTagger
    from scrapy_eatext.tagger.operations import Flags, Ints


_CODE_VERSION = "5"
FORUM, PRODUCT = "forum", "product"
# A page of one of these kinds has no main text if all blocks have a lower chance than
# _UNLIKELY, in thousandths; on pages of fewer words than _SHORT, where chances are less
# sure, than _UNLIKELY_IF_SHORT.
SPARSE = frozenset(("collection", "listing", PRODUCT, "service"))
_UNLIKELY, _UNLIKELY_IF_SHORT, _SHORT = 300, 150, 100
# If fewer words than _FEW are kept, a text in the page's data is used instead of the
# blocks, provided that it is more than _LONGER times as long.
_FEW, _LONGER = 40, 3
# The scores of such texts: a mere description is weak, so that a browser may be asked.
_OF_MAIN, _OF_DESCRIPTION = 0.5, 0.2


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that leaves out some of the chosen blocks.

    It applies to pages of the kinds ``only``, or of all kinds if this is empty, but not
    to those of ``spared`` kinds.  ``leave`` takes a walk, the kept blocks, and the words
    and chances of all blocks; it returns the blocks that stay.
    """

    leave: Callable[[Walk, Flags, Ints, Ints], Flags]
    spared: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()


# The rules by the reason that blocks get, BEFORE and AFTER rows of tables are completed;
# none applies if a threshold is set.  benchmarks/rules.py measures the gain of each.
# Kinds are spared as posts of a thread quote each other, headings of a list stand above
# links, and dated lines are text of a list.
BEFORE = {
    "a copy of text above": Rule(rules.without_copies, frozenset((FORUM,))),
    "a review, delivery or another product": Rule(
        partial(rules.without_named, (COMMENTS, REVIEWS, SHOP_PARTS)),
        only=frozenset((PRODUCT,)),
    ),
    "a signature": Rule(rules.without_signatures, only=frozenset((FORUM,))),
    "a dialog": Rule(partial(rules.without_named, (DIALOGS,)), only=SPARSE),
}
AFTER = {
    "a wiki's link to edit": Rule(rules.without_edit_links),
    "a heading with nothing below": Rule(
        rules.without_bare_headings, frozenset(("collection", "listing"))
    ),
    "a dated line before the text": Rule(rules.without_bylines, SPARSE),
}
# In an element that is named after comments, a block is a comment if its chance of being
# one, in thousandths, is above this.
_IF_NAMED = 50
# In an element named after reviews, a block of so many words is one if its chance of being
# main text, in thousandths, is at least this.
_IF_REVIEW, _REVIEW_WORDS = 400, 12
# If less than one in _ONE_IN words of the elements named after comments is kept or a
# comment, the thread's comments are missed.
_ONE_IN = 3
# A block of fewer words than this among comments is more likely a button.
_COMMENT_WORDS = 3


@dataclass(frozen=True)
class EatextOptions(Options):
    """Which mistakes are worse, whether comments are kept, and which files to use."""

    reference: bool = one_of(
        False, False, doc="There is no original that it could reproduce."
    )
    favor: str = one_of(
        "balance",
        "precision",
        "balance",
        "recall",
        doc="Which mistakes are worse: `precision` leaves out uncertain blocks, `recall` "
        "keeps them, `balance` is for the best F1.",
    )
    comments: bool = switch(
        False,
        "Whether readers' comments below an article are kept too. On a forum the posts "
        "are the main text in any case.",
    )
    threshold: float | str = number(
        "best",
        0,
        1,
        "best",
        doc="The least chance of a kept block, instead of the one that `favor` finds "
        "best for the page.",
    )
    site_files: str = text(
        "",
        "the path of a folder",
        "The folder of site files, which have the places of main text on a site; see "
        "[Teaching](../teaching.md).",
    )
    model: str = model_path()


def is_without_text(kind: str, w: Ints, chances: Ints, limit: int) -> bool:
    """Whether a page of a sparse kind has no block with a chance of at least a limit."""
    if int(w.sum()) < _SHORT:
        limit = min(limit, _UNLIKELY_IF_SHORT)
    return kind in SPARSE and bool(chances.max() < limit)


class Eatext(Algorithm[EatextOptions]):
    """Keeps the blocks that a model, trained on pages of seven kinds, takes for content."""

    name = "eatext"
    options_class = EatextOptions

    def __init__(self, options: EatextOptions) -> None:
        super().__init__(options)
        self.model = _model(options.model)
        self.version = f"{_CODE_VERSION}+{self.model.version}"
        self.lessons = load_lessons(options.site_files) if options.site_files else None

    def judge(self, page: Page) -> Verdict:
        blocks = page.blocks
        if not len(blocks):
            embedded = _in_data(page)
            return _of_data(embedded) if embedded else Verdict(blocks, (), (), ())
        options, model = self.options, self.model
        # Rules read the page's own walk, so that outputs can reuse what they look up.
        walk, described = blocks.walk, described_walk(page)
        w = weights(walk)
        likelihood, kind = model.judged(described, w)
        lesson = self.lessons.of(page.url) if self.lessons else None
        evidence, comments_of_site, template = None, None, ""
        if lesson is not None:
            evidence, comments_of_site, fits = lesson.evidence(walk)
            template = "matched" if fits else "unmatched"
            likelihood = taught(likelihood, evidence)
        threshold = options.threshold
        least = None if isinstance(threshold, str) else round(threshold * 1000)
        chosen = select(likelihood, w, options.favor, least)
        score = model.score(page_figures(walk, likelihood, w, chosen))
        chances = CHANCE[likelihood]
        kept = remaining = chosen.kept
        left_out: dict[int, str] = {}
        if least is None:
            kept = remaining = _apply(BEFORE, kind, walk, kept, w, chances, left_out)
            if is_without_text(kind, w, chances, _UNLIKELY):
                kept = np.zeros_like(kept)
        judged = described, kind, w, chances, chosen.kept, remaining
        comments = partial(_comments, model.comments, *judged, comments_of_site)
        if options.comments:
            kept = kept | comments()
        kept = rules.with_captions(walk, rules.whole_tables(walk, kept, w))
        kept = rules.with_code(walk, kept)
        if least is None:
            kept = _apply(AFTER, kind, walk, kept, w, chances, left_out)
        if int(w[kept].sum()) < _FEW:
            embedded = _in_data(page, shows_some=bool(kept.any()))
            chars = int(walk.blocks[kept, BlockColumn.CHARS].sum())
            if embedded and sum(embedded.blocks.chars) > _LONGER * chars:
                return _of_data(embedded)
        scores = chances / 1000
        return Verdict(
            units=blocks,
            kept=kept.tolist(),
            scores=scores.tolist(),
            reasons=_Reasons(
                described,
                model.tagger,
                scores,
                evidence,
                # Completed rows of tables may have some of them again.
                {i: reason for i, reason in left_out.items() if not kept[i]},
            ),
            score=score if kept.any() else min(score, EMPTY_SCORE),
            page_type=kind,
            template=template,
            comments=lambda: comments().tolist(),
        )


@dataclass(frozen=True, slots=True)
class TaggerModel:
    """The content of a model file.

    ``tagger`` judges blocks; ``comments`` finds readers' comments, if the model was
    trained with any.  ``kinds`` and ``quality`` judge the page as a whole: ``kinds``
    predicts one of ``kind_names``, from figures of the page and the votes of its names,
    and ``quality`` estimates the lack of word F1 of the kept blocks.  ``lines``
    calibrate the tagger's likelihoods by kind.
    """

    version: str
    tagger: PythonTagger
    comments: PythonTagger | None
    kinds: NamedTrees
    kind_names: tuple[str, ...]
    quality: NamedTrees
    lines: Ints

    def judged(self, walk: Walk, w: Ints) -> tuple[Ints, str]:
        """The calibrated likelihoods, and the likeliest kind of page.

        ``walk`` must have the page's descriptions; ``w`` has the words of its blocks.
        """
        return self.calibrated(walk, w, *self.tagger.likelihoods(walk))

    def calibrated(
        self, walk: Walk, w: Ints, likelihood: Ints, of_names: Ints
    ) -> tuple[Ints, str]:
        """The result of judged() for the tagger's likelihoods and name_votes()."""
        figures = page_figures(walk, likelihood, w, select(likelihood, w)), of_names
        answers = self.kinds.answers(np.concatenate(figures))
        kind = self.kind_names[int(answers.argmax())]
        of_kinds = votes(answers, self.kinds.scale)
        return calibrated(likelihood, of_kinds, self.lines), kind

    def score(self, figures: Ints) -> float:
        lack = int(self.quality.answers(figures)[0]) / self.quality.scale
        return round(score_of(lack), 4)


def load_tagger(path: str | Path) -> TaggerModel:
    """Read a model file, "" for the one that is shipped.

    Raises ModelError, naming the file, if it is damaged, and OSError if it can't be
    read.
    """
    model = load_model(path, Eatext.name)
    arrays, header = model.arrays, model.header
    try:
        # Older models have no weights of words.
        words = no_words()
        if "words.hashes" in arrays:
            words = WordTable(arrays["words.hashes"], arrays["words.weight"])
        columns = {
            name: arrays[f"tokens.{name}"] for name in ("hashes", "near", "far", "flag")
        }
        columns["kinds"] = arrays["names.kinds"]
        if len(set(map(len, columns.values()))) > 1:
            raise ValueError("the tables of names differ in length")
        table = TokenTable(**columns, words=words)
        if table.flags > MAX_FLAGS:
            raise ValueError(f"more than {MAX_FLAGS} words with a feature")
        parts = {
            name: trees_from(
                name,
                arrays,
                [str(feature) for feature in header["features"][name]],
                int(header["scales"][name]),
            )
            for name in header["features"]
        }
        kinds = tuple(str(kind) for kind in header["kinds"])
        lines = arrays["lines"]
        if table.kinds.shape != (len(table.hashes), len(kinds)):
            raise ValueError("there is not a vote of each name for each kind of page")
        if len(parts["kinds"].leaves) != len(kinds):
            raise ValueError("there is not a class for each kind of page")
        if lines.shape != (len(kinds), 2) or lines.dtype.kind != "i":
            raise ValueError("there is not a line for each kind of page")
        return TaggerModel(
            version=model.version,
            tagger=Tagger(table, parts["first"], parts["second"]),
            comments=Tagger(table, parts["first"], parts["comments"])
            if "comments" in parts
            else None,
            kinds=NamedTrees(parts["kinds"], figure_names(kinds)),
            kind_names=kinds,
            quality=NamedTrees(parts["quality"], NAMES),
            lines=lines,
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{path} is damaged or another version's: {error}") from error


# A process uses few model files.
_model = lru_cache(maxsize=8)(load_tagger)


def _apply(
    stage: Mapping[str, Rule],
    kind: str,
    walk: Walk,
    kept: Flags,
    w: Ints,
    chances: Ints,
    left_out: dict[int, str],
) -> Flags:
    """The kept blocks that no rule leaves out; adds others' reasons to ``left_out``."""
    for reason, rule in stage.items():
        if kind in rule.spared or (rule.only and kind not in rule.only):
            continue
        remaining = rule.leave(walk, kept, w, chances)
        if remaining is not kept:
            gone = (kept & ~remaining).nonzero()[0].tolist()
            left_out.update(dict.fromkeys(gone, reason))
            kept = remaining
    return kept


def _in_data(page: Page, *, shows_some: bool = False) -> Embedded | None:
    from scrapy_eatext.page.embedded import embedded_text  # for few pages

    return embedded_text(page, shows_some=shows_some)


def _of_data(embedded: Embedded) -> Verdict:
    """The verdict for a text in the page's data."""
    count = len(embedded.blocks)
    score = _OF_MAIN if embedded.is_main else _OF_DESCRIPTION
    return Verdict(
        units=embedded.blocks,
        kept=[True] * count,
        scores=[score] * count,
        reasons=[f"only in the page's data ({embedded.origin})"] * count,
        score=score,
        page_type=embedded.page_type,
        origin=embedded.origin,
        page=embedded.page,
    )


def _comments(
    tagger: PythonTagger | None,
    walk: Walk,
    kind: str,
    w: Ints,
    chances: Ints,
    chosen: Flags,
    kept: Flags,
    taught: Flags | None,
) -> Flags:
    """The readers' comments of a page of a kind.

    ``w`` and ``chances`` have the words of each block and its chance of being main text,
    in thousandths.  ``chosen`` marks the blocks that were chosen, ``kept`` those of them
    that no rule left out, and ``taught`` the comments by a site file.
    """
    # An element with most of the kept text is left out: a body with the class
    # "comments-open", for example, is not a list of comments.
    names = (COMMENTS, REVIEWS) if kind == PRODUCT else (COMMENTS,)
    column = walk.blocks.T
    few_links = 2 * column[BlockColumn.LINK_CHARS] < column[BlockColumn.CHARS]
    is_text: Flags = few_links & (w >= _COMMENT_WORDS)
    named = comments = rules.in_named(names, walk, kept, w, 0.5) & is_text
    if tagger is not None:
        chance = CHANCE[tagger.likelihoods(walk)[0]]
        comments = chance > np.where(named, _IF_NAMED, 500)
    if kind == PRODUCT:
        # A review that looked like main text, or nearly so.
        is_likely = (chances >= _IF_REVIEW) & (w >= _REVIEW_WORDS)
        comments = comments | (named & (chosen | is_likely) & ~kept)
    elif kind == FORUM:
        # The named elements have more text than is kept, and it is hardly used.
        used, of_names = w[named & (kept | comments)].sum(), w[named].sum()
        if of_names > max(w[kept].sum(), used * _ONE_IN):
            comments = comments | named
    return comments if taught is None else comments | taught


# The reasons against a block, and for one, the clearest first: a feature, its least
# value, and the reason's text.
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
# The least weight of names, as a feature, that is a reason.
_NAMES_LEAST = 100
_FEATURES = ("names", *(name for name, _, _ in (*_AGAINST, *_FOR)))


@dataclass(frozen=True, eq=False)
class _Reasons(Sequence[str]):
    """For each block a text with its chance and the reasons, made on access."""

    walk: Walk
    tagger: PythonTagger
    chances: npt.NDArray[np.float64]
    evidence: Ints | None
    left_out: Mapping[int, str]

    @cached_property
    def _features(self) -> Mapping[str, Ints]:
        return self.tagger.features(self.walk, _FEATURES)

    def __len__(self) -> int:
        return len(self.chances)

    def __getitem__(self, i: int) -> str:  # type: ignore[override]
        features, chance = self._features, float(self.chances[i])
        is_likely = chance >= 0.5
        reasons = [
            reason
            for name, least, reason in (_FOR if is_likely else _AGAINST)
            if features[name][i] >= least
        ]
        names = int(features["names"][i])
        if abs(names) >= _NAMES_LEAST and (names > 0) == is_likely:
            reasons.append("the names of its elements")
        evidence = 0 if self.evidence is None else int(self.evidence[i])
        if evidence and (evidence > 0) == is_likely:
            reasons.append("the site's own pages")
        line = f"chance {chance:.2f}" + (": " + ", ".join(reasons) if reasons else "")
        return f"{line}; left out: {self.left_out[i]}" if i in self.left_out else line
