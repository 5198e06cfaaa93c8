"""Posts of a thread: who wrote each, and when, where the page has it.

Algorithms keep what people said and often drop who said it, as names are links in
short blocks.  Where several elements are named as posts or comments and hold kept
blocks, each is given a byline, unless its author and time are kept anyway.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.metadata import dates
from scrapy_eatext.output.inline import Span
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.names import POST_TIMES, POSTERS, POSTS
from scrapy_eatext.page.tags import STRONG_TEXT, TAG_ID
from scrapy_eatext.page.twins import attribute_values, load, nodes_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.output.structure import Node
    from scrapy_eatext.page.blocks import Blocks

_PARENT, _TAG, _DEPTH, _FIRST, _LAST = (
    ElementColumn.PARENT,
    ElementColumn.TAG,
    ElementColumn.DEPTH,
    ElementColumn.FIRST_BLOCK,
    ElementColumn.LAST_BLOCK,
)
_TIME = TAG_ID["time"]

# Names of elements that are a post as a whole, not its text or a list of posts.
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
_SAYS = re.compile(r"\s*(?:says|said|wrote|writes|schrieb)?\s*:?$", re.IGNORECASE)
_LONGEST = 60


def python_with_kept(
    elements: npt.NDArray[np.int32], rows: list[int], kept: list[int]
) -> list[int]:
    """Those of some elements that have kept blocks inside, which are in order."""
    first, last = elements[rows][:, [_FIRST, _LAST]].T
    begins, ends = np.searchsorted(kept, (first, last))
    return [row for row, some in zip(rows, begins < ends, strict=True) if some]


_compiled = load("output._text")
with_kept: Callable[..., list[int]] = (
    python_with_kept if _compiled is None else _compiled.with_kept
)


class Posts:
    """The posts of a page whose kept blocks are given."""

    def __init__(self, blocks: Blocks, kept: Sequence[int]) -> None:
        self._walk = blocks.walk
        self._rows = self._with_kept(POSTS.rows(self._walk), kept)
        # A post by itself is the page's text, whose author is metadata.
        if len(self._rows) > 1:
            self._rows = self._named_posts(self._rows)
        if len(self._rows) < 2:
            self._rows = []
            return
        self._kept = kept
        self._authors = self._named_authors(POSTERS.rows(self._walk))
        times = (self._walk.elements[:, _TAG] == _TIME).nonzero()[0].tolist()
        self._times = sorted({*times, *POST_TIMES.rows(self._walk)})
        self._ends = self._reach()
        self._rows = [
            row
            for row in self._rows
            if self._within(self._authors, row) or self._within(self._times, row)
        ]
        self._ends = self._reach()
        told = {
            row
            for post in self._rows
            for rows in (self._authors, self._times)
            for row in self._within(rows, post)
        }
        in_order = sorted(told)
        self._nodes = dict(zip(in_order, nodes_of(self._walk, in_order), strict=True))

    def __len__(self) -> int:
        return len(self._rows)

    def around(self, elements: Sequence[int]) -> dict[int, int]:
        """For the elements of some blocks the nearest post around each.

        There is none where fewer than two posts have blocks.
        """
        if not self._rows:
            return {}
        cell = self._walk.elements.item
        posts = frozenset(self._rows)
        known: dict[int, int] = {-1: -1}
        found: dict[int, int] = {}
        for element in elements:
            way = []
            row = element
            while row not in known and row not in posts:
                way.append(row)
                row = cell(row, _PARENT)
            post = row if row in posts else known[row]
            known.update((passed, post) for passed in way)
            if post >= 0:
                found[element] = post
        return found if len(set(found.values())) > 1 else {}

    def byline(self, post: int) -> list[Span]:
        """A post's author and time, as far as they are there and not kept."""
        spans: list[Span] = []
        author = next(self._texts(self._within(self._authors, post)), "")
        if author:
            spans.append(Span(author, STRONG_TEXT))
        for row in self._within(self._times, post):
            time = self._time(row)
            if time is None:  # it is kept
                break
            if time:
                spans.append(Span(f", {time}" if spans else time))
                break
        return spans

    def _with_kept(self, rows: list[int], kept: Sequence[int]) -> list[int]:
        """Those of some elements that have kept blocks inside."""
        if len(rows) < 2:
            return []
        return with_kept(self._walk.elements, rows, list(kept))

    def _reach(self) -> dict[int, int]:
        """For each post, where it ends or the next one begins.

        What is behind the next post that begins inside is that one's.
        """
        depths = self._walk.elements[:, _DEPTH]
        ends: dict[int, int] = {}
        for row, following in pairwise([*self._rows, len(depths)]):
            outside = (depths[row + 1 : following] <= depths[row]).nonzero()[0]
            ends[row] = row + 1 + int(outside[0]) if len(outside) else following
        return ends

    def _within(self, rows: Sequence[int], post: int) -> Sequence[int]:
        """Those of some elements that are in a post, a few of them."""
        begin = bisect_left(rows, post)
        return rows[begin : min(begin + 5, bisect_left(rows, self._ends[post]))]

    def _values(self, rows: list[int], name: str, most: int) -> list[str]:
        values = attribute_values(self._walk, rows, name)
        return [(value or "")[:most] for value in values]

    def _named_posts(self, rows: list[int]) -> list[int]:
        """Those of some elements that are called a post."""
        names = self._values(rows, "class", 300)
        props = self._values(rows, "itemprop", 100)
        types = self._values(rows, "itemtype", 100)
        return [
            row
            for row, name, prop, kind in zip(rows, names, props, types, strict=True)
            if _POST.search(name)
            or prop in ("comment", "suggestedAnswer")
            or _POST_TYPE.search(kind)
        ]

    def _named_authors(self, rows: list[int]) -> list[int]:
        """Those of some elements that are called an author."""
        names = self._values(rows, "class", 300)
        props = self._values(rows, "itemprop", 100)
        return [
            row
            for row, name, prop in zip(rows, names, props, strict=True)
            if prop == "author" or _AUTHOR.search(name)
        ]

    def _text(self, row: int) -> str | None:
        """An element's text; None where it is kept."""
        first, last = self._walk.elements[row, [_FIRST, _LAST]].tolist()
        at = bisect_left(self._kept, first)
        if at < len(self._kept) and self._kept[at] < max(last, first + 1):
            return None
        if last - first > 3:
            return ""
        lines = "".join(self._nodes[row].itertext()).strip().split("\n")
        text = " ".join(lines[0].split())
        return text if len(text) <= _LONGEST else ""

    def _texts(self, rows: Iterable[int]) -> Iterator[str]:
        for row in rows:
            text = self._text(row)
            if text is None:
                return
            text = _SAYS.sub("", text).removeprefix("By ").removeprefix("by ").strip()
            if any(c.isalnum() for c in text):
                yield text

    def _time(self, row: int) -> str | None:
        text = self._text(row)
        if text is None:
            return None
        element = self._nodes[row]
        for value in (element.get("datetime"), element.get("title"), text):
            moment = dates.iso(value or "")
            if moment:
                return moment
        return text if any(c.isdigit() for c in text) else ""


def bylines(tree: Node) -> Iterator[str]:
    """The texts that bylines add to a tree's words."""
    from scrapy_eatext.output.structure import leaves

    for leaf in leaves(tree):
        if leaf.kind == "byline":
            yield "".join(span.text for span in leaf.spans)
