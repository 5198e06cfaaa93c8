"""Character classes of the walk: white space, invisible characters, and the others.

They are written out as ranges, as unicodedata differs between versions of Python.
"""

from __future__ import annotations

import re

# The character classes.  WORD is the class of all characters that are not named below.
WORD, UPPER, DIGIT, END, COMMA, MARK, MONEY, RIGHTS, WIDE, OTHER, SPACE = range(11)


def _ranges(text: str) -> list[tuple[int, int]]:
    """The first and last code points of ranges in hexadecimal, such as "9-d 20"."""
    pairs = (part.partition("-")[::2] for part in text.split())
    return [(int(first, 16), int(last or first, 16)) for first, last in pairs]


# White space is that of str.split().
_SPACES = "9-d 1c-20 85 a0 1680 2000-200a 2028-2029 202f 205f 3000"
# Scripts without spaces, and their punctuation.  A line break in the source between two
# of these characters is no space.
SPACELESS_RANGES = _ranges(
    "2e80-2fff 3001-312f 3190-9fff a000-a4cf f900-faff fe30-fe4f ff01-ff60"
)
# A link whose text is one of these is a permalink, if it is in a heading, or leads to a
# place on the page and is not raised as the mark of a footnote.  The last ones are those
# of Doxygen, and of Sphinx's theme for Read the Docs: an icon of Font Awesome.
PERMALINKS = "#\u00a7\u00b6\u25c6\uf0c1"

# Browsers do not show these, and XML does not allow some of them: control characters,
# soft hyphen, zero-width space, word joiner, byte order mark.
INVISIBLE_RANGES = _ranges("0-8 e-1b 7f-84 86-9f ad 200b 2060 feff fffe-ffff")

# Ranges of each class; later rows override earlier ones.
_RANGES = (
    (OTHER, "21-2f 3a-40 5b-60 7b-7e a1-bf d7 f7 2010-205e 2190-23ff 2500-2bff"),
    (OTHER, "3001-303f"),
    (WORD, "aa b5 ba"),
    # The main ranges of the Latin, Greek and Cyrillic alphabets.
    (UPPER, "41-5a c0-d6 d8-de 391-3a9 400-42f"),
    # Two columns wide: Hangul, kana, ideographs and full-width forms.
    (WIDE, "1100-115f 2e80-2fff 3041-4dbf 4e00-9fff a000-a4cf ac00-d7a3 f900-faff"),
    (WIDE, "fe30-fe4f ff00-ff60 ffe0-ffe6"),
    # Consonants of Thai, Lao and Khmer, of which words have two or three: these scripts
    # have no spaces between words either.
    (WIDE, "e01-e2e e81-eae 1780-17a2"),
    (DIGIT, "30-39 660-669 6f0-6f9 966-96f 9e6-9ef a66-a6f ae6-aef b66-b6f be6-bef"),
    (DIGIT, "c66-c6f ce6-cef d66-d6f e50-e59 ed0-ed9 1040-1049 17e0-17e9 ff10-ff19"),
    (SPACE, _SPACES),
)
# Single characters of each class, which override the ranges.
_SINGLES = {
    END: ".!?\u2026\u3002\uff01\uff1f\uff0e\u061f\u06d4\u0964\u0965\u1362\u0589\u104b\u17d4",
    COMMA: ",;:\u060c\u061b\u3001\uff0c\uff1b\uff1a\u1363\u104a",
    MARK: "|/>\u00b7\u2022\u00bb\u00ab\u203a\u2039\u2192\u2190\u25b8\u25b6\u25cf\u2605\u2713",
    MONEY: "$\u00a2\u00a3\u00a5\u20ac\u20b9\u20bd\u20a9\u20ba\u20ab\u20b4",
    RIGHTS: "\u00a9\u00ae\u2122",
}


def _build_classes() -> bytes:
    table = bytearray(0x10000)
    for kind, ranges in _RANGES:
        for first, last in _ranges(ranges):
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


def _one_of(ranges: list[tuple[int, int]]) -> str:
    return "[" + "".join(f"\\u{a:04x}-\\u{b:04x}" for a, b in ranges) + "]"


# One character class, no repetition: linear on any input.
INVISIBLE = re.compile(_one_of(INVISIBLE_RANGES))
_SPACELESS = _one_of(SPACELESS_RANGES)
# Each part can match in only one way, so it is linear too.
BROKEN_LINE = re.compile(
    f"(?<={_SPACELESS})[ \\t\\r\\f]*\\n[ \\t\\r\\n\\f]*(?={_SPACELESS})"
)

# Characters that XML does not allow, and surrogates, which no encoding has.  They come
# from JSON, character references and the sources of pages.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def strip_unstorable(text: str) -> str:
    """A text without the characters that XML or UTF-8 cannot represent."""
    if text.isprintable():  # which takes a tenth of the time
        return text
    return _UNSTORABLE.sub("", text)
