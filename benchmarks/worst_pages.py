"""The causes of the default algorithm's worst scores, and the pages it still fails on.

    scrapy eatext train ... --page-scores SCORES
    python -m benchmarks.worst_pages SCORES

benchmarks/worst_pages.json has pages of the four sets that models did worst on, with the
F1 of the day they were read, and the cause that somebody found who read them.  60 of the
pages labelled by reading did worst with models that had not seen their sites; of the
others the model was surest.  Causes in LABELS are errors of labels: these pages are
exceptions, the data stays as it is.  SCORES has their scores of a later training.  Prints
a table, and for each set the mean F1 with and without the exceptions.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import mean

from benchmarks.tables import DATA, share, table

# Pages above this are no longer among the worst.
BETTER = 0.7


# The sets of worst_pages.json, by the names that cards have.
_FOLDERS = "wcxb-dev labelled-dev segments-dev labelled-web".split()
SETS = dict(zip(DATA, _FOLDERS, strict=True))
LABELS = frozenset(
    (
        "the label holds a part of the text",
        "the label holds another part of the page",
        "the label is empty, though the page has text",
        "the label may be doubted",
        "the label's soft hyphens cut its words",
    )
)


def main() -> None:
    was = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    rows = [
        json.loads(line)
        for line in Path(sys.argv[1]).read_text("utf-8").split("\n")
        if line
    ]
    now = {(SETS[row["data"]], _name(row["page"])): row["f1"] for row in rows}
    causes: dict[str, list[tuple[float, float]]] = {}
    for page in was:
        pair = page["f1"], now[page["set"], page["page"]]
        causes.setdefault(page["cause"], []).append(pair)
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
    wrong = {(page["set"], page["page"]) for page in was if page["cause"] in LABELS}
    for name in SETS.values():
        every = [f1 for (data, _), f1 in now.items() if data == name]
        rest = [f1 for key, f1 in now.items() if key[0] == name and key not in wrong]
        print(
            f"{name}: {share(mean(every))}, and {share(mean(rest))} without "
            f"{len(every) - len(rest)} pages whose labels are wrong"
        )


def _name(file: str) -> str:
    """The name of a page of a set."""
    return Path(file).name.removesuffix(".gz").removesuffix(".html")


if __name__ == "__main__":
    main()
