"""Look-ups in the walk's tables that return lists.

numpy is fast on whole columns, but for a few values lists are faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    _Table = npt.NDArray[np.int32]


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
