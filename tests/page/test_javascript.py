"""Values in JavaScript, of any kind and with any errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.page.javascript import values_of


@pytest.mark.parametrize(
    ("script", "values"),
    [
        ('var a = {"b": [1, "c"]};', {"a": {"b": [1, "c"]}}),
        (
            "a.b = {c: 'd', e: undefined, 'f': `g`}",
            {"b": {"c": "d", "e": "undefined", "f": "g"}},
        ),
        (r"a = 'it\'s \x3cp\x3e \"\u00e9\"'", {"a": 'it\'s <p> "é"'}),
        ("a = new Date(5); b = f('c')", {"a": ["5"], "b": ["c"]}),
        ("a = 'b'.slice(1, 2)", {"a": "b"}),
        ("(function(a,b){c={d:a,e:b}}(void 0,'x'))", None),
        ("/* it's */ a = /['\"]/; // don't\nb = 'c'", {"b": "c"}),
        ("a = 'b\nc = 'd'", {"a": "", "c": "d"}),
        ("}])", {}),
    ],
)
def test_values(script, values):
    read = values_of(script)
    if values is None:
        values = {"c": {"d": "0", "e": "x"}}
        read = read[""][0][1]
    assert {name: value for name, value in read.items() if name} == values


@given(st.text(alphabet="ab\"'`\\/*[]{}():,;=x0 \n\ud800", max_size=40))
def test_any_script_is_read(script):
    assert isinstance(values_of(script), dict)


@pytest.mark.parametrize(
    "part", ["'\\", '\\"', "[", "{", "[{(", "(a)", "=/[", "/*", "{a:"]
)
def test_time_is_linear(part):
    values_of(part * (500_000 // len(part)))
