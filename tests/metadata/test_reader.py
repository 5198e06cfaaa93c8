"""Which metadata is read, and from which place on the page."""

from __future__ import annotations

import json
import re
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsel import Selector

from scrapy_eatext import extract
from scrapy_eatext.metadata import read_metadata
from scrapy_eatext.metadata.people import names_in
from scrapy_eatext.metadata.reader import _SEPARATOR, Reader
from scrapy_eatext.metadata.visible import Visible
from scrapy_eatext.page import Page, dates
from scrapy_eatext.page.head import head_of
from scrapy_eatext.result import IncompleteError
from tests.support.kept import rendered, whole
from tests.support.pages import any_pages, json_ld
from tests.support.properties import check_linear
from tests.support.suites import table_of, values_of

URL = "https://news.example.com/2024/boats"


def metadata(head="", body="<h1>Boats on the river</h1><p>Text.</p>", url=URL):
    return read_metadata(Page.of(f"<html><head>{head}</head><body>{body}", url))


def meta(**values):
    return "".join(
        f'<meta name="{name.replace("__", ":")}" content="{value}">'
        for name, value in values.items()
    )


ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "Boats on the river",
    "author": [{"@type": "Person", "name": "Ann Li"}, {"name": "Bo Ek"}],
    "datePublished": "2024-03-01T08:00:00Z",
    "dateModified": "2024-03-02",
    "publisher": {"@type": "Organization", "name": "The News"},
    "description": "Of boats &amp; rivers.",
    "image": ["/boats.jpg", "/more.jpg"],
    "keywords": "boats, rivers",
    "inLanguage": "en-GB",
    "url": "/boats",
}


@pytest.mark.parametrize("kind", ["article", "collection", "listing", "product"])
def test_names_and_dates_of_entries_and_reviews(kind):
    """Only the foot of a list or a product's page has a date of the page's own."""
    byline = "<p>By Ann Li, <time>2024-03-04</time></p><p>Text.</p>"
    foot = "<p>This page was last edited on 3 May 2024</p>"
    page = Page.of(f"<h1>Boats on the river</h1>{byline * 20}{foot}", URL[:-10])
    found = rendered(page, replace(whole(page), page_type=kind)).metadata
    own = ("2024-03-04", ("Ann Li",)) if kind == "article" else ("", ())
    assert (found.published, found.authors, found.modified) == (*own, "2024-05-03")


@pytest.mark.parametrize("behind", ["", "<title>Boats</title>"])
def test_the_title_of_an_image_is_none_of_the_page(behind):
    icon = "<svg><title>Menu</title></svg>"
    assert Page.of(f"<body><p>A river.</p>{icon}{behind}").title == behind[7:12]
    head = "<head><title> </title></head>"
    assert Page.of(f"{head}<body><p>A river.</p>{behind}").title == behind[7:12]


def test_what_feeds_cannot_hold_is_left_out():
    thing = """{"@type": "Article", "headline": "A \\ud800headline\\u0001",
        "author": {"name": "Ann\\udc00 Lee"}, "keywords": ["fi\\uffffsh"],
        "image": "http://a.org/\\u0002x.png"}"""
    html = f"""<script type="application/ld+json">{thing}</script>
        <meta property="og:site_name" content="The&#1; Site">
        <meta name="description" content="Of&#xFFFE; fish">"""
    found = read_metadata(Page.of(html))
    assert (found.title, found.authors) == ("A headline", ("Ann Lee",))
    assert (found.tags, found.image) == (("fish",), "http://a.org/%02x.png")
    assert (found.site_name, found.description) == ("The Site", "Of fish")


@pytest.mark.parametrize(("line", "authors"), table_of("tables/bylines.txt"))
def test_bylines(line, authors):
    body = f"<h1>Boats</h1><p>{line}</p><p>March 1, 2024</p><p>A text.</p>"
    found = metadata("", body)
    assert "; ".join(found.authors) == authors
    assert found.sources.get("authors", "page") == "page"


@pytest.mark.parametrize(("line", "published"), table_of("tables/shown_dates.txt"))
def test_dates_in_a_line(line, published):
    found = metadata("", f"<h1>Boats</h1><p>{line}</p><p>Text.</p>")
    assert found.published == published


@pytest.mark.parametrize(
    ("path", "published"),
    [
        ("2024/03/01/boats", "2024-03-01"),
        ("2024/mar/01/boats", "2024-03-01"),
        ("boats?from=/2024/03/01/", ""),
    ],
)
def test_a_date_in_the_address(path, published):
    found = metadata(url=f"https://example.com/{path}")
    assert found.published == published
    assert found.sources.get("published", "") == ("page" if published else "")


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("boats-of-the-long-river", "Boats of the long river in spring"),
        ("boats", "The voice of the sea"),
        ("boats-of-the-long-river/the-voice-of-the-sea/", "The voice of the sea"),
        ("boats?from=boats-of-the-long-river", "The voice of the sea"),
    ],
)
def test_a_title_that_is_a_heading_in_the_address(path, title):
    body = "<h1>Menu</h1><h1>Boats of the long river in spring</h1><p>Text.</p>"
    url = f"https://example.com/{path}"
    assert metadata("<title>The voice of the sea</title>", body, url).title == title


def test_a_title_in_the_address_before_a_heading_of_the_site():
    head, url = "<title>Alone on the river : boats</title>", "https://example.com/r/{}/"
    for path, title in ("alone_on_the_river", "Alone on the river"), ("7", "boats"):
        found = metadata(head, "<aside><h1>boats</h1></aside>", url.format(path))
        assert found.title == title


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("https://example.com/ferry?m=1", "https://example.com/?m=1"),
        (
            "https://archive.example/web/2/https://example.com/ferry",
            "/web/2/https://example.com/",
        ),
    ],
)
def test_the_name_of_a_site_at_a_link_home(url, home):
    heading = f"<h1><a href='{home}'>River notes</a></h1><h3>The last ferry</h3>"
    found = metadata("<title>River notes: The last ferry</title>", heading, url)
    assert found.title == "The last ferry"


def test_the_host_of_a_site_in_an_archive():
    url = "https://archive.example/web/2/https://riverdale.example/a?u=http://boats.example"
    assert metadata("<title>Boats | Riverdale</title>", url=url).title == "Boats"


@pytest.mark.parametrize(("value", "made"), table_of("tables/dates.txt"))
def test_dates(value, made):
    assert dates.iso(value) == made


_DIGITS = st.sampled_from(["0", "1", "2", "5", "9", "٣", "९", "３"])
_TWO = st.tuples(_DIGITS, _DIGITS).map("".join)
_DATES = st.tuples(
    st.sampled_from(["2024-03-01", "20240301", "1 March 2024", "３/４/2024", ""])
    | _TWO,
    st.sampled_from(["T", " ", ", ", "-", ""]),
    _TWO,
    st.sampled_from([":", ""]),
    _TWO,
    st.sampled_from(["", "+", "-", "Z", " GMT", " GMT+", " PM", ":30"]),
    _TWO,
    st.sampled_from([":", ""]),
    _TWO,
).map("".join)


@given(_DATES | st.text("0123456789-/:TZ+ .,٣３年月日MarchdeGUPm", max_size=40))
def test_whatever_is_a_date_is_iso_8601(text):
    for made in (dates.iso(text), *(day for day, _, _ in dates.found(text))):
        if made:
            assert made.isascii()
            datetime.fromisoformat(made)


@pytest.mark.parametrize(
    ("url", "published"),
    [(None, "2024-03-04"), ("https://news.example.co.uk:80/boats", "2024-04-03")],
)
def test_which_comes_first_by_the_country_of_the_address(url, published):
    page = Page.of(f"<html lang='en-US'>{meta(date='3/4/2024')}", url)
    assert read_metadata(page).published == published


@given(any_pages())
def test_any_page(source):
    found = read_metadata(Page.of(source, URL))
    assert re.fullmatch(r"(?:\d{4}-\d\d-\d\d(?:T[\d:+-]+)?)?", found.published)
    assert set(found.sources.values()) <= {
        "json-ld", "opengraph", "meta", "microdata", "time", "page",
    }  # fmt: skip


@pytest.mark.parametrize("piece", values_of("tables/pieces_of_metadata.txt"))
def test_many_of_one_kind_are_linear(piece):
    check_linear(lambda body: metadata("", body), lambda count: piece * count, 5000)


@pytest.mark.parametrize(
    "marked",
    [
        "itemprop=author",
        "itemProp='author'",
        'itemprop = "name schema:author"',
        'itemprop="http://schema.org/author" class="x"',
        "title='itemprop=' itemprop=author",
        "title=itemprop itemprop=author",
    ],
)
def test_a_property_is_found_however_it_is_written(marked):
    found = metadata("", f"<div itemscope><b {marked}>Ann Lee</b></div>")
    assert found.authors == ("Ann Lee",)
    assert found.sources["authors"] == "microdata"


def test_what_a_reader_wrote_is_no_property_of_the_page():
    review = "<p itemprop=review itemscope><b itemprop=author>Bob Ray</b></p>"
    answer = "<p itemprop=comment><b itemprop=author>Cat May</b></p>"
    own = "<p><b itemprop=author>Ann Lee</b></p>"
    found = metadata("", f"<div itemscope>{review}{answer}{own}</div>")
    assert found.authors == ("Ann Lee",)


def test_long_properties_before_the_author():
    """Only texts that metadata are read from use up what is read of a page."""
    long = f"<p itemprop=text>{'boats ' * 1000}</p>" * 70
    own = "<p itemprop=author itemscope><b itemprop=name>Ann Lee</b></p>"
    assert metadata("", f"<div itemscope>{long}{own}</div>").authors == ("Ann Lee",)


def test_microdata_around_the_whole_page() -> None:
    around = "<div itemprop='headline author datePublished dateModified'>" * 50
    around = f"<div itemscope>{around}"
    start = time.process_time()
    found = metadata("", around + "<b>a</b>" * 50_000)
    # It would take three seconds to read the whole page for each of them.
    assert time.process_time() - start < 1
    assert found.title == "a" * 1000


def test_json_ld_in_a_bare_tree():
    """It has no source to search."""
    tree = Page.of(Selector(f"<html><head>{json_ld(ARTICLE)}</head><p>é"))
    assert read_metadata(tree).authors == ("Ann Li", "Bo Ek")


# A million characters that would be hundreds of thousands of words.
HUGE = "ab " * 333_333
SAID = {
    "lang": f"<html lang='{HUGE}'>",
    "xml:lang": f"<html xml:lang='{HUGE}'>",
    "title": f"<title>{HUGE}</title>",
    "meta": "".join(
        f"<meta property='{name}' content='{HUGE}'>"
        for name in ("og:title", "og:site_name", "og:description", "og:locale", "og:url",
                     "og:image", "article:tag", "article:author", "keywords", "author")
    ),
    "tags": "<meta name=keywords content='" + "".join(f"tag{i}," for i in range(100_000))
    + "'>",
    "authors": "".join(f"<meta name=author content='Ann Li{chr(97 + i % 26)}{i}'>"
                       for i in range(20_000)),
    "many": "<meta property=article:tag content=boat>" * 20_000,
    "links": f"<link rel=canonical href='/{HUGE}'><link rel=image_src href='/{HUGE}'>",
    "json-ld": json_ld(
        {"@type": "Article", "headline": HUGE[:400_000]},
        {"@type": "Article", "description": HUGE[:400_000]},
        {"@type": "Article", "keywords": HUGE.replace(" ", ",")[:400_000]},
        {"@type": "Article", "keywords": [f"tag{i}" for i in range(40_000)]},
        {"@type": "Article", "author": [f"Ann L{i}" for i in range(30_000)]},
        {"@type": "Article", "inLanguage": "x" * 400_000, "url": "/" + "x" * 400_000},
        {"@type": "Article", "image": "/" + "x" * 400_000, "datePublished": "9" * 400_000},
    ),
    "images": json_ld({"@type": "Article", "image": [
        {"url": f"/{i}{'x' * 3000}.png", "caption": HUGE[:3000]} for i in range(100)
    ]}, {"@type": "VideoObject", "contentUrl": "/" + "x" * 400_000, "name": HUGE[:9000]}),
    "figures": "<body>" + "".join(
        f"<figure><img src=/{i}><figcaption>{HUGE[:600]}</figcaption></figure>"
        for i in range(1000)
    ),
    "feeds": "".join(f"<link rel=alternate type=application/rss+xml href=/{i}{'x' * 300}>"
                     for i in range(9000)),
    "microdata": f"<body><div itemprop='{HUGE}'></div><b itemprop=author>{HUGE}</b>"
    f"<i itemprop=headline>{HUGE}</i><s itemprop=datepublished content='{HUGE}'></s>",
    "shown": f"<body><h1>{HUGE}</h1><p class=byline>by {HUGE}</p><time>{HUGE}</time>"
    f"<p>x <span class=author>{HUGE}</span></p>",
}  # fmt: skip


@pytest.mark.parametrize("what", SAID)
def test_what_a_page_says_takes_bounded_memory_and_space(what):
    html = SAID[what] + "<p>Some text."
    page = Page.of(html.encode(), URL)
    assert page.blocks is not None
    assert all(len(contents) <= 50 for contents in head_of(page.root).metas.values())
    tracemalloc.start()
    try:
        page.language, read_metadata(page)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 6 * len(html) + 1_000_000
    found = extract(html.encode(), url=URL).detached(("language", "metadata"))
    known = {**found.as_dict(), "text": ""}
    assert len(json.dumps(known)) < 25_000
    assert len(found.metadata.authors) <= 50
    assert len(found.tags) <= 50


def test_texts_are_cut_at_a_word_and_all_else_is_left_out():
    head = f"""<html lang={"x" * 40}><title>{"boats " * 500}</title>
        <link rel=canonical href=/{"x" * 4000}><link rel=canonical href=/boats>
        <meta property=og:image content=/{"x" * 5000}><meta name=thumbnail content=/x.png>
        <meta property=og:locale content=de_AT>
        <meta name=keywords content='{"x" * 200},boats'>"""
    found = read_metadata(Page.of(head, URL))
    assert found.title == ("boats " * 166).strip()
    assert found.canonical_url == "https://news.example.com/boats"
    assert found.image == "https://news.example.com/x.png"
    assert (found.language, found.tags) == ("de", ("boats",))


def test_references_and_numbers_of_any_length_in_json_ld():
    thing = {**ARTICLE, "headline": f"Boats &#{'9' * 5000}; on the river"}
    assert metadata(json_ld(thing), "").title == "Boats \ufffd on the river"
    source = json.dumps(ARTICLE).replace("{", f'{{"id": {"9" * 5000}, ', 1)
    head = f"<script type='application/ld+json'>{source}</script>"
    assert metadata(head).authors == ("Ann Li", "Bo Ek")


@pytest.mark.parametrize(
    ("owner", "method", "lost"),
    [
        (Reader, "_site_name", {"site_name"}),
        (Reader, "_titles", {"title"}),
        (Reader, "_confirmed", set()),
        (Reader, "_published", {"published"}),
        (Reader, "_bylines", {"authors"}),
        (Reader, "_modified", {"modified"}),
        (Reader, "_description", {"description"}),
        (Reader, "_language", {"language"}),
        (Reader, "_canonical_url", {"canonical_url"}),
        (Reader, "_image", {"image"}),
        (Reader, "_tag_lists", {"tags"}),
        (Reader, "_all_images", {"images"}),
        (Visible, "headings", set()),
    ],
)
def test_what_fails_costs_nothing_else(monkeypatch, owner, method, lost):
    page = Page.of(f"<title>{ARTICLE['headline']}</title>{json_ld(ARTICLE)}", URL)
    whole = read_metadata(page)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    def fail_later(*_: object) -> Iterator[None]:
        yield fail()

    failing = {"headings": property(fail), "_confirmed": fail}
    monkeypatch.setattr(owner, method, failing.get(method, fail_later))
    with pytest.raises(IncompleteError) as met:
        read_metadata(page)
    assert isinstance(met.value.__cause__, ZeroDivisionError)
    found = met.value.value
    for name in ("title", "authors", "published", "modified", "site_name", "description",
                 "language", "canonical_url", "image", "tags", "images"):  # fmt: skip
        there = getattr(found, name)
        assert there == (type(there)() if name in lost else getattr(whole, name))
        assert name not in lost or getattr(whole, name)


def test_data_that_fail_leave_the_rest(monkeypatch):
    def fail(scripts: Iterator[str]) -> Iterator[float]:
        yield from (1 / 0 for _ in scripts)

    monkeypatch.setattr("scrapy_eatext.metadata.jsonld._things", fail)
    page = Page.of(f"<html lang=en><title>Boats</title>{json_ld(ARTICLE)}", URL)
    with pytest.raises(IncompleteError) as met:
        read_metadata(page)
    assert (met.value.value.title, met.value.value.language) == ("Boats", "en")
    # What is no JSON at all does not fail.
    broken = f"<script type='application/ld+json'>{'[' * 100_000}</script>"
    assert metadata(f"<title>Boats</title>{broken}").sources["title"] == "page"


@pytest.mark.parametrize(
    "sign", [" ", "\xa0", "-", " -", "|", ",", " y", "a@", ": ", "en "]
)
def test_patterns_take_linear_time(sign):
    check_linear(names_in, lambda count: f"By Ann{sign * count}Li", 2000)
    check_linear(_SEPARATOR.split, lambda count: f"Boats{sign * count}Site", 2000)
