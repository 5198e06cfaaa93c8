"""Parquet: a row for each page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from scrapy_eatext.archive.record import (
    MissingError,
    Record,
    record_of_row,
    unreadable,
)

# Rows that are in memory at a time.
_ROWS = 64


def read(
    file: BinaryIO, start: int, stop: int, html: str, url: str
) -> Iterator[Record]:
    """The pages of a part: of the row groups of which it has the middle.

    ``html`` and ``url`` are names of columns.

    A row group that is damaged costs no other.  Raises ValueError for a file that is
    damaged as a whole or has no such column.
    """
    table = open_table(file)
    names = table.schema_arrow.names
    if html not in names:
        known = ", ".join(names)
        raise ValueError(f"there is no column {html!r} among {known}")
    counts = [table.metadata.row_group(i).num_rows for i in range(table.num_row_groups)]
    for group in _groups(table.metadata, start, stop):
        first = where = sum(counts[:group])
        try:
            for batch in table.iter_batches(_ROWS, row_groups=[group]):
                for i in range(batch.num_rows):
                    row = {name: value(batch.column(name)[i]) for name in names}
                    found = record_of_row(str(where), row, html, url)
                    yield replace(found, offset=where)
                    where += 1
        except (OSError, ValueError) as error:  # pyarrow's are such
            lost = first + counts[group] - where
            damage = f"row group {group} is damaged, and its last {lost} rows are lost"
            yield unreadable(str(where), "", f"{damage}: {error}")


def value(of: Any) -> Any:
    """What a column has in a row; text that is no UTF-8 as bytes.

    What cannot be had is the error.
    """
    try:
        return of.as_py()
    except UnicodeDecodeError as error:
        return of.as_buffer().to_pybytes() if hasattr(of, "as_buffer") else error
    except (ValueError, OverflowError) as error:
        return error


def rows(file: BinaryIO, start: int, stop: int) -> int:
    """How many rows a part has."""
    about = open_table(file).metadata
    return sum(about.row_group(i).num_rows for i in _groups(about, start, stop))


def _groups(about: Any, start: int, stop: int) -> list[int]:
    """The row groups of which a part of a file has the middle."""
    found = []
    for i in range(about.num_row_groups):
        chunks = [about.row_group(i).column(j) for j in range(about.num_columns)]
        begin = min(
            one.dictionary_page_offset or one.data_page_offset for one in chunks
        )
        middle = begin + sum(one.total_compressed_size for one in chunks) // 2
        if start <= middle < stop:
            found.append(i)
    return found


def open_table(file: BinaryIO) -> Any:
    """A ParquetFile.  Raises ValueError for what is none."""
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingError("Parquet", "archive", "pyarrow") from None
    try:
        return ParquetFile(file, pre_buffer=True)
    except (ArrowInvalid, OSError) as error:
        raise ValueError(f"it is no Parquet, or damaged: {error}") from error
