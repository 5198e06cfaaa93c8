"""Tests of characters that another program misread."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from scrapy_eatext import extract
from scrapy_eatext.page.misread import has_controls, python_has_controls
from tests.support.properties import both

FRENCH = "«\xa0Le café\xa0» de l’été, à l’É\xa0!"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Itâ\x80\x99s", "It’s"),
        ("Itâ€™s Zoëâ€\x9d", "It’s Zoë”"),
        (
            f"{FRENCH}: â\x80\x93Â\xa05Â°, Ã© \xf0\x9f\x98\x80 Ð–",
            f"{FRENCH}: – 5°, é 😀 Ð–",
        ),
        ("\x93Daddio\x92s\x94, É\x94\x85 \x81!", "“Daddio’s”, É”… !"),
        ("Ã¤ is an ä, â€ a quotation mark", "Ã¤ is an ä, â€ a quotation mark"),
        (FRENCH, FRENCH),
    ],
)
def test_misread_characters_are_read_again(text, right):
    html = f"<meta charset=utf-8><p>{text}</p>"
    body = html.encode()
    response = HtmlResponse("https://example.com", body=body, encoding="utf-8")
    for page in (html, body, response):
        (found,) = (block.text for block in extract(page, blocks=True).blocks)
        assert found.split() == right.split()


@pytest.mark.parametrize("has", both(python_has_controls, has_controls))
@pytest.mark.parametrize(
    ("text", "expected"),
    [("", False), ("a\xa0\xa9Ã©", False), ("\xa0\x80", True), ("a\x9fb", True)],
)
def test_control_characters_are_found(has, text, expected):
    assert has(text.encode() + b"\xc2") is expected
