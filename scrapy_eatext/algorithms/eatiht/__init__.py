"""eatiht: the element of a page with the most sentences.

After the package eatiht of Rodrigo Palacios.  Each block that is long enough counts for
the parent of its element: in version 1 as many times as it has sentences, in version 2
(etv2) once, if it is no shorter than the mean.  The long blocks inside the parent with
the highest count are the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_eatext.algorithms.base import (
    Algorithm,
    Options,
    Unit,
    UnitList,
    Verdict,
    number,
    one_of,
)
from scrapy_eatext.algorithms.eatiht.reference import read
from scrapy_eatext.algorithms.scripts import letters, script_language
from scrapy_eatext.algorithms.trail import PageError, TrailUnits
from scrapy_eatext.deadline import watched
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.tags import TAG_ID

if TYPE_CHECKING:
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.blocks import Blocks

# The end of a sentence.  In scripts with spaces between words it is a run of stops,
# closing quotes and brackets, then white space, but not after a title before a name; in
# scripts without spaces it is a run of stops.  A match begins with the first stop of a
# run and takes the whole run, so the search is linear.  The lookbehinds come after the
# first character, as a search for a single character is fast.
_STOPS = ".!?\u2026\u061f\u06d4\u0964\u0965\u0589\u1362"
_CLOSERS = "\"'\u2019\u201d\u00bb\u203a)\\]"
_WIDE_STOPS = "\u3002\uff01\uff1f\uff0e\uff61\u17d4\u104b"
_SENTENCE_END = re.compile(
    rf"[{_STOPS}](?<![{_STOPS}].)"
    + "".join(rf"(?<!\b{title}.)" for title in "Mr Mrs Ms Jr Dr Prof Sr St".split())
    + rf"[{_STOPS}]*[{_CLOSERS}]*(?!\S)"
    + f"|[{_WIDE_STOPS}]+"
)
# Thai and Lao end sentences, but also phrases, with a space: there this many characters
# count as a sentence.
_WITHOUT_STOPS = frozenset(("th", "lo"))
_SENTENCE_LENGTH = 100

# With this many sentences (version 1) or elements (version 2) the confidence is halved.
_FEW = 4


@dataclass(frozen=True)
class EatihtOptions(Options):
    """Which of eatiht's versions, and how long a block must be to count."""

    version: int = one_of(1, 1, 2, doc="Which of the original's versions.")
    min_length: int = number(
        20,
        0,
        1_000_000,
        doc="A block is looked at if it has more characters than this. A Chinese "
        "character counts as three, kana and Hangul as two.",
    )


class Eatiht(Algorithm[EatihtOptions]):
    """eatiht on a page's blocks, or, with ``reference``, exactly as the original."""

    name = "eatiht"
    version = "1"
    options_class = EatihtOptions

    def judge(self, page: Page) -> Verdict:
        """Judge the page's blocks, or with ``reference`` the original's pieces."""
        if self.options.reference:
            return self._as_original(page)
        blocks = page.blocks
        counts = self._counts(blocks)
        parents = _parents(blocks)
        histogram: Counter[int] = Counter()
        for parent, count in zip(parents, counts, strict=True):
            histogram[parent] += count or 0
        top, highest = histogram.most_common(1)[0] if histogram else (-1, 0)
        first, last = _span(blocks, top) if highest else (0, 0)
        considered = [count is not None for count in counts]
        kept = [first <= i < last and considered[i] for i in range(len(blocks))]
        scores = [
            1.0 if k else histogram[parent] / (highest or 1) if seen else 0.0
            for k, parent, seen in zip(kept, parents, considered, strict=True)
        ]
        inside = sum(c or 0 for c, k in zip(counts, kept, strict=True) if k)
        return Verdict(
            blocks,
            kept,
            scores,
            _reasons(considered, kept),
            score=_sureness(inside, histogram.total()),
        )

    def _counts(self, blocks: Blocks) -> list[int | None]:
        """How many times each block counts; None for one that is too short."""
        texts = [blocks.text(i) for i in watched(range(len(blocks)))]
        lengths = [letters(text) for text in watched(texts)]
        long = [length > self.options.min_length for length in lengths]
        if self.options.version == 1:
            return [
                (is_long and count_sentences(text)) or None
                for text, is_long in zip(texts, long, strict=True)
            ]
        total = sum(n for n, is_long in zip(lengths, long, strict=True) if is_long)
        mean = total / max(sum(long), 1)
        return [
            int(length >= mean) if is_long else None
            for length, is_long in zip(lengths, long, strict=True)
        ]

    def _as_original(self, page: Page) -> Verdict:
        source = page.html if page.body is None else page.body
        try:
            reading = read(source, self.options.version, self.options.min_length)
        except PageError:
            return Verdict(UnitList(()), (), (), (), text="")
        pieces = reading.pieces
        kept = [piece.kept for piece in pieces]
        highest = max(reading.counts.values())
        scores = [
            1.0 if p.kept else reading.counts[reading.trail.parent(p.place)] / highest
            for p in pieces
        ]
        inside = sum(piece.counted for piece in pieces if piece.kept)
        kind = "sentence" if self.options.version == 1 else "paragraph"
        units = [Unit(piece.text.strip(), kind) for piece in pieces]
        return Verdict(
            TrailUnits(units, [piece.place for piece in pieces], reading.trail),
            kept,
            scores,
            _reasons([True] * len(kept), kept),
            text=reading.text,
            score=_sureness(inside, reading.counts.total()),
        )


def count_sentences(text: str) -> int:
    """The number of sentences that end in a text."""
    ends = sum(1 for _ in _SENTENCE_END.finditer(text))
    if not ends and script_language(text) in _WITHOUT_STOPS:
        return 1 + len(text) // _SENTENCE_LENGTH
    return ends


def _parents(blocks: Blocks) -> list[int]:
    """For each block the row of its element's parent.

    For text directly in the body it is the body; without a parent it is -1, the page.
    """
    elements = blocks.walk.elements
    parents = elements[:, ElementColumn.PARENT].tolist()
    bodies = (elements[:, ElementColumn.TAG] == TAG_ID["body"]).tolist()
    return [
        -1 if element < 0 else element if bodies[element] else parents[element]
        for element in blocks.column("element")
    ]


def _span(blocks: Blocks, element: int) -> tuple[int, int]:
    """The first block inside an element, and the one after its last."""
    if element < 0:
        return 0, len(blocks)
    row = blocks.walk.elements[element]
    first = row[ElementColumn.FIRST_BLOCK]
    last = row[ElementColumn.LAST_BLOCK]
    return int(first), int(last)


def _reasons(considered: Sequence[bool], kept: Sequence[bool]) -> list[str]:
    return [
        "no sentence" if not seen else "among most sentences" if k else "elsewhere"
        for seen, k in zip(considered, kept, strict=True)
    ]


def _sureness(inside: int, total: int) -> float:
    """The share of the total that is inside, lowered if there is little inside."""
    return inside / total * inside / (inside + _FEW) if inside else 0.0
