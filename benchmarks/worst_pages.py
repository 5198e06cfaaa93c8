"""Why the default algorithm fails where it does worst, and on how many pages it still does.

    scrapy eatext train ... --page-scores SCORES
    python benchmarks/worst_pages.py SCORES

benchmarks/worst_pages.json has the 60 of the pages labelled by reading on which models
that had not seen their sites did worst, with the F1 of that day, and the cause of each
that somebody found who read it.  SCORES, of a later training, says how these pages fare
now.  Prints a table.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.tables import DATA, share, table

# Pages above this are no longer among the worst.
BETTER = 0.7


def main() -> None:
    was = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    rows = [
        json.loads(line)
        for line in Path(sys.argv[1]).read_text("utf-8").split("\n")
        if line
    ]
    now = {
        Path(row["page"]).name.partition(".")[0]: row["f1"]
        for row in rows
        if row["data"] == DATA[1]
    }
    causes: dict[str, list[tuple[float, float]]] = {}
    for page in was:
        causes.setdefault(page["cause"], []).append((page["f1"], now[page["page"]]))
    lines = sorted(causes.items(), key=lambda item: -len(item[1]))
    lines.append(("all", [pair for _, pairs in lines for pair in pairs]))
    found = table(
        ["cause", "pages", "F1 then", "F1 now", "left"],
        [
            [
                cause,
                str(len(pairs)),
                share(mean(then for then, _ in pairs)),
                share(mean(f1 for _, f1 in pairs)),
                str(sum(f1 <= BETTER for _, f1 in pairs)),
            ]
            for cause, pairs in lines
        ],
    )
    print(found)
    print(f"below .5: {sum(f1 < 0.5 for f1 in now.values())} of {len(now)} pages")


if __name__ == "__main__":
    main()
