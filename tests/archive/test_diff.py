"""What changed between two runs, page by page."""

from __future__ import annotations

import json
import sqlite3
from tempfile import gettempdir

import pytest

pa = pytest.importorskip("pyarrow")

from pyarrow import parquet

from scrapy_eatext.archive.diff import compare
from scrapy_eatext.archive.manifest import Entry, Manifest, OutputError
from scrapy_eatext.archive.readers import ArchiveError
from tests.support.archives import filled, line
from tests.support.commands import run_command

pytestmark = pytest.mark.slow


def row(url, text, page_type="article", outcome="extracted", where=""):
    about = {"page_type": page_type, "outcome": outcome}
    return {"id": where or url, "url": url, "text": text, **about}


OLD = [
    row("http://a.example/1", "one two three"),
    row("http://a.example/2", "the same text"),
    row("http://b.example/3", "some words and some more", "forum"),
    row("http://b.example/3", "the same page once more", "forum"),
    row("http://b.example/4", "only in the old"),
    row("", "a file", where="file.html"),
]
NEW = [
    row("", "a file", where="file.html"),
    row("http://b.example/3", "some words", "forum"),
    row("http://b.example/3", "the same page once more", "forum"),
    row("http://a.example/2", "the same text"),
    row("http://a.example/1", "one two four five", outcome="below"),
    row("http://c.example/5", "only in the new"),
]


def files_of(folder, old=OLD, new=NEW):
    """Two files of rows."""
    files = {"old.jsonl": old, "new.jsonl": new}
    lines = {name: b"".join(line(**one) for one in files[name]) for name in files}
    filled(folder, lines)
    return [folder / name for name in files]


def test_what_changed(tmp_path):
    old, new = files_of(tmp_path)
    found = compare(old, new, tmp_path / "changed.jsonl", top=1)
    total = found.total
    assert (total.pages, total.changed, total.gained, total.lost) == (5, 2, 2, 4)
    assert (found.only_old, found.only_new) == (1, 1)
    hosts = {name: (one.pages, one.changed) for name, one in found.most("host")}
    assert hosts == {"a.example": (2, 1), "b.example": (2, 1), "-": (1, 0)}
    kinds = {name: (one.pages, one.changed) for name, one in found.most("kind")}
    assert kinds == {"article": (3, 1), "forum": (2, 1)}
    assert found.outcomes == {("extracted", "below"): 1}
    kindless = [{**one, "page_type": ""} for one in NEW]
    without = compare(*files_of(tmp_path / "without", new=kindless))
    assert without.groups["kind"] == found.groups["kind"]
    # The most changed first: each has three words more or less.
    assert [(one.url, one.gained, one.lost) for one in found.top] == [
        ("http://b.example/3", 0, 3)
    ]
    lines = (tmp_path / "changed.jsonl").read_text("utf-8").splitlines()
    changed = [json.loads(line) for line in lines]
    assert changed[0]["url"] == "http://b.example/3"
    assert changed[1:] == [
        {
            "url": "http://a.example/1",
            "id": "http://a.example/1",
            "gained": 2,
            "lost": 1,
            "old": "one two three",
            "new": "one two four five",
        }
    ]


def test_tables_and_folders(tmp_path):
    old, _ = files_of(tmp_path)
    made = Manifest(str(tmp_path / "out"), {})
    parquet.write_table(pa.Table.from_pylist(NEW), tmp_path / "out/new.parquet")
    made.add(Entry("p", "x", "new.parquet", rows=6))
    made.close()
    assert compare(old, tmp_path / "out").total.changed == 2


def test_what_is_no_output(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    old, _ = files_of(tmp_path)
    with pytest.raises(ArchiveError, match="neither an output folder nor"):
        compare(old, tmp_path / "a.csv")
    with pytest.raises(OutputError, match="is no output"):
        compare(tmp_path, old)
    for wrong in ("no json", "[1]", "[" * 100_000):
        (tmp_path / "b.jsonl").write_text(f'{{"url": "a", "text": ""}}\n\n{wrong}')
        with pytest.raises(ArchiveError, match=r"b\.jsonl: line 3: "):
            compare(old, tmp_path / "b.jsonl")
    (tmp_path / "c.jsonl").write_text('{"url": "a", "content": "x"}')
    with pytest.raises(ArchiveError, match=r"c\.jsonl"):
        compare(old, tmp_path / "c.jsonl")
    for none in ("none.jsonl", "none"):
        with pytest.raises(ArchiveError, match=f"{none}: there is no such file"):
            compare(old, tmp_path / none)


def test_halves_of_characters(tmp_path):
    rows = [[row("a\ud800", f"{text} \ud800")] for text in ("one", "two")]
    old, new = files_of(tmp_path, *rows)
    found = compare(old, new, tmp_path / "changed.jsonl")
    assert (found.total.pages, found.total.changed) == (1, 1)
    assert json.loads((tmp_path / "changed.jsonl").read_text("utf-8"))["url"] == "a?"


def test_a_table_with_text_that_is_no_utf8(tmp_path):
    wrong = pa.StringArray.from_buffers(1, *pa.array([b"\xff"]).buffers()[1:])
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"url": ["a"], "text": wrong}), path)
    with pytest.raises(ArchiveError, match=r"a\.parquet: .*utf-8"):
        compare(path, path)


def test_pages_of_one_address_may_be_the_same(tmp_path):
    rows = [[row("a", text, where=text)] for text in ("one", "two")]
    old, new = files_of(tmp_path, *rows)
    assert compare(old, new).only_new == 1
    found = compare(old, new, by="url")
    assert (found.only_new, found.total.changed) == (0, 1)
    assert run_command("diff", str(old), str(new), "--by", "url") == 0


def test_the_command(tmp_path, capsys):
    old, new = files_of(tmp_path)
    assert run_command("diff", str(old), str(new)) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[0].startswith("5 pages in both, 2 changed; 1 only in the old")
    assert any(line.startswith("b.example  2      1        50.0 %") for line in lines)
    assert "+2      -1    http://a.example/1" in out
    assert "--by url" not in out
    lines = [{"url": f"u{n}", "text": "a"} for n in range(3)]
    for file in (old, new):
        rows = [{**line, "id": f"{file.name}{n}"} for n, line in enumerate(lines)]
        file.write_text("\n".join(map(json.dumps, rows)))
    assert run_command("diff", str(old), str(new)) == 0
    assert "3 of the new have the URL of an old page" in capsys.readouterr().out
    assert run_command("diff", str(old), str(tmp_path)) == 1
    assert "is no output" in capsys.readouterr().err


def test_no_room_for_the_rows_is_an_error_in_a_line(tmp_path, monkeypatch, capsys):
    def full(*args, **options):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("scrapy_eatext.archive.diff.sqlite3.connect", full)
    assert run_command("diff", *map(str, files_of(tmp_path))) == 1
    assert f"{gettempdir()}: database or disk is full\n" in capsys.readouterr().err
