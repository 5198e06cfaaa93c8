"""The tables of the publications on lines, made again with labelled pages of today.

For the perceptron, its error by lines and attributes; for the density filter, its
error with and without the rule of 60 characters, and with and without the language
models.  Everything is cross-validated over sites.  Writes lines.md and lines.json
into benchmarks/results/.

    python benchmarks/tables_lines.py FOLDER [--folds N] [--every N] [--seed N]

FOLDER holds labelled pages, as for `scrapy eatext train`; with --every only each
N-th of them is taken.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import numpy as np
import numpy.typing as npt

from scrapy_eatext import __version__
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
    Networks,
    block_lines,
    network_name,
    networks_from,
)
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.data import LabelledPage, read_folder
from scrapy_eatext.learning.labels import Labels, label
from scrapy_eatext.learning.ngram import NgramTrainer
from scrapy_eatext.learning.perceptron import PerceptronTrainer
from scrapy_eatext.learning.splits import folds, site_of
from scrapy_eatext.learning.train import save, silent
from scrapy_eatext.page import Page

RESULTS = ROOT / "benchmarks" / "results"
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Case:
    """A page with what is true of its lines, and what the trainers took of it."""

    page: LabelledPage
    parsed: Page
    lines: Measured
    labels: Labels
    samples: dict[str, object]


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


TRAINERS = {"ngram": NgramTrainer(), "perceptron": PerceptronTrainer()}


def read_cases(pages: Sequence[LabelledPage]) -> list[Case]:
    """The pages that can be learned from."""
    cases = []
    for page in pages:
        try:
            samples = {name: made.sample(page) for name, made in TRAINERS.items()}
        except DataError:
            continue
        parsed = Page.of(page.html, page.url or None)
        blocks = parsed.blocks
        labels = label([blocks.text(i) for i in range(len(blocks))], page.text)
        lines = measure(parsed, DensityOptions())
        cases.append(Case(page, parsed, lines, labels, samples))
    return cases


def density_judges(model: LineModel) -> Iterator[tuple[str, Callable[[Case], Flags]]]:
    """The ways of the density filter, each with what it is called in the table."""

    def filtered(options: DensityOptions, chars: bool) -> Callable[[Case], Flags]:
        def judge(case: Case) -> Flags:
            kept = filter_lines(case.lines, options).kept
            if chars:
                places = np.flatnonzero(kept)
                texts = [case.lines.units.text(i) for i in places.tolist()]
                kept[places] = model.bits(texts) + model.bias >= 0
            return kept

        return judge

    yield "every line", lambda case: np.ones(len(case.lines.chars), dtype=np.bool_)
    for shown, threshold in (
        ("0.5 - deviation", "stddev"),
        ("mean", "mean"),
        ("0.5", 0.5),
    ):
        for least in (0, 60):
            for chars in (False, True):
                rule = f", {least} characters" if least else ""
                models = ", language models" if chars else ""
                options = DensityOptions(threshold=threshold, min_chars=least)
                yield f"density > {shown}{rule}{models}", filtered(options, chars)


def perceptron_judges(
    networks: Networks,
) -> Iterator[tuple[str, Callable[[Case], Flags]]]:
    """The eighteen networks, and what the original did without one."""

    def judged(kind: str, lines: int, attributes: int) -> Callable[[Case], Flags]:
        network = networks.networks[network_name(kind, lines, attributes)]

        def judge(case: Case) -> Flags:
            inputs = networks.inputs(block_lines(case.parsed), lines, attributes)
            kept: Flags = network.output(inputs) > 0.5
            return kept

        return judge

    yield "density > 0.5", lambda case: block_lines(case.parsed).density > 0.5
    yield "density > mean", _above_mean
    for kind in NETWORKS:
        for lines in SIZES:
            for attributes in SIZES:
                name = f"{kind} {lines}L {attributes}A"
                yield name, judged(kind, lines, attributes)


def _above_mean(case: Case) -> Flags:
    density = block_lines(case.parsed).density
    above: Flags = density > (density.mean() if len(density) else 0.0)
    return above


def tables(
    cases: Sequence[Case], count: int, seed: int
) -> dict[str, dict[str, dict[str, float]]]:
    """Both tables: by the row's name, its figures."""
    places = folds([site_of(case.page) for case in cases], count, seed)
    tallies: dict[str, dict[str, Tally]] = {"density": {}, "perceptron": {}}
    for fold in range(count):
        seen = [c for c, place in zip(cases, places, strict=True) if place != fold]
        unseen = [c for c, place in zip(cases, places, strict=True) if place == fold]
        model = _fit_ngram(seen, seed)
        fitted = TRAINERS["perceptron"].fit(
            [case.samples["perceptron"] for case in seen], seed, silent, ["blocks"]
        )[0]
        networks = networks_from(fitted.arrays, "blocks")
        judges = {
            "density": density_judges(model),
            "perceptron": perceptron_judges(networks),
        }
        for table, rows in judges.items():
            for name, judge in rows:
                tally = tallies[table].setdefault(name, Tally())
                for case in unseen:
                    tally.add(case, judge(case))
        print(f"fold {fold + 1} of {count}", file=sys.stderr, flush=True)
    return {
        table: {name: tally.figures() for name, tally in rows.items()}
        for table, rows in tallies.items()
    }


def _fit_ngram(seen: Sequence[Case], seed: int) -> LineModel:
    samples = [case.samples["ngram"] for case in seen]
    fitted = TRAINERS["ngram"].fit(samples, seed, silent)[0]
    with TemporaryDirectory() as folder:
        return load_lines(str(save("ngram", fitted, folder)))


TITLES = {
    "density": "The density filter, with and without 60 characters and language models",
    "perceptron": "The perceptron, by lines (L) and attributes (A)",
}


def markdown(
    result: dict[str, object], made: dict[str, dict[str, dict[str, float]]]
) -> str:
    """The tables for people."""
    about = (
        f"{result['pages']} pages of {result['data']}, cross-validated over "
        f"{result['sites']} sites in {result['folds']} folds. A line is a block of the "
        "page; it is content if more than half of its words are in the true text. "
        "The error is the share of lines that are judged wrongly, and the sum of the "
        "two columns after it. Words are the mean of pages."
    )
    written = "<!-- Written by benchmarks/tables_lines.py; do not edit by hand. -->"
    parts = [written, about]
    for table, rows in made.items():
        head = "| | error | kept in vain | lost | precision | recall | word F1 |"
        lines = [f"## {TITLES[table]}", "", head, "|---|" + "--:|" * 6]
        for name, figures in rows.items():
            shares = [
                f"{100 * figures[k]:.1f} %" for k in ("error", "kept_in_vain", "lost")
            ]
            words = [f"{figures[k]:.3f}" for k in ("precision", "recall", "f1")]
            lines.append(f"| {name} | " + " | ".join(shares + words) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


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
    result: dict[str, object] = {
        "version": __version__,
        "data": data.name,
        "pages": len(cases),
        "sites": len({site_of(case.page) for case in cases}),
        "folds": arguments.folds,
        "seed": arguments.seed,
    }
    text = markdown(result, made)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "lines.md").write_text(text)
    (RESULTS / "lines.json").write_text(
        json.dumps({**result, "tables": made}, indent=2) + "\n"
    )
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
