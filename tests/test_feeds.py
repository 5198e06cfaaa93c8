"""Feeds in Parquet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet

from scrapy_eatext import ParquetItemExporter, extract
from scrapy_eatext.result import ATTRIBUTES
from tests.support.crawling import ADDON, UrlSpider, crawl
from tests.support.passages import PROSE

EXPORTERS = {"parquet": "scrapy_eatext.ParquetItemExporter"}


@dataclass
class Part:
    n: int


def table_of(tmp_path, items, **options):
    file = tmp_path / "feed.parquet"
    with file.open("wb") as out:
        exporter = ParquetItemExporter(out, **options)
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()
    return parquet.read_table(file)


def test_columns_have_the_types_of_the_first_items(tmp_path):
    items: list[dict[str, Any]] = [
        {"a": "x", "n": 1, "f": 1, "b": True, "e": [], "m": 5, "o": Part(1)},
        {"a": b"\xff", "n": None, "f": 0.5, "b": False, "e": None, "m": "six"},
        {"a": "\ud800", "d": datetime(2024, 5, 1), "e": ("a", {"b": Part(2)})},
    ]
    table = table_of(tmp_path, items)
    types = {field.name: str(field.type) for field in table.schema}
    assert types == {
        **dict.fromkeys("aemod", "string"),
        "n": "int64",
        "f": "double",
        "b": "bool",
    }
    assert table.column("a").to_pylist() == ["x", "\ufffd", "?"]
    assert table.column("n").to_pylist() == [1, None, None]
    assert table.column("e").to_pylist() == ["[]", None, '["a", {"b": {"n": 2}}]']
    assert table.column("m").to_pylist() == ["5", "six", None]
    assert table.column("o").to_pylist()[0] == '{"n": 1}'
    assert table.column("d").to_pylist()[2] == "2024-05-01T00:00:00"


def test_what_a_column_cannot_hold_is_left_out_and_reported_once(
    tmp_path, caplog, monkeypatch
):
    monkeypatch.setattr("scrapy_eatext.feeds._ROWS", 2)
    first = [{"n": 1, "t": "a"}] * 2
    later = [{"n": "six", "t": 7}, {"n": 10**30, "t": None, "new": 1}, {"n": 2}]
    table = table_of(tmp_path, [*first, *later])
    assert table.column("n").to_pylist() == [1, 1, None, None, 2]
    assert table.column("t").to_pylist() == ["a", "a", "7", None, None]
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "field n are left out: 'six' is no int64" in "".join(said)
    assert "field new are left out: it has no column" in "".join(said)
    schema = pa.schema([("n", pa.string()), ("new", pa.int32())])
    table = table_of(tmp_path, [*first, *later], schema=schema)
    assert table.column("n").to_pylist()[2:] == ["six", str(10**30), "2"]
    assert table.column("new").to_pylist()[3] == 1


def test_a_feed_without_items_is_a_table(tmp_path):
    assert table_of(tmp_path, []).num_rows == 0


class Pages(UrlSpider):
    def parse(self, response):
        yield {"url": response.url}


@pytest.mark.slow
def test_every_attribute_goes_into_a_feed(tmp_path, server):
    file = tmp_path / "feed.parquet"
    settings = {
        **ADDON,
        "EATEXT_FIELDS": {name: name for name in ATTRIBUTES},
        "FEED_EXPORTERS": EXPORTERS,
        "FEEDS": {str(file): {"format": "parquet"}},
    }
    urls = tuple(server(f"/page/{i}") for i in range(3))
    done = crawl(Pages, settings, urls=urls)
    rows = parquet.read_table(file).to_pylist()
    items = {item["url"]: item for item in done.items}
    assert len(rows) == len(items) == 3
    for row in rows:
        item = items[row["url"]]
        assert row["text"] == item["text"]
        assert json.loads(row["blocks"])[0]["text"] == item["blocks"][0].text
        assert row["score"] == item["score"]


def test_a_page_of_prose_goes_in_and_out(tmp_path):
    found = extract(f"<h1>A</h1><p>{PROSE['en']}</p>", algorithm="justext")
    table = table_of(tmp_path, [{"text": found.text, "blocks": found.blocks}])
    assert table.column("text").to_pylist() == [found.text]
