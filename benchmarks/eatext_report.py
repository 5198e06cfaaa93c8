"""What the card of the default algorithm's model says, as tables and a plot.

    python benchmarks/eatext_report.py

Reads the card beside the shipped model and benchmarks/results/compare.json, and
writes the tables of docs/algorithms/eatext.md and docs/images/calibration.svg.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from matplotlib.figure import Figure

from benchmarks.tables import DOCS, RESULTS, fill, share, table
from scrapy_eatext.algorithms.modelfile import SHIPPED

PAGE = DOCS / "algorithms" / "eatext.md"


def main() -> None:
    card = json.loads((SHIPPED / "eatext.json").read_text("utf-8"))
    compared = json.loads((RESULTS / "compare.json").read_text("utf-8"))
    write_kinds(card["scores"], compared["extractors"])
    write_calibration(card["scores"]["calibration"])


def write_kinds(scores: dict[str, Any], others: dict[str, Any]) -> None:
    """The scores by kind of page, with the best of the other extractors on each."""
    peers = {name: row for name, row in others.items() if not row["own"]}
    kinds = {**scores["kinds"], "all": scores["mean"]}
    rows = []
    for kind, own in kinds.items():
        found = {
            name: (row["mean"] if kind == "all" else row["kinds"][kind])["f1"]
            for name, row in peers.items()
        }
        best = max(found, key=lambda name: found[name])
        figures = [share(own[key]) for key in ("precision", "recall", "f1")]
        rows.append([kind, *figures, f"{share(found[best])} ({best})"])
    own = scores["segments"]
    found = {name: row["segments"]["f1"] for name, row in peers.items()}
    best = max(found, key=lambda name: found[name])
    figures = [share(own[key]) for key in ("precision", "recall", "f1")]
    rows.append(["segments", *figures, f"{share(found[best])} ({best})"])
    head = ["kind of page", "P", "R", "F1", "best of the others"]
    fill(PAGE, "kinds", table(head, rows))


def write_calibration(bins: list[dict[str, float]]) -> None:
    """Mean score against mean F1, by tenths of the score."""
    rows = [[share(b["score"]), share(b["f1"]), str(b["pages"])] for b in bins]
    fill(PAGE, "calibration", table(["mean score", "mean F1", "pages"], rows))
    figure = Figure(figsize=(4.5, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle="--")
    sizes = [12 + b["pages"] for b in bins]
    axes.scatter([b["score"] for b in bins], [b["f1"] for b in bins], s=sizes)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="score", ylabel="mean word F1")
    axes.set_title("Pages by score, on sites not seen in training")
    figure.savefig(DOCS / "images" / "calibration.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
