"""datatrove: a reader of archives, and a step that extracts their pages.

A page's source is a document's text until the step puts the main text in its place;
all else that is known of it is in the document's metadata.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from scrapy_eatext.archive.core import USUAL, Extractor
from scrapy_eatext.archive.record import CARRIED, MissingError, Record
from scrapy_eatext.archive.tasks import records_of, tasks
from scrapy_eatext.page.decode import decode

if TYPE_CHECKING:
    from scrapy_eatext.archive.readers import Reading

try:
    from datatrove.data import Document
    from datatrove.pipeline.base import PipelineStep
except ImportError:
    raise MissingError("extraction in datatrove", "datatrove", "datatrove") from None


class ArchiveReader(PipelineStep):
    """Documents of all pages in archives; each task reads a share of its own."""

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
    """Puts the main text of each document's page in the page's place.

    What else is known of it is in its metadata.  ``columns`` and ``where`` are those of
    extract_batches().
    """

    type = "🛢 - EXTRAC"
    name = "scrapy-eatext"

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        columns: Sequence[str] = USUAL,
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
    known = {name: getattr(record, name) for name in ("url", *CARRIED)}
    return Document(text=html, id=record.id, metadata=known)


def _record(document: Any) -> Record:
    said = document.metadata
    known = {n: said[n] for n in ("url", *CARRIED) if said.get(n) is not None}
    known.pop("encoding", None)
    return Record(str(document.id), **{"url": "", **known}, html=document.text)
