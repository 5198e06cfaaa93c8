"""Readers' comments as posts, with author and time."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext import MainText, extract
from scrapy_eatext.output.code import content
from scrapy_eatext.output.comments import named_posts, posts_of
from scrapy_eatext.page import Page
from scrapy_eatext.result import Post
from tests.support.pages import WORDS, any_pages
from tests.support.properties import check_linear, is_with, letters
from tests.support.rich import rich_page
from tests.support.suites import values_of

URL = "https://example.com/boats/"


def posts(source, *dropped):
    """The posts of a page where readers wrote all but some texts."""
    blocks = Page.of(source, URL).blocks
    spoken = [blocks.text(i) not in dropped for i in range(len(blocks))]
    return list(posts_of(blocks, content(blocks, spoken)))


SCRIPTS = sorted({"en", "ru", "zh", "ar", "hi", "th"} & set(WORDS))


@pytest.mark.parametrize("code", SCRIPTS)
@pytest.mark.parametrize("spoken", [True, False])
def test_author_and_time(code, spoken):
    said = WORDS[code]
    html = "".join(
        f'<div class="comment"><div class="author">Ann {n}</div><time '
        f'datetime="2024-03-0{n}T10:00Z">{n} March</time><p>{said}</p><p>{n}!</p></div>'
        for n in (1, 2)
    )
    dropped = ["Ann 1", "1 March", "Ann 2", "2 March"]
    assert posts(html, *(() if spoken else dropped)) == [
        Post(f"{said}\n\n{n}!", f"Ann {n}", f"2024-03-0{n}T10:00:00+00:00")
        for n in (1, 2)
    ]


@pytest.mark.parametrize(("html", "expected"), values_of("tables/comments.txt"))
def test_posts(html, expected):
    assert posts(html) == [Post(*said) for said in expected]


def test_code_in_a_post():
    html = '<div class="comment"><p>Try</p><pre>a\n  b</pre></div>'
    assert posts(html) == [Post("Try\n\na\n  b")]


def page_with_comments(count):
    said = (
        "I baked it for the whole family on day {n}, and all of them wanted more of it."
    )
    comments = "".join(
        f'<li class="comment"><b class="author">Reader {n}</b> <time '
        f'datetime="2024-03-1{n}">then</time><p>{said.format(n=n)}</p></li>'
        for n in range(count)
    )
    prose = (
        "The old bridge over the river was opened again yesterday, after it had been "
        "under repair for several months, and many people came to see it. "
    ) * 3
    return (
        f"<html><body><article><h1>Bridge</h1><p>{prose}</p><p>{prose} Twice.</p>"
        f'</article><section id="comments"><ol>{comments}</ol></section></body></html>'
    )


def test_extract_has_them_beside_the_text_of_all():
    result = extract(page_with_comments(3), url=URL)
    assert [(post.author, post.time) for post in result.posts] == [
        (f"Reader {n}", f"2024-03-1{n}") for n in range(3)
    ]
    assert all("I baked it" in post.text for post in result.posts)
    assert "I baked it" not in result.text
    said = letters("".join(post.text for post in result.posts))
    assert is_with(letters(result.comments), said)
    alone = result.detached()
    again = MainText.from_dict(json.loads(json.dumps(alone.as_dict())))
    assert again.posts == result.posts
    assert result.without_text().posts == ()


def test_an_algorithm_that_knows_no_comments_has_no_posts():
    html = page_with_comments(3)
    assert extract(html, algorithm="density").posts == ()
    assert extract(html, remove=".comment:last-child").posts[-1].author == "Reader 1"


PAGES = st.one_of(
    any_pages(), st.integers(0, 2**32).map(lambda seed: rich_page(Random(seed)))
)


@given(PAGES, st.randoms(use_true_random=False))
def test_all_words_are_in_the_posts_but_names_and_times(source, chance):
    blocks = Page.of(source, URL).blocks
    spoken = content(blocks, [chance.random() < 0.7 for _ in range(len(blocks))])
    found = named_posts(blocks, spoken)
    texts = [spoken.code.get(i) or blocks.text(i) for i in spoken.units]
    for text in texts:
        holds = (letters(text) in letters(post.text) for post in found)
        assert any(holds) or any(
            (post.author and post.author in text) or any(c.isdigit() for c in text)
            for post in found
        )
    assert sum(len(post.text) for post in found) <= 3 * sum(map(len, texts)) + 50 * len(
        texts
    )
    for post in found:
        assert post.text.strip()
        assert len(post.author) <= 60
        assert len(post.time) <= 60


@pytest.mark.parametrize(
    "piece",
    [
        '<div class="comment"><b class=author>A</b><p>x</p></div>',
        '<div class="comment"><p>x</p>',
        '<p>x</p><li class="comment">y',
        '<ol start=3><li class="comment"><ol start=4><li>x</ol></ol>',
        '<div class="comment"><time>1 May</time>',
        "<p><b>A</b> said:</p><p>x y</p><p>Reply</p>",
    ],
)
def test_linear(piece):
    def make(count):
        blocks = Page.of(piece * count).blocks
        return blocks, content(blocks, [True] * len(blocks))

    check_linear(lambda thread: posts_of(*thread), make, 2_000)
