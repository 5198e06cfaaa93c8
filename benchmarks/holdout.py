"""Scores of the default algorithm on kinds and languages that it has not learned from.

For each kind of page a model is trained on all pages of the other kinds, and scored
on the pages of that kind; for each family of languages likewise, on pages with
segments.  Beside it stands the score of models that have seen pages of the kind or
family, but none of the sites (three folds).  All of these models are smaller than the
shipped one, so that this takes minutes and not hours: compare the two columns.

    python -m benchmarks.holdout wcxb-dev segments-dev

Writes benchmarks/results/holdout.json; prints a table.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from benchmarks.tables import share, table, write_json
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning import tagger as eatext
from scrapy_eatext.learning.data import LabelledPage, read_folder
from scrapy_eatext.learning.evaluate import SegmentCounts, segment_counts, word_score
from scrapy_eatext.learning.splits import folds, site_of
from scrapy_eatext.learning.train import Fitted, silent, temporary
from scrapy_eatext.page import Page

FAMILIES = {
    "Germanic": "af da de en fo is lb nb nl nn no sv",
    "Romance": "ca es fr gl it pt ro",
    "Slavic": "be bg bs cs hr mk pl ru sk sl sr uk",
    "East Asian": "ja ko zh",
    "Semitic": "ar fa he ur",
    "Turkic": "az kk tr uz",
}
FAMILY_OF = {code: name for name, codes in FAMILIES.items() for code in codes.split()}
OTHER = "others"

# Few, as many models are to be trained.
FOLDS = 3

Sample = tuple[LabelledPage, Any, str]


def take(pages: Sequence[LabelledPage]) -> list[Sample]:
    """Each page with its sample, or None, and its kind or family of languages."""
    made = eatext
    out: list[Sample] = []
    for page in pages:
        group = page.kind
        if page.has_segments:
            group = FAMILY_OF.get(Page.of(page.html).language, OTHER)
        try:
            out.append((page, made.sample(page), group))
        except DataError:
            out.append((page, None, group))
    return out


def small() -> None:
    """Train smaller models from here on, in a minute each."""
    eatext.FIRST = replace(eatext.FIRST, trees=120, rate=0.2)
    eatext.SECOND = replace(eatext.SECOND, trees=160, rate=0.2)
    eatext.PAGES = replace(eatext.PAGES, trees=20)
    eatext.INNER = 2


def trained(seen: Sequence[Sample]) -> Fitted:
    """A model of some pages."""
    samples = [sample for _, sample, _ in seen if sample is not None]
    return eatext.fit(samples, 0, silent)


def scores(model: Fitted, unseen: Sequence[Sample]) -> list[tuple[str, Any]]:
    """The group and score of each page by a model."""
    rows: list[tuple[str, Any]] = []
    with temporary("eatext", model) as run:
        for page, _, group in unseen:
            text = run(page).text
            if page.has_segments:
                rows.append((group, segment_counts(text, page)))
            else:
                rows.append((group, word_score(text, page.text).f1))
    return rows


def summary(rows: Sequence[tuple[str, Any]]) -> dict[str, float]:
    """The F1 of each group."""
    groups: dict[str, list[Any]] = {}
    for group, score in rows:
        groups.setdefault(group, []).append(score)
    return {
        group: round(
            sum(found, SegmentCounts()).score().f1
            if isinstance(found[0], SegmentCounts)
            else sum(found) / len(found),
            4,
        )
        for group, found in groups.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labelled", help="pages in WCXB's layout")
    parser.add_argument("segments", help="pages with segments")
    args = parser.parse_args()
    small()
    pages = [*read_folder(args.labelled).pages, *read_folder(args.segments).pages]
    samples = take(pages)
    places = folds([site_of(page) for page in pages], FOLDS, 0)
    known: list[tuple[str, Any]] = []
    for fold in range(FOLDS):
        seen = [s for s, place in zip(samples, places, strict=True) if place != fold]
        unseen = [s for s, place in zip(samples, places, strict=True) if place == fold]
        known += scores(trained(seen), unseen)
        print(f"fold {fold}", flush=True)
    counts = Counter(group for _, _, group in samples)
    unknown: list[tuple[str, Any]] = []
    for group in counts:
        if group == OTHER:
            continue
        part = [s for s in samples if s[2] == group]
        unknown += scores(trained([s for s in samples if s[2] != group]), part)
        print(group, summary(unknown)[group], flush=True)
    results = {
        "pages": dict(counts),
        "known": summary(known),
        "unknown": summary(unknown),
    }
    write_json("holdout", results)
    write(results)


def write(results: dict[str, Any]) -> None:
    """Print the table of all groups."""
    rows = [
        [
            group,
            str(results["pages"][group]),
            share(results["known"][group]),
            share(found),
        ]
        for group, found in sorted(results["unknown"].items())
    ]
    head = ["left out", "pages", "F1, seen on other sites", "F1, never seen"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
