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
from collections.abc import Iterable, Sequence
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
    masks = dict.fromkeys(page, 0)
    for place, word in enumerate(true):
        if word in masks:
            masks[word] |= 1 << place
    of_page = [masks[word] for word in page]
    # Every step-th row of the table is stored, and those between are computed again, from
    # the last to the first: memory grows only with the square root of the page's length.
    step = math.isqrt(m) + 1
    starts = range(0, m, step)
    stored = [(1 << n) - 1]
    for start in starts:
        stored.append(_rows(stored[-1], of_page[start : start + step], stored[0])[-1])
    j = n
    for start, before in zip(reversed(starts), stored[-2::-1], strict=True):
        rows = _rows(before, of_page[start : start + step], stored[0])
        for i, row in reversed(list(enumerate(rows, start))):
            while j and page[i] != true[j - 1] and row >> (j - 1) & 1:
                j -= 1
            if j and page[i] == true[j - 1]:
                shared[i] = True
                j -= 1
    return shared


def _rows(row: int, masks: Iterable[int], full: int) -> list[int]:
    """The rows of the table of lengths, as bits of their differences, after one row.

    The i-th row has a 0 at bit j - 1 where the first i words of the page have one word
    more in common with the first j words of the text than with the first j - 1.  For
    each word of the page ``masks`` has the bits of its places in the text.
    """
    rows = []
    for mask in masks:
        both = row & mask
        row = ((row + both) | (row - both)) & full
        rows.append(row)
    return rows


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
