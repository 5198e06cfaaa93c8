"""Where the posts of a thread stand, found by their authors.

Boards differ in names, tags and order, but each post has its author in the same place,
and names differ from post to post.  So elements that may be authors are grouped by what
is around them.  A group cuts the page into parts with one author each: the group whose
parts hold most of the kept text is that of the posts' authors.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_eatext.output.posts import is_post, without_says
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import NO_AUTHORS, REMARKS, THREAD_AUTHORS
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
# What stands between a name and a date.
_BETWEEN = " ·•|,;:–—-»"
# How many groups of possible authors are tried, the largest first, and how many
# elements around an author tell its place.
_GROUPS, _AROUND = 12, 5
# How many words the first post has at least where its author is in another place than
# the others' are, and how many blocks away the author is at most.
_FIRST_WORDS, _NEAR = 5, 20
_COLUMNS = (
    ElementColumn.PARENT,
    ElementColumn.TAG,
    ElementColumn.FIRST_BLOCK,
    ElementColumn.LAST_BLOCK,
)


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
    """The posts of a page, by the rows of their elements, of some blocks with their text.

    ``names`` has the names of all elements that may be authors, ``grouped`` the posts
    that have their authors in the same place.
    """

    def __init__(self, blocks: Blocks, units: Sequence[int]) -> None:
        self.blocks, self.units = blocks, units
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
        self._names: dict[int, str] = {}
        self._worth: dict[int, float] = {}
        self._find_authors()
        self._rows = list(self._names)
        frames = self._best()
        self._grouped = [frame.row for frame in frames]
        frames += self._like(frames)
        frames += self._first_post(frames)
        frames += self._remarks(frames)
        self._frames = {frame.row: frame for frame in sorted(frames)}
        self._posts = list(self._frames)
        # For each block the number of the post that it stands in, or -1.
        self._post_of = self._inner(list(self._frames.values()))

    def __len__(self) -> int:
        return len(self._frames)

    def of_units(self, units: Sequence[int]) -> dict[int, int]:
        """For some blocks the post that each stands in."""
        return self._posts_of(units, self._post_of)

    def _posts_of(
        self, units: Sequence[int], post_of: npt.NDArray[np.intp]
    ) -> dict[int, int]:
        numbers = post_of[list(units)].tolist()
        pairs = zip(units, numbers, strict=True)
        return {unit: self._posts[number] for unit, number in pairs if number >= 0}

    # -- authors

    def _find_authors(self) -> None:
        """Find elements whose text may be a name, in order."""
        walk = self._walk
        dated = self._dated_names()
        worth = dict.fromkeys(dated, _STRONG)
        for tag in STRONG:
            rows = rows_with(walk.elements, ElementColumn.TAG, TAG_ID[tag])
            worth.update(dict.fromkeys(rows, _STRONG))
        links = rows_with(walk.elements, ElementColumn.TAG, TAG_ID["a"])
        found = zip(links, attribute_values(walk, links, "href"), strict=True)
        addresses = {row: f"/{(href or '')[:300].lower()}" for row, href in found}
        profiles = [row for row in links if _PROFILE.search(addresses[row])]
        worth.update(dict.fromkeys(profiles, _LINKED))
        worth.update(dict.fromkeys(THREAD_AUTHORS.rows(walk), _NAMED))
        others = set(NO_AUTHORS.rows(walk))
        small = [row for row in sorted(worth) if self._ends[row] - row <= _ROWS]
        rows = [row for row in small if row not in others]
        for row, node in zip(rows, nodes_of(walk, rows), strict=True):
            name = dated.get(row) or without_says(text_of(node)[: 2 * CHARS])
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

    def _dated_names(self) -> dict[int, str]:
        """What stands before a date in short blocks that have no text of posts."""
        blocks = self._walk.blocks
        is_short = blocks[:, BlockColumn.CHARS] < 2 * CHARS
        has_digits = blocks[:, BlockColumn.DIGITS] > 4
        units = (is_short & has_digits & (self._words[:-1] == 0)).nonzero()[0].tolist()
        names: dict[int, str] = {}
        for unit in units:
            text = self.blocks.text(unit)
            for _, start, _ in islice(dates.found(text), 1):
                name = without_says(text[:start].rstrip(_BETWEEN))
                names[int(blocks[unit, BlockColumn.ELEMENT])] = name
        return names

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
        behind = (*authors[1:], len(self._parents))
        for row, before, after in zip(authors, (-1, *authors), behind, strict=False):
            way = [row]
            while (up := self._parents[way[-1]]) > before and after >= self._ends[up]:
                way.append(up)
            ways.append(way)
        alone = [self._frame(way[-1], way[0]) for way in ways]
        level = min(map(len, ways)) - 1
        followed: list[Frame] = []
        firsts = [way[level] for way in ways]
        for row, after, author in zip(firsts, (*firsts[1:], len(self._parents)), authors, strict=True):
            up = max(self._parents[row], 0)
            end = min(self._ends[up], after)
            followed.append(Frame(row, end, self._firsts[row], self._lasts[up], author))
        return alone, followed

    def _frame(self, row: int, author: int) -> Frame:
        return Frame(row, self._ends[row], *self._blocks_of(row), author)

    def _inner(self, frames: Sequence[Frame]) -> npt.NDArray[np.intp]:
        """For each block the number of the innermost of some posts, in order, or -1."""
        found = np.full(len(self._words) - 1, -1, dtype=np.intp)
        for number, frame in enumerate(frames):
            found[frame.first : frame.last] = number
        return found

    def _own_words(self, frames: Sequence[Frame]) -> list[float]:
        """How many words each of some posts, in order, has beside those inside it."""
        numbers = self._inner(frames) + 1
        return np.bincount(numbers, self._words[:-1], len(frames) + 1)[1:].tolist()

    def _like(self, frames: Sequence[Frame]) -> list[Frame]:
        """Elements between posts that are like them, but have no author in that place."""
        if any(frame.last > self._lasts[frame.row] for frame in frames):
            return []  # a post is several elements
        counts = Counter((self._parents[row], self._tags[row]) for row, *_ in frames)
        alike = {place for place, n in counts.items() if n > 1}
        parents = self._walk.elements[:, ElementColumn.PARENT]
        around = np.isin(parents, [parent for parent, _ in alike]).nonzero()[0].tolist()
        known = {frame.row for frame in frames}
        found = [
            self._frame(row, self._author_in(row))
            for row in around
            if row not in known and (self._parents[row], self._tags[row]) in alike
        ]
        return [frame for frame in found if self._kept_words(frame.first, frame.last)]

    def _first_post(self, frames: Sequence[Frame]) -> list[Frame]:
        """The first or only post, where its author is in another place than the others'.

        The author stands near its longest block.
        """
        last = min((frame.first for frame in frames), default=len(self._words) - 1)
        end = min((frame.row for frame in frames), default=len(self._parents))
        if self._kept_words(0, last) < _FIRST_WORDS:
            return []
        longest = int(self._words[:last].argmax())
        near = [
            (self._worth[row], -abs(self._firsts[row] - longest), row)
            for row in self._rows[: bisect_left(self._rows, end)]
            if self._worth[row] >= _NAMED and abs(self._firsts[row] - longest) <= _NEAR
        ]
        first = int(self._words.nonzero()[0][0])
        return [Frame(0, end, first, last, max(near)[2])] if near else []

    def _remarks(self, frames: Sequence[Frame]) -> list[Frame]:
        """What readers remarked on a post, within its element: all that is called so."""
        authors = sorted(frame.author for frame in frames)
        rows = REMARKS.rows(self._walk)
        found = [
            self._frame(row, self._author_in(row))
            for row, node in zip(rows, nodes_of(self._walk, rows), strict=True)
            if bisect_left(authors, row) == bisect_left(authors, self._ends[row])
            and is_post(node)
        ]
        # Of elements with one author the innermost.
        return [*{frame.author: frame for frame in found if frame.author >= 0}.values()]

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

    def _blocks_in(self, rows: Iterable[int]) -> list[bool]:
        """For each block whether it is in one of some elements."""
        found = np.zeros(len(self._words), dtype=bool)
        for row in rows:
            found[self._firsts[row] : self._lasts[row]] = True
        return found.tolist()

    def _kept_words(self, first: int, last: int) -> int:
        return self._sums[last] - self._sums[first]

    def _is_kept(self, first: int, last: int) -> bool:
        return self._kept_words(first, max(last, first + 1)) > 0
