"""The tables of the publications on lines, made again with labelled pages of today.

For the perceptron, its error by lines and attributes; for the density filter, its
error with and without the rule of 60 characters, and with and without the language
models.  Everything is cross-validated over sites.  Writes lines.md and lines.json
into benchmarks/results/, and the tables into docs/algorithms/.

    python -m benchmarks.tables_lines FOLDER [--folds N] [--every N] [--seed N]

FOLDER holds labelled pages, as for `scrapy eatext train`; with --every only each
N-th of them is taken.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.tables import DOCS, RESULTS, fill, share, table, write_json
from scrapy_eatext import __version__
from scrapy_eatext.algorithms.base import UnitList
from scrapy_eatext.algorithms.density import (
    DensityOptions,
    Measured,
    filter_lines,
    measure,
)
from scrapy_eatext.algorithms.ngram import LineModel, load_lines
from scrapy_eatext.algorithms.perceptron import (
    NETWORKS,
    SIZES,
    Lines,
    Scaled,
    block_lines,
)
from scrapy_eatext.learning import DataError, ngram, perceptron
from scrapy_eatext.learning.data import LabelledPage, read_folder
from scrapy_eatext.learning.labels import Labels, label
from scrapy_eatext.learning.splits import folds, site_of
from scrapy_eatext.learning.train import save, silent
from scrapy_eatext.page import Page

THRESHOLDS = {"0.5 - deviation": "stddev", "mean": "mean", "0.5": 0.5}
NOTHING = UnitList([])
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Case:
    """A page's lines, what is true of them, and what the trainers took of the page.

    The page itself is let go: the trees of all of them would fill the memory.
    """

    site: str
    texts: list[str]
    measured: Measured
    lines: Lines
    labels: Labels
    samples: dict[str, Any]


@dataclass
class Tally:
    """What became of the lines of many pages."""

    lines: int = 0
    wrong: int = 0
    kept_in_vain: int = 0
    lost: int = 0
    pages: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0

    def add(self, case: Case, kept: Flags) -> None:
        labels = case.labels
        content = labels.share > 0.5
        self.lines += len(kept)
        self.kept_in_vain += int((kept & ~content).sum())
        self.lost += int((~kept & content).sum())
        found = float((labels.share * labels.words)[kept].sum())
        given = float(labels.words[kept].sum())
        self.pages += 1
        self.precision += found / given if given else 0.0
        self.recall += found / labels.wanted if labels.wanted else 0.0
        total = given + labels.wanted
        self.f1 += 2 * found / total if total else 0.0

    def figures(self) -> dict[str, float]:
        """Shares of all lines, and of words as the mean of pages."""
        lines, pages = max(self.lines, 1), max(self.pages, 1)
        return {
            "error": round((self.kept_in_vain + self.lost) / lines, 4),
            "kept_in_vain": round(self.kept_in_vain / lines, 4),
            "lost": round(self.lost / lines, 4),
            "precision": round(self.precision / pages, 4),
            "recall": round(self.recall / pages, 4),
            "f1": round(self.f1 / pages, 4),
        }


TRAINERS = {"ngram": ngram, "perceptron": perceptron}


def read_cases(pages: Sequence[LabelledPage]) -> list[Case]:
    """The pages that can be learned from."""
    cases = []
    for page in pages:
        try:
            samples = {name: made.sample(page) for name, made in TRAINERS.items()}
        except DataError:
            continue
        blocks = Page.of(page.html, page.url or None)
        texts = [blocks.blocks.text(i) for i in range(len(blocks.blocks))]
        measured = replace(measure(blocks, DensityOptions()), units=NOTHING)
        lines = replace(block_lines(blocks), units=NOTHING)
        labels = label(texts, page.text)
        cases.append(Case(site_of(page), texts, measured, lines, labels, samples))
    return cases


def density_rows(case: Case, model: LineModel) -> Iterator[tuple[str, Flags]]:
    """The ways of the density filter, each with the lines that it keeps."""
    yield "every line", np.ones(len(case.texts), dtype=np.bool_)
    bits, surprise = model.look(case.texts)
    content = (bits + model.bias >= 0) | (surprise > model.strange)
    for shown, threshold in THRESHOLDS.items():
        for least in (0, 60):
            options = DensityOptions(threshold=threshold, min_chars=least)
            _, kept, _ = filter_lines(case.measured, options)
            rule = f", {least} characters" if least else ""
            yield f"density > {shown}{rule}", kept
            yield f"density > {shown}{rule}, language models", kept & content


def perceptron_rows(
    case: Case, arrays: Mapping[str, Any]
) -> Iterator[tuple[str, Flags]]:
    """What the original did without a network, and the eighteen networks."""
    density = case.lines.density
    yield "density > 0.5", density > 0.5
    yield "density > mean", density > (density.mean() if len(density) else 0.0)
    for kind in NETWORKS:
        for lines in SIZES:
            for attributes in SIZES:
                network = Scaled.of(arrays, "blocks", kind, lines, attributes)
                yield f"{kind} {lines}L {attributes}A", network.output(case.lines) > 0.5


def tables(
    cases: Sequence[Case], count: int, seed: int
) -> dict[str, dict[str, dict[str, float]]]:
    """Both tables: by the row's name, its figures."""
    places = folds([case.site for case in cases], count, seed)
    tallies: dict[str, dict[str, Tally]] = {"density": {}, "perceptron": {}}
    for fold in range(count):
        seen = [c for c, place in zip(cases, places, strict=True) if place != fold]
        unseen = [c for c, place in zip(cases, places, strict=True) if place == fold]
        model = _fit_ngram(seen, seed)
        fitted = TRAINERS["perceptron"].fit(
            [case.samples["perceptron"] for case in seen], seed, silent, ["blocks"]
        )
        for case in unseen:
            rows = {
                "density": density_rows(case, model),
                "perceptron": perceptron_rows(case, fitted.arrays),
            }
            for which, judged in rows.items():
                for name, kept in judged:
                    tallies[which].setdefault(name, Tally()).add(case, kept)
        print(f"fold {fold + 1} of {count}", file=sys.stderr, flush=True)
    return {
        which: {name: tally.figures() for name, tally in rows.items()}
        for which, rows in tallies.items()
    }


def _fit_ngram(seen: Sequence[Case], seed: int) -> LineModel:
    samples = [case.samples["ngram"] for case in seen]
    fitted = TRAINERS["ngram"].fit(samples, seed, silent)
    with TemporaryDirectory() as folder:
        return load_lines(str(save("ngram", fitted, folder)))


TITLES = {
    "density": "The density filter, with and without 60 characters and language models",
    "perceptron": "The perceptron, by lines (L) and attributes (A)",
}
# The rows that the docs have; the results have all.
SHOWN = {
    "density": (
        "every line",
        "density > 0.5 - deviation",
        "density > 0.5 - deviation, 60 characters",
        "density > 0.5 - deviation, 60 characters, language models",
    ),
    "perceptron": (
        "density > mean",
        "slp 3L 3A",
        "mlp 1L 1A",
        "mlp 3L 1A",
        "mlp 3L 3A",
    ),
}
HEAD = ["", "error, %", "kept in vain, %", "lost, %", "P", "R", "F1"]


def in_markdown(rows: dict[str, dict[str, float]]) -> str:
    """One of the tables for people."""
    body = []
    for name, figures in rows.items():
        lines = [
            f"{100 * figures[key]:.1f}" for key in ("error", "kept_in_vain", "lost")
        ]
        words = [share(figures[key]) for key in ("precision", "recall", "f1")]
        body.append([name, *lines, *words])
    return table(HEAD, body)


def about(result: dict[str, Any]) -> str:
    """What the figures are."""
    return (
        f"{result['pages']} pages of {result['sites']} sites, each judged by models "
        f"trained on other sites' pages ({result['folds']} folds)."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="The tables on lines, made again.")
    parser.add_argument("folder", help="labelled pages")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--every", type=int, default=1, help="take each N-th page only")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    data = read_folder(arguments.folder)
    cases = read_cases(data.pages[:: arguments.every])
    made = tables(cases, arguments.folds, arguments.seed)
    result: dict[str, Any] = {
        "version": __version__,
        "data": data.name,
        "pages": len(cases),
        "sites": len({case.site for case in cases}),
        "folds": arguments.folds,
        "seed": arguments.seed,
    }
    parts = []
    for name, title in TITLES.items():
        text = in_markdown(made[name])
        parts.append(f"## {title}\n\n{text}\n")
        shown = in_markdown({row: made[name][row] for row in SHOWN[name]})
        fill(DOCS / f"algorithms/{name}.md", name, f"{about(result)}\n\n{shown}")
    (RESULTS / "lines.md").write_text("\n".join([about(result) + "\n", *parts]))
    write_json("lines", {**result, "tables": made})
    print("\n".join(parts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
