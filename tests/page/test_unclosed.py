"""A page keeps its text where a title or an object has no end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector
from scrapy.http import HtmlResponse

from scrapy_eatext.page import Page
from scrapy_eatext.page.unclosed import with_end_of_title, without_open_objects
from tests.support.properties import check_linear

TEXT = "The ferry leaves at noon, and comes back with the post and the milk by four."


def in_all_ways(html: str) -> list[Page]:
    response = HtmlResponse("https://example.com/", body=html, encoding="utf-8")
    return [Page.of(html), Page.of(html.encode()), Page.of(response)]


@pytest.mark.parametrize(
    "html",
    [
        f"<html><head><title>The ferry<meta name=a content=b></head><body><p>{TEXT}</p>",
        f"<TITLE>The ferry\n<body><p>{TEXT}</p></body></html>",
        f"<title lang=en>The ferry<p>{TEXT}</p>",
    ],
)
def test_a_title_without_an_end_swallows_nothing(html):
    for page in in_all_ways(html):
        assert TEXT in page.blocks.texts([*range(len(page.blocks))])
        assert page.title == "The ferry"


# Of as much text that what is swallowed is not looked for at once.
TOP = "<p>" + "The harbour, its history, and how to get there by train. " * 9


@pytest.mark.parametrize(
    "tag",
    [
        "<object data=a.swf><param name=a>",
        "<OBJECT\nclassid=b>",
        "<object data=a.swf><embed src=a.swf>",
        "<embed src=a.swf>",
        "<bgsound src=a.mid>",
    ],
)
def test_what_has_no_end_swallows_no_text(tag):
    for page in in_all_ways(f"{TOP}<div>{tag}<p>{TEXT}</p></div>"):
        assert TEXT in page.blocks.texts([*range(len(page.blocks))])


def test_an_object_with_an_end_is_what_it_was():
    html = f"<p>{TEXT}</p><object data=a.swf><p>Get the player.</p></object>"
    for page in in_all_ways(html):
        assert page.blocks.texts([*range(len(page.blocks))]) == [TEXT]
    assert without_open_objects(html.encode()) == html.encode()


def test_a_selectors_tree_is_as_it_is():
    page = Page.of(Selector(f"<title>a<p>{TEXT}", type="html"))
    assert len(page.blocks) == 0


PIECES = [
    "<title>",
    "<TITLE a=b>",
    "</title>",
    "<object>",
    "<object a",
    "<p>text",
    "<",
    ">",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_only_tags_are_added_and_dropped(html):
    source = html.encode()
    assert with_end_of_title(source).replace(b"</title>", b"") == source.replace(
        b"</title>", b""
    )
    assert without_open_objects(source).count(b"text") == source.count(b"text")
    Page.of(html)  # raises nothing


@pytest.mark.parametrize(
    "piece", ["<title>", "<title ", "<object>", "<object ", "<title>a"]
)
def test_time_is_linear(piece):
    check_linear(Page.of, lambda size: piece * size, 5000)
