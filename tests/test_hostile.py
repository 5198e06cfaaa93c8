"""Pages that are broken, or made to hurt: nothing raises, hangs or leaks through."""

from __future__ import annotations

import gc
import re
from random import Random
from time import process_time
from weakref import ref

import pytest
from hypothesis import given, settings
from lxml import etree
from scrapy.http import HtmlResponse

from scrapy_eatext import extract
from scrapy_eatext.algorithms import REGISTRY, get_algorithm
from scrapy_eatext.output.html import html as to_html
from scrapy_eatext.output.inline import ADDRESS_CHARS, ADDRESS_TIMES
from scrapy_eatext.output.markdown import markdown as to_markdown
from scrapy_eatext.page import Page
from scrapy_eatext.rendering import run
from scrapy_eatext.result import ATTRIBUTES
from tests.support.hostile import HOSTILE, SENTENCE, SHAPES, every_page
from tests.support.kept import document
from tests.support.pages import any_pages
from tests.support.properties import check_algorithm, check_linear
from tests.support.rich import rich_page

pytestmark = pytest.mark.slow

PAGES = every_page(3000)
ALGORITHMS = sorted(REGISTRY)
# Every algorithm as it is, and as its options make another of it.
MODES = [(name, {}) for name in ALGORITHMS] + [
    ("density", {"min_chars": 0, "threshold": 0}),
    ("density", {"threshold": "mean"}),
    ("density", {"reference": True}),
    ("dragnet", {"reference": True}),
    ("eatiht", {"version": 2}),
    ("justext", {"reference": True, "language": "en"}),
    ("ngram", {"min_chars": 0, "threshold": 0}),
    ("ngram", {"reference": True}),
    ("perceptron", {"network": "none", "threshold": "mean"}),
    ("perceptron", {"threshold": "mean"}),
    ("perceptron", {"reference": True}),
]


def texts(page: Page) -> list[str]:
    return [page.blocks.text(i) for i in range(len(page.blocks))]


@pytest.fixture(scope="module", params=sorted(PAGES))
def source(request) -> str | bytes:
    return PAGES[request.param]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_comes_to_an_end_and_leaves_the_tree(source, algorithm):
    page = Page.of(source)
    before = etree.tostring(page.root)
    run(get_algorithm(algorithm), page)
    assert etree.tostring(page.root) == before
    result = extract(source, algorithm=algorithm, blocks=True)
    assert 0 <= result.score <= 1
    # All output can be written to a feed.
    for text in (result.text, result.title, *texts(page)):
        text.encode()
    assert all(map(str.strip, texts(page)))


def test_families_are_of_the_size_asked_for():
    for name, make in {**SHAPES, **HOSTILE}.items():
        page = make(100_000)
        size = len(page if isinstance(page, bytes) else page.encode("utf-8", "replace"))
        assert 50_000 < size < 150_000, name


@pytest.mark.parametrize(("algorithm", "options"), MODES)
@settings(max_examples=settings().max_examples // 2)
@given(html=any_pages())
def test_what_must_hold_of_every_algorithm(algorithm, options, html):
    check_algorithm(html, algorithm, options)


@pytest.mark.parametrize(
    "unit", ["<p>It was cold on the water.</p>", "<p><a href=/a>More</a></p>"]
)
@pytest.mark.parametrize(("algorithm", "options"), MODES)
def test_every_algorithm_takes_linear_time(algorithm, options, unit):
    made = get_algorithm(algorithm, options)
    html = f"<title>T</title><p>{SENTENCE}</p><ul><li>Home</ul>"
    check_linear(
        lambda page: made.judge(Page.of(page)), lambda n: html + unit * n, 3000
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<div>" * 100_000 + "text" + "</div>" * 100_000, ["text"]),
        ("<div>" * 2000 + "text" + "</div>" * 2000 + "<p>after", ["text", "after"]),
        (f"<p>{'a' * 1_000_000}</p>", ["a" * 1_000_000]),
        ("<p>before<script>var a = 1;<p>after", ["before"]),
        ("<p>before<!-- <p>after", ["before"]),
    ],
    ids=["deepest", "deep", "long word", "open script", "open comment"],
)
def test_blocks_of_broken_pages(source, expected):
    assert texts(Page.of(source)) == expected


def test_a_page_is_freed_with_its_outputs():
    # Without the garbage collector's help, whatever has been computed.
    gc.collect()
    gc.disable()
    try:
        for chance in map(Random, range(20)):
            page = Page.of(rich_page(chance), "https://example.com/")
            result = run(get_algorithm("eatext"), page)
            for name in ATTRIBUTES:
                result.value(name)
            gone = ref(page)
            del page, result
            assert gone() is None
    finally:
        gc.enable()


def test_elements_of_a_deep_page_are_freed_quickly():
    def seconds(source: str) -> float:
        page = Page.of(source)
        for i in range(len(page.blocks)):
            page.blocks.xpath(i)
        start = process_time()
        del page
        return process_time() - start

    deep, flat = HOSTILE["deep_list_of_items"](50_000), SHAPES["flat"](50_000)
    # Bottom up takes some 3 ms, top down 200.
    assert min(seconds(deep) for _ in range(3)) < 100 * seconds(flat) + 0.02


def test_entities_of_a_document_stay_unresolved(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    page = Page.of(
        f"<!DOCTYPE html [<!ENTITY a 'bomb'><!ENTITY b SYSTEM '{secret.as_uri()}'>]>"
        "<html xmlns='http://www.w3.org/1999/xhtml'><p>start &a; &b; &amp; end</p>"
    )
    assert texts(page)[-1] == "start &a; &b; & end"


@pytest.mark.parametrize(
    "html", ["", b"", " ", "\n\0\n", b"\0", "<", "<!", "<!-->", "\ufeff"]
)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_nothing_gives_nothing(html, algorithm):
    result = extract(html, algorithm=algorithm)
    assert result.text.strip("<") == ""


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [*MODES, ("density", {"lines": "source"}), ("ngram", {"lines": "source"})],
)
def test_an_empty_page_has_no_text(algorithm, options):
    found = extract("", algorithm=algorithm, options=options)
    assert (found.text, found.score, found.page_type) == ("", 0.0, "")
    # Where the page tells none, the option does.
    assert found.language == options.get("language", "")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("\ufeff<meta charset=latin-1><p>Größe".encode(), "Größe"),
        ("<p>Größe".encode("utf-16"), "Größe"),
        ("<meta charset=no-such-one><p>Größe".encode(), "Größe"),
        (b"<meta charset=utf-8><p>Gr\xf6\xdfe", "Größe"),
    ],
)
def test_declared_and_contradictory_charsets(body, text):
    assert texts(Page.of(body)) == [text]
    response = HtmlResponse("https://example.com/", body=body)
    assert texts(Page.of(response)) == [text]


SITE = "https://example.com/"


def outputs(source: str, url: str = SITE + "dir/") -> list[str]:
    """The Markdown of all of a page, and the HTML."""
    page = Page.of(source, url)
    nodes = document(page)
    return [to_markdown(nodes), to_html(nodes)]


@pytest.mark.parametrize(
    ("base", "url", "found"),
    [
        (f"https://{'a' * 10_000}/", f"{SITE}dir/", "dir/99"),
        (f"{SITE}{'a/' * 5_000}", f"{SITE}dir/", "dir/99"),
        # Long because of the page's own address, or with many parts.
        ("b/", f"{SITE}{'a' * 1990}/", ""),
        (f"{SITE}{'a/' * 200}", SITE, ""),
        ("", f"{SITE}dir/x?{'q' * 15_000}", "dir/99 dir/x#99"),
        ("", f"{SITE}{'a' * 15_000}/x", ""),
    ],
    ids="host parts own many query path".split(),
)
def test_what_is_long_is_not_put_before_every_address(base, url, found):
    links = "".join(f"<a href={i}>x</a> <a href='#{i}'>y</a> " for i in range(100))
    for made in outputs(f"<base href='{base}'>" * bool(base) + f"<p>{links}", url):
        assert len(made) < 20_000
        assert all(SITE + path in made for path in found.split())


# Addresses that come out with each of a page's pieces.
@pytest.mark.parametrize(
    ("before", "each"),
    [
        ("<p>", "<a href=x>a</a> "),
        ("<p>", "<a href='#x'>a</a> "),
        ("<p>", "<img src=x>a "),
        ("<p>", "<a href=x><img src=x></a> a "),
        ("<p>a", "<p>b<p><img src=x>"),
        (f"<p>a<ul><a href='{SITE}{'b' * 1900}'>", "<li>c"),
        ("<table>", "<tr><td><a href=x>a</a><td><a href=x>b</a>"),
    ],
)
def test_addresses_come_to_no_more_than_some_times_the_page(before, each):
    for count in (1000, 20_000):
        source = before + each * count
        for made in outputs(source, f"{SITE}{'a' * 1900}/"):
            assert len(made) < ADDRESS_CHARS + (ADDRESS_TIMES + 10) * len(source)
    # The first ones are there, the text of all is.
    assert made.count(SITE) > 100
    assert len(re.findall(r"\b[abc]\b", re.sub(r"https://\S+", "", made))) >= count


def test_addresses_of_ordinary_pages_all_come_out():
    url = f"{SITE}search?q={'x' * 1900}"
    source = "<p>" + "".join(f"<a href='#{i}'>note {i}</a> " for i in range(200))
    for made in outputs(source, url):
        assert made.count(url) == 200


def test_images_of_which_one_stands_beside_all():
    def page(count: int) -> str:
        return (
            f"<p>a <source>{'<img>' * count}</source>"
            f"<noscript>{'<b></b>' * count}<img src=/x.png></noscript> b"
        )

    for made in outputs(page(3)):
        assert made.count("https://example.com/x.png") == 1
    check_linear(outputs, page, 2_000)


def test_tables_that_are_mostly_nothing():
    wide = "<td>a" * 199
    made = outputs(f"<table><tr>{wide}{'<tr><td>b<td>c' * 60}</table>")
    assert made[0].count("\n") == 62
    # Each row would be as long as the longest, and a large table be dozens of times as
    # long as its source.
    for each in ("<tr><td>b", "<tr><td>b<td>c"):
        source = f"<table><tr>{wide}{each * 3000}</table>"
        for made in outputs(source):
            assert len(made) < 5 * len(source)
    # A row that is wider than any real one makes no table.
    for cells in ("<td>a" * 201, "<td>a<td>b" + "<td colspan=50>" * 50_000):
        made = outputs(f"<table><tr>{cells}<tr><td>b<td>c</table>")
        assert "|" not in made[0]


@pytest.mark.parametrize(
    "page",
    [
        lambda count: "<pre>a</pre>" * count,
        lambda count: "<div>" + "<code>a\nb</code><br><br>" * count,
        lambda count: "<p>x<code>" + "a<br><br>" * count,
        lambda count: "<code>a<br><br>" * 500 + "<b></b>" * count,
        lambda count: "<p>x" + "<div class=gutter>" * 500 + "<p>1" * count,
    ],
)
def test_code_is_looked_at_once(page):
    check_linear(outputs, page, 1_500)
    assert len(outputs(page(1_500))[0]) < 50_000
