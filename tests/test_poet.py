"""MainText and Article as dependencies, by scrapy-poet."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial

import pytest

pytest.importorskip("scrapy_poet")
pytest.importorskip("zyte_common_items")

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from web_poet import AnyResponse, BrowserHtml, BrowserResponse, HttpResponse
from web_poet.serialization import (
    SerializedDataFileStorage,
    deserialize_leaf,
    load_class,
    serialize,
)
from zyte_common_items import (
    Article,
    ArticleList,
    BaseSalary,
    ForumThread,
    JobPosting,
    Product,
    ProductList,
)

from scrapy_eatext import MainText, extract, poet
from scrapy_eatext.result import Entry, Metadata, Post
from tests.support.crawling import UrlSpider, crawl
from tests.support.mockserver import text_of
from tests.support.pages import json_ld
from tests.support.passages import BOATS

pytestmark = pytest.mark.slow

# With both add-ons.
SETTINGS = {
    "ADDONS": {"scrapy_eatext.Addon": 500, "scrapy_poet.Addon": 300},
    "SCRAPY_POET_PROVIDERS": {"scrapy_eatext.poet.MainTextProvider": 500},
}
URL = "https://example.com/boats"
NOW = partial(datetime.now, timezone.utc)


PAGE = HtmlResponse(URL, body=BOATS, encoding="utf-8")


def provided(provider, cls, response=PAGE, **meta):
    request = Request(URL, meta=meta)
    made = provider(None)({cls}, request=request, response=response)
    # Not asyncio.run(), which takes away the loop that other tests' reactor has.
    loop = asyncio.new_event_loop()
    try:
        (provided,) = loop.run_until_complete(made)
    finally:
        loop.close()
    return provided


def test_main_text_is_what_was_attached():
    result = MainText("attached")
    made = provided(poet.MainTextProvider, MainText, main_text=result)
    assert made == result


def test_the_response_of_a_page_object():
    response = HttpResponse(URL, BOATS.encode(), headers={"content-type": "text/html"})
    made = extract(response)
    assert made.text
    assert made == extract(BOATS, url=URL)
    browser = BrowserResponse(url=URL, html=BrowserHtml(BOATS))
    for other in (browser, AnyResponse(browser), AnyResponse(response)):
        assert extract(other) == made
    for kind in ("text/html", "text/html; charset=latin-1"):
        page = BOATS.replace("<p>", "<p>Café ").encode("latin-1", "ignore")
        latin = HttpResponse(URL, page, headers={"content-type": kind})
        assert "Café " in extract(latin).text
    image = HttpResponse(URL, b"\x89PNG\r\n\x1a\n\0\0" * 99)
    assert extract(image).text == extract(AnyResponse(image)).text == ""


def test_main_text_is_made_where_nothing_was_attached():
    assert provided(poet.MainTextProvider, MainText) == extract(PAGE)
    binary = Response(URL, body=b"\0")
    assert provided(poet.MainTextProvider, MainText, binary).text == ""


@pytest.mark.parametrize("made", [extract(BOATS, url=URL), MainText("attached")])
def test_web_poet_stores_results(made, tmp_path):
    SerializedDataFileStorage(tmp_path).write(serialize([made]))
    stored = SerializedDataFileStorage(tmp_path).read()
    ((name, data),) = stored.items()
    again = deserialize_leaf(load_class(name), data)
    assert again == made
    if made.source is not None:
        assert again.markdown == made.markdown
        assert again.metadata == made.metadata
        assert again.blocks == made.blocks


class PoetSpider(UrlSpider):
    async def start(self):
        yield Request(self.urls[0], self.parse_text)

    def parse_text(self, response, found: MainText):
        yield {"text": found.text, "markdown": found.markdown}


# Annotations are strings here, and scrapy-poet looks for what they name.
PoetSpider.parse_text.__annotations__.update(found=MainText)


def test_a_cache_of_what_is_provided(server, tmp_path):
    settings = {**SETTINGS, "SCRAPY_POET_CACHE": str(tmp_path)}
    urls = (server("/page/1"),)
    first, second = (crawl(PoetSpider, settings, urls=urls) for _ in range(2))
    assert first.items == second.items
    assert first.items[0]["text"] == text_of(1)
    assert second.stats["poet/cache/hit"] == 1


def test_what_is_made_late_is_made_by_the_settings_of_the_crawl(server):
    more = {"EATEXT_ALGORITHM": "density", "EATEXT_SITES": {"127.0.0.1": False}}
    done = crawl(PoetSpider, {**SETTINGS, **more}, urls=(server("/page/1"),))
    assert done.eatext("late/") == {"extracted": 1}
    assert done.eatext("algorithm/") == {"density": 1}


def test_article():
    made = provided(poet.ArticleProvider, Article)
    assert isinstance(made, Article)
    assert (made.headline, made.url) == ("Boats", URL)
    assert [author.name for author in made.authors] == ["Ann Li"]
    assert made.datePublished == "2024-03-01T07:00:00Z"
    assert made.datePublishedRaw == "2024-03-01T09:00:00+02:00"
    # The page gives no zone.
    assert made.dateModified == "2024-03-02T00:00:00"
    assert made.inLanguage == "en"
    assert made.mainImage.url == "https://example.com/boats.png"
    assert 0 <= made.metadata.probability <= 1


def test_each_item_is_made_by_its_class():
    for cls in (Product, ForumThread, ArticleList, ProductList):
        made = provided(poet.ArticleProvider, cls)
        assert isinstance(made, cls)
        assert made.url == URL
        assert abs(made.metadata.get_date_downloaded_parsed() - NOW()).seconds < 60


def test_what_a_page_tells_of_itself_goes_into_the_item_of_its_kind():
    text = "The river of the small town was quiet, and nobody had seen it so before."
    html = f"""<title>Boats</title><meta property=og:image content=/a.png><h1>Boats</h1>
        <h2>Oars</h2><p>{text}</p><h2>Sails</h2><p>{text}</p><p>More of {text}</p>"""
    result = extract(html, url=URL)
    made = poet.page_object(replaced(result, "product"), URL)
    assert (made.name, made.description, made.images[0].url) == (
        "Boats", result.text, "https://example.com/a.png"
    )  # fmt: skip
    made = poet.page_object(replaced(result, "forum"), URL)
    assert (made.topic.name, made.posts[0].text) == ("Boats", result.text)
    made = poet.page_object(replaced(result, "article"), URL)
    assert (type(made), made.images[0].url) == (Article, "https://example.com/a.png")


def with_data(head, data):
    """The result of a page with data in JSON-LD."""
    return extract(f"{head}{json_ld(data)}<p>x")


def test_a_product_goes_into_its_item():
    data = {
        "@type": "Product", "name": "Kea", "brand": "Boaty", "sku": 12,
        "gtin13": "4006381333931", "aggregateRating": {"ratingValue": 4, "ratingCount": 3},
        "offers": {"price": 9, "priceCurrency": "EUR", "availability": "SoldOut"},
    }  # fmt: skip
    made = poet.item("Product", with_data("<title>Kea - Boats</title>", data), URL)
    assert (made.name, made.price, made.currency) == ("Kea", "9", "EUR")
    assert (made.brand.name, made.sku) == ("Boaty", "12")
    assert made.availability == "OutOfStock"
    assert (made.gtin[0].type, made.gtin[0].value) == ("gtin13", "4006381333931")
    rating = made.aggregateRating
    assert (rating.ratingValue, rating.reviewCount) == (4, 3)
    bare = poet.item("Product", extract("<title>Kea</title><p>x"), URL)
    assert (bare.name, bare.gtin, bare.aggregateRating) == ("Kea", None, None)


def test_a_job_goes_into_its_item():
    job = {
        "@type": "JobPosting", "title": "Boat builder", "validThrough": "2024-05-01",
        "employmentType": ["FULL_TIME"], "hiringOrganization": {"name": "Boaty"},
        "jobLocation": {"address": {"addressLocality": "Kiel", "addressCountry": "DE"}},
    }  # fmt: skip
    made = poet.item("JobPosting", with_data("", {"@graph": [job]}), URL)
    assert (made.jobTitle, made.employmentType) == ("Boat builder", "FULL_TIME")
    assert made.hiringOrganization.name == "Boaty"
    assert made.jobLocation.raw == "Kiel, DE"
    assert made.validThrough == "2024-05-01T00:00:00"
    assert made.baseSalary is None
    assert type(poet.page_object(with_data("", job), URL)) is JobPosting
    bare = poet.item("JobPosting", extract("<title>Kea</title><p>x"), URL)
    assert (bare.jobTitle, bare.jobLocation) == ("Kea", None)


@pytest.mark.parametrize(
    ("salary", "expected"),
    [
        (
            {"currency": "EUR", "value": {"minValue": 3000, "maxValue": "4,000", "unitText": "MONTH"}},
            {"valueMin": "3000", "valueMax": "4000", "currency": "EUR", "rateType": "monthly"},
        ),
        ({"value": {"value": 21.5, "unitText": "Hour"}},
         {"valueMin": "21.50", "valueMax": "21.50", "rateType": "hourly"}),
        ({"currency": "EUR", "value": 30000},
         {"valueMin": "30000", "valueMax": "30000", "currency": "EUR"}),
        ("from 30,000 euros", {"raw": "from 30,000 euros"}),
        ({"currency": "EUR"}, None),
    ],
)  # fmt: skip
def test_what_a_job_pays(salary, expected):
    data = {"@type": "JobPosting", "title": "Boat builder", "baseSalary": salary}
    made = poet.item("JobPosting", with_data("", data), URL)
    assert made.baseSalary == (expected and BaseSalary(**expected))


def test_breadcrumbs_go_into_items():
    path = "<p class=breadcrumbs><a href=/>Home</a> <a href=/b>Boats</a></p><p>x"
    made = poet.item("Article", extract(path, url=URL), URL)
    assert [one.name for one in made.breadcrumbs] == ["Home", "Boats"]


def test_posts_go_into_a_thread():
    posts = (
        Post("Which glue?", "Ann", "2024-03-01T09:00:00+02:00"),
        Post("", "Bo", "2024-03-01", quoted="Which glue?"),
        Post("The yellow one.", "Bo", "2 hours ago"),
    )
    computed = {
        "metadata": Metadata(published="2024-03-01"),
        "posts": posts,
        "structured_data": (),
    }
    result = MainText(text="Which glue?", page_type="forum").backed(computed)
    made = poet.page_object(result, URL).posts
    assert [(one.text, one.datePublished) for one in made] == [
        ("Which glue?", "2024-03-01T07:00:00Z"),
        ("The yellow one.", None),
    ]
    # Of another page they are the comments.
    other = replace(result, page_type="article").backed(computed)
    (one,) = poet.item("ForumThread", other, URL).posts
    assert (one.text, one.datePublished) == ("Which glue?", "2024-03-01T00:00:00")


def test_entries_go_into_the_list_of_their_kind():
    image = f"{URL}1.png"
    boats = Entry("Boats", f"{URL}1", "Old ones.", "2024-03-01", "", image, "Ann")

    def listed(entry):
        computed = {
            "entries": (entry,),
            "metadata": Metadata(),
            "next_page": f"{URL}?p=2",
        }
        return poet.page_object(MainText(page_type="listing").backed(computed), URL)

    made = listed(boats)
    assert type(made) is ArticleList
    (one,) = made.articles
    assert (one.headline, one.url, one.articleBody) == ("Boats", f"{URL}1", "Old ones.")
    assert (one.datePublished, one.authors[0].name) == ("2024-03-01T00:00:00", "Ann")
    assert one.mainImage.url == image
    made = listed(replace(boats, price="€ 1.299,00"))
    assert type(made) is ProductList
    (one,) = made.products
    assert (one.name, one.price, one.currencyRaw) == ("Boats", "1299.00", "€")
    assert made.paginationNext.url == f"{URL}?p=2"


def replaced(result, page_type):
    known = {"metadata": result.metadata, "html": "", "product": None}
    lists = {"entries": (), "posts": (), "next_page": "", "structured_data": ()}
    return replace(result, page_type=page_type).backed({**known, **lists})


def test_what_is_not_known_is_none():
    made = poet.item("Article", extract("<p>x"), URL)
    assert (made.headline, made.authors, made.datePublished) == (None, None, None)


def test_article_needs_zyte_common_items(monkeypatch):
    monkeypatch.setattr(poet, "common", None)
    with pytest.raises(ImportError, match="pip install zyte-common-items"):
        poet.item("Article", MainText(), URL)
