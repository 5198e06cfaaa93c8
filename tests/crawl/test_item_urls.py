"""Items with the URL of their response, of another page, of none."""

from __future__ import annotations

import pydantic
import pytest
import scrapy
from scrapy.exceptions import CloseSpider

from tests.support.crawling import ADDON, UrlSpider, complaints, crawl
from tests.support.items import TWO, one
from tests.support.mockserver import text_of

pytestmark = pytest.mark.slow

OWN_URLS = [
    "{server}/page/one",
    " {server}/page/one#part ",
    "{server}/page/o%6Ee/",
    "https{rest}/page/one",
    "one",
    "/page/one/",
    "{server}/redirect/one",
    "https://short.example/1",
]


@pytest.mark.parametrize("url", OWN_URLS)
def test_urls_that_mean_the_response(server, caplog, url):
    """Its own as spiders write it, those redirected to it, and its canonical one."""

    class Canonical:
        def process_response(self, request, response):
            link = b"<link rel=canonical href=https://short.example/1></head>"
            return response.replace(body=response.body.replace(b"</head>", link))

    settings = {
        **ADDON,
        "EATEXT_FIELDS": {"main_text": "text", "link": "canonical_url"},
        "DOWNLOADER_MIDDLEWARES": {Canonical: 600},
    }
    url = url.format(server=server.url, rest=server.url.removeprefix("http"))
    item, done = one(server, settings, dict, path="/redirect/one", url=url)
    assert item["main_text"] == text_of("one")
    assert item["link"] == "https://short.example/1"
    assert done.eatext("item/") == {"response": 1}
    assert complaints(caplog) == []


class OtherUrlSpider(UrlSpider):
    """Yields items with the URL of the first page from the second."""

    def parse(self, response):
        item = {"url": response.url}
        yield response.follow("/page/second", self.parse_2, cb_kwargs={"item": item})

    def parse_2(self, response, item):
        yield item
        yield {"url": item["url"].replace("page", "./page") + "/#top", "number": 2}
        yield {"url": response.url, "number": 3}


def test_an_item_with_the_url_of_another_page_has_its_text(server, caplog):
    done = crawl(OtherUrlSpider, ADDON, urls=(server("/page/first"),))
    assert [item["main_text"] for item in done.items] == [
        text_of("first"),
        text_of("first"),
        text_of("second"),
    ]
    assert done.eatext("item/") == {"url": 2, "response": 1}
    assert complaints(caplog) == []


def test_an_item_with_the_url_of_a_page_long_ago_has_none(server, caplog, monkeypatch):
    monkeypatch.setattr("scrapy_eatext.crawl.recent.MAX_URLS", 1)
    done = crawl(OtherUrlSpider, ADDON, urls=(server("/page/first"),))
    assert [item.get("main_text") for item in done.items] == [
        None,
        None,
        text_of("second"),
    ]
    assert done.eatext("item/") == {"other_page": 2, "response": 1}
    (complaint,) = complaints(caplog)
    assert "dict has the URL of another page of this crawl" in complaint
    assert "EATEXT_URL_FIELD = ''" in complaint
    caplog.clear()
    done = crawl(
        OtherUrlSpider, {**ADDON, "EATEXT_URL_FIELD": ""}, urls=(server("/page/first"),)
    )
    assert {item["main_text"] for item in done.items} == {text_of("second")}
    assert done.eatext("item/") == {"response": 3}
    assert complaints(caplog) == []


class UrlItem(pydantic.BaseModel):
    url: pydantic.HttpUrl
    main_text: str = ""


def test_a_url_that_is_no_str(server):
    class Typed(OtherUrlSpider):
        def parse_2(self, response, item):
            for url in (item["url"], response.url):
                yield UrlItem(url=url)

    done = crawl(Typed, ADDON, urls=(server("/page/first"),))
    assert [item.main_text for item in done.items] == [
        text_of("first"),
        text_of("second"),
    ]
    assert done.eatext("item/") == {"url": 1, "response": 1}


class PausedSpider(OtherUrlSpider):
    def parse(self, response):
        yield from super().parse(response)
        raise CloseSpider


# Older releases of Scrapy leave a file of the queue open where they go on.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_item_with_the_url_of_a_page_before_a_pause_has_none(server, tmp_path):
    settings = {**ADDON, "JOBDIR": str(tmp_path)}
    assert crawl(PausedSpider, settings, urls=(server("/page/first"),)).items == []
    done = crawl(PausedSpider, settings, urls=(server("/page/first"),))
    texts = [item.get("main_text") for item in done.items]
    assert texts == [None, None, text_of("second")]
    assert done.eatext("item/") == {"other_page": 2, "response": 1}


@pytest.mark.parametrize("urls", [None, "http://a.example/", [None, 3], 7])
def test_redirect_urls_that_are_none(server, urls):
    request = scrapy.Request(server("/page/one"), meta={"redirect_urls": urls})
    done = crawl(UrlSpider, TWO, urls=(request,))
    assert done.items[0]["main_text"] == text_of("one")
    assert done.eatext("response/") == {"extracted": 1}
    assert done.eatext("item/") == {"url": 1}
