"""A page keeps its text where the parser would misread its source."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector
from scrapy.http import HtmlResponse

from scrapy_eatext.deadline import TimeLimitError, time_limit
from scrapy_eatext.page import Page
from scrapy_eatext.page.parsing import (
    MAX_DEPTH,
    PARSER_DEPTH,
    flattened,
    is_cut_off,
    without_ends,
    without_open_objects,
    without_swallowing,
)
from tests.support.properties import check_linear

TEXT = "The bakery on the corner opens at six, and its rye bread is gone by nine."
DEEP = 3000


def response_of(html: str) -> HtmlResponse:
    return HtmlResponse("https://example.com/", body=html, encoding="utf-8")


def texts(html: str | bytes | Selector | HtmlResponse) -> list[str]:
    blocks = Page.of(html).blocks
    return blocks.texts([*range(len(blocks))])


def texts_in_all_ways(html: str) -> list[str]:
    """The texts of a page's blocks, whether it is a str, bytes or a response."""
    found = texts(html)
    assert texts(html.encode()) == texts(response_of(html)) == found
    return found


# -- text behind the root


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("<html><head><title>A</title></head></html>", f"<body><p>{TEXT}"),
        ("<html></html>", f"<html><head></head><body><p>{TEXT}</body></html>"),
        ("<p>top</p></body></html>", f"<!-- a --><p>{TEXT}</p></body></html>"),
        (f"<p>{TEXT * 3}</p></body></html>", f"<p>{TEXT}</p></body></html>"),
        ("<p>top</p></BODY></HTML >", f"tail <p>{TEXT}</p></html><script>a</script>"),
    ],
)
def test_text_behind_the_end_is_there(before, behind):
    found = texts_in_all_ways(before + behind)
    assert TEXT in found
    assert found == texts(Selector(before + behind, type="html"))
    assert not list(Page.of(before + behind).root.itersiblings("html"))


@pytest.mark.parametrize(
    "behind", ["<script>x</script>", "<p>An advertisement.</p>", "<img src=x>", "text"]
)
def test_a_page_with_its_text_before_the_end_stays(behind):
    response = response_of(f"<html><body><p>{TEXT}</p></body></html>{behind}")
    assert texts(response.text) == [TEXT]
    assert Page.of(response).root is response.selector.root


def test_selectors_of_an_element_of_html_in_json_and_in_an_attribute():
    for selectors, text in (
        (Selector(f"<p id=a>top</p><p>{TEXT}</p>", type="html").css("#a"), "top"),
        (Selector(json.dumps([f"<p>{TEXT}"]), type="json").jmespath("[0]"), TEXT),
        (Selector(f"<iframe srcdoc='<p>{TEXT}</p>'>").css("::attr(srcdoc)"), TEXT),
    ):
        assert texts(selectors[0]) == [text]
    # A selector's tree is as it is.
    assert texts(Selector(f"<title>a<p>{TEXT}", type="html")) == []


def test_end_tags_alone_are_left_out():
    found = texts(f"<html></html><body><p>{TEXT}</p>{nested(DEEP)}<p>after")
    assert found == [TEXT, "deep", "after"]
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


# -- depth


def depth(root) -> int:
    deepest = now = 0
    for event, _ in etree.iterwalk(root, ("start", "end")):
        now += 1 if event == "start" else -1
        deepest = max(deepest, now)
    return deepest


def nested(count: int, tag: str = "div") -> str:
    return f"<{tag}>" * count + "deep" + f"</{tag}>" * count


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["div", "b", "span", "ul", "blockquote", "x-y", "font"])
def test_text_behind_is_there(tag):
    source = f"<p>before</p>{nested(DEEP, tag)}<main><p>after <b>all</b></p></main>end"
    assert texts_in_all_ways(source) == ["before", "deep", "after all", "end"]
    # Elements behind are where they were.
    assert Page.of(source).root.findall("body/main/p")[0][0].text == "all"


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["wbr", "embed", "bgsound", "source", "track", "br"])
def test_elements_without_an_end_tag_are_not_deep(tag):
    found = texts(f"<p>{f'word<{tag}> ' * DEEP}</p><p>after")
    assert "".join(found).count("word") == DEEP
    assert found[-1] == "after"
    # Nor are those whose end tag is left out.
    listed = "".join(f"<li>{i}" for i in range(DEEP))
    lines = texts(f"<ul>{listed}</ul>{nested(DEEP)}<{tag}><p>after")
    assert lines == [*map(str, range(DEEP)), "deep", "after"]


@pytest.mark.slow
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
    words = "".join(root.xpath("//text()[not(parent::script)]"))
    assert words == "a" * DEEP + "after"


@pytest.mark.slow
@pytest.mark.parametrize("deepest", [PARSER_DEPTH - 3, PARSER_DEPTH - 2])
def test_a_page_that_the_parser_reads_whole_stays(deepest):
    source = f"{nested(deepest)}<p>after"
    response = response_of(source)
    assert Page.of(response).root is response.selector.root
    assert depth(Page.of(source).root) == deepest + 2


@pytest.mark.slow
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
    root = Page.of((each * DEEP + "end").encode()).root
    assert "".join(root.itertext()) == "w" * (each.count("w") * DEEP) + "end"
    assert not is_cut_off(root)


@pytest.mark.slow
def test_without_time_the_page_is_as_the_parser_left_it():
    source = "<p>before</p>" + nested(20_000)
    with time_limit(60):
        assert texts(source) == ["before", "deep"]
    with time_limit(1e-9):
        assert is_cut_off(Page.of(source).root)
        with pytest.raises(TimeLimitError):
            flattened(source.encode())


# -- titles and objects without an end tag


@pytest.mark.parametrize(
    "html",
    [
        f"<html><head><title>The ferry<meta name=a content=b></head><body><p>{TEXT}</p>",
        f"<TITLE>The ferry\n<body><p>{TEXT}</p></body></html>",
        f"<title lang=en>The ferry<p>{TEXT}</p>",
        f"<title>The ferry</title</head><body><p>{TEXT}</p>",
        f"<title>The ferry<title></head><body><p>{TEXT}</p>",
        f"<title>The ferry</head><body><p>{TEXT}</p><title>Timetable</title>",
    ],
)
def test_a_title_without_an_end_swallows_nothing(html):
    assert TEXT in texts_in_all_ways(html)
    for page in (html, html.encode(), response_of(html)):
        assert Page.of(page).title == "The ferry"


def test_a_base_that_is_no_url_loses_no_text():
    assert texts_in_all_ways(f"<base href='http://[a'><p>{TEXT}") == [TEXT]


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
    assert TEXT in texts_in_all_ways(f"{TOP}<div>{tag}<p>{TEXT}</p></div>")
    html = f"<p>{TEXT}</p><object data=a.swf><p>Get the player.</p></object>"
    assert texts_in_all_ways(html) == [TEXT]
    assert without_open_objects(html.encode()) == html.encode()


@pytest.mark.parametrize("end", ["</noframes></frameset>", "</frameset>", ""])
@pytest.mark.parametrize("body", ["<body>", ""])
def test_a_page_of_frames_has_the_text_for_those_without(end, body):
    frames = "<title>a</title><FRAMESET cols=*><FRAME src=a.html><NOFRAMES>"
    assert texts_in_all_ways(f"{frames}{body}<p>{TEXT * 9}{end}") == [TEXT * 9]
    assert texts_in_all_ways(f"{frames}{body}<p>{TEXT}{end}") == []


def test_an_end_tag_of_a_line_break_is_one():
    assert texts_in_all_ways("a</br>b<br></br>c</BR>d") == ["a\nb\nc\nd"]


POEM = "The sea is wide and grey,\nthe ferry far away."


@pytest.mark.parametrize("line", ["\n", "\r\n", "\r"])
def test_blank_lines_of_a_text_without_tags_separate_paragraphs(line):
    wrapped = TEXT.replace("six,", "six,\n", 1).replace("opens", "opens daily for us")
    parts = [wrapped, POEM, "Jane <jane@example.com>, x < 3 &amp; y"]
    found = texts_in_all_ways(("\n" + " \n\n".join(parts) + "\n").replace("\n", line))
    assert found == [" ".join(wrapped.split()), POEM, parts[2].replace("&amp;", "&")]


@pytest.mark.parametrize(
    "tag", ["<br>", "<B title=b>", "</x>", "<!-- x -->", "<?php ?>"]
)
def test_a_page_with_a_tag_has_the_paragraphs_of_its_tags(tag):
    (text,) = texts_in_all_ways(f"{TEXT}\n\n{TEXT}{tag}")
    assert text == f"{TEXT} {TEXT}"


PIECES = "<title>|<TITLE a=b>|</title>|<object>|<object a|<p>text|<|>".split("|")


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_only_tags_are_added_and_dropped(html):
    source, end = html.encode(), b"</title>"
    assert without_swallowing(source).replace(end, b"") == source.replace(end, b"")
    assert without_open_objects(source).count(b"text") == source.count(b"text")
    Page.of(html)  # raises nothing


# -- time


@pytest.mark.parametrize(
    ("before", "unit", "size"),
    [
        (f"<p>{TEXT}", "</html><p>x", 1000),
        (f"<p>{TEXT}", "</html><script></script>x ", 1000),
        *(("", f"<title{rest}", 5000) for rest in (">", " ", ">a")),
        *(("", f"<object{rest}", 5000) for rest in (">", " ")),
        *((TEXT, f"{sign}â\x80\x99 ", 5000) for sign in ("", "é")),
        *(("", unit, 5000) for unit in ("a\n", "\n ", "a" * 50 + "\n", "a\n\n")),
    ],
)
def test_mending_takes_linear_time(before, unit, size):
    check_linear(Page.of, lambda count: before + unit * count, size)


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["b", "div"])
def test_flattening_takes_linear_time(tag):
    check_linear(flattened, lambda count: nested(count, tag).encode(), 2000)
    check_linear(
        flattened, lambda count: b"<b>" * 400 + b"<td>" * 112 + b"</b><b>" * count, 2000
    )
