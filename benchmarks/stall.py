"""How long extraction blocks the event loop of a crawl.

The same crawl of a server on this machine, each time in a fresh process: without
extraction, with the add-on, EATEXT_TUNE_PROCESS and each executor, and with
trafilatura called in the callback.  Each is run several times, in turn, and the median
run is shown; trafilatura's, which takes minutes, is run once.
Once it has ordinary pages alone (20 to 300 kB), once also a few of 5 to 20 MB, and
once it waits for each of the ordinary pages for a tenth of a second, as crawls wait
for their sites.  The spider reads each page's heading with a selector, as spiders do.
While it runs, a task asks to be woken every 2 ms and notes how late it is.  The
processors' time is that of the crawl's processes, from their start to their end, and
within it that of the thread that has the event loop, from the first request on.

Prints a table; writes benchmarks/results/stall.json, docs/robustness.md and
docs/images/stall.png.
Wants an idle machine, and trafilatura and matplotlib beside the package (what is
not there is left out).

    python -m benchmarks.stall [--pages N] [--runs N]
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import random
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import ClassVar

from benchmarks.tables import ROOT, save, table
from tests.support.hostile import SENTENCE, SHAPES

PLOT = ROOT / "docs" / "images" / "stall.png"
VARIANTS = ["none", "inline", "thread", "process", "trafilatura"]
BIG = [5_000_000, 10_000_000, 20_000_000]
TICK = 0.002
# How long a site that lets a crawl wait takes for a page, and its pages' path.
LATENCY = 0.1
SLOW = b"/slow"


def ordinary_page(number: int) -> str:
    """One of the pages: menus, some text, a list of links, a footer."""
    numbers = random.Random(number)
    size = int(min(300_000, max(20_000, numbers.lognormvariate(11.2, 0.7))))
    shapes = [SHAPES[name] for name in ("nested", "flat", "inline_tags", "table")]
    menu = "".join(f"<li><a href=/page/{i}>Page {i}</a></li>" for i in range(40))
    # Much of a page on the web is script and markup without text.
    script = f"<script>{'var a = 1; /* nothing */ ' * (size // 60)}</script>"
    return (
        f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8>"
        f"<title>Page {number}</title>{script}</head><body><nav><ul>{menu}</ul></nav>"
        f"<main><h1>Page {number}</h1><p>{SENTENCE * 3}</p>"
        f"{numbers.choice(shapes)(size // 2)}</main><footer>{menu}</footer></body>"
    )


class Answers(asyncio.Protocol):
    """Sends answers that are made beforehand, so that the server takes next to none
    of the machine that it shares with the crawl."""

    answers: ClassVar[dict[bytes, bytes]] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport, self.begun = transport, b""

    def data_received(self, data: bytes) -> None:
        *requests, self.begun = (self.begun + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1]
            answer = self.answers[path.removeprefix(SLOW)]
            if path.startswith(SLOW):
                loop = asyncio.get_running_loop()
                loop.call_later(LATENCY, self.transport.write, answer)
            else:
                self.transport.write(answer)

    @classmethod
    def add(cls, path: str, page: str) -> None:
        body = page.encode()
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        cls.answers[path.encode()] = head.encode() + body


async def serve(pages: int) -> None:
    for i in range(pages):
        Answers.add(f"/page/{i}", ordinary_page(i))
    for size in BIG:
        Answers.add(f"/big/{size}", SHAPES["flat"](size))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answers, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def running_server(pages: int):
    command = [
        sys.executable,
        "-m",
        "benchmarks.stall",
        "--serve",
        "--pages",
        str(pages),
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        server.stdin.close()


def crawl(variant: str, urls: list[str]) -> None:
    """Crawl in this process, and print what it took as JSON."""
    import scrapy
    from scrapy.crawler import CrawlerProcess

    late: list[float] = []

    async def watch() -> None:
        loop = asyncio.get_running_loop()
        while True:
            wanted = loop.time() + TICK
            await asyncio.sleep(TICK)
            late.append(loop.time() - wanted)

    class Spider(scrapy.Spider):
        name = "stall"

        async def start(self):
            self.watch = asyncio.ensure_future(watch())
            self.begun, self.own = time.perf_counter(), time.thread_time()
            for url in urls:
                yield scrapy.Request(url)

        def parse(self, response):
            item = {"url": response.url, "heading": response.css("h1::text").get()}
            if variant == "trafilatura":
                import trafilatura

                item["main_text"] = trafilatura.extract(response.text)
            yield item

        def closed(self, reason):
            self.watch.cancel()
            self.seconds = time.perf_counter() - self.begun
            self.own = time.thread_time() - self.own

    settings = {
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": False,
    }
    if variant not in ("none", "trafilatura"):
        settings["ADDONS"] = {"scrapy_eatext.Addon": 500}
        settings["EATEXT_EXECUTOR"] = variant
        settings["EATEXT_TUNE_PROCESS"] = True
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(Spider)
    process.crawl(crawler)
    process.start()
    # The first moments are start-up: imports, models, the first connections.
    late = sorted(late[len(late) // 20 :], reverse=True)
    json.dump(
        {
            "seconds": crawler.spider.seconds,
            "items": crawler.stats.get_value("item_scraped_count", 0),
            "cpu": sum(os.times()[:4]),
            "own": crawler.spider.own,
            "longest": late[0],
            "late": [round(value, 5) for value in late[:500]],
        },
        sys.stdout,
    )


def measure(variant: str, urls: list[str]) -> dict:
    command = [sys.executable, "-m", "benchmarks.stall", "--crawl", variant]
    done = subprocess.run(
        command, input=json.dumps(urls), check=True, stdout=subprocess.PIPE, text=True
    )
    row = json.loads(done.stdout)
    row["rate"] = len(urls) / row["seconds"]
    row["stalls"] = sum(late > 0.02 for late in row["late"])
    return row


def measure_all(variants: list[str], urls: list[str], runs: int) -> dict[str, dict]:
    """Of each variant's runs, which take turns, the middle one by its longest stall."""
    measured: dict[str, list[dict]] = {variant: [] for variant in variants}
    for run in range(runs):
        for variant, rows in measured.items():
            if run == 0 or variant != "trafilatura":
                rows.append(measure(variant, urls))
    return {
        variant: sorted(rows, key=lambda row: row["longest"])[(len(rows) - 1) // 2]
        | {"rate": statistics.median(row["rate"] for row in rows)}
        for variant, rows in measured.items()
    }


def write(rows: list[dict]) -> None:
    """Write the results down, for programs and for the docs."""
    head = ["crawl", "extraction", "longest stall, ms", "stalls over 20 ms"]
    lines = [
        [
            row["pages"],
            row["variant"],
            f"{row['longest'] * 1000:.0f}",
            str(row["stalls"]),
            f"{row['rate']:.0f}",
        ]
        for row in rows
    ]
    head += ["pages/s"]
    text = table(head, lines)
    if importlib.util.find_spec("matplotlib"):
        plot(rows)
        text += "\n\n![The longest stalls](images/stall.png)"
    save("stall", {"tick": TICK, "rows": rows}, text)


def plot(rows: list[dict]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    crawls = list(dict.fromkeys(row["pages"] for row in rows))
    figure, axes = plt.subplots(1, len(crawls), figsize=(12, 3.6), sharey=True)
    for axis, pages in zip(axes, crawls, strict=True):
        chosen = [row for row in rows if row["pages"] == pages]
        names = [row["variant"] for row in chosen]
        longest = [row["longest"] * 1000 for row in chosen]
        bars = axis.barh(names, longest, color="#4878a8")
        axis.bar_label(bars, labels=[f" {value:,.0f} ms" for value in longest])
        axis.set(xscale="log", xlim=(1, 300_000), title=pages)
        axis.set_xlabel("longest stall of the event loop, ms")
        axis.invert_yaxis()
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    PLOT.parent.mkdir(exist_ok=True)
    figure.savefig(PLOT, dpi=120, metadata={"Software": None})


def main() -> None:
    parser = argparse.ArgumentParser(description="Stalls of a crawl's event loop.")
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--runs", type=int, default=3, help="of each crawl")
    parser.add_argument("--variant", action="append", choices=VARIANTS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--crawl", choices=VARIANTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return asyncio.run(serve(arguments.pages))
    if arguments.crawl:
        return crawl(arguments.crawl, json.load(sys.stdin))
    variants = arguments.variant or VARIANTS
    if importlib.util.find_spec("trafilatura") is None:
        print("trafilatura is not installed: left out")
        variants = [name for name in variants if name != "trafilatura"]
    rows = []
    print(
        f"{'':32}{'longest':>10}{'> 20 ms':>10}{'pages/s':>9}{'share':>7}{'CPU s':>8}"
        f"{'own':>7}{'items':>7}"
    )
    with running_server(arguments.pages) as url:
        ordinary = [f"{url}/page/{i}" for i in range(arguments.pages)]
        step = len(ordinary) // (len(BIG) + 1)
        mixed = ordinary.copy()
        for i, size in enumerate(BIG):
            mixed.insert((i + 1) * step, f"{url}/big/{size}")
        slow = [f"{url}{SLOW.decode()}/page/{i}" for i in range(arguments.pages)]
        for pages, urls in [
            ("ordinary pages", ordinary),
            ("with 5 to 20 MB", mixed),
            (f"each after {LATENCY * 1000:.0f} ms", slow),
        ]:
            without = 0.0
            for variant, row in measure_all(variants, urls, arguments.runs).items():
                without = without or row["rate"]
                row |= {
                    "pages": pages,
                    "variant": variant,
                    "share": row["rate"] / without,
                }
                rows.append(row)
                print(
                    f"{pages + ', ' + variant:32}{row['longest'] * 1000:7.0f} ms"
                    f"{row['stalls']:10}{row['rate']:9.0f}{row['share']:7.2f}"
                    f"{row['cpu']:8.1f}{row['own']:7.1f}{row['items']:7}",
                    flush=True,
                )
    if arguments.variant is None:
        write(rows)
    return None


if __name__ == "__main__":
    main()
