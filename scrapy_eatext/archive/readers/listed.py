"""Lists of archives, and CDX: lists of records in archives.

Paths in the lists of Common Crawl are relative to its bucket.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import closing
from gzip import BadGzipFile, GzipFile

from scrapy_eatext.archive import files
from scrapy_eatext.archive.packed import GZIP
from scrapy_eatext.archive.record import storable

# What begins the name of a line without a record.
LINE = "line "
# The columns of a CDX file without a header line.
_COLUMNS = "N b a m s k r M S V g"
# The most bytes of a line, of a record and of an archive; file systems refuse to seek
# beyond some 16 TB.
_LONGEST_LINE, _LONGEST_RECORD, _LONGEST_ARCHIVE = 1 << 20, 1 << 30, 1 << 43


def paths(source: str, base: str) -> Iterator[str]:
    """The paths in a file, one in each line.  Raises OSError."""
    for line in _lines(source):
        if path := line.strip():
            yield _resolved(path, source, base)


def records(source: str, base: str) -> list[tuple[str, list[str]]]:
    """The archives in a CDX file, each with its records' offsets and lengths.

    The CDX itself comes first if lines of it name no record, with their names.  Raises
    OSError, and ValueError for a file of such lines alone.
    """
    by_archive: dict[str, set[tuple[int, int]]] = {}
    damaged = []
    columns = _COLUMNS.split()
    for number, line in enumerate(_lines(source), 1):
        if line.startswith((" CDX", "CDX")):
            columns = line.split()[1:]
        elif line.strip() and not line.startswith("!"):
            try:
                path, offset, length = _record(line, columns)
                if not (
                    0 <= offset < _LONGEST_ARCHIVE and 0 < length < _LONGEST_RECORD
                ):
                    raise ValueError("no offset and length of a record")
            except (
                ValueError,
                LookupError,
                TypeError,
                ArithmeticError,
                RecursionError,
            ):
                damaged.append(f"{LINE}{number}")
                continue
            by_archive.setdefault(path, set()).add((offset, length))
    if damaged and not by_archive:
        raise ValueError(f"{damaged[0]} names no record")
    return [(source, damaged)] * bool(damaged) + [
        (
            _resolved(path, source, base),
            [f"{at} {length}" for at, length in sorted(places)],
        )
        for path, places in by_archive.items()
    ]


def _record(line: str, columns: list[str]) -> tuple[str, int, int]:
    """The archive, the offset and the length in a line of CDX or CDXJ."""
    begin = line.find("{")
    if begin >= 0:
        fields = json.loads(line[begin:])
        path = storable(str(fields["filename"]))
        return path, int(fields["offset"]), int(fields["length"])
    by_letter = dict(zip(columns, line.split(), strict=True))
    return by_letter["g"], int(by_letter["V"]), int(by_letter["S"])


def _resolved(path: str, source: str, base: str) -> str:
    # No file has such a name, but asking for one is no OSError.
    path = path.replace("\0", "\ufffd")
    if files.is_remote(path) or path.startswith("/"):
        return path
    if not base:
        scheme, is_remote, inside = source.partition("://")
        base = source.rpartition("/")[0] or "."
        if is_remote:
            base = f"{scheme}://{inside.partition('/')[0]}"
    return files.joined(base, path)


def _lines(source: str) -> Iterator[str]:
    with closing(files.open_part(source, 0, 0)) as opened:
        is_packed = opened.read(len(GZIP)) == GZIP
        opened.seek(0)
        file = GzipFile(fileobj=opened) if is_packed else opened
        try:
            while line := file.readline(_LONGEST_LINE):
                yield line.decode("utf-8", "replace")
        except (BadGzipFile, EOFError, zlib.error) as error:
            raise OSError(f"damaged: {error}") from error
