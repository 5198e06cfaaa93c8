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
from itertools import accumulate, islice, takewhile
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_eatext.output.posts import Posts, is_post
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import NO_AUTHORS, REMARKS, THREAD_AUTHORS
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import STRONG, TAG_ID
from scrapy_eatext.page.walk import attribute_values, nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.page.blocks import Blocks

# Links to what a board tells of a member, and to something else about one.
_PROFILE = re.compile(
    r"(?:^|/)(?:[~@]|(?:u|users?|members?|profiles?|people|authors?|usuarios?|home|space)"
    r"(?:[/.?-]|\.php)|space-uid)|(?:[?&;]|^)(?:action=profile|mode=viewprofile|mod=space"
    r"|(?:user|member|u)_?(?:id)?=)|memberlist|showuser|user-?info|viewprofile",
    re.IGNORECASE,
)
_NO_PROFILE = re.compile(r"search|do=find|register|login|signup|#", re.IGNORECASE)
# Texts that are no names: signs and numbers, buttons, and what is told with a number.
_NO_NAME = re.compile(
    r"[\W\d_]*$|\W*(?:author|edit|link|profile|quote|reply|report|share)\W*$"
    r"|.*\d\s?(?:\w{1,10}\s)?(?:ago\b|前)|.*\d\s(?:comments|messages|points|posts|replies)\b|.*\b(?:answered|asked"
    r"|edited|joined|location|members?|messages?|modified|posts?)\b.*\d",
    re.IGNORECASE,
)
# The most characters and words of a name, and elements in the element that holds it.
CHARS, _WORDS, _ROWS = 60, 6, 40
# What an author is worth by what its element is, and what is added where a link's
# address has the name.
_NAMED, _LINKED, _STRONG, _TOLD = 1.1, 1.0, 0.6, 0.2
# What stands between a name and a date.
_BETWEEN = " ·•|,;:–—-»"
# How many groups of possible authors are tried, the largest first.
_GROUPS = 24
# How many words the first post has at least where its author is in another place than
# the others' are, and how many blocks away the author is at most.
_FIRST_WORDS, _NEAR = 8, 20
_LINK = TAG_ID["a"]
_COLUMNS = (
    ElementColumn.PARENT,
    ElementColumn.TAG,
    ElementColumn.DEPTH,
    ElementColumn.FIRST_BLOCK,
    ElementColumn.LAST_BLOCK,
    ElementColumn.FIRST_TOKEN,
    ElementColumn.TOKENS,
)


class _Author(NamedTuple):
    """An element that may hold an author's name, and what that is worth."""

    row: int
    name: str
    worth: float


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
    return " ".join("".join(part[:200] for part in parts).split())


def _is_name(text: str) -> bool:
    """Whether a text may be the name of a person."""
    is_short = len(text) <= CHARS and len(text.split()) <= _WORDS
    return is_short and not _NO_NAME.match(text) and not dates.iso(text)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text[:300].casefold()))


class Frames:
    """The posts of a page whose kept blocks are given, by the rows of their elements.

    ``names`` has the names of all elements that may be authors; ``alike`` the posts that
    have their authors in the same place.
    """

    def __init__(self, blocks: Blocks, kept: Sequence[int]) -> None:
        self._walk = walk = blocks.walk
        self._blocks = blocks
        self._kept = kept
        columns: list[list[int]] = walk.elements[:, _COLUMNS].T.tolist()
        self._parents, self._tags, self._depths = columns[:3]
        self._firsts, self._lasts, self._tokens, self._counts = columns[3:]
        # For each row the first row behind its element.
        self._ends = list(range(1, len(self._parents) + 1))
        for row in range(len(self._ends) - 1, 0, -1):
            parent = self._parents[row]
            self._ends[parent] = max(self._ends[parent], self._ends[row])
        words = np.zeros(len(walk.blocks), dtype=np.int64)
        words[list(kept)] = walk.blocks[list(kept), BlockColumn.WORDS]
        # How many kept words stand before each block.
        self._words: list[int] = [0, *accumulate(words.tolist())]
        self._authors = self._possible_authors()
        self._names = {author.row: author.name for author in self._authors}
        frames = self._best()
        self._grouped = [frame.row for frame in frames]
        frames += self._like(frames)
        frames += self._first_post(frames)
        frames += self._remarks(frames)
        self._frames = {frame.row: frame for frame in sorted(frames)}

    def __len__(self) -> int:
        return len(self._frames)

    def of_units(self, units: Iterable[int]) -> dict[int, int]:
        """For some blocks, in rising order, the post that each stands in."""
        waiting = sorted(self._frames.values(), key=lambda one: (-one.first, one.last))
        around: list[Frame] = []
        found: dict[int, int] = {}
        for unit in units:
            while waiting and waiting[-1].first <= unit:
                around.append(waiting.pop())
            while around and around[-1].last <= unit:
                around.pop()
            if around:
                found[unit] = around[-1].row
        return found

    # -- authors

    def _possible_authors(self) -> list[_Author]:
        """Elements whose text may be a name, in order."""
        walk = self._walk
        worth: dict[int, float] = {}
        for tag in STRONG:
            for row in rows_with(walk.elements, ElementColumn.TAG, TAG_ID[tag]):
                if not self._is_kept(*self._blocks_of(row)):
                    worth[row] = _STRONG
        dated = self._dated_names()
        worth.update(dict.fromkeys(dated, _STRONG))
        links = rows_with(walk.elements, ElementColumn.TAG, _LINK)
        addresses = attribute_values(walk, links, "href")
        for row, address in zip(links, addresses, strict=True):
            href = (address or "")[:300]
            if _PROFILE.search(href) and not _NO_PROFILE.search(href):
                worth[row] = _LINKED
        worth.update(dict.fromkeys(THREAD_AUTHORS.rows(walk), _NAMED))
        others = set(NO_AUTHORS.rows(walk))
        small = [row for row in sorted(worth) if self._ends[row] - row <= _ROWS]
        rows = [row for row in small if row not in others]
        found: list[_Author] = []
        for row, node in zip(rows, nodes_of(walk, rows), strict=True):
            name = dated.get(row) or Posts.without_says(text_of(node))
            if not _is_name(name):
                continue
            value, letters = worth[row], _letters(name)
            if value > _STRONG and letters in _letters(node.get("href") or ""):
                value += _TOLD * (len(letters) > 2)
            place = row
            # The innermost element has the name alone, but a link has it as a whole.
            while found and row < self._ends[found[-1].row]:
                outer = found[-1]
                if name != outer.name and outer.worth - value >= _TOLD:
                    break
                value = max(value, found.pop().worth)
                if name == outer.name and self._tags[outer.row] == _LINK:
                    place = outer.row
            found.append(_Author(place, name, value))
        return found

    def _dated_names(self) -> dict[int, str]:
        """What stands before a date in short blocks that are not kept."""
        columns = [BlockColumn.CHARS, BlockColumn.DIGITS, BlockColumn.ELEMENT]
        sizes: list[list[int]] = self._walk.blocks[:, columns].tolist()
        names: dict[int, str] = {}
        for unit, (chars, digits, row) in enumerate(sizes):
            if digits > 4 and chars < 2 * CHARS and not self._is_kept(unit, unit):
                text = self._blocks.text(unit)
                for _, start, _ in islice(dates.found(text), 1):
                    names[row] = Posts.without_says(text[:start].rstrip(_BETWEEN))
        return names

    def _groups(self) -> Iterator[tuple[_Author, ...]]:
        """Possible authors that have the same place, the largest groups first.

        Places are told by names and tags, and by tags alone, as names tell of ranks.
        """
        groups: dict[object, list[_Author]] = {}
        for author in self._authors:
            way = list(islice(self._up(author.row), 5))
            shapes = tuple(self._shape(row) for row in way[:3])
            tags = tuple(self._tags[row] for row in way)
            for place in (shapes, shapes[:2], tags):
                inside = groups.setdefault(place, [])
                if not inside or author.row >= self._ends[inside[-1].row]:
                    inside.append(author)
        # One person may write all posts, but what is strong says the same of each.
        several = {
            tuple(group)
            for group in groups.values()
            if len(group) > 1
            and (group[0].worth > _STRONG or len({one.name for one in group}) > 1)
        }
        in_order = sorted(several, key=lambda group: (-len(group), group))
        return islice(iter(in_order), _GROUPS)

    def _best(self) -> list[Frame]:
        """The posts by the authors that cut most of the kept text into parts."""
        best: list[Frame] = []
        most = 0.0
        for group in self._groups():
            rows = [author.row for author in group]
            parts = self._parts(rows)
            frames = [self._frame(*one) for one in zip(parts, rows, strict=True)]
            runs = self._runs(parts, rows)
            own, others = self._own_words(frames), self._own_words(runs)
            if sum(map(bool, others)) > sum(map(bool, own)):
                frames, own = runs, others
            full = sum(map(bool, own))
            if full < 2 and len(group) < 3:
                continue
            depths = Counter(
                self._depths[frame.author] - self._depths[frame.row] for frame in frames
            )
            even = max(depths.values()) / len(group)
            names = len({author.name for author in group}) / len(group)
            value = (
                sum(own) * log(1 + full) * sqrt(even * full / len(group) * sqrt(names))
            )
            value *= sum(author.worth for author in group) / len(group)
            if value > most:
                best, most = frames, value
        return best

    # -- posts

    def _parts(self, rows: Sequence[int]) -> list[int]:
        """For each of some elements the largest element around it that has no other."""
        parts: list[int] = []
        behind = (*rows[1:], len(self._parents))
        for row, before, after in zip(rows, (-1, *rows), behind, strict=False):
            part = row
            while (up := self._parents[part]) > before and after >= self._ends[up]:
                part = up
            parts.append(part)
        return parts

    def _runs(self, parts: list[int], authors: list[int]) -> list[Frame]:
        """Posts that are successive elements, of which the first has the author.

        The first elements are equally far from the authors in them.
        """
        ways = [
            list(takewhile(self._parents[part].__ne__, self._up(author)))
            for part, author in zip(parts, authors, strict=True)
        ]
        level = min(map(len, ways)) - 1
        rows = [way[level] for way in ways]
        frames = []
        behind = (*rows[1:], len(self._parents))
        for row, after, author in zip(rows, behind, authors, strict=True):
            around = max(self._parents[row], 0)
            end = min(self._ends[around], after)
            frames.append(
                Frame(row, end, self._firsts[row], self._lasts[around], author)
            )
        return frames

    def _frame(self, row: int, author: int) -> Frame:
        return Frame(row, self._ends[row], *self._blocks_of(row), author)

    def _own_words(self, frames: Sequence[Frame]) -> list[int]:
        """How many kept words each of some posts, in order, has beside author and replies."""
        own: list[int] = []
        around: list[int] = []
        for n, frame in enumerate(frames):
            words = self._kept_words(frame.first, frame.last)
            while around and frames[around[-1]].last <= frame.first:
                around.pop()
            if around:
                own[around[-1]] -= words
            around.append(n)
            if frame.author >= 0:
                first, behind = self._blocks_of(frame.author)
                words -= self._kept_words(first, max(behind, first + 1))
            own.append(words)
        return [max(words, 0) for words in own]

    def _like(self, frames: Sequence[Frame]) -> list[Frame]:
        """Elements between posts that are like them, but have no author in that place."""
        if not all(frame.last == self._lasts[frame.row] for frame in frames):
            return []  # a post is several elements
        rows = {frame.row for frame in frames}
        like: dict[tuple[int, int], list[set[int]]] = {}
        for row in rows:
            key = self._parents[row], self._tags[row]
            like.setdefault(key, []).append(self._tokens_of(row))
        known = {key: set().union(*sets) for key, sets in like.items() if len(sets) > 1}
        found: list[Frame] = []
        for row, key in enumerate(zip(self._parents, self._tags, strict=True)):
            if key in known and row not in rows:
                tokens = self._tokens_of(row)
                is_like = 2 * len(tokens & known[key]) >= len(tokens)
                frame = self._frame(row, self._author_in(row, self._ends[row]))
                words = self._kept_words(frame.first, frame.last)
                if words and is_like and bool(tokens) == bool(known[key]):
                    found.append(frame)
        return found

    def _first_post(self, frames: Sequence[Frame]) -> list[Frame]:
        """The first or only post, where its author is in another place than the others'.

        The author stands near its longest block.
        """
        last = min((frame.first for frame in frames), default=len(self._words) - 1)
        end = min((frame.row for frame in frames), default=len(self._parents))
        units = self._kept[: bisect_left(self._kept, last)]
        if self._kept_words(0, last) < (_FIRST_WORDS if frames else 1):
            return []
        longest = max(units, key=lambda unit: self._kept_words(unit, unit + 1))
        near = [
            (author.worth, -abs(self._firsts[author.row] - longest), author.row)
            for author in self._authors
            if author.row < end
            and author.worth >= _NAMED
            and abs(self._firsts[author.row] - longest) <= _NEAR
        ]
        return [Frame(0, end, units[0], last, max(near)[2])] if near else []

    def _remarks(self, frames: Sequence[Frame]) -> list[Frame]:
        """What readers remarked on a post, within its element: all that is called so."""
        authors = sorted(frame.author for frame in frames)
        spans = sorted((frame.row, frame.end) for frame in frames)
        ends = list(accumulate((end for _, end in spans), max))
        found: list[Frame] = []
        before = len(self._parents)
        # The innermost elements that have an author.
        rows = REMARKS.rows(self._walk)
        nodes = nodes_of(self._walk, rows)
        for row, node in zip(reversed(rows), reversed(nodes), strict=True):
            end = self._ends[row]
            at = bisect_left(spans, (row,)) - 1
            if end > before or at < 0 or ends[at] < end or not is_post(node):
                continue
            frame = self._frame(row, self._author_in(row, end))
            has_own = bisect_left(authors, row) == bisect_left(authors, end)
            said = self._kept_words(frame.first, frame.last)
            name = self._names.get(frame.author, "")
            if name and has_own and said > len(name.split()) + 1:
                found.append(frame)
                before = row
        return found if len(found) > 1 else []

    def _author_in(self, row: int, end: int) -> int:
        """The element in some rows that most likely is an author, or -1."""
        at = bisect_left(self._authors, (row,))
        best = _Author(-1, "", _STRONG)
        for author in self._authors[at : at + 5]:
            if author.row < end and author.worth > best.worth:
                best = author
        return best.row

    # -- elements

    def _up(self, row: int) -> Iterator[int]:
        """An element and those around it, from the inside."""
        while row >= 0:
            yield row
            row = self._parents[row]

    def _around(self, rows: Iterable[int]) -> set[int]:
        """Some elements and all around them."""
        seen = {-1}
        for row in rows:
            seen.update(takewhile(lambda up: up not in seen, self._up(row)))
        return seen - {-1}

    def _shape(self, row: int) -> tuple[int, bytes]:
        """An element's tag and its names."""
        first = self._tokens[row]
        tokens = self._walk.tokens[first : first + self._counts[row]]
        return self._tags[row], tokens.tobytes()

    def _tokens_of(self, row: int) -> set[int]:
        first = self._tokens[row]
        return set(self._walk.tokens[first : first + self._counts[row]].tolist())

    def _blocks_of(self, row: int) -> tuple[int, int]:
        return self._firsts[row], self._lasts[row]

    def _kept_words(self, first: int, last: int) -> int:
        last = min(max(last, first), len(self._words) - 1)
        return self._words[last] - self._words[first]

    def _is_kept(self, first: int, last: int) -> bool:
        at = bisect_left(self._kept, first)
        return at < len(self._kept) and self._kept[at] < max(last, first + 1)
