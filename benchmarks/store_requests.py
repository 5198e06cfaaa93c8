"""Requests, bytes and seconds for reading a large WARC file, on disk and on a store.

    python -m benchmarks.store_requests FOLDER --megabytes 1000

FOLDER has labelled pages, which are written many times over into one file in a temporary
folder.  It is cut for 1, 2 and 8 processes, which read all records and extract nothing.
The store is moto's server on this machine.  At the end the table of docs/archives.md is
written.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.archives import packed, pages_in
from benchmarks.tables import DOCS, fill, table
from scrapy_eatext.archive.tasks import records_of, tasks

TASKS = (1, 2, 8)


def write(source: str, path: Path, size: int) -> int:
    """Pages in a file of so many bytes, and how many they are."""
    count = 0
    with path.open("wb") as file:
        for html in pages_in(source):
            file.write(packed(f"http://s{count % 97}.example/{count}", html))
            count += 1
            if file.tell() >= size:
                return count
    raise AssertionError


def measure(source: str, of: int) -> tuple[int, float]:
    """The records and the seconds of so many processes over a file."""
    began = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "benchmarks.store_requests",
        "--read",
        source,
        str(of),
    ]
    readers = [
        subprocess.Popen([*command, str(rank)], stdout=subprocess.PIPE)
        for rank in range(of)
    ]
    found = sum(int(one.communicate()[0]) for one in readers)
    return found, time.monotonic() - began


def read(source: str, of: int, rank: int) -> int:
    found = tasks(source, of)[rank : rank + 1]
    return sum(1 for task in found for _ in records_of(task))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--read", nargs=3, help="of its own: SOURCE TASKS RANK")
    args = parser.parse_args()
    if args.read:
        source, of, rank = args.read
        print(read(source, int(of), int(rank)))
        return
    from boto3 import client
    from moto.server import ThreadedMotoServer
    from werkzeug.serving import WSGIRequestHandler

    seen: list[str] = []
    WSGIRequestHandler.log_request = lambda self, *_: seen.append(  # type: ignore[method-assign]
        self.headers.get("Range") or ""
    )
    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    os.environ.update(
        AWS_ENDPOINT_URL=f"http://{host}:{port}",
        AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test",
        AWS_DEFAULT_REGION="us-east-1",
        AWS_EC2_METADATA_DISABLED="true",
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pages.warc.gz")
        count = write(args.folder, path, args.megabytes * 1_000_000)
        size = path.stat().st_size
        store = client("s3")
        store.create_bucket(Bucket="crawl")
        store.upload_file(str(path), "crawl", path.name)
        for source, name in ((str(path), "disk"), (f"s3://crawl/{path.name}", "store")):
            for of in TASKS:
                seen.clear()
                found, seconds = measure(source, of)
                assert found == count, (found, count)
                spans = [one[6:].split("-") for one in seen if one]
                moved = sum(int(end) - int(start) + 1 for start, end in spans)
                requests = f"{len(seen):,}" if seen else "–"
                times = f"{moved / size:.3f}" if seen else "–"
                row = [name, f"{size / 1e6:,.0f}", f"{count:,}", str(of), requests]
                rows.append([*row, times, f"{seconds:.0f}"])
                print(rows[-1], file=sys.stderr)
    server.stop()
    head = ["", "MB", "pages", "tasks", "requests", "bytes moved to bytes", "seconds"]
    fill(DOCS / "archives.md", "requests", table(head, rows))


if __name__ == "__main__":
    main()
