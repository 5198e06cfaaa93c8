"""How kept blocks become text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_eatext.algorithms.base import Unit, UnitList, Verdict
from scrapy_eatext.output.text import DEEPEST, python_join, render_text
from scrapy_eatext.page import Page
from scrapy_eatext.rendering import render
from tests.support.kept import all_but
from tests.support.properties import COMPILED_ONLY, check_linear


def rendered(html: str, *left_out: str) -> str:
    """The text of a page on which all is kept but some blocks."""
    blocks = Page.of(html).blocks
    kept = all_but(blocks, left_out)
    return render_text(Verdict(blocks, kept, [1.0] * len(kept), [""] * len(kept)))


def test_items_are_numbered_as_kept() -> None:
    assert rendered("<ol><li>a<li>b<li>c</ol>", "b") == "1. a\n2. c"


def test_a_row_of_which_one_cell_is_kept_stays_in_its_table() -> None:
    html = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    assert rendered(html, "a") == "b\nc | d"
    assert rendered(html, "a", "c") == "b\n\nd"


def test_units_without_a_place() -> None:
    units = UnitList([Unit("a"), Unit("b", "list item", 1), Unit("c", "list item", 1)])
    verdict = Verdict(units, [True] * 3, [1.0] * 3, [""] * 3)
    assert render_text(verdict) == "a\n\n- b\n- c"


def test_long_lists_and_tables_are_linear() -> None:
    def page(count: int) -> str:
        items = "".join(f"<li>{i}" for i in range(count))
        rows = "".join(f"<tr><td>{i}<td>x" for i in range(count))
        return f"<ol>{items}</ol><table>{rows}</table>"

    assert rendered(page(3)).startswith("1. 0\n2. 1\n3. 2")
    assert rendered(page(3)).endswith("\n1 | x\n2 | x")
    check_linear(rendered, page, 4000)


def test_items_two_thousand_deep_do_not_come_out_as_spaces() -> None:
    html = "<ul>" * 1500 + "<li>a" * 1000
    text = rendered(html)
    assert text == "\n".join(["  " * DEEPEST + "- a"] * 1000)
    blocks = Page.of(html).blocks
    assert text == python_join(blocks.walk, list(range(len(blocks))), [], [], DEEPEST)


@COMPILED_ONLY
def test_tables_that_do_not_fit() -> None:
    from scrapy_eatext.native import _text

    walk = Page.of("<ul><li>one<li>two</ul>").blocks.walk
    with pytest.raises(IndexError, match="there is no block 2"):
        _text.join(walk, [2], [], [], DEEPEST)
    with pytest.raises(ValueError, match="a gap for each block"):
        _text.join(walk, [0, 1], [], ["\n"], DEEPEST)
    short = replace(walk, elements=walk.elements[:1])
    for wrong in (replace(walk, text=b"one"), short):
        with pytest.raises(ValueError, match="do not fit together"):
            _text.join(wrong, [1], [], [], DEEPEST)
    crossed = replace(walk, elements=walk.blocks, blocks=walk.elements)
    with pytest.raises(ValueError, match="number of columns"):
        _text.join(crossed, [1], [], [], DEEPEST)


@pytest.mark.parametrize("count", [1, 3])
def test_a_verdict_is_on_each_unit(count: int) -> None:
    page = Page.of("<p>one<p>two")
    wrong = Verdict(page.blocks, [True] * count, [1.0] * 2, [""] * 2, "text")
    with pytest.raises(ValueError, match=f"of one's own has a verdict on {count} of 2"):
        render(wrong, page, "of one's own", "1")
