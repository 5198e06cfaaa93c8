"""Text, Markdown, tables and the choice of blocks agree on which tables hold data."""

from __future__ import annotations

import pytest
from parsel import Selector

from scrapy_eatext.algorithms.base import Verdict
from scrapy_eatext.output.structure import document
from scrapy_eatext.page import Page
from scrapy_eatext.page.datatables import data_tables
from scrapy_eatext.rendering import render

ROWS = "<tr><td>a<td>b<tr><td>c<td>d"
GRID = "|  |  |\n| --- | --- |\n"
PARTED = "a\n\nb\n\nc\n\nd"


def outputs(html: str) -> tuple[str, str, object]:
    """The text, the Markdown and the tables of all blocks of a page."""
    page = Page.of(html)
    count = len(page.blocks)
    verdict = Verdict(page.blocks, [True] * count, [1.0] * count, [""] * count)
    result = render(verdict, page, "all", "1")
    return result.text, result.markdown, result.tables


@pytest.mark.parametrize(
    ("html", "text", "marked"),
    [
        (f"<table>{ROWS}</table>", "a | b\nc | d", f"{GRID}| a | b |\n| c | d |"),
        (f"<table role=presentation>{ROWS}</table>", PARTED, PARTED),
        (f"<table role=None>{ROWS}</table>", PARTED, PARTED),
        (
            "<table><tr><td><p>a<p>x<td>b<tr><td>c<td>d</table>",
            "a x | b\nc | d",
            f"{GRID}| a<br>x | b |\n| c | d |",
        ),
        (
            "<table><tr><td><ul><li>a<li>x</ul><td>b<tr><td>c<td>d</table>",
            "a x | b\nc | d",
            f"{GRID}| a<br>x | b |\n| c | d |",
        ),
        # Paragraphs in a cell of a table without headers.
        (
            f"<table><tr><td><p>{'x' * 99}<p>y<td>b<tr><td>c<td>d</table>",
            f"{'x' * 99}\n\ny\n\nb\n\nc\n\nd",
            f"{'x' * 99}\n\ny\n\nb\n\nc\n\nd",
        ),
        # With headers it is one of data, whatever its role.
        (
            "<table role=presentation><tr><th>a<td>b<tr><th>c<td>d</table>",
            "a | b\nc | d",
            f"{GRID}| a | b |\n| c | d |",
        ),
        # A single row lays out the page.
        ("<table><tr><td>a<td>b</table>", "a\n\nb", "a\n\nb"),
        # Cells that stand in no row are one.
        (
            "<table><thead><th>a<th>b</thead><tr><td>c<td>d</table>",
            "a | b\nc | d",
            "| a | b |\n| --- | --- |\n| c | d |",
        ),
        # Rows of two tables are no one table.
        (
            f"<table>{ROWS}</table><table>{ROWS}</table>",
            "a | b\nc | d\n\na | b\nc | d",
            "\n\n".join([f"{GRID}| a | b |\n| c | d |"] * 2),
        ),
        # A cell that is none of its row's own.
        (
            "<table><tr><th>a<th>b</tr><tr><td>c</td><form><td>d</td></form></tr></table>",
            PARTED,
            PARTED,
        ),
    ],
)
def test_outputs_agree(html: str, text: str, marked: str) -> None:
    found, markdown, tables = outputs(html)
    assert (found, markdown) == (text, marked)
    assert bool(tables) == (" | " in text)


def test_icons_in_cells_are_shown_where_they_say_something() -> None:
    row = "<tr><td>{}<td><img src=/i.png width=16 alt='{}'>"
    rows = "".join(row.format(*cells) for cells in (("a", "yes"), ("b", "")))
    _, marked, _ = outputs(f"<table><tr><th>x<th>y{rows}</table>")
    assert marked == "| x | y |\n| --- | --- |\n| a | ![yes](/i.png) |\n| b |  |"
    _, marked, _ = outputs(f"<table>{rows}</table>")
    assert marked == "a\n\nb"


@pytest.mark.parametrize("name", ["td", "tr", "tbody", "table"])
def test_a_tree_may_begin_with_any_part_of_a_table(name: str) -> None:
    page = Selector(f"<table><tbody>{ROWS}<tr><td><table>{ROWS}</table></table>")
    (part, *_) = page.css(name)
    data = data_tables(Page.of(part).blocks.walk)
    assert (data is not None) == (name in ("tbody", "table"))  # one is nested


def test_a_caption_alone_is_no_table():
    page = Page.of(
        "<table><tr><th><table><tr><th><figure><tr><td><table><tr><td><figure><tr><td>"
        "<figcaption><table></table><tr><td><table><th>a<th>One"
    )
    document(page, page.blocks, [True] * len(page.blocks))
