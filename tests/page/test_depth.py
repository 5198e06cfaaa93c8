"""A page that is too deep for the parser keeps its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from scrapy.http import HtmlResponse

from scrapy_eatext.deadline import TimeLimitError, time_limit
from scrapy_eatext.page import Page
from scrapy_eatext.page.depth import MAX_DEPTH, PARSER_DEPTH, flattened, is_cut_off
from tests.support.properties import check_linear

pytestmark = pytest.mark.slow

DEEP = 3000


def texts(html: str | bytes | HtmlResponse) -> list[str]:
    blocks = Page.of(html).blocks
    return [blocks.text(i) for i in range(len(blocks))]


def depth(root) -> int:
    deepest = now = 0
    for event, _ in etree.iterwalk(root, ("start", "end")):
        now += 1 if event == "start" else -1
        deepest = max(deepest, now)
    return deepest


def nested(count: int, tag: str = "div") -> str:
    return f"<{tag}>" * count + "deep" + f"</{tag}>" * count


@pytest.mark.parametrize("tag", ["div", "b", "span", "ul", "blockquote", "x-y", "font"])
def test_text_behind_is_there(tag):
    source = f"<p>before</p>{nested(DEEP, tag)}<main><p>after <b>all</b></p></main>end"
    assert texts(source) == ["before", "deep", "after all", "end"]
    # Elements behind are where they were.
    root = Page.of(source).root
    assert root.findall("body/main/p")[0][0].text == "all"
    response = HtmlResponse("https://example.com/", body=source, encoding="utf-8")
    assert texts(response) == texts(source.encode()) == texts(source)


@pytest.mark.parametrize("tag", ["wbr", "embed", "bgsound", "source", "track", "br"])
def test_elements_without_an_end_tag_are_not_deep(tag):
    found = texts(f"<p>{f'word<{tag}> ' * DEEP}</p><p>after")
    assert "".join(found).count("word") == DEEP
    assert found[-1] == "after"


@pytest.mark.parametrize(
    "each",
    [
        "<div>a",
        "<p><div></p>a",
        "<b><table><tr><td></b>a",
        "<a href=x><p>a",
        "<ul><li>a",
        "<p title='</p>'><i>a<!-- </i> -->",
        "<script>'<b>'</script><div>a",
        "<div></section>a",
        "<div a=1/>a<i>",
    ],
)
def test_what_is_open_is_counted(each):
    root = Page.of(each * DEEP + "after").root
    assert depth(root) <= MAX_DEPTH + 8
    words = "".join(text for text in root.xpath("//text()[not(parent::script)]"))
    assert words == "a" * DEEP + "after"


def test_many_tags_that_are_not_ended_go_on_as_they_are():
    listed = "".join(f"<li>{i}" for i in range(DEEP))
    lines = texts(f"<ul>{listed}</ul>{nested(DEEP)}<p>after")
    assert lines == [*map(str, range(DEEP)), "deep", "after"]


@pytest.mark.parametrize("deepest", [PARSER_DEPTH - 3, PARSER_DEPTH - 2])
def test_a_page_that_the_parser_reads_whole_stays(deepest):
    source = f"{nested(deepest)}<p>after"
    response = HtmlResponse("https://example.com/", body=source, encoding="utf-8")
    assert Page.of(response).root is response.selector.root
    assert depth(Page.of(source).root) == deepest + 2


@given(
    st.lists(
        st.sampled_from(
            "<div> </div> <p> </p> <b> </b> <td> </td> <table> </table> <tr> <li> <ul> "
            "</ul> <br> <i/> </i> <i> </x> w".split()
        ),
        min_size=1,
        max_size=8,
    ).map("".join)
)
def test_no_text_is_lost(each):
    source = (each * DEEP + "end").encode()
    root = Page.of(source).root
    words = "".join(root.itertext())
    assert words == "w" * (each.count("w") * DEEP) + "end"
    assert not is_cut_off(root)


def test_without_time_the_page_is_as_the_parser_left_it():
    source = "<p>before</p>" + nested(20_000)
    with time_limit(60):
        assert texts(source) == ["before", "deep"]
    with time_limit(1e-9):
        assert is_cut_off(Page.of(source).root)
        with pytest.raises(TimeLimitError):
            flattened(source.encode())


@pytest.mark.parametrize("tag", ["b", "div"])
def test_linear(tag):
    check_linear(flattened, lambda count: nested(count, tag).encode(), 2000)
    check_linear(
        flattened, lambda count: b"<b>" * 400 + b"<td>" * 112 + b"</b><b>" * count, 2000
    )
