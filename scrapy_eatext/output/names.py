"""Elements by the words in their class, id and the like, from the walk's hashes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.walk import ELEMENT_COLUMNS, fnv1a

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk

_FIRST_TOKEN = ELEMENT_COLUMNS.index("first_token")


class Names:
    """Words to look for, as the walk hashes them.

    Those of roles and microdata have their prefix.  Different words may have one
    hash: who must know looks at the element.
    """

    def __init__(self, words: Iterable[str]) -> None:
        wanted = {fnv1a(word.encode()) for word in words}
        self._wanted = np.array(sorted(wanted), dtype=np.uint32)
        # Most pages have none, which a look at half of each hash tells quickest.
        self._halves = np.zeros(0x10000, dtype=np.bool_)
        self._halves[self._wanted & 0xFFFF] = True

    def rows(self, walk: Walk) -> list[int]:
        """The elements of a page that have one of the words, in their order."""
        tokens = walk.tokens
        found = np.flatnonzero(self._halves[tokens & 0xFFFF])
        if len(found):
            found = found[np.isin(tokens[found], self._wanted)]
        if not len(found):
            return []
        first = walk.elements[:, _FIRST_TOKEN]
        rows = np.searchsorted(first, found, side="right") - 1
        answer: list[int] = np.unique(rows).tolist()
        return answer
