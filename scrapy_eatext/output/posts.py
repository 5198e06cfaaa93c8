"""Readers' comments by the names of elements, with authors and times."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.names import POST_TIMES, POSTERS, POSTS
from scrapy_eatext.page.tables import blocks_within, rows_with
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.values import text_in
from scrapy_eatext.page.walk import nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.page.blocks import Blocks

_TAG, _BODY = ElementColumn.TAG, TAG_ID["body"]
_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK

# Class names of elements that are a whole post or review, not its text or a list.
_POST = re.compile(
    r"(?:^|\s)(?:[a-z]{1,20}[_-]){0,3}(?:answer|comment|comtr|message|post|postbit|question"
    r"|reply|review)(?:[_-](?:block|body|box|card|container|entry|full|holder|inner|item|main"
    r"|wrap|wrapper|\d{1,12})){0,2}(?:$|\s)",
    re.IGNORECASE,
)
_POST_TYPE = re.compile(
    r"/(?:Answer|Comment|DiscussionForumPosting|Question|Review|UserComments)$"
)
_AUTHOR = re.compile(
    r"(?:^|[\s_-])(?:author|byline|commenter|fn|hnuser|poster|user-?(?:name|link|details)"
    r"|nickname)(?:$|[\s_-])|^\s{0,9}user\s{0,9}$",
    re.IGNORECASE,
)
_SAYS = re.compile(r"(?i)\b(?:says|said|wrote|writes|schrieb)\Z")
_LONGEST_SAYS = len("schrieb")
# The end of a name to which a dot belongs.
_SHORT = re.compile(r"\b(?:[^\W\d_]|Inc|[JS]r)\.\Z")
# A word between an author and a date.
BEFORE_DATE = re.compile(r"\s(?:am|at|den|el|il|le|on|op)\s*\Z")
_BY = re.compile(r"\A(?:(?:[Pp]osted|[Rr]eview(?:ed)?|[Ww]ritten) )?[Bb]y:? ")
# A number with a word, or an hour.
OF_TIME = re.compile(r"\d.*[^\W\d]|[^\W\d].*\d[:.]\d\d")
# Invisible characters around a name that part its direction of writing from the text's.
_DIRECTIONS = re.compile(" ?[\u202a-\u202e\u2066-\u2069]+ ?")
# The most characters of an author or a time.
_LONGEST = 60


def _is_post(element: Any) -> bool:
    return (
        _names_post((element.get("class") or "")[:300])
        or element.get("itemprop") in ("comment", "review", "suggestedAnswer")
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
    text = _DIRECTIONS.sub(" ", text).strip()
    if not _SHORT.search(text, max(len(text) - _LONGEST_SAYS, 0)):
        text = text.rstrip(":.\u2026").rstrip()
    says = _SAYS.search(text, max(len(text) - _LONGEST_SAYS, 0))
    text = text[: says.start()] if says is not None else text
    return _BY.sub("", text).strip()


def _undated(text: str) -> str:
    """A text without a date in it, and what follows if that is not "by" someone."""
    for _, start, end in dates.found(text):
        by = text[end:].lstrip(" ,")
        before = BEFORE_DATE.sub("", text[:start]).rstrip(" ,(")
        return by if _BY.match(by) else before
    return text


def _is_author(element: Any) -> bool:
    return element.get("itemprop") == "author" or bool(
        _AUTHOR.search((element.get("class") or "")[:300])
    )


class Posts:
    """The elements that are named as posts and hold some blocks, which rise.

    ``day_first`` says that 3/4/2024 is in April.
    """

    def __init__(
        self, blocks: Blocks, units: Sequence[int], *, day_first: bool = True
    ) -> None:
        self._walk = walk = blocks.walk
        self._day_first = day_first
        holders = [
            row
            for row, first, last in blocks_within(walk.elements, POSTS.rows(walk))
            if bisect_left(units, first) < bisect_left(units, last)
        ]
        # A body's class, such as "single-post", is that of its page.
        holders = [row for row in holders if walk.elements.item(row, _TAG) != _BODY]
        self._rows = self._those(holders, _is_post)
        self._authors = self._those(POSTERS.rows(walk), _is_author)
        times = rows_with(walk.elements, _TAG, TAG_ID["time"])
        self._times = sorted({*times, *POST_TIMES.rows(walk)})

    def around(self, elements: Sequence[int]) -> dict[int, int]:
        """The innermost post around each of some elements."""
        ends = self._walk.ends
        inside = np.full(len(ends), -1, dtype=np.intp)
        for row in self._rows:
            inside[row : ends[row]] = row
        found = zip(elements, inside[elements].tolist(), strict=True)
        return {element: post for element, post in found if post >= 0}

    def details(self, post: int) -> tuple[str, str, list[str]]:
        """A post's author, its time, and the texts of its time elements."""
        texts = map(self._text, self._within(self._authors, post))
        named = map(without_says, map(_undated, texts))
        names = (name for name in named if any(map(str.isalnum, name)))
        times = self._within(self._times, post)
        shown = filter(None, map(self._time, times))
        # A link named as a time may hold a time element, which has the moment.
        time = max(shown, key=lambda moment: moment[4:5] == "-", default="")
        return next(names, ""), time, [*map(self._text, times)]

    def _within(self, rows: Sequence[int], post: int) -> Sequence[int]:
        """The first few of some elements that stand in a post before the next post."""
        following = bisect_right(self._rows, post)
        end = min([self._walk.ends[post], *self._rows[following : following + 1]])
        begin = bisect_left(rows, post)
        return rows[begin : min(begin + 5, bisect_left(rows, end))]

    def _those(self, rows: list[int], is_one: Callable[[Any], bool]) -> list[int]:
        nodes = nodes_of(self._walk, rows)
        return [row for row, node in zip(rows, nodes, strict=True) if is_one(node)]

    def _text(self, row: int) -> str:
        """The first line of an element, "" if it is long."""
        first, last = self._walk.elements[row, [_FIRST, _LAST]].tolist()
        if last - first > 3:
            return ""
        line, *_ = text_in(self._walk.node(row)).strip().split("\n")
        text = " ".join(line.split())
        return text if len(text) <= _LONGEST else ""

    def _time(self, row: int) -> str:
        text = self._text(row)
        moment = moment_of(self._walk.node(row), text, day_first=self._day_first)
        return moment or (text if any(map(str.isdigit, text)) else "")
