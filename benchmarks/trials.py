"""A trial of a change to the default algorithm's learning, cross-validated by site.

Ensembles of a third of the shipped model's work are trained in five folds.  The first
round's likelihoods of all pages are out of fold, and the second round learns from them,
so that two times five ensembles take the place of forty.  The samples are kept in a
folder: where labels or the walk change, take another one.

    python benchmarks/trials.py FOLDER wcxb-dev labelled-dev segments-dev labelled-web \\
        --corrections tools/labels/corrections.json

Prints the word F1 of the chosen blocks by set and kind of page, how blocks' chances and
pages' scores agree with the labels by kind, and writes benchmarks/results/trials.json.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.tables import ENOUGH, RESULTS
from scrapy_eatext.learning import tagger as learning
from scrapy_eatext.learning.corrections import corrected, read_corrections
from scrapy_eatext.learning.data import LabelledPage, joined, read_folder
from scrapy_eatext.learning.names import learn_names
from scrapy_eatext.learning.refinement import bag
from scrapy_eatext.learning.splits import folds
from scrapy_eatext.learning.train import silent, take_samples, trainer
from scrapy_eatext.learning.words import learn_words, tokens_of
from scrapy_eatext.tagger.context import CHANCE, FEATURES
from scrapy_eatext.tagger.facts import TokenTable, weights
from scrapy_eatext.tagger.features import features_with
from scrapy_eatext.tagger.model import Tagger, likelihood_of
from scrapy_eatext.tagger.selection import select
from scrapy_eatext.tagger.trees import NO_TREES, NamedTrees
from scrapy_eatext.tagger.whole import NAMES, page_figures

if TYPE_CHECKING:
    from scrapy_eatext.learning.tagger import Sample

FOLDS = 5
FIRST = replace(learning.FIRST, trees=90, rate=0.2, borders=32)
SECOND = replace(learning.SECOND, trees=120, rate=0.18, borders=32)
# Blocks of a page that are learned from.
BLOCKS = 100
# Chances and labels are compared where so many blocks have about the same chance.
BIN = 200


@dataclass(frozen=True)
class Prepared:
    """The pages, their samples and folds, and the tables of words for each fold."""

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
    tokens = tokens_of(samples)
    _, flagged = learn_names(samples)
    tables = []
    for k in range(FOLDS):
        others = np.flatnonzero(fold != k).tolist()
        seen = [samples[i] for i in others]
        words = learn_words(seen, [tokens[i] for i in others])
        tables.append(replace(learn_names(seen, flagged)[0], words=words))
    made = Prepared(taken.pages, samples, fold, tables)
    folder.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(made))
    return made


def likelihoods(of: Prepared) -> list[Any]:
    """Each page's likelihoods by both rounds, out of fold."""
    augmented = learning.varied(of.samples, 0)
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
    of: Prepared, samples: Any, rows: Any, weighed: Any, how: learning.Rounds
) -> Iterator[Any]:
    """The trees of one round without each fold."""
    names = list(rows[0])
    for k in range(FOLDS):
        others = np.flatnonzero(of.fold != k).tolist()
        weight = np.concatenate([weighed[i] for i in others])
        share = np.concatenate([samples[i].share for i in others])
        matrix = learning.matrix_of(
            [rows[i] for i in others], [weighed[i] for i in others], names
        )
        used = weight > 0
        yield learning.grow(matrix, share[used], weight[used], names, how, k)


def page_scores(of: Prepared, figures: Any, f1: Any) -> Any:
    """The score that each page is given by trees that have not seen its site."""
    scores, even = np.zeros(len(f1)), np.ones(len(f1))
    for k in range(FOLDS):
        seen = of.fold != k
        trees = NamedTrees(
            learning.grow(
                figures[seen], f1[seen], even[seen], NAMES, learning.PAGES, 0, "RMSE"
            ),
            NAMES,
        )
        for i in np.flatnonzero(~seen).tolist():
            scores[i] = int(trees.answers(figures[i])[0]) / trees.scale
    return scores


def order(a: Any, b: Any) -> float:
    """Spearman's correlation."""
    ranks = []
    for values in (a, b):
        _, which, count = np.unique(values, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(count) - (count - 1) / 2)[which])
    return round(float(np.corrcoef(*ranks)[0, 1]), 3)


def apart(chance: Any, content: Any) -> dict[str, float]:
    """How far the share of content is from the chance, by tenths of the chance."""
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
        found = likelihoods(of)
    words = [weights(sample.walk) for sample in of.samples]
    chosen = [select(one, w) for one, w in zip(found, words, strict=True)]
    # Scores are by the data's own texts.
    scored = [
        replace(s, true=bag(p.text)) if p.correction else s
        for p, s in zip(of.pages, of.samples, strict=True)
    ]
    f1 = np.array(
        [learning.score(s, c.kept) for s, c in zip(scored, chosen, strict=True)]
    )
    figures = np.array(
        [
            page_figures(s.walk, one, w, c)
            for s, one, w, c in zip(of.samples, found, words, chosen, strict=True)
        ]
    )
    scores = page_scores(of, figures, f1)
    sets, kinds = (
        np.array([getattr(p, name) for p in of.pages]) for name in ("data", "kind")
    )
    result: dict[str, Any] = {}
    for name in dict.fromkeys(sets.tolist()):
        here = sets == name
        result[name] = {"f1": round(float(f1[here].mean()), 4)} | {
            kind: round(float(f1[here & (kinds == kind)].mean()), 4)
            for kind in sorted(set(kinds[here].tolist()))
            if (here & (kinds == kind)).sum() >= ENOUGH
        }
    # Of pages with segments only some blocks are known, and no kind.
    whole = np.array([s.true is not None for s in of.samples])
    for kind in sorted(set(kinds[whole].tolist())):
        which = np.flatnonzero(whole & (kinds == kind)).tolist()
        share = np.concatenate([of.samples[i].share for i in which])
        chance = CHANCE[np.concatenate([found[i] for i in which])] / 1000
        known = share >= 0
        result[f"kind {kind}"] = {
            "pages": len(which),
            "order of pages": order(scores[which], f1[which]),
            "labels less chances": apart(chance[known], share[known] >= 0.5),
        }
    text = json.dumps(result, indent=1)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "trials.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
