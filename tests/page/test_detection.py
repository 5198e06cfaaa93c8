"""Encodings of pages that declare none."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from scrapy_eatext import extract
from scrapy_eatext.page import Page
from scrapy_eatext.page.decode import decode, text_of
from scrapy_eatext.page.detection import detected
from tests.support.passages import PROSE

URL = "http://example.com/"
LATIN = ["da", "de", "es", "fi", "fr", "it", "nl", "pt", "sv"]
CENTRAL = ["cs", "hu", "pl", "ro"]
CASES = [
    *((language, "cp1252") for language in LATIN),
    *((language, name) for language in CENTRAL for name in ("cp1250", "iso8859-2")),
    ("tr", "cp1254"),
    ("el", "cp1253"),
    ("he", "cp1255"),
    ("ar", "cp1256"),
    *((language, "cp1251") for language in ("bg", "ru", "uk")),
    ("ru", "koi8-r"),
    ("uk", "koi8-u"),
]
LITHUANIAN = (
    "Senasis tiltas per upę vakar vėl buvo atidarytas, kai darbininkai kelis mėnesius jį "
    "taisė. Žmonės džiaugėsi, kad galės vėl eiti į mišką ir į kitą miestelio pusę."
)


def undeclared(text: str, encoding: str, times: int = 5) -> bytes:
    return (f"<p>{text}</p>" * times).encode(encoding, "ignore")


@pytest.mark.parametrize(("language", "encoding"), CASES)
def test_the_letters_show_the_encoding(language, encoding):
    body = undeclared(PROSE[language], encoding)
    html = body.decode(encoding)
    assert decode(body)[1] == html
    # Scrapy's own guess, which may be another one, is not used.
    response = HtmlResponse(URL, body=body)
    assert Page.of(response).html == text_of(response) == html


@pytest.mark.parametrize(
    ("language", "encoding", "start", "end"),
    [
        *(("ru", "koi8-r", start, start + 40) for start in range(63, 92, 7)),
        ("el", "cp1253", 31, 231),
        ("he", "cp1255", 0, 60),
        ("he", "cp1255", 93, 293),
    ],
)
def test_a_few_words_show_the_encoding(language, encoding, start, end):
    body = undeclared(PROSE[language][start:end], encoding, 1)
    assert body.decode(detected(body)) == body.decode(encoding)


def test_lithuanian():
    body = undeclared(LITHUANIAN, "cp1257")
    assert detected(body) == "cp1257"


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize(
    "text",
    [
        "The boat – “Kea” – costs 5 €, says Zoë’s café.",
        "It’s here",
        "Łódź, 3 µm",
        "El Niño",
    ],
)
def test_few_signs_are_those_of_most_pages(text, times):
    body = undeclared(PROSE["en"], "ascii") + undeclared(text, "cp1252", times)
    assert body.decode(detected(body)) == body.decode("cp1252")


@pytest.mark.parametrize(("language", "encoding"), [("fr", "cp1252"), ("ru", "cp1251")])
def test_text_far_behind_the_beginning_counts(language, encoding):
    for comment in (b"", b"// \xe9\xe8"):
        head = b"<script>" + b"var x = 'no text'; " * 9000 + comment + b"</script>"
        body = head + undeclared(PROSE[language], encoding)
        assert PROSE[language] in extract(body, algorithm="density").text


def test_names_from_abroad_change_nothing():
    body = undeclared(PROSE["pl"] * 5 + " Zürich, ", "cp1250")
    assert detected(body) == "cp1250"
    body = undeclared(PROSE["fr"] + " Škoda, Žižek", "cp1252")
    assert detected(body) == "cp1252"


@pytest.mark.parametrize(("language", "encoding"), [("fr", "cp1252"), ("ru", "cp1251")])
@pytest.mark.parametrize("declared", ["utf-8", "as it is", ""])
def test_what_declares_utf_8_and_is_not(language, encoding, declared):
    charset = encoding if declared == "as it is" else declared
    meta = f"<meta charset={charset}>".encode() if charset else b""
    body = meta + undeclared(PROSE[language], encoding)
    html = body.decode(encoding)
    header = {} if declared == "utf-8" else {"Content-Type": "text/html; charset=utf-8"}
    response = HtmlResponse(URL, body=body, headers=header)
    assert response.encoding == "utf-8"
    assert Page.of(response).html == text_of(response) == html
    # A few wrong bytes are not the page's.
    body = b"<meta charset=utf-8>" + undeclared(PROSE[language], "utf-8") + b"\xe9 "
    for page in (body, HtmlResponse(URL, body=body)):
        assert PROSE[language] in Page.of(page).html


@pytest.mark.parametrize("declared", [b"", b"<meta charset=utf-8>", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    ("text", "wrong"), [(PROSE["ru"], b"\xe9"), ("“", b"\xe2\x80")]
)
def test_nearly_utf_8(declared, text, wrong):
    """As where a description is cut off inside a character."""
    body = declared + b'<meta content="' + wrong + b'">' + undeclared(text, "utf-8", 1)
    for page in (body, HtmlResponse(URL, body=body)):
        assert text in Page.of(page).html
    body = declared + b"<p>caf\xe9 \xe8</p>"
    response = HtmlResponse(URL, body=body)
    assert Page.of(response).html == Page.of(body).html == text_of(response)
    assert "café" in text_of(response)
