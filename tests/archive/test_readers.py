"""Pages in tables, lines and folders, of every file system, are read."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import pytest

from scrapy_eatext.archive.readers import (
    ArchiveError,
    Place,
    Reading,
    parts,
    read,
    read_part,
)
from tests.support.archives import URL, page, read_in_parts
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
    cut = list(parts(str(path), 1))
    assert len(cut) == 3
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


@pytest.mark.parametrize("system", ["pyarrow", "fsspec"])
def test_other_file_systems(system, tmp_path):
    pytest.importorskip("pyarrow")
    data = warc_of(3)
    if system == "pyarrow":
        (tmp_path / "pages.warc.gz").write_bytes(data)
        (tmp_path / "more.html").write_bytes(page(4))
        root = tmp_path.as_uri()
    else:
        fsspec = pytest.importorskip("fsspec")
        root = "memory://archives"
        fsspec.filesystem("memory").pipe(
            {"/archives/pages.warc.gz": data, "/archives/more.html": page(4)}
        )
    found = list(read(root))
    assert [one.html for one in found] == [page(0), page(1), page(2), page(4)]
    assert [one.html for one in read(f"{root}/pages.warc.gz")] == [
        page(i) for i in range(3)
    ]
    with pytest.raises(ArchiveError, match="no such file"):
        list(read(f"{root}/none.warc"))


def test_an_object_store(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    moto = pytest.importorskip("moto.server")
    store = moto.ThreadedMotoServer("127.0.0.1", 0)
    store.start()
    try:
        host, port = store.get_host_and_port()
        for name, value in (
            ("AWS_ENDPOINT_URL", f"http://{host}:{port}"),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
            ("AWS_DEFAULT_REGION", "us-east-1"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        ):
            monkeypatch.setenv(name, value)
        from boto3 import client

        bucket = client("s3")
        bucket.create_bucket(Bucket="crawl")
        bucket.put_object(Bucket="crawl", Key="a/pages.warc.gz", Body=warc_of(3))
        bucket.put_object(Bucket="crawl", Key="a/b/more.html", Body=page(4))
        bucket.close()
        found = list(read("s3://crawl/a"))
        assert [one.html for one in found] == [page(0), page(1), page(2), page(4)]
        cut = list(parts("s3://crawl/a/pages.warc.gz", 500))
        assert len(cut) > 1
        records = [one for part in cut for one in read_part(part, Reading())]
        assert [one.html for one in records] == [page(i) for i in range(3)]
        with pytest.raises(ArchiveError, match="no such file"):
            list(read("s3://crawl/none.warc"))
    finally:
        store.stop()


def test_a_file_system_that_fails_is_one_line(tmp_path, capsys, monkeypatch):
    pytest.importorskip("fsspec")
    import fsspec

    class Failing(fsspec.AbstractFileSystem):
        def info(self, path, **kwargs):
            raise RuntimeError("no such data set,\nor no token")

    monkeypatch.setattr("fsspec.core.url_to_fs", lambda path: (Failing(), path))
    out = str(tmp_path / "out")
    assert run_command("archive", "odd://a/b.parquet", "-o", out) == 1
    said = capsys.readouterr().err
    assert said.startswith("scrapy eatext: odd://a/b.parquet: ")
    assert "no such data set, or no token" in said
    assert said.count("\n") == 1


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
