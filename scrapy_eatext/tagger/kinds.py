"""What the words in a page's attributes tell of its kind: thread, reply, cart, price.

Makers of sites call things alike, so that such words tell kinds apart better than what
the page looks like.  As in a TokenTable, no word is written down here: a NameVotes has
weights that were learned for hashes.
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
        """A number for each kind: the sum of the weights of the words on a page.

        Each word counts once, and the sum is divided by the root of their number.
        """
        found = words_on(walk, self.hashes)
        total = self.weight[found].sum(axis=0, dtype=np.int64)
        shared: Ints = total * 100 // max(isqrt(len(found) * 10_000), 1)
        return shared


def words_on(walk: Walk, hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
    """Which words of a table a page has in its attributes, each once."""
    # Most words stand on a page many times: to sort them is quicker than to seek each.
    words = np.unique(walk.tokens)
    if not len(hashes):
        return np.zeros(0, dtype=np.intp)
    place = hashes.searchsorted(words)
    found: npt.NDArray[np.intp] = place[hashes.take(place, mode="clip") == words]
    return found


def figure_names(kinds: Iterable[str]) -> tuple[str, ...]:
    """The names of what tells kinds: the figures of the page, then those of NameVotes."""
    return (*NAMES, *(f"names_{kind}" for kind in kinds))
