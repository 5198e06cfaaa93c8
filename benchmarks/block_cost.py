"""The time for a block, on pages from 10 blocks to 100,000.

Pages of menus, headings, text and links are extracted by the default algorithm from
their bytes, and from a tree that is parsed already.  As each page has a fixed cost too,
the time for a further block is the difference between one page and the next larger.
This must not grow with the page.

Writes benchmarks/results/block_cost.json and the table in docs/robustness.md.

    python -m benchmarks.block_cost
"""

from __future__ import annotations

import gc
import sys
import time

from parsel import Selector

from benchmarks.tables import save, table
from scrapy_eatext import __version__, extract
from scrapy_eatext.algorithms import DEFAULT
from scrapy_eatext.page import Page
from tests.support.hostile import SENTENCE

SIZES = [10, 100, 1_000, 10_000, 100_000]
# A further block may cost at most so many times as at the best size.
LIMIT = 2.0
MENU = "<nav><ul><li><a href=/a>Home</a><li><a href=/b>All pages</a></ul></nav>"
PART = f"<h2>A part of it</h2><p>{SENTENCE * 3}</p>" * 2 + (
    f"<p>{SENTENCE}<a href=/c>More of it</a></p><ul><li>One<li>Two</ul><p>Short.</p>"
)
BLOCKS = 8  # in a part


def page_of(blocks: int) -> str:
    parts = PART * max(1, (blocks - 2) // BLOCKS)
    return f"<html lang=en><body>{MENU}<article>{parts}</article></body></html>"


def best(html: str, *, parsed: bool) -> float:
    """The shortest of several runs, in seconds of the processor."""
    data = html.encode()
    shortest, spent = float("inf"), 0.0
    while spent < 1:
        page = Selector(html, type="html") if parsed else data
        gc.collect()
        start = time.process_time()
        extract(page)
        taken = time.process_time() - start
        spent += taken
        shortest = min(shortest, taken)
    return shortest


def main() -> int:
    rows: list[dict[str, float]] = []
    for size in SIZES:
        html = page_of(size)
        row = {"blocks": len(Page.of(html).blocks)}
        for way in ("bytes", "tree"):
            row[way] = best(html, parsed=way == "tree")
            before = rows[-1] if rows else {"blocks": 0, way: 0.0}
            further = row["blocks"] - before["blocks"]
            row[f"{way} further"] = (row[way] - before[way]) / further
        rows.append(row)
    shown = [
        [
            f"{row['blocks']:,}",
            f"{row['bytes'] * 1e3:.2f}",
            *(f"{row[f'{way} further'] * 1e6:.1f}" for way in ("bytes", "tree")),
        ]
        for row in rows
    ]
    head = ["blocks", "ms a page", "µs a further block", "from a tree"]
    text = table(head, shown)
    print(text)
    save("block_cost", {"version": __version__, "default": DEFAULT, "rows": rows}, text)
    further = [[row[f"{way} further"] for row in rows[1:]] for way in ("bytes", "tree")]
    return 0 if all(max(costs) <= LIMIT * min(costs) for costs in further) else 1


if __name__ == "__main__":
    sys.exit(main())
