"""CSS selectors are matched as lxml matches them, in linear time."""

from __future__ import annotations

import pytest
from cssselect import SelectorError, parse
from hypothesis import given
from hypothesis import strategies as st
from parsel import css2xpath

from scrapy_eatext.deadline import TimeLimitError, time_limit
from scrapy_eatext.page import Page
from scrapy_eatext.page.selectors import Matcher, check_selector
from tests.support.pages import any_pages
from tests.support.properties import check_linear
from tests.support.suites import column_of

SELECTORS = column_of("tables/selectors.txt")
OLD = not hasattr(parse(":has(a)")[0].parsed_tree, "arguments")
COMPOUNDS = st.sampled_from(
    "* p div a li td .a .b.c #x [href] [class~=a] :first-child p:last-of-type "
    ":not(.a) :empty :nth-child(2n+1) p:nth-of-type(2) :has(>p) :is(p,.a)".split()
)
COMBINED = st.lists(
    st.tuples(COMPOUNDS, st.sampled_from([" ", ">", "+", "~", ","])),
    min_size=1,
    max_size=4,
).map(lambda parts: "".join(f"{one}{sign}" for one, sign in parts).rstrip(" >+~,"))


PAGE = """<html lang=en><body id=x class="a b"><div class="a item-1"><p>one<p class=b>two
<b>boats</b></p><p></p></div><div class="b c" lang=de-AT><ul><li>1<li class=a>2<li>3<li>4</ul>
<!-- a --><p> </p><p><!-- b --></p><a href=/x>x</a><a name=y>y</a><input disabled type=checkbox
checked><span data-x="a-b c">z</span></div><table><tr><td>1<td>2<tr><td>3</table></body>"""


def check(html, selector):
    root = Page.of(html).root
    assert Matcher(root).find(selector) == root.xpath(css2xpath(selector))


@pytest.mark.parametrize("selector", SELECTORS)
def test_selectors(selector):
    # What cssselect itself knows, or takes for another thing, since 1.6.
    if OLD and selector == "div:has(ul .a)":
        pytest.skip("cssselect is older")
    check(PAGE, selector)


@given(any_pages(), COMBINED)
def test_any_selector_on_any_page(html, selector):
    check(html, selector)


@pytest.mark.parametrize(
    "selector", ["p ~ p", "p:nth-of-type(2)", "div p + p", ":has(~ b)", ":contains(a)"]
)
@pytest.mark.parametrize("unit", ["<p>a</p>", "<!---->" * 20])
def test_time_is_linear(selector, unit):
    pages = {}

    def body(count):
        return pages.setdefault(count, Page.of("<p>a</p>" + unit * count))

    check_linear(lambda page: Matcher(page.root).find(selector), body, 5000)


def test_a_selector_looks_at_the_clock():
    page = Page.of("<p>a</p>" * 5000)
    with time_limit(1e-9), pytest.raises(TimeLimitError):
        Matcher(page.root).find("p ~ p")


@pytest.mark.parametrize(
    "selector", ["p::text", "p:nosuch", "a|b", ":nth-child(x)", "p[", "p:contains()"]
)
def test_what_is_no_selector(selector):
    with pytest.raises(SelectorError):
        check_selector(selector)
