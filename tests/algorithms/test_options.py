"""Options of algorithms that are wrong."""

from __future__ import annotations

import re

import pytest

from scrapy_eatext.algorithms import OptionError, get_algorithm

# The first option of each is wrong.
WRONG = {
    "density": [
        {"threshold": "median"},
        {"threshold": 2},
        {"min_chars": 0.5},
        {"lines": "all"},
    ],
    "dragnet": [
        {"features": name} for name in ("", "cetr+", "everything", "auto+cetr")
    ],
    "eatext": [
        {"favor": "speed"},
        {"threshold": 2},
        {"comments": 1},
        {"reference": True},
    ],
    "eatiht": [{"version": 3}, {"version": "1"}, {"min_length": -1}, {"length": 1}],
    "justext": [
        {"language": "Klingon"},
        {"language": "Hausa", "reference": True},
        {"language": 3},
        {"length_low": -1},
        {"stopwords_low": 1.5},
        {"max_link_density": "all"},
        {"no_headings": 1},
        {"stoplist": "x"},
    ],
    "ngram": [{"model": 3}, {"min_chars": -1}],
    "perceptron": [
        {"network": "deep"},
        {"lines": 0},
        {"attributes": 4},
        {"threshold": "stddev"},
    ],
}


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [(name, options) for name, rows in WRONG.items() for options in rows],
)
def test_a_wrong_option_is_named_with_its_value(algorithm, options):
    name, value = next(iter(options.items()))
    with pytest.raises(
        OptionError, match=f"^{name} is {re.escape(repr(value))}, it must"
    ):
        get_algorithm(algorithm, options)
