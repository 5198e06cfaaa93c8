"""The add-on's places, the way of a response, which are pages, and feeds of chunks."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from io import BytesIO
from typing import Any

import pytest
import scrapy
from scrapy.http import HtmlResponse
from scrapy.settings import BaseSettings, Settings
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

import scrapy_eatext
from scrapy_eatext import Addon, ChunkItemExporter, extract
from scrapy_eatext.execution.choice import SettingError
from scrapy_eatext.page.decode import is_binary
from scrapy_eatext.result import Chunk
from tests.support.crawling import (
    ADDON,
    DOWNLOADER,
    PIPELINE,
    SPIDER,
    UrlSpider,
    crawl,
    fed,
)
from tests.support.items import export
from tools.response_path import Trace, TwoPages

PLACES = {
    "DOWNLOADER_MIDDLEWARES": (scrapy_eatext.EatextDownloaderMiddleware, 545),
    "SPIDER_MIDDLEWARES": (scrapy_eatext.EatextSpiderMiddleware, 40),
    "ITEM_PIPELINES": (scrapy_eatext.EatextPipeline, 100),
}


def updated(**given):
    settings = Settings(given)
    Addon().update_settings(settings)
    return settings


@pytest.mark.parametrize("key", PLACES)
@pytest.mark.parametrize("given", [None, 77])
def test_a_component_gets_its_place_or_keeps_that_of_the_project(key, given):
    component, priority = PLACES[key]
    assert dict(updated()[key]) == {component: priority}
    for name in (
        component,
        f"scrapy_eatext.{component.__name__}",
        f"{component.__module__}.{component.__name__}",
    ):
        project = {name: given, "other.Component": 1}
        assert dict(updated(**{key: project})[key]) == project


def test_nothing_else_changes():
    # Not read through the settings, as some of Scrapy's own keys are deprecated.
    before, after = Settings().attributes, updated().attributes
    assert before.keys() == after.keys()

    def plain(value):
        return dict(value) if isinstance(value, BaseSettings) else value

    changed = {
        key for key in before if plain(before[key].value) != plain(after[key].value)
    }
    assert changed == set(PLACES)


def test_few_functions_are_on_the_way_of_a_response_and_one_result():
    trace = Trace()
    with trace.running():
        done = crawl(TwoPages, {})
    assert len(done.items) == 2
    assert "enough words" in trace.item["main_text"]
    assert trace.results == 1
    assert trace.count <= 60, trace.functions


@pytest.mark.parametrize(("priority", "is_wrong"), [(549, False), (550, True)])
def test_the_downloader_middleware_stands_below_the_retries(priority, is_wrong):
    name = "scrapy_eatext.EatextDownloaderMiddleware"
    crawler = get_crawler(
        settings_dict={"DOWNLOADER_MIDDLEWARES": {name: priority}, "EATEXT_WORKERS": 1}
    )
    said = rf"DOWNLOADER_MIDDLEWARES\['{name}'\] is 550, it must be below .* 550"
    with pytest.raises(SettingError, match=said) if is_wrong else nullcontext():
        scrapy_eatext.EatextDownloaderMiddleware.from_crawler(crawler)


@pytest.mark.parametrize("beside", [{}, DOWNLOADER, SPIDER])
def test_a_pipeline_alone_says_what_is_missing(server, caplog, beside):
    urls = (server("/page/one"), server("/page/two"))
    crawl(UrlSpider, {**PIPELINE, **beside}, urls=urls)
    warnings = [one for one in caplog.messages if "EatextPipeline is alone" in one]
    assert len(warnings) == (not beside)


LAKE = "<html><p>The water of the lake was low that summer.</p></html>"


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (LAKE.encode(), "text/html", True),
        ((LAKE * 9 + "\x0b").encode(), "text/html", True),
        (LAKE.encode("utf-16-le"), "text/html; charset=utf-16-le", True),
        (LAKE.encode("utf-16"), "text/html", True),
        (b"", "text/html", True),
        (b"%PDF-1.4\n1 0 obj <</Type /Catalog>> endobj", "text/html", False),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0", "text/html; charset=utf-8", False),
    ],
)
def test_pages_by_their_bytes(body, content_type, expected):
    headers = {"Content-Type": content_type}
    response = HtmlResponse("https://a.org/a.html", headers=headers, body=body)
    assert is_binary(response.body, response.encoding) is not expected


# -- chunks in feeds

HTML = f"<h1>Boats</h1><article><p>{'The ferry goes. ' * 20}</p></article>"


@dataclass
class Page:
    url: str
    title: str
    chunks: tuple[Chunk, ...] | None = ()


def lines(*items: Any, **options: Any) -> list[Any]:
    """What a feed of some items has."""
    file = BytesIO()
    export(ChunkItemExporter(file, **options), *items)
    return [json.loads(line) for line in file.getvalue().splitlines()]


def test_a_line_has_a_chunk_and_the_fields_of_its_item():
    chunks = extract(HTML, url="https://example.com/boats").chunks(30)
    assert len(chunks) > 1
    page = Page("https://example.com/boats", "Boats", chunks)
    assert lines(page) == [
        {
            **asdict(chunk),
            "headings": list(chunk.headings),
            "title": "Boats",
            "index": index,
        }
        for index, chunk in enumerate(chunks)
    ]
    # The item is as it was: other feeds have it too.
    assert page.chunks == chunks


def test_an_item_that_nobody_gave_chunks_causes_a_warning(caplog):
    # Where the pipeline fills the field, the page of an item without it has no text.
    crawler = get_crawler(settings_dict={"EATEXT_FIELDS": {"chunks": "chunks"}})
    export(build_from_crawler(ChunkItemExporter, crawler, BytesIO()), {"url": "u"})
    assert lines(Page("u", "t"), Page("u", "t", None)) == []
    assert not caplog.messages
    assert lines({"url": "u"}, {"url": "v"}) == []
    (warning,) = caplog.messages
    assert warning.startswith("dict has no field chunks")
    assert "unless its page was skipped" in warning  # as a PDF


class Priced(scrapy.Item):
    price = scrapy.Field(serializer=lambda value: f"EUR {value}")
    chunks = scrapy.Field(serializer=len)


def test_fields_are_serialized_and_chosen_as_in_other_feeds():
    chunk = Chunk("Boats", (), "/html", 0, 5, "https://example.com/#x")
    (line,) = lines(Priced(price=3, chunks=(chunk,)))
    assert (line["price"], line["text"]) == ("EUR 3", "Boats")
    found = lines({"chunks": (chunk,), "n": 1}, fields_to_export=["url", "index", "n"])
    assert found == [{"url": "https://example.com/#x", "index": 0, "n": 1}]


@pytest.mark.slow
def test_a_crawl_writes_pages_and_chunks(tmp_path, server):
    file = tmp_path / "chunks.jsonl"
    settings = {
        **ADDON,
        "EATEXT_CHUNKS": {"size": 20},
        "EATEXT_FIELDS": {"title": "title", "chunks": "chunks"},
        "FEED_EXPORTERS": {"chunks": "scrapy_eatext.ChunkItemExporter"},
        "FEEDS": {str(file): {"format": "chunks"}},
    }
    urls = tuple(server(f"/page/{i}") for i in range(3))
    done = crawl(UrlSpider, settings, urls=urls)
    expected = [chunk.text for item in done.items for chunk in item["chunks"]]
    assert len(expected) >= 3
    assert sorted(line["text"] for line in fed(file)) == sorted(expected)
