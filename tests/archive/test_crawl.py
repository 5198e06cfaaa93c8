"""Archives give the texts that the crawl had which filled them."""

from __future__ import annotations

from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

pytest.importorskip("pyarrow")

from scrapy_eatext.archive.core import batches_of, extract_batches
from scrapy_eatext.archive.readers import read
from tests.support.archives import read_in_parts, record
from tests.support.crawling import ADDON, UrlSpider, crawl

pytestmark = pytest.mark.slow

PATHS = (
    "page/1",
    "word/boats",
    "gzip/2",
    "charset/latin-1",
    "charset/koi8-r",
    "redirect/3",
    "short/4",
    "big/20",
    "missing/5",
    "image.png",
)
FIELDS = ("text", "markdown", "title", "language", "page_type", "algorithm", "version")
_ASKED = {name: name for name in FIELDS}
SETTINGS = {"EATEXT_ALGORITHM": "eatext", "EATEXT_EXECUTOR": "inline"}
STORAGE = "scrapy.extensions.httpcache.{}CacheStorage"
# Where the pages are stored: the settings of HTTPCACHE, None for a WARC file.
STORAGES = {
    "Filesystem": {},
    "Filesystem in gzip": {"HTTPCACHE_GZIP": True},
    "Dbm": {},
    "Dbm of dbm.dumb": {"HTTPCACHE_DBM_MODULE": "dbm.dumb"},
    "WARC": None,
}


class Live(UrlSpider):
    """Keeps what the crawl makes of each page."""

    def parse(self, response):
        found = response.meta.get("main_text")
        if found is not None:
            values = {name: getattr(found, name) for name in FIELDS}
            yield {"address": response.url, "values": values, "body": response.body}


def archived(path):
    batches = extract_batches(batches_of(read(str(path))), SETTINGS)
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert not any(row["error"] for row in rows)
    return {
        row["url"]: {name: row[name] for name in FIELDS}
        for row in rows
        if not row["outcome"].startswith("skipped_")
    }


def as_it_went(url):
    """A WARC record of what a server answers, byte for byte."""
    address = urlsplit(url)
    connection = HTTPConnection(str(address.hostname), address.port or 80)
    connection.request("GET", address.path, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    lines = [f"HTTP/1.1 {answer.status} {answer.reason}"]
    lines += [f"{name}: {value}" for name, value in answer.getheaders()]
    block = "\r\n".join([*lines, "", ""]).encode() + answer.read()
    connection.close()
    return record(block, url)


@pytest.mark.parametrize("storage", STORAGES)
def test_pages_and_texts_are_those_of_the_crawl(server, tmp_path, storage):
    urls = tuple(server(f"/{path}") for path in PATHS)
    settings = {**ADDON, **SETTINGS, "EATEXT_FIELDS": _ASKED}
    path = tmp_path / "cache"
    if storage == "WARC":
        path = tmp_path / "crawl.warc"
        # A crawl follows the redirect; an archive has both.
        path.write_bytes(b"".join(map(as_it_went, [*urls, server("/page/3")])))
    else:
        settings |= {
            "HTTPCACHE_ENABLED": True,
            "HTTPCACHE_DIR": str(path),
            "HTTPCACHE_STORAGE": STORAGE.format(storage.split(maxsplit=1)[0]),
            **STORAGES[storage],
        }
    done = crawl(Live, settings, urls=urls)
    live = {item["address"]: item["values"] for item in done.items}
    # What is not there, and the picture, have no text.
    assert len(live) == len(urls) - 2
    assert len({values["text"] for values in live.values()}) >= len(live) - 1
    assert archived(path) == live
    found = list(read(str(path)))
    bodies = {item["address"]: item["body"] for item in done.items}
    assert {one.url: one.html for one in found if not one.outcome} == bodies
    # A redirect, a page that is not there, and a picture.
    outcomes = sorted(one.outcome for one in found if one.outcome)
    assert outcomes == ["skipped_status", "skipped_status", "skipped_type"]
    assert read_in_parts(path, 1) == found


def test_binary_data_that_is_sent_as_html_is_no_page(tmp_path):
    archive = tmp_path / "pages.warc"
    archive.write_bytes(
        record(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n%PDF-1.7 x")
    )
    (batch,) = extract_batches(
        batches_of(read(str(archive))), columns=("outcome", "text")
    )
    assert batch.to_pylist() == [{"outcome": "skipped_type", "text": ""}]
