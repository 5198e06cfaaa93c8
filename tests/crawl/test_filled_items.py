"""Which items are filled, and with which page's text: by their classes and URLs."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import ClassVar

import attrs
import pydantic
import pytest
import scrapy
from scrapy.exceptions import CloseSpider

from tests.support.crawling import ADDON, UrlSpider, complaints, crawl
from tests.support.items import (
    TWO,
    TWO_WITH_HTML,
    WITH_HTML,
    AttrsItem,
    DataItem,
    ScrapyItem,
    TypeSpider,
    one,
    url_of,
    value_of,
)
from tests.support.mockserver import text_of

pytestmark = pytest.mark.slow


@dataclass
class LackingItem:
    url: str = ""


class StrictItem(pydantic.BaseModel, validate_assignment=True):
    url: str = ""
    main_text: str = pydantic.Field("", max_length=3)


@attrs.frozen
class FrozenAttrs:
    url: str = ""
    html: str = ""
    _hidden: str = ""
    main_text: str = ""


class FrozenField(pydantic.BaseModel):
    url: str = ""
    html: str = ""
    main_text: str = pydantic.Field("", frozen=True)


@attrs.define
class FrozenAttribute:
    url: str = ""
    html: str = ""
    main_text: str = attrs.field(default="", on_setattr=attrs.setters.frozen)


@dataclass(frozen=True)
class FrozenUncopied:
    """dataclasses.replace() refuses what __init__() does not take."""

    url: str = ""
    main_text: str = field(default="", init=False)


@pytest.mark.parametrize(
    ("item_type", "said"),
    [
        (StrictItem, "main_text of StrictItem cannot be set: 1 valid"),
        (FrozenUncopied, "main_text of FrozenUncopied cannot be set: "),
    ],
)
@pytest.mark.parametrize("settings", [ADDON, TWO])
def test_an_item_that_cannot_be_filled_is_not_lost(
    server, caplog, item_type, said, settings
):
    urls = (server("/page/1"), server("/page/2"))
    told = {"item_type": item_type, "fields": {"url": url_of}}
    done = crawl(TypeSpider, settings, urls=urls, **told)
    assert [item.main_text for item in done.items] == ["", ""]
    assert done.eatext("item/") == {"not_settable": 2}
    (complaint,) = complaints(caplog)
    assert said in complaint
    assert "EATEXT_ITEMS" in complaint


class DatedItem(pydantic.BaseModel, validate_assignment=True):
    main_text: str = ""
    date: dt.date | None = None


def test_a_date_that_the_page_lacks_may_be_none(server, caplog):
    fields = {"main_text": "text", "date": "date"}
    item, done = one(server, {**ADDON, "EATEXT_FIELDS": fields}, DatedItem)
    assert (item.main_text, item.date) == (text_of("one"), None)
    assert done.eatext("item/") == {"response": 1}
    assert complaints(caplog) == []


@pytest.mark.parametrize("setting", [{}, {"EATEXT_HTML_FIELD": "html"}])
def test_a_dict_has_its_own_keys_and_the_text(server, setting):
    def make(**fields):
        return defaultdict(list, {"": "a column without a name"})

    item, _ = one(server, {**ADDON, **setting}, make)
    assert item == {"": "a column without a name", "main_text": text_of("one")}


class NoTruth:
    """As an array of numpy: neither true nor false, and no URL."""

    def __bool__(self):
        raise ValueError("the truth value of an array is ambiguous")

    @property
    def host(self):
        raise RuntimeError("it has no host")


@pytest.mark.parametrize("name", ["main_text", "html", "url"])
def test_an_item_whose_value_answers_nothing_is_not_lost(server, name):
    value = NoTruth()
    item_type = DataItem if name == "html" else dict
    item, done = one(server, WITH_HTML, item_type, **{name: lambda _: value})
    kinds = {"main_text": "already_filled", "html": "response", "url": "none"}
    assert done.eatext("item/") == {kinds[name]: 1}
    # The HTML goes from every item.
    assert value_of(item, name) is (None if name == "html" else value)


@pytest.mark.parametrize("item_type", [FrozenAttrs, FrozenField, FrozenAttribute])
@pytest.mark.parametrize("settings", [WITH_HTML, TWO_WITH_HTML])
def test_a_frozen_item_is_copied(server, caplog, item_type, settings):
    yielded = []

    def remembered(**fields):
        yielded.append(item_type(**fields))
        return yielded[0]

    item, _ = one(server, settings, remembered, url=url_of, html="<p>Other.")
    assert item.main_text == (text_of("one") if "ADDONS" in settings else "Other.")
    assert item.html == ""
    assert type(item) is item_type
    assert yielded[0].main_text == ""
    assert complaints(caplog) == []


@pytest.mark.parametrize("settings", [ADDON, TWO_WITH_HTML])
def test_fields_that_are_not_there_before_they_are_set(server, settings):
    @dataclass
    class Unset:
        url: str
        html: str = field(init=False)
        main_text: str = field(init=False)

    item, done = one(server, settings, Unset, url=url_of)
    assert item.main_text == text_of("one")
    assert not hasattr(item, "html")
    assert sum(done.eatext("item/").values()) == 1


@dataclass
class Half:
    main_text: str = ""


@pytest.mark.parametrize(
    ("item_type", "kind", "missing", "meant"),
    [
        (Half, "response", "headline", "EATEXT_ITEMS = 'declared'"),
        (LackingItem, "no_field", "headline, main_text", "eatext = False in the class"),
    ],
)
def test_an_item_that_lacks_fields_is_named_once(
    server, caplog, item_type, kind, missing, meant
):
    settings = {**ADDON, "EATEXT_FIELDS": {"main_text": "text", "headline": "title"}}
    item, done = one(server, settings, item_type)
    assert item == item_type(text_of("one") if item_type is Half else "")
    assert done.eatext("item/") == {kind: 1}
    (complaint,) = complaints(caplog)
    assert complaint.startswith(f"{item_type.__name__} has no field {missing}, which")
    assert meant in complaint
    caplog.clear()
    one(server, {**settings, "EATEXT_ITEMS": "declared"}, item_type)
    assert complaints(caplog) == []


@dataclass
class Refusing:
    """Its class says no."""

    eatext: ClassVar[bool] = False
    url: str = ""
    html: str = ""
    main_text: str = ""


class RefusingItem(ScrapyItem):
    eatext = False


class RefusingDict(dict):
    eatext = False


@pytest.mark.parametrize("item_type", [Refusing, RefusingItem, RefusingDict])
def test_a_class_that_says_no(server, caplog, item_type):
    item, done = one(server, WITH_HTML, item_type, html="<p>Mine.", url=url_of)
    assert not value_of(item, "main_text")
    assert value_of(item, "html") == "<p>Mine."
    assert done.eatext("item/") == {"skipped_off": 1}
    assert complaints(caplog) == []


@pytest.mark.parametrize(
    "item_type", [dict, ScrapyItem, DataItem, AttrsItem, FrozenAttrs]
)
@pytest.mark.parametrize("no", [False, [False]])
def test_an_item_that_says_no(server, caplog, item_type, no):
    fields = {"main_text": "text", "sure": "score"}
    settings = {**WITH_HTML, "EATEXT_FIELDS": fields, "EATEXT_ITEMS": "declared"}
    item, done = one(server, settings, item_type, html="<p>x", main_text=no)
    if isinstance(item, (dict, scrapy.Item)):
        assert dict(item) == {}
    else:
        assert (item.main_text, item.html) == ("", "")
    assert done.eatext("item/") == {"skipped_off": 1}
    assert complaints(caplog) == []


@pytest.mark.parametrize(
    ("items", "item_type", "fields", "counted"),
    [
        ("all", dict, {}, "response"),
        ("declared", dict, {}, "no_field"),
        ("declared", dict, {"main_text": ""}, "response"),
        ("declared", dict, {"main_text": None}, "response"),
        ("declared", ScrapyItem, {}, "response"),
        ("declared", DataItem, {}, "response"),
        ("declared", LackingItem, {}, "no_field"),
        ([DataItem], DataItem, {}, "response"),
        ([DataItem], AttrsItem, {}, "skipped_off"),
        ([DataItem], dict, {}, "skipped_off"),
        (["tests.support.items.DataItem", dict], dict, {}, "response"),
        ("tests.support.items.DataItem,dict", dict, {}, "response"),
        (scrapy.Item, ScrapyItem, {}, "response"),
        (scrapy.Item, RefusingItem, {}, "skipped_off"),
    ],
)
def test_which_items_are_filled(server, caplog, items, item_type, fields, counted):
    settings = {**ADDON, "EATEXT_ITEMS": items}
    item, done = one(server, settings, item_type, **fields)
    if counted == "response":
        assert value_of(item, "main_text") == text_of("one")
    else:
        assert item == item_type(**fields)
    assert done.eatext("item/") == {counted: 1}
    assert complaints(caplog) == []


# -- the page that a URL names

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


def test_the_url_of_a_page_that_an_api_downloads(server, caplog):
    path = "/page/one?key=1&url=https%3A%2F%2Ffar.example%2Fa%3Fb%3D2"
    for url, warnings in (("https://far.example/a?b=2", 0), ("https://far.example", 1)):
        item, done = one(server, ADDON, dict, path=path, url=url)
        assert item["main_text"] == text_of("one")
        assert done.eatext("item/") == {"response": 1}
        assert len(complaints(caplog)) == warnings


class OtherUrlSpider(UrlSpider):
    """Yields items with the URL of the first page from the second."""

    def parse(self, response):
        item = {"url": response.url}
        yield response.follow("/page/second", self.parse_2, cb_kwargs={"item": item})

    def parse_2(self, response, item):
        yield item
        yield {"url": item["url"].replace("page", "./page") + "/#top", "number": 2}
        yield {"url": response.url, "number": 3}


NO_URLS = {"EATEXT_URL_FIELD": ""}


@pytest.mark.parametrize(
    ("remembered", "more", "pages", "kinds"),
    [
        (1000, {}, ("first", "first", "second"), {"url": 2, "response": 1}),
        (1, {}, (None, None, "second"), {"other_page": 2, "response": 1}),
        (1, NO_URLS, ("second",) * 3, {"response": 3}),
    ],
)
def test_an_item_with_the_url_of_another_page_has_its_text_while_it_is_remembered(
    server, caplog, monkeypatch, remembered, more, pages, kinds
):
    monkeypatch.setattr("scrapy_eatext.crawl.recent.MAX_URLS", remembered)
    done = crawl(OtherUrlSpider, {**ADDON, **more}, urls=(server("/page/first"),))
    texts = [item.get("main_text") for item in done.items]
    assert texts == [page and text_of(page) for page in pages]
    assert done.eatext("item/") == kinds
    said = r"dict has the URL of another page of this crawl.*EATEXT_URL_FIELD = ''"
    found = [bool(re.match(said, complaint)) for complaint in complaints(caplog)]
    assert found == [True] * ("other_page" in kinds)


class UrlItem(pydantic.BaseModel):
    url: pydantic.HttpUrl
    main_text: str = ""


def test_a_url_that_is_no_str(server):
    class Typed(OtherUrlSpider):
        def parse_2(self, response, item):
            for url in (item["url"], response.url):
                yield UrlItem(url=url)

    done = crawl(Typed, ADDON, urls=(server("/page/first"),))
    texts = [item.main_text for item in done.items]
    assert texts == [text_of("first"), text_of("second")]
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
