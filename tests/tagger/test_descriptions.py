"""What is read of what a page says of its text."""

from __future__ import annotations

import pytest

from scrapy_eatext.page import Page
from scrapy_eatext.page.head import canonical_of, head_of
from scrapy_eatext.tagger.descriptions import SEEN, described_walk, descriptions_of
from tests.support.suites import values_of

URL = "https://rye.example/loaves/rye%20bread?page=2"


def descriptions(head: str, url: str | None = None) -> list[str]:
    page = Page.of(f"<html><head>{head}</head><body><p>Rye</p></body></html>", url)
    return [text.decode() for text in descriptions_of(page)]


@pytest.mark.parametrize(
    ("head", "place", "said"), values_of("tables/descriptions.txt")
)
def test_what_is_said(head: str, place: int, said: str) -> None:
    assert descriptions(head)[place] == said


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (URL, "loaves/rye bread"),
        ("https://rye.example/rye#oat", "rye"),
        ("https://rye.example", ""),
        ("https://[/rye", "rye"),
        ("https://rye.example/%ff", "\ufffd"),
    ],
)
def test_the_address_is_what_was_asked_for(url: str, path: str) -> None:
    assert descriptions("<link rel=canonical href=/other>", url)[3] == path


@pytest.mark.parametrize(
    "head",
    [
        "<link href=/none><link rel=canonical><link rel='A Canonical' href=/rye>",
        "<link rel=canonical href=''><link rel=canonical href=/rye>",
        f"<link rel=canonical href=/{'r' * 9999}><link rel=canonical href=/rye>",
        f"<link rel='{'a ' * 200} canonical' href=/oat>",
        "<p><link rel=canonical href=/rye><link rel=canonical href=/oat>",
        "<link rel=canonicals href=/rye>",
    ],
)
def test_the_canonical_address_is_the_heads(head: str) -> None:
    root = Page.of(f"<html><head>{head}</head><body><p>Rye</p></body></html>").root
    assert canonical_of(root) == head_of(root).links.get("canonical", "")


def test_bounds() -> None:
    assert descriptions("") == ["", "", "", ""]
    long = "汉" * 10_000
    head = f"<title>{long}</title><meta name=description content={long}>"
    lengths = map(len, descriptions(head, f"https://rye.example/{long}"))
    assert list(lengths) == [SEEN, 0, SEEN, SEEN]


def test_the_walk_of_a_page_is_shared() -> None:
    page = Page.of("<title>Rye</title><p>Rye", URL)
    walk = described_walk(page)
    assert walk.descriptions[0] == b"Rye"
    assert walk.blocks is page.blocks.walk.blocks
    assert page.blocks.walk.descriptions == ()
