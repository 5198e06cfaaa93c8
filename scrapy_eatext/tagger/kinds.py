"""Evidence for the kind of a page from the words in its attributes, such as "cart".

Authors of sites use similar class names and ids, and these tell kinds of pages apart
better than figures of the layout.  As in a TokenTable, there is no list of words:
weights are learned for hashes.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.tagger.whole import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints


class NameVotes:
    """Weights of words for each kind of page.

    ``hashes`` is sorted; ``weight``, in hundredths of a logit, has a row for each of
    them, and a column for each kind.
    """

    def __init__(
        self, hashes: npt.NDArray[np.uint32], weight: npt.NDArray[np.int16]
    ) -> None:
        self._hashes, self._weight = hashes, weight

    def figures(self, walk: Walk) -> Ints:
        """For each kind the sum of the weights of the distinct words on a page.

        The sum is divided by the square root of the number of words.
        """
        words = words_on(walk, self._hashes)
        total = self._weight[words].sum(axis=0, dtype=np.int64)
        scaled: Ints = total * 100 // max(isqrt(len(words) * 10_000), 1)
        return scaled


def words_on(walk: Walk, hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
    """The places in a table of the words in a page's attributes, each once."""
    if not len(hashes):
        return np.zeros(0, dtype=np.intp)
    # Most words occur many times: sorting them is faster than looking each up, and than
    # np.unique().
    words = np.sort(walk.tokens)
    is_first = np.ones(len(words), dtype=np.bool_)
    np.not_equal(words[1:], words[:-1], out=is_first[1:])
    words = words[is_first]
    place = hashes.searchsorted(words)
    known: npt.NDArray[np.intp] = place[hashes.take(place, mode="clip") == words]
    return known


def figure_names(kinds: Iterable[str]) -> tuple[str, ...]:
    """The names of the figures that predict kinds: the page's, then those of NameVotes."""
    return (*NAMES, *(f"names_{kind}" for kind in kinds))
