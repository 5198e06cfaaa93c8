"""Writes results to files, and tables of figures into pages of the documentation.

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
# The names of the data, as cards of models have them.
DATA = (
    "WCXB, development part (1,497 pages)",
    "1,114 pages labelled by reading",
    "469 pages that trafilatura is tested on",
    "416 pages that are not articles, labelled by reading",
)
# So many extractors stand in the tables by kind of page.
BEST = 3
# The algorithm that a crawl has without a setting.
DEFAULT = "eatext"
# Parts of fewer pages are left out.
ENOUGH = 20


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown; all columns but the first are figures."""
    lines = ["| " + " | ".join(head) + " |"]
    lines.append("|---|" + "---:|" * (len(head) - 1))
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def write_json(name: str, results: Any) -> str:
    """Write results for programs to benchmarks/results/NAME.json; returns the JSON."""
    text = json.dumps(results, indent=1, sort_keys=True, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")
    return text


def read_json(name: str) -> dict[str, Any]:
    """The results of an earlier run; empty if there are none."""
    path = RESULTS / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def save(name: str, about: dict[str, Any], text: str) -> None:
    """Write results for programs, and their table into the docs on robustness."""
    write_json(name, about)
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
    first, read, segments, web = DATA

    def f1(row: dict[str, Any], data: str) -> float:
        found = row["data"][data]
        value: float = found.get("segments", found["mean"])["f1"]
        return value

    rows = sorted(results["extractors"].items(), key=lambda item: -f1(item[1], first))

    def named(name: str, row: dict[str, Any]) -> str:
        return f"**{name}**" if row["own"] else f"{name} {row['version']}"

    body = []
    for name, row in rows:
        mean = row["data"][first]["mean"]
        figures = [mean["precision"], mean["recall"], mean["f1"]]
        figures += [f1(row, data) for data in (read, segments, web)]
        cost = [f"{row['cost'][key]:.1f}" for key in ("ms", "parses")]
        mark = " ¹" if row["learned from"] else ""
        body.append([named(name, row) + mark, *map(share, figures), *cost])
    head = ["", "P", "R", "F1", "F1, read", "F1, segments", "F1, no articles"]
    head += ["ms a page", "× parse"]
    fill(DOCS / "comparison.md", "all", table(head, body))
    # The README has the package's default algorithm alone.
    short = [
        [name.removesuffix(" ¹"), *figures[2:6], figures[7]]
        for (key, row), (name, *figures) in zip(rows, body, strict=True)
        if key == DEFAULT or not row["own"]
    ]
    fill(ROOT / "README.md", "compare", table([head[0], *head[3:7], head[8]], short))
    for data, place in ((first, "kinds"), (read, "read"), (web, "web")):
        about = results["data"][data]
        counts = about["kinds"] | about["groups"]
        parts = [part for part, count in counts.items() if count >= ENOUGH]
        if data == first:  # has no comments apart
            parts = [part for part in parts if part in about["kinds"]]
        body = []
        for name, row in rows[:BEST]:
            found = row["data"][data]
            each = found["kinds"] | found.get("groups", {})
            body.append(
                [named(name, row), *(share(each[part]["f1"]) for part in parts)]
            )
        head = ["F1", *(f"{part} ({counts[part]})" for part in parts)]
        fill(DOCS / "comparison.md", place, table(head, body))
