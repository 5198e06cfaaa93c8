"""Feeds with a line for each chunk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest

from scrapy_eatext import ChunkItemExporter, extract
from scrapy_eatext.result import Chunk
from tests.support.crawling import ADDON, UrlSpider, crawl

HTML = f"<h1>Boats</h1><article><p>{'The ferry goes. ' * 20}</p></article>"


@dataclass
class Page:
    url: str
    title: str
    chunks: tuple[Chunk, ...] | None = ()


def lines(*items: Any, **options: Any) -> list[Any]:
    """What a feed of some items has."""
    file = BytesIO()
    exporter = ChunkItemExporter(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return [json.loads(line) for line in file.getvalue().splitlines()]


def test_a_line_has_a_chunk_and_the_fields_of_its_item():
    chunks = extract(HTML, url="https://example.com/boats").chunks(30)
    assert len(chunks) > 1
    page = Page("https://example.com/boats", "Boats", chunks)
    made = lines(page)
    assert [line.pop("index") for line in made] == [*range(len(chunks))]
    for line, chunk in zip(made, chunks, strict=True):
        assert line.pop("title") == "Boats"
        assert line == {
            "text": chunk.text,
            "headings": list(chunk.headings),
            "xpath": chunk.xpath,
            "start": chunk.start,
            "end": chunk.end,
            "url": chunk.url,
        }
    # The item is as it was: other feeds have it too.
    assert page.chunks == chunks


def test_an_item_without_chunks_has_no_line():
    assert lines(Page("u", "t"), Page("u", "t", None), {"url": "u"}) == []


def test_fields_are_chosen_as_in_other_feeds():
    chunk = Chunk("Boats", (), "/html", 0, 5, "https://example.com/#x")
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
    found = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    expected = [chunk.text for item in done.items for chunk in item["chunks"]]
    assert len(expected) >= 3
    assert sorted(line["text"] for line in found) == sorted(expected)
