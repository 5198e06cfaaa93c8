"""Pages of which only a part is kept, and what must come out of them.

They are in tests/cases/outputs/, as suites.py reads them.  An output is Markdown unless the
line above it names another attribute of the result; of those that are no text it is
JSON.  Behind the name may stand how it is asked for, by the words of ASKED.  Blocks that
say "gone" are not kept, but for what the default algorithm's rules keep all the same; if
"judged" is among the words, that algorithm itself decides, and "not-yet" tells that it
decides otherwise so far.  The page is at https://example.com/dir/page.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from parsel import Selector

from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.algorithms.base import Verdict
from scrapy_eatext.algorithms.eatext import AFTER
from scrapy_eatext.output import structure
from scrapy_eatext.output.forms import ChunkForm, Forms, MarkdownForm
from scrapy_eatext.output.html import html
from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.output.placing import python_place
from scrapy_eatext.output.tables import REPEATED, rows_of_tables
from scrapy_eatext.page import Page
from scrapy_eatext.page.datatables import data_tables
from scrapy_eatext.rendering import render, run, with_outputs
from scrapy_eatext.tagger.facts import weights
from scrapy_eatext.tagger.rules import whole_tables
from tests.support.kept import document
from tests.support.properties import check_linear, check_walks
from tests.support.suites import cases

URL = "https://example.com/dir/page"
ASKED = {
    "title": {"title": True},
    "front-matter": {"markdown": MarkdownForm(front_matter=True)},
    "bare": {"markdown": MarkdownForm(links=False, images=False)},
    "of-12": {"chunks": ChunkForm(12)},
    "marked-of-12": {"chunks": ChunkForm(12, markdown=True)},
}
# Of attributes that are no text, what is compared.
SHOWN = {
    "tables": lambda tables: [[list(row) for row in table] for table in tables],
    "embeds": lambda embeds: [[e.kind, e.provider, e.title, e.url] for e in embeds],
    "posts": lambda posts: [[post.author, post.time, post.text] for post in posts],
    "chunks": lambda chunks: [[*chunk.headings, chunk.text] for chunk in chunks()],
}
CASES = [
    pytest.param(
        case.source,
        kind or "markdown",
        wanted,
        id=f"{case.id}, {kind}",
        marks=pytest.mark.xfail("not-yet" in kind, reason="not yet", strict=True),
    )
    for case in cases("outputs")
    for kind, wanted in case.outputs
]
SOURCES = list(dict.fromkeys(case.values[0] for case in CASES))


def result_of(source, judged=False):
    page = Page.of(source, URL)
    if judged:
        return run(get_algorithm(DEFAULT), page)
    blocks = page.blocks
    count = len(blocks)
    kept = np.array(["gone" not in blocks.text(i) for i in range(count)], bool)
    w = weights(blocks.walk)
    kept = whole_tables(blocks.walk, kept, w)
    for rule in AFTER.values():
        kept = rule.leave(blocks.walk, kept, w, np.full(count, 500))
    return render(
        Verdict(blocks, kept.tolist(), [0.5] * count, [""] * count), page, "", ""
    )


@pytest.mark.parametrize(("source", "kind", "wanted"), CASES)
@pytest.mark.parametrize("placed", ["compiled", "python"])
def test_output(source, kind, wanted, placed, monkeypatch):
    if placed == "python":
        monkeypatch.setattr(structure, "place", python_place)
    name, *asked = kind.split()
    result = result_of(source, "judged" in asked)
    said = {key: form for word in asked for key, form in ASKED.get(word, {}).items()}
    found = getattr(with_outputs(result, Forms(**said)), name)
    if name in SHOWN:
        found, wanted = SHOWN[name](found), json.loads(wanted)
    assert found == wanted


@pytest.mark.parametrize("source", SOURCES)
def test_walks_of_these_pages_agree(source):
    check_walks(Page.of(source).root)


def test_there_are_enough_of_them():
    assert len(SOURCES) >= 100


@pytest.mark.parametrize("between", ["<tr><td>gone</td></tr>", "<tr></tr>"])
def test_cells_stay_in_their_columns_below_a_row_that_goes(between):
    # As algorithms leave it that know nothing of tables.
    page = Page.of(
        "<table><tr><th>a</th><th>b</th></tr><tr><td rowspan=3>gone</td><td>gone</td>"
        f"</tr>{between}<tr><td>2</td></tr><tr><td>x</td><td>3</td></tr></table>"
    )
    kept = ["gone" not in page.blocks.text(i) for i in range(len(page.blocks))]
    nodes = document(page, kept)
    rows = "| a | b |\n| --- | --- |\n|  | 2 |\n| x | 3 |"
    assert markdown(nodes) == rows
    assert "<tr><td></td><td>2</td></tr>" in html(nodes)
    assert rows_of_tables(nodes) == ((("a", "b"), ("", "2"), ("x", "3")),)


def test_what_cells_say_again_is_bounded():
    row = "<tr>" + "<td>y</td>" * 50 + "</tr>"
    cell = f"<tr><td colspan=50>{'x' * 599}</td></tr>"
    source = f"<table>{row}{10 * cell}{row}"
    page = Page.of(source)
    nodes = document(page)
    (table,) = rows_of_tables(nodes)
    assert table[2][:3] == ("x" * 599,) * 3
    chars = sum(len(text) for line in table for text in line)
    assert REPEATED < chars + 599 < len(source) + REPEATED + 599


def test_parts_of_tables_that_are_rows_take_linear_time():
    unit = "<thead><td>a<td>b</thead><tbody><tr><td>c<td>d</tr></tbody>"

    check_linear(document, lambda count: Page.of(f"<table>{unit * count}"), 2_000)


@pytest.mark.parametrize(
    "unit",
    [
        "<div><iframe src=https://player.vimeo.com/video/1></iframe></div>",
        "<video><source>",
        "<div class='admonition note'><p>a</div>",
        "<div class='admonition note'><ul><li>a",
        "<p>a</p><hr>",
        "<p>a<iframe src=https://www.facebook.com/plugins/video.php?a&a&a></iframe><hr></p>",
    ],
)
def test_embeds_and_rules_take_linear_time(unit):
    def made(page):
        nodes = document(page)
        return markdown(nodes), html(nodes)

    check_linear(made, lambda count: Page.of("<p>a</p>" + unit * count + "b"), 2_000)


@pytest.mark.parametrize("name", ["div", "li", "blockquote", "td"])
def test_embeds_and_rules_inside_much(name):
    inside = (
        "<p>a</p><hr><iframe src=https://vimeo.com/></iframe><video src=/a></video>b"
    )
    page = Page.of(f"<p>c</p>{f'<{name}>' * 10_000}{inside}", URL)
    nodes = document(page)
    assert "[a](https://example.com/a)" in markdown(nodes)
    assert '<a href="https://example.com/a">a</a>' in html(nodes)


@pytest.mark.parametrize("name", ["td", "tr", "tbody", "table"])
def test_a_tree_may_begin_with_any_part_of_a_table(name):
    rows = "<tr><td>a<td>b<tr><td>c<td>d"
    page = Selector(f"<table><tbody>{rows}<tr><td><table>{rows}</table></table>")
    (part, *_) = page.css(name)
    data = data_tables(Page.of(part).blocks.walk)
    assert (data is not None) == (name in ("tbody", "table"))  # one is nested


def test_long_notes_do_not_come_with_the_text():
    note = (
        "<p>So.<a href='#n'>1</a></p><ol class=notes role=doc-endnotes><li id=n>{}</ol>"
    )
    assert "gone" in result_of(note.format("gone " * 150)).markdown
    assert "gone" not in result_of(note.format("gone " * 151)).markdown
