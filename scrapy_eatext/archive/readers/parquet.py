"""Parquet: a row for each page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from scrapy_eatext.archive.record import (
    Record,
    needed,
    record_of_row,
    recorded,
    unreadable,
)

# The rows in memory at a time.
_ROWS = 64


def read(
    file: BinaryIO, start: int, stop: int, html: str, url: str
) -> Iterator[Record]:
    """The pages of a part: of the row groups whose middle is in it.

    After a damaged row group, reading continues with the next one.  Raises ValueError
    for a file that is damaged as a whole, or without the column of pages.
    """
    table = open_table(file)
    check_column(html, table.schema_arrow.names)
    counts = [table.metadata.row_group(i).num_rows for i in range(table.num_row_groups)]
    for group in _groups(table.metadata, start, stop):
        first = row_number = sum(counts[:group])
        try:
            for batch in table.iter_batches(_ROWS, row_groups=[group]):
                for row in rows_of(batch):
                    where = str(row_number)
                    record = recorded(where, record_of_row, where, row, html, url)
                    yield replace(record, offset=row_number)
                    row_number += 1
        except (OSError, ValueError) as error:  # pyarrow's errors are subclasses
            lost = first + counts[group] - row_number
            damage = f"row group {group} is damaged, and its last {lost} rows are lost"
            yield unreadable(str(row_number), f"{damage}: {error}")


def check_column(html: str, names: Sequence[str]) -> None:
    """Raise ValueError if there is no column of pages."""
    if html not in names:
        known = ", ".join(names)
        raise ValueError(f"there is no column {html!r} among {known}")


def rows_of(batch: Any) -> Iterator[dict[str, Any]]:
    """The rows of a record batch."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    for i in range(batch.num_rows):
        yield {name: _value(column[i]) for name, column in columns.items()}


def _value(scalar: Any) -> Any:
    """A scalar as a Python value, invalid UTF-8 as bytes; an error if there is none."""
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        return (
            scalar.as_buffer().to_pybytes() if hasattr(scalar, "as_buffer") else error
        )
    except Exception as error:  # noqa: BLE001
        return error


def rows(file: BinaryIO, start: int, stop: int) -> int:
    """The number of rows of a part."""
    metadata = open_table(file).metadata
    return sum(metadata.row_group(i).num_rows for i in _groups(metadata, start, stop))


def _groups(metadata: Any, start: int, stop: int) -> list[int]:
    """The row groups whose middle is in a part of a file."""
    groups = []
    for i in range(metadata.num_row_groups):
        row_group = metadata.row_group(i)
        chunks = [row_group.column(j) for j in range(metadata.num_columns)]
        begin = min(
            chunk.dictionary_page_offset or chunk.data_page_offset for chunk in chunks
        )
        middle = begin + sum(chunk.total_compressed_size for chunk in chunks) // 2
        if start <= middle < stop:
            groups.append(i)
    return groups


def open_table(file: BinaryIO) -> Any:
    """A file as ParquetFile.  Raises ValueError if it is none."""
    parquet = needed("pyarrow.parquet", "Parquet", "archive")
    try:
        return parquet.ParquetFile(file, pre_buffer=True)
    except (ValueError, OSError) as error:
        raise ValueError(f"it is no Parquet, or damaged: {error}") from error
