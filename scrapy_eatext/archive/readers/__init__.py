"""Readers of archives: of WARC, Scrapy's HTTPCACHE, Parquet, JSON Lines and folders.

``read("crawl.warc.gz")`` iterates over the pages of an archive; ``parts()`` cuts it
into parts that can be read by themselves, in any process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO

from scrapy_eatext.archive import files
from scrapy_eatext.archive.packed import CUT_OFF
from scrapy_eatext.archive.readers import folder, httpcache, jsonlines, parquet, warc

if TYPE_CHECKING:
    from scrapy_eatext.archive.record import Record

# The kinds of which a part is some names, not a stretch of a file.
NAMED = frozenset(("httpcache", "dbm", "folder"))
# Those of them whose names are files or folders in the part's folder.
FILES = frozenset(("httpcache", "folder"))
_BY_ENDING = {
    ".warc": "warc",
    ".warc.gz": "warc",
    ".warc.zst": "warc",
    ".parquet": "parquet",
    **{
        f".{name}{packing}": "jsonlines"
        for name in ("jsonl", "jsonlines", "jl", "ndjson")
        for packing in ("", ".gz", ".zst")
    },
}
# A part is about so large, in bytes or in files.
SIZE = 1 << 25
_FILES = 2000
_TO_THE_END = 1 << 62


class ArchiveError(ValueError):
    """An archive that cannot be read; the message has its name and the reason."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read archives.

    A page of more than ``most`` bytes is read up to that and one more; 0 is no limit.
    ``html`` and ``url`` are the columns or keys that have a page and its address.
    """

    most: int = 0
    html: str = "html"
    url: str = "url"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an archive: from ``start`` to ``stop`` in a file, or some names in it.

    Start and stop are bytes, or row groups of Parquet.
    """

    kind: str
    source: str
    start: int = 0
    stop: int = _TO_THE_END
    names: Sequence[str] = ()


@dataclass(slots=True)
class Place:
    """How far reading a part is, and what was damaged.

    ``share`` of it was read, and ``damaged`` records had an error.  ``cut_off`` says that
    the file ends within a record, or is empty.
    """

    share: float = 0.0
    damaged: int = 0
    cut_off: bool = False


def read(source: str, reading: Reading = Reading()) -> Iterator[Record]:
    """The pages of a file or of a folder, and what is unreadable.

    Raises ArchiveError for what is no archive, or is damaged as a whole.
    """
    for part in parts(source, size=_TO_THE_END):
        yield from read_part(part, reading)


def parts(source: str, size: int = SIZE) -> Iterator[Part]:
    """The parts of a file, or of all archives in a folder, in order.

    Raises ArchiveError.
    """
    for whole in find(source):
        yield from cut(whole, places(whole, size))


def find(source: str) -> list[Part]:
    """A file as a part, or all archives in a folder.  Raises ArchiveError."""
    try:
        if files.is_folder(source):
            found = list(_in_folder(source))
            if not found:
                raise ArchiveError(f"{source} holds no archives and no pages")
            return found
        kind = _kind_of(source)
        if not kind:
            known = ", ".join([*_BY_ENDING, ".html", ".db"])
            raise ArchiveError(
                f"{source} is no archive: its name ends in none of {known}"
            )
        if kind == "folder":
            return [Part("page", source)]
        if kind == "dbm":
            return [Part(kind, source, names=httpcache.keys(source))]
        return [Part(kind, source)]
    except OSError as error:
        raise ArchiveError(f"{source}: {error.strerror or error}") from error


def places(whole: Part, size: int = SIZE) -> list[int]:
    """Where to cut what find() found into parts of about so many bytes.

    It takes reading a packed file.  Raises ArchiveError.
    """
    if whole.kind in NAMED:
        return list(range(0, len(whole.names), max(1, _FILES * size // SIZE)))
    try:
        if files.stat(whole.source).size <= size:
            return [0]
        with closing(files.open_file(whole.source)) as file:
            return _CUTS[whole.kind](file, size)
    except (OSError, ValueError) as error:
        raise ArchiveError(f"{whole.source}: {error}") from error


_CUTS: dict[str, Callable[[BinaryIO, int], list[int]]] = {
    "warc": warc.cuts,
    "parquet": parquet.cuts,
    "jsonlines": jsonlines.cuts,
    "page": lambda file, size: [0],
}


def cut(whole: Part, at: Sequence[int]) -> Iterator[Part]:
    """The parts between places."""
    for start, stop in pairwise([*at, _TO_THE_END]):
        if whole.kind in NAMED:
            names = whole.names[start:stop]
            yield replace(whole, start=start, stop=start + len(names), names=names)
        else:
            yield replace(whole, start=start, stop=stop)


def read_part(
    part: Part, reading: Reading, place: Place | None = None
) -> Iterator[Record]:
    """The pages of a part, and what is unreadable.  Raises ArchiveError.

    ``place`` is kept up with how far reading is.
    """
    place = place or Place()
    try:
        for record in _read(part, reading, place):
            place.damaged += bool(record.error)
            place.cut_off = place.cut_off or record.error == CUT_OFF
            yield record
    except (OSError, ValueError) as error:
        raise ArchiveError(f"{part.source}: {error}") from error


def _read(part: Part, how: Reading, place: Place) -> Iterator[Record]:
    if part.kind in NAMED:
        found = _BY_NAME[part.kind](part.source, part.names, how.most)
        yield from _counted(found, len(part.names), place)
        return
    if part.kind == "page":
        yield folder.read_page(part.source, part.source, how.most)
        return
    with closing(files.open_file(part.source)) as file:
        span = part.start, part.stop
        if part.kind == "parquet":
            found = parquet.read(file, *span, how.html, how.url)
            yield from _counted(found, parquet.rows(file, *span), place)
            return
        if part.kind == "warc":
            found = warc.read(file, *span, how.most)
        else:
            found = jsonlines.read(file, *span, how.most, how.html, how.url)
        end = file.seek(0, 2)
        place.cut_off = not end
        size = max(1, min(part.stop, end) - part.start)
        for record in found:
            place.share = min(1.0, (file.tell() - part.start) / size)
            yield record


def _counted(found: Iterator[Record], size: int, place: Place) -> Iterator[Record]:
    for number, record in enumerate(found, 1):
        place.share = number / size
        yield record


_BY_NAME: dict[str, Callable[[str, Sequence[str], int], Iterator[Record]]] = {
    "folder": folder.read,
    "httpcache": httpcache.read,
    "dbm": httpcache.read_database,
}


def _in_folder(top: str) -> Iterator[Part]:
    """The archives in a folder and below; its pages and responses each as one."""
    pages: list[str] = []
    responses: list[str] = []
    for inside, names in files.walk(top):
        if httpcache.is_entry(names):
            responses.append(inside)
            continue
        prefix = f"{inside}/" if inside else ""
        for name in names:
            kind = _kind_of(name)
            if kind == "folder":
                pages.append(prefix + name)
            elif kind and kind != "dbm":
                yield Part(kind, files.joined(top, inside, name))
        if not files.is_remote(top):
            for name in httpcache.databases(names):
                path = files.joined(top, inside, name)
                try:
                    keys = httpcache.keys(path)
                except OSError:
                    # Reading the part gives the error, which costs no other archive.
                    keys = [""]
                yield Part("dbm", path, names=keys)
    if responses:
        yield Part("httpcache", top, names=sorted(responses))
    if pages:
        yield Part("folder", top, names=sorted(pages))


def _kind_of(path: str) -> str:
    """The kind of a file by its name, "" for none."""
    name = path.rpartition("/")[2].lower()
    if folder.is_page(name):
        return "folder"
    for ending, kind in _BY_ENDING.items():
        if name.endswith(ending):
            return kind
    return "dbm" if httpcache.databases([name]) else ""
