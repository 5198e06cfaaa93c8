"""The compiled walk gives the tables of the Python one, to the last bit."""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from scrapy_eatext.deadline import TimeLimitError, time_limit
from scrapy_eatext.page import Page, characters
from scrapy_eatext.page import walk as walking
from scrapy_eatext.page.columns import BLOCK_COLUMNS
from scrapy_eatext.page.parsing import parse
from scrapy_eatext.page.tags import TAGS
from scrapy_eatext.page.walk import (
    TOKEN_ATTRIBUTES,
    Walk,
    python_attribute_values,
    python_nodes_of,
    python_walk,
)
from tests.support.hostile import every_page
from tests.support.pages import any_pages, pages
from tests.support.properties import COMPILED_ONLY, both, check_linear, check_walks
from tests.support.suites import EXAMPLE, cases


@pytest.fixture(params=both(python_walk, walking.walk))
def walk(request):
    return request.param


@pytest.fixture(params=both(python_nodes_of, walking.nodes_of))
def nodes_of(request):
    return request.param


def texts(walk: Walk) -> list[str]:
    return [walk.text[start:end].decode() for start, end in walk.blocks[:, :2]]


# Every kind of white space, characters that vanish, the edges of classes and of UTF-8's
# lengths, and characters that mean something to the walk.
SIGNS = [
    *" \t\n\r\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000",
    *"\x7f\x80\x84\x86\x9f\xad\u200b\u2060\ufeff\ufffd",
    *"aZé0.,|$©ßΩЖ٣א\u0301\u07ff\u0800\u1100\u200c\u3001一が\ud7a3\ue000\uff10\uff61",
    *"\U00010000😀\U00020000\U0003fffd\U0003fffe\U0010ffff",
    *"\r\r\n\n  aaa",
]
# Characters that only the HTML parser, not Python code, can put into a tree.
CONTROLS = "\x01\x08\x0b\f\x0e\x1b\x1c\x1f"
NAMES = [*TAGS[1:], "x-tag", "o:p", "A", "Br", "sectionn", "sectio", "blockquotes"]
KEYS = [
    *TOKEN_ATTRIBUTES,
    *"href style hidden open aria-labelledby shadowrootmode title Class".split(),
    "aria-controls",
    "aria-hidden",
]
VALUES = [
    "",
    "true",
    "menu",
    "S:1",
    "mw-editsection",
    "sidebarLeft-2 HTMLParser x ab Ab aB ABc " + "long" * 7,
    "display:none",
    "DISPLAY \t:\n\r NONE;",
    "dısplay:none; diſplay: none",
    "display:;none visibility : Hidden",
    "displaydisplay: block; visibilit: hidden",
    "Until-Found",
    "until-found ",
    "tabpanel",
    "region",
    "é" * 995 + "wordcutshort",
    "wörter_mit-Umlaut",
    " ".join(f"word{chr(97 + i)}" for i in range(26)),
]
XHTML = "http://www.w3.org/1999/xhtml"


def tree_from(data: bytes):
    """A tree that the bytes describe, made by hand: no parser is this odd."""
    choices = iter(data)
    is_html = next(choices, 0) % 2
    parser = etree.HTMLParser() if is_html else etree.XMLParser()

    def number(below: int) -> int:
        return next(choices, 0) % below

    def text() -> str:
        return "".join(SIGNS[number(len(SIGNS))] for _ in range(number(9)))

    def name() -> str:
        space = ["", "", "", "", f"{{{XHTML}}}", "{x}"][number(6)]
        local = NAMES[number(len(NAMES))]
        return space + (local if is_html else local.replace(":", "-"))

    root = parser.makeelement(name(), nsmap={"x": "x"})
    element = root
    while (kind := next(choices, None)) is not None:
        kind %= 12
        if kind < 5:
            element = etree.SubElement(element, name())
            for _ in range(max(0, number(6) - 2)):
                key = KEYS[number(len(KEYS))]
                if number(8) == 0:
                    key = "{x}" + key
                element.set(key, VALUES[number(len(VALUES))])
            element.text = text()
        elif kind < 8:
            parent = element.getparent()
            if parent is not None:
                element.tail = text()
                element = parent
        elif kind == 8:
            element.append(etree.Comment("no"))
            element[-1].tail = text()
        elif kind == 9:
            element.append(etree.ProcessingInstruction("php", "no"))
            element[-1].tail = text()
        elif kind == 10:
            element.append(etree.Entity("nbsp"))
            element[-1].tail = text()
        else:
            # Taken out, it leaves two texts side by side.
            for odd in element.findall("br"):
                before = odd.getprevious()
                if before is not None and odd.tail and not before.tail:
                    element.remove(odd)
    return root


@COMPILED_ONLY
@pytest.mark.parametrize("name", sorted(every_page(0)))
def test_hostile_pages(name):
    check_walks(Page.of(every_page(3000)[name]).root)


@COMPILED_ONLY
def test_pages_of_the_example():
    for page in EXAMPLE:
        check_walks(Page.of(page).root)


@COMPILED_ONLY
@given(html=any_pages())
def test_any_pages(html):
    root = parse(html)
    check_walks(root)
    found = walking.walk(root)
    rows = list(range(len(found.elements)))
    around, places = found.elements[1:, [0, 7]].T.tolist()
    for which in (rows,), (rows[::3],), (rows[::-3],), (around, places):
        assert walking.nodes_of(found, *which) == python_nodes_of(found, *which)
    for row_numbers in rows, rows[::-3]:
        for name in "class", "href", "none":
            given = found, row_numbers, name
            assert walking.attribute_values(*given) == python_attribute_values(*given)


@COMPILED_ONLY
@given(html=pages())
def test_pages_read_as_xml(html):
    parser = etree.XMLParser(recover=True, resolve_entities=False, strip_cdata=False)
    source = f"<html xmlns='{XHTML}'>{html}</html>".encode("utf-8", "replace")
    root = etree.fromstring(source, parser)
    if root is not None and b"&#xD800;" not in source:
        check_walks(root)


def test_a_surrogate(walk):
    # A tree of XML may have a surrogate, which lxml does not hand out.
    root = etree.fromstring("<p>a&#xD800;b</p>", etree.XMLParser(recover=True))
    try:
        text = root.text
    except UnicodeDecodeError:
        with pytest.raises(UnicodeDecodeError):
            walk(root)
    else:  # libxml2 before 2.14.6 has none, either
        assert texts(walk(root)) == [text]
    root = etree.fromstring("<p>\ud7ff\ue000\ud558<pre>\ud7ff</pre></p>")
    assert texts(walk(root)) == ["\ud7ff\ue000\ud558", "\ud7ff"]


@COMPILED_ONLY
@given(data=st.binary(max_size=300))
def test_trees_made_by_hand(data):
    root = tree_from(data)
    check_walks(root)
    for element in root.iter():
        # From any element on: what is around it and behind it is no part.
        check_walks(element)


@COMPILED_ONLY
@given(st.lists(st.sampled_from([*SIGNS, *CONTROLS]), max_size=40).map("".join))
def test_every_white_space(text):
    for tag in ("p", "pre"):
        check_walks(
            parse(f"<{tag}>a{text}<a href=x>{text}b</a>{text}<b>c{text}</b>{text}d")
        )
    text = text.translate(dict.fromkeys(map(ord, CONTROLS)))
    for tag in ("p", "pre"):
        root = etree.Element("body")
        element = etree.SubElement(root, tag)
        element.text = text
        for inner in ("b", "a"):
            etree.SubElement(element, inner, href="/").text = text
            element[-1].tail = text
        check_walks(root)


CORNERS = [
    pytest.param(case.source, json.loads(wanted), id=case.id)
    for case in cases("blocks")
    for _, wanted in case.outputs
]
# Files of cases have no carriage returns.
RETURNS = [
    ("<pre>a\rb", ["a\nb"]),
    ("<pre>\n\n  a\r\n\tb  \n\n</pre>", ["  a\n\tb"]),
    ("<p>\u8239\u304c\n \u8a66\uff0c\r\n\u9a13", ["\u8239\u304c\u8a66\uff0c\u9a13"]),
]


def read(walk, root) -> list[str]:
    """The texts of a tree's blocks, where the twins agree on it."""
    if walk is not python_walk:
        check_walks(root)
    return texts(walk(root))


@pytest.mark.parametrize(("source", "expected"), [*CORNERS, *RETURNS])
def test_corners(source, expected, walk):
    assert read(walk, parse(source)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>a b</p>c<img>d<script>x</script>", []),
        ("<h2>a<a href=#a>#</a></h2>b", [("a", "", "b")]),
        ("<p>\u00e9 <math><mi>x</mi></math> b", [("\u00e9", " $x$", " b")]),
        ("<p>a<a href=b>b</a><a href=c>c</a> <a href=d>d</a>", [("ab", "", " c d")]),
        ("<p>a<button>b</button>c<h2>d<button>e</button>", [("a", "", " cde"), ("a cd", "", "e")]),
        ("<ruby>\u5b57<rt>\u3058</rt></ruby>", [("\u5b57", "", "")]),
        ("<p>\u5b57 \n\u5b57", [("\u5b57", "", "\u5b57")]),
        ("<h2>a<span class=editsection>b</span></h2><p hidden>c</p>", [("a", "", "")] * 2),
        ("<pre> \n a<svg></svg> \u00e9 <svg></svg> </pre>b",
         [(" a", "", " \u00e9b"), (" a \u00e9", "", "b")]),
        ("<pre> <svg></svg> </pre>b", [("", "", "b")]),
    ],
)  # fmt: skip
def test_gaps_are_where_browsers_show_something_else(source, expected, walk):
    found = walk(html.document_fromstring(source))
    cut = [(found.text[:start], found.text[start:end], found.text[end:])
           for start, end in found.gaps.tolist()]  # fmt: skip
    assert [tuple(map(bytes.decode, parts)) for parts in cut] == expected


def test_text_around_odd_nodes(walk, tmp_path):
    source = f"""<!DOCTYPE html [<!ENTITY own "no">]><?before?><!-- before -->
    <html xmlns="{XHTML}"><p>a<![CDATA[ b]]> c<?x?>d<!-- -->e&own;f
    <a href="x">g</a><a href="x">h</a></p></html><!-- behind --><?behind?>"""
    parser = etree.XMLParser(resolve_entities=False, strip_cdata=False)
    root = etree.fromstring(source.encode(), parser)
    assert read(walk, root) == ["a b cdef g h"]
    # And text that is included.
    (tmp_path / "a.txt").write_text("included ")
    (tmp_path / "page.xml").write_text(
        "<html xmlns:xi='http://www.w3.org/2001/XInclude'><p>a "
        "<xi:include href='a.txt' parse='text'/>b</p></html>"
    )
    tree = etree.parse(tmp_path / "page.xml")
    tree.xinclude()
    assert read(walk, tree.getroot()) == ["a included b"]


def test_attributes_with_entities(walk):
    source = """<!DOCTYPE html [<!ENTITY own "menu">
    <!ATTLIST p hidden CDATA "hidden">]>
    <html><p class="side&own;">a</p><p id="&lt;x">b</p></html>"""
    root = etree.fromstring(source, etree.XMLParser(resolve_entities=False))
    # Attributes that the DTD declares are ignored.
    assert read(walk, root) == ["a", "b"]
    assert len(walk(root).tokens) == 1


# Attributes and names as only XML has them, and what is no element.
ODD = """<!DOCTYPE r [<!ENTITY e "x&#233;y"><!ENTITY t "<a k='3'/>">]>
<r xmlns:n="n"><a n:k="1" k="&e;z" o="">&t;<n:a k="2"/><!-- a --><?a k="4"?></a>
<a/><n:a k="5"/><a n:k="6"/><a k="&#x1F600;"><a k="7"/></a></r>"""


@COMPILED_ONLY
def test_attributes_that_a_dtd_declares_and_those_of_xml():
    source = """<!DOCTYPE html [<!ATTLIST img src CDATA "x.png" alt CDATA "declared">
    <!ATTLIST meta content CDATA "declared"><!ATTLIST link href CDATA "/x">]>
    <html><head><meta name="author"/><link rel="canonical"/></head>
    <body><p>a <img/> b <img src="/y.png"/></p></body></html>"""
    root = etree.fromstring(source)
    check_walks(root)
    # lxml reports them like attributes that are there.
    found = walking.walk(root)
    images = walking.nodes_of(found, [2, 2], [0, 1])
    values = [(image.get("src"), image.get("alt")) for image in images]
    assert values == [("x.png", "declared"), ("/y.png", "declared")]
    found = python_walk(etree.fromstring(ODD, etree.XMLParser(resolve_entities=False)))
    for name in "k", "o":
        given = found, list(range(len(found.elements))), name
        assert walking.attribute_values(*given) == python_attribute_values(*given)


def test_texts_side_by_side(walk):
    root = etree.fromstring("<p>a\r<b>x</b>\n</p>", etree.XMLParser())
    pre = etree.SubElement(root, "pre")
    broken = etree.SubElement(root, "div")
    broken.text = "\u8239 "
    broken.extend((etree.Element("i"), etree.Element("i"), etree.Element("i")))
    broken[0].tail, broken[1].tail, broken[2].tail = "\n", "\u8a66\n", "a"
    etree.strip_elements(broken, "i", with_tail=False)
    heading = etree.SubElement(root, "h2")
    for before, behind in ((" ", "#"), ("#", "#"), ("", "#")):
        link = etree.SubElement(heading, "a", href="#")
        link.text = before
        link.append(etree.Element("i"))
        link[0].tail = behind
        etree.strip_elements(link, "i", with_tail=False)
    pre.text = "1\r"
    pre.append(etree.Element("i"))
    pre[0].tail = "\n2"
    # Without the element between them they are one text in two nodes.
    etree.strip_elements(pre, "i", with_tail=False)
    etree.strip_tags(root, "b")
    assert read(walk, root) == ["a x", "1\n2", "\u8239\u8a66 a", "##"]


def test_many_texts_side_by_side_are_linear(walk):
    def tree(count: int):
        root = etree.fromstring(
            "<h2>a<a href='#'>" + "<b> </b>" * count + "<b>#</b> </a>b</h2>"
        )
        etree.strip_tags(root, "b")
        return root

    check_linear(walk, tree, 4_000)
    assert texts(walk(tree(3))) == ["ab"]


def test_a_part_of_a_tree(walk):
    root = parse("<p>before<span>in<b>side</b></span>behind<!-- a -->tail")
    span, comment = root.find(".//span"), root.xpath("//comment()")[0]
    found = walk(span)
    assert texts(found) == ["inside"]
    assert found.blocks[0, BLOCK_COLUMNS.index("element")] == 0
    assert found.nodes == [span, span[0]]
    assert texts(walk(comment)) == walk(comment).nodes == []


@pytest.mark.parametrize("root_of", [parse, html.document_fromstring])
def test_nodes_are_found_where_elements_are_left_out(walk, root_of):
    """Those of other classes too, but nothing is found in what is no element."""
    source = "<!-- --><p>a<script></script><!-- --><b>b</b><?x?><i>c</i><svg/>d"
    found = walk(root_of(source))
    assert [node.tag for node in found.nodes] == ["html", "body", "p", "b", "i"]
    assert found.nodes is found.nodes
    for wrong in ("html", 3):
        with pytest.raises((TypeError, AttributeError)):
            walk(wrong)


def test_time_is_up_in_the_middle(walk):
    root = parse("<p>a <b>b</b></p>" * 200_000)
    start = time.thread_time()
    with time_limit(0.002), pytest.raises(TimeLimitError):
        walk(root)
    # A part of it is lxml's own time for its first elements.
    assert time.thread_time() - start < 1
    with time_limit(60):
        assert len(walk(parse("<p>a</p>" * 20_000)).blocks) == 20_000


def test_too_much_text(walk, monkeypatch):
    root = parse("<p>one</p><p>two</p>")
    if walk is python_walk:
        monkeypatch.setattr(sys.modules[walk.__module__], "MAX_TEXT", 5)
        with pytest.raises(OverflowError, match="more than 5 bytes of text"):
            walk(root)
        return
    assert len(walk(root, longest=6).text) == 6
    with pytest.raises(OverflowError, match="more than 5 bytes of text"):
        walk(root, longest=5)


@COMPILED_ONLY
def test_threads_walk_at_the_same_time():
    roots = [
        parse(page) for page in every_page(20_000).values() if isinstance(page, str)
    ]
    expected = [walking.walk(root).text for root in roots]

    def work(_: int) -> list[bytes]:
        return [walking.walk(root).text for root in roots for _ in range(3)][::3]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(4)))
    assert found == [expected] * 4


def test_space_is_what_split_takes_for_it():
    # The Python walk splits with str.split(), the compiled one by the table.
    spaces = [c for c in range(sys.maxunicode + 1) if chr(c).isspace()]
    assert spaces == [
        c for c, kind in enumerate(characters.CLASSES) if kind == characters.SPACE
    ]


def test_characters_are_counted_by_class():
    page = "<pre>a  b\n\tc \U0002f81a</pre><p>One. Two, x<p>\u4e00\u5341 ä 3<br>€"
    counted = python_walk(Page.of(page).root)
    names = ("words", "width", "lines", "ends", "commas", "wide", "first", "last")
    columns = counted.blocks[:, [BLOCK_COLUMNS.index(name) for name in names]]
    assert columns.tolist() == [
        [4, 10, 1, 0, 0, 1, 0, characters.WIDE],
        [3, 11, 0, 1, 1, 0, characters.UPPER, 0],
        [4, 10, 1, 0, 0, 2, characters.WIDE, characters.MONEY],
    ]


def test_nodes_of_another_tree(nodes_of):
    found = walking.walk(parse("<p><a href=x>x</a> y <a href=y>z</a>"))
    last = len(found.elements) - 1
    paragraph = found.root.find(".//p")
    assert nodes_of(found, [last]) == nodes_of(found, [last - 2], [1]) == [paragraph[1]]
    for wrong in ([last + 1],), ([last], [0]):
        with pytest.raises(IndexError):
            nodes_of(found, *wrong)
    paragraph.remove(paragraph[-1])
    with pytest.raises(IndexError):
        nodes_of(walking.walk(found.root), [last])
    with pytest.raises(IndexError):
        nodes_of(replace(found), [last])


@pytest.mark.parametrize(
    "tag", "article aside figure header main my-page nav section".split()
)
def test_a_page_that_leaves_out_where_its_head_ends(walk, tag):
    source = f"<html lang=en><meta charset=utf-8><title>t</title><{tag}>a</{tag}><p>b"
    root = Page.of(source).root
    # The parser takes the element for a part of the head, which a browser does not.
    assert root.find(f"head/{tag}") is not None
    assert texts(walk(root)) == ["a", "b"]
    # All else in a head is no text.
    source = "<head><title>t</title><noscript>n</noscript><style>s</style></head><p>b"
    assert texts(walk(Page.of(source).root)) == ["b"]


def test_digits_and_ends_of_many_scripts():
    kinds = [characters.CLASSES[ord(sign)] for sign in "০੧૨୩௪౫೬൭๘໙၁៣။។"]
    assert kinds == [characters.DIGIT] * 12 + [characters.END] * 2
