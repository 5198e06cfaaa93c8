"""What features mean, by value: on small pages, from both interpreters of their tables.

The values were worked out by hand from what stands on the pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import scrapy_eatext
from scrapy_eatext.page import Page
from scrapy_eatext.page.walk import Walk, fnv1a
from scrapy_eatext.tagger import context, facts, features, operations, whole
from scrapy_eatext.tagger.columns import check_order, sums_of_facts
from scrapy_eatext.tagger.descriptions import described_walk
from scrapy_eatext.tagger.facts import FAR, TokenTable, weights
from scrapy_eatext.tagger.features import features_with
from scrapy_eatext.tagger.model import PythonTagger, Tagger
from scrapy_eatext.tagger.operations import (
    CAP,
    NONE,
    Line,
    copy,
    pick,
    place,
    ratio,
    shift,
)
from scrapy_eatext.tagger.selection import Selection
from scrapy_eatext.tagger.trees import NO_TREES
from scrapy_eatext.tagger.whole import page_figures, python_page_figures
from scrapy_eatext.tagger.words import WordTable, no_words
from tests.support.pages import any_pages
from tests.support.properties import COMPILED_ONLY, both
from tests.support.suites import table_of
from tests.tagger.test_words import word_table

BAKERY = """
<html><body>
<nav class="menu"><ul>
<li><a href=/a>Bread</a></li>
<li><a href=/b>Cake</a> €5</li>
</ul></nav>
<main class="page"><article class="post">
<h1>Rye</h1>
<p>Rye <b>takes</b> its time. A loaf that is hurried is a brick, and so nobody eats \
bricks: they wait 24 hours.</p>
<div><p>Feed it.</p><p>Keep the dough warm; feed it twice, and leave it alone for the \
whole night.</p></div>
<h2>Salt</h2>
<blockquote><span>NaCl</span></blockquote>
<table><tr><td>汉字漢字<td><img src=x>Salt</table>
</article></main>
<footer class="menu small"><p>Bread</p><p>&copy; us</p><form><input>Go</form></footer>
</body></html>
"""
# Its blocks have words 1 2 1 21 2 15 1 1 3 1 1 2 1, which are 52, and characters
# 5 7 3 101 8 75 4 4 4 4 5 4 2, which are 226.
ODDS = """
<body><div>One<br>two</div><div><b>Bold</b></div><div>x | (y)</div><div>a ★ b</div>
<pre>code
here</pre><dl><dt>Term<dd>Meaning</dl><details><em>Look</em></details>
"""
# Words 2 1 3 3 2 1 1 1, which are 14.
LOAVES = """
<head><title>Rye bread | Loaves</title>
<meta property=og:title content="Rye bread">
<meta name=description content="A loaf of rye takes its time">
</head><body><p>Loaves</p><h1>Rye bread</h1>
<p>A loaf takes its time, like all bread.</p><p>Comments</p></body>
"""
# Words 1 2 8 1; what is told of them, the title's and the headline's twice, 2 5 7 0.
PAGES = {"bakery": BAKERY, "odds": ODDS, "loaves": LOAVES}
URL = "https://rye.example/loaves/rye?bread"
# Of words near a block, of those farther out, and the number of its own feature.
NAMES = {
    "menu": (-200, -50, 0),
    "post": (100, 80, 1),
    "page": (7, 9, NONE),
    "small": (30, 10, 33),
}
# Of words and pairs of words that blocks begin with.
WORDS = {
    ("bread",): 40,
    ("0",): -20,
    ("rye",): 8,
    ("rye", "takes"): -50,
    ("comments",): -250,
}
# What the first trees are taken to say of the bakery's blocks.
LIKELIHOOD = [0, 0, 600, 1200, 1200, 1200, 600, 600, 600, 600, 0, 0, 300]

KEPT = [3, 4, 5, 7]
CONSTANTS = {"NONE": NONE, "FAR": FAR}
FIRST, SECOND, WHOLE = (
    table_of(f"tables/features/{name}.txt") for name in ("first", "second", "whole")
)

TAGGERS = both(PythonTagger, Tagger)
Found = Mapping[str, np.ndarray]


def token_table(
    weights_of: Mapping[str, tuple[int, int, int]], words: WordTable
) -> TokenTable:
    rows = sorted((fnv1a(word.encode()), *row) for word, row in weights_of.items())
    hashes, *columns = np.array(rows).T
    return TokenTable(
        hashes.astype(np.uint32),
        *(column.astype(np.int32) for column in columns),
        kinds=np.zeros((len(hashes), 0), dtype=np.int16),
        words=words,
    )


def names() -> TokenTable:
    return token_table(NAMES, word_table(WORDS))


def walk_of(page: str) -> Walk:
    return described_walk(Page.of(PAGES[page], URL))


@pytest.fixture(scope="module", params=TAGGERS)
def first(request: pytest.FixtureRequest) -> dict[str, Found]:
    tagger = request.param(names(), NO_TREES, NO_TREES)
    return {page: tagger.features(walk_of(page), features_with(34)) for page in PAGES}


@pytest.fixture(scope="module", params=TAGGERS)
def second(request: pytest.FixtureRequest) -> Found:
    tagger = request.param(names(), NO_TREES, NO_TREES)
    given = walk_of("bakery"), context.FEATURES, np.array(LIKELIHOOD)
    return tagger.features(*given)


@pytest.fixture(scope="module", params=both(python_page_figures, page_figures))
def figures(request: pytest.FixtureRequest) -> dict[str, int]:
    walk = walk_of("bakery")
    kept = np.isin(np.arange(len(walk.blocks)), KEPT)
    likelihood, chosen = np.array(LIKELIHOOD), Selection(kept, 800)
    found = request.param(walk, likelihood, weights(walk), chosen)
    return dict(zip(whole.NAMES, found.tolist(), strict=True))


@pytest.mark.parametrize(("name", "page", "block", "value"), FIRST)
def test_what_the_first_trees_see(
    first: dict[str, Found], name: str, page: str, block: str, value: str
) -> None:
    assert first[page][name][int(block)] == eval(value, CONSTANTS)


@pytest.mark.parametrize(("name", "block", "value"), SECOND)
def test_what_the_second_trees_see(
    second: Found, name: str, block: str, value: str
) -> None:
    assert second[name][int(block)] == eval(value, CONSTANTS)


def test_what_is_known_of_a_page(figures: dict[str, int]) -> None:
    assert {name: figures[name] for name, _ in WHOLE} == {
        name: int(value) for name, value in WHOLE
    }
    # And if nothing is kept.
    walk = walk_of("bakery")
    none = Selection(np.zeros(len(walk.blocks), dtype=np.bool_), 0)
    found = page_figures(walk, np.array(LIKELIHOOD), weights(walk), none)
    known = dict(zip(whole.NAMES, found.tolist(), strict=True))
    assert known["first_kept"] == known["last_kept"] == NONE
    assert known["chance_kept"] == known["kept_chars"] == 0
    assert known["page_chars"] == figures["page_chars"]


def test_every_operation_has_a_value_here() -> None:
    told = {features_with(34)[name] for name, *_ in FIRST}
    told |= {context.FEATURES[name] for name, *_ in SECOND}
    made = {**features.FIGURES, **context.FIGURES}
    told |= {made[read] for line in told for read in line.reads if read in made}
    assert {line.operation for line in told} == set(operations.READS)


def test_figures_and_sums_of_names_are_capped() -> None:
    columns = {"chars": np.array([CAP + 1, -CAP - 1]), "n": np.array([1, 1])}
    found = operations.evaluate([Line("chars", copy, ("chars",))], columns)
    assert found["chars"].tolist() == [CAP, -CAP]
    walk = Page.of("<div class=menu><p>Bread</p>" + "<div>" * 3 + "<p>Salt").blocks.walk
    for weight, name, capped in (
        ((2 * CAP, 0, 0), "names_near", CAP),
        ((0, -3 * CAP, 0), "names_far", -CAP),
    ):
        table = token_table({"menu": weight}, no_words())
        rows = PythonTagger(table, NO_TREES, NO_TREES).features(walk, [name])
        assert sorted(rows[name].tolist(), key=abs) == [0, capped]


@given(any_pages())
def test_features_are_whole_numbers_that_fit(html: str) -> None:
    walk = Page.of(html).blocks.walk
    if not len(walk.blocks):
        return
    tagger = PythonTagger(names(), NO_TREES, NO_TREES)
    rows = tagger.features(walk, features_with(34))
    likelihood = np.arange(len(walk.blocks)) % (context.HIGHEST + 1)
    rows |= tagger.features(walk, context.FEATURES, likelihood)
    for name, values in rows.items():
        assert values.dtype == np.int64, name
        assert len(values) == len(walk.blocks)
        assert abs(values).max() <= CAP, name


def test_shifts_and_distances_go_past_the_ends() -> None:
    values = np.arange(3)
    for by, shifted in ((5, [NONE] * 3), (-3, [NONE] * 3), (-1, [1, 2, NONE])):
        assert shift(values, by).tolist() == shifted
    marked = np.array([False, True, False, False, True, False])
    assert facts.distance_back(marked).tolist() == [FAR, 0, 1, 2, 0, 1]
    assert facts.distance_on(marked).tolist() == [1, 0, 2, 1, 0, FAR]


def test_chances_rise_with_likelihood() -> None:
    assert (np.diff(context.CHANCE) >= 0).all()
    known = [0, 490, context.ZERO, context.HIGHEST]
    assert context.CHANCE[known].tolist() == [2, 250, 500, 998]


@pytest.mark.parametrize(
    "line",
    [
        Line("x", copy, ("colour",)),
        Line("x", copy, ("likelihood",)),
        Line("x", copy, ("chars", "words")),
        Line("x", ratio, ("chars",)),
        Line("x", ratio, ("box.chars", "chars")),
        Line("x", shift, ("chars", "words")),
        Line("x", pick, ("box.n", "of_way")),
        Line("x", pick, ("n", "of_box1")),
        Line("x", place, ("of_way", "box.first", "way.last")),
        Line("box.x", copy, ("chars",)),
    ],
)
def test_a_line_that_cannot_be_is_refused(line: Line) -> None:
    with pytest.raises(ValueError, match=f"{line.name!r} can't be made of"):
        operations.encoded([line], context.FIRST_COLUMNS)


def test_all_lines_can_be() -> None:
    for lines, columns in (
        (features.FIGURES, context.FIRST_COLUMNS),
        (features_with(64), context.FIRST_COLUMNS),
        (context.FIGURES, context.COLUMNS),
        (context.FEATURES, context.COLUMNS),
        (whole.FIGURES, whole.FACTS),
    ):
        assert len(operations.encoded(list(lines.values()), columns)) == len(lines)
    # No feature of the context is called like one of blocks.
    assert not features_with(64).keys() & context.FEATURES.keys()


@pytest.mark.parametrize("make", TAGGERS)
def test_a_feature_that_its_round_lacks_is_refused(make: Any) -> None:
    asks = replace(NO_TREES, names=("rank",), starts=np.zeros(2, dtype=np.int32))
    make(names(), NO_TREES, asks)
    with pytest.raises(ValueError, match="no feature is called 'rank'"):
        make(names(), asks, NO_TREES)
    tagger = make(names(), NO_TREES, NO_TREES)
    with pytest.raises(ValueError, match="no feature is called 'rank'"):
        tagger.features(walk_of("bakery"), ["w", "rank"])


@COMPILED_ONLY
def test_a_stale_compiled_tagger_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scrapy_eatext.compiled
    from scrapy_eatext.native import _tagger

    made = _tagger.NARROW, _tagger.WIDE
    assert sums_of_facts(*made) == _tagger.SUMS
    monkeypatch.setitem(facts.FACTS, "like", ("n", "w", "chars", "colour"))
    with pytest.raises(ImportError, match=r"without the fact 'like\.colour'"):
        sums_of_facts(*made)
    monkeypatch.setitem(facts.FACTS, "like", ("w", "chars"))
    with pytest.raises(ImportError, match=r"other facts: \['LIKE_N'\]"):
        sums_of_facts(*made)
    monkeypatch.undo()
    # What is a sum of a column of the walk is made of it wherever it is named.
    monkeypatch.setitem(facts.FACTS, "way", (*facts.FACTS["way"], "commas"))
    assert sums_of_facts(*made)["way.commas"] == "commas"
    check_order(_tagger.OPERATION, _tagger.DOMAIN)
    monkeypatch.setattr(operations, "DOMAINS", ("", "page"))
    with pytest.raises(ImportError, match="other domains"):
        check_order(_tagger.OPERATION, _tagger.DOMAIN)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The market opens every morning", 5),
        ("鱼市场每天早上开门", 1 + 4),
        ("ตลาดปลาเปิดทุกเช้า", 1 + 5),
        ("ຕະຫຼາດເປີດທຸກເຊົ້າ", 1 + 4),
        ("ផ្សារត្រីបើករាល់ព្រឹក", 1 + 6),
    ],
)
def test_the_words_of_scripts_without_spaces_are_estimated(text, words):
    assert weights(Page.of(f"<p>{text}").blocks.walk).tolist() == [words]
