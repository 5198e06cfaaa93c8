"""The time of the default algorithm's steps, from bytes to text.

    python -m benchmarks.where_time_goes wcxb-dev [--pages 200]

Writes a table into docs/algorithms/eatext.md: the processor's time of each step, the
mean over pages, and as a share of lxml's bare parse.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

from benchmarks.clock import Clock, bare_parse, source_of
from benchmarks.tables import DOCS, fill, table
from scrapy_eatext import compiled
from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.page import Page
from scrapy_eatext.rendering import render
from scrapy_eatext.tagger.descriptions import described_walk
from scrapy_eatext.tagger.facts import weights
from scrapy_eatext.tagger.selection import select
from scrapy_eatext.tagger.whole import page_figures

PARSE = "lxml's bare parse, for comparison"


def one(html: bytes, clock: Clock) -> None:
    """Go through the steps for one page."""
    algorithm = get_algorithm("eatext")
    model = algorithm.model  # type: ignore[attr-defined]
    clock.time(PARSE, bare_parse, source_of(html))
    page = clock.time("decode, guard and parse", Page.of, html)
    blocks = clock.time("walk", lambda: page.blocks)
    if not len(blocks):
        return
    walk = blocks.walk

    def tagged() -> Any:
        return model.tagger.likelihoods(described_walk(page))

    likelihood, of_names = clock.time("features and trees", tagged)

    def whole() -> None:
        w = weights(walk)
        found = model.calibrated(walk, w, likelihood, of_names)[0]
        model.score(page_figures(walk, found, w, select(found, w)))

    clock.time("choice, score and kind of page", whole)
    verdict = algorithm.judge(page)
    clock.time("text", render, verdict, page, "eatext", "1")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labelled", help="pages in WCXB's layout")
    parser.add_argument("--pages", type=int, default=200)
    args = parser.parse_args()
    pages = list(read_folder(args.labelled).pages)
    random.Random(0).shuffle(pages)
    documents = [page.html for page in pages[: args.pages]]
    for html in documents[:5]:
        one(html, Clock())
    clock = Clock()
    for html in documents:
        one(html, clock)
    parsed = clock.spent.pop(PARSE)
    rows = [
        [name, f"{spent / len(documents) * 1e3:.2f}", f"{spent / parsed:.2f}"]
        for name, spent in clock.spent.items()
    ]
    total = sum(clock.spent.values())
    rows.append(["all", f"{total / len(documents) * 1e3:.2f}", f"{total / parsed:.2f}"])
    rows.append([PARSE, f"{parsed / len(documents) * 1e3:.2f}", "1.00"])
    found = table(["step", "ms a page", "× parse"], rows)
    print("compiled" if compiled else "in Python")
    print(found)
    if compiled:
        fill(DOCS / "algorithms" / "eatext.md", "time", found)


if __name__ == "__main__":
    main()
