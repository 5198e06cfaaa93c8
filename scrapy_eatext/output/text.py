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
# Items that are nested deeper are indented no further: a page may nest items two
# thousand deep, and its text would be mostly spaces.
DEEPEST = 20


def render_text(verdict: Verdict, shown: Content | None = None) -> str:
    """The kept units as text, an empty line between them.

    List items follow each other on lines of their own, each after a dash or its
    number, counted from the list's first number on.  Further blocks of an item stand
    below it, indented; if an item begins with a heading, all its blocks stand apart.
    Of a table of data, the cells of a row stand on one line, a bar between them, and
    the rows below each other.  ``shown`` is the result of content(), where it is known.
    """
    units = verdict.units
    shown = shown or content(units, verdict.kept)
    kept = list(shown.units)
    numbers = first_numbers(units, kept) if isinstance(units, Blocks) else []
    places = places_in_tables(units, shown)
    gaps = places.gaps() if places else []
    if isinstance(units, Blocks) and not shown.code:
        return join(units.walk, kept, numbers, gaps, DEEPEST)
    return _joined(units, kept, shown.code, numbers, gaps, DEEPEST)


def python_join(
    walk: Walk,
    kept: list[int],
    first: list[tuple[int, int]],
    gaps: list[str],
    deepest: int,
) -> str:
    """The text of some blocks of a walk.

    ``first`` is what first_numbers() gives of them, ``gaps`` what Places.gaps() does, or
    is empty; items that are nested deeper than ``deepest`` are indented no further.
    """
    return _joined(Blocks(walk), kept, {}, first, gaps, deepest)


def _joined(
    units: Units,
    kept: list[int],
    code: Mapping[int, str],
    first: list[tuple[int, int]],
    gaps: list[str],
    deepest: int,
) -> str:
    """The text of some units; ``code`` has other texts for some of them."""
    told = told_of(units, kept, code)
    return joined(pieces(told, range(len(kept)), dict(first), gaps, deepest))


class Told(NamedTuple):
    """What a text is made of: lists with an entry for each unit.

    ``items`` and ``lists`` are the units' list items and numbered lists, as of
    Blocks.items_and_lists().
    """

    texts: list[str]
    kinds: list[str]
    levels: list[int]
    items: list[int]
    lists: list[int]


def joined(parts: Iterable[tuple[str, str, str]]) -> str:
    """The pieces of a text as one."""
    return "".join(chain.from_iterable(parts))


def told_of(units: Units, kept: list[int], code: Mapping[int, str]) -> Told:
    """What a text is made of, of some units; the units in ``code`` are code."""
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
            kinds[n], texts[n] = "code", code[i] or texts[n]
    return Told(texts, kinds, levels, items, lists)


def pieces(
    told: Told,
    which: Sequence[int],
    numbers: dict[int, int],
    gaps: Sequence[str] | Mapping[int, str],
    deepest: int = DEEPEST,
    within: int | None = None,
) -> Iterator[tuple[str, str, str]]:
    """For some units what parts each from the one before, its mark, and its text.

    The first is parted from nothing.  ``numbers`` are the next numbers of lists, where
    these are not 1; they are counted on.  ``gaps`` is as in python_join(), and lists
    around the element ``within`` do not show.
    """
    texts, kinds, levels, items, lists = told
    is_item = {
        n: kinds[n] == "list item" and (within is None or items[n] > within)
        for n in which
    }
    outermost = 1
    if within is not None:
        outermost = min((levels[n] for n in which if is_item[n]), default=1)
    begun: dict[int, str] = {}
    begins, was_listed = True, False
    for n in which:
        kind, item = kinds[n], items[n]
        mark, gap, is_listed = "", "\n\n", False
        again = item in begun
        if item >= 0 and not again:
            begun[item] = kind
        if gaps and gaps[n]:
            gap = gaps[n]
        elif is_item[n] and begun.get(item, kind) == kind:
            is_listed = True
            mark = "  " * min(levels[n] - outermost + again, deepest)
            if not again and lists[n] >= 0:
                number = numbers.setdefault(lists[n], 1)
                numbers[lists[n]] = number + 1
                mark += f"{number}. "
            elif not again:
                mark += "- "
            gap = "\n" if was_listed else gap
        yield "" if begins else gap, mark, texts[n]
        begins, was_listed = False, is_listed


def places_in_tables(units: Units, shown: Content) -> Places | None:
    """Where the shown units stand in tables of data; None where none does."""
    tables = data_tables(units.walk) if isinstance(units, Blocks) else None
    if tables is None:
        return None
    return tables.places(shown.units, tables.shown(shown.units, shown.several_lines))


def first_numbers(blocks: Blocks, kept: list[int]) -> list[tuple[int, int]]:
    """The numbered lists of kept blocks that begin with another number than 1.

    Each is a row of the element table and the number of its first item.
    """
    walk = blocks.walk
    if not rows_with(walk.elements, _TAG, _NUMBERED):
        return []
    items, lists = blocks.items_and_lists(kept)
    first: dict[int, int] = {}
    for item, row in zip(items, lists, strict=True):
        if row >= 0:
            first.setdefault(row, item)
    numbers = first_numbers_of(walk, first)
    return [(row, numbers[row]) for row in first if numbers[row] != 1]


def first_numbers_of(walk: Walk, first_items: Mapping[int, int]) -> dict[int, int]:
    """The number that each list begins with, as it or its first item has it.

    Lists and items are given by their rows, an item without an element by -1.
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


join = twin(python_join, "_text")
