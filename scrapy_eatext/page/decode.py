"""Bytes to text, by the rules that Scrapy decodes a response with, unless they misread it.

Two rules differ.  A page that can only be UTF-8 is read as UTF-8, whatever it declares.
And a declared encoding that no page can be in, such as rot13, is ignored.
"""

from __future__ import annotations

import re
from codecs import utf_8_decode
from functools import lru_cache
from typing import TYPE_CHECKING

from w3lib.encoding import (
    html_body_declared_encoding,
    read_bom,
    resolve_encoding,
    to_unicode,
)

from scrapy_eatext.native.loading import twin

if TYPE_CHECKING:
    from scrapy.http import TextResponse

# The detector's time grows with its input; this much of a page is enough.
_DETECT_BYTES = 100_000

# w3lib reads a declaration in so much of a page, and takes .05 of a parse for it.  Most
# pages name no encoding but UTF-8 there, which two quick searches in lower case tell: a
# declaration has one of these words, and then its value.
_DECLARED_BYTES = 4096
_OF_ANOTHER = tuple(
    re.compile(word + rb"(?!\s*=\s*[\"']?\s*utf-8(?![\w-]))")
    for word in (b"charset", b"encoding")
)

# A page in another encoding may be valid UTF-8 by accident, if it has very few
# characters beyond ASCII, as "NESTL\xc9\xae" in Latin 1.  With this many different ones,
# or this many of three or more bytes, it is no accident.
_MANY_DIFFERENT, _MANY_LONG = 3, 2
_NOT_FIRST_OF_LONG = bytes(code for code in range(256) if not 0xE0 <= code <= 0xF4)
_ASCII = bytes(range(128))
# The encodings that a few illegal bytes must not hide, and the share of the bytes beyond
# ASCII that may be illegal.
_MULTI_BYTE = ("gb18030", "big5hkscs", "cp932", "cp949", "euc_jp")
_MOST_ILLEGAL = 0.02
_WIDE = ("utf-16", "utf-32")
# Codecs that mean something else on each machine.
_OF_THE_MACHINE = frozenset(("mbcs", "oem"))
# What codecs for other things than pages change; in some for pages a yen sign has the
# place of the backslash.
_PROBE = r'<a href="x-y+AGE-z">\u0041\x41</a>'
_YEN = "\xa5"


def decode(body: bytes, known: str | None = None) -> tuple[str, str]:
    """The encoding of a page and its text.

    A byte order mark comes first, then an encoding that is known, then the encoding that
    the page declares, then detection.  Bytes that do not fit become U+FFFD; nothing is
    raised.
    """
    encoding, body = _encoding_of(body, known)
    if encoding is None:
        encoding = _detect(body)
    elif encoding in _WIDE:
        # Declared without a mark that tells the order of the bytes.
        encoding += "-be"
    return encoding, to_unicode(body, encoding)


def utf8_of(body: bytes, known: str | None = None) -> bytes | None:
    """A page's text in UTF-8, if its bytes are UTF-8; otherwise None.

    The text of decode(), encoded again, is the same, but takes longer.
    """
    if known is None and not _may_declare_another(body):
        known = "utf-8"
    encoding, body = _encoding_of(body, known)
    return body if encoding in {"utf-8", None} and is_utf8(body) else None


def is_misread(response: TextResponse) -> bool:
    """Whether a response's own text differs from the text of decode()."""
    encoding: str = response.encoding
    return bool(response.body) and _encoding_of(response.body, encoding)[0] != encoding


def text_of(response: TextResponse) -> str:
    """A response's text, also where Scrapy misreads it."""
    if is_misread(response):
        return decode(bytes(response.body), response.encoding)[1]
    text: str = response.text
    return text


def _encoding_of(body: bytes, known: str | None) -> tuple[str | None, bytes]:
    """A page's encoding, None where it is still to be detected, and its bytes without
    a byte order mark.
    """
    encoding, mark = read_bom(body)
    if encoding is not None and mark is not None:
        return encoding, body[len(mark) :]
    encoding = known or html_body_declared_encoding(body)
    if encoding in {"utf-8", None}:
        return encoding, body
    if _must_be_utf8(body):
        return "utf-8", body
    return (encoding if _can_be_in(encoding, body) else None), body


def _may_declare_another(body: bytes) -> bool:
    """Whether w3lib may find that a page declares another encoding than UTF-8."""
    beginning = body[:_DECLARED_BYTES].lower()
    return any(named.search(beginning) for named in _OF_ANOTHER)


def _must_be_utf8(body: bytes) -> bool:
    """Whether a page that declares another encoding is in UTF-8 all the same."""
    if body.isascii():
        return False
    # Of no subclass, for the compiled module.
    if not is_utf8(bytes(body)):
        try:
            # The last character may be cut off, as the page may be.
            utf_8_decode(body, "strict", False)
        except UnicodeDecodeError:
            return False
    beyond = body.translate(None, _ASCII)
    if len(beyond.translate(None, _NOT_FIRST_OF_LONG)) >= _MANY_LONG:
        return True
    return len(set(beyond.decode("utf-8", "ignore"))) >= _MANY_DIFFERENT


def _can_be_in(encoding: str, body: bytes) -> bool:
    """Whether a page may be in an encoding that it declares."""
    if encoding.startswith(_WIDE):
        # Its markup has every other byte zero; in it no declaration can be read, and
        # one that can be is wrong.
        return b"\0" in body
    return _keeps_ascii(encoding)


@lru_cache(maxsize=256)
def _keeps_ascii(encoding: str) -> bool:
    """Whether text in an encoding has ASCII's characters as they are, as pages do.

    Python has codecs for other things, such as rot13, idna and unicode_escape.
    """
    if encoding in _OF_THE_MACHINE:
        return False
    try:
        found = to_unicode(_PROBE.encode("ascii"), encoding)
    except (LookupError, ValueError):
        return False
    return found.replace(_YEN, "\\") == _PROBE


def python_is_utf8(body: bytes) -> bool:
    """Whether the bytes are valid UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _detect(body: bytes) -> str:
    return "utf-8" if is_utf8(body) else _guess(body[:_DETECT_BYTES]) or "cp1252"


def _guess(body: bytes) -> str | None:
    try:
        # Scrapy brings it along since 2.18.
        from charset_normalizer import from_bytes
    except ImportError:  # pragma: no cover
        return None

    def best(data: bytes) -> str | None:
        match = from_bytes(data).best()
        return resolve_encoding(match.encoding) if match else None

    found = best(body)
    if found is not None and _is_multi_byte(found):
        return found
    # The detector takes no encoding in which some byte is illegal.
    beyond = len(body.translate(None, _ASCII))
    for encoding in _MULTI_BYTE:
        legal = body.decode(encoding, "ignore").encode(encoding)
        if 0 < len(body) - len(legal) <= beyond * _MOST_ILLEGAL:
            cleaned = best(legal)
            if cleaned is not None and _is_multi_byte(cleaned):
                return cleaned
    return found


def _is_multi_byte(encoding: str) -> bool:
    """Whether an encoding has a character of several bytes, as those of East Asia do."""
    return len("\u4e00".encode(encoding, "ignore")) > 1


is_utf8 = twin(python_is_utf8, "_decode")
