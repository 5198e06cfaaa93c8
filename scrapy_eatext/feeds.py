"""Feeds in Parquet: the exporter of Scrapy's feeds that writes them, by pyarrow."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, time
from typing import Any

from itemadapter import ItemAdapter, is_item
from scrapy.exporters import BaseItemExporter
from scrapy.utils.serialize import ScrapyJSONEncoder

try:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter
except ImportError:
    message = 'feeds in Parquet need pyarrow: pip install "scrapy-eatext[parquet]"'
    raise ImportError(message) from None

logger = logging.getLogger(__name__)

# The items of a row group.  They are in memory until it is written, in which time the
# crawl waits.
_ROWS = 500


class ParquetItemExporter(BaseItemExporter):
    """Writes each item as a row of a Parquet file.

    The first items decide on the columns: one for each field, of booleans, whole numbers
    or numbers where all values are such, else of text.  Dates are text in ISO 8601;
    lists, dicts and items in fields are text in JSON.  A later value that its column cannot hold is left out, and the log
    has an error for the first of each field; ``schema``, a pyarrow.Schema, decides
    instead of the first items.
    """

    def __init__(self, file: Any, schema: Any = None, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._file = file
        self._schema = schema
        self._writer: Any = None
        self._rows: list[dict[str, Any]] = []
        self._reported: set[str] = set()
        self._encoder = ScrapyJSONEncoder(ensure_ascii=False)
        # Scrapy has made the method public.
        public, private = "get_serialized_fields", "_get_serialized_fields"
        name = public if hasattr(self, public) else private
        self._fields_of: Callable[..., Iterable[tuple[str, Any]]] = getattr(self, name)

    def export_item(self, item: Any) -> None:
        fields = self._fields_of(item, include_empty=True)
        self._rows.append({name: self._storable(value) for name, value in fields})
        if len(self._rows) == _ROWS:
            self._write()

    def finish_exporting(self) -> None:
        self._write()
        self._writer.close()

    def _storable(self, value: Any) -> Any:
        """A value as a column holds it; of what is no text or number, the JSON."""
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, (bytes, bytearray)):
            value = value.decode("utf-8", "replace")
        elif isinstance(value, (date, time)):
            value = value.isoformat()
        elif not isinstance(value, str):
            value = self._encoder.encode(_plain(value))
        # JSON can name halves of characters, which have no UTF-8.
        return value.encode("utf-8", "replace").decode()

    def _write(self) -> None:
        rows, self._rows = self._rows, []
        if self._writer is None:
            self._schema = self._schema or _schema_of(rows)
            self._writer = ParquetWriter(self._file, self._schema, compression="zstd")
        for name in {name for row in rows for name in row} - {*self._schema.names}:
            self._report(name, "it has no column")
        if rows:
            columns = [self._column(rows, field) for field in self._schema]
            self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))

    def _column(self, rows: Sequence[Mapping[str, Any]], field: Any) -> Any:
        values = [row.get(field.name) for row in rows]
        if pa.types.is_string(field.type):
            values = [_text(value) for value in values]
        try:
            return pa.array(values, field.type)
        except (pa.ArrowException, OverflowError):
            return pa.array([self._fitting(one, field) for one in values], field.type)

    def _fitting(self, value: Any, field: Any) -> Any:
        """A value that its column can hold, else None."""
        try:
            return pa.scalar(value, field.type).as_py()
        except (pa.ArrowException, OverflowError):
            self._report(field.name, f"{value!r:.80} is no {field.type}")
            return None

    def _report(self, name: str, why: str) -> None:
        if name not in self._reported:
            self._reported.add(name)
            logger.error(
                "Parquet: values of the field %s are left out: %s. Give the feed a schema",
                name,
                why,
            )


def _schema_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """The columns for the first rows."""
    kinds: dict[str, set[type]] = {}
    for row in rows:
        for name, value in row.items():
            kinds.setdefault(name, set()).update({type(value)} - {type(None)})
    return pa.schema([(name, _type_of(found)) for name, found in kinds.items()])


def _type_of(kinds: set[type]) -> Any:
    if kinds == {bool}:
        return pa.bool_()
    if kinds == {int}:
        return pa.int64()
    return pa.float64() if kinds and kinds <= {int, float} else pa.string()


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _plain(value: Any) -> Any:
    """A value whose parts JSON knows: items become dicts, and tuples lists."""
    if is_item(value):
        return {name: _plain(one) for name, one in ItemAdapter(value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
