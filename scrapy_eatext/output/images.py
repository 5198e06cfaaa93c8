"""Decides which images, captions, embeds and rules beside the kept text are shown."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from scrapy_eatext.page.columns import BlockColumn, ElementColumn, MarkColumn
from scrapy_eatext.page.names import BADGES, CAPTIONS, FIGURES
from scrapy_eatext.page.tables import blocks_within, rows_around, rows_with
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.walk import EMBED, IMAGE, RULE

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Removed
    from scrapy_eatext.page.walk import Walk

# The most dropped words between the kept text before and after an image: without the
# words of the image's figure, and with them.
WORDS, WORDS_IN_ALL = 30, 150
# The most dropped blocks around an image that is in no figure: with more of them, it is
# more likely part of a profile.
BLOCKS = 2
# The most blocks of an element that is a figure, or a badge, by its name alone.
BLOCKS_OF_FIGURE = 3
# How many elements around an image are read, and how many around its figure.
LEVELS, OUTER = 6, 2
# The words and the elements around a figure with a caption, in place of WORDS and OUTER.
CAPTIONED = 60, 4
_FIGURE, _FIGCAPTION = TAG_ID["figure"], TAG_ID["figcaption"]
_TABLE = TAG_ID["table"]
# Elements that hold rows, items or cells, but no rules.
_NO_RULES = frozenset(
    TAG_ID[name]
    for name in "dir dl figure menu ol table tbody tfoot thead tr ul".split()
)
_CELLS = (TAG_ID["td"], TAG_ID["th"])
_PARENT, _TAG = ElementColumn.PARENT, ElementColumn.TAG
_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK


def others_of(
    walk: Walk, units: list[int], removed: Removed | None = None
) -> tuple[list[int], list[int]]:
    """The marks, and the blocks of captions, to show with some kept blocks, in order.

    The marks are those of images, embeds and rules.  An image or embed is shown if it
    stands between two kept blocks, alone in a cell beside a kept cell, or only a few
    dropped words from kept text, not counting the words of its own figure; of these there
    may be more if it has a caption.  An embed is also shown if it stands in a kept block.
    A rule is shown between two kept blocks of one element.  The captions are those of
    the figures of shown images and embeds, as far as they are not kept.  What is
    ``removed`` is never shown.
    """
    numbers = (walk.marks[:, MarkColumn.STYLE] < 0).nonzero()[0]
    if not numbers.size or not units:
        return [], []
    choice = _Choice(walk, units)
    gone = removed.images if removed else ()
    marks = zip(numbers.tolist(), walk.marks[numbers].tolist(), strict=True)
    others = [
        number
        for number, (block, start, style, link, around, place) in marks
        if (around, place) not in gone
        and (
            choice.allows_rule(block, around)
            if style == RULE
            else choice.allows(
                block, start < 0, link >= 0, around, is_embed=style == EMBED
            )
        )
    ]
    captions = choice.captions()
    if removed:
        captions -= removed.units
    cell = walk.marks.item
    # An image in a caption's line is shown with it.
    others = [
        number
        for number in others
        if cell(number, MarkColumn.BLOCK) not in captions
        or cell(number, MarkColumn.START) < 0
        or cell(number, MarkColumn.STYLE) != IMAGE
    ]
    return others, sorted(captions)


class _Gap(NamedTuple):
    """The dropped blocks around an image, and how many words they have.

    ``before`` and ``behind`` are the nearest kept blocks: -1 if there is none before,
    the number of all blocks if there is none behind.
    """

    before: int
    behind: int
    first: int
    last: int
    dropped: int
    is_between: bool

    @property
    def nearest(self) -> int:
        return self.before if self.before >= 0 else self.behind


class _Choice:
    """Decides whether an image or rule belongs to the kept blocks around it."""

    def __init__(self, walk: Walk, units: list[int]) -> None:
        self._walk = walk
        self._cell = walk.elements.item
        self._units = units
        self._kept = frozenset(units)
        self._count = len(walk.blocks)
        # How many words are before each block.
        self._words = [0, *walk.blocks[:, BlockColumn.WORDS].cumsum().tolist()]
        self._captioned = self._small([*self._around_captions()])
        self._figures = self._small(FIGURES.rows(walk)) | self._captioned
        self._badges = self._small(BADGES.rows(walk))
        # The figures of shown images and embeds, each with the first and the last of
        # its blocks that are dropped in a row.
        self._dropped: set[tuple[int, int, int]] = set()

    def _around_captions(self) -> Iterator[int]:
        """The figures around captions, else elements near that hold no other kept block.

        Not every page has figures around them.
        """
        tagged = rows_with(self._walk.elements, _TAG, _FIGCAPTION)
        for row in (*tagged, *CAPTIONS.rows(self._walk)):
            if self._is_empty(row):
                continue
            kept = self._count_kept(row)
            for around in self._around(self._cell(row, _PARENT), OUTER):
                is_figure = self._cell(around, _TAG) == _FIGURE
                if is_figure or self._count_kept(around) == kept:
                    yield around
                if is_figure:
                    break

    def _count_kept(self, row: int) -> int:
        """How many blocks of an element are kept."""
        ends = self._cell(row, _FIRST), self._cell(row, _LAST)
        first, last = (bisect_left(self._units, end) for end in ends)
        return last - first

    def _small(self, rows: list[int]) -> frozenset[int]:
        """Those of some elements that hold few blocks."""
        places = blocks_within(self._walk.elements, rows)
        return frozenset(
            row for row, first, last in places if last - first <= BLOCKS_OF_FIGURE
        )

    def _around(self, row: int, most: int = LEVELS) -> Iterator[int]:
        return rows_around(self._walk.elements, row, most)

    def allows_rule(self, block: int, around: int) -> bool:
        """Whether a rule before a block is shown; ``around`` is its parent's row."""
        first, last = self._cell(around, _FIRST), self._cell(around, _LAST)
        is_inside = first < block < last and {block - 1, block} <= self._kept
        return is_inside and self._cell(around, _TAG) not in _NO_RULES

    def allows(
        self, block: int, apart: bool, linked: bool, around: int, *, is_embed: bool
    ) -> bool:
        """Whether an image or embed is shown.

        If ``apart``, it stands before the block, else in a line of the block;
        ``linked`` says that it is in a link, and ``around`` is its parent's row.
        """
        if block in self._kept:
            if not apart:
                return is_embed  # an image is shown with its line
            if block - 1 in self._kept:
                return True
        gap = self._gap(block)
        if gap.dropped > WORDS_IN_ALL:
            return False
        figure, cell = self._holders(around)
        if cell >= 0:
            return apart and self._is_in_row(self._cell(cell, _PARENT), gap)
        if figure >= 0:
            return self._shows_figure(figure, gap)
        if gap.dropped > WORDS or not apart:
            return False
        if is_embed and self._stand_together(self._with_text(around), gap.nearest):
            return True
        is_near = gap.is_between and gap.behind - gap.before <= BLOCKS + 1
        return is_near and (is_embed or not linked)

    def _gap(self, block: int) -> _Gap:
        at = bisect_left(self._units, block)
        before = self._units[at - 1] if at else -1
        behind = self._units[at] if at < len(self._units) else self._count
        is_between = before >= 0 and behind < self._count
        # On a side without kept blocks no words are dropped in between.
        first = before + 1 if before >= 0 else block
        last = behind if behind < self._count else block
        dropped = self._words[last] - self._words[first]
        return _Gap(before, behind, first, last, dropped, is_between)

    def _is_in_row(self, row: int, gap: _Gap) -> bool:
        """Whether a kept block beside a gap stands in a row of a table."""
        return any(
            self._walk.blocks.item(i, BlockColumn.ROW) == row
            for i in (gap.before, gap.behind)
            if 0 <= i < self._count
        )

    def _shows_figure(self, figure: int, gap: _Gap) -> bool:
        """Whether a figure in a gap is shown, which is then noted for captions()."""
        own_first, own_last = self._cell(figure, _FIRST), self._cell(figure, _LAST)
        begin = max(own_first, gap.first)
        end = max(min(own_last, gap.last), begin)
        # An image in the line of its caption stands before the caption's end.
        dropped = gap.dropped - (self._words[end] - self._words[begin])
        parent = self._cell(figure, _PARENT)
        most, outer = CAPTIONED if figure in self._captioned else (WORDS, OUTER)
        if dropped > most or not (
            gap.is_between or self._stand_together(parent, gap.nearest, outer)
        ):
            return False
        place = figure, max(own_first, gap.before + 1), min(own_last, gap.behind)
        self._dropped.add(place)
        return True

    def captions(self) -> frozenset[int]:
        """The dropped blocks that are captions of the figures that are shown."""
        if not self._dropped:
            return frozenset()
        named = frozenset(CAPTIONS.rows(self._walk))
        return frozenset(
            block
            for figure, first, last in self._dropped
            if self._words[last] - self._words[first] <= WORDS_IN_ALL
            for block in range(first, last)
            if self._is_caption(block, figure, named)
        )

    def _is_caption(self, block: int, figure: int, named: frozenset[int]) -> bool:
        """Whether a block of a figure stands in a figcaption, or is named as one."""
        start, end = self._walk.blocks[block, [BlockColumn.START, BlockColumn.END]]
        text = self._walk.text[start:end].decode()
        # A date, or the number of an image in a slider, says nothing of the image.
        if sum(map(str.isdigit, text)) >= sum(map(str.isalpha, text)):
            return False
        for row in self._around(self._walk.blocks.item(block, BlockColumn.ELEMENT)):
            if row == figure:
                return False
            if row in named or self._cell(row, _TAG) == _FIGCAPTION:
                return True
        return False

    def _with_text(self, row: int) -> int:
        """The innermost element with text, from a row outwards; -1 for none near."""
        around = self._around(row)
        return next((at for at in around if not self._is_empty(at)), -1)

    def _is_empty(self, row: int) -> bool:
        return self._cell(row, _FIRST) == self._cell(row, _LAST)

    def _stand_together(self, row: int, block: int, outer: int = OUTER) -> bool:
        """Whether an element, or one near around it, holds a block."""
        return any(
            self._cell(at, _FIRST) <= block < self._cell(at, _LAST)
            for at in self._around(row, outer)
        )

    def _holders(self, row: int) -> tuple[int, int]:
        """The figure around an element, and the table cell without text around it.

        Each is -1 if there is none.  A table that is named as a figure is one; an image
        in an element that is named as a badge is in no figure.
        """
        figure = holder = -1
        for at in self._around(row):
            tag = self._cell(at, _TAG)
            if at in self._badges:
                return -1, holder
            if holder >= 0:
                if tag == _TABLE:
                    return (at, -1) if at in self._figures else (figure, holder)
            elif tag in _CELLS and self._is_empty(at):
                holder = at
            elif tag == _FIGURE or at in self._figures:
                figure = at
        return figure, holder
