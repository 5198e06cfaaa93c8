"""Records of archives, from rows and from HTTP responses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, TypeVar, cast

from scrapy.http import Headers, HtmlResponse
from scrapy.responsetypes import responsetypes
from w3lib.encoding import http_content_type_encoding

from scrapy_eatext.archive.packed import PackedError, unpacked

T = TypeVar("T")

# The line with a chunk's length, and its most bytes.
_CHUNK = re.compile(rb"[^\S\n]*([0-9a-fA-F]+)[^\S\n]*(?:;[^\n]*)?\n")
_LONGEST_LENGTH = 1024


class MissingError(ImportError):
    """A package that an input or an output needs is not installed."""


def needed(module: str, what: str, extra: str) -> Any:
    """A module of a package that an extra brings.  Raises MissingError."""
    try:
        return import_module(module)
    except ImportError:
        package, install = module.partition(".")[0], f"scrapy-eatext[{extra}]"
        raise MissingError(f"{what} needs {package}: pip install '{install}'") from None


@dataclass(frozen=True, slots=True)
class Record:
    """An entry of an archive: a page, or the reason why there is none.

    ``id`` identifies the entry in its archive.  ``encoding`` is that of the HTTP
    header.  ``outcome`` is "" for a page; otherwise it is ``skipped_`` with the kind of
    entry, or ``unreadable``, with an ``error``.  A damaged page has an error too.
    ``input`` is a JSON object of all other columns or keys of a page's row, or "".

    ``source`` is the archive's file or folder, and ``offset`` the page's place in it: a
    byte, or a row of Parquet.  ``fetched`` is the time of the request, as in the
    archive; ``status`` and ``content_type`` are those of its HTTP response.
    """

    id: str
    url: str
    html: bytes | str | None = None
    encoding: str | None = None
    outcome: str = ""
    error: str = ""
    input: str = ""
    source: str = ""
    offset: int | None = None
    fetched: str = ""
    status: int | None = None
    content_type: str = ""


# The fields of a record that any page's row may have as columns or keys, with types,
# and all that record batches have besides id, url and HTML.
_OF_ROW: dict[str, type] = {"fetched": str, "status": int, "content_type": str}
CARRIED: dict[str, type] = {
    **dict.fromkeys(("encoding", "outcome", "error", "input", "source"), str),
    "offset": int,
    **_OF_ROW,
}
# Other numbers in a column `status` are not of HTTP.
_STATUSES = range(100, 600)


def storable(value: T) -> T:
    """A value; a text without lone surrogates, which JSON allows and UTF-8 does not."""
    if isinstance(value, str):
        return cast("T", value.encode("utf-8", "replace").decode())
    return value


def unreadable(where: str, error: object, url: str = "") -> Record:
    """A record whose page cannot be read."""
    return Record(where, url, outcome="unreadable", error=str(error))


def recorded(where: str, make: Callable[..., T], *args: Any) -> T | Record:
    """What a call returns, an unreadable record if it raises any but an OSError."""
    try:
        return make(*args)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001
        return unreadable(where, f"damaged: {type(error).__name__}: {error}")


def record_of_row(
    where: str,
    row: Mapping[str, Any],
    html_name: str,
    url_name: str,
    own: Mapping[str, type] = _OF_ROW,
) -> Record:
    """The record of a row of a table; ``where`` is its id if the row has none.

    ``own`` are the columns that are fields of the record; all others are its input.
    """
    where = where if row.get("id") is None else _text(row["id"])
    fields = {
        name: of(row[name])
        for name, of in own.items()
        if (
            row.get(name) in _STATUSES
            if name == "status"
            else isinstance(row.get(name), of)
        )
    }
    known = (html_name, url_name, "id", *fields)
    # NaN, which differs from itself, is how pandas says that there is no value.
    others = {n: row[n] for n in row if n not in known and row[n] == row[n]}
    if others:
        fields["input"] = _json(others)
    address, page = row.get(url_name), row.get(html_name)
    if address is not None and not isinstance(address, (str, bytes)):
        fields["error"] = f"{type(address).__name__} is no text in {url_name!r}"
        address = None
    record = Record(where, "" if address is None else _text(address), **fields)
    if record.outcome:
        return record
    if record.status is not None and not _is_success(record.status):
        return replace(record, outcome="skipped_status")
    if isinstance(page, (str, bytes)):
        encoding = record.encoding if isinstance(page, bytes) else None
        return replace(record, html=page, encoding=encoding)
    what = "there is no" if page is None else f"{type(page).__name__} is no text in"
    return replace(record, outcome="unreadable", error=f"{what} {html_name!r}")


def _is_success(status: int | None) -> bool:
    return 200 <= (status or 0) < 300


def _json(value: object) -> str:
    """A value as JSON, which has no NaN and no infinity."""
    text = json.dumps(value, ensure_ascii=False, default=_text)
    if "NaN" in text or "Infinity" in text:
        value = json.loads(text, parse_constant=lambda name: None)
        return json.dumps(value, ensure_ascii=False)
    return text


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def with_response(
    about: Record, headers: Headers, body: bytes, most: int, identified: str = ""
) -> Record:
    """The record of an HTTP response, by the rules of a crawl.

    ``about`` has the fields that need neither headers nor body.  The body is unpacked
    up to ``most`` bytes and one more; 0 is no limit.  ``identified`` is the media type
    that the archive's writer detected, for a response that declares none.
    """
    declared = (headers.get("Content-Type") or b"").decode("latin-1")
    about = replace(about, content_type=declared)
    if not _is_success(about.status):
        return replace(about, outcome="skipped_status")
    codings = b",".join(headers.getlist("Content-Encoding")).decode("latin-1")
    try:
        body = unpacked(body, codings, most)
    except PackedError as damaged:
        # The content before the damage is the beginning of a page.
        body = damaged.data
        about = replace(about, error=about.error or str(damaged))
    headers.pop("Content-Encoding", None)
    if not _is_html(headers, about.url, body, identified):
        return replace(about, outcome="skipped_type")
    if about.error and not body:
        return replace(about, outcome="unreadable")
    html = body[: most + 1] if most else body
    return replace(about, html=html, encoding=http_content_type_encoding(declared))


def _is_html(
    headers: Mapping[bytes, bytes], url: str, body: bytes, identified: str
) -> bool:
    """Whether Scrapy would make an HtmlResponse of a response."""
    if identified and b"Content-Type" not in headers:
        found = responsetypes.from_content_type(identified.encode())
    else:
        found = responsetypes.from_args(headers=headers, url=url, body=body[:5000])
    return issubclass(found, HtmlResponse)


def dechunked(body: bytes) -> tuple[bytes, str]:
    """The joined chunks of a body in chunked transfer coding, and an error, or "".

    A body that does not begin with a chunk's length was joined by the archive's writer.
    """
    parts: list[bytes] = []
    at = 0
    while line := _CHUNK.match(body, at, at + _LONGEST_LENGTH):
        length = int(line[1], 16)
        if not length:
            return b"".join(parts), ""
        at = line.end() + length
        parts.append(body[line.end() : at])
        if len(parts[-1]) < length:
            return b"".join(parts), "the body is cut off in a chunk"
        at += 2 if body[at : at + 2] == b"\r\n" else 1
    if not parts:
        return body, ""
    return b"".join(parts), "the body is cut off between two chunks"
