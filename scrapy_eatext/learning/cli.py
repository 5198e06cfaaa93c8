"""The commands train and evaluate: for the shipped models and for a user's own."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from scrapy_eatext.algorithms import DEFAULT, REGISTRY, get_algorithm
from scrapy_eatext.algorithms.base import OptionError
from scrapy_eatext.algorithms.modelfile import SHIPPED, ModelError, load_card
from scrapy_eatext.execution.choice import options_from
from scrapy_eatext.extraction import extract
from scrapy_eatext.learning import DataError, need
from scrapy_eatext.learning.corrections import corrected, read_corrections
from scrapy_eatext.learning.data import Dataset, LabelledPage, joined, read_folder
from scrapy_eatext.learning.evaluate import evaluate
from scrapy_eatext.learning.marked import read_marked
from scrapy_eatext.learning.train import TRAINERS, Judged, save, train

T = TypeVar("T")

# Exceptions of data, models and outputs that fail.
ERRORS = (DataError, ModelError, ImportError, OSError)


def add_train_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command train."""
    parser.add_argument(
        "folder",
        nargs="+",
        help="labelled pages: WCXB's layout, NAME.html and NAME.txt, or segments, for "
        "what can learn from these; of several folders all pages are learned from",
    )
    parser.add_argument(
        "-a",
        "--algorithm",
        action="append",
        choices=sorted(TRAINERS),
        help="what to train, may be given again (default: everything)",
    )
    parser.add_argument(
        "--models",
        required=True,
        metavar="FOLDER",
        help="the folder to write models and their cards to; those of the same name "
        "that are in it are replaced",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="with another number folds and trees are drawn anew (default: 0)",
    )
    parser.add_argument(
        "--folds",
        type=int,
        default=5,
        help="folds by site for the scores on the cards, 0 for no scores (default: 5)",
    )
    parser.add_argument(
        "--page-scores",
        metavar="FILE",
        help="write each page's scores from the folds to a file of JSON lines, the "
        "worst page first",
    )
    parser.add_argument(
        "--marks",
        metavar="HOW",
        help="the pages are marked in their source: content (<!-- content --> and "
        "<!-- /content -->), google (googleoff and googleon), or a CSS selector of "
        "what holds the content",
    )
    parser.add_argument(
        "--corrections",
        metavar="FILE",
        help="labels of pages that were read once more, and pages not to learn from, as "
        "a JSON file of hashes",
    )
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out pages that can't be learned from instead of stopping",
    )
    parser.add_argument(
        "--data-name",
        action="append",
        default=[],
        metavar="NAME",
        help="what the cards call the data, once for each folder in their order "
        "(default: the folder)",
    )
    parser.add_argument(
        "--licence",
        action="append",
        default=[],
        help="the data's licence and author, once for each folder in their order "
        "(default: its LICENSE)",
    )


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command evaluate."""
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


def run_train(args: argparse.Namespace) -> int:
    """Train, write models and cards, and say what was written."""
    # The model of a single fold would have no page to learn from.
    if args.folds < 0 or args.folds == 1:
        raise OptionError("--folds", args.folds, "0, or 2 or more")
    if args.seed < 0:
        raise OptionError("--seed", args.seed, "0 or more")
    if args.page_scores and not args.folds:
        allowed = "left out with --folds 0: the scores are those of the folds"
        raise OptionError("--page-scores", args.page_scores, allowed)
    data = joined(list(_parts(args)))
    if args.corrections:
        data = corrected(data, read_corrections(args.corrections))
    folder = Path(args.models)
    folder.mkdir(parents=True, exist_ok=True)
    if args.page_scores:
        _check_writable(Path(args.page_scores))
    scored: list[dict[str, Any]] = []
    for name in args.algorithm or sorted(TRAINERS):
        judged: list[Judged] = []
        model, card = train(
            name,
            data,
            seed=args.seed,
            count=args.folds,
            skip=args.skip_bad,
            progress=_bar,
            on_scores=judged.extend,
        )
        scored += [_page_scores(model.file, one) for one in judged]
        path = save(name, model, folder, card)
        line = f"{path}: {path.stat().st_size} bytes, version {model.version}"
        if "scores" in card:
            line += f", word F1 {card['scores']['mean']['f1']:.3f}"
        print(line)
    if args.page_scores:
        scored.sort(key=itemgetter("f1"))
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in scored)
        Path(args.page_scores).write_text("".join(lines), "utf-8")
    return 0


def _check_writable(file: Path) -> None:
    """Raise OSError where a file cannot be written; leave the file as it is."""
    if file.is_fifo():
        return  # its reader would take this try for the end
    is_new = not file.exists()
    # To append writes nothing, so that older scores stay until there are new ones.
    with file.open("a"):
        pass
    if is_new:
        file.unlink()


def _page_scores(file: str, judged: Judged) -> dict[str, Any]:
    """A line of --page-scores."""
    page = judged.page
    return {
        "f1": round(judged.score.f1, 4),
        "precision": round(judged.score.precision, 4),
        "recall": round(judged.score.recall, 4),
        "score": round(judged.expected, 4),
        "model": file,
        "page": str(page.file),
        "url": page.url,
        "kind": page.kind,
        "data": page.data,
    }


def _parts(args: argparse.Namespace) -> Iterator[Dataset]:
    """The data of each folder, by the names and licences given."""
    for given, option in (
        (args.data_name, "--data-name"),
        (args.licence, "--licence"),
    ):
        if len(given) > len(args.folder):
            allowed = f"given {len(args.folder)} times at most, once for each folder"
            raise OptionError(option, given, allowed)
    rows = zip_longest(args.folder, args.data_name, args.licence, fillvalue="")
    for folder, name, licence in rows:
        data = read_marked(folder, args.marks) if args.marks else read_folder(folder)
        yield data.named(name, licence)


def run_evaluate(args: argparse.Namespace) -> int:
    """Print the scores of one algorithm on labelled pages."""
    data = read_folder(args.folder)
    options = options_from(args.options, "--options")
    # Report wrong options once, and not page by page.
    get_algorithm(args.algorithm, options)
    known, source = _known(data, args.algorithm, options)

    def run(page: LabelledPage) -> str:
        url = page.url or None
        return extract(
            page.html, url=url, algorithm=args.algorithm, options=options
        ).text

    found = evaluate(run, _bar(data.pages, args.algorithm))
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


def _bar(items: Sequence[T], label: str) -> Iterable[T]:
    """A progress bar on standard error, where that is a terminal."""
    tqdm = need("tqdm").tqdm
    shown: Iterable[T] = tqdm(items, desc=label, leave=False, disable=None)
    return shown


COMMANDS = {
    "train": (add_train_arguments, run_train, "train models on labelled pages"),
    "evaluate": (
        add_evaluate_arguments,
        run_evaluate,
        "score an algorithm on labelled pages",
    ),
}


def main(
    arguments: Sequence[str] | None = None,
    prog: str = "python -m scrapy_eatext.learning",
) -> int:
    """Run a command from its arguments; the exit code.

    It is 1 if data, a model or an output fails, and 2 if an argument is wrong; a line on
    standard error says what.
    """
    parser = argparse.ArgumentParser(prog=prog)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (add_arguments, _, summary) in COMMANDS.items():
        add_arguments(commands.add_parser(name, help=summary, description=summary))
    args = parser.parse_args(arguments)
    try:
        return COMMANDS[args.command][1](args)
    except (OptionError, *ERRORS) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2 if isinstance(error, OptionError) else 1
