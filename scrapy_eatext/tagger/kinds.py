"""Evidence for the kind of a page from its words, such as "cart" or "Add to basket".

Authors of sites use similar class names, ids and labels, and these tell kinds of pages
apart better than figures of the layout.  As in a TokenTable, there is no list of words:
weights are learned for hashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.native.loading import twin
from scrapy_eatext.tagger.whole import NAMES
from scrapy_eatext.tagger.words import word_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints


@dataclass(frozen=True, slots=True)
class VoteTable:
    """Weights of words for each kind of page, in hundredths of a logit.

    ``hashes`` is sorted; ``weight`` has a row for each of them, and a column for each
    kind.
    """

    hashes: npt.NDArray[np.uint32]
    weight: npt.NDArray[np.int16]

    def __post_init__(self) -> None:
        if self.weight.ndim != 2 or len(self.weight) != len(self.hashes):
            raise ValueError("there is not a row of weights for each word")


class PythonKindVotes:
    """The votes of the words on a page; KindVotes is this class or its compiled twin.

    ``names`` are words in attributes, ``words`` those that blocks begin with.
    """

    def __init__(self, names: VoteTable, words: VoteTable) -> None:
        self._names, self._words = names, words

    def figures(self, walk: Walk) -> Ints:
        """Two rows with a number for each kind: the votes of names, and of words.

        Each word on a page counts once, and the sum of its weights is divided by the
        root of the number of known words.
        """
        return np.stack(
            [
                _votes(self._names, walk.tokens),
                _votes(self._words, word_tokens(walk)[0]),
            ]
        )


KindVotes = twin(PythonKindVotes, "_tagger")


def _votes(table: VoteTable, tokens: npt.NDArray[np.uint32]) -> Ints:
    rows = rows_among(table.hashes, tokens)
    total = table.weight[rows].sum(axis=0, dtype=np.int64)
    votes: Ints = total * 100 // max(isqrt(len(rows) * 10_000), 1)
    return votes


def rows_among(
    hashes: npt.NDArray[np.uint32], tokens: npt.NDArray[np.uint32]
) -> npt.NDArray[np.intp]:
    """The rows of a table whose hashes are among some tokens, each once."""
    # Most words stand on a page many times: to sort them is quicker than to seek each.
    words = np.unique(tokens)
    if not len(hashes):
        return np.zeros(0, dtype=np.intp)
    place = hashes.searchsorted(words)
    found: npt.NDArray[np.intp] = place[hashes.take(place, mode="clip") == words]
    return found


def figure_names(kinds: Iterable[str]) -> tuple[str, ...]:
    """The names of what tells kinds: the figures of the page, then its words' votes."""
    return (*NAMES, *(f"votes_{kind}" for kind in kinds))
