"""How the words in attributes are weighed for kinds of page."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from scrapy_eatext.tagger.facts import TokenTable
from scrapy_eatext.tagger.kinds import name_votes
from tests.tagger.test_kinds import walk_of

pytest.importorskip("scipy")
pytest.importorskip("catboost")
words = pytest.importorskip("scrapy_eatext.learning.words")
tagger = pytest.importorskip("scrapy_eatext.learning.tagger")

KINDS = ["article", "forum", "product"]
NAMES = {
    "article": ("byline", "article", "column"),
    "forum": ("thread", "reply", "signature"),
    "product": ("cart", "price", "stock"),
}


def sample(number: int, kind: str, names: list[str], **known: object) -> object:
    share = np.zeros(len(names), dtype=np.float32)
    site = f"{number}.example"
    return tagger.Sample(site, kind, walk_of(*names), share, **known)


def samples() -> list[object]:
    chance = np.random.default_rng(7)
    made = []
    for number in range(90):
        kind = KINDS[number % 3]
        own = chance.choice(NAMES[kind], 2, replace=False).tolist()
        others = chance.choice(["menu", "footer", "cart", "column"], 2).tolist()
        made.append(sample(number, kind, own + others, true=Counter()))
    return made


def test_names_vote_for_the_kind_of_the_pages_that_have_them() -> None:
    pages = samples()
    hashes = np.unique(np.concatenate([page.walk.tokens for page in pages]))
    of_kinds = dict.fromkeys(KINDS, 1.0)
    weight = words.learn_kinds(pages, hashes, of_kinds)
    none = np.zeros(len(hashes), dtype=np.int32)
    table = TokenTable(hashes, none, none, none - 1, weight)
    for kind, names in NAMES.items():
        votes = name_votes(walk_of("menu", *names), table)
        assert KINDS[int(votes.argmax())] == kind
    assert weight.dtype == np.int16
    # Each page by the votes without it, and one that was never seen in any.
    unseen = replace(table, kinds=words.learn_kinds([], hashes, of_kinds))
    of_names = words.votes_of_names(pages[:3], [table, unseen], np.array([0, 1, 0]))
    assert of_names[0].tolist() == name_votes(pages[0].walk, table).tolist()
    assert of_names[1].tolist() == [0, 0, 0]
    # Pages of which segments are known have no say.
    weights = dict.fromkeys([*KINDS, "page"], 1.0)
    weight = words.learn_kinds(pages, hashes, weights)
    others = [sample(100 + n, "page", ["thread", "cart"]) for n in range(9)]
    again = words.learn_kinds([*pages, *others], hashes, weights)
    assert again.tolist() == weight.tolist()
