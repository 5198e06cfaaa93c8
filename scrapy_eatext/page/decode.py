"""Decodes pages by Scrapy's rules, with five exceptions.

A page that can only be UTF-8 is read as UTF-8, whatever it declares, and one that cannot
be UTF-8 is not.  The escapes of ISO-2022-JP show it.  A declared encoding that no page is
in, such as rot13, is ignored.  A page that declares none is read as detection.py finds.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, utf_8_decode
from functools import lru_cache
from typing import TYPE_CHECKING

from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
    to_unicode,
)

from scrapy_eatext.native.loading import twin
from scrapy_eatext.page.detection import ASCII, detected, is_mostly_utf8

if TYPE_CHECKING:
    from scrapy.http import TextResponse

# w3lib looks for a declaration in the first 4096 bytes, which takes 5% of the time of a
# parse.  For most pages a faster search shows that only UTF-8 can be declared.
_DECLARED_BYTES = 4096
_DECLARING = (b"charset", b"encoding")
_AS_UTF8 = re.compile(rb"\s*=\s*(?:[\"']\s*)?utf-8[^\w-]")

# Browsers know labels with these ends too, such as x-mac-roman and iso-8859-8-i.
_LABEL = re.compile(
    rb"charset\s*=\s*[\"']?\s*(?:x-){0,2}([\w-]{1,40}?)(?:-[ei])?[\s\"'/>;]",
    re.IGNORECASE,
)

# The binary data bytes of the MIME Sniffing Standard below 32, which exclude the escape
# of ISO-2022-JP.  A page may have a few of them by mistake.
_BINARY = bytes({*range(32)} - {*b"\t\n\f\r\x1b"})
_BEGINNING = 5000
_MAX_BINARY_SHARE = 0.01

# A page in another encoding may be valid UTF-8 by accident if it has very few non-ASCII
# characters, like "NESTL\xc9\xae" in Latin-1.  A page with this many different
# characters, or this many of three or four bytes, is in UTF-8.
_MIN_DIFFERENT, _MIN_LONG = 3, 2
# In Latin-1 these are Â, Ã or a small letter, and a sign, which does not follow them.
_LATIN = ("cp1252", "iso8859-15")
_UNLIKELY = re.compile(rb"[\xc2\xc3\xe0-\xf4][\x80-\xbf]")
_NOT_FIRST_OF_LONG = bytes(code for code in range(256) if not 0xE0 <= code <= 0xF4)
_WIDE = ("utf-16", "utf-32")
# The escapes before Japanese characters in ISO-2022-JP, and the codec for its variants.
_JIS, _ISO_2022_JP = re.compile(rb"\x1b\$[@B]"), "iso2022_jp_ext"
# Codecs that differ from machine to machine.
_OF_THE_MACHINE = frozenset(("mbcs", "oem"))
# Codecs that no page is in change this text.  In some that pages are in, the yen sign
# takes the place of the backslash.
_PROBE = r'<a href="x-y+AGE-z">\u0041\x41</a>'
_YEN, _REPLACEMENT = "\xa5", "\ufffd"


def is_binary(data: bytes, encoding: str = "") -> bool:
    """Whether bytes are those of a PDF, an image or the like, and not of a page.

    ``encoding`` is the page's, "" if it is not known.
    """
    beginning = data[:_BEGINNING]
    binary = len(beginning) - len(beginning.translate(None, _BINARY))
    # UTF-16 and UTF-32 have such bytes too.
    is_wide = encoding.startswith(_WIDE) or read_bom(data)[0] is not None
    is_mostly = binary > _MAX_BINARY_SHARE * len(beginning)
    return (is_mostly and not is_wide) or data.startswith(b"%PDF-")


def decode(body: bytes, known: str | None = None) -> tuple[str, str]:
    """The encoding of a page and its text.

    The encoding is that of a byte order mark, or else ``known``, or else the declared
    one, or else it is detected; UTF-8 that the page cannot be in counts as none.
    Invalid bytes become U+FFFD.  Raises nothing.
    """
    encoding, body = _encoding_of(body, known)
    if encoding is None:
        encoding = _guess(body)
    elif encoding == "utf-8" and is_misdeclared(body):
        declared = html_body_declared_encoding(body) or "utf-8"
        is_other = declared != "utf-8" and _keeps_ascii(declared)
        encoding = declared if is_other else detected(body)
    elif encoding in _WIDE:
        # Without a byte order mark it is big-endian.
        encoding += "-be"
    return encoding, to_unicode(body, encoding)


def utf8_of(body: bytes, known: str | None = None) -> bytes | None:
    """The bytes of a page without byte order mark if they are UTF-8; otherwise None.

    Encoding the text of decode() gives the same bytes, but takes longer.
    """
    if known is None and not _may_declare_another(body):
        known = "utf-8"
    encoding, body = _encoding_of(body, known)
    return body if encoding in {"utf-8", None} and is_utf8(body) else None


def is_misdeclared(body: bytes) -> bool:
    """Whether a page that declares UTF-8 is in another encoding."""
    return not (is_utf8(body) or is_mostly_utf8(body.removeprefix(BOM_UTF8)))


def corrected(response: TextResponse) -> str | None:
    """The encoding to decode() a response in, None if it is the response's own."""
    encoding: str = response.encoding
    body = response.body
    known = encoding
    if encoding != "utf-8" and not body.isascii():
        # Scrapy's guess is often another one.
        known = _declared_by(response) or _guess(body)
    is_misread = bool(body) and _encoding_of(body, known)[0] != encoding
    return known if is_misread else None


def _declared_by(response: TextResponse) -> str | None:
    """The encoding that a response of Scrapy or web-poet declares without a mark."""
    header: bytes | str = response.headers.get("Content-Type") or ""
    kind = header.decode("latin-1") if isinstance(header, bytes) else header
    return (
        getattr(response, "_encoding", None)  # scrapy-splash's JSON has none
        or http_content_type_encoding(kind)
        or html_body_declared_encoding(response.body)
    )


def text_of(response: TextResponse) -> str:
    """A response's text, decoded by decode() if Scrapy misreads it."""
    encoding = corrected(response)
    if encoding is None:
        text: str = response.text
        if _REPLACEMENT not in text:
            return text
    return decode(bytes(response.body), encoding or response.encoding)[1]


def _encoding_of(body: bytes, known: str | None) -> tuple[str | None, bytes]:
    """A page's encoding, None if it must be detected, and its bytes without BOM."""
    encoding, mark = read_bom(body)
    if encoding is not None and mark is not None:
        return encoding, body[len(mark) :]
    encoding = known or html_body_declared_encoding(body)
    if body.isascii() and b"\x1b" in body and _JIS.search(body):
        is_declared = (encoding or "").startswith("iso2022")
        return encoding if is_declared else _ISO_2022_JP, body
    if encoding in {"utf-8", None}:
        return encoding, body
    if _must_be_utf8(body, encoding):
        return "utf-8", body
    if encoding == "utf-16" and body[1:2] == b"\0":
        return "utf-16-le", body
    # If a declaration can be read as ASCII, the page is not in a wide encoding, whose
    # markup has zero bytes.
    is_wide = encoding.startswith(_WIDE)
    is_possible = b"\0" in body if is_wide else _keeps_ascii(encoding)
    return (encoding if is_possible else None), body


def _guess(body: bytes) -> str:
    # The compiled module takes no subclass of bytes.
    if is_utf8(bytes(body)):
        return "utf-8"
    label = _LABEL.search(body[:_DECLARED_BYTES])
    encoding = resolve_encoding(label[1].decode()) if label else None
    is_possible = encoding not in {"utf-8", None} and _keeps_ascii(str(encoding))
    return str(encoding) if is_possible else detected(body)


def _may_declare_another(body: bytes) -> bool:
    """Whether w3lib may find a declaration of another encoding than UTF-8."""
    beginning = body[:_DECLARED_BYTES].lower()
    return not all(
        _AS_UTF8.match(behind)
        for word in _DECLARING
        for behind in beginning.split(word)[1:]
    )


def _must_be_utf8(body: bytes, encoding: str) -> bool:
    """Whether a page that declares another encoding is in UTF-8 nevertheless."""
    if body.isascii():
        return False
    # The compiled module takes no subclass of bytes.
    if not is_utf8(bytes(body)):
        try:
            # The page may be cut off inside its last character.
            utf_8_decode(body, "strict", False)
        except UnicodeDecodeError:
            return False
    if encoding in _LATIN and _UNLIKELY.search(body):
        return True
    non_ascii = body.translate(None, ASCII)
    if len(non_ascii.translate(None, _NOT_FIRST_OF_LONG)) >= _MIN_LONG:
        return True
    return len(set(non_ascii.decode("utf-8", "ignore"))) >= _MIN_DIFFERENT


@lru_cache(maxsize=256)
def _keeps_ascii(encoding: str) -> bool:
    """Whether an encoding leaves ASCII characters unchanged, as those of pages do.

    Python's codecs rot13, idna and unicode_escape do not.
    """
    if encoding in _OF_THE_MACHINE:
        return False
    try:
        decoded = to_unicode(_PROBE.encode("ascii"), encoding)
    except (LookupError, ValueError):
        return False
    return decoded.replace(_YEN, "\\") == _PROBE


def python_is_utf8(body: bytes) -> bool:
    """Whether the bytes are valid UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


is_utf8 = twin(python_is_utf8, "_source")
