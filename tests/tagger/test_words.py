"""Which words of a block count, how they are told apart, and what is learned of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_eatext.page import Page
from scrapy_eatext.tagger.words import (
    ALONE,
    BEGINS,
    ENDS,
    SEEN,
    WordTable,
    word_facts,
    word_tokens,
)

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk

BITS = 0xFFFFFFFF


def word(text: str) -> int:
    """The 32-bit FNV-1a hash, of characters instead of bytes."""
    return reduce(lambda h, c: (h ^ ord(c)) * 0x01000193 & BITS, text, 0x811C9DC5)


def both(one: int, other: int) -> int:
    return (one * 31 ^ other) * 0x01000193 & BITS


def word_table(weights: Mapping[tuple[str, ...], int]) -> WordTable:
    """A table of words and of pairs of words."""
    rows = sorted((reduce(both, map(word, key)), w) for key, w in weights.items())
    hashes, weight = np.array(rows).T
    return WordTable(hashes.astype(np.uint32), weight.astype(np.int32))


def walk_of(*texts: str) -> Walk:
    return Page.of("".join(f"<p>{text}</p>" for text in texts)).blocks.walk


def tokens(text: str) -> list[int]:
    found, of = word_tokens(walk_of(text))
    assert set(of.tolist()) <= {0}
    return found.tolist()


def expected(*words: str, whole: bool = True) -> list[int]:
    """The hashes of a block of these words, of which eight count."""
    first = [word(w) for w in words[:8]]
    found = [*first, *map(both, first, first[1:]), both(BEGINS, first[0])]
    if whole and len(words) <= 8:
        found.append(both(ENDS, first[-1]))
        if len(words) <= 5:
            found.append(reduce(both, first, ALONE))
    return sorted(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Leave a Reply", "leave a reply"),
        ("38 comments (12)", "0 comments 0"),
        ("iPhone15: don't", "iphone 0 don t"),
        (
            "\u00c4RGER \u0391\u03a9 \u041b\u0435\u0432 \u0401\u0436",
            "\u00e4rger \u03b1\u03c9 \u043b\u0435\u0432 \u0451\u0436",
        ),
        # Neighbouring characters, two at a time; one by itself is no word.
        ("\u6c49\u5b57\u6f22\u5b57, \u5b57", "\u6c49\u5b57 \u5b57\u6f22 \u6f22\u5b57"),
        ("\u30c6\u30b9\u30c8ab", "\u30c6\u30b9 \u30b9\u30c8 ab"),
        ("a b c d e", "a b c d e"),
        ("a b c d e f", "a b c d e f"),
        ("a b c d e f g h", "a b c d e f g h"),
        ("a b c d e f g h i j", "a b c d e f g h i j"),
        ("x" * 40, "x" * 24),
    ],
)
def test_words_of_a_block(text: str, words: str) -> None:
    assert sorted(tokens(text)) == expected(*words.split())


def test_no_more_of_a_block_is_looked_at() -> None:
    assert tokens("\u2026 \u2014 \u5b57") == []
    text = "word " + "." * SEEN + " other"
    assert sorted(tokens(text)) == expected("word", whole=False)
    # Of a word across the border, only the part before the border.
    text = "a" * (SEEN - 4) + " bcdef"
    assert sorted(tokens(text)) == expected("a" * 24, "bcd", whole=False)


def test_words_and_weights_are_of_their_blocks() -> None:
    found, of = word_tokens(walk_of("one", "\u2026", "two three"))
    assert np.bincount(of, minlength=3).tolist() == [4, 0, 6]
    assert found[of == 0].tolist()[0] == word("one")
    table = word_table({("read",): -30, ("read", "also"): -200, ("bread",): 70})
    facts = word_facts(walk_of("Read also: bread", "bread Bread", "salt"), table)
    assert facts["text"].tolist() == [-160, 140, 0]
    assert facts["text_low"].tolist() == [-200, 0, 0]
    assert facts["text_high"].tolist() == [70, 70, 0]


def test_what_is_learned() -> None:
    pytest.importorskip("catboost")
    from scrapy_eatext.learning.tagger import Sample
    from scrapy_eatext.learning.words import learn_words

    share = np.array([1, 0], dtype=np.float32)

    def learned(*sites: tuple[str, str]) -> WordTable:
        samples = [
            Sample(site, "article", walk_of("Bread is made of rye", text), share)
            for site, text in sites
        ]
        return learn_words(samples, [word_tokens(s.walk) for s in samples])

    # "rare" is a word of four sites, "Reply" of all of them.
    ends = ["rare"] * 4 + ["usual"] * 26
    table = learned(
        *((f"{n}.example", f"Reply to {end}") for n, end in enumerate(ends))
    )
    weight = dict(zip(table.hashes.tolist(), table.weight.tolist(), strict=True))
    assert table.hashes.tolist() == sorted(weight)
    assert weight[word("reply")] < 0 < weight[word("bread")]
    assert weight[both(BEGINS, word("reply"))] < 0
    assert word("rare") not in weight
    facts = word_facts(walk_of("Reply", "Rye bread"), table)
    assert facts["text"][0] < 0 < facts["text"][1]
    assert not len(learned(*[("one.example", "Reply")] * 9).hashes)
