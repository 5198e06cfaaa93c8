"""Dragnet's features of blocks, in groups.

``shallow`` are the text and link densities of a block and its two neighbours
(Kohlschütter et al., 2010); ``tokens`` the words in ids and classes; ``cetr`` the
smoothed ratio of text to tags, and its slope (Weninger et al., 2010); ``clusters`` the
k-means clusters of these two; ``readability`` the score of the script readability.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.deadline import check, watched
from scrapy_eatext.page.columns import ElementColumn

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.dragnet.blocks import Floats, Table
    from scrapy_eatext.page.walk import Walk

GROUPS = ("shallow", "tokens", "cetr", "clusters", "readability")

# The tokens that the paper's authors selected; each is a column, "ss" in both lists.
ID_TOKENS = tuple("nav ss top content link title comment tools rating ss".split())
CLASS_TOKENS = tuple(
    "menu widget nav share facebook cat top content item twitter button title header "
    "ss post comment meta alt time depth thread author tools reply url avatar".split()
)

_AHEAD = 3
_CLUSTERS = 3
_ROUNDS = 50
_STILL = 1e-3


def shallow(table: Table) -> Floats:
    """Six columns: link and text density of the previous block, this one, the next."""
    own = np.column_stack([table.link_density, table.text_density])
    padded = np.pad(own, ((1, 1), (0, 0)))
    return np.hstack([padded[:-2], own, padded[2:]])


def gaussian(values: Floats) -> Floats:
    """Smooth by a Gaussian of standard deviation 1, truncated at 4.

    The series is mirrored at its ends as by "reflect" of scipy.ndimage.
    """
    radius = 4
    weights = np.exp(-0.5 * np.arange(-radius, radius + 1) ** 2)
    # A short series is mirrored several times.
    mirrored = np.pad(values, radius, mode="symmetric")
    return np.convolve(mirrored, weights / weights.sum(), mode="valid")


def slope(values: Floats) -> Floats:
    """The distance of each value from the mean of up to three following values.

    For the last value it is the mean of itself and the previous one.
    """
    size = len(values)
    sums = np.concatenate(([0.0], np.cumsum(values)))
    first = np.arange(1, size)
    until = np.minimum(first + _AHEAD, size)
    ahead = (sums[until] - sums[first]) / (until - first)
    last = 0.5 * (values[-1] + values[-2])
    return np.abs(np.append(ahead, last) - values)


def cetr(table: Table) -> Floats:
    """Two columns: the ratio of text to tags, smoothed, and its slope, smoothed."""
    return np.column_stack([gaussian(table.ratio), gaussian(slope(table.ratio))])


def clusters(points: Floats) -> NDArray[np.int64]:
    """The cluster of each block, a row of ``points``; cluster 0 is boilerplate.

    This is Lloyd's k-means with three centres, of which the first is fixed at the
    origin.  The original draws the others at random.  Here, to be deterministic, the
    second starts as the point farthest from the origin, the third as the one farthest
    from both, and a cluster without points moves to the point farthest from its centre.
    """
    centres = np.zeros((_CLUSTERS, 2))
    nearest = (points**2).sum(axis=1)
    for k in range(1, _CLUSTERS):
        centres[k] = points[nearest.argmax()]
        nearest = np.minimum(nearest, ((points - centres[k]) ** 2).sum(axis=1))
    for _ in range(_ROUNDS):
        check()
        distances = _distances(points, centres)
        own = distances.argmin(axis=1)
        moved = np.zeros_like(centres)
        for k in range(1, _CLUSTERS):
            members = points[own == k]
            far = distances.min(axis=1).argmax()
            moved[k] = members.mean(axis=0) if len(members) else points[far]
        still = np.abs(moved - centres).max() < _STILL
        centres = moved
        if still:
            break
    nearest_centre: NDArray[np.int64] = _distances(points, centres).argmin(axis=1)
    return nearest_centre


def _distances(points: Floats, centres: Floats) -> Floats:
    """Squared distances: a row for each point, a column for each centre."""
    squared: Floats = ((points[:, None, :] - centres) ** 2).sum(axis=2)
    return squared


def readability(table: Table) -> Floats:
    """The best score among a block's scored ancestors, as a share of the page's best."""
    size = len(table.parent)
    # The link density of each node's text, by sums over the node and its descendants,
    # which are the nodes up to its end.
    lengths = np.bincount(table.node, table.length, size)
    in_links = np.bincount(table.node, table.length * table.link_density, size)
    sums = np.zeros((2, size + 1))
    np.cumsum([in_links, lengths], axis=1, out=sums[:, 1:])
    links_inside, length_inside = sums[:, table.end] - sums[:, :-1]
    points = np.where(table.scored, 1 + np.minimum(table.length // 100, 3), 0)
    scores = table.weight + np.bincount(table.node, points, size)
    scores *= 1 - links_inside / np.maximum(length_inside, 1)
    valid = np.bincount(table.node[table.scored], minlength=size) > 0
    if not valid.any():
        return np.zeros(len(table))
    best = np.where(valid, scores, -math.inf).tolist()
    for i, parent in enumerate(watched(table.parent.tolist())):
        # A parent comes before its children, so its best is final.
        if parent >= 0 and best[parent] > best[i]:
            best[i] = best[parent]
    highest = max(float(scores[valid].max()), 1.0)
    return np.maximum(np.array(best)[table.node] / highest, 0)


def original_tokens(table: Table) -> Floats:
    """36 columns: which tokens occur in the ids and classes of a block's elements."""
    rows = [
        [token in ids for token in ID_TOKENS]
        + [token in names for token in CLASS_TOKENS]
        for ids, names in watched(zip(table.ids, table.classes, strict=True))
    ]
    shape = len(rows), len(ID_TOKENS) + len(CLASS_TOKENS)
    return np.array(rows, dtype=np.float64).reshape(shape)


def page_tokens(walk: Walk, vocabulary: NDArray[np.uint32]) -> Floats:
    """Which words of the vocabulary, sorted hashes, are in names around each block.

    There is a column for each word in the block's own elements, which hold no other
    block, then one for each word in the other elements around it.
    """
    blocks, size = len(walk.blocks), len(vocabulary)
    if not size:
        return np.zeros((blocks, 0))
    elements = walk.elements
    owner = np.repeat(np.arange(len(elements)), elements[:, ElementColumn.TOKENS])
    column = np.minimum(np.searchsorted(vocabulary, walk.tokens), size - 1)
    known = vocabulary[column] == walk.tokens
    owner, column = owner[known], column[known]
    first = elements[owner, ElementColumn.FIRST_BLOCK].astype(np.int64)
    last = elements[owner, ElementColumn.LAST_BLOCK].astype(np.int64)
    occurs = np.zeros((2 * size, blocks), dtype=np.bool_)
    for part, chosen in enumerate((last - first == 1, last - first > 1)):
        # Word by word: a table of numbers for all words would take more memory than the
        # page.
        for word in np.unique(column[chosen]).tolist():
            here = chosen & (column == word)
            # The cumulative sums of begins minus ends are the numbers of open elements.
            changes = np.bincount(first[here], minlength=blocks + 1)
            changes -= np.bincount(last[here], minlength=blocks + 1)
            occurs[part * size + word] = changes.cumsum()[:blocks] > 0
    return occurs.T.astype(np.float64)


def columns_of(
    table: Table, tokens: Floats, *, logarithms: bool
) -> tuple[Floats, list[int]]:
    """All groups side by side, in the order of GROUPS, and the width of each.

    With ``logarithms``, text densities and ratios x are log(1 + x).  The table must
    have at least two blocks.
    """
    by_block, smooth = shallow(table), cetr(table)
    marked = clusters(smooth)[:, None] != 0
    score = readability(table)[:, None]
    if logarithms:
        by_block[:, 1::2] = np.log1p(by_block[:, 1::2])
        smooth = np.log1p(smooth)
    parts = [by_block, tokens, smooth, marked, score]
    return np.hstack(parts), [part.shape[1] for part in parts]
