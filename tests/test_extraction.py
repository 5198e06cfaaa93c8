"""extract(): the same choices as the settings have, without a crawl."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import replace

import pytest
from scrapy.http import HtmlResponse

from scrapy_eatext import extract
from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.algorithms.base import Algorithm, OptionError, Options
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from tests.support.algorithms import Plain, Silent, choice
from tests.support.crawling import BROKEN, NOTHING, PLAIN
from tests.support.passages import PROSE
from tests.support.suites import values_of

HTML = "<p>One.</p><h1>Two</h1><p class=more>Three, and more.</p>"
ALL = "One.\n\nTwo\n\nThree, and more."
PARAGRAPHS = "One.\n\nThree, and more."


@pytest.mark.parametrize(
    ("given", "text", "name"),
    [
        *values_of("tables/choices.txt"),
        ({"algorithm": (Plain, NOTHING)}, PARAGRAPHS, "plain"),
        ({"algorithm": Plain}, PARAGRAPHS, "plain"),
    ],
)
def test_what_the_settings_can_do(given, text, name):
    found = extract(HTML, **given)
    assert (found.text, found.algorithm) == (text, name)
    # Settings and arguments are checked by the same code.
    assert len(extract(HTML, **given, blocks=True).computed["blocks"]) == 3


def test_binary_data_has_no_text():
    assert extract(b"%PDF-1.7\n1 0 obj <</Type /Catalog>> endobj").text == ""
    assert extract(HTML.encode("utf-16"), algorithm=Plain).text == PARAGRAPHS
    image = HtmlResponse("http://example.com/", body=b"\x89PNG\r\n\x1a\n\0\0" * 99)
    assert extract(image).text == ""
    wide = HtmlResponse(image.url, body=HTML.encode("utf-16-le"), encoding="utf-16-le")
    assert extract(wide, algorithm=Plain).text == PARAGRAPHS


def test_an_algorithm_that_fails_leaves_its_place_to_the_next(caplog):
    html = HTML + "<p>broken"
    assert extract(html, algorithm=[BROKEN, PLAIN]).algorithm == "plain"
    ((name, level, message),) = caplog.record_tuples
    assert (name, level) == ("scrapy_eatext.extraction", logging.WARNING)
    assert "failed with ZeroDivisionError" in message
    assert "a page broke it" in message
    with pytest.raises(ZeroDivisionError):
        extract(html, algorithm=BROKEN)


@pytest.mark.parametrize(("given", "said"), values_of("tables/wrong_choices.txt"))
def test_what_is_wrong_is_named(given, said):
    with pytest.raises(OptionError, match=said):
        extract(HTML, **given)


@pytest.mark.parametrize(
    ("algorithm", "options"), values_of("tables/wrong_options.txt")
)
def test_a_wrong_option_is_named_with_its_value(algorithm, options):
    name, value = next(iter(options.items()))
    said = f"^{name} is {re.escape(repr(value))}, it must"
    with pytest.raises(OptionError, match=said):
        get_algorithm(algorithm, options)


@pytest.mark.parametrize("name", ["Silent", "Unknowing", "Whole"])
def test_an_algorithm_that_does_not_say_how_sure_it_is_passes(name):
    asked = choice(name, min_score=1.0, below="empty")
    outcome = extract_page(Job(HTML, "", asked, Limits()))
    assert outcome.kind == "extracted"
    assert outcome.result.text
    assert outcome.result.score == 1.0
    assert type(outcome.result.score) is float


def test_nobody_is_sure_of_no_text():
    assert extract("", algorithm=Silent).score == 0.0
    assert extract(HTML, algorithm=NOTHING).score == 0.0
    broken = f"<p>{'broken ' * 20}"
    last_resort = extract_page(Job(broken, "", choice("Broken"), Limits()))
    assert last_resort.result.text
    assert last_resort.result.score == 0.0


@pytest.mark.parametrize(("lang", "code"), [("", "de"), (" lang=en", "en")])
def test_a_page_that_declares_no_language_has_that_of_its_text(lang, code):
    result = extract(f"<html{lang}><article><p>{PROSE['de']}</p></article>")
    assert result.language == code


class Odd(Plain):
    """Has numbers and reasons that are none."""

    name = "odd"

    def judge(self, page):
        verdict = super().judge(page)
        scores, reasons = [float("nan"), -1, 1e300], [b"x", None, "y"]
        return replace(verdict, score=7, scores=scores, reasons=reasons)


class Wordy(Odd):
    def judge(self, page):
        return "A text."


class Nameless(Algorithm):
    def judge(self, page):
        raise NotImplementedError


class Versionless(Nameless):
    name = "versionless"
    options_class = Options


def test_what_an_algorithm_of_ones_own_gives_is_checked():
    found = extract(HTML, algorithm=Odd)
    assert found.score == 1.0
    assert [block.score for block in found.blocks] == [0.0, 0.0, 1.0]
    json.dumps(found.as_dict(), allow_nan=False)
    with pytest.raises(TypeError, match="odd has no Verdict on the page, but a str"):
        extract(HTML, algorithm=Wordy)


@pytest.mark.parametrize(
    ("algorithm", "said"), [(Nameless, "has no name"), (Versionless, "with a version")]
)
def test_what_a_class_lacks_is_named(algorithm, said):
    with pytest.raises(OptionError, match=said):
        extract(HTML, algorithm=algorithm)
