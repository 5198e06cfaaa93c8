"""The cost of outputs other than the text, in multiples of the parse.

    python -m benchmarks.outputs wcxb-dev [--algorithm NAME] [--pages 200]

Times are the processor's, each on pages that are parsed, walked and judged already; the
parse is lxml's bare one of the same source.  Writes benchmarks/results/outputs.json and
the table in docs/output.md.
"""

from __future__ import annotations

import argparse
import gc
import random

from benchmarks.clock import Clock, bare_parse, source_of
from benchmarks.tables import DOCS, fill, table, write_json
from scrapy_eatext import extract
from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.page import Page
from scrapy_eatext.rendering import render


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", help="labelled pages")
    parser.add_argument("--algorithm", default=DEFAULT)
    parser.add_argument("--pages", type=int, default=200)
    args = parser.parse_args()
    algorithm = get_algorithm(args.algorithm)
    pages = list(read_folder(args.folder).pages)
    random.Random(0).shuffle(pages)
    clock = Clock()
    # A page without a declared language loads the lists by which that is found.
    extract("<p>" + "That is how it was in the end of the year. " * 9)
    gc.disable()
    for number, labelled in enumerate([*pages[:5], *pages[: args.pages]]):
        # The first pages only warm up.
        if number == 5:
            clock.spent.clear()
        if number % 50 == 0:
            gc.collect()
        # The last page is freed here, outside of the timed steps.
        page = verdict = judged = result = other = None
        html = labelled.html
        clock.time("parse", bare_parse, source_of(html))
        page = Page.of(html, labelled.url or None)
        verdict = algorithm.judge(page)
        judged = verdict, page, algorithm.name, algorithm.version
        result = clock.time("text", render, *judged)
        clock.time("markdown", getattr, result, "markdown")
        other = render(*judged)
        clock.time("html", getattr, other, "html")
        clock.time("metadata", getattr, other, "metadata")
        clock.time("chunks", other.chunks)
        # The time to find comments is the algorithm's, not the posts'.
        if verdict.comments is not None:
            other.comments  # noqa: B018
        clock.time("posts", getattr, other, "posts")
    count = min(args.pages, len(pages))
    figures = {
        name: {
            "ms": round(seconds / count * 1e3, 3),
            "parses": round(seconds / clock.spent["parse"], 3),
        }
        for name, seconds in clock.spent.items()
    }
    results = {"pages": count, "algorithm": args.algorithm, "cost": figures}
    text = write_json("outputs", results)
    rows = [
        [name, f"{row['ms']:.2f}", f"{row['parses']:.2f}"]
        for name, row in figures.items()
    ]
    fill(DOCS / "output.md", "outputs", table(["", "ms", "× parse"], rows))
    print(text)


if __name__ == "__main__":
    main()
