"""`scrapy eatext evaluate`: scores an algorithm on labelled pages."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from scrapy_eatext.algorithms import DEFAULT, REGISTRY, get_algorithm
from scrapy_eatext.algorithms.modelfile import SHIPPED, ModelError, load_card
from scrapy_eatext.commands.choosing import add_options
from scrapy_eatext.commands.terminal import progress
from scrapy_eatext.execution.choice import options_from
from scrapy_eatext.extraction import extract
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.data import Dataset, LabelledPage, read_folder
from scrapy_eatext.learning.evaluate import evaluate

ERRORS = (DataError, ModelError, ImportError, OSError)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = "Score an algorithm on labelled pages."
    parser.add_argument(
        "folder", help="labelled pages: WCXB's layout, segments, or your own"
    )
    names = ", ".join(sorted(REGISTRY))
    meanings = {
        "-a --algorithm NAME": f"one of {names}, or the import path of a class"
        f" (default: {DEFAULT})",
        "--options NAME=VALUE": "an option of the algorithm, with a value in JSON or a"
        " word (may be repeated)",
        "--json": "print one JSON object",
    }
    add_options(parser, meanings, algorithm=DEFAULT, options=[])


def run(args: Namespace, command: object) -> int:
    """Print the scores and return the exit code.  Raises OptionError and ERRORS."""
    data = read_folder(args.folder)
    options = options_from(args.options, "--options")
    # Report wrong options once, and not page by page.
    get_algorithm(args.algorithm, options)
    training_pages, source = _training_pages(data, args.algorithm, options)

    def text_of(page: LabelledPage) -> str:
        chosen = {"algorithm": args.algorithm, "options": options}
        return extract(page.html, url=page.url or None, **chosen).text

    evaluation = evaluate(text_of, progress(data.pages, args.algorithm))
    rows, count = {**evaluation.kinds, "all": evaluation.mean}, evaluation.pages
    if args.json:
        scores = {kind: asdict(score) for kind, score in rows.items()}
        counts = {"pages": count, "training_pages": training_pages}
        print(json.dumps({**counts, "scores": scores, "errors": evaluation.errors}))
    else:
        print(f"{'kind':15} precision recall     F1")
        for kind, s in rows.items():
            print(f"{kind:15} {s.precision:9.3f} {s.recall:6.3f} {s.f1:6.3f}")
        for name, error in evaluation.errors.items():
            print(f"{name}: {error}", file=sys.stderr)
    if training_pages:
        print(
            f"{training_pages:,} of these {count:,} pages are in the model's training"
            f" data ({source}): scores on other pages are lower",
            file=sys.stderr,
        )
    return 0


def _training_pages(
    data: Dataset, name: str, options: Mapping[str, Any]
) -> tuple[int, str]:
    """How many pages are in the model's training data, and that data's name."""
    card = load_card(options.get("model") or SHIPPED / f"{name}.model")
    digests = set(str(card.get("digests", "")).split())
    count = 0
    for page in data.pages if digests else ():
        with suppress(DataError, OSError):  # evaluate() reports it
            count += page.digest in digests
    return count, str(card.get("data", ""))
