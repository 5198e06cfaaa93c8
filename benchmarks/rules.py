"""The worth of each rule after the default algorithm's trees, by set and kind of page.

Models are trained as the shipped one is, in five folds by site, and kept in a folder, so
that a second run has them.  Each page is judged by the model that has not seen its site,
with all rules, and once without each rule.  Pages of further sets, which nothing was
trained on, are judged by the shipped model.  A figure is what the rule adds to the mean
word F1, in points (hundredths), and in brackets on how many pages it is better and
worse; kinds are listed where it makes a difference of a point.

    python -m benchmarks.rules MODELS wcxb-dev labelled-dev segments-dev --unseen labelled-web

Writes benchmarks/results/rules.json and a table into docs/algorithms/eatext.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.tables import DOCS, ENOUGH, fill, table, write_json
from scrapy_eatext.algorithms import eatext, get_algorithm
from scrapy_eatext.learning.data import LabelledPage, joined, read_folder
from scrapy_eatext.learning.evaluate import SegmentCounts, segment_counts, word_score
from scrapy_eatext.learning.splits import folds, site_of
from scrapy_eatext.learning.train import held_out, save, silent, take_samples, trainer
from scrapy_eatext.page import Page
from scrapy_eatext.rendering import render

FOLDS, SEED = 5, 0
# Kinds of page are listed where a rule makes this difference to their mean F1, in points.
LEAST = 1.0

_Patch = Callable[[], AbstractContextManager[Any]]


def table_without(name: str, reason: str) -> _Patch:
    """A table of rules without one of them."""
    rules = {k: rule for k, rule in getattr(eatext, name).items() if k != reason}
    return partial(patch.object, eatext, name, rules)


def off(name: str, value: object) -> _Patch:
    """A name of the algorithm's module with another value."""
    return partial(patch.object, eatext, name, value)


RULES: dict[str, _Patch] = {
    **{
        reason: table_without(name, reason)
        for name in ("BEFORE", "AFTER")
        for reason in getattr(eatext, name)
    },
    "tables are kept whole": off("whole_tables", lambda walk, kept, w: kept),
    "a page without a likely block is empty": off("_UNLIKELY", 0),
    "text in the data instead of few words": off("_FEW", 0),
}


def text_of(page: Page, model: str) -> str:
    algorithm = get_algorithm("eatext", {"model": model} if model else None)
    return render(algorithm.judge(page), page, "eatext", algorithm.version).text


def judged(
    page: LabelledPage, model: str
) -> tuple[str, dict[str, float | SegmentCounts]]:
    """A page's score with all rules (""), and without each rule that changes its text."""

    def score(text: str) -> float | SegmentCounts:
        if page.has_segments:
            return segment_counts(text, page)
        return word_score(text, page.text).f1

    whole = text_of(Page.of(page.html, page.url or None), model)
    found: dict[str, float | SegmentCounts] = {"": score(whole)}
    for name, without in RULES.items():
        with without():
            text = text_of(Page.of(page.html, page.url or None), model)
        if text != whole:
            found[name] = score(text)
    return page.kind, found


def fold_models(
    folder: Path, sets: Sequence[str]
) -> Iterator[tuple[str, LabelledPage]]:
    """Each page of the sets with the model that has not seen its site."""
    data = joined([read_folder(name) for name in sets])
    paths = [folder / f"fold{i}" / "eatext.model" for i in range(FOLDS)]
    if not all(path.exists() for path in paths):
        made = trainer("eatext")
        samples = take_samples(made, data.pages, skip=True, progress=silent)
        parts = held_out(data.pages, samples, SEED, FOLDS)
        for path, (training, _) in zip(paths, parts, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            save("eatext", made.fit(training, SEED, silent), path.parent)
            print(f"trained {path}", flush=True)
    places = folds([site_of(page) for page in data.pages], FOLDS, SEED)
    for page, place in zip(data.pages, places, strict=True):
        yield str(paths[place]), page


def mean(scores: Sequence[float | SegmentCounts]) -> float:
    """The mean F1 of pages, or the F1 over all pages if segments are known."""
    counts = [one for one in scores if isinstance(one, SegmentCounts)]
    if counts:
        return sum(counts, SegmentCounts()).score().f1
    return sum(one for one in scores if not isinstance(one, SegmentCounts)) / len(
        scores
    )


def gain(rows: Sequence[dict[str, float | SegmentCounts]], name: str) -> dict[str, Any]:
    """The points that a rule adds to the mean F1, and the pages better and worse."""
    pairs = [(row[""], row.get(name, row[""])) for row in rows]
    each = [
        (a.score().f1, b.score().f1) if isinstance(a, SegmentCounts) else (a, b)
        for a, b in pairs
    ]
    with_it, without = (mean(list(side)) for side in zip(*pairs, strict=True))
    return {
        "points": round(100 * (with_it - without), 3),
        "better": sum(a > b for a, b in each),
        "worse": sum(a < b for a, b in each),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="The worth of rules after the trees.")
    parser.add_argument("models", type=Path, help="a folder for the models of folds")
    parser.add_argument("sets", nargs="+", help="sets that models are trained on")
    parser.add_argument("--unseen", action="append", default=[], help="further sets")
    arguments = parser.parse_args()
    files = {name: Path(name).name for name in arguments.sets}
    rows: dict[str, list[tuple[str, dict[str, float | SegmentCounts]]]] = {}
    with ExitStack():
        for model, page in fold_models(arguments.models, arguments.sets):
            name = next(n for folder, n in files.items() if folder in str(page.file))
            rows.setdefault(name, []).append(judged(page, model))
        for folder in arguments.unseen:
            pages = read_folder(folder).pages
            rows[Path(folder).name] = [judged(page, "") for page in pages]
    result = {
        name: {
            "pages": len(found),
            "f1": round(mean([scores[""] for _, scores in found]), 4),
            "rules": {
                rule: gain([s for _, s in found], rule)
                | {
                    "kinds": {
                        kind: of_kind
                        for kind in sorted({kind for kind, _ in found})
                        if len(chosen := [s for k, s in found if k == kind]) >= ENOUGH
                        and abs((of_kind := gain(chosen, rule))["points"]) >= LEAST
                    }
                }
                for rule in RULES
            },
        }
        for name, found in rows.items()
    }
    write_json("rules", result)
    lines = []
    for rule in RULES:
        cells, kinds = [], []
        for name, of_set in result.items():
            one = of_set["rules"][rule]
            cells.append(f"{one['points']:+.2f} ({one['better']}, {one['worse']})")
            kinds += [
                f"{kind} of {name} {value['points']:+.1f}"
                for kind, value in one["kinds"].items()
            ]
        lines.append([rule, *cells, "; ".join(kinds)])
    text = table(["rule", *result, "kinds of page"], lines)
    print(text)
    fill(DOCS / "algorithms" / "eatext.md", "rules", text)


if __name__ == "__main__":
    main()
