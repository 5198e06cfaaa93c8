"""The last resort, and what may go wrong with it."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from lxml import etree, html
from scrapy.http import HtmlResponse

from scrapy_eatext import deadline
from scrapy_eatext.algorithms import eatiht
from scrapy_eatext.algorithms.dragnet import blocks as dragnet_blocks
from scrapy_eatext.algorithms.justext import reference as justext_reference
from scrapy_eatext.deadline import TimeLimitError, check, remaining
from scrapy_eatext.execution import cascade
from scrapy_eatext.execution.cascade import (
    GIVEN_UP,
    TEXTS,
    Failure,
    Job,
    Limits,
    extract_page,
    warm_up,
)
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.execution.worker import limit_memory
from scrapy_eatext.page import Page
from scrapy_eatext.page import page as page_module
from scrapy_eatext.page.parsing import parse_source
from scrapy_eatext.page.walls import WALLS
from scrapy_eatext.rendering import render
from scrapy_eatext.result import NOTHING, MainText
from tests.support.algorithms import choice
from tests.support.crawling import DOCS, fail
from tests.support.mockserver import text_of
from tests.support.passages import PROSE

LONG = text_of("one")


def kept(html: str) -> str:
    page = Page.of(html)
    return render(cascade.judge_dense(page), page, "", "").text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        (f"<p>{LONG}</p><p>Short.</p>", LONG),
        (f"<p><a href=/>{LONG}</a></p>", ""),
        (f"<p>{LONG} <a href=/>More</a></p>", f"{LONG} More"),
        (f"<h1>Menu</h1><h2>One</h2><p>{LONG}</p><h2>Two</h2>", f"One\n\n{LONG}"),
    ],
)
def test_dense_blocks_and_their_headings(html, text):
    assert kept(html) == text


PLAIN = choice("Plain")
LAST = f"<p>{text_of('last')}</p>"


def failing(*, html: str = "broken", **more: object) -> Job:
    return Job(f"<p>{LONG}</p>{html}", "", choice("Broken", **more), Limits())


def test_rules_hold_in_the_last_resort_too():
    job = failing(html="<div>broken</div>", keep="div", remove="p")
    outcome = extract_page(job)
    assert outcome.kind == "failed"
    assert outcome.result.text == "broken"


@pytest.mark.parametrize(
    ("error", "names"),
    [
        (ValueError, ["ZeroDivisionError", "ValueError"]),
        (TimeLimitError, ["ZeroDivisionError"]),
    ],
)
def test_a_last_resort_that_fails_leaves_an_empty_text(monkeypatch, error, names):
    def fail(page: Page) -> None:
        raise error

    monkeypatch.setattr(cascade, "judge_dense", fail)
    outcome = extract_page(failing())
    assert (outcome.kind, outcome.result) == ("failed", MainText())
    assert [failure.name for failure in outcome.failures] == names


def test_a_page_too_long_to_read_is_read_at_its_beginning(monkeypatch):
    walk = page_module.walk

    def limited(root, lenient=False):
        if len(root.xpath("//p")) > 3:
            raise TimeLimitError
        return walk(root, lenient)

    monkeypatch.setattr(page_module, "walk", limited)
    monkeypatch.setattr("scrapy_eatext.execution.cascade._SHORTEST", 400)
    html = f"<p>{LONG}</p>" * 20
    response = HtmlResponse("http://example.com/", body=html, encoding="utf-8")
    for page in (html, html.encode(), response):
        outcome = extract_page(Job(page, "", PLAIN, Limits()))
        assert outcome.kind == "timed_out"
        assert outcome.result.text.startswith(f"{LONG}\n\n{LONG}\n\n")
        assert len(outcome.result.text) < 400


def test_what_is_no_page_fails():
    outcome = extract_page(Job(3, "", PLAIN, Limits()))
    assert (outcome.kind, outcome.result) == ("failed", MainText())
    assert [failure.name for failure in outcome.failures] == ["TypeError"] * 2


@pytest.mark.parametrize("kind", ["too_large", "timed_out", "worker_died"])
def test_the_last_resort_reads_all_of_a_page(kind):
    html = f"<p>{LONG}</p>" * 10_000 + LAST
    assert len(html) > 1_000_000
    if kind == "too_large":
        limits = Limits(timeout=60, max_size=len(html))
        job = Job(html + "<p>more</p>", "", PLAIN, limits).bounded()
    else:
        job = Job(html, "", PLAIN, Limits(timeout=60), give_up=kind)
    outcome = extract_page(job)
    assert outcome.kind == kind
    assert outcome.result.text.endswith(text_of("last"))


def reads(monkeypatch, fails) -> list[int]:
    """Record the sizes of parsed sources; raise what ``fails`` returns for one."""
    sizes = []
    of = Page.of.__func__

    def reading(cls, html, url=None):
        sizes.append(len(html))
        fails(len(html))
        return of(cls, html, url)

    monkeypatch.setattr(Page, "of", classmethod(reading))
    return sizes


@pytest.mark.parametrize(
    ("error", "kind", "tried"),
    [
        # A page that was not read in time is not read again.
        (TimeLimitError, "timed_out", [160_000, 40_000, 10_000]),
        (MemoryError, "failed", [160_000, 160_000, 40_000, 10_000]),
    ],
)
def test_where_time_or_memory_is_short_a_part_is_read(monkeypatch, error, kind, tried):
    def fails(size):
        if size > 10_000:
            raise error

    html = f"<p>{LONG}</p>".ljust(160_000, "x")
    for page in (html, html.encode()):
        sizes = reads(monkeypatch, fails)
        outcome = extract_page(Job(page, "", PLAIN, Limits()))
        monkeypatch.undo()
        assert outcome.kind == kind
        assert outcome.result.text.startswith(LONG)
        assert sizes == tried
        assert len(outcome.failures) == (error is MemoryError)


def test_a_short_page_is_not_made_shorter(monkeypatch):
    looks = iter([1])

    def fails(size):
        if next(looks, 0):
            raise TimeLimitError

    reads(monkeypatch, fails)
    outcome = extract_page(Job(f"<p>{LONG}</p>", "", PLAIN, Limits()))
    assert (outcome.kind, outcome.result.text) == ("timed_out", LONG)


def test_all_parts_together_have_the_time_of_a_page(monkeypatch):
    seconds = []

    def judge(page):
        seconds.append(remaining())
        raise TimeLimitError

    monkeypatch.setattr(cascade, "judge_dense", judge)
    limits = Limits(timeout=100)
    job = Job("x" * 50_000_000, "", PLAIN, limits, give_up="too_large")
    outcome = extract_page(job)
    assert outcome.result == MainText()
    assert len(seconds) > 5
    assert 90 < sum(seconds) < 100


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Naïve café. " * 15),
        ("cp1251", "Ваша цена: " + "one, two, three. " * 9),
        ("iso-8859-7", "Καλημέρα. " + "One, two, three. " * 9),
        ("cp1252", PROSE["es"]),
    ],
)
def test_a_page_that_is_cut_keeps_its_encoding(encoding, text):
    """Also where the headers alone name it, or, as for Spanish, Scrapy mistakes it."""
    body = f"<p>{text}</p>".encode(encoding) + b"<p>" + b"x" * 500
    kind = "" if encoding == "cp1252" else f"; charset={encoding}"
    headers = {"Content-Type": f"text/html{kind}"}
    response = HtmlResponse("http://example.com/", body=body, headers=headers)
    job = Job(response, "", PLAIN, Limits(max_size=len(text) + 20)).bounded()
    assert extract_page(job).result.text.startswith(text.strip())


def test_a_failure_keeps_no_page():
    failure = Failure.of(ValueError("<p>a page</p>" * 100_000))
    assert failure.name == "ValueError"
    assert len(failure.traceback) < 11_000


def refused() -> etree.LxmlError:
    """What lxml raises where libxml2 was refused memory."""
    error = etree.XMLSyntaxError("unknown error", 2, 0, 0)
    error.error_log = [SimpleNamespace(type=etree.ErrorTypes.ERR_NO_MEMORY)]
    return error


def test_any_lack_of_memory_is_a_memory_error():
    assert Failure.of(refused()).name == "MemoryError"
    with pytest.raises(etree.XPathEvalError) as caught:
        etree.Element("html").xpath("no()")
    assert Failure.of(caught.value).name == "XPathEvalError"


def test_warming_up_runs_every_algorithm_and_raises_nothing(monkeypatch):
    names = ("Plain", "Broken", "Nothing")
    seen = []
    monkeypatch.setattr(
        "scrapy_eatext.execution.cascade.get_algorithm",
        lambda name, options: seen.append(name),
    )
    warm_up(Choice(algorithms=names))
    assert seen == list(names)


@pytest.mark.parametrize("gone", ["limit", "resource", "/proc"])
def test_no_limit_where_there_is_none_to_set(monkeypatch, gone):
    resource = pytest.importorskip("resource")

    def refuse(*_: object) -> None:
        raise AssertionError("a limit was set")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    if gone == "resource":
        monkeypatch.setitem(sys.modules, "resource", None)
    elif gone == "/proc":
        monkeypatch.setattr(
            "scrapy_eatext.execution.worker.Path", lambda _: Path("/no/such/file")
        )
    limit_memory(0 if gone == "limit" else 10)


FIELDS = (
    *("markdown", "html", "tables", "blocks", "comments"),
    *("posts", "entries", "next_page", "chunks", "title", "embeds"),
    *("product", "recipe", "structured_data"),
)


def in_vain(*_: object) -> None:
    """Take all the time that is left."""
    deadline._clock.end = 0.0
    check()


def job(name: str = "Plain", fields: tuple[str, ...] = FIELDS, **limits: float) -> Job:
    head = "<title>Boats</title><meta name=date content=2024-03-01>"
    html = f"<html lang=en>{head}<p>{LONG}</p>"
    return Job(html, "", choice(name), Limits(**limits), fields=fields)


@pytest.mark.parametrize(
    ("field", "where"),
    [
        ("markdown", "scrapy_eatext.output.markdown.markdown"),
        ("html", "scrapy_eatext.output.html.html"),
        ("blocks", "scrapy_eatext.output.judged.write_blocks"),
        ("chunks", "scrapy_eatext.output.chunks.chunks_of"),
        ("tables", "scrapy_eatext.output.tables.rows_of_tables"),
        ("metadata", "scrapy_eatext.metadata.read_metadata"),
    ],
)
def test_a_field_that_fails_costs_nothing_else(monkeypatch, field, where):
    whole = extract_page(job()).result
    monkeypatch.setattr(where, fail)
    outcome = extract_page(job())
    assert (outcome.kind, outcome.result.text) == ("extracted", LONG)
    (failure,) = outcome.failures
    assert (failure.name, failure.field) == ("OSError", field)
    assert "broken on purpose" in failure.traceback
    computed = {**whole.computed, field: NOTHING.computed[field]}
    assert outcome.result.computed == computed
    assert outcome.result.detached() == outcome.result
    # Nor in the last resort.
    outcome = extract_page(replace(failing(), fields=FIELDS))
    assert (outcome.kind, outcome.result.text) == ("failed", LONG)
    assert [failure.field for failure in outcome.failures] == ["", field]
    assert all(outcome.result.value(name) for name in {"markdown", "html"} - {field})


def test_a_field_of_which_a_part_fails(monkeypatch):
    monkeypatch.setattr("scrapy_eatext.page.dates.iso", fail)
    outcome = extract_page(job(fields=("title",)))
    result = outcome.result
    assert (outcome.kind, result.title, result.date) == ("extracted", "Boats", "")
    (failure,) = outcome.failures
    assert (failure.name, failure.field) == ("OSError", "metadata")


def test_fields_that_there_is_no_time_for_are_empty(monkeypatch):
    monkeypatch.setattr("scrapy_eatext.output.markdown.markdown", in_vain)
    outcome = extract_page(job(timeout=60))
    # It has a text that passes, which is what the kind tells.
    assert (outcome.kind, outcome.result.text) == ("extracted", LONG)
    assert outcome.result.title == "Boats"
    assert outcome.result.blocks
    assert (outcome.result.markdown, outcome.result.html) == ("", "")
    failed = [(failure.name, failure.field) for failure in outcome.failures]
    assert failed == [
        ("TimeLimitError", field)
        for field in ("markdown", "html", "tables", "entries", "embeds")
    ]


def test_what_an_algorithm_says_of_a_page_is_bounded():
    page = Page.of(f"<html lang=en><p>{LONG}</p>")
    verdict = cascade.judge_dense(page)
    wordy = replace(verdict, language="x" * 1000, page_type="y" * 1000)
    found = render(wordy, page, "", "")
    assert (found.language, found.page_type) == ("en", "")
    found = render(replace(verdict, language="de", page_type="forum"), page, "", "")
    assert (found.language, found.page_type) == ("de", "forum")


@pytest.mark.parametrize(
    "parse",
    [
        parse_source,
        dragnet_blocks.original_blocks,
        eatiht._parse,
        justext_reference._parse,
    ],
)
def test_no_parser_takes_a_lack_of_memory_for_an_empty_page(monkeypatch, parse):
    def refuse(*_: object, **__: object) -> None:
        raise refused()

    for module, name in ((etree, "fromstring"), (html, "fromstring"), (html, "parse")):
        monkeypatch.setattr(module, name, refuse)
    with pytest.raises(MemoryError):
        parse(b"<p>A page.</p>")


def test_the_docs_have_a_stat_for_each_kind_of_outcome():
    text = (DOCS / "stats.md").read_text("utf-8")
    told = set(re.findall(r"`response/(?!skipped_)(\w+)`", text))
    assert told == {*TEXTS, *WALLS, *GIVEN_UP, "cancelled"}
