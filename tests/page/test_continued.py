"""Where a list, a thread or an article goes on."""

from __future__ import annotations

import pytest

from scrapy_eatext import extract
from scrapy_eatext.page import Page
from scrapy_eatext.page.continued import next_page
from scrapy_eatext.result import MainText, joined
from tests.support.properties import check_linear
from tests.support.suites import values_of

URL = "https://a.org/boats"


def found(html: str, url: str | None = URL) -> str:
    return next_page(Page.of(f"<body><p>Boats of all sizes.</p>{html}", url))


WORDS = """Next page|Nächste Seite|Page suivante|Página siguiente|Próxima página|Volgende
Pagina successiva|Nästa|Następna|Další|Следующая|下一页|次のページ|다음|التالي|Older posts
»|›|→|Load more|« Previous entries"""


@pytest.mark.parametrize("words", WORDS.replace("\n", "|").split("|"))
def test_words_and_arrows_lead_to_the_next_page(words):
    assert found(f"<a href='?page=2'>{words}</a>") == URL + "?page=2"
    assert found(f"<a href='/boats/page/2/'>{words}</a>") == URL + "/page/2/"
    back = f"<a href='?page=1'>{words}</a>"
    assert found(back, URL + "?page=2") == ""


@pytest.mark.parametrize(
    ("own", "html", "next_url"), values_of("tables/next_pages.txt")
)
def test_the_next_number_or_offset(own, html, next_url):
    assert found(html, URL + own) == URL + next_url


@pytest.mark.parametrize(
    ("url", "html", "next_url"), values_of("tables/next_addresses.txt")
)
def test_an_address_that_differs_in_more_than_a_number(url, html, next_url):
    assert found(html, url) == "https://a.org" + next_url


@pytest.mark.parametrize(
    ("own", "html"),
    [
        *values_of("tables/no_next_page.txt"),
        ("", f"<a href='?page=2&amp;x={'y' * 3000}'>next</a>"),
    ],
)
def test_what_is_no_next_page(own, html):
    assert found(html, URL + own) == ""


@pytest.mark.parametrize(
    "url", [None, "", "boats", "/boats", "file:///boats", "ftp://a.org/x", "http://["]
)
def test_a_page_without_an_address_on_the_web_has_none(url):
    assert found("<link rel=next href='?page=2'><a href='page/2'>2</a>", url) == ""


def test_what_the_head_says():
    """Its many links leave those of the body their share; addresses are to its base."""
    head = "<link rel=next href='https://b.org/2'>" * 6000
    assert found(head + "<a href='?page=2'>2</a>") == URL + "?page=2"
    html = "<head><base href='https://a.org/x/'></head><a href='../boats/page-2'>2</a>"
    assert next_page(Page.of(html, URL)) == URL + "/page-2"


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        "<a href='?page=2&amp;x=%d'>next</a>",
        "<i></i><a href='?x=%d'>7</a>",
        "<span><a href='/boats/page/2/%d'>a</a>1<p>",
        "<link rel='next' href='/%d'>",
    ],
)
def test_time_is_linear(part):
    def page(count: int) -> Page:
        return Page.of("".join(part % i for i in range(count)), URL)

    check_linear(next_page, page, 2000)


def test_the_output_is_of_the_page_and_the_last_ones_of_joined_pages():
    html = "<p>Boats of all sizes are built here.</p><a href='?page=2'>2</a>"
    result = extract(html, url=URL)
    assert result.next_page == URL + "?page=2"
    assert result.without_text().next_page == URL + "?page=2"
    assert extract(html).next_page == ""
    pages = [MainText("a").backed({"next_page": url}) for url in ("?page=2", "?page=3")]
    assert joined(pages).next_page == "?page=3"
    assert joined([pages[0], MainText("b")]).next_page == ""
