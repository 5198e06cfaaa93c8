"""Posts of a thread, with authors and times as far as the page has them.

Algorithms keep the text of posts and often drop the authors, whose names are links in
short blocks.  If several elements are named as posts or comments and hold kept blocks,
each is given a byline, unless its author and time are kept as text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import POST_TIMES, POSTERS, POSTS
from scrapy_eatext.page.tables import blocks_within
from scrapy_eatext.page.tags import STRONG_TEXT, TAG_ID
from scrapy_eatext.page.values import text_in
from scrapy_eatext.page.walk import nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.page.blocks import Blocks

_PARENT, _TAG, _DEPTH, _FIRST, _LAST = (
    ElementColumn.PARENT,
    ElementColumn.TAG,
    ElementColumn.DEPTH,
    ElementColumn.FIRST_BLOCK,
    ElementColumn.LAST_BLOCK,
)
_TIME = TAG_ID["time"]

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
_LONGEST = 60


def _is_post(element: Any) -> bool:
    """Whether an element is a post by its attributes."""
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


def _is_author(element: Any) -> bool:
    """Whether an element is an author by its attributes."""
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
        self._rows = self._with_kept(POSTS.rows(self._walk), kept)
        if self._rows:
            self._rows = self._those(self._rows, _is_post)
        if len(self._rows) < self._least:
            self._rows = []
            return
        self._kept = () if comments else kept
        self._authors = self._those(POSTERS.rows(self._walk), _is_author)
        times = (self._walk.elements[:, _TAG] == _TIME).nonzero()[0].tolist()
        self._times = sorted({*times, *POST_TIMES.rows(self._walk)})
        self._ends = self._reach()
        if not comments:
            self._rows = [
                row
                for row in self._rows
                if self._within(self._authors, row) or self._within(self._times, row)
            ]
            self._ends = self._reach()

    def __len__(self) -> int:
        return len(self._rows)

    def around(self, elements: Sequence[int]) -> dict[int, int]:
        """The innermost post around each of some elements.

        It is empty if fewer posts than are needed hold any of the elements.
        """
        if not self._rows:
            return {}
        cell = self._walk.elements.item
        known = {-1: -1, **dict(zip(self._rows, self._rows, strict=True))}
        posts: dict[int, int] = {}
        for element in elements:
            path = []
            row = element
            while row not in known:
                path.append(row)
                row = cell(row, _PARENT)
            post = known[row]
            known.update(dict.fromkeys(path, post))
            if post >= 0:
                posts[element] = post
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
        spans: list[tuple[str, int]] = []
        author = next(self._texts(self._within(self._authors, post)), "")
        if author:
            spans.append((author, STRONG_TEXT))
        for row in self._within(self._times, post):
            time = self._time(row)
            if time is None:  # it is kept as text
                break
            if time:
                spans.append((f", {time}" if spans else time, 0))
                break
        return spans

    def details(self, post: int) -> tuple[str, str, list[str]]:
        """A post's author, its time, and the texts of its time elements."""
        author = next(self._texts(self._within(self._authors, post)), "")
        times = self._within(self._times, post)
        time = next(filter(None, map(self._time, times)), "")
        return author, time, [self._text(row) or "" for row in times]

    @staticmethod
    def without_says(text: str) -> str:
        """A text without "says" at its end and "by" at its beginning."""
        text = text.strip().rstrip(":.\u2026").rstrip()
        says = _SAYS.search(text, max(len(text) - _LONGEST_SAYS, 0))
        text = text[: says.start()] if says is not None else text
        return _BY.sub("", text).strip()

    @cached_property
    def _nodes(self) -> dict[int, Any]:
        """The elements with posts' authors and times."""
        rows = {
            row
            for post in self._rows
            for found in (self._authors, self._times)
            for row in self._within(found, post)
        }
        in_order = sorted(rows)
        return dict(zip(in_order, nodes_of(self._walk, in_order), strict=True))

    def _with_kept(self, rows: list[int], kept: Sequence[int]) -> list[int]:
        """The elements that hold kept blocks."""
        if len(rows) < self._least:
            return []
        return [
            row
            for row, first, last in blocks_within(self._walk.elements, rows)
            if bisect_left(kept, first) < bisect_left(kept, last)
        ]

    def _reach(self) -> dict[int, int]:
        """For each post the row at its end, or of the next post inside it."""
        depths = self._walk.elements[:, _DEPTH]
        ends: dict[int, int] = {}
        for row, following in pairwise([*self._rows, len(depths)]):
            outside = (depths[row + 1 : following] <= depths[row]).nonzero()[0]
            ends[row] = row + 1 + int(outside[0]) if len(outside) else following
        return ends

    def _within(self, rows: Sequence[int], post: int) -> Sequence[int]:
        """The first few of some elements that stand in a post."""
        begin = bisect_left(rows, post)
        return rows[begin : min(begin + 5, bisect_left(rows, self._ends[post]))]

    def _those(self, rows: list[int], is_one: Callable[[Any], bool]) -> list[int]:
        """The elements for which ``is_one`` is true."""
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
        lines = text_in(self._nodes[row]).strip().split("\n")
        text = " ".join(lines[0].split())
        return text if len(text) <= _LONGEST else ""

    def _texts(self, rows: Iterable[int]) -> Iterator[str]:
        for row in rows:
            text = self._text(row)
            if text is None:
                return
            text = self.without_says(text)
            if any(c.isalnum() for c in text):
                yield text

    def _time(self, row: int) -> str | None:
        text = self._text(row)
        if text is None:
            return None
        moment = moment_of(self._nodes[row], text, day_first=self._day_first)
        return moment or (text if any(c.isdigit() for c in text) else "")
