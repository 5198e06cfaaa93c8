"""Bytes that are UTF-8 go to the parser as they are, with the same result."""

from __future__ import annotations

import encodings
import pkgutil
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector
from scrapy.http import HtmlResponse, TextResponse, XmlResponse

from scrapy_eatext import extract
from scrapy_eatext.page import Page
from scrapy_eatext.page.decode import (
    corrected,
    decode,
    is_utf8,
    python_is_utf8,
    text_of,
    utf8_of,
)
from scrapy_eatext.page.parsing import encode, parse, trim
from tests.support.hostile import every_page
from tests.support.pages import any_pages
from tests.support.passages import PROSE, UNSPACED_PROSE

URL = "https://example.com/"
TWINS = {python_is_utf8, is_utf8}
# The first and the last character of each length in UTF-8, and bytes like them.
PIECES = "a \x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"
BYTES = [
    *map(str.encode, PIECES),
    *b"\x80 \xbf \xc0\x80 \xc1\xbf \xe0\x9f\xbf \xed\xa0\x80 \xef\xbf".split(b" "),
    *b"\xf0\x8f\xbf\xbf|\xf0\x90\x80|\xf4\x90\x80\x80|\xf5\x80\x80\x80|\xff".split(
        b"|"
    ),
]


@given(
    st.lists(
        st.sampled_from([b"a" * 31, b"a" * 32, b"a" * 33, *BYTES])
        | st.text().map(lambda text: text.encode("utf-8", "replace"))
        | st.binary()
    ).map(b"".join)
)
def test_twins_agree(source):
    assert len({twin(source) for twin in TWINS}) == 1


def test_every_character():
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)])).encode()
    assert all(twin(text) for twin in TWINS)
    # Each piece in the middle of a stride, whole and cut.
    for piece in BYTES:
        for source in (piece + b"a" * 40, piece[:-1]):
            assert len({twin(b"a" * 30 + source) for twin in TWINS}) == 1


def check(body: bytes) -> None:
    """The page is the one that its decoded text makes."""
    page, text = Page.of(body), decode(body)[1]
    assert page.html == text
    assert page.body is body
    assert etree.tostring(page.root) == etree.tostring(parse(text))
    source = utf8_of(body)
    assert source is None or trim(source) == encode(text)


@pytest.mark.parametrize("name", sorted(every_page(0)))
def test_hostile_bytes(name):
    page = every_page(3000)[name]
    check(page if isinstance(page, bytes) else page.encode("utf-8", "replace"))


@given(
    any_pages(),
    st.sampled_from(["", "<meta charset=utf-8>", "<meta charset=latin-1>"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)
def test_pages_as_bytes(html, declared, encoding):
    check((declared + html).encode(encoding, "replace"))


# What declarations are made of: in some order they declare nothing, UTF-8 or another
# encoding, in which the page has a different text.
OF_DECLARATIONS = [
    *"< > / = ; ' \" \xa0 <!-- --> meta body <?xml charset encoding content".split(" "),
    "\n",
    *"CharSet utf-8 UTF-8 utf-8x utf8 latin1 shift_jis text/html http-equiv".split(),
    *('charset="utf-8"', 'encoding="utf-8"', "<meta ", "content-type", " ", "x" * 4000),
]


@given(st.lists(st.sampled_from(OF_DECLARATIONS), max_size=30).map("".join))
@example("<meta charset=utf-8x><meta charset=shift_jis>")
@example("<meta data-charset=utf-8 charset = shift_jis>")
@example('<?xml version="1.0" encoding="shift_jis"?>')
@example('<META HTTP-EQUIV="Content-Type" CONTENT="text/html; CharSet=shift_jis">')
def test_no_declaration_is_overlooked(declared):
    check(f"{declared}<p>\\~ é".encode())


@pytest.mark.parametrize(
    ("body", "source"),
    [
        (b"", b""),
        (b"\xef\xbb\xbf <p>\xc3\xa9</p>\n", b"<p>\xc3\xa9</p>"),
        (b"\x1c\x1f\v<p>\0a\0</p>\f\0", b"<p>a</p>\x0c"),
        ("\u3000<p>a</p>\xa0\u2028".encode(), b"<p>a</p>"),
        ("\u3000 \0é".encode(), "é".encode()),
        (b"<meta charset=latin-1>a", None),
        (b"<p>\xe9</p>", None),
        ("<p>a".encode("utf-16"), None),
    ],
)
def test_the_source_that_the_parser_gets(body, source):
    found = utf8_of(body)
    assert (found if found is None else trim(found)) == source
    check(body)


def check_response(response: HtmlResponse) -> Page:
    """The page of a response is the one that its text makes."""
    page = Page.of(response)
    assert (page.body, page.html) == (response.body, response.text)
    assert page.source == response.text.encode()
    assert etree.tostring(page.root) == etree.tostring(parse(response.text))
    return page


MANY = "<p>text</p>" * 3000


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", None])
@pytest.mark.parametrize("source", ["<p>é</p>", "\ufeff<p>é</p>", "<p>\0é</p>", ""])
def test_responses(encoding, source):
    for html in (source, source + MANY):
        body = html.encode(encoding or "utf-8", "replace")
        check_response(HtmlResponse(URL, body=body, encoding=encoding))
    assert len(Page.of(TextResponse(URL)).blocks) == 0


@pytest.mark.parametrize(
    ("header", "body", "as_it_is"),
    [
        ("utf-8", "<meta charset=latin-1><p>é</p>".encode(), True),
        ("utf-8", "<meta charset=latin-1><p>éé".encode() + b"\xe9</p>", False),
        ("latin-1", "<meta charset=utf-8><p>É®</p>".encode("latin-1"), False),
        ("latin-1", "\ufeff<p>é</p>".encode(), True),
        ("utf-8", "\ufeff<p>é</p>".encode("utf-16-le"), False),
    ],
)
def test_the_encoding_of_a_response_counts(header, body, as_it_is):
    for html in (body, body + (MANY.encode() if b"\0" not in body else b"")):
        response = as_response(html, header, "header")
        check_response(response)
        assert (utf8_of(html, response.encoding) is not None) == as_it_is


CODECS = sorted(
    {module.name for module in pkgutil.iter_modules(encodings.__path__)}
    | {"idna", "punycode", "rot13", "hex", "unicode_escape", "raw_unicode_escape"}
)
HEAD = '<html><head><meta charset="{}"><title>x-y</title></head>'


def as_response(body: bytes, name: str, where: str) -> HtmlResponse:
    """A response whose header or page declares the encoding."""
    headers = (
        {"Content-Type": f"text/html; charset={name}"} if where == "header" else {}
    )
    return HtmlResponse(URL, body=body, headers=headers)


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("where", ["header", "page"])
def test_any_codec_that_a_page_names(name, where):
    text = f"Boats +AGE- \\x41\\u0041 on the river <b>~</b> {PROSE['en']}"
    body = f"{HEAD.format(name if where == 'page' else '')}<p>{text}</p>".encode()
    response = as_response(body, name, where)
    for html in (body, response) if where == "page" else (response,):
        found = extract(html, algorithm="density").text
        # In some encodings for Japanese a yen sign has the place of the backslash.
        assert "\\x41\\u0041 on the river" in found.replace("\xa5", "\\")
        assert PROSE["en"] in found
    assert PROSE["en"] in text_of(response)


def test_a_declaration_in_ascii_is_not_utf_16():
    for name in ("utf-16", "utf-16le", "utf-32"):
        body = f"{HEAD.format(name)}<p>{PROSE['en']}</p>".encode()
        for html in (body, as_response(body, name, "header")):
            assert extract(html, algorithm="density").text == PROSE["en"]
    for order in ("be", "le"):
        body = f"<p>{PROSE['en']}</p>".encode(f"utf-16-{order}")
        response = as_response(body, "utf-16", "header")
        assert extract(response, algorithm="density").text == PROSE["en"]
        # Scrapy reads it as big-endian.
        assert (Page.of(response).root is response.selector.root) == (order == "be")


@pytest.mark.parametrize("more", ["Z\xfcrich", "a\xf1o", "a\xa0b", "a \xa0 b"])
def test_no_encoding_that_browsers_do_not_know_is_guessed(more):
    html = f"<p>{PROSE['en']}</p>" * 5 + f"<p>{more}</p>"
    response = HtmlResponse(URL, body=html.encode("cp1252"))
    assert html == text_of(response) == Page.of(response).html
    # A declared one counts.
    response = as_response(b"<p>\x81</p>", "cp775", "header")
    assert Page.of(response).html == text_of(response) == "<p>\xfc</p>"


@pytest.mark.parametrize("declared", ["", "<meta charset=x-sjis>"])
def test_escapes_of_iso_2022_jp(declared):
    text = "<p>港は春に再建された。</p>"
    body = (declared + text).encode("iso-2022-jp")
    for html in (body, HtmlResponse(URL, body=body)):
        assert Page.of(html).html == declared + text


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("x-mac-roman", "« Café » – naïve"),
        ("X-Mac-Cyrillic", "Гавань"),
        ("iso-8859-8-i", "נמל"),
        ("x-utf-8", "Café"),
        ("x-rot13", "Café"),
    ],
)
def test_labels_that_browsers_know(label, text):
    encoding = re.sub(r"(?i)^x-(utf-8|rot13)$", "cp1252", label)
    body = f"<meta content='a; charset={label}'>".encode()
    body += text.encode(re.sub("(?i)^x-|-i$", "", encoding))
    for html in (body, HtmlResponse(URL, body=body)):
        assert Page.of(html).html.endswith(text)


def test_what_scrapy_guesses_nothing_for():
    body = f"<p>{PROSE['ru']}</p>".encode() * 9 + b"<p>cut \xe9</p>"
    response = HtmlResponse(URL, body=body)
    response._cached_benc = "ascii"  # as since Scrapy 2.18
    assert PROSE["ru"] in Page.of(response).html


OTHERS = {
    "zh": ("gb2312", "gbk", "gb18030", "big5"),
    "ja": ("shift_jis", "euc-jp"),
    "ko": ("euc-kr",),
    "ru": ("windows-1251", "koi8-r", "iso-8859-5"),
    "de": ("iso-8859-1", "windows-1252", "iso-8859-15"),
    "fr": ("iso-8859-1", "windows-1252"),
}
TEXTS = {
    **PROSE,
    "zh": "河上的老橋，昨天再次開放。中文文章有很多字。",
    "ja": "川にかかる古い橋が昨日ふたたび開通した。",
    "ko": "강 위의 오래된 다리가 어제 다시 열렸다.",
    "fr": "L\u2019été où l\u2019on a vu les forêts brûler, à côté du château.",
    "de": "Größe ist überall schön für Möwen, die übers Meer zögen.",
}
CASES = [(lang, name) for lang, names in OTHERS.items() for name in names]


@pytest.mark.parametrize("where", ["header", "page"])
@pytest.mark.parametrize(("lang", "name"), CASES)
def test_utf_8_that_declares_another_encoding(lang, name, where):
    text = TEXTS[lang]
    html = f"{HEAD.format(name if where == 'page' else '')}<p>{text}</p>"
    for many in ("", MANY):
        body = (html + many).encode()
        response = as_response(body, name, where)
        assert corrected(response) is not None
        assert text_of(response) == body.decode()
        for page in [Page.of(response), *([Page.of(body)] if where == "page" else [])]:
            assert page.html == body.decode()
            assert page.source == body
            assert page.blocks.text(0) == text
        # The response's own text is as Scrapy decodes it.
        assert text not in response.text
        assert Page.of(response).root is not response.selector.root
        # A page may be cut off within a character.
        assert text in Page.of(body + "é".encode()[:1]).html or where == "header"


@pytest.mark.parametrize("where", ["header", "page"])
@pytest.mark.parametrize(("lang", "name"), CASES)
def test_what_is_in_the_encoding_that_it_declares(lang, name, where):
    text = TEXTS[lang].encode(name, "ignore").decode(name)
    html = f"{HEAD.format(name if where == 'page' else '')}<p>{text}</p>"
    body = html.encode(name)
    response = as_response(body, name, where)
    assert corrected(response) is None
    page = Page.of(response)
    assert page.root is response.selector.root
    assert page.html == response.text
    if where == "page":
        check(body)
        assert Page.of(body).html == page.html
    # iso-8859-1 means windows-1252, in which some codes have another sign.
    if "iso" not in name:
        assert page.blocks.text(0) == text


def test_characters_that_are_utf_8_by_accident():
    for text in ("NESTLÉ® CAFÉ®, " * 2, "LIBERTÉ\xa0! " * 3, "ASCII alone", "CAFé"):
        body = f"{HEAD.format('iso-8859-1')}<p>{text}".encode("latin-1")
        body[:-1].decode()  # it may be read so
        assert text in Page.of(body).html


@pytest.mark.parametrize("text", ["One word,\xa0two", "It\u2019s here", "Búsqueda"])
@pytest.mark.parametrize("declared", ["us-ascii", "iso-8859-1", "iso-8859-15"])
def test_one_character_is_in_utf_8(text, declared):
    body = f"{HEAD.format(declared)}<p>{text}</p>".encode()
    assert Page.of(body).html == decode(body)[1] == body.decode()


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=15))
def test_chinese_is_never_taken_for_utf_8(text):
    body = HEAD.format("gbk").encode() + text.encode("gbk", "ignore")
    assert decode(body)[1] == body.decode("gbk")


def test_bytes_of_a_class_of_their_own():
    class Body(bytes):
        pass

    for source in (b"\n<p>text</p>", b"<p>\xe9</p>", b"<p>text</p>" * 5000):
        page, expected = Page.of(Body(source)), Page.of(source)
        assert etree.tostring(page.root) == etree.tostring(expected.root)
        response = HtmlResponse(URL, body=Body(source))
        assert type(page.body) is type(Page.of(response).body) is bytes


def test_half_surrogates_in_xml():
    # Some releases of libxml2 let them through, and lxml raises where they are read.
    source = (
        "<?xml version='1.0'?><html xml:lang='de'><head><title>Half &#xD800;</title>"
        f"</head><body><article><p title='&#xDC00;'>{PROSE['de']}&#xD800; "
        "<a href='/&#xDBFF;x'>Mehr</a></p></article></body></html>"
    )
    response = XmlResponse(URL, body=source.encode(), encoding="utf-8")
    part = Selector(source, type="xml").xpath("//article")[0]
    for html in (Selector(source, type="xml"), response, part):
        found = extract(html, url=URL)
        for text in (found.text, found.html, found.markdown):
            assert PROSE["de"] in text
        assert found.metadata.language == Page.of(html).language
    assert (Page.of(response).language, Page.of(part).title) == ("de", "")
    # A tree that can be read is taken as it is.
    whole = Selector(source.replace("&#x", "x"), type="xml")
    assert Page.of(whole).root is whole.root


@pytest.mark.parametrize("illegal", [0, 1, 5])
@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        ("zh", "gbk"),
        ("zh-Hant", "big5"),
        ("ja", "shift_jis"),
        ("ja", "euc_jp"),
        ("ko", "euc_kr"),
        ("ru", "cp1251"),
        ("pl", "cp1250"),
        ("ar", "cp1256"),
    ],
)
def test_a_few_illegal_bytes_do_not_hide_an_encoding(language, encoding, illegal):
    text = {**PROSE, **UNSPACED_PROSE}[language]
    whole = f"<title>{text[:9]}</title>" + f"<p>{text}</p>" * 12
    body = whole.encode(encoding, "ignore")
    body = body.replace(b"</p>", b"\xff</p>", illegal)
    found = decode(body)[1]
    known = set(body.decode(encoding, "ignore"))
    # The encodings of one language differ in a few signs.
    assert len(set(found) - known) <= 4 + illegal
