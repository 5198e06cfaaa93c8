"""Labels for the words and blocks of a page, from its true text.

A page's words are aligned with those of the true text by their longest common
subsequence, as Dragnet's authors did; a block's label is the share of its words that
are in the subsequence.  The subsequence is exact.  It is found with rows of bits
(Crochemore, Iliopoulos, Pinzon and Reid 2001; Hyyrö 2004), 10,000 words against 10,000
in well under a second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.learning import DataError
from scrapy_eatext.page import Page

if TYPE_CHECKING:
    from scrapy_eatext.learning.data import LabelledPage

# Runs of letters and digits, the original's words.
_RUN = re.compile(r"[^\W_]+")
# The same, but in scripts without spaces between words each character is a word.
_SPACELESS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_SPACELESS}]|[^\\W_{_SPACELESS}]+")

# The least share of the true text that must be on its page to learn from it.
MIN_FOUND = 0.2
# The time of the alignment is proportional to page x text; beyond this it takes
# minutes.
_MAX_CELLS = 10**11


def words(text: str, *, reference: bool = False) -> list[str]:
    """The words of a text for the alignment, with ``reference`` the original's."""
    return _RUN.findall(text) if reference else _WORD.findall(text.lower())


def common(page: Sequence[str], true: Sequence[str]) -> NDArray[np.bool_]:
    """For each word of the page, whether it is in the longest common subsequence.

    Ties are decided as in the original: from the end backwards, equal words are
    matched; otherwise a word of the true text is skipped if that loses nothing, else a
    word of the page.  Raises ValueError if the product of the lengths is above 10^11.
    """
    m, n = len(page), len(true)
    if m * n > _MAX_CELLS:
        raise ValueError(f"{m} words against {n} are too many to align")
    shared = np.zeros(m, dtype=np.bool_)
    if not m or not n:
        return shared
    rows = _Rows(page, true)
    i, j = m, n
    while i and j:
        if page[i - 1] == true[j - 1]:
            shared[i - 1] = True
            i -= 1
            j -= 1
        elif rows.same(i, j):
            j -= 1
        else:
            i -= 1
    return shared


class _Rows:
    """The rows of the alignment's table of lengths, as bits of their differences.

    Row i has a 0 at bit j - 1 where the first i words of the page have one word more in
    common with the first j words of the text than with the first j - 1.  Every step-th
    row is stored; rows in between are computed again on demand, from the last to the
    first, so that memory grows only with the square root of the page's length.
    """

    def __init__(self, page: Sequence[str], true: Sequence[str]) -> None:
        places: dict[str, list[int]] = {word: [] for word in page}
        for j, word in enumerate(true):
            if word in places:
                places[word].append(j)
        masks = {word: _mask(at, len(true)) for word, at in places.items()}
        self._masks = [masks[word] for word in page]
        self._full = (1 << len(true)) - 1
        self._bytes = (len(true) + 7) // 8
        self._step = math.isqrt(len(page)) + 1
        self._stored = [self._full]
        for start in range(0, len(page), self._step):
            self._stored.append(self._run(self._stored[-1], start)[-1])
        self._start = len(page)
        self._near: list[bytes] = []

    def same(self, i: int, j: int) -> bool:
        """Whether the j-th word of the text adds nothing for the page's first i."""
        if i <= self._start:
            part = (i - 1) // self._step
            self._start = part * self._step
            rows = self._run(self._stored[part], self._start)
            self._near = [row.to_bytes(self._bytes, "little") for row in rows]
        row = self._near[i - 1 - self._start]
        return bool(row[(j - 1) >> 3] >> ((j - 1) & 7) & 1)

    def _run(self, row: int, start: int) -> list[int]:
        """The rows of one step, after a stored row."""
        rows = []
        for mask in self._masks[start : start + self._step]:
            both = row & mask
            row = ((row + both) | (row - both)) & self._full
            rows.append(row)
        return rows


def _mask(places: Sequence[int], size: int) -> int:
    """A number whose bits at the places are set."""
    bits = bytearray((size + 7) // 8)
    for j in places:
        bits[j >> 3] |= 1 << (j & 7)
    return int.from_bytes(bits, "little")


@dataclass(frozen=True)
class Labels:
    """The labels of a page's blocks, from its true text.

    ``share`` has the share of each block's words that are in the true text, and
    ``words`` the number of its words.  ``found`` and ``wanted`` are numbers of words of
    the true text: those found on the page, and all.
    """

    share: NDArray[np.float64]
    words: NDArray[np.int64]
    found: int
    wanted: int


def parsed(page: LabelledPage) -> tuple[Page, list[str]]:
    """A page, and the texts of its blocks."""
    parsed_page = Page.of(page.html, page.url or None)
    return parsed_page, parsed_page.blocks.texts()


def label_page(
    blocks: Sequence[str], page: LabelledPage, true: str, *, reference: bool = False
) -> Labels:
    """label(); for texts that are too long it raises DataError, naming the page."""
    try:
        return label(blocks, true, reference=reference)
    except ValueError as error:
        raise DataError(f"{page.file}: {error}") from error


def label_content(blocks: Sequence[str], page: LabelledPage) -> Labels:
    """The labels by a page's main text.  Raises DataError if too little is on the page."""
    labels = label_page(blocks, page, page.text)
    if labels.found < MIN_FOUND * labels.wanted:
        raise DataError(f"{page.file}: its true text is not in it")
    return labels


def label(blocks: Sequence[str], true: str, *, reference: bool = False) -> Labels:
    """Label a page's blocks, given by their texts, by the page's true text."""
    split = [words(block, reference=reference) for block in blocks]
    wanted = words(true, reference=reference)
    counts = np.array([len(block) for block in split], dtype=np.int64)
    shared = common([word for block in split for word in block], wanted)
    # A block's sum is a difference of cumulative sums.
    ends = np.cumsum(counts)
    sums = np.concatenate(([0], np.cumsum(shared)))
    inside = sums[ends] - sums[ends - counts] if split else np.zeros(0)
    share = inside / np.maximum(counts, 1)
    return Labels(share, counts, int(shared.sum()), len(wanted))
