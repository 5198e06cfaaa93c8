"""Extracts record batches of pages to record batches of texts, for every engine.

Each input row gives an output row with an outcome, unless conditions leave it out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy.settings import BaseSettings

from scrapy_eatext.archive.conditions import Conditions
from scrapy_eatext.archive.progress import COUNTED, Tally
from scrapy_eatext.archive.readers.parquet import check_column, rows_of
from scrapy_eatext.archive.record import (
    CARRIED,
    Record,
    needed,
    record_of_row,
    recorded,
    storable,
)
from scrapy_eatext.crawl.settings import KEYS, Config
from scrapy_eatext.execution.cascade import Failure, Job, Outcome
from scrapy_eatext.execution.choice import SettingError, to_json_value
from scrapy_eatext.execution.executors import InPlace, Runner
from scrapy_eatext.execution.process import InProcess
from scrapy_eatext.page.decode import decode, is_binary
from scrapy_eatext.result import ATTRIBUTES, LISTS_OF_TEXTS, NOTHING, to_json

if TYPE_CHECKING:
    from scrapy_eatext.execution.choice import Choice

pa = needed("pyarrow", "extraction from archives", "archive")
# Columns that are fields of Record, besides `id` and `url`.
_OF_RECORD = ("source", "offset", "fetched", "status", "content_type", "input")
_OF_RESULT = (
    "text markdown title author date language page_type score algorithm version".split()
)
_OF_PAGE = ("id", "url", *_OF_RESULT, "outcome", "error")
DEFAULT_COLUMNS = (*_OF_PAGE, *_OF_RECORD, "schema_version")
COLUMNS = tuple(dict.fromkeys((*DEFAULT_COLUMNS, *ATTRIBUTES)))
SCHEMA = 2
# The types of columns that are no texts, and the columns that may have null.
_TYPES = {
    "score": pa.float64(),
    "offset": pa.int64(),
    "status": pa.int32(),
    "schema_version": pa.int32(),
    **dict.fromkeys(LISTS_OF_TEXTS, pa.list_(pa.string())),
}
_NULLABLE = frozenset(("offset", "status", "product", "recipe"))
# The most characters of an error in a row.
_LONGEST_ERROR = 500
# The rows of a batch: few, as each may have some megabytes.
_ROWS = 32


def schema(columns: Sequence[str]) -> Any:
    """The schema of texts.  Raises SettingError for an unknown column."""
    if not columns or set(columns) - set(COLUMNS):
        raise SettingError(
            "--columns", ",".join(columns), f"some of {', '.join(COLUMNS)}"
        )
    return pa.schema(
        [
            pa.field(name, _TYPES.get(name, pa.string()), name in _NULLABLE)
            for name in columns
        ]
    )


def pages_schema() -> Any:
    """The schema of pages, as batches_of() writes them."""
    types = {str: pa.string(), int: pa.int64()}
    return pa.schema(
        [
            ("id", pa.string()),
            ("url", pa.string()),
            ("html", pa.binary()),
            *((name, types[of]) for name, of in CARRIED.items()),
        ]
    )


def extract_batches(
    batches: Iterable[Any],
    settings: Mapping[str, Any] | None = None,
    *,
    html_column: str = "html",
    url_column: str = "url",
    columns: Sequence[str] = DEFAULT_COLUMNS,
    where: Sequence[str] = (),
) -> Iterator[Any]:
    """Extract the pages in pyarrow's record batches, in batches of few rows.

    ``settings`` are EATEXT_* settings; limits apply as in a crawl.  A batch has a column
    of HTML, text or bytes, and may have one of URLs and the fields of Record; all others
    go into the result's `input`.  ``columns`` are the result's; ``where`` are conditions
    for its rows.  Raises SettingError, and ValueError without the column of HTML.
    """
    with closing(Extractor(settings, columns=columns, where=where)) as extractor:
        for batch in batches:
            yield from extractor.batches(batch, html_column, url_column)


class Extractor:
    """Extracts several batches with the same settings; see extract_batches().

    Unless EATEXT_EXECUTOR is "inline", pages are extracted in a worker process, which
    is started anew if a page ends it.  ``tick`` is called before each page; ``tally``
    counts the results.
    """

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        columns: Sequence[str] = DEFAULT_COLUMNS,
        where: Sequence[str] = (),
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._config = config_of(settings or {})
        self.schema = schema(columns)
        self._conditions = Conditions(where)
        wanted = {*columns, *self._conditions.names, *COUNTED}
        self._attributes = tuple(name for name in ATTRIBUTES if name in wanted)
        self._tick = tick
        self.tally = Tally()
        self._runner: Runner = InPlace()
        if self._config.executor != "inline":
            self._runner = InProcess(self._config.choice, self._config.memory)

    def batches(self, batch: Any, html_column: str, url_column: str) -> Iterator[Any]:
        """The results for the pages of a pyarrow RecordBatch or Table."""
        return self.results(_records(batch, html_column, url_column))

    def results(self, records: Iterable[Record]) -> Iterator[Any]:
        """The results for records, in batches."""
        return _batches(filter(None, map(self.row, records)), self.schema)

    def row(self, record: Record) -> dict[str, Any] | None:
        """A page's result as a row, None if it does not meet the conditions."""
        self._tick()
        row = self._row(record) if self._conditions.of_url(record.url) else None
        if row is None or not self._conditions.of_row(row):
            self.tally.outcomes["left_out"] += 1
            return None
        self.tally.add(row)
        return {name: storable(row[name]) for name in self.schema.names}

    def _row(self, record: Record) -> dict[str, Any]:
        outcome = self._outcome(record)
        errors = filter(None, (record.error, *map(_describe, outcome.failures)))
        return {
            **{n: _cell(n, outcome.result.value(n)) for n in self._attributes},
            **{name: getattr(record, name) for name in ("id", "url", *_OF_RECORD)},
            "outcome": outcome.kind,
            "error": "; ".join(errors)[:_LONGEST_ERROR],
            "schema_version": SCHEMA,
        }

    def _outcome(self, record: Record) -> Outcome:
        if record.outcome:
            return Outcome(NOTHING, record.outcome)
        if not record.html:
            return Outcome(NOTHING, "empty")
        if isinstance(record.html, bytes) and is_binary(
            record.html, record.encoding or ""
        ):
            return Outcome(NOTHING, "skipped_type")
        try:
            choice = self._config.choice_for(record.url)
            if choice is None:
                return Outcome(NOTHING, "skipped_off")
            outcome = self._runner.run(self._job(record, choice))
        except Exception as error:  # noqa: BLE001
            return Outcome(NOTHING, "failed", failures=(Failure.of(error),))
        if choice.below == "drop" and outcome.kind == "below":
            return replace(outcome, result=outcome.result.without_text())
        return outcome

    def _job(self, record: Record, choice: Choice) -> Job:
        html = storable(record.html or b"")
        limits = self._config.limits
        job = Job(html, record.url, choice, limits, self._attributes).bounded()
        if record.encoding and isinstance(job.html, bytes):
            return replace(job, html=decode(job.html, record.encoding)[1])
        return job

    def close(self) -> None:
        """End the worker process."""
        self._runner.close()


def batches_of(records: Iterable[Record]) -> Iterator[Any]:
    """Records as record batches, for extract_batches()."""
    return _batches(map(_row, records), pages_schema())


def _batches(rows: Iterable[dict[str, Any]], columns: Any) -> Iterator[Any]:
    """Rows as record batches of _ROWS rows; the last may have fewer."""
    remaining = iter(rows)
    while portion := list(islice(remaining, _ROWS)):
        yield pa.RecordBatch.from_pylist(portion, schema=columns)


def config_of(settings: Mapping[str, Any]) -> Config:
    """The Config of a crawl with some EATEXT_* settings.  Raises SettingError."""
    own = {key: value for key, value in settings.items() if key.startswith("EATEXT_")}
    return Config.from_settings(BaseSettings(own))


# Settings of a crawl's requests, items and processes, which do not change rows.
_OF_CRAWLS = frozenset(
    f"EATEXT_{name}"
    for name in "WEAK PAGES AHEAD FIELDS ITEMS HTML_FIELD URL_FIELD WORKERS ON_DECAY "
    "TUNE_PROCESS ENABLED".split()
)


def settings_for_rows(settings: Any) -> dict[str, Any]:
    """The EATEXT_* settings that rows depend on, as JSON data, with classes by path."""
    return {
        key: to_json_value(settings.get(key))
        for key in KEYS
        if key not in _OF_CRAWLS and settings.get(key) is not None
    }


def _row(record: Record) -> dict[str, Any]:
    row = {name: getattr(record, name) for name in ("id", "url", "html", *CARRIED)}
    if isinstance(record.html, str):
        # Text is decoded already; as bytes it is in UTF-8.
        row.update(html=record.html.encode("utf-8", "replace"), encoding="utf-8")
    return {name: storable(value) for name, value in row.items()}


def _records(batch: Any, html_column: str, url_column: str) -> Iterator[Record]:
    check_column(html_column, batch.schema.names)
    for row in rows_of(batch):
        given = {n: row[n] for n in row if n not in CARRIED or row[n] is not None}
        yield recorded("", record_of_row, "", given, html_column, url_column, CARRIED)


def _cell(name: str, value: Any) -> Any:
    """An attribute of a result for its column: JSON if it has parts."""
    if name in LISTS_OF_TEXTS:
        return list(map(storable, value))
    if isinstance(value, str | float | None):
        return value
    return json.dumps(to_json(value), ensure_ascii=False)


def _describe(failure: Failure) -> str:
    """A failure in one line: its field, its class, and its message."""
    last = failure.traceback.strip().rpartition("\n")[2]
    error = last if last.partition(":")[0].endswith(failure.name) else failure.name
    return f"{failure.field}: {error}" if failure.field else error
