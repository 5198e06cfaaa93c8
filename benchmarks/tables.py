"""Writes results down, and puts tables of figures into pages of the documentation.

A table stands in its page between marks:

<!-- table NAME -->
...
<!-- end NAME -->
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RESULTS = ROOT / "benchmarks" / "results"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown; all columns but the first are figures."""
    lines = ["| " + " | ".join(head) + " |"]
    lines.append("|---|" + "---:|" * (len(head) - 1))
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def save(name: str, about: dict[str, Any], text: str) -> None:
    """Write results down for programs, and their table into the docs on robustness."""
    RESULTS.mkdir(exist_ok=True)
    data = json.dumps(about, indent=1, sort_keys=True)
    (RESULTS / f"{name}.json").write_text(data + "\n", "utf-8")
    fill(DOCS / "robustness.md", name, text)


def fill(path: Path, name: str, text: str) -> None:
    """Replace what stands between a page's marks; ValueError where there are none."""
    source = path.read_text("utf-8")
    start, end = f"<!-- table {name} -->\n", f"<!-- end {name} -->"
    before, mark, rest = source.partition(start)
    _, close, after = rest.partition(end)
    if not (mark and close):
        raise ValueError(f"{path} has no place for the table {name}")
    path.write_text(f"{before}{start}{text}\n{close}{after}", "utf-8")


def share(value: float) -> str:
    """A figure from 0 to 1 with three digits, as .812."""
    return f"{value:.3f}".removeprefix("0")


def write_tables(results: dict[str, Any]) -> None:
    """The comparison's tables, best first, the project's own in bold."""
    rows = sorted(
        results["extractors"].items(), key=lambda item: -item[1]["mean"]["f1"]
    )
    kinds = list(results["data"]["labelled"]["kinds"])

    def named(name: str, row: dict[str, Any]) -> str:
        return f"**{name}**" if row["own"] else f"{name} {row['version']}"

    body = []
    for name, row in rows:
        figures = [row["mean"][key] for key in ("precision", "recall", "f1")]
        figures += [row["segments"]["f1"]]
        cost = row.get("cost", {"ms": 0.0, "parses": 0.0})
        body.append(
            [
                named(name, row) + (" ¹" if row["trained"] else ""),
                *map(share, figures),
                f"{cost['ms']:.1f}",
                f"{cost['parses']:.1f}",
            ]
        )
    head = ["", "P", "R", "F1", "segments F1", "ms a page", "× parse"]
    fill(DOCS / "comparison.md", "all", table(head, body))
    short = [[name.removesuffix(" ¹"), *row[2:4], row[5]] for name, *row in body]
    fill(ROOT / "README.md", "compare", table([head[0], *head[3:5], head[6]], short))
    counts = results["data"]["labelled"]["kinds"]
    body = [
        [named(name, row), *(share(row["kinds"][kind]["f1"]) for kind in kinds)]
        for name, row in rows
    ]
    head = ["F1", *(f"{kind} ({counts[kind]})" for kind in kinds)]
    fill(DOCS / "comparison.md", "kinds", table(head, body))
