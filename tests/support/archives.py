"""Archives for tests, written by hand, so that each can be damaged."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_eatext.archive.files import open_file
from scrapy_eatext.archive.readers import Reading, parts, read_part

if TYPE_CHECKING:
    from scrapy_eatext.archive.record import Record

URL = "http://site.example/{}"
# Extraction without a worker process.
INLINE = {"EATEXT_EXECUTOR": "inline"}


def article(number: int, words: int = 60) -> str:
    """A page's main text, which no other page has."""
    # A long text without sentences is no likely main text.
    size = 10 if words >= 100 else words
    sentences = [
        " ".join(f"word{number}x{i}" for i in range(start, min(start + size, words)))
        for start in range(0, words, size)
    ]
    return f"Article {number} says {'. It says '.join(sentences)}."


def page(number: int, words: int = 60) -> bytes:
    """A page with a text and boilerplate."""
    return (
        f"<html><head><title>Page {number}</title></head><body>"
        "<ul><li><a href=/>Home</a><li><a href=/all>All</a></ul>"
        f"<article><p>{article(number, words)}</p></article>"
        "<footer><a href=/imprint>Imprint</a></footer></body></html>"
    ).encode()


def response(
    body: bytes,
    media: str = "text/html; charset=utf-8",
    status: str = "200 OK",
    more: Iterable[str] = (),
) -> bytes:
    """An HTTP response as it went over the wire."""
    lines = [f"HTTP/1.1 {status}", *more]
    if media:
        lines.append(f"Content-Type: {media}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def record(
    block: bytes,
    url: str = "",
    kind: str = "response",
    media: str = "application/http; msgtype=response",
    length: int | None = None,
    more: Iterable[str] = (),
) -> bytes:
    """A WARC record."""
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        "WARC-Date: 2024-05-01T00:00:00Z",
        f"Content-Type: {media}",
        f"Content-Length: {len(block) if length is None else length}",
        *more,
    ]
    if url:
        lines.append(f"WARC-Target-URI: {url}")
    return "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"


def page_record(number: int, words: int = 60, length: int | None = None) -> bytes:
    return record(response(page(number, words)), URL.format(number), length=length)


ALL = {URL.format(i): page(i) for i in range(5)}


def warc(count: int, words: int = 60, *, packed: bool = True) -> bytes:
    """A WARC file of so many pages, with their requests between them."""
    records = []
    for number in range(count):
        asked = f"GET /{number} HTTP/1.1\r\nHost: site.example\r\n\r\n".encode()
        url = URL.format(number)
        request = record(asked, url, "request", "application/http; msgtype=request")
        records += [request, page_record(number, words)]
    return b"".join(gzip.compress(one) if packed else one for one in records)


def line(**row: object) -> bytes:
    """A line of JSON Lines."""
    return json.dumps(row).encode() + b"\n"


def filled(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A folder with some files in it and below."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def written(folder: str | Path) -> list[dict[str, Any]]:
    """The rows of an output folder, in an order of their own."""
    from pyarrow import parquet

    from scrapy_eatext.archive.manifest import outputs

    rows = []
    for path in outputs(str(folder)):
        with open_file(path) as file:
            if path.endswith(".parquet"):
                rows += parquet.read_table(file).to_pylist()
            else:
                rows += map(json.loads, file.read().splitlines())
    return sorted(rows, key=lambda row: (row["url"], row["id"]))


def pages_of(found: Iterable[Record]) -> dict[str, Any]:
    """The pages among some records, by their URLs."""
    return {one.url: one.html for one in found if not one.outcome}


def read_in_parts(source: str | Path, size: int) -> list[Record]:
    """The records of an archive that is cut into parts of about so many bytes."""
    found = parts(str(source), size)
    return [record for part in found for record in read_part(part, Reading())]
