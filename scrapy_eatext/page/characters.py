"""Character classes of the walk: white space, invisible characters, and the others.

They are written out as ranges, as unicodedata differs between versions of Python.
"""

from __future__ import annotations

import re

# The character classes.  WORD is the class of all characters that are not named below.
WORD, UPPER, DIGIT, END, COMMA, MARK, MONEY, RIGHTS, WIDE, OTHER, SPACE = range(11)

# White space is that of str.split().
_SPACES = (
    (0x09, 0x0D),
    (0x1C, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
)

# Scripts without spaces, and their punctuation.  A line break in the source between two
# of these characters is no space.
_SPACELESS = (
    (0x2E80, 0x2FFF),
    (0x3001, 0x312F),
    (0x3190, 0x9FFF),
    (0xA000, 0xA4CF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF01, 0xFF60),
)

# A link in a heading whose text is one of these is a permalink to the heading.
PERMALINKS = "#\u00a7\u00b6"

# Browsers do not show these, and XML does not allow some of them: control characters,
# soft hyphen, zero-width space, word joiner, byte order mark.
_INVISIBLES = (
    (0x00, 0x08),
    (0x0E, 0x1B),
    (0x7F, 0x84),
    (0x86, 0x9F),
    (0xAD, 0xAD),
    (0x200B, 0x200B),
    (0x2060, 0x2060),
    (0xFEFF, 0xFEFF),
    (0xFFFE, 0xFFFF),
)

# (first, last, class); later rows override earlier ones.
_RANGES = (
    (0x21, 0x2F, OTHER),
    (0x3A, 0x40, OTHER),
    (0x5B, 0x60, OTHER),
    (0x7B, 0x7E, OTHER),
    (0xA1, 0xBF, OTHER),
    (0xAA, 0xAA, WORD),
    (0xB5, 0xB5, WORD),
    (0xBA, 0xBA, WORD),
    (0xD7, 0xD7, OTHER),
    (0xF7, 0xF7, OTHER),
    (0x2010, 0x205E, OTHER),
    (0x2190, 0x23FF, OTHER),
    (0x2500, 0x2BFF, OTHER),
    # Upper case of the Latin, Greek and Cyrillic alphabets' main ranges.
    (0x41, 0x5A, UPPER),
    (0xC0, 0xD6, UPPER),
    (0xD8, 0xDE, UPPER),
    (0x0391, 0x03A9, UPPER),
    (0x0400, 0x042F, UPPER),
    (0x30, 0x39, DIGIT),
    (0x0660, 0x0669, DIGIT),
    (0x06F0, 0x06F9, DIGIT),
    (0x0966, 0x096F, DIGIT),
    # Two columns wide: Hangul, kana, ideographs and full-width forms.
    (0x1100, 0x115F, WIDE),
    (0x2E80, 0x2FFF, WIDE),
    (0x3001, 0x303F, OTHER),
    (0x3041, 0x33FF, WIDE),
    (0x3400, 0x4DBF, WIDE),
    (0x4E00, 0x9FFF, WIDE),
    (0xA000, 0xA4CF, WIDE),
    (0xAC00, 0xD7A3, WIDE),
    (0xF900, 0xFAFF, WIDE),
    (0xFE30, 0xFE4F, WIDE),
    (0xFF00, 0xFF60, WIDE),
    (0xFFE0, 0xFFE6, WIDE),
    (0xFF10, 0xFF19, DIGIT),
)

_SINGLES = {
    END: ".!?\u2026\u3002\uff01\uff1f\uff0e\u061f\u06d4\u0964\u0965\u1362\u0589\u104b",
    COMMA: ",;:\u060c\u061b\u3001\uff0c\uff1b\uff1a\u1363",
    MARK: "|/>\u00b7\u2022\u00bb\u00ab\u203a\u2039\u2192\u2190\u25b8\u25b6\u25cf\u2605\u2713",
    MONEY: "$\u00a2\u00a3\u00a5\u20ac\u20b9\u20bd\u20a9\u20ba\u20ab\u20b4",
    RIGHTS: "\u00a9\u00ae\u2122",
}


def _build_classes() -> bytes:
    table = bytearray(0x10000)
    for first, last, kind in (*_RANGES, *((a, b, SPACE) for a, b in _SPACES)):
        table[first : last + 1] = bytes([kind]) * (last + 1 - first)
    for kind, members in _SINGLES.items():
        for member in members:
            table[ord(member)] = kind
    return bytes(table)


# A class for each code point of the Basic Multilingual Plane.
CLASSES = _build_classes()
# Beyond it ideographs are WIDE and all other characters WORD.
WIDE_PLANES = (0x20000, 0x3FFFD)


class _ClassOf(dict[int, int]):
    """A mapping of code points to classes for str.translate().

    It caches those of the Basic Multilingual Plane.
    """

    def __missing__(self, code: int) -> int:
        if code < len(CLASSES):
            self[code] = CLASSES[code]
            return CLASSES[code]
        first, last = WIDE_PLANES
        return WIDE if first <= code <= last else WORD


CLASS_OF = _ClassOf()


def _one_of(ranges: tuple[tuple[int, int], ...]) -> str:
    return "[" + "".join(f"\\u{a:04x}-\\u{b:04x}" for a, b in ranges) + "]"


# One character class, no repetition: linear on any input.
INVISIBLE = re.compile(_one_of(_INVISIBLES))
INVISIBLE_RANGES = _INVISIBLES
SPACELESS_RANGES = _SPACELESS
# Each part can match in only one way, so it is linear too.
BROKEN_LINE = re.compile(
    f"(?<={_one_of(_SPACELESS)})[ \\t\\r\\f]*\\n[ \\t\\r\\n\\f]*(?={_one_of(_SPACELESS)})"
)

# Characters that XML does not allow, and surrogates, which no encoding has.  They come
# from JSON, character references and the sources of pages.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# The bytes of all other characters in UTF-8; U+FFFE and U+FFFF consist of them too.
_STORABLE = bytes({*b"\t\n\r", *range(0x20, 0x100)})


def strip_unstorable(text: str) -> str:
    """A text without the characters that XML or UTF-8 cannot represent."""
    # Few texts have any.  The two tests take a third of the time of the substitution or
    # less, and most texts pass the first.
    return (
        text if text.isprintable() or _is_storable(text) else _UNSTORABLE.sub("", text)
    )


def _is_storable(text: str) -> bool:
    try:
        data = text.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False
    return not data.translate(None, _STORABLE) and not (
        "\ufffe" in text or "\uffff" in text
    )
