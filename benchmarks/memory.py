"""Memory for a page of 10 MB, compared with lxml's tree of it alone.

Each figure is the growth of a fresh process, at its highest, from holding the
page's bytes to holding the result.  Linux only, as it reads /proc.  Writes
docs/robustness.md and benchmarks/results/memory.json.

    python -m benchmarks.memory [--size BYTES]
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from benchmarks.tables import ROOT, save, table
from scrapy_eatext import __version__
from scrapy_eatext.algorithms import DEFAULT, REGISTRY

FAMILIES = ["nested", "flat", "long_line", "many_links", "table", "tiny_blocks"]

CHILD = """
import sys
from lxml import etree
from scrapy_eatext import extract
from scrapy_eatext.page import Page
from tests.support.hostile import HOSTILE, SHAPES

def status(key):
    for line in open("/proc/self/status"):
        if line.startswith(key):
            return int(line.split()[1]) * 1024

family, size, work = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def make(size):
    return {**SHAPES, **HOSTILE}[family](size).encode()
def do(page):
    if work == "tree":
        parser = etree.HTMLParser(recover=True, huge_tree=True, encoding="utf-8")
        return etree.fromstring(page, parser)
    if work == "blocks":
        return Page.of(page).blocks
    return extract(page, algorithm=work)
kept = do(make(2000))  # modules and models
page = make(size)
before = status("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
kept = do(page)
print(status("VmHWM") - before)
"""


def growth(family: str, size: int, work: str) -> int:
    """Bytes that a process of its own grew by, at its highest."""
    command = [sys.executable, "-c", CHILD, family, str(size), work]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(done.stdout)


def write(about: dict) -> None:
    """Write the results down, for programs and for the docs."""
    rows = {(row["family"], row["work"]): row for row in about["rows"]}
    # The docs have the default algorithm's; the results have all.
    works = ["tree", "blocks", DEFAULT]
    lines = []
    for family in dict.fromkeys(name for name, _ in rows):
        cells = [rows[family, work] for work in works]
        shown = [f"{cell['bytes'] / 1e6:.0f} ({cell['ratio']:.1f})" for cell in cells]
        lines.append([family.replace("_", " "), *shown])
    save("memory", about, table(["page", *works], lines))


def main() -> int:
    parser = argparse.ArgumentParser(description="Memory for one big page.")
    parser.add_argument("--size", type=int, default=10_000_000)
    size = parser.parse_args().size
    works = ["tree", "blocks", *sorted(REGISTRY)]
    print(f"MB for {size:,} bytes (times lxml's tree)")
    print(f"{'':14}" + "".join(f"{work:>16}" for work in works))
    rows = []
    for family in FAMILIES:
        print(f"{family:14}", end="", flush=True)
        tree = 0
        for work in works:
            grown = growth(family, size, work)
            tree = tree or grown
            rows.append(
                {"family": family, "work": work, "bytes": grown, "ratio": grown / tree}
            )
            print(f"{grown / 1e6:9.0f} ({grown / tree:4.1f})", end="", flush=True)
        print()
    about = {"version": __version__, "size": size, "rows": rows}
    write(about)
    return 0


if __name__ == "__main__":
    sys.exit(main())
