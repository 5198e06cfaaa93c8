"""`scrapy eatext archive`: extracts the pages of archives."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from scrapy_eatext.archive import core
from scrapy_eatext.archive.conditions import Conditions
from scrapy_eatext.archive.files import written
from scrapy_eatext.archive.local import Run
from scrapy_eatext.archive.manifest import OutputError
from scrapy_eatext.archive.readers import ArchiveError
from scrapy_eatext.archive.record import MissingError
from scrapy_eatext.archive.shards import WRITERS, Plan
from scrapy_eatext.commands import choosing
from scrapy_eatext.commands.terminal import StatusLine, fail
from scrapy_eatext.execution.choice import SettingError

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand

    from scrapy_eatext.archive.progress import Progress

ERRORS = (ArchiveError, MissingError, OutputError, OSError)
_BAR = 20
_MAX_LINES = 10


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments; those of a run have the names of Plan's fields."""
    parser.description = (
        "Extract the pages of archives: WARC files, Scrapy's HTTPCACHE, Parquet, JSON"
        " Lines, and folders with any of these or with HTML. To resume a run that was"
        " stopped, repeat its command."
    )
    parser.add_argument(
        "inputs", nargs="*", metavar="INPUT", help="a file, folder or URI"
    )
    meanings = {
        "--inputs-from FILE": "a file with one input a line, like warc.paths.gz (may be"
        " repeated)",
        "--inputs-base URI": "the base of the paths in lists and CDX: s3://commoncrawl"
        " (default: the list's own bucket or folder)",
        "-o --output FOLDER": "where the texts go: a folder or URI",
        "-f --format FORMAT": f"the format of the output: {', '.join(WRITERS)} (default:"
        " parquet)",
        "-j --workers N": "the number of worker processes (default: one for each core)",
        "--where CONDITION": "only pages that meet a condition:"
        " host=example.com,example.org; page_type=article; score>=0.5; language, outcome"
        " and algorithm work alike (may be repeated: all have to hold)",
        "--sample SHARE": "only a share of the pages, the same ones in each run: 0.01",
        "--allow-damage": "exit with code 0 even if files are cut off or empty",
        "--columns NAMES": "the columns to write: url,text,chunks (default: all but those"
        " of other attributes of the result)",
        "--report FILE": "write a summary of the whole output as JSON: counts by"
        " outcome, host, kind, language and score, bytes, seconds",
        "--html-column NAME": "the column or key of the HTML in Parquet and JSON Lines"
        " (default: html)",
        "--url-column NAME": "the column or key of the pages' URLs (default: url)",
    }
    choosing.add_options(
        parser,
        meanings,
        inputs_from={"dest": "lists", "default": []},
        inputs_base={"dest": "base", "default": ""},
        output={"required": True},
        format={"dest": "form", "default": "parquet", "choices": tuple(WRITERS)},
        workers={"default": os.cpu_count() or 1, "type": choosing.number(int, 1, 1000)},
        where=[],
        sample={"default": 1.0, "type": choosing.number(float, 0, 1)},
        columns={"default": core.DEFAULT_COLUMNS, "type": _names},
        html_column="html",
        url_column="url",
    )
    choosing.add_choice_arguments(parser)


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def run(args: Namespace, command: ScrapyCommand) -> int:
    """Extract the pages and return the exit code.  Raises SettingError and ERRORS."""
    settings = core.settings_for_rows(cast("Any", command.settings))
    if args.algorithm or args.options:
        choice = choosing.choice_for(args, core.config_of(settings))
        settings["EATEXT_ALGORITHM"] = list(choice.algorithms)
        if choice.options:
            settings["EATEXT_OPTIONS"] = {n: dict(o) for n, o in choice.options.items()}
    # Both raise for wrong arguments.
    Conditions(args.where)
    core.schema(args.columns)
    if not args.inputs and not args.lists:
        raise SettingError("INPUT", "", "a file, folder or URI, or --inputs-from")
    of_plan = {f.name: getattr(args, f.name) for f in fields(Plan) if f.name in args}
    archive_run = Run(Plan(**of_plan, settings=settings))
    code = _execute(archive_run, allow_damage=args.allow_damage)
    if args.report:
        with written(args.report) as file:
            file.write(json.dumps(archive_run.report(), indent=1).encode() + b"\n")
    return code


def _execute(archive_run: Run, *, allow_damage: bool) -> int:
    """Run to the end, print the summary and errors, and return the exit code."""
    status = StatusLine()
    try:
        progress = archive_run.go(lambda progress: status.show(bar(progress)))
    except KeyboardInterrupt:
        status.clear()
        return fail("stopped; the same command resumes the run", 130)
    status.clear()
    print(summary(progress))
    rewritten = "was cut or changed after it was written: it was written again"
    _fail_first(
        [f"{file} {rewritten}" for file in archive_run.manifest.damaged_outputs]
    )
    errors = progress.errors.items()
    _fail_first([why if name in why else f"{name}: {why}" for name, why in errors])
    stray = "is in the output, but of no part: its pages may be there twice"
    _fail_first([f"{file} {stray}" for file in archive_run.manifest.strays()])
    if progress.orphaned:
        fail(f"{progress.orphaned} parts of files that are gone stay in the output")
    if errors:
        fail("what failed is not in the output; the same command tries it again")
    return bool(errors or (progress.cut_off and not allow_damage))


def _fail_first(errors: Sequence[str]) -> None:
    for error in errors[:_MAX_LINES]:
        fail(error)
    if len(errors) > _MAX_LINES:
        fail(f"and {len(errors) - _MAX_LINES} more")


def summary(progress: Progress) -> str:
    pages = progress.totals().total()
    text = (
        f"{pages:,} pages in {timedelta(seconds=round(progress.seconds))}, {progress.rate():.0f} a "
        f"second: {_outcomes(progress) or 'none'}"
    )
    if not progress.parts and not progress.errors:
        text = "Nothing to do: all parts are in the output already"
    if progress.damaged:
        text += f"; damaged records: {progress.damaged:,}"
    if names := list(progress.cut_off):
        more = f" and {len(names) - _MAX_LINES} more" * (len(names) > _MAX_LINES)
        text += f"; files cut off or empty: {', '.join(names[:_MAX_LINES])}{more}"
    return text


def bar(progress: Progress) -> str:
    """The progress of a run: a bar, the rate, the remaining time, pages by outcome."""
    seconds = progress.remaining()
    share = progress.share()
    remaining = "" if seconds is None else f", {timedelta(seconds=round(seconds))} left"
    return (
        f"[{'#' * int(_BAR * share):{_BAR}}] {100 * share:.0f} %, "
        f"{progress.rate():.0f} pages a second{remaining}: {_outcomes(progress)}"
    )


def _outcomes(progress: Progress) -> str:
    counts = progress.totals().most_common()
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts)
