"""Pages in record batches to texts in record batches: what every engine runs.

A row in is a row out, whatever happens to it, and its outcome names what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy.settings import BaseSettings

from scrapy_eatext.archive.readers.parquet import value
from scrapy_eatext.archive.record import MissingError, Record, record_of_row, storable
from scrapy_eatext.crawl.settings import KEYS, Config
from scrapy_eatext.execution.cascade import Failure, Job, Outcome
from scrapy_eatext.execution.choice import to_json_value
from scrapy_eatext.execution.executors import InPlace, Runner
from scrapy_eatext.execution.process import InProcess
from scrapy_eatext.page.decode import decode
from scrapy_eatext.result import NOTHING

try:
    import pyarrow as pa
except ImportError:
    raise MissingError("extraction from archives", "archive", "pyarrow") from None

if TYPE_CHECKING:
    from scrapy_eatext.execution.choice import Choice

# The columns of a result, beside `id` and `url`, and the attributes that fill them.
_ATTRIBUTES = (
    "text",
    "markdown",
    "html",
    "title",
    "author",
    "date",
    "language",
    "page_type",
    "score",
    "algorithm",
    "version",
)
COLUMNS = ("id", "url", *_ATTRIBUTES, "outcome", "error", "input")
# The columns of a batch that are as Record has them.
_OF_RECORD = frozenset(("encoding", "outcome", "error", "input"))
# The outcome of a page of a site that is off.
_OFF = "skipped_off"
# The longest error in a row.
_LONGEST_ERROR = 500
# Rows of a batch: few, as each may be of some megabytes.
ROWS = 32


def schema(*, html: bool = False) -> Any:
    """The columns of texts; with ``html`` the clean HTML is among them."""
    return pa.schema(
        [
            pa.field(name, pa.float64() if name == "score" else pa.string(), False)
            for name in COLUMNS
            if html or name != "html"
        ]
    )


def extract_batches(
    batches: Iterable[Any],
    settings: Mapping[str, Any] | None = None,
    *,
    html: bool = False,
    html_column: str = "html",
    url_column: str = "url",
) -> Iterator[Any]:
    """Extract the pages in pyarrow's record batches; the results have schema().

    ``settings`` are EATEXT_* settings, by which limits hold as in a crawl.  A batch has
    a column with pages, as text or bytes; it may have one with addresses, an `id` of any
    type, and `encoding`, `outcome`, `error` and `input` as Record has.  All its other
    columns are in the result's `input`.  Raises SettingError, and ValueError
    for a batch without the column of pages.
    """
    with closing(Extractor(settings, html=html)) as extractor:
        for batch in batches:
            yield extractor.batch(batch, html_column, url_column)


class Extractor:
    """Extracts batch after batch with the same settings; see extract_batches().

    Pages are extracted in a worker process, which a page may end, unless
    EATEXT_EXECUTOR is "inline".  ``tick`` is called before each page.
    """

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        html: bool = False,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._config = config_of(settings or {})
        self._schema = schema(html=html)
        names = [name for name in _ATTRIBUTES if html or name != "html"]
        self._attributes = tuple(names)
        self._tick = tick
        self._runner: Runner = InPlace()
        if self._config.executor != "inline":
            self._runner = InProcess(self._config.choice, self._config.memory)

    def batch(
        self, batch: Any, html_column: str = "html", url_column: str = "url"
    ) -> Any:
        """The results for a record batch, or for a table of them."""
        rows = [self.row(one) for one in _records(batch, html_column, url_column)]
        columns = zip(*rows, strict=True) if rows else [()] * len(self._schema)
        arrays = [
            pa.array(list(column), field.type)
            for column, field in zip(columns, self._schema, strict=True)
        ]
        return pa.record_batch(arrays, schema=self._schema)

    def row(self, record: Record) -> tuple[Any, ...]:
        """A page's row, in the order of the schema."""
        self._tick()
        outcome = self._outcome(record)
        errors = [record.error] if record.error else []
        errors += [_describe(failure) for failure in outcome.failures]
        return (
            storable(record.id),
            storable(record.url),
            *(_value(outcome, name) for name in self._attributes),
            outcome.kind,
            storable("; ".join(errors))[:_LONGEST_ERROR],
            storable(record.input),
        )

    def _outcome(self, record: Record) -> Outcome:
        if record.outcome:
            return Outcome(NOTHING, record.outcome)
        if not record.html:
            return Outcome(NOTHING, "empty")
        try:
            choice = self._config.choice_for(record.url)
            if choice is None:
                return Outcome(NOTHING, _OFF)
            outcome = self._runner.run(self._job(record, choice))
        except Exception as error:  # noqa: BLE001
            return Outcome(NOTHING, "failed", failures=(Failure.of(error),))
        if choice.below == "drop" and outcome.kind == "below":
            return replace(outcome, result=outcome.result.without_text())
        return outcome

    def _job(self, record: Record, choice: Choice) -> Job:
        html = record.html or b""
        limits = self._config.limits
        job = Job(html, record.url, choice, limits, self._attributes).bounded()
        if record.encoding and isinstance(job.html, bytes):
            return replace(job, html=decode(job.html, record.encoding)[1])
        return job

    def close(self) -> None:
        """End the worker process."""
        self._runner.close()


def batches_of(records: Iterable[Record]) -> Iterator[Any]:
    """Records in record batches, as extract_batches() takes them."""
    some: list[Record] = []
    for record in records:
        some.append(record)
        if len(some) == ROWS:
            yield _batch(some)
            some = []
    if some:
        yield _batch(some)


def config_of(settings: Mapping[str, Any]) -> Config:
    """A crawl's Config from its EATEXT_* settings alone.  Raises SettingError."""
    values = {
        key: value for key, value in settings.items() if key.startswith("EATEXT_")
    }
    return Config.from_settings(BaseSettings(values))


def settings_for_rows(settings: Any) -> dict[str, Any]:
    """The EATEXT_* settings of a project that determine a row, ready for JSON.  A class becomes its import path."""
    return {
        key: to_json_value(settings.get(key))
        for key in KEYS
        if key not in _OF_ITEMS and settings.get(key) is not None
    }


# Settings about a crawl's items and processes: they change no row.
_OF_ITEMS = frozenset(
    f"EATEXT_{name}"
    for name in (
        "FIELDS",
        "ITEMS",
        "HTML_FIELD",
        "URL_FIELD",
        "WORKERS",
        "ON_DECAY",
        "TUNE_PROCESS",
        "ENABLED",
    )
)


def _batch(records: list[Record]) -> Any:
    columns = {
        name: pa.array([storable(getattr(one, name)) for one in records], pa.string())
        for name in ("id", "url", "outcome", "error", "input")
    }
    # Text has no encoding any more; as bytes it is in UTF-8.
    pages = [
        (one.html.encode("utf-8", "replace"), "utf-8")
        if isinstance(one.html, str)
        else (one.html, one.encoding)
        for one in records
    ]
    columns["html"] = pa.array([html for html, _ in pages], pa.binary())
    columns["encoding"] = pa.array([encoding for _, encoding in pages], pa.string())
    return pa.record_batch(columns)


def _records(batch: Any, html_column: str, url_column: str) -> Iterator[Record]:
    names = batch.schema.names
    if html_column not in names:
        known = ", ".join(names)
        raise ValueError(f"there is no column {html_column!r} among {known}")
    read = {name: batch.column(name) for name in names}
    for i in range(batch.num_rows):
        row = {name: value(column[i]) for name, column in read.items()}
        given = {name: str(row.pop(name) or "") for name in _OF_RECORD & row.keys()}
        record = record_of_row("", row, html_column, url_column)
        encoding = given.pop("encoding", None)
        if given.get("outcome"):
            record = replace(record, html=None, outcome="", error="")
        elif isinstance(record.html, bytes):
            record = replace(record, encoding=encoding or None)
        # What the record says itself goes before what the batch says.
        missing = {
            name: one for name, one in given.items() if not getattr(record, name)
        }
        yield replace(record, **missing)


def _value(outcome: Outcome, name: str) -> Any:
    value = getattr(outcome.result, name)
    return float(value) if name == "score" else storable(value)


def _describe(failure: Failure) -> str:
    """A failure in a line: its field, its class, and its message."""
    last = failure.traceback.strip().rpartition("\n")[2]
    error = last if last.partition(":")[0].endswith(failure.name) else failure.name
    return f"{failure.field}: {error}" if failure.field else error
