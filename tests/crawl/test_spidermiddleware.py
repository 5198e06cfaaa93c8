"""Items and requests on their way from the spider."""

from __future__ import annotations

import gc
import weakref

import pytest
import scrapy
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from scrapy_eatext import EatextSpiderMiddleware
from scrapy_eatext.crawl.recent import current_response
from scrapy_eatext.crawl.service import Service
from tests.support.crawling import ADDON, PLAIN, UrlSpider, crawl, run
from tests.support.mockserver import text_of

pytestmark = pytest.mark.slow


def test_every_output_goes_through(server):
    class OtherOutputSpider(UrlSpider):
        async def parse(self, response):
            yield None
            yield "no item"
            yield {"kind": "dict"}
            yield response.follow("/page/next", self.parse_next, meta=response.meta)

        def parse_next(self, response):
            return [{"kind": "next"}]

    done = crawl(OtherOutputSpider, ADDON, urls=(server("/page/one"),))
    done.items.remove("no item")
    assert done.eatext()["item_count"] == 2
    assert {item["kind"]: item["main_text"] for item in done.items} == {
        "dict": text_of("one"),
        "next": text_of("next"),
    }


def test_items_of_other_middlewares_are_tied(server):
    class MakingMiddleware:
        """Makes an item of its own for each response."""

        async def process_spider_output(self, response, result):
            async for output in result:
                yield output
            yield {"made": True}

    settings = {**ADDON, "SPIDER_MIDDLEWARES": {MakingMiddleware: 500}}
    done = crawl(UrlSpider, settings, urls=(server("/page/one"),))
    assert [item["main_text"] for item in done.items] == [text_of("one")] * 2


@pytest.fixture
def services(monkeypatch):
    """The services that crawls make."""
    made = []
    init = Service.__init__
    monkeypatch.setattr(
        Service, "__init__", lambda self, c: made.append(self) or init(self, c)
    )
    return made


@pytest.mark.parametrize("place", [100, None])
def test_items_are_let_go_whatever_becomes_of_them(server, services, place):
    held = []

    class FailingPipeline:
        """Drops the first item, fails on the second and replaces others."""

        def process_item(self, item):
            if item["number"] == 0:
                raise DropItem("first")
            if item["number"] == 1:
                raise ValueError
            return dict(item)

    class Watcher:
        """Sees how many items the service holds when another is done."""

        def process_item(self, item):
            held.append(len(services[0].ties._tied))
            return item

    class Many(UrlSpider):
        def parse(self, response):
            for number in range(2000):
                yield {"number": number}

    settings = {
        **ADDON,
        "ITEM_PIPELINES": {
            FailingPipeline: 50,
            "scrapy_eatext.EatextPipeline": place,
            Watcher: 900,
        },
        "CONCURRENT_ITEMS": 10,
        "LOG_LEVEL": "WARNING",
    }
    done = crawl(Many, settings, fails=True, urls=(server("/page/one"),))
    assert len(done.items) == 1998
    assert len(done.dropped) == len(done.errors) == 1
    if place:
        assert {item["main_text"] for item in done.items} == {text_of("one")}
        assert len({id(item["main_text"]) for item in done.items}) == 1
        assert done.eatext("item/") == {"response": 1998}
    # As many items as Scrapy has in its own queue, and no more.
    assert max(held) <= 2 * 10 + 1
    assert not services[0].ties._tied


def test_items_that_another_middleware_swallows_are_let_go(server, services):
    class SwallowingMiddleware:
        """Nearer to the engine than this package's: lets no item pass."""

        async def process_spider_output(self, response, result):
            async for output in result:
                if isinstance(output, scrapy.Request):
                    yield output

    settings = {**ADDON, "SPIDER_MIDDLEWARES": {SwallowingMiddleware: 1}}
    urls = tuple(server(f"/page/{n}") for n in range(20))
    done = crawl(UrlSpider, settings, urls=urls)
    assert not done.items
    gc.collect()
    assert not services[0].ties._tied


SETTINGS = {"EATEXT_ALGORITHM": PLAIN}


@pytest.fixture
def service():
    made = Service.of(get_crawler(settings_dict=SETTINGS))
    yield made
    run(made._close())


def test_nothing_stays_of_a_crawl_that_could_not_start():
    crawler = get_crawler(settings_dict=SETTINGS)
    middleware = EatextSpiderMiddleware.from_crawler(crawler)
    assert middleware._service is Service.of(crawler)
    gone = weakref.ref(crawler)
    del crawler, middleware
    gc.collect()
    assert gone() is None


def test_an_item_that_is_yielded_twice_enters_twice(service):
    item = {"number": 1}
    service.ties.tie(item, HtmlResponse("http://example.com/"))
    assert not service.ties._tied  # as nobody fills it
    service.fill_items()
    responses = [HtmlResponse(f"http://example.com/{n}") for n in range(2)]
    for response in responses:
        service.ties.tie(item, response)
    for response in responses:
        assert service.ties.enter(item) is item
        assert current_response() is response
    service.ties.enter(item)
    assert current_response() is None
    assert not service.ties._tied


@pytest.mark.parametrize("entered", [False, True])
def test_a_tied_item_does_not_keep_its_response(service, entered):
    service.fill_items()
    response = HtmlResponse("http://example.com/")
    gone = weakref.ref(response)
    item = {"number": 1}
    service.ties.tie(item, response)
    if entered:
        service.ties.enter(item)
    del response
    gc.collect()
    assert gone() is None
    assert not service.ties._tied
    assert current_response() is None
