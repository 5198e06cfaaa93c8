"""Repairs characters that another program misread before a page was stored.

Some programs read UTF-8 as Latin-1 or windows-1252, so that "It’s" becomes "Itâ€™s", and
windows-1252 as Latin-1, so that signs such as ’ become control characters.  Browsers
show the former as it is, and nothing of the latter.
"""

from __future__ import annotations

import re

from scrapy_eatext.native.loading import twin
from scrapy_eatext.page.source import holds

# Control characters, which no text has, in UTF-8, and the signs of windows-1252 that
# they stand for.
_CONTROL = re.compile(rb"\xc2([\x80-\x9f])")
_SIGNS = {bytes([n]): bytes([n]).decode("cp1252", "ignore") for n in range(0x80, 0xA0)}
_CODES = {ord(sign): ord(code) for code, sign in _SIGNS.items() if sign}
_ENCODED = {code: sign.encode() for code, sign in _SIGNS.items()}
# The first two of three characters that a quotation mark or a dash becomes.
_QUOTE = "â€".encode()
# What a byte of UTF-8 behind the first one becomes.
_MORE = b"(?:\xc2[\x80-\xbf]|%b)" % b"|".join(filter(None, _ENCODED.values()))
# Misread characters that texts hardly have by themselves, which begin with Â, Ã, â or ð,
# and those that no text has: only a page with one of the latter was misread.  A pattern
# that begins with a literal byte is fast.
_MISREAD = re.compile(
    b"\xc3(?:[\x82\x83]%b|\xa2%b{2}|\xb0%b{3})" % (_MORE, _MORE, _MORE)
)
_SURELY_MISREAD = re.compile(
    b"\xc3(?:[\x82\x83]\xc2[\x80-\x9f]|[\xa0-\xb4]\xc2[\x80-\x9f]%b|\xa2\xe2\x82\xac%b)"
    % (_MORE, _MORE)
)


def reread(source: bytes) -> bytes:
    """A page's source in UTF-8 with its misread characters read again.

    It is the same object if there are none.
    """
    if source.isascii() or not (has_controls(source) or holds(source, _QUOTE)):
        return source
    if _SURELY_MISREAD.search(source):
        source = _MISREAD.sub(_as_utf8, source)
    return _CONTROL.sub(lambda found: _ENCODED[found[1]], source)


def _as_utf8(misread: re.Match[bytes]) -> bytes:
    try:
        read = misread[0].decode().translate(_CODES).encode("latin-1")
        read.decode()
    except UnicodeError:
        return misread[0]
    return read


def python_has_controls(source: bytes) -> bool:
    """Whether a source in UTF-8 has control characters from U+80 to U+9F."""
    return _CONTROL.search(source) is not None


has_controls = twin(python_has_controls, "_source")
