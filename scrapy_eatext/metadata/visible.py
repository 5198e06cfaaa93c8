"""Metadata that a page shows to its readers: headings, bylines, dates.

They are read if the data for machines say nothing.  Of the many dates and names on a
page, those near its title are its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.metadata import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import BYLINES, COMMENTS, DATELINES
from scrapy_eatext.page.tags import CODE, HEADING, TAG_ID
from scrapy_eatext.page.twins import load, nodes_of
from scrapy_eatext.page.values import BOUNDS, beginning, shortened

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page import Page

_TAG, _FIRST, _LAST = (
    ElementColumn.TAG,
    ElementColumn.FIRST_BLOCK,
    ElementColumn.LAST_BLOCK,
)
_START, _END, _KIND, _LEVEL, _CHARS = (
    BlockColumn.START,
    BlockColumn.END,
    BlockColumn.KIND,
    BlockColumn.LEVEL,
    BlockColumn.CHARS,
)
_TIME_TAG = TAG_ID["time"]

# How many blocks from the title a page's own dates and names may be.
_BEFORE, _BEHIND = 12, 30
# Longer blocks are text.
_SHORT = 200
# The characters read of an element for a short text, white space included.
_MAX_READ = 20 * _SHORT
_MAX_NAME = 60
_MAX_LOOKED_AT = 40
_MAX_BLOCKS = 12
_MAX_HEADINGS = 20
_DATE_ALONE = 20
_DIGIT = re.compile(r"\d")
_YEAR_DIGITS = 4

_BY = re.compile(
    r"^(?:(?:(?:article|post|posted|published|reported|reviewed|story|text|words"
    r"|written)\s+)?by|author(?:ed by|s)?|von|par|por|di|door|av|af|autor|auteur"
    r"|written\s+by)\b\s*:?(?:\s+|$)",
    re.IGNORECASE,
)
# The first letters of these; the last one is an s to a pattern that ignores case.
_BY_BEGINS = frozenset("abdprstvwABDPRSTVWſ")
# Where a name ends in a byline.
_NAME_END = re.compile(
    r"\s*(?:[|•·⋅»—–,;:\n(\[]|\s-\s|\s\d|\bon\s|\bin\s|\bupdated\b|\bpublished\b|\bposted\b"
    r"|\breviewed\b|\bread more\b|\bwritten\b|\blast\s)",
    re.IGNORECASE,
)
# A byline in the middle of a line: the name begins with a capital.
_BY_INSIDE = re.compile(
    r"(?:^|[|·•—–\d,-]\s{0,3}|\b(?:article|asked|authored|created|post|posted|published"
    r"|started|story|submitted|text|words|written)\s{1,3})(?:[Bb]y|BY):?\s+(?=[^\W\d_])",
    re.IGNORECASE,
)
# A first name, or an initial, and so on.
_CAPITAL = re.compile(r"[^\W\d_][\w.'’-]*")
_PARTS = re.compile(r"\s*[|·•⋅—–,\n/]\s*|\s+-\s+")
_AND = re.compile(r"\s+(?:and|&|und|et|y)\s+", re.IGNORECASE)
_NO_NAME = frozenset(
    "about admin administrator advertisement all anonymous author authors bio by comments "
    "category contributor default edit editor featured follow guest home interest more posts profile read share staff team "
    "the this unknown updated user view website written".split()
)
# The ASCII characters that key() leaves out; most texts have no others.
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_CHANGED = re.compile(r"updat|modif|edited|review|revis|aktualis|mis à jour|last ch",
                      re.IGNORECASE)  # fmt: skip
_ISSUED = re.compile(r"publi|posted|created|veröffentlicht|first|date|written",
                     re.IGNORECASE)  # fmt: skip


def python_tagged(
    elements: npt.NDArray[np.int32], tag: int, begin: int, end: int
) -> list[int]:
    """The elements of a tag that begin in one of the blocks from one to before another."""
    first = elements[:, _FIRST]
    found = (elements[:, _TAG] == tag) & (begin <= first) & (first < end)
    rows: list[int] = found.nonzero()[0].tolist()
    return rows


def python_headings(blocks: npt.NDArray[np.int32], most: int) -> list[int]:
    """The first of the blocks that are headings of the first level."""
    found = (blocks[:, _KIND] == HEADING) & (blocks[:, _LEVEL] == 1)
    numbers: list[int] = found.nonzero()[0][:most].tolist()
    return numbers


def python_short(
    blocks: npt.NDArray[np.int32], begin: int, end: int, longest: int
) -> list[int]:
    """The blocks up to a length from one to before another that are no code."""
    some = blocks[begin:end]
    found = (some[:, _CHARS] <= longest) & (some[:, _KIND] != CODE)
    return [begin + int(i) for i in found.nonzero()[0]]


def python_dated(text: bytes, blocks: npt.NDArray[np.int32], longest: int) -> list[int]:
    """The blocks up to a length that have a year in them, and digits for a day."""
    years = np.array(_years_in(text), dtype=np.int32)
    numbers = blocks[:, _START].searchsorted(years, side="right") - 1
    there = years + 4 <= blocks[numbers, _END]
    there &= blocks[numbers, _CHARS] <= longest
    found = dict.fromkeys(numbers[there].tolist())
    bounds = {i: blocks[i, [_START, _END]].tolist() for i in found}
    return [
        i
        for i, (start, end) in bounds.items()
        if len(_DIGIT.findall(text[start:end].decode())) > _YEAR_DIGITS
    ]


def _years_in(text: bytes) -> list[int]:
    """Where in a text there may be years, in order.

    A plain search is many times faster than a pattern that begins in two ways.
    """
    found = []
    for century in (b"19", b"20"):
        at = text.find(century)
        while at >= 0:
            if text[at + 2 : at + 4].isdigit() and at + 4 <= len(text):
                found.append(at)
            at = text.find(century, at + 2)
    return sorted(found)


_compiled = load("output._text")
tagged: Callable[..., list[int]] = (
    python_tagged if _compiled is None else _compiled.tagged
)
headings: Callable[..., list[int]] = (
    python_headings if _compiled is None else _compiled.headings
)
short: Callable[..., list[int]] = python_short if _compiled is None else _compiled.short
dated: Callable[..., list[int]] = python_dated if _compiled is None else _compiled.dated


class Visible:
    """The title, the bylines and the dates that a page shows."""

    def __init__(self, page: Page, title: str) -> None:
        self._page = page
        self._blocks = page.blocks
        self._walk = page.blocks.walk
        self._title = title

    @cached_property
    def headings(self) -> list[tuple[int, str, str]]:
        """The blocks in headings of the first level, their texts and the keys of these."""
        numbers = headings(self._walk.blocks, _MAX_HEADINGS)
        most = BOUNDS["title"].most
        texts = [shortened(text, most) for text in self._blocks.texts(numbers)]
        return [(i, text, key(text)) for i, text in zip(numbers, texts, strict=True)]

    @cached_property
    def _start(self) -> int:
        """The block of the title, -1 if it is in none."""
        wanted = key(self._title)
        return next(
            (i for i, _, found in self.headings if found and found in wanted),
            self.headings[0][0] if self.headings else -1,
        )

    @cached_property
    def _near(self) -> tuple[int, int]:
        """The blocks near the title: from one to before another."""
        start = self._start
        if start < 0:
            return 0, _BEFORE + _BEHIND
        return max(0, start - _BEFORE), start + _BEHIND

    @cached_property
    def _said(self) -> frozenset[int]:
        """The blocks of readers' comments that are near the title and behind it."""
        start, (_, end) = self._start, self._near
        cell = self._walk.elements.item
        rows = COMMENTS.rows(self._walk)
        said: set[int] = set()
        at = bisect_left(rows, start + 1, key=lambda row: cell(row, _FIRST))
        done = 0
        for row in rows[at:]:
            # Comments may be nested: no block is looked at twice.
            first = max(cell(row, _FIRST), done)
            if first >= end:
                break
            done = max(min(cell(row, _LAST), end), done)
            said.update(range(first, done))
        return frozenset(said)

    def _those_near(self, rows: list[int]) -> Iterator[tuple[Any, int, int]]:
        """Those of some elements that are near the title, with their blocks."""
        if not rows:
            return
        begin, end = self._near
        cell = self._walk.elements.item
        found: list[tuple[int, int, int]] = []
        # In the order of the page, they are in that of their blocks.
        at = bisect_left(rows, begin, key=lambda row: cell(row, _FIRST))
        for row in rows[at:]:
            first, last = cell(row, _FIRST), cell(row, _LAST)
            if first >= end or len(found) == _MAX_LOOKED_AT:
                break
            if last - first < _MAX_BLOCKS and first not in self._said:
                found.append((row, first, last))
        nodes = nodes_of(self._walk, [row for row, _, _ in found])
        for node, (_, first, last) in zip(nodes, found, strict=True):
            yield node, first, last

    @cached_property
    def _dated(self) -> list[int]:
        """The short blocks that have the digits of a date in them."""
        return dated(self._walk.text, self._walk.blocks, _SHORT)

    def _text(self, node: Any, first: int, last: int) -> str:
        """The text of an element: its blocks, or its part of a block."""
        if last > first:
            return "\n".join(self._blocks.texts(list(range(first, last))))
        return " ".join(beginning(node, _MAX_READ).split())

    # -- names

    def authors(self) -> list[str]:
        """The authors that a byline near the title names."""
        for node, first, last in self._those_near(BYLINES.rows(self._walk)):
            text = self._text(node, first, last)
            if 0 < len(text) <= _SHORT:
                names = names_in(text)
                if names:
                    return names
        near = short(self._walk.blocks, *self._near, _SHORT)
        said = self._said
        numbers = [i for i in near if i not in said]
        texts = self._blocks.texts(numbers)
        lines = "\n".join([*texts, ""]).split("\n")
        for line, following in pairwise(lines):
            names = _names_by(line, following)
            if names:
                return names
        may_be_dated = frozenset(self._dated)
        return _beside_a_date(texts, [i in may_be_dated for i in numbers])

    # -- dates

    def times(self) -> Iterator[tuple[bool, str]]:
        """The dates in time elements near the title; whether each is of a change."""
        rows = tagged(self._walk.elements, _TIME_TAG, *self._near)
        for node, first, last in self._those_near(rows):
            given = node.get("datetime") or self._text(node, first, last)
            day = dates.iso(given, day_first=self._page.language != "en")
            if day:
                told = f"{node.get('class') or ''} {node.get('itemprop') or ''}"
                yield bool(_CHANGED.search(told)), day

    def written(self) -> Iterator[tuple[bool, str]]:
        """The dates in short texts near the title, and whether each is of a change.

        First come dates beside a word such as "published", then dates in elements with
        such a name.
        """
        plain: list[str] = []
        begin, end = self._near
        for i in self._dated:
            if begin <= i < end and i not in self._said:
                for changed, issued, day in self._in(self._blocks.text(i)):
                    if changed or issued:
                        yield changed, day
                    else:
                        plain.append(day)
        for node, first, last in self._those_near(DATELINES.rows(self._walk)):
            for changed, _, day in self._in(self._text(node, first, last)[:_SHORT]):
                yield changed, day
        yield from ((False, day) for day in plain)

    def far(self) -> Iterator[tuple[bool, str]]:
        """The dates further away, in short texts with little else.

        Such a text has a word such as "published", or is the date alone.
        """
        blocks = self._blocks
        begin, end = self._near
        for i in self._dated:
            if blocks.chars[i] > _SHORT // 2 or begin <= i < end:
                continue
            text = blocks.text(i)
            for changed, issued, day in self._in(text):
                if changed or issued or len(text) <= _DATE_ALONE:
                    yield changed, day

    def _in(self, text: str) -> Iterator[tuple[bool, bool, str]]:
        begin = 0
        for day, end in dates.found(text, day_first=self._page.language != "en"):
            before = text[begin:end][-60:]
            yield bool(_CHANGED.search(before)), bool(_ISSUED.search(before)), day
            begin = end


def key(text: str) -> str:
    """A text as it is compared: its letters and digits, in lower case."""
    text = text.lower()
    if text.isascii():
        return text.encode().translate(None, _SIGNS).decode()
    return "".join(filter(str.isalnum, text))


def _names_by(line: str, following: str) -> list[str]:
    """The names behind a "by" in a line, or on the next line if the "by" is alone."""
    # Most lines need no closer look, which takes longer.
    if line[:1] in _BY_BEGINS and _BY.match(line) is not None:
        # A name in small letters is a user name.
        return [
            name
            for name in names_in(f"{line}\n{following}")
            if not (name.isalpha() and name.islower())
        ]
    match = _BY_INSIDE.search(line) if "by" in line.lower() else None
    if match is not None and line[match.end()].isupper():
        return names_in(line[match.end() :])
    return []


def _beside_a_date(texts: list[str], may_be_dated: list[bool]) -> list[str]:
    """The name that stands beside a date, if there is one."""
    have_date = [
        may_be and next(dates.found(text), None) is not None
        for text, may_be in zip(texts, may_be_dated, strict=True)
    ]
    for number, text in enumerate(texts):
        if not any(have_date[max(0, number - 2) : number + 3]):
            continue
        parts = _PARTS.split(text) if have_date[number] else [text]
        for part in parts:
            words = part.split()
            if 2 <= len(words) <= 4 and _is_full_name(words):
                return [part]
    return []


def _is_full_name(words: list[str]) -> bool:
    return all(
        _CAPITAL.fullmatch(word)
        and word[0].isupper()
        and not word.isupper()
        and not dates.is_month(word)
        and word.lower() not in _NO_NAME
        for word in words
    )


def names_in(text: str) -> list[str]:
    """The names in a byline, none if it does not look like a byline."""
    line = _BY.sub("", text.strip(), count=1).split("\n")[0]
    names = []
    for part in _AND.split(line):
        end = _NAME_END.search(part)
        name = (part[: end.start()] if end else part).strip(" .*@\t")
        if is_name(name):
            names.append(name)
        if end is not None:
            break
    return names


def is_name(text: str) -> bool:
    """Whether a text may be a name."""
    words = text.split()
    if not words or len(text) > _MAX_NAME or len(words) > 6:
        return False
    if all(word.lower() in _NO_NAME for word in words) or dates.is_month(words[0]):
        return False
    if len(words) > 1 and not any(word[0].isupper() for word in words if word):
        # In scripts without capitals any words may be a name.
        return not any(c.islower() for c in text)
    return any(c.isalpha() for c in text) and "://" not in text
