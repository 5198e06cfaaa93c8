"""What is learned of kinds of page: weights of words, and lines for likelihoods."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from scrapy_eatext.tagger.context import CHANCE, ZERO
from scrapy_eatext.tagger.facts import TokenTable
from scrapy_eatext.tagger.kinds import LEVEL, name_votes
from tests.tagger.test_kinds import walk_of

pytest.importorskip("scipy")
pytest.importorskip("catboost")
pytest.importorskip("threadpoolctl")
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


PAGES, BLOCKS = 300, 40


def learned(*changes: tuple[float, int]) -> list[list[int]]:
    """The lines where, by kind, the true logits are so many times the given ones, and more."""
    chance = np.random.default_rng(0)
    samples, likelihoods, votes = [], [], []
    for number in range(PAGES):
        kind = number % len(changes)
        found = chance.integers(ZERO - 400, ZERO + 401, BLOCKS)
        times, more = changes[kind]
        true = ((found - ZERO) * times + more + ZERO).astype(np.int64).clip(0, 2 * ZERO)
        share = (chance.integers(0, 1000, BLOCKS) < CHANCE[true]).astype(np.float32)
        # The walk makes no difference.
        samples.append(tagger.Sample("", "", None, share, true=Counter()))
        likelihoods.append(found)
        votes.append(np.array([500 if k == kind else 2 for k in range(len(changes))]))
    words = [np.full(BLOCKS, 10)] * PAGES
    return tagger.calibration_lines(samples, words, likelihoods, votes).tolist()


def test_chances_that_are_right_stay() -> None:
    for slope, more in learned((1, 0), (1, 0)):
        assert slope == pytest.approx(LEVEL, rel=0.1)
        assert more == pytest.approx(0, abs=12)


def test_each_kind_has_its_own_line() -> None:
    (steep, less), (flat, more) = learned((1.2, -60), (0.6, 60))
    assert steep > LEVEL > flat + 200
    assert less < -30
    assert more > 30
    # Pages of segments teach none.
    share = np.ones(4, dtype=np.float32)
    page = tagger.Sample("", "", None, share)
    given = [np.ones(4)], [np.full(4, ZERO)], [np.array([5, 5])]
    lines = tagger.calibration_lines([page], *given)
    assert lines.tolist() == [[LEVEL, 0]] * 2
