"""What a text consists of: passages, which are blocks and rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import compress
from operator import sub
from typing import TYPE_CHECKING

from scrapy_eatext.output.text import places_in_tables, texts_and_kinds
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.datatables import data_tables
from scrapy_eatext.page.tables import values_of
from scrapy_eatext.page.tags import CELL, CODE, HEADING, ITEM, KINDS, PARAGRAPH

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.output.code import Content
    from scrapy_eatext.page.datatables import Places

# The kind of passages that are cut only if they have to be, numbered after the kinds of
# blocks: headings and rows.
WHOLE = len(KINDS)
_COUNTED = (
    BlockColumn.CHARS,
    BlockColumn.KIND,
    BlockColumn.LEVEL,
    BlockColumn.WORDS,
)
_KIND_OF = {name: kind for kind, name in enumerate(KINDS)}
# Kinds of blocks that may stand on the line of the block before, or on the next.
_ON_LINES = frozenset((ITEM, CELL))

# A heading with more words than this is taken for text that is set large.
_HEADING_WORDS = 40

# Scripts without spaces between words, and how many characters count as a word.
_IDEOGRAPHS = "\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_LETTERS = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
SPACELESS = _IDEOGRAPHS + _LETTERS
_COUNTS = ((re.compile(f"[{_IDEOGRAPHS}]+"), 2), (re.compile(f"[{_LETTERS}]+"), 5))
# The bytes with which characters of these scripts begin in UTF-8.  Quotes and dashes,
# which nearly all texts have, begin with another byte.
_LEADS = bytes((0xE0, 0xE1, *range(0xE3, 0xF5)))

_ENDS = (
    ".!?\u2026\u061f\u06d4\u0964\u0965\u0589\u1362\u104b\u17d4\u3002\uff01\uff1f\uff61"
)
_WIDE_ENDS = "\u3002\uff01\uff1f"
_CLOSES = "\"'\u201d\u2019\u00bb)\\]"
_WIDE_CLOSES = "\u300d\u300f\u201d\u2019\uff09"
# Where a sentence may end: at a line feed, at white space after a full stop or the like,
# at white space between letters of scripts that put spaces between sentences, not words,
# and right after a full-width stop.  Each alternative looks back at three characters at
# most, so that matching takes linear time.  A pattern that begins with white space is
# eight times as quick, so the other one is for texts with full-width stops alone.
_AT_SPACE = (
    rf"\s(?:(?<=\n)|(?<=[{_ENDS}{_WIDE_CLOSES}]\s)\s*|(?<=[{_ENDS}][{_CLOSES}]\s)\s*"
    rf"|(?<=[{_LETTERS}]\s)\s*(?=[{_LETTERS}]))"
)
_PAUSE = re.compile(_AT_SPACE)
_WIDE_PAUSE = re.compile(
    rf"{_AT_SPACE}|(?<=[{_WIDE_ENDS}])(?![{_WIDE_ENDS}{_WIDE_CLOSES}\s])"
    rf"|(?<=[{_WIDE_ENDS}][{_WIDE_CLOSES}])(?!\s)"
)
# Words after which a full stop need not end a sentence: a letter, a number of one or two
# digits (a day), a word with a stop inside, and common abbreviations.
_SHORTENED = re.compile(
    r"(?:\w|\d{1,2}|\S*\w\.\w\S*|mr|mrs|ms|dr|prof|st|vs|no|nr|ca|bzw|vgl|jr|sr|gen|fig"
    r"|mme|art|vol|pp|rev|hon|lt|col|sgt|cf|al|bd|str|inc|ltd|co)\Z",
    re.IGNORECASE,
)
_LONGEST_SHORTENED = 20
_LINE = re.compile(r"\n+")
# The indentation and the mark before a list item.
_MARK = re.compile(r"( *)(?:- |[0-9]+\. )?")


@dataclass(slots=True)
class Layout:
    """Where units stand in a text: offsets, in the order of the text.

    ``tables`` has for each table with headers where these begin and end, and where the
    table ends, and ``headers`` where each row of headers begins.
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)
    tables: list[tuple[int, int, int]] = field(default_factory=list)
    headers: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Passages:
    """The passages of a text, in lists with an entry for each passage.

    ``starts`` and ``ends`` are offsets in the text, ``sizes`` numbers of words or in
    another unit, ``units`` numbers of units, -1 for none.  ``kinds`` are kinds of blocks,
    or WHOLE.  ``ranks`` has the level of each heading, 0 for the headline.  If a passage
    was cut, ``begun`` has the number of its first part for each of its later parts.
    """

    starts: list[int]
    ends: list[int]
    sizes: list[int]
    units: list[int]
    kinds: list[int]
    ranks: dict[int, int] = field(default_factory=dict)
    begun: dict[int, int] = field(default_factory=dict)

    def pauses(self, text: str, i: int) -> Iterator[tuple[int, int]]:
        """The start and the end of each part that a passage consists of.

        They are sentences, or lines of code.
        """
        start, end, kind = self.starts[i], self.ends[i], self.kinds[i]
        pauses: Iterable[tuple[int, int]] = ()
        if kind != WHOLE:
            pauses = (code_lines if kind == CODE else sentences)(text[start:end])
        begin = start
        for at, following in (*pauses, (end - start, 0)):
            if start + at > begin:
                yield begin, start + at
            begin = start + following

    def extend(self, others: Passages, first: int, end: int) -> None:
        """Add other passages, from ``first`` to before ``end``."""
        self.starts += others.starts[first:end]
        self.ends += others.ends[first:end]
        self.sizes += others.sizes[first:end]
        self.units += others.units[first:end]
        self.kinds += others.kinds[first:end]


def passages_of(
    text: str, units: Units, below: Content, headline: str = "", own: int = -1
) -> tuple[Passages, Layout]:
    """The passages of the text that render_text() makes of units, and its layout.

    It stands below a headline, which is the unit ``own``, or none if that is -1.
    """
    lengths, kinds, levels, words = _facts(units, below)
    gaps = [0] * len(kinds)
    places = places_in_tables(units, below)
    if places is not None:
        for n, gap in enumerate(places.gaps()):
            if gap:
                kinds[n] = CELL
                gaps[n] = 0 if gap[0] == "\n" else len(gap)
    items = _texts_of_items(units, below, kinds)
    end = len(headline) if headline else -2
    starts, ends, begins = lines_in(text, lengths, kinds, words, gaps, items, end)
    layout = Layout(list(map(sub, ends, lengths)), ends.copy(), list(below.units))
    if places is not None:
        _add_tables(layout, units, places, starts)
    for n in reversed(range(1, len(begins))):
        if not begins[n]:
            # A row ends where its last cell does.
            ends[n - 1] = ends[n]
    columns = [starts, ends, words, list(below.units), kinds, levels]
    if not all(begins):
        columns = [list(compress(column, begins)) for column in columns]
    if headline:
        whole = (0, len(headline), words_of(headline), own, WHOLE, 0)
        columns = [[one, *column] for one, column in zip(whole, columns, strict=True)]
        layout.starts.insert(0, 0)
        layout.ends.insert(0, len(headline))
        layout.units.insert(0, own)
    starts, ends, words, numbers, kinds, levels = columns
    made = Passages(starts, ends, words, numbers, kinds)
    if headline:
        made.ranks[0] = 0
    at = -1
    for _ in range(kinds.count(HEADING)):
        at = kinds.index(HEADING, at + 1)
        if words[at] <= _HEADING_WORDS:
            made.ranks[at] = levels[at] or 2
            kinds[at] = WHOLE
    return made, layout


def _add_tables(
    layout: Layout, units: Units, places: Places, starts: list[int]
) -> None:
    """Add the tables with headers to a layout; units begin at ``starts``."""
    data = data_tables(units.walk) if isinstance(units, Blocks) else None
    headers = data.headers if data is not None else frozenset()
    found, ends = layout.tables, layout.ends
    table = row = -1
    for n, of in enumerate(places.tables):
        if of >= 0 and of != table and places.rows[n] in headers:
            found.append((starts[n], ends[n], ends[n]))
        elif of >= 0 and of == table and found:
            begin, end, _ = found[-1]
            is_header = places.rows[n] in headers
            found[-1] = begin, ends[n] if is_header else end, ends[n]
        if of >= 0 and places.rows[n] in headers and places.rows[n] != row:
            layout.headers.add(starts[n])
        table, row = of, places.rows[n]


def lines_in(
    text: str,
    lengths: list[int],
    kinds: list[int],
    words: list[int],
    gaps: list[int],
    items: list[str],
    end: int,
) -> tuple[list[int], list[int], list[bool]]:
    """Where each unit begins and ends in a text, and whether it begins a passage.

    Of the cells of a row only the first begins one.  Rows become WHOLE, and words in marks
    of list items and in rows are added.  ``gaps`` has how far each unit is from the one
    before in its row, 0 for all others.  ``items`` are the texts of list items, and two
    characters behind ``end`` the first unit begins.
    """
    starts: list[int] = []
    ends: list[int] = []
    begins = [True] * len(kinds)
    first, last, item = end, 0, 0
    for i, (length, kind, gap) in enumerate(zip(lengths, kinds, gaps, strict=True)):
        begin = end + 2
        if kind in _ON_LINES and end > first:
            begin = end + (2 if text.startswith("\n\n", end) else 1)
        if kind == ITEM:
            mark = mark_of(text, items[item], begin)
            item += 1
            words[i] += len(mark.split())
            end = begin + len(mark) + length
        elif gap:
            kinds[last], begins[i] = WHOLE, False
            begin = end + gap
            # The bar counts as a word, as it does in words_of().
            words[last] += words[i] + (gap > 1)
            end = begin + length
        else:
            if kind == CELL and begin == end + 1:
                # A row with a single cell is one too, and so is the row above it.
                kinds[last] = kinds[i] = WHOLE
            end = begin + length
        if begins[i]:
            last = i
        starts.append(begin)
        ends.append(end)
    return starts, ends, begins


def _facts(
    units: Units, below: Content
) -> tuple[list[int], list[int], list[int], list[int]]:
    """For each unit shown, its numbers of characters and words, its kind and level."""
    numbers, code = list(below.units), below.code
    if not isinstance(units, Blocks):
        texts, names, levels = texts_and_kinds(units, numbers, code)
        kinds = [_KIND_OF.get(name, 0) for name in names]
        return list(map(len, texts)), kinds, levels, list(map(words_of, texts))
    # The walk has counted characters and words, so most texts need not be read.
    chars, kinds, levels, words = values_of(units.walk.blocks, numbers, _COUNTED)
    may_lack_spaces = units.with_bytes(numbers, _LEADS)
    if may_lack_spaces:
        counts = map(words_of, units.texts(may_lack_spaces))
        recounted = dict(zip(may_lack_spaces, counts, strict=True))
        words = [recounted.get(i, n) for i, n in zip(numbers, words, strict=True)]
    for n, i in enumerate(numbers if code else ()):
        if i in code:
            kinds[n] = CODE
            if code[i]:
                chars[n], words[n] = len(code[i]), words_of(code[i])
    return chars, kinds, levels, words


def _texts_of_items(units: Units, below: Content, kinds: list[int]) -> list[str]:
    """The texts of the list items among the units shown."""
    if ITEM not in kinds:
        return []
    items = [i for i, kind in zip(below.units, kinds, strict=True) if kind == ITEM]
    if isinstance(units, Blocks):
        return units.texts(items)
    return [units.text(i) for i in items]


def lines_of(text: str, headline: str = "") -> Passages:
    """The lines of a text as passages, below its headline."""
    at = len(headline)
    whole = Passages([at], [len(text)], [0], [-1], [CODE])
    parts = list(whole.pauses(text, 0))
    if headline:
        parts.insert(0, (0, at))
    starts, ends = (list(column) for column in zip(*parts, strict=True))
    words = [words_of(text[start:end]) for start, end in parts]
    count = len(parts)
    made = Passages(starts, ends, words, [-1] * count, [PARAGRAPH] * count)
    if headline:
        made.ranks[0], made.kinds[0] = 0, WHOLE
    return made


def words_of(text: str) -> int:
    """The number of words in a text, an estimate for scripts without spaces."""
    count = len(text.split())
    if not text.isascii():
        for script, chars in _COUNTS:
            # Each run is rounded by itself, so that the parts of a text, cut between
            # runs, have no fewer words in all.
            count += sum(len(run) // chars for run in script.findall(text))
    return count


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences of a text end and the next ones begin."""
    pauses = _WIDE_PAUSE if any(end in text for end in _WIDE_ENDS) else _PAUSE
    for pause in pauses.finditer(text):
        at, following = pause.span()
        if following < len(text) and _ends(text, at, following):
            yield at, following


def code_lines(text: str) -> Iterator[tuple[int, int]]:
    """Where lines of code end and the next ones begin, indentation included."""
    return (match.span() for match in _LINE.finditer(text))


def _ends(text: str, at: int, following: int) -> bool:
    """Whether a sentence ends before the white space at a place."""
    if "\n" in text[at:following]:
        return True
    if text[following].islower():
        return False
    if text[at - 1] != ".":
        return True
    before = text[max(at - 1 - _LONGEST_SHORTENED, 0) : at - 1]
    word = before.rpartition(" ")[2].lstrip("([\"'\u201c\u201e\u00ab")
    return not _SHORTENED.fullmatch(word)


def mark_of(text: str, content: str, begin: int) -> str:
    """The mark that stands before a list item, with its indentation."""
    if text.startswith("- ", begin) and text.startswith(content, begin + 2):
        return "- "  # as most are
    found = _MARK.match(text, begin)
    if found is not None:
        for mark in (found[0], found[1]):
            if text.startswith(content, begin + len(mark)):
                return mark
    return ""
