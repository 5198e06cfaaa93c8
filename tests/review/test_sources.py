"""The review shows the pages of every kind of source, as the command is started."""

from __future__ import annotations

import json
import time
from contextlib import closing

import pytest

from scrapy_eatext.archive.readers import Reading
from scrapy_eatext.execution.cascade import Limits
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.review.labels import LabelFolder
from scrapy_eatext.review.pages import Review
from scrapy_eatext.review.sources import Spool, stored_in
from tests.support.archives import URL, article, page, warc
from tests.support.crawling import PATIENCE, UrlSpider, crawl
from tests.support.reviewing import ReviewProcess, ask

pytestmark = pytest.mark.slow


def of_warc(folder, server):
    (folder / "pages.warc.gz").write_bytes(warc(3))
    return ["pages.warc.gz"]


def of_parquet(folder, server):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{"address": URL.format(i), "body": page(i)} for i in range(3)]
    parquet.write_table(pa.Table.from_pylist(rows), folder / "pages.parquet")
    return ["pages.parquet", "--html-field", "body", "--url-field", "address"]


def of_json(folder, server):
    rows = [{"url": URL.format(i), "html": page(i).decode()} for i in range(3)]
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return ["pages.jsonl"]


def of_cache(folder, server):
    settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(folder / "cache")}
    done = crawl(UrlSpider, settings, urls=(*of_urls(folder, server), server("/x.png")))
    assert len(done.items) == 3
    return ["cache"]


def of_urls(folder, server):
    return [server(f"/word/{i}") for i in range(3)]


def test_a_label_folder_is_reviewed_with_its_labels(tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_bytes(page(0))
    # This page names a canonical address, by which its labels are not filed.
    canonical = b'<link rel=canonical href="https://example.com/b">' + page(1)
    (pages / "b.html").write_bytes(canonical)
    states = []
    with closing(Spool()) as spool:
        for source in (pages, tmp_path / "labels"):
            folder = LabelFolder(tmp_path / "labels")
            review = Review(
                stored_in(str(source), Reading(), spool),
                folder,
                lambda url: Choice(),
                Limits(),
            )
            review._work()
            states.append([row.state for row in review.rows])
            for number in range(2):
                signs = "m" * len(review.opened(number).texts)
                review.write(number, signs, accepted=True)
            folder.close()
    assert states == [["new", "new"], ["accepted", "accepted"]]
    assert len(list((tmp_path / "labels" / "ground-truth").iterdir())) == 2


@pytest.mark.parametrize("source", [of_warc, of_parquet, of_json, of_cache, of_urls])
def test_pages_of_a_source(source, server, tmp_path):
    arguments = source(tmp_path, server)
    run = ReviewProcess(tmp_path, *arguments)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            queue = ask(run.url, "/api/queue").json()
            rows = [r for r in queue["rows"] if not r["error"].startswith("skipped")]
            if not queue["reading"] and all(r["score"] is not None for r in rows):
                break
            assert time.monotonic() < end
            time.sleep(0.1)
        served = source in (of_cache, of_urls)
        urls = of_urls(tmp_path, server) if served else map(URL.format, range(3))
        good = {r["url"]: r["id"] for r in rows if not r["error"]}
        assert len(good) == 3
        for number, url in enumerate(urls):
            page = f"?id={good[url]}"
            assert ask(run.url, f"/api/page{page}").json()["state"] == "new"
            found = ask(run.url, f"/api/algorithm{page}&algorithm=eatext").json()
            served_text = f"This is the text of page {number}"
            assert (served_text if served else article(number)) in found["text"]
    finally:
        run.end()
