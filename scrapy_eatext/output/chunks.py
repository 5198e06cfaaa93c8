"""A text cut into chunks for retrieval, each with its place in the text.

A text consists of passages: blocks, and rows of tables.  A chunk takes as many passages
as it has room for.  A passage that is longer than a chunk is cut between sentences, or
between lines if it is code; a table's row is never cut.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, compress
from typing import TYPE_CHECKING

from scrapy_eatext.output.text import places_in_tables, texts_and_kinds
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tables import values_of
from scrapy_eatext.page.tags import CELL, CODE, HEADING, ITEM, KINDS, PARAGRAPH
from scrapy_eatext.page.values import shortened
from scrapy_eatext.result import Chunk

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.output.code import Content
    from scrapy_eatext.output.forms import ChunkForm
    from scrapy_eatext.output.judged import JudgedPage

# The kind of passages that are never cut, numbered after the kinds of blocks.
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
# The most characters of a heading in a path: a path comes with each chunk.
_HEADING_CHARS = 200

# Scripts without spaces between words, and how many characters count as a word.
_IDEOGRAPHS = re.compile(
    "[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]+"
)
_LETTERS = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]+")
_SPACELESS = ((_IDEOGRAPHS, 2), (_LETTERS, 5))
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
    r"|(?<=[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]\s)\s*(?=[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]))"
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
class Passages:
    """The passages of a text, in lists with an entry for each passage.

    ``starts`` and ``ends`` are offsets in the text, ``units`` numbers of units, -1 for
    none.  ``kinds`` are kinds of blocks, or WHOLE for a passage that is never cut.
    ``ranks`` has the level of each heading, 0 for the headline.  If a passage was cut,
    ``begun`` has the number of its first part for each of its later parts.
    """

    starts: list[int]
    ends: list[int]
    words: list[int]
    units: list[int]
    kinds: list[int]
    ranks: dict[int, int] = field(default_factory=dict)
    begun: dict[int, int] = field(default_factory=dict)

    def parts(self, text: str, i: int) -> Iterator[tuple[int, int, int]]:
        """The start, the end and the words of each part that a passage can be cut into."""
        start, end, kind = self.starts[i], self.ends[i], self.kinds[i]
        pauses: Iterable[tuple[int, int]] = ()
        if kind != WHOLE:
            pauses = (code_lines if kind == CODE else sentences)(text[start:end])
        begin = start
        for at, following in (*pauses, (end - start, 0)):
            if start + at > begin:
                yield begin, start + at, words_of(text[begin : start + at])
            begin = start + following

    def extend(self, others: Passages, first: int, end: int) -> None:
        """Add other passages, from ``first`` to before ``end``."""
        self.starts += others.starts[first:end]
        self.ends += others.ends[first:end]
        self.words += others.words[first:end]
        self.units += others.units[first:end]
        self.kinds += others.kinds[first:end]


def write_chunks(judged: JudgedPage) -> tuple[Chunk, ...]:
    """The chunks of a page's text, in the form that is asked for."""
    return chunks_in(judged, judged.forms.chunks)


def chunks_in(judged: JudgedPage, form: ChunkForm) -> tuple[Chunk, ...]:
    """The chunks of a page's text in a form."""
    text, units = judged.text, judged.units
    headline, own = judged.headline
    if judged.verdict.text is None:
        unit = min(own, default=-1)
        passages = passages_of(text, units, judged.below, headline, unit)
    else:
        passages = lines_of(text, headline)
    return chunks_of(text, passages, form, units)


def chunks_of(
    text: str, passages: Passages, form: ChunkForm, units: Units
) -> tuple[Chunk, ...]:
    """The chunks of a text, in its order."""
    fitted = _fitted(text, passages, form.max_words)
    paths = _Paths(text, fitted)
    starts, ends, numbers = fitted.starts, fitted.ends, fitted.units
    places: list[tuple[int, int, tuple[str, ...]]] = []
    first_units: list[int] = []
    for overlap, at, end in _packed(text, fitted, form):
        first, start = overlap or (at, starts[at])
        # A headline may belong to no unit; then the unit of the next passage counts.
        has_none = numbers[first] < 0 and end > first + 1
        first_units.append(numbers[first + has_none])
        places.append((start, ends[end - 1], paths.around(first, end)))
    return tuple(
        Chunk(text[start:end], headings, xpath, start, end)
        for (start, end, headings), xpath in zip(
            places, _xpaths(units, first_units), strict=True
        )
    )


def _xpaths(units: Units, numbers: list[int]) -> list[str]:
    """The XPaths of some units, "" for the number -1."""
    if isinstance(units, Blocks) and -1 not in numbers:
        return units.xpaths(numbers)
    return [units.xpath(number) if number >= 0 else "" for number in numbers]


def passages_of(
    text: str, units: Units, below: Content, headline: str = "", own: int = -1
) -> Passages:
    """The passages of the text that render_text() makes of units, below a headline.

    ``own`` is the number of the unit that is the headline, -1 for none.
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
    columns = [starts, ends, words, list(below.units), kinds, levels]
    if not all(begins):
        columns = [list(compress(column, begins)) for column in columns]
    if headline:
        whole = (0, len(headline), words_of(headline), own, WHOLE, 0)
        columns = [[one, *column] for one, column in zip(whole, columns, strict=True)]
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
    return made


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

    Of the cells of a row only the first begins one; it ends where the row does.  Rows
    become WHOLE, and words in marks of list items and in rows are added.  ``gaps`` has
    how far each unit is from the one before in its row, 0 for all others.  ``items`` are
    the texts of list items, and two characters behind ``end`` the first unit begins.
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
            ends[last] = end = begin + length
        else:
            if kind == CELL and begin == end + 1:
                # A row is never cut, nor the row above it, even if it has a single cell.
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
    parts = list(whole.parts(text, 0))
    if headline:
        parts.insert(0, (0, at, words_of(headline)))
    starts, ends, words = (list(column) for column in zip(*parts, strict=True))
    count = len(parts)
    made = Passages(starts, ends, words, [-1] * count, [PARAGRAPH] * count)
    if headline:
        made.ranks[0], made.kinds[0] = 0, WHOLE
    return made


def words_of(text: str) -> int:
    """The number of words in a text, an estimate for scripts without spaces."""
    count = len(text.split())
    if not text.isascii():
        for script, chars in _SPACELESS:
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


class _Paths:
    """The headings that passages stand under."""

    def __init__(self, text: str, passages: Passages) -> None:
        self._ranks = passages.ranks
        # The passages that are headings, the path of each, and the text of each.
        self._at = list(passages.ranks)
        self._paths: list[list[int]] = []
        self._texts: dict[int, str] = {}
        path: list[int] = []
        ranks = passages.ranks
        for at, rank in ranks.items():
            # The ranks in a path rise.
            while path and ranks[path[-1]] >= rank:
                path.pop()
            path.append(at)
            self._paths.append(path.copy())
            heading = text[passages.starts[at] : passages.ends[at]]
            if len(heading) > _HEADING_CHARS or "\n" in heading:
                heading = shortened(heading, _HEADING_CHARS)
            self._texts[at] = heading

    def around(self, first: int, end: int) -> tuple[str, ...]:
        """The headings above all passages from ``first`` to before ``end``."""
        last = bisect_right(self._at, first)
        path = self._paths[last - 1] if last else []
        for at in self._at[last : bisect_left(self._at, end, last)]:
            path = self._under(path, self._ranks[at])
        return tuple([self._texts[at] for at in path])

    def _under(self, path: list[int], rank: int) -> list[int]:
        """The part of a path that a heading of a rank stands under."""
        return [at for at in path if self._ranks[at] < rank]


def _fitted(text: str, passages: Passages, most: int) -> Passages:
    """Passages, of which those with too many words are cut where they can be.

    Headings right before a passage count with it, as they share its chunk.
    """
    words, ranks = passages.words, passages.ranks
    long: list[int] = []
    for i in [i for i, count in enumerate(words) if 2 * count > most]:
        room, before = most, i - 1
        while before in ranks and room >= words[i]:
            room -= words[before]
            before -= 1
        if words[i] > room and passages.kinds[i] != WHOLE:
            long.append(i)
    if not long:
        return passages
    made = Passages([], [], [], [], [])
    headings = deque(ranks)
    done = 0
    for i in (*long, len(words)):
        moved = len(made.starts) - done
        made.extend(passages, done, i)
        while headings and headings[0] < i:
            at = headings.popleft()
            made.ranks[at + moved] = ranks[at]
        if i == len(words):
            break
        done = i + 1
        first = len(made.starts)
        for start, end, count in passages.parts(text, i):
            if len(made.starts) > first:
                made.begun[len(made.starts)] = first
            made.starts.append(start)
            made.ends.append(end)
            made.words.append(count)
            made.units.append(passages.units[i])
            made.kinds.append(WHOLE)
    return made


def _packed(
    text: str, passages: Passages, form: ChunkForm
) -> Iterator[tuple[tuple[int, int] | None, int, int]]:
    """For each chunk its overlap, its first passage, and the passage after its last.

    The overlap is the passage in which it begins, and its start in the text; or None.
    """
    words, ranks, most = passages.words, passages.ranks, form.max_words
    headings = list(ranks)
    # The number of words before each passage, and before the end of the text.
    before = [0, *accumulate(words)]
    count = len(words)
    overlap: list[tuple[int, int, int]] = []
    at = 0
    while at < count:
        room = most
        for part in overlap:
            room -= part[2]
        while overlap and words[at] > room:
            room += overlap.pop()[2]
        end = max(bisect_right(before, before[at] + room, at) - 1, at + 1)
        half = bisect_left(before, before[at] + (most + 1) // 2, at + 1)
        # A heading begins a chunk, unless one is right before it.
        first = bisect_left(headings, half)
        within = bisect_left(headings, end, first)
        while first < within and headings[first] - 1 in ranks:
            first += 1
        if first < within:
            end = headings[first]
        elif end < count:
            # A passage that was cut begins a chunk too, unless that leaves the chunk
            # before it less than half full.
            last = passages.begun.get(end, end)
            last = last if last >= half else end
            while last > at and last - 1 in ranks:
                last -= 1
            end = last if last > at else end
        start = overlap[-1][:2] if overlap else None
        yield start, at, end
        overlap = []
        if form.overlap and end < count and end not in ranks:
            overlap = _overlap(text, passages, at, end, form.overlap)
            if (
                overlap
                and start is None
                and overlap[-1][:2] == (at, passages.starts[at])
            ):
                overlap.pop()  # or the next chunk would have all of this one
        at = end


def _overlap(
    text: str, passages: Passages, at: int, end: int, room: int
) -> list[tuple[int, int, int]]:
    """The end of a chunk that the next chunk repeats, in parts, the last one first.

    A part is a passage; of a passage that is too long for the room left, a sentence.
    Each entry has the passage, where the part begins in the text, and its words.
    """
    parts: list[tuple[int, int, int]] = []
    for i in range(end - 1, at - 1, -1):
        words = passages.words[i]
        if i in passages.ranks:
            break
        if words <= room:
            room -= words
            parts.append((i, passages.starts[i], words))
            continue
        for start, _, count in reversed(list(passages.parts(text, i))):
            room -= count
            if room < 0:
                break
            parts.append((i, start, count))
        break
    return parts
