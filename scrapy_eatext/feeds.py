"""Feeds in Parquet, with the values of JSON Lines in a column for each field."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import ExitStack
from io import BufferedReader, BytesIO
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, TYPE_CHECKING, Any, cast

from scrapy.exporters import JsonLinesItemExporter
from scrapy.extensions.postprocessing import PostProcessingManager
from scrapy.utils.serialize import ScrapyJSONEncoder

from scrapy_eatext.archive.record import needed, storable
from scrapy_eatext.durable import append, written
from scrapy_eatext.result import LISTS_OF_TEXTS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    # typing.Self requires Python 3.11
    from typing_extensions import Self

pa = needed("pyarrow", "a feed in Parquet", "parquet")
parquet = needed("pyarrow.parquet", "a feed in Parquet", "parquet")
logger = logging.getLogger(__name__)

# Rows of a row group: few, as each may be of some megabytes.
_ROWS = 500


def _text(value: Any) -> str:
    """A text as it is, and any other value as JSON."""
    return storable(value if isinstance(value, str) else json.dumps(value))


# The kinds of values in a column, its type, and the function that converts its values.
# A column with other kinds, or with several, has texts.
_COLUMNS: tuple[tuple[frozenset[str], Any, Callable[[Any], Any]], ...] = (
    (frozenset(("bool",)), pa.bool_(), bool),
    (frozenset(("int",)), pa.int64(), int),
    (frozenset(("int", "float")), pa.float64(), float),
    (
        frozenset(("texts", "nothing")),
        pa.list_(pa.string()),
        lambda texts: [storable(text) for text in texts],
    ),
)
_OTHER = (pa.string(), _text)
# The kinds of the attributes of a result whose column has no texts.
ATTRIBUTE_KINDS = {
    "score": "float",
    **dict.fromkeys(LISTS_OF_TEXTS, "texts"),
}


def _kind(value: Any) -> str:
    if isinstance(value, list):
        if not value:
            return "nothing"
        return "texts" if all(isinstance(one, str) for one in value) else "list"
    if type(value) is int and not -(1 << 63) <= value < 1 << 63:
        return "large"
    return type(value).__name__


class _Encoder(ScrapyJSONEncoder):
    """Writes bytes, and other values that JSON does not have, as text."""

    def default(self, o: Any) -> Any:
        if isinstance(o, (bytes, bytearray)):
            return o.decode("utf-8", "replace")
        try:
            return super().default(o)
        except TypeError:
            return str(o)


class ParquetItemExporter(JsonLinesItemExporter):
    """Writes items as Parquet, for FEED_EXPORTERS.

    Values are those of a feed in JSON Lines.  A column has booleans, whole numbers,
    numbers or lists of texts if all its values are of that type, and else texts: JSON
    for other values.  The fields of EATEXT_FIELDS have the same type in every file.
    Items wait in a temporary file, as the types are known after the last one.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> Self:
        exporter = cls(file, **kwargs)
        fields = crawler.settings.getdict("EATEXT_FIELDS")
        named = exporter.fields_to_export
        columns = named if isinstance(named, dict) else {}
        exporter._known = {
            columns.get(name, name): {ATTRIBUTE_KINDS.get(attribute, "str")}
            for name, attribute in fields.items()
        }
        return exporter

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:
        self._line = BytesIO()
        kwargs["encoding"] = None
        super().__init__(self._line, **kwargs)
        self.encoder = _Encoder()
        self._to = file
        self._waiting = TemporaryFile(buffering=0)  # noqa: SIM115 - closed when the feed is
        named = self.fields_to_export or ()
        names = named.values() if isinstance(named, dict) else named
        self._kinds: dict[str, set[str]] = {name: set() for name in names}
        self._known: dict[str, set[str]] = {}
        if _is_appended(file):
            self._keep_rows(Path(_written_to(file).name))

    def _keep_rows(self, path: Path) -> None:
        """Keep the rows of a file, as Parquet is not appended to but written anew."""
        try:
            for rows in parquet.ParquetFile(path).iter_batches(_ROWS):
                for row in rows.to_pylist():
                    self._keep(self.encoder.encode(row).encode() + b"\n")
        except (pa.ArrowException, OSError):  # such as a file that was cut off
            self._waiting.truncate(0)
            other = NamedTemporaryFile(  # noqa: SIM115 - closed with the exporter
                prefix=f"{path.stem}-",
                suffix=".parquet",
                dir=path.parent,
                delete=False,
            )
            self._to = cast("IO[bytes]", other)
            logger.error("%s is not Parquet: this feed goes to %s", path, other.name)

    def export_item(self, item: Any) -> None:
        self._line.seek(0)
        self._line.truncate()
        super().export_item(item)
        self._keep(self._line.getvalue())

    def _keep(self, line: bytes) -> None:
        for name, value in json.loads(line).items():
            kinds = self._kinds.setdefault(name, set())
            if value is not None:
                kinds.add(_kind(value))
        append(self._waiting, line)

    def finish_exporting(self) -> None:
        with self._waiting, ExitStack() as stack:
            self._waiting.seek(0)
            lines = BufferedReader(self._waiting)
            to = self._to
            if _is_appended(to):
                # The file stays as it was until all its rows are written anew.
                to.close()
                to = stack.enter_context(written(Path(to.name).resolve()))
            columns = {name: self._column(name) for name in self._kinds}
            schema = pa.schema(
                [(storable(name), of) for name, (of, _) in columns.items()]
            )
            with parquet.ParquetWriter(to, schema, compression="zstd") as writer:
                while rows := list(map(json.loads, islice(lines, _ROWS))):
                    arrays = []
                    for name, (of, make) in columns.items():
                        values = (row.get(name) for row in rows)
                        made = [None if v is None else make(v) for v in values]
                        arrays.append(pa.array(made, of))
                    writer.write_table(pa.table(arrays, schema=schema))

    def _column(self, name: str) -> tuple[Any, Callable[[Any], Any]]:
        kinds = self._kinds[name] | self._known.get(name, set())
        found = ((of, make) for known, of, make in _COLUMNS if kinds and kinds <= known)
        return next(found, _OTHER)


def _is_appended(file: IO[bytes]) -> bool:
    """Whether a file has content, and is one that Scrapy opened to append to it."""
    file = _written_to(file)
    # Not tell(), as gzip has written its header into the file's buffer.
    return getattr(file, "mode", "") == "ab" and Path(file.name).stat().st_size > 0


def _written_to(file: Any) -> Any:
    """The file below a feed's post-processing, such as gzip."""
    return file.file if isinstance(file, PostProcessingManager) else file
