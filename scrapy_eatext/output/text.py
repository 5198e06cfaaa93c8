"""Plain text from the units that an algorithm keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scrapy_eatext.native.loading import twin
from scrapy_eatext.output.code import Content, content
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.walk import attribute_values

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units, Verdict
    from scrapy_eatext.page.walk import Walk

_PARENT, _TAG = (ElementColumn.PARENT, ElementColumn.TAG)
_NUMBERED = TAG_ID["ol"]
# Items that are nested deeper are indented no further: a page may nest items two
# thousand deep, and its text would be mostly spaces.
DEEPEST = 20


def render_text(verdict: Verdict, shown: Content | None = None) -> str:
    """The kept units as text, an empty line between them.

    List items follow each other on lines of their own, each after a dash or its
    number, counted from the list's first number on.  Further blocks of an item stand
    below it, indented; if an item begins with a heading, all its blocks stand apart.
    The cells of a table's row stand on one line, a bar between them, and the table's
    rows below each other.  ``shown`` is the result of content(), where it is known.
    """
    units = verdict.units
    shown = shown or content(units, verdict.kept)
    kept = list(shown.units)
    numbers = first_numbers(units, kept) if isinstance(units, Blocks) else []
    if isinstance(units, Blocks) and not shown.code:
        return join(units.walk, kept, numbers, DEEPEST)
    return _joined(units, kept, shown.code, numbers, DEEPEST)


def python_join(
    walk: Walk, kept: list[int], first: list[tuple[int, int]], deepest: int
) -> str:
    """The text of some blocks of a walk.

    ``first`` is what first_numbers() gives of them; items that are nested deeper than
    ``deepest`` are indented no further.
    """
    return _joined(Blocks(walk), kept, {}, first, deepest)


def _joined(
    units: Units,
    kept: list[int],
    code: Mapping[int, str],
    first: list[tuple[int, int]],
    deepest: int,
) -> str:
    """The text of some units; ``code`` has other texts for some of them."""
    texts, kinds, levels = texts_and_kinds(units, kept, code)
    items, rows, lists = _places(units, kept)
    tabular: frozenset[int] = frozenset()
    if isinstance(units, Blocks) and max(rows, default=-1) >= 0:
        tabular = _tabular(kinds, items, rows, units.walk.elements[rows, _PARENT])
    numbers = Counter({row: number - 1 for row, number in first})
    begun: dict[int, str] = {}
    parts: list[str] = []
    before, before_row = "", -1
    for text, kind, level, item, row, ordered in zip(
        texts, kinds, levels, items, rows, lists, strict=True
    ):
        lead, how = "", kind
        again = item in begun
        if item >= 0 and not again:
            begun[item] = kind
        if kind == "list item" and begun.get(item, kind) == kind:
            indent = "  " * min(level - 1 + again, deepest)
            if again:
                lead = indent
            elif ordered >= 0:
                numbers[ordered] += 1
                lead = f"{indent}{numbers[ordered]}. "
            else:
                lead = f"{indent}- "
            gap = "\n" if kind == before else "\n\n"
        elif row in tabular:
            how = "row"
            joined = " | " if row == before_row else "\n"
            gap = joined if how == before else "\n\n"
        else:
            how, gap = "apart", "\n\n"
        if parts:
            parts.append(gap)
        parts += (lead, text)
        before, before_row = how, row
    return "".join(parts)


def first_numbers(blocks: Blocks, kept: list[int]) -> list[tuple[int, int]]:
    """The numbered lists of kept blocks that begin with another number than 1.

    Each is a row of the element table and the number of its first item.
    """
    walk = blocks.walk
    if not rows_with(walk.elements, _TAG, _NUMBERED):
        return []
    items, _, lists = blocks.places(kept)
    first: dict[int, int] = {}
    for item, row in zip(items, lists, strict=True):
        if row >= 0:
            first.setdefault(row, item)
    numbers = first_numbers_of(walk, first)
    return [(row, numbers[row]) for row in first if numbers[row] != 1]


def first_numbers_of(walk: Walk, first_items: Mapping[int, int]) -> dict[int, int]:
    """The number that each list begins with, as it or its first item tells.

    Lists and items are told by their rows, an item without an element by -1.
    """
    lists = sorted(first_items)
    items = sorted({item for item in first_items.values() if item >= 0})
    starts = dict(zip(lists, attribute_values(walk, lists, "start"), strict=True))
    values = dict(zip(items, attribute_values(walk, items, "value"), strict=True))
    numbers: dict[int, int] = {}
    for row, item in first_items.items():
        given = number_of(values.get(item) or starts[row])
        numbers[row] = 1 if given is None else given
    return numbers


def number_of(given: str | None) -> int | None:
    """The number that an attribute gives, None for anything else and for large ones."""
    given = (given or "").strip()
    if given.isascii() and given.isdigit() and len(given) < 9:
        return int(given)
    return None


def texts_and_kinds(
    units: Units, kept: list[int], code: Mapping[int, str]
) -> tuple[list[str], list[str], list[int]]:
    """The texts, kinds and levels of kept units; the units in ``code`` are code."""
    if isinstance(units, Blocks):
        texts, kinds, levels = units.some(kept)
    else:
        texts = [units.text(i) for i in kept]
        kinds = [units.kind(i) for i in kept]
        levels = [units.level(i) for i in kept]
    for n, i in enumerate(kept if code else ()):
        if i in code:
            kinds[n], texts[n] = "code", code[i] or texts[n]
    return texts, kinds, levels


def _places(units: Units, kept: list[int]) -> tuple[list[int], list[int], list[int]]:
    """The list items or cells of kept units, their rows, and their numbered lists."""
    if isinstance(units, Blocks):
        return units.places(kept)
    nowhere = [-1] * len(kept)
    return nowhere, nowhere, nowhere


def _tabular(
    kinds: Sequence[str],
    items: Sequence[int],
    rows: Sequence[int],
    parents: Iterable[int],
) -> frozenset[int]:
    """The rows that belong to a table of data.

    Such a row has several cells with one unit in each; or it has one cell, as cells that
    span columns or rows cause, and such a row beside it.  Other rows lay out the page.
    """
    cells: dict[int, int] = {}
    others: set[int] = set()
    seen: set[int] = set()
    for kind, item, row in zip(kinds, items, rows, strict=True):
        if row < 0:
            continue
        if kind != "table cell" or item in seen:
            others.add(row)
        seen.add(item)
        cells[row] = cells.get(row, 0) + 1
    wide = {row for row, n in cells.items() if n > 1 and row not in others}
    around = dict(zip(rows, parents, strict=True))
    tables = {around[row] for row in wide}
    return frozenset(
        row for row in cells if row not in others and around[row] in tables
    )


join = twin(python_join, "_text")
