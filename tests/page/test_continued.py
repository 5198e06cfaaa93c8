"""Where a list, a thread or an article goes on."""

from __future__ import annotations

import pytest

from scrapy_eatext import extract
from scrapy_eatext.page import Page
from scrapy_eatext.page.continued import next_page
from scrapy_eatext.result import MainText, joined
from tests.support.properties import check_linear

URL = "https://a.org/boats"


def found(html: str, url: str | None = URL) -> str:
    return next_page(Page.of(f"<body><p>Boats of all sizes.</p>{html}", url))


@pytest.mark.parametrize(
    "words",
    [
        *("Next page", "Nächste Seite", "Page suivante", "Página siguiente"),
        *("Próxima página", "Pagina successiva", "Volgende", "Nästa", "Następna"),
        *(
            "Další",
            "Следующая",
            "下一页",
            "次のページ",
            "다음",
            "التالي",
            "Older posts",
        ),
        *("»", "›", "→", "Load more", "« Previous entries"),
    ],
)
def test_words_and_arrows_lead_to_the_next_page(words):
    assert found(f"<a href='?page=2'>{words}</a>") == URL + "?page=2"
    assert found(f"<a href='/boats/page/2/'>{words}</a>") == URL + "/page/2/"
    back = f"<a href='?page=1'>{words}</a>"
    assert found(back, URL + "?page=2") == ""


ROW = "<li class=%s><a href='%s'>%d</a></li>"


@pytest.mark.parametrize(
    ("own", "html", "next_url"),
    [
        ("", "<b>1</b> <a href='?pi=2'>2</a>", "?pi=2"),
        ("?page=2", "<b>2</b>, <a href='?page=3'>3</a>", "?page=3"),
        ("?page=2", "<link rel=next href='?page=3'>", "?page=3"),
        ("/page/2/", "<a href='/boats/page/3/'>3</a>", "/page/3/"),
        ("?page=0", "<a href='?page=1'>&gt;</a>", "?page=1"),
        ("", "<a href='?page=0'>1</a><a href='?page=1'>next</a>", "?page=1"),
        ("?id=7", "<a href='?id=7&amp;start=20'>Next</a>", "?id=7&start=20"),
        ("?start=20", "<b>2</b><a href='?start=0'>Back</a> <a href='?start=40'>next</a>",
         "?start=40"),
        ("-f6.html", "[<b>1</b>] [<a href='boats-f6-25.html'>2</a>]", "-f6-25.html"),
        ("", "1-50 | <a href='?skip=50'>51-100</a>", "?skip=50"),
        ("", ROW % ("active", "#", 1) + ROW % ("x", "/boats/2", 2), "/2"),
        ("", "<a href=/boats>1</a> <a href='/boats/2'>2</a>", "/2"),
        ("", "<a aria-current=page href='?x=1'>1</a><a href='?x=2'>2</a>", "?x=2"),
        ("", "<a href='?page=2' aria-label='Next page'><svg></svg></a>", "?page=2"),
        ("", "<a href='?page=2'><img alt=Next src=a.png></a>", "?page=2"),
        ("", "<a href='?page=9'>»</a><a href='?page=2'>›</a>", "?page=2"),
        ("?utm_source=x", "<a href='?page=2&amp;sid=8'>2</a>", "?page=2&sid=8"),
        ("", "<a rel=next href='?offset=1762241520670'>Older</a>",
         "?offset=1762241520670"),
        ("?p=98765", "<a href='?start=20'>Next</a>", "?start=20"),
    ],
)  # fmt: skip
def test_the_next_number_or_offset(own, html, next_url):
    assert found(html, URL + own) == URL + next_url


@pytest.mark.parametrize(
    ("url", "html", "next_url"),
    [
        ("https://a.org/index.html", "<b>1</b> <a href='/blog/page/2'>2</a>", "/blog/page/2"),
        ("http://www.a.org/", "<a href='https://a.org/?paged=2'>«</a>", "/?paged=2"),
        ("https://a.org/", "<a href='/search?updated-max=2015-05-22T22'>Older posts</a>",
         "/search?updated-max=2015-05-22T22"),
        ("https://a.org/f/index.php?topic=5.0",
         "<b>1</b> <a href='?topic=5.20'>2</a>", "/f/index.php?topic=5.20"),
        ("https://a.org/t9-Tips.html", "<b>1</b> <a href='/t9-o10-Tips.html'>2</a>",
         "/t9-o10-Tips.html"),
        ("https://a.org/boats-7", "<link rel=next href='/all-boats-7?page=2'>",
         "/all-boats-7?page=2"),
    ],
)  # fmt: skip
def test_an_address_that_differs_in_more_than_a_number(url, html, next_url):
    assert found(html, url) == "https://a.org" + next_url


@pytest.mark.parametrize(
    ("own", "html"),
    [
        ("", "<link rel=canonical href='?page=2'><link rel=alternate href='?page=2'>"),
        ("", "<link rel=prefetch href='?page=2'><link rel=prev href='?page=2'>"),
        # Sliders, and what scripts do.
        ("", "<a class=next href='#next'>›</a><a class=next href='#2'>›</a>"),
        ("", "<a href='javascript:go(2)'>2</a><a href=''>2</a><a>2</a>"),
        ("", "<a class='next disabled' href='?page=2'>Next</a>"),
        # Calendars.
        ("", "<td>3<td><a href='/2024/05/04/'>4</a><a href='?month=6'>»</a>"),
        ("/2024/05/", "<a rel=next href='/boats/2024/06/'>June »</a>"),
        ("/2024/05/03", "<b>3</b><a href='/boats/2024/05/04'>4</a>"),
        # Other articles, topics and chapters.
        ("", "<link rel=next href='/ships'><a rel=next href='/ships-2'>Next post</a>"),
        ("/12", "<link rel=next href='/boats/13'><a href='/boats/13'>Next</a>"),
        ("?page_id=198", "<link rel=next href='?page_id=200'>"),
        ("?p=1531", "<a rel=next href='?p=1532'>Next »</a>"),
        ("?t=8", "<a href='?t=8&amp;view=next'>Next topic</a>"),
        ("", "<a class=more href='?id=12'>Read more</a>"),
        # The pages of comments, of other threads and of a blog that an article is in.
        ("", "<a href='/boats/comment-page-2/#c'>Older comments</a><a href='?cpage=2'>2</a>"),
        ("", "<b>1</b> <a href='/threads/ships/page-2'>2</a>"),
        ("/my-boat", "1 <a href='/page/2'>2</a>"),
        # Earlier pages, and the page itself.
        ("?page=3", "<a href='?page=2'>« Next newer</a><a href='?page=3'>next</a>"),
        ("?page=3", "<link rel=next href='?page=3'><link rel=next href='?page=9'>"),
        # Other hosts, and no addresses.
        ("", "<link rel=next href='https://b.org/boats?page=2'>"),
        ("", "<a href='http://[2'>2</a><a href='mailto:a2@a.org'>next</a>"),
        ("", f"<a href='?page=2&amp;x={'y' * 3000}'>next</a>"),
        ("", "<!-- 1 --><a href='?x=2'>2</a><?php 1 ?><a href='&#0;?x=&#55296;2'>2</a>"),
    ],
)  # fmt: skip
def test_what_is_no_next_page(own, html):
    assert found(html, URL + own) == ""


@pytest.mark.parametrize(
    "url", [None, "", "boats", "/boats", "file:///boats", "ftp://a.org/x", "http://["]
)
def test_a_page_without_an_address_on_the_web_has_none(url):
    assert found("<link rel=next href='?page=2'><a href='page/2'>2</a>", url) == ""


def test_links_of_the_head_leave_those_of_the_body_their_share():
    head = "<link rel=next href='https://b.org/2'>" * 6000
    assert found(head + "<a href='?page=2'>2</a>") == URL + "?page=2"


def test_addresses_are_relative_to_the_base():
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


def test_the_output_is_of_the_page():
    html = "<p>Boats of all sizes are built here.</p><a href='?page=2'>2</a>"
    result = extract(html, url=URL)
    assert result.next_page == URL + "?page=2"
    assert result.without_text().next_page == URL + "?page=2"
    assert extract(html).next_page == ""


def test_of_joined_pages_it_is_the_last_ones():
    pages = [MainText("a").backed({"next_page": url}) for url in ("?page=2", "?page=3")]
    assert joined(pages).next_page == "?page=3"
    assert joined([pages[0], MainText("b")]).next_page == ""
