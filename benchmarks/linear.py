"""How time, output and memory for a page grow with its size, for every algorithm.

Each family of pages in tests/support/hostile.py, harmless shapes and hostile ones, is made in
three sizes, each four times the one before, and extracted from its source to its text,
each time in a process of its own, a fork of one that has seen no large page.  What is
linear takes four times as much of time, output and memory for four times the page; six
times is where the run fails.  Linux with glibc only.  Prints a table, and writes it
into docs/robustness.md, and benchmarks/results/linear.json.  Families that are named
replace their rows there, and the others stay.

    python -m benchmarks.linear [--size BYTES] [--algorithm NAME ...] [FAMILY ...]
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

# Threads of a library's own do not outlive a fork.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from lxml import etree

from benchmarks.tables import read_json, save, table
from scrapy_eatext import __version__, extract
from scrapy_eatext.algorithms import DEFAULT, REGISTRY, get_algorithm
from scrapy_eatext.page import Page
from scrapy_eatext.page.continued import next_page
from scrapy_eatext.rendering import run
from scrapy_eatext.result import ATTRIBUTES, Metadata
from tests.support.hostile import HOSTILE, SHAPES, URL, URLS

# Steps that are measured beside each algorithm: those that all begin with, and all
# outputs of the default one (text, Markdown, HTML, blocks and metadata), where every
# block is kept.
WALK, ALL = "parse and walk", "all outputs"
STEPS = [WALK, ALL]
# A site's rule that keeps all there is, and takes quadratic time as XPath.
KEEP = "*, p ~ p, p:nth-of-type(2), :contains(boat), :has(~ p)"
SMALL = HOSTILE["scripts"](2000)
TIMES = 4
LIMIT = 6.0
# What is measured, and how much of it is lost in the noise of a busy machine, or in what
# an allocator takes at once.
NOISE = {"seconds": 0.05, "output": 0, "memory": 16_000_000}
# The shortest of some tries counts, as other work on the machine slows some of them
# down; there is one try if it takes longer than this many seconds.
TRIES, ENOUGH = 3, 0.5
# Costs that exceed LIMIT are measured so many times more, and the lowest count.
PATIENCE = 5


def work(source: str | bytes, url: str, algorithm: str) -> tuple[Any, Any]:
    """The output of an algorithm or step for a page, and the object that it is of."""
    if algorithm == WALK:
        return "", Page.of(source, url).blocks
    if algorithm != ALL:
        result = extract(source, url=url, algorithm=algorithm)
        return result.text, result
    # What an algorithm drops costs nothing.
    page = Page.of(source, url)
    result = run(get_algorithm(DEFAULT), page, rules=(KEEP, ""))
    for name in ATTRIBUTES:
        getattr(result, name)
    metadata = [getattr(result.metadata, field.name) for field in fields(Metadata)]
    next_url = next_page(page, url, 2)
    return [result.text, result.markdown, result.html, metadata, next_url], result


def length(made: Any) -> int:
    """The number of characters in an output."""
    if isinstance(made, str):
        return len(made)
    if isinstance(made, dict):
        return length(list(made.items()))
    return sum(map(length, made)) if isinstance(made, (list, tuple)) else 0


def memory(name: str) -> int:
    """A figure of this process's memory by the kernel, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


def cost(source: str | bytes, url: str, algorithm: str) -> dict[str, float]:
    """The costs of a page, in a process that has read none like it."""
    work(SMALL, URL, algorithm)  # which copies what this process shares with others
    gc.collect()
    # Memory that is free already would not count as growth.
    ctypes.CDLL(None).malloc_trim(0)
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    least = float("inf")
    grown = 0
    for number in range(TRIES):
        # The garbage of the last try is not collected in this one.
        made: Any = None
        gc.collect()
        start = time.process_time()
        made = work(source, url, algorithm)
        least = min(least, time.process_time() - start)
        if number == 0:
            grown = memory("VmHWM") - before
        if least > ENOUGH:
            break
    size = len(
        source if isinstance(source, bytes) else source.encode("utf-8", "replace")
    )
    output = length(made[0])
    return {"bytes": size, "seconds": least, "output": output, "memory": grown}


def forked(call: Callable[[], Any]) -> Any:
    """The result of a call in a fork of this process, None if it fails."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        status = 1
        try:
            with os.fdopen(writer, "w") as out:
                json.dump(call(), out)
            status = 0
        except Exception:  # noqa: BLE001
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as given:
        text = given.read()
    _, ended = os.waitpid(child, 0)
    return json.loads(text) if ended == 0 else None


def measure(family: str, algorithms: list[str], sizes: list[int]) -> list[dict]:
    """The costs of each algorithm on a family of pages."""
    make = {**SHAPES, **HOSTILE}[family]
    url = URLS.get(family, URL)
    pages = [make(size) for size in sizes]
    rows = []
    for algorithm in algorithms:
        calls = [partial(cost, page, url, algorithm) for page in pages]
        costs = [forked(call) for call in calls]
        if not all(costs):
            raise RuntimeError(f"{algorithm} fails on {family}")
        for _ in range(PATIENCE):
            if not excess(costs, algorithm):
                break
            for call, known in zip(calls, costs, strict=True):
                again = forked(call)
                known.update({name: min(known[name], again[name]) for name in known})
        rows.append(
            {
                "family": family,
                "algorithm": algorithm,
                **{name: [one[name] for one in costs] for name in ("bytes", *NOISE)},
                "ratios": {name: round(ratios(costs, name)[-1], 2) for name in NOISE},
                "excess": excess(costs, algorithm),
            }
        )
    return rows


def ratios(costs: list[dict[str, float]], name: str) -> list[float]:
    """For each page but the smallest, how many times as much it takes as the last."""
    return [large[name] / max(small[name], 1e-6) for small, large in pairwise(costs)]


def counts(one: dict[str, float], name: str, algorithm: str) -> bool:
    """Whether a cost is above the noise, so that it can be compared.

    An algorithm may keep all of one page, and next to nothing of another: output is
    compared where everything is kept, of which an algorithm's is a part.
    """
    return one[name] > NOISE[name] and (name != "output" or algorithm == ALL)


def excess(costs: list[dict[str, float]], algorithm: str) -> list[str]:
    """The costs that grow by more than LIMIT for a page that is TIMES as large."""
    return [
        name
        for name in NOISE
        for one, times in zip(costs[1:], ratios(costs, name), strict=True)
        if times > LIMIT and counts(one, name, algorithm)
    ]


def write(about: dict[str, Any]) -> None:
    """Write the results for programs, and a line for each algorithm into the docs."""
    lines = []
    for algorithm in dict.fromkeys(row["algorithm"] for row in about["rows"]):
        rows = [row for row in about["rows"] if row["algorithm"] == algorithm]
        last = [row["seconds"][-1] * 1000 for row in rows]
        lines.append(
            [
                algorithm,
                f"{median(last):.0f}",
                f"{max(last):.0f}",
                *(_most(rows, name) for name in NOISE),
            ]
        )
    head = ["", "median ms", "most ms", *(f"ratio, {name}" for name in NOISE)]
    save("linear", about, table(head, lines))


def _most(rows: list[dict[str, Any]], name: str) -> str:
    """The largest ratio of the largest pages that is no noise, "" where all is noise."""
    clear = [
        row["ratios"][name]
        for row in rows
        if counts(_last(row), name, row["algorithm"])
    ]
    return f"{max(clear):.1f}" if clear else ""


def _last(row: dict[str, Any]) -> dict[str, float]:
    return {key: row[key][-1] for key in ("bytes", *NOISE)}


def _shown(row: dict[str, Any], name: str, scale: float) -> str:
    """The figure of the largest page, and how many times that of the one before."""
    last = row[name][-1]
    figure = f"{last * scale:.{0 if last * scale >= 100 else 1}f}"
    # Ratios of small figures are noise.
    large = counts(_last(row), name, row["algorithm"])
    return f"{figure} ({row['ratios'][name]:.1f})" if large else figure


def main() -> int:
    parser = argparse.ArgumentParser(description="What a page costs against its size.")
    parser.add_argument("--size", type=int, default=100_000, help="of the smallest")
    choices = [*STEPS, *sorted(REGISTRY)]
    parser.add_argument("--algorithm", action="append", choices=choices)
    parser.add_argument("family", nargs="*", help="all when none is given")
    arguments = parser.parse_args()
    algorithms = arguments.algorithm or choices
    families = arguments.family or [*SHAPES, *HOSTILE]
    sizes = [arguments.size * TIMES**power for power in range(3)]
    # Modules and models.
    for algorithm in algorithms:
        work(SMALL, URL, algorithm)
    gc.collect()
    gc.freeze()  # nor are they copied for each process
    print(f"milliseconds for {sizes[-1]:,} bytes (times those for a quarter)")
    print(f"{'':28}" + "".join(f"{name:>17}" for name in algorithms))
    rows: list[dict] = []
    failed = []
    for family in families:
        print(f"{family:28}", end="", flush=True)
        measured = forked(partial(measure, family, algorithms, sizes))
        if measured is None:
            failed.append(family)
            continue
        for row in measured:
            sign = "!" if row["excess"] else " "
            print(f"{_shown(row, 'seconds', 1000):>16}{sign}", end="")
        most = max(measured, key=lambda row: row["memory"][-1])
        print(
            f"  {max(row['output'][-1] for row in measured) / 1e6:.1f} MB out,"
            f" {most['memory'][-1] / 1e6:.0f} MB in {most['algorithm']}"
        )
        rows += measured
    bad = [(row, name) for row in rows for name in row["excess"]]
    for row, name in bad:
        print(
            f"not linear: {name} of {row['algorithm']} on {row['family']}: "
            f"{row['ratios'][name]} times, {row[name]}"
        )
    for family in failed:
        print(f"not measured: {family}")
    if not (arguments.algorithm or failed):
        if arguments.family:
            others = read_json("linear").get("rows", [])
            rows += [row for row in others if row["family"] not in families]
            rows.sort(key=lambda row: [*SHAPES, *HOSTILE].index(row["family"]))
        about = {
            "version": __version__,
            "python": platform.python_version(),
            "lxml": etree.__version__,
            "bytes": sizes,
            "limit": LIMIT,
            "rows": rows,
        }
        write(about)
    print(f"{len(rows)} measured at three sizes, {len(bad)} of them now not linear")
    return 1 if bad or failed else 0


if __name__ == "__main__":
    sys.exit(main())
