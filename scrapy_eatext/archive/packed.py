"""Decompression of files and of response bodies, up to a bound."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, BinaryIO, Protocol, TypeVar

CHUNK = 1 << 16
# The most codings of a body that are undone, as each may give a body of its own.
_CODINGS = 5
# An offset beyond each file's end.
TO_THE_END = 1 << 62
# How many bytes before a part the search for its first record begins.
BEFORE = 1 << 19
# The error of a member that the end of the file cuts off.
CUT_OFF = "the file is cut off here"
_ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
GZIP = b"\x1f\x8b\x08"
ZSTD = b"\x28\xb5\x2f\xfd"
# Sixteen magic numbers mark skippable frames of zstd; in WARC files the one with 0x5d
# marks a dictionary.
_SKIPPABLE = b"\x2a\x4d\x18"
_DICTIONARY = b"\x5d" + _SKIPPABLE
_MOST_OF_A_DICTIONARY = 1 << 26
# How many packed and how many unpacked bytes show how a member begins.
_ENOUGH = 4096
_BEGINNING = 16
# The packed bytes per step in a damaged member, few, so that little is lost.
_STEP = 64


class PackedError(ValueError):
    """Damaged data; ``data`` is what could be unpacked before the damage."""

    def __init__(self, message: str, data: bytes = b"") -> None:
        super().__init__(message)
        self.data = data


class Decompressor(Protocol):
    """The interface of lzma.LZMADecompressor, which decompresses one member."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    @property
    def needs_input(self) -> bool: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Zlib:
    """A decompressor of gzip, or of deflate with other window ``bits``."""

    def __init__(self, bits: int = 31) -> None:
        self._of = zlib.decompressobj(bits)

    @property
    def eof(self) -> bool:
        return self._of.eof

    @property
    def unused_data(self) -> bytes:
        return self._of.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._of.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._of.decompress(self._of.unconsumed_tail + data, max_length)


class _Brotli:
    unused_data = b""

    def __init__(self) -> None:
        try:
            self._of = import_module("brotli").Decompressor()
            self._of.can_accept_more_data()
        except (ImportError, AttributeError):
            raise PackedError("a body in brotli needs Brotli 1.2 or later") from None

    @property
    def eof(self) -> bool:
        return bool(self._of.is_finished())

    @property
    def needs_input(self) -> bool:
        return bool(self._of.can_accept_more_data())

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return bytes(self._of.process(data, output_buffer_limit=max_length))


def _zstd(dictionary: Any = None) -> Decompressor:
    made: Decompressor = _zstd_module().ZstdDecompressor(zstd_dict=dictionary)
    return made


def _zstd_module() -> Any:
    try:
        return import_module(_ZSTD)
    except ImportError:
        raise PackedError(f"data in zstd needs {_ZSTD}") from None


# The exceptions of damaged data.
_errors: list[type[Exception]] = [zlib.error, EOFError]
with suppress(ImportError):
    _errors.append(import_module(_ZSTD).ZstdError)
with suppress(ImportError):
    _errors.append(import_module("brotli").error)
BROKEN = tuple(_errors)


def unpacked(body: bytes, codings: str, most: int) -> bytes:
    """A response's body, decoded by its Content-Encoding, the last coding first.

    At most ``most`` bytes and one more are unpacked; 0 is no limit.  A coding that the
    body does not have was undone by the archive's writer.  Raises PackedError.
    """
    for coding in codings.lower().split(",")[: -_CODINGS - 1 : -1]:
        make = _decompressor_for(coding.strip(), body)
        if make is not None:
            body = _all_of(make, body, most + 1 if most else 0)
    return body


def _decompressor_for(coding: str, body: bytes) -> Callable[[], Decompressor] | None:
    if coding in ("gzip", "x-gzip"):
        return _Zlib if body.startswith(GZIP) else None
    if coding == "zstd":
        return _zstd if body.startswith(ZSTD) else None
    head = int.from_bytes(body[:2], "big")
    if coding == "deflate" and len(body) > 1 and head >> 8 & 15 == 8 and not head % 31:
        return partial(_Zlib, 15)
    if body.lstrip().startswith(b"<"):
        return None
    if coding == "br":
        return _Brotli
    # Some servers leave out zlib's header.
    return partial(_Zlib, -15) if coding == "deflate" else None


def _all_of(make: Callable[[], Decompressor], data: bytes, most: int) -> bytes:
    """Consecutive members unpacked, up to ``most`` bytes; 0 is no limit."""
    out, most = bytearray(), most or TO_THE_END
    try:
        while data:
            decompressor = make()
            while not decompressor.eof:
                if len(out) >= most:
                    return bytes(out[:most])
                if decompressor.needs_input and not data:
                    raise PackedError("the packed body is cut off", bytes(out))
                out += decompressor.decompress(data, min(CHUNK, most - len(out)))
                data = b""
            data = decompressor.unused_data
            if not data.startswith(GZIP):
                break
    except BROKEN as error:
        message = f"the packed body is damaged ({error})"
        raise PackedError(message, bytes(out)) from error
    return bytes(out[:most])


@dataclass(frozen=True, slots=True)
class Piece:
    """Unpacked bytes of a file's member.

    ``offset`` is the member's offset in the file.  ``first`` is true if the bytes are
    the member's first, ``begins`` if a part may begin with them.  ``error`` is the
    damage that ends the member.
    """

    offset: int
    data: bytes
    first: bool = False
    begins: bool = False
    error: str = ""


class Placed(Protocol):
    """A piece or record at an offset; ``begins`` if a part may begin with it."""

    @property
    def offset(self) -> int: ...
    @property
    def begins(self) -> bool: ...


P = TypeVar("P", bound=Placed)


def of_part(found: Iterable[P], start: int, stop: int) -> Iterator[P]:
    """The items of a part, from items that begin before it.

    The first is one that may begin a part, at ``start`` or later.  The next part begins
    with the first such item at ``stop`` or later.
    """
    begun = not start
    for item in found:
        if item.begins and item.offset >= stop:
            return
        begun = begun or (item.begins and item.offset >= start)
        if begun:
            yield item


def plain(file: BinaryIO, start: int) -> Iterator[Piece]:
    """The bytes of a file that is not packed, each piece with its own offset."""
    while True:
        file.seek(start)
        data = file.read(CHUNK)
        if not data:
            return
        yield Piece(start, data)
        start += len(data)


def pieces(file: BinaryIO, begins: bytes, start: int, stop: int) -> Iterator[Piece]:
    """The unpacked bytes of a part of a packed file.

    A part begins with a member whose content begins with ``begins``; after damage,
    reading goes on with such a member.
    """
    return of_part(_Members(file, begins).pieces(start, stop), start, stop)


def is_packed(file: BinaryIO) -> bool:
    """Whether a file is in gzip or zstd, by its first bytes."""
    file.seek(0)
    head = file.read(4)
    return head.startswith((GZIP, ZSTD)) or head[1:] == _SKIPPABLE


def _packing(file: BinaryIO) -> tuple[Callable[[], Decompressor], bytes]:
    """The decompressor of a file's members, and their first bytes."""
    file.seek(0)
    head = file.read(8)
    if head.startswith(GZIP):
        return _Zlib, GZIP
    dictionary = None
    if head.startswith(_DICTIONARY):
        length = int.from_bytes(head[4:], "little")
        if length > _MOST_OF_A_DICTIONARY:
            raise PackedError(f"a dictionary of zstd has {length:,} bytes")
        content = file.read(length)
        if content.startswith(ZSTD):
            content = _all_of(_zstd, content, _MOST_OF_A_DICTIONARY)
        dictionary = _zstd_module().ZstdDict(content)
    return partial(_zstd, dictionary), ZSTD


class _Members:
    """The members of a packed file; the content of each should begin with ``begins``."""

    def __init__(self, file: BinaryIO, begins: bytes) -> None:
        self._file = file
        self._begins = begins
        self._make, self._mark = _packing(file)

    def pieces(self, start: int, stop: int) -> Iterator[Piece]:
        """The pieces from a member before ``start`` on."""
        offset: int | None = 0
        if start:
            # The first members may be in a record that is an archive itself; those after
            # that record are the file's own.
            offset = self._next(max(0, start - BEFORE), stop)
        while offset is not None:
            damaged_at = yield from self._up_to_damage(offset)
            offset = None if damaged_at is None else self._next(damaged_at + 1)

    def _up_to_damage(self, offset: int) -> Generator[Piece, None, int | None]:
        """The pieces up to damage; returns its member's offset, None at the end."""
        self._file.seek(offset)
        data = b""
        while True:
            if len(data) < _ENOUGH:
                data += self._file.read(CHUNK)
            if not data:
                return None
            if not data.strip(b"\0"):  # padding, as on tapes
                offset, data = offset + len(data), b""
                continue
            following = yield from self._member(offset, data)
            if following is None:
                return offset
            offset, data = self._file.tell() - len(following), following

    def _member(self, offset: int, data: bytes) -> Generator[Piece, None, bytes | None]:
        """A member's pieces; returns what was read beyond it, None if it is damaged."""
        is_begin = self._begins_with(data)
        # The number of bytes in pieces so far, and the bytes of the next piece.
        given, pending = 0, b""

        def piece(content: bytes, error: str = "") -> Piece:
            return Piece(offset, content, not given, is_begin and not given, error)

        if not data.startswith(self._mark) and data[1:4] != _SKIPPABLE:
            yield Piece(offset, b"", first=True, error="what is here is not packed")
            return None
        decompressor = self._make()
        try:
            if self._mark == GZIP and self._content_at(data) != _end_of_header(data):
                # With other flags in the header the data would begin with ``begins``.
                raise zlib.error("wrong flags in the header")
            while not decompressor.eof:
                if decompressor.needs_input and not data:
                    data = self._file.read(CHUNK)
                    if not data:
                        # The file is cut off, or a wrong length skipped other members.
                        yield piece(pending, CUT_OFF)
                        return None
                pending += decompressor.decompress(data, CHUNK)
                data = b""
                # The first piece is long enough to show how the member begins.
                if pending and (
                    given or len(pending) >= _BEGINNING or decompressor.eof
                ):
                    yield piece(pending)
                    given += len(pending)
                    pending = b""
        except BROKEN as error:
            salvaged = pending
            if self._mark == GZIP:
                salvaged = self._salvaged(offset, given)
            yield piece(salvaged, f"damaged: {error}")
            return None
        return decompressor.unused_data

    def _salvaged(self, offset: int, given: int) -> bytes:
        """The content of a damaged gzip member after its first ``given`` bytes.

        It is unpacked in small steps, as zlib returns nothing of a step that meets
        damage.
        """
        self._file.seek(offset)
        data = self._file.read(CHUNK)
        data = data[self._content_at(data) :]
        raw = zlib.decompressobj(-15)
        out = b""
        with suppress(zlib.error):
            while data and not raw.eof:
                for at in range(0, len(data), _STEP):
                    new = raw.decompress(data[at : at + _STEP])
                    out += new[given:]
                    given = max(0, given - len(new))
                    if raw.eof or len(out) > CHUNK:
                        return out
                data = self._file.read(CHUNK)
        return out

    def _content_at(self, head: bytes) -> int:
        """The offset of the packed data in a gzip member, after its header.

        The header's flags may be damaged: others are tried if the content does not
        begin with ``begins``.
        """
        for flags in (None, *range(0, 32, 2)):
            at = _end_of_header(head, flags)
            raw = zlib.decompressobj(-15)
            with suppress(zlib.error):
                content = raw.decompress(head[at : at + _ENOUGH], _BEGINNING)
                if content.startswith(self._begins):
                    return at
        return _end_of_header(head)

    def _begins_with(self, data: bytes) -> bool:
        """Whether data begin with a member whose content begins with ``begins``."""
        try:
            content = self._make().decompress(data[:_ENOUGH], len(self._begins))
        except BROKEN:
            return False
        return content.startswith(self._begins)

    def _next(self, offset: int, stop: int = TO_THE_END) -> int | None:
        """The offset of the next such member, None if there is none before ``stop``."""
        self._file.seek(offset)
        data = self._file.read(CHUNK)
        while offset < stop:
            at = data.find(self._mark)
            while at >= 0:
                if len(data) - at < _ENOUGH:
                    data += self._file.read(CHUNK)
                if self._begins_with(data[at:]):
                    return offset + at
                at = data.find(self._mark, at + 1)
            overlap = data[1 - len(self._mark) :]
            more = self._file.read(CHUNK)
            if not more:
                return None
            offset += len(data) - len(overlap)
            data = overlap + more
        return None


def _end_of_header(head: bytes, flags: int | None = None) -> int:
    """The length of a gzip member's header, by its own flags or by given ones."""
    if flags is None:
        # The file may end before the flags.
        flags = head[3] if len(head) > 3 else 0
    at = 10
    if flags & 4:
        at += 2 + int.from_bytes(head[at : at + 2], "little")
    for flag in (8, 16):
        if flags & flag:
            at = head.find(b"\0", at) + 1
    return at + 2 * bool(flags & 2)
