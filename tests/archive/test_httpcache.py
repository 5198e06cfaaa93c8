"""Every page of Scrapy's HTTPCACHE is read, and nothing of it is executed."""

from __future__ import annotations

import gzip
import os
import pickle
import sqlite3
import tracemalloc
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

import pytest

from scrapy_eatext.archive.local import Run
from scrapy_eatext.archive.readers import ArchiveError, read
from scrapy_eatext.archive.readers.httpcache import builtin_values
from tests.archive.test_local import plan
from tests.support.archives import URL, filled, page

pytestmark = pytest.mark.slow


def entry(
    folder: Path, key: str, body: bytes, headers: bytes, data: bytes | None
) -> None:
    meta = {"status": 200, "response_url": URL.format(key)}
    files = {
        "meta": repr(meta).encode(),
        "pickled_meta": pickle.dumps(meta),
        "response_headers": headers,
        "response_body": body,
    }
    if data is not None:
        files["response_data"] = data
    filled(folder / "spider" / key[:2] / key, files)


class Evil:
    def __reduce__(self):
        return os.mkdir, ("unpickled",)


def test_nothing_but_plain_values_is_unpickled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from ipaddress import ip_address

    details = {
        "ip_address": ip_address("127.0.0.1"),
        "encoding": "utf-8",
        "more": Evil(),
        "_class": "scrapy.http.response.html.HtmlResponse",
    }
    headers = b"Content-Type: text/html; charset=latin-1"
    entry(tmp_path, "aa11", page(0), headers, pickle.dumps(details))
    (found,) = read(str(tmp_path))
    # A download handler's encoding takes precedence over the header's.
    assert (found.html, found.encoding) == (page(0), "utf-8")
    assert not Path("unpickled").exists()


def test_damaged_entries_cost_no_other(tmp_path):
    html = b"Content-Type: text/html"
    entry(tmp_path, "aa11", page(0), html, b"\x80\x04no pickle")
    entry(tmp_path, "cc11", page(2), html, None)
    entry(tmp_path, "dd11", gzip.compress(page(3))[:-9], html, None)
    found = list(read(str(tmp_path)))
    assert [(one.id, one.outcome, bool(one.error)) for one in found] == [
        ("aa11", "", False),
        ("cc11", "", False),
        ("dd11", "", True),
    ]


@pytest.mark.parametrize("missing", ["meta", "response_headers", "response_body"])
def test_an_entry_without_a_file_is_unreadable(tmp_path, missing):
    entry(tmp_path, "aa11", page(0), b"Content-Type: text/html", None)
    (tmp_path / "spider/aa/aa11" / missing).unlink()
    entry(tmp_path, "bb11", page(1), b"Content-Type: text/html", None)
    done = Run(plan(tmp_path, tmp_path / "out")).go()
    assert not done.errors
    assert done.counts == {"unreadable": 1, "extracted": 1}


def database_of(path: Path, rows: Mapping[bytes, object]) -> Path:
    """A database as Python 3.13 makes it."""
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE Dict (key BLOB UNIQUE, value BLOB NOT NULL)")
        database.executemany("INSERT INTO Dict VALUES (?, ?)", rows.items())
    database.close()
    return path


def test_a_pickle_takes_no_more_memory_than_its_size():
    tracemalloc.start()
    with suppress(ValueError):
        # The first value has this number.
        builtin_values(b"\x80\x04Nr" + (1 << 24).to_bytes(4, "little") + b".")
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.parametrize(
    "made",
    [
        (
            "VIEW Dict (key, value) AS"
            " WITH n (i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i, i FROM n"
        ),
        "TABLE Dict (key BLOB, value BLOB AS (zeroblob(100000000)))",
    ],
)
def test_a_database_whose_rows_are_endless(tmp_path, made):
    with closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute(f"CREATE {made}")
    with pytest.raises(ArchiveError, match="no such table"):
        list(read(str(tmp_path / "a.db")))


def test_pipes_are_not_waited_for(tmp_path):
    entry(tmp_path, "aa11", page(0), b"Content-Type: text/html", None)
    os.mkfifo(tmp_path / "spider/aa/aa11/response_data")
    os.mkfifo(tmp_path / "a.warc")
    os.mkfifo(tmp_path / "a.db")
    (one,) = read(str(tmp_path))
    assert one.html == page(0)
    (tmp_path / "a.cdxj").write_text(
        'a 1 {"filename": "a.warc", "offset": 0, "length": 9}'
    )
    for name in ("a.cdxj", "a.db"):
        with pytest.raises(ArchiveError, match="no regular file"):
            list(read(str(tmp_path / name)))


def test_a_damaged_database(tmp_path):
    rows = {b"%d_data" % i: bytes(3000) for i in range(99)}
    path = database_of(tmp_path / "spider.db", rows)
    data = path.read_bytes()
    path.write_bytes(data[:9000] + b"\xff" * (len(data) - 9000))
    with pytest.raises(ArchiveError, match="malformed"):
        list(read(str(path)))
    # A damaged page costs only its own rows.
    path.write_bytes(data[:200_000] + b"\xff" * 4096 + data[204_096:])
    found = list(read(str(path)))
    assert len(found) == len(rows)
    assert 0 < sum("malformed" in one.error for one in found) < 5


def lists_in_lists(depth: int) -> object:
    """A value whose text is 2 ** depth times as long as its pickle."""
    value: object = "a" * 10
    for _ in range(depth):
        value = [value, value]
    return value


@pytest.mark.parametrize(
    "meta",
    [
        "{'response_url': __import__('os')}",
        "{'response_url': 'http://site.example/', 'status': 1e999}",
        "-" * 200_000 + "1",
        "[" * 5000,
        "{'response_url': [], 'status': 200}",
        "{'response_url': 'http://site.example/', 'status': %s}" % (1 << 70),
    ],
    ids=["call", "infinite", "signs", "nested", "no address", "no status"],
)
def test_whatever_is_in_a_response_costs_no_other(tmp_path, meta):
    for key in ("aa11", "bb11"):
        entry(tmp_path, key, page(0), b"Content-Type: text/html", None)
    (tmp_path / "spider/aa/aa11/meta").write_text(meta)
    found = [(one.id, one.outcome) for one in read(str(tmp_path))]
    assert found == [("aa11", "unreadable"), ("bb11", "")]


def test_whatever_is_in_a_database_costs_no_other(tmp_path):
    headers = {b"Content-Type": [b"text/html"]}
    good = {"url": URL.format(0), "status": 200, "headers": headers, "body": page(0)}
    wrong = [
        {"status": float("inf")},
        {"body": 1 << 40},
        {"url": lists_in_lists(60)},
        {"headers": {None: b""}},
        {"headers": {b"a": lists_in_lists(60)}},
    ]
    rows: dict[bytes, object] = {
        b"%d_data" % i: pickle.dumps(good | one) for i, one in enumerate([*wrong, {}])
    }
    rows |= {b"7_data": 1 << 40, b"8_data": b"no pickle", b"8_time": b"1.5"}
    found = list(read(str(database_of(tmp_path / "a.db", rows))))
    outcomes = [one.outcome for one in found]
    assert outcomes == [*["unreadable"] * len(wrong), "", *["unreadable"] * 2]
    assert (found[5].url, found[5].html) == (URL.format(0), page(0))
