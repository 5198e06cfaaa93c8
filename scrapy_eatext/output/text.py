"""Plain text from the units that an algorithm keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scrapy_eatext.output.code import Content, content
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.twins import attribute_values, load

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units, Verdict
    from scrapy_eatext.page.walk import Walk

_compiled = load("output._text")

_PARENT, _TAG = (ElementColumn.PARENT, ElementColumn.TAG)
_NUMBERED = TAG_ID["ol"]
# Items that are nested deeper stand level with those around: a page may nest them two
# thousand deep, and would come out as spaces.
DEEPEST = 20


def render_text(verdict: Verdict, shown: Content | None = None) -> str:
    """The kept units as text, an empty line between them.

    List items follow each other on lines of their own, each after a dash or its
    number, counted from the list's first one on; what else is in an item stands below
    it, indented, but for items that begin with a heading, whose blocks stand apart as
    well.  The cells of a table's row stand on one line, a bar between them, and its
    rows below each other.  ``shown`` is what content() gives of the verdict, where it
    is known.
    """
    units = verdict.units
    shown = shown or content(units, verdict.kept)
    kept = list(shown.units)
    if _compiled is not None and isinstance(units, Blocks) and not shown.code:
        walk = units.walk
        text: str = _compiled.join(
            walk.text,
            walk.elements,
            walk.blocks,
            kept,
            first_numbers(units, kept),
            DEEPEST,
        )
        return text
    return python_join(units, kept, shown.code)


def python_join(units: Units, kept: list[int], code: Mapping[int, str]) -> str:
    """The text of some units, of which those in ``code`` have another one."""
    texts, kinds, levels = _some(units, kept)
    for n, i in enumerate(kept if code else ()):
        if i in code:
            kinds[n], texts[n] = "code", code[i] or texts[n]
    items, rows, lists = _places(units, kept)
    tabular: frozenset[int] = frozenset()
    if isinstance(units, Blocks) and max(rows, default=-1) >= 0:
        tabular = _tabular(kinds, items, rows, units.walk.elements[rows, _PARENT])
    numbers: Counter[int] = Counter()
    if isinstance(units, Blocks):
        numbers.update({row: first - 1 for row, first in first_numbers(units, kept)})
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
            indent = "  " * min(level - 1 + again, DEEPEST)
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
    """The numbered lists of kept blocks that do not begin with 1, and what they do with.

    They are rows of the element table.
    """
    walk = blocks.walk
    if not (walk.elements[:, _TAG] == _NUMBERED).any():
        return []
    items, _, lists = blocks.places(kept)
    first: dict[int, int] = {}
    for item, row in zip(items, lists, strict=True):
        if row >= 0:
            first.setdefault(row, item)
    lists, items = sorted(first), sorted(first.values())
    starts = dict(zip(lists, attribute_values(walk, lists, "start"), strict=True))
    values = dict(zip(items, attribute_values(walk, items, "value"), strict=True))
    numbers = [
        (row, _number(values[item] or starts[row])) for row, item in first.items()
    ]
    return [(row, number) for row, number in numbers if number != 1]


def first_number(walk: Walk, row: int, first: int) -> int:
    """The number that a list begins with, as it or its first item tells."""
    value = walk.node(first).get("value") if first >= 0 else None
    return _number(value or walk.node(row).get("start"))


def _number(given: str | None) -> int:
    given = (given or "1").strip()
    return int(given) if given.isascii() and given.isdigit() and len(given) < 9 else 1


def _some(units: Units, kept: list[int]) -> tuple[list[str], list[str], list[int]]:
    """The texts, kinds and levels of the kept units."""
    if isinstance(units, Blocks):
        return units.some(kept)
    return (
        [units.text(i) for i in kept],
        [units.kind(i) for i in kept],
        [units.level(i) for i in kept],
    )


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
    """The rows that are a table's.

    They have several cells with one unit in each, or one cell beside such rows, as
    cells that span columns or rows have it; the rest lay out a page.
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
