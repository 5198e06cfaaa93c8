"""datatrove: a reader of archives, and a step that extracts their pages.

A document's text is the page's HTML until the step replaces it by the main text; all
other fields are in the document's metadata.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from scrapy_eatext.archive.core import DEFAULT_COLUMNS, Extractor
from scrapy_eatext.archive.record import CARRIED, Record, needed
from scrapy_eatext.archive.tasks import records_of, tasks
from scrapy_eatext.page.decode import decode

if TYPE_CHECKING:
    from scrapy_eatext.archive.readers import Reading

_WHAT = "extraction in datatrove", "datatrove"
Document = needed("datatrove.data", *_WHAT).Document
PipelineStep: Any = needed("datatrove.pipeline.base", *_WHAT).PipelineStep


class ArchiveReader(PipelineStep):
    """Reads all pages in archives as documents; each task reads its own share."""

    type = "📖 - READER"
    name = "scrapy-eatext archives"

    def __init__(
        self,
        inputs: str | Sequence[str],
        reading: Reading | None = None,
        *,
        base: str = "",
    ) -> None:
        super().__init__()
        self.inputs = inputs
        self.reading = reading
        self.base = base

    def run(
        self, data: Any = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Any]:
        yield from data or ()
        for task in tasks(self.inputs, world_size, self.base)[rank : rank + 1]:
            for record in records_of(task, self.reading):
                self.stat_update(record.outcome or "pages")
                yield _document(record)


class Extract(PipelineStep):
    """Replaces the HTML of each document by its main text, other columns as metadata.

    The arguments are those of extract_batches().
    """

    type = "🛢 - EXTRAC"
    name = "scrapy-eatext"

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        columns: Sequence[str] = DEFAULT_COLUMNS,
        where: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.settings = dict(settings or {})
        self.columns = tuple({**dict.fromkeys(columns), "text": None})
        self.where = tuple(where)

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        made = Extractor(self.settings, columns=self.columns, where=self.where)
        with closing(made) as extractor:
            for document in data:
                with self.track_time():
                    row = extractor.row(_record(document))
                if row is None:
                    self.stat_update("left_out")
                    continue
                self.stat_update(row.get("outcome", "pages"))
                document.text = row.pop("text")
                for name in CARRIED:
                    document.metadata.pop(name, None)
                document.metadata.update(row)
                yield document


def _document(record: Record) -> Any:
    html = record.html or ""
    if isinstance(html, bytes):
        html = decode(html, record.encoding)[1]
    metadata = {name: getattr(record, name) for name in ("url", *CARRIED)}
    return Document(text=html, id=record.id, metadata=metadata)


def _record(document: Any) -> Record:
    metadata = document.metadata
    names = [name for name in ("url", *CARRIED) if name != "encoding"]
    fields = {n: metadata[n] for n in names if metadata.get(n) is not None}
    return Record(str(document.id), **{"url": "", **fields}, html=document.text)
