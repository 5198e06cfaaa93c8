"""Look-ups in the walk's tables: of rows, of values, of blocks.

numpy is fast on whole columns, but for a few values lists are faster.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.page.columns import ElementColumn

if TYPE_CHECKING:
    import numpy.typing as npt

    _Table = npt.NDArray[np.int32]
    _Flags = npt.NDArray[np.bool_]
    _Places = Sequence[int] | npt.NDArray[np.integer[Any]]


def rows_with(table: _Table, column: int, value: int) -> list[int]:
    """The rows of a table in which a column has the value."""
    rows: list[int] = (table[:, column] == value).nonzero()[0].tolist()
    return rows


def values_of(
    table: _Table, rows: list[int], columns: tuple[int, ...]
) -> list[list[int]]:
    """Some columns of some rows, a list for each column."""
    # Twice as fast as table[rows][:, columns].
    chosen = table.take(rows, axis=0)
    return [chosen[:, column].tolist() for column in columns]


def are_among(values: npt.NDArray[Any], rows: Collection[int], count: int) -> _Flags:
    """For each row number, or -1 for none, whether it is in ``rows``.

    ``count`` is the number of the table's rows.
    """
    # np.isin() sometimes sorts, for which numpy loads another 20 ms of modules.
    flags = np.zeros(count + 1, dtype=np.bool_)
    flags[list(rows)] = True
    found: _Flags = flags[values]
    return found


def rows_around(elements: _Table, row: int, most: int) -> Iterator[int]:
    """The rows of an element and its ancestors, ``most`` at most; none for -1."""
    while row >= 0 and most > 0:
        yield row
        row, most = elements.item(row, ElementColumn.PARENT), most - 1


def covered(begins: _Places, ends: _Places, count: int) -> _Flags:
    """For each of ``count`` blocks whether one of some stretches of blocks has it.

    ``begins`` and ``ends`` are the first blocks and those behind the last, to ``count``.
    """
    # Stretches may be in stretches, so for each block those that begin up to it are
    # counted, less those that end.
    steps = [np.bincount(each, minlength=count + 1) for each in (begins, ends)]
    found: _Flags = (steps[0] - steps[1]).cumsum()[:count] > 0
    return found


def blocks_within(elements: _Table, rows: list[int]) -> Iterator[tuple[int, int, int]]:
    """Each of some rows, with its first block and the block behind its last."""
    bounds = values_of(
        elements, rows, (ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK)
    )
    return zip(rows, *bounds, strict=True)
