"""How the default algorithm's model is trained: two rounds of boosted trees.

If one part learns from another's answers, these are about sites that the other part had
not seen: the weights of names, the first trees' likelihoods and the choice of blocks
are all made out of fold before the next part is fitted.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.learning import DataError, need
from scrapy_eatext.learning.doubt import doubtful
from scrapy_eatext.learning.labels import label
from scrapy_eatext.learning.names import learn_names
from scrapy_eatext.learning.settle import bag, settle
from scrapy_eatext.learning.splits import folds, site_of
from scrapy_eatext.learning.train import Fitted
from scrapy_eatext.page import Page
from scrapy_eatext.tagger.choice import choose
from scrapy_eatext.tagger.context import ZERO, context_features
from scrapy_eatext.tagger.features import block_features
from scrapy_eatext.tagger.model import likelihood_of
from scrapy_eatext.tagger.trees import Trees
from scrapy_eatext.tagger.whole import NAMES, page_figures

if TYPE_CHECKING:
    from scrapy_eatext.learning.data import LabelledPage
    from scrapy_eatext.learning.train import Progress
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints, Rows

MODEL = "eatext.model"
# The folds by site in which answers to learn from are made.
INNER = 3
# A page with segments tells less than one whose whole text is known.
SEGMENTS_WEIGHT = 0.3
# A block's weight on its page is its words to this power, and at most so many blocks of
# a page are learned from.
_POWER = 0.5
_BLOCKS = 300
# Pages of rare kinds count more: by this power of the ratio to a middling number.
_EVENNESS = 0.75
# The true text of some pages is odd.  In the second round a page counts less if the
# first trees, which have not seen it, have a loss on it above this quantile of all
# pages: by the square of the ratio.
_USUAL = 0.9
_SCALE = 2000


@dataclass(frozen=True)
class Rounds:
    """How an ensemble is grown; with several ``seeds`` it is the mean of as many.

    Ensembles that lack a fold, to make answers to learn from, have ``inner_seeds``.
    """

    trees: int
    rate: float
    depth: int = 4
    seeds: int = 1
    inner_seeds: int = 1
    columns: float = 0.3
    rows: float = 0.6
    ridge: float = 5.0
    borders: int = 64


# On uncertain pages the result depends on how single trees happen to grow.  The mean of
# two ensembles is steadier, and with shallow trees no slower than one ensemble of deep
# trees.  The second round learns from answers as steady as those that it will see.
FIRST = Rounds(trees=300, rate=0.1, seeds=2, inner_seeds=2)
SECOND = Rounds(trees=350, rate=0.1, seeds=2)
PAGES = Rounds(trees=120, rate=0.06, columns=0.5, borders=32)


@dataclass(frozen=True)
class Sample:
    """The data of one page to learn from.

    ``share`` is the share of content of each block, from 0 to 1, or -1 if it is not
    known.  ``bags`` and ``true`` are the words of the blocks and of the true text, for
    pages whose whole text is known.
    """

    site: str
    kind: str
    walk: Walk
    share: NDArray[np.float32]
    bags: Sequence[Counter[str]] = ()
    true: Counter[str] | None = None


class EatextTrainer:
    """Trains the default algorithm's one model file."""

    segments = True

    def sample(self, page: LabelledPage) -> Sample:
        """Read a page and label its blocks.

        Raises DataError for a page without blocks.
        """
        blocks = Page.of(page.html, page.url or None).blocks
        if not len(blocks):
            raise DataError(f"{page.file} shows no text")
        texts = [blocks.text(i) for i in range(len(blocks))]
        walk = blocks.walk
        # Without its nodes, which hold the whole page in memory.
        bare = type(walk)(b"", walk.elements, walk.blocks, walk.tokens, None)
        known = Sample(site_of(page), page.kind, bare, np.empty(0, np.float32))
        if page.wanted or page.unwanted:
            return replace(known, share=_by_segments(texts, page))
        try:
            share = label(texts, page.text).share
        except ValueError as error:
            raise DataError(f"{page.file}: {error}") from error
        bags, true = [bag(text) for text in texts], bag(page.text)
        settled = settle(share >= 0.5, bags, true).astype(np.float32)
        settled[doubtful(settled, walk)] = -1
        return replace(known, share=settled, bags=bags, true=true)

    def fit(
        self, samples: Sequence[Sample], seed: int, progress: Progress
    ) -> Sequence[Fitted]:
        """Fit the model.  DataError where the samples lack a class."""
        share = np.concatenate([sample.share for sample in samples])
        for missing, labels in (("is", share >= 0.5), ("is no", share == 0)):
            if not labels.any():
                raise DataError(f"no block of the data {missing} main text")
        with need("threadpoolctl").threadpool_limits(limits=1):
            return [_fit(samples, seed, progress)]


def _by_segments(texts: Sequence[str], page: LabelledPage) -> NDArray[np.float32]:
    """Labels of the blocks that hold a segment; the others are not known."""
    share = np.full(len(texts), -1, dtype=np.float32)
    folded = [" ".join(text.split()) for text in texts]
    for segments, value in ((page.unwanted, 0.0), (page.wanted, 1.0)):
        for segment in segments:
            wanted = " ".join(segment.split())
            for i, text in enumerate(folded):
                if wanted in text:
                    share[i] = value
    return share


def _fit(samples: Sequence[Sample], seed: int, progress: Progress) -> Fitted:
    inner = np.array(folds([sample.site for sample in samples], INNER, seed))
    table, flagged = learn_names(samples)
    rows: list[Rows] = [{}] * len(samples)
    for fold in range(INNER):
        seen = [s for s, f in zip(samples, inner, strict=True) if f != fold]
        unseen = learn_names(seen, flagged=flagged)[0]
        for i in np.flatnonzero(inner == fold).tolist():
            rows[i] = block_features(samples[i].walk, unseen)
    names = list(rows[0])
    weights = _weights(samples, rows, seed)
    first, likelihoods = _round(
        samples, rows, weights, names, FIRST, inner, seed, progress
    )
    weights = _trusted(samples, weights, likelihoods)
    for sample, row, likelihood in zip(samples, rows, likelihoods, strict=True):
        row.update(context_features(sample.walk, likelihood))
    names = list(rows[0])
    second, likelihoods = _round(
        samples, rows, weights, names, SECOND, inner, seed, progress
    )
    kinds, kind_names, quality = _page_trees(samples, rows, likelihoods, seed)
    parts = {"first": first, "second": second, "kinds": kinds, "quality": quality}
    arrays: dict[str, NDArray[Any]] = {
        f"tokens.{name}": getattr(table, name)
        for name in ("hashes", "near", "far", "flag")
    }
    for name, trees in parts.items():
        arrays |= trees.arrays(name)
    header = {
        "kinds": kind_names,
        "features": {name: list(trees.names) for name, trees in parts.items()},
        "scales": {name: trees.scale for name, trees in parts.items()},
    }
    features = sorted({*first.names, *second.names})
    notes = {
        "names": len(table.hashes),
        "trees": {name: len(trees.feature) for name, trees in parts.items()},
        "pages with segments": sum(sample.true is None for sample in samples),
    }
    return Fitted(MODEL, arrays, header, features, notes=notes)


def _round(
    samples: Sequence[Sample],
    rows: Sequence[Rows],
    weights: Sequence[NDArray[np.float64]],
    names: Sequence[str],
    how: Rounds,
    inner: NDArray[np.intp],
    seed: int,
    progress: Progress,
) -> tuple[Trees, list[Ints]]:
    """Trees of all samples, and each sample's likelihoods by trees without its fold."""
    matrix = np.concatenate(
        [np.stack([row[name] for name in names], axis=1) for row in rows]
    ).astype(np.int32)
    share = np.concatenate([sample.share for sample in samples])
    weight = np.concatenate(weights)
    sizes = [len(sample.share) for sample in samples]
    fold = np.repeat(inner, sizes)
    out: list[Ints] = [np.full(n, ZERO, dtype=np.int64) for n in sizes]
    inside = replace(how, seeds=how.inner_seeds)
    for part in progress(range(INNER), "rounds"):
        used = (fold != part) & (weight > 0)
        trees = grow(matrix[used], share[used], weight[used], names, inside, seed)
        for i in np.flatnonzero(inner == part).tolist():
            out[i] = likelihood_of(trees, rows[i])
    used = weight > 0
    return grow(matrix[used], share[used], weight[used], names, how, seed), out


def _kind_weights(samples: Sequence[Sample]) -> dict[str, float]:
    """A weight for the pages of each kind, 1 for a kind of middling size."""
    counts = Counter(sample.kind for sample in samples if sample.true is not None)
    middling = counts.total() / max(len(counts), 1)
    weights = {
        kind: float((middling / count) ** _EVENNESS) for kind, count in counts.items()
    }
    return {sample.kind: 1.0 for sample in samples} | weights


def _weights(
    samples: Sequence[Sample], rows: Sequence[Rows], seed: int
) -> list[NDArray[np.float64]]:
    """The weights of all pages' blocks."""
    of_kind = _kind_weights(samples)
    return [
        _page_weights(sample, row["w"], seed + i) * of_kind[sample.kind]
        for i, (sample, row) in enumerate(zip(samples, rows, strict=True))
    ]


def _trusted(
    samples: Sequence[Sample],
    weights: Sequence[NDArray[np.float64]],
    likelihoods: Sequence[Ints],
) -> list[NDArray[np.float64]]:
    """The weights, lower for pages on which the first trees, unseen, were wrong."""
    losses = np.array(
        [
            _loss(likelihood, sample.share, weight)
            for sample, weight, likelihood in zip(
                samples, weights, likelihoods, strict=True
            )
        ]
    )
    usual = float(np.quantile(losses, _USUAL))
    trust = np.minimum(1.0, usual / np.maximum(losses, 1e-6)) ** 2
    return [weight * t for weight, t in zip(weights, trust.tolist(), strict=True)]


def _loss(
    likelihood: Ints, share: NDArray[np.float32], weight: NDArray[np.float64]
) -> float:
    """The mean logistic loss of a page's blocks."""
    logit = (likelihood - ZERO) / 100
    loss = np.logaddexp(0, logit) - np.clip(share, 0, 1) * logit
    return float((loss * weight).sum() / max(float(weight.sum()), 1e-9))


def _page_weights(sample: Sample, w: Ints, seed: int) -> NDArray[np.float64]:
    """The weights of a page's blocks: together 100, or less for segments."""
    known = np.flatnonzero((sample.share >= 0) & (w > 0))
    if len(known) > _BLOCKS:
        known = np.random.default_rng(seed).permutation(known)[:_BLOCKS]
    weights = np.zeros(len(w))
    weights[known] = w[known].astype(np.float64) ** _POWER
    whole = 100.0 if sample.true is not None else 100.0 * SEGMENTS_WEIGHT
    return weights * (whole / max(float(weights.sum()), 1.0))


def _page_trees(
    samples: Sequence[Sample],
    rows: Sequence[Rows],
    likelihoods: Sequence[Ints],
    seed: int,
) -> tuple[Trees, list[str], Trees]:
    """Trees for the kind of a page, and for the word F1 of its chosen blocks."""
    matrix, kinds, scores = [], [], []
    for sample, row, likelihood in zip(samples, rows, likelihoods, strict=True):
        if sample.true is None:
            continue
        choice = choose(likelihood, row["w"])
        matrix.append(page_figures(sample.walk, likelihood, row["w"], choice))
        kinds.append(sample.kind)
        scores.append(score(sample, choice.kept))
    table = np.array(matrix, dtype=np.int32)
    kind_names = sorted(set(kinds))
    which = np.array([kind_names.index(kind) for kind in kinds])
    of_kind = _kind_weights(samples)
    weights = np.array([of_kind[kind] for kind in kinds])
    even = np.ones(len(which))
    return (
        grow(table, which, weights, NAMES, PAGES, seed, "MultiClass"),
        kind_names,
        grow(table, np.array(scores), even, NAMES, PAGES, seed, "RMSE"),
    )


def score(sample: Sample, kept: NDArray[np.bool_]) -> float:
    """The word F1 of the blocks kept."""
    given: Counter[str] = Counter()
    for i in np.flatnonzero(kept).tolist():
        given.update(sample.bags[i])
    wanted = sample.true or Counter()
    if not wanted or not given:
        return float(not wanted and not given)
    return 2 * (given & wanted).total() / (given.total() + wanted.total())


def grow(
    matrix: NDArray[np.int32],
    truth: NDArray[Any],
    weight: NDArray[np.float64],
    names: Sequence[str],
    how: Rounds,
    seed: int,
    loss: str = "CrossEntropy",
) -> Trees:
    """Grow an ensemble with CatBoost, and turn it into whole numbers."""
    catboost = need("catboost")
    if loss != "CrossEntropy" and len(set(truth.tolist())) == 1:
        # Nothing to learn: all answers are the same.
        return _one_answer(0.0 if loss == "MultiClass" else float(truth[0]), how.depth)
    if loss == "CrossEntropy":
        truth = np.clip(truth, 0, 1)
    pool = catboost.Pool(matrix, truth, weight=weight)
    models = []
    for number in range(how.seeds):
        model = catboost.CatBoost(
            {
                "loss_function": loss,
                "iterations": how.trees,
                "learning_rate": how.rate,
                "depth": how.depth,
                "rsm": how.columns,
                "bootstrap_type": "Bernoulli",
                "subsample": how.rows,
                "l2_leaf_reg": how.ridge,
                "border_count": how.borders,
                "random_seed": seed + number,
                "thread_count": 2,
                "allow_writing_files": False,
                "verbose": False,
            }
        )
        model.fit(pool)
        models.append(model)
    model = models[0]
    if len(models) > 1:
        model = catboost.sum_models(models, weights=[1 / len(models)] * len(models))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        return whole_trees(json.loads(path.read_text("utf-8")), names, how.depth)


def _one_answer(answer: float, depth: int) -> Trees:
    """An ensemble of no trees, with one class."""
    return Trees(
        names=(),
        borders=np.zeros(0, dtype=np.int32),
        starts=np.zeros(1, dtype=np.int32),
        feature=np.zeros((0, depth), dtype=np.int16),
        bin=np.zeros((0, depth), dtype=np.uint8),
        leaves=np.zeros((1, 0, 1 << depth), dtype=np.int16),
        bias=np.array([round(answer * _SCALE)], dtype=np.int32),
        scale=_SCALE,
    )


def whole_trees(model: Mapping[str, Any], names: Sequence[str], depth: int) -> Trees:
    """CatBoost's JSON of an ensemble as Trees, with only the features in use."""
    trees = model["oblivious_trees"]
    asked: dict[int, set[int]] = {}
    splits: list[list[tuple[int, int]]] = []
    for tree in trees:
        row = [
            (int(s["float_feature_index"]), int(np.floor(s["border"])))
            for s in tree["splits"]
        ]
        for feature, border in row:
            asked.setdefault(feature, set()).add(border)
        splits.append(row)
    used = sorted(asked)
    borders = [sorted(asked[feature]) for feature in used]
    slot = {feature: i for i, feature in enumerate(used)}
    scale, bias = model["scale_and_bias"]
    classes = len(bias)
    features = np.zeros((len(trees), depth), dtype=np.int16)
    bins = np.zeros((len(trees), depth), dtype=np.uint8)
    leaves = np.zeros((classes, len(trees), 1 << depth), dtype=np.int16)
    for t, (tree, row) in enumerate(zip(trees, splits, strict=True)):
        values = np.array(tree["leaf_values"], dtype=np.float64) * scale * _SCALE
        values = np.rint(values.reshape(-1, classes)).clip(-32768, 32767)
        # In a tree with fewer questions the higher bits make no difference.
        for leaf in range(1 << depth):
            leaves[:, t, leaf] = values[leaf & (len(values) - 1)]
        for level, (of, border) in enumerate(row):
            features[t, level] = slot[of]
            bins[t, level] = borders[slot[of]].index(border)
    return Trees(
        names=tuple(names[i] for i in used),
        borders=np.array([b for row in borders for b in row], dtype=np.int32),
        starts=np.cumsum([0, *map(len, borders)]).astype(np.int32),
        feature=features,
        bin=bins,
        leaves=leaves,
        bias=np.rint(np.array(bias) * _SCALE).astype(np.int32),
        scale=_SCALE,
    )
