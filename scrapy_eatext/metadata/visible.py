"""What a page says of itself to its readers: headings, bylines, dates.

It is read where the data for machines say nothing.  Of the many dates and names
on a page those near its title are its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.metadata import dates
from scrapy_eatext.output.names import BYLINES, DATELINES
from scrapy_eatext.page.tags import HEADING, TAG_ID
from scrapy_eatext.page.walk import BLOCK_COLUMNS, ELEMENT_COLUMNS

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

_TAG, _FIRST, _LAST = (
    ELEMENT_COLUMNS.index(name) for name in ("tag", "first_block", "last_block")
)
_START, _KIND, _LEVEL = map(BLOCK_COLUMNS.index, ("start", "kind", "level"))
_TIME_TAG = TAG_ID["time"]

# How far from the title a page's own dates and names are, in blocks.
_BEFORE, _BEHIND = 12, 30
# Longer blocks are text.
_SHORT = 200
_MAX_NAME = 60
_MAX_LOOKED_AT = 40
_DATE_ALONE = 20

_BY = re.compile(
    r"^(?:(?:(?:article|post|posted|published|reported|reviewed|story|text|words"
    r"|written)\s+)?by|author(?:ed by|s)?|von|par|por|di|door|av|af|autor|auteur"
    r"|written\s+by)\b\s*:?(?:\s+|$)",
    re.IGNORECASE,
)
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
_NOT_COUNTED = re.compile(r"[\W_]+")
_NO_NAME = frozenset(
    "about admin administrator advertisement all anonymous author authors bio by comments "
    "category contributor default edit editor featured follow guest home interest more posts profile read share staff team "
    "the this unknown updated user view website written".split()
)
_CHANGED = re.compile(r"updat|modif|edited|review|revis|aktualis|mis à jour|last ch",
                      re.IGNORECASE)  # fmt: skip
_ISSUED = re.compile(r"publi|posted|created|veröffentlicht|first|date|written",
                     re.IGNORECASE)  # fmt: skip


class Visible:
    """The title, the bylines and the dates that a page shows."""

    def __init__(self, page: Page, title: str) -> None:
        self._page = page
        self._blocks = page.blocks
        self._walk = page.blocks.walk
        self._title = title

    @cached_property
    def headings(self) -> list[tuple[int, str]]:
        """The blocks in headings of the first level, and their texts."""
        blocks = self._blocks
        table = self._walk.blocks
        first = (table[:, _KIND] == HEADING) & (table[:, _LEVEL] == 1)
        numbers = first.nonzero()[0][:20].tolist()
        return [(i, " ".join(blocks.text(i).split())) for i in numbers]

    @cached_property
    def _near(self) -> tuple[int, int]:
        """The blocks near the title: from one to before another."""
        wanted = key(self._title)
        start = next(
            (i for i, text in self.headings if key(text) and key(text) in wanted),
            self.headings[0][0] if self.headings else -1,
        )
        if start < 0:
            return 0, _BEFORE + _BEHIND
        return max(0, start - _BEFORE), start + _BEHIND

    def _rows(self, rows: list[int]) -> Iterator[tuple[int, int, int]]:
        """Those of some elements that are near the title, with their blocks."""
        begin, end = self._near
        looked_at = 0
        for row in rows:
            first, last = self._walk.elements[row, [_FIRST, _LAST]].tolist()
            if begin <= first < end and last - first < 12:
                looked_at += 1
                if looked_at > _MAX_LOOKED_AT:
                    return
                yield row, first, last

    def _short_texts(self) -> Iterator[str]:
        blocks = self._blocks
        begin, end = self._near
        for i in range(begin, min(end, len(blocks))):
            if blocks.chars[i] <= _SHORT and blocks.kinds[i] != "code":
                yield blocks.text(i)

    @cached_property
    def _dated(self) -> list[int]:
        """The short blocks that have a year in them."""
        starts = self._walk.blocks[:, _START]
        years = np.array(_years_in(self._walk.text), dtype=starts.dtype)
        numbers = starts.searchsorted(years, side="right") - 1
        short = self._blocks.chars
        return [i for i in dict.fromkeys(numbers.tolist()) if short[i] <= _SHORT]

    def _text(self, row: int, first: int, last: int) -> str:
        """The text of an element: its blocks, or what it is of a block."""
        if last > first:
            return "\n".join(map(self._blocks.text, range(first, last)))
        return " ".join("".join(self._walk.node(row).itertext()).split())

    # -- names

    def authors(self) -> list[str]:
        """The authors that a byline near the title names."""
        for row, first, last in self._rows(BYLINES.rows(self._walk)):
            text = self._text(row, first, last)
            if 0 < len(text) <= _SHORT:
                names = names_in(text)
                if names:
                    return names
        texts = list(self._short_texts())
        lines = [line for text in texts for line in text.split("\n")]
        for line, following in pairwise([*lines, ""]):
            names = _names_by(line, following)
            if names:
                return names
        return _beside_a_date(texts)

    # -- dates

    @cached_property
    def times(self) -> list[tuple[bool, str]]:
        """The dates in time elements near the title, and whether each is a change."""
        rows = (self._walk.elements[:, _TAG] == _TIME_TAG).nonzero()[0].tolist()
        made = []
        for row, first, last in self._rows(rows):
            node = self._walk.node(row)
            given = node.get("datetime") or self._text(row, first, last)
            day = dates.iso(given, day_first=self._page.language != "en")
            if day:
                told = f"{node.get('class') or ''} {node.get('itemprop') or ''}"
                made.append((bool(_CHANGED.search(told)), day))
        return made

    @cached_property
    def written(self) -> list[tuple[bool, str]]:
        """The dates in short texts near the title, and whether each is a change.

        Dates that say of themselves that they are the page's come first, those
        in elements with such a name next.
        """
        told: list[tuple[bool, str]] = []
        plain: list[tuple[bool, str]] = []
        begin, end = self._near
        near = [self._blocks.text(i) for i in self._dated if begin <= i < end]
        for text in near:
            for changed, issued, day in self._in(text):
                (told if changed or issued else plain).append((changed, day))
        named = [
            (changed, day)
            for row, first, last in self._rows(DATELINES.rows(self._walk))
            for changed, _, day in self._in(self._text(row, first, last)[:_SHORT])
        ]
        return told + named + plain

    @cached_property
    def far(self) -> list[tuple[bool, str]]:
        """The dates further away, in short texts that hold little else.

        Such a text says of a date that it is the page's, or is the date alone.
        """
        blocks = self._blocks
        begin, end = self._near
        made = []
        for i in self._dated:
            if blocks.chars[i] > _SHORT // 2 or begin <= i < end:
                continue
            text = blocks.text(i)
            for changed, issued, day in self._in(text):
                if changed or issued or len(text) <= _DATE_ALONE:
                    made.append((changed, day))
        return made

    def _in(self, text: str) -> Iterator[tuple[bool, bool, str]]:
        begin = 0
        for day, end in dates.found(text, day_first=self._page.language != "en"):
            before = text[begin:end][-60:]
            yield bool(_CHANGED.search(before)), bool(_ISSUED.search(before)), day
            begin = end


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


def key(text: str) -> str:
    """What of a text counts when it is compared: its letters and digits."""
    return _NOT_COUNTED.sub("", text.lower())


def _names_by(line: str, following: str) -> list[str]:
    """The names behind a "by" in a line, or on the next where it is alone."""
    if _BY.match(line) is not None:
        # A name in small letters is one that people log in by.
        return [
            name
            for name in names_in(f"{line}\n{following}")
            if not (name.isalpha() and name.islower())
        ]
    match = _BY_INSIDE.search(line)
    if match is not None and line[match.end()].isupper():
        return names_in(line[match.end() :])
    return []


def _beside_a_date(texts: list[str]) -> list[str]:
    """The name that stands beside a date, if there is one."""
    dated = [next(dates.found(text), None) is not None for text in texts]
    for number, text in enumerate(texts):
        if not any(dated[max(0, number - 2) : number + 3]):
            continue
        parts = _PARTS.split(text) if dated[number] else [text]
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
    """The names in a byline, none where it does not look like one."""
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
