"""`scrapy eatext archive`: the pages of archives."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from scrapy_eatext.archive.conditions import Conditions
from scrapy_eatext.archive.core import USUAL, config_of, schema, settings_for_rows
from scrapy_eatext.archive.files import written
from scrapy_eatext.archive.local import Plan, Run
from scrapy_eatext.archive.manifest import OutputError
from scrapy_eatext.archive.readers import ArchiveError
from scrapy_eatext.archive.record import MissingError
from scrapy_eatext.commands.choosing import (
    add_choice_arguments,
    choice_for,
    number,
)
from scrapy_eatext.commands.terminal import StatusLine, fail
from scrapy_eatext.execution.choice import SettingError

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand

    from scrapy_eatext.archive.progress import Progress

ERRORS = (ArchiveError, MissingError, OutputError, OSError)
_BAR = 20
_MOST_LINES = 10

T = TypeVar("T")


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Extract the pages of archives: WARC files, Scrapy's HTTPCACHE, Parquet, JSON"
        " Lines, and folders with any of these or with HTML. A run that was stopped"
        " goes on where it was."
    )
    parser.add_argument(
        "inputs", nargs="*", metavar="INPUT", help="a file, folder or URI"
    )
    parser.add_argument(
        "--inputs-from",
        action="append",
        default=[],
        metavar="FILE",
        help="a list of more inputs, one a line, as warc.paths.gz is (may be repeated)",
    )
    parser.add_argument(
        "--inputs-base",
        default="",
        metavar="URI",
        help="what the paths in lists and CDX begin with: s3://commoncrawl (default: the"
        " list's own bucket or folder)",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FOLDER",
        help="where the texts go: a folder or URI",
    )
    parser.add_argument(
        "-f",
        "--format",
        default="parquet",
        choices=("parquet", "jsonl"),
        help="the format of the output (default: parquet)",
    )
    parser.add_argument(
        "-j",
        "--workers",
        type=number(int, 1),
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes that extract (default: one for each core)",
    )
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="CONDITION",
        help="take these pages only: host=example.com,example.org; page_type=article;"
        " score>=0.5; language, outcome and algorithm work alike (may be repeated: all"
        " have to hold)",
    )
    parser.add_argument(
        "--sample",
        type=number(float, 0, 1),
        default=1.0,
        metavar="SHARE",
        help="take a share of the pages, always the same ones: 0.01",
    )
    parser.add_argument(
        "--allow-damage",
        action="store_true",
        help="end with exit code 0 also where a file is cut off or empty",
    )
    parser.add_argument(
        "--columns",
        type=lambda said: tuple(filter(None, said.split(","))),
        default=USUAL,
        metavar="NAMES",
        help="the columns to write: url,text,html (default: all but html)",
    )
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="write what is in the output then, as JSON: counts by outcome, host, kind,"
        " language and score, bytes, seconds",
    )
    parser.add_argument(
        "--html-column",
        default="html",
        metavar="NAME",
        help="the column or key with pages in Parquet and JSON Lines (default: html)",
    )
    parser.add_argument(
        "--url-column",
        default="url",
        metavar="NAME",
        help="the column or key with their addresses (default: url)",
    )
    add_choice_arguments(parser)


def run(args: Namespace, command: ScrapyCommand) -> int:
    """Extract the pages of archives; the exit code.  Raises SettingError and ERRORS."""
    settings = settings_for_rows(cast("Any", command.settings))
    if args.algorithm or args.options:
        choice = choice_for(args, config_of(settings))
        settings["EATEXT_ALGORITHM"] = list(choice.algorithms)
        if choice.options:
            settings["EATEXT_OPTIONS"] = {n: dict(o) for n, o in choice.options.items()}
    Conditions.of(args.where)
    schema(args.columns)
    if not args.inputs and not args.inputs_from:
        raise SettingError("INPUT", "", "a file, folder or URI, or --inputs-from")
    plan = Plan(
        inputs=args.inputs,
        lists=args.inputs_from,
        base=args.inputs_base,
        output=args.output,
        settings=settings,
        html_column=args.html_column,
        url_column=args.url_column,
        where=tuple(args.where),
        sample=args.sample,
        columns=args.columns,
        form=args.format,
        workers=args.workers,
    )
    prepared = Run(plan)
    code = _carry_out(prepared, allow_damage=args.allow_damage)
    if args.report:
        with written(args.report) as file:
            file.write(json.dumps(prepared.report(), indent=1).encode() + b"\n")
    return code


def _carry_out(prepared: Run, *, allow_damage: bool) -> int:
    status = StatusLine()
    try:
        progress = prepared.go(lambda progress: status.show(bar(progress)))
    except KeyboardInterrupt:
        status.clear()
        return fail("stopped; the same command goes on from here", 130)
    status.clear()
    print(summary(progress))
    for file in _first(prepared.damaged_outputs):
        fail(f"{file} was cut or changed after it was written: it was made anew")
    errors = list(progress.errors.items())
    for name, error in _first(errors):
        fail(error if name in error else f"{name}: {error}")
    if progress.stay:
        fail(f"{progress.stay} parts of files that are gone stay in the output")
    if errors:
        fail("what failed is not in the output; the same command tries it again")
    return bool(errors or (progress.cut_off and not allow_damage))


def _first(found: Sequence[T]) -> Iterator[T]:
    """The first of a list; standard error says how many more there are."""
    yield from found[:_MOST_LINES]
    if len(found) > _MOST_LINES:
        fail(f"and {len(found) - _MOST_LINES} more")


def summary(progress: Progress) -> str:
    """What a run has done, in a line."""
    pages = progress.totals().total()
    done = (
        f"{pages:,} pages in {_duration(progress.seconds)}, {progress.rate():.0f} a "
        f"second: {_outcomes(progress) or 'none'}"
    )
    if not progress.parts and not progress.errors:
        done = "Nothing to do: all parts are in the output already"
    if progress.damaged:
        done += f"; damaged records: {progress.damaged:,}"
    if names := list(progress.cut_off):
        more = f" and {len(names) - _MOST_LINES} more" * (len(names) > _MOST_LINES)
        done += f"; files cut off or empty: {', '.join(names[:_MOST_LINES])}{more}"
    return done


def bar(progress: Progress) -> str:
    """How far a run is: a bar, the rate, the remaining time, pages by outcome."""
    remaining = progress.remaining()
    done = progress.share()
    left = "" if remaining is None else f", {_duration(remaining)} left"
    return (
        f"[{'#' * int(_BAR * done):{_BAR}}] {100 * done:.0f} %, "
        f"{progress.rate():.0f} pages a second{left}: {_outcomes(progress)}"
    )


def _outcomes(progress: Progress) -> str:
    counts = progress.totals().most_common()
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
