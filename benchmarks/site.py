"""Crawls of whole sites: how many of the wanted pages crawlers find, at which cost.

The eight made-up sites of benchmarks/madeup are served on loopback, and each crawler
of benchmarks/crawlers.py crawls each of them in a process of its own, with the start
address, the kinds of pages and the language that are wanted, as far as it takes them.  A
crawl is stopped after three requests for each page of the site, or after ten minutes;
what it yielded until then counts.

For each crawl: ``found`` is the share of wanted pages that were downloaded, ``yielded``
that of wanted pages among its results, ``right`` the share of its results that are
wanted pages, each once; ``again`` counts downloads of pages under a second address or a
second time, and ``traps`` requests by the trap's name.

Writes benchmarks/results/site.json, and into docs/site.md what stands between the marks
of the table "site": a table of each crawler's means, and one of the first one's crawls.

    python -m benchmarks.site [--only eatext,CrawlSpider] [--sites newspaper,blog]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.crawlers import CRAWLERS
from benchmarks.madeup import SITES, MadeUp, Seen, Site
from benchmarks.tables import DOCS, ROOT, fill, read_json, share, table, write_json
from scrapy_eatext import __version__

# Requests for each page of a site, and seconds, after which a crawl is stopped.
REQUESTS, SECONDS = 3, 600


def crawl(name: str, site: Site, made: MadeUp) -> dict[str, Any]:
    """The figures of one crawl."""
    limit = REQUESTS * site.size
    command = [sys.executable, "-m", "benchmarks.crawlers", name]
    command += [site.start, ",".join(site.kinds), site.language, str(limit)]
    env = {**os.environ, "http_proxy": made.proxy, "PYTHONPATH": str(ROOT)}
    made.seen.clear()
    begin = time.monotonic()
    stopped = ""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder, output) for output in ("results", "errors")]
        with outputs[0].open("w") as results, outputs[1].open("w") as errors:
            process = subprocess.Popen(
                command, cwd=folder, env=env, stdout=results, stderr=errors
            )
        while process.poll() is None and not stopped:
            time.sleep(0.05)
            if len(made.seen) >= limit:
                stopped = "requests"
            elif time.monotonic() - begin > SECONDS:
                stopped = "time"
        seconds = time.monotonic() - begin
        process.kill()
        process.wait()
        yielded, complaints = (output.read_text("utf-8") for output in outputs)
    if process.returncode and not stopped:
        raise RuntimeError(f"{name} on {site.name} failed:\n{complaints}")
    return figures(site, made.seen[:limit], yielded.split()) | {
        "seconds": round(seconds, 1),
        "stopped": stopped,
    }


def figures(site: Site, seen: list[Seen], yielded: list[str]) -> dict[str, Any]:
    pages = [one.url for one in seen if one[1:] == (200, "GET")]
    requested = Counter(site.canonical(url) or url for url in pages)
    found = requested.keys() & site.wanted
    results = {site.canonical(url) for url in yielded} & site.wanted
    traps = Counter(trap for one in seen if (trap := site.is_trap(one.url)))
    return {
        "pages": site.size,
        "wanted": len(site.wanted),
        "found": len(found) / len(site.wanted),
        "yielded": len(results) / len(site.wanted),
        "right": len(results) / len(yielded) if yielded else 0.0,
        "requests": len(seen),
        "again": requested.total() - len(requested),
        "traps": dict(traps.most_common()),
    }


def row(label: list[str], crawls: list[dict[str, Any]]) -> list[str]:
    """A row of a table: the means of some crawls."""

    def average(key: str) -> float:
        return mean(one[key] for one in crawls)

    results = sum(one["yielded"] * one["wanted"] for one in crawls)
    requests = sum(one["requests"] for one in crawls)
    trapped = sum(sum(one["traps"].values()) for one in crawls)
    shares = [share(average(key)) for key in ("found", "yielded", "right")]
    return [
        *label,
        *shares,
        f"{requests / results:.1f}" if results else "–",
        str(sum(one["again"] for one in crawls)),
        str(trapped),
        f"{sum(one['seconds'] for one in crawls):.0f}",
    ]


HEAD = ["found", "yielded", "right", "requests a result", "again", "in traps", "s"]


def write(results: dict[str, Any]) -> None:
    """Write the results down, print them, and put tables into the docs."""
    write_json("site", results)
    crawls = {name: one["sites"] for name, one in results.items()}
    names = [name for name in CRAWLERS if name in crawls]
    whole = [
        row([f"{name} {results[name]['version']}"], list(crawls[name].values()))
        for name in names
    ]
    each = {
        name: [
            row([site.name + " (stopped)" * bool(one["stopped"])], [one])
            for site in SITES
            if (one := crawls[name].get(site.name))
        ]
        for name in names
    }
    for name, rows in each.items():
        print(f"\n{table([name, *HEAD], rows)}")
    own = table([f"{names[0]}, by site", *HEAD], each[names[0]])
    text = f"{table(['', *HEAD], whole)}\n\n{own}"
    print(f"\n{text}")
    fill(DOCS / "site.md", "site", text)


def main() -> None:
    parser = argparse.ArgumentParser(description="Crawls of whole made-up sites.")
    parser.add_argument("--only", help="these crawlers, with commas between them")
    parser.add_argument("--sites", help="these sites, with commas between them")
    args = parser.parse_args()
    names = args.only.split(",") if args.only else list(CRAWLERS)
    sites = args.sites.split(",") if args.sites else [site.name for site in SITES]
    results = read_json("site")
    with MadeUp() as made:
        for name in names:
            about = results.setdefault(name, {"sites": {}})
            package = CRAWLERS[name][0]
            own = package == "scrapy-eatext"
            about["version"] = __version__ if own else version(package)
            for site in sites:
                found = about["sites"][site] = crawl(name, made.named[site], made)
                print(name, site, found, flush=True)
    write(results)


if __name__ == "__main__":
    main()
