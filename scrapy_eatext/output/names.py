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
        self._wanted = frozenset(fnv1a(word.encode()) for word in words)
        # Most pages have none, which a look at half of each hash tells quickest.
        self._halves = np.zeros(0x10000, dtype=np.bool_)
        self._halves[[value & 0xFFFF for value in self._wanted]] = True

    def rows(self, walk: Walk) -> list[int]:
        """The elements of a page that have one of the words, in their order."""
        tokens = walk.tokens
        maybe = self._halves[tokens & 0xFFFF].nonzero()[0]
        wanted = self._wanted
        found = [i for i in maybe.tolist() if int(tokens[i]) in wanted]
        if not found:
            return []
        first = walk.elements[:, _FIRST_TOKEN]
        rows = first.searchsorted(found, side="right") - 1
        return list(dict.fromkeys(rows.tolist()))
