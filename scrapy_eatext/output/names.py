"""Elements by the words in their class, id and the like, from the walk's hashes.

All words that are looked for stand here: a page's hashes are looked up once for all.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.twins import load
from scrapy_eatext.page.walk import ELEMENT_COLUMNS, fnv1a

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk

_FIRST_TOKEN = ELEMENT_COLUMNS.index("first_token")

# For half of each hash, which Names may have it, a bit each.  Most pages have few.
_MAYBE: npt.NDArray[np.uint8] = np.zeros(0x10000, dtype=np.uint8)
_bits = count()


class Names:
    """Words to look for, as the walk hashes them.

    Those of roles and microdata have their prefix.  Different words may have one
    hash: who must know looks at the element.
    """

    def __init__(self, words: str) -> None:
        self._wanted = frozenset(fnv1a(word.encode()) for word in words.split())
        self._bit = 1 << next(_bits)
        _MAYBE[[value & 0xFFFF for value in self._wanted]] |= self._bit

    def rows(self, walk: Walk) -> list[int]:
        """The elements of a page that have one of the words, in their order."""
        places, bits, rows = _candidates(walk)
        wanted = self._wanted
        mine = (bits & self._bit).nonzero()[0]
        if not len(mine):
            return []
        hashes = walk.tokens[places[mine]].tolist()
        found = rows[mine].tolist()
        return list(
            dict.fromkeys(
                row for row, value in zip(found, hashes, strict=True) if value in wanted
            )
        )


_Candidates = tuple[
    "npt.NDArray[np.intp]", "npt.NDArray[np.uint8]", "npt.NDArray[np.intp]"
]


def _candidates(walk: Walk) -> _Candidates:
    """The hashes that may be wanted: their places, by whom, and their elements."""
    # Kept where the walk keeps what it works out of its tables.
    known: _Candidates | None = walk.__dict__.get("_candidates")
    if known is None:
        known = candidates(walk.tokens, walk.elements, _MAYBE)
        walk.__dict__["_candidates"] = known
    return known


def python_candidates(
    tokens: npt.NDArray[np.uint32],
    elements: npt.NDArray[np.int32],
    maybe: npt.NDArray[np.uint8],
) -> _Candidates:
    """The hashes whose lower half ``maybe`` has bits for, see _candidates()."""
    bits = maybe[tokens & 0xFFFF]
    places = bits.nonzero()[0]
    first = elements[:, _FIRST_TOKEN]
    # In the table's own type, or the whole column is made of another.
    keys = places.astype(first.dtype)
    return places, bits[places], first.searchsorted(keys, side="right") - 1


_compiled = load("output._text")
candidates: Callable[..., _Candidates] = (
    python_candidates if _compiled is None else _compiled.candidates
)


# Names that highlighters give to line numbers and to lines.
CODE_LINES = Names(
    "blob gutter hljs line lineno linenos linenum linenumber linenumbers linenums ln lnt "
    "num number numbers nums"
)
# A post or comment, who wrote it, and when.
POSTS = Names(
    "answer comment comtr message post postbit question reply prop:comment prop:answer "
    "type:answer type:comment type:comments type:posting type:question"
)
POSTERS = Names(
    "author authors byline commenter fn hnuser poster user username nickname prop:author"
)
POST_TIMES = Names(
    "age ago created date datetime posted published time timeago timestamp "
    "prop:created prop:published"
)
# A page's own byline and date, and what microdata tell.
BYLINES = Names(
    "author authors byline contributor poster username writer prop:author prop:creator"
)
DATELINES = Names(
    "date dateline datetime posted published publish publication pubdate time timestamp "
    "prop:published"
)
PROPS = Names("prop:author prop:published prop:modified prop:headline")
