"""Decodes pages by Scrapy's rules, with three exceptions.

A page that can only be UTF-8 is read as UTF-8, whatever it declares.  A declared
encoding that no page can be in, such as rot13, is ignored, and so is a guess that only
a declaration could justify, such as cp775.
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

# The detector's time grows with its input; these bytes of a page are enough.
_DETECT_BYTES = 100_000

# w3lib looks for a declaration in the first 4096 bytes, which takes 5% of the time of a
# parse.  For most pages a faster search shows that only UTF-8 can be declared.
_DECLARED_BYTES = 4096
_DECLARING = (b"charset", b"encoding")
_AS_UTF8 = re.compile(rb"\s*=\s*(?:[\"']\s*)?utf-8[^\w-]")

# The binary data bytes of the MIME Sniffing Standard below 32, which exclude the escape
# of ISO-2022-JP.  A page may have a few of them by mistake.
_BINARY = bytes({*range(32)} - {*b"\t\n\f\r\x1b"})
_BEGINNING = 5000
_MAX_BINARY_SHARE = 0.01

# A page in another encoding may be valid UTF-8 by accident if it has very few non-ASCII
# characters, like "NESTL\xc9\xae" in Latin-1.  A page with this many different
# characters, or this many of three or four bytes, is in UTF-8.
_MIN_DIFFERENT, _MIN_LONG = 3, 2
_NOT_FIRST_OF_LONG = bytes(code for code in range(256) if not 0xE0 <= code <= 0xF4)
_ASCII = bytes(range(128))
# Encodings that are detected despite a few illegal bytes, and the maximum share of
# these among the non-ASCII bytes.
_MULTI_BYTE = ("gb18030", "big5hkscs", "cp932", "cp949", "euc_jp")
_MAX_ILLEGAL = 0.02
_WIDE = ("utf-16", "utf-32")
# Encodings of single bytes that browsers do not know: a page without a declaration is
# in none of them.  The detector guesses them for pages with few non-ASCII bytes; ascii
# is what Scrapy says if it guesses nothing.
_NEVER_GUESSED = frozenset(
    "ascii cp037 cp1006 cp1026 cp1125 cp1140 cp273 cp424 cp437 cp500 cp720 cp737 cp775"
    " cp850 cp852 cp855 cp856 cp857 cp858 cp860 cp861 cp862 cp863 cp864 cp865 cp869"
    " cp875 hp-roman8 koi8-t kz1048 mac-greek mac-iceland mac-latin2 mac-turkish ptcp154".split()
)
# One of these is guessed instead: the most frequent encodings of each script.
_BY_SCRIPT = "cp1252 cp1251 koi8_r cp1253 cp1255 cp1256 cp874 utf_8".split()
# Codecs that differ from machine to machine.
_OF_THE_MACHINE = frozenset(("mbcs", "oem"))
# Codecs that no page is in change this text.  In some that pages are in, the yen sign
# takes the place of the backslash.
_PROBE = r'<a href="x-y+AGE-z">\u0041\x41</a>'
_YEN = "\xa5"


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
    one, or else it is detected.  Invalid bytes become U+FFFD.  Raises nothing.
    """
    encoding, body = _encoding_of(body, known)
    if encoding is None:
        is_valid = is_utf8(body)
        encoding = "utf-8" if is_valid else _guess(body[:_DETECT_BYTES]) or "cp1252"
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


def is_misread(response: TextResponse) -> bool:
    """Whether a response's own text differs from the text of decode()."""
    body, encoding = response.body, response.encoding
    return bool(body) and _encoding_of(body, known_of(response))[0] != encoding


def known_of(response: TextResponse) -> str | None:
    """The encoding of a response, None for a guess of Scrapy that cannot be right."""
    if response.encoding in _NEVER_GUESSED:
        return response._declared_encoding()  # noqa: SLF001
    return response.encoding


def text_of(response: TextResponse) -> str:
    """A response's text, decoded by decode() if Scrapy misreads it."""
    if is_misread(response):
        return decode(bytes(response.body), known_of(response))[1]
    text: str = response.text
    return text


def _encoding_of(body: bytes, known: str | None) -> tuple[str | None, bytes]:
    """A page's encoding, None if it must be detected, and its bytes without BOM."""
    encoding, mark = read_bom(body)
    if encoding is not None and mark is not None:
        return encoding, body[len(mark) :]
    encoding = known or html_body_declared_encoding(body)
    if encoding in {"utf-8", None}:
        return encoding, body
    if _must_be_utf8(body):
        return "utf-8", body
    if encoding == "utf-16" and body[1:2] == b"\0":
        return "utf-16-le", body
    # If a declaration can be read as ASCII, the page is not in a wide encoding, whose
    # markup has zero bytes.
    is_wide = encoding.startswith(_WIDE)
    is_possible = b"\0" in body if is_wide else _keeps_ascii(encoding)
    return (encoding if is_possible else None), body


def _may_declare_another(body: bytes) -> bool:
    """Whether w3lib may find a declaration of another encoding than UTF-8."""
    beginning = body[:_DECLARED_BYTES].lower()
    return not all(
        _AS_UTF8.match(behind)
        for word in _DECLARING
        for behind in beginning.split(word)[1:]
    )


def _must_be_utf8(body: bytes) -> bool:
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
    non_ascii = body.translate(None, _ASCII)
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


def _guess(body: bytes) -> str | None:
    """The most probable encoding, None if there is none or no detector."""
    try:
        # A dependency of Scrapy since 2.18.
        from charset_normalizer import from_bytes
    except ImportError:  # pragma: no cover
        return None

    def best(data: bytes, only: list[str] | None = None) -> str | None:
        match = from_bytes(data, cp_isolation=only).best()
        return resolve_encoding(match.encoding) if match else None

    guess = best(body)
    if guess in _NEVER_GUESSED:
        guess = best(body, _BY_SCRIPT)
    if guess is not None and _is_multi_byte(guess):
        return guess
    # The detector rules out an encoding if a single byte is illegal in it.
    non_ascii = len(body.translate(None, _ASCII))
    for encoding in _MULTI_BYTE:
        legal = body.decode(encoding, "ignore").encode(encoding)
        if 0 < len(body) - len(legal) <= non_ascii * _MAX_ILLEGAL:
            legal_guess = best(legal)
            if legal_guess is not None and _is_multi_byte(legal_guess):
                return legal_guess
    return guess


def _is_multi_byte(encoding: str) -> bool:
    """Whether an encoding has multi-byte ideographs, as those of East Asia do."""
    return len("\u4e00".encode(encoding, "ignore")) > 1


is_utf8 = twin(python_is_utf8, "_source")
