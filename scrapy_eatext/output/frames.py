"""Where the posts of a thread stand, found by their authors.

Boards differ in names, tags and order, but each post has its author in the same place,
and names differ from post to post.  So elements that may be authors are grouped by what
is around them.  A group cuts the page into parts with one author each: the group whose
parts hold most of the text is that of the posts' authors.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_eatext.output.posts import Posts
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import NO_AUTHORS, THREAD_AUTHORS
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import STRONG, TAG_ID
from scrapy_eatext.page.walk import attribute_values, nodes_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.blocks import Blocks

# Addresses of what a board tells of a member, in small letters.
_PROFILE = re.compile(
    r"[/?&;](?:[~@]|(?:u|users?|members?|profiles?|people|authors?|usuarios?|home|space)"
    r"[/.?-]|(?:user|member|u)_?(?:id)?=|(?:action|mod|mode)=(?:profile|space|viewprofile)"
    r"|memberlist|showuser|user-?info|viewprofile)"
)
# The most characters and words of a name, and elements in the element that holds it.
CHARS, _WORDS, _ROWS = 60, 6, 40
# What an author is worth by what its element is, and what is added where a link's
# address has the name.
_NAMED, _LINKED, _STRONG, _TOLD = 1.1, 1.0, 0.6, 0.2
# How many groups of possible authors are tried, the largest first, and how many
# elements from an author on outwards tell its place.
_GROUPS, _AROUND = 12, 5
_PARENT, _TAG = ElementColumn.PARENT, ElementColumn.TAG
_COLUMNS = (_PARENT, _TAG, ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK)


class Frame(NamedTuple):
    """A post: its first element, the first row and block behind it, and its author's row."""

    row: int
    end: int
    first: int
    last: int
    author: int


def text_of(node: Any) -> str:
    """The text of a small element; of a large one some of it."""
    parts = islice(node.itertext(), _ROWS)
    return " ".join("".join([part[:200] for part in parts]).split())


def _is_name(text: str) -> bool:
    """Whether a text may be the name of a person."""
    if len(text) > CHARS or not any(map(str.isalpha, text)):
        return False
    has_digit = any(map(str.isdigit, text))
    return len(text.split()) <= _WORDS and not (has_digit and dates.iso(text))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


class Frames:
    """The posts of a page, of some blocks of it that have their text.

    A post is told by the row of its first element, for which ``frames`` has its place.
    """

    def __init__(
        self, blocks: Blocks, units: Sequence[int], *, day_first: bool = True
    ) -> None:
        self.blocks, self.units, self._day_first = blocks, units, day_first
        self._walk = walk = blocks.walk
        columns: list[list[int]] = walk.elements[:, _COLUMNS].T.tolist()
        self._parents, self._tags, self._firsts, self._lasts = columns
        # For each row the first row behind its element.
        self._ends = ends = list(range(1, len(self._parents) + 1))
        for row in range(len(ends) - 1, 0, -1):
            parent = self._parents[row]
            if ends[parent] < ends[row]:
                ends[parent] = ends[row]
        self._words = np.zeros(len(walk.blocks) + 1, dtype=np.int64)
        self._words[units] = walk.blocks[units, BlockColumn.WORDS]
        # How many words stand before each block.
        self._sums: list[int] = [0, *self._words.cumsum().tolist()]
        self._shapes: dict[int, tuple[int, bytes]] = {}
        # The names of elements that may be authors, by their rows, and their worth.
        self._names: dict[int, str] = {}
        self._worth: dict[int, float] = {}
        self._find_authors()
        self._rows = list(self._names)
        self._grouped = self._best()
        found = sorted(self._grouped + self._like(self._grouped))
        self.frames = {frame.row: frame for frame in found}
        # For each block the post that it stands in, or -1.
        self._post_of = self._inner(found)

    def __len__(self) -> int:
        return len(self.frames)

    def of_units(self, units: Sequence[int]) -> dict[int, int]:
        """For some blocks the post that each stands in."""
        found = zip(units, self._post_of[units].tolist(), strict=True)
        return {unit: post for unit, post in found if post >= 0}

    # -- authors

    def _find_authors(self) -> None:
        """Find elements whose text may be a name, in order."""
        walk = self._walk
        dated = {row: text[:start] for _, row, text, start in self._dated_blocks()}
        worth = dict.fromkeys(dated, _STRONG)
        for tag in STRONG:
            rows = rows_with(walk.elements, _TAG, TAG_ID[tag])
            worth.update(dict.fromkeys(rows, _STRONG))
        links = rows_with(walk.elements, _TAG, TAG_ID["a"])
        found = zip(links, attribute_values(walk, links, "href"), strict=True)
        addresses = {row: f"/{(href or '')[:300].lower()}" for row, href in found}
        profiles = [row for row in links if _PROFILE.search(addresses[row])]
        worth.update(dict.fromkeys(profiles, _LINKED))
        worth.update(dict.fromkeys(THREAD_AUTHORS.rows(walk), _NAMED))
        others = set(NO_AUTHORS.rows(walk))
        small = [row for row in sorted(worth) if self._ends[row] - row <= _ROWS]
        rows = [row for row in small if row not in others]
        for row, node in zip(rows, nodes_of(walk, rows), strict=True):
            text = dated.get(row) or text_of(node)[: 2 * CHARS]
            name = Posts.without_says(text.rstrip(" ·•|,;:–—-»"))
            if _is_name(name):
                letters, value = _letters(name), worth[row]
                if len(letters) > 2 and letters in _letters(addresses.get(row, "")):
                    value += _TOLD * (value > _STRONG)
                self._add_author(row, name, value)

    def _add_author(self, row: int, name: str, value: float) -> None:
        """Add an author in place of those around it: the innermost has the name alone."""
        while self._names and row < self._ends[last := next(reversed(self._names))]:
            del self._names[last]
            value = max(value, self._worth.pop(last))
        self._names[row], self._worth[row] = name, value

    def _dated_blocks(self) -> Iterator[tuple[int, int, str, int]]:
        """Short blocks with dates: number, element, text, and where the date begins."""
        blocks = self._walk.blocks
        is_short = blocks[:, BlockColumn.CHARS] < 2 * CHARS
        has_digits = blocks[:, BlockColumn.DIGITS] > 4
        units: list[int] = (is_short & has_digits).nonzero()[0].tolist()
        for unit in units:
            text = self.blocks.text(unit)
            for _, start, _ in islice(dates.found(text), 1):
                yield unit, int(blocks[unit, BlockColumn.ELEMENT]), text, start

    def _groups(self) -> Sequence[tuple[int, ...]]:
        """Possible authors that have the same place, the largest groups first.

        Places are told by names and tags, and by tags alone, as names tell of ranks.
        """
        groups: dict[object, list[int]] = {}
        for row in self._rows:
            way = list(islice(self._up(row), _AROUND))
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
        for rows in self._groups():
            tried = [(frames, self._own_words(frames)) for frames in self._parts(rows)]
            frames, own = max(tried, key=lambda one: sum(map(bool, one[1])))
            full = sum(map(bool, own))
            if full < 2 and len(rows) < 3:
                continue
            names = len({self._names[row] for row in rows}) / len(rows)
            worth = sum(self._worth[row] for row in rows) / len(rows)
            value = sum(own) * log(1 + full) * sqrt(names) * worth
            if value > most:
                best, most = frames, value
        return best

    # -- posts

    def _parts(self, authors: Sequence[int]) -> tuple[list[Frame], list[Frame]]:
        """For each author the largest element with no other, and one with what follows.

        Those with what follows are equally far from the authors in them.
        """
        ways: list[list[int]] = []
        behind = len(self._parents)
        nexts = (*authors[1:], behind)
        for row, before, after in zip(authors, (-1, *authors), nexts, strict=False):
            way = [row]
            while (up := self._parents[way[-1]]) > before and after >= self._ends[up]:
                way.append(up)
            ways.append(way)
        level = min(map(len, ways)) - 1
        rows = [way[level] for way in ways]
        followed: list[Frame] = []
        for row, after, author in zip(rows, (*rows[1:], behind), authors, strict=True):
            up = max(self._parents[row], 0)
            end = min(self._ends[up], after)
            followed.append(Frame(row, end, self._firsts[row], self._lasts[up], author))
        return [self._frame(way[-1], way[0]) for way in ways], followed

    def _frame(self, row: int, author: int) -> Frame:
        return Frame(row, self._ends[row], *self._blocks_of(row), author)

    def _inner(self, frames: Sequence[Frame]) -> npt.NDArray[np.intp]:
        """For each block the innermost of some posts, in order, or -1."""
        found = np.full(len(self._words) - 1, -1, dtype=np.intp)
        for frame in frames:
            found[frame.first : frame.last] = frame.row
        return found

    def _own_words(self, frames: Sequence[Frame]) -> list[float]:
        """How many words each of some posts, in order, has beside those inside it."""
        own = np.bincount(self._inner(frames) + 1, self._words[:-1], len(self._ends) + 1)
        counts: list[float] = own[[frame.row + 1 for frame in frames]].tolist()
        return counts

    def _like(self, frames: Sequence[Frame]) -> list[Frame]:
        """Elements between posts that are like them, but have no author in that place."""
        if any(frame.last > self._lasts[frame.row] for frame in frames):
            return []  # a post is several elements
        counts = Counter((self._parents[row], self._tags[row]) for row, *_ in frames)
        alike = {place for place, n in counts.items() if n > 1}
        parents = [parent for parent, _ in alike]
        around = np.isin(self._walk.elements[:, _PARENT], parents).nonzero()[0].tolist()
        known = {frame.row for frame in frames}
        return [
            self._frame(row, self._author_in(row))
            for row in around
            if row not in known
            and (self._parents[row], self._tags[row]) in alike
            and self._kept_words(*self._blocks_of(row))
        ]

    def _author_in(self, row: int) -> int:
        """The element in another one that most likely is an author, or -1."""
        at = bisect_left(self._rows, row)
        inside = [one for one in self._rows[at : at + 5] if one < self._ends[row]]
        likely = [one for one in inside if self._worth[one] > _STRONG]
        return max(likely, key=self._worth.__getitem__, default=-1)

    # -- elements

    def _up(self, row: int) -> Iterator[int]:
        """An element and those around it, from the inside."""
        while row >= 0:
            yield row
            row = self._parents[row]

    def _shape(self, row: int) -> tuple[int, bytes]:
        """An element's tag and its names."""
        if row not in self._shapes:
            cell = self._walk.elements.item
            first = cell(row, ElementColumn.FIRST_TOKEN)
            tokens = self._walk.tokens[first : first + cell(row, ElementColumn.TOKENS)]
            self._shapes[row] = self._tags[row], tokens.tobytes()
        return self._shapes[row]

    def _blocks_of(self, row: int) -> tuple[int, int]:
        return self._firsts[row], self._lasts[row]

    def _kept_words(self, first: int, last: int) -> int:
        return self._sums[last] - self._sums[first]
