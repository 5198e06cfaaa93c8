"""Every algorithm, and other extractors, on the same pages in one run.

Quality is measured on a folder of labelled pages (WCXB's layout) by words, and
on one of segments.  Algorithms that are trained are cross-validated: the pages
are split by site, and each is judged by models that have not seen its site.  On
the segments, which have pages of other sites, the shipped models are used.  An
algorithm that learns from segments too has the scores of its model's card, from
cross-validation over both sets.  Cost
is the processor's time for a page, from bytes to text, beside that of lxml's bare
parse; all extractors take their turn on each page.

    python benchmarks/compare.py wcxb-dev segments-dev [--only NAME ...]

Writes benchmarks/results/compare.json, and the tables into docs/comparison.md.
With --only the rest of the figures stay as they were.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import platform
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# One thread each, for times that can be compared; numpy asks when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from lxml import etree

from benchmarks.peers import PEERS, Extractor
from benchmarks.tables import write_tables
from scrapy_eatext import __version__, extract
from scrapy_eatext.algorithms import REGISTRY
from scrapy_eatext.algorithms.modelfile import SHIPPED
from scrapy_eatext.algorithms.perceptron import PerceptronOptions
from scrapy_eatext.learning.data import LabelledPage, read_folder
from scrapy_eatext.learning.evaluate import (
    Score,
    evaluate_segments,
    report,
    rounded,
    word_score,
)
from scrapy_eatext.learning.train import (
    TRAINERS,
    held_out,
    silent,
    take_samples,
    temporary,
    trainer,
)
from scrapy_eatext.page.decode import decode

RESULTS = ROOT / "benchmarks" / "results" / "compare.json"
FOLDS = 5


def own(name: str) -> Extractor:
    """One of the project's algorithms."""
    return lambda html, url: extract(html, url=url or None, algorithm=name).text


def available() -> dict[str, tuple[str, Extractor]]:
    """All extractors that can be run here, with their versions."""
    found = {name: (__version__, own(name)) for name in sorted(REGISTRY)}
    for name, (package, load) in PEERS.items():
        if find_spec(package.replace("-", "_")) or find_spec(package.split("-")[0]):
            found[name] = (version(package), load())
        else:
            print(f"{name} is left out: {package} is not installed", file=sys.stderr)
    return found


Rows = list[tuple[str, Score]]


def score(
    run: Callable[[LabelledPage], str], pages: Sequence[LabelledPage], rows: Rows
) -> int:
    """Add a row for each page; how often the extractor raised."""
    errors = 0
    for page in pages:
        try:
            text = run(page)
        except Exception:  # noqa: BLE001 - a page without text
            text = ""
            errors += 1
        rows.append((page.kind, word_score(text, page.text)))
    return errors


def plainly(extractor: Extractor) -> Callable[[LabelledPage], str]:
    return lambda page: extractor(page.html, page.url)


def defaults(items: Sequence[Any], label: str) -> Sequence[Any]:
    """A progress that goes no further than to the models used by default.

    The others are in the same file, but would take most of the time.
    """
    if label == "networks":
        options = PerceptronOptions()
        return [(options.network, options.lines, options.attributes)]
    if label.endswith("blocks"):
        return items[-1:] if label == "content, page blocks" else ()
    return items


def quality(
    name: str, extractor: Extractor, pages: Sequence[LabelledPage]
) -> dict[str, object]:
    """Scores on the labelled pages, for a trained algorithm by cross-validation."""
    rows: Rows = []
    errors = 0
    if name not in TRAINERS:
        errors = score(plainly(extractor), pages, rows)
    else:
        made = trainer(name)
        samples = take_samples(made, pages, skip=True, progress=silent)
        for seen, unseen in held_out(pages, samples, 0, FOLDS):
            fitted = made.fit(seen, 0, defaults)
            model = next(m for m in fitted if m.truth == "text")
            with temporary(name, model) as run:
                errors += score(lambda page, run=run: run(page).text, unseen, rows)
    return {**report(rows).figures(), "errors": errors, "trained": name in TRAINERS}


def card(name: str) -> dict[str, Any]:
    """The card of an algorithm's shipped model."""
    found: dict[str, Any] = json.loads((SHIPPED / f"{name}.json").read_text("utf-8"))
    return found


def parse(html: bytes) -> object:
    parser = etree.HTMLParser(huge_tree=True, encoding="utf-8")
    return etree.fromstring(html, parser)


def cost(
    extractors: dict[str, tuple[str, Extractor]], pages: Sequence[LabelledPage]
) -> tuple[dict[str, dict[str, float]], float]:
    """Milliseconds a page and multiples of the parse, all in turn on each page."""
    spent: dict[str, list[float]] = {name: [] for name in extractors}
    parses: list[float] = []
    for number, page in enumerate([*pages[:3], *pages]):
        html, url = page.html, page.url
        source = decode(html)[1].encode("utf-8", "replace")
        start = time.process_time()
        parse(source)
        took = time.process_time() - start
        # The first three pages only warm up.
        if number >= 3:
            parses.append(took)
        for name, (_, extractor) in extractors.items():
            start = time.process_time()
            with suppress(Exception):  # counted where quality is measured
                extractor(html, url)
            took = time.process_time() - start
            if number >= 3:
                spent[name].append(took)
    figures = {
        name: {
            "ms": round(statistics.mean(times) * 1e3, 3),
            "parses": round(sum(times) / sum(parses), 2),
            "median parses": round(
                statistics.median(
                    t / p for t, p in zip(times, parses, strict=True) if p
                ),
                2,
            ),
        }
        for name, times in spent.items()
    }
    return figures, statistics.mean(parses) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labelled", help="pages in WCXB's layout")
    parser.add_argument("segments", help="pages with segments")
    parser.add_argument("--only", nargs="+", help="some of the extractors")
    parser.add_argument("--timed", type=int, default=200, help="pages to time on")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")

    labelled = read_folder(args.labelled)
    segments = read_folder(args.segments)
    everything = available()
    chosen = {
        name: found
        for name, found in everything.items()
        if not args.only or name in args.only
    }
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.is_file() else {}
    rows = results.setdefault("extractors", {})
    results["data"] = {
        "labelled": {"pages": len(labelled.pages), "kinds": labelled.kinds()},
        "segments": {"pages": len(segments.pages)},
        "folds": FOLDS,
    }
    results["machine"] = {
        "python": platform.python_version(),
        "lxml": ".".join(map(str, etree.LXML_VERSION)),
    }
    for name, (release, extractor) in chosen.items():
        start = time.perf_counter()
        if name in TRAINERS and trainer(name).segments:
            row = {**card(name)["scores"], "errors": 0, "trained": True}
        else:
            row = quality(name, extractor, labelled.pages)
            found, errors = evaluate_segments(plainly(extractor), segments.pages)
            row["segments"] = {**rounded(found), "errors": len(errors)}
        row["version"] = release
        row["own"] = name in REGISTRY
        if name in rows and "cost" in rows[name]:
            row["cost"] = rows[name]["cost"]
        rows[name] = row
        took = time.perf_counter() - start
        line = f"{name:26} F1 {row['mean']['f1']:.3f}, segments {row['segments']['f1']:.3f}"
        print(f"{line}  ({took:.0f} s)", flush=True)
        save(results)
    timed = list(labelled.pages)
    random.Random(0).shuffle(timed)
    # All of them, chosen or not: only what is timed together can be compared.
    costs, parsed = cost(everything, timed[: args.timed])
    results["timed"] = {
        "pages": min(args.timed, len(timed)),
        "parse ms": round(parsed, 3),
    }
    for name, figures in costs.items():
        if name in rows:
            rows[name]["cost"] = figures
    save(results)
    write_tables(results)


def save(results: object) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    text = json.dumps(results, indent=1, sort_keys=True, ensure_ascii=False)
    RESULTS.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
