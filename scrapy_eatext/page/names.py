"""Elements by the words in their class, id and the like, from the walk's hashes.

All words that are looked for stand here: a page's hashes are looked up once for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.walk import fnv1a

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk

    _Hashes = npt.NDArray[np.uint32]
    _Named = tuple[npt.NDArray[np.intp], _Hashes, int]

# By the last bits of a hash: whether it may be looked for.  Few hashes of a page are.
_MAYBE: npt.NDArray[np.uint8] = np.zeros(0x2000, dtype=np.uint8)
# For each hash that is looked for, which Names have it, a bit each.
_WANTED: dict[int, int] = {}


class Names:
    """Words to look for, as the walk hashes them.

    Those of roles and microdata have their prefix; ``hashes`` are in rising order.
    Different words may have the same hash: a caller that must be sure looks at the
    element.
    """

    count = 0

    def __init__(self, words: str) -> None:
        self._number = Names.count
        Names.count += 1
        hashes = sorted(fnv1a(word.encode()) for word in words.split())
        self.hashes: _Hashes = np.array(hashes, dtype=np.uint32)
        for value in hashes:
            _WANTED[value] = _WANTED.get(value, 0) | 1 << self._number
            _MAYBE[value & len(_MAYBE) - 1] = 1

    def rows(self, walk: Walk) -> list[int]:
        """The elements of a page that have one of the words, in their order."""
        # Kept among the walk's own cached properties.
        found: _Named | None = walk.__dict__.get("_named")
        if found is None:
            found = walk.__dict__["_named"] = _named(walk)
        rows, bits, all_bits = found
        if not all_bits >> self._number & 1:
            return []
        # An element may have several of the words.
        has_bit = (bits & 1 << self._number).nonzero()[0]
        return list(dict.fromkeys(rows[has_bit].tolist()))


def _named(walk: Walk) -> _Named:
    """The elements that have words which are looked for, a row for each word.

    Beside each row are the bits of the Names that have the word, and at last all bits.
    """
    hashes, bits = _TABLES
    tokens = walk.tokens
    places = _MAYBE.take(tokens & len(_MAYBE) - 1).nonzero()[0]
    at = hashes.searchsorted(tokens[places])
    there = (hashes.take(at, mode="clip") == tokens[places]).nonzero()[0]
    # The last element whose tokens begin at a place or before.
    first = walk.elements[:, ElementColumn.FIRST_TOKEN]
    rows = first.searchsorted(places[there], side="right") - 1
    wanted = bits[at[there]]
    return rows, wanted, int(np.bitwise_or.reduce(wanted))


# Names that highlighters give to line numbers.
LINE_NUMBERS = Names(
    "gutter line lineno linenos linenum linenumber linenumbers linenums ln lnt num number "
    "numbers nums"
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
# Of a thread: who wrote a post, and what is quoted.
WRITERS = Names(
    "author authorname bigusername commenter creator fn handle hnuser member name nick "
    "nickname postauthor poster user username prop:author prop:creator prop:name"
)
QUOTES = Names(
    "bbquote blockquote quotation quote quotebox quotecontainer quotecontent quoted "
    "quoteheader quotetitle"
)
# Notes and warnings set apart from the text.
CALLOUTS = Names("admonition admonitionblock alert callout custom")
# Posts of other sites, quoted for a script to draw.
POSTED = Names("instagram tiktok tweet")
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
# A wiki's links to edit a section, right behind its heading.
EDITS = Names("editsection")
# What holds an image, maybe with its caption.
FIGURES = Names("caption figure image img photo picture thumb thumbnail")
# What holds the picture of a person, or the sign of a site or a button.
BADGES = Names(
    "author avatar avatars icon icons logo profile share social user userpic"
)
# What holds a video, or a player in a frame.
FILMS = Names("embed player video videos vimeo youtube")
# What holds the path to a page in its site.
BREADCRUMBS = Names("breadcrumb breadcrumbs type:breadcrumblist")

# The hashes that are looked for, in rising order, and the bits of each.
_HASHES = sorted(_WANTED)
_TABLES: tuple[_Hashes, _Hashes] = (
    np.array(_HASHES, dtype=np.uint32),
    np.array([_WANTED[value] for value in _HASHES], dtype=np.uint32),
)
