"""The compiled tagger gives the numbers of the Python one, to the last bit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrapy_eatext
from scrapy_eatext.page import Page
from scrapy_eatext.page import walk as walking
from scrapy_eatext.page.columns import BLOCK_COLUMNS, ELEMENT_COLUMNS
from scrapy_eatext.page.tags import TAGS
from scrapy_eatext.page.walk import Walk
from scrapy_eatext.tagger.context import FEATURES, HIGHEST
from scrapy_eatext.tagger.facts import TokenTable, weights
from scrapy_eatext.tagger.features import features_with
from scrapy_eatext.tagger.model import PythonTagger, Tagger, likelihood_of
from scrapy_eatext.tagger.operations import CAP, NONE
from scrapy_eatext.tagger.selection import (
    FAVOR,
    SETS,
    Selection,
    python_kept_of,
    select,
)
from scrapy_eatext.tagger.trees import NO_TREES, NamedTrees, PythonForest, Trees
from scrapy_eatext.tagger.whole import NAMES, page_figures, python_page_figures
from scrapy_eatext.tagger.words import SEEN, WordTable, word_tokens
from tests.support.hostile import every_page
from tests.support.pages import any_pages
from tests.support.properties import COMPILED_ONLY, both
from tests.support.suites import EXAMPLE

pytestmark = COMPILED_ONLY
if scrapy_eatext.compiled:
    from scrapy_eatext.native import _tagger

INT32 = np.iinfo(np.int32)
SEEDS = st.integers(0, 2**32 - 1)
TAGGERS = both(PythonTagger, Tagger)
PARAGRAPHS = "<p>one two three<ul><li>four<li>five</ul>" * 60


def walk_of(page: str | bytes) -> Walk:
    return walking.walk(Page.of(page).root)


def any_table(rng: np.random.Generator, walk: Walk) -> TokenTable:
    """Some of the page's words and some others, heavy, light, with flags."""
    there = rng.choice(walk.tokens, rng.integers(0, 20)) if len(walk.tokens) else []
    others = rng.integers(0, 2**32, rng.integers(0, 20))
    hashes = np.unique(np.append(there, others).astype(np.uint32))
    most = int(rng.choice([5, 500, INT32.max]))
    near, far = rng.integers(-most, most, (2, len(hashes))).astype(np.int32)
    flag = np.full(len(hashes), -1, dtype=np.int32)
    flagged = rng.permutation(len(hashes))[: rng.choice([0, 3, 64])]
    flag[flagged] = np.arange(len(flagged))
    kinds = rng.integers(-500, 501, (len(hashes), rng.integers(0, 20))).astype(np.int16)
    return TokenTable(hashes, near, far, flag, kinds, any_words(rng, walk))


def any_words(rng: np.random.Generator, walk: Walk) -> WordTable:
    """Half of the words that the page's blocks begin with and some others."""
    there = word_tokens(walk)[0] if walk.text else np.zeros(0, dtype=np.uint32)
    others = rng.integers(0, 2**32, 5).astype(np.uint32)
    hashes = np.unique(np.append(there[rng.random(len(there)) < 0.5], others))
    most = int(rng.choice([5, 500, INT32.max]))
    return WordTable(hashes, rng.integers(-most, most, len(hashes)).astype(np.int32))


def any_trees(rng: np.random.Generator, names: list[str], values: np.ndarray) -> Trees:
    """Trees that ask about some features, with borders at and about their values.

    A feature may have no border or as many as there can be, or the ends of what
    fits 32 bits; then no tree asks about it, or in vain.
    """
    asked = rng.permutation(len(names))[: rng.integers(1, 30)]
    borders = []
    for place in asked:
        near = rng.choice(values[place], rng.choice([0, 1, 5, 400]))
        ends = rng.choice([INT32.min, -CAP, CAP, INT32.max], rng.integers(0, 3))
        at = np.append(near + rng.integers(-1, 2, len(near)), ends)
        borders.append(np.unique(at.astype(np.int32))[:255])
    counts = np.array([len(some) for some in borders])
    depth, classes = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    count = int(rng.choice([0, 1, 7, 40])) if counts.any() else 0
    feature = (
        rng.choice(np.flatnonzero(counts), (count, depth)) if count else counts[:0]
    )
    feature = feature.reshape(count, depth).astype(np.int16)
    most = int(rng.choice([10, 2**15 - 1]))
    return Trees(
        names=[names[place] for place in asked],
        borders=np.concatenate(borders).astype(np.int32),
        starts=np.append(0, np.cumsum(counts)).astype(np.int32),
        feature=feature,
        bin=rng.integers(0, counts[feature], feature.shape).astype(np.uint8),
        leaves=rng.integers(-most, most, (classes, count, 1 << depth)).astype(np.int16),
        bias=rng.integers(-most, most, classes).astype(np.int32),
        scale=int(rng.integers(1, 2000)),
    )


def any_descriptions(rng: np.random.Generator, walk: Walk) -> Walk:
    """The walk of a page that says of its text what stands somewhere in it, or nothing."""
    if not rng.integers(4):
        return walk
    text = walk.text.decode("utf-8", "replace")
    starts = rng.integers(0, len(text) + 1, 4)
    ends = starts + rng.choice([0, 30, 200, 400], 4)
    said = (text[i:j] for i, j in zip(starts, ends, strict=True))
    return replace(
        walk, descriptions=tuple(some.encode("utf-8", "replace") for some in said)
    )


def check_rows(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert sorted(found) == sorted(expected)
    for name, values in expected.items():
        assert found[name].tolist() == values.tolist(), name


def check_whole(rng: np.random.Generator, walk: Walk) -> None:
    """The twins give the same figures of the whole page, and the same answers on them."""
    # So few words that the sums fit, as on any real page.
    w = np.minimum(weights(walk), 1_000_000) * int(rng.integers(3))
    levels = rng.integers(0, HIGHEST + 1, rng.choice([1, 3, 2000]))
    likelihood = rng.choice(levels, len(w))
    favor = str(rng.choice(sorted(FAVOR)))
    least = rng.choice([None, 0, 1, 500, 1000])
    chosen = select(likelihood, w, favor, least)
    given = NONE if least is None else least
    kept, expected = python_kept_of(likelihood, w, FAVOR[favor], given, SETS)
    assert (chosen.kept.tolist(), chosen.expected) == (kept.tolist(), expected)
    kept = chosen.kept if rng.integers(2) else rng.integers(0, 2, len(w)) > 0
    chosen = Selection(kept, int(rng.integers(1000)))
    figures = page_figures(walk, likelihood, w, chosen)
    assert figures.tolist() == python_page_figures(walk, likelihood, w, chosen).tolist()
    trees = any_trees(rng, list(NAMES), figures[:, None].astype(np.int32))
    asked = figures[[NAMES.index(name) for name in trees.names]].astype(np.int32)
    answers = PythonForest(trees).sums(asked[:, None])[:, 0]
    assert NamedTrees(trees, NAMES).answers(figures).tolist() == answers.tolist()


def check_tagger(walk: Walk, seed: int) -> None:
    """The twins agree on every feature, on trees, and on what comes of it all."""
    rng = np.random.default_rng(seed)
    walk = any_descriptions(rng, walk)
    # All of the page's features, some, or none are kept for the second round.
    _tagger.keep_bins(int(rng.choice([0, 10_000, 1 << 23])))
    table = any_table(rng, walk)
    bare, python = (make(table, NO_TREES, NO_TREES) for make in (Tagger, PythonTagger))
    names = list(features_with(table.flags))
    rows = python.features(walk, names)
    check_rows(bare.features(walk, names), rows)
    if not len(walk.blocks):
        return
    check_whole(rng, walk)
    values = np.stack([rows[name] for name in names]).astype(np.int32)
    first = any_trees(rng, names, values)
    likelihood = likelihood_of(first, rows)
    if rng.integers(2):
        likelihood = rng.integers(0, HIGHEST + 1, len(walk.blocks))
    around = python.features(walk, FEATURES, likelihood)
    check_rows(bare.features(walk, FEATURES, likelihood), around)
    rows |= around
    names = list(rows)
    values = np.stack([rows[name] for name in names]).astype(np.int32)
    rounds = first, any_trees(rng, names, values)
    found = Tagger(table, *rounds).likelihoods(walk)
    expected = PythonTagger(table, *rounds).likelihoods(walk)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.int64
        assert one.tolist() == other.tolist()
    some = python.features(walk, first.names)
    check_rows(bare.features(walk, first.names), some)


@given(html=any_pages(), seed=SEEDS)
def test_pages_and_parts_of_them(html, seed):
    root = Page.of(html).root
    check_tagger(walking.walk(root), seed)
    # An inline element that stands alone has no blocks and is around them.
    if elements := list(root.iter("a", "b", "div", "pre", "li")):
        check_tagger(walking.walk(elements[seed % len(elements)]), seed)


@pytest.mark.parametrize("name", sorted(every_page(0)))
def test_hostile_pages(name):
    check_tagger(walk_of(every_page(3000)[name]), len(name))


@pytest.mark.parametrize(
    "text",
    [
        "38 Comments",
        "\u041b\u0435\u0432 \u0401\u043b\u043a\u0430 \u0392\u03ae\u03c4\u03b1 \u00c4rger \u00d7 \u00df",
        "\u6c49\u5b57\u6f22 \u5b57 word \u30c6\u30b9\u30c8" * 3,
        "\U00020000\U00020001 \U0001f600\U0001f600 \U00030000",
        "one2three 4five" * 2,
        "w" * 30,
        "x" * (SEEN - 2) + " yz end",
        "\u6c49" * (SEEN - 1) + "ab",
        " ".join("abcdefgh"),
        " ".join("abcdefghi"),
        "a" + "." * SEEN + "b",
        "\u2026\u2026",
    ],
)
def test_texts_of_all_kinds(text):
    walk = walk_of(f"<p>{text}<p>{text}")
    for seed in range(3):
        check_tagger(walk, seed)


def test_pages_of_the_example():
    for seed, page in enumerate(EXAMPLE):
        check_tagger(walk_of(page), seed)


@pytest.mark.parametrize("count", [1, 31, 32, 33, 127, 128, 129, 256, 257, 1000])
def test_every_number_of_blocks(count):
    page = "".join(f"<p class=a{i % 7}>{'word ' * (i % 30 + 1)}" for i in range(count))
    walk = walk_of(page)
    assert len(walk.blocks) == count
    check_tagger(walk, count)


@given(seed=SEEDS)
def test_tables_that_no_page_has(seed):
    # Keys that collide, sums beyond 32 bits, the greatest depth.
    rng = np.random.default_rng(seed)
    elements, blocks = (int(n) for n in rng.integers(1, 60, 2))
    table = np.zeros((elements, len(ELEMENT_COLUMNS)), dtype=np.int32)
    column = {name: table[:, i] for i, name in enumerate(ELEMENT_COLUMNS)}
    column["parent"][:] = [rng.integers(-1, i) for i in range(elements)]
    column["tag"][:] = rng.integers(0, rng.choice([2, len(TAGS)]), elements)
    column["depth"][:] = rng.integers(0, rng.choice([9, INT32.max]), elements)
    ends = np.sort(rng.integers(0, blocks + 1, (2, elements)), axis=0)
    column["first_block"][:], column["last_block"][:] = ends
    tokens = rng.integers(0, 2**32, 10).astype(np.uint32)
    # Each token is one element's, as in each walk.
    ends = np.sort(rng.integers(0, len(tokens) + 1, elements - 1))
    column["first_token"][1:] = ends
    column["tokens"][:] = np.diff(ends, prepend=0, append=len(tokens))
    most = int(rng.choice([2, 100, INT32.max]))
    rows = rng.integers(0, most, (blocks, len(BLOCK_COLUMNS))).astype(np.int32)
    for name, least, below in (
        ("element", 0, elements),
        ("inner", 0, elements),
        ("item", -1, elements),
        ("row", -1, elements),
        ("kind", 0, 9),
        ("hash", INT32.min, INT32.max),
    ):
        rows[:, BLOCK_COLUMNS.index(name)] = rng.integers(least, below, blocks)
    check_tagger(Walk(b"", table, rows, tokens, None), seed)


def parts() -> tuple[Walk, TokenTable, Trees]:
    walk = walk_of(PARAGRAPHS)
    rng = np.random.default_rng(5)
    table = any_table(rng, walk)
    names = ["w", "kind", "c1_n"]
    rows = PythonTagger(table, NO_TREES, NO_TREES).features(walk, names)
    values = np.stack([rows[name] for name in names])
    return walk, table, any_trees(rng, names, values)


def spoilt(walk: Walk, of: str, name: str, value: int) -> Walk:
    columns = ELEMENT_COLUMNS if of == "elements" else BLOCK_COLUMNS
    made = np.array(getattr(walk, of))
    made[-1, columns.index(name)] = value
    return replace(walk, **{of: made})


@pytest.mark.parametrize(
    ("of", "name", "value"),
    [
        ("elements", "parent", 1000),
        ("elements", "parent", -2),
        ("elements", "tag", len(TAGS)),
        ("elements", "tag", -1),
        ("elements", "depth", -1),
        ("elements", "first_block", 1000),
        ("elements", "first_block", -1),
        ("elements", "last_block", 181),
        ("elements", "first_token", -1),
        ("elements", "tokens", 1),
        ("elements", "tokens", -1),
        ("elements", "tokens", INT32.max),
        ("blocks", "element", 1000),
        ("blocks", "element", -1),
        ("blocks", "inner", INT32.max),
        ("blocks", "kind", 1 << 15),
        ("blocks", "words", -1),
        ("blocks", "elements", INT32.min),
    ],
)
def test_tables_that_do_not_fit(of, name, value):
    walk, table, trees = parts()
    with pytest.raises(ValueError, match="do not fit"):
        Tagger(table, trees, trees).likelihoods(spoilt(walk, of, name, value))


def test_tables_of_another_shape():
    walk, table, trees = parts()
    tagger = Tagger(table, trees, trees)
    assert len(tagger.likelihoods(walk)[0]) == 180
    assert tagger.likelihoods(walk_of(""))[0].tolist() == []
    with pytest.raises(ValueError, match="number of columns"):
        tagger.likelihoods(replace(walk, elements=walk.blocks))
    with pytest.raises(ValueError, match="dtype"):
        tagger.likelihoods(replace(walk, blocks=walk.blocks.astype(np.int64)))
    with pytest.raises(ValueError, match="do not fit"):
        tagger.features(walk, FEATURES, np.full(180, HIGHEST + 1))
    with pytest.raises(ValueError, match="as many likelihoods"):
        tagger.features(walk, FEATURES, np.zeros(179, dtype=np.int64))
    for wrong in ({"near": table.near[:-1]}, {"flag": table.flag + 100}):
        with pytest.raises(ValueError, match=r"the same shape|words with a feature"):
            Tagger(replace(table, **wrong), trees, trees)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("names", ["w", "kind", "colour"]),
        ("names", ["w", "kind"]),
        ("names", ["w", "kind", "likelihood"]),
        ("names", ["w", "kind", "w"]),
        ("starts", np.array([0, 1, 1, 1], dtype=np.int32)),
        ("feature", np.full((7, 2), 3, dtype=np.int16)),
        ("feature", np.full((7, 2), -1, dtype=np.int16)),
        ("bin", np.full((7, 2), 255, dtype=np.uint8)),
        ("bin", np.zeros((7, 3), dtype=np.uint8)),
        ("leaves", np.zeros((1, 7, 5), dtype=np.int16)),
        ("leaves", np.zeros((1, 7, 4), dtype=np.int32)),
        ("scale", 0),
    ],
)
@pytest.mark.parametrize("make", TAGGERS)
def test_trees_that_do_not_fit(name, value, make):
    walk, table, _ = parts()
    trees = Trees(
        names=["w", "kind", "c1_n"],
        borders=np.arange(6, dtype=np.int32),
        starts=np.array([0, 2, 4, 6], dtype=np.int32),
        feature=np.ones((7, 2), dtype=np.int16),
        bin=np.ones((7, 2), dtype=np.uint8),
        leaves=np.ones((1, 7, 4), dtype=np.int16),
        bias=np.zeros(1, dtype=np.int32),
        scale=1,
    )
    assert len(make(table, trees, trees).likelihoods(walk)[0]) == 180
    with pytest.raises(ValueError, match=r"fit together|no feature"):
        make(table, replace(trees, **{name: value}), trees)


def test_threads_at_the_same_time():
    walk, table, trees = parts()
    tagger = Tagger(table, trees, trees)
    expected = PythonTagger(table, trees, trees).likelihoods(walk)[0].tolist()

    def work(_: int) -> list[list[int]]:
        return [tagger.likelihoods(walk)[0].tolist() for _ in range(50)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(4)))
    assert found == [[expected] * 50] * 4


def test_figures_of_other_blocks() -> None:
    walk = walk_of(PARAGRAPHS)
    w = weights(walk)
    kept = Selection(np.ones(len(w), dtype=np.bool_), 0)
    for value in (-1, HIGHEST + 1):
        with pytest.raises(ValueError, match=f"no likelihood is {value}"):
            page_figures(walk, np.full(len(w), value), w, kept)
    few = Selection(np.zeros(1, dtype=np.bool_), 0)
    with pytest.raises(ValueError, match="do not fit together"):
        page_figures(walk, w, w, few)
