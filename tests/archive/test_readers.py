"""Pages in tables, lines and folders, of every file system, are read."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import replace
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from scrapy_eatext.archive.local import Run
from scrapy_eatext.archive.manifest import outputs
from scrapy_eatext.archive.readers import (
    ArchiveError,
    Place,
    Reading,
    find,
    parts,
    read,
    read_part,
    size_for,
)
from scrapy_eatext.archive.shards import Plan
from tests.support.archives import INLINE, URL, page, read_in_parts, record, response
from tests.support.archives import warc as warc_of
from tests.support.commands import run_command

pytestmark = pytest.mark.slow

zstd = pytest.importorskip(
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
)

ALL = {URL.format(i): page(i) for i in range(5)}


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_lines_of_json(packing, tmp_path):
    rows = [{"url": url, "html": html.decode(), "n": 1} for url, html in ALL.items()]
    lines = [json.dumps(row) for row in rows]
    bad = ['{"url": "a"}', '{"url": 5, "html": ["x"]}', "no json", "[1]", "[" * 100_000]
    data = "\n".join([*lines[:2], "", *bad, *lines[2:]]).encode()
    path = tmp_path / f"pages.jsonl{packing}"
    packs = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}
    path.write_bytes(packs[packing](data))
    found = list(read(str(path)))
    assert {one.url: one.html.encode() for one in found if not one.outcome} == ALL
    bad_urls = [one.url for one in found if one.outcome == "unreadable"]
    assert bad_urls == ["a", "", "", "", ""]
    assert "list is no text" in found[3].error
    cut = read_in_parts(path, 700)
    assert cut == found


def test_a_line_that_is_too_long(tmp_path):
    path = tmp_path / "pages.jl"
    rows = [{"url": "a", "html": "x" * 9_000_000}, {"url": "b", "html": "<p>b"}]
    path.write_text("\n".join(map(json.dumps, rows)))
    found = list(read(str(path), Reading(most=1000)))
    assert [(one.url, one.outcome) for one in found] == [("", "unreadable"), ("b", "")]


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "pages.parquet"
    pages = [page(0), None, *(page(i) for i in range(1, 5))]
    urls = [URL.format(0), "none", *(URL.format(i) for i in range(1, 5))]
    table = pa.table({"address": urls, "content": pages, "n": range(6)})
    parquet.write_table(table, path, row_group_size=2)
    how = Reading(html="content", url="address")
    found = list(read(str(path), how))
    assert {one.url: one.html for one in found if not one.outcome} == ALL
    assert [one.url for one in found if one.outcome == "unreadable"] == ["none"]
    cut = list(parts(str(path), 500))
    assert len(cut) > 3
    assert [one for part in cut for one in read_part(part, how)] == found
    with pytest.raises(ArchiveError, match="no column 'html' among address"):
        list(read(str(path)))
    path.write_bytes(b"no parquet")
    with pytest.raises(ArchiveError, match=r"pages\.parquet.*no Parquet"):
        list(read(str(path)))


def test_a_damaged_row_group_costs_no_other(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "pages.parquet"
    table = pa.table({"url": list(ALL), "html": list(ALL.values())})
    parquet.write_table(table, path, row_group_size=2, compression="gzip")
    about = parquet.ParquetFile(path).metadata.row_group(1).column(1)
    data = bytearray(path.read_bytes())
    begin = about.dictionary_page_offset + 40
    size = about.total_compressed_size - 80
    data[begin : begin + size] = bytes(size)
    path.write_bytes(data)
    found = list(read(str(path)))
    assert [one.url for one in found if not one.outcome] == [
        URL.format(i) for i in (0, 1, 4)
    ]
    (lost,) = (one for one in found if one.outcome)
    assert (lost.id, lost.outcome) == ("2", "unreadable")
    assert lost.error.startswith(
        "row group 1 is damaged, and its last 2 rows are lost:"
    )


def test_a_damaged_member_costs_its_own_lines(tmp_path):
    lines = [
        json.dumps({"url": url, "html": html.decode()}) + "\n"
        for url, html in ALL.items()
    ]
    members = [gzip.compress(line.encode()) for line in lines]
    damaged = bytearray(members[1])
    damaged[60:90] = bytes(30)
    path = tmp_path / "pages.jsonl.gz"
    path.write_bytes(b"".join([members[0], bytes(damaged), *members[2:]]))
    found = list(read(str(path)))
    whole = [one.url for one in found if not one.outcome]
    assert whole == [URL.format(i) for i in (0, 2, 3, 4)]
    assert {one.outcome for one in found} == {"", "unreadable"}


def test_a_table_with_text_that_is_no_utf8(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    pages = pa.array([page(0), b"<p>\xff", page(1)])
    wrong = pa.StringArray.from_buffers(3, *pages.buffers()[1:])
    path = tmp_path / "pages.parquet"
    parquet.write_table(pa.table({"html": wrong, "url": ["a", "b", "c"]}), path)
    found = list(read(str(path)))
    assert [one.url for one in found] == ["a", "b", "c"]
    assert [one.outcome for one in found] == ["", "", ""]
    assert found[1].html == b"<p>\xff"


def test_a_folder_with_links_that_lead_round(tmp_path):
    for name, target in (("a", "../b"), ("b", "../a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "there").symlink_to(target)
        (tmp_path / name / "up").symlink_to("..")
    (tmp_path / "a/page.html").write_bytes(page(0))
    (tmp_path / "c").symlink_to("a")
    found = [one.id for one in read(str(tmp_path))]
    assert found == ["a/page.html", "b/there/page.html", "c/page.html"]


def test_a_folder_of_pages(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "b.html").write_bytes(page(0))
    (tmp_path / "a.htm.gz").write_bytes(gzip.compress(page(1)))
    (tmp_path / "deep/c.xhtml").write_bytes(page(2))
    (tmp_path / "d.html.gz").write_bytes(gzip.compress(os.urandom(999))[:-50])
    (tmp_path / "readme.txt").write_text("no page")
    found = list(read(str(tmp_path)))
    assert [(one.id, one.outcome) for one in found] == [
        ("a.htm.gz", ""),
        ("b.html", ""),
        ("d.html.gz", ""),
        ("deep/c.xhtml", ""),
    ]
    assert [one.html for one in found[:2]] == [page(1), page(0)]
    assert found[2].error
    single = str(tmp_path / "b.html")
    assert [(one.id, one.html) for one in read(single)] == [(single, page(0))]


def test_a_folder_of_archives(tmp_path):
    (tmp_path / "b.warc.gz").write_bytes(warc_of(2))
    (tmp_path / "a.jsonl").write_text(json.dumps({"url": "a", "html": "<p>a"}))
    (tmp_path / "c.html").write_bytes(page(3))
    found = [one.url for one in read(str(tmp_path))]
    assert found == ["a", URL.format(0), URL.format(1), ""]


def test_reading_tells_how_far_it_is(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    inputs = tmp_path / "in"
    inputs.mkdir()
    for i in range(9):
        (inputs / f"{i}.html").write_bytes(page(i))
    # Files are read some ten thousand bytes at a time.
    (inputs / "a.warc.gz").write_bytes(warc_of(9, 30_000))
    (inputs / "b.warc").write_bytes(warc_of(9, 30_000, packed=False))
    rows = [{"url": "", "html": page(i, 30_000).decode()} for i in range(9)]
    (inputs / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    parquet.write_table(pa.Table.from_pylist(rows), inputs / "d.parquet")
    for part in parts(str(inputs)):
        place = Place()
        shares = [place.share for _ in read_part(part, Reading(), place)]
        assert len(shares) == 9, part
        assert shares == sorted(shares)
        assert 0 < shares[0] < 0.5 < shares[6] <= shares[-1] <= 1, part
        assert shares[-1] > 0.99


def test_what_is_no_archive(tmp_path):
    for path, message in (
        (tmp_path / "none.warc", "no such file"),
        (tmp_path, "holds no archives"),
    ):
        with pytest.raises(ArchiveError, match=message):
            list(read(str(path)))
    (tmp_path / "page.pdf").write_bytes(b"")
    with pytest.raises(ArchiveError, match=r"ends in none of \.warc"):
        list(read(str(tmp_path / "page.pdf")))


def test_an_unknown_file_system():
    pytest.importorskip("pyarrow")
    with pytest.raises(
        ArchiveError, match=r"^nowhere[^ ]*: no file system for nowhere://"
    ):
        list(read("nowhere://bucket/pages.warc"))


def test_the_readers_need_no_extra():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('pyarrow', 'warcio', 'fsspec')))\n"
        "from scrapy_eatext.archive.readers import read\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_wacz(tmp_path):
    path = tmp_path / "crawl.wacz"
    with ZipFile(path, "w") as file:
        file.writestr("datapackage.json", "{}")
        file.writestr("archive/a.warc.gz", warc_of(4))
        file.writestr("archive/b.warc", warc_of(2, packed=False))
        file.writestr("pages/pages.jsonl", "{}")
    found = list(read(str(path)))
    assert [one.html for one in found] == [page(i) for i in (0, 1, 2, 3, 0, 1)]
    assert {one.source for one in found} == {
        f"{path}#archive/a.warc.gz",
        f"{path}#archive/b.warc",
    }
    assert list(read(str(tmp_path))) == found
    assert read_in_parts(path, 300) == found
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        file.writestr("archive/a.warc.gz", warc_of(4))
    with pytest.raises(ArchiveError, match=r"a\.warc\.gz is packed"):
        list(read(str(path)))
    path.write_bytes(b"no zip")
    with pytest.raises(ArchiveError, match=r"crawl\.wacz: .*not a zip file"):
        list(read(str(path)))


@pytest.mark.usefixtures("in_threads")
@pytest.mark.parametrize("packed", [False, True])
def test_a_list_of_archives(tmp_path, packed):
    (tmp_path / "crawl").mkdir()
    for i in range(3):
        (tmp_path / f"crawl/{i}.warc.gz").write_bytes(warc_of(i + 1))
    lines = b"crawl/2.warc.gz\n\ncrawl/0.warc.gz\n"
    name = tmp_path / ("warc.paths.gz" if packed else "list.txt")
    name.write_bytes(gzip.compress(lines) if packed else lines)
    how = (str(name),) if packed else ("--inputs-from", str(name))
    args = ("archive", *how, "-o", str(tmp_path / "out"), "-j", "1")
    assert run_command(*args, settings=INLINE) == 0
    assert len(outputs(str(tmp_path / "out"))) == 2
    # In another place, the list says where its files are.
    (tmp_path / "lists").mkdir()
    moved = name.rename(tmp_path / "lists" / name.name)
    how = (str(moved),) if packed else ("--inputs-from", str(moved))
    args = ("archive", *how, "--inputs-base", str(tmp_path), "-j", "1")
    assert run_command(*args, "-o", str(tmp_path / "other"), settings=INLINE) == 0
    assert len(outputs(str(tmp_path / "other"))) == 2


@pytest.mark.usefixtures("in_threads")
def test_a_file_of_a_list_that_is_not_there_costs_no_other(tmp_path):
    (tmp_path / "a.warc.gz").write_bytes(warc_of(2))
    (tmp_path / "my.paths").write_text("a.warc.gz\nnone.warc.gz\n")
    done = Run(Plan([str(tmp_path / "my.paths")], tmp_path / "out", INLINE)).go()
    (error,) = done.errors.values()
    assert "none.warc.gz: " in error
    assert done.counts == {"extracted": 2}


@pytest.mark.usefixtures("in_threads")
@pytest.mark.parametrize("form", ["cdx", "cdxj", "letters"])
def test_records_that_a_cdx_selects(tmp_path, form):
    members = [
        gzip.compress(record(response(page(i)), URL.format(i))) for i in range(5)
    ]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(members))
    places = [(sum(map(len, members[:i])), len(members[i])) for i in (4, 1)]
    if form == "cdxj":
        said = [
            {"filename": "a.warc.gz", "offset": str(a), "length": n} for a, n in places
        ]
        lines = [f"org,example)/ 2024 {json.dumps(one)}" for one in said]
    elif form == "cdx":
        lines = [f"k 2024 u text/html 200 D - - {n} {a} a.warc.gz" for a, n in places]
    else:
        lines = [" CDX a g V S", *(f"u a.warc.gz {a} {n}" for a, n in places)]
    path = tmp_path / f"some.{form.replace('letters', 'cdx')}"
    path.write_text("\n".join(lines))
    found = list(read(str(path)))
    assert [one.html for one in found] == [page(1), page(4)]
    assert [one.offset for one in found] == [a for a, _ in reversed(places)]
    assert {one.source for one in found} == {str(tmp_path / "a.warc.gz")}
    done = Run(Plan([str(path)], tmp_path / "out", INLINE)).go()
    assert (done.errors, done.counts) == ({}, {"extracted": 2})
    path.write_text("nothing of the kind")
    with pytest.raises(ArchiveError, match="line 1 names no record"):
        list(read(str(path)))


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.jsonl", "a.parquet"])
def test_one_file_occupies_all_workers_evenly(tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / name
    if name.startswith("a.warc"):
        path.write_bytes(warc_of(300, 2000, packed=name.endswith("gz")))
    else:
        rows = [
            {"url": URL.format(i), "html": page(i, 2000).decode()} for i in range(300)
        ]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        if name == "a.parquet":
            table = pa.Table.from_pylist(rows)
            parquet.write_table(table, path, row_group_size=10, compression="none")
    size = path.stat().st_size
    # As if the file had 30 MB.
    (whole,) = find(str(path))
    assert size_for([replace(whole, size=30_000_000)], 8) * 8 == 30_000_000
    found = list(parts(str(path), -(-size // 8)))
    counts = [sum(1 for _ in read_part(part, Reading())) for part in found]
    assert sum(counts) == 300
    assert len(counts) == 8
    assert max(counts) - min(counts) <= 10
