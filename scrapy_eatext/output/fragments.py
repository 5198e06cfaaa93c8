"""Addresses of passages of a page: text fragments, at which browsers open it.

A browser shows the first place on a page that has the words of a fragment; they have to
stand in one line, or in a line and behind the one before it.  So the words that a passage
begins with, and words before them where it needs, are as many as stand together once on
the page, or for the first time: https://wicg.github.io/scroll-to-text-fragment/
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import accumulate, chain
from typing import TYPE_CHECKING
from unicodedata import normalize
from urllib.parse import quote

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.output.passages import IS_SPACELESS, SPACELESS
from scrapy_eatext.page.blocks import Blocks

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.output.passages import Layout

# How many words are compared: those between the first and the last word of a fragment,
# which may have other signs around them elsewhere.
_LENGTHS = (2, 4, 8, 16, 32)
# The fewest and the most words of the end of a passage, which are doubled as needed.
_END, _MOST_END = 3, 48
# The most characters of a part of a fragment.
_MOST = 300
# How many lines of a passage are tried.
_LINES = 3
# How many words away a border of words is looked for.
_NEAR = 64
# Of how many lines the places of words are kept.
_KEPT = 8
_WORD = re.compile(r"\S+")
_WORD_OR_SIGN = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
_ACCENT = re.compile("[\u0300-\u036f]")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def addresses(
    judged: JudgedPage, layout: Layout, places: list[tuple[int, int]]
) -> list[str]:
    """The address of each passage, given by where it begins and ends in the text.

    A passage that is no text of the page, or that no fragment tells from others, has the
    address of the page, and "" if that is not known.
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
    words = _Words(units.texts(list(range(len(units)))))
    mark = "" if "#" in url else "#"
    found: list[str] = []
    for start, end in watched(places, 64):
        fragment = words.fragment(*_range(layout, words, start, end))
        found.append(f"{url}{mark}:~:text={fragment}" if fragment else url)
    return found


def _range(layout: Layout, words: _Words, start: int, end: int) -> tuple[int, int]:
    """The words of the page, from one number to before another, of a passage."""
    first = bisect_right(layout.ends, start)
    last = max(bisect_left(layout.starts, end) - 1, first)
    if layout.units[first] < 0 and first < last:
        first += 1  # a headline that is not on the page as it is
    if layout.units[first] < 0:
        return 0, 0
    unit, length = layout.units[first], layout.ends[first] - layout.starts[first]
    begin = words.begin(unit, start - layout.starts[first], length)
    unit, length = layout.units[last], layout.ends[last] - layout.starts[last]
    return begin, words.end(unit, end - layout.starts[last], length)


class _Words:
    """The words of a page, by number; a sign of a script without spaces is one."""

    def __init__(self, texts: list[str]) -> None:
        text = "\n".join(texts)
        self._lines = text.split("\n")
        self._pattern = _WORD
        split: Callable[[str], list[str]] = str.split
        if not text.isascii() and IS_SPACELESS.search(text):
            self._pattern, split = _WORD_OR_SIGN, _WORD_OR_SIGN.findall
        of_lines = [
            split(line.lower()) if line.isascii() else list(map(_folded, split(line)))
            for line in self._lines
        ]
        # The words as they are compared.
        self._folded = list(chain.from_iterable(of_lines))
        # The number of the first word of each line, and where lines and blocks begin.
        self._first = [0, *accumulate(map(len, of_lines))]
        self._line_at = [0, *accumulate(len(line) + 1 for line in self._lines)]
        self._block_at = [0, *accumulate(len(text) + 1 for text in texts)]
        self._spans: dict[int, tuple[list[int], list[int]]] = {}
        self._grams = _Grams(self._folded)

    # -- places

    def begin(self, block: int, offset: int, length: int) -> int:
        """The number of the first word behind a character of a block.

        A block that does not have the length has another text here than it is shown
        with; then it is the block's first word.
        """
        at, end = self._block_at[block], self._block_at[block + 1] - 1
        return self._number(at + max(offset, 0) * (end - at == length), 0)

    def end(self, block: int, offset: int, length: int) -> int:
        """The number behind the last word before a character of a block, as above."""
        at, end = self._block_at[block], self._block_at[block + 1] - 1
        return self._number(min(at + offset, end) if end - at == length else end, 1)

    def _number(self, at: int, side: int) -> int:
        line = min(bisect_right(self._line_at, at), len(self._lines)) - 1
        places, offset = self._of_line(line)[side], at - self._line_at[line]
        before = (bisect_right if side else bisect_left)(places, offset)
        return self._first[line] + before

    def _of_line(self, line: int) -> tuple[list[int], list[int]]:
        """Where the words of a line begin and end; those of the last lines are kept."""
        if line not in self._spans:
            if len(self._spans) > _KEPT:
                self._spans.clear()
            spans = [one.span() for one in self._pattern.finditer(self._lines[line])]
            self._spans[line] = [one[0] for one in spans], [one[1] for one in spans]
        return self._spans[line]

    def _line_of(self, word: int) -> tuple[int, int]:
        """The numbers of the first word of a word's line and of the one behind it."""
        line = bisect_right(self._first, word) - 1
        return self._first[line], self._first[line + 1]

    def _text(self, first: int, end: int) -> str:
        """Some words of a line as they stand there, "" for none."""
        if first >= end:
            return ""
        line = bisect_right(self._first, first) - 1
        begins, ends = self._of_line(line)
        at = self._first[line]
        return self._lines[line][begins[first - at] : ends[end - 1 - at]]

    def _is_border(self, word: int, low: int, high: int) -> bool:
        """Whether a browser surely takes the place before a word for a border of words."""
        if not low < word < high:
            return True
        line = bisect_right(self._first, word) - 1
        begins, ends = self._of_line(line)
        at, text = word - self._first[line], self._lines[line]
        if begins[at] > ends[at - 1]:
            return True
        return not (
            IS_SPACELESS.match(text, begins[at])
            and IS_SPACELESS.match(text, begins[at - 1])
        )

    def _border(self, word: int, low: int, high: int, step: int) -> int:
        """The next border of words from one on, if it is near."""
        for at in range(word, word + step * _NEAR, step):
            if self._is_border(at, low, high):
                return at
        return word

    # -- fragments

    def fragment(self, first: int, end: int) -> str:
        """What a fragment says to find some of the words, "" if none finds them."""
        for _ in range(_LINES):
            if first >= end:
                break
            low, high = self._line_of(first)
            before, behind = self._beginning(first, low, min(high, end))
            if behind:
                prefix = self._text(before, first)
                parts = self._text(first, behind), self._ending(behind, end)
                return f"{_quoted(prefix)}-," * bool(prefix) + ",".join(
                    map(_quoted, filter(None, parts))
                )
            first = high
        return ""

    def _beginning(self, word: int, low: int, high: int) -> tuple[int, int]:
        """Where the words begin and end that find a passage, 0 and 0 for none.

        The passage begins with a word of a line, and those of the line that may be used
        go from ``low`` to before ``high``.
        """
        found = 0, 0
        if word == low and low > 0:
            low = self._line_of(low - 1)[0]
        for length in _LENGTHS:
            # All behind the beginning, or half before it.
            for share in (length + 2, length // 2 + 1):
                behind = word + min(share, high - word)
                before = behind - length - 2
                if before < low:
                    continue
                behind = self._border(behind, word, high, 1)
                before = self._border(before, low, word, -1)
                parts = self._text(before, word), self._text(word, behind)
                if max(map(len, parts)) > _MOST:
                    continue
                first, once = self._grams.first_and_once(behind - length - 1, length)
                if once:
                    return before, behind
                found = found if found[1] or not first else (before, behind)
        return found

    def _ending(self, first: int, end: int) -> str:
        """The last words of a passage that come once in it, behind those of its beginning.

        "" if there are none.
        """
        low = max(self._line_of(end - 1)[0], first)
        count = _END
        while low < end and count <= _MOST_END:
            begin = self._border(max(end - count, low), low, end, -1)
            text = self._text(begin, end)
            if len(text) > _MOST:
                break
            whole, last = (" ".join(self._folded[at:end]) for at in (first, begin))
            if whole.find(last) == len(whole) - len(last):
                return text
            count = 2 * count if begin > low else _MOST_END + 1
        return ""


class _Grams:
    """Which runs of words come once; the length of a run is a power of two."""

    def __init__(self, words: list[str]) -> None:
        hashes = np.fromiter(map(hash, words), np.int64, len(words))
        # For each length, from 1 on, a hash of the run that begins with each word.
        self._hashes = [hashes.view(np.uint64)]
        # The same in order, behind the words that they begin with.
        self._sorted: dict[
            int, tuple[npt.NDArray[np.intp], npt.NDArray[np.uint64]]
        ] = {}

    def first_and_once(self, at: int, length: int) -> tuple[bool, bool]:
        """Whether a run that begins with a word comes there first, and whether once.

        Runs of one hash count as the same.
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
    if word.isascii():  # the usual case, a fifth of the time
        return word.lower()
    return _ACCENT.sub("", normalize("NFKD", word.casefold()))


def _quoted(text: str) -> str:
    # A dash and a comma are signs of the directive.
    return quote(text, safe="").replace("-", "%2D")
