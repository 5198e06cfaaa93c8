"""Threads: who wrote each post, and when."""

from __future__ import annotations

import pytest

from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.page import Page
from tests.support.kept import bylines, document
from tests.support.suites import values_of


def tree_of(html, *dropped):
    """The tree of a page of which some texts are not kept."""
    page = Page.of(html, "https://example.com/")
    blocks = page.blocks
    kept = [blocks.text(i) not in dropped for i in range(len(blocks))]
    return document(page, blocks, kept)


FORUM = """
<div class="post"><div class="author">Ann</div>
<time datetime="2024-03-01T10:00Z">1 March</time><p>First post.</p><p>More of it.</p></div>
<div class="post"><div class="author">Bo</div>
<time datetime="2024-03-02">2 March</time><p>Second post.</p></div>
"""


def test_posts_get_bylines():
    tree = tree_of(FORUM, "Ann", "Bo", "1 March", "2 March")
    assert markdown(tree) == (
        "**Ann**, 2024-03-01T10:00:00+00:00\n\nFirst post.\n\nMore of it.\n\n"
        "**Bo**, 2024-03-02\n\nSecond post."
    )
    assert bylines(tree) == ["Ann, 2024-03-01T10:00:00+00:00", "Bo, 2024-03-02"]


def test_what_is_kept_is_not_said_twice():
    assert "**Ann**\n\n" in markdown(tree_of(FORUM, "Ann", "Bo"))
    tree = tree_of(FORUM, "1 March", "2 March")
    assert markdown(tree).startswith("2024-03-01T10:00:00+00:00\n\nAnn\n\nFirst")
    assert not bylines(tree_of(FORUM))


@pytest.mark.parametrize(("lang", "day"), [("en-US", "03-04"), ("de", "04-03")])
def test_which_comes_first_day_or_month(lang, day):
    """Dates of posts are read as those of the page are."""
    posts = (
        f'<div class="comment"><b class="author">Ann {n}</b>'
        f"<time>3/4/2024, {n}:30 PM</time><p>Post {n}.</p></div>"
        for n in (1, 2)
    )
    html = f'<html lang="{lang}"><h1>Boats</h1>{"".join(posts)}'
    dropped = [f"Ann {n}3/4/2024, {n}:30 PM" for n in (1, 2)]
    assert bylines(tree_of(html, *dropped)) == [
        f"Ann {n}, 2024-{day}T{n + 12}:30:00" for n in (1, 2)
    ]


def test_one_post_is_no_thread():
    one = FORUM[: FORUM.rindex('<div class="post"')]
    assert markdown(tree_of(one, "Ann", "1 March")) == "First post.\n\nMore of it."


def test_replies_inside():
    html = """<ul><li class="comment depth-1"><a class="username">ann77</a> says:
    <div class="comment-content"><p>One.</p></div>
    <ul><li class="comment depth-2"><a class="username">bo</a><span class="age">2 hours ago
    </span><div class="comment-content"><p>Two.</p></div></li></ul></li></ul>"""
    tree = tree_of(html, "ann77 says:", "bo2 hours ago")
    assert bylines(tree) == ["ann77", "bo, 2 hours ago"]
    assert markdown(tree) == (
        "- **ann77**\n\n  One.\n\n  - **bo**, 2 hours ago\n\n    Two."
    )


@pytest.mark.parametrize("post", values_of("tables/shapes_of_posts.txt"))
def test_shapes_of_posts(post):
    posts = [("Ann", "One."), ("Bo", "Two.")]
    html = "".join(post.format(name, text) for name, text in posts)
    tree = tree_of(html, "Ann", "Bo", "By Ann", "By Bo")
    assert bylines(tree) == ["Ann", "Bo"]


def test_who_is_called_no_author_is_none():
    post = (
        '<article class="message"><h4 class="message-name">{}</h4><p>{}</p></article>'
    )
    html = post.format("Ann", "One.") + post.format("Bo", "Two.")
    assert bylines(tree_of(html, "Ann", "Bo")) == []


def test_authors_that_are_no_names_are_left_out():
    html = FORUM.replace("Ann", "…").replace("Bo", "x" * 100)
    tree = tree_of(html, "…", "x" * 100, "1 March", "2 March")
    assert bylines(tree) == ["2024-03-01T10:00:00+00:00", "2024-03-02"]


def test_long_threads_are_linear():
    html = FORUM * 5_000
    assert markdown(tree_of(html, "Ann", "Bo")).count("**Ann**") == 5_000
    deep = '<div class="comment"><b class="author">Ann</b><p>One.</p>' * 200
    assert markdown(tree_of(deep, "Ann")).count("**Ann**") == 200
