"""Bytes to text, by the rules that Scrapy decodes a response with."""

from __future__ import annotations

from collections.abc import Callable

from w3lib.encoding import (
    html_body_declared_encoding,
    read_bom,
    resolve_encoding,
    to_unicode,
)

from scrapy_eatext.page.twins import load

# The detector's time grows with what it is given; this much tells enough.
_DETECT_BYTES = 100_000


def decode(body: bytes) -> tuple[str, str]:
    """The encoding of a page and its text.

    A byte order mark counts before what the page declares, and that before
    detection.  Bytes that do not fit become U+FFFD; nothing is raised.
    """
    encoding, mark = read_bom(body)
    if encoding is not None and mark is not None:
        return encoding, to_unicode(body[len(mark) :], encoding)
    encoding = html_body_declared_encoding(body)
    if encoding is None:
        encoding = _detect(body)
    elif encoding in ("utf-16", "utf-32"):
        # Declared without a mark that tells the order of the bytes.
        encoding += "-be"
    try:
        return encoding, to_unicode(body, encoding)
    except (LookupError, ValueError):
        # Codecs that Python has for other things than text, as rot13 and idna.
        encoding = _detect(body)
        return encoding, to_unicode(body, encoding)


def utf8_of(body: bytes, known: str | None = None) -> bytes | None:
    """A page's text in UTF-8, where that is what the bytes are; otherwise None.

    It is what decode() gives, encoded again, without the work of either.  An
    encoding that is known counts before what the page declares.
    """
    encoding, mark = read_bom(body)
    if encoding is not None and mark is not None:
        body = body[len(mark) :]
    else:
        encoding = known or html_body_declared_encoding(body)
    return body if encoding in {"utf-8", None} and is_utf8(body) else None


def python_is_utf8(body: bytes) -> bool:
    """Whether the bytes are valid UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


_compiled = load("page._decode")
is_utf8: Callable[[bytes], bool] = (
    python_is_utf8 if _compiled is None else _compiled.is_utf8
)


def _detect(body: bytes) -> str:
    return "utf-8" if is_utf8(body) else _guess(body[:_DETECT_BYTES]) or "cp1252"


def _guess(body: bytes) -> str | None:
    try:
        # Scrapy brings it along since 2.18.
        from charset_normalizer import from_bytes
    except ImportError:  # pragma: no cover
        return None
    match = from_bytes(body).best()
    return resolve_encoding(match.encoding) if match else None
