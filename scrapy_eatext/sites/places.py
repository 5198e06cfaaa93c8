"""Places on a page: the path of tags and names that leads to an element.

A step of a path is a tag with the words of the element's names, as the walk reads them
from classes, ids and roles: without digits, so that ``post-17`` and ``post-18`` are one
place.  ``html`` and ``body`` go without names, which differ from page to page.  The
page's path is compared by a hash made of the walk's tables alone, so that a page costs
hardly more with a site's file than without; a file has the path in words.
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

# Odd, as multiplication by an odd number loses no bits.
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
    # numpy drops what is above 64 bits, as sums and products of hashes do.
    _mixed(walk.tokens.astype(np.uint64)).cumsum(out=sums[1:])
    names = sums[first + count] - sums[first]
    for tag in NAMELESS:
        names[tags == tag] = 0
    steps = _mixed(names + tags.astype(np.uint64))
    # Of each element; the last entry stands for the parent of the root.
    found = np.zeros(len(steps) + 1, dtype=np.uint64)
    order = depths.argsort(kind="stable")
    levels = np.diff(depths[order]).nonzero()[0] + 1
    for rows in np.split(order, levels):
        found[rows] = _below(found[parents[rows]], steps[rows])
    here: Hashes = found[walk.blocks[:, BlockColumn.INNER]]
    return here


def place_of(steps: Iterable[str]) -> int:
    """The hash of a path given in words, as places() has it."""
    found = 0
    for step in steps:
        found = _below(found, _hash_of_words(step))
    return found


# Bounded: the steps of a site's paths repeat.
@lru_cache(maxsize=16384)
def _hash_of_words(step: str) -> int:
    """The hash of a step: those of its names are summed up, as their order is none."""
    name, *words = step.split(".")
    tag = TAG_ID.get(name, 0)
    names = (
        0 if tag in NAMELESS else sum(_mixed(fnv1a(word.encode())) for word in words)
    )
    mixed: int = _mixed(names + tag)
    return mixed


# The following are for numbers and for arrays of numbers.


def _below(place: Any, step: Any) -> Any:
    """The hash of the place that is a step below another one."""
    return (step + DOWN * place) & _ALL


def _mixed(value: Any) -> Any:
    value = value * SPREAD & _ALL
    return (value ^ (value >> SHIFT)) * SPREAD & _ALL


def step_of(element: Any, tag: int) -> str:
    """An element's step in words: ``div.post.body``, "*" for a tag that the walk does
    not know.
    """
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
