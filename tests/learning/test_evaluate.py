"""Scores of extracted texts, and the readers of labelled pages."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.learning import DataError, need
from scrapy_eatext.learning.data import LabelledPage, contradictions, read_folder
from scrapy_eatext.learning.evaluate import Score, evaluate, segment_counts, word_score
from tests.support.labelled import write_own, write_page, write_segments


def test_word_score():
    # Of 4 words given, 3 are among the 6 wanted: "a" counts twice, not thrice.
    score = word_score("A a a b", "a, a b c d e")
    assert score == Score(0.75, 0.5, 0.6)
    for text, true, value in (("", "", 1), ("a", "", 0), ("", "a", 0), ("b", "a", 0)):
        assert word_score(text, true) == Score(value, value, value)


@given(st.text("ab c"), st.text("ab c"))
def test_scores_are_fair(text, true):
    score, back = word_score(text, true), word_score(true, text)
    assert 0 <= score.f1 <= 1
    assert score.f1 == pytest.approx(back.f1)
    assert word_score(text, text).f1 == 1


def page(name: str = "p", **fields: object) -> LabelledPage:
    return LabelledPage(name, Path("none"), **fields)  # type: ignore[arg-type]


def test_segments():
    one = page(wanted=("two  words", "missing"), unwanted=("menu", "two\nwords"))
    counts = segment_counts("here are two\n words", one)
    assert (counts.tp, counts.fn, counts.fp, counts.tn) == (1, 1, 1, 1)
    assert counts.score() == Score(0.5, 0.5, 0.5)
    found = evaluate(lambda page: "two words missing", [one, one])
    assert found.mean == Score(2 / 3, 1.0, pytest.approx(0.8))
    assert (found.pages, found.errors) == (2, {})


def test_evaluate_by_kind():
    pages = [
        page("1", kind="forum", text="a b"),
        page("2", kind="forum", text="c"),
        page("3", kind="article", text="a"),
    ]
    found = evaluate(lambda page: "a b", pages)
    assert found.kinds["forum"] == Score(0.5, 0.5, 0.5)
    assert found.kinds["article"].f1 == pytest.approx(2 / 3)
    assert found.mean.f1 == pytest.approx((1 + 0 + 2 / 3) / 3)
    assert found.figures()["kinds"]["forum"]["f1"] == 0.5


def test_an_extractor_that_raises_found_nothing():
    def extract(page):
        raise ValueError("no")

    found = evaluate(extract, [page(text="a"), page("q")])
    assert found.errors == {"p": "ValueError('no')", "q": "ValueError('no')"}
    assert found.mean.f1 == 0.5
    found = evaluate(extract, [page(wanted=("a",))])
    assert found.mean.f1 == 0
    assert set(found.errors) == {"p"}


@pytest.fixture
def wcxb(tmp_path):
    for name, kind in (("0002", "forum"), ("0001", "article")):
        truth = {
            "url": f"https://{name}.example.com/",
            "_internal": {"page_type": {"primary": kind}},
            "ground_truth": {"main_content": f"text {name}"},
        }
        write_page(tmp_path, name, "<p>text", truth)
    (tmp_path / "LICENSE").write_text("A licence\n\nSomebody\n\nand more\n")
    return tmp_path


def test_wcxb_layout(wcxb):
    data = read_folder(wcxb)
    assert [p.name for p in data.pages] == ["0001", "0002"]
    assert data.kinds() == {"article": 1, "forum": 1}
    assert (data.name, data.licence) == (wcxb.name, "A licence; Somebody")
    first = data.pages[0]
    assert (first.url, first.text) == ("https://0001.example.com/", "text 0001")
    assert first.html == b"<p>text"
    # Both pages have the same bytes; their texts differ.
    assert contradictions(data.pages) == [tuple(data.pages)]
    truth = wcxb / "ground-truth" / "0001.json"
    truth.write_text('{"ground_truth": {"main_content": null}}')
    first = read_folder(wcxb).pages[0]
    assert (first.text, first.kind, first.url) == ("", "page", "")


FIELDS = "has not the fields"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is no JSON"),
        ("[]", "holds no JSON object"),
        ("{}", FIELDS),
        ('{"ground_truth": 1}', FIELDS),
        (b"\xff", "is not UTF-8"),
        ("[" * 100_000, "is no JSON"),
        ('{"url": ' + "9" * 5000 + "}", "is no JSON"),
        ('{"ground_truth": {"main_content": ["a"]}}', FIELDS),
        ('{"ground_truth": {"comments": {"a": 1}}}', FIELDS),
        ('{"ground_truth": {}, "url": 5}', FIELDS),
        ('{"ground_truth": {}, "_internal": {"page_type": {"primary": []}}}', FIELDS),
    ],
)
def test_wcxb_damage(wcxb, content, message):
    file = wcxb / "ground-truth" / "0001.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=rf"0001\.json {message}"):
        read_folder(wcxb)


def test_missing_and_damaged_pages(wcxb):
    file = wcxb / "html" / "0001.html.gz"
    data = read_folder(wcxb)
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(DataError, match=r"0001\.html\.gz is damaged"):
        _ = data.pages[0].html
    file.unlink()
    with pytest.raises(DataError, match=r"0001\.json has no 0001\.html\.gz"):
        read_folder(wcxb)


def test_segments_layout(tmp_path):
    row = {"url": "http://a.example/", "with": ["x"], "without": ["y"]}
    write_segments(tmp_path, {"a.html": ("<p>x", row)})
    (first,) = read_folder(tmp_path).pages
    assert (first.wanted, first.unwanted, first.html) == (("x",), ("y",), b"<p>x")
    for wrong in ({}, {**row, "with": "x"}, {**row, "without": [5]}):
        write_segments(tmp_path, {"a.html": ("<p>x", wrong)})
        with pytest.raises(DataError, match=r"truth\.json: a\.html has no segments"):
            read_folder(tmp_path)


def test_own_pages(tmp_path):
    write_own(tmp_path, "a", "<p>x", "x")
    write_own(tmp_path, "b", "", "y", "I agree.")
    (tmp_path / "b.html").unlink()
    (tmp_path / "b.html.gz").write_bytes(gzip.compress(b"<p>y"))
    a, b = read_folder(tmp_path).pages
    assert (a.name, a.text, a.comments, a.html) == ("a", "x", None, b"<p>x")
    assert (b.name, b.text, b.comments, b.html) == ("b", "y", "I agree.", b"<p>y")
    (tmp_path / "a.txt").unlink()
    with pytest.raises(DataError, match=r"a\.html has no a\.txt"):
        read_folder(tmp_path)
    (tmp_path / "a.html").rename(tmp_path / "a.htm")
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfx")
    with pytest.raises(DataError, match=r"a\.txt has no a\.html"):
        read_folder(tmp_path)
    (tmp_path / "a.htm").rename(tmp_path / "a.html")
    assert read_folder(tmp_path).pages[0].text == "x"


def test_no_pages_and_a_missing_dependency(tmp_path):
    with pytest.raises(DataError, match="holds no labelled pages"):
        read_folder(tmp_path)
    with pytest.raises(DataError, match="none is no folder"):
        read_folder(tmp_path / "none")
    with pytest.raises(ImportError, match=r"needs nothing_of_the_kind.*\[train\]"):
        need("nothing_of_the_kind.at_all")
