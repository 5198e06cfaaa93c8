"""Nothing active comes out, in HTML or in Markdown that is rendered."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.page import Page
from tests.support.kept import document
from tests.support.pages import any_pages
from tests.support.unsafe import (
    ALLOWED,
    RENDERERS,
    TEX,
    check,
    check_address,
    check_safe,
    formulas,
    page,
    vectors,
)


@pytest.mark.parametrize("source", list(vectors()))
def test_known_vectors(source):
    check(source)


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("tex", TEX)
def test_formulas_pass_no_markup_on(tex, renderer):
    pytest.importorskip(renderer)
    for source in formulas(tex):
        check(source, renderer)


def test_a_formula_ends_where_it_ends():
    source = "<script src=/mathjax.js></script><p>\\(a % b<br># c &lt;d\\) and $&lt;e$"
    assert markdown(document(Page.of(source))) == "$a # c < d$ and $< e$"


@given(st.randoms(use_true_random=False))
def test_pages_at_random(chance):
    check(page(chance))


@given(any_pages())
def test_any_page(source):
    check(source)


@pytest.mark.parametrize(
    "made",
    [
        "<p onclick=x>a</p>",
        "<img src='data:x'>",
        "<script>a</script>",
        # Browsers move it before the table; Python's parser does not.
        "<table><tr><td>b</td></tr>a</table>",
    ],
)
def test_the_check_finds_what_is_active(made):
    check_safe("<p>a <img src=x alt='a &lt; b'></p>", ALLOWED)
    with pytest.raises(ValueError, match=r"drops|address|<"):
        check_safe(made, ALLOWED)


def test_the_check_of_addresses():
    for address in ("javascript:x", " JavaScript:x", "java\nscript:x", "data:x"):
        with pytest.raises(ValueError, match="address"):
            check_address(address)


def test_pages_differ():
    chance = random.Random(0)
    assert len({page(chance) for _ in range(200)}) > 150
