"""Addresses of passages of a page, as text fragments, to which browsers scroll.

A browser shows the first place on a page that matches the fragment.  Each part of a
fragment has to match within one line.  So a fragment has the first words of a passage,
and words before them if needed: as many as occur on the page only once, or here for the
first time.  No part crosses a gap of the walk, where browsers show another text.  See
https://wicg.github.io/scroll-to-text-fragment/
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING
from unicodedata import normalize
from urllib.parse import quote

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.output.passages import IS_SPACELESS, SPACELESS
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import BlockColumn

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.output.passages import Layout

    _Order = npt.NDArray[np.intp]

# The numbers of words that have to be unique.  The first and the last word of a
# fragment are not among them, as punctuation around these may differ elsewhere.
_LENGTHS = (2, 4, 8, 16, 32)
# The fewest and the most words at the end of a passage; the number is doubled as
# needed.
_END, _MOST_END = 3, 48
# The most characters of a part of a fragment.
_MOST = 300
# How many lines of a passage, or texts between gaps, are tried.
_LINES = 8
# How many words away a word boundary is looked for.
_NEAR = 64
_WORD_OR_SIGN = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
# Whether each character is a space, up to one behind the last that is.
_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])
_ACCENT = re.compile("[\u0300-\u036f]")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def addresses(
    judged: JudgedPage, layout: Layout, places: list[tuple[int, int]]
) -> list[str]:
    """The address of each passage; ``places`` are their offsets in the text.

    A passage that is not in the page's own text, or that no fragment identifies, has
    the address of the page, "" if that is not known.
    """
    url = (judged.page.url or "").partition(":~:")[0]
    units = judged.units
    if (
        not url
        or not places
        or not layout.units
        or not isinstance(units, Blocks)
        or judged.text_page is not judged.page
        or judged.page.is_lenient
    ):
        return [url.removesuffix("#")] * len(places)
    words = _Words(units.texts(), _gaps_in_characters(units))
    mark = "" if "#" in url else "#"
    urls: list[str] = []
    for start, end in watched(places, 64):
        fragment = words.fragment(*_range(layout, words, start, end))
        urls.append(f"{url}{mark}:~:text={fragment}" if fragment else url)
    return urls


def _range(layout: Layout, words: _Words, start: int, end: int) -> tuple[int, int]:
    """A passage as a range of the page's words: the first and the end."""
    first = bisect_right(layout.ends, start)
    last = max(bisect_left(layout.starts, end) - 1, first)
    if layout.units[first] < 0 and first < last:
        first += 1  # the headline is not a unit of the page
    if layout.units[first] < 0:
        return 0, 0
    places = []
    for side, (n, at) in enumerate(((first, start), (last, end))):
        begin, length = layout.starts[n], layout.ends[n] - layout.starts[n]
        places.append(words.place(layout.units[n], at - begin, length, side))
    return places[0], places[1]


def _gaps_in_characters(blocks: Blocks) -> list[list[int]]:
    """The walk's gaps as places in the texts of blocks, joined by line feeds."""
    walk = blocks.walk
    # The first bytes of characters before each byte of the text.
    first = (np.frombuffer(walk.text, np.int8) >= -64).cumsum()
    before = walk.blocks[:, BlockColumn.START].searchsorted(walk.gaps, "right") - 1
    places = np.append(0, first)[walk.gaps] + before
    unique: list[list[int]] = np.unique(places, axis=0).tolist()
    return unique


class _Words:
    """The numbered words of a page; in scripts without spaces each character is one."""

    def __init__(self, texts: list[str], gaps: Iterable[Sequence[int]] = ()) -> None:
        self._text = text = "\n".join(texts)
        # Characters that are words of their own; text in ASCII has none.
        found = () if text.isascii() else IS_SPACELESS.finditer(text)
        signs = [sign.start() for sign in found]
        words = _WORD_OR_SIGN.findall(text) if signs else text.split()
        starts, ends = _word_places(text, signs)
        self._starts, self._ends = starts.tolist(), ends.tolist()
        # The words in the form in which they are compared.
        self._folded = [
            word.lower() if word.isascii() else _folded(word) for word in words
        ]
        self._block_at = [0, *accumulate(len(text) + 1 for text in texts)]
        self._grams = _Grams(self._folded)
        # The words that gaps separate from those before them, so that one that a gap may
        # be part of is alone; and those that lines do too.
        self._sealed: set[int] = set()
        feeds = [feed.start() for feed in re.finditer("\n", text)]
        lines = {0, len(words), *starts.searchsorted(feeds).tolist()}
        for start, end in gaps:
            first, behind = self._number(start, 1), self._number(end, 0)
            # The words around a space may be one in browsers.
            around = (
                first not in lines and self._number(start + 1, 0) == first == behind
            )
            self._sealed.update(range(first - around, behind + around + 1))
        self._bounds = sorted(lines | self._sealed)

    # -- places

    def place(self, block: int, offset: int, length: int, side: int) -> int:
        """The number of the first word at or after an offset in a block.

        On the side 1, it is the number after the last word before the offset.  If the
        block's length is not ``length``, it is shown with a text other than the page's,
        and the block as a whole counts.
        """
        at, end = self._block_at[block], self._block_at[block + 1] - 1
        if end - at != length:
            offset = side * (end - at)
        return self._number(min(at + max(offset, 0), end), side)

    def _number(self, at: int, side: int) -> int:
        return bisect_right(self._ends, at) if side else bisect_left(self._starts, at)

    def _line_of(self, word: int) -> tuple[int, int]:
        """A word's line, or part between gaps: its first word, and that after its last."""
        at = bisect_right(self._bounds, word)
        return self._bounds[at - 1], self._bounds[at]

    def _written(self, first: int, end: int) -> str:
        """A range of words as they are written, "" for an empty range."""
        if first >= end:
            return ""
        return self._text[self._starts[first] : self._ends[end - 1]]

    def _is_border(self, word: int, low: int, high: int) -> bool:
        """Whether any browser sees a word boundary before a word of a range."""
        if not low < word < high or self._starts[word] > self._ends[word - 1]:
            return True
        places = self._starts[word - 1 : word + 1]
        return not all(IS_SPACELESS.match(self._text, at) for at in places)

    def _border(self, word: int, low: int, high: int, step: int) -> int:
        """The nearest word boundary in one direction, the range's end if none is near."""
        near = range(word, word + step * _NEAR, step)
        edge = high if step > 0 else low
        return next((at for at in near if self._is_border(at, low, high)), edge)

    # -- fragments

    def fragment(self, first: int, end: int) -> str:
        """The fragment that finds a range of words, "" if there is none."""
        # A word alone between gaps may be one that browsers do not show.
        while end > first and {end - 1, end} <= self._sealed:
            end -= 1
        end = self._border(end, *self._line_of(end - 1), -1)
        for _ in range(_LINES):
            if first >= end:
                break
            low, high = self._line_of(first)
            first = self._border(first, low, high, 1)
            before, behind = self._beginning(first, low, min(high, end))
            if behind > first:
                prefix = self._written(before, first)
                parts = self._written(first, behind), self._ending(behind, end)
                return f"{_quoted(prefix)}-," * bool(prefix) + ",".join(
                    map(_quoted, filter(None, parts))
                )
            first = high
        return ""

    def _beginning(self, word: int, low: int, high: int) -> tuple[int, int]:
        """The range of words that identifies a passage, 0 and 0 for none.

        The passage begins with ``word``, and words from ``low`` to before ``high`` may
        be used.  A range that is unique is preferred to one that only comes first.
        """
        first_match = 0, 0
        if word == low and low > 0 and low not in self._sealed:
            low = self._line_of(low - 1)[0]
        for length in _LENGTHS:
            # All words from the beginning on, or half of them before it.
            for share in (length + 2, length // 2 + 1):
                behind = word + min(share, high - word)
                before = behind - length - 2
                if before < low:
                    continue
                behind = self._border(behind, word, high, 1)
                before = self._border(before, low, word, -1)
                parts = self._written(before, word), self._written(word, behind)
                if max(map(len, parts)) > _MOST:
                    continue
                first, once = self._grams.first_and_once(behind - length - 1, length)
                if once:
                    return before, behind
                if first and not first_match[1]:
                    first_match = before, behind
        return first_match

    def _ending(self, first: int, end: int) -> str:
        """Last words of a passage that occur once behind its beginning, or ""."""
        low = max(self._line_of(end - 1)[0], first)
        count = _END
        while low < end and count <= _MOST_END:
            begin = self._border(max(end - count, low), low, end, -1)
            text = self._written(begin, end)
            if len(text) > _MOST:
                break
            whole, last = (" ".join(self._folded[at:end]) for at in (first, begin))
            if whole.find(last) == len(whole) - len(last):
                return text
            count = 2 * count if begin > low else _MOST_END + 1
        return ""


def _word_places(text: str, signs: list[int]) -> tuple[_Order, _Order]:
    """The offsets at which words begin, and at which they end.

    ``signs`` are the offsets of characters that are words of their own.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    is_space = _IS_SPACE[np.minimum(codes, len(_IS_SPACE) - 1)]
    # Whether a word may not go on before each character, and behind the last.
    is_cut = np.ones(len(codes) + 1, dtype=np.bool_)
    is_cut[1:-1] = is_space[1:] | is_space[:-1]
    alone = np.array(signs, dtype=np.intp)
    is_cut[alone] = is_cut[alone + 1] = True
    starts = (is_cut[:-1] & ~is_space).nonzero()[0]
    ends = (is_cut[1:] & ~is_space).nonzero()[0] + 1
    return starts, ends


class _Grams:
    """Tells which n-grams of words are unique, for n that is a power of two."""

    def __init__(self, words: list[str]) -> None:
        hashes = np.fromiter(map(hash, words), np.int64, len(words))
        # For n of 1, 2, 4 and so on, the hash of the n-gram that begins at each word.
        self._hashes = [hashes.view(np.uint64)]
        # By n, the words in the order of their n-grams' hashes, and these in order.
        self._sorted: dict[int, tuple[_Order, npt.NDArray[np.uint64]]] = {}

    def first_and_once(self, at: int, length: int) -> tuple[bool, bool]:
        """Whether the n-gram at a word occurs there first, and whether only there.

        N-grams with equal hashes count as equal.
        """
        number = length.bit_length() - 1
        while len(self._hashes) <= number:
            half, last = 1 << (len(self._hashes) - 1), self._hashes[-1]
            self._hashes.append(last[:-half] * _FACTOR + last[half:])
        hashes = self._hashes[number]
        if length not in self._sorted:
            order = hashes.argsort(kind="stable")
            self._sorted[length] = order, hashes[order]
        (order, values), wanted = self._sorted[length], hashes[at]
        place = int(values.searchsorted(wanted))
        is_first = bool(order[place] == at)
        is_last = place + 1 == len(values) or bool(values[place + 1] != wanted)
        return is_first, is_first and is_last


def _folded(word: str) -> str:
    """A word as browsers compare it, without case and accents."""
    return _ACCENT.sub("", normalize("NFKD", word.casefold()))


def _quoted(text: str) -> str:
    # Dashes and commas separate the parts of a fragment; quote() escapes only commas.
    return quote(text, safe="").replace("-", "%2D")
