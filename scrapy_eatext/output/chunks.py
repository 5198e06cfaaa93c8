"""A text cut into chunks for retrieval, each with its place in the text.

A chunk takes as many passages as it has room for.  A passage that is larger than a
chunk is cut between sentences, or between lines if it is code.  A sentence or line that
is still too large is cut between words.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from scrapy_eatext.deadline import watched
from scrapy_eatext.output.forms import counter_of
from scrapy_eatext.output.fragments import addresses
from scrapy_eatext.output.passages import (
    WHOLE,
    Layout,
    Passage,
    lines_of,
    parted,
    passages_of,
    words_of,
)
from scrapy_eatext.output.pieces import MarkdownParts, PlainParts, Shown
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.tags import PARAGRAPH, TERM
from scrapy_eatext.page.values import shortened
from scrapy_eatext.result import Chunk

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.output.forms import ChunkForm, Counter
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.output.pieces import Measure

# The most characters of a heading in a path: a path comes with each chunk.
_HEADING_CHARS = 200


def write_chunks(judged: JudgedPage) -> tuple[Chunk, ...]:
    """The chunks of a page's text, in the form that is asked for."""
    return chunks_in(judged, judged.forms.chunks)


def chunks_in(judged: JudgedPage, form: ChunkForm) -> tuple[Chunk, ...]:
    """The chunks of a page's text in a form."""
    text, units = judged.text, judged.units
    headline, own = judged.headline
    layout = Layout()
    if judged.verdict.text is None:
        unit = min(own, default=-1)
        passages, layout = passages_of(units, judged.below, headline, unit)
    else:
        passages = lines_of(text, headline)
    measure, base = _measured(form.unit)
    most = max(form.size - base, 1)
    parts: type[Shown] = PlainParts
    if form.markdown and layout.units:
        parts = MarkdownParts
    shown = parts(judged, layout, measure, most)
    room = _Room(text, shown, layout.headers, measure, most)
    if form.markdown or measure is not words_of:
        room.is_exact = False
        passages = room.measured(passages)
    # A link from a footnote back to the text is no chunk in Markdown.
    found = chunks_of(passages, room, form.overlap, units)
    chunks = [chunk for chunk in found if chunk.text]
    urls = addresses(judged, layout, [(chunk.start, chunk.end) for chunk in chunks])
    return tuple(
        replace(chunk, url=url) for chunk, url in zip(chunks, urls, strict=True)
    )


def chunks_of(
    passages: list[Passage], room: _Room, overlapping: int, units: Units
) -> list[Chunk]:
    """The chunks of a text, in its order, still without addresses."""
    fitted = _fitted(passages, room)
    paths, headings = _headings(room.text, fitted)
    places: list[tuple[int, int, tuple[str, ...]]] = []
    first_units: list[int] = []
    for overlap, at, end in watched(_packed(fitted, room, overlapping)):
        first, start = overlap or (at, fitted[at].start)
        # If the headline belongs to no unit, the next passage's unit counts.
        is_headline = fitted[first].unit < 0 and end > first + 1
        first_units.append(fitted[first + is_headline].unit)
        path = tuple([headings[at] for at in paths[first] if at in paths[end - 1]])
        places.append((start, fitted[end - 1].end, path))
    return [
        Chunk(room.shown.part(start, end), path, xpath, start, end)
        for (start, end, path), xpath in zip(
            places, _xpaths(units, first_units), strict=True
        )
    ]


def _xpaths(units: Units, numbers: list[int]) -> list[str]:
    """The XPaths of some units, "" for the number -1."""
    if isinstance(units, Blocks) and -1 not in numbers:
        return units.xpaths(numbers)
    return [units.xpath(number) if number >= 0 else "" for number in numbers]


def _measured(unit: str | Counter) -> tuple[Measure, int]:
    """A function that measures a text in a unit, and the size of an empty text.

    The latter is not 0 for tokenizers that put special tokens around each text.
    """
    if unit == "words":
        return words_of, 0
    if unit == "chars":
        return len, 0
    count = counter_of(unit) if isinstance(unit, str) else unit

    def size(text: str) -> int:
        tokens = count(text)
        return tokens if isinstance(tokens, int) else len(tokens)

    base = size("")
    return lambda text: size(text) - base, base


@dataclass(slots=True)
class _Room:
    """How much room a chunk has, and how much parts of the text take.

    ``headers`` has where header rows begin, and ``most`` is the size of a chunk.
    ``is_exact`` says that the sizes of passages add up to the size of a chunk.
    """

    text: str
    shown: Shown
    headers: Collection[int]
    count: Measure
    most: int
    is_exact: bool = True

    def size(self, start: int, end: int) -> int:
        """The size of a part, without the headers repeated before it."""
        return self.count(self.shown.part(start, end)) - self.shown.lead(start, end)

    def left(self, start: int, end: int) -> int:
        """The room in a chunk that begins with a part, without the repeated headers."""
        return self.most - self.shown.lead(start, end)

    def holds(self, passage: Passage) -> bool:
        """Whether a passage stays with the next: a heading, a term or a header row."""
        is_title = passage.rank >= 0 or passage.kind == TERM
        return is_title or passage.start in self.headers

    def measured(self, passages: list[Passage]) -> list[Passage]:
        """Passages measured as they are shown, each with the empty line after it."""
        gap = self.count("\n\n")
        return [
            passage._replace(size=self.size(passage.start, passage.end) + gap)
            for passage in watched(passages)
        ]

    def halves(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Halve a part until each piece has room, between words if possible.

        Yields the start, the end and the size of each piece.
        """
        waiting = [(start, end)]
        while waiting:
            start, end = waiting.pop()
            size = self.size(start, end)
            if size <= self.left(start, end) or end - start < 2:
                if not self.text[start:end].isspace():
                    yield start, end, size
                continue
            middle = (start + end) // 2
            before = max(self.text.rfind(blank, start + 1, middle) for blank in " \n")
            behind = self.text.find(" ", middle, end - 1)
            if before < 0 or 0 <= behind < 2 * middle - before:
                before = behind
            first, then = (before, before + 1) if before > 0 else (middle, middle)
            waiting += [(then, end), (start, first)]


def _headings(
    text: str, passages: list[Passage]
) -> tuple[list[tuple[int, ...]], dict[int, str]]:
    """The headings above each passage, itself included, and the text of each heading."""
    paths: list[tuple[int, ...]] = []
    ends: dict[int, int] = {}
    path: tuple[int, ...] = ()
    for i, passage in enumerate(passages):
        if passage.rank >= 0:
            # The ranks in a path rise.
            above = [at for at in path if passages[at].rank < passage.rank]
            path, ends[i] = (*above, i), passage.end
        elif passage.begun in ends:
            ends[passage.begun] = passage.end
        paths.append(path)
    headings = {at: text[passages[at].start : end] for at, end in ends.items()}
    return paths, {
        at: shortened(heading, _HEADING_CHARS)
        if len(heading) > _HEADING_CHARS or "\n" in heading
        else heading
        for at, heading in headings.items()
    }


def _fitted(passages: list[Passage], room: _Room) -> list[Passage]:
    """Passages with the too large ones cut.

    The size of a passage includes the headings right before it, as they share its
    chunk.
    """
    fitted: list[Passage] = []
    for i, passage in enumerate(watched(passages, 64)):
        space = room.most
        if 2 * passage.size > space:
            space = room.left(passage.start, passage.end)
            heading = i - 1 if passage.kind != WHOLE else -1
            while (
                heading >= 0 and passages[heading].rank >= 0 and space >= passage.size
            ):
                space -= passages[heading].size
                heading -= 1
        if passage.size <= space:
            fitted.append(passage)
            continue
        first = len(fitted)
        kind = PARAGRAPH if passage.kind == WHOLE else passage.kind
        for part in parted(room.text, passage.start, passage.end, kind):
            for start, end, size in room.halves(*part):
                cut = passage._replace(start=start, end=end, size=size, kind=WHOLE)
                is_first = len(fitted) == first
                fitted.append(cut if is_first else cut._replace(rank=-1, begun=first))
    return fitted


def _packed(
    passages: list[Passage], room: _Room, overlapping: int
) -> Iterator[tuple[tuple[int, int] | None, int, int]]:
    """For each chunk its overlap, its first passage, and the passage after its last.

    The overlap is the passage in which it begins and its offset in the text, or None.
    """
    headings = [i for i, passage in enumerate(passages) if passage.rank >= 0]
    # The total size of the passages before each one, and of all.
    before = [0, *accumulate(passage.size for passage in passages)]
    count = len(passages)
    overlap: list[tuple[int, int, int]] = []
    at = 0
    while at < count:
        repeated = sum(part[2] for part in overlap)
        while True:
            first, begin = overlap[-1][:2] if overlap else (at, passages[at].start)
            # Less, if the overlap begins below the headers of a table.
            most = room.left(begin, passages[first].end)
            left = most - repeated
            if not overlap or passages[at].size <= left:
                break
            repeated -= overlap.pop()[2]
        end = max(bisect_right(before, before[at] + left, at) - 1, at + 1)
        half = bisect_left(before, before[at] + (most + 1) // 2, at + 1)
        # A heading begins a chunk, unless one is right before it.
        first = bisect_left(headings, half)
        within = bisect_left(headings, end, first)
        while first < within and passages[headings[first] - 1].rank >= 0:
            first += 1
        if first < within:
            end = headings[first]
        elif end < count:
            # A passage that was cut begins a chunk too, unless that leaves the chunk
            # before it less than half full.
            begun = passages[end].begun
            last = begun if begun >= half else end
            while last > at and room.holds(passages[last - 1]):
                last -= 1
            end = last if last > at else end
        start = overlap[-1][:2] if overlap else None
        if not room.is_exact:
            start, end = _checked(passages, room, start, at, end)
        yield start, at, end
        overlap = []
        if overlapping and end < count and passages[end].rank < 0:
            overlap = _overlap(passages, room, at, end, overlapping)
            whole = at, passages[at].start
            if overlap and start is None and overlap[-1][:2] == whole:
                overlap.pop()  # the next chunk would contain this one
        at = end


def _checked(
    passages: list[Passage],
    room: _Room,
    start: tuple[int, int] | None,
    at: int,
    end: int,
) -> tuple[tuple[int, int] | None, int]:
    """A chunk's overlap and end, reduced until the whole chunk has room."""
    while True:
        begin = passages[at].start if start is None else start[1]
        size = room.count(room.shown.part(begin, passages[end - 1].end))
        if size <= room.most:
            return start, end
        if start is not None:
            start = None
        elif end == at + 1:
            return start, end
        else:
            end = at + max(1, min((end - at) * room.most // size, end - at - 1))
            while end - 1 > at and room.holds(passages[end - 1]):
                end -= 1


def _overlap(
    passages: list[Passage], room: _Room, at: int, end: int, left: int
) -> list[tuple[int, int, int]]:
    """The end of a chunk that the next chunk repeats, as parts, the last one first.

    A part is a passage, or a sentence of a passage that does not fit as a whole.  Each
    entry is the passage, the offset of the part in the text, and its size.
    """
    parts: list[tuple[int, int, int]] = []
    for i in range(end - 1, at - 1, -1):
        start, stop, size, _, kind, rank, _ = passages[i]
        if rank >= 0:
            break
        if size <= left:
            left -= size
            parts.append((i, start, size))
            continue
        for first, last in reversed(list(parted(room.text, start, stop, kind))):
            size = room.size(first, last)
            left -= size
            if left < 0:
                break
            parts.append((i, first, size))
        break
    return parts
