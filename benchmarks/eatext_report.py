"""The card of the default algorithm's model as tables and a plot.

    python -m benchmarks.eatext_report

Reads the card beside the shipped model and benchmarks/results/compare.json, and
writes benchmarks/results/eatext.json, the tables of docs/algorithms/eatext.md and
docs/images/calibration.svg.
"""

from __future__ import annotations

import json
from typing import Any

from matplotlib.figure import Figure

from benchmarks.tables import DOCS, fill, share, table, write_json
from scrapy_eatext.algorithms.modelfile import SHIPPED

# Bins of fewer pages are left out.
ENOUGH = 30
PAGE = DOCS / "algorithms" / "eatext.md"


def main() -> None:
    card = json.loads((SHIPPED / "eatext.json").read_text("utf-8"))
    parts = card["scores"]["data"]
    write_data(parts)
    write_calibration(parts)
    write_json("eatext", parts)


def pages_of(part: dict[str, Any]) -> int:
    return sum(row["pages"] for row in part["calibration"])


def of_whole(part: dict[str, Any]) -> dict[str, float]:
    """The scores of all pages: by segments, where only these are known."""
    found: dict[str, float] = part["segments" if "segments" in part else "mean"]
    return found


def write_data(parts: dict[str, Any]) -> None:
    """The scores on each of the data, and without the names that pages give elements."""
    rows = []
    for name, part in parts.items():
        whole = of_whole(part)
        bare = of_whole(part["stripped"])["f1"]
        figures = [share(whole[key]) for key in ("precision", "recall", "f1")]
        lost = f"{bare - whole['f1']:+.3f}".replace("0.", ".")
        rows.append([name, str(pages_of(part)), *figures, share(bare), lost])
        for group, found in part.get("groups", {}).items():
            figures = [share(found[key]) for key in ("precision", "recall", "f1")]
            rows.append([f"· {group}", "", *figures, "", ""])
    head = ["data", "pages", "P", "R", "F1", "F1, stripped", "difference"]
    fill(PAGE, "data", table(head, rows))


def write_calibration(parts: dict[str, Any]) -> None:
    """Mean score against mean F1, by tenths of the score, for each of the data."""
    figure = Figure(figsize=(4.5, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle="--")
    for name, part in parts.items():
        bins = part["calibration"]
        axes.scatter(
            [b["score"] for b in bins],
            [b["f1"] for b in bins],
            s=[6 + b["pages"] / 2 for b in bins],
            label=name,
            alpha=0.7,
        )
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="score", ylabel="mean F1")
    axes.set_title("Pages by score, on sites not seen in training")
    axes.legend(fontsize="x-small", loc="upper left")
    figure.savefig(DOCS / "images" / "calibration.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
