"""A trial of a change to the default algorithm's learning, cross-validated by site.

Ensembles of a third of the shipped model's work are trained in five folds.  The first
round's likelihoods of all pages are out of fold, and the second round learns from them,
so that two times five ensembles take the place of forty.  The samples are kept in a
folder: where labels or the walk change, take another one.

    python -m benchmarks.trials FOLDER wcxb-dev labelled-dev segments-dev labelled-web \\
        --corrections tools/labels/corrections.json

Writes into docs/algorithms/eatext.md and benchmarks/results/trials.json the word F1 of
the chosen blocks by set and kind of page, and how far blocks' chances are off, before
and after they are calibrated by kind, and how pages' scores order them by their F1; and
what it adds to the mean F1, in points, if pages of sparse kinds have no text where all
blocks have a lower chance than a limit.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from benchmarks.tables import DOCS, ENOUGH, fill, share, table, write_json
from scrapy_eatext.algorithms.eatext import is_without_text
from scrapy_eatext.learning import tagger as learning
from scrapy_eatext.learning.corrections import corrected, read_corrections
from scrapy_eatext.learning.data import LabelledPage, joined, read_folder
from scrapy_eatext.learning.refinement import bag
from scrapy_eatext.learning.splits import folds
from scrapy_eatext.learning.train import silent, take_samples, trainer
from scrapy_eatext.learning.trees import Rounds, grow
from scrapy_eatext.learning.words import learn_tables, votes_of_names
from scrapy_eatext.tagger.context import CHANCE, FEATURES
from scrapy_eatext.tagger.facts import TokenTable, weights
from scrapy_eatext.tagger.features import features_with
from scrapy_eatext.tagger.kinds import calibrated
from scrapy_eatext.tagger.model import Tagger, likelihood_of
from scrapy_eatext.tagger.trees import NO_TREES, NamedTrees
from scrapy_eatext.tagger.whole import NAMES, score_of

if TYPE_CHECKING:
    from scrapy_eatext.learning.tagger import Sample

FOLDS = 5
FIRST = replace(learning.FIRST, trees=90, rate=0.2, borders=32)
SECOND = replace(learning.SECOND, trees=120, rate=0.18, borders=32)
# Blocks of a page that are learned from.
BLOCKS = 100
# The limits that are tried, in thousandths.
LIMITS = (200, 250, 300, 350, 400, 500)
# Chances and labels are compared where so many blocks have about the same chance.
BIN = 200


@dataclass(frozen=True)
class Prepared:
    """The pages, their samples and folds, and the table of names without each fold."""

    pages: Sequence[LabelledPage]
    samples: Sequence[Sample]
    fold: Any
    tables: Sequence[TokenTable]


def prepared(folder: Path, sets: Sequence[str], corrections: str) -> Prepared:
    """The samples, which a second run finds in the folder."""
    kept = folder / "samples.pickle"
    if kept.exists():
        found: Prepared = pickle.loads(kept.read_bytes())
        return found
    data = joined([read_folder(name).named(Path(name).name, "") for name in sets])
    if corrections:
        data = corrected(data, read_corrections(corrections))
    taken = take_samples(trainer("eatext"), data.pages, skip=True, progress=silent)
    samples = taken.data
    fold = np.array(folds([sample.site for sample in samples], FOLDS, 0))
    _, tables = learn_tables(samples, learning.weights_of_names(samples), fold)
    made = Prepared(taken.pages, samples, fold, tables)
    folder.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(made))
    return made


def likelihoods(of: Prepared) -> list[Any]:
    """Each page's likelihoods by both rounds, out of fold."""
    augmented = learning.some_augmented(of.samples, 0)
    taggers = [Tagger(one, NO_TREES, NO_TREES) for one in of.tables]
    own = list(features_with(min(one.flags for one in of.tables)))

    def features(i: int, sample: Sample, found: Any = None) -> dict[str, Any]:
        names = own if found is None else FEATURES
        rows = taggers[of.fold[i]].features(sample.walk, names, found)
        return {name: row.astype(np.int32) for name, row in rows.items()}

    seen = [features(i, sample) for i, sample in enumerate(augmented)]
    as_is = [features(i, sample) for i, sample in enumerate(of.samples)]
    weighed = learning.block_weights(augmented, as_is, 0)
    for how in (FIRST, SECOND):
        trees = list(_grown(of, augmented, seen, weighed, how))
        found, plain = (
            [likelihood_of(trees[k], row) for k, row in zip(of.fold, rows, strict=True)]
            for rows in (seen, as_is)
        )
        if how is FIRST:
            weighed = learning.trusted(augmented, weighed, found)
            for i, sample in enumerate(of.samples):
                seen[i] |= features(i, augmented[i], found[i])
                as_is[i] |= features(i, sample, plain[i])
    return plain


def _grown(
    of: Prepared, samples: Any, rows: Any, weighed: Any, how: Rounds
) -> Iterator[Any]:
    """The trees of one round without each fold."""
    names = list(rows[0])
    for k in range(FOLDS):
        others = np.flatnonzero(of.fold != k).tolist()
        parts = (
            [of_pages[i] for i in others]
            for of_pages in (rows, [sample.share for sample in samples], weighed)
        )
        yield grow(*learning.examples(*parts, names), names, how, k)


def calibrated_pages(of: Prepared, found: Sequence[Any], words: Sequence[Any]) -> Any:
    """The likelihoods and kinds' votes of pages, by parts that have not seen their site."""
    figures, _ = learning.chosen_pages(of.samples, words, found)
    kinds = learning.kind_names(of.samples)
    figures = np.hstack([figures, votes_of_names(of.samples, of.tables, of.fold)])
    trees = learning.kind_trees(of.samples, figures, of.fold, FOLDS, 0)
    shares = learning.kind_votes(trees, of.fold, figures, kinds)
    lines = []
    for k in range(FOLDS):
        seen = np.flatnonzero(of.fold != k).tolist()
        parts = ([row[i] for i in seen] for row in (of.samples, words, found, shares))
        lines.append(learning.calibration_lines(*parts))
    likelihoods = [
        calibrated(one, share, lines[k])
        for one, share, k in zip(found, shares, of.fold, strict=True)
    ]
    return likelihoods, shares


def emptied(of: Prepared, found: Any, words: Any, votes: Any, limit: int) -> Any:
    """The pages of sparse kinds on which no block has a chance of at least a limit."""
    kinds = learning.kind_names(of.samples)
    return np.array(
        [
            is_without_text(kinds[int(np.argmax(vote))], w, CHANCE[likelihood], limit)
            for likelihood, w, vote in zip(found, words, votes, strict=True)
        ]
    )


def page_scores(of: Prepared, figures: Any, f1: Any) -> Any:
    """The score that each page is given by trees that have not seen its site."""
    scores = np.zeros(len(f1))
    for k in range(FOLDS):
        seen = of.fold != k
        trees = NamedTrees(learning.quality_trees(figures[seen], f1[seen], 0), NAMES)
        for i in np.flatnonzero(~seen).tolist():
            scores[i] = score_of(int(trees.answers(figures[i])[0]) / trees.scale)
    return scores


def order(a: Any, b: Any) -> float:
    """Spearman's correlation."""
    ranks = []
    for values in (a, b):
        _, which, count = np.unique(values, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(count) - (count - 1) / 2)[which])
    return round(float(np.corrcoef(*ranks)[0, 1]), 3)


def calibration_error(chance: Any, content: Any) -> dict[str, float]:
    """The share of content less the chance, by tenths of the chance."""
    found = {}
    for k in range(10):
        here = (chance >= k / 10) & (chance < (k + 1) / 10 + (k == 9))
        if here.sum() >= BIN:
            far = content[here].mean() - chance[here].mean()
            found[f"{k / 10:.1f}"] = round(float(far), 3)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="A trial of another way to learn.")
    parser.add_argument("folder", type=Path, help="a folder for the samples")
    parser.add_argument("sets", nargs="+", help="sets of labelled pages")
    parser.add_argument("--corrections", default="", help="labels read once more")
    arguments = parser.parse_args()
    of = prepared(arguments.folder, arguments.sets, arguments.corrections)
    with patch.object(learning, "_BLOCKS", BLOCKS):
        raw = likelihoods(of)
    words = [weights(sample.walk) for sample in of.samples]
    found, votes = calibrated_pages(of, raw, words)
    # Scores are by the data's own texts.
    scored = [
        replace(s, true=bag(p.text)) if p.correction else s
        for p, s in zip(of.pages, of.samples, strict=True)
    ]
    before = learning.chosen_pages(scored, words, raw)[1]
    figures, f1 = learning.chosen_pages(scored, words, found)
    scores = page_scores(of, figures, f1)
    sets, kinds = (
        np.array([getattr(p, name) for p in of.pages]) for name in ("data", "kind")
    )
    names = list(dict.fromkeys(sets.tolist()))
    # Of pages with segments only some blocks are known, and no kind.
    whole = np.array([s.true is not None for s in of.samples])
    result: dict[str, Any] = {"all": {"f1": means(names, sets, before, f1)}}
    for kind in sorted(set(kinds[whole].tolist())):
        here = whole & (kinds == kind)
        which = np.flatnonzero(here).tolist()
        known = np.concatenate([of.samples[i].share for i in which])
        known, content = known >= 0, known >= 0.5
        result[kind] = {
            "pages": len(which),
            "f1": means(names, np.where(here, sets, ""), before, f1),
            "order of pages": order(scores[which], f1[which]),
            "score less F1": round(float((scores[which] - f1[which]).mean()), 3),
            "labels less chances": [
                calibration_error(
                    CHANCE[np.concatenate([one[i] for i in which])][known] / 1000,
                    content[known],
                )
                for one in (raw, found)
            ],
        }
    # An empty text is right where the true one is empty.
    right = np.array([s.true is not None and not s.true for s in scored])
    lines = []
    for limit in LIMITS:
        of_limit = emptied(of, found, words, votes, limit)
        gain = np.where(of_limit, right - f1, 0.0)
        lines.append(
            [
                f"{limit / 1000:.2f}",
                *(
                    f"{100 * gain[sets == name].mean():+.2f}"
                    f" ({(of_limit & (sets == name)).sum()})"
                    for name in names
                ),
            ]
        )
    fill(DOCS / "algorithms" / "eatext.md", "limits", table(["limit", *names], lines))
    write_json("trials", result)
    rows = [
        [
            name,
            *(" → ".join(map(share, part["f1"].get(of_set, []))) for of_set in names),
            " → ".join(map(mean_of, part.get("labels less chances", []))),
            share(part["order of pages"]) if "order of pages" in part else "",
        ]
        for name, part in result.items()
    ]
    found_table = table(["pages", *names, "chances off", "order"], rows)
    print(found_table)
    fill(DOCS / "algorithms" / "eatext.md", "trial", found_table)


def means(names: Sequence[str], sets: Any, *f1: Any) -> dict[str, list[float]]:
    """The mean of each F1 on each set with enough pages."""
    return {
        name: [round(float(one[sets == name].mean()), 4) for one in f1]
        for name in names
        if (sets == name).sum() >= ENOUGH
    }


def mean_of(bins: dict[str, float]) -> str:
    """How far chances are off in the mean of the bins."""
    return share(float(np.abs(list(bins.values())).mean()))


if __name__ == "__main__":
    main()
