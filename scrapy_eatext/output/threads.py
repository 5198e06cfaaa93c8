"""The posts of a thread: their authors and times, what is their text, and what they quote."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from scrapy_eatext.output.frames import CHARS, Frame, Frames, text_of
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import JOINED, POST_TIMES, QUOTES, SIGNATURES
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import STRONG_TEXT, TAG_ID
from scrapy_eatext.page.walk import attribute_values

if TYPE_CHECKING:
    from scrapy_eatext.page.blocks import Blocks
    from scrapy_eatext.page.walk import Walk

# The kind of pages that are threads.
FORUM = "forum"
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
# What share of posts, and of their words, blockquotes have that are no quotes.
_BODIES = 0.6
_DIV, _QUOTE, _LINK = TAG_ID["div"], TAG_ID["blockquote"], TAG_ID["a"]
# What a post stands in is no list and no table of its own.
_LAYOUT = frozenset(
    TAG_ID[name]
    for name in "blockquote dd dir dl dt figure li menu ol table td th tr ul".split()
)


class Thread(Frames):
    """The posts of a thread whose kept blocks are given.

    A post is told by the row of its first element.  ``day_first`` says how 3/4/2024 is
    meant.
    """

    def __init__(
        self, blocks: Blocks, kept: Sequence[int], *, day_first: bool = True
    ) -> None:
        super().__init__(blocks, kept)
        self._day_first = day_first
        frames = list(self._frames.values())
        # Where each post ends, or the next one begins.
        behind = [*(frame.first for frame in frames[1:]), len(blocks)]
        self._until = {
            frame.row: max(frame.first, min(frame.last, first))
            for frame, first in zip(frames, behind, strict=False)
        }
        self._beside = self._places_beside()
        self._times: dict[int, tuple[str, int, int]] = {}

    def details(self, post: int) -> tuple[str, str]:
        """A post's author and time."""
        return self._names.get(self._frames[post].author, ""), self._time(post)[0]

    def byline(self, post: int) -> list[tuple[str, int]]:
        """A post's author and time, with styles, as far as they are there and not kept."""
        author, (time, first, last) = self.details(post)[0], self._time(post)
        row = self._frames[post].author
        spans: list[tuple[str, int]] = []
        if author and not self._is_kept(*self._blocks_of(row)):
            spans.append((author, STRONG_TEXT))
        if time and not self._is_kept(first, last):
            spans.append((f", {time}" if spans else time, 0))
        return spans

    def text_units(self, units: Iterable[int]) -> dict[int, list[int]]:
        """For each post those of some blocks, in rising order, that are its text or quotes.

        They stand neither where its author does, nor in what a member writes below
        every post, unless all does.
        """
        found: dict[int, tuple[list[int], list[int]]] = {}
        signed = self._inside(SIGNATURES.rows(self._walk))
        for unit, post in self.of_units(units).items():
            if not self._is_beside(unit, post):
                parts = found.setdefault(post, ([], []))
                parts[signed[self._elements[unit]]].append(unit)
        return {post: own or signature for post, (own, signature) in found.items()}

    def left_out(self, units: Sequence[int]) -> list[int]:
        """The blocks of posts of which no text is among some units.

        They stand in the same places as the others' blocks.
        """
        quoted = self.quoted(units)
        own = {
            post: unquoted
            for post, inside in self.text_units(units).items()
            if (unquoted := [unit for unit in inside if unit not in quoted])
        }
        places = {
            self._place(self._elements[unit])
            for unit in chain.from_iterable(own.values())
        }
        everything = self.text_units(range(len(self._elements)))
        return [
            unit
            for post, inside in everything.items()
            if post not in own
            for unit in inside
            if self._place(self._elements[unit]) in places
        ]

    def quoted(self, units: Iterable[int]) -> set[int]:
        """Those of some blocks, in rising order, that quote other posts."""
        found: set[int] = set()
        before = -1
        for unit in units:
            if self._is_quoted[self._elements[unit]]:
                found.add(unit)
                if before not in found and self._is_said(before):
                    found.add(before)
            before = unit
        return found

    def _is_said(self, unit: int) -> bool:
        """Whether a block says whom the quote below it is of."""
        text = self._blocks.text(unit)[: 2 * CHARS + 1] if unit >= 0 else ""
        return len(text) <= 2 * CHARS and bool(_SAYS.search(text))

    def laid_out(self) -> Walk:
        """The walk with elements named as what they are for posts.

        What holds posts is no list or table, and what quotes is a blockquote.
        """
        elements = self._walk.elements.copy()
        frames = self._frames.values()
        around = self._around(
            chain.from_iterable((one.row, one.author) for one in frames)
        )
        layout = [row for row in around if self._tags[row] in _LAYOUT]
        bodies, quotes = self._quotes
        elements[layout + bodies, ElementColumn.TAG] = _DIV
        tagged = [row for row in quotes if self._tags[row] == _QUOTE]
        last = 0
        for row in quotes:
            if row >= last:
                last = self._ends[row]
                # What holds a blockquote is told by that.
                if bisect_left(tagged, row) == bisect_left(tagged, last):
                    elements[row, ElementColumn.TAG] = _QUOTE
        return replace(self._walk, elements=elements)

    # -- times

    @cached_property
    def _named_times(self) -> list[int]:
        """Elements that are called times."""
        rows = rows_with(self._walk.elements, ElementColumn.TAG, TAG_ID["time"])
        named = {*rows, *POST_TIMES.rows(self._walk)} - set(JOINED.rows(self._walk))
        return sorted(row for row in named if not self._is_quoted[row])

    def _time(self, post: int) -> tuple[str, int, int]:
        """A post's time, and the blocks that it stands in."""
        if post not in self._times:
            frame = self._frames[post]
            self._times[post] = (
                self._named_time(frame, self._moment)
                or self._dated(frame)
                or self._named_time(frame, self._told)
                or ("", 0, 0)
            )
        return self._times[post]

    def _named_time(
        self, frame: Frame, read: Callable[[int], str]
    ) -> tuple[str, int, int] | None:
        """The first time in the element around the author that has one."""
        for up in chain(self._up(frame.author), (frame.row,)):
            if up < frame.row:
                break
            end = frame.end if up == frame.row else self._ends[up]
            at = bisect_left(self._named_times, up)
            for row in self._named_times[at : at + 3]:
                if row < end and (time := read(row)):
                    return time, *self._blocks_of(row)
        return None

    def _moment(self, row: int) -> str:
        """The time that an element tells, "" for none."""
        node = self._walk.node(row)
        for value in (node.get("datetime"), node.get("title"), text_of(node)):
            moment = dates.iso(value or "", day_first=self._day_first)
            if moment:
                return moment
        return ""

    def _told(self, row: int) -> str:
        """A time that is no date, as "2 hours ago"."""
        text = text_of(self._walk.node(row))
        is_time = any(c.isdigit() for c in text) and any(c.isalpha() for c in text)
        return text if len(text) <= CHARS and is_time else ""

    def _dated(self, frame: Frame) -> tuple[str, int, int] | None:
        """The last date alone in a block before the longest one, or the first behind."""
        units = range(frame.first, self._until[frame.row])
        longest = max(
            units, key=lambda unit: self._kept_words(unit, unit + 1), default=0
        )
        before = longest - frame.first
        for unit in (*units[:before][::-1], *units[before:]):
            text = self._blocks.text(unit)[: _DATED + 1]
            is_quoted = self._is_quoted[self._elements[unit]]
            if is_quoted or len(text) > _DATED or _OTHER_DATE.match(text):
                continue
            for _, start, _ in dates.found(text, day_first=self._day_first):
                time = dates.iso(text[start:], day_first=self._day_first)
                return time, unit, unit + 1
        return None

    # -- places

    def _places_beside(self) -> dict[int, tuple[int, int]]:
        """For each post the blocks around its author that hold none of its text.

        They are those of the largest element that in few posts has all words, and of
        all posts together has less than half.  Other posts than those that were found
        by their authors have these elsewhere.
        """
        own = {
            post: self._kept_words(self._frames[post].first, until)
            for post, until in self._until.items()
        }
        places = dict.fromkeys(self._frames, (0, 0))
        ways = {post: self._way(self._frames[post]) for post in self._grouped}
        for level in range(max(map(len, ways.values()), default=0)):
            ways = {post: way for post, way in ways.items() if len(way) > level}
            there = {post: self._blocks_of(way[level]) for post, way in ways.items()}
            beside = {post: self._kept_words(*at) for post, at in there.items()}
            whole = sum(own[post] == words > 0 for post, words in beside.items())
            some = sum(map(bool, own.values()))
            if 2 * whole > some or 2 * sum(beside.values()) > sum(own.values()):
                break
            places.update(there)
        return places

    def _way(self, frame: Frame) -> list[int]:
        """The elements around a post's author within it, from the innermost."""
        way: list[int] = []
        for row in self._up(frame.author):
            if row < frame.row or (row == frame.row and frame.end == self._ends[row]):
                break
            way.append(row)
        return way

    def _is_beside(self, unit: int, post: int) -> bool:
        """Whether a block stands where the post's author does, or has his name alone."""
        first, last = self._beside[post]
        author = self._frames[post].author
        if first <= unit < last or author < 0 or unit != self._firsts[author]:
            return first <= unit < last
        text = self._blocks.text(unit).replace(self._names[author], "")
        return len(text) < CHARS and not any(map(str.isalnum, text))

    def _place(self, row: int) -> object:
        """What tells an element from those that hold other things in a post."""
        own = self._shape(row)
        return own if own[1] else (own, self._shape(max(self._parents[row], 0)))

    @cached_property
    def _elements(self) -> list[int]:
        """The element of each block."""
        found: list[int] = self._walk.blocks[:, BlockColumn.ELEMENT].tolist()
        return found

    @cached_property
    def _is_quoted(self) -> bytearray:
        return self._inside(self._quotes[1])

    def _inside(self, rows: Sequence[int]) -> bytearray:
        """For each row whether it is one of some rows, in rising order, or in one."""
        found = bytearray(len(self._parents))
        for row in rows:
            if not found[row]:
                found[row : self._ends[row]] = b"\1" * (self._ends[row] - row)
        return found

    @cached_property
    def _quotes(self) -> tuple[list[int], list[int]]:
        """The blockquotes that hold posts, each one like the others', and the quotes."""
        walk = self._walk
        tagged = rows_with(walk.elements, ElementColumn.TAG, _QUOTE)
        rows = QUOTES.rows(walk)
        classes = attribute_values(walk, rows, "class")
        named = [
            row
            for row, names in zip(rows, classes, strict=True)
            if _QUOTE_NAME.search((names or "")[:300]) and self._tags[row] != _LINK
        ]
        groups: dict[object, list[int]] = {}
        for row in {*tagged, *named}:
            groups.setdefault(self._shape(row), []).append(row)
        frames = list(self._frames.values())
        least = _BODIES * len(frames), _BODIES * sum(self._own_words(frames))
        bodies = {
            row
            for group in groups.values()
            if len(group) > least[0]
            and sum(self._kept_words(*self._blocks_of(row)) for row in group) > least[1]
            for row in group
        }
        # One of them may have other names.
        depths = {self._depths[row] for row in bodies}
        bodies.update(row for row in tagged if self._depths[row] in depths)
        outside = self._around(bodies) | self._around(frame.row for frame in frames)
        found = {*tagged, *named} - bodies - set(SIGNATURES.rows(walk))
        return sorted(bodies.intersection(tagged)), sorted(
            found - (outside - {*tagged})
        )
