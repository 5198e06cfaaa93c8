from __future__ import annotations

from hypothesis import given
from lxml import etree

from scrapy_eatext import extract
from scrapy_eatext.page import Page
from scrapy_eatext.page.paths import Paths
from tests.pages import any_pages


@given(any_pages())
def test_paths_lead_to_their_elements(html):
    root = Page.of(html).root
    paths, bounded = Paths(whole=True), Paths()
    tree = root.getroottree()
    for element in root.iter(etree.Element):
        path = paths.of(element)
        assert tree.xpath(path) == tree.xpath(bounded.of(element)) == [element]
        if ":" not in tree.getpath(element):
            # What lxml writes where XPath can read it.
            assert "*" in path or path == tree.getpath(element)


def test_names_that_xpath_cannot_read_are_counted_past():
    page = Page.of("<div><o:p>one</o:p><b>two</b><o:p>three</o:p><p>four<p>five</div>")
    root = page.root
    paths = Paths()
    found = [paths.of(element) for element in root.iter(etree.Element)]
    body = "/html/body"
    assert found == [
        "/html",
        body,
        f"{body}/div",
        f"{body}/div/*[1]",
        f"{body}/div/b",
        f"{body}/div/*[3]",
        f"{body}/div/p[1]",
        f"{body}/div/p[2]",
    ]


def test_a_part_of_a_page_has_its_place_in_the_whole():
    root = Page.of("<div>a</div><div><p>b</p></div>").root
    part = root[0][1]
    assert Page(part).blocks.xpath(0) == "/html/body/div[2]/p"


def test_a_root_of_any_name():
    element = etree.Element("{http://example.com/}x")
    assert Paths().of(element) == "/*[1]"


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


def test_long_names_are_counted_past():
    page = Page.of(f"<div><{'x' * 1000}>one</{'x' * 1000}></div>")
    assert Paths().of(page.root[0][0][0]) == "/html/body/div/*[1]"


def test_many_blocks_have_their_places_in_time():
    result = extract("<p>a<p>b" * 20_000, algorithm="density", blocks=True)
    assert result.blocks is not None
    assert result.blocks[-1].xpath == "/html/body/p[40000]"
