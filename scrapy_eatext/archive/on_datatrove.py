"""datatrove: a reader of archives, and a step that extracts their pages.

A page's source is a document's text until the step puts the main text in its place;
all else that is known of it is in the document's metadata.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrapy_eatext.archive.core import Extractor, schema
from scrapy_eatext.archive.readers import Reading, parts, read_part
from scrapy_eatext.archive.record import MissingError, Record
from scrapy_eatext.page.decode import decode

try:
    from datatrove.data import Document
    from datatrove.pipeline.base import PipelineStep
except ImportError:
    raise MissingError("extraction in datatrove", "datatrove", "datatrove") from None

# What a document's metadata has of a record.
_CARRIED = ("url", "outcome", "error", "input")


class ArchiveReader(PipelineStep):
    """Documents of all pages in archives; each task reads the parts that are its own."""

    type = "📖 - READER"
    name = "scrapy-eatext archives"

    def __init__(
        self, inputs: str | Sequence[str], reading: Reading | None = None
    ) -> None:
        super().__init__()
        self.inputs = [inputs] if isinstance(inputs, str) else list(inputs)
        self.reading = reading or Reading(most=10_000_000)

    def run(
        self, data: Any = None, rank: int = 0, world_size: int = 1
    ) -> Iterator[Any]:
        yield from data or ()
        found = [part for source in self.inputs for part in parts(source)]
        for part in found[rank::world_size]:
            for record in read_part(part, self.reading):
                self.stat_update(record.outcome or "pages")
                if not record.outcome.startswith("skipped_"):
                    yield _document(record)


class Extract(PipelineStep):
    """Puts the main text of each document's page in the page's place.

    No document is left out: its outcome and error are in its metadata.
    """

    type = "🛢 - EXTRAC"
    name = "scrapy-eatext"

    def __init__(
        self, settings: Mapping[str, Any] | None = None, *, html: bool = False
    ) -> None:
        super().__init__()
        self.settings = dict(settings or {})
        self.html = html

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        extractor = Extractor(self.settings, html=self.html)
        names = schema(html=self.html).names
        try:
            for document in data:
                with self.track_time():
                    row = dict(
                        zip(names, extractor.row(_record(document)), strict=True)
                    )
                self.stat_update(row["outcome"])
                document.text = row.pop("text")
                document.metadata.update(row)
                yield document
        finally:
            extractor.close()


def _document(record: Record) -> Any:
    html = record.html or ""
    if isinstance(html, bytes):
        html = decode(html, record.encoding)[1]
    known = {name: getattr(record, name) for name in _CARRIED}
    return Document(text=html, id=record.id, metadata=known)


def _record(document: Any) -> Record:
    known = {name: str(document.metadata.get(name) or "") for name in _CARRIED}
    return Record(str(document.id), html=document.text, **known)
