"""Training of the default algorithm's model: two rounds of boosted trees.

If a part learns from another's predictions, these are out of fold: for each page, the
weights of names, the first trees' likelihoods and the choice of blocks come from parts
that were trained on other sites.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.learning import DataError, check_classes, need
from scrapy_eatext.learning.augmentation import augmented, plain_copy
from scrapy_eatext.learning.corrections import hashes
from scrapy_eatext.learning.labels import label_page, parsed
from scrapy_eatext.learning.logistic import newton
from scrapy_eatext.learning.refinement import bag, folded, noisy, refine, words_of
from scrapy_eatext.learning.splits import folds, site_of
from scrapy_eatext.learning.train import Fitted
from scrapy_eatext.learning.trees import Rounds, grow
from scrapy_eatext.learning.words import learn_tables, votes_of_names
from scrapy_eatext.page import Page
from scrapy_eatext.tagger.context import FEATURES, ZERO
from scrapy_eatext.tagger.descriptions import described_walk
from scrapy_eatext.tagger.features import features_with
from scrapy_eatext.tagger.kinds import LEVEL, calibrated, figure_names, votes
from scrapy_eatext.tagger.model import Tagger, likelihood_of
from scrapy_eatext.tagger.selection import select
from scrapy_eatext.tagger.trees import NO_TREES, NamedTrees
from scrapy_eatext.tagger.whole import NAMES, lack_of, page_figures

if TYPE_CHECKING:
    from scrapy_eatext.learning.data import LabelledPage
    from scrapy_eatext.learning.logistic import Floats
    from scrapy_eatext.learning.train import Progress
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags, Ints, Rows
    from scrapy_eatext.tagger.trees import Trees

# The number of folds, by site, for out-of-fold predictions.
INNER = 3
# The weight of a page with segments, as against one whose whole text is known.
SEGMENTS_WEIGHT = 0.3
# A block's weight on its page is its words to this power; at most _BLOCKS of a page are
# learned from.
_POWER = 0.5
_BLOCKS = 200
# Pages of rare kinds weigh more: by this power of the mean size of kinds over theirs.
_EVENNESS = 0.5
# This share of the pages is augmented.
_AUGMENTED = 0.3
# From a plain copy of this share of the pages their kinds are learned too: otherwise
# most short articles without a name are called another kind of page.
_COPIED = 0.5
# The weight of pages with readers' comments, which are few.
_COMMENTS_WEIGHT = 3
# The true text of some pages is wrong.  In the second round, a page on which the loss
# of the first trees, out of fold, is above this quantile weighs less: by the square of
# the ratio of the two losses.
_TRUSTED_QUANTILE = 0.9
# The logit, negated, of a kind that no training page of a fold has.
_UNLIKELY = 20
# In calibration, the sum of the weights of a page's blocks, which are square roots of
# their words.
_PAGE = 60
# The penalty that draws the kinds' lines to one line for all pages, and that one to the
# identity.
_RIDGE = 300
# How many ensembles are grown at a time, each in one thread: this is faster than one
# ensemble in several threads, and gives the same trees on every machine.
_AT_ONCE = 2

FIRST = Rounds(trees=140, rate=0.14)
SECOND = Rounds(trees=330, rate=0.075)
COMMENTS = Rounds(trees=100, rate=0.15)
PAGES = Rounds(trees=120, rate=0.06, depth=4, columns=0.5, borders=32)
segments = True


@dataclass(frozen=True)
class Sample:
    """The training data of one page.

    ``share`` is the share of content of each block, -1 if it is unknown.  ``bags`` and
    ``true`` are the words of the blocks and of the true text, for pages whose whole text
    is known.  ``comments`` marks the readers' comments, if they are known.  ``by_block``
    says that the blocks themselves were labelled, so that the labels are exact.
    ``lost`` is the number of wanted segments that no block holds.  ``plain`` is the
    walk of a plain_copy() of the page, None for a page without main text; ``is_copy``
    is true for the sample of such a walk.
    """

    site: str
    kind: str
    walk: Walk
    share: NDArray[np.float32]
    bags: Sequence[Counter[str]] = ()
    true: Counter[str] | None = None
    comments: Flags | None = None
    by_block: bool = False
    lost: int = 0
    plain: Walk | None = None
    is_copy: bool = False

    @property
    def has_comments(self) -> bool:
        """Whether any block is known to be a reader's comment."""
        return self.comments is not None and bool(self.comments.any())


def sample(page: LabelledPage) -> Sample:
    """Read a page and label its blocks.  Raises DataError for one without blocks."""
    source, texts = parsed(page)
    if not texts:
        raise DataError(f"{page.file} shows no text")
    walk = _without_nodes(source)
    sample = Sample(site_of(page), page.kind, walk, np.empty(0, np.float32))
    if page.has_segments:
        share, lost = _by_segments(texts, page)
        return replace(sample, share=share, lost=lost)
    sample = _whole(sample, texts, page)
    main = sample.share >= 0.5
    if main.any():
        random = np.random.default_rng(len(texts))
        plain = Page.of(plain_copy(walk, texts, main, random))
        sample = replace(sample, plain=_without_nodes(plain))
    return sample


def fit(samples: Sequence[Sample], seed: int, progress: Progress) -> Fitted:
    """Fit the model.  Raises DataError if the samples lack a class."""
    share = np.concatenate([sample.share for sample in samples])
    check_classes(share >= 0.5, share == 0, "block")
    with need("threadpoolctl").threadpool_limits(limits=1):
        return _Fitting(samples, seed, progress).fitted()


def _without_nodes(page: Page) -> Walk:
    """A page's walk without its nodes, which hold the whole page in memory."""
    return replace(described_walk(page), root=None)


def _whole(sample: Sample, texts: Sequence[str], page: LabelledPage) -> Sample:
    """The sample of a page whose whole text is known, or whose labels are corrected."""
    bags = [bag(text) for text in texts]
    if page.correction:
        names = hashes(texts)
        main, comments = (
            np.array([name in labelled for name in names])
            for labelled in (page.correction.main, page.correction.comments)
        )
        kind, true = page.correction.kind, words_of(bags, main.tolist())
        sample = replace(sample, kind=kind or sample.kind, by_block=True)
    else:
        main = in_text(texts, bags, page, page.text)
        sample = replace(sample, by_block=_is_by_block(texts, page))
        true, comments = bag(page.text), None
        if page.comments:
            comments = in_text(texts, bags, page, page.comments) & ~main
        elif sample.by_block:
            comments = np.zeros(len(texts), dtype=np.bool_)
    share = main.astype(np.float32)
    if not sample.by_block:
        share[noisy(share, sample.walk)] = -1
    return replace(sample, share=share, bags=bags, true=true, comments=comments)


def in_text(
    texts: Sequence[str], bags: Sequence[Counter[str]], page: LabelledPage, true: str
) -> Flags:
    """Which blocks are in a true text."""
    return refine(label_page(texts, page, true).share >= 0.5, bags, bag(true))


def _is_by_block(texts: Sequence[str], page: LabelledPage) -> bool:
    """Whether each paragraph of a true text is one of the page's blocks.

    An empty text counts only if the page's comments are known; otherwise the text may
    just be missing.
    """
    blocks = {folded(text) for text in texts}
    parts = [folded(part) for part in page.text.split("\n\n") if part.strip()]
    return blocks.issuperset(parts) and (bool(parts) or page.comments is not None)


def _by_segments(
    texts: Sequence[str], page: LabelledPage
) -> tuple[NDArray[np.float32], int]:
    """The labels of blocks, -1 without a segment; how many wanted segments none holds."""
    share = np.full(len(texts), -1, dtype=np.float32)
    found_in = [folded(text) for text in texts]
    lost = 0
    for segments, value in ((page.unwanted, 0.0), (page.wanted, 1.0)):
        for segment in segments:
            holds = [i for i, text in enumerate(found_in) if folded(segment) in text]
            share[holds] = value
            lost += value > 0 and not holds
    return share, lost


def some_augmented(samples: Sequence[Sample], seed: int) -> list[Sample]:
    result = []
    for i, sample in enumerate(samples):
        random, walk = np.random.default_rng([seed, i]), sample.walk
        if random.random() < _AUGMENTED:
            walk = augmented(walk, random)
        result.append(replace(sample, walk=walk))
    return result


def copies(samples: Sequence[Sample], seed: int) -> list[tuple[int, Sample]]:
    """Plain copies of some samples, with the samples' places.  No block has a label."""
    result = []
    for i, sample in enumerate(samples):
        is_copied = np.random.default_rng([seed, i, 1]).random() < _COPIED
        if sample.plain is not None and is_copied:
            unknown = np.full(len(sample.plain.blocks), -1, dtype=np.float32)
            copy = replace(sample, walk=sample.plain, share=unknown, is_copy=True)
            bags = [Counter[str]()] * len(unknown)
            result.append((i, replace(copy, bags=bags, comments=None)))
    return result


class _Fitting:
    """A fit to samples: their folds, and the features and weights of their blocks."""

    def __init__(
        self, samples: Sequence[Sample], seed: int, progress: Progress
    ) -> None:
        self.seed, self.progress = seed, progress
        self.fold = np.array(folds([sample.site for sample in samples], INNER, seed))
        self.kinds = weights_of_names(samples)
        self.table, self.tables = learn_tables(samples, self.kinds, self.fold)
        copied = copies(samples, seed)
        self.samples = [*some_augmented(samples, seed), *(copy for _, copy in copied)]
        self.fold = np.append(self.fold, self.fold[[i for i, _ in copied]])
        taggers = [Tagger(part, NO_TREES, NO_TREES) for part in self.tables]
        # The features that all tables have: a fold of few pages lacks some names.
        least = min(part.flags for part in [self.table, *self.tables])
        self.names = list(features_with(least))
        self.rows = [
            taggers[fold].features(sample.walk, self.names)
            for sample, fold in zip(self.samples, self.fold.tolist(), strict=True)
        ]
        self.weights = block_weights(self.samples, self.rows, seed)

    def fitted(self) -> Fitted:
        first, likelihoods = self._round(FIRST)
        self.weights = trusted(self.samples, self.weights, likelihoods)
        tagger = Tagger(self.tables[0], NO_TREES, NO_TREES)
        for sample, row, likelihood in zip(
            self.samples, self.rows, likelihoods, strict=True
        ):
            row.update(tagger.features(sample.walk, FEATURES, likelihood))
        self.names = list(self.rows[0])
        second, likelihoods = self._round(SECOND)
        of_pages, lines = self._page_parts(likelihoods)
        parts = {"first": first, "second": second, **of_pages}
        if any(sample.has_comments for sample in self.samples):
            parts["comments"] = self._comment_trees()
        table = self.table
        arrays: dict[str, NDArray[Any]] = {
            **{
                f"tokens.{name}": getattr(table, name)
                for name in ("hashes", "near", "far", "flag")
            },
            "words.hashes": table.words.hashes,
            "words.weight": table.words.weight,
            "names.kinds": table.kinds,
            "lines": lines,
        }
        for name, trees in parts.items():
            arrays |= trees.arrays(name)
        header = {
            "kinds": list(self.kinds),
            "features": {name: list(trees.names) for name, trees in parts.items()},
            "scales": {name: trees.scale for name, trees in parts.items()},
        }
        features = sorted({*first.names, *second.names})
        notes = {
            "names": len(table.hashes),
            "words": len(table.words.hashes),
            "trees": {name: len(trees.feature) for name, trees in parts.items()},
            "pages with segments": sum(s.true is None for s in self.samples),
        }
        return Fitted(arrays, header, features, notes=notes)

    def _round(self, how: Rounds) -> tuple[Trees, list[Ints]]:
        """Trees of all samples, and each sample's likelihoods out of fold."""
        shares = [sample.share for sample in self.samples]
        matrix, share, weight = examples(self.rows, shares, self.weights, self.names)
        fold = np.repeat(self.fold, [np.count_nonzero(w > 0) for w in self.weights])

        def grown(part: int) -> Trees:
            """The trees without fold number ``part``; for INNER, those of all samples."""
            used = fold != part
            data = matrix[used], share[used], weight[used]
            return grow(*data, self.names, how, self.seed)

        with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
            futures = [pool.submit(grown, part) for part in range(INNER + 1)]
            trees = [future.result() for future in self.progress(futures, "rounds")]
        likelihoods = [
            likelihood_of(trees[part], row)
            for part, row in zip(self.fold.tolist(), self.rows, strict=True)
        ]
        return trees[INNER], likelihoods

    def _comment_trees(self) -> Trees:
        """Trees that find comments; where they are unknown, main text is known to be none."""
        truths = [
            np.zeros(len(sample.share)) if sample.comments is None else sample.comments
            for sample in self.samples
        ]
        known = [
            np.where(sample.share >= 0.5, weight, 0)
            if sample.comments is None
            else weight
            for sample, weight in zip(self.samples, self.weights, strict=True)
        ]
        data = examples(self.rows, truths, known, self.names)
        return grow(*data, self.names, COMMENTS, self.seed)

    def _page_parts(self, likelihoods: Sequence[Ints]) -> tuple[dict[str, Trees], Ints]:
        """The trees of a page's kind and lack of F1, and the calibration lines of kinds."""
        samples, fold = self.samples, self.fold
        words = [row["w"].astype(np.int64) for row in self.rows]
        figures, _ = chosen_pages(samples, words, likelihoods)
        figures = np.hstack([figures, votes_of_names(samples, self.tables, fold)])
        trees = kind_trees(samples, figures, fold, INNER, self.seed)
        shares = kind_votes(trees, fold, figures, kind_names(samples))
        lines = calibration_lines(samples, words, likelihoods, shares)
        likelihoods = [
            calibrated(likelihood, share, lines)
            for likelihood, share in zip(likelihoods, shares, strict=True)
        ]
        figures, scores = chosen_pages(samples, words, likelihoods)
        own = np.array([not sample.is_copy for sample in samples])
        quality = quality_trees(figures[own], scores[own], self.seed)
        return {"kinds": trees[-1], "quality": quality}, lines


def examples(
    rows: Sequence[Rows],
    truths: Sequence[NDArray[Any]],
    weights: Sequence[Floats],
    names: Sequence[str],
) -> tuple[NDArray[np.float32], NDArray[Any], Floats]:
    """The features, truths and weights of all blocks with a weight above 0.

    The features have a row for each block.  Whole numbers up to 2^24 are exact in it.
    """
    matrix = [
        np.stack([row[name][weight > 0] for name in names], axis=1).astype(np.float32)
        for row, weight in zip(rows, weights, strict=True)
    ]
    weight = np.concatenate(weights)
    used = weight > 0
    return np.concatenate(matrix), np.concatenate(truths)[used], weight[used]


def kind_names(samples: Sequence[Sample]) -> list[str]:
    """The kinds of the pages whose whole text is known."""
    return sorted({sample.kind for sample in samples if sample.true is not None})


def kind_weights(samples: Sequence[Sample]) -> dict[str, float]:
    """A weight for the pages of each kind: 1 for a kind of mean size.

    It is for pages whose blocks were not labelled themselves; all others weigh the
    same.
    """
    counts = Counter(
        sample.kind
        for sample in samples
        if sample.true is not None and not sample.by_block
    )
    mean = counts.total() / max(len(counts), 1)
    weights = {
        kind: float((mean / count) ** _EVENNESS) for kind, count in counts.items()
    }
    return {sample.kind: 1.0 for sample in samples} | weights


def weights_of_names(samples: Sequence[Sample]) -> dict[str, float]:
    """The weight of a page of each of kind_names()."""
    weights = kind_weights(samples)
    return {kind: weights[kind] for kind in kind_names(samples)}


def block_weights(
    samples: Sequence[Sample], rows: Sequence[Rows], seed: int
) -> list[Floats]:
    of_kind = kind_weights(samples)
    return [
        _page_weights(sample, row["w"], seed + i)
        * (1.0 if sample.by_block else of_kind[sample.kind])
        * (_COMMENTS_WEIGHT if sample.has_comments else 1)
        for i, (sample, row) in enumerate(zip(samples, rows, strict=True))
    ]


def trusted(
    samples: Sequence[Sample], weights: Sequence[Floats], likelihoods: Sequence[Ints]
) -> list[Floats]:
    """The weights, lower where the first trees were wrong about labels made from texts."""
    of_pages = list(zip(samples, weights, likelihoods, strict=True))
    losses = np.array(
        [_loss(found, sample.share, weight) for sample, weight, found in of_pages]
    )
    own = losses[[not sample.is_copy for sample in samples]]
    high = float(np.quantile(own, _TRUSTED_QUANTILE))
    trust = np.minimum(1.0, high / np.maximum(losses, 1e-6)) ** 2
    return [
        weight * (1.0 if sample.by_block else t)
        for (sample, weight, _), t in zip(of_pages, trust.tolist(), strict=True)
    ]


def _loss(likelihood: Ints, share: NDArray[np.float32], weight: Floats) -> float:
    """The mean logistic loss of a page's blocks."""
    logit = (likelihood - ZERO) / 100
    loss = np.logaddexp(0, logit) - np.clip(share, 0, 1) * logit
    return float((loss * weight).sum() / max(float(weight.sum()), 1e-9))


def _page_weights(sample: Sample, w: Ints, seed: int) -> Floats:
    """The weights of a page's blocks: in sum 100, or less for a page with segments."""
    known = np.flatnonzero((sample.share >= 0) & (w > 0))
    if len(known) > _BLOCKS:
        known = np.random.default_rng(seed).permutation(known)[:_BLOCKS]
    weights = np.zeros(len(w))
    weights[known] = w[known].astype(np.float64) ** _POWER
    whole = 100.0 if sample.true is not None else 100.0 * SEGMENTS_WEIGHT
    return weights * (whole / max(float(weights.sum()), 1.0))


def chosen_pages(
    samples: Sequence[Sample], words: Sequence[Ints], likelihoods: Sequence[Ints]
) -> tuple[Ints, Floats]:
    """The figures of pages with chosen blocks, and the F1 of these blocks."""
    figures, scores = [], []
    for sample, w, likelihood in zip(samples, words, likelihoods, strict=True):
        choice = select(likelihood, w)
        figures.append(page_figures(sample.walk, likelihood, w, choice))
        scores.append(score(sample, choice.kept))
    return np.array(figures), np.array(scores)


def kind_trees(
    samples: Sequence[Sample],
    figures: Ints,
    fold: NDArray[np.intp],
    count: int,
    seed: int,
) -> list[Trees]:
    """Trees that predict kinds by figure_names(): without each fold, last of all pages."""
    whole = np.array([sample.true is not None for sample in samples])
    names = kind_names(samples)
    class_of_page = np.searchsorted(names, [sample.kind for sample in samples])
    of_kind = kind_weights(samples)
    weights = np.array([of_kind[sample.kind] for sample in samples])
    parts = []
    # The last part leaves out no fold.
    for k in range(count + 1):
        used = whole & (fold != k)
        if not used.any():
            raise DataError("too few sites have pages whose whole text is known")
        present, classes = np.unique(class_of_page[used], return_inverse=True)
        examples = figures[used], classes, weights[used], figure_names(names)
        trees = grow(*examples, PAGES, seed, "MultiClass")
        # Kinds that are missing in a part are unlikely.
        shape = len(names), *trees.leaves.shape[1:]
        leaves = np.zeros(shape, dtype=trees.leaves.dtype)
        bias = np.full(len(names), -_UNLIKELY * trees.scale, dtype=trees.bias.dtype)
        leaves[present], bias[present] = trees.leaves, trees.bias
        parts.append(replace(trees, leaves=leaves, bias=bias))
    return parts


def kind_votes(
    trees: Sequence[Trees], fold: NDArray[np.intp], figures: Ints, kinds: Sequence[str]
) -> list[Ints]:
    """The votes for each kind on each page, by the trees without the page's fold."""
    named = [NamedTrees(ensemble, figure_names(kinds)) for ensemble in trees]
    return [
        votes(named[k].answers(row), named[k].scale)
        for k, row in zip(fold.tolist(), figures, strict=True)
    ]


def calibration_lines(
    samples: Sequence[Sample],
    words: Sequence[Ints],
    likelihoods: Sequence[Ints],
    weights: Sequence[Ints],
) -> Ints:
    """For each kind the slope in thousandths and the intercept in hundredths."""
    logits, shares, truth, weight = [], [], [], []
    for sample, w, likelihood, vote in zip(
        samples, words, likelihoods, weights, strict=True
    ):
        known = (sample.share >= 0) & (w > 0)
        if sample.true is None or not known.any():
            continue
        root = np.sqrt(w[known])
        logits.append((likelihood[known] - ZERO) / 100)
        shares.append(np.repeat([vote / vote.sum()], len(root), axis=0))
        truth.append(sample.share[known] >= 0.5)
        weight.append(root * (_PAGE / root.sum()))
    count = len(weights[0])
    if not logits:
        return np.array([(LEVEL, 0)] * count, dtype=np.int32)
    x, of_kind = np.concatenate(logits)[:, None], np.concatenate(shares)
    y, block_weights = np.concatenate(truth), np.concatenate(weight)

    def fit(columns: Floats, near: Floats) -> Floats:
        penalty = np.full(len(near), _RIDGE)
        return newton(columns, y, block_weights, penalty, near, near=near)[0]

    start = fit(np.hstack([x, np.ones_like(x)]), np.array([1.0, 0.0]))
    lines = fit(np.hstack([of_kind * x, of_kind]), np.repeat(start, count))
    return np.rint(lines.reshape(2, count).T * (LEVEL, 100)).astype(np.int32)


def quality_trees(figures: Ints, scores: Floats, seed: int) -> Trees:
    """Trees that estimate the lack of F1 of pages, see tagger/whole.py."""
    equal_weights = np.ones(len(scores))
    return grow(figures, lack_of(scores), equal_weights, NAMES, PAGES, seed, "RMSE")


def score(sample: Sample, kept: Flags) -> float:
    """The F1 of the kept blocks: by words, or by segments if only these are known."""
    if sample.true is None:
        hits = int((kept & (sample.share >= 0.5)).sum())
        wrong = int((kept & (sample.share == 0)).sum())
        missed = int((~kept & (sample.share >= 0.5)).sum()) + sample.lost
        return 2 * hits / (2 * hits + wrong + missed) if hits + wrong + missed else 1.0
    words = words_of(sample.bags, kept.tolist())
    wanted = sample.true or Counter()
    if not wanted or not words:
        return float(not wanted and not words)
    return 2 * (words & wanted).total() / (words.total() + wanted.total())
