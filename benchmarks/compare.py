"""Every algorithm, and other extractors, on the same pages in one run.

Quality is measured by words on three folders of labelled pages in WCXB's layout, and by
segments on the third of four.  Algorithms that are trained have the scores of their models' cards,
from cross-validation: the pages are split by site, and each is judged by models that
have not seen its site.  On data that an algorithm has not learned from, its shipped
model is used.  Cost is the processor's time for a page of the first folder, from bytes
to text, beside that of lxml's bare parse; all extractors take their turn on each page.

    python -m benchmarks.compare wcxb-dev labelled-dev segments-dev labelled-web \
        [--only NAME ...] [--data NUMBER ...]

Writes benchmarks/results/compare.json, and the tables into docs/comparison.md.
With --only or --data the rest of the figures stay as they were; with --data, times too.
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
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

# One thread each, for times that can be compared; numpy reads it when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from lxml import etree

from benchmarks.clock import bare_parse, source_of
from benchmarks.peers import PEERS, Extractor
from benchmarks.tables import DATA, read_json, write_json, write_tables
from scrapy_eatext import MainText, __version__, extract
from scrapy_eatext.algorithms import REGISTRY
from scrapy_eatext.algorithms.modelfile import SHIPPED
from scrapy_eatext.learning.data import LabelledPage, read_folder
from scrapy_eatext.learning.evaluate import Judged, figures, groups
from scrapy_eatext.learning.train import TRAINERS


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


def quality(extractor: Extractor, pages: Sequence[LabelledPage]) -> dict[str, Any]:
    """Scores of an extractor's texts; where it raises it has found nothing."""
    judged, errors = [], 0
    for page in pages:
        try:
            text = extractor(page.html, page.url)
        except Exception:  # noqa: BLE001
            text = ""
            errors += 1
        judged.append(Judged.of(page, MainText(text=text)))
    found = figures(judged)
    del found["calibration"]  # other extractors give no score
    return {**found, "errors": errors}


def learned_from(name: str) -> dict[str, Any]:
    """The cross-validated scores on each of the data that an algorithm learned from."""
    if name not in TRAINERS:
        return {}
    card = json.loads((SHIPPED / f"{name}.json").read_text("utf-8"))
    scores = card["scores"]
    found: dict[str, Any] = scores.get("data", {DATA[0]: scores})
    return found


def cost(
    extractors: dict[str, tuple[str, Extractor]], pages: Sequence[LabelledPage]
) -> tuple[dict[str, dict[str, float]], float]:
    """Milliseconds a page and multiples of the parse, all in turn on each page."""
    spent: dict[str, list[float]] = {name: [] for name in extractors}
    parses: list[float] = []
    for number, page in enumerate([*pages[:3], *pages]):
        html, url = page.html, page.url
        source = source_of(html)
        start = time.process_time()
        bare_parse(source)
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
    costs = {
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
    return costs, statistics.mean(parses) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs=len(DATA), help="the data, in this order")
    parser.add_argument("--only", nargs="+", help="some of the extractors")
    parser.add_argument(
        "--data", nargs="+", type=int, help="some of the folders, counted from 1"
    )
    parser.add_argument("--timed", type=int, default=200, help="pages to time on")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")

    data = {
        name: read_folder(folder).named(name, "")
        for name, folder in zip(DATA, args.folders, strict=True)
    }
    measured = set(DATA)
    if args.data:
        measured = {DATA[number - 1] for number in args.data}
    everything = available()
    results = read_json("compare")
    rows = results.setdefault("extractors", {})
    results["data"] = {
        name: {
            "pages": len(found.pages),
            "kinds": found.kinds(),
            "groups": Counter(g for page in found.pages for g in groups(page)),
        }
        for name, found in data.items()
    }
    results["machine"] = {
        "python": platform.python_version(),
        "lxml": ".".join(map(str, etree.LXML_VERSION)),
    }
    for name, (release, extractor) in everything.items():
        if args.only and name not in args.only:
            continue
        start = time.perf_counter()
        known = learned_from(name)
        rows[name] = {
            "version": release,
            "own": name in REGISTRY,
            "data": rows.get(name, {}).get("data", {})
            | {
                part: known[part] if part in known else quality(extractor, found.pages)
                for part, found in data.items()
                if part in measured or part in known
            },
            "learned from": sorted(known),
            "cost": rows.get(name, {}).get("cost", {}),
        }
        print(f"{name:26} {time.perf_counter() - start:.0f} s", flush=True)
        write_json("compare", results)
    if args.data:
        write_tables(results)
        return
    timed = list(data[DATA[0]].pages)
    random.Random(0).shuffle(timed)
    # All of them, chosen or not: only what is timed together can be compared.
    costs, parsed = cost(everything, timed[: args.timed])
    results["timed"] = {
        "pages": min(args.timed, len(timed)),
        "parse ms": round(parsed, 3),
    }
    for name, found in costs.items():
        if name in rows:
            rows[name]["cost"] = found
    write_json("compare", results)
    write_tables(results)


if __name__ == "__main__":
    main()
