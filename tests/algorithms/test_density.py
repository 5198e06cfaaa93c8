from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.algorithms.density import (
    block_markup,
    densities,
    limit,
    read_line,
    source_lines,
    utf16_length,
)
from scrapy_eatext.extraction import extract
from scrapy_eatext.page import Page
from tests.support.pages import any_pages
from tests.support.properties import check_linear
from tests.support.suites import values_of

LONG = "The river rose in the night and by morning the lower road was gone."
WORD = re.compile(r"\w+")
REFERENCE = {"reference": True}


def found_in(html: str, **options: object):
    return extract(html, algorithm="density", options=options, blocks=True)


def density_of(*counts: tuple[int, int]) -> np.ndarray:
    rows = np.array(counts, dtype=np.int64).reshape(-1, 2)
    return densities(rows[:, 0], rows[:, 1])


def line(chars: int, markup: int) -> str:
    return (f"<{'b' * markup}>" if markup else "") + "x" * chars


# Lines of 60, 80, 200, 79 and 70 characters of text.
EXAMPLE = [(60, 3), (80, 116), (200, 3), (79, 0), (70, 1)]


def test_the_worked_example_in_single_precision():
    density = density_of(*EXAMPLE)
    assert density.dtype == np.float32
    expected = [0.953125, 0.41116750, 0.98529410, 1.0, 0.98611110]
    assert [round(float(d), 8) for d in density] == pytest.approx(expected, abs=6e-8)
    assert limit(density, "stddev") == pytest.approx(0.24452464, abs=1e-8)
    assert limit(density, "mean") == pytest.approx(float(np.mean(expected)), abs=1e-7)


def test_the_worked_example_as_a_page():
    html = "\r\n".join([line(*row) for row in EXAMPLE] + ["<a href='x'>" + "y" * 59])
    found = found_in(html, **REFERENCE)
    assert [b.kept for b in found.blocks] == [True] * 5 + [False]
    assert found.blocks[-1].reason == "short"
    assert found.text == "\n".join("x" * chars for chars, _ in EXAMPLE)


@pytest.mark.parametrize(
    ("counts", "threshold", "expected"),
    [
        ([(79, 0)], "stddev", 0.5),
        ([], "stddev", 0.5),
        ([], "mean", 0),
        ([], 0.25, 0.25),
    ],
)
def test_statistics_of_few_lines(counts, threshold, expected):
    assert limit(density_of(*counts), threshold) == expected


def test_a_line_at_the_threshold_is_left_out():
    # A single line has no deviation: the limit is .5, which 100 of 200 just meets.
    assert found_in(line(99, 100), **REFERENCE).text == ""
    assert found_in(line(100, 100), **REFERENCE).text == "x" * 100


@pytest.mark.parametrize(("line", "expected"), values_of("tables/density_lines.txt"))
def test_a_line_as_the_original_scans_it(line, expected):
    assert read_line(line) == expected


def test_lengths_and_line_ends_are_those_of_java():
    assert [utf16_length(text) for text in ("abc", "a😀é", "\ud83d")] == [3, 4, 1]
    found = found_in(f"{LONG}\r{LONG}\u2028{LONG}\n\n{LONG}\r\n", **REFERENCE)
    assert [b.text for b in found.blocks] == [LONG, f"{LONG}\u2028{LONG}", LONG]


def test_reference_takes_scripts_for_text_and_lines_of_source_do_not():
    script = "var somewhere = 'a long line that is nothing but a script of the page';"
    html = f"<script>\n{script}\n</script>\n<p\nclass=a>{LONG}</p>"
    assert found_in(html, **REFERENCE).text.splitlines() == [script, f"class=a{LONG}"]
    assert found_in(html, lines="source").text == LONG


def test_lines_of_source():
    html = (
        "<!-- a\nb > -->x\n"
        "<p title='a > b'\r\nid=it's>one<td>two<b>three</b>\n"
        "a &amp; b &lt;i&gt; 1 < 2\n<style>p > a\n</style >z<br>y\x1f\n<?php a ?>q"
    )
    assert list(source_lines(html)) == [
        ("", 6),
        ("x", 7),
        ("", 16),
        ("one twothree", 19),
        ("a & b <i> 1 < 2", 0),
        ("", 12),
        ("z y", 14),
        ("q", 10),
    ]


@pytest.mark.parametrize(
    "start", ["<!-- ", "<script> ", "<p a='", "<p a=", "<?", "</ "]
)
def test_markup_without_an_end_ends_with_the_page(start):
    assert [text for text, _ in source_lines(f"a {start}b\nc")] == ["a", ""]


def test_a_reference_of_any_length_in_a_line_of_source():
    lines = list(source_lines(f"<p>The boats &#{'9' * 5000}; lay there.\n</p>"))
    assert lines == [("The boats \ufffd lay there.", 3), ("", 4)]


def test_blocks_pay_for_the_tags_before_them():
    page = Page.of(
        "<html><head><title>no</title></head><body><div class='a b'><p>one</p></div>"
        "<p hidden>no</p><p>two <b>three</b></p></body></html>"
    )
    # html, body, div with its class, p; then p and b.
    assert block_markup(page).tolist() == [13 + 13 + 11 + 12 + 7, 7 + 7]
    assert len(block_markup(Page.of(""))) == 0


def test_rendered_lines_are_the_blocks_of_the_page():
    nav = "".join(
        f"<li><a class='nav-link item' href='/a/{i}'>Go</a>" for i in range(9)
    )
    html = f"<ul>{nav}</ul><h1>Rain</h1><p>{LONG}</p><p>{LONG} Twice.</p>"
    found = found_in(html)
    assert found.text == f"{LONG}\n\n{LONG} Twice."
    assert [b.reason for b in found.blocks] == ["short"] * 10 + ["dense"] * 2
    assert found.blocks[-1].xpath.endswith("p[2]")
    assert 0.9 < found.score < 1
    assert found_in(html, min_chars=0).text == f"Rain\n\n{LONG}\n\n{LONG} Twice."
    dense = found_in(html, threshold=0.95)
    assert (dense.text, dense.score) == ("", 0)


@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 5000)), max_size=20))
def test_densities_are_shares(rows):
    density = density_of(*rows)
    assert ((density > 0) & (density <= 1)).all()
    assert limit(density, "stddev") <= 0.5  # so it is no NaN


@given(any_pages())
def test_lines_of_source_stay_lines(html):
    lines = list(source_lines(html))
    assert len(lines) == len(re.split(r"\r\n|\r|\n", html))
    assert all(markup >= 0 and "\n" not in text for text, markup in lines)


@given(any_pages())
def test_reference_keeps_text_as_it_stands(html):
    apart, joined = re.sub("[<>]", " ", html), re.sub(r"<[^>\r\n]*>?|>", "", html)
    there = {*WORD.findall(apart), *WORD.findall(joined)}
    assert there.issuperset(WORD.findall(found_in(html, **REFERENCE).text))


@pytest.mark.parametrize(
    "unit",
    ["<p>a word or two</p>", "<div>", "<", "<a b='", "<!--", "<script>", "= ", "&amp;"],
)
@pytest.mark.parametrize("options", [REFERENCE, {"lines": "source"}])
def test_time_is_linear(unit, options):
    def read(page: Page) -> None:
        list(source_lines(page.html))
        get_algorithm("density", options).judge(page)

    check_linear(read, lambda count: Page.of(f"<p {unit}" + unit * count), 3_000)
