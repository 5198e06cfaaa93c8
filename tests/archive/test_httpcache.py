"""Every page of Scrapy's HTTPCACHE is read, and nothing of it is executed."""

from __future__ import annotations

import gzip
import os
import pickle
import sqlite3
from pathlib import Path

import pytest

from scrapy_eatext.archive.readers import ArchiveError, httpcache, read
from tests.support.archives import URL, page, read_in_parts
from tests.support.crawling import UrlSpider, crawl

pytestmark = pytest.mark.slow


class Compressed(UrlSpider):
    """Keeps each page's text as the crawl has it."""

    def parse(self, response):
        yield {"url": response.url, "body": response.body}


PATHS = ("page/1", "page/2", "gzip/3", "redirect/4", "charset/latin-1", "missing")
STORAGE = "scrapy.extensions.httpcache.{}CacheStorage"


# Others are those of test_crawl.py.
@pytest.mark.parametrize("storage", ["Filesystem", "Dbm"])
def test_the_cache_of_a_crawl(server, storage, tmp_path):
    urls = tuple(server(f"/{path}") for path in (*PATHS, "image.png"))
    folder = tmp_path / "cache"
    settings = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(folder),
        "HTTPCACHE_STORAGE": STORAGE.format(storage),
        "HTTPCACHE_DBM_MODULE": "dbm.dumb",
    }
    done = crawl(Compressed, settings, urls=urls)
    found = list(read(str(folder)))
    assert {one.url: one.html for one in found if not one.outcome} == {
        item["url"]: item["body"] for item in done.items if "image" not in item["url"]
    }
    assert len([one for one in found if not one.outcome]) == 5
    # A redirect, a page that is not there, and a picture.
    outcomes = sorted(one.outcome for one in found if one.outcome)
    assert outcomes == ["skipped_status", "skipped_status", "skipped_type"]
    assert read_in_parts(folder, 1) == found


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
    headers = b"Content-Type: text/html; charset=latin-1"
    entry(tmp_path, "aa11", page(0), headers, pickle.dumps(said))
    (found,) = read(str(tmp_path))
    # The encoding is what a download handler said, whatever the header says.
    assert (found.html, found.encoding) == (page(0), "utf-8")
    assert not Path("unpickled").exists()
    plain = httpcache.builtin_values(pickle.dumps({"a": [1, b"x"], "b": Evil()}))
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
