"""The weights of words at the beginnings of blocks, such as "Read also" or "said".

There is no list of words.  A WordTable has learned weights for the hashes of words, of
pairs of words, and of whole short blocks, in all languages of the training pages.  Case
is folded for Latin, Greek and Cyrillic, all numbers are the same word, and in scripts
without spaces each pair of neighbouring characters is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.characters import (
    CLASS_OF,
    CLASSES,
    DIGIT,
    UPPER,
    WIDE,
    WIDE_PLANES,
    WORD,
)
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.tagger.operations import CAP, NONE

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints, Rows

# How many characters of a block are read, how many words of these, and how many
# characters of each word.
SEEN, FIRST_WORDS, WORD_CHARS = 160, 8, 24
# A block of at most this many words also has a hash as a whole.
SHORT = 5
# The offset and the prime of FNV-1a, by which words are hashed.
BEGIN, PRIME = 0x811C9DC5, 0x01000193
# Numbers that are hashed with the first word of a block, the last one, and all words.
BEGINS, ENDS, ALONE = 1, 2, 3
NUMBER = "0"

# The lower case of each capital: 32 code points later, 80 for the first Cyrillic ones.
LOWER = {
    code: code + (80 if 0x400 <= code <= 0x40F else 32)
    for code, kind in enumerate(CLASSES)
    if kind == UPPER
}


@dataclass(frozen=True, slots=True)
class WordTable:
    """Weights of words in hundredths of a logit; ``hashes`` is sorted."""

    hashes: npt.NDArray[np.uint32]
    weight: npt.NDArray[np.int32]


def no_words() -> WordTable:
    return WordTable(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int32))


def heads(walk: Walk, most: int) -> Iterator[str]:
    """The beginnings of blocks, of ``most`` characters at most."""
    columns = (BlockColumn.START, BlockColumn.END)
    for start, end in watched(walk.blocks[:, columns].tolist()):
        # No character takes more than four bytes.
        head = walk.text[start : min(end, start + 4 * most)]
        yield head.decode("utf-8", "ignore")[:most]


def word_tokens(walk: Walk) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.intp]]:
    """The hashes of the first words of blocks, and the block of each hash."""
    tokens: list[int] = []
    counts = []
    is_whole = walk.blocks[:, BlockColumn.CHARS] <= SEEN
    for head, whole in zip(heads(walk, SEEN), is_whole.tolist(), strict=True):
        hashes = _tokens_of(head, whole)
        tokens += hashes
        counts.append(len(hashes))
    return np.array(tokens, dtype=np.uint32), np.repeat(np.arange(len(counts)), counts)


@lru_cache(maxsize=4096)
def _tokens_of(head: str, whole: bool) -> tuple[int, ...]:
    """The hashes for the beginning of a block; ``whole`` if that is all of the block."""
    words = list(map(_hash, words_in(head)[: FIRST_WORDS + 1]))
    if not words:
        return ()
    is_complete = whole and len(words) <= FIRST_WORDS
    del words[FIRST_WORDS:]
    hashes = [*words, *map(_pair, words, words[1:]), _pair(BEGINS, words[0])]
    if is_complete:
        hashes.append(_pair(ENDS, words[-1]))
        if len(words) <= SHORT:
            whole_hash = ALONE
            for word in words:
                whole_hash = _pair(whole_hash, word)
            hashes.append(whole_hash)
    return tuple(hashes)


# Short blocks are read twice, and the pages of a site share many of them.
@lru_cache(maxsize=1024)
def words_in(text: str) -> tuple[str, ...]:
    """The words of a text of some hundred characters, normalized for hashing."""
    runs = _runs().findall(text)
    if text.isascii():
        return tuple(map(_word, runs))
    return tuple(chain.from_iterable(map(_words, runs)))


def _words(run: str) -> Iterable[str]:
    """The words of a run of characters of one kind."""
    if CLASS_OF[ord(run[0])] == WIDE:
        return map("".join, pairwise(run))
    return (_word(run),)


# Made on first use, as the compiled twin does not need it.
@cache
def _runs() -> re.Pattern[str]:
    """A pattern for runs of letters, of digits, and of at least two wide characters."""
    first, last = WIDE_PLANES
    letters = (
        _all_of(WORD, UPPER) + f"\U00010000-{chr(first - 1)}{chr(last + 1)}-\U0010ffff"
    )
    wide = _all_of(WIDE) + f"{chr(first)}-{chr(last)}"
    return re.compile(f"[{letters}]+|[{_all_of(DIGIT)}]+|[{wide}]{{2,}}")


def _all_of(*kinds: int) -> str:
    """The characters of some classes in the first plane, for a set in a pattern."""
    runs = re.finditer(b"[%b]+" % bytes(kinds), CLASSES)
    return "".join(f"\\u{run.start():04x}-\\u{run.end() - 1:04x}" for run in runs)


# The caches are bounded, as a crawl finds ever new words.
@lru_cache(maxsize=65536)
def _word(run: str) -> str:
    """The word of a run of letters or digits."""
    if CLASS_OF[ord(run[0])] == DIGIT:
        return NUMBER
    return run[:WORD_CHARS].translate(LOWER)


@lru_cache(maxsize=65536)
def _hash(word: str) -> int:
    value = BEGIN
    for character in word:
        value = (value ^ ord(character)) * PRIME & 0xFFFFFFFF
    return value


def _pair(first: int, second: int) -> int:
    return (first * 31 ^ second) * PRIME & 0xFFFFFFFF


def places_in(
    hashes: npt.NDArray[np.uint32], values: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """For each value its place in a sorted table, and whether the table has it."""
    if not len(hashes):
        return np.zeros(len(values), np.intp), np.zeros(len(values), np.bool_)
    place = np.minimum(hashes.searchsorted(values), len(hashes) - 1)
    return place, hashes[place] == values


def weighed(
    owner: npt.NDArray[np.intp], weights: npt.NDArray[np.int32], count: int
) -> Ints:
    """For each of ``count`` owners the sum, minimum and maximum of its words' weights.

    The minimum is at most 0, the maximum at least 0.  ``owner`` has the owner of each
    word, in ascending order.
    """
    out = np.zeros((3, count), dtype=np.int64)
    if len(owner):
        starts = np.diff(owner, prepend=NONE).nonzero()[0]
        of = owner[starts]
        out[0, of] = np.add.reduceat(weights, starts, dtype=np.int64)
        out[1, of] = np.minimum(np.minimum.reduceat(weights, starts), 0)
        out[2, of] = np.maximum(np.maximum.reduceat(weights, starts), 0)
    return out


def word_facts(walk: Walk, table: WordTable) -> Rows:
    """For each block the sum, the minimum and the maximum of its words' weights."""
    count = len(walk.blocks)
    total, low, high = np.zeros((3, count), dtype=np.int64)
    if len(table.hashes) and walk.text:
        tokens, block = word_tokens(walk)
        place, known = places_in(table.hashes, tokens)
        total, low, high = weighed(block[known], table.weight[place[known]], count)
    # It is bounded, as features sum it up over many blocks.
    total = total.clip(-CAP, CAP)
    return {"text": total, "text_low": low, "text_high": high}
