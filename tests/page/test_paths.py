from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from lxml import etree

from scrapy_eatext.page import Page
from scrapy_eatext.page.paths import Paths
from tests.support.pages import any_pages
from tests.support.suites import EXAMPLE


def check(root: etree._Element) -> None:
    """Each path leads to its element, and is that of lxml if XPath can read it."""
    paths, bounded = Paths(whole=True), Paths()
    tree = root.getroottree()
    for element in root.iter(etree.Element):
        path = paths.of(element)
        assert tree.xpath(path) == tree.xpath(bounded.of(element)) == [element]
        if ":" not in tree.getpath(element):
            assert "*" in path or path == tree.getpath(element)


@given(any_pages())
def test_paths_lead_to_their_elements(html):
    check(Page.of(html).root)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 200 + "<p>one<p>two",
        "<p>x" * 600,
        "<div><o:p><b>one</b></o:p><b[1]><b>two</b></b[1]><x-y><b>three</b></x-y>",
        "<div><b[1]>one</b[1]><b>two</b></div><b[1]><p>three",
        f"<{'x' * 64}><b>one</b></{'x' * 64}><{'x' * 65}><b>two",
        "<p>one<!-- p --><p>two<?p?><h1>three<p>four",
    ],
)
def test_odd_pages(html):
    check(Page.of(html).root)


def test_pages_of_the_example():
    for page in EXAMPLE[:20]:
        check(Page.of(page).root)


def test_names_that_xpath_cannot_read_and_long_ones_are_counted_past():
    page = Page.of("<div><o:p>one</o:p><b>two</b><o:p>three</o:p><p>four<p>five</div>")
    root = page.root
    paths = Paths()
    found = [paths.of(element) for element in root.iter(etree.Element)]
    inside = "*[1] b *[3] p[1] p[2]".split()
    assert found[3:] == [f"/html/body/div/{name}" for name in inside]
    assert Paths().of(etree.Element("{http://example.com/}x")) == "/*[1]"
    page = Page.of(f"<div><{'x' * 1000}>one</{'x' * 1000}></div>")
    assert Paths().of(page.root[0][0][0]) == "/html/body/div/*[1]"


def test_deep_down_a_path_begins_anew():
    odd, plain = "<o:p>" * 300, "<div>" * 300
    page = Page.of(f"<div>{plain}<p>one<p>two</div><div>{odd}<b>a</b>b<p>c</p>{plain}d")
    tree = page.root.getroottree()
    paths = Paths()
    found = {element: paths.of(element) for element in page.root.iter(etree.Element)}
    assert max(map(len, found.values())) < 600
    assert [tree.xpath(path) for path in found.values()] == [[e] for e in found]
    for begin in ("/html", "(//div)[", "(//*)["):
        assert any(path.startswith(begin) for path in found.values())
    whole = Paths(whole=True)
    assert all(whole.of(element).startswith("/html") for element in found)


def test_paths_in_a_crowd_take_linear_time():
    crowd = Page.of("<body>" + "<p>a<i>b</i></p>" * 20_000).root
    start = process_time()
    paths = Paths()
    found = [paths.of(element) for element in crowd.iter("i")]
    assert process_time() - start < 3
    assert found[:2] == ["/html/body/p[1]/i", "/html/body/p[2]/i"]
    assert found[-1] == "/html/body/p[20000]/i"


def test_trees_that_are_no_whole_page():
    root = Page.of("<div>a</div><div><p>b</p><p>c</p></div>").root
    blocks = Page(root[0][1]).blocks
    body = "/html/body"
    assert blocks.xpath(1) == f"{body}/div[2]/p[2]"
    assert blocks.xpaths([0, 1]) == [f"{body}/div[2]/p[1]", f"{body}/div[2]/p[2]"]
    source = "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:p>a</h:p></h:html>"
    assert Page(etree.fromstring(source)).blocks.xpaths([0]) == ["/*[1]/*[1]"]
