"""Look-ups of few values in the walk's tables.

numpy is fast on whole columns, but each call costs more than a few values do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.native.loading import twin

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    _Table = npt.NDArray[np.int32]


def python_rows_with(table: _Table, column: int, value: int) -> list[int]:
    """The rows of a table that have a value in a column."""
    rows: list[int] = (table[:, column] == value).nonzero()[0].tolist()
    return rows


def python_values_of(
    table: _Table, rows: list[int], columns: tuple[int, ...]
) -> list[list[int]]:
    """Some columns of some rows, a list for each column."""
    values: list[list[int]] = table[rows][:, columns].T.tolist()
    return values


rows_with = twin(python_rows_with, "_text")
values_of = twin(python_values_of, "_text")
