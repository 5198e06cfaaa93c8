"""The default algorithm's parts: features, trees, the choice of blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.page import Page
from scrapy_eatext.page.walk import fnv1a
from scrapy_eatext.tagger.bylines import without_bylines
from scrapy_eatext.tagger.context import CHANCE, HIGHEST, ZERO, context_features
from scrapy_eatext.tagger.facts import (
    FAR,
    TokenTable,
    distance_back,
    distance_on,
    weights,
)
from scrapy_eatext.tagger.features import block_features
from scrapy_eatext.tagger.headings import without_bare_headings
from scrapy_eatext.tagger.operations import CAP, NONE, shift
from scrapy_eatext.tagger.selection import select
from scrapy_eatext.tagger.trees import NamedTrees, Trees, trees_from
from tests.support.pages import any_pages

# A long text, and headings of which nothing else is kept.
HEADED = """
<h2>Bread</h2><p>%s</p><h3>gone</h3><p>gone</p><h2>Sure</h2><p>gone</p><h2>Cake</h2>
<h3>Sand</h3><p>gone</p><p>Text.</p><h2>Pie</h2><p>gone</p><h4>Tart</h4><p>Text.</p>
<h2>Related</h2><p>gone</p><h2>Popular</h2><p>gone</p>
""" % ("word " * 50)


def kept_headings(html: str) -> list[str]:
    blocks = Page.of(html).blocks
    texts = [blocks.text(i) for i in range(len(blocks))]
    chances = np.array([900 if text == "Sure" else 600 for text in texts])
    kept = without_bare_headings(
        blocks.walk,
        np.array(["gone" not in text for text in texts]),
        weights(blocks.walk),
        chances,
    )
    kinds = zip(texts, blocks.kinds, kept, strict=True)
    return [text for text, kind, stays in kinds if kind == "heading" and stays]


def test_headings_that_have_lost_their_text_go() -> None:
    assert kept_headings(HEADED) == ["Bread", "Sure", "Cake", "Sand", "Pie", "Tart"]


def test_headings_of_lost_headings_go() -> None:
    # Each of them, but not the one beside which a text stands.
    lost = "<h2>Shop</h2><p>gone</p><h3>Ads</h3><p>gone</p><h4>Buy</h4><p>gone</p>"
    text = "<h3>Oven</h3><p>Text.</p>"
    kept = ["Bread", "Sure", "Cake", "Sand", "Pie", "Tart"]
    assert kept_headings(HEADED + lost) == kept
    assert kept_headings(HEADED + lost + text) == [*kept, "Shop", "Oven"]


def test_headings_stay_where_there_is_little_else() -> None:
    few = HEADED.replace("word " * 50, "Text.")
    assert kept_headings(few)[-2:] == ["Related", "Popular"]


TEXT = f"<p>{'word ' * 40}"


@pytest.mark.parametrize(
    ("html", "chance", "stays"),
    [
        (f"<p>Ann Li, 3 May 2024{TEXT}", 600, False),
        (f"<p>2 min read<p>Ann Li, 3 May 2024{TEXT}", 600, False),
        (f"<p>โดย ปรางค์ - 3 พฤษภาคม 2567<p>{'ตลาด' * 50}", 600, False),
        # It stays where it is sure, ...
        (f"<p>Ann Li, 3 May 2024{TEXT}", 900, True),
        # has no date, ...
        (f"<p>Ann Li, in May{TEXT}", 600, True),
        # is a heading, ...
        (f"<h2>3 May 2024</h2>{TEXT}", 600, True),
        # says more, ...
        (f"<p>On 3 May 2024 {'we went ' * 8}{TEXT}", 600, True),
        # stands behind the first long block, or after many short ones, ...
        (f"{TEXT}<p>Ann Li, 3 May 2024{TEXT}", 600, True),
        (f"{'<p>One of five' * 5}<p>Ann Li, 3 May 2024{TEXT}", 600, True),
        # and where there is no long block.
        ("<p>Ann Li, 3 May 2024<p>A short text", 600, True),
    ],
)
def test_a_byline_before_the_text_goes(html, chance, stays) -> None:
    blocks = Page.of(html).blocks
    kept = np.ones(len(blocks), dtype=np.bool_)
    chances = np.full(len(blocks), chance)
    found = without_bylines(blocks.walk, kept, weights(blocks.walk), chances)
    assert found.all() == stays
    assert len(blocks) - found.sum() <= 1


PAGE = """
<html><body>
<nav class="menu"><ul><li><a href=/a>Bread</a></li><li><a href=/b>Cake</a></li></ul></nav>
<main class="post-body"><article>
<h1>Rye and its friends</h1>
<p>Rye takes its time. A loaf that is hurried is a brick, and nobody eats bricks.</p>
<p>Keep the sourdough warm; feed it twice, and leave it alone for the night.</p>
</article></main>
<footer><p>Bread</p><p>&copy; the bakery</p></footer>
</body></html>
"""


def table(**weights: tuple[int, int, int]) -> TokenTable:
    """A table with words' near and far weights and their flags."""
    rows = sorted((fnv1a(word.encode()), *row) for word, row in weights.items())
    columns = list(zip(*rows, strict=True)) or [()] * 4
    return TokenTable(
        np.array(columns[0], dtype=np.uint32),
        *(np.array(column, dtype=np.int32) for column in columns[1:]),
    )


def features(html: str = PAGE, **weights: tuple[int, int, int]) -> dict[str, list[int]]:
    walk = Page.of(html).blocks.walk
    rows = block_features(walk, table(**weights))
    return {name: values.tolist() for name, values in rows.items()}


def test_a_block_is_described_by_itself() -> None:
    rows = features()
    assert rows["kind"] == [2, 2, 1, 0, 0, 0, 0]
    assert rows["w"] == [1, 1, 4, 16, 14, 1, 3]
    assert rows["link_chars_share"] == [1000, 1000, 0, 0, 0, 0, 0]
    assert rows["rights_share"][-1] > 0
    assert rows["ends"] == [0, 0, 0, 2, 1, 0, 0]


def test_a_block_is_described_by_what_is_around() -> None:
    rows = features()
    assert rows["in_nav"] == [1, 1, 0, 0, 0, 0, 0]
    assert rows["in_main"] == [0, 0, 1, 1, 1, 0, 0]
    assert rows["in_footer"] == [0, 0, 0, 0, 0, 1, 1]
    # The nearest container of a paragraph is the article, then the body.
    assert rows["c1_n"] == [2, 2, 3, 3, 3, 2, 2]
    assert rows["c2_n"] == [7] * 7
    assert rows["c1_density"] == [1000, 1000, 0, 0, 0, 0, 0]
    assert rows["c1_place"] == [0, 500, 0, 333, 666, 0, 500]
    assert rows["c1_likes"] == [2, 2, 1, 2, 2, 2, 2]


def test_a_block_is_described_by_its_neighbours() -> None:
    rows = features()
    assert rows["before1_w"] == [NONE, 1, 1, 4, 16, 14, 1]
    assert rows["behind2_w"] == [4, 16, 14, 1, 3, NONE, NONE]
    assert rows["since_heading"] == [NONE, NONE, 0, 1, 2, 3, 4]
    assert rows["from_title"] == [-2, -1, 0, 1, 2, 3, 4]
    assert rows["since_long"] == [FAR] * 7


def test_blocks_alike_are_counted() -> None:
    rows = features()
    assert rows["copies"] == [2, 1, 1, 1, 1, 2, 1]
    assert rows["tags_n"] == [2, 2, 1, 2, 2, 2, 2]


def test_the_page_is_the_same_for_all_blocks() -> None:
    rows = features()
    for name, values in rows.items():
        if name.startswith("page_"):
            assert len(set(values)) == 1, name
    assert rows["page_n"][0] == 7
    assert rows["page_has_main"][0] == 1
    assert rows["page_articles"][0] == 1


def test_names_of_elements_weigh_by_distance() -> None:
    rows = features(menu=(-200, -50, 0), body=(10, 150, 1))
    assert rows["names_near"][:3] == [-200, -200, 10]
    assert rows["names"][3] == 10
    assert rows["name0"] == [1, 1, 0, 0, 0, 0, 0]
    assert rows["name1"] == [0, 0, 1, 1, 1, 0, 0]
    deep = "<div class=menu>" + "<div>" * 3 + "<p>Bread"
    rows = features(deep, menu=(-200, -50, 0))
    assert rows["names_near"] == [0]
    assert rows["names_far"] == rows["names_far_low"] == [-50]


@given(any_pages())
def test_features_are_whole_numbers_that_fit(html: str) -> None:
    walk = Page.of(html).blocks.walk
    if not len(walk.blocks):
        return
    rows = block_features(walk, table(content=(100, 50, 0)))
    likelihood = np.arange(len(walk.blocks)) % (HIGHEST + 1)
    rows |= context_features(walk, likelihood)
    for name, values in rows.items():
        assert values.dtype == np.int64, name
        assert len(values) == len(walk.blocks)
        assert abs(values).max() <= CAP, name


def test_no_feature_is_above_the_cap() -> None:
    rows = features(menu=(2 * CAP, -3 * CAP, 0))
    assert rows["names_near"][:3] == [CAP, CAP, 0]
    rows = features(
        "<div class=menu>" + "<div>" * 3 + "<p>Bread", menu=(0, -3 * CAP, 0)
    )
    assert rows["names_far"] == [-CAP]


def test_a_shift_goes_past_the_ends() -> None:
    values = np.arange(3)
    assert shift(values, 5).tolist() == [NONE] * 3
    assert shift(values, -3).tolist() == [NONE] * 3
    assert shift(values, -1).tolist() == [1, 2, NONE]


def test_distances() -> None:
    marked = np.array([False, True, False, False, True, False])
    assert distance_back(marked).tolist() == [FAR, 0, 1, 2, 0, 1]
    assert distance_on(marked).tolist() == [1, 0, 2, 1, 0, FAR]


def test_chances_rise_with_likelihood() -> None:
    assert CHANCE[ZERO] == 500
    assert (np.diff(CHANCE) >= 0).all()
    assert CHANCE[0] == 2
    assert CHANCE[HIGHEST] == 998


def stump(names: list[str]) -> Trees:
    """One tree of two questions: is a above 10, and is b above 5?"""
    return Trees(
        names=names,
        borders=np.array([10, 20, 5], dtype=np.int32),
        starts=np.array([0, 2, 3], dtype=np.int32),
        feature=np.array([[0, 1]], dtype=np.int16),
        bin=np.array([[0, 0]], dtype=np.uint8),
        leaves=np.array([[[1, 2, 3, 4]]], dtype=np.int16),
        bias=np.array([100], dtype=np.int32),
        scale=10,
    )


def test_a_tree_asks_whether_values_are_above_borders() -> None:
    values = np.array([[10, 11, 10, 11], [5, 5, 6, 6]], dtype=np.int32)
    assert stump(["a", "b"]).sums(values).tolist() == [[101, 102, 103, 104]]


def test_trees_survive_their_arrays() -> None:
    made = stump(["a", "b"])
    again = trees_from("x", made.arrays("x"), ["a", "b"], 10)
    values = np.array([np.arange(30), np.arange(30) % 7], dtype=np.int32)
    assert again.sums(values).tolist() == made.sums(values).tolist()


def test_an_ensemble_is_asked_about_one_thing() -> None:
    asked = NamedTrees(stump(["a", "b"]), ["c", "b", "a"])
    assert asked.answers(np.array([99, 6, 11])).tolist() == [104]
    assert asked.answers(np.array([99, 5, 10])).tolist() == [101]
    with pytest.raises(ValueError, match="no figures"):
        NamedTrees(stump(["a", "b"]), ["a"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x.starts", np.array([0, 2], dtype=np.int32)),
        ("x.starts", np.array([0, 2, 9], dtype=np.int32)),
        ("x.feature", np.array([[0, 2]], dtype=np.int16)),
        ("x.bin", np.array([[0]], dtype=np.uint8)),
        ("x.leaves", np.zeros((1, 1, 8), dtype=np.int16)),
        ("x.bias", np.zeros(2, dtype=np.int32)),
    ],
)
def test_trees_that_do_not_fit_are_refused(name: str, value: np.ndarray) -> None:
    arrays = stump(["a", "b"]).arrays("x") | {name: value}
    with pytest.raises(ValueError, match="'x' do not fit"):
        trees_from("x", arrays, ["a", "b"], 10)


def test_likely_text_is_chosen_and_unlikely_is_not() -> None:
    likelihood = np.array([100, 1100, 1000, 50])
    choice = select(likelihood, np.array([50, 30, 40, 80]))
    assert choice.kept.tolist() == [False, True, True, False]
    assert 900 <= choice.expected <= 1000


def test_favor_moves_the_border() -> None:
    likelihood = np.array([1000, 650, 560, 450, 300])
    w = np.full(5, 20)
    counts = [
        int(select(likelihood, w, favor).kept.sum())
        for favor in ("precision", "balance", "recall")
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]


def test_a_threshold_by_hand() -> None:
    likelihood = np.array([1000, 650, 560])
    w = np.full(3, 20)
    assert select(likelihood, w, least=500).kept.tolist() == [True, True, False]
    assert select(likelihood, w, least=999).kept.sum() == 0
    assert select(likelihood, w, least=0).kept.sum() == 3


@given(
    st.lists(
        st.tuples(st.integers(0, HIGHEST), st.integers(0, 400)), min_size=1, max_size=40
    )
)
def test_what_is_chosen_is_likelier_than_what_is_not(
    blocks: list[tuple[int, int]],
) -> None:
    likelihood, w = (np.array(column) for column in zip(*blocks, strict=True))
    kept = select(likelihood, w).kept
    if kept.any() and not kept.all():
        assert likelihood[kept].min() >= likelihood[~kept].max()
    # A block with next to no chance is not taken for want of anything better.
    assert kept.any() == bool(w[CHANCE[likelihood] >= 10].any())


def test_blocks_in_doubt_are_right_or_wrong_together() -> None:
    # With chances of 0.4, three blocks of a list and one certain block have more of the
    # expected words together; but most such lists are no content.
    likelihood = np.array([1200, 560, 560, 560])
    w = np.array([100, 100, 100, 100])
    assert select(likelihood, w).kept.tolist() == [True, False, False, False]
    assert select(likelihood, w, "recall").kept.all()


def test_what_is_expected_is_the_mean_over_all_that_may_be_true() -> None:
    # A third of the words is content for certain, the rest with a chance of a quarter.
    likelihood = np.array([1200, 490])
    w = np.array([100, 200])
    assert CHANCE[490] == 250
    choice = select(likelihood, w)
    assert choice.kept.tolist() == [True, False]
    assert choice.expected == pytest.approx(1000 * (0.75 * 1 + 0.25 * 0.5), abs=10)


def test_a_page_without_words_has_nothing_to_choose() -> None:
    choice = select(np.array([900]), np.array([0]))
    assert not choice.kept.any()
    assert choice.expected == 0
