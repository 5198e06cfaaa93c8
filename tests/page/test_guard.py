from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from scrapy.http import HtmlResponse

from scrapy_eatext.page import Page, guard
from scrapy_eatext.page.source import find, holds_tag, python_find, python_holds_tag
from tests.support.pages import any_pages
from tests.support.properties import COMPILED_ONLY, both
from tests.support.suites import column_of

TWINS = {guard.python_without_surplus, guard.without_surplus}

MANY = b" ".join(b"a%d=1" % i for i in range(60))
FIRST = b" ".join(b"a%d=1" % i for i in range(50))
# More tags than any page has.
ENDLESS = 1 << 40
SOURCES = any_pages().map(lambda page: page.replace("\0", "").encode())


@pytest.fixture(params=both(guard.python_without_surplus, guard.without_surplus))
def without_surplus(request):
    return request.param


def parsed(source: bytes):
    parser = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)
    return etree.fromstring(source, parser)


def most_attributes(source: bytes) -> int:
    """How many attributes the parser gives to one element at most."""
    root = parsed(source)
    elements = [] if root is None else root.iter(etree.Element)
    return max((len(element.attrib) for element in elements), default=0)


# What stands before a tag with 60 attributes, each a way to mislead a reader of
# tags that knows less than the parser.
BEFORE = [
    b"",
    b"text < 3 & <> </> </3 a='> <-- ",
    b"<p a =\n'>' b>",
    b"<p a\x0bb>",
    b"<script\x0b>",
    b"<script\x0c>'</script>",
    *(row.encode() for row in column_of("tables/misleading_tags.txt")),
]


@pytest.mark.parametrize("before", BEFORE, ids=repr)
def test_tags_are_read_as_the_parser_reads_them(without_surplus, before):
    source = before + b"<p " + MANY + b">text"
    assert most_attributes(source) == 60
    kept = without_surplus(source, 50, ENDLESS)
    assert kept == before + b"<p " + FIRST + b">text"


@pytest.mark.parametrize(
    "source",
    [
        *b"|<|</|<!|<!-|<!--|<title |<p a=|<p a".split(b"|"),
        b"<!-- <p " + MANY + b">",
        b"<script><p " + MANY + b">",
        b"<script><!-- <p " + MANY + b"></p",
        b"<script><!--<script></script <p " + MANY + b">",
        b"<plaintext></plaintext><p " + MANY + b">",
        b"<title><p " + MANY + b">",
        b"<p a='>" + MANY + b">",
        b"<? <p " + MANY,
        b"</p " + MANY + b">",
    ],
    ids=lambda source: repr(source[:30]),
)
def test_what_is_no_tag_with_too_much_is_left_alone(without_surplus, source):
    assert without_surplus(source, 50, ENDLESS) is source
    assert most_attributes(source) < 50


@given(SOURCES)
def test_generated_pages_are_read_as_the_parser_reads_them(source):
    # Whether the tag at the end is read as a tag depends on all markup before it.
    page = source + b"<b " + MANY + b">"
    seen = most_attributes(page) >= 60
    # The parser reads on behind the end of a page, but it keeps nothing of it, and
    # it keeps no tag twice that a page has once.
    kept = not re.search(
        rb"</html|</?frameset|<(html|head|body)", source, re.IGNORECASE
    )
    for without_surplus in TWINS:
        found = without_surplus(page, 50, ENDLESS) != page
        assert found == seen or (found and not kept)


@given(
    st.lists(
        st.sampled_from(
            "<script </script <!-- --> --!> < > / = ' \" a <p </p <title </title "
            "<plaintext/ <? - ! <style </style \n é <br </b <b <body </x <x1".split(" ")
        ),
        max_size=60,
    ).map(lambda parts: "".join(parts).encode())
)
def test_twins_agree(source):
    for end in (b"", b">", b"'>", b' x="'):
        page = source + b" " + MANY + end + b"<b " + MANY + b">"
        for stray in (0, 2, ENDLESS):
            expected = guard.python_without_surplus(page, 50, stray)
            assert all(twin(page, 50, stray) == expected for twin in TWINS)


def test_a_tag_keeps_its_first_attributes():
    many = b" ".join(b"a%d='>'" % i for i in range(5000))
    source = b"<p>one<div " + many + b"/ >two</div><br " + many + b"/>three"
    tamed = guard.tame(source)
    assert most_attributes(tamed) == guard.MAX_ATTRIBUTES
    assert tamed.startswith(b"<p>one<div a0='>' a1='>' ")
    assert tamed.endswith(b" a999='>'/>three")
    assert tamed.count(b"/ >two</div>") == 1


def test_the_selector_of_a_response_with_such_a_tag_is_not_used():
    source = "<p>before</p><div " + " ".join(f"a{i}" for i in range(5000)) + ">after"
    response = HtmlResponse("https://example.com/", body=source, encoding="utf-8")
    page = Page.of(response)
    assert response._cached_selector is None
    assert len(page.root[0][1].attrib) == guard.MAX_ATTRIBUTES
    assert (page.url, page.body) == (response.url, response.body)
    ordinary = response.replace(body="<p>text</p>" * 5000)
    assert Page.of(ordinary).root is ordinary.selector.root


def ends_within(seconds: float, source: str) -> None:
    """A page is parsed in so much time, and its first and last text are there."""
    start = time.process_time()
    blocks = Page.of(source).blocks
    assert (blocks.text(0), blocks.text(len(blocks) - 1)) == ("before", "after")
    assert time.process_time() - start < seconds


def test_a_megabyte_of_attributes_is_parsed_at_once():
    # The parser takes half a minute for the tag as it is.
    many = " ".join(f"a{i}" for i in range(150_000))
    ends_within(5, f"<p>before</p><div {many}>after")


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        (b"a</b>b</i >c</x y='>'>d", b"a</>b</>c</>d"),
        (b"<b>a</b><i>b</i>c</b>d</B>e", b"<b>a</b><i>b</i>c</>d</>e"),
        # Names are distinguished by their ends and length.
        (b"<h1>a</h2></h1></div>", b"<h1>a</></h1></>"),
        (b"<X1>a</x1></x1>", b"<X1>a</x1></>"),
        (b"<section></selection>", b"<section></>"),
        (b"<p><p>a</p></p></p>", b"<p><p>a</p></p></>"),
        # These tags open nothing.
        (b"<br>a</br><hr/></hr><b/>b</b>", b"<br>a</><hr/></><b/>b</>"),
        (b"<b a=b/>b</b>", b"<b a=b/>b</b>"),
        (b"<body><BODY a>a</body><bodyb></bodyb>", b"</></>a</><bodyb></bodyb>"),
        # Text that is no tag opens nothing and ends nothing.
        (b"<!-- <b> --></b>< b></ b></>", b"<!-- <b> --></>< b></ b></>"),
        (b"<script></b></script></script>", b"<script></b></script></>"),
        (b"<script><!--<script></script></b></script>", None),
        (b"<title></b><b></title></b>", b"<title></b><b></title></>"),
        (b"<plaintext></b>", None),
        # A gap makes no tag of the texts beside it.
        (b"<</b>b " + MANY + b">", b"<</>b " + MANY + b">"),
        (b"a</b", b"a</>"),
        (b"a</", None),
        (b"a<body", b"a</>"),
    ],
)
def test_tags_that_neither_begin_nor_end_an_element(without_surplus, source, kept):
    kept = source if kept is None else kept
    assert without_surplus(source, 50, 0) == kept
    strays = kept.count(b"</>") - source.count(b"</>")
    assert without_surplus(source, 50, strays) is source
    if strays:
        # The first ones stay, the last one does not.
        assert without_surplus(source, 50, strays - 1) != source


def test_both_kinds_of_surplus_go(without_surplus):
    source = b"</b><p " + MANY + b">a</b></p " + MANY + b"></b><i " + MANY + b"></b>"
    kept = b"</><p " + FIRST + b">a</></p " + MANY + b"></><i " + FIRST + b"></>"
    assert without_surplus(source, 50, 0) == kept


@given(SOURCES)
def test_the_parser_ignores_what_replaces_tags(source):
    replaced, without = parsed(b"<p>a</>b" + source), parsed(b"<p>ab" + source)
    assert etree.tostring(replaced) == etree.tostring(without)


def test_ordinary_pages_and_some_tags_that_end_nothing_are_the_same_object():
    ordinary = b"<p class=a title='>'>text</p>" * 1000
    assert guard.tame(ordinary) is ordinary
    source = b"<div><b>text</b><p>more</p></div>" * 3 * guard.MAX_STRAY
    source += b"a</b>" * guard.MAX_STRAY
    assert guard.tame(source) is source
    assert guard.tame(source + b"b</i>c") == source + b"b</>c"


@COMPILED_ONLY  # as the Python guard takes nearly as long as it saves
@pytest.mark.parametrize(
    "each", ["</b>", "a</b>", "</p>", "</br>", "</head>", "</x y=z>", "<body>"]
)
def test_two_megabytes_of_such_tags_are_parsed_at_once(each):
    count = 2_000_000 // len(each)
    # The parser takes one or two seconds for them as they are.
    ends_within(1, "<p>before</p>" + "<div>" * 1900 + each * count + "<p>after")


# The compiled function looks at 128 places at once.
AROUND = st.binary(max_size=400) | st.integers(0, 400).map(lambda count: b"a" * count)


@given(AROUND, st.binary(min_size=1, max_size=9), AROUND)
def test_a_name_is_found_wherever_it_stands(before, name, behind):
    for twin in {find, python_find}:
        assert 0 <= twin(before + name + behind, name) <= len(before)


@given(st.text("ab", max_size=300), st.text("ab", min_size=1, max_size=9), st.data())
def test_twins_find_the_same(text, name, data):
    begin = data.draw(st.integers(0, len(text)))
    for twin in {find, python_find}:
        assert twin(text.encode(), name.encode(), begin) == text.find(name, begin)


@given(
    AROUND,
    st.sampled_from((b"</br>", b"</BR>", b"</bR>", b"\x1c/br>", b"<\x0fbr>", b"")),
)
def test_a_tag_is_found_in_any_case(before, tag):
    source = before + tag + before
    for twin in {holds_tag, python_holds_tag}:
        assert twin(source, b"</br>") == (b"</br>" in source.lower())
