"""JSON Lines, packed or not: a line for each page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from scrapy_eatext.archive.packed import CUT_OFF, is_packed, pieces, plain
from scrapy_eatext.archive.record import Record, record_of_row, unreadable

# What a line has around its page, and how much longer JSON may make a page.
_AROUND, _LONGER = 1 << 20, 6
_WITHOUT_LIMIT = 1 << 62


def read(
    file: BinaryIO, start: int, stop: int, most: int, html: str, url: str
) -> Iterator[Record]:
    """The pages of the lines that begin in a part of a file.

    ``html`` and ``url`` are the keys of a page and of its address.
    """
    room = most * _LONGER + _AROUND if most else _WITHOUT_LIMIT
    for offset, line, error in _lines(file, start, stop, room):
        where = str(offset)
        if line.strip():
            record = _record(where, line, html, url)
            # The file may end within its last line.
            is_cut = error and record.error
            found = unreadable(where, "", error) if is_cut else record
            yield replace(found, offset=offset)
        elif error:
            yield unreadable(where, "", error)


def _record(where: str, line: bytes, html: str, url: str) -> Record:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        return unreadable(where, "", f"no JSON: {error}")
    if not isinstance(found, dict):
        return unreadable(where, "", f"no JSON object: {type(found).__name__}")
    return record_of_row(where, found, html, url)


def _lines(
    file: BinaryIO, start: int, stop: int, room: int
) -> Iterator[tuple[int, bytes, str]]:
    """Lines with their places, and what is wrong with them.

    The last line, if it has no end, is there with an error.
    """
    # A line that begins before the part is none of it.
    skipping = start > 0
    at = max(0, start - 1)
    data = b""
    packed = is_packed(file)
    if packed and start:
        return
    for piece in pieces(file, b"{") if packed else plain(file, at):
        data += piece.data
        begin = 0
        while (end := data.find(b"\n", begin)) >= 0:
            if not skipping and at < stop:
                yield at, data[begin:end], ""
            at += end + 1 - begin
            begin = end + 1
            skipping = False
            if at >= stop:
                return
        data = data[begin:]
        if len(data) > room:
            if not skipping:
                yield at, b"", "the line is too long"
            at += len(data)
            data, skipping = b"", True
        if piece.error:
            # What follows begins with a line.
            yield at, b"", piece.error
            at += len(data)
            data, skipping = b"", False
    if data and not skipping:
        yield at, data, CUT_OFF
