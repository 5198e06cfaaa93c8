"""Every page of an archive is read, whoever wrote the archive, and whatever is damaged."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import sqlite3
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

import pytest

from scrapy_eatext.archive.packed import PackedError, unpacked
from scrapy_eatext.archive.readers import (
    ArchiveError,
    Place,
    Reading,
    httpcache,
    parts,
    read,
    read_part,
    warc,
)
from scrapy_eatext.archive.record import dechunked
from tests.support.archives import URL, page, page_record, record, response
from tests.support.archives import warc as warc_of
from tests.support.crawling import UrlSpider, crawl

pytestmark = pytest.mark.slow

zstd = pytest.importorskip(
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
)

PACKINGS: dict[str, Callable[[list[bytes]], bytes]] = {
    "plain": b"".join,
    "gzip": lambda records: b"".join(map(gzip.compress, records)),
    "gzip in one": lambda records: gzip.compress(b"".join(records)),
    "zstd": lambda records: b"".join(map(zstd.compress, records)),
    "zstd in one": lambda records: zstd.compress(b"".join(records)),
    # Members that end anywhere, as bgzip writes.
    "blocks": lambda records: b"".join(
        gzip.compress(b"".join(records)[at : at + 700])
        for at in range(0, len(b"".join(records)), 700)
    ),
}
BY_ITSELF = ("plain", "gzip", "zstd")


def records_of(data: bytes, most: int = 0):
    return list(warc.read(io.BytesIO(data), 0, 1 << 62, most))


def pages_of(data: bytes) -> dict[str, bytes]:
    return {one.url: one.html for one in records_of(data) if not one.outcome}


FIVE = [page_record(i) for i in range(5)]
ALL = {URL.format(i): page(i) for i in range(5)}


@pytest.mark.parametrize("packing", PACKINGS)
def test_every_page_of_a_warc(packing):
    found = records_of(PACKINGS[packing](FIVE))
    assert {one.url: one.html for one in found} == ALL
    assert {(one.encoding, one.outcome, one.error) for one in found} == {
        ("utf-8", "", "")
    }


@pytest.mark.parametrize("packing", BY_ITSELF)
@pytest.mark.parametrize("wrong", [-300, 300, 700, 10**12])
def test_a_record_whose_length_is_wrong_costs_no_page(packing, wrong):
    length = len(response(page(1))) + wrong
    records = [FIVE[0], page_record(1, length=length), *FIVE[2:]]
    found = records_of(PACKINGS[packing](records))
    assert {one.url: one.html for one in found} == ALL
    assert [one.url for one in found if "length is wrong" in one.error] == [
        URL.format(1)
    ]


@pytest.mark.parametrize("packing", BY_ITSELF)
def test_a_record_whose_header_has_no_end(packing):
    found = records_of(PACKINGS[packing]([FIVE[0], FIVE[1][:50]]))
    assert [one.outcome for one in found] == ["", "unreadable"]
    found = records_of(PACKINGS[packing]([FIVE[0], FIVE[1][:50], *FIVE[2:]]))
    assert [one.outcome for one in found] == ["", "unreadable", "", "", ""]


SHORT = [page_record(i, words=8) for i in range(3)]


@pytest.mark.parametrize("packing", BY_ITSELF)
def test_a_record_that_is_cut_off_anywhere_costs_no_other(packing):
    first, second, third = (PACKINGS[packing]([one]) for one in SHORT)
    for size, after in product(range(1, len(second)), (b"", third)):
        found = records_of(first + second[:size] + after)
        whole = {one.url: one.html for one in found if not one.error}
        urls = {0, 2} if after else {0}
        if packing == "plain" and size < 5 and after:
            # So little of it counts as the end of the one before.
            assert found[0].html.startswith(page(0, 8))
            urls -= {0}
        if packing == "plain" and size >= len(second) - 4:  # line ends alone
            urls |= {1}
        assert whole == {URL.format(i): page(i, 8) for i in urls}, size
        assert (len(found) > len(whole)) == (1 not in urls), size


def test_a_record_that_is_cut_off_in_a_file_that_is_packed_as_a_whole():
    for size in range(len(b"WARC/1.0\r\n"), SHORT[1].index(b"\r\n\r\n")):
        found = records_of(gzip.compress(SHORT[0] + SHORT[1][:size] + SHORT[2]))
        assert [one.outcome for one in found] == ["", "unreadable", ""], size


def test_an_address_that_ends_like_a_first_line():
    url = "http://site.example/WARC/1.1"
    block = response(page(1))
    first = record(block, url)
    lines = first[: -len(block) - 8].split(b"\r\n")
    other = b"\r\n".join([lines[0], lines[-1], *lines[1:-1], b"", b""]) + block
    for one in (first, other + b"\r\n\r\n"):
        found = records_of(one + FIVE[2])
        assert [(r.url, r.html, r.error) for r in found] == [
            (url, page(1), ""),
            (URL.format(2), page(2), ""),
        ]


def test_a_status_of_too_many_digits_costs_no_other():
    found = records_of(record(response(b"", status="9" * 5000), "x") + FIVE[0])
    assert [one.outcome for one in found] == ["skipped_status", ""]


def test_a_record_without_length():
    without = FIVE[1].replace(b"Content-Length", b"Content-Size")
    assert pages_of(b"".join([FIVE[0], without, *FIVE[2:]])) == ALL


@pytest.mark.parametrize("packing", PACKINGS)
def test_an_archive_that_is_cut_off_gives_what_it_has(packing):
    data = PACKINGS[packing](FIVE)
    for size in (len(data) - 9, len(data) - 90, len(data) // 2, 40, 5):
        found = records_of(data[:size])
        whole = [one for one in found if not one.error]
        assert len(found) - len(whole) == 1, size
        assert all(ALL[one.url] == one.html for one in whole)
        # All pages before the cut are there.
        assert [one.url for one in whole] == list(ALL)[: len(whole)]
        if packing in BY_ITSELF:
            assert len(whole) >= size * 5 // len(data) - 1


def test_the_beginning_of_a_page_that_is_cut_off_is_kept():
    last = records_of(PACKINGS["gzip"](FIVE)[:-100])[-1]
    assert page(4).startswith(last.html)
    assert len(last.html) > 100
    assert last.error


@pytest.mark.parametrize("at", [-6, -2, 3, 12, 100, 200])
def test_a_damaged_member_of_gzip_costs_no_other(at):
    packed = [gzip.compress(one) for one in FIVE]
    damaged = bytearray(packed[1])
    damaged[at] ^= 255
    found = records_of(b"".join([packed[0], bytes(damaged), *packed[2:]]))
    whole = {one.url: one.html for one in found if not one.error}
    assert whole == {url: html for url, html in ALL.items() if url != URL.format(1)}
    (other,) = [one for one in found if one.error]
    if at < 0:  # the checksum: the page is all there
        assert other.html == page(1)


def named(data: bytes) -> bytes:
    """A member with a name and a field in its header, as tools write them."""
    packed = gzip.compress(data, mtime=1_700_000_000)
    extra = b"\x04\x00name"
    return packed[:3] + b"\x0c" + packed[4:10] + extra + b"pages.warc\0" + packed[10:]


def checked(data: bytes) -> bytes:
    options = {zstd.CompressionParameter.checksum_flag: 1}
    return zstd.compress(data, options=options)


MEMBERS = {"gzip": gzip.compress, "gzip with a name": named, "zstd": checked}


@pytest.mark.parametrize("packing", MEMBERS)
@pytest.mark.parametrize("bits", [1, 4, 8, 28, 64, 255])
def test_damage_anywhere_in_a_member_costs_no_other(packing, bits):
    packed = [MEMBERS[packing](one) for one in FIVE]
    for at in range(len(packed[1])):
        damaged = bytearray(packed[1])
        damaged[at] ^= bits
        found = records_of(b"".join([packed[0], damaged, *packed[2:]]))
        whole = {one.url: one.html for one in found if not one.error}
        # Some bits of a member do not matter.
        assert len(found) - len(whole) == 1 or whole == ALL, at
        assert {URL.format(1): page(1)} | whole == ALL, at


@pytest.mark.parametrize("flags", range(32))
@pytest.mark.parametrize("packing", ["gzip", "gzip with a name"])
def test_a_page_is_read_whatever_flags_its_member_has(packing, flags):
    packed = [MEMBERS[packing](one) for one in FIVE]
    damaged = packed[1][:3] + bytes([flags]) + packed[1][4:]
    assert pages_of(b"".join([packed[0], damaged, *packed[2:]])) == ALL


def test_what_follows_a_whole_record_is_none_of_it():
    packed = [gzip.compress(one) for one in FIVE]
    other = gzip.compress(b"no record at all, but a member that is whole")
    found = records_of(b"".join([packed[0], other, *packed[1:]]))
    assert [one.outcome for one in found] == ["", "unreadable", "", "", "", ""]
    assert [one.error for one in found if not one.outcome] == [""] * 5


def test_what_is_no_record_is_counted():
    found = records_of(
        b"".join(
            [gzip.compress(FIVE[0]), b"no record" * 9, *map(gzip.compress, FIVE[1:])]
        )
    )
    assert [one.outcome for one in found] == ["", "unreadable", "", "", "", ""]
    assert records_of(b"this is no WARC at all")[0].outcome == "unreadable"
    assert records_of(b"") == []


def test_records_without_pages():
    info = record(
        b"software: a crawler\r\n", kind="warcinfo", media="application/warc-fields"
    )
    revisit = record(b"HTTP/1.1 200 OK\r\n\r\n", URL.format(9), "revisit")
    dns = record(
        b"20240501 site.example. 1 IN A 127.0.0.1", "dns:site.example", media="text/dns"
    )
    log = record(b"a log", "metadata://gnu.org/log", "resource", "text/plain")
    unknown = record(b"what", kind="snapshot")
    moved = record(response(b"", status="301 Moved"), URL.format(7))
    picture = record(response(b"\x89PNG", "image/png"), URL.format(8))
    found = records_of(
        b"".join([info, revisit, dns, log, unknown, moved, picture, *FIVE])
    )
    assert {one.url: one.html for one in found if not one.outcome} == ALL
    assert [(one.url, one.outcome) for one in found if one.outcome] == [
        ("dns:site.example", "skipped_type"),
        ("metadata://gnu.org/log", "skipped_type"),
        (URL.format(7), "skipped_status"),
        (URL.format(8), "skipped_type"),
    ]


@pytest.mark.parametrize("kind", ["resource", "conversion"])
def test_a_page_without_a_response(kind):
    found = records_of(
        record(page(0), URL.format(0), kind, "text/html; charset=latin-1")
    )
    assert [(one.url, one.html, one.encoding) for one in found] == [
        (URL.format(0), page(0), "cp1252")
    ]


@pytest.mark.parametrize(
    "name", ["WARC-Identified-Payload-Type", "WARC-Identified-Content-Type"]
)
def test_the_identified_type_counts_where_there_is_no_other(name):
    for media, said, outcome in (
        ("", "text/html", ""),
        ("", "application/xhtml+xml", ""),
        ("", "application/pdf", "skipped_type"),
        ("text/html", "application/pdf", ""),
        ("application/pdf", "text/html", "skipped_type"),
    ):
        data = record(response(b"<p>A text.", media), more=[f"{name}: {said}"])
        assert [one.outcome for one in records_of(data)] == [outcome], (media, said)


@pytest.mark.parametrize("line", ["\r\n", "\n"])
@pytest.mark.parametrize("empty", ["\r\n", "\n"])
def test_a_header_whose_lines_end_unlike(line, empty):
    html = page(0).replace(b"<article>", b"\n\n<article>")
    head = f"HTTP/1.1 200 OK{line}Content-Type: text/html{line}{empty}"
    (found,) = records_of(record(head.encode() + html, "x"))
    assert (found.html, found.error) == (html, "")


def test_an_address_in_brackets():
    data = record(response(page(0)), f"<{URL.format(0)}>")
    assert pages_of(data) == {URL.format(0): page(0)}


def chunked(body: bytes, size: int = 100) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;x=y\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("coding", CODINGS)
def test_bodies_in_chunks_and_packed(coding):
    body = CODINGS[coding](page(0))
    head = [f"Content-Encoding: {coding}"]
    sent = response(chunked(body), more=[*head, "Transfer-Encoding: chunked"])
    for block in (
        response(body, more=head),
        sent,
        # Unpacked and put together by the archive's writer, its headers left.
        response(page(0), more=[*head, "Transfer-Encoding: chunked"]),
    ):
        assert pages_of(record(block, "u")) == {"u": page(0)}


def test_deflate_without_a_header():
    packer = zlib.compressobj(wbits=-15)
    body = packer.compress(page(0)) + packer.flush()
    assert unpacked(body, "deflate", 0) == page(0)


def test_brotli():
    brotli = pytest.importorskip("brotli", minversion="1.2.0")
    assert unpacked(brotli.compress(page(0)), "br", 0) == page(0)
    bomb = brotli.compress(bytes(1 << 26))
    assert len(unpacked(bomb, "br", 1000)) == 1001


def test_several_codings_are_undone_in_turn():
    body = gzip.compress(zlib.compress(page(0)))
    assert unpacked(body, "deflate, gzip", 0) == page(0)


def test_a_body_that_is_cut_off_is_a_beginning():
    with pytest.raises(PackedError, match="cut off") as caught:
        unpacked(gzip.compress(os.urandom(999))[:-100], "gzip", 0)
    assert len(caught.value.data) > 500
    assert dechunked(b"5\r\nabcde\r\n5\r\nab") == (
        b"abcdeab",
        "the body is cut off in a chunk",
    )
    assert dechunked(b"5\r\nabcde\r\n-1\r\nab")[1]
    assert dechunked(b"no chunk") == (b"no chunk", "")


@pytest.mark.parametrize("packing", ["plain", "gzip", "gzip in one", "zstd"])
def test_a_huge_record_takes_little_memory(packing, tmp_path):
    huge = record(response(b"<p>" + bytes(80_000_000)), "huge")
    path = tmp_path / "huge.warc"
    path.write_bytes(PACKINGS[packing]([FIVE[0], huge, FIVE[1]]))
    del huge
    with path.open("rb") as file:
        tracemalloc.start()
        found = list(warc.read(file, 0, 1 << 62, 1_000_000))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert [len(one.html) for one in found[:3:2]] == [len(page(0)), len(page(1))]
    assert len(found[1].html) == 1_000_001
    assert peak < 20_000_000


def test_a_bomb_takes_little_memory():
    bomb = gzip.compress(bytes(100_000_000))
    data = gzip.compress(record(response(bomb, more=["Content-Encoding: gzip"])))
    tracemalloc.start()
    (found,) = records_of(data, 1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found.html) == 1_000_001
    assert peak < 10_000_000


@pytest.mark.parametrize("packing", PACKINGS)
def test_parts_have_each_page_once(packing, tmp_path):
    ending = {"p": ".warc", "g": ".warc.gz", "b": ".warc.gz", "z": ".warc.zst"}
    path = tmp_path / f"pages{ending[packing[0]]}"
    path.write_bytes(PACKINGS[packing](FIVE))
    found = list(parts(str(path), size=1000 if packing == "plain" else 300))
    assert len(found) > 1 or packing not in BY_ITSELF
    records = [one for part in found for one in read_part(part, Reading())]
    assert {one.url: one.html for one in records} == ALL
    assert len(records) == 5


def test_a_part_begins_with_a_record_whose_first_line_is_damaged():
    damaged = FIVE[1].replace(b"WARC/1.0", b"WARC/1:0")
    file = io.BytesIO(FIVE[0] + damaged + FIVE[2])
    at = [*warc.cuts(file, 100), 1 << 62]
    assert len(at) == 4
    found = [one for span in pairwise(at) for one in warc.read(file, *span, 0)]
    assert [(one.url, one.html, one.error) for one in found] == [
        (URL.format(i), page(i), "") for i in range(3)
    ]


def test_zstd_with_a_dictionary(tmp_path):
    samples = [page_record(i) for i in range(1000)]
    trained = zstd.train_dict(samples, 4000)
    for content in (trained.dict_content, zstd.compress(trained.dict_content)):
        head = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
        path = tmp_path / "pages.warc.zst"
        packed = [zstd.compress(one, zstd_dict=trained) for one in FIVE]
        path.write_bytes(head + b"".join(packed))
        found = [
            one
            for part in parts(str(path), size=200)
            for one in read_part(part, Reading())
        ]
        assert {one.url: one.html for one in found} == ALL


# warcio leaves temporary files open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("gzipped", [True, False])
def test_archives_of_warcio(gzipped, tmp_path):
    warcwriter = pytest.importorskip("warcio.warcwriter")
    from warcio.statusandheaders import StatusAndHeaders

    path = tmp_path / "pages.warc.gz"
    with path.open("wb") as file:
        writer = warcwriter.WARCWriter(file, gzip=gzipped)
        writer.write_record(writer.create_warcinfo_record("pages", {"software": "x"}))
        for url, html in ALL.items():
            headers = StatusAndHeaders(
                "200 OK", [("Content-Type", "text/html")], "HTTP/1.0"
            )
            for kind in ("response", "request"):
                writer.write_record(
                    writer.create_warc_record(
                        url, kind, payload=io.BytesIO(html), http_headers=headers
                    )
                )
    assert {one.url: one.html for one in read(str(path))} == ALL


def test_archives_of_fastwarc(tmp_path):
    fastwarc = pytest.importorskip("fastwarc.warc")
    path = tmp_path / "pages.warc"
    with path.open("wb") as file:
        for url, html in ALL.items():
            one = fastwarc.WarcRecord()
            one.init_headers(record_type=fastwarc.WarcRecordType.response)
            one.headers["WARC-Target-URI"] = url
            one.set_bytes_content(response(html))
            one.headers["Content-Type"] = "application/http; msgtype=response"
            one.write(file)
    assert {one.url: one.html for one in read(str(path))} == ALL


def test_archives_of_wget(server, tmp_path):
    try:
        subprocess.run(["wget", "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no wget")
    urls = [server(f"/{path}") for path in ("page/1", "page/2", "gzip/3", "redirect/4")]
    subprocess.run(
        [
            "wget",
            "-q",
            "--warc-file=pages",
            "--delete-after",
            *urls,
            server("/image.png"),
        ],
        check=True,
        cwd=tmp_path,
    )
    found = list(read(str(tmp_path / "pages.warc.gz")))
    assert sorted(one.url for one in found if not one.outcome) == [
        server("/gzip/3"),
        *(server(f"/page/{i}") for i in (1, 2, 4)),
    ]
    assert all(
        b"This is the text of page" in one.html for one in found if not one.outcome
    )
    assert not any(one.error for one in found)


# -- Scrapy's HTTPCACHE


class Compressed(UrlSpider):
    """Keeps each page's text as the crawl has it."""

    def parse(self, response):
        yield {"url": response.url, "body": response.body}


PATHS = ("page/1", "page/2", "gzip/3", "redirect/4", "charset/latin-1", "missing")
STORAGE = "scrapy.extensions.httpcache.{}CacheStorage"


@pytest.mark.parametrize(
    "settings",
    [
        {"HTTPCACHE_STORAGE": STORAGE.format("Filesystem")},
        {"HTTPCACHE_STORAGE": STORAGE.format("Filesystem"), "HTTPCACHE_GZIP": True},
        {
            "HTTPCACHE_STORAGE": STORAGE.format("Dbm"),
            "HTTPCACHE_DBM_MODULE": "dbm.dumb",
        },
        {"HTTPCACHE_STORAGE": STORAGE.format("Dbm")},
    ],
    ids=["files", "gzip", "dbm.dumb", "dbm"],
)
def test_the_cache_of_a_crawl(server, settings, tmp_path):
    urls = tuple(server(f"/{path}") for path in (*PATHS, "image.png"))
    folder = tmp_path / "cache"
    settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(folder), **settings}
    done = crawl(Compressed, settings, urls=urls)
    found = list(read(str(folder)))
    assert {one.url: one.html for one in found if not one.outcome} == {
        item["url"]: item["body"] for item in done.items if "image" not in item["url"]
    }
    assert len([one for one in found if not one.outcome]) == 5
    # A redirect, a page that is not there, and a picture.
    assert sorted(one.outcome for one in found if one.outcome) == [
        "skipped_status",
        "skipped_status",
        "skipped_type",
    ]
    cut = [one for part in parts(str(folder), 1) for one in read_part(part, Reading())]
    assert cut == found


def entry(
    folder: Path, key: str, body: bytes, headers: bytes, data: bytes | None
) -> None:
    one = folder / "spider" / key[:2] / key
    one.mkdir(parents=True)
    meta = {
        "url": URL.format(key),
        "method": "GET",
        "status": 200,
        "response_url": URL.format(key),
        "timestamp": 1.5,
    }
    (one / "meta").write_text(repr(meta))
    (one / "pickled_meta").write_bytes(pickle.dumps(meta))
    (one / "response_headers").write_bytes(headers)
    (one / "response_body").write_bytes(body)
    if data is not None:
        (one / "response_data").write_bytes(data)


class Evil:
    def __reduce__(self):
        return os.mkdir, ("unpickled",)


def test_nothing_but_plain_values_is_unpickled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from ipaddress import ip_address

    said = {
        "ip_address": ip_address("127.0.0.1"),
        "encoding": "utf-8",
        "more": Evil(),
        "_class": "scrapy.http.response.html.HtmlResponse",
    }
    entry(
        tmp_path,
        "aa11",
        page(0),
        b"Content-Type: text/html; charset=latin-1",
        pickle.dumps(said),
    )
    (found,) = read(str(tmp_path))
    # The encoding is what a download handler said, whatever the header says.
    assert (found.html, found.encoding) == (page(0), "utf-8")
    assert not Path("unpickled").exists()
    plain = httpcache.plain(pickle.dumps({"a": [1, b"x"], "b": Evil()}))
    assert plain["a"] == [1, b"x"]
    assert not Path("unpickled").exists()


def test_damaged_entries_cost_no_other(tmp_path):
    html = b"Content-Type: text/html"
    entry(tmp_path, "aa11", page(0), html, b"\x80\x04no pickle")
    entry(tmp_path, "bb11", page(1), html, None)
    entry(tmp_path, "cc11", page(2), html, None)
    (tmp_path / "spider/bb/bb11/meta").write_text("{'url': __import__('os')}")
    entry(tmp_path, "dd11", gzip.compress(page(3))[:-9], html, None)
    found = list(read(str(tmp_path)))
    assert [(one.id, one.outcome, bool(one.error)) for one in found] == [
        ("aa11", "", False),
        ("bb11", "unreadable", True),
        ("cc11", "", False),
        ("dd11", "", True),
    ]


def test_a_database_of_a_newer_python(tmp_path):
    path = tmp_path / "spider.db"
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE Dict (key BLOB UNIQUE NOT NULL, value BLOB NOT NULL)"
        )
        for i in range(3):
            value = {
                "url": URL.format(i),
                "status": 200,
                "headers": {b"Content-Type": [b"text/html"]},
                "body": page(i),
            }
            database.execute(
                "INSERT INTO Dict VALUES (?, ?)", (b"%d_data" % i, pickle.dumps(value))
            )
            database.execute("INSERT INTO Dict VALUES (?, ?)", (b"%d_time" % i, b"1.5"))
        database.execute("INSERT INTO Dict VALUES (?, ?)", (b"9_data", b"no pickle"))
    database.close()
    found = list(read(str(path)))
    assert [(one.url, one.html, one.outcome) for one in found] == [
        *((URL.format(i), page(i), "") for i in range(3)),
        ("", None, "unreadable"),
    ]


def test_a_damaged_database(tmp_path):
    path = tmp_path / "spider.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE Dict (key BLOB, value BLOB)")
        rows = [(b"%d_data" % i, bytes(3000)) for i in range(99)]
        database.executemany("INSERT INTO Dict VALUES (?, ?)", rows)
    database.close()
    data = path.read_bytes()
    path.write_bytes(data[:9000] + b"\xff" * (len(data) - 9000))
    with pytest.raises(ArchiveError, match="malformed"):
        list(read(str(path)))


# -- tables and folders


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
    assert [one.url for one in found if one.outcome == "unreadable"] == [
        "a",
        "",
        "",
        "",
        "",
    ]
    assert "list is no text" in found[3].error
    cut = [one for part in parts(str(path), 700) for one in read_part(part, Reading())]
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
    assert [one.id for one in read(str(tmp_path))] == [
        "a/page.html",
        "b/there/page.html",
        "c/page.html",
    ]


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
    assert [one.url for one in read(str(tmp_path))] == [
        "a",
        URL.format(0),
        URL.format(1),
        "",
    ]


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
