"""The default algorithm on pages of many kinds, and its options."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from functools import reduce
from operator import getitem

import numpy as np
import pytest

from scrapy_eatext import extract
from scrapy_eatext.algorithms import eatext
from scrapy_eatext.algorithms.eatext import load_tagger
from scrapy_eatext.algorithms.modelfile import (
    ModelError,
    load_model,
    save_model,
)
from scrapy_eatext.page import Page
from scrapy_eatext.tagger.facts import weights
from tests.support.passages import PROSE

MENU = "".join(
    f"<li><a href='/{name}'>{name.title()}</a></li>"
    for name in ("home", "news", "recipes", "shop", "about", "contact")
)


def page(content, *, below="", head="", lang="en"):
    return (
        f"<!DOCTYPE html><html lang={lang}><head><title>A page</title>{head}</head>"
        f"<body><header><nav><ul>{MENU}</ul></nav></header>"
        f"<main><article>{content}</article></main>{below}"
        f"<aside class=sidebar><h3>Popular</h3><ul>{MENU}</ul></aside>"
        "<footer><p>&copy; 2024 The bakery. <a href=/t>Terms</a> "
        "<a href=/p>Privacy</a></p></footer></body></html>"
    )


def story(count):
    return "".join(f"<p>{PROSE['en']} {i}</p>" for i in range(count))


@pytest.mark.parametrize("language", sorted(PROSE))
def test_paragraphs_of_every_language_are_kept(language):
    prose = PROSE[language]
    content = f"<p>{prose}</p><p>{prose[::-1]}</p>"
    found = extract(page(content, lang=language), algorithm="eatext")
    assert prose in found.text
    assert "Terms" not in found.text
    assert "Recipes" not in found.text


def test_a_result_tells_kind_score_and_version():
    found = extract(page(story(6)), algorithm="eatext", blocks=True)
    assert found.page_type == "article"
    assert found.score > 0.7
    assert found.origin == "page"
    assert found.version.count("+") == 1
    for block in found.blocks:
        assert re.match(r"chance [01]\.\d\d(: |$)", block.reason)
        assert 0 <= block.score <= 1
    dropped = [block.reason for block in found.blocks if not block.kept]
    assert any("in a nav element" in reason for reason in dropped)
    assert any("mostly links" in reason for reason in dropped)


@pytest.mark.parametrize(
    "content",
    [
        "",
        (
            "<form><label>User</label><input name=u><label>Password</label>"
            "<input type=password name=p><button>Log in</button></form>"
        ),
    ],
)
def test_a_page_without_main_text_scores_low(content):
    html = f"<html><body><ul>{MENU}</ul>{content}</body></html>"
    text = page(story(6))
    low, high = (extract(one, algorithm="eatext").score for one in (html, text))
    assert low < 0.4
    assert high > 0.9


def comments(count):
    return "".join(
        f"<div class=comment><b>Anna {i}</b> <time>{i} March, 10:0{i}</time>"
        f"<p>I baked it on day {i}, and it came out well.</p><a href=#>Reply</a></div>"
        for i in range(count)
    )


def test_comments_in_or_out():
    html = page(story(6), below=f"<section id=comments>{comments(4)}</section>")
    inside = extract(html, algorithm="eatext", options={"comments": True}).text
    assert "I baked it on day 3" in inside
    assert PROSE["en"] in inside
    found = extract(html, algorithm="eatext")
    assert "I baked" not in found.text
    assert "I baked it on day 3" in found.comments
    assert PROSE["en"] not in found.comments


REVIEWS = (
    "I bought this kettle in March, and it has boiled water every day since.",
    "It pours without a drop beside the cup, though the lid is a little stiff.",
    "Mine came with a small dent, and the shop sent another one free of charge.",
)


def kettle(attributes: str, reviews=REVIEWS) -> str:
    """The page of a product, with reviews in an element with some attributes."""
    reviews = "".join(f"<div class=one><p>{text}</p></div>" for text in reviews)
    return f"""<title>Copper kettle - Harbour Kitchen Shop</title>
    <header><nav><ul><li><a href=/pots>Pots</a><li><a href=/cart>Cart (0)</a></ul></nav>
    </header><main><div class="product product-page">
    <h1 class=product-title>Copper kettle</h1><div class=price>&euro; 64.90</div>
    <form class=add-to-cart><button>Add to cart</button></form>
    <div class=product-description><h2>Description</h2>
    <p>A kettle of hammered copper, lined with tin, for gas and for electric stoves. It
    holds a litre and a half, and whistles when the water boils.</p>
    <p>The handle of beech wood does not grow hot. Wash the kettle by hand and rub it
    with half a lemon when it has lost its shine.</p></div>
    <section {attributes}><h2>What others say</h2>{reviews}</section>
    </div></main><footer>Harbour Kitchen Shop, 12 Quay Street</footer>"""


def test_reviews_of_a_product_are_comments():
    found = extract(kettle("class=product-reviews"))
    assert found.page_type == "product"
    assert "half a lemon" in found.text
    for review in REVIEWS:
        assert review not in found.text
        assert review in found.comments
    reason = next(b.reason for b in found.blocks if b.text == REVIEWS[0])
    assert "left out: a review" in reason
    # They are main text if they are asked for, and where a threshold is set.
    for options in ({"comments": True}, {"threshold": 0.3}):
        asked = extract(kettle("class=product-reviews"), options=options)
        assert REVIEWS[0] in asked.text


def test_two_reviews_that_are_hardly_main_text_are_comments():
    found = extract(kettle("class=product-reviews", REVIEWS[:2]))
    assert not any(text in found.text for text in REVIEWS)
    assert all(text in found.comments for text in REVIEWS[:2])


@pytest.mark.parametrize("begin", ["<div class=signature>", f"<div>{'_' * 18}<br>"])
def test_signatures_of_a_thread_are_left_out(begin):
    post = (
        "<div class=post><p class=author>{0}, 4 March 2024</p><div class=content>{1}</div>"
        f"{begin}{{0}} never sails on Fridays.</div></div>"
    )
    posts = "".join(post.format(n, PROSE["en"]) for n in ("Ann", "Ben", "Cleo", "Dov"))
    found = extract(f"<title>Boat forum</title><h1>Old boats</h1>{posts}")
    assert found.page_type == "forum"
    assert "Fridays" not in found.text + "".join(post.text for post in found.posts)
    assert found.text.count(PROSE["en"][:40]) == 4


def test_a_long_post_below_a_line_is_no_signature():
    post = "<div class=post><p class=author>{0}, 4 March 2024</p><div>{1}<br>{2}</div></div>"
    names = ("Ann", "Ben", "Cleo", "Dov")
    posts = "".join(post.format(n, "_" * 18, PROSE["en"] * 3) for n in names)
    found = extract(f"<title>Boat forum</title><h1>Old boats</h1>{posts}")
    assert found.page_type == "forum"
    assert found.text.count(PROSE["en"][:40]) == 3 * 4


class Unsure:
    """A tagger that takes no block for a comment."""

    def likelihoods(self, walk):
        return np.zeros(len(walk.blocks), dtype=np.int64), np.zeros(0, dtype=np.int64)


@pytest.mark.parametrize(
    ("kind", "kept", "found"),
    [
        ("forum", "rules", True),
        # Where some of them are kept, the others may be none; an article has a text.
        ("forum", "rules, and what Ann says", False),
        ("article", "rules", False),
    ],
)
def test_a_thread_has_comments(kind, kept, found):
    said = "".join(
        f"<div class=comment><p>{name} says: {PROSE['en']}</p></div>"
        for name in ("Ann", "Ben")
    )
    blocks = Page.of(f"<p>The rules of this board.</p>{said}").blocks
    texts = blocks.texts()
    chosen = np.array(
        [any(w in kept and w in t for w in ("rules", "Ann")) for t in texts]
    )
    walk, w = blocks.walk, weights(blocks.walk)
    comments = eatext._comments(Unsure(), walk, kind, w, w, chosen, chosen, None)
    assert comments.tolist() == [found and "says" in text for text in texts]


@pytest.mark.parametrize("attributes", ["role=dialog", "class=size-modal"])
def test_dialogs_of_a_product_are_nothing(attributes):
    found = extract(kettle(attributes))
    assert found.page_type == "product"
    assert "half a lemon" in found.text
    assert not any(review in found.text + found.comments for review in REVIEWS)
    reason = next(b.reason for b in found.blocks if b.text == REVIEWS[0])
    assert "left out: a dialog" in reason


def test_a_page_that_says_it_has_comments_is_none_of_them():
    footer = "All rights are reserved by the bakers of the old bridge."
    said = f"<div id=comments>{comments(2)}</div>"
    html = page(story(6), below=f"{said}<footer><p>{footer}</p></footer>")
    html = html.replace("<body", "<body class='post comments-open'", 1)
    found = extract(html, algorithm="eatext", options={"comments": True}).text
    assert "I baked it on day 1" in found
    assert footer not in found


def test_favor_and_threshold():
    html = page(f"{story(4)}<p>Next</p><ul><li>Flour<li>Water</ul>")

    def chars(**options):
        return len(extract(html, algorithm="eatext", options=options).text)

    assert chars(favor="precision") <= chars() <= chars(favor="recall")
    assert chars(threshold=1.0) == 0
    assert chars(threshold=0.0) > chars(threshold=0.9) > 0


ARTICLE = " ".join([PROSE["en"]] * 3)


LINKED = 'type="application/ld+json"'
NEXT = 'id="__NEXT_DATA__" type="application/json"'
NUXT = 'id="__NUXT_DATA__" type="application/json"'


def with_script(data, script=LINKED):
    html = (
        f"<html><head><base href=/shop/><script {script}>{data}</script></head>"
        "<body><div id=app></div></body></html>"
    )
    return extract(html, url="https://example.com/", algorithm="eatext", blocks=True)


def with_data(data, script=LINKED):
    return with_script(json.dumps(data), script)


@pytest.mark.parametrize(
    ("data", "script", "origin"),
    [
        (
            {"@graph": [{"@type": "NewsArticle", "articleBody": ARTICLE}]},
            LINKED,
            "json-ld",
        ),
        (
            {"@type": "Recipe", "recipeInstructions": [{"text": ARTICLE}, "Bake."]},
            LINKED,
            "json-ld",
        ),
        ({"props": {"post": {"bodyHtml": f"<p>{ARTICLE}</p>"}}}, NEXT, "state"),
    ],
)
def test_a_text_that_only_the_data_have(data, script, origin):
    found = with_data(data, script)
    assert ARTICLE in found.text
    assert found.origin == origin
    assert "only in the page's data" in found.blocks[0].reason


@pytest.mark.parametrize(
    "data",
    [
        "no JSON",
        "[" * 100_000,
        json.dumps({"@type": "Thing", "description": "short"}),
        json.dumps({"articleBody": ARTICLE}),
        json.dumps(["@type", {"@type": "Article", "articleBody": 7}]),
    ],
)
def test_data_without_a_text(data):
    assert with_script(data).text == ""


SORRY = "Sorry, the page that you look for is not here. Go back to the start, please."


FORM = "<form><h2>Log in</h2><input name=user><input type=Password></form>"


@pytest.mark.parametrize(
    ("title", "start", "text", "is_wall"),
    [
        ("404 Not Found", "<h1>Oh no</h1>", SORRY, True),
        ("Seite nicht gefunden (404)", "<h1>Nichts da</h1>", SORRY, True),
        ("Boats", "<h1>HTTP 403</h1>", SORRY, True),
        ("502 Bad Gateway", "<h1>Boats</h1>", SORRY, True),
        ("Just a moment", "<h2>Checking your browser</h2>", SORRY, True),
        ("", FORM, SORRY, True),
        ("", FORM, SORRY + ARTICLE * 2, False),
        ("Boats", "<h1>Boats</h1>", SORRY, False),
        ("Top 500 boats", "<h1>For $404</h1>", SORRY, False),
        ("Form 404-B", "<h1>4.404</h1>", SORRY, False),
        ("What 404 means", "<h1>404</h1>", ARTICLE, False),
    ],
)
def test_what_stands_in_place_of_a_page_has_no_text(title, start, text, is_wall):
    found = extract(f"<html><title>{title}</title><body>{start}<p>{text}")
    assert (text in found.text) != is_wall
    assert not is_wall or (found.text, found.score <= 0.3) == ("", True)


def test_a_text_in_the_data_keeps_its_structure():
    body = f"<h2>Boats</h2><p>{ARTICLE} <a href=more>More</a></p><ul><li>a<li>b</ul>"
    found = with_data({"props": {"post": {"body": body}}}, NEXT)
    assert found.markdown == (
        f"## Boats\n\n{ARTICLE} [More](https://example.com/shop/more)\n\n- a\n- b"
    )
    assert 'href="https://example.com/shop/more"' in found.html
    assert {block.xpath for block in found.blocks} == {""}
    assert {chunk.xpath for chunk in found.chunks()} == {""}


def test_a_text_that_is_escaped_html():
    text = f"&lt;p&gt;{ARTICLE}&lt;/p&gt;&lt;p&gt;Salt &amp;amp; pepper&lt;/p&gt;"
    found = with_data({"@type": "JobPosting", "description": text})
    assert found.text == f"{ARTICLE}\n\nSalt & pepper"


def test_line_feeds_within_json_strings():
    script = json.dumps({"@type": "Article", "articleBody": f"{ARTICLE}|{ARTICLE}"})
    found = with_script(script.replace("|", "\n"))
    assert found.text == f"{ARTICLE}\n\n{ARTICLE}"


@pytest.mark.parametrize(
    ("kind", "page_type"),
    [
        (["Product", "Thing"], "product"),
        ("NewsArticle", "article"),
        ("DiscussionForumPosting", "forum"),
        ("TechArticle", "article"),
        ("Event", ""),
        # Who runs a site is no text.
        *((kind, None) for kind in ("Organization", "WebSite", "WebPage", "Person")),
    ],
)
def test_the_kind_of_page_that_the_data_tell(kind, page_type):
    found = with_data({"@type": kind, "description": ARTICLE[:100]})
    if page_type is None:
        assert found.text == ""
    else:
        assert (found.text, found.page_type) == (ARTICLE[:100].strip(), page_type)


def test_a_product_comes_before_what_is_said_of_it():
    review = {"@type": "Review", "reviewBody": ARTICLE}
    product = {"@type": "Product", "description": ARTICLE[:100], "review": [review]}
    assert with_data(product).text == ARTICLE[:100].strip()
    assert with_data(review).text == ARTICLE


@pytest.mark.parametrize("script", [NEXT, LINKED])
def test_a_reference_of_any_length_in_the_data(script):
    body = f"{ARTICLE} &#{'9' * 5000}; {ARTICLE}"
    found = with_data({"@type": "Article", "articleBody": body}, script)
    assert found.text == f"{ARTICLE} \ufffd {ARTICLE}".strip()


def test_a_number_of_any_length_in_the_data():
    data = json.dumps({"id": 7, "body": ARTICLE}).replace("7", "7" * 5000)
    assert with_script(data, NEXT).text == ARTICLE.strip()


def test_state_of_nuxt():
    data = [["Reactive", 1], {"data": 2}, {"body": 3, "id": 99}, f"<p>{ARTICLE}</p>"]
    found = with_data(data, NUXT)
    assert (found.text, found.origin) == (ARTICLE, "state")
    assert with_data({"body": ARTICLE}, NUXT).text == ARTICLE


@pytest.mark.parametrize("script", [NEXT, NUXT])
def test_state_is_read_as_json_ld_is(script):
    state = json.dumps({"body": ARTICLE})
    assert with_script(f"<!--{state};-->", script).text == ARTICLE


def test_data_do_not_replace_a_text_that_is_shown():
    data = json.dumps({"@type": "Article", "articleBody": ARTICLE.upper()})
    head = f"<script {LINKED}>{data}</script>"
    found = extract(page(story(4), head=head), algorithm="eatext")
    assert found.origin == "page"
    assert PROSE["en"] in found.text


DAMAGED = r"broken\.model is damaged"
UNKNOWN = "no feature is called '{}'"


@pytest.mark.parametrize(
    ("way", "value", "said"),
    [
        (["arrays", "tokens.near"], np.zeros(3, dtype=np.int32), DAMAGED),
        (["arrays", "first.starts"], np.zeros(2, dtype=np.int32), DAMAGED),
        (["arrays", "kinds.bias"], np.zeros(2, dtype=np.int32), DAMAGED),
        (["arrays", "lines"], np.ones((1, 2), dtype=np.int32), DAMAGED),
        (["header", "kinds"], ["article"], DAMAGED),
        (["header", "scales"], {}, DAMAGED),
        (["header", "scales", "comments"], 10**30, DAMAGED),
        (["arrays", "tokens.flag", 0], 1 << 30, DAMAGED),
        (["header", "features", "kinds", 0], "nothing", DAMAGED),
        (["header", "features", "first", -1], "colour", UNKNOWN),
        (["header", "features", "second", -1], "colour", UNKNOWN),
        (["header", "features", "second", -1], "name64", UNKNOWN),
        (["header", "features", "first", -1], "rank", UNKNOWN),
    ],
)
def test_a_model_that_does_not_fit_is_refused(tmp_path, way, value, said):
    model = load_model("", "eatext")
    parts = deepcopy({"arrays": dict(model.arrays), "header": model.header})
    *steps, last = way
    changed = reduce(getitem, steps, parts)
    changed[last] = value
    path = tmp_path / "broken.model"
    save_model(path, "eatext", "1", parts["arrays"], parts["header"])
    with pytest.raises(ModelError, match=said.format(value)):
        load_tagger(path)
