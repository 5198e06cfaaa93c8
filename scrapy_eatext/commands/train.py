"""`scrapy eatext train`: trains models on labelled pages."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from itertools import zip_longest
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_eatext.algorithms.base import OptionError
from scrapy_eatext.algorithms.modelfile import ModelError
from scrapy_eatext.commands.choosing import add_options
from scrapy_eatext.commands.terminal import progress
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.corrections import corrected, read_corrections
from scrapy_eatext.learning.data import Dataset, joined, read_folder
from scrapy_eatext.learning.marked import read_marked
from scrapy_eatext.learning.train import TRAINERS, save, train

if TYPE_CHECKING:
    from scrapy_eatext.learning.evaluate import Judged

ERRORS = (DataError, ModelError, ImportError, OSError)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = "Train models on labelled pages."
    parser.add_argument(
        "folder",
        nargs="+",
        help="labelled pages: WCXB's layout, NAME.html and NAME.txt, or segments, for "
        "algorithms that can learn from these; several folders are joined",
    )
    names = sorted(TRAINERS)
    meanings = {
        "-a --algorithm NAME": f"the algorithm to train: {', '.join(names)} (may be"
        " repeated; default: all)",
        "--models FOLDER": "the folder for models and their cards; files of the same"
        " name are replaced",
        "--seed SEED": "the random seed of folds and trees (default: 0)",
        "--folds FOLDS": "the number of folds, by site, of the cross-validation that"
        " gives the cards' scores; 0 for no scores (default: 5)",
        "--page-scores FILE": "write each page's scores in the cross-validation as JSON"
        " Lines, the worst page first",
        "--marks HOW": "take the labels from marks in the HTML: content (<!-- content"
        " --> and <!-- /content -->), google (googleoff and googleon), or a CSS selector"
        " of the elements with the content",
        "--corrections FILE": "a JSON file of hashes with corrected labels and with"
        " pages to leave out",
        "--data-name NAME": "the data's name on the cards; repeated for each folder, in"
        " their order (default: the folder)",
        "--licence LICENCE": "the data's licence and author; repeated for each folder,"
        " in their order (default: its LICENSE)",
        "--skip-bad": "leave out pages that cannot be learned from, instead of failing",
    }
    add_options(
        parser,
        meanings,
        algorithm={"action": "append", "choices": names},
        models={"required": True},
        seed=0,
        folds=5,
        data_name=[],
        licence=[],
    )


def run(args: Namespace, command: object) -> int:
    """Train, write models and cards.  Raises OptionError and ERRORS."""
    # A single fold leaves no pages to train on.
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
            progress=progress,
            on_scores=judged.extend,
        )
        scored += [_page_scores(f"{name}.model", page) for page in judged]
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
    """Raise OSError if a file cannot be written; leave the file as it is."""
    if file.is_fifo():
        return  # closing it would end the data for its reader
    is_new = not file.exists()
    # Mode "a" keeps the older scores.
    with file.open("a"):
        pass
    if is_new:
        file.unlink()


def _page_scores(file: str, judged: Judged) -> dict[str, Any]:
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


def _parts(args: Namespace) -> Iterator[Dataset]:
    """The data of each folder, with its name and licence."""
    for values, option in (
        (args.data_name, "--data-name"),
        (args.licence, "--licence"),
    ):
        if len(values) > len(args.folder):
            allowed = f"given {len(args.folder)} times at most, once for each folder"
            raise OptionError(option, values, allowed)
    rows = zip_longest(args.folder, args.data_name, args.licence, fillvalue="")
    for folder, name, licence in rows:
        data = read_marked(folder, args.marks) if args.marks else read_folder(folder)
        yield data.named(name, licence)
