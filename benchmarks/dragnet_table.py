"""Dragnet's F1 by feature groups, as its paper has it, on labelled pages.

    python benchmarks/dragnet_table.py wcxb-dev

Five folds by site.  Writes benchmarks/results/dragnet.json, and the table into
docs/comparison.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.tables import fill, share, table
from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.extraction import run
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.evaluate import Score, report, word_score
from scrapy_eatext.learning.train import held_out, save, silent, take_samples, trainer
from scrapy_eatext.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_eatext.algorithms.base import Algorithm

RESULTS = ROOT / "benchmarks" / "results" / "dragnet.json"
FOLDS = 5
# The paper's rows, and those with readability, which its authors added later.
ROWS = {
    "All text": "",
    "CETR": "cetr+clusters",
    "Ids and classes": "tokens",
    "Shallow text": "shallow",
    "Shallow text, ids and classes": "shallow+tokens",
    "Shallow text, ids and classes, CETR": "shallow+tokens+cetr+clusters",
    "Readability": "readability",
    "Shallow text, CETR, readability": "shallow+cetr+readability",
    "All": "shallow+tokens+cetr+clusters+readability",
}


def content_only(items: Sequence[Any], label: str) -> Sequence[Any]:
    """A progress that leaves out the models of comments."""
    return items if label.startswith("content") else ()


def judges_of(model: Path) -> dict[tuple[str, bool], Algorithm[Any]]:
    """For each row, and with and without ``reference``, what judges a page."""
    return {
        (name, reference): get_algorithm(
            "dragnet",
            {
                "model": str(model),
                "reference": reference,
                "features": groups or "shallow",
                # Below every probability: all text is kept.
                "threshold": 0.5 if groups else 0.0,
            },
        )
        for name, groups in ROWS.items()
        for reference in (True, False)
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labelled", help="pages in WCXB's layout")
    args = parser.parse_args()
    pages = read_folder(args.labelled).pages
    made = trainer("dragnet")
    samples = take_samples(made, pages, skip=True, progress=silent)
    rows: dict[tuple[str, bool], list[tuple[str, Score]]] = {}
    for seen, unseen in held_out(pages, samples, 0, FOLDS):
        (model,) = made.fit(seen, 0, content_only)
        with tempfile.TemporaryDirectory() as folder:
            judges = judges_of(save("dragnet", model, folder))
        for page in unseen:
            source = Page.of(page.html, page.url or None)
            for key, judge in judges.items():
                text = run(judge, source).text
                rows.setdefault(key, []).append(
                    (page.kind, word_score(text, page.text))
                )
        print(f"{len(unseen)} pages", flush=True)
    results = {
        f"{name}, {'original' if reference else 'page'} blocks": report(
            scored
        ).figures()
        for (name, reference), scored in rows.items()
    }
    text = json.dumps(results, indent=1, sort_keys=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(text + "\n", "utf-8")
    body = []
    for name in ROWS:
        means = [report(rows[name, reference]).mean for reference in (True, False)]
        figures = [f for m in means for f in (m.precision, m.recall, m.f1)]
        body.append([name, *map(share, figures)])
    head = ["", "P", "R", "F1, as the original", "P", "R", "F1, page blocks"]
    fill("comparison.md", "dragnet", table(head, body))


if __name__ == "__main__":
    main()
