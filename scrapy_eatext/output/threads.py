"""The posts of a thread: where they stand, who wrote them and when, what they quote.

Forums differ in class names, tags and order, but within one page each post has its
author in the same place, and the authors' names vary.  So elements that may be authors
are grouped by the elements around them.  Each group cuts the page into parts with one
author each; the group whose parts hold most of the text is that of the posts' authors.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain, islice, pairwise
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.metadata.visible import key
from scrapy_eatext.output.passages import words_of
from scrapy_eatext.output.posts import BEFORE_DATE, OF_TIME, moment_of, without_says
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import POST_TIMES, QUOTES, WRITERS
from scrapy_eatext.page.tables import rows_around, rows_with
from scrapy_eatext.page.tags import STRONG, STRONG_TEXT, TAG_ID
from scrapy_eatext.page.values import text_in
from scrapy_eatext.page.walk import attribute_values, nodes_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.output.code import Content
    from scrapy_eatext.page.blocks import Blocks
    from scrapy_eatext.page.walk import Walk

# Addresses of members' profiles, in lower case.
_PROFILE = re.compile(
    r"[/?&;](?:[~@]|(?:u|users?|members?|profiles?|people|authors?|usuarios?|home|space)"
    r"[/.?-]|(?:user|member|u)_?(?:id)?=|(?:action|mod|mode)=(?:profile|space|viewprofile)"
    r"|memberlist|showuser|user-?info|viewprofile)"
)
# The most characters and words of a name, the most elements in the element that holds
# it, and how many characters of that are read, white space included.
_CHARS, _WORDS, _ROWS, _READ = 60, 6, 40, 2000
# The score of a possible author: its element has a class of authors, links to a
# profile, or is strong or dated; and what is added if its link's address has the name.
_NAMED, _LINKED, _STRONG, _IN_ADDRESS = 1.1, 1.0, 0.6, 0.2
# How many groups of possible authors are tried, the largest first, and how many
# elements, from the author outwards, make up its place.
_GROUPS, _AROUND = 12, 5
_PARENT, _TAG = ElementColumn.PARENT, ElementColumn.TAG
_COLUMNS = (_PARENT, _TAG, ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK)
# Lines with dates that are not a post's.
_OTHER_DATE = re.compile(
    r"(?i)\W*(?:join|regist|member|since|last|edit|updat|modif|inscri|mitglied|注册|登录|最后)"
)
# An hour, a label, or counts; and an age such as "3 h", which is no name.
_NO_NAME = re.compile(
    r"(?i)\d:\d\d|[:;]\s|\d (?:comment|like|post|repl)|\s\d[\d,.]*\s.*\s\d[\d,.]*\Z"
)
_AGE = re.compile(r"(?i)\W*\d{1,3}\s?(?:d|h|hr|m|min|mo|s|w|y|yr)s?\W*")
# The classes of what else is said of a member, and of a text that may be selected and quoted.
_NO_WRITER = re.compile(r"(?i)user[_-]?(?:banner|extra|rank|stat|title)")
_TO_QUOTE = re.compile(r"(?i)to[_-]?quote")
# The end of a line that names the author of the quote below.
_SAYS = re.compile(r"(?i)(?:[:：↑]|\b(?:posted|said|wrote)\b.{0,9}(?:\.{3}|…))\s*$")
# Blockquotes with more than this share of all words are not quotes, but posts.
_MOST_QUOTED = 0.6
# Blocks of fewer words are no text of posts.
_TEXT = 8
# A list of topics has fewer words in the mean.
_SAID = 20
# A line that names the author is a byline if fewer lines of the post stand above it.
_SUBJECT = 2
# How many times before and after an author may be the post's.
_TIMES = 4
_FILLED = (TAG_ID["a"], TAG_ID["span"])
# The most characters before a date in a title, a weekday's.
_WEEKDAY = 11
_PARAGRAPH, _QUOTE = TAG_ID["p"], TAG_ID["blockquote"]


class Frame(NamedTuple):
    """A post: its first element, the row and the block at its end, its author."""

    row: int
    end: int
    last: int
    author: int


def _line_of(node: Any) -> str:
    """The text of an element in one line; only the beginning of a long text."""
    return " ".join(text_in(node)[:_READ].split())


def _name_in(text: str) -> str:
    """The name that a text is, without "says" and the like, or ""."""
    name = without_says(text.rstrip(" ·•|,;:–—-»"))
    if len(name) > _CHARS or not any(map(str.isalpha, name)):
        return ""
    has_digit = any(map(str.isdigit, name))
    is_name = len(name.split()) <= _WORDS and not (
        (has_digit and (_AGE.fullmatch(name) or dates.iso(name)))
        or _NO_NAME.search(name)
    )
    return name if is_name else ""


class Thread:
    """The posts of a page, each identified by the row of its first element.

    ``spoken`` is their text; ``removed`` are blocks that never belong to it.
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
        self._words[units] = [*map(words_of, blocks.texts(units))]
        # How many words stand before each block.
        self._sums: list[int] = [0, *self._words.cumsum().tolist()]
        # The names and the scores of possible authors, by their elements' rows.
        self._names: dict[int, str] = {}
        self._scores: dict[int, float] = {}
        self._find_authors()
        self._rows = sorted(self._names)
        self._grouped = self._best()
        frames = sorted(self._grouped + self._like(self._grouped))
        self._frames = {frame.row: frame for frame in frames}
        # The post that each block stands in, or -1.
        self._post_of = self._inner(frames)

    def __len__(self) -> int:
        return len(self._frames)

    def of_units(self, units: Sequence[int]) -> dict[int, int]:
        """The post that each of some blocks stands in; other blocks are left out."""
        posts = zip(units, self._post_of[units].tolist(), strict=True)
        return {unit: post for unit, post in posts if post >= 0}

    # -- authors

    def _find_authors(self) -> None:
        walk = self._walk
        dated = {
            row: BEFORE_DATE.sub("", text[:start])
            for _, row, text, start in self._dated
        }
        scores = dict.fromkeys(dated, _STRONG)
        for tag in STRONG:
            rows = rows_with(walk.elements, _TAG, TAG_ID[tag])
            scores.update(dict.fromkeys(rows, _STRONG))
        links = rows_with(walk.elements, _TAG, TAG_ID["a"])
        hrefs = zip(links, attribute_values(walk, links, "href"), strict=True)
        addresses = {row: f"/{(href or '')[:300].lower()}" for row, href in hrefs}
        profiles = [row for row in links if _PROFILE.search(addresses[row])]
        scores.update(dict.fromkeys(profiles, _LINKED))
        named = self._called(WRITERS.rows(walk), _NO_WRITER)
        scores.update(dict.fromkeys(named, _NAMED))
        rows = [row for row in sorted(scores) if self._ends[row] - row <= _ROWS]
        candidates = [*zip(rows, nodes_of(walk, rows), strict=True)]
        # Posts have many texts in common.
        name_in = lru_cache(maxsize=256)(_name_in)
        for row, node in watched(reversed(candidates)):
            text = dated.get(row) or _line_of(node)
            if not (name := name_in(text)):
                continue
            score = scores[row]
            if score > _STRONG:
                letters = key(name)
                if len(letters) > 2 and letters in key(addresses.get(row, "")):
                    score += _IN_ADDRESS
            # Of nested elements the innermost one counts, with the best score of all; a
            # link counts for the span that fills it.
            inner = next(reversed(self._names), len(self._ends))
            if inner < self._ends[row]:
                score = max(self._scores[inner], score)
                self._scores[inner] = score
                tags = self._tags[row], self._tags[inner]
                is_filled = self._names[inner] == name and self._parents[inner] == row
                if not is_filled or tags != _FILLED:
                    continue
                del self._names[inner]
            self._names[row], self._scores[row] = name, score

    def _called(self, rows: list[int], wrongly: re.Pattern[str]) -> list[int]:
        """Elements that have a word among their class names, but not wrongly so."""
        names = attribute_values(self._walk, rows, "class")
        named = zip(rows, names, strict=True)
        return [row for row, name in named if not wrongly.search(name or "")]

    @cached_property
    def _dated(self) -> list[tuple[int, int, str, int]]:
        """Short blocks with a date: block, element, text, offset of the date."""
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
        """The groups of possible authors that have the same place, the largest first.

        A place is given by tags and class names, and also by tags alone, as class names
        may depend on the member's rank.
        """
        groups: dict[object, list[int]] = {}
        shape = lru_cache(maxsize=1024)(self._shape)
        for row in self._rows:
            path = list(rows_around(self._walk.elements, row, _AROUND))
            shapes = tuple(map(shape, path[:3]))
            tags = tuple([self._tags[around] for around in path])
            for place in (shapes, shapes[:2], tags):
                groups.setdefault(place, []).append(row)
        several = {tuple(group) for group in groups.values() if len(group) > 1}
        return sorted(several, key=lambda group: (-len(group), group))[:_GROUPS]

    def _best(self) -> list[Frame]:
        """The posts by the authors that cut most of the text into parts."""
        best: list[Frame] = []
        most = 0.0
        for rows in watched(self._groups(), 1):
            words, frames = max(
                ((self._sizes(self._inner(way)), way) for way in self._parts(rows)),
                key=lambda sized: self._covered(sized[0]),
            )
            names = {self._names[row] for row in rows}
            mean = sum(self._scores[row] for row in rows) / len(rows)
            is_dated = len(self._dated) >= len(rows)
            if len(names) == 1 and mean <= _STRONG and not is_dated:
                continue  # a label, not Anonymous
            posts = np.count_nonzero(words)
            score = words.sum() * log(1 + posts) * sqrt(len(names) / len(rows)) * mean
            if score > most:
                best, most = frames, score
        return best

    def _covered(self, words: npt.NDArray[Any]) -> tuple[int, bool]:
        """How many posts have text, and whether they have a good part of it."""
        return int(np.count_nonzero(words)), bool(4 * words.sum() >= self._sums[-1])

    # -- posts

    def _parts(self, authors: Sequence[int]) -> tuple[list[Frame], list[Frame]]:
        """The page cut into posts by authors, in two ways.

        A post is the largest element with one author alone; or it is an element and its
        following siblings, up to the next author's.
        """
        # For each author the elements from it outwards that hold no other author.
        paths: list[list[int]] = []
        behind = len(self._parents)
        nexts = (*authors[1:], behind)
        for row, before, after in zip(authors, (-1, *authors), nexts, strict=False):
            path = [row]
            while (up := self._parents[path[-1]]) > before and after >= self._ends[up]:
                path.append(up)
            paths.append(path)
        level = min(map(len, paths)) - 1
        # In the second way, all first elements are equally far from their authors.
        rows = [path[level] for path in paths]
        frames = [self._frame(path[-1], path[0]) for path in paths]
        followed: list[Frame] = []
        for row, after, author in zip(rows, (*rows[1:], behind), authors, strict=True):
            up = max(self._parents[row], 0)
            end = min(self._ends[up], after)
            followed.append(Frame(row, end, self._lasts[up], author))
        return frames, followed

    def _frame(self, row: int, author: int) -> Frame:
        return Frame(row, self._ends[row], self._lasts[row], author)

    def _inner(self, frames: Sequence[Frame]) -> npt.NDArray[np.intp]:
        """For each block the innermost post around it, or -1; ``frames`` are sorted."""
        behind = len(self._words) - 1
        post_of: list[int] = []
        around = [(-1, behind)]
        begins = ((self._firsts[row], row, last) for row, _, last, _ in frames)
        for first, row, last in (*begins, (behind, -1, behind)):
            while len(post_of) < first:
                post, end = around[-1]
                post_of += [post] * (min(end, first) - len(post_of))
                if end <= first:
                    around.pop()
            around.append((row, last))
        return np.array(post_of, dtype=np.intp)

    def _sizes(self, post_of: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        """The number of words of each post, by rows; ``post_of`` as from _inner()."""
        return np.bincount(post_of + 1, self._words[:-1], len(self._ends) + 1)[1:]

    def _like(self, frames: Sequence[Frame]) -> list[Frame]:
        """Siblings of posts with the same tag, but no author in that place."""
        if any(frame.last > self._lasts[frame.row] for frame in frames):
            return []  # a post is several elements
        counts = Counter((self._parents[row], self._tags[row]) for row, *_ in frames)
        repeated = {place for place, n in counts.items() if n > 1}
        known = {frame.row for frame in frames}
        places = enumerate(zip(self._parents, self._tags, strict=True))
        rows = [row for row, at in places if at in repeated and row not in known]
        with_words = filter(self._words_in, rows)
        score = self._scores.__getitem__
        return [
            self._frame(row, max(self._authors_in(row), key=score, default=-1))
            for row in with_words
        ]

    def _authors_in(self, row: int) -> list[int]:
        """The first likely authors in an element."""
        at = bisect_left(self._rows, row)
        return [
            author
            for author in self._rows[at : at + 5]
            if author < self._ends[row] and self._scores[author] > _STRONG
        ]

    def _shape(self, row: int) -> tuple[int, bytes]:
        """An element's tag and its class names."""
        return self._tags[row], self._walk.names_of(row)

    def _words_in(self, row: int) -> int:
        return self._sums[self._lasts[row]] - self._sums[self._firsts[row]]

    # -- what posts say

    def details(self, post: int) -> tuple[str, str, int]:
        """A post's author, the time nearest to the author, and the time's element."""
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

    def opening(self) -> tuple[str, str]:
        """The author and the time of the post that has the first text, "" without both."""
        texts = (unit for unit in self.spoken.units if self._words[unit] >= _TEXT)
        for post in self.of_units([*islice(texts, 1)]).values():
            author, time, _ = self.details(post)
            if author and time:
                return author, time
        return "", ""

    def byline(self, post: int, shown: Collection[int]) -> list[tuple[str, int]]:
        """A post's author and time, with styles, unless ``shown`` blocks have them.

        It is empty if a single post has all the text.
        """
        if not self._are_several:
            return []
        author, time, row = self.details(post)
        # The author may also be named in the post's first line, or in one below a subject.
        named = [
            at
            for at in self._authors_in(post)
            if self._names[at] == author and self._kept_between(post, at) < _SUBJECT
        ]
        named.append(self._frames[post].author)
        is_named = any(self._firsts[at] in shown for at in named)
        spans = [(author, STRONG_TEXT)] if author and not is_named else []
        if time and self._firsts[row] not in shown:
            spans.append((f", {time}" if spans else time, 0))
        return spans

    def _kept_between(self, post: int, row: int) -> int:
        """How many blocks with words a post has before an element in it."""
        words = self._words[self._firsts[post] : self._firsts[row]]
        return int(np.count_nonzero(words))

    @cached_property
    def _are_several(self) -> bool:
        return bool(np.count_nonzero(self._sizes(self._post_of)) > 1)

    def text_units(self, units: Sequence[int]) -> dict[int, list[int]]:
        """For each post its text and quotes among ``units``, which rise."""
        units_of: dict[int, list[int]] = {}
        for unit, post in zip(units, self._text_of[units].tolist(), strict=True):
            if post >= 0:
                units_of.setdefault(post, []).append(unit)
        return units_of

    def left_out(self) -> list[int]:
        """The text of posts of which ``spoken`` has nothing.

        It is taken from the places where the other posts have their text, and from all
        of the element that is the body of most of them.
        """
        own = self.text_units(self.spoken.units)
        if len(own) == len(self):
            return []
        elements = self._walk.blocks[:, BlockColumn.ELEMENT].tolist()
        places = {self._place(elements[n]) for inside in own.values() for n in inside}
        bodies = Counter(self._body(inside, elements) for inside in own.values())
        body = max(bodies, key=bodies.__getitem__, default=None)
        units = []
        for post, inside in self.text_units(range(len(self.blocks))).items():
            for unit in inside if post not in own else ():
                row = elements[unit]
                found = self._place(row) in places
                while not found and row > post:
                    found = self._place(row) == body
                    row = self._parents[row]
                if found and unit not in self._removed:
                    units.append(unit)
        return units

    def _place(self, row: int) -> object:
        """An element's place in a post: its shape and its parent's."""
        return self._shape(row), self._shape(max(self._parents[row], 0))

    def _body(self, inside: list[int], elements: list[int]) -> object:
        """The place of the element with a post's longest block, which is no paragraph.

        None if the element has text besides that of ``inside``.
        """
        row = elements[max(inside, key=self._words.__getitem__)]
        if self._tags[row] == _PARAGRAPH:
            row = max(self._parents[row], 0)
        first, last = self._firsts[row], self._lasts[row]
        of_post = bisect_left(inside, last) - bisect_left(inside, first)
        return self._place(row) if of_post == last - first else None

    def quoted(self, units: Sequence[int]) -> set[int]:
        """Those of ``units``, which rise, that are quotes or name a quote's author."""
        quotes = {unit for unit in units if self._is_quoted[unit]}
        for before, unit in pairwise(units):
            text = self.blocks.text(before) if unit in quotes else ""
            if len(text) <= 2 * _CHARS and _SAYS.search(text):
                quotes.add(before)
        return quotes

    def laid_out(self) -> Walk:
        """The walk with tags as they are needed to lay out posts.

        Elements around posts become divs, so that they are no lists or tables, and
        quotes become blockquotes.  Several short posts, none with a byline, stay the
        list or table that they are: it may be one of topics.
        """
        elements = self._walk.elements.copy()
        said = self._words[:-1][self._text_of >= 0].sum()
        is_thread = not self._are_several or bool(said >= _SAID * len(self._frames))
        spoken = {*self.spoken.units}
        is_thread = is_thread or any(self.byline(post, spoken) for post in self._frames)
        # An element is around a post if it holds the post's first element or author.
        marked = np.zeros(len(elements) + 1, dtype=np.intp)
        for frame in self._frames.values() if is_thread else ():
            marked[[frame.row + 1, max(frame.row, frame.author) + 1]] = 1
        before = marked.cumsum()
        layout = (before[self._ends] > before[:-1]) | (elements[:, _TAG] == _QUOTE)
        elements[layout, _TAG] = TAG_ID["div"]
        # Of nested quotes those with the tag, else the innermost.
        rows, end = self._quotes, 0
        for row, after in zip(rows, (*rows[1:], len(elements)), strict=False):
            if self._tags[row] == _QUOTE:
                end = max(end, self._ends[row])
            elif row < end or after < self._ends[row]:
                continue
            elements[row, _TAG] = _QUOTE
        return replace(self._walk, elements=elements)

    @cached_property
    def _times(self) -> list[tuple[int, int, str]]:
        """The times in posts, in order: element, rank (the lowest is best), time.

        The ranks are 0 for a marked time, 1 for a date in a short block or a title, and 2
        for a marked text that is not read as a date.
        """
        walk = self._walk
        times: list[tuple[int, int, str]] = []
        for unit, row, text, start in self._dated:
            if not self._is_quoted[unit] and not _OTHER_DATE.match(text):
                time = dates.iso(text[start:], day_first=self._day_first)
                times.append((row, 1, time))
        # The time beside an age such as "3 days ago" is a span's title.
        spans = rows_with(walk.elements, _TAG, TAG_ID["span"])
        titles = zip(spans, attribute_values(walk, spans, "title"), strict=True)
        for row, title in titles:
            if not title or len(title) >= _CHARS or self._ends[row] - row > _ROWS:
                continue
            if self._is_quoted[self._firsts[row]]:
                continue
            start = next((start for _, start, _ in dates.found(title)), _CHARS)
            if start <= _WEEKDAY and not _OTHER_DATE.match(_line_of(walk.node(row))):
                times.append((row, 1, dates.iso(title, day_first=self._day_first)))
        rows = {*rows_with(walk.elements, _TAG, TAG_ID["time"]), *POST_TIMES.rows(walk)}
        # Reading nested elements that hold many others would take quadratic time.
        small = [row for row in rows if self._ends[row] - row <= _ROWS]
        marked = sorted(row for row in small if not self._is_quoted[self._firsts[row]])
        for row, node in zip(marked, nodes_of(walk, marked), strict=True):
            if next(node.iterdescendants("time"), None) is not None:
                continue  # that has the moment
            text = _line_of(node)
            if time := moment_of(node, text, day_first=self._day_first):
                times.append((row, 0, time))
            elif len(text) <= _CHARS and OF_TIME.search(text):
                times.append((row, 2, text))
        return sorted(times)

    # -- places

    @cached_property
    def _text_of(self) -> npt.NDArray[np.intp]:
        """For each block the post to whose text it may belong, or -1.

        The elements around authors hold no text of posts.  They are followed outwards,
        in all posts at once, until they have all words of most posts, or more than half
        of all words.  Some posts are reached earlier than others.
        """
        post_of = self._post_of.copy()
        sizes = self._sizes(post_of)
        holders = [(frame, frame.author) for frame in self._grouped]
        reached = 0
        while holders:
            words = [self._words_in(row) for _, row in holders]
            posts = [sizes[frame.row] for frame, _ in holders]
            whole = sum(a == b > 0 for a, b in zip(posts, words, strict=True)) + reached
            if 2 * whole > np.count_nonzero(sizes) or 2 * sum(words) > sizes.sum():
                break
            parents: list[tuple[Frame, int]] = []
            for frame, row in holders:
                inside = post_of[self._firsts[row] : self._lasts[row]]
                inside[inside == frame.row] = -1
                parent = self._parents[row]
                if parent >= frame.row + (frame.end == self._ends[frame.row]):
                    parents.append((frame, parent))
                else:
                    reached += sizes[frame.row] > 0
            holders = parents
        return post_of

    @cached_property
    def _is_quoted(self) -> list[bool]:
        is_quoted = np.zeros(len(self._words), dtype=bool)
        for row in self._quotes:
            is_quoted[self._firsts[row] : self._lasts[row]] = True
        return is_quoted.tolist()

    @cached_property
    def _quotes(self) -> list[int]:
        """The elements that are quotes, in order.

        Elements of one shape that together have most of all words are posts, not
        quotes.
        """
        tagged = rows_with(self._walk.elements, _TAG, _QUOTE)
        groups: dict[object, list[int]] = {}
        named = self._called(QUOTES.rows(self._walk), _TO_QUOTE)
        for row in {*tagged, *named}:
            if self._firsts[row] < self._lasts[row]:  # not empty
                groups.setdefault(self._shape(row), []).append(row)
        most = _MOST_QUOTED * self._sums[-1]
        small = [
            rows for rows in groups.values() if sum(map(self._words_in, rows)) <= most
        ]
        return sorted(chain.from_iterable(small))
