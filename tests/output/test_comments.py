"""Readers' comments as posts, with author and time."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext import MainText, extract
from scrapy_eatext.output.code import content
from scrapy_eatext.output.comments import posts_of
from scrapy_eatext.page import Page
from scrapy_eatext.result import Post
from tests.support.pages import WORDS, any_pages
from tests.support.properties import check_linear, is_with, letters
from tests.support.rich import rich_page

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


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # One comment is a post too.
        (
            '<div class="comment"><b class="author">Bo</b><p>Hi there</p></div>',
            [Post("Hi there", "Bo")],
        ),
        # What is not told is empty.
        ('<div class="comment"><p>Hi</p></div>', [Post("Hi")]),
        # Replies stand inside, and the first one may go on behind.
        (
            (
                '<ul><li class="comment"><a class="username">ann77</a> says:<p>One.</p><ul>'
                '<li class="comment"><a class="username">bo</a><span class="age">2 hours ago'
                "</span><p>Two.</p></li></ul><p>More.</p></li></ul>"
            ),
            [Post("One.\n\nMore.", "ann77"), Post("Two.", "bo", "2 hours ago")],
        ),
        # The list of comments is none of their own; those inside are.
        (
            (
                '<ol><li class="comment"><p>See:</p><ul><li>a<ul><li>b</ul><li>c</ul>'
                '</li><li class="comment"><ol start=3><li>x<li>y</ol></li></ol>'
            ),
            [Post("See:\n\n- a\n  - b\n- c"), Post("3. x\n4. y")],
        ),
        # An item has one mark, whatever it holds.
        (
            (
                '<div class="comment"><ol><li><p>a</p><p>b</p><ul><li>c</ul>d</li><li>e'
                "</ol></div>"
            ),
            [Post("1. a\n  b\n  - c\n  d\n2. e")],
        ),
        # A table that holds the page is none either; one inside is.
        (
            (
                '<table><tr><td><div class="comment"><p>a</p><table><tr><td>1<td>2<tr><td>3'
                "<td>4</table></div></td></tr></table>"
            ),
            [Post("a\n\n1 | 2\n3 | 4")],
        ),
        # By its microdata.
        (
            (
                '<div itemprop="comment" itemscope><span itemprop="author">Ann</span>'
                "<p>One.</p></div>"
            ),
            [Post("One.", "Ann")],
        ),
        # Beside named ones, what stands in none.
        (
            '<p>Before</p><p>it</p><div class="comment"><p>One.</p></div><p>After</p>',
            [Post("Before\n\nit"), Post("One."), Post("After")],
        ),
        # A link to reply belongs to what it replies to, though its place is named so.
        (
            (
                '<div class="comment"><b class="fn">Ann</b><p>One.</p><div class="reply">'
                '<a href="#">Reply</a></div></div><div class="reply"><p>Two.</p></div>'
            ),
            [Post("One.\n\nReply", "Ann"), Post("Two.")],
        ),
        # A name in the text is text.
        (
            '<div class="comment"><a class="author">Ann</a><p>Ann is right: 1</p></div>',
            [Post("Ann is right: 1", "Ann")],
        ),
        ("", []),
    ],
)
def test_posts(html, expected):
    assert posts(html) == expected


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
    found = posts_of(blocks, spoken)
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
    ],
)
def test_linear(piece):
    def make(count):
        blocks = Page.of(piece * count).blocks
        return blocks, content(blocks, [True] * len(blocks))

    check_linear(lambda thread: posts_of(*thread), make, 2_000)
