"""Finds elements by words in their class, id and similar attributes.

The walk has a hash of each word.  All sets of words are declared here, so that each
hash of a page is looked up only once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.walk import EDITING, fnv1a

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk

    _Hashes = npt.NDArray[np.uint32]
    _Named = tuple[npt.NDArray[np.intp], _Hashes, int]

# A filter by the last bits of a hash: 1 if a declared word may have it.
_MAYBE: npt.NDArray[np.uint8] = np.zeros(0x2000, dtype=np.uint8)
# For the hash of each declared word a bit mask of the Names that have it.
_WANTED: dict[int, int] = {}


class Names:
    """A set of words in attributes; those of roles and microdata have a prefix.

    ``hashes`` is sorted.  Different words may have the same hash: a caller that must be
    sure checks the element.
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
        """The rows of the elements of a page that have one of the words, in order."""
        # Cached with the walk's own cached properties.
        named: _Named | None = walk.__dict__.get("_named")
        if named is None:
            named = walk.__dict__["_named"] = _named(walk)
        rows, bits, all_bits = named
        if not all_bits >> self._number & 1:
            return []
        # An element may have several of the words.
        has_bit = (bits & 1 << self._number).nonzero()[0]
        return list(dict.fromkeys(rows[has_bit].tolist()))


def _named(walk: Walk) -> _Named:
    """The rows of elements that have declared words, with an entry for each word.

    Returns the rows, the bit mask of the Names that have each word, and the union of
    the masks.
    """
    hashes, bits = _TABLES
    tokens = walk.tokens
    places = _MAYBE.take(tokens & len(_MAYBE) - 1).nonzero()[0]
    at = hashes.searchsorted(tokens[places])
    matches = (hashes.take(at, mode="clip") == tokens[places]).nonzero()[0]
    # A token belongs to the last element whose tokens begin at its place or before.
    first = walk.elements[:, ElementColumn.FIRST_TOKEN]
    rows = first.searchsorted(places[matches], side="right") - 1
    masks = bits[at[matches]]
    return rows, masks, int(np.bitwise_or.reduce(masks))


# The line numbers of syntax highlighters.
LINE_NUMBERS = Names(
    "gutter line lineno linenos linenum linenumber linenumbers linenums lines ln lnt num "
    "number numbers nums"
)
# The lines of code of syntax highlighters.
CODE_LINES = Names("code crayon fragment number")
# A post or comment, its author, and its time.
POSTS = Names(
    "answer comment comtr message post postbit question reply review prop:comment "
    "prop:answer prop:review type:answer type:comment type:comments type:posting "
    "type:question type:review"
)
POSTERS = Names(
    "author authors byline commenter fn hnuser poster user username nickname prop:author"
)
POST_TIMES = Names(
    "age ago created createdtime date datetime posted published relativetime time "
    "timeago timestamp prop:created prop:published"
)
# In a thread: the author of a post, and a quotation.
WRITERS = Names(
    "author authorname bigusername commenter creator fn handle hnuser member name nick "
    "nickname postauthor poster user username prop:author prop:creator prop:name"
)
# A link to the member who began an entry of a board.
MEMBERS = Names("hnuser nickname user username")
QUOTES = Names(
    "bbquote blockquote quotation quote quotebox quotecontainer quotecontent quoted "
    "quoteheader quotetitle"
)
# What a member has below each post.
SIGNATURES = Names(
    "postbitsignature postsignature signature signaturecontainer signatures usersignature"
)
# Notes and warnings set apart from the text.
CALLOUTS = Names(
    "admonition admonitionblock alert callout caution custom important note notecard tip "
    "warning"
)
# Embedded posts of other sites, which a script draws.
POSTED = Names("instagram tiktok tweet")
# Readers' comments on a page.
COMMENTS = Names("comment comments commentlist disqus replies responses")
# On a product's page: what customers wrote, and parts that all pages of the shop have.
# Words of two letters are left out, as generated names contain them.
REVIEWS = Names(
    "customerreviews questions rating ratings review reviews yotpo prop:review"
)
SHOP_PARTS = Names("delivery related")
# What lies over a page until it is closed.
DIALOGS = Names("lightbox modal popup role:alertdialog role:dialog")
# Tests that the visitor is human.
HUMAN_TESTS = Names("captcha challenge hcaptcha recaptcha turnstile")
# The byline and date of the page itself, also in microdata.
BYLINES = Names(
    "author authors byline contributor poster username writer prop:author prop:creator"
)
DATELINES = Names(
    "date dateline datetime posted published publish publication pubdate time timestamp "
    "prop:published"
)
# What readers wrote, by microdata; and links to other pages below a text.
READERS = Names("prop:answer prop:comment prop:comments prop:review prop:reviews")
RELATED = Names("recommendations recommended related relatedposts")
# Notes at the end of a text, and sources that the text refers to.
FOOTNOTES = Names(
    "endnote endnotes footnote footnotes references role:endnotes role:footnote"
)
# A wiki's links to edit a section, which follow its heading.
EDITS = Names(EDITING)
# Containers of an image, and perhaps its caption.
FIGURES = Names("caption figure image img photo picture thumb thumbnail")
CAPTIONS = Names("caption captions")
# Containers of the picture of a person, or of the icon of a site or a button.
BADGES = Names(
    "author avatar avatars icon icons logo profile share social user userpic"
)
# Containers of a video, or of a player in a frame.
FILMS = Names("embed player video videos vimeo youtube")
# The path to a page in its site.
BREADCRUMBS = Names("breadcrumb breadcrumbs type:breadcrumblist")

# The sorted hashes of all declared words, and the bit mask of each.
_HASHES = sorted(_WANTED)
_TABLES: tuple[_Hashes, _Hashes] = (
    np.array(_HASHES, dtype=np.uint32),
    np.array([_WANTED[value] for value in _HASHES], dtype=np.uint32),
)
