"""What the other outputs cost beside the text, in multiples of the parse.

    python benchmarks/outputs.py wcxb-dev [--algorithm NAME] [--pages 200]

Times are the processor's, each on pages that are parsed, walked and judged already; the
parse is lxml's bare one of the same source.  Writes benchmarks/results/outputs.json and
the table in docs/output.md.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lxml import etree

from benchmarks.tables import RESULTS, fill, table
from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.page import Page
from scrapy_eatext.page.decode import decode
from scrapy_eatext.rendering import render


def parse(source: bytes) -> object:
    parser = etree.HTMLParser(huge_tree=True, encoding="utf-8")
    return etree.fromstring(source, parser)


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
    spent: Counter[str] = Counter()
    gc.disable()
    for number, labelled in enumerate([*pages[:5], *pages[: args.pages]]):
        # The first pages only warm up.
        if number == 5:
            spent.clear()
        if number % 50 == 0:
            gc.collect()

        def timed(name: str, call: Callable[[], Any]) -> Any:
            start = time.process_time()
            made = call()
            spent[name] += time.process_time() - start
            return made

        # The page before is given up here, lest an output pays for it.
        page = verdict = result = other = None
        html = labelled.html
        source = decode(html)[1].encode("utf-8", "replace")
        timed("parse", lambda source=source: parse(source))
        page = Page.of(html, labelled.url or None)
        verdict = algorithm.judge(page)

        def fresh(page: Page = page, verdict: Any = verdict) -> Any:
            return render(verdict, page, algorithm.name, algorithm.version)

        result = timed("text", fresh)
        timed("markdown", lambda result=result: result.markdown)
        other = fresh()
        timed("html", lambda other=other: other.html)
        timed("metadata", lambda other=other: other.metadata)
        timed("chunks", lambda other=other: other.chunks())
        # Which blocks are comments is the algorithm's to find.
        if verdict.comments is not None:
            other.comments  # noqa: B018
        timed("posts", lambda other=other: other.posts)
    count = min(args.pages, len(pages))
    figures = {
        name: {
            "ms": round(seconds / count * 1e3, 3),
            "parses": round(seconds / spent["parse"], 3),
        }
        for name, seconds in spent.items()
    }
    results = {"pages": count, "algorithm": args.algorithm, "cost": figures}
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(results, indent=1, sort_keys=True)
    (RESULTS / "outputs.json").write_text(text + "\n", "utf-8")
    rows = [
        [name, f"{row['ms']:.2f}", f"{row['parses']:.2f}"]
        for name, row in figures.items()
    ]
    fill(ROOT / "docs" / "output.md", "outputs", table(["", "ms", "× parse"], rows))
    print(text)


if __name__ == "__main__":
    main()
