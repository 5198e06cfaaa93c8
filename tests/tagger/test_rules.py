"""What the default algorithm leaves out of the blocks that it has chosen, and completes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.page import Page
from scrapy_eatext.page.datatables import data_tables
from scrapy_eatext.page.names import COMMENTS, REVIEWS, SHOP_PARTS
from scrapy_eatext.tagger.facts import weights
from scrapy_eatext.tagger.rules import (
    _runs,
    in_named,
    whole_tables,
    with_captions,
    with_code,
    without_bare_headings,
    without_bylines,
    without_copies,
    without_named,
)
from tests.support.passages import PROSE
from tests.support.properties import check_linear


def left_by(rule, html: str) -> list[str]:
    """The texts that a rule leaves of those without "gone"; "Sure" ones have high chances."""
    blocks = Page.of(html).blocks
    texts = blocks.texts()
    kept = np.array(["gone" not in text for text in texts])
    chances = np.array([900 if text.startswith("Sure") else 600 for text in texts])
    found = rule(blocks.walk, kept, weights(blocks.walk), chances)
    return [text for text, stays in zip(texts, found, strict=True) if stays]


def paragraphs(*words: str) -> str:
    return "".join(f"<p>{word} {'of them ' * 12}</p>" for word in words)


THREE = ["One", "Two", "Three"]
ONE = paragraphs(*THREE)


@pytest.mark.parametrize(
    ("html", "rest"),
    [
        (f"<div>{ONE}</div><div>{ONE}</div>", THREE),
        (f"<div>{ONE}</div><p>gone<div>{ONE}</div>", THREE),
        (f"<div>{ONE}</div><p>new<div>{ONE}</div>" * 2, [*THREE, "new"]),
        # A part of it can come again.
        (f"<div>{ONE}{paragraphs('Four')}</div><div>{ONE}</div>", [*THREE, "Four"]),
        # A refrain stands among the other verses, ...
        (f"<div>{ONE}{ONE}</div>", THREE * 2),
        # who answers quotes, ...
        (f"<div>{ONE}</div><blockquote>{ONE}</blockquote>", THREE * 2),
        # a single block may be a note, ...
        (f"<div>{paragraphs('One')}</div>" * 2, ["One", "One"]),
        # short ones may be labels, ...
        ("<div><p>A<p>B</div><div><p>A<p>B</div>", ["A", "B", "A", "B"]),
        # and a manual says a little again and again.
        (
            "".join(
                f"<div>{paragraphs('One', 'Two')}</div>{paragraphs(*'ABCDEFGH'[n:n + 7])}"
                for n in range(2)
            ),
            ["One", "Two", *"ABCDEFG", "One", "Two", *"BCDEFGH"],
        ),
    ],
)  # fmt: skip
def test_copies_of_the_text_go(html, rest) -> None:
    assert [text.split()[0] for text in left_by(without_copies, html)] == rest


FOUR = paragraphs("Four")


@pytest.mark.parametrize(
    ("html", "stays"),
    [
        (f"{ONE}<div class='product-reviews'>{FOUR}</div>", False),
        (f"{ONE}<div itemprop=review>{FOUR}</div>", False),
        (f"{ONE}<div id=customerReviews>{FOUR}</div>", False),
        (f"{ONE}<section id=product-questions>{FOUR}</section>", False),
        (f"{ONE}<div class=comment-list>{FOUR}</div>", False),
        (f"{ONE}<div class=delivery_info>{FOUR}</div>", False),
        (f"<aside class=related-products>{FOUR}</aside>{ONE}", False),
        (f"{ONE}<div class=reviews><div class=review>{FOUR}</div></div>", False),
        # What nobody named so, what nobody would see, ...
        (f"{ONE}<div class=previews>{FOUR}</div>", True),
        (f"{ONE}<div class=fYQa>{FOUR}</div>", True),
        (f"{ONE}<div class=reviews></div>{FOUR}", True),
        # and what is named after reviews as a whole.
        (f"<div class=reviews>{ONE}{FOUR}</div>", True),
        (f"<div class=reviews>{ONE}<div class=review>{FOUR}</div></div>", False),
    ],
)
def test_reviews_delivery_and_other_products_go(html: str, stays: bool) -> None:
    names = COMMENTS, REVIEWS, SHOP_PARTS
    left = left_by(partial(without_named, names), html)
    assert [text.split()[0] for text in left] == THREE + ["Four"] * stays


def test_a_line_that_begins_with_a_count_of_comments_is_not_in_them() -> None:
    count = "<p><span class=comment-count>3 comments</span> by Ann</p>"
    blocks = Page.of(f"{count}<div class=comments><p>One</p></div>").blocks
    kept = np.zeros(len(blocks), dtype=np.bool_)
    found = in_named((COMMENTS,), blocks.walk, kept, weights(blocks.walk), 0.5)
    assert found.tolist() == [False, True]


@given(st.lists(st.integers(0, 3), max_size=40))
def test_runs_are_of_what_stands_further_up(texts) -> None:
    done = 0
    for first, begin, count in _runs(texts):
        assert count >= 2
        assert begin >= done
        assert first + count <= begin
        assert texts[first : first + count] == texts[begin : begin + count]
        done = begin + count


def test_runs_grow_with_what_repeats() -> None:
    # No text is in two runs, so that many copies take linear time.
    for texts in ([0] * 200_000, list(range(1000)) * 200):
        found = list(_runs(texts))
        assert len(found) < 20
        assert sum(count for _, _, count in found) < len(texts)


# A long text, and headings of which nothing else is kept.
HEADED = """
<h2>Bread</h2><p>%s</p><h3>gone</h3><p>gone</p><h2>Sure</h2><p>gone</p><h2>Cake</h2>
<h3>Sand</h3><p>gone</p><p>Text.</p><h2>Pie</h2><p>gone</p><h4>Tart</h4><p>Text.</p>
<h2>Related</h2><p>gone</p><h2>Popular</h2><p>gone</p>
"""
LOST = "<h2>Shop</h2><p>gone</p><h3>Ads</h3><p>gone</p><h4>Buy</h4><p>gone</p>"
LONG_HEADED = HEADED % ("word " * 50)


@pytest.mark.parametrize(
    ("html", "lost"),
    [
        (LONG_HEADED, "Related Popular"),
        # The headings of lost headings go, but not one beside which a text stands.
        (LONG_HEADED + LOST, "Related Popular Shop Ads Buy"),
        (f"{LONG_HEADED}{LOST}<h3>Oven</h3><p>Text.</p>", "Related Popular Ads Buy"),
        # All stay where there is little else.
        (HEADED % "Text.", ""),
    ],
)
def test_headings_that_have_lost_their_text_go(html: str, lost: str) -> None:
    chosen = left_by(lambda _, kept, *__: kept, html)
    left = left_by(without_bare_headings, html)
    assert left == [text for text in chosen if text not in lost.split()]


TEXT = f"<p>{'word ' * 40}"


@pytest.mark.parametrize(
    ("html", "stays"),
    [
        (f"<p>Ann Li, 3 May 2024{TEXT}", False),
        (f"<p>2 min read<p>Ann Li, 3 May 2024{TEXT}", False),
        (f"<p>โดย ปรางค์ - 3 พฤษภาคม 2567<p>{'ตลาด' * 50}", False),
        # It stays where it is sure, ...
        (f"<p>Surely Ann Li, 3 May 2024{TEXT}", True),
        # has no date, ...
        (f"<p>Ann Li, in May{TEXT}", True),
        # is a heading, ...
        (f"<h2>3 May 2024</h2>{TEXT}", True),
        # says more, ...
        (f"<p>On 3 May 2024 {'we went ' * 8}{TEXT}", True),
        # stands behind the first long block, or after many short ones, ...
        (f"{TEXT}<p>Ann Li, 3 May 2024{TEXT}", True),
        (f"{'<p>One of five' * 5}<p>Ann Li, 3 May 2024{TEXT}", True),
        # and where there is no long block.
        ("<p>Ann Li, 3 May 2024<p>A short text", True),
    ],
)
def test_a_byline_before_the_text_goes(html, stays) -> None:
    chosen = left_by(lambda _, kept, *__: kept, html)
    assert len(chosen) - len(left_by(without_bylines, html)) == (not stays)


def test_the_reason_is_told() -> None:
    text = "".join(f"<p>{passage}</p>" for passage in list(PROSE.values())[:6])
    page = Page.of(
        f"<title>Bridge</title><h1>Bridge</h1><div>{text}</div><div>{text}</div>"
    )
    verdict = get_algorithm("eatext").judge(page)
    told = [reason.partition("left out: ")[2] for reason in verdict.reasons]
    assert told[-6:] == ["a copy of text above"] * 6
    assert set(told[:-6]) == {""}
    assert list(verdict.kept[-12:]) == [True] * 6 + [False] * 6


@pytest.mark.parametrize("heading", ["Harbour news", "About us"])
def test_a_short_page_is_not_empty(heading: str) -> None:
    """Whatever kind of page it looks like, and however unlikely its sentence is."""
    for passage in PROSE.values():
        sentence = passage.partition(". ")[0] + "."
        html = f"<html><body><h1>{heading}</h1><p>{sentence}</p></body></html>"
        verdict = get_algorithm("eatext").judge(Page.of(html))
        assert verdict.kept[-1], sentence


HEAD = "<tr><th>gone<th>gone"
TEX = "<img src=//latex.codecogs.com/gif.latex?gone=1 alt=gone=1>"
ROWS = "<tr><td>fish and chips<td>gone<tr><td>chips and fish<td>5"


@pytest.mark.parametrize(
    ("html", "count"),
    [
        (f"<table>{ROWS}</table>", 4),
        (f"<table>{HEAD}{ROWS}</table>", 6),
        (f"<table><caption>gone: Table 1</caption>{ROWS}</table>", 5),
        (f"<figure><table>{ROWS}</table><figcaption>gone</figcaption></figure>", 5),
        (f"<figure><p>x<table>{ROWS}</table><figcaption>gone</figcaption></figure>", 6),
        ("<figure><pre>a = 1</pre><figcaption>gone</figcaption></figure>", 2),
        ("<figure><figcaption>gone</figcaption><pre>a = 1</pre></figure>", 2),
        # So is what is named as one above a table, but not below an image.
        (f"<h4>T<p class=caption>gone</p><div><table>{ROWS}</table></div>", 6),
        (f"<div class=caption><p>gone</div><table>{HEAD}</table>", 0),
        (f"<img src=x><p class=caption>gone</p><table>{ROWS}</table>", 4),
        (f"<div><p class=caption>gone</p></div><table>{ROWS}</table>", 4),
        # The caption of an image alone is left as it was chosen, and so is one of which
        # nothing else is kept.
        ("<p>x<figure><img src=x><figcaption>gone</figcaption></figure>", 1),
        ("<p>x<figure><pre>gone</pre><figcaption>gone</figcaption></figure>", 1),
        ("<p>x<div><pre>a = 1</pre><figcaption>gone</figcaption></div>", 2),
        # The caption of a table of which nothing is kept goes with it.
        (f"<p>x<table><caption>gone</caption>{HEAD}<tr><td>gone<td>gone</table>", 1),
        # A row of which less than a third was chosen goes.
        ("<table><tr><td>a<td>gone gone gone<tr><td>c d e<td>f</table>", 2),
        # Rows that lay out the page stay as they were chosen.
        (f"<table role=presentation><caption>gone</caption>{ROWS}</table>", 3),
        ("<table><tr><td>fish and chips<td>gone</table>", 1),
        ("<table><tr><td><ul><li>fish<li>gone</ul><td>b<tr><td>c<td>d</table>", 5),
        # Code is kept between kept blocks, not below the last one or above the first.
        ("<pre>gone</pre><p>x:<pre>gone</pre><div><pre>gone</pre></div><p>y", 4),
        ("<p>x:<pre>gone</pre><p>gone<pre>gone</pre><p>y<pre>gone</pre>", 2),
        # So is a formula, but no text with one in it.
        (f"<p>x<p>{TEX}<p>y<p>{TEX}", 3),
        (f"<p>x<p>{TEX} and so on<p>as in {TEX}<p>y", 2),
    ],
)
def test_what_is_completed(html: str, count: int) -> None:
    def complete(walk, kept, w, _chances):
        return with_code(walk, with_captions(walk, whole_tables(walk, kept, w)))

    assert len(left_by(complete, html)) == count


def test_captions_of_many_tables_take_linear_time() -> None:
    unit = f"<figure><table><caption>1</caption>{ROWS}</table><figcaption>2</figure>"

    def captions_of(page: Page) -> int:
        walk = page.blocks.walk
        data = data_tables(walk)
        assert data is not None
        with_captions(walk, np.ones(len(walk.blocks), dtype=np.bool_))
        return len(data.captions)

    check_linear(captions_of, lambda count: Page.of(unit * count), 500)
