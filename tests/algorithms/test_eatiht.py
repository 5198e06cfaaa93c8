from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lxml import html

from scrapy_eatext import extract
from scrapy_eatext.algorithms import eatiht, get_algorithm
from scrapy_eatext.algorithms.eatiht import (
    PageError,
    count_sentences,
    read,
    split_sentences,
)
from scrapy_eatext.page import Page
from scrapy_eatext.rendering import run
from tests.support.pages import any_pages
from tests.support.passages import PROSE, UNSPACED_PROSE
from tests.support.suites import values_of

ENGLISH = PROSE["en"]
FIRST, SECOND, THIRD = (
    "The river was high that year.",
    "Nobody had seen the like before!",
    "Would it come over the wall?",
)


def is_as_defined(source, version):
    """Whether the reference mode gives what the definition does.

    Of an empty shell extract() gives no text, whatever the algorithm.
    """
    options = {"version": version, "reference": True}
    found = extract(source, algorithm="eatiht", options=options)
    assume(found.origin != "shell")
    return found.text == by_definition(source, version)


def text_of(source, version=1, reference=False, **options):
    options |= {"version": version, "reference": reference}
    return extract(source, algorithm="eatiht", options=options).text


# --- the original, from its definition ----------------------------------------


def by_definition(source, version):
    """The original by XPath and paths as strings, as it is specified; "" if it fails."""
    parser = html.HTMLParser(encoding="utf-8", remove_blank_text=True)
    tree = html.parse(BytesIO(source.encode("utf-8", "replace")), parser=parser)
    tags = ["script", "style", "i", "b", "strong", "span", "a"]
    tags += ["noscript"] if version == 2 else []
    passed_over = " or ".join(f"self::{tag}" for tag in tags)
    selected = tree.xpath(
        f"//body//*[not({passed_over})]/text()[string-length(normalize-space()) > 20]/.."
    )
    pieces, histogram = [], {}
    for element in selected:
        path = tree.getpath(element)
        texts = element.xpath(".//text()")
        if version == 1:
            joined = eatiht._BRACKETED_DIGITS.sub("", "".join(texts))
            for i, sentence in enumerate(split_sentences(joined)):
                if sentence.endswith((".", '"', "?", "!", "'")):
                    pieces.append((sentence if i else "\n\n" + sentence, path, True))
        else:
            pieces.append((texts, path, None))
    if version == 2 and pieces:
        total = 0
        for texts, _, _ in pieces:
            total += sum(map(len, texts)) / len(texts)
        mean = total / len(pieces)
        pieces = [("".join(t), p, sum(map(len, t)) > mean) for t, p, _ in pieces]
    for _, path, counted in pieces:
        if counted:
            key = path.rpartition("/")[0]
            histogram[key] = histogram.get(key, 0) + 1
    if not histogram or (version == 2 and tree.getroot().find(".//title") is None):
        return ""
    top = max(histogram, key=histogram.__getitem__)
    found = [text for text, path, _ in pieces if top in path]
    return " ".join(found)[2:] if version == 1 else "\n\n".join(found)


PARTS = [
    f"<p>{FIRST}</p>",
    f"<p>{FIRST} {SECOND} {THIRD}</p>",
    f"<div>{SECOND} <p>{FIRST}</p> {THIRD} and more</div>",
    f"<ul><li>{FIRST}<li>{SECOND}</ul>",
    f"<em>{SECOND} {THIRD}</em> {FIRST}",
    f"<p>By <b>{FIRST}</b> and <span>{SECOND}</span> it stood.</p>",
    f"<noscript>{FIRST} {SECOND}</noscript>",
    "<script>var x = 'a sentence in a script.';</script>",
    "<div>A long text before a script <script>var y = 1.</script></div>",
    "<p>This text does not end as sentences do</p>",
    "<p>Short one.</p>",
    f"<s><p>{FIRST}</p></s>",
    f"<section><p>{SECOND}</p></section>",
    f"<main><p>{FIRST}</p></main><mainx><p>{THIRD}</p></mainx>",
    "<p>He said it in [12] the third[] of the books[3].</p>",
    "<p>Dr. Jones and Mrs. Smith came along. They sat down.\n  They ate.</p>",
    f"<!-- c --><p>{FIRST}<!-- c -->{SECOND}</p><?pi?>",
    "<title>A title</title>",
]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=12).map("".join))
@pytest.mark.parametrize("version", [1, 2])
def test_reference_is_the_definition_on_made_pages(version, source):
    source = f"<html><body>{source}</body></html>"
    assert is_as_defined(source, version)


@given(any_pages())
@pytest.mark.parametrize("version", [1, 2])
def test_reference_is_the_definition_on_any_page(version, source):
    source = f"<html><body>{source}"
    assert is_as_defined(source, version)


@pytest.mark.parametrize(("text", "parts"), values_of("tables/split_sentences.txt"))
def test_split_sentences(text, parts):
    assert split_sentences(text) == parts


@pytest.mark.parametrize(("options", "page", "text"), values_of("tables/eatiht.txt"))
def test_worked_examples(options, page, text):
    said = {"a": FIRST, "b": SECOND, "c": THIRD, "d": ENGLISH}
    assert text_of(page.format(**said), **options) == text.format(**said)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "empty|parsed"),
        (b"<p>Short one.</p>", "no text counts"),
        (b"\xff\xfe\xfd", "parsed|counts|empty"),
    ],
)
def test_pages_that_the_original_fails_on(body, why):
    with pytest.raises(PageError, match=why):
        read(body, 1, 20)
    options = {"reference": True}
    result = extract(body, algorithm="eatiht", options=options, blocks=True)
    assert (result.text, result.blocks, result.score) == ("", (), 0.0)


def test_reference_encodings(monkeypatch):
    body = f"<body><p>Caf\xe9 {FIRST} {ENGLISH}</p></body>".encode()
    expected = text_of(body.decode(), reference=True)
    assert "Café" in expected
    monkeypatch.setattr(eatiht, "detect", None)
    assert text_of(body, reference=True) == expected
    monkeypatch.setattr(eatiht, "detect", lambda body: {"encoding": "cp1252"})
    assert "CafÃ©" in text_of(body, reference=True)
    monkeypatch.setattr(eatiht, "detect", lambda body: {"encoding": "no-such"})
    assert text_of(body, reference=True) == ""


def test_reference_with_chardet():
    chardet = pytest.importorskip("chardet")
    body = f"<body><p>{PROSE['ru']}</p></body>".encode("windows-1251")
    assert chardet.detect(body)["encoding"].lower() == "windows-1251"
    assert PROSE["ru"][:50] in text_of(body, reference=True)


def test_reference_units():
    page = f"<body><div><p>{FIRST} {SECOND}</p></div><p>{THIRD}</p></body>"
    options = {"reference": True}
    result = extract(page, algorithm="eatiht", options=options, blocks=True)
    assert [(b.text, b.kind, b.xpath, b.kept, b.score) for b in result.blocks] == [
        (FIRST, "sentence", "/html[1]/body[1]/div[1]/p[1]", True, 1.0),
        (SECOND, "sentence", "/html[1]/body[1]/div[1]/p[1]", True, 1.0),
        (THIRD, "sentence", "/html[1]/body[1]/p[1]", False, 0.5),
    ]
    options["version"] = 2
    page = f"<title>T</title>{page}"
    result = extract(page, algorithm="eatiht", options=options, blocks=True)
    assert {block.kind for block in result.blocks} == {"paragraph"}


def test_text_nested_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(eatiht, "_MOST", 5_000)
    page = f"<body>{f'<div>{FIRST}' * 20}</body>"
    with pytest.raises(PageError, match="nested"):
        read(page, 1, 20)


# --- on the page's blocks -----------------------------------------------------


@pytest.mark.parametrize("code", [*PROSE, *UNSPACED_PROSE])
@pytest.mark.parametrize("version", [1, 2])
def test_prose_in_many_languages(code, version):
    prose = (PROSE | UNSPACED_PROSE)[code]
    page = f"<ul><li>ABC<li>DEF</ul><main><p>{prose}</p><p>{prose}</p></main>"
    assert text_of(page, version) == f"{prose}\n\n{prose}"


@pytest.mark.parametrize(("text", "sentences"), values_of("tables/sentences.txt"))
def test_count_sentences(text, sentences):
    assert count_sentences(text) == sentences


def test_scores_and_reasons():
    page = (
        f"<main><p>{FIRST} {SECOND}</p><h2>Heading</h2><p>{THIRD}</p></main>"
        f"<div><p>{FIRST}</p></div>"
    )
    result = extract(page, algorithm="eatiht", blocks=True)
    assert [(b.kept, b.score, b.reason) for b in result.blocks] == [
        (True, 1.0, "among most sentences"),
        (False, 0.0, "no sentence"),
        (True, 1.0, "among most sentences"),
        (False, pytest.approx(1 / 3), "elsewhere"),
    ]
    # Three of four sentences are inside, and three are few.
    assert result.score == pytest.approx(3 / 4 * 3 / 7)


def test_text_right_under_the_root_has_no_parent():
    root = html.fragment_fromstring(f"<div>{FIRST} <i>{SECOND}</i></div>")
    result = run(get_algorithm("eatiht"), Page(root))
    assert result.text == f"{FIRST} {SECOND}"
