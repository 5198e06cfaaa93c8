"""Feeds in Parquet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet

from scrapy_eatext import ParquetItemExporter
from scrapy_eatext.result import ATTRIBUTES
from tests.support.crawling import ADDON, UrlSpider, crawl

EXPORTERS = {"parquet": "scrapy_eatext.ParquetItemExporter"}


@dataclass
class Thing:
    n: int
    when: date


def exported(*items: Any, **options: Any) -> Any:
    """The table that a feed of some items is."""
    file = BytesIO()
    exporter = ParquetItemExporter(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return parquet.read_table(BytesIO(file.getvalue()))


def test_a_column_has_the_type_of_all_its_values():
    table = exported(
        {"a": "x", "n": 1, "f": 1, "b": True, "tags": [], "m": 5, "big": 1},
        {"a": "\ud800", "n": None, "f": 0.5, "tags": ["a"], "m": "six", "big": 1 << 64},
        {"a": b"y", "e": [1, "a"], "none": None, "thing": [Thing(3, date(2024, 5, 1))]},
    )
    assert {field.name: str(field.type) for field in table.schema} == {
        "a": "string",
        "n": "int64",
        "f": "double",
        "b": "bool",
        "tags": "list<element: string>",
        "m": "string",
        "big": "string",
        "e": "string",
        "none": "string",
        "thing": "string",
    }
    rows = table.to_pylist()
    assert [row["a"] for row in rows] == ["x", "?", "y"]
    assert [row["m"] for row in rows] == ["5", "six", None]
    assert [row["big"] for row in rows] == ["1", str(1 << 64), None]
    assert [row["tags"] for row in rows] == [[], ["a"], None]
    assert rows[2]["e"] == '[1, "a"]'
    assert json.loads(rows[2]["thing"]) == [{"n": 3, "when": "2024-05-01"}]


def test_a_feed_is_large_or_empty_or_has_fields_that_are_named():
    table = exported(*({"n": i} for i in range(1200)), {"late": "one"})
    assert table.column("n").to_pylist() == [*range(1200), None]
    assert table.column("late").to_pylist()[-1] == "one"
    assert exported().num_rows == 0
    table = exported({"a": 1, "b": 2, "c": 3}, fields_to_export={"b": "B", "a": "A"})
    assert list(table.to_pylist()[0].items()) == [("B", 2), ("A", 1)]


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
    done = crawl(UrlSpider, settings, urls=urls)
    rows = parquet.read_table(file).to_pylist()
    items = {item["url"]: item for item in done.items}
    assert len(rows) == len(items) == 3
    for row in rows:
        item = items[row["url"]]
        assert row["text"] == item["text"]
        assert json.loads(row["blocks"])[0]["text"] == item["blocks"][0].text
        assert row["score"] == item["score"]
