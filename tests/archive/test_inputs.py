"""Inputs and outputs that are named twice, gone, cut off, damaged or changed."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import replace

import pytest

pq = pytest.importorskip("pyarrow.parquet")

from scrapy_eatext.archive.local import Run
from scrapy_eatext.archive.readers import ArchiveError, find
from tests.archive.test_local import plan
from tests.support.archives import INLINE, filled, line, page, warc, written
from tests.support.commands import run_command

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("in_threads")]


def archive(*args):
    """Run the command; its exit code."""
    return run_command("archive", *map(str, args), settings=INLINE)


def test_an_input_is_known_in_whichever_way_it_is_named(tmp_path, monkeypatch):
    inputs = filled(tmp_path / "in", {"a.warc.gz": warc(3), "below/b.html": page(7)})
    (tmp_path / "link").symlink_to(inputs)
    monkeypatch.chdir(tmp_path)
    ways = ["in", "./in", str(inputs), "in/", "link", "in/below/../a.warc.gz"]
    ways.append(f"file://{inputs}")
    below = ["in/below", "in/below/b.html"]
    made = plan(inputs, tmp_path / "out", inputs=[*ways, *below])
    assert Run(made).go().counts == {"extracted": 4}
    assert len(written(tmp_path / "out")) == 4
    for way in ways:
        done = Run(replace(made, inputs=[way])).go()
        assert not done.errors
        assert len(written(tmp_path / "out")) == 4, way
    assert Run(replace(made, inputs=["./in"])).go().counts == {}


@pytest.mark.parametrize("fails", [False, True])
def test_a_file_that_is_gone_takes_its_rows_along_unless_there_are_errors(
    tmp_path, capsys, fails
):
    inputs = filled(tmp_path / "in", dict.fromkeys(("a.warc.gz", "b.warc.gz"), warc(3)))
    args = (inputs, "-o", tmp_path / "out", "-j", "1")
    assert archive(*args) == 0
    (inputs / "a.warc.gz").unlink()
    if fails:
        (inputs / "bad.parquet").write_bytes(b"no parquet")
    assert archive(*args) == fails
    warning = "1 parts of files that are gone stay in the output"
    assert (warning in capsys.readouterr().err) == fails
    assert len(written(tmp_path / "out")) == (6 if fails else 3)


def test_a_link_to_nothing_is_an_error_or_an_unreadable_page(tmp_path, capsys):
    inputs = filled(tmp_path / "in", {"a.warc.gz": warc(3), "b.html": page(7)})
    for name in ("c.warc.gz", "d.html"):
        (inputs / name).symlink_to(tmp_path / "unmounted" / name)
    assert archive(inputs, "-o", tmp_path / "out", "-j", "1") == 1
    assert "c.warc.gz: [Errno 2]" in capsys.readouterr().err
    outcomes = [row["outcome"] for row in written(tmp_path / "out")]
    assert sorted(outcomes) == ["extracted"] * 4 + ["unreadable"]


def test_a_folder_that_cannot_be_listed_is_named(tmp_path, monkeypatch):
    def walk(folder):
        raise PermissionError(13, "Permission denied", f"{folder}/closed")

    monkeypatch.setattr("scrapy_eatext.archive.files.walk", walk)
    with pytest.raises(ArchiveError, match=r"closed: Permission denied$"):
        find(str(tmp_path))


def test_an_output_that_cannot_be_looked_up_is_named(tmp_path, capsys):
    inputs = filled(tmp_path / "in", {"a.warc.gz": warc(3)})
    args = (inputs, "-o", tmp_path / "out", "-j", "1")
    assert archive(*args) == 0
    (output,) = (tmp_path / "out").glob("*.parquet")
    output.unlink()
    output.symlink_to(output.name)
    assert archive(*args) == 1
    assert f"levels of symbolic links: '{output}'" in capsys.readouterr().err


def test_a_manifest_without_room_is_named(tmp_path, monkeypatch, capsys):
    def full(file, data):
        raise OSError(28, "No space left on device")

    inputs = filled(tmp_path / "in", {"a.warc.gz": warc(3)})
    monkeypatch.setattr("scrapy_eatext.archive.manifest.append", full)
    assert archive(inputs, "-o", tmp_path / "out", "-j", "1") == 1
    assert f"{tmp_path / 'out'}: No space left" in capsys.readouterr().err


def test_files_of_no_part_are_named(tmp_path, capsys):
    inputs = filled(tmp_path / "in", {"a.warc.gz": warc(3)})
    args = (inputs, "-o", tmp_path / "out", "-j", "1")
    assert archive(*args) == 0
    assert not capsys.readouterr().err
    (tmp_path / "out" / "_manifest.jsonl").write_bytes(b"")
    (inputs / "a.warc.gz").rename(inputs / "b.warc.gz")
    assert archive(*args) == 0
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith("scrapy eatext: a.warc.gz-")
    assert "of no part" in err


def test_the_output_is_a_data_set_and_no_input(tmp_path):
    (tmp_path / "a.html").write_bytes(page(0))
    (tmp_path / "no.wacz").write_bytes(b"none")
    texts = str(tmp_path / "texts")
    wrong = str(tmp_path / "no.wacz")
    assert archive(str(tmp_path / "a.html"), wrong, "--output", texts) == 1
    assert pq.read_table(texts).num_rows == 1
    assert [part.kind for part in find(texts)] == ["parquet"]


def test_a_report(tmp_path):
    # The output's file cannot have all of such a name.
    long = f"{chr(0x9577) * 80}.warc.gz"
    inputs = filled(tmp_path / "in", {long: warc(3), "b.html": b""})
    report = tmp_path / "report.json"
    for _ in range(2):
        assert archive(inputs, "-o", tmp_path / "o", "--report", report) == 0
        totals = json.loads(report.read_text())
        assert totals["outcomes"] == {"extracted": 3, "empty": 1}
        assert totals["hosts"] == {"site.example": 3}
        assert sum(totals["page_types"].values()) == sum(totals["scores"].values()) == 3
        assert (totals["rows"], totals["parts"], totals["errors"]) == (4, 2, {})
        # A page counts as 20,000 bytes.
        assert totals["bytes_in"] == (inputs / long).stat().st_size + 20_000
        assert totals["bytes_out"] > 1000
        assert totals["seconds"] > 0


@pytest.mark.parametrize("name", ["cut.warc.gz", "cut.warc", "cut.jsonl.gz", "cut.jl"])
def test_a_file_that_is_cut_off_is_named_with_exit_code_1(tmp_path, capsys, name):
    rows = b"".join(line(html=page(i).decode()) for i in range(3))
    data = warc(3, packed=False) if "warc" in name else rows
    data = gzip.compress(data) if name.endswith("gz") else data
    # The last one has all of its last line but the end.
    whole = {"whole.jl": rows, "whole.warc.gz": warc(3), "whole.jsonl": rows[:-1]}
    inputs = filled(tmp_path / "in", {name: data[:-200], "empty.warc": b"", **whole})
    args = (inputs, "-o", tmp_path / "out", "-j", "1")
    for again in (False, True):
        assert archive(*args) == 1
        summary = capsys.readouterr().out
        assert ("Nothing to do" in summary) == again
        assert "; damaged records: 1; files cut off or empty: " in summary
        assert f"{name}" in summary
        assert "empty.warc" in summary
        assert "whole" not in summary
    assert archive(*args, "--allow-damage") == 0


@pytest.mark.parametrize("how", ["cut", "changed", "touched", "gone"])
def test_an_output_that_was_changed_is_made_anew(tmp_path, capsys, how):
    (tmp_path / "a.warc.gz").write_bytes(warc(3))
    args = (tmp_path / "a.warc.gz", "-o", tmp_path / "out")
    assert archive(*args) == 0
    (file,) = (tmp_path / "out").glob("*.parquet")
    data = file.read_bytes()
    if how == "gone":
        file.unlink()
    else:
        changes = {"cut": data[:-9], "changed": data[:40] + b"?" + data[41:]}
        file.write_bytes(changes.get(how, data))
        os.utime(file, (1, 1))
    capsys.readouterr()
    assert archive(*args) == 0
    out, err = capsys.readouterr()
    assert ("Nothing to do" in out) == (how == "touched")
    assert ("was cut or changed after it was written" in err) == (
        how in ("cut", "changed")
    )
    assert file.read_bytes() == data
