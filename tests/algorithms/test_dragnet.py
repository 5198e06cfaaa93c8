"""Dragnet: its blocks, its features and what it keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_eatext import extract
from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.algorithms.dragnet import TARGETS, DragnetOptions, subset
from scrapy_eatext.algorithms.dragnet.blocks import (
    declared_encoding,
    original_blocks,
    page_blocks,
)
from scrapy_eatext.algorithms.dragnet.features import (
    CLASS_TOKENS,
    GROUPS,
    ID_TOKENS,
    cetr,
    clusters,
    columns_of,
    gaussian,
    original_tokens,
    page_tokens,
    readability,
    shallow,
    slope,
)
from scrapy_eatext.page import Page
from scrapy_eatext.page.walk import fnv1a
from tests.support.pages import any_pages
from tests.support.passages import PROSE
from tests.support.suites import values_of

PAGE = f"""<html lang=en><head><title>The river</title></head><body>
<div class="nav menu"><ul><li><a href="/">Home</a></li><li><a href="/a">About</a></li>
<li><a href="/b">Contact us</a></li></ul></div>
<div class="article-body"><h1>The river</h1>
<p>{PROSE["en"]}</p><p>{PROSE["en"]}</p><p>{PROSE["en"]}</p></div>
<div class="footer"><p><a href="/c">Terms</a> <a href="/d">Privacy</a></p></div>
</body></html>"""


def blocks(body: str):
    return original_blocks(f"<html><body>{body}</body></html>".encode())


# --- the original's blocks ------------------------------------------------------


@pytest.mark.parametrize(("body", "texts"), values_of("tables/dragnet_blocks.txt"))
def test_texts_of_blocks(body, texts):
    assert list(blocks(body).texts) == texts


def test_the_title_is_part_of_the_first_block():
    found = original_blocks(b"<title>Title</title><style>x</style><p>Text")
    assert list(found.texts) == ["Title", "Text"]


@pytest.mark.parametrize(
    ("body", "column", "values"), values_of("tables/dragnet_densities.txt")
)
def test_densities_of_blocks(body, column, values):
    assert getattr(blocks(body), column).tolist() == values


def test_tags_are_counted():
    found = blocks(
        "<div>a</div><div>b <i>c</i> <a>d <b>e</b><img></a></div>"
        "<div><p>f <script>x</script></p></div><p>g <b>h <i>i</i></b></p>"
    )
    # A div; div, i, a, b and img; p and script, as the div before has no text; and
    # p, b and i, but the last block is one short.
    assert list(found.texts) == ["a", "b c d e", "f", "g h i"]
    tags = np.array([1, 7, 1, 5]) / found.ratio
    assert tags.tolist() == [1, 5, 2, 2]


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        (b'<?xml version="1.0" encoding="latin1"?><html>', "latin1"),
        (b"<meta charset=koi8-r>", "koi8-r"),
        (b"<p>", "utf-8"),
    ],
)
def test_declared_encodings(page, encoding):
    assert declared_encoding(page) == encoding


def test_a_page_in_its_encoding():
    page = "<meta charset=cp1251><p>река".encode("cp1251")
    assert list(original_blocks(page).texts) == ["река"]


@pytest.mark.parametrize("page", [b"", b"   ", b"<meta charset=none-such><p>x</p>"])
def test_pages_that_can_not_be_parsed_have_no_blocks(page):
    assert len(original_blocks(page)) == 0


# --- features --------------------------------------------------------------------


def test_shallow():
    found = shallow(blocks("<p><a>all</a></p><p>one two</p><p>a b <a>c</a></p>"))
    third = 1 / 3
    assert found.tolist() == [
        [0, 0, 1, 1, 1 / 2, 2],
        [1, 1, 1 / 2, 2, third, 3],
        [1 / 2, 2, third, 3, 0, 0],
    ]


def test_smoothing_worked_example():
    values = np.linspace(0, 10, 10)
    smooth = (
        "0.47448994 1.18661763 2.22759261 3.33348203 4.44444444 "
        "5.55555556 6.66651797 7.77240739 8.81338237 9.52551006"
    )
    assert gaussian(values) == pytest.approx([*map(float, smooth.split())], abs=1e-8)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_smoothing_keeps_the_sum(values):
    smooth = gaussian(np.array(values))
    assert smooth.sum() == pytest.approx(sum(values), rel=1e-9, abs=1e-9)
    assert len(smooth) == len(values)


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=30))
def test_slope_by_definition(values):
    size = len(values)
    expected = [
        abs(np.mean(values[k + 1 : k + 4]) - values[k]) for k in range(size - 1)
    ]
    expected.append(abs((values[-1] + values[-2]) / 2 - values[-1]))
    assert slope(np.array(values)) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_clusters():
    points = np.array([[0.1, 0], [5, 5], [0, 0.2], [5.1, 4.9], [20, 1], [0, 0]])
    found = clusters(points)
    assert found[0] == found[2] == found[5] == 0
    assert found[1] == found[3] != 0
    assert found[4] not in (0, found[1])
    # Of one point.
    assert set(clusters(np.zeros((5, 2))).tolist()) == {0}
    assert clusters(np.ones((5, 2))).tolist() == [1] * 5


points = st.tuples(st.floats(0, 1e4), st.floats(0, 1e4))


@given(st.lists(points, min_size=1, max_size=40))
def test_clusters_are_those_of_the_nearest_centre(rows):
    places = np.array(rows)
    found = clusters(places)
    assert found.tolist() == clusters(places).tolist()
    # The first centre stays at the origin, the others are the means of their clusters.
    there = sorted({*found.tolist()} - {0})
    assert there in ([], [1], [2], [1, 2])
    centres = [np.zeros(2), *(places[found == k].mean(axis=0) for k in there)]
    distances = np.linalg.norm(places[:, None] - np.array(centres), axis=2)
    own = distances[np.arange(len(places)), np.searchsorted([0, *there], found)]
    assert own == pytest.approx(distances.min(axis=1), rel=1e-6, abs=1e-3)


def test_readability():
    found = blocks(
        "<div class=menu><p><a>all in a link, long enough to count</a></p></div>"
        "<div class=article><p>A text that is long enough to count.</p><p>short</p></div>"
        "<p>end</p>"
    )
    # The good name's div: 25 + 5 and 2 - 1 for its paragraph (1 + 36 // 100),
    # less the share of links, which is 1/8 of "A text ..." (8 words and the
    # empty one behind the stop: 1/9) and all of "short".
    assert readability(found).tolist() == [0, 1, 1, 0]
    assert readability(blocks("<p>a</p><p>b</p><p>c</p>")).tolist() == [0, 0, 0]


def test_tokens_of_the_original():
    found = blocks(
        "<p id=Top-Nav class=x>a <b class=share>b</b></p><p class=assets>c</p>"
        "<div class=menu><p>d</p></div>"
    )
    rows = original_tokens(found)
    names = [f"id {t}" for t in ID_TOKENS] + [f"class {t}" for t in CLASS_TOKENS]
    columns = [{n for n, x in zip(names, row, strict=True) if x} for row in rows]
    # "ss" is in "assets"; the names of elements around a block are not its own.
    assert columns == [{"id nav", "id top", "class share"}, {"class ss"}, set()]
    assert rows.shape == (3, 36)


def test_tokens_of_page_blocks():
    page = Page.of(
        "<div class='main box'><p class=intro>a</p><p>b <i class=nav>c</i></p></div>"
        "<p>d</p>"
    )
    order = sorted(["main", "intro", "nav"], key=lambda word: fnv1a(word.encode()))
    vocabulary = np.array([fnv1a(word.encode()) for word in order], dtype=np.uint32)
    rows = page_tokens(page.blocks.walk, vocabulary)
    own, around = (
        [{word for word, x in zip(order, row, strict=True) if x} for row in part]
        for part in (rows[:, :3], rows[:, 3:])
    )
    assert own[0] == {"intro"}
    assert own[2] == set()
    assert around == [{"main"}, {"main"}, set()]
    assert page_tokens(page.blocks.walk, vocabulary[:0]).shape == (3, 0)


@given(any_pages())
@settings(max_examples=settings().max_examples // 2)
def test_features_are_finite(source):
    page = Page.of(source)
    for table in (page_blocks(page.blocks), original_blocks(source.encode())):
        if len(table) < 2:
            continue
        columns, widths = columns_of(table, np.zeros((len(table), 0)), logarithms=True)
        assert columns.shape == (len(table), sum(widths))
        assert np.isfinite(columns).all()
        assert (table.end > np.arange(len(table.parent))).all()
        assert ((readability(table) >= 0) & (readability(table) <= 1)).all()
        assert np.isfinite(cetr(table)).all()


# --- what is kept ----------------------------------------------------------------


def found_in(page, **options):
    return extract(page, algorithm="dragnet", options=options, blocks=True)


def test_the_text_is_kept():
    text = found_in(PAGE).text
    assert text.count(PROSE["en"][:40]) == 3
    assert "Contact us" not in text
    assert "Privacy" not in text
    # The original joins by lines.
    joined = found_in(PAGE, reference=True).text
    assert joined.count("\n") >= 2
    assert "Contact us" not in joined


@pytest.mark.parametrize("reference", [False, True])
def test_three_blocks_at_least(reference):
    for count in (2, 3):
        page = f"<p>{PROSE['en']}</p>" * count
        text = found_in(page, reference=reference, threshold=0.0).text
        assert bool(text) == (count == 3)


def test_the_threshold():
    counts = [
        sum(block.kept for block in found_in(PAGE, threshold=threshold).blocks)
        for threshold in (0.0, 0.3, 0.7, 1.0)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == len(Page.of(PAGE).blocks)
    assert counts[-1] == 0


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("content", TARGETS)
def test_every_subset_of_features_has_a_model(reference, content):
    seen = set()
    for bits in range(1, 1 << len(GROUPS)):
        features = "+".join(g for i, g in enumerate(GROUPS) if bits >> i & 1)
        options = {"features": features, "content": content, "reference": reference}
        seen.add(tuple(get_algorithm("dragnet", options).judge(Page.of(PAGE)).scores))
    assert len(seen) > 25


def test_the_originals_groups():
    assert DragnetOptions().groups == subset("+".join(GROUPS))
    assert DragnetOptions(reference=True).groups == subset("shallow+cetr+readability")
    assert DragnetOptions(features="cetr").groups == subset("cetr")
