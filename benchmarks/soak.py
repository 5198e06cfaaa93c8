"""Whether a long crawl's memory stays as it is: the resident size over 50,000 pages.

A server on this machine, a process of its own, sends pages of 5 to 300 kB, no two
the same, from hundreds of hosts (addresses of the loopback network); a spider in
another process crawls them with the add-on and yields an item for each.  From
outside its resident size is read twice a second.

Writes benchmarks/results/soak.json, docs/robustness.md and docs/images/soak.png.  Linux
only, as it reads /proc; the plot wants matplotlib.

    python benchmarks/soak.py [--pages N] [--executor NAME]
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.stall import ordinary_page
from benchmarks.tables import save, table
from scrapy_eatext import __version__
from scrapy_eatext.algorithms import DEFAULT
from scrapy_eatext.settings import EXECUTORS
from tests.hostile import HOSTILE

PLOT = ROOT / "docs" / "images" / "soak.png"
HOSTS = 400
KINDS = 300
# After so much of the crawl everything has been met, and every cache is full.
WARM = 0.3
# The mean of the last fifth may be so much larger than that of the fifth after warm-up.
LIMIT = 1.05


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bodies: ClassVar[list[bytes]] = []

    def do_GET(self) -> None:
        number = int(self.path.rpartition("/")[2])
        body = self.bodies[number % len(self.bodies)].replace(b"MARK", b"%d" % number)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 100
    daemon_threads = True


def serve() -> None:
    mark = "<p class='c-MARK' id=MARK>This page, MARK, is like no other.</p></main>"
    for i in range(KINDS):
        Handler.bodies.append(ordinary_page(i).replace("</main>", mark).encode())
    for make in HOSTILE.values():
        page = make(5_000)
        Handler.bodies.append(
            page if isinstance(page, bytes) else page.encode("utf-8", "replace")
        )
    server = Server(("", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


def crawl(port: int, pages: int, executor: str, counter: str) -> None:
    import scrapy
    from scrapy.crawler import AsyncCrawlerProcess

    class SoakSpider(scrapy.Spider):
        name = "soak"
        done = 0

        async def start(self):
            for i in range(pages):
                host = f"127.0.{i % HOSTS // 200 + 1}.{i % 200 + 1}"
                # Scrapy's table of what it has seen grows with every URL.
                yield scrapy.Request(f"http://{host}:{port}/{i}", dont_filter=True)

        def parse(self, response):
            SoakSpider.done += 1
            if self.done % 100 == 0:
                Path(counter).write_text(str(self.done))
            yield {"url": response.url, "heading": response.css("h1::text").get()}

    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"scrapy_eatext.Addon": 500},
            "EATEXT_EXECUTOR": executor,
            "EATEXT_ON_DECAY": "ignore",
            "LOG_LEVEL": "CRITICAL",
            "TELNETCONSOLE_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            # Its default lets the start requests of a crawl pile up.
            "CONCURRENT_REQUESTS": 16,
        }
    )
    crawler = process.create_crawler(SoakSpider)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats()
    print(json.dumps({k: v for k, v in stats.items() if k.startswith("eatext/")}))


@contextmanager
def server() -> Iterator[int]:
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield int(process.stdout.readline())
        process.kill()


def resident(pid: int) -> float:
    """A process's resident size with those of its children, in MB."""
    size = 0
    for process in (pid, *children(pid)):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                size += int(line.split()[1])
    return size / 1000


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def watch(
    port: int, pages: int, executor: str
) -> tuple[list[tuple[float, float]], dict]:
    """Crawl; the resident size at each number of pages, and what was counted."""
    with tempfile.TemporaryDirectory() as folder:
        counter = Path(folder, "done")
        counter.write_text("0")
        command = [sys.executable, __file__, "--crawl", str(port), str(counter)]
        command += ["--pages", str(pages), "--executor", executor]
        points = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            while process.poll() is None:
                try:
                    points.append(
                        (int(counter.read_text() or 0), resident(process.pid))
                    )
                except OSError:  # it has just ended
                    break
                time.sleep(0.5)
            counts = json.loads(process.stdout.read())
    return [point for point in points if point[0]], counts


def plot(runs: dict[str, list[tuple[float, float]]]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(8, 3.2))
    for executor, points in runs.items():
        axis.plot(*zip(*points, strict=True), label=executor, linewidth=1)
    axis.set(xlabel="pages crawled", ylabel="resident size, MB", ylim=(0, None))
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, title="EATEXT_EXECUTOR")
    figure.tight_layout()
    PLOT.parent.mkdir(exist_ok=True)
    figure.savefig(PLOT, dpi=120, metadata={"Software": None})


def mean(points: list[tuple[float, float]], start: float, end: float) -> float:
    """The mean size in a part of the crawl."""
    last = points[-1][0]
    return statistics.mean(mb for n, mb in points if start * last <= n <= end * last)


def main() -> int:
    parser = argparse.ArgumentParser(description="Memory in a long crawl.")
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--executor", action="append", choices=EXECUTORS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--crawl", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    executors = arguments.executor or ["thread"]
    if arguments.serve:
        serve()
    if arguments.crawl:
        port, counter = arguments.crawl
        crawl(int(port), arguments.pages, executors[0], counter)
        return 0
    runs, rows, lost, grown = {}, [], 0, False
    for executor in executors:
        with server() as port:
            started = time.monotonic()
            points, counts = watch(port, arguments.pages, executor)
            rate = arguments.pages / (time.monotonic() - started)
        runs[executor] = points
        lost += arguments.pages - counts["eatext/response_count"]
        warm, last = mean(points, WARM, WARM + 0.2), mean(points, 0.8, 1)
        grown = grown or last > LIMIT * warm
        most = max(mb for _, mb in points)
        figures = [f"{value:.0f}" for value in (warm, last, most, rate)]
        rows.append([executor, f"{counts['eatext/response_count']:,}", *figures])
    head = [
        "executor",
        "pages",
        "MB when warm",
        "MB at the end",
        "MB at most",
        "pages/s",
    ]
    text = table(head, rows)
    print(text)
    thinned = {
        name: [(n, round(mb, 1)) for n, mb in itertools.islice(points, 0, None, 4)]
        for name, points in runs.items()
    }
    if importlib.util.find_spec("matplotlib"):
        plot(runs)
        text += "\n\n![The resident size by pages crawled](images/soak.png)"
    save("soak", {"version": __version__, "default": DEFAULT, "runs": thinned}, text)
    return 1 if grown or lost else 0


if __name__ == "__main__":
    sys.exit(main())
