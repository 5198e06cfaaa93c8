"""Values that a page gives: read whatever they are, and kept within bounds."""

from __future__ import annotations

from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.page.values import (
    BOUNDS,
    JSON,
    LONGEST,
    MOST_VALUES,
    bounded,
    different,
    primary_tag,
    shortened,
    unescaped,
)
from tests.support.properties import check_linear

MANY = "9" * 5000


OF_REFERENCES = [*"&# & x 00 65 1114112 128 ; amp é".split(), "0" * 20, " "]


@given(st.lists(st.sampled_from(OF_REFERENCES) | st.text(max_size=3)).map("".join))
def test_references_are_those_of_html(text):
    assert unescaped(text) == unescape(text)


def test_references_of_any_length():
    for text, meant in (
        (f"a&#{MANY};b", "a\ufffdb"),
        (f"a&#{MANY}b", "a\ufffdb"),
        (f"&#{'0' * 5000}65;", "A"),
        (f"&#{'0' * 5000};", "\ufffd"),
        (f"&#x{MANY};", "\ufffd"),
        (f"&amp;#{MANY};", f"&#{MANY};"),
    ):
        assert unescaped(text) == meant


@pytest.mark.parametrize("unit", ["&#0", "&#", "0", "&#9999999", "&"])
def test_references_in_linear_time(unit):
    check_linear(unescaped, lambda size: "&#" + unit * (size // len(unit)), 200_000)


@pytest.mark.parametrize("number", [MANY, f"-{MANY}", f"{MANY}.5", f"1e{MANY}"])
def test_json_with_numbers_of_any_length(number):
    found = JSON.decode(f'{{"id": {number}, "count": 12, "name": "Boats"}}')
    assert (found["count"], found["name"]) == (12, "Boats")


@given(st.text("ab \n\u3000\xe9"), st.integers(1, 30))
def test_a_text_is_cut_at_a_word(text, most):
    found = shortened(text, most)
    assert len(found) <= most
    words = " ".join(text.split())
    assert words.startswith(found)
    if len(words) <= most and len(text) <= most:
        assert found == words
    elif found and " " in found:
        # The last word is whole, unless white space has pushed its end out of reach.
        assert len(text) > 4 * most or words[len(found) :][:1] in ("", " ")


@pytest.mark.parametrize("field", BOUNDS)
def test_every_value_has_a_bound(field):
    most, cut = BOUNDS[field]
    assert bounded(field, "a" * most) == "a" * most
    assert bounded(field, "a\x01" * most) == "a" * most
    assert bounded(field, "a " * most) == ("a " * most)[:most].rstrip() * cut
    # A value that is left out if it is too long is never cut instead.
    assert most < LONGEST


def test_values_each_once():
    assert different("aba") == ["a", "b"]
    assert different(map(str, range(10**9))) == [str(i) for i in range(MOST_VALUES)]


TAGS = {
    "en-GB": "en",
    " DE_at ": "de",
    "fr, en": "fr",
    "en US": "en",
    "de_DE.UTF-8": "de",
    **dict.fromkeys(["{{lang}}", "<%= lang %>", "*", "x-default", "", "x" * 36], ""),
    "x" * 35: "x" * 35,
    "\u0130" * 1_000_000: "",
    " " * 1_000_000 + "en": "en",
    "en" + "-x" * 1_000_000: "en",
}


@pytest.mark.parametrize(("given", "tag"), TAGS.items())
def test_primary_tags(given, tag):
    assert primary_tag(given) == tag
