"""Training of Dragnet's models: an L2 logistic regression, as in its paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.algorithms.dragnet import TARGETS, features
from scrapy_eatext.algorithms.dragnet.blocks import original_blocks, page_blocks
from scrapy_eatext.learning import DataError, check_classes, need
from scrapy_eatext.learning.labels import Labels, label_content, label_page, parsed
from scrapy_eatext.learning.logistic import Regression
from scrapy_eatext.learning.splits import site_of
from scrapy_eatext.learning.train import Fitted
from scrapy_eatext.page.names import COMMENTS
from scrapy_eatext.page.walk import NAME_WORD, fnv1a

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.dragnet.blocks import Floats
    from scrapy_eatext.learning.data import LabelledPage
    from scrapy_eatext.learning.train import Progress
    from scrapy_eatext.page.walk import Walk

# A block is content if more than this share of its words is content: for the original's
# blocks, and for page blocks.
_ORIGINAL_SHARE = 0.1
_SHARE = 0.5
# False negatives weigh more than false positives: this gives the best mean word F1.
_CONTENT_WEIGHT = 1.5
# The paper's rule for a token: its odds, or their inverse, are above _ODDS, and it is
# in more than _BLOCKS_SHARE of the blocks of a class.  Its authors also selected tokens
# with a meaning by hand; here, _SITES_SHARE of the sites must use the token.
_ODDS = 2.5
_BLOCKS_SHARE = 0.01
_SITES_SHARE = 0.04
_MIN_SITES = 3
_MAX_COLUMNS = 40
# If there are more blocks than this, the fit uses only every second, third, ... block.
_MAX_BLOCKS = 50_000
# Weights are rounded to this many digits, so that the order of summation does not
# change the file.
_DIGITS = 4
segments = False


@dataclass(frozen=True)
class Reading:
    """The columns of a page's blocks, their words, and by target the share of these."""

    columns: Floats
    words: NDArray[np.int64]
    shares: dict[str, Floats]

    @classmethod
    def of(cls, columns: Floats, content: Labels, comments: Labels) -> Reading:
        both = np.maximum(content.share, comments.share)
        shares = {"content": content.share, "comments": comments.share, "both": both}
        return cls(columns, content.words, shares)


@dataclass(frozen=True)
class Sample:
    """The training data of one page, in both readings of blocks.

    ``names`` has the words of the page's ids and classes; ``weak`` says that the labels
    of comments are guesses.
    """

    site: str
    walk: Walk
    names: frozenset[str]
    page: Reading
    original: Reading
    weak: bool


def sample(page: LabelledPage) -> Sample:
    """Read a page and label its blocks.  Raises DataError if there are too few."""
    source, texts = parsed(page)
    blocks = source.blocks
    labels = label_content(texts, page)
    originals = original_blocks(page.html)
    if len(blocks) < 3 or len(originals) < 3:
        raise DataError(f"{page.file} has fewer than three blocks")
    comments = page.comments or weak_comments(page, blocks.walk, texts, labels)
    walk = blocks.walk
    columns, _ = features.columns_of(
        page_blocks(blocks), np.zeros((len(blocks), 0)), logarithms=True
    )
    original_columns, _ = features.columns_of(
        originals, features.original_tokens(originals), logarithms=False
    )
    return Sample(
        site=site_of(page),
        # The walk without its nodes, which hold the whole page in memory.
        walk=replace(walk, text=b"", root=None),
        names=_names(walk.nodes),
        page=Reading.of(columns, labels, label_page(texts, page, comments)),
        original=Reading.of(
            original_columns,
            label_page(originals.texts, page, page.text, reference=True),
            label_page(originals.texts, page, comments, reference=True),
        ),
        weak=bool(comments) and not page.comments,
    )


def fit(samples: Sequence[Sample], seed: int, progress: Progress) -> Fitted:
    """Fit the model.  The solution is unique, so the seed makes no difference."""
    words = choose_tokens(samples)
    rows = []
    for sample in samples:
        tokens = features.page_tokens(sample.walk, words.vocabulary)[:, words.chosen]
        shallow, others = np.hsplit(sample.page.columns, [6])
        rows.append(np.hstack([shallow, tokens, others]))  # in the order of GROUPS
    page = np.vstack(rows)
    original = np.vstack([sample.original.columns for sample in samples])
    # One thread, as sums in another order differ in their last digits.
    with need("threadpoolctl").threadpool_limits(limits=1):
        arrays = {
            "page": _models(page, [s.page for s in samples], progress),
            "original": _models(
                original, [s.original for s in samples], progress, original=True
            ),
            "vocabulary": words.vocabulary,
            "chosen": words.chosen,
        }
    known = sum(not s.weak and bool(s.page.shares["comments"].any()) for s in samples)
    notes = {
        "tokens": words.odds,
        "comments": {
            "pages with labels": known,
            "pages with weak labels": sum(s.weak for s in samples),
            "weak labels": "the main text of forum pages, and on other pages "
            "blocks in elements named after comments that are no main text",
        },
    }
    header = {"groups": list(features.GROUPS), "tokens": list(words.odds)}
    return Fitted(arrays, header, features.GROUPS, notes)


def _models(
    columns: Floats,
    readings: Sequence[Reading],
    progress: Progress,
    *,
    original: bool = False,
) -> NDArray[np.float32]:
    """Weights by target and subset of groups: those of columns, the intercept."""
    widths = [6, columns.shape[1] - 10, 2, 1, 1]
    group_of = np.repeat(np.arange(len(features.GROUPS)), widths)
    shape = len(TARGETS), 1 << len(features.GROUPS), columns.shape[1] + 1
    weights_of = np.zeros(shape, dtype=np.float32)
    counts = [reading.words for reading in readings]
    for t, target in enumerate(TARGETS):
        truth = np.concatenate([reading.shares[target] for reading in readings])
        truth = truth > (_ORIGINAL_SHARE if original else _SHARE)
        if target == "content":
            check_classes(truth, ~truth, "block")
        elif truth.all() or not truth.any():
            continue
        if original:
            weights = np.concatenate(counts).astype(np.float64)
        else:
            # A block's share of the words of its page.
            shares = [count / max(int(count.sum()), 1) for count in counts]
            weights = np.concatenate(shares) * np.where(truth, _CONTENT_WEIGHT, 1.0)
        thin = slice(None, None, -(-len(truth) // _MAX_BLOCKS))
        regression = Regression(columns[thin], truth[thin], weights[thin])
        name = f"{target}, {'original' if original else 'page'} blocks"
        for bits in progress(range(1, 1 << len(features.GROUPS)), name):
            fitted = regression.fit((bits >> group_of) & 1 == 1)
            weights_of[t, bits] = [_rounded(value) for value in fitted]
    return weights_of


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _names(elements: Sequence[Any]) -> frozenset[str]:
    """The words in the ids and classes of elements, split as the walk does."""
    values = {element.get(key) for element in elements for key in ("id", "class")}
    return frozenset(
        word.lower() for value in values if value for word in NAME_WORD.findall(value)
    )


def weak_comments(
    page: LabelledPage, walk: Walk, texts: Sequence[str], labels: Labels
) -> str:
    """Text that probably is comments: the notes on ``weak labels`` say which."""
    if page.kind == "forum":
        return page.text
    inside = features.page_tokens(walk, COMMENTS.hashes).any(axis=1)
    chosen = inside & (labels.share <= _SHARE)
    return "\n".join(t for t, here in zip(texts, chosen.tolist(), strict=True) if here)


@dataclass(frozen=True)
class Tokens:
    """The words of names that a model uses, by the paper's rule.

    ``chosen`` marks the used columns of page_tokens(), which ``odds`` names.
    """

    vocabulary: NDArray[np.uint32]
    chosen: NDArray[np.bool_]
    odds: dict[str, dict[str, float]]


def choose_tokens(samples: Sequence[Sample]) -> Tokens:
    """Choose the words whose columns separate content from boilerplate."""
    sites: dict[str, set[str]] = {}
    for sample in samples:
        for word in sample.names:
            sites.setdefault(word, set()).add(sample.site)
    all_sites = len({sample.site for sample in samples})
    least = max(_MIN_SITES, _SITES_SHARE * all_sites)
    words = {fnv1a(w.encode()): w for w, users in sites.items() if len(users) >= least}
    candidates = np.array(sorted(words), dtype=np.uint32)
    inside, outside = np.zeros(2 * len(words)), np.zeros(2 * len(words))
    content = 0
    for sample in samples:
        occurs = features.page_tokens(sample.walk, candidates)
        truth = sample.page.shares["content"] > _SHARE
        inside += occurs[truth].sum(axis=0)
        outside += occurs[~truth].sum(axis=0)
        content += int(truth.sum())
    blocks = sum(len(sample.page.words) for sample in samples)
    with_token = (inside + outside) / max(blocks, 1)
    inside /= max(content, 1)
    outside /= max(blocks - content, 1)
    # Each class has half a block added, so that no odds are infinite.
    odds = (inside + 0.5 / max(content, 1)) / (outside + 0.5 / max(blocks - content, 1))
    separating = (odds > _ODDS) | (odds < 1 / _ODDS)
    common = (inside > _BLOCKS_SHARE) | (outside > _BLOCKS_SHARE)
    gain = np.where(separating & common, np.abs(inside - outside), 0)
    best = np.argsort(-gain, kind="stable")[:_MAX_COLUMNS]
    picked = np.zeros(2 * len(words), dtype=np.bool_)
    picked[best[gain[best] > 0]] = True
    used = picked.reshape(2, -1).any(axis=0)
    named = [words[int(value)] for value in candidates]
    places = [f"own {word}" for word in named] + [f"around {word}" for word in named]
    return Tokens(
        vocabulary=candidates[used],
        chosen=picked[np.concatenate([used, used])],
        odds={
            places[i]: {
                "odds": _rounded(float(odds[i])),
                "blocks": _rounded(float(with_token[i])),
            }
            for i in np.flatnonzero(picked).tolist()
        },
    )
