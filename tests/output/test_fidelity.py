"""Small pages and the Markdown that each must become.

They are in tests/cases/fidelity/, as suites.py reads them.  All blocks are kept; the page is
at https://example.com/dir/page.
"""

from __future__ import annotations

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from scrapy_eatext.output.code import content
from scrapy_eatext.output.html import html
from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.page import Page
from tests.support.kept import all_but, document, texts_of
from tests.support.pages import any_pages
from tests.support.suites import cases

URL = "https://example.com/dir/page"
RENDERER = MarkdownIt("commonmark").enable("table")


CASES = [
    pytest.param(case.source, expected, id=case.id)
    for case in cases("fidelity")
    for _, expected in case.outputs
]


def text_and_tree(source):
    """The text of all blocks of a page, and their nodes."""
    page = Page.of(source, URL)
    shown = content(page.blocks, all_but(page.blocks))
    return "".join(texts_of(page.blocks, shown)), document(page)


def words(text):
    """A text without white space and quotation marks, which Markdown may change."""
    return "".join(text.replace('"', "").split())


def text_of(source):
    """The text of HTML that was rendered."""
    return lxml.html.fragment_fromstring(source, create_parent=True).text_content()


def check_words(source):
    """The words of a page come back from its Markdown, which is given back, and HTML."""
    text, tree = text_and_tree(source)
    made = markdown(tree)
    assert words(text_of(RENDERER.render(made))) == words(text)
    assert words(text_of(html(tree))) == words(text)
    return made


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_markdown_and_the_words_that_come_back(source, expected):
    assert check_words(source) == expected


def test_addresses_come_back():
    address = "https://example.com/a?b=1&amp;c&lt;d&#65;&#x41;&copy=1&#t(a)"
    href = address.replace("&", "&amp;")
    _, tree = text_and_tree(f'<p><a href="{href}">x</a>')
    rendered = RENDERER.render(markdown(tree))
    assert lxml.html.fromstring(rendered).find("a").get("href") == address


@given(any_pages())
def test_words_of_any_page_come_back(source):
    check_words(source)


# Signs of Markdown, alone or in runs, and what ends a piece of text.
MARKS = [
    *"*_`~#+-=|:;.!?()[]{}<>&^\\/'\"$1x é一".replace("<", "").replace("&", ""),
    *[" "] * 5,
    *["&lt;", "&amp;", "&lt;b>", "&lt;!--", "&amp;amp;", "&lt;http://a.b>", "\xa0"],
    *["<br>"] * 4,
    *["[^1]:", "[^", "]:", "](", "[x]: /u", "[a](b)", "![a](b)", "---", "***", "___"],
    *["===", "1.", "2)", "- ", "+ ", "* ", "> ", "# ", "```", "~~~", "|-|", "    "],
    *["<b>", "</b>", "<i>", "</i>", "<code>", "</code>", "<sub>", "</sub>"],
    *["<a href=/u>", "</a>", "<img src=/i alt='^]:'>", "<p>"],
]
HOLDERS = [
    "<p>%s</p>",
    "<h2>%s</h2>",
    "<ul><li>%s</ul>",
    "<ol><li>a<li>%s</ol>",
    "<blockquote>%s</blockquote>",
    "<table><tr><th>%s<th>b<tr><td>c<td>d</table>",
    "<table><caption>e<tr><td>a<td>b<tr><td>%s<td>c</table>",
    "<dl><dt>%s<dd>a</dl>",
    "<dl><dt>a<dd>%s</dl>",
]


def marked(data):
    """Holders, each with eight marks that the bytes choose."""
    pieces = [MARKS[byte % len(MARKS)] for byte in data]
    return "".join(
        HOLDERS[data[at] % len(HOLDERS)] % "".join(pieces[at : at + 8])
        for at in range(0, len(pieces), 8)
    )


@settings(max_examples=10 * settings().max_examples)
@given(st.binary(max_size=24).map(marked))
def test_marks_come_back_as_text(source):
    check_words(source)


@pytest.mark.parametrize(
    "deeper",
    "<ul><li>a <blockquote>a <ul><ul><li>a <ol><blockquote>a <dl><dt>a<dd>".split(),
)
def test_renderers_go_as_deep_as_it_is_nested(deeper):
    table = "<table><tr><th>b<th>c<tr><td>d<td>e</table>"
    check_words(deeper * 40 + table)


def test_there_are_enough_of_them():
    assert len(CASES) >= 150
    assert len({case.id for case in CASES}) == len(CASES)
