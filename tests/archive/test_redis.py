"""Crawls of several processes that share one queue in Redis."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import ROOT

redis = pytest.importorskip("redis")
pytest.importorskip("scrapy_redis")

from tests.support.crawling import ADDON
from tests.support.mockserver import text_of
from tests.support.redisspider import PAGES

PROGRAM = shutil.which("redis-server")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.apart,
    pytest.mark.skipif(PROGRAM is None, reason="there is no redis-server"),
]


@contextmanager
def redis_server():
    """A Redis of its own: a client, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [PROGRAM, "--port", str(port), "--save", "", "--bind", "127.0.0.1"],
            cwd=folder,
            stdout=subprocess.DEVNULL,
        )
        client = redis.Redis(port=port)
        for _ in range(100):
            try:
                client.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.1)
        yield client, f"redis://127.0.0.1:{port}"
        client.close()
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def database():
    with redis_server() as found:
        yield found


def settings_for(address, **more):
    return {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_QUEUE_CLASS": "scrapy_redis.queue.FifoQueue",
        "SCHEDULER_PERSIST": True,
        "REDIS_URL": address,
        # Few at a time, so that one process does not take all there is.
        "CONCURRENT_REQUESTS": 2,
        "DOWNLOAD_DELAY": 0.3,
        **more,
    }


def begin(settings, urls, processes=1):
    """Some processes that crawl together, as soon as all of them are ready."""
    go = Path(tempfile.mkdtemp(), "go")
    command = [sys.executable, "-m", "tests.support.redisspider"]
    command += [json.dumps(settings), str(go), *urls]
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    running = [
        subprocess.Popen(command, cwd=ROOT, text=True, **pipes)
        for _ in range(processes)
    ]
    for process in running:
        process.stdout.readline()
    go.touch()
    return running


def crawl(settings, urls, processes=1):
    """The items of some processes that crawl together, and the stats of each."""
    outputs = [process.communicate() for process in begin(settings, urls, processes)]
    # The log of others' faults has tracebacks too.
    assert "/scrapy_eatext/crawl/" not in "".join(errors for _, errors in outputs)
    lines = [[json.loads(line) for line in out.splitlines()] for out, _ in outputs]
    items = [[line["item"] for line in one if "item" in line] for one in lines]
    stats = [line["stats"] for one in lines for line in one if "stats" in line]
    return items, stats


@pytest.mark.parametrize(
    "serializer", ["scrapy_redis.picklecompat", "tests.support.redisspider"]
)
def test_two_processes_crawl_each_page_once(server, database, serializer):
    client, address = database
    settings = {**settings_for(address, SCHEDULER_SERIALIZER=serializer), **ADDON}
    client.flushall()
    items, stats = crawl(settings, [server("/word/0")], 2)
    assert all(items), "a process had nothing to do"
    found = {item["url"]: item for one in items for item in one}
    assert sum(map(len, items)) == len(found)
    assert {*found} == {server(f"/word/{i}") for i in range(PAGES)}
    for url, item in found.items():
        assert item["main_text"].startswith(text_of(url.rpartition("/")[2]))
        assert "eatext" in item["keys"]
    # What each process counts adds up.
    for name in ("response_count", "response/extracted", "item/response"):
        assert sum(one[f"eatext/{name}"] for one in stats) == PAGES


def test_counters_in_redis(server, database):
    client, address = database
    client.flushall()
    settings = {
        **settings_for(address, STATS_CLASS="scrapy_redis.stats.RedisStatsCollector"),
        **ADDON,
    }
    items, _ = crawl(settings, [server("/word/0")], 2)
    assert sum(map(len, items)) == PAGES
    stats = {k.decode(): v.decode() for k, v in client.hgetall("tree:stats").items()}
    assert stats["eatext/response_count"] == str(PAGES)
    assert stats["eatext/response/extracted"] == str(PAGES)
    assert int(stats["eatext/time/milliseconds"]) > 0


def test_what_a_killed_process_loses_is_bounded_and_can_be_requested(server, database):
    client, address = database
    client.flushall()
    settings = {**settings_for(address), **ADDON}
    (killed,) = begin(settings, [server("/word/0")])
    before = [json.loads(killed.stdout.readline())["item"] for _ in range(5)]
    killed.kill()
    # What it wrote in its last moment counts, too.
    out, _ = killed.communicate()
    before += [json.loads(line)["item"] for line in out.splitlines()]
    (behind,), _ = crawl(settings, [server("/word/0")])
    found = {int(item["url"].rpartition("/")[2]) for item in [*before, *behind]}
    # The pages below a lost one are not known yet.
    lost = [n for n in range(1, PAGES) if n not in found and (n - 1) // 2 in found]
    in_work = settings["CONCURRENT_REQUESTS"]
    assert 0 < len(lost) <= 2 * in_work
    again = [server(f"/word/{number}") for number in lost]
    (remaining,), _ = crawl({**settings, "TREE_AGAIN": True}, again)
    found |= {int(item["url"].rpartition("/")[2]) for item in remaining}
    assert found == {*range(PAGES)}
