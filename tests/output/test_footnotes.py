"""Footnotes in Markdown: no renderer loses a word of them, and time is linear."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from random import Random

import pytest
from cmarkgfm import cmark
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_eatext.output.judged import JudgedPage
from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.page import Page
from tests.output.test_fidelity import MARKS
from tests.support.hostile import HOSTILE
from tests.support.kept import noted, whole
from tests.support.properties import _ANY_TAG, check_linear, is_with, letters
from tests.support.rich import notes
from tests.support.unsafe import RENDERERS, renderer

URL = "https://example.com/dir/page"


def judged(source):
    page = Page.of(source, URL)
    return JudgedPage(page, replace(whole(page), page_type="article"))


def words(text):
    """What renderers must not change: quotations get marks in Markdown."""
    return letters(text).replace('"', "")


def rendered(text, name):
    """What a renderer makes of Markdown.

    Of GitHub's extensions the one for bare addresses is left out, as it takes the
    backslash behind an address for a part of it.
    """
    if name != "cmarkgfm":
        return renderer(name)(text)
    options = cmark.Options.CMARK_OPT_UNSAFE
    return cmark.markdown_to_html_with_extensions(text, options, ["table"])


def check_shown(nodes, name):
    """All of the text, and of the references to notes, is what a renderer shows."""
    shown = words(unescape(_ANY_TAG.sub("", rendered(markdown(nodes), name))))
    for text in noted(nodes):
        assert is_with(shown, words(text))


@pytest.mark.parametrize("name", RENDERERS)
@given(st.integers(0, 2**32))
def test_no_words_of_any_notes_are_lost(name, seed):
    nodes = judged(notes(Random(seed))).markdown_nodes
    check_shown(nodes, name)


@pytest.mark.parametrize("name", RENDERERS)
@settings(max_examples=5 * settings().max_examples)
@given(st.lists(st.sampled_from(MARKS), max_size=6).map("".join))
@example("&lt;http://a.b><br>*")
def test_no_signs_of_notes_are_lost(name, signs):
    source = f"<p>a<a href='#b'>1</a>{signs}<ol class=footnotes><li id=b>c{signs}"
    nodes = judged(source).markdown_nodes
    assert nodes.notes
    check_shown(nodes, name)


def test_a_renderer_of_footnotes_finds_them():
    source = (
        "<p>So.<a href='#a'>1</a><a href='#b'>2</a>: <a href='#c'>*</a>(x)</p>"
        "<ol class=footnotes><li id=a>Ibid.<li id=b>See (x)<p>More.<li id=c>Ann<br>B"
    )
    options = cmark.Options.CMARK_OPT_UNSAFE | cmark.Options.CMARK_OPT_FOOTNOTES
    made = cmark.markdown_to_html_with_extensions(
        judged(source).output("markdown"), options, ["autolink"]
    )
    assert "[^" not in made
    assert made.count('class="footnote-ref"') == 3
    assert made.count('<li id="fn-') == 3
    assert "<p>More. <a" in made


@pytest.mark.parametrize(
    "family",
    [
        "references_to_one_note",
        "references_of_one_name",
        "notes",
        "notes_of_themselves",
    ],
)
def test_footnotes_take_linear_time(family):
    def made(page):
        return JudgedPage(page, whole(page)).markdown_nodes

    check_linear(made, lambda size: Page.of(HOSTILE[family](size), URL), 60_000)


def test_spaces_within_a_note_are_kept():
    spaces = "\u3000" * 30_000
    note = f"<li id=b>c{spaces}d [<a href='#a'>2</a>]"
    source = f"<p>a<a href='#b' id=a>1</a><ol class=footnotes>{note}"
    assert judged(source).output("markdown").endswith("d")


def test_labels_are_short_and_each_is_of_one_note():
    marks = ["1", "1", "*", "a b", "note 1", "²", "Note 1", "2", "†"]
    text = "".join(f"<sup><a href='#n{i}'>{m}</a></sup>" for i, m in enumerate(marks))
    items = "".join(f"<li id=n{i}>Note number {i}." for i in range(len(marks)))
    nodes = judged(f"<p>a{text}</p><ol class=footnotes>{items}").markdown_nodes
    labels = ["1", "3", "4", "a-b", "note-1", "2", "5", "6", "7"]
    assert list(nodes.notes.values()) == labels
