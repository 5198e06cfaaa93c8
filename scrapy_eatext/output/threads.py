"""The posts of a thread: their authors and times, what is their text, and what they quote."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.output.frames import CHARS, Frame, Frames, text_of
from scrapy_eatext.output.posts import byline, moment_of
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import POST_TIMES, QUOTES, SIGNATURES
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import TAG_ID

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.blocks import Blocks
    from scrapy_eatext.page.walk import Walk

# What holds a post's date alone: so many characters, and no name of another date.
_DATED = 80
_OTHER_DATE = re.compile(
    r"\W*(?:join|regist|member|since|last|edit|updat|modif|inscri|mitglied|dabei|注册"
    r"|登录|最后)",
    re.IGNORECASE,
)
# The end of a line that says whom the quote below is of.
_SAYS = re.compile(
    r"\b(?:posted|wrote|writes|sa(?:id|ys)|schrieb|escribió|a écrit|написала?|сказала?)\b"
    r"[^.]{0,80}(?:\.\.\.|[:…↑])\s*$|[:：]\s*$",
    re.IGNORECASE,
)
# What share of all words blockquotes have that are no quotes, but posts.
_BODIES = 0.6
_TAG, _QUOTE = ElementColumn.TAG, TAG_ID["blockquote"]
# What a post stands in is no list and no table of its own.
_LAYOUT = [
    TAG_ID[name]
    for name in "blockquote dd dir dl dt figure li menu ol table td th tr ul".split()
]
_Time = tuple[str, int, int]


class Thread(Frames):
    """The posts of a thread, some of whose blocks are given.

    A post is told by the row of its first element.  ``day_first`` says how 3/4/2024 is
    meant.
    """

    def __init__(
        self, blocks: Blocks, units: Sequence[int], *, day_first: bool = True
    ) -> None:
        super().__init__(blocks, units)
        self._day_first = day_first
        self._times: dict[int, _Time] = {}
        self._elements: list[int] = blocks.walk.blocks[:, BlockColumn.ELEMENT].tolist()

    def details(self, post: int) -> tuple[str, str]:
        """A post's author and time."""
        return self._names.get(self._frames[post].author, ""), self._time(post)[0]

    def byline(self, post: int) -> list[tuple[str, int]]:
        """A post's author and time, with styles, as far as they are there and not kept."""
        author, (time, first, last) = self.details(post)[0], self._time(post)
        if author and self._is_kept(*self._blocks_of(self._frames[post].author)):
            author = ""
        return byline(author, "" if self._is_kept(first, last) else time)

    def text_units(self, units: Sequence[int]) -> dict[int, list[int]]:
        """For each post those of some blocks, in rising order, that are its text or quotes.

        They stand neither where its author does, nor in what a member writes below
        every post, unless all does.
        """
        found: dict[int, tuple[list[int], list[int]]] = {}
        for unit, post in self._posts_of(units, self._text_of).items():
            parts = found.setdefault(post, ([], []))
            parts[self._is_signature[unit]].append(unit)
        return {post: own or signature for post, (own, signature) in found.items()}

    def left_out(self) -> list[int]:
        """The blocks of posts that have no text among the given blocks.

        They stand in the same places as the others' blocks.
        """
        own = self.text_units(self.units)
        if len(own) == len(self):
            return []
        places = {self._place(unit) for inside in own.values() for unit in inside}
        everything = self.text_units(range(len(self._elements)))
        return [
            unit
            for post, inside in everything.items()
            if post not in own
            for unit in inside
            if self._place(unit) in places
        ]

    def quoted(self, units: Iterable[int]) -> set[int]:
        """Those of some blocks, in rising order, that quote other posts."""
        found: set[int] = set()
        before = -1
        for unit in units:
            if self._is_quoted[unit]:
                found.add(unit)
                # A line that says whom the quote is of.
                text = "" if before in found else self.blocks.text(before)
                if before >= 0 and len(text) <= 2 * CHARS and _SAYS.search(text):
                    found.add(before)
            before = unit
        return found

    def laid_out(self) -> Walk:
        """The walk with elements named as what they are for posts.

        What holds posts is no list or table, and what quotes is a blockquote.
        """
        elements = self._walk.elements.copy()
        frames = self._frames.values()
        inside = sorted({row for frame in frames for row in (frame.row, frame.author)})
        rows = np.isin(elements[:, _TAG], _LAYOUT).nonzero()[0].tolist()
        layout = [row for row in rows if self._has(inside, row)]
        bodies, quotes = self._quotes
        tagged = [row for row in quotes if self._tags[row] == _QUOTE]
        last = 0
        for row in quotes:
            if row >= last:
                last = self._ends[row]
                # What holds a blockquote is told by that.
                if not self._has(tagged, row):
                    elements[row, _TAG] = _QUOTE
        elements[layout + bodies, _TAG] = TAG_ID["div"]
        return replace(self._walk, elements=elements)

    def _has(self, rows: Sequence[int], around: int) -> bool:
        """Whether some of the rows, in order, are an element or in it."""
        return bisect_left(rows, around) < bisect_left(rows, self._ends[around])

    # -- times

    @cached_property
    def _named_times(self) -> list[int]:
        """Elements that are called times."""
        rows = rows_with(self._walk.elements, _TAG, TAG_ID["time"])
        named = sorted({*rows, *POST_TIMES.rows(self._walk)})
        return [row for row in named if not self._is_quoted[self._firsts[row]]]

    def _time(self, post: int) -> _Time:
        """A post's time, and the blocks that it stands in."""
        if post not in self._times:
            self._times[post] = self._find_time(self._frames[post])
        return self._times[post]

    def _find_time(self, frame: Frame) -> _Time:
        """The time that is nearest to a post's author.

        A date in a line of its own is better than a time that is no date.
        """
        times = self._named_times
        place = max(frame.author, frame.row)
        at = bisect_left(times, place)
        near = [
            row
            for row in times[max(at - 2, 0) : at + 3]
            if frame.row <= row < frame.end
        ]
        told: _Time = ("", 0, 0)
        for row in sorted(near, key=lambda row: abs(row - place)):
            node = self._walk.node(row)
            text = text_of(node)
            moment = moment_of(node, text, day_first=self._day_first)
            if moment:
                return moment, *self._blocks_of(row)
            is_told = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
            if is_told and len(text) <= CHARS and not told[0]:
                told = text, *self._blocks_of(row)
        return self._dated(frame) or told

    def _dated(self, frame: Frame) -> _Time | None:
        """The last date alone in a block before the longest one, or the first behind."""
        at = bisect_left(self._posts, frame.row) + 1
        until = self._frames[self._posts[at]].first if at < len(self) else frame.last
        units = range(frame.first, max(frame.first, min(frame.last, until)))
        before = int(self._words[units.start : units.stop].argmax()) if units else 0
        for unit in (*units[:before][::-1], *units[before:]):
            text = self.blocks.text(unit)[: _DATED + 1]
            if self._is_quoted[unit] or len(text) > _DATED or _OTHER_DATE.match(text):
                continue
            for _, start, _ in dates.found(text, day_first=self._day_first):
                time = dates.iso(text[start:], day_first=self._day_first)
                return time, unit, unit + 1
        return None

    # -- places

    @cached_property
    def _text_of(self) -> npt.NDArray[np.intp]:
        """For each block the number of the post whose text it may be, or -1.

        Around authors stands none: in the largest element that in few posts has all
        words, and of all posts together less than half.  Other posts than those that
        were found by their authors have these elsewhere.
        """
        frames = list(self._frames.values())
        own = self._own_words(frames)
        ways = {
            number: self._way(frame)
            for number, frame in enumerate(frames)
            if frame.row in self._grouped
        }
        beside: dict[int, tuple[int, int]] = {}
        for level in range(max(map(len, ways.values()), default=0)):
            there = {
                number: self._blocks_of(way[level])
                for number, way in ways.items()
                if len(way) > level
            }
            words = {number: self._kept_words(*at) for number, at in there.items()}
            whole = sum(own[number] == n > 0 for number, n in words.items())
            if 2 * whole > sum(map(bool, own)) or 2 * sum(words.values()) > sum(own):
                break
            beside.update(there)
        found = self._post_of.copy()
        for number, (first, last) in beside.items():
            inside = found[first:last]
            inside[inside == number] = -1
        return found

    def _way(self, frame: Frame) -> list[int]:
        """The elements around a post's author within it, from the innermost."""
        outermost = frame.row + (frame.end == self._ends[frame.row])
        return list(takewhile(outermost.__le__, self._up(frame.author)))

    def _place(self, unit: int) -> object:
        """What tells a block from those that hold other things in a post."""
        row = self._elements[unit]
        return self._shape(row), self._shape(max(self._parents[row], 0))

    @cached_property
    def _is_signature(self) -> list[bool]:
        return self._blocks_in(SIGNATURES.rows(self._walk))

    @cached_property
    def _is_quoted(self) -> list[bool]:
        return self._blocks_in(self._quotes[1])

    @cached_property
    def _quotes(self) -> tuple[list[int], list[int]]:
        """The blockquotes that hold posts, each one like the others', and the quotes."""
        tagged = rows_with(self._walk.elements, _TAG, _QUOTE)
        groups: dict[object, list[int]] = {}
        for row in sorted({*tagged, *QUOTES.rows(self._walk)}):
            groups.setdefault(self._shape(row), []).append(row)
        bodies: list[int] = []
        quotes: list[int] = []
        for group in groups.values():
            words = sum(self._kept_words(*self._blocks_of(row)) for row in group)
            is_body = words > _BODIES * self._sums[-1]
            (bodies if is_body else quotes).extend(group)
        return [row for row in bodies if self._tags[row] == _QUOTE], sorted(quotes)
