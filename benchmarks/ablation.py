"""The worth of each part of the default algorithm: its scores without the part.

Every row is a cross-validation of three folds by site.  The models are smaller than
the shipped one, so that a row takes minutes: compare the rows with the first.

    python -m benchmarks.ablation wcxb-dev segments-dev [--only ROW ...]

Writes benchmarks/results/ablation.json; prints a table.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from benchmarks.holdout import FOLDS, Sample, scores, small, summary, take, trained
from benchmarks.tables import read_json, share, table, write_json
from scrapy_eatext.algorithms import eatext as algorithm
from scrapy_eatext.learning import tagger as eatext
from scrapy_eatext.learning import words
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.splits import folds, site_of
from scrapy_eatext.tagger import facts
from scrapy_eatext.tagger.context import CHANCE, best_first
from scrapy_eatext.tagger.features import features_with
from scrapy_eatext.tagger.selection import Selection, select

if TYPE_CHECKING:
    from scrapy_eatext.learning.train import Fitted


@dataclass(frozen=True)
class Row:
    """A way to train or to choose without a part.

    ``without`` is a context in which models are trained, and ``sampled`` one in which
    pages are labelled.
    """

    without: Callable[[], AbstractContextManager[Any]] = nullcontext
    sampled: Callable[[], AbstractContextManager[Any]] | None = None
    segments: bool = True


def drop(*starts: str) -> Callable[[], AbstractContextManager[Any]]:
    """Leaves out the features of the first trees whose names have these beginnings."""

    def fewer(flags: int) -> Any:
        # The weight of blocks is needed in other places too.
        return {
            name: line
            for name, line in features_with(flags).items()
            if name == "w" or not name.startswith(starts)
        }

    return lambda: patch.object(eatext, "features_with", fewer)


def no_names(*_: Any, **__: Any) -> tuple[facts.TokenTable, Any]:
    table = facts.no_names()
    return table, table.hashes


def independent(likelihood: Any, w: Any, *_: Any) -> Selection:
    """The choice with the best ratio of expected words, right for independent blocks."""
    order = best_first(likelihood)
    hits = np.cumsum((CHANCE[likelihood] * w)[order])
    worth = 2000 * hits // np.maximum(1000 * np.cumsum(w[order]) + hits[-1], 1)
    lowest = likelihood[order[worth.argmax()]]
    return Selection(likelihood >= lowest, int(worth.max()))


def rounds(
    first: Mapping[str, Any], second: Mapping[str, Any]
) -> Callable[[], AbstractContextManager[Any]]:
    """Trains with other settings of both rounds."""

    def other() -> AbstractContextManager[Any]:
        return patch.multiple(
            eatext,
            FIRST=replace(eatext.FIRST, **first),
            SECOND=replace(eatext.SECOND, **second),
        )

    return other


ALL = "all of it"
ROWS = {
    ALL: Row(),
    "one round: no likelihoods of the blocks around": Row(
        lambda: patch.object(eatext, "FEATURES", {})
    ),
    "no names of elements": Row(lambda: patch.object(words, "learn_names", no_names)),
    "no containers": Row(drop("c1_", "c2_", "c3_", "c4_", "c5_", "in_", "likes")),
    "no neighbours": Row(drop("before", "behind", "window", "since", "to_", "from_")),
    "no blocks alike": Row(drop("way_", "tags_", "copies", "page_way", "page_tags")),
    "nothing of the page as a whole": Row(drop("page_", "place", "words_before")),
    "labels by alignment alone": Row(
        sampled=lambda: patch.object(eatext, "refine", lambda labels, *_: labels)
    ),
    "nothing taken for label noise": Row(
        sampled=lambda: patch.object(
            eatext, "noisy", lambda share, _: np.zeros(len(share), dtype=np.bool_)
        )
    ),
    "every page counts the same": Row(lambda: patch.object(eatext, "_EVENNESS", 0.0)),
    "every page trusted the same": Row(
        lambda: patch.object(eatext, "_TRUSTED_QUANTILE", 1.0)
    ),
    "without the pages of which segments are known": Row(segments=False),
    "trees of 6 questions": Row(rounds({"depth": 6}, {"depth": 6})),
    "half as many trees": Row(rounds({"trees": 60}, {"trees": 80})),
}

# Measured with the models of the first row.
CHOICES = {
    "keeping what is likelier than not": lambda: patch.object(
        algorithm, "select", lambda likelihood, w, *_: select(likelihood, w, least=500)
    ),
    "choosing as if blocks were independent": lambda: patch.object(
        algorithm, "select", independent
    ),
}


def models(row: Row, samples: Sequence[Sample]) -> list[Fitted]:
    """A model for each fold, of the others."""
    places = folds([site_of(page) for page, *_ in samples], FOLDS, 0)
    made = []
    for fold in range(FOLDS):
        seen = [
            s
            for s, at in zip(samples, places, strict=True)
            if at != fold and (row.segments or not s[0].has_segments)
        ]
        with row.without():
            made.append(trained(seen))
    return made


def measure(made: Sequence[Fitted], samples: Sequence[Sample]) -> dict[str, float]:
    """The mean F1 of the pages, and of the segments, by cross-validation."""
    places = folds([site_of(page) for page, *_ in samples], FOLDS, 0)
    found: list[tuple[str, Any]] = []
    for fold, fitted in enumerate(made):
        unseen = [s for s, at in zip(samples, places, strict=True) if at == fold]
        found += [
            ("segments" if page.has_segments else "pages", score)
            for (page, *_), (_, score) in zip(
                unseen, scores(fitted, unseen), strict=True
            )
        ]
    return summary(found)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labelled", help="pages in WCXB's layout")
    parser.add_argument("segments", help="pages with segments")
    parser.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS))
    args = parser.parse_args()
    small()
    pages = [*read_folder(args.labelled).pages, *read_folder(args.segments).pages]
    samples = take(pages)
    results = read_json("ablation")
    # Every row is compared with the first.
    first = [] if ALL in results or ALL in args.only else [ALL]
    for name in [*first, *args.only]:
        row, used = ROWS[name], samples
        if row.sampled:
            with row.sampled():
                used = take(pages)
        made = models(row, used)
        results[name] = measure(made, used)
        if name == ALL:
            for choice, chosen_so in CHOICES.items():
                with chosen_so():
                    results[choice] = measure(made, used)
        print(name, results[name], flush=True)
        write_json("ablation", results)
        write(results)


def write(results: dict[str, dict[str, float]]) -> None:
    """Print the table of all rows, each with its difference from the first."""
    whole = results[ALL]
    rows = [
        [
            name,
            share(found["pages"]),
            _signed(found["pages"] - whole["pages"]),
            share(found["segments"]),
            _signed(found["segments"] - whole["segments"]),
        ]
        for name in (*ROWS, *CHOICES)
        if (found := results.get(name))
    ]
    head = ["", "word F1", "", "segments F1", ""]
    print(table(head, rows))


def _signed(difference: float) -> str:
    return f"{difference:+.3f}".replace("0.", ".", 1)


if __name__ == "__main__":
    main()
