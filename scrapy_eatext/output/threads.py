"""The posts of a page that is a thread, found by where their authors stand.

Boards differ in names, tags and order, but each post has its author in the same place,
and names differ from post to post.  So elements that may be authors are grouped by what
is around them.  A group cuts the page into parts with one author each: the group whose
parts hold most of the kept text is that of the posts' authors.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, chain, islice, takewhile
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_eatext.output.posts import Posts
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import (
    JOINED,
    NO_AUTHORS,
    POST_TIMES,
    QUOTES,
    REMARKS,
    SIGNATURES,
    THREAD_AUTHORS,
)
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import STRONG, STRONG_TEXT, TAG_ID
from scrapy_eatext.page.walk import attribute_values, nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.page.blocks import Blocks
    from scrapy_eatext.page.walk import Walk

# The kind of pages that are threads.
FORUM = "forum"
# Links to what a board tells of a member, and to something else about one.
_PROFILE = re.compile(
    r"(?:^|/)(?:[~@]|(?:u|users?|members?|profiles?|people|authors?|usuarios?|home|space)"
    r"(?:[/.?-]|\.php)|space-uid)|(?:[?&;]|^)(?:action=profile|mode=viewprofile|mod=space"
    r"|(?:user|member|u)_?(?:id)?=)|memberlist|showuser|user-?info|viewprofile",
    re.IGNORECASE,
)
_NO_PROFILE = re.compile(r"search|do=find|register|login|signup|#", re.IGNORECASE)
_NO_NAME = re.compile(
    r"[\W\d_]*|\W*(?:edit|link|profile|quote|reply|report|share)\W*", re.IGNORECASE
)
# The most characters and words of a name, and elements in the element that holds it.
_CHARS, _WORDS, _ROWS = 60, 6, 40
# How many groups of possible authors are tried, the largest first.
_GROUPS = 24
# What an author is worth by what its element is, and what is added where a link's
# address has the name.
_NAMED, _LINKED, _STRONG, _TOLD = 1.1, 1.0, 0.6, 0.2
# How many blocks the author of a page's one post is away from its text.
_NEAR = 20
_COUNTED = re.compile(
    r"\d\s?(?:\w{1,10}\s)?(?:ago\b|前)|\b(?:answered|asked|edited|joined|location"
    r"|members?|messages?|modified|posts?)\b.*\d"
    r"|\d\s(?:messages|posts)\b",
    re.IGNORECASE,
)
# A text outside of posts is a post if it has so many words, and an author.
_OTHER_WORDS = 8
# What holds a post's date alone: so many characters, and no name of another date.
_DATED = 80
_OTHER_DATE = re.compile(
    r"\W*(?:join|regist|member|since|last|edit|updat|modif|inscri|mitglied|dabei|注册"
    r"|登录|最后)",
    re.IGNORECASE,
)
# Names of elements that are quotes, not of what one may quote.
_QUOTE_NAME = re.compile(
    r"(?:^|[\s_-])(?:bb_?code_?|block|bb|ips)?quot(?:ation|e)(?:box|d|_?container|_?content"
    r"|_?header|_?title)?(?:$|[\s_-])",
    re.IGNORECASE,
)
# The end of a line that says whom the quote below is of.
_SAYS = re.compile(
    r"\b(?:posted|wrote|writes|sa(?:id|ys)|schrieb|escribió|a écrit|написала?|сказала?)\b"
    r"[^.]{0,80}(?:\.\.\.|[:…↑])\s*$|[:：]\s*$",
    re.IGNORECASE,
)
_DIV, _QUOTE, _LINK = TAG_ID["div"], TAG_ID["blockquote"], TAG_ID["a"]
# What a post stands in is no list and no table of its own.
_LAYOUT = frozenset(
    TAG_ID[name]
    for name in "blockquote dd dir dl dt figure li menu ol table td th tr ul".split()
)
_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK


class _Author(NamedTuple):
    """An element that may hold an author's name, and what that is worth."""

    row: int
    name: str
    worth: float


class _Frame(NamedTuple):
    """A post: its first element, the first row and block behind it, and its author's row."""

    row: int
    end: int
    first: int
    last: int
    author: int


def _is_name(text: str) -> bool:
    """Whether a text may be the name of a person."""
    return (
        len(text) <= _CHARS
        and len(text.split()) <= _WORDS
        and not _NO_NAME.fullmatch(text)
        and not _COUNTED.search(text)
        and not dates.iso(text)
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text[:300].casefold()))


class Thread:
    """The posts of a thread whose kept blocks are given.

    A post is told by the row of its first element.  ``day_first`` says how 3/4/2024 is
    meant.
    """

    def __init__(
        self, blocks: Blocks, kept: Sequence[int], *, day_first: bool = True
    ) -> None:
        self._walk = walk = blocks.walk
        self._blocks = blocks
        self._kept = kept
        self._day_first = day_first
        self._parents: list[int] = walk.elements[:, ElementColumn.PARENT].tolist()
        self._tags: list[int] = walk.elements[:, ElementColumn.TAG].tolist()
        self._firsts: list[int] = walk.elements[:, _FIRST].tolist()
        self._lasts: list[int] = walk.elements[:, _LAST].tolist()
        self._depths: list[int] = walk.elements[:, ElementColumn.DEPTH].tolist()
        self._ends = self._ends_of_elements()
        words = np.zeros(len(walk.blocks), dtype=np.int64)
        words[list(kept)] = walk.blocks[list(kept), BlockColumn.WORDS]
        # How many kept words stand before each block.
        self._words: list[int] = [0, *accumulate(words.tolist())]
        self._authors = self._possible_authors()
        self._names = {author.row: author.name for author in self._authors}
        frames = self._best_frames(self._authors) or self._best_frames(self._dates())
        grouped = {frame.row for frame in frames}
        if frames:
            frames += self._alike(frames)
            frames += self._others(frames)
            frames += self._inside(frames)
        else:
            frames = self._alone()
        frames.sort()
        self._frames = {frame.row: frame for frame in frames}
        # Where each post ends, or the next one begins.
        firsts = [*(frame.first for frame in frames[1:]), len(words)]
        self._until = {
            frame.row: max(frame.first, min(frame.last, first))
            for frame, first in zip(frames, firsts, strict=False)
        }
        self._beside = self._places_beside(grouped)

    def __len__(self) -> int:
        return len(self._frames)

    # -- what is asked of the posts

    def of_units(self, units: Iterable[int]) -> dict[int, int]:
        """For some blocks, in rising order, the post that each stands in."""
        waiting = sorted(self._frames.values(), key=lambda one: (-one.first, one.last))
        around: list[_Frame] = []
        found: dict[int, int] = {}
        for unit in units:
            while waiting and waiting[-1].first <= unit:
                around.append(waiting.pop())
            while around and around[-1].last <= unit:
                around.pop()
            if around:
                found[unit] = around[-1].row
        return found

    def details(self, post: int) -> tuple[str, str]:
        """A post's author and time."""
        return self._names.get(self._frames[post].author, ""), self._time(post)[0]

    def byline(self, post: int) -> list[tuple[str, int]]:
        """A post's author and time, with styles, as far as they are there and not kept."""
        author, (time, first, last) = self.details(post)[0], self._time(post)
        row = self._frames[post].author
        spans: list[tuple[str, int]] = []
        if author and not self._is_kept(self._firsts[row], self._lasts[row]):
            spans.append((author, STRONG_TEXT))
        if time and not self._is_kept(first, last):
            spans.append((f", {time}" if spans else time, 0))
        return spans

    def is_beside(self, unit: int, post: int) -> bool:
        """Whether a block stands where the post's author does, not where its text does."""
        first, last = self._beside[post]
        author = self._frames[post].author
        if first <= unit < last or author < 0 or unit != self._firsts[author]:
            return first <= unit < last
        text = self._blocks.text(unit).replace(self._names[author], "")
        return len(text) < _CHARS and not any(map(str.isalnum, text))

    def is_signature(self, unit: int) -> bool:
        """Whether a block is what a member writes below every post."""
        return self._walk.blocks.item(unit, BlockColumn.ELEMENT) in self._signed

    def left_out(self, units: Sequence[int]) -> list[int]:
        """The blocks of posts of which no text is among some units.

        They stand in the same places as the others' blocks.
        """
        posts = self.of_units(units)
        quoted = self.quoted(units)
        own = [unit for unit in units if unit in posts and unit not in quoted]
        own = [unit for unit in own if not self.is_beside(unit, posts[unit])]
        there = {posts[unit] for unit in own}
        elements: list[int] = self._walk.blocks[:, BlockColumn.ELEMENT].tolist()
        places = {self._place(elements[unit]) for unit in own}
        all_posts = self.of_units(range(len(elements)))
        return [
            unit
            for unit, post in all_posts.items()
            if post not in there
            and not self.is_beside(unit, post)
            and self._place(elements[unit]) in places
        ]

    def quoted(self, units: Iterable[int]) -> set[int]:
        """Those of some blocks, in rising order, that quote other posts."""
        spans = sorted((self._firsts[row], self._lasts[row]) for row in self._quotes)
        found: set[int] = set()
        at, end, before = 0, 0, -1
        for unit in units:
            while at < len(spans) and spans[at][0] <= unit:
                end = max(end, spans[at][1])
                at += 1
            if unit < end:
                found.add(unit)
                if before not in found and self._is_said(before):
                    found.add(before)
            before = unit
        return found

    def _is_said(self, unit: int) -> bool:
        """Whether a block says whom the quote below it is of."""
        text = self._blocks.text(unit)[: _CHARS * 2 + 1] if unit >= 0 else ""
        return len(text) <= _CHARS * 2 and bool(_SAYS.search(text))

    def laid_out(self) -> Walk:
        """The walk with elements named as what they are for posts.

        What holds posts is no list or table, and what quotes is a blockquote.
        """
        elements = self._walk.elements.copy()
        seen: set[int] = set()
        for frame in self._frames.values():
            for row in (frame.row, frame.author):
                while row >= 0 and row not in seen:
                    seen.add(row)
                    row = self._parents[row]
        layout = [row for row in seen if self._tags[row] in _LAYOUT]
        elements[layout + self._bodies, ElementColumn.TAG] = _DIV
        tagged = [row for row in self._quotes if self._tags[row] == _QUOTE]
        last = 0
        for row in self._quotes:
            if row >= last:
                last = self._ends[row]
                # What holds a blockquote is told by that.
                if bisect_left(tagged, row) == bisect_left(tagged, last):
                    elements[row, ElementColumn.TAG] = _QUOTE
        return replace(self._walk, elements=elements)

    # -- authors

    def _ends_of_elements(self) -> list[int]:
        """For each row the first row behind its element."""
        ends = list(range(1, len(self._parents) + 1))
        for row in range(len(ends) - 1, 0, -1):
            parent = self._parents[row]
            if parent >= 0 and ends[parent] < ends[row]:
                ends[parent] = ends[row]
        return ends

    def _possible_authors(self) -> list[_Author]:
        """Elements whose text may be a name, in order."""
        walk = self._walk
        worth: dict[int, float] = {}
        for tag in STRONG:
            for row in rows_with(walk.elements, ElementColumn.TAG, TAG_ID[tag]):
                if not self._is_kept(self._firsts[row], self._lasts[row]):
                    worth[row] = _STRONG
        links = rows_with(walk.elements, ElementColumn.TAG, _LINK)
        for row, href in zip(links, attribute_values(walk, links, "href"), strict=True):
            href = (href or "")[:300]
            if _PROFILE.search(href) and not _NO_PROFILE.search(href):
                worth[row] = _LINKED
        worth.update(dict.fromkeys(THREAD_AUTHORS.rows(walk), _NAMED))
        others = set(NO_AUTHORS.rows(walk))
        rows = [
            row
            for row in sorted(worth)
            if row not in others and self._ends[row] - row <= _ROWS
        ]
        found: list[_Author] = []
        for row, node in zip(rows, nodes_of(walk, rows), strict=True):
            name = Posts.without_says(self._text_of(node))
            if not _is_name(name):
                continue
            value = worth[row]
            letters = _letters(name)
            if value > _STRONG and letters in _letters(node.get("href") or ""):
                value += _TOLD * (len(letters) > 2)
            # The innermost element has the name alone, but a link has it as a whole.
            while (
                found
                and row < self._ends[found[-1].row]
                and (name == found[-1].name or found[-1].worth - value < _TOLD)
            ):
                outer = found.pop()
                value = max(value, outer.worth)
                if name == outer.name and self._tags[outer.row] == _LINK:
                    row = outer.row
            found.append(_Author(row, name, value))
        return found

    def _dates(self) -> list[_Author]:
        """Times in place of authors, where a page shows none."""
        walk = self._walk
        rows = rows_with(walk.elements, ElementColumn.TAG, TAG_ID["time"])
        rows = sorted({*rows, *POST_TIMES.rows(walk)} - set(JOINED.rows(walk)))
        return [
            _Author(row, moment, _LINKED)
            for row in rows
            if (moment := self._moment(row))
        ]

    def _groups(self, authors: Iterable[_Author]) -> Iterator[list[_Author]]:
        """Possible authors that have the same place, the largest groups first.

        Places are told by names and tags, and by tags alone, as names tell of ranks.
        """
        groups: dict[object, list[_Author]] = {}
        for author in authors:
            tags = tuple(self._tags[row] for row in islice(self._up(author.row), 5))
            shapes = self._shapes(author.row, 3)
            for place in (shapes, shapes[:2], tags):
                inside = groups.setdefault(place, [])
                if not inside or author.row >= self._ends[inside[-1].row]:
                    inside.append(author)
        # One person may write all posts, but what is strong says the same of each.
        several = [
            group
            for group in groups.values()
            if len(group) > 1
            and (group[0].worth > _STRONG or len({one.name for one in group}) > 1)
        ]
        return islice(iter(sorted(several, key=len, reverse=True)), _GROUPS)

    def _best_frames(self, authors: Iterable[_Author]) -> list[_Frame]:
        """The posts by the authors that cut most of the kept text into parts."""
        best: list[_Frame] = []
        most = 0.0
        for group in self._groups(authors):
            rows = [author.row for author in group]
            parts = self._parts(rows)
            frames = [self._frame(*one) for one in zip(parts, rows, strict=True)]
            runs = self._runs(parts, rows)
            own, others = self._own_words(frames), self._own_words(runs)
            if sum(map(bool, others)) > sum(map(bool, own)):
                frames, own = runs, others
            full = sum(map(bool, own))
            if full < 2:
                continue
            names = len({author.name for author in group})
            worth = sum(author.worth for author in group) / len(group)
            value = sum(own) * log(1 + full) * worth
            value *= sqrt(full / len(group)) * (names / len(group)) ** 0.25
            value *= sqrt(self._evenness(frames))
            if value > most:
                best, most = frames, value
        return best

    def _alone(self) -> list[_Frame]:
        """The one post of a page: its author stands shortly before it, or behind it."""
        if not self._kept:
            return []
        sure = [author for author in self._authors if author.worth >= _NAMED]
        first, last = self._kept[0], self._kept[-1]
        near = [
            author.row
            for author in sure
            if first - _NEAR <= self._firsts[author.row] <= first
        ]
        behind = [
            author.row
            for author in sure
            if 0 <= self._firsts[author.row] - last < _NEAR
        ]
        rows = near[-1:] or behind[:1]
        return [self._frame(0, row) for row in rows]

    def _evenness(self, frames: Sequence[_Frame]) -> float:
        """The share of posts whose authors are as deep in them as most authors are."""
        depths = Counter(
            self._depths[frame.author] - self._depths[frame.row] for frame in frames
        )
        return max(depths.values()) / len(frames)

    def _parts(self, rows: Sequence[int]) -> list[int]:
        """For each of some elements the largest element around it that has no other."""
        parts: list[int] = []
        for row, before, after in zip(
            rows, (-1, *rows), (*rows[1:], len(self._parents)), strict=False
        ):
            part = row
            while (up := self._parents[part]) > before and after >= self._ends[up]:
                part = up
            parts.append(part)
        return parts

    def _runs(self, parts: list[int], authors: list[int]) -> list[_Frame]:
        """Posts that are successive elements, of which the first has the author.

        The first elements are equally far from the authors in them.
        """
        ways = [
            list(takewhile(self._parents[part].__ne__, self._up(author)))
            for part, author in zip(parts, authors, strict=True)
        ]
        level = min(map(len, ways)) - 1
        rows = [way[level] for way in ways]
        following = [*rows[1:], len(self._parents)]
        frames = []
        for row, after, author in zip(rows, following, authors, strict=True):
            around = max(self._parents[row], 0)
            end = min(self._ends[around], after)
            frames.append(
                _Frame(row, end, self._firsts[row], self._lasts[around], author)
            )
        return frames

    def _frame(self, row: int, author: int) -> _Frame:
        return _Frame(row, self._ends[row], self._firsts[row], self._lasts[row], author)

    def _own_words(self, frames: Sequence[_Frame]) -> list[int]:
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

    def _alike(self, frames: Sequence[_Frame]) -> list[_Frame]:
        """Elements beside posts that are like them, but have no author in that place."""
        if any(frame.last > self._lasts[frame.row] for frame in frames):
            return []  # a post is several elements
        rows = {frame.row for frame in frames}
        like: dict[tuple[int, int], set[int]] = {}
        for row in rows:
            key = self._parents[row], self._tags[row]
            like.setdefault(key, set()).update(self._names_of(row))
        places = {self._shapes(frame.author, 2) for frame in frames}
        found: list[_Frame] = []
        for row, key in enumerate(zip(self._parents, self._tags, strict=True)):
            if key not in like or row in rows:
                continue
            names = self._names_of(row)
            if 2 * len(names & like[key]) < len(names) or (like[key] and not names):
                continue
            author = self._author_in(row, self._ends[row])
            if author < 0:
                author = self._author_like(places, row)
            frame = self._frame(row, author)
            if self._kept_words(frame.first, frame.last):
                found.append(frame)
        return found

    def _author_like(self, places: Collection[object], row: int) -> int:
        """The first element in a post that is where other posts have their authors."""
        for inside in range(row + 1, self._ends[row]):
            if self._shapes(inside, 2) in places:
                name = Posts.without_says(self._text_of(self._walk.node(inside)))
                if _is_name(name):
                    self._names[inside] = name
                    return inside
        return -1

    def _others(self, frames: Sequence[_Frame]) -> list[_Frame]:
        """Posts that have their authors elsewhere, as the first one has on many boards.

        They are the largest elements with a possible author and no other post.
        """
        seen = self._around([frame.row for frame in frames])
        spans = sorted((frame.row, frame.end) for frame in frames)
        found: dict[int, _Frame] = {}
        end, at = -1, 0
        for author in self._authors:
            while at < len(spans) and spans[at][0] <= author.row:
                end = max(end, spans[at][1])
                at += 1
            if author.row < end or author.row in seen or author.worth == _STRONG:
                continue
            part = author.row
            while (up := self._parents[part]) > 0 and up not in seen:
                part = up
            frame = self._frame(part, author.row)
            if self._own_words([frame])[0] >= _OTHER_WORDS:
                found.setdefault(part, frame)
        return list(found.values())

    def _inside(self, frames: Sequence[_Frame]) -> list[_Frame]:
        """What readers remarked on a post, within its element: all that is called so."""
        authors = sorted(frame.author for frame in frames)
        spans = sorted((frame.row, frame.end) for frame in frames)
        ends = list(accumulate((end for _, end in spans), max))
        found: list[_Frame] = []
        before = len(self._parents)
        # The innermost elements that have an author.
        for row in reversed(REMARKS.rows(self._walk)):
            end = self._ends[row]
            at = bisect_left(spans, (row,)) - 1
            if end > before or at < 0 or ends[at] < end:
                continue
            frame = self._frame(row, self._author_in(row, end))
            has_own = bisect_left(authors, row) == bisect_left(authors, end)
            name = self._names.get(frame.author, "")
            said = self._kept_words(frame.first, frame.last) - len(name.split())
            if name and has_own and said > 1:
                found.append(frame)
                before = row
        return found if len(found) > 1 else []

    def _author_in(self, row: int, end: int) -> int:
        """The element in some rows that most likely is an author, or -1."""
        at = bisect_left(self._authors, (row,))
        best = -1, "", _STRONG
        for author in self._authors[at : at + 5]:
            if author.row < end and author.worth > best[2]:
                best = author
        return best[0]

    @cached_property
    def _signed(self) -> set[int]:
        """The elements in signatures."""
        rows = SIGNATURES.rows(self._walk)
        ends = accumulate((self._ends[row] for row in rows), max)
        firsts = accumulate((self._ends[row] for row in rows), max, initial=0)
        return {
            inside
            for row, first, end in zip(rows, firsts, ends, strict=False)
            for inside in range(max(row, first), end)
        }

    # -- times

    def _in_quote(self, row: int) -> bool:
        """Whether an element stands in a quote."""
        at = bisect_left(self._quotes, row + 1) - 1
        return at >= 0 and row < self._quoted_until[at]

    @cached_property
    def _quoted_until(self) -> list[int]:
        """For each quote the row behind it, or behind one around it."""
        return list(accumulate((self._ends[row] for row in self._quotes), max))

    @cached_property
    def _times(self) -> list[int]:
        """Elements that are called times."""
        walk = self._walk
        rows = rows_with(walk.elements, ElementColumn.TAG, TAG_ID["time"])
        rows = sorted({*rows, *POST_TIMES.rows(walk)} - set(JOINED.rows(walk)))
        return [row for row in rows if not self._in_quote(row)]

    @cached_property
    def _known_times(self) -> dict[int, tuple[str, int, int]]:
        return {}

    def _time(self, post: int) -> tuple[str, int, int]:
        """A post's time, and the blocks that it stands in."""
        if post not in self._known_times:
            frame = self._frames[post]
            self._known_times[post] = (
                self._named_time(frame, self._moment)
                or self._dated(frame)
                or self._named_time(frame, self._told)
                or ("", 0, 0)
            )
        return self._known_times[post]

    def _named_time(
        self, frame: _Frame, read: Callable[[int], str]
    ) -> tuple[str, int, int] | None:
        """The first time in the element around the author that has one."""
        for up in chain(self._up(frame.author), (frame.row,)):
            if up < frame.row:
                break
            end = frame.end if up == frame.row else self._ends[up]
            at = bisect_left(self._times, up)
            rows = [row for row in self._times[at : at + 3] if row < end]
            for row in rows:
                time = read(row)
                if time:
                    return time, self._firsts[row], self._lasts[row]
        return None

    def _moment(self, row: int) -> str:
        """The time that an element tells, "" for none."""
        (node,) = nodes_of(self._walk, [row])
        for value in (node.get("datetime"), node.get("title"), self._text_of(node)):
            moment = dates.iso(value or "", day_first=self._day_first)
            if moment:
                return moment
        return ""

    def _told(self, row: int) -> str:
        """A time that is no date, as "2 hours ago"."""
        text = self._text_of(nodes_of(self._walk, [row])[0])
        is_time = any(c.isdigit() for c in text) and any(c.isalpha() for c in text)
        return text if len(text) <= _CHARS and is_time else ""

    @staticmethod
    def _text_of(node: Any) -> str:
        """The text of a small element; of a large one some of it."""
        parts = islice(node.itertext(), _ROWS)
        return " ".join("".join(part[:200] for part in parts).split())

    def _dated(self, frame: _Frame) -> tuple[str, int, int] | None:
        """The last date alone in a block before the longest one, or the first behind."""
        end, words = self._until[frame.row], self._words
        longest = max(
            range(frame.first, end),
            key=lambda unit: words[unit + 1] - words[unit],
            default=frame.first,
        )
        for units in (range(longest - 1, frame.first - 1, -1), range(longest, end)):
            for unit in units:
                text = self._blocks.text(unit)[: _DATED + 1]
                element = self._walk.blocks.item(unit, BlockColumn.ELEMENT)
                if len(text) > _DATED or _OTHER_DATE.match(text):
                    continue
                if self._in_quote(element):
                    continue
                for _, start, _ in dates.found(text, day_first=self._day_first):
                    time = dates.iso(text[start:], day_first=self._day_first)
                    return time, unit, unit + 1
        return None

    # -- places

    def _places_beside(self, grouped: Collection[int]) -> dict[int, tuple[int, int]]:
        """For each post the blocks around its author that hold none of its text.

        They are those of the largest element that in few posts has all words, and of
        all posts together has less than half.  Posts that are not ``grouped`` have
        their authors elsewhere.
        """
        own = {
            post: self._kept_words(self._frames[post].first, until)
            for post, until in self._until.items()
        }
        places = dict.fromkeys(self._frames, (0, 0))
        ways = {post: self._way(self._frames[post]) for post in grouped}
        for level in range(max(map(len, ways.values()), default=0)):
            ways = {post: way for post, way in ways.items() if len(way) > level}
            there = {post: self._blocks_of(way[level]) for post, way in ways.items()}
            beside = {post: self._kept_words(*at) for post, at in there.items()}
            whole = sum(own[post] == words > 0 for post, words in beside.items())
            if 2 * whole > sum(map(bool, own.values())) or 2 * sum(
                beside.values()
            ) > sum(own.values()):
                break
            places.update(there)
        return places

    def _way(self, frame: _Frame) -> list[int]:
        """The elements around a post's author within it, from the innermost."""
        way: list[int] = []
        for row in self._up(frame.author):
            if row < frame.row or (row == frame.row and frame.end == self._ends[row]):
                break
            way.append(row)
        return way

    @cached_property
    def _bodies(self) -> list[int]:
        """The blockquotes that hold the posts, of which each has one like the others'."""
        return self._all_quotes[0]

    @cached_property
    def _quotes(self) -> list[int]:
        """The elements that hold what posts quote."""
        return self._all_quotes[1]

    @cached_property
    def _all_quotes(self) -> tuple[list[int], list[int]]:
        walk = self._walk
        tagged = rows_with(walk.elements, ElementColumn.TAG, _QUOTE)
        other = set(SIGNATURES.rows(walk))
        named = QUOTES.rows(walk)
        named = [
            row
            for row, names in zip(
                named, attribute_values(walk, named, "class"), strict=True
            )
            if _QUOTE_NAME.search((names or "")[:300]) and self._tags[row] != _LINK
        ]
        groups: dict[object, list[int]] = {}
        for row in {*tagged, *named}:
            groups.setdefault(self._shape(row), []).append(row)
        framed = sum(self._own_words(sorted(self._frames.values()))) or 1
        bodies: set[int] = set()
        for group in groups.values():
            words = sum(self._kept_words(*self._blocks_of(row)) for row in group)
            if len(group) > 0.6 * len(self._frames) and words > 0.6 * framed:
                bodies.update(group)
        # One of them may have other names.
        depths = {self._depths[row] for row in bodies}
        bodies.update(row for row in tagged if self._depths[row] in depths)
        found = {row for row in tagged if row not in bodies and row not in other}
        within = set(self._around([frame.row for frame in self._frames.values()]))
        found.update(set(named) - within - self._around(bodies) - other)
        return sorted(bodies.intersection(tagged)), sorted(found)

    def _place(self, row: int) -> object:
        """What tells an element from those that hold other things in a post."""
        own = self._shape(row)
        return own if own[1] else (own, self._shape(self._parents[row]))

    def _shapes(self, row: int, count: int) -> tuple[object, ...]:
        """The tags and names of an element and of those around it."""
        return tuple(self._shape(up) for up in islice(self._up(row), count))

    def _names_of(self, row: int) -> set[int]:
        first, count = self._tokens[row]
        return set(self._walk.tokens[first : first + count].tolist())

    def _shape(self, row: int) -> tuple[int, bytes]:
        """An element's tag and its names."""
        if row < 0:
            return -1, b""
        first, count = self._tokens[row]
        return self._tags[row], self._walk.tokens[first : first + count].tobytes()

    @cached_property
    def _tokens(self) -> list[list[int]]:
        columns = [ElementColumn.FIRST_TOKEN, ElementColumn.TOKENS]
        found: list[list[int]] = self._walk.elements[:, columns].tolist()
        return found

    def _up(self, row: int) -> Iterator[int]:
        """An element and those around it, from the inside."""
        while row >= 0:
            yield row
            row = self._parents[row]

    def _around(self, rows: Iterable[int]) -> set[int]:
        """Some elements and all around them."""
        seen: set[int] = set()
        for row in rows:
            while row >= 0 and row not in seen:
                seen.add(row)
                row = self._parents[row]
        return seen

    def _blocks_of(self, row: int) -> tuple[int, int]:
        return self._firsts[row], self._lasts[row]

    def _kept_words(self, first: int, last: int) -> int:
        last = min(max(last, first), len(self._words) - 1)
        return self._words[last] - self._words[first]

    def _is_kept(self, first: int, last: int) -> bool:
        at = bisect_left(self._kept, first)
        return at < len(self._kept) and self._kept[at] < max(last, first + 1)
