"""Plain text from the units that an algorithm keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrapy_eatext.output.code import content
from scrapy_eatext.page.blocks import Blocks

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units, Verdict

_NOWHERE = (-1, -1, -1)


def render_text(verdict: Verdict) -> str:
    """The kept units as text, an empty line between them.

    List items follow each other on lines of their own, each after a dash or its
    number among those kept; what else is in an item stands below it, indented,
    but for items that begin with a heading, whose blocks stand apart as well.
    The cells of a table's row stand on one line, a bar between them.
    """
    units = verdict.units
    shown = content(units, verdict.kept)
    kept = shown.units
    places = _places(units, kept)
    rows = _rows(units, kept, places)
    numbers: Counter[int] = Counter()
    begun: dict[int, str] = {}
    parts: list[str] = []
    before, before_place = "", _NOWHERE
    for i, place in zip(kept, places, strict=True):
        item, row, ordered = place
        kind = "code" if i in shown.code else units.kind(i)
        lead = ""
        again = item in begun
        if item >= 0 and not again:
            begun[item] = kind
        if kind == "list item" and begun.get(item, kind) == kind:
            indent = "  " * (units.level(i) - 1 + again)
            if again:
                lead = indent
            elif ordered >= 0:
                numbers[ordered] += 1
                lead = f"{indent}{numbers[ordered]}. "
            else:
                lead = f"{indent}- "
            gap = "\n" if kind == before else "\n\n"
        elif row in rows:
            kind = "row"
            joined = " | " if row == before_place[1] else "\n"
            gap = joined if kind == before else "\n\n"
        else:
            kind = "apart"
            gap = "\n\n"
        if parts:
            parts.append(gap)
        parts += (lead, shown.code.get(i) or units.text(i))
        before, before_place = kind, place
    return "".join(parts)


def _places(units: Units, kept: Sequence[int]) -> list[tuple[int, int, int]]:
    """For each kept unit its list item or cell, its row, and its numbered list."""
    if isinstance(units, Blocks):
        places = units.places
        return [places[i] for i in kept]
    return [_NOWHERE] * len(kept)


def _rows(
    units: Units, kept: Sequence[int], places: list[tuple[int, int, int]]
) -> frozenset[int]:
    """The rows that are a table's.

    They have several cells with one unit in each; the rest lay out a page.
    """
    cells: Counter[int] = Counter()
    others: set[int] = set()
    seen: set[int] = set()
    for i, (item, row, _) in zip(kept, places, strict=True):
        if row < 0:
            continue
        if units.kind(i) != "table cell" or item in seen:
            others.add(row)
        seen.add(item)
        cells[row] += 1
    return frozenset(row for row, n in cells.items() if n > 1 and row not in others)
