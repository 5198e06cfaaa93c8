"""The posts of a thread: where they stand, who wrote them and when, what they quote.

Boards differ in names, tags and order, but each post has its author in the same place,
and names differ from post to post.  So elements that may be authors are grouped by what
is around them.  A group cuts the page into parts with one author each: the group whose
parts hold most of the text is that of the posts' authors.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice, pairwise
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.output.posts import Posts, moment_of
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import POST_TIMES, QUOTES, WRITERS
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import STRONG, STRONG_TEXT, TAG_ID
from scrapy_eatext.page.values import text_in
from scrapy_eatext.page.walk import attribute_values, nodes_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.output.code import Content
    from scrapy_eatext.page.blocks import Blocks
    from scrapy_eatext.page.walk import Walk

# Addresses of what a board tells of a member, in small letters.
_PROFILE = re.compile(
    r"[/?&;](?:[~@]|(?:u|users?|members?|profiles?|people|authors?|usuarios?|home|space)"
    r"[/.?-]|(?:user|member|u)_?(?:id)?=|(?:action|mod|mode)=(?:profile|space|viewprofile)"
    r"|memberlist|showuser|user-?info|viewprofile)"
)
# The most characters and words of a name, elements in the element that holds it, and
# characters that are read of that, white space included.
_CHARS, _WORDS, _ROWS, _READ = 60, 6, 40, 2000
# What an author is worth by what its element is, and what is added where a link's
# address has the name.
_NAMED, _LINKED, _STRONG, _TOLD = 1.1, 1.0, 0.6, 0.2
# How many groups of possible authors are tried, the largest first, and how many
# elements from an author on outwards tell its place.
_GROUPS, _AROUND = 12, 5
_PARENT, _TAG = ElementColumn.PARENT, ElementColumn.TAG
_COLUMNS = (_PARENT, _TAG, ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK)
# Lines with dates that are not a post's.
_OTHER_DATE = re.compile(
    r"(?i)\W*(?:join|regist|member|since|last|edit|updat|modif|inscri|mitglied|注册|登录|最后)"
)
# What stands between an author and a date, and an age that is no name.
_BEFORE_DATE = re.compile(r"\s(?:am|at|den|el|il|le|on|op)\s*\Z")
_AGE = re.compile(r"(?i)\W*\d{1,3}\s?(?:d|h|hr|m|min|mo|s|w|y|yr)s?\W*")
# The end of a line that says whom the quote below is of.
_SAYS = re.compile(r"(?i)(?:[:：↑]|\b(?:posted|said|wrote)\b.{0,9}(?:\.{3}|…))\s*$")
# What share of all words blockquotes have that are no quotes, but posts; in how many
# elements with times, before and behind an author, the post's is looked for.
_BODIES, _TIMES = 0.6, 4
_QUOTE = TAG_ID["blockquote"]


class Frame(NamedTuple):
    """A post: its first element, the first row and block behind it, and its author's row."""

    row: int
    end: int
    last: int
    author: int


def _line_of(node: Any) -> str:
    """The text of an element, of a long one its beginning."""
    return " ".join(text_in(node)[:_READ].split())


def _is_name(text: str) -> bool:
    """Whether a text may be the name of a person."""
    if len(text) > _CHARS or not any(map(str.isalpha, text)):
        return False
    has_digit = any(map(str.isdigit, text))
    return len(text.split()) <= _WORDS and not (
        has_digit and (_AGE.fullmatch(text) or dates.iso(text))
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


class Thread:
    """The posts of a page, each named by the row of its first element.

    ``spoken`` is their text, ``removed`` are the blocks that are no part of it in any case.
    """

    def __init__(
        self,
        blocks: Blocks,
        spoken: Content,
        removed: frozenset[int] = frozenset(),
        *,
        day_first: bool = True,
    ) -> None:
        self.blocks, self.spoken, self._day_first = blocks, spoken, day_first
        self._removed = removed
        units = list(spoken.units)
        self._walk = walk = blocks.walk
        columns: list[list[int]] = walk.elements[:, _COLUMNS].T.tolist()
        self._parents, self._tags, self._firsts, self._lasts = columns
        self._ends = walk.ends
        self._words = np.zeros(len(walk.blocks) + 1, dtype=np.int64)
        self._words[units] = walk.blocks[units, BlockColumn.WORDS]
        # How many words stand before each block.
        self._sums: list[int] = [0, *self._words.cumsum().tolist()]
        # The names of elements that may be authors, by their rows, and their worth.
        self._names: dict[int, str] = {}
        self._worth: dict[int, float] = {}
        self._find_authors()
        self._rows = sorted(self._names)
        self._grouped = self._best()
        found = sorted(self._grouped + self._like(self._grouped))
        self._frames = {frame.row: frame for frame in found}
        # For each block the post that it stands in, or -1.
        self._post_of = self._inner(found)

    def __len__(self) -> int:
        return len(self._frames)

    def of_units(self, units: Sequence[int]) -> dict[int, int]:
        """For some blocks the post that each stands in."""
        found = zip(units, self._post_of[units].tolist(), strict=True)
        return {unit: post for unit, post in found if post >= 0}

    # -- authors

    def _find_authors(self) -> None:
        """Find elements whose text may be a name, in order."""
        walk = self._walk
        dated = {
            row: _BEFORE_DATE.sub("", text[:start])
            for _, row, text, start in self._dated
        }
        worth = dict.fromkeys(dated, _STRONG)
        for tag in STRONG:
            rows = rows_with(walk.elements, _TAG, TAG_ID[tag])
            worth.update(dict.fromkeys(rows, _STRONG))
        links = rows_with(walk.elements, _TAG, TAG_ID["a"])
        found = zip(links, attribute_values(walk, links, "href"), strict=True)
        addresses = {row: f"/{(href or '')[:300].lower()}" for row, href in found}
        profiles = [row for row in links if _PROFILE.search(addresses[row])]
        worth.update(dict.fromkeys(profiles, _LINKED))
        worth.update(dict.fromkeys(WRITERS.rows(walk), _NAMED))
        rows = [row for row in sorted(worth) if self._ends[row] - row <= _ROWS]
        pairs = [*zip(rows, nodes_of(walk, rows), strict=True)]
        for row, node in watched(reversed(pairs)):
            text = dated.get(row) or _line_of(node)
            name = Posts.without_says(text.rstrip(" ·•|,;:–—-»"))
            if not _is_name(name):
                continue
            value = worth[row]
            if value > _STRONG:
                letters = _letters(name)
                if len(letters) > 2 and letters in _letters(addresses.get(row, "")):
                    value += _TOLD
            # Of elements inside each other the innermost has the name alone.
            inner = next(reversed(self._names), len(self._ends))
            if inner < self._ends[row]:
                self._worth[inner] = max(self._worth[inner], value)
            else:
                self._names[row], self._worth[row] = name, value

    @cached_property
    def _dated(self) -> list[tuple[int, int, str, int]]:
        """Short blocks with dates: number, element, text, and where the date begins."""
        blocks = self._walk.blocks
        is_short = blocks[:, BlockColumn.CHARS] < 2 * _CHARS
        has_digits = blocks[:, BlockColumn.DIGITS] > 4
        units: list[int] = (is_short & has_digits).nonzero()[0].tolist()
        rows = blocks[units, BlockColumn.ELEMENT].tolist()
        texts = self.blocks.texts(units)
        return [
            (unit, row, text, start)
            for unit, row, text in zip(units, rows, texts, strict=True)
            for _, start, _ in islice(dates.found(text), 1)
        ]

    def _groups(self) -> Sequence[tuple[int, ...]]:
        """Possible authors that have the same place, the largest groups first.

        Places are told by names and tags, and by tags alone, as names tell of ranks.
        """
        groups: dict[object, list[int]] = {}
        for row in self._rows:
            way = [row]
            while len(way) < _AROUND and way[-1] > 0:
                way.append(self._parents[way[-1]])
            shapes = tuple([self._shape(up) for up in way[:3]])
            tags = tuple([self._tags[up] for up in way])
            for place in (shapes, shapes[:2], tags):
                groups.setdefault(place, []).append(row)
        several = {tuple(group) for group in groups.values() if len(group) > 1}
        return sorted(several, key=lambda group: (-len(group), group))[:_GROUPS]

    def _best(self) -> list[Frame]:
        """The posts by the authors that cut most of the text into parts."""
        best: list[Frame] = []
        most = 0.0
        for rows in watched(self._groups(), 1):
            tried = [(self._sizes(self._inner(one)), one) for one in self._parts(rows)]
            own, frames = max(tried, key=lambda one: np.count_nonzero(one[0]))
            names = len({self._names[row] for row in rows}) / len(rows)
            worth = sum(self._worth[row] for row in rows) / len(rows)
            value = own.sum() * log(1 + np.count_nonzero(own)) * sqrt(names) * worth
            if value > most:
                best, most = frames, value
        return best

    # -- posts

    def _parts(self, authors: Sequence[int]) -> tuple[list[Frame], list[Frame]]:
        """For each author the largest element with no other, and one with what follows."""
        ways: list[list[int]] = []
        behind = len(self._parents)
        nexts = (*authors[1:], behind)
        for row, before, after in zip(authors, (-1, *authors), nexts, strict=False):
            way = [row]
            while (up := self._parents[way[-1]]) > before and after >= self._ends[up]:
                way.append(up)
            ways.append(way)
        level = min(map(len, ways)) - 1
        # Those with what follows are equally far from the authors in them.
        rows = [way[level] for way in ways]
        frames = [self._frame(way[-1], way[0]) for way in ways]
        followed: list[Frame] = []
        for row, after, author in zip(rows, (*rows[1:], behind), authors, strict=True):
            up = max(self._parents[row], 0)
            end = min(self._ends[up], after)
            followed.append(Frame(row, end, self._lasts[up], author))
        return frames, followed

    def _frame(self, row: int, author: int) -> Frame:
        return Frame(row, self._ends[row], self._lasts[row], author)

    def _inner(self, frames: Sequence[Frame]) -> npt.NDArray[np.intp]:
        """For each block the innermost of some posts, in order, or -1."""
        found = np.full(len(self._words) - 1, -1, dtype=np.intp)
        for frame in frames:
            found[self._firsts[frame.row] : frame.last] = frame.row
        return found

    def _sizes(self, post_of: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        """How many words each post has, by rows, of the blocks that are given to it."""
        return np.bincount(post_of + 1, self._words[:-1], len(self._ends) + 1)[1:]

    def _like(self, frames: Sequence[Frame]) -> list[Frame]:
        """Elements between posts that are like them, but have no author in that place."""
        if any(frame.last > self._lasts[frame.row] for frame in frames):
            return []  # a post is several elements
        counts = Counter((self._parents[row], self._tags[row]) for row, *_ in frames)
        alike = {place for place, n in counts.items() if n > 1}
        known = {frame.row for frame in frames}
        places = enumerate(zip(self._parents, self._tags, strict=True))
        rows = [row for row, at in places if at in alike and row not in known]
        full = filter(self._words_in, rows)
        return [self._frame(row, self._author_in(row)) for row in full]

    def _author_in(self, row: int) -> int:
        """The element in another one that most likely is an author, or -1."""
        at = bisect_left(self._rows, row)
        inside = [one for one in self._rows[at : at + 5] if one < self._ends[row]]
        likely = [one for one in inside if self._worth[one] > _STRONG]
        return max(likely, key=self._worth.__getitem__, default=-1)

    def _shape(self, row: int) -> tuple[int, bytes]:
        """An element's tag and its names."""
        return self._tags[row], self._walk.names_of(row)

    def _words_in(self, row: int) -> int:
        return self._sums[self._lasts[row]] - self._sums[self._firsts[row]]

    # -- what posts say

    def details(self, post: int) -> tuple[str, str, int]:
        """A post's author, the time nearest to the name, and the row with the time."""
        frame = self._frames[post]
        place = max(frame.author, frame.row)
        at = bisect_left(self._times, (place,))
        near = [
            (rank, abs(row - place), time, row)
            for row, rank, time in self._times[max(at - _TIMES, 0) : at + _TIMES]
            if frame.row <= row < frame.end
        ]
        *_, time, row = min(near, default=("", -1))
        return self._names.get(frame.author, ""), time, row

    def byline(self, post: int) -> list[tuple[str, int]]:
        """A post's author and time, with styles, as far as they are there and not kept.

        There is none where a single post has all the text.
        """
        if not self._are_several:
            return []
        author, time, row = self.details(post)
        named = self._frames[post].author
        is_said = author and not self._words[self._firsts[named]]
        spans = [(author, STRONG_TEXT)] if is_said else []
        if time and not self._words[self._firsts[row]]:
            spans.append((f", {time}" if spans else time, 0))
        return spans

    @cached_property
    def _are_several(self) -> bool:
        return bool(np.count_nonzero(self._sizes(self._post_of)) > 1)

    def text_units(self, units: Sequence[int]) -> dict[int, list[int]]:
        """For each post those of some blocks, in rising order, that are its text or quotes."""
        found: dict[int, list[int]] = {}
        for unit, post in zip(units, self._telling[units].tolist(), strict=True):
            if post >= 0:
                found.setdefault(post, []).append(unit)
        return found

    def left_out(self) -> list[int]:
        """The blocks of posts of which no text was given.

        They stand in the same places as the others' blocks.
        """
        own = self.text_units(self.spoken.units)
        if len(own) == len(self):
            return []
        places = {self._place(unit) for inside in own.values() for unit in inside}
        everything = self.text_units(range(len(self.blocks)))
        others = [inside for post, inside in everything.items() if post not in own]
        units = {*chain.from_iterable(others)} - self._removed
        return [unit for unit in units if self._place(unit) in places]

    def _place(self, unit: int) -> object:
        """What tells a block from those that hold other things in a post."""
        row = self._walk.blocks.item(unit, BlockColumn.ELEMENT)
        return self._shape(row), self._shape(max(self._parents[row], 0))

    def quoted(self, units: Sequence[int]) -> set[int]:
        """Those of some blocks, in rising order, that quote others, or say whom."""
        found = {unit for unit in units if self._is_quoted[unit]}
        for before, unit in pairwise(units):
            text = self.blocks.text(before) if unit in found else ""
            if len(text) <= 2 * _CHARS and _SAYS.search(text):
                found.add(before)
        return found

    def laid_out(self) -> Walk:
        """The walk with elements named as what they are for posts.

        What holds posts is no list or table, and what quotes is a blockquote.
        """
        elements = self._walk.elements.copy()
        inside = np.zeros(len(elements) + 1, dtype=np.intp)
        for frame in self._frames.values():
            inside[[frame.row + 1, max(frame.row, frame.author) + 1]] = 1
        before = inside.cumsum()
        layout = (before[self._ends] > before[:-1]) | (elements[:, _TAG] == _QUOTE)
        elements[layout, _TAG] = TAG_ID["div"]
        # Of quotes within each other those with the tag, else the innermost.
        rows = self._quotes
        for row, after in zip(rows, (*rows[1:], len(elements)), strict=False):
            if self._tags[row] == _QUOTE or after >= self._ends[row]:
                elements[row, _TAG] = _QUOTE
        return replace(self._walk, elements=elements)

    @cached_property
    def _times(self) -> list[tuple[int, int, str]]:
        """The times of posts in order: element, whether it is no date, and time.

        A date in a line of its own is better than a time that is no date.
        """
        walk = self._walk
        found: list[tuple[int, int, str]] = []
        for unit, row, text, start in self._dated:
            if not self._is_quoted[unit] and not _OTHER_DATE.match(text):
                time = dates.iso(text[start:], day_first=self._day_first)
                found.append((row, 1, time))
        rows = {*rows_with(walk.elements, _TAG, TAG_ID["time"]), *POST_TIMES.rows(walk)}
        named = sorted(row for row in rows if not self._is_quoted[self._firsts[row]])
        for row, node in zip(named, nodes_of(walk, named), strict=True):
            text = _line_of(node)
            if time := moment_of(node, text, day_first=self._day_first):
                found.append((row, 0, time))
            elif len(text) <= _CHARS and re.search(r"\d.*[^\W\d]", text):
                found.append((row, 2, text))
        return sorted(found)

    # -- places

    @cached_property
    def _telling(self) -> npt.NDArray[np.intp]:
        """For each block the post whose text it may be, or -1.

        What stands around authors is none: in the largest element
        that in few posts has all words, and of all posts together less than half.
        """
        found = self._post_of.copy()
        own = self._sizes(found)
        there = [(frame, frame.author) for frame in self._grouped]
        while there:
            words = [self._words_in(row) for _, row in there]
            posts = [own[frame.row] for frame, _ in there]
            whole = sum(a == b > 0 for a, b in zip(posts, words, strict=True))
            if 2 * whole > np.count_nonzero(own) or 2 * sum(words) > own.sum():
                break
            above: list[tuple[Frame, int]] = []
            for frame, row in there:
                inside = found[self._firsts[row] : self._lasts[row]]
                inside[inside == frame.row] = -1
                up = self._parents[row]
                if up >= frame.row + (frame.end == self._ends[frame.row]):
                    above.append((frame, up))
            there = above
        return found

    @cached_property
    def _is_quoted(self) -> list[bool]:
        """For each block whether it is in an element that quotes."""
        found = np.zeros(len(self._words), dtype=bool)
        for row in self._quotes:
            found[self._firsts[row] : self._lasts[row]] = True
        return found.tolist()

    @cached_property
    def _quotes(self) -> list[int]:
        """The elements that quote, in order; those that are alike do not have most words."""
        tagged = rows_with(self._walk.elements, _TAG, _QUOTE)
        groups: dict[object, list[int]] = {}
        for row in {*tagged, *QUOTES.rows(self._walk)}:
            groups.setdefault(self._shape(row), []).append(row)
        most = _BODIES * self._sums[-1]
        small = [
            one for one in groups.values() if sum(map(self._words_in, one)) <= most
        ]
        return sorted(chain.from_iterable(small))
