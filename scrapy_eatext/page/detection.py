"""Detects the encoding of a page that declares none.

The detector that Scrapy uses knows more encodings than pages are in, and takes those with
Latin letters for one another, most often windows-1252 for windows-1250.  So its guess
counts among encodings that pages are in, and Latin ones are told apart by the letters of
the languages that are written in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from w3lib.encoding import resolve_encoding

# The detector's time grows with its input; these bytes of a page are enough.  Longer
# parts between tags than _LONGEST are scripts, whose first bytes may all be ASCII.
_BYTES, _LONGEST = 100_000, 10_000
ASCII, _NOT_ASCII = bytes(range(128)), bytes(range(128, 256))
# Encodings that are detected despite a few illegal bytes, and the maximum share of
# these among the non-ASCII bytes, of which there are at least _LEAST_BYTES.
_MULTI_BYTE = ("gb18030", "big5hkscs", "cp932", "cp949", "euc_jp")
_MAX_ILLEGAL, _LEAST_BYTES = 0.02, 12
# For encodings with Latin letters the alphabets, without ASCII and rare letters, of
# Czech, Slovak, Polish, Hungarian, Romanian, Croatian and Slovene; of Turkish; of Latvian
# and Lithuanian.  All other languages are taken for ones of cp1252.
_CENTRAL = "áčďéěíňóřšťúůýž áäčďéíľňóôšťúýž ąćęłńóśźż áéíóöőúüű ăâîşţ čćđšž"
_ALPHABETS = {
    "cp1250": _CENTRAL,
    "iso8859-2": _CENTRAL,
    "cp1254": "âçğıîöşü",
    "cp1257": "āčēģīķļņšūž ąčęėįšųūž",
}
_LATIN = ("cp1252", *_ALPHABETS)
# All encodings of single bytes that pages are in.
_KOI8 = "koi8-u"
_OF_PAGES = (*_LATIN, *"cp1251 cp1253 cp1255 cp1256 cp1258 cp874".split(), _KOI8)
# The small letters of KOI8 and their least share among a page's letters.  The letters of
# Hebrew are bytes of Cyrillic ones too, but no page in Russian has these alone.
_SMALL, _LEAST_SMALL = bytes(range(0xC0, 0xE0)), 0.75
_HEBREW, _CYRILLIC = bytes(range(0xE0, 0xFB)), (_KOI8, "cp1251")
_NO_LETTERS, _LEAST_DIFFERENT = bytes(range(0xC0)), 12
# The least share of a page's letters that are in one alphabet, and the least number of
# different ones.
_LEAST_SHARE, _LEAST_LETTERS = 0.9, 3


def detected(body: bytes) -> str:
    """The encoding of a page that is not in UTF-8 as a whole.

    It is cp1252 if nothing else is found.  Without charset_normalizer, only UTF-8 and
    encodings with Latin letters are found.
    """
    data = _sample(body)
    if is_mostly_utf8(data):
        return "utf-8"
    try:
        # A dependency of Scrapy since 2.18.
        from charset_normalizer import from_bytes
    except ImportError:  # pragma: no cover
        return _by_letters("cp1252", data)

    def best(data: bytes, only: list[str] | None = None) -> str:
        match = from_bytes(data, cp_isolation=only).best()
        return resolve_encoding(match.encoding) or "" if match else ""

    if _has(_SMALL, _LEAST_SMALL, data) and best(data, [*_OF_PAGES]) == _KOI8:
        return _KOI8
    guess = best(data)
    may_be_multi_byte = len(body.translate(None, ASCII)) >= _LEAST_BYTES
    if may_be_multi_byte and _is_multi_byte(guess):
        return guess
    # The detector rules out an encoding if a single byte is illegal in it.
    for encoding in _MULTI_BYTE if may_be_multi_byte else ():
        legal = _legal_in(encoding, data)
        if legal and _is_multi_byte(guess_of_legal := best(legal)):
            return guess_of_legal
    # It takes some of these for others with the same letters unless it knows no others.
    guess = best(data, [*_OF_PAGES])
    if guess in _CYRILLIC and _has(_HEBREW, 1, data):
        return "cp1255"
    return _by_letters(guess, data) or "cp1252"


def is_mostly_utf8(body: bytes) -> bool:
    """Whether half of a page's non-ASCII characters, or more, are in UTF-8.

    One that is cut off counts once, whatever number of bytes it has left.
    """
    text = body.decode("utf-8", "replace")
    non_ascii = len(text) - len(body.translate(None, _NOT_ASCII))
    illegal = text.count("\ufffd") - body.count("\ufffd".encode())
    return 0 < non_ascii >= 2 * illegal


def _has(letters: bytes, share: float, data: bytes) -> bool:
    """Whether a page has different ones of some letters, and few others."""
    all_letters = data.translate(None, _NO_LETTERS)
    own = len(all_letters) - len(all_letters.translate(None, letters))
    is_rich = len({*all_letters} & {*letters}) >= _LEAST_DIFFERENT
    return is_rich and own >= share * len(all_letters)


def _sample(body: bytes) -> bytes:
    """The tags and texts of a page with non-ASCII bytes, and then its beginning."""
    parts = (p for p in body.split(b"<") if not p.isascii() and len(p) < _LONGEST)
    return (b"<".join(parts) + body)[:_BYTES]


def _legal_in(encoding: str, data: bytes) -> bytes:
    """The bytes that are legal in an encoding, none if many others are not."""
    legal = data.decode(encoding, "ignore").encode(encoding)
    non_ascii = len(data.translate(None, ASCII))
    return legal if len(data) - len(legal) <= non_ascii * _MAX_ILLEGAL else b""


def _by_letters(guess: str, data: bytes) -> str:
    """A guess, or one of _LATIN if the letters of a page show that it is this one."""
    counts = Counter(data.translate(None, ASCII))
    letters = {
        encoding: max(_count(set(one), encoding, counts) for one in alphabets.split())
        for encoding, alphabets in _ALPHABETS.items()
    }
    likely = max(letters, key=letters.__getitem__)
    if letters[likely]:
        return likely
    return "cp1252" if guess in _LATIN else guess


def _count(alphabet: set[str], encoding: str, counts: Mapping[int, int]) -> int:
    """How many letters of an alphabet a page in an encoding has, 0 if it has many others.

    ``counts`` has the number of each byte.  The letters that cp1252 has at another place,
    or not at all, have to be of the alphabet too.
    """
    letters: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    for byte, count in counts.items():
        letter, other = (
            bytes([byte]).decode(name, "ignore").lower()
            for name in (encoding, "cp1252")
        )
        if letter.isalpha():
            letters[letter] += count
            if letter != other:
                differing[letter] += count
    own, own_differing = (
        sum(some[letter] for letter in alphabet) for some in (letters, differing)
    )
    of_alphabet = (
        len(alphabet & letters.keys()) >= _LEAST_LETTERS
        and own >= _LEAST_SHARE * letters.total()
        and 0 < own_differing >= _LEAST_SHARE * differing.total()
    )
    return own if of_alphabet else 0


def _is_multi_byte(encoding: str) -> bool:
    """Whether an encoding has multi-byte ideographs, as those of East Asia do."""
    try:
        return len("\u4e00".encode(encoding, "ignore")) > 1
    except (LookupError, ValueError):  # it is no encoding of text
        return False
