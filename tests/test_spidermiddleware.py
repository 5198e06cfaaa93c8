"""Items and requests on their way from the spider."""

from __future__ import annotations

import gc
import weakref

import pytest
import scrapy
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse

from scrapy_eatext import EatextSpiderMiddleware, MainText
from scrapy_eatext.service import _MAX_TIED, Service
from tests.crawling import ADDON, PLAIN, UrlSpider, crawl, run
from tests.mockserver import text_of


class OtherOutputSpider(UrlSpider):
    """Yields all that a callback may yield."""

    async def parse(self, response):
        yield None
        yield {"kind": "dict"}
        yield response.follow("/page/next", self.parse_next, meta=response.meta)

    def parse_next(self, response):
        return [{"kind": "next"}]


def test_every_output_goes_through(server):
    done = crawl(OtherOutputSpider, ADDON, urls=(server("/page/one"),))
    assert not done.errors
    assert {item["kind"]: item["main_text"] for item in done.items} == {
        "dict": text_of("one"),
        "next": text_of("next"),
    }


class MakingMiddleware:
    """Makes an item of its own for each response."""

    async def process_spider_output(self, response, result):
        async for output in result:
            yield output
        yield {"made": True}


def test_items_of_other_middlewares_are_tied(server):
    settings = {
        **ADDON,
        "SPIDER_MIDDLEWARES": {"tests.test_spidermiddleware.MakingMiddleware": 500},
    }
    done = crawl(UrlSpider, settings, urls=(server("/page/one"),))
    assert [item["main_text"] for item in done.items] == [text_of("one")] * 2


class FailingPipeline:
    """Drops the first item and fails on the second, before they are filled."""

    def process_item(self, item):
        if item["number"] == 0:
            raise DropItem("first")
        if item["number"] == 1:
            raise ValueError
        return item


@pytest.mark.parametrize("place", [100, None])
def test_items_that_do_not_reach_the_pipeline_are_forgotten(server, monkeypatch, place):
    services = []
    init = Service.__init__
    monkeypatch.setattr(
        Service, "__init__", lambda self, c: services.append(self) or init(self, c)
    )

    class Three(UrlSpider):
        def parse(self, response):
            for number in range(3):
                yield {"number": number}

    settings = {
        **ADDON,
        "ITEM_PIPELINES": {
            "tests.test_spidermiddleware.FailingPipeline": 50,
            "scrapy_eatext.EatextPipeline": place,
        },
    }
    done = crawl(Three, settings, urls=(server("/page/one"),))
    assert [item["number"] for item in done.items] == [2]
    assert len(done.dropped) == len(done.errors) == 1
    (service,) = services
    assert not service._tied


@pytest.fixture
def service():
    from scrapy.settings import Settings
    from scrapy.signalmanager import SignalManager
    from scrapy.statscollectors import StatsCollector

    class FakeCrawler:
        settings = Settings({"EATEXT_ALGORITHM": PLAIN})
        spider = None

    crawler = FakeCrawler()
    crawler.signals = SignalManager(crawler)
    crawler.stats = StatsCollector(crawler)
    made = Service.of(crawler)
    yield made
    run(made._close())


def test_the_table_of_tied_items_is_bounded(service):
    response = HtmlResponse("http://example.com/")
    items = [{"number": n} for n in range(_MAX_TIED + 5)]
    for item in items:
        service.tie(item, response)
    assert len(service._tied) == _MAX_TIED
    assert service.untie(items[0]) is None
    assert service.untie(items[-1]) is response
    assert service.untie(items[-1]) is None


def test_a_tied_item_does_not_keep_its_response(service):
    response = HtmlResponse("http://example.com/")
    gone = weakref.ref(response)
    item = {"number": 1}
    service.tie(item, response)
    del response
    gc.collect()
    assert gone() is None
    assert service.untie(item) is None


def test_requests_are_cleaned_before_they_are_stored(service):
    async def outputs():
        yield scrapy.Request("http://example.com/", meta={"main_text": MainText()})

    async def clean():
        middleware = EatextSpiderMiddleware(service._crawler)
        response = HtmlResponse("http://example.com/")
        return [
            output
            async for output in middleware.process_spider_output(response, outputs())
        ]

    (request,) = run(clean())
    assert request.meta == {}
