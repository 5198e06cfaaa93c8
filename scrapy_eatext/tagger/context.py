"""What the second trees see besides: what the first ones think of the blocks around.

A likelihood here is a whole number from 0 to 1200: hundredths of a logit, plus
600.  A chance is in thousandths.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.tagger.features import (
    NONE,
    clipped,
    columns,
    distance_back,
    distance_on,
    grouped,
    prefix,
    ratio,
    shifted,
    tree_of,
    window,
)

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.features import Ints, Rows, Tree

ZERO = 600
HIGHEST = 2 * ZERO
# The chance of each likelihood.
CHANCE = np.array(
    [round(1000 / (1 + math.exp((ZERO - i) / 100))) for i in range(HIGHEST + 1)],
    dtype=np.int64,
)
SURE, LIKELY = 800, 500
AROUND = (1, 2, 3, 4, -1, -2, -3, -4)
RADII = (3, 8, 20)
CONTAINERS = 6


def context_features(
    walk: Walk, likelihood: Ints, w: Ints, depth: Ints, tree: Tree | None = None
) -> Rows:
    """The second features of a page's blocks, given the first trees' likelihoods.

    ``w`` and ``depth`` are those of the first features.
    """
    block, tree = columns(walk), tree or tree_of(walk)
    chance = CHANCE[likelihood]
    count = len(w)
    heavy = chance * w
    logits, weights, expected = prefix(likelihood), prefix(w), prefix(heavy)
    total = int(expected[-1])
    rows: Rows = {"likelihood": likelihood}
    for by in AROUND:
        name = f"{'before' if by > 0 else 'behind'}{abs(by)}"
        rows[f"{name}_likelihood"] = shifted(likelihood, by)
    for radius in RADII:
        first, last = window(count, radius)
        share = ratio(expected[last] - expected[first], weights[last] - weights[first])
        rows[f"within{radius}_chance"] = share // 1000
        mean = (logits[last] - logits[first]) // (last - first)
        rows[f"within{radius}_likelihood"] = mean
    rows["expected_before"] = expected[:-1] // 1000
    rows["expected_behind"] = (total - expected[1:]) // 1000
    rows["expected_share_before"] = ratio(expected[:-1], total)
    rows |= _ranks(likelihood, w, heavy)
    rows |= _runs(chance)
    rows |= _containers(block, tree, logits, weights, expected)
    rows |= _groups(block, tree, likelihood, depth)
    unsure = int((np.minimum(chance, 1000 - chance) * w).sum())
    whole = {
        "expected": total // 1000,
        "expected_share": total // max(int(weights[-1]), 1),
        "likely_words": int(w[chance >= LIKELY].sum()),
        "likely": int((chance >= LIKELY).sum()),
        "best": int(likelihood.max()),
        "unsure": unsure // max(int(weights[-1]), 1),
    }
    rows |= {f"page_{name}": np.full(count, v) for name, v in whole.items()}
    return clipped(rows)


def best_first(likelihood: Ints) -> Ints:
    """The blocks from the likeliest down; of equals the first one first."""
    return np.argsort(-likelihood, kind="stable")


def _ranks(likelihood: Ints, w: Ints, heavy: Ints) -> Rows:
    """Where a block stands among all of the page, and how much text until there."""
    order = best_first(likelihood)
    rank, words, expected = (np.empty_like(w) for _ in range(3))
    rank[order] = np.arange(len(w))
    words[order] = np.cumsum(w[order])
    expected[order] = np.cumsum(heavy[order])
    return {
        "rank": rank,
        "words_to_rank": words,
        "words_share_to_rank": ratio(words, int(w.sum())),
        "expected_share_to_rank": ratio(expected, int(heavy.sum())),
    }


def _runs(chance: Ints) -> Rows:
    """How far the nearest likely and sure blocks are, and the outermost ones."""
    count = len(chance)
    place = np.arange(count)
    rows: Rows = {}
    for name, least in (("likely", LIKELY), ("sure", SURE)):
        there = chance >= least
        found = np.flatnonzero(there)
        first, last = (int(found[0]), int(found[-1])) if len(found) else (NONE, NONE)
        rows[f"since_{name}"] = distance_back(there)
        rows[f"to_{name}"] = distance_on(there)
        rows[f"from_first_{name}"] = place - first
        rows[f"to_last_{name}"] = last - place
    return rows


def _containers(
    block: Rows, tree: Tree, logits: Ints, weights: Ints, expected: Ints
) -> Rows:
    count = len(block["chars"])
    of_element = np.stack([weights, expected])
    of_element = of_element.take(tree.last, axis=1) - of_element.take(
        tree.first, axis=1
    )
    like_weights, like_expected = tree.alike.sums(of_element)[:, tree.alike.of]
    like_chance = like_expected // np.maximum(like_weights, 1)
    inside = block["element"]
    rows: Rows = {}
    for k in range(1, CONTAINERS + 1):
        there = inside >= 0
        branch = tree.top[np.maximum(inside, 0)]
        rows[f"c{k}_like_chance"] = np.where(there, like_chance[branch], NONE)
        inside = np.where(there, tree.up[inside], NONE)
        there = inside >= 0
        first = np.where(there, tree.first[inside], 0)
        last = np.where(there, tree.last[inside], count)
        rows[f"c{k}_likelihood"] = (logits[last] - logits[first]) // (last - first)
        here = expected[last] - expected[first]
        rows[f"c{k}_chance"] = here // np.maximum(weights[last] - weights[first], 1)
        rows[f"c{k}_expected_share"] = ratio(here, int(expected[-1]))
    return rows


def _groups(block: Rows, tree: Tree, likelihood: Ints, depth: Ints) -> Rows:
    """What blocks alike have on average: by text, by their way, by kind and depth."""
    rows: Rows = {}
    for name, key in (
        ("copies", block["hash"]),
        ("way", tree.same_way[block["inner"]]),
        ("tags", tree.same_tags[block["element"]]),
        ("kind", block["kind"] * 65536 + np.minimum(depth, 65535)),
    ):
        groups = grouped(key)
        mean = groups.sums(likelihood) // groups.size
        rows[f"{name}_likelihood"] = mean[groups.of]
    return rows
