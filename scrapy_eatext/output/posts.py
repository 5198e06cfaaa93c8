"""Posts of a thread, with authors and times as far as the page has them.

Algorithms keep the text of posts and often drop the authors, whose names are links in
short blocks.  If several elements are named as posts or comments and hold kept blocks,
each is given a byline, unless its author and time are kept as text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import POST_TIMES, POSTERS, POSTS
from scrapy_eatext.page.tables import blocks_within, rows_with
from scrapy_eatext.page.tags import STRONG_TEXT, TAG_ID
from scrapy_eatext.page.values import text_in
from scrapy_eatext.page.walk import nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.page.blocks import Blocks

_TAG = ElementColumn.TAG
_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK

# Class names of elements that are a whole post, not its text or a list of posts.
_POST = re.compile(
    r"(?:^|\s)(?:[a-z]{1,20}[_-]){0,3}(?:answer|comment|comtr|message|post|postbit|question"
    r"|reply)(?:[_-](?:block|body|box|card|container|entry|full|holder|inner|item|main"
    r"|wrap|wrapper|\d{1,12})){0,2}(?:$|\s)",
    re.IGNORECASE,
)
_POST_TYPE = re.compile(
    r"/(?:Answer|Comment|DiscussionForumPosting|Question|UserComments)$"
)
_AUTHOR = re.compile(
    r"(?:^|[\s_-])(?:author|byline|commenter|fn|hnuser|poster|user-?(?:name|link|details)"
    r"|nickname)(?:$|[\s_-])|^\s{0,9}user\s{0,9}$",
    re.IGNORECASE,
)
_SAYS = re.compile(r"(?i)\b(?:says|said|wrote|writes|schrieb)\Z")
_LONGEST_SAYS = len("schrieb")
_BY = re.compile(r"\A(?:[Pp]osted )?[Bb]y:? ")
# The most characters of an author or a time.
_LONGEST = 60


def _is_post(element: Any) -> bool:
    return (
        _names_post((element.get("class") or "")[:300])
        or element.get("itemprop") in ("comment", "suggestedAnswer")
        or bool(_POST_TYPE.search((element.get("itemtype") or "")[:100]))
    )


# Cached, as the posts of a thread mostly have the same classes.
@lru_cache(maxsize=256)
def _names_post(value: str) -> bool:
    return bool(_POST.search(value))


def moment_of(element: Any, text: str, *, day_first: bool) -> str:
    """The time in an element's attributes or text, in ISO 8601, or ""."""
    values = (element.get("datetime"), element.get("title"), text)
    moments = (dates.iso(value or "", day_first=day_first) for value in values)
    return next(filter(None, moments), "")


def without_says(text: str) -> str:
    """A text without "says" at its end and "by" at its beginning."""
    text = text.strip().rstrip(":.\u2026").rstrip()
    says = _SAYS.search(text, max(len(text) - _LONGEST_SAYS, 0))
    text = text[: says.start()] if says is not None else text
    return _BY.sub("", text).strip()


def byline_of(author: str, time: str) -> list[tuple[str, int]]:
    """An author and a time, "" for none, in one line with styles."""
    spans = [(author, STRONG_TEXT)] if author else []
    if time:
        spans.append((f", {time}" if spans else time, 0))
    return spans


def _is_author(element: Any) -> bool:
    return element.get("itemprop") == "author" or bool(
        _AUTHOR.search((element.get("class") or "")[:300])
    )


class Posts:
    """The posts of a page that hold kept blocks.

    There are none, or at least two: a single post is the page's text, and its author is
    metadata.  Authors and times that are kept as text are not repeated.  With
    ``comments``, one post is enough, and each has its author and time.  ``day_first``
    says that 3/4/2024 is in April.
    """

    def __init__(
        self,
        blocks: Blocks,
        kept: Sequence[int],
        *,
        comments: bool = False,
        day_first: bool = True,
    ) -> None:
        self._walk = blocks.walk
        self._day_first = day_first
        self._least = 1 if comments else 2
        places = blocks_within(self._walk.elements, POSTS.rows(self._walk))
        holders = [
            row
            for row, first, last in places
            if bisect_left(kept, first) < bisect_left(kept, last)
        ]
        self._rows = self._those(holders, _is_post)
        if len(self._rows) < self._least:
            self._rows = []
            return
        self._kept = () if comments else kept
        self._authors = self._those(POSTERS.rows(self._walk), _is_author)
        times = rows_with(self._walk.elements, _TAG, TAG_ID["time"])
        self._times = sorted({*times, *POST_TIMES.rows(self._walk)})
        if not comments:
            described = sorted({*self._authors, *self._times})
            self._rows = [row for row in self._rows if self._within(described, row)]

    def __len__(self) -> int:
        return len(self._rows)

    def around(self, elements: Sequence[int]) -> dict[int, int]:
        """The innermost post around each of some elements.

        It is empty if fewer posts than are needed hold any of the elements.
        """
        if not self._rows:
            return {}
        ends = self._walk.ends
        inside = np.full(len(ends), -1, dtype=np.intp)
        for row in self._rows:
            inside[row : ends[row]] = row
        found = zip(elements, inside[elements].tolist(), strict=True)
        posts = {element: post for element, post in found if post >= 0}
        return posts if len(set(posts.values())) >= self._least else {}

    def of_units(self, units: Sequence[int]) -> dict[int, int]:
        """The innermost post around each of some blocks."""
        if not self._rows:
            return {}
        rows = self._walk.blocks[units, BlockColumn.ELEMENT].tolist()
        post_of = self.around(rows)
        elements = zip(units, rows, strict=True)
        return {unit: post_of[row] for unit, row in elements if row in post_of}

    def byline(self, post: int) -> list[tuple[str, int]]:
        """A post's author and time, with styles, unless they are kept as text."""
        times = map(self._time, self._within(self._times, post))
        # The first that is kept as text ends the search.
        dropped = takewhile(lambda time: time is not None, times)
        return byline_of(self._author(post), next(filter(None, dropped), ""))

    def details(self, post: int) -> tuple[str, str, list[str]]:
        """A post's author, its time, and the texts of its time elements."""
        times = self._within(self._times, post)
        time = next(filter(None, map(self._time, times)), "")
        return self._author(post), time, [self._text(row) or "" for row in times]

    def _author(self, post: int) -> str:
        """A post's author, "" if that is not known or is kept as text."""
        for row in self._within(self._authors, post):
            text = self._text(row)
            if text is None:
                break
            text = without_says(text)
            if any(c.isalnum() for c in text):
                return text
        return ""

    def _within(self, rows: Sequence[int], post: int) -> Sequence[int]:
        """The first few of some elements that stand in a post before the next post."""
        following = bisect_right(self._rows, post)
        end = min([self._walk.ends[post], *self._rows[following : following + 1]])
        begin = bisect_left(rows, post)
        return rows[begin : min(begin + 5, bisect_left(rows, end))]

    def _those(self, rows: list[int], is_one: Callable[[Any], bool]) -> list[int]:
        nodes = nodes_of(self._walk, rows)
        return [row for row, node in zip(rows, nodes, strict=True) if is_one(node)]

    def _text(self, row: int) -> str | None:
        """The first line of an element, "" if it is long.

        None if the element is kept.
        """
        first, last = self._walk.elements[row, [_FIRST, _LAST]].tolist()
        at = bisect_left(self._kept, first)
        if at < len(self._kept) and self._kept[at] < max(last, first + 1):
            return None
        if last - first > 3:
            return ""
        lines = text_in(self._walk.node(row)).strip().split("\n")
        text = " ".join(lines[0].split())
        return text if len(text) <= _LONGEST else ""

    def _time(self, row: int) -> str | None:
        text = self._text(row)
        if text is None:
            return None
        moment = moment_of(self._walk.node(row), text, day_first=self._day_first)
        return moment or (text if any(c.isdigit() for c in text) else "")
