"""Spark: archives as a frame of pages, and pages as a frame of texts, by `mapInArrow`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_eatext.archive import core
from scrapy_eatext.archive.record import needed
from scrapy_eatext.archive.tasks import records_of, tasks

if TYPE_CHECKING:
    from scrapy_eatext.archive.readers import Reading


def read(
    session: Any,
    inputs: str | Sequence[str],
    of: int,
    reading: Reading | None = None,
    *,
    base: str = "",
) -> Any:
    """The pages of archives as a frame, read by ``of`` tasks.  Raises ArchiveError."""
    rows = [(task,) for task in tasks(inputs, of, base)]
    frame = session.createDataFrame(rows, "task string")

    def pages(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for task in batch.column("task").to_pylist():
                yield from core.batches_of(records_of(task, reading))

    # A row for each partition.
    spread = frame.coalesce(1).repartition(len(rows))
    return spread.mapInArrow(pages, _columns(core.pages_schema()))


def extract(frame: Any, settings: Mapping[str, Any] | None = None, **how: Any) -> Any:
    """The texts of a frame's pages; ``how`` are arguments of extract_batches()."""
    plain_settings = dict(settings or {})

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        return core.extract_batches(batches, plain_settings, **how)

    columns = core.schema(how.get("columns", core.DEFAULT_COLUMNS))
    return frame.mapInArrow(work, _columns(columns))


def _columns(arrow_schema: Any) -> Any:
    types = needed("pyspark.sql.pandas.types", "extraction on Spark", "spark")
    return types.from_arrow_schema(arrow_schema)
