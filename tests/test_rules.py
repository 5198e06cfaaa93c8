"""A site's CSS overrides the verdict on blocks."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.algorithms.base import Unit, UnitList, Verdict
from scrapy_eatext.deadline import check
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from scrapy_eatext.execution.choice import Choice, changed
from scrapy_eatext.page import Page
from scrapy_eatext.page.selectors import Matcher
from scrapy_eatext.rendering import run
from scrapy_eatext.rules import apply_rules
from tests.support.algorithms import Nothing, Plain, PlainOptions

HTML = """
<div id=a><p>one</p><div id=b><p>two</p><div id=c><p>three</p></div></div></div>
<ul id=d><li>four</li></ul>
"""


PLAIN = Plain(PlainOptions())


@pytest.mark.parametrize(
    ("algorithm", "keep", "remove", "left"),
    [
        (Plain, "", "", "one two three"),
        (Plain, "", "#a", ""),
        (Plain, "", "#b", "one"),
        (Plain, "#b", "#a", "two three"),
        (Plain, "#a", "#b", "one"),
        (Plain, "#b, #d", "#a, #c", "two four"),
        (Plain, "#b", "#b", "one"),
        (Plain, "li", "", "one two three four"),
        (Plain, "", ".no", "one two three"),
        (Nothing, "#c, #d", "", "three four"),
    ],
)
def test_the_nearest_element_decides(algorithm, keep, remove, left):
    result = run(algorithm(PlainOptions()), Page.of(HTML), rules=(keep, remove))
    assert result.text.replace("- ", "").split() == left.split()


def test_the_verdict_says_which_rule_and_the_tree_stays():
    page = Page.of(HTML)
    before = etree.tostring(page.root)
    result = run(PLAIN, page, rules=("#d", "#b"))
    assert [(b.text, b.kept, b.score, b.reason) for b in result.blocks] == [
        ("one", True, 1.0, ""),
        ("two", False, 0.0, "removed by a rule"),
        ("three", False, 0.0, "removed by a rule"),
        ("four", True, 1.0, "pinned by a rule"),
    ]
    assert etree.tostring(page.root) == before


def test_units_that_know_their_place():
    page = Page.of(HTML)
    path = page.root.getroottree().getpath
    (b,), (c,) = page.root.xpath("//*[@id='b']"), page.root.xpath("//*[@id='c']")
    units = UnitList(
        [
            Unit("in b", xpath=path(b)),
            Unit("in c", xpath=path(c) + "/p"),
            Unit("beside c", xpath=path(c) + "x"),
            Unit("a line"),
        ]
    )
    verdict = Verdict(units, [False, True, False, True], [0.0] * 4, [""] * 4, "joined")
    said = apply_rules(page, verdict, "#b", "#c")
    assert said.kept == [True, False, True, True]
    assert said.text is None
    assert apply_rules(page, verdict, "", "") is verdict


@given(
    st.lists(st.sampled_from(["<div>", "<div class=k>", "<div class=r>", "<p>x</p>"]))
)
def test_as_climbing_from_every_block_has_it(parts):
    page = Page.of("".join(parts))
    verdict = PLAIN.judge(page)
    said = apply_rules(page, verdict, ".k", ".r")
    for i in range(len(page.blocks)):
        around = [page.blocks.element(i), *page.blocks.element(i).iterancestors()]
        classes = [e.get("class") for e in around if e.get("class")]
        expected = classes[0] == "k" if classes else verdict.kept[i]
        assert said.kept[i] == expected


def test_every_element_is_climbed_from_once(monkeypatch):
    page = Page.of("<div><p>x</p>" * 200)
    verdict = PLAIN.judge(page)
    asked = []
    element = page.blocks.element

    class Climber:
        """An element that notes when it is asked for its parent."""

        def __init__(self, element):
            self.element = element

        def __hash__(self):
            return hash(self.element)

        def __eq__(self, other):
            return self.element == getattr(other, "element", other)

        def getparent(self):
            asked.append(self.element)
            parent = self.element.getparent()
            return None if parent is None else Climber(parent)

    monkeypatch.setattr(page.blocks, "element", lambda i: Climber(element(i)))
    said = apply_rules(page, verdict, "title", "p:last-of-type")
    assert said.kept == [False] * 200
    assert len(asked) == len(set(asked)) <= 400


# Also if the path is longer than those that are written of blocks.
@pytest.mark.parametrize("depth", [0, 200])
def test_units_of_reference_modes(depth):
    page = Page.of("<div>" * depth + HTML)
    (b,) = page.root.xpath("//*[@id='b']")
    place, element = "", b
    while element is not None:
        order = 1 + len(list(element.itersiblings(element.tag, preceding=True)))
        place, element = f"/{element.tag}[{order}]{place}", element.getparent()
    verdict = Verdict(UnitList([Unit("in b", xpath=place)]), [False], [0.0], [""])
    assert apply_rules(page, verdict, "#b", "").kept == [True]


@pytest.mark.parametrize("css", ["p ~ p", "p:nth-of-type(2n+3)", "p:has(~ p)"])
def test_no_selector_takes_long(css):
    choice = changed(Choice(), {"keep": css, "remove": [css, "b"]})
    outcome = extract_page(Job("<p>a b" * 12_000, "", choice, Limits(timeout=5)))
    assert outcome.kind != "timed_out"
    assert outcome.seconds < 5


def test_a_page_answers_a_selector_once(monkeypatch):
    page = Page.of(HTML)
    verdict = PLAIN.judge(page)
    first = apply_rules(page, verdict, "#a p", "li")
    monkeypatch.setattr(Matcher, "_match", None)
    assert apply_rules(page, verdict, "#a p", "li").kept == first.kept


def test_a_selector_that_is_late_is_a_page_that_is_late(monkeypatch):
    choice = changed(Choice(algorithms=("density",)), {"keep": "p"})
    monkeypatch.setattr(Matcher, "_match", lambda *_: time.sleep(0.2) or check())
    outcome = extract_page(Job(HTML, "", choice, Limits(timeout=0.1)))
    assert outcome.kind == "timed_out"


def test_what_is_removed_takes_its_images_along():
    words = "It was a fine day in the harbour. " * 5
    page = Page.of(
        f"<article><p>{words}</p><figure><img src=/a.png><figcaption>A</figcaption>"
        f"</figure><p>{words}</p><figure class=ad><img src=/b.png><figcaption>B"
        f"</figcaption></figure><p>{words} <img class=ad src=/c.png> {words}</p>"
        f"<div class=ad><b><video src=/d.mp4></video></b></div><p>{words}</p></article>",
        "http://example.com/",
    )
    result = run(get_algorithm("eatext"), page, rules=("", ".ad"))
    lines = result.markdown.split("\n\n")
    assert [line for line in lines if "fine" not in line] == [
        "![](http://example.com/a.png)",
        "A",
    ]
    assert not any(f"/{name}" in result.html for name in "bcd")
    result = run(get_algorithm("eatext"), page, rules=("", "figcaption"))
    assert result.markdown.count("![](") == 3
    assert not {"A", "B"} & set(result.markdown.split("\n\n"))
