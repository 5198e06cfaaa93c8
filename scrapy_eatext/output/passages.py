"""The passages that a text consists of: its blocks, and the rows of its tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from scrapy_eatext.output.text import first_numbers, parts_of, pieces, places_in_tables
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.datatables import data_tables
from scrapy_eatext.page.tags import CELL, CODE, HEADING, KINDS, PARAGRAPH

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.output.code import Content
    from scrapy_eatext.page.datatables import Places

# The kind of headings and rows, which are cut between sentences only if they are larger
# than a chunk: a number after those of the kinds of blocks.
WHOLE = len(KINDS)
_KIND_OF = {name: kind for kind, name in enumerate(KINDS)}
# A heading with more words than this is text in a large font.
_HEADING_WORDS = 40

# Scripts without spaces between words, and how many characters count as a word.
_IDEOGRAPHS = "\u3005-\u3007\u3041-\u3096\u309d-\u309e\u30a1-\u30fa\u30fc-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_WITHOUT_STOPS = "\u0e01-\u0eff"
_LETTERS = _WITHOUT_STOPS + "\u1000-\u109f\u1780-\u17ff"
SPACELESS = _IDEOGRAPHS + _LETTERS
IS_SPACELESS = re.compile(f"[{SPACELESS}]")
_COUNTS = ((re.compile(f"[{_IDEOGRAPHS}]+"), 2), (re.compile(f"[{_LETTERS}]+"), 5))
_ENDS = (
    ".!?\u2026\u061f\u06d4\u0964\u0965\u0589\u1362\u104b\u17d4\u3002\uff01\uff1f\uff61"
)
_WIDE_ENDS = "\u3002\uff01\uff1f"
_CLOSES = "\"'\u201d\u2019\u00bb)\\]"
_WIDE_CLOSES = "\u300d\u300f\u201d\u2019\uff09"
# Where a sentence may end: at a line feed, at white space after a full stop or the like,
# at white space between letters of scripts without full stops, Thai and Lao, and right
# after a full-width stop.  Each alternative looks back at three characters at
# most, so that matching takes linear time.  A pattern that begins with white space is
# eight times as fast, so _WIDE_PAUSE is used only for texts with full-width stops.
_AT_SPACE = (
    rf"\s(?:(?<=\n)|(?<=[{_ENDS}]\s)\s*|(?<=[{_ENDS}][{_CLOSES}{_WIDE_CLOSES}]\s)\s*"
    rf"|(?<=[{_WITHOUT_STOPS}]\s)\s*(?=[{_WITHOUT_STOPS}]))"
)
_PAUSE = re.compile(_AT_SPACE)
_WIDE_PAUSE = re.compile(
    rf"{_AT_SPACE}|(?<=[{_WIDE_ENDS}])(?![{_WIDE_ENDS}{_WIDE_CLOSES}\s])"
    rf"|(?<=[{_WIDE_ENDS}][{_WIDE_CLOSES}])(?!\s)"
)
# Words after which a full stop need not end a sentence: a letter, a number of one or two
# digits (a day), a word with a stop inside, and common abbreviations.
_ABBREVIATION = re.compile(
    r"(?:\w|\d{1,2}|\S*\w\.\w\S*|mr|mrs|ms|dr|prof|st|vs|no|nr|ca|bzw|vgl|jr|sr|gen|fig"
    r"|mme|art|vol|pp|rev|hon|lt|col|sgt|cf|al|bd|str|inc|ltd|co)\Z",
    re.IGNORECASE,
)
# The second of two abbreviated words: p. ex., v. Chr.
_ABBREVIATIONS = re.compile(r"(?:^|[\s(])[a-z]\. (?:\w\w?|Chr)\Z")
_LONGEST_ABBREVIATION = 20
_BLANK_LINE = "\n\n"
# Where a line of code ends and the next one begins, with its indentation.
_LINE = re.compile(r"\n+")


@dataclass(slots=True)
class Layout:
    """Where units stand in a text: offsets, in the order of the text.

    ``tables`` has three offsets for each table with headers: the beginning and the end
    of the headers, and the end of the table.  ``headers`` has where each header row
    begins.
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)
    tables: list[tuple[int, int, int]] = field(default_factory=list)
    headers: set[int] = field(default_factory=set)

    def add(self, start: int, end: int, unit: int) -> None:
        self.starts.append(start)
        self.ends.append(end)
        self.units.append(unit)


class Passage(NamedTuple):
    """A part of a text that is cut only if it is larger than a chunk.

    ``start`` and ``end`` are offsets in the text, ``size`` is in words or another
    measure, ``unit`` is the number of a unit, -1 for none, and ``kind`` a kind of block
    or WHOLE.  ``rank`` is the level of a heading, 0 for the headline, and -1 for other
    passages.  ``begun`` is the index of the first part of the passage that this is a
    later part of, -1 for all others.
    """

    start: int
    end: int
    size: int
    unit: int
    kind: int
    rank: int = -1
    begun: int = -1


def passages_of(
    units: Units, below: Content, headline: str = "", own: int = -1
) -> tuple[list[Passage], Layout]:
    """The passages of the text that render_text() makes of units, and its layout.

    The text stands below a headline, which is the unit ``own``, -1 for none.
    """
    numbers = list(below.units)
    parts = parts_of(units, numbers, below.code)
    first = first_numbers(units, numbers)
    places = places_in_tables(units, below)
    gaps = places.gaps() if places else []
    made, layout = _headed(headline, own), Layout()
    end = 0
    if headline:
        layout.add(0, len(headline), own)
        end = len(headline) + len(_BLANK_LINE)
    written = pieces(parts, range(len(numbers)), dict(first), gaps)
    for n, (gap, mark, text) in enumerate(written):
        begin = end + len(gap)
        end = begin + len(mark) + len(text)
        layout.add(begin + len(mark), end, numbers[n])
        kind, words = _KIND_OF.get(parts.kinds[n], PARAGRAPH), words_of(mark + text)
        rank = -1
        if gaps and gaps[n]:
            kind = CELL
            if gap[:1] == " ":  # another cell of the same row
                # The bar between the cells counts as a word, as in words_of().
                size = made[-1].size + words + len(gap.split())
                made[-1] = made[-1]._replace(end=end, size=size, kind=WHOLE)
                continue
            if gap == "\n":
                # Both this cell and the one above are rows of a single cell.
                made[-1] = made[-1]._replace(kind=WHOLE)
                kind = WHOLE
        if kind == HEADING and words <= _HEADING_WORDS:
            rank, kind = parts.levels[n] or 2, WHOLE
        made.append(Passage(begin, end, words, numbers[n], kind, rank))
    if places is not None:
        _add_tables(layout, units, places, bool(headline))
    return made, layout


def _headed(headline: str, own: int = -1) -> list[Passage]:
    """The passages of a text with a headline alone, none for ""."""
    size = words_of(headline)
    return [Passage(0, len(headline), size, own, WHOLE, rank=0)] if headline else []


def _add_tables(layout: Layout, units: Units, places: Places, first: int) -> None:
    """Add the tables with headers; ``first`` is where the layout has the first unit."""
    data = data_tables(units.walk) if isinstance(units, Blocks) else None
    headers = data.headers if data is not None else frozenset()
    starts, ends, tables = layout.starts, layout.ends, layout.tables
    last_table = last_row = -1
    for n, (table, row) in enumerate(
        zip(places.tables, places.rows, strict=True), first
    ):
        is_header = table >= 0 and row in headers
        if is_header and table != last_table:
            tables.append((starts[n], ends[n], ends[n]))
        elif table >= 0 and table == last_table and tables:
            begin, end, _ = tables[-1]
            tables[-1] = begin, ends[n] if is_header else end, ends[n]
        if is_header and row != last_row:
            layout.headers.add(starts[n])
        last_table, last_row = table, row


def lines_of(text: str, headline: str = "") -> list[Passage]:
    """The lines of a text as passages, below its headline."""
    lines = parted(text, len(headline), len(text), CODE)
    return _headed(headline) + [
        Passage(start, end, words_of(text[start:end]), -1, PARAGRAPH)
        for start, end in lines
    ]


def parted(text: str, start: int, end: int, kind: int) -> Iterator[tuple[int, int]]:
    """The start and the end of each sentence of a part of a text, or line of code."""
    pauses: Iterable[tuple[int, int]] = ()
    if kind == CODE:
        pauses = (line.span() for line in _LINE.finditer(text[start:end]))
    elif kind != WHOLE:
        pauses = sentences(text[start:end])
    begin = start
    for at, following in (*pauses, (end - start, 0)):
        if start + at > begin:
            yield begin, start + at
        begin = start + following


def words_of(text: str) -> int:
    """The number of words in a text, estimated for scripts without spaces."""
    count = len(text.split())
    if not text.isascii() and IS_SPACELESS.search(text):
        for script, chars in _COUNTS:
            # Each run is rounded by itself, so that the counts of parts of a text that
            # are cut between runs add up.
            count += sum(len(run) // chars for run in script.findall(text))
    return count


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence of a text ends and the next one begins."""
    pauses = _WIDE_PAUSE if any(end in text for end in _WIDE_ENDS) else _PAUSE
    for pause in pauses.finditer(text):
        at, following = pause.span()
        if following < len(text) and _ends(text, at, following):
            yield at, following


def _ends(text: str, at: int, following: int) -> bool:
    """Whether a sentence ends before the white space from ``at`` to ``following``."""
    if "\n" in text[at:following]:
        return True
    if text[following] != text[following].title():  # Georgian has no capitals here
        return False
    if text[at - 1] != ".":
        return True
    before = text[max(at - 1 - _LONGEST_ABBREVIATION, 0) : at - 1]
    word = before.rpartition(" ")[2].lstrip("([\"'\u201c\u201e\u00ab")
    return not (_ABBREVIATION.fullmatch(word) or _ABBREVIATIONS.search(before))
