"""Titles, authors and dates against labels, beside trafilatura and htmldate, in one run.

    pip install trafilatura htmldate
    python -m benchmarks.metadata wcxb-dev [--pages N]

Titles are the same when their letters and digits are; authors when the same names are
given, in any order; dates to the day.  Pages without a label do not count, but names and
dates found there are shown: some of them the labels lack, some are wrong.  Times are the
processor's: htmldate's and trafilatura's (metadata alone, no text) from bytes, as they
parse by themselves; this project's from pages that are parsed and walked.

Writes benchmarks/results/metadata.json and the table in docs/metadata.md.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks.clock import Clock, bare_parse, source_of
from benchmarks.tables import DOCS, fill, share, table, write_json
from scrapy_eatext import __version__
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.metadata import read_metadata
from scrapy_eatext.page import Page

# A title, the authors in one text, a date; None for what an extractor does not look for.
Found = tuple[str | None, str | None, str | None]
FIELDS = ("title", "author", "date")
# The names of fields that WCXB's labels have otherwise.
LABELS = {"date": "publish_date"}


def letters(text: str | None) -> str:
    return re.sub(r"[\W_]+", "", (text or "").lower())


def names(text: str | None) -> frozenset[str]:
    parts = re.split(r"[,;&|]|\s(?:and|und|et)\s", text or "")
    return frozenset(filter(None, map(letters, parts)))


# For each field, what of a value counts.
SAME: dict[str, Callable[[str | None], object]] = {
    "title": letters,
    "author": names,
    "date": lambda value: (value or "")[:10],
}


def trafilatura() -> Callable[[bytes, str], Found]:
    extract_metadata = import_module("trafilatura").extract_metadata

    def run(html: bytes, url: str) -> Found:
        found = extract_metadata(html, default_url=url or None)
        return (found.title, found.author, found.date) if found else (None,) * 3

    return run


def htmldate() -> Callable[[bytes, str], Found]:
    find_date = import_module("htmldate").find_date
    # The date of publication rather than of the last change.
    return lambda html, url: (
        None,
        None,
        find_date(html, url=url or None, original_date=True),
    )


def own(page: Page) -> Found:
    found = read_metadata(page)
    return found.title, ", ".join(found.authors), found.published


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", help="pages in WCXB's layout")
    parser.add_argument("--pages", type=int, help="only so many")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    peers = {"trafilatura": trafilatura(), "htmldate": htmldate()}
    right: dict[str, Counter[str]] = {"scrapy-eatext": Counter()}
    right.update((name, Counter()) for name in peers)
    beyond: dict[str, Counter[str]] = {name: Counter() for name in right}
    labelled: Counter[str] = Counter()
    clock = Clock()
    pages = read_folder(args.folder).pages[: args.pages]
    gc.disable()
    for number, page in enumerate(pages):
        truth_file = Path(args.folder) / "ground-truth" / f"{page.name}.json"
        truth = json.loads(truth_file.read_text("utf-8"))["ground_truth"]
        wanted = {field: truth.get(LABELS.get(field, field)) for field in FIELDS}
        labelled.update(field for field in FIELDS if wanted[field])
        html, url = page.html, page.url
        if number % 50 == 0:  # not while something is timed
            gc.collect()
        clock.time("parse", bare_parse, source_of(html))
        read = Page.of(html, url)
        # The walk is the extraction's; its tables are there when metadata are read.
        read.blocks.chars  # noqa: B018
        found = {"scrapy-eatext": clock.time("scrapy-eatext", own, read)}
        for name, peer in peers.items():
            found[name] = (None,) * 3
            with suppress(Exception):
                found[name] = clock.time(name, peer, html, url)
        for name, values in found.items():
            for field, value in zip(FIELDS, values, strict=True):
                if not wanted[field]:
                    beyond[name][field] += bool(value)
                elif SAME[field](value) == SAME[field](wanted[field]):
                    right[name][field] += 1
    results = {
        "pages": len(pages),
        "labelled": dict(labelled),
        "parse ms": round(clock.spent["parse"] / len(pages) * 1e3, 3),
        "extractors": {
            name: {
                "version": __version__ if name == "scrapy-eatext" else version(name),
                "right": {f: round(right[name][f] / labelled[f], 4) for f in FIELDS},
                "beyond": dict(beyond[name]),
                "ms": round(clock.spent[name] / len(pages) * 1e3, 3),
                "parses": round(clock.spent[name] / clock.spent["parse"], 3),
            }
            for name in right
        },
    }
    text = write_json("metadata", results)
    rows = []
    for name, row in results["extractors"].items():
        shown = FIELDS if name != "htmldate" else ("date",)
        figures = [share(row["right"][f]) if f in shown else "" for f in FIELDS]
        extra = [str(row["beyond"].get(f, 0)) if f in shown else "" for f in FIELDS[1:]]
        title = f"**{name}**" if name == "scrapy-eatext" else f"{name} {row['version']}"
        rows.append(
            [title, *figures, *extra, f"{row['ms']:.2f}", f"{row['parses']:.2f}"]
        )
    head = ["", *FIELDS, "author without label", "date without label", "ms", "× parse"]
    fill(DOCS / "metadata.md", "metadata", table(head, rows))
    print(text)


if __name__ == "__main__":
    main()
