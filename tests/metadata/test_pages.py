"""Small pages and the metadata that must be read of each.

They are in tests/metadata/, as suites.py reads them.  The output is fields of Metadata,
one a line, as `field: value`; of lists the values stand with commas between them.  The
page is at https://news.example.com/boats.
"""

from __future__ import annotations

from dataclasses import asdict

import pytest

from scrapy_eatext.metadata import read_metadata
from scrapy_eatext.page import Page
from tests.support.suites import cases

URL = "https://news.example.com/boats"


CASES = [
    pytest.param(case.source, fields, id=case.id)
    for case in cases("metadata")
    for _, fields in case.outputs
]


def shown(value):
    if isinstance(value, dict):
        return " ".join(f"{key}={part}" for key, part in value.items() if part)
    return ", ".join(map(shown, value)) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize(("source", "fields"), CASES)
def test_what_is_read_of_a_page(source, fields):
    lines = (line.split(":", 1) for line in fields.splitlines())
    wanted = {field: value.strip() for field, value in lines}
    found = asdict(read_metadata(Page.of(source, URL)))
    assert {field: shown(found[field]) for field in wanted} == wanted
