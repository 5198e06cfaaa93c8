"""WARC, in gzip, in zstd or uncompressed.

After a damaged record, reading continues where the next one begins.
"""

from __future__ import annotations

import io
import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import BinaryIO

from scrapy.http import Headers

from scrapy_eatext.archive import packed
from scrapy_eatext.archive.files import open_file
from scrapy_eatext.archive.readers.listed import LINE
from scrapy_eatext.archive.record import (
    Record,
    dechunked,
    recorded,
    unreadable,
    with_response,
)

_START = b"WARC/"
_FIRST_LINE = re.compile(rb"WARC/\d\.\d+[ \t]*\r?\n")
# The start of a record's second line.  It confirms a first line inside another line,
# where the next record begins if one was cut off.
_FIELD = re.compile(rb"WARC-[A-Z]|Content-[LT]", re.IGNORECASE)
# Some servers end the empty line differently from the lines before it.
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_FOLD = re.compile(rb"\r?\n[ \t]+")
# The longest header of a record or of a response.
_LONGEST_HEADER = 1 << 18
# Bytes that may stand between two records.
_BETWEEN = b"\r\n"
# The end of a record.  If what follows is no record, that one's start is damaged.
_END = 2 * _BETWEEN
# Types of records with a page.
_WITH_PAGE = frozenset(("response", "resource", "conversion"))
# Types of records that are left out; all others are counted.
_LEFT_OUT = frozenset(("warcinfo", "request", "metadata", "continuation"))
# Fields with the media type that the archive's writer detected.
_IDENTIFIED = (
    "WARC-Identified-Payload-Type",
    "WARC-Identified-Content-Type",
    "WARC-Identified-PayloadType",
    "WARC-Payload-Identified-Type",
)
_NO_RECORD = "what is here is no WARC record"
_LENGTH = "the record's length is wrong"
_NO_END = "the record's header has no end"


@dataclass(frozen=True, slots=True)
class Frame:
    """A record: its offset, its header, and the beginning of its block."""

    offset: int
    header: bytes
    block: bytes
    error: str = ""

    @property
    def begins(self) -> bool:
        """Whether a part of the file may begin with this record."""
        return bool(_FIRST_LINE.match(self.header))


def read(file: BinaryIO, start: int, stop: int, most: int) -> Iterator[Record]:
    """The pages of records that begin in a part of a file, and unreadable records.

    A page is read up to ``most`` bytes and one more; 0 is no limit.
    """
    # A chunked body is longer than its content.
    room = 2 * most + (1 << 20) if most else packed.TO_THE_END
    for frame in _frames(file, start, stop, room):
        if record := recorded(str(frame.offset), _record, frame, most):
            yield record


def read_at(path: str, names: Iterable[str], most: int) -> Iterator[Record]:
    """The pages of a file's records; a name is a record's offset and length.

    Names that begin with LINE are lines of a CDX without these.
    """
    with closing(open_file(path)) as file:
        for name in names:
            if name.startswith(LINE):
                yield unreadable(name, "the line names no record")
                continue
            at, length = map(int, name.split())
            file.seek(at)
            data = file.read(length)
            if not data:
                yield replace(unreadable(str(at), packed.CUT_OFF), offset=at)
            for record in read(io.BytesIO(data), 0, packed.TO_THE_END, most):
                yield replace(record, offset=at)


def _may_begin(data: bytes) -> bool:
    """Whether data, after line ends, are the beginning of a record, or end before it."""
    return _START.startswith(data.lstrip(_BETWEEN)[: len(_START)])


class _Segment:
    """A stream of unpacked bytes with one or more records.

    It is one record if each is a member of its own, or the whole file if it is not
    packed, or packed as one member.  ``error`` is the damage that ended the stream;
    ``file`` is the file if it is not packed.
    """

    def __init__(
        self, source: Iterator[packed.Piece], first: packed.Piece, file: BinaryIO | None
    ) -> None:
        self._source = source
        self._data = first.data
        # The bytes after these that were read before, the last first.
        self._later: list[bytes] = []
        self._offset = first.offset
        self._file = file
        # The number of bytes read so far.
        self._size = len(first.data)
        self.error = first.error
        # The first piece of the next segment.
        self.next: packed.Piece | None = None
        self._ended = False
        # The number of bytes by which the last take() was short.
        self.missing = 0
        # Whether the length of a record was too large.
        self._misled = False
        # Whether a record was taken completely, with only line ends after it.
        self._whole = False

    @property
    def offset(self) -> int:
        """The offset of the next bytes in the file, or of their member if packed."""
        if self._file is None:
            return self._offset
        return self._offset + self._size - len(self._data)

    def at_start(self) -> bool:
        """Whether a record's first line begins here; line ends before it are dropped."""
        data = self.ahead(64)
        following = data.lstrip(_BETWEEN)
        begins = bool(following) and _may_begin(following)
        if begins:
            self.drop(len(data) - len(following))
        return begins

    def is_behind_record(self) -> bool:
        """Whether a record begins, or, in a file that is not packed, one has ended."""
        has_end = self._file is not None and self.ahead(len(_END)).startswith(_END)
        return self.at_start() or has_end

    def ahead(self, size: int) -> bytes:
        """The next bytes: at least ``size``, unless the segment ends before."""
        while len(self._data) < size and self._fill():
            pass
        return self._data

    def header(self) -> bytes:
        """A record's header, b"" if it has no end."""
        self.missing = searched = 0
        # Not more, as the next member may be another record.
        while not (found := _EMPTY_LINE.search(self._data, searched)):
            searched = max(0, len(self._data) - 2)
            is_long = len(self._data) >= 2 * _LONGEST_HEADER
            if is_long or not self._fill():
                # No record that begins in the bytes that are dropped has an end.
                self.drop(_LONGEST_HEADER if is_long else len(self._data))
                return b""
        header = self._data[: found.end()]
        next_record = _last_start(header)
        self.drop(next_record or len(header))
        return b"" if next_record else header

    def _fill(self) -> bool:
        if self._later:
            data = self._later.pop()
        elif self._ended or self.error:
            return False
        else:
            self.next = next(self._source, None)
            if self.next is None or (self.next.first and self._is_over(self.next)):
                self._ended = True
                return False
            data, self.error, self.next = self.next.data, self.next.error, None
            self._size += len(data)
        self._whole = self._whole and not data.strip(_BETWEEN)
        self._data += data
        return True

    def _is_over(self, member: packed.Piece) -> bool:
        """Whether the segment ends before a member, by the member's beginning."""
        data = member.data
        # A member that is damaged at its beginning counts as a record.
        if data.startswith(_START) or not data:
            return True
        return self._whole and (bool(member.error) or not _may_begin(data))

    def drop(self, size: int) -> None:
        self._data = self._data[size:]

    def take(self, size: int, room: int) -> bytes:
        """Take ``size`` bytes, and return the first ``room`` of them.

        If a record begins within them and none after them, ``size`` is wrong, and they
        end at that record.  Of a file that is not packed nothing is taken then.
        """
        if self._file is not None:
            return self._take_at(self._file, self.offset, size, room)
        parts = []
        while size > 0 and (data := self.ahead(1)[:size]):
            at = None
            if not room or self._misled:
                at = _start_in(data, line=False)
            data = data[:at]
            parts.append(data[:room])
            room -= len(parts[-1])
            size -= len(data)
            self.drop(len(data))
            if at is not None:
                break
        self._whole = not size and not self._data.strip(_BETWEEN)
        self.missing = size
        block = b"".join(parts)
        if size or not _may_begin(self.ahead(64)):
            # The length is too large and reaches into a later record.
            at = _start_in(block, line=False)
            if at is not None:
                again = block[at:] + self._data
                begins = range(0, len(again), packed.CHUNK)
                self._data = b""
                self._later += (again[i : i + packed.CHUNK] for i in reversed(begins))
                self.missing = size + len(block) - at
                # From now on, blocks are searched for records as they are read: a file
                # full of wrong lengths would otherwise be read again and again.
                self._misled = True
                return block[:at]
        return block

    def _take_at(self, file: BinaryIO, at: int, size: int, room: int) -> bytes:
        file.seek(at + size - 1)
        after = file.read(64)
        begins = bool(after) and _may_begin(after[1:])
        file.seek(at)
        block = file.read(min(size, room)) if begins or _END in after[1:5] else b""
        if not begins and (not block or _start_in(block, line=False) is not None):
            self.missing = size
            return b""
        self._source = packed.plain(file, at + size)
        self._data, self._size = b"", at + size - self._offset
        return block

    def take_to_start(self, room: int) -> bytes:
        """Take the bytes before the next record; returns the first ``room``."""
        parts = []
        line = True
        while data := self.ahead(32):
            at = _start_in(data, line)
            # The data may end with the start of a first line.
            end = len(data) if len(data) < 32 else max(1, len(data) - 31)
            end = end if at is None else at
            parts.append(data[:end][:room])
            room -= len(parts[-1])
            line = data[end - 1 : end] == b"\n" if end else line
            self.drop(end)
            if at is not None:
                break
        return b"".join(parts)


def _start_in(data: bytes, line: bool) -> int | None:
    """Where in data a record begins, or None; ``line`` if the data begin a line."""
    for match in _FIRST_LINE.finditer(data):
        at = match.start()
        begins_line = line if at == 0 else data[at - 1 : at] == b"\n"
        if begins_line or _FIELD.match(data, match.end()):
            return at
    return None


def _last_start(header: bytes) -> int:
    """Where the last record in a header begins, if those before were cut off, else 0.

    What looks like a first line inside a line may be the end of an address.  It is the
    next record's if no field's value comes before it, or if fields repeat after it.
    """
    begin = at = 0
    # Where each field was last, and where a record may begin after a field's value.
    fields: dict[bytes, int] = {}
    possible: list[int] = []
    for line in header.splitlines(keepends=True):
        name = line.partition(b":")[0].strip().lower()
        before = fields.get(name, -1)
        after = bisect(possible, before)
        if before >= begin and after < len(possible):
            begin = possible[after]
        match = _FIRST_LINE.search(line, not at)
        if match and b":" not in line[: match.start()]:
            begin = at + match.start()
        elif match:
            possible.append(at + match.start())
        fields[name] = at
        at += len(line)
    return begin


def _frames(file: BinaryIO, start: int, stop: int, room: int) -> Iterator[Frame]:
    """The records of a part of a file."""
    if packed.is_packed(file):
        yield from _frames_in(packed.pieces(file, _START, start, stop), None, room)
        return
    at = _first_start(file, max(0, start - packed.BEFORE), stop) if start else 0
    if at is not None:
        frames = _frames_in(packed.plain(file, at), file, room)
        yield from packed.of_part(frames, start, stop)


def _first_start(file: BinaryIO, at: int, stop: int) -> int | None:
    """Where the first record from ``at`` on begins, None if that is after ``stop``."""
    file.seek(at)
    data = b""
    while at < stop and (more := file.read(packed.CHUNK)):
        data += more
        start = _start_in(data, line=False)
        if start is not None:
            return at + start
        at += max(0, len(data) - 64)
        data = data[-64:]
    return None


def _frames_in(
    source: Iterator[packed.Piece], file: BinaryIO | None, room: int
) -> Iterator[Frame]:
    """The records in pieces of a file; ``file`` is None if it is packed."""
    piece = next(source, None)
    while piece is not None:
        segment = _Segment(source, piece, file)
        reported = False
        while True:
            at = segment.offset
            lost = b""
            if not segment.at_start():
                lost = segment.take_to_start(0 if reported else 64).strip(_BETWEEN)
            if lost or (segment.error and not reported and not segment.ahead(1)):
                reported = True
                yield Frame(at, b"", b"", segment.error or _NO_RECORD)
            if not segment.ahead(1):
                break
            frame = _next_frame(segment, room)
            reported = bool(frame.error)
            yield frame
        piece = next(source, None) if segment.error else segment.next


def _next_frame(segment: _Segment, room: int) -> Frame:
    at, header = segment.offset, segment.header()
    digits = _fields(header).get("Content-Length") or b""
    length = int(digits) if digits.isdigit() and len(digits) < 14 else None
    block = b"" if length is None else segment.take(length, room)
    more = b""
    if length is None or segment.missing or not segment.is_behind_record():
        more = segment.take_to_start(room - len(block)).rstrip(_BETWEEN)
    error = "" if segment.ahead(1) else segment.error
    if not error and (length is None or segment.missing or more):
        error = _LENGTH if header else _NO_END
        is_last = not segment.ahead(1) and segment.next is None
        if is_last and (segment.missing or not header):
            error = packed.CUT_OFF
    block += more
    return Frame(at, header, block.rstrip(_BETWEEN) if error else block, error)


def _fields(header: bytes) -> Headers:
    """The fields of a header, after its first line."""
    lines = _FOLD.sub(b" ", header).splitlines()
    pairs = (line.partition(b":") for line in lines[1:])
    # Not by appendlist(), which copies all values of a name.
    return Headers(
        (name.strip(), value.strip()) for name, colon, value in pairs if colon
    )


def _text(fields: Headers, name: str) -> str:
    return (fields.get(name) or b"").decode("utf-8", "replace")


def _record(frame: Frame, most: int) -> Record | None:
    """A frame's page, None if records of its type have none."""
    fields = _fields(frame.header)
    kind = _text(fields, "WARC-Type").lower()
    if kind in _LEFT_OUT and not frame.error:
        return None
    about = Record(
        # wget puts addresses into brackets.
        _text(fields, "WARC-Record-ID").strip("<>") or str(frame.offset),
        _text(fields, "WARC-Target-URI").strip("<>"),
        error=frame.error,
        offset=frame.offset,
        fetched=_text(fields, "WARC-Date"),
    )
    if not frame.header or (frame.error and kind not in _WITH_PAGE):
        # Reported also without a page, as pages may be lost with it.
        return replace(about, outcome="unreadable")
    if kind not in _WITH_PAGE:
        what = "revisit" if kind == "revisit" else "record"
        return replace(about, outcome=f"skipped_{what}")
    identified = next(filter(None, (_text(fields, name) for name in _IDENTIFIED)), "")
    media, block = _text(fields, "Content-Type"), frame.block
    if not (media.startswith("application/http") or block.startswith(b"HTTP/")):
        headers = Headers({"Content-Type": media} if media else {})
        about = replace(about, status=200)
        return with_response(about, headers, block, most, identified)
    end = _EMPTY_LINE.search(block, 0, _LONGEST_HEADER)
    if end is None:
        error = frame.error or "the response's header has no end"
        return replace(about, outcome="unreadable", error=error)
    head, body = block[: end.end()], block[end.end() :]
    headers = _fields(head)
    transfer = b",".join(headers.getlist("Transfer-Encoding")).lower()
    if b"chunked" in transfer:
        body, wrong = dechunked(body)
        about = replace(about, error=frame.error or wrong)
    headers.appendlist("Content-Encoding", transfer.replace(b"chunked", b""))
    status = head.split(b"\n", 1)[0].split()[1:2]
    is_number = status and re.fullmatch(rb"\d{3}", status[0])
    about = replace(about, status=int(status[0]) if is_number else 0)
    return with_response(about, headers, body, most, identified)
