"""Readers' comments, by the names of elements or as the posts of threads."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext import MainText, extract
from scrapy_eatext.output.code import content
from scrapy_eatext.output.comments import is_details, named_posts, posts_of
from scrapy_eatext.page import Page
from scrapy_eatext.result import Post
from tests.support.kept import PAGES, all_but, texts_of
from tests.support.pages import WORDS
from tests.support.properties import check_linear, is_with, letters
from tests.support.suites import values_of

URL = "https://example.com/boats/"


def posts(source, *dropped):
    """The posts of a page where readers wrote all but some texts."""
    blocks = Page.of(source, URL).blocks
    return list(posts_of(blocks, content(blocks, all_but(blocks, dropped))))


# -- readers' comments


@pytest.mark.parametrize(
    "code", sorted({"en", "ru", "zh", "ar", "hi", "th"} & {*WORDS})
)
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


@pytest.mark.parametrize(
    ("ends", "is_text"),
    [
        (("It is 3 o'clock.", "It is 5 o'clock."), True),
        (("I paid 3 pounds for mine!", "I paid 4 pounds for mine!"), True),
        (("Thanks for your help!", "Thanks for your help!"), True),
        (("Was this helpful?", "Was this helpful?", "Was this helpful?"), False),
        (("3 Likes", "5 Likes"), False),
    ],
)
def test_the_last_sentence_of_a_post_is_no_button(ends, is_text):
    said = (
        "It is one of {} good ideas that we have heard of in all of those years, "
        "and all of us would like to hear far more of them before the winter comes."
    )
    html = "<hr>".join(
        f'<div><a href="/user/ann{n}">Ann {"abcd"[n]}</a> wrote on May {n + 3}, 2012:'
        f"<p>{said.format('abcd'[n] * 4)}</p><p>{end}</p></div>"
        for n, end in enumerate(ends)
    )
    found = [post.text for post in posts(html)]
    assert [text.endswith(end) for text, end in zip(found, ends, strict=True)] == (
        [is_text] * len(ends)
    )


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
    html = page_with_comments(3)
    result = extract(html, url=URL)
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
    # An algorithm that knows no comments has no posts.
    plain = extract(html, algorithm="density")
    assert (plain.posts, plain.comments) == ((), "")
    ruled = extract(html, remove=".comment:last-child")
    assert ruled.posts[-1].author == "Reader 1"
    assert "on day 2" not in ruled.comments


@given(PAGES, st.randoms(use_true_random=False))
def test_all_words_are_in_the_posts_but_details_and_buttons(source, chance):
    blocks = Page.of(source, URL).blocks
    spoken = content(blocks, [chance.random() < 0.7 for _ in range(len(blocks))])
    found = named_posts(blocks, spoken)
    texts = texts_of(blocks, spoken)
    headings = {blocks.text(i) for i in spoken.units if blocks.kind(i) == "heading"}
    for text in texts:
        holds = (letters(text) in letters(post.text) for post in found)
        is_button = [text[:9] == other[:9] for other in texts].count(True) > 1
        assert (
            any(holds)
            or is_button
            or text in headings
            or is_details(text, "")
            or any(
                (post.author and post.author in text) or any(c.isdigit() for c in text)
                for post in found
            )
        )
    most = 3 * sum(map(len, texts)) + 50 * len(texts)
    assert sum(len(post.text) for post in found) <= most
    for post in found:
        assert post.text.strip()
        assert max(len(post.author), len(post.time)) <= 60


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
        return blocks, content(blocks, all_but(blocks))

    check_linear(lambda thread: posts_of(*thread), make, 2_000)


# -- authors and times


@pytest.mark.parametrize(("lang", "day"), [("en-US", "03-04"), ("de", "04-03")])
def test_which_comes_first_day_or_month(lang, day):
    """Dates of posts are read as those of the page are."""
    html = page_with_comments(2).replace("<html", f'<html lang="{lang}"')
    html = re.sub(r"<time [^>]*>then", "<time>3/4/2024, 1:30 PM", html)
    found = extract(html, url=URL).posts
    assert {post.time for post in found} == {f"2024-{day}T13:30:00"}


@pytest.mark.parametrize(
    ("post", "found"),
    [
        *((post, {"Ann", "Bo"}) for post in values_of("tables/shapes_of_posts.txt")),
        # Who is called no author is none.
        ('<article class="message"><h4 class="message-title">{}</h4><p>{}</p></article>',
         {""}),
    ],
)  # fmt: skip
def test_shapes_of_posts(post, found):
    html = post.format("Ann", "One.") + post.format("Bo", "Two.")
    assert {post.author for post in posts(html)} == found


@pytest.mark.parametrize("name", ["\u2026", "x" * 100])
def test_authors_that_are_no_names_are_left_out(name):
    html = f'<div class="post"><div class="author">{name}</div><p>First post.</p></div>'
    assert posts(html * 2)[0].author == ""
