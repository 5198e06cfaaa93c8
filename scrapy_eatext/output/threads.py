"""The posts of a thread: their authors and times, what is their text, and what they quote."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.output.frames import CHARS, Frames, text_of
from scrapy_eatext.output.posts import byline, moment_of
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import POST_TIMES, QUOTES, SIGNATURES
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.walk import nodes_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk

# Lines with dates that are not a post's.
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
# What share of all words blockquotes have that are no quotes, but posts; in how many
# elements with times, before and behind an author, the post's is looked for.
_BODIES, _TIMES = 0.6, 4
_TAG, _QUOTE = ElementColumn.TAG, TAG_ID["blockquote"]


class Thread(Frames):
    """The posts of a thread, with what is told of them."""

    def details(self, post: int) -> tuple[str, str]:
        """A post's author and time."""
        return self._names.get(self.frames[post].author, ""), self._time(post)[0]

    def byline(self, post: int) -> list[tuple[str, int]]:
        """A post's author and time, with styles, as far as they are there and not kept."""
        (author, time), place = self.details(post), self._time(post)[1]
        is_author_kept = author and self._is_kept(self.frames[post].author)
        is_time_kept = time and self._is_kept(place)
        return byline("" if is_author_kept else author, "" if is_time_kept else time)

    def text_units(self, units: Sequence[int]) -> dict[int, list[int]]:
        """For each post those of some blocks, in rising order, that are its text or quotes.

        They stand neither where its author does, nor in what a member writes below
        every post, unless all does.
        """
        found: dict[int, tuple[list[int], list[int]]] = {}
        for unit, post in zip(units, self._text_of[units].tolist(), strict=True):
            if post >= 0:
                parts = found.setdefault(post, ([], []))
                parts[self._is_signature[unit]].append(unit)
        return {post: own or signature for post, (own, signature) in found.items()}

    def left_out(self) -> list[int]:
        """The blocks of posts of which no text was given.

        They stand in the same places as the others' blocks.
        """
        own = self.text_units(self.units)
        if len(own) == len(self):
            return []
        places = {self._place(unit) for inside in own.values() for unit in inside}
        everything = self.text_units(range(len(self.blocks)))
        return [
            unit
            for post, inside in everything.items()
            if post not in own
            for unit in inside
            if self._place(unit) in places
        ]

    def _place(self, unit: int) -> object:
        """What tells a block from those that hold other things in a post."""
        row = self._walk.blocks.item(unit, BlockColumn.ELEMENT)
        return self._shape(row), self._shape(max(self._parents[row], 0))

    def quoted(self, units: Sequence[int]) -> set[int]:
        """Those of some blocks, in rising order, that quote others, or say whom."""
        found = {unit for unit in units if self._is_quoted[unit]}
        for before, unit in pairwise(units):
            text = self.blocks.text(before) if unit in found else ""
            if len(text) <= 2 * CHARS and _SAYS.search(text):
                found.add(before)
        return found

    def laid_out(self) -> Walk:
        """The walk with elements named as what they are for posts.

        What holds posts is no list or table, and what quotes is a blockquote.
        """
        elements = self._walk.elements.copy()
        quotes = self._quotes
        tagged = [row for row in quotes if self._tags[row] == _QUOTE]
        last = 0
        for row in quotes:
            if row >= last:
                last = self._ends[row]
                # What holds a blockquote is told by that.
                if bisect_left(tagged, row) == bisect_left(tagged, last):
                    elements[row, _TAG] = _QUOTE
        inside = np.zeros(len(elements) + 1, dtype=np.intp)
        for frame in self.frames.values():
            inside[[frame.row + 1, max(frame.row, frame.author) + 1]] = 1
        before = inside.cumsum()
        elements[before[self._ends] > before[:-1], _TAG] = TAG_ID["div"]
        return replace(self._walk, elements=elements)

    # -- times

    @cached_property
    def _times(self) -> list[tuple[int, int, str]]:
        """The times of posts in order: element, whether it is no date, and time.

        A date in a line of its own is better than a time that is no date.
        """
        walk = self._walk
        found: list[tuple[int, int, str]] = []
        for unit, row, text, start in self._dated_blocks():
            if not self._is_quoted[unit] and not _OTHER_DATE.match(text):
                time = dates.iso(text[start:], day_first=self._day_first)
                found.append((row, 1, time))
        rows = {*rows_with(walk.elements, _TAG, TAG_ID["time"]), *POST_TIMES.rows(walk)}
        named = sorted(row for row in rows if not self._is_quoted[self._firsts[row]])
        for row, node in zip(named, nodes_of(walk, named), strict=True):
            text = text_of(node)
            if time := moment_of(node, text, day_first=self._day_first):
                found.append((row, 0, time))
            elif len(text) <= CHARS and re.search(r"\d.*[^\W\d]", text):
                found.append((row, 2, text))
        return sorted(found)

    def _time(self, post: int) -> tuple[str, int]:
        """A post's time, the one nearest to its author, and its element."""
        frame = self.frames[post]
        place = max(frame.author, frame.row)
        at = bisect_left(self._times, (place,))
        near = [
            (rank, abs(row - place), time, row)
            for row, rank, time in self._times[max(at - _TIMES, 0) : at + _TIMES]
            if frame.row <= row < frame.end
        ]
        *_, time, row = min(near, default=("", -1))
        return time, row

    # -- places

    @cached_property
    def _text_of(self) -> npt.NDArray[np.intp]:
        """For each block the post whose text it may be, or -1.

        Around authors stands none: in the largest element that in few posts has all
        words, and of all posts together less than half.  Other posts than those that
        were found by their authors have these elsewhere.
        """
        frames = list(self.frames.values())
        own = dict(zip(self.frames, self._own_words(frames), strict=True))
        there = {frame.row: frame.author for frame in self._grouped}
        beside: dict[int, tuple[int, int]] = {}
        while there:
            places = {post: self._blocks_of(row) for post, row in there.items()}
            words = {post: self._kept_words(*at) for post, at in places.items()}
            whole = sum(own[post] == n > 0 for post, n in words.items())
            some = sum(map(bool, own.values()))
            if 2 * whole > some or 2 * sum(words.values()) > sum(own.values()):
                break
            beside |= places
            above = {post: self._parents[row] for post, row in there.items()}
            there = {
                post: row
                for post, row in above.items()
                if row > post or (row == post and self.frames[post].end > self._ends[row])
            }
        found = self._post_of.copy()
        for post, (first, last) in beside.items():
            inside = found[first:last]
            inside[inside == post] = -1
        return found

    def _is_kept(self, row: int) -> bool:
        """Whether any of the block that an element is or is in, or of those in it, is kept."""
        first, last = self._blocks_of(row)
        return self._kept_words(first, max(last, first + 1)) > 0

    def _blocks_in(self, rows: Sequence[int]) -> list[bool]:
        """For each block whether it is in one of some elements."""
        found = np.zeros(len(self._words), dtype=bool)
        for row in rows:
            found[self._firsts[row] : self._lasts[row]] = True
        return found.tolist()

    @cached_property
    def _is_signature(self) -> list[bool]:
        return self._blocks_in(SIGNATURES.rows(self._walk))

    @cached_property
    def _is_quoted(self) -> list[bool]:
        return self._blocks_in(self._quotes)

    @cached_property
    def _quotes(self) -> list[int]:
        """The elements that quote: those that are alike do not have most of the words."""
        tagged = rows_with(self._walk.elements, _TAG, _QUOTE)
        groups: dict[object, list[int]] = {}
        for row in {*tagged, *QUOTES.rows(self._walk)}:
            groups.setdefault(self._shape(row), []).append(row)
        most = _BODIES * self._sums[-1]
        return sorted(
            row
            for group in groups.values()
            if sum(self._kept_words(*self._blocks_of(row)) for row in group) <= most
            for row in group
        )
