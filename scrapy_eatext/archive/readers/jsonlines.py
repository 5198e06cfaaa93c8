"""JSON Lines, compressed or not: a line for each page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from scrapy_eatext.archive.packed import CUT_OFF, TO_THE_END, is_packed, pieces, plain
from scrapy_eatext.archive.record import Record, record_of_row, recorded, unreadable

# The most bytes of a line besides its page, and how many times longer JSON's escapes
# may make a page.
_AROUND, _ESCAPED = 1 << 20, 6


def read(
    file: BinaryIO, start: int, stop: int, most: int, html: str, url: str
) -> Iterator[Record]:
    """The pages of the lines that begin in a part of a file."""
    room = most * _ESCAPED + _AROUND if most else TO_THE_END
    for offset, line, error in _lines(file, start, stop, room):
        where = str(offset)
        if line.strip():
            record = recorded(where, _record, where, line, html, url)
            if error and record.error:
                # The file ends within this line.
                record = unreadable(where, error)
            yield replace(record, offset=offset)
        elif error:
            yield unreadable(where, error)


def _record(where: str, line: bytes, html: str, url: str) -> Record:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return unreadable(where, f"no JSON: {error}")
    if not isinstance(row, dict):
        return unreadable(where, f"no JSON object: {type(row).__name__}")
    return record_of_row(where, row, html, url)


def _lines(
    file: BinaryIO, start: int, stop: int, room: int
) -> Iterator[tuple[int, bytes, str]]:
    """The offset, content and error (or "") of each line.

    A last line without an end has an error.
    """
    # A line that begins before the part belongs to the previous part.
    skipping = start > 0
    at = max(0, start - 1)
    data = bytearray()
    packed = is_packed(file)
    if packed and start:
        return
    for piece in pieces(file, b"{", 0, TO_THE_END) if packed else plain(file, at):
        *ends, rest = piece.data.split(b"\n")
        for end in ends:
            data += end
            if not skipping and at < stop:
                yield at, bytes(data), ""
            at += len(data) + 1
            data, skipping = bytearray(), False
            if at >= stop:
                return
        data += rest
        if len(data) > room:
            if not skipping:
                yield at, b"", "the line is too long"
            at += len(data)
            data, skipping = bytearray(), True
        if piece.error:
            # The bytes after the damage begin a line.
            yield at, b"", piece.error
            at += len(data)
            data, skipping = bytearray(), False
    if data and not skipping:
        yield at, bytes(data), CUT_OFF
