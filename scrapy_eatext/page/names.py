"""Elements by the words in their class, id and the like, from the walk's hashes.

All words that are looked for stand here: a page's hashes are looked up once for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.twins import load
from scrapy_eatext.page.walk import fnv1a

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk

# For the last bits of each hash whether it may be looked for, a bit each.  Few of a
# page's are, and the table is fetched in no time.
_MAYBE: npt.NDArray[np.uint8] = np.zeros(0x400, dtype=np.uint8)
# For each hash that is looked for, which Names have it, a bit each.
_WANTED: dict[int, int] = {}


class Names:
    """Words to look for, as the walk hashes them.

    Those of roles and microdata have their prefix; ``hashes`` are in rising order.
    Different words may have one hash: who must know looks at the element.
    """

    count = 0

    def __init__(self, words: str) -> None:
        self._number = Names.count
        Names.count += 1
        hashes = sorted(fnv1a(word.encode()) for word in words.split())
        self.hashes: npt.NDArray[np.uint32] = np.array(hashes, dtype=np.uint32)
        for value in hashes:
            _WANTED[value] = _WANTED.get(value, 0) | 1 << self._number
            _MAYBE[(value >> 3) & len(_MAYBE) - 1] |= 1 << (value & 7)

    def rows(self, walk: Walk) -> list[int]:
        """The elements of a page that have one of the words, in their order."""
        # Kept where the walk keeps what it works out of its tables.
        found: list[list[int]] | None = walk.__dict__.get("_named")
        if found is None:
            found = named(
                walk.tokens, walk.elements, _MAYBE, _HASHES, _BITS, Names.count
            )
            walk.__dict__["_named"] = found
        return found[self._number]


def python_named(
    tokens: npt.NDArray[np.uint32],
    elements: npt.NDArray[np.int32],
    maybe: npt.NDArray[np.uint8],
    hashes: npt.NDArray[np.uint32],
    bits_of: npt.NDArray[np.uint32],
    count: int,
) -> list[list[int]]:
    """For each bit the elements that have a hash which is wanted with that bit.

    ``maybe`` tells of the last bits of a hash whether it may be wanted, a bit each,
    ``bits_of`` which bits are wanted with each of the hashes, which are in rising order.
    """
    wanted = dict(zip(hashes.tolist(), bits_of.tolist(), strict=True))
    may_be = np.unpackbits(maybe, bitorder="little")
    places = may_be[tokens & len(may_be) - 1].nonzero()[0]
    first = elements[:, ElementColumn.FIRST_TOKEN]
    # In the table's own type, or the whole column is made of another.
    keys = places.astype(first.dtype)
    rows = first.searchsorted(keys, side="right") - 1
    found: list[dict[int, None]] = [{} for _ in range(count)]
    for value, row in zip(tokens[places].tolist(), rows.tolist(), strict=True):
        bits = wanted.get(value, 0)
        for number in range(count):
            if bits >> number & 1:
                found[number][row] = None
    return [list(rows) for rows in found]


_compiled = load("page._walk")
named: Callable[..., list[list[int]]] = (
    python_named if _compiled is None else _compiled.named
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
    "age ago created date datetime posted published relativetime time timeago timestamp "
    "prop:created prop:published"
)
# What readers said of a page.
COMMENTS = Names("comment comments commentlist disqus replies responses")
# What tests whether a human asks for a page.
HUMAN_TESTS = Names("captcha challenge hcaptcha recaptcha turnstile")
# A page's own byline and date, and what microdata tell.
BYLINES = Names(
    "author authors byline contributor poster username writer prop:author prop:creator"
)
DATELINES = Names(
    "date dateline datetime posted published publish publication pubdate time timestamp "
    "prop:published"
)
PROPS = Names("prop:author prop:published prop:modified prop:headline")

# The hashes that are looked for in rising order, and the bits of each.
_HASHES: npt.NDArray[np.uint32] = np.array(sorted(_WANTED), dtype=np.uint32)
_BITS: npt.NDArray[np.uint32] = np.array(
    [_WANTED[value] for value in sorted(_WANTED)], dtype=np.uint32
)
