"""Feeds in Parquet."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet
from scrapy.extensions.postprocessing import GzipPlugin, PostProcessingManager
from scrapy.utils.test import get_crawler

from scrapy_eatext import ParquetItemExporter, extract
from scrapy_eatext.feeds import ATTRIBUTE_KINDS
from scrapy_eatext.result import ATTRIBUTES, NOTHING, MainText
from tests.support.files import Small
from tests.support.items import export
from tests.support.passages import BOATS


@dataclass
class Thing:
    n: int
    when: date


def exported(*items: Any, crawler: Any = None, **options: Any) -> Any:
    """The table that a feed of some items is."""
    file = BytesIO()
    crawler = crawler or get_crawler()
    export(ParquetItemExporter.from_crawler(crawler, file, **options), *items)
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


def test_a_further_feed_adds_its_rows_to_a_file(tmp_path, caplog):
    path = tmp_path / "pages-1.parquet"
    items = ({"n": 1, "tags": ["a"], "when": date(2024, 5, 1)}, {"n": 2.5, "e": b"x"})
    for item in (*items, {"n": 3, "tags": [4]}):
        with path.open("ab") as file:
            export(ParquetItemExporter(file), item)
    assert parquet.read_table(path).to_pylist() == [
        {"n": 1.0, "tags": '["a"]', "when": "2024-05-01", "e": None},
        {"n": 2.5, "tags": None, "when": None, "e": "x"},
        {"n": 3.0, "tags": "[4]", "when": None, "e": None},
    ]
    assert not caplog.messages


def test_a_file_stays_if_its_rows_cannot_be_written_anew(tmp_path, monkeypatch):
    path = tmp_path / "pages.parquet"
    with path.open("ab") as file:
        export(ParquetItemExporter(file), {"n": 1})
    before = path.read_bytes()

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parquet.ParquetWriter, "write_table", full)
    with path.open("ab") as file, pytest.raises(OSError, match="No space left"):
        export(ParquetItemExporter(file), {"n": 2})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_rows_without_room_to_wait_stay_in_their_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "pages.parquet"
    with path.open("ab") as file:
        export(ParquetItemExporter(file), *({"n": n} for n in range(50)))
    monkeypatch.setattr("scrapy_eatext.feeds.TemporaryFile", lambda **_: Small(99))
    with path.open("ab") as file:
        export(ParquetItemExporter(file), {"n": 50})
    assert parquet.read_table(path).num_rows == 50
    (other,) = set(tmp_path.iterdir()) - {path}
    assert parquet.read_table(other).to_pylist() == [{"n": 50}]


def test_an_item_without_room_to_wait_costs_no_other(monkeypatch):
    monkeypatch.setattr("scrapy_eatext.feeds.TemporaryFile", lambda **_: Small(99))
    exporter = ParquetItemExporter(file := BytesIO())
    exporter.start_exporting()
    exporter.export_item({"n": "a"})
    with pytest.raises(OSError, match="No space left"):
        exporter.export_item({"n": 100 * "b"})
    exporter.export_item({"n": "c"})
    exporter.finish_exporting()
    table = parquet.read_table(BytesIO(file.getvalue()))
    assert table.to_pylist() == [{"n": "a"}, {"n": "c"}]


@pytest.mark.parametrize("content", [b"{}\n", None])
def test_a_file_that_is_not_parquet_stays(tmp_path, caplog, content):
    path = tmp_path / "pages.parquet"
    if content is None:  # a file that was cut off
        with path.open("wb") as file:
            export(ParquetItemExporter(file), {"n": 0})
        content = path.read_bytes()[:-9]
    path.write_bytes(content)
    with path.open("ab") as file:
        export(ParquetItemExporter(file), {"n": 1})
    assert path.read_bytes() == content
    (other,) = set(tmp_path.iterdir()) - {path}
    assert parquet.read_table(other).to_pylist() == [{"n": 1}]
    assert caplog.messages == [f"{path} is not Parquet: this feed goes to {other}"]


def test_a_compressed_file_stays(tmp_path, caplog):
    path = tmp_path / "pages.parquet.gz"
    for n in (0, 1):
        with path.open("ab") as file:
            to = PostProcessingManager([GzipPlugin], file, {})
            export(ParquetItemExporter(to), {"n": n})
            to.close()
    first = BytesIO(gzip.decompress(path.read_bytes()))
    (other,) = set(tmp_path.iterdir()) - {path}
    assert parquet.read_table(first).to_pylist() == [{"n": 0}]
    assert parquet.read_table(other).to_pylist() == [{"n": 1}]
    assert caplog.messages == [f"{path} is not Parquet: this feed goes to {other}"]


def test_a_field_of_a_result_has_one_type_in_every_file():
    for name in ATTRIBUTES:
        read = getattr(vars(MainText).get(name, MainText._chunks), "fget", None)
        kind = read and read.__annotations__["return"]
        expected = {tuple[str, ...]: "texts"}.get(kind, "str")
        if isinstance(NOTHING.value(name), float):
            expected = "float"
        assert ATTRIBUTE_KINDS.get(name, "str") == expected, name

    fields = {"s": "score", "who": "authors", "list": "entries", "at": "date"}
    crawler = get_crawler(settings_dict={"EATEXT_FIELDS": fields})
    items = (
        {"s": 1, "who": [], "list": [], "at": None},
        {"s": 0.5, "who": ["Ann"], "list": [{"title": "A"}], "at": "2024"},
    )
    for named in (None, {"s": "S", "who": "WHO", "list": "LIST", "at": "AT"}):
        tables = [
            exported(item, crawler=crawler, fields_to_export=named) for item in items
        ]
        assert tables[0].schema == tables[1].schema
        assert list(map(str, tables[0].schema.types)) == [
            *("double", "list<element: string>", "string", "string")
        ]
    # A spider may fill a field otherwise, and a feed leave it out.
    table = exported({"who": "Ann", "x": 1}, crawler=crawler)
    assert table.to_pylist() == [{"who": "Ann", "x": 1}]


def test_every_attribute_goes_into_a_feed():
    found = extract(BOATS, url="https://example.com/")
    table = exported({name: found.value(name) for name in ATTRIBUTES})
    (row,) = table.to_pylist()
    assert (row["text"], row["score"]) == (found.text, found.score)
    assert json.loads(row["blocks"])[0]["text"] == found.blocks[0].text
