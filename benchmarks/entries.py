"""Precision and recall of ``MainText.entries`` on list pages that were read by people.

    python -m benchmarks.entries labelled-web

``entries.json`` has for each page the hashes of the addresses that it lists, and of
those that may be listed or not.  Pages of one half of the sites are "held": nobody
looked at them while the rules were made.  The default model has learned which of these
pages' blocks are main text, so a site that is new to it does less well.

Writes benchmarks/results/entries.json and a table into docs/output.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from benchmarks import tables
from scrapy_eatext import extract

TRUTH = Path(__file__).with_name("entries.json")


class Score(NamedTuple):
    """How many entries a page has, how many were found, and how many of these it has."""

    wanted: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else float(not self.wanted)

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else float(not self.found)


def digest(url: str, title: str) -> str:
    """An entry's hash: of its address, or of its title where it has none."""
    address = url.partition("#")[0].rstrip("/")
    return sha256((address or f"title:{title}").encode()).hexdigest()[:16]


def score(folder: Path, name: str, truth: dict[str, Sequence[str]]) -> Score:
    html = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes())
    url = json.loads((folder / "pages.json").read_text("utf-8"))[name]["url"]
    found = {digest(one.url, one.title) for one in extract(html, url=url).entries}
    wanted = set(truth["entries"])
    found -= set(truth["optional"]) - wanted
    return Score(len(wanted), len(found), len(found & wanted))


def row(name: str, scores: Iterable[Score]) -> list[str]:
    scores = list(scores)
    wanted, found, right = map(sum, zip(*scores, strict=True))
    figures = (
        right / found,
        right / wanted,
        mean(one.precision for one in scores),
        mean(one.recall for one in scores),
    )
    return [name, str(len(scores)), str(wanted), *(f"{value:.3f}" for value in figures)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="labelled-web")
    folder = parser.parse_args().folder
    truth = json.loads(TRUTH.read_text("utf-8"))
    scores = {name: score(folder, name, page) for name, page in truth.items()}
    groups = {
        "held aside": [scores[name] for name in truth if truth[name]["held"]],
        "seen while the rules were made": [
            scores[name] for name in truth if not truth[name]["held"]
        ],
    }
    head = ["sites", "pages", "entries", "precision", "recall"]
    head += ["mean precision by page", "mean recall by page"]
    text = tables.table(head, [row(name, group) for name, group in groups.items()])
    tables.write_json("entries", scores)
    tables.fill(tables.DOCS / "output.md", "entries", text)
    print(text)


if __name__ == "__main__":
    main()
