"""Ray Data: archives as a dataset of pages, and pages as a dataset of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_eatext.archive.core import DEFAULT_COLUMNS, Extractor, batches_of, pa
from scrapy_eatext.archive.record import needed
from scrapy_eatext.archive.tasks import records_of, tasks

if TYPE_CHECKING:
    from scrapy_eatext.archive.readers import Reading

# The pages of a batch: few, as each may have some megabytes.
_ROWS = 64


class Extract:
    """An actor that turns batches of pages into those of texts; see extract_batches()."""

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        html_column: str = "html",
        url_column: str = "url",
        columns: Sequence[str] = DEFAULT_COLUMNS,
        where: Sequence[str] = (),
    ) -> None:
        self._extractor = Extractor(settings, columns=columns, where=where)
        self._names = html_column, url_column

    def __call__(self, table: Any) -> Any:
        """The texts of a pyarrow.Table, as one."""
        batches = self._extractor.batches(table, *self._names)
        return pa.Table.from_batches(batches, self._extractor.schema)


def read(
    inputs: str | Sequence[str],
    of: int,
    reading: Reading | None = None,
    *,
    base: str = "",
    **ray: Any,
) -> Any:
    """The pages of archives, read by ``of`` tasks.  Raises ArchiveError."""
    data = needed("ray.data", "extraction on Ray", "ray")
    items = [{"task": task} for task in tasks(inputs, of, base)]
    dataset = data.from_items(items, override_num_blocks=len(items))
    arguments = {"reading": reading}
    return dataset.map_batches(_pages, batch_size=1, fn_kwargs=arguments, **ray)


def _pages(batch: Mapping[str, Any], reading: Reading | None) -> Iterator[Any]:
    for task in batch["task"]:
        for rows in batches_of(records_of(task, reading)):
            yield pa.Table.from_batches([rows])


def extract(
    dataset: Any,
    settings: Mapping[str, Any] | None = None,
    *,
    how: Mapping[str, Any] | None = None,
    **ray: Any,
) -> Any:
    """The texts of a dataset's pages, by actors.

    ``how`` are the other arguments of Extract.  ``ray`` are options of map_batches():
    concurrency, num_cpus, memory, max_restarts and so on.
    """
    return dataset.map_batches(
        Extract,
        fn_constructor_kwargs={"settings": dict(settings or {}), **(how or {})},
        batch_format="pyarrow",
        **{"batch_size": _ROWS, "concurrency": 1, **ray},
    )
