"""Whether memory grows in a long crawl: its resident size over 50,000 pages.

A server on this machine, a process of its own, sends pages, no two the same, from
hundreds of hosts (addresses of the loopback network); a spider in another process
crawls them with the add-on, with a field for all that a result has, and yields an item
for each.  Between ordinary pages stand those that are made to be kept: 5 MB in one
attribute, or in one value of its metadata; names of elements and
attributes that no other page has; addresses of 15 kB, with links relative to them;
references to characters of thousands of digits.  A pipeline before the package's
replaces, copies, drops and fails on items.  From outside the crawl's resident size is
read twice a second.

It must not grow, no page may be lost, and the counts must add up; else the exit code
is 1, and the faults are printed.

Writes benchmarks/results/soak.json, docs/robustness.md and docs/images/soak.png.  Linux
only, as it reads /proc; the plot wants matplotlib.  With --only it serves some kinds of
pages alone, to see which of them makes it grow, and writes nothing.

With --hostile every second page is hostile, a tenth are articles on several pages,
weak pages are requested once more, and a task of the crawl notes how late the event
loop wakes it; benchmarks/results/soak_hostile.json has the results.

    python -m benchmarks.soak [--pages N] [--executor NAME] [--only KIND ...]
    python -m benchmarks.soak --hostile [--pages N] [--executor NAME]
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import importlib.util
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from benchmarks.tables import ROOT, save, table
from scrapy_eatext import __version__
from scrapy_eatext.algorithms import DEFAULT
from scrapy_eatext.crawl.settings import EXECUTORS
from scrapy_eatext.execution.cascade import GIVEN_UP, TEXTS
from scrapy_eatext.page.walls import WALLS
from scrapy_eatext.result import ATTRIBUTES
from tests.support.hostile import HOSTILE, SENTENCE, SHAPES
from tests.support.passages import PROSE

PLOT = ROOT / "docs" / "images" / "soak.png"
HOSTS = 400
# After so much of the crawl everything has been met, and every cache is full.
WARM = 0.3
# The mean of the last fifth may be so much larger than that of the fifth after warm-up.
LIMIT = 1.05

# What stands for a page's number in the templates.
MARK = b"MARK"
HUGE = 5_000_000
LONG_ADDRESS = 15_000
# Data in a script are read up to a size; these are below it.
LARGE_DATA = 400_000
# So many elements have so many attributes whose names only one page has.
NAMED, NAMES = 60, 50
# What an item has beside the text, in characters.
PAYLOAD = 100_000
# So often, in pages, there is one of a kind; all others are ordinary.
OFTEN = {"huge": 100, "names": 20, "addresses": 50, "references": 20, "data": 100}
# With --hostile: how large a hostile page is, in bytes, on how many pages an article
# stands, how often the loop's task wants to be woken, and how late it may be, in seconds.
HOSTILE_SIZE, PARTS = 50_000, 3
TICK, LATEST = 0.005, 0.2

HEAD = "<html lang=en><meta charset=utf-8><title>Page MARK</title>"
PROSE_OF_PAGE = "".join(f"<p>{PROSE[n]}</p>\n" for n in ("en", "de", "fr", "es"))
TEXT = (
    "<body><article><h1>Page MARK</h1><p class=byline>By Ada Lovelace, 5 March 2024</p>"
    f"<p class=c-MARK>It was page MARK. {PROSE['en']}</p>{PROSE_OF_PAGE}</article>"
)
TEXT_OF_PART = TEXT.replace("MARK", "NEXT of MARK").replace("<p>", "<p>NEXT, MARK: ")
# Where a page may have long metadata.
WHERE = [
    "<html lang='en-LONG'>",
    "<html lang=LONG>",
    "<html xml:lang=LONG>",
    "<title>Page LONG</title>",
    "<meta name=description content='LONG'>",
    "<meta name=author content='LONG'>",
    "<meta name=keywords content='a, LONG, b'>",
    "<meta name=date content='2024-01-02LONG'>",
    "<meta property=og:title content='LONG'>",
    "<meta property=og:site_name content='LONG'>",
    "<meta property=og:image content='/LONG'>",
    "<meta name=LONG content=1>",
    "<link rel=canonical href='/LONG'>",
    "<base href='/LONG/'>",
    f"<body><p class=LONG>{PROSE['en']}",
    f"<body><p id=LONG title=LONG>{PROSE['en']}",
    "<body><p class=byline>By Ada LONG</p>",
    "<body><span itemprop=headline content='LONG'>Page</span>",
    "<body><time datetime='2024-01-02 LONG'></time>",
    f"<body><p>{PROSE['en']} <a href='/LONG'>A link</a>",
    f"<body><p>{PROSE['en']} <img src='/LONG' alt=a>",
    f"<body><p>{PROSE['en']} <img src=/i.png alt='LONG'>",
    f"<body><p>{PROSE['en']}<pre class='language-LONG'>code()</pre>",
]
THINGS = (
    "headline description author keywords image url publisher articleBody datePublished"
).split()


def ordinary_pages() -> list[str]:
    """Pages of 10 to 30 kB, and small ones of all that is hostile."""
    shapes = [SHAPES[n] for n in ("nested", "flat", "inline_tags", "many_links")]
    menu = "".join(f"<li><a href=/page/{i}>Page {i}</a></li>" for i in range(40))
    script = f"<script>{'var a = 1; /* nothing */ ' * 200}</script>"
    around = f"{HEAD}{script}<nav><ul>{menu}</ul></nav>{TEXT}%s<ul>{menu}"
    sizes = [1000] * 10 + [5000] * 5 + [20_000]
    pages = [around % one(size) for one in shapes for size in sizes]
    for make in HOSTILE.values():
        page = make(2000)
        pages.append(page.decode("latin-1") if isinstance(page, bytes) else page)
    return pages


def huge_pages() -> list[str]:
    """Pages with 5 MB in one value of their metadata."""
    # No two are the same to their last sign.
    long = "LONG-MARK".replace("LONG", "x" * HUGE)
    whole = "ab " * (HUGE // 3) + "MARK"
    # The first value counts.
    return [
        one.replace("LONG", value) + HEAD + TEXT
        for one in WHERE
        for value in ([long, whole] if "'" in one else [long])
    ]


def pages_of_names() -> list[str]:
    """Pages whose elements and attributes have names that no other has."""
    names = "".join(
        f"<t{i}-MARK {' '.join(f'a{i}-{j}-MARK' for j in range(NAMES))}></t{i}-MARK>"
        for i in range(NAMED)
    )
    return [f"{HEAD}{TEXT}{names}"]


def pages_of_links() -> list[str]:
    """Pages with links that are relative to their address."""
    links = "".join(f"{SENTENCE}<a href='p{i}'>A link</a> " for i in range(100))
    return [f"{HEAD}{TEXT}<p>{links}</p>"]


def pages_of_references() -> list[str]:
    """Pages with references to characters of thousands of digits."""
    digits = "&#" + "9" * 5000 + ";"
    data = json.dumps({"@type": "Article", "headline": f"{digits} MARK"})
    linked = f"<script type=application/ld+json>{data}</script>"
    state = json.dumps({"body": f"{digits} {SENTENCE * 10} MARK"})
    script = f"<script id=__NEXT_DATA__ type=application/json>{state}</script>"
    meta = f"<meta name=description content='{digits}'>"
    return [
        f"{HEAD}{linked}{TEXT}",
        f"{HEAD}{script}",
        f"{HEAD}{meta}{TEXT}<p>{digits}",
    ]


def pages_of_data() -> list[str]:
    """Pages with much in their data for machines."""
    long = "word " * (LARGE_DATA // 5)
    pages = []
    for key in THINGS:
        data = json.dumps({"@type": "Article", key: f"{long} MARK"})
        pages.append(f"{HEAD}<script type=application/ld+json>{data}</script>{TEXT}")
    state: object = [f"<p>{SENTENCE} MARK</p>" * 20]
    for _ in range(60):
        state = {"content": [state, f"{SENTENCE} MARK"]}
    script = f"<script id=__NEXT_DATA__ type=application/json>{json.dumps(state)}"
    return [*pages, f"{HEAD}{script}</script>"]


def hostile_pages() -> list[str]:
    """A page of each hostile family."""
    pages = [make(HOSTILE_SIZE) for make in HOSTILE.values()]
    return [p.decode("latin-1") if isinstance(p, bytes) else p for p in pages]


def parts_of_articles() -> list[str]:
    """Pages that name the next part of their article."""
    return [f"{HEAD}<link rel=next href='/MARK?page=NEXT'>{TEXT_OF_PART}"]


KINDS: dict[str, Callable[[], list[str]]] = {
    "ordinary": ordinary_pages,
    "huge": huge_pages,
    "names": pages_of_names,
    "addresses": pages_of_links,
    "references": pages_of_references,
    "data": pages_of_data,
}
HOSTILE_KINDS = {**KINDS, "hostile": hostile_pages, "parts": parts_of_articles}


def kind_of(number: int, hostile: bool = False) -> tuple[str, int]:
    """The kind of the page with a number, and how many of the kind come before it."""
    if hostile:
        number, odd = divmod(number, 2)
        if odd:
            return "hostile", number
        number, place = divmod(number, 5)
        if place == 0:
            return "parts", number
    # Each kind has its place of its own, which no more frequent one takes.
    for place, (kind, often) in enumerate(OFTEN.items()):
        if number % often == place:
            return kind, number // often
    return "ordinary", number


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    templates: ClassVar[dict[str, list[bytes]]] = {}
    hostile = False

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        start, _, last = path.rpartition("/")
        number = int(last)
        kind, before = kind_of(number, self.hostile)
        templates = self.templates.get(kind) or next(iter(self.templates.values()))
        if templates is self.templates.get("addresses") and not start:
            self.send_response(302)
            self.send_header("Location", f"/{'x' * LONG_ADDRESS}/{number}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        template = templates[before % len(templates)]
        body = template.replace(MARK, b"%d" % number)
        if kind == "parts":
            part = int(query.removeprefix("page=") or 1) + 1
            rel = b"next" if part <= PARTS else b"up"
            body = body.replace(b"rel=next", b"rel=" + rel).replace(
                b"NEXT", b"%d" % part
            )
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


def serve(kinds: list[str], hostile: bool) -> None:
    Handler.hostile = hostile
    for kind in kinds:
        pages = HOSTILE_KINDS[kind]()
        Handler.templates[kind] = [page.encode("utf-8", "replace") for page in pages]
    server = Server(("", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


class Replaces:
    """A pipeline before the package's that does to items what pipelines do."""

    def process_item(self, item: dict) -> dict:
        from scrapy.exceptions import DropItem

        kind = item["number"] % 8
        if kind == 0:
            return dict(item)
        if kind == 1:
            return copy.copy(item)
        if kind == 2:
            return copy.deepcopy(item)
        if kind == 3:
            return {**item, "checked": True}
        if kind == 4:
            raise DropItem("it is not wanted")
        if kind == 5:
            raise ValueError("it cannot be read")
        return item


def crawl(
    port: int, pages: int, executor: str, counter: str, hostile: bool = False
) -> None:
    import scrapy
    from scrapy import signals
    from scrapy.crawler import AsyncCrawlerProcess

    counts = {"callbacks": 0, "yielded": 0, "failed": 0}
    late: list[float] = []

    async def watch() -> None:
        loop = asyncio.get_running_loop()
        while True:
            wanted = loop.time() + TICK
            await asyncio.sleep(TICK)
            late.append(loop.time() - wanted)

    class SoakSpider(scrapy.Spider):
        name = "soak"

        @classmethod
        def from_crawler(cls, crawler, *args, **kwargs):
            spider = super().from_crawler(crawler, *args, **kwargs)
            crawler.signals.connect(spider.item_failed, signals.item_error)
            return spider

        def item_failed(self):
            counts["failed"] += 1

        async def start(self):
            self.watch = asyncio.ensure_future(watch()) if hostile else None
            for i in range(pages):
                host = f"127.0.{i % HOSTS // 200 + 1}.{i % 200 + 1}"
                # Scrapy's table of what it has seen grows with every URL.
                yield scrapy.Request(
                    f"http://{host}:{port}/{i}", dont_filter=True, meta={"number": i}
                )

        def parse(self, response):
            counts["callbacks"] += 1
            if counts["callbacks"] % 100 == 0:
                Path(counter).write_text(str(counts["callbacks"]))
            number = response.meta["number"]
            item = {"url": response.url, "number": number}
            if not hostile and kind_of(number)[0] != "names":
                # Else lxml would keep the names where the spider makes it parse.
                item["heading"] = response.css("h1::text").get()
            item["payload"] = f"{number} " * (PAYLOAD // len(f"{number} "))
            counts["yielded"] += 1
            yield item

        def closed(self, reason):
            if self.watch:
                self.watch.cancel()

    again = {"meta": {"again": True}, "only_if_scripts": False}
    more = {"EATEXT_PAGES": PARTS, "EATEXT_WEAK": again}
    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"scrapy_eatext.Addon": 500},
            "EATEXT_EXECUTOR": executor,
            "EATEXT_FIELDS": {f"main_{name}": name for name in ATTRIBUTES},
            "EATEXT_ON_DECAY": "ignore",
            "ITEM_PIPELINES": {Replaces: 50},
            "LOG_LEVEL": "CRITICAL",
            "TELNETCONSOLE_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            # Its default lets the start requests of a crawl pile up.
            "CONCURRENT_REQUESTS": 16,
            **(more if hostile else {}),
        }
    )
    crawler = process.create_crawler(SoakSpider)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats()
    ours = {k: v for k, v in stats.items() if k.startswith("eatext/")}
    for name in ("scraped", "dropped"):
        counts[name] = stats.get(f"item_{name}_count", 0)
    # The first moments are start-up: imports, models, the first connections.
    counts["late"] = sorted(late[len(late) // 20 :], reverse=True)[:100]
    print(json.dumps({**ours, **counts}))


def wrong_counts(counts: dict[str, float], pages: int) -> list[str]:
    """The counts that do not add up."""

    def under(name: str) -> float:
        return sum(n for key, n in counts.items() if key.startswith(f"eatext/{name}/"))

    def one(name: str) -> float:
        return counts.get(f"eatext/{name}", 0)

    worked = sum(one(f"response/{kind}") for kind in (*TEXTS, *WALLS, *GIVEN_UP))
    worked += one("pages/asked") - one("pages/failed")
    stopped = counts["dropped"] - one("item/dropped") + counts["failed"]
    figures = {f"eatext/time/{kind}" for kind in ("min", "max", "mean", "milliseconds")}
    timed = sum(
        n
        for key, n in counts.items()
        if key.startswith("eatext/time/") and key not in figures
    )
    sums = [
        ("callbacks", counts["callbacks"], "pages", pages),
        ("response_count", one("response_count"), "pages", pages),
        ("response/*", under("response"), "response_count", one("response_count")),
        ("item_count", one("item_count"), "items yielded", counts["yielded"] - stopped),
        ("item/*", under("item"), "item_count", one("item_count")),
        ("time/*", timed, "pages worked on", worked),
        ("scraped, dropped and failed",
         counts["scraped"] + counts["dropped"] + counts["failed"],
         "items yielded", counts["yielded"]),
        # Items of what is no page have no text.
        ("item/response", one("item/response"), "item_count less those of no page",
         one("item_count") - min(one("item/none"), one("response/skipped_type"))),
        ("exception_count/*", under("exception_count"), "none", 0),
        ("response/failed", one("response/failed"), "none", 0),
    ]  # fmt: skip
    return [
        f"{name} is {value:,}, not {wanted:,} ({as_})"
        for name, value, as_, wanted in sums
        if value != wanted
    ]


@contextmanager
def server(kinds: list[str], hostile: bool) -> Iterator[int]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.soak",
        "--serve",
        *["--hostile"] * hostile,
    ]
    for kind in kinds:
        command += ["--only", kind]
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
    port: int, pages: int, executor: str, hostile: bool
) -> tuple[list[tuple[float, float]], dict]:
    """Crawl; the resident size at each number of pages, and what was counted."""
    with tempfile.TemporaryDirectory() as folder:
        counter = Path(folder, "done")
        counter.write_text("0")
        command = [
            sys.executable,
            "-m",
            "benchmarks.soak",
            "--crawl",
            str(port),
            str(counter),
        ]
        command += ["--pages", str(pages), "--executor", executor]
        command += ["--hostile"] * hostile
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
    parser.add_argument("--pages", type=int, help="50,000, and 20,000 hostile ones")
    parser.add_argument("--hostile", action="store_true", help="see above")
    parser.add_argument("--executor", action="append", choices=EXECUTORS)
    parser.add_argument("--only", action="append", choices=HOSTILE_KINDS)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--crawl", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    hostile = arguments.hostile
    arguments.pages = arguments.pages or (20_000 if hostile else 50_000)
    executors = arguments.executor or EXECUTORS
    kinds = arguments.only or list(HOSTILE_KINDS if hostile else KINDS)
    if arguments.serve:
        serve(kinds, hostile)
    if arguments.crawl:
        port, counter = arguments.crawl
        crawl(int(port), arguments.pages, executors[0], counter, hostile)
        return 0
    runs, rows, counted = {}, [], {}
    wrong: list[str] = []
    for executor in executors:
        with server(kinds, hostile) as port:
            started = time.monotonic()
            points, counts = watch(port, arguments.pages, executor, hostile)
            rate = arguments.pages / (time.monotonic() - started)
        late = counts.pop("late")
        runs[executor], counted[executor] = points, counts
        warm, last = mean(points, WARM, WARM + 0.2), mean(points, 0.8, 1)
        found = wrong_counts(counts, arguments.pages)
        if last > LIMIT * warm:
            found.append(f"it grew from {warm:.0f} MB to {last:.0f}")
        # In the loop's own thread, extraction is what the loop waits for.
        if hostile and executor != "inline" and late[0] > LATEST:
            found.append(f"the loop stood still for {late[0]:.2f} s")
        wrong += [f"{executor}: {one}" for one in found]
        most = max(mb for _, mb in points)
        figures = [f"{value:.0f}" for value in (warm, last, most, rate)]
        figures += [f"{late[0] * 1000:.0f}"] if hostile else []
        rows.append([executor, f"{counts['eatext/response_count']:,}", *figures])
    head = [
        "executor",
        "pages",
        "MB when warm",
        "MB at the end",
        "MB at most",
        "pages/s",
    ] + ["longest stall, ms"] * hostile
    text = table(head, rows)
    print(text, *wrong, sep="\n")
    if arguments.only:
        print(json.dumps(counted, indent=1))
        return 1 if wrong else 0
    thinned = {
        name: [(n, round(mb, 1)) for n, mb in itertools.islice(points, 0, None, 4)]
        for name, points in runs.items()
    }
    if importlib.util.find_spec("matplotlib") and not hostile:
        plot(runs)
        text += "\n\n![The resident size by pages crawled](images/soak.png)"
    about = {"version": __version__, "default": DEFAULT, "counts": counted}
    save(
        "soak_hostile" if hostile else "soak",
        {**about, "wrong": wrong, "runs": thinned},
        text,
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
