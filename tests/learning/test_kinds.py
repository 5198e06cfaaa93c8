"""How the words on pages are weighed for kinds of page."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_eatext.page import Page
from scrapy_eatext.tagger.facts import TokenTable
from scrapy_eatext.tagger.kinds import KindVotes
from scrapy_eatext.tagger.words import WordTable, word_tokens

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk

pytest.importorskip("scipy")
pytest.importorskip("catboost")
kinds = pytest.importorskip("scrapy_eatext.learning.kinds")
tagger = pytest.importorskip("scrapy_eatext.learning.tagger")

KINDS = ["article", "forum", "product"]
NAMES = {
    "article": ("byline", "article", "column"),
    "forum": ("thread", "reply", "signature"),
    "product": ("cart", "price", "stock"),
}


def walk_of(names: list[str], text: str = "Some words.") -> Walk:
    boxes = "".join(f"<div class={name}><p>{text}</p></div>" for name in names)
    return Page.of(f"<body>{boxes}").blocks.walk


def sample(number: int, kind: str, names: list[str], **known: object) -> object:
    share = np.zeros(len(names), dtype=np.float32)
    site = f"{number}.example"
    return tagger.Sample(site, kind, walk_of(names), share, **known)


def samples() -> list[object]:
    chance = np.random.default_rng(7)
    made = []
    for number in range(90):
        kind = KINDS[number % 3]
        own = chance.choice(NAMES[kind], 2, replace=False).tolist()
        others = chance.choice(["menu", "footer", "cart", "column"], 2).tolist()
        made.append(sample(number, kind, own + others, true=Counter()))
    return made


def learned(pages: list[object], names: tuple[str, ...] = tuple(KINDS)) -> object:
    tokens = [word_tokens(page.walk) for page in pages]
    every = [np.concatenate([page.walk.tokens for page in samples()])]
    every.append(np.concatenate([words for words, _ in tokens] or every))
    hashes, words = map(np.unique, every)
    none, no_words = (np.zeros(len(of), dtype=np.int32) for of in (hashes, words))
    table = TokenTable(hashes, none, none, none - 1, WordTable(words, no_words))
    return kinds.learn_kinds(pages, tokens, table, KINDS, dict.fromkeys(names, 1.0))


def test_names_vote_for_the_kind_of_the_pages_that_have_them() -> None:
    pages = samples()
    tables = learned(pages)
    votes = KindVotes(*tables)
    for kind, names in NAMES.items():
        figures = votes.figures(walk_of(["menu", *names]))
        assert KINDS[int(figures[0].argmax())] == kind
    assert {table.weight.dtype for table in tables} == {np.dtype(np.int16)}
    # Each page by the votes without it, and one that was never seen in any.
    none = KindVotes(*learned([]))
    found = kinds.figures_of_votes(pages[:3], [votes, none], np.array([0, 1, 0]))
    assert found[0].tolist() == votes.figures(pages[0].walk).tolist()
    assert found[1].tolist() == [[0, 0, 0], [0, 0, 0]]


def test_words_vote_for_the_kind_of_the_pages_that_have_them() -> None:
    chance = np.random.default_rng(3)
    texts = {"article": "By our reporter", "forum": "Quote this", "product": "In stock"}
    pages = []
    for number in range(60):
        kind = KINDS[number % 3]
        page = sample(number, kind, ["menu"], true=Counter())
        text = chance.choice([texts[kind], "Read more", "About us"])
        pages.append(replace(page, walk=walk_of(["menu"], text)))
    votes = KindVotes(*learned(pages))
    for kind, text in texts.items():
        assert KINDS[int(votes.figures(walk_of(["menu"], text))[1].argmax())] == kind


def test_pages_of_which_segments_are_known_have_no_say() -> None:
    pages = samples()
    every = (*KINDS, "page")
    others = [sample(100 + n, "page", ["thread", "cart"]) for n in range(9)]
    for one, other in zip(
        learned(pages, every), learned([*pages, *others], every), strict=True
    ):
        assert one.weight.tolist() == other.weight.tolist()
