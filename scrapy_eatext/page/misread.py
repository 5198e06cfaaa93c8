"""Repairs characters that another program misread before a page was stored.

Some programs read UTF-8 as Latin-1 or windows-1252, so that "It’s" becomes "Itâ€™s", and
windows-1252 as Latin-1, so that signs such as ’ become control characters.  Browsers
show the former as it is, and nothing of the latter.
"""

from __future__ import annotations

import re

from scrapy_eatext.page.source import holds

# A source without these bytes has nothing to repair: control characters, and the first
# two of three characters for a quotation mark or a dash.
_CONTROL_BYTES, _QUOTE = re.compile(rb"\xc2[\x80-\x9f]"), "â€".encode()
# Control characters, which no text has, are signs of windows-1252.
_CONTROL = re.compile("[\x80-\x9f]")
_SIGNS = {chr(n): bytes([n]).decode("cp1252", "ignore") for n in range(0x80, 0xA0)}
_CODES = {ord(sign): code for code, sign in _SIGNS.items() if sign}
# What the bytes of UTF-8 behind the first one become.
_MORE = "[\x80-\xbf" + "".join(_SIGNS.values()) + "]"
# Misread characters that texts hardly have by themselves, and those that no text has:
# only a page with one of the latter was misread.
_MISREAD = re.compile(f"(?:[ÂÃ]{_MORE}|â{_MORE}{{2}}|ð{_MORE}{{3}})+")
_SURELY_MISREAD = re.compile(f"[ÂÃ][\x80-\x9f]|[à-ô][\x80-\x9f]{_MORE}|â€{_MORE}")


def reread(source: bytes) -> bytes:
    """A page's source in UTF-8 with its misread characters read again.

    It is the same object if there are none.
    """
    if not (_CONTROL_BYTES.search(source) or holds(source, _QUOTE)):
        return source
    text = source.decode("utf-8", "replace")
    if _SURELY_MISREAD.search(text):
        text = _MISREAD.sub(_as_utf8, text)
    # Faster than str.translate().
    return _CONTROL.sub(lambda found: _SIGNS[found[0]], text).encode()


def _as_utf8(misread: re.Match[str]) -> str:
    try:
        return misread[0].translate(_CODES).encode("latin-1").decode()
    except UnicodeDecodeError:
        return misread[0]
