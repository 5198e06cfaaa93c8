"""What features mean, by value: on small pages, from both interpreters of their tables.

The values were worked out by hand from what stands on the pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import scrapy_eatext
from scrapy_eatext.page import Page
from scrapy_eatext.page.walk import Walk, fnv1a
from scrapy_eatext.tagger import context, facts, features, operations, whole
from scrapy_eatext.tagger.columns import check_order, sums_of_facts
from scrapy_eatext.tagger.context import FIRST_COLUMNS
from scrapy_eatext.tagger.facts import FAR, TokenTable, weights
from scrapy_eatext.tagger.features import features_with
from scrapy_eatext.tagger.model import PythonTagger, Tagger
from scrapy_eatext.tagger.operations import (
    CAP,
    NONE,
    READS,
    Line,
    copy,
    encoded,
    evaluate,
    pick,
    place,
    ratio,
    shift,
    table,
)
from scrapy_eatext.tagger.selection import Selection
from scrapy_eatext.tagger.told import told_walk
from scrapy_eatext.tagger.trees import NO_TREES
from scrapy_eatext.tagger.whole import page_figures, python_page_figures
from tests.support.properties import COMPILED_ONLY, both
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

# A feature, the page, the block, and the value.
FIRST = [
    # The block itself.
    ("kind", "bakery", 7, 3),
    ("kind", "odds", 4, 4),
    ("level", "bakery", 6, 2),
    ("chars", "bakery", 3, 101),
    ("width", "bakery", 8, 8),
    ("lines", "odds", 0, 1),
    ("links", "bakery", 1, 1),
    ("first", "bakery", 8, 8),
    ("last", "bakery", 1, 2),
    ("images", "bakery", 9, 1),
    ("controls", "bakery", 12, 1),
    ("elements", "bakery", 0, 6),
    ("ends", "bakery", 3, 2),
    ("commas", "bakery", 5, 2),
    ("digits", "bakery", 3, 2),
    ("w", "bakery", 8, 3),
    ("link_chars_share", "bakery", 1, 571),
    ("strong_chars_share", "bakery", 3, 59),
    ("strong_chars_share", "odds", 1, 1000),
    ("upper_share", "bakery", 7, 500),
    ("digits_share", "bakery", 3, 19),
    ("ends_share", "bakery", 4, 125),
    ("commas_share", "bakery", 5, 26),
    ("marks_share", "odds", 2, 142),
    ("money_share", "bakery", 1, 142),
    ("rights_share", "bakery", 11, 250),
    ("wide_share", "bakery", 8, 1000),
    ("other_share", "odds", 2, 285),
    ("word_length", "bakery", 3, 4809),
    ("plain_chars", "bakery", 1, 3),
    ("in_item", "bakery", 0, 1),
    ("in_item", "bakery", 2, 0),
    ("in_row", "bakery", 8, 1),
    ("in_row", "bakery", 7, 0),
    # The elements around it.
    ("in_nav", "bakery", 0, 1),
    ("in_nav", "bakery", 2, 0),
    ("in_ul", "bakery", 1, 1),
    ("in_li", "bakery", 1, 1),
    ("in_a", "bakery", 0, 1),
    ("in_a", "bakery", 3, 0),
    ("in_main", "bakery", 2, 1),
    ("in_main", "bakery", 10, 0),
    ("in_article", "bakery", 9, 1),
    ("in_h1", "bakery", 2, 1),
    ("in_h2", "bakery", 6, 1),
    ("in_blockquote", "bakery", 7, 1),
    ("in_table", "bakery", 8, 1),
    ("in_tr", "bakery", 8, 1),
    ("in_td", "bakery", 9, 1),
    ("in_footer", "bakery", 10, 1),
    ("in_form", "bakery", 12, 1),
    ("in_strong", "odds", 1, 1),
    ("in_em", "odds", 7, 1),
    ("in_details", "odds", 7, 1),
    ("in_pre", "odds", 4, 1),
    ("in_dl", "odds", 5, 1),
    ("in_dt", "odds", 5, 1),
    ("in_dd", "odds", 6, 1),
    ("is_div", "odds", 0, 1),
    ("is_div", "bakery", 4, 0),
    ("is_p", "bakery", 3, 1),
    ("is_span", "bakery", 7, 1),
    ("is_span", "bakery", 3, 0),
    ("depth", "bakery", 8, 7),
    # Containers: of block 4 a div of two blocks, the article of eight, the body, and
    # then the page.
    ("c1_n", "bakery", 4, 2),
    ("c1_w", "bakery", 4, 17),
    ("c1_mean", "bakery", 4, 8500),
    ("c1_share", "bakery", 4, 326),
    ("c1_density", "bakery", 0, 750),
    ("c1_ends", "bakery", 4, 117),
    ("c1_long", "bakery", 4, 882),
    ("c1_flowing", "bakery", 4, 1000),
    ("c1_links", "bakery", 0, 1000),
    ("c1_money", "bakery", 0, 1),
    ("c1_depth", "bakery", 4, 5),
    ("c1_start", "bakery", 4, 307),
    ("c1_place", "bakery", 5, 500),
    ("c1_branch", "bakery", 5, 3),
    ("c2_n", "bakery", 4, 8),
    ("c2_w", "bakery", 4, 45),
    ("c2_ends", "bakery", 4, 88),
    ("c2_long", "bakery", 4, 800),
    ("c2_heads", "bakery", 4, 250),
    ("c2_flowing", "bakery", 4, 866),
    ("c2_images", "bakery", 4, 125),
    ("c2_depth", "bakery", 4, 4),
    ("c2_start", "bakery", 4, 153),
    ("c2_share", "bakery", 4, 865),
    ("c2_place", "bakery", 4, 250),
    ("c2_branch", "bakery", 4, 1),
    ("c3_n", "bakery", 4, 13),
    ("c3_depth", "bakery", 4, 2),
    ("c3_density", "bakery", 4, 39),
    ("c3_links", "bakery", 4, 153),
    ("c3_controls", "bakery", 4, 1),
    ("c3_branch", "bakery", 4, 6),
    ("c4_n", "bakery", 4, 13),
    ("c4_depth", "bakery", 4, 0),
    ("c4_place", "bakery", 12, 923),
    ("c4_branch", "bakery", 4, 0),
    ("c5_n", "bakery", 4, 13),
    # Siblings that look alike.
    ("likes", "bakery", 0, 2),
    ("likes", "bakery", 3, 1),
    ("likes", "odds", 1, 4),
    ("c1_likes", "bakery", 5, 2),
    ("c1_like_mean", "bakery", 5, 8),
    ("c1_like_density", "bakery", 0, 750),
    ("c1_like_digits", "bakery", 1, 83),
    ("c1_like_ends", "bakery", 5, 117),
    ("c2_likes", "bakery", 4, 1),
    ("c2_like_mean", "bakery", 4, 17),
    # Neighbours.
    ("before1_w", "bakery", 3, 1),
    ("before1_w", "bakery", 0, NONE),
    ("before2_w", "bakery", 3, 2),
    ("before3_w", "bakery", 6, 21),
    ("behind1_w", "bakery", 3, 2),
    ("behind2_w", "bakery", 3, 15),
    ("behind3_w", "bakery", 0, 21),
    ("behind3_w", "bakery", 10, NONE),
    ("before1_density", "bakery", 2, 571),
    ("before2_density", "bakery", 2, 1000),
    ("behind1_density", "bakery", 0, 571),
    ("before1_kind", "bakery", 3, 1),
    ("behind1_kind", "bakery", 6, 3),
    ("before1_ends", "bakery", 4, 2),
    ("behind2_ends", "bakery", 3, 1),
    ("before1_last", "bakery", 2, 2),
    ("before1_depth", "bakery", 4, -1),
    ("behind1_depth", "bakery", 3, 1),
    ("before1_depth", "bakery", 0, NONE - 5),
    ("before1_elements", "bakery", 1, 6),
    ("behind1_elements", "bakery", 0, 2),
    ("before1_level", "bakery", 7, 2),
    ("behind1_level", "bakery", 5, 2),
    # Windows: the first five blocks, the last eleven, all.
    ("window4_mean", "bakery", 0, 5400),
    ("window4_density", "bakery", 0, 72),
    ("window4_ends", "bakery", 0, 111),
    ("window4_long", "bakery", 0, 777),
    ("window10_mean", "bakery", 12, 4454),
    ("window25_mean", "bakery", 6, 4000),
    # What the words tell that the blocks begin with: 40 -20 8 -42 of the first four,
    # 40 of the eleventh.
    ("text", "bakery", 1, -20),
    ("text", "bakery", 3, -42),
    ("text_low", "bakery", 3, -50),
    ("text_low", "bakery", 2, 0),
    ("text_high", "bakery", 3, 8),
    ("text_high", "bakery", 1, 0),
    ("before1_text", "bakery", 4, -42),
    ("behind2_text", "bakery", 1, -42),
    ("c1_text", "bakery", 0, 10),
    ("c2_text", "bakery", 4, -5),
    ("window4_text", "bakery", 0, -3),
    ("way_text", "bakery", 1, 10),
    ("tags_text", "bakery", 11, 20),
    ("page_text", "bakery", 5, 2),
    ("c1_like_text", "loaves", 0, -70),
    ("heading_text", "loaves", 0, 0),
    ("heading_text", "loaves", 1, 48),
    ("heading_text", "loaves", 3, 48),
    ("since_against", "loaves", 2, FAR),
    ("since_against", "loaves", 3, 0),
    ("to_against", "loaves", 1, 2),
    # What the page says of its text.
    ("told_title", "loaves", 0, 1),
    ("told_title", "loaves", 1, 2),
    ("told_title", "bakery", 2, 0),
    ("told_title_cover", "loaves", 1, 666),
    ("told_title_share", "loaves", 2, 125),
    ("told_headline", "loaves", 0, 0),
    ("told_headline_cover", "loaves", 2, 500),
    ("told_headline_share", "loaves", 1, 1000),
    ("told_summary", "loaves", 1, 1),
    ("told_summary_cover", "loaves", 2, 714),
    ("told_summary_share", "loaves", 2, 625),
    ("told_address", "loaves", 0, 1),
    ("told_address", "loaves", 2, 0),
    ("told_address", "bakery", 3, 1),
    ("page_told_title", "loaves", 3, 3),
    ("page_told_headline", "loaves", 3, 2),
    ("page_told_summary", "loaves", 3, 7),
    ("page_told_summary", "bakery", 3, 0),
    ("headline", "loaves", 0, 333),
    ("headline", "loaves", 1, 1000),
    ("headline", "loaves", 2, 62),
    ("from_headline", "loaves", 3, 2),
    ("from_headline", "bakery", 3, -FAR),
    ("from_summary", "loaves", 0, -2),
    ("from_summary", "bakery", 3, -FAR),
    ("page_best_headline", "loaves", 3, 1000),
    ("page_best_summary", "loaves", 3, 714),
    ("c1_told", "loaves", 3, 1166),
    ("window4_told", "loaves", 0, 1166),
    # Distances.
    ("since_heading", "bakery", 0, NONE),
    ("since_heading", "bakery", 5, 3),
    ("since_heading", "bakery", 6, 0),
    ("heading_level", "bakery", 0, 0),
    ("heading_level", "bakery", 5, 1),
    ("heading_level", "bakery", 7, 2),
    ("from_title", "bakery", 0, -2),
    ("from_title", "bakery", 5, 3),
    ("from_title", "odds", 5, -FAR),
    ("titles", "bakery", 5, 1),
    ("since_long", "bakery", 5, 2),
    ("since_long", "bakery", 0, FAR),
    ("to_long", "bakery", 0, 3),
    ("to_long", "bakery", 4, FAR),
    # Blocks with the same text, and those that stand alike.
    ("copies", "bakery", 0, 2),
    ("copies", "bakery", 9, 2),
    ("copies", "bakery", 3, 1),
    ("way_n", "bakery", 4, 2),
    ("way_n", "odds", 0, 3),
    ("way_n", "odds", 1, 1),
    ("way_mean", "bakery", 5, 8),
    ("way_share", "bakery", 4, 326),
    ("way_density", "bakery", 0, 750),
    ("way_copied", "bakery", 8, 500),
    ("way_spread", "bakery", 4, 76),
    ("way_start", "bakery", 4, 307),
    ("way_longest", "bakery", 4, 15),
    ("way_place", "bakery", 5, 500),
    ("tags_n", "odds", 1, 4),
    ("tags_mean", "bakery", 10, 1),
    ("tags_share", "bakery", 10, 57),
    ("tags_density", "bakery", 1, 750),
    ("tags_copied", "bakery", 11, 500),
    ("tags_spread", "odds", 1, 375),
    ("tags_start", "bakery", 10, 769),
    ("tags_longest", "bakery", 10, 2),
    ("tags_place", "odds", 3, 750),
    ("page_way_top", "bakery", 0, 403),
    ("page_way_top_n", "bakery", 0, 1),
    ("page_way_top_mean", "bakery", 0, 21),
    ("page_way_many", "bakery", 0, 0),
    ("page_way_groups", "bakery", 0, 692),
    ("page_tags_top", "odds", 0, 642),
    ("page_tags_top_n", "odds", 0, 4),
    ("page_tags_top_mean", "odds", 0, 2),
    ("page_tags_many", "odds", 0, 642),
    ("page_tags_groups", "odds", 0, 625),
    # The page.
    ("page_n", "bakery", 0, 13),
    ("page_w", "bakery", 0, 52),
    ("page_density", "bakery", 0, 39),
    ("page_mean", "bakery", 0, 4000),
    ("page_long", "bakery", 0, 692),
    ("page_ends", "bakery", 0, 76),
    ("page_heads", "bakery", 0, 153),
    ("page_images", "bakery", 0, 76),
    ("page_money", "bakery", 0, 1),
    ("page_controls", "bakery", 0, 1),
    ("page_flowing", "bakery", 0, 826),
    ("page_elements", "bakery", 0, 2076),
    ("page_wide", "bakery", 0, 17),
    ("page_longest", "bakery", 0, 21),
    ("page_copied", "bakery", 0, 4),
    ("page_articles", "bakery", 12, 1),
    ("page_has_main", "bakery", 0, 1),
    ("page_has_article", "odds", 0, 0),
    ("page_has_table", "bakery", 0, 1),
    ("page_has_form", "bakery", 0, 1),
    ("page_has_pre", "bakery", 0, 0),
    ("page_has_pre", "odds", 0, 1),
    ("page_has_dl", "odds", 0, 1),
    ("page_has_nav", "bakery", 0, 1),
    ("page_has_footer", "odds", 0, 0),
    ("page_share_main", "bakery", 0, 865),
    ("page_share_article", "bakery", 0, 865),
    ("place", "bakery", 5, 5),
    ("places_left", "bakery", 5, 7),
    ("place_share", "bakery", 5, 384),
    ("words_before", "bakery", 3, 76),
    # Names: near are the four innermost elements.
    ("names_near", "bakery", 0, -200),
    ("names_near", "bakery", 4, 107),
    ("names_near", "bakery", 8, 100),
    ("names_near", "bakery", 10, -170),
    ("names_near_low", "bakery", 10, -200),
    ("names_near_high", "bakery", 10, 30),
    ("names_far", "bakery", 8, 9),
    ("names_far_low", "bakery", 8, 0),
    ("names_far_high", "bakery", 8, 9),
    ("names", "bakery", 8, 109),
    ("name0", "bakery", 0, 1),
    ("name0", "bakery", 4, 0),
    ("name1", "bakery", 8, 1),
    ("name33", "bakery", 10, 1),
    ("name33", "bakery", 0, 0),
]

# The chances are 2 2 500 998 998 998 500 500 500 500 2 2 47, in thousandths; times the
# words they are 41,483.
SECOND = [
    ("likelihood", 3, 1200),
    ("before1_likelihood", 3, 600),
    ("before1_likelihood", 0, NONE),
    ("before2_likelihood", 3, 0),
    ("before4_likelihood", 7, 1200),
    ("behind1_likelihood", 5, 600),
    ("behind3_likelihood", 0, 1200),
    ("behind4_likelihood", 12, NONE),
    ("within3_chance", 0, 858),
    ("within3_likelihood", 0, 450),
    ("within8_chance", 12, 741),
    ("within8_likelihood", 12, 566),
    ("within20_chance", 6, 797),
    ("within20_likelihood", 6, 530),
    ("expected_before", 4, 21),
    ("expected_behind", 3, 20),
    ("expected_share_before", 4, 517),
    ("rank", 4, 1),
    ("rank", 2, 3),
    ("rank", 0, 9),
    ("words_to_rank", 5, 38),
    ("words_to_rank", 2, 39),
    ("words_share_to_rank", 2, 750),
    ("expected_share_to_rank", 5, 914),
    ("since_likely", 12, 3),
    ("since_likely", 1, FAR),
    ("to_likely", 0, 2),
    ("to_likely", 10, FAR),
    ("from_first_likely", 5, 3),
    ("from_first_likely", 0, -2),
    ("to_last_likely", 5, 4),
    ("since_sure", 9, 4),
    ("to_sure", 0, 3),
    ("from_first_sure", 4, 1),
    ("to_last_sure", 3, 2),
    ("c1_likelihood", 4, 1200),
    ("c1_chance", 4, 998),
    ("c1_expected_share", 4, 408),
    ("c1_like_chance", 8, 500),
    ("c2_likelihood", 4, 825),
    ("c2_chance", 4, 920),
    ("c2_expected_share", 4, 998),
    ("c2_like_chance", 4, 998),
    ("c4_like_chance", 4, 797),
    ("c5_like_chance", 4, NONE),
    ("c6_like_chance", 4, NONE),
    ("c6_likelihood", 4, 530),
    ("copies_likelihood", 6, 600),
    ("way_likelihood", 4, 1200),
    ("tags_likelihood", 8, 600),
    ("kind_likelihood", 3, 1200),
    ("kind_likelihood", 10, 100),
    ("page_expected", 0, 41),
    ("page_expected_share", 0, 797),
    ("page_likely_words", 0, 45),
    ("page_likely", 0, 8),
    ("page_best", 0, 1200),
    ("page_unsure", 0, 69),
]

# With blocks 3, 4, 5 and 7 kept, which have 39 words and 188 characters.
KEPT = [3, 4, 5, 7]
WHOLE = [
    ("expected", 800),
    ("words", 52),
    ("words_kept", 750),
    ("words_expected", 797),
    ("blocks", 13),
    ("blocks_kept", 307),
    ("elements", 2076),
    ("mean_kept", 9750),
    ("longest_kept", 21),
    ("longest", 21),
    ("first_kept", 230),
    ("last_kept", 538),
    ("chance_kept", 985),
    ("best", 1200),
    ("unsure", 69),
    ("undecided", 384),
    ("kept_chars", 4820),
    ("kept_ends", 102),
    ("kept_commas", 102),
    ("kept_upper", 153),
    ("kept_strong_chars", 153),
    ("kept_digits", 51),
    ("kept_links", 0),
    ("kept_elements", 1750),
    ("kept_heading", 0),
    ("page_chars", 4346),
    ("page_link_chars", 173),
    ("page_money", 19),
    ("page_rights", 19),
    ("page_links", 153),
    ("page_images", 76),
    ("page_controls", 76),
    ("page_elements", 2076),
    ("page_heading", 153),
    ("page_list_item", 153),
    ("page_code", 0),
    ("tag_article", 76),
    ("tag_li", 153),
    ("tag_p", 384),
    ("tag_td", 153),
    ("tag_video", 0),
]

TAGGERS = both(PythonTagger, Tagger)
Found = Mapping[str, np.ndarray]


def names() -> TokenTable:
    rows = sorted((fnv1a(word.encode()), *row) for word, row in NAMES.items())
    hashes, near, far, flag = np.array(rows).T
    return TokenTable(
        hashes.astype(np.uint32),
        *(column.astype(np.int32) for column in (near, far, flag)),
        word_table(WORDS),
    )


def walk_of(page: str) -> Walk:
    return told_walk(Page.of(PAGES[page], URL))


@pytest.fixture(scope="module", params=TAGGERS)
def first(request: pytest.FixtureRequest) -> dict[str, Found]:
    tagger = request.param(names(), NO_TREES, NO_TREES)
    return {page: tagger.features(walk_of(page), features_with(34)) for page in PAGES}


@pytest.fixture(scope="module", params=TAGGERS)
def second(request: pytest.FixtureRequest) -> Found:
    tagger = request.param(names(), NO_TREES, NO_TREES)
    found: Found = tagger.features(
        walk_of("bakery"), context.FEATURES, np.array(LIKELIHOOD)
    )
    return found


@pytest.fixture(scope="module", params=both(python_page_figures, page_figures))
def figures(request: pytest.FixtureRequest) -> dict[str, int]:
    walk = walk_of("bakery")
    kept = np.isin(np.arange(len(walk.blocks)), KEPT)
    likelihood, chosen = np.array(LIKELIHOOD), Selection(kept, 800)
    found = request.param(walk, likelihood, weights(walk), chosen)
    return dict(zip(whole.NAMES, found.tolist(), strict=True))


@pytest.mark.parametrize(("name", "page", "block", "value"), FIRST)
def test_what_the_first_trees_see(
    first: dict[str, Found], name: str, page: str, block: int, value: int
) -> None:
    assert first[page][name][block] == value


@pytest.mark.parametrize(("name", "block", "value"), SECOND)
def test_what_the_second_trees_see(
    second: Found, name: str, block: int, value: int
) -> None:
    assert second[name][block] == value


@pytest.mark.parametrize(("name", "value"), WHOLE)
def test_what_is_known_of_a_page(
    figures: dict[str, int], name: str, value: int
) -> None:
    assert figures[name] == value


def test_nothing_kept(figures: dict[str, int]) -> None:
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
    assert {line.operation for line in told} == set(READS)


def test_figures_are_capped() -> None:
    columns = {"chars": np.array([CAP + 1, -CAP - 1]), "n": np.array([1, 1])}
    found = evaluate(table(("chars", copy, "chars")).values(), columns)
    assert found["chars"].tolist() == [CAP, -CAP]


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
        encoded([line], FIRST_COLUMNS)


def test_all_lines_can_be() -> None:
    for lines, columns in (
        (features.FIGURES, FIRST_COLUMNS),
        (features_with(64), FIRST_COLUMNS),
        (context.FIGURES, context.COLUMNS),
        (context.FEATURES, context.COLUMNS),
        (whole.FIGURES, whole.FACTS),
    ):
        assert len(encoded(list(lines.values()), columns)) == len(lines)


def test_no_feature_of_the_context_is_called_like_one_of_blocks() -> None:
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
