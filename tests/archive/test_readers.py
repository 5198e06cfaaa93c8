"""Pages in tables, lines and folders, of every file system, are read."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import replace
from unittest.mock import Mock
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

pa = pytest.importorskip("pyarrow")

from pyarrow import parquet

from scrapy_eatext.archive.local import Run
from scrapy_eatext.archive.manifest import outputs
from scrapy_eatext.archive.packed import CUT_OFF
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
from scrapy_eatext.archive.record import recorded
from scrapy_eatext.archive.shards import Plan
from tests.support.archives import (
    ALL,
    INLINE,
    URL,
    filled,
    line,
    page,
    page_record,
    pages_of,
    read_in_parts,
)
from tests.support.archives import warc as warc_of
from tests.support.commands import run_command

pytestmark = pytest.mark.slow

zstd = pytest.importorskip(
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
)

LINES = [line(url=url, html=html.decode(), n=1) for url, html in ALL.items()]


def test_rows_have_statuses_and_times(tmp_path):
    path = tmp_path / "pages.jsonl"
    rows = [{"html": "<p>a", "status": status} for status in (404, 204.0, 7, "ok")]
    rows.append({"html": None, "status": 200})
    rows[1]["fetched"] = "2024-03-01"
    rows[2]["more"] = {"n": [float("nan"), float("-inf")]}
    path.write_bytes(b"".join(line(**row) for row in rows))
    found = list(read(str(path)))
    assert [one.outcome for one in found] == ["skipped_status", *[""] * 3, "unreadable"]
    assert [one.status for one in found] == [404, 204, None, None, 200]
    assert found[1].fetched == "2024-03-01"
    assert [one.input for one in found[1:3]] == [
        "",
        '{"status": 7, "more": {"n": [null, null]}}',
    ]


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_lines_of_json(packing, tmp_path):
    bad = ['{"url": "a"}', '{"url": 5, "html": ["x"]}', "no json", "[1]", "[" * 100_000]
    data = b"".join([*LINES[:2], b"\n", "\n".join(bad).encode(), b"\n", *LINES[2:]])
    path = tmp_path / f"pages.jsonl{packing}"
    packs = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}
    path.write_bytes(packs[packing](data[:-1]))
    found = list(read(str(path)))
    assert pages_of(found) == {url: html.decode() for url, html in ALL.items()}
    bad_urls = [one.url for one in found if one.outcome == "unreadable"]
    assert bad_urls == ["a", "", "", "", ""]
    assert "list is no text" in found[3].error
    assert read_in_parts(path, 700) == found


def test_a_line_that_is_too_long(tmp_path):
    path = tmp_path / "pages.jl"
    long = line(url="a", html="x" * 9_000_000)
    path.write_bytes(long + line(url="b", html="<p>b"))
    found = list(read(str(path), Reading(most=1000)))
    assert [(one.url, one.outcome) for one in found] == [("", "unreadable"), ("b", "")]


def test_parquet(tmp_path):
    path = tmp_path / "pages.parquet"
    pages = [page(0), None, *(page(i) for i in range(1, 5))]
    urls = [URL.format(0), "none", *(URL.format(i) for i in range(1, 5))]
    table = pa.table({"address": urls, "content": pages, "n": range(6)})
    parquet.write_table(table, path, row_group_size=2)
    how = Reading(html="content", url="address")
    found = list(read(str(path), how))
    assert pages_of(found) == ALL
    assert [one.url for one in found if one.outcome == "unreadable"] == ["none"]
    cut = list(parts(str(path), 500))
    assert len(cut) > 3
    assert [one for part in cut for one in read_part(part, how)] == found
    with pytest.raises(ArchiveError, match="no column 'html' among address"):
        list(read(str(path)))


def test_a_damaged_row_group_costs_no_other(tmp_path):
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
    assert [*pages_of(found)] == [URL.format(i) for i in (0, 1, 4)]
    (lost,) = (one for one in found if one.outcome)
    assert (lost.id, lost.outcome) == ("2", "unreadable")
    assert lost.error.startswith(
        "row group 1 is damaged, and its last 2 rows are lost:"
    )


def test_a_damaged_member_costs_its_own_lines(tmp_path):
    members = [gzip.compress(one) for one in LINES]
    damaged = bytearray(members[1])
    damaged[60:90] = bytes(30)
    path = tmp_path / "pages.jsonl.gz"
    path.write_bytes(b"".join([members[0], bytes(damaged), *members[2:]]))
    found = list(read(str(path)))
    assert [*pages_of(found)] == [URL.format(i) for i in (0, 2, 3, 4)]
    assert {one.outcome for one in found} == {"", "unreadable"}


def test_a_table_with_text_that_is_no_utf8(tmp_path):
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


def test_a_folder_of_pages_and_archives(tmp_path):
    files = {
        "b.html": page(0),
        "a.htm.gz": gzip.compress(page(1)),
        "deep/c.xhtml": page(2),
        "d.html.gz": gzip.compress(os.urandom(999))[:-50],
        "readme.txt": b"no page",
        "b.warc.gz": warc_of(2),
        "a.jsonl": line(url="a", html="<p>a"),
    }
    found = list(read(str(filled(tmp_path, files))))
    assert [one.url for one in found[:3]] == ["a", URL.format(0), URL.format(1)]
    assert [(one.id, one.outcome) for one in found[3:]] == [
        ("a.htm.gz", ""),
        ("b.html", ""),
        ("d.html.gz", ""),
        ("deep/c.xhtml", ""),
    ]
    assert [one.html for one in found[3:5]] == [page(1), page(0)]
    assert found[5].error
    single = str(tmp_path / "b.html")
    assert [(one.id, one.html) for one in read(single)] == [(single, page(0))]


def test_reading_tells_how_far_it_is(tmp_path):
    # Files are read some ten thousand bytes at a time.
    rows = [{"url": "", "html": page(i, 30_000).decode()} for i in range(9)]
    files = {
        **{f"{i}.html": page(i) for i in range(9)},
        "a.warc.gz": warc_of(9, 30_000),
        "b.warc": warc_of(9, 30_000, packed=False),
        "c.jsonl": b"".join(line(**row) for row in rows),
    }
    filled(tmp_path, files)
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "d.parquet")
    for part in parts(str(tmp_path)):
        place = Place()
        shares = [place.share for _ in read_part(part, Reading(), place)]
        assert len(shares) == 9, part
        assert shares == sorted(shares)
        assert 0 < shares[0] < 0.5 < shares[6] <= shares[-1] <= 1, part
        assert shares[-1] > 0.99


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("none.warc", "no such file"),
        ("", "holds no archives"),
        ("page.pdf", r"ends in none of \.warc"),
        ("no.parquet", r"no\.parquet.*no Parquet"),
        ("no.wacz", r"no\.wacz: .*not a zip file"),
        (
            "nowhere://bucket/pages.warc",
            r"^nowhere[^ ]*: no file system for nowhere://",
        ),
    ],
)
def test_what_is_no_archive(tmp_path, source, message):
    if source.startswith(("no.", "page")):
        (tmp_path / source).write_bytes(b"none")
    source = source if "://" in source else str(tmp_path / source)
    with pytest.raises(ArchiveError, match=message):
        list(read(source))


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


@pytest.mark.usefixtures("in_threads")
@pytest.mark.parametrize("packed", [False, True])
def test_a_list_of_archives(tmp_path, packed):
    filled(tmp_path, {f"crawl/{i}.warc.gz": warc_of(i + 1) for i in range(3)})
    lines = b"crawl/2.warc.gz\n\ncrawl/0.warc.gz\n"
    name = tmp_path / ("warc.paths.gz" if packed else "list.txt")
    name.write_bytes(gzip.compress(lines) if packed else lines)

    def parts_of(path, *how):
        out = str(tmp_path / f"out{len(how)}")
        named = (str(path),) if packed else ("--inputs-from", str(path))
        args = ("archive", *named, "-o", out, "-j", "1", *how)
        assert run_command(*args, settings=INLINE) == 0
        return len(outputs(out))

    assert parts_of(name) == 2
    # The paths in a list in another place are relative to a given base.
    (tmp_path / "lists").mkdir()
    moved = name.rename(tmp_path / "lists" / name.name)
    assert parts_of(moved, "--inputs-base", str(tmp_path)) == 2


@pytest.mark.usefixtures("in_threads")
def test_a_file_of_a_list_that_is_not_there_costs_no_other(tmp_path):
    lines = b"a.warc.gz\nno\0ne.warc.gz\n"
    filled(tmp_path, {"a.warc.gz": warc_of(2), "my.paths": lines})
    done = Run(Plan([str(tmp_path / "my.paths")], tmp_path / "out", INLINE)).go()
    (error,) = done.errors.values()
    assert "ne.warc.gz" in error
    assert done.counts == {"extracted": 2}


@pytest.mark.usefixtures("in_threads")
@pytest.mark.parametrize("form", ["cdx", "cdxj", "letters"])
def test_records_that_a_cdx_selects(tmp_path, form):
    members = [gzip.compress(page_record(i)) for i in range(5)]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(members))
    places = [(sum(map(len, members[:i])), len(members[i])) for i in (4, 1)]
    if form == "cdxj":
        fields = [
            {"filename": "a.warc.gz", "offset": str(a), "length": n} for a, n in places
        ]
        lines = [f"org,example)/ 2024 {json.dumps(one)}" for one in fields]
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
    lines[1:1] = ["{", json.dumps({"filename": "a.warc.gz"})]
    beyond = {"filename": "a.warc.gz", "offset": 1 << 30, "length": 9}
    path.write_text("\n".join([*lines, json.dumps(beyond)]))
    found = list(read(str(path)))
    errors = [one.error for one in found if one.outcome == "unreadable"]
    assert errors == ["the line names no record"] * 2 + [CUT_OFF]
    assert len(found) == 5
    path.write_text("nothing of the kind")
    with pytest.raises(ArchiveError, match="line 1 names no record"):
        list(read(str(path)))


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.jsonl", "a.parquet"])
def test_one_file_occupies_all_workers_evenly(tmp_path, name):
    path = tmp_path / name
    if name.startswith("a.warc"):
        path.write_bytes(warc_of(300, 2000, packed=name.endswith("gz")))
    else:
        rows = [{"url": "", "html": page(i, 2000).decode()} for i in range(300)]
        path.write_bytes(b"".join(line(**row) for row in rows))
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


@pytest.mark.parametrize(
    "fields",
    [
        '"filename": "a.warc", "offset": 1e999, "length": 9',
        '"filename": "a.warc", "offset": -5, "length": 9',
        '"filename": "a.warc", "offset": 0, "length": -1',
        f'"filename": "a.warc", "offset": 0, "length": {1 << 60}',
        f'"filename": "a.warc.gz", "offset": {1 << 49}, "length": 9',
        '"filename": ' + "[" * 100_000,
        '"filename": "' + "a" * (1 << 20),
    ],
    ids=["infinite", "before", "negative", "long", "beyond", "nested", "line"],
)
def test_whatever_is_in_a_line_of_a_cdx_costs_no_other(tmp_path, fields):
    data = warc_of(1)
    (tmp_path / "a.warc.gz").write_bytes(data)
    good = f'"filename": "a.warc.gz", "offset": 0, "length": {len(data)}'
    (tmp_path / "a.cdxj").write_text(f"a 1 {{{fields}}}\na 1 {{{good}}}\n")
    found = list(read(str(tmp_path / "a.cdxj")))
    assert [*pages_of(found)] == [URL.format(0)]
    assert {one.outcome for one in found} == {"unreadable", ""}


def test_a_list_that_is_damaged_inside(tmp_path):
    data = bytearray(gzip.compress(os.urandom(999)))
    data[10] = 255
    (tmp_path / "a.paths.gz").write_bytes(data)
    with pytest.raises(ArchiveError, match="damaged"):
        list(read(str(tmp_path / "a.paths.gz")))


def test_a_wacz_whose_offsets_are_wrong(tmp_path):
    with ZipFile(tmp_path / "a.wacz", "w") as packed:
        packed.writestr("a.warc", page_record(0))
    data = bytearray((tmp_path / "a.wacz").read_bytes())
    at = data.rindex(b"PK\x01\x02") + 42
    data[at : at + 4] = (1 << 30).to_bytes(4, "little")
    (tmp_path / "a.wacz").write_bytes(data)
    with pytest.raises(ArchiveError, match=r"a\.warc"):
        list(read(str(tmp_path / "a.wacz")))


def test_any_exception_of_a_record_is_its_own():
    assert recorded("9", lambda: 1 // 0).outcome == "unreadable"
    with pytest.raises(OSError, match="gone"):
        recorded("9", Mock(side_effect=OSError("gone")))
