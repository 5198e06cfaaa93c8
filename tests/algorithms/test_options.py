"""Options of algorithms that are wrong."""

from __future__ import annotations

import re

import pytest

from scrapy_eatext.algorithms import OptionError, get_algorithm
from tests.support.suites import values_of


@pytest.mark.parametrize(
    ("algorithm", "options"), values_of("tables/wrong_options.txt")
)
def test_a_wrong_option_is_named_with_its_value(algorithm, options):
    name, value = next(iter(options.items()))
    with pytest.raises(
        OptionError, match=f"^{name} is {re.escape(repr(value))}, it must"
    ):
        get_algorithm(algorithm, options)
