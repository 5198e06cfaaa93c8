"""A page whose text stands behind the end of its root keeps its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector
from scrapy.http import HtmlResponse

from scrapy_eatext.page import Page
from scrapy_eatext.page.behind import without_ends
from tests.support.properties import check_linear

TEXT = "The bakery on the corner opens at six, and its rye bread is gone by nine."


def texts(html: str | bytes | Selector | HtmlResponse) -> list[str]:
    blocks = Page.of(html).blocks
    return [blocks.text(i) for i in range(len(blocks))]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("<html><head><title>A</title></head></html>", f"<body><p>{TEXT}"),
        ("<html></html>", f"<html><head></head><body><p>{TEXT}</body></html>"),
        ("<p>top</p></body></html>", f"<!-- a --><p>{TEXT}</p></body></html>"),
        ("<p>top</p></BODY></HTML >", f"tail <p>{TEXT}</p></html><script>a</script>"),
    ],
)
def test_text_behind_the_end_is_there(before, behind):
    found = texts(before + behind)
    assert TEXT in found
    assert found == texts((before + behind).encode())
    response = HtmlResponse(
        "https://example.com/", body=before + behind, encoding="utf-8"
    )
    assert found == texts(response)
    assert found == texts(Selector(before + behind, type="html"))
    assert not list(Page.of(before + behind).root.itersiblings("html"))


@pytest.mark.parametrize(
    "behind", ["<script>x</script>", "<p>An advertisement.</p>", "<img src=x>", "text"]
)
def test_a_page_with_its_text_before_the_end_stays(behind):
    html = f"<html><body><p>{TEXT}</p></body></html>{behind}"
    response = HtmlResponse("https://example.com/", body=html, encoding="utf-8")
    assert texts(html) == [TEXT]
    assert Page.of(response).root is response.selector.root


def test_an_element_of_a_page_is_read_alone():
    selector = Selector(f"<p id=a>top</p><p>{TEXT}</p>", type="html")
    assert texts(selector.css("#a")[0]) == ["top"]


def test_a_page_that_is_deep_behind_its_end():
    deep = "<div>" * 3000 + "deep" + "</div>" * 3000
    found = texts(f"<html></html><body><p>{TEXT}</p>{deep}<p>after")
    assert found == [TEXT, "deep", "after"]


def test_end_tags_alone_are_left_out():
    source = (
        b"<html><!--</html>--><script>'</html>'</script></html ><b a='</html>'></BODY>"
    )
    assert without_ends(source) == (
        b"<html><!--</html>--><script>'</html>'</script></><b a='</html>'></>"
    )


@given(
    st.lists(st.sampled_from(["</html>", "<html>", "<body>", "</body>", "<p>", "a "]))
)
def test_any_order_of_ends(parts):
    assert "".join(texts("".join(parts))).count("a") <= parts.count("a ")


@pytest.mark.parametrize("unit", ["</html><p>x", "</html><script></script>x "])
def test_many_ends_take_linear_time(unit):
    check_linear(Page.of, lambda size: f"<p>{TEXT}{unit * size}", 1000)
