"""Readers of archives: WARC, Scrapy's HTTPCACHE, Parquet, JSON Lines and folders.

``read("crawl.warc.gz")`` iterates over the pages of an archive; ``parts()`` splits it
into parts that can be read independently, in any process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from scrapy_eatext.archive import files
from scrapy_eatext.archive.manifest import OWN
from scrapy_eatext.archive.packed import CUT_OFF, TO_THE_END
from scrapy_eatext.archive.readers import (
    folder,
    httpcache,
    jsonlines,
    listed,
    parquet,
    warc,
)

if TYPE_CHECKING:
    from scrapy_eatext.archive.record import Record

# The kinds whose parts are lists of names, not ranges of a file, and their readers.
NAMED: dict[str, Callable[[str, Sequence[str], int], Iterator[Record]]] = {
    "folder": folder.read,
    "httpcache": httpcache.read,
    "dbm": httpcache.read_database,
    "cdx": warc.read_at,
}
# Those whose names are files or folders in the part's folder.
FILES = frozenset(("httpcache", "folder"))
# The kinds of files that can be split.
_DIVISIBLE = frozenset(("warc", "parquet", "jsonlines"))
# Files that list other files, or records in them.
_LISTS = frozenset(("paths", "cdx"))
_BY_ENDING = {
    f".{name}{packing}": kind
    for kind, names, packings in (
        ("warc", ("warc",), ("", ".gz", ".zst")),
        ("wacz", ("wacz",), ("",)),
        ("parquet", ("parquet",), ("",)),
        ("jsonlines", ("jsonl", "jsonlines", "jl", "ndjson"), ("", ".gz", ".zst")),
        ("paths", ("paths",), ("", ".gz")),
        ("cdx", ("cdx", "cdxj"), ("", ".gz")),
    )
    for name in names
    for packing in packings
}
# The largest part, in bytes, and the smallest that is worth its overhead, locally and
# on a remote file system, where each takes requests.
SIZE, _SMALLEST, _SMALLEST_REMOTE = 1 << 25, 1 << 20, 1 << 24
# The most names in a part.
_FILES = 500
# The assumed bytes of a page in an archive of single files.
_PAGE_BYTES = 20_000
# How many files are looked up at once: a remote store takes some 50 ms for each.
_AT_ONCE = 32


class ArchiveError(ValueError):
    """An archive that cannot be read; the message has its name and the reason."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The options of the readers.

    A page is read up to ``most`` bytes, the value of EATEXT_MAX_SIZE, and one more; 0
    is no limit.  ``html`` and ``url`` are the columns or keys of a page and of its
    address.
    """

    most: int = 10_000_000
    html: str = "html"
    url: str = "url"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an archive: from ``start`` to ``stop`` in a file, or ``names`` in it.

    ``size`` is the file's size, -1 if it is unknown; ``changed`` is the time of its
    last change.
    """

    kind: str
    source: str
    start: int = 0
    stop: int = TO_THE_END
    names: Sequence[str] = ()
    size: int = -1
    changed: int = 0

    def bytes(self) -> int:
        """The approximate number of bytes of the part."""
        if self.kind in NAMED:
            return len(self.names) * _PAGE_BYTES
        return max(0, min(self.stop, self.size) - self.start)


@dataclass(slots=True)
class Place:
    """The progress of reading a part: ``share`` of it is read, from 0 to 1.

    ``damaged`` is the number of records with an error; ``cut_off`` is true if the file
    ends within a record, or is empty.
    """

    share: float = 0.0
    damaged: int = 0
    cut_off: bool = False


def read(source: str, reading: Reading = Reading()) -> Iterator[Record]:
    """The records of a file or folder, most of them pages.  Raises ArchiveError."""
    for part in parts(source, size=TO_THE_END):
        yield from read_part(part, reading)


def parts(source: str, size: int = SIZE) -> Iterator[Part]:
    """The parts of a file, or of a folder's archives, in order.  Raises ArchiveError."""
    return split(sized(find(source)), size)


def find(source: str, base: str = "", kind: str = "") -> list[Part]:
    """The archives in a file or a folder, or those in a list.

    Paths in a list are relative to ``base``, by default the folder or the bucket of the
    list.  ``kind`` is "paths" for a list of any name.  Raises ArchiveError.
    """
    try:
        about = files.look(source)
        kind = kind or _kind_of(source)
        if about is None:
            archives = list(_in_folder(source))
            if not archives:
                raise ArchiveError(f"{source} holds no archives and no pages")
            return archives
        if kind == "paths":
            return list(map(_named, listed.paths(source, base)))
        if kind == "cdx":
            records = listed.records(source, base)
            return [Part(kind, path, names=names) for path, names in records]
        if kind:
            return list(_archives(kind, source, about))
    except (OSError, ValueError) as error:
        if isinstance(error, ArchiveError):
            raise
        reason = getattr(error, "strerror", None) or error
        name = getattr(error, "filename", None) or source
        raise ArchiveError(f"{name}: {reason}") from error
    known = ", ".join([*_BY_ENDING, ".html", ".db"])
    raise ArchiveError(f"{source} is no archive: its name ends in none of {known}")


def _named(path: str) -> Part:
    kind = _kind_of(path)
    if kind not in _DIVISIBLE:
        raise ArchiveError(f"{path} in a list is no WARC, Parquet or JSON Lines")
    return Part(kind, path)


def sized(archives: Iterable[Part]) -> list[Part]:
    """Archives from find(), with their sizes; reading a missing file raises."""

    def look(archive: Part) -> Part:
        if archive.size >= 0 or archive.kind in NAMED:
            return archive
        about = files.known(archive.source)
        return replace(archive, size=about.size, changed=about.changed)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(look, archives))


def size_for(archives: Iterable[Part], workers: int) -> int:
    """The most bytes of a part, so that each worker gets at least one part."""
    total = sum(archive.bytes() for archive in archives)
    return max(_SMALLEST, min(SIZE, -(-total // workers)))


def places(archive: Part, size: int = SIZE) -> list[int]:
    """The offsets that split an archive into even parts of at most ``size``.

    The archive is not read: a part begins with the first record, line or row group
    after its offset.
    """
    if archive.kind in NAMED:
        return list(range(0, len(archive.names), max(1, _FILES * size // SIZE)))
    is_packed = archive.source.endswith((".gz", ".zst"))
    if archive.kind not in _DIVISIBLE or (archive.kind == "jsonlines" and is_packed):
        return [0]
    if files.is_remote(archive.source) and size >= _SMALLEST:
        size = max(size, _SMALLEST_REMOTE)
    count = max(1, -(-archive.size // size))
    return [archive.size * i // count for i in range(count)]


def cut(archive: Part, at: Sequence[int]) -> Iterator[Part]:
    """The parts of an archive between offsets from places()."""
    for start, stop in pairwise([*at, TO_THE_END]):
        if archive.kind in NAMED:
            names = archive.names[start:stop]
            yield replace(archive, start=start, stop=start + len(names), names=names)
        else:
            yield replace(archive, start=start, stop=stop)


def split(archives: Iterable[Part], size: int) -> Iterator[Part]:
    """The parts of archives from sized(), of at most ``size`` bytes each."""
    for archive in archives:
        yield from cut(archive, places(archive, size))


def read_part(
    part: Part, reading: Reading, place: Place | None = None
) -> Iterator[Record]:
    """The records of a part; ``place`` is updated.  Raises ArchiveError."""
    place = place or Place()
    try:
        for record in _read(part, reading, place):
            place.damaged += bool(record.error)
            place.cut_off = place.cut_off or record.error == CUT_OFF
            yield replace(record, source=part.source)
    except (OSError, ValueError) as error:
        raise ArchiveError(f"{part.source.rstrip('#')}: {error}") from error


def _read(part: Part, reading: Reading, place: Place) -> Iterator[Record]:
    if part.kind in NAMED:
        records = NAMED[part.kind](part.source, part.names, reading.most)
        yield from _counted(records, len(part.names), place)
        return
    if part.kind == "page":
        yield folder.read_page(part.source, part.source, reading.most)
        return
    span = part.start, part.stop
    if part.kind == "parquet":
        with closing(files.open_file(part.source)) as file:
            records = parquet.read(file, *span, reading.html, reading.url)
            yield from _counted(records, parquet.rows(file, *span), place)
        return
    with closing(files.open_part(part.source, *span)) as file:
        end = file.seek(0, 2)
        if part.size not in (-1, end):
            raise ValueError("it changed while it was read")
        place.cut_off = not end
        if part.kind == "warc":
            records = warc.read(file, *span, reading.most)
        else:
            records = jsonlines.read(
                file, *span, reading.most, reading.html, reading.url
            )
        size = max(1, min(part.stop, end) - part.start)
        for record in records:
            place.share = min(1.0, max(0.0, (file.tell() - part.start) / size))
            yield record


def _counted(found: Iterator[Record], size: int, place: Place) -> Iterator[Record]:
    for number, record in enumerate(found, 1):
        place.share = number / size
        yield record


def _archives(
    kind: str, path: str, about: files.Stat = files.UNKNOWN
) -> Iterator[Part]:
    """A file as a part, or the archives in it; if it cannot be opened, reading raises."""
    if kind == "wacz":
        inside = [(f"{path}#", -1)]
        with suppress(OSError):
            inside = list(files.stored_in(path))
        for name, size in inside:
            if _kind_of(name) == "warc" or size < 0:
                yield Part("warc", name, size=size, changed=about.changed)
    elif kind == "dbm":
        keys = [""]
        with suppress(OSError):
            keys = httpcache.keys(path)
        yield Part(kind, path, names=keys)
    else:
        kind = "page" if kind == "folder" else kind
        yield Part(kind, path, size=about.size, changed=about.changed)


def _in_folder(top: str) -> Iterator[Part]:
    """The archives in a folder: all pages are one, and so are all cached responses."""
    pages: list[str] = []
    responses: list[str] = []
    for inside, names in files.walk(top):
        if httpcache.is_entry(names):
            responses.append(inside)
            continue
        for name, about in names.items():
            kind = "" if OWN.fullmatch(name) else _kind_of(name)
            path = files.joined(top, inside, name)
            if kind == "folder":
                pages.append(f"{inside}/{name}" if inside else name)
            elif kind and kind != "dbm" and kind not in _LISTS:
                yield from _archives(kind, path, about)
        if not files.is_remote(top):
            for name in httpcache.databases(names):
                yield from _archives("dbm", files.joined(top, inside, name))
    if responses:
        yield Part("httpcache", top, names=sorted(responses))
    if pages:
        yield Part("folder", top, names=sorted(pages))


def is_archive(name: str) -> bool:
    """Whether a file is an archive that is not HTML, or lists some, by its name."""
    return _kind_of(name) not in ("", "folder")


def _kind_of(path: str) -> str:
    """The kind of a file by its name, "" if it is unknown."""
    name = path.rpartition("/")[2].lower()
    if folder.is_page(name):
        return "folder"
    for ending, kind in _BY_ENDING.items():
        if name.endswith(ending):
            return kind
    return "dbm" if httpcache.databases([name]) else ""
