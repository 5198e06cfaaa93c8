"""How the time for a page grows with its size, for every algorithm.

Each family of pages in tests/hostile.py, harmless shapes and hostile ones, is made
in two sizes, one four times the other, and extracted from its source to its text;
an algorithm that is linear takes four times as long, and six times is where the
run fails.  Prints a table, and writes it into docs/robustness.md, and
benchmarks/results/linear.json.

    python benchmarks/linear.py [--size BYTES] [--algorithm NAME ...] [FAMILY ...]
"""

from __future__ import annotations

import argparse
import gc
import platform
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lxml import etree

from benchmarks.tables import save, table
from scrapy_eatext import __version__, extract
from scrapy_eatext.algorithms import REGISTRY
from scrapy_eatext.page import Page
from scrapy_eatext.result import ATTRIBUTES
from tests.hostile import HOSTILE, SHAPES

# What is measured beside each algorithm's text: what all begin with, and all that the
# default one's result can be asked for (Markdown, HTML and metadata).
STEPS = ["parse and walk", "all outputs"]
LIMIT = 6.0
# What takes less than this is lost in the noise of a busy machine.
NOISE = 0.02


def seconds(source: str | bytes, algorithm: str) -> float:
    """Time of the processor from source to text."""
    # What earlier pages left behind is not this one's to clear away.
    gc.collect()
    start = time.process_time()
    if algorithm == "parse and walk":
        len(Page.of(source).blocks)
    elif algorithm == "all outputs":
        result = extract(source, url="https://example.com/")
        for name in ATTRIBUTES:
            getattr(result, name)
    else:
        extract(source, algorithm=algorithm)
    return time.process_time() - start


def measure(family: str, algorithm: str, size: int) -> dict[str, object]:
    make = {**SHAPES, **HOSTILE}[family]
    pages = make(size), make(4 * size)
    small = large = float("inf")
    # The shortest of some tries, in turn, as what else a machine does comes and
    # goes; what seems too slow is looked at with more patience, also where a try
    # takes seconds.
    for tries, enough in ((2, 1.0), (10, 10.0)):
        for _ in range(tries):
            small = min(small, seconds(pages[0], algorithm))
            large = min(large, seconds(pages[1], algorithm))
            if large > enough:
                break
        if large <= LIMIT * small:
            break
    return {
        "family": family,
        "algorithm": algorithm,
        "small": round(small, 5),
        "large": round(large, 5),
        "ratio": round(large / small, 2),
        "linear": large <= max(LIMIT * small, NOISE),
    }


def write(about: dict) -> None:
    """Write the results down, for programs and for the docs."""
    rows = {(row["family"], row["algorithm"]): row for row in about["rows"]}
    algorithms = list(dict.fromkeys(name for _, name in rows))
    lines = []
    for family in dict.fromkeys(name for name, _ in rows):
        cells = [rows[family, algorithm] for algorithm in algorithms]
        shown = [f"{cell['large'] * 1000:.1f} ({cell['ratio']:.1f})" for cell in cells]
        lines.append([family.replace("_", " "), *shown])
    save("linear", about, table(["page", *algorithms], lines))


def main() -> int:
    parser = argparse.ArgumentParser(description="Time against size of page.")
    parser.add_argument("--size", type=int, default=100_000, help="of the smaller page")
    choices = [*STEPS, *sorted(REGISTRY)]
    parser.add_argument("--algorithm", action="append", choices=choices)
    parser.add_argument("family", nargs="*", help="all when none is given")
    arguments = parser.parse_args()
    algorithms = arguments.algorithm or [*STEPS, *sorted(REGISTRY)]
    families = arguments.family or [*SHAPES, *HOSTILE]
    print(f"milliseconds for {4 * arguments.size:,} bytes (times those for a quarter)")
    print(f"{'':24}" + "".join(f"{name:>17}" for name in algorithms))
    rows = []
    for family in families:
        print(f"{family:24}", end="", flush=True)
        for algorithm in algorithms:
            row = measure(family, algorithm, arguments.size)
            rows.append(row)
            sign = " " if row["linear"] else "!"
            large = float(str(row["large"])) * 1000
            print(f"{large:9.1f} ({row['ratio']:4.1f}){sign}", end="", flush=True)
        print()
    slow = [row for row in rows if not row["linear"]]
    for row in slow:
        print(
            f"not linear: {row['algorithm']} on {row['family']}: {row['ratio']} times"
        )
    if not arguments.family and not arguments.algorithm:
        about = {
            "version": __version__,
            "python": platform.python_version(),
            "lxml": etree.__version__,
            "bytes": [arguments.size, 4 * arguments.size],
            "limit": LIMIT,
            "rows": rows,
        }
        write(about)
    print(f"{len(rows)} measured, {len(slow)} not linear")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
