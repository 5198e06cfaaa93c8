"""`scrapy eatext evaluate`: how well an algorithm does on labelled pages."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from scrapy_eatext.algorithms import DEFAULT, REGISTRY, get_algorithm
from scrapy_eatext.algorithms.modelfile import SHIPPED, ModelError, load_card
from scrapy_eatext.execution.choice import options_from
from scrapy_eatext.extraction import extract
from scrapy_eatext.learning import DataError, bar
from scrapy_eatext.learning.data import Dataset, LabelledPage, read_folder
from scrapy_eatext.learning.evaluate import evaluate

ERRORS = (DataError, ModelError, ImportError, OSError)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = "Score an algorithm on labelled pages."
    parser.add_argument(
        "folder", help="labelled pages: WCXB's layout, segments, or your own"
    )
    known = ", ".join(sorted(REGISTRY))
    parser.add_argument(
        "-a",
        "--algorithm",
        default=DEFAULT,
        metavar="NAME",
        help=f"one of {known}, or the path of a class (default: {DEFAULT})",
    )
    parser.add_argument(
        "--options",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the algorithm; a value that is JSON is read as such",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: Namespace, command: object) -> int:
    """Print the scores of one algorithm on labelled pages."""
    data = read_folder(args.folder)
    options = options_from(args.options, "--options")
    # Report wrong options once, and not page by page.
    get_algorithm(args.algorithm, options)
    known, source = _known(data, args.algorithm, options)

    def text_of(page: LabelledPage) -> str:
        url = page.url or None
        return extract(
            page.html, url=url, algorithm=args.algorithm, options=options
        ).text

    found = evaluate(text_of, bar(data.pages, args.algorithm))
    rows, count = {**found.kinds, "all": found.mean}, found.pages
    if args.json:
        scores = {kind: asdict(score) for kind, score in rows.items()}
        counts = {"pages": count, "training_pages": known}
        print(json.dumps({**counts, "scores": scores, "errors": found.errors}))
    else:
        print(f"{'kind':15} precision recall     F1")
        for kind, s in rows.items():
            print(f"{kind:15} {s.precision:9.3f} {s.recall:6.3f} {s.f1:6.3f}")
        for name, error in found.errors.items():
            print(f"{name}: {error}", file=sys.stderr)
    if known:
        print(
            f"{known:,} of these {count:,} pages are of the data that "
            f"the model was trained on ({source}): on others it does less well than "
            "these figures say",
            file=sys.stderr,
        )
    return 0


def _known(data: Dataset, name: str, options: Mapping[str, Any]) -> tuple[int, str]:
    """How many pages an algorithm's model was trained on, and their data's name."""
    card = load_card(options.get("model") or SHIPPED / f"{name}.model")
    digests = set(str(card.get("digests", "")).split())
    if not digests:
        return 0, ""
    return sum(_digest(page) in digests for page in data.pages), str(card["data"])


def _digest(page: LabelledPage) -> str:
    try:
        return page.digest
    except (DataError, OSError):  # reported when the page is scored
        return ""
