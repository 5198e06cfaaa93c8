"""The pages to review, from archives, labelled folders and downloads."""

from __future__ import annotations

import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import TYPE_CHECKING

from scrapy_eatext.archive.readers import Reading, find, parts, read_part
from scrapy_eatext.durable import append
from scrapy_eatext.learning.data import read_wcxb
from scrapy_eatext.page.decode import decode
from scrapy_eatext.review.labels import filed_under
from scrapy_eatext.review.pages import Stored, unreadable

if TYPE_CHECKING:
    from scrapy_eatext.archive.readers import Part
    from scrapy_eatext.archive.record import Record
    from scrapy_eatext.learning.data import LabelledPage


class Spool:
    """A temporary file of compressed pages, deleted when the process ends."""

    def __init__(self) -> None:
        # It stays open during the review.
        self._file = TemporaryFile(buffering=0)  # noqa: SIM115
        self._lock = Lock()

    def close(self) -> None:
        self._file.close()

    def keep(self, name: str, url: str, html: bytes) -> Stored:
        packed = zlib.compress(html, 1)
        with self._lock:
            at = self._file.seek(0, os.SEEK_END)
            append(self._file, packed)
        return Stored(name, url, partial(self._page, at, len(packed)))

    def _page(self, at: int, size: int) -> bytes:
        with self._lock:
            self._file.seek(at)
            return zlib.decompress(self._file.read(size))


def stored_in(source: str, reading: Reading, spool: Spool) -> Iterator[Stored]:
    """The pages of a folder, a file or an archive.

    Raises ArchiveError at once if there are none.  A page that cannot be read raises
    ValueError when it is loaded.
    """
    truth = Path(source, "ground-truth")
    if truth.is_dir():
        return (_labelled(page, truth) for page in read_wcxb(truth.parent).pages)
    find(source)
    return _of_archive(source, reading, spool)


def _labelled(page: LabelledPage, truth: Path) -> Stored:
    filed = filed_under(truth / f"{page.name}.json")
    return Stored(page.name, page.url, partial(getattr, page, "html"), filed)


def _of_archive(source: str, reading: Reading, spool: Spool) -> Iterator[Stored]:
    label = Path(source).resolve().name
    for part in parts(source):
        if part.kind == "folder":
            for name in part.names:
                single = replace(part, names=(name,))
                yield Stored(f"{label}/{name}", "", partial(_file, single, reading))
        else:
            for record in read_part(part, reading):
                name = record.url or f"{label}:{record.id}"
                if record.outcome:
                    why = f"{record.outcome}: {record.error}".rstrip(": ")
                    yield Stored(name, record.url, partial(unreadable, why))
                else:
                    yield spool.keep(name, record.url, page_of(record))


def page_of(record: Record) -> bytes:
    """A record's page as bytes, in UTF-8 with a byte order mark if it was decoded."""
    html = record.html
    if isinstance(html, str):
        return text_page(html)
    if html is None:
        return b""
    return text_page(decode(html, record.encoding)[1]) if record.encoding else html


def text_page(html: str) -> bytes:
    """A decoded page in UTF-8 with a byte order mark, as it may declare otherwise."""
    return BOM_UTF8 + html.encode("utf-8", "replace")


def _file(part: Part, reading: Reading) -> bytes:
    (record,) = read_part(part, reading)
    return unreadable(record.error) if record.outcome else page_of(record)
