"""Plain text from the units that an algorithm keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from scrapy_eatext.native.loading import twin
from scrapy_eatext.output.code import Content, content
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.datatables import data_tables
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.walk import attribute_values

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units, Verdict
    from scrapy_eatext.page.datatables import Places
    from scrapy_eatext.page.walk import Walk

_TAG = ElementColumn.TAG
_NUMBERED = TAG_ID["ol"]
# Items nested deeper are indented no further: the text of a page with items nested two
# thousand deep would be mostly spaces.
DEEPEST = 20


def render_text(verdict: Verdict, shown: Content | None = None) -> str:
    """The kept units as text, with an empty line between them.

    List items stand on consecutive lines, each after a dash or its number, which counts
    from the list's first.  Further blocks of an item stand below it, indented; the
    blocks of an item that begins with a heading are not marked as an item's.  The rows
    of a data table stand on consecutive lines, with a bar between the cells.  ``shown``
    is the result of content(), if it is known.
    """
    units = verdict.units
    shown = shown or content(units, verdict.kept)
    kept = list(shown.units)
    numbers = first_numbers(units, kept)
    places = places_in_tables(units, shown)
    gaps = places.gaps() if places else []
    if isinstance(units, Blocks) and not shown.code:
        return join(units.walk, kept, numbers, gaps, DEEPEST)
    parts = parts_of(units, kept, shown.code)
    return joined(pieces(parts, range(len(kept)), dict(numbers), gaps))


def python_join(
    walk: Walk,
    kept: list[int],
    first: list[tuple[int, int]],
    gaps: list[str],
    deepest: int,
) -> str:
    """The text of some blocks of a walk.

    ``first`` is the result of first_numbers(), and ``gaps`` that of Places.gaps(), or
    empty.  Items that are nested deeper than ``deepest`` are indented no further.
    """
    parts = parts_of(Blocks(walk), kept, {})
    return joined(pieces(parts, range(len(kept)), dict(first), gaps, deepest))


class Parts(NamedTuple):
    """What a text is made of: lists with an entry for each unit.

    ``items`` and ``lists`` are the rows of the list item and of the numbered list
    around each unit, from Blocks.items_and_lists().
    """

    texts: list[str]
    kinds: list[str]
    levels: list[int]
    items: list[int]
    lists: list[int]


def joined(texts: Iterable[tuple[str, str, str]]) -> str:
    """The text that consists of some pieces()."""
    return "".join(chain.from_iterable(texts))


def parts_of(units: Units, kept: list[int], code: Mapping[int, str]) -> Parts:
    """The parts of the text of some units; the units in ``code`` are code."""
    items = lists = [-1] * len(kept)
    if isinstance(units, Blocks):
        texts, kinds, levels = units.some(kept)
        items, lists = units.items_and_lists(kept)
    else:
        texts = [units.text(i) for i in kept]
        kinds = [units.kind(i) for i in kept]
        levels = [units.level(i) for i in kept]
    for n, i in enumerate(kept if code else ()):
        if i in code:
            kinds[n], texts[n] = "code", code[i]
    return Parts(texts, kinds, levels, items, lists)


def pieces(
    parts: Parts,
    which: Sequence[int],
    numbers: dict[int, int],
    gaps: Sequence[str] | Mapping[int, str],
    deepest: int = DEEPEST,
    within: int | None = None,
) -> Iterator[tuple[str, str, str]]:
    """For each of some units: the gap before it, its list mark, its text.

    The first unit has no gap.  ``numbers`` has the next number of each list, 1 if
    missing, and is updated.  ``gaps`` is as in python_join().  Lists around the element
    ``within`` give no marks.
    """
    texts, kinds, levels, items, lists = parts
    is_item = {
        n: kinds[n] == "list item" and (within is None or items[n] > within)
        for n in which
    }
    outermost = 1
    if within is not None:
        outermost = min((levels[n] for n in which if is_item[n]), default=1)
    first_kinds: dict[int, str] = {}
    is_first, was_item = True, False
    for n in which:
        kind, item = kinds[n], items[n]
        mark, gap, is_marked = "", "\n\n", False
        is_continued = item in first_kinds
        if item >= 0 and not is_continued:
            first_kinds[item] = kind
        if gaps and gaps[n]:
            gap = gaps[n]
        elif is_item[n] and first_kinds.get(item, kind) == kind:
            is_marked = True
            mark = "  " * min(levels[n] - outermost + is_continued, deepest)
            if not is_continued and lists[n] >= 0:
                number = numbers.setdefault(lists[n], 1)
                numbers[lists[n]] = number + 1
                mark += f"{number}. "
            elif not is_continued:
                mark += "- "
            gap = "\n" if was_item else gap
        yield "" if is_first else gap, mark, texts[n]
        is_first, was_item = False, is_marked


def places_in_tables(units: Units, shown: Content) -> Places | None:
    """The places of the shown units in data tables, None if the page has no table."""
    tables = data_tables(units.walk) if isinstance(units, Blocks) else None
    if tables is None:
        return None
    return tables.places(shown.units, tables.shown(shown.units, shown.several_lines))


def first_numbers(units: Units, kept: list[int]) -> list[tuple[int, int]]:
    """The numbered lists around kept units that do not begin with the number 1.

    Each is given by its row in the element table and the number of its first kept item,
    from the attribute of the item or else of the list.
    """
    if not isinstance(units, Blocks) or not rows_with(
        units.walk.elements, _TAG, _NUMBERED
    ):
        return []
    first: dict[int, int] = {}
    for item, row in zip(*units.items_and_lists(kept), strict=True):
        if row >= 0:
            first.setdefault(row, item)
    numbers = numbers_of(units.walk, first)
    return [(row, number) for row, number in numbers.items() if number != 1]


def numbers_of(walk: Walk, first: Mapping[int, int]) -> dict[int, int]:
    """The number of the first item of each list; ``first`` has the rows of both."""
    lists, items = sorted(first), sorted({*first.values()} - {-1})
    starts = dict(zip(lists, attribute_values(walk, lists, "start"), strict=True))
    values = dict(zip(items, attribute_values(walk, items, "value"), strict=True))
    numbers: dict[int, int] = {}
    for row, item in first.items():
        value, start = _number_of(values.get(item)), _number_of(starts[row])
        numbers[row] = next((n for n in (value, start) if n is not None), 1)
    return numbers


def _number_of(value: str | None) -> int | None:
    """The number in an attribute; None if it is no number or has over 8 digits."""
    digits = (value or "").strip()
    if digits.isascii() and digits.isdigit() and len(digits) < 9:
        return int(digits)
    return None


join = twin(python_join, "_text")
