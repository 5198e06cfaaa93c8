"""Places on a page: the paths of tags and names that lead to elements.

A step of a path is a tag with the words of the element's names, which the walk reads
from classes, IDs and roles: without digits, so that ``post-17`` and ``post-18`` are one
place.  ``html`` and ``body`` have no names, as these differ from page to page.  A site
file has paths in words; on pages they are compared by hashes, which are computed fast
from the walk's tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.tags import TAG_ID, TAGS
from scrapy_eatext.page.walk import (
    MAX_TOKEN,
    MAX_TOKENS,
    MAX_VALUE,
    MIN_TOKEN,
    NAME_WORD,
    TOKEN_ATTRIBUTES,
    fnv1a,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk

    Hashes = npt.NDArray[np.uint64]

# Odd, as multiplication by an odd number is invertible modulo 2^64.
SPREAD, DOWN = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
SHIFT = 29
_ALL = (1 << 64) - 1
NAMELESS = TAG_ID["html"], TAG_ID["body"]
_COLUMNS = [
    ElementColumn.PARENT,
    ElementColumn.TAG,
    ElementColumn.FIRST_TOKEN,
    ElementColumn.TOKENS,
    ElementColumn.DEPTH,
]


def places(walk: Walk) -> Hashes:
    """For each block the hash of its place."""
    parents, tags, first, count, depths = walk.elements[:, _COLUMNS].T
    sums = np.zeros(len(walk.tokens) + 1, dtype=np.uint64)
    # numpy's integers wrap at 64 bits, like the masks in the functions below.
    _mixed(walk.tokens.astype(np.uint64)).cumsum(out=sums[1:])
    names = sums[first + count] - sums[first]
    for tag in NAMELESS:
        names[tags == tag] = 0
    steps = _mixed(names + tags.astype(np.uint64))
    # Index -1 is the parent of the root.
    hashes = np.zeros(len(steps) + 1, dtype=np.uint64)
    order = depths.argsort(kind="stable")
    levels = np.diff(depths[order]).nonzero()[0] + 1
    for rows in np.split(order, levels):
        hashes[rows] = _below(hashes[parents[rows]], steps[rows])
    block_hashes: Hashes = hashes[walk.blocks[:, BlockColumn.INNER]]
    return block_hashes


def place_of(steps: Iterable[str]) -> int:
    """The hash of a path given in words, as in places()."""
    place = 0
    for step in steps:
        place = _below(place, _hash_of_words(step))
    return place


@lru_cache(maxsize=16384)  # the steps of a site's paths repeat
def _hash_of_words(step: str) -> int:
    """The hash of a step, in which the order of names is ignored."""
    name, *words = step.split(".")
    tag = TAG_ID.get(name, 0)
    names = (
        0 if tag in NAMELESS else sum(_mixed(fnv1a(word.encode())) for word in words)
    )
    mixed: int = _mixed(names + tag)
    return mixed


# The next two functions take integers or arrays.


def _below(place: Any, step: Any) -> Any:
    """The hash of the place that is a step below another one."""
    return (step + DOWN * place) & _ALL


def _mixed(value: Any) -> Any:
    value = value * SPREAD & _ALL
    return (value ^ (value >> SHIFT)) * SPREAD & _ALL


def step_of(element: Any, tag: int) -> str:
    """An element's step in words, like ``div.post.body``; "*" is an unknown tag."""
    name = TAGS[tag] or "*"
    if tag in NAMELESS:
        return name
    words = [
        prefix + word.lower()
        for attribute, value in element.attrib.items()
        if (prefix := TOKEN_ATTRIBUTES.get(attribute)) is not None
        for word in NAME_WORD.findall(value[:MAX_VALUE])
        if MIN_TOKEN <= len(word) <= MAX_TOKEN
    ]
    return ".".join([name, *sorted(words[:MAX_TOKENS])])
