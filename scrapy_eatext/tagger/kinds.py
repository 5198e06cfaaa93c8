"""Evidence for the kind of a page from the words in its attributes, such as "cart".

Authors of sites use similar class names and ids, and these tell kinds of pages apart better
than figures of the layout.  As in a TokenTable, there is no list of words: a NameVotes has
learned weights for hashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.tagger.whole import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints


@dataclass(frozen=True, slots=True)
class NameVotes:
    """Weights of words for each kind of page, in hundredths of a logit.

    ``hashes`` is sorted; ``weight`` has a row for each of them, and a column for each
    kind.
    """

    hashes: npt.NDArray[np.uint32]
    weight: npt.NDArray[np.int16]

    def __post_init__(self) -> None:
        if self.weight.ndim != 2 or len(self.weight) != len(self.hashes):
            raise ValueError("there is not a row of weights for each name")

    def figures(self, walk: Walk) -> Ints:
        """For each kind the sum of the weights of the distinct words on a page.

        The sum is divided by the square root of the number of words.
        """
        words = words_on(walk, self.hashes)
        total = self.weight[words].sum(axis=0, dtype=np.int64)
        scaled: Ints = total * 100 // max(isqrt(len(words) * 10_000), 1)
        return scaled


def words_on(walk: Walk, hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
    """The places in a table of the words in a page's attributes, each once."""
    if not len(hashes):
        return np.zeros(0, dtype=np.intp)
    # Most words occur many times: sorting them is faster than looking each up.
    words = np.unique(walk.tokens)
    place = hashes.searchsorted(words)
    known: npt.NDArray[np.intp] = place[hashes.take(place, mode="clip") == words]
    return known


def figure_names(kinds: Iterable[str]) -> tuple[str, ...]:
    """The names of the figures that predict kinds: the page's, then those of NameVotes."""
    return (*NAMES, *(f"names_{kind}" for kind in kinds))
