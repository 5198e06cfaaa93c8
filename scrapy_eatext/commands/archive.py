"""`scrapy eatext archive` and `scrapy eatext diff`: pages that were kept."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy_eatext.archive.local import Plan
    from scrapy_eatext.archive.progress import Progress

_BAR = 20
# Seconds between two looks of the bar.
_LOOK = 0.5
_MOST_ERRORS = 10


def _archive_parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{prog} archive",
        description="Extract the pages of archives: WARC files, Scrapy's HTTPCACHE,"
        " Parquet, JSON Lines, and folders with any of these or with HTML. A run that"
        " was stopped goes on where it was.",
    )
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT", help="a file, folder or URI"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="FOLDER", help="where the texts go"
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
        type=_number(int, 1),
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
        type=_number(float, 0, 1),
        default=1.0,
        metavar="SHARE",
        help="take a share of the pages, always the same ones: 0.01",
    )
    parser.add_argument(
        "--html", action="store_true", help="write the clean HTML of main texts too"
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
    parser.add_argument(
        "-a",
        "--algorithm",
        metavar="NAMES",
        help="the algorithm, or several with commas between: the first whose text"
        " passes",
    )
    parser.add_argument(
        "--options",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the algorithm (may be repeated), or JSON with options",
    )
    return parser


def _diff_parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{prog} diff",
        description="Tell what changed between two outputs of `archive`, or two files"
        " of Parquet or JSON Lines with texts.",
    )
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument(
        "--top",
        type=_number(int, 0),
        default=20,
        metavar="N",
        help="how many of the most changed pages to show (default: 20)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the pages that changed, the most changed first, as JSON Lines",
    )
    return parser


def _number(kind: Callable[[str], Any], low: float, high: float = float("inf")) -> Any:
    def take(said: str) -> Any:
        value = kind(said)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{said} is not from {low} to {high}")
        return value

    take.__name__ = "number"
    return take


def main(args: Sequence[str], settings: Any, prog: str) -> int:
    """Run one of the commands; the exit code."""
    from scrapy_eatext.archive.manifest import OutputError
    from scrapy_eatext.archive.readers import ArchiveError
    from scrapy_eatext.archive.record import MissingError
    from scrapy_eatext.execution.choice import SettingError

    try:
        if args[0] == "diff":
            return _diff(_diff_parser(prog).parse_args(args[1:]))
        return _archive(_archive_parser(prog).parse_args(args[1:]), settings)
    except SettingError as error:
        return _fail(error, 2)
    except (ArchiveError, MissingError, OutputError, OSError) as error:
        return _fail(error)


def _fail(error: object, code: int = 1) -> int:
    print(f"scrapy eatext: {error}", file=sys.stderr)
    return code


def _archive(said: argparse.Namespace, settings: Any) -> int:
    from scrapy_eatext.archive.conditions import Conditions
    from scrapy_eatext.archive.core import config_of, plain_settings
    from scrapy_eatext.archive.files import is_remote
    from scrapy_eatext.archive.local import Plan, Run
    from scrapy_eatext.archive.manifest import OutputError
    from scrapy_eatext.execution.choice import changed, options_from

    if is_remote(said.output):
        raise OutputError(f"{said.output}: the output is a folder of this machine")
    chosen = plain_settings(settings)
    if said.algorithm:
        names = [name.strip() for name in said.algorithm.split(",")]
        chosen["EATEXT_ALGORITHM"] = names
    if said.options:
        options = options_from(said.options, "--options")
        choice = changed(config_of(chosen).choice, {"options": options})
        chosen["EATEXT_OPTIONS"] = {n: dict(o) for n, o in choice.options.items()}
    Conditions.of(said.where)
    plan = Plan(
        inputs=said.inputs,
        output=Path(said.output),
        settings=chosen,
        html_column=said.html_column,
        url_column=said.url_column,
        where=tuple(said.where),
        sample=said.sample,
        html=said.html,
        form=said.format,
        workers=said.workers,
    )
    return _run(plan, Run(plan))


def _run(plan: Plan, run: Any) -> int:
    bar = _Bar()
    try:
        progress: Progress = run.go(bar.show)
    except KeyboardInterrupt:
        bar.clear()
        return _fail("stopped; the same command goes on from here", 130)
    bar.clear()
    print(summary(progress))
    errors = list(progress.errors.items())
    for name, error in errors[:_MOST_ERRORS]:
        _fail(error if name in error else f"{name}: {error}")
    if len(errors) > _MOST_ERRORS:
        _fail(f"and {len(errors) - _MOST_ERRORS} more")
    if errors:
        _fail("what failed is not in the output; the same command tries it again")
    return bool(errors)


def summary(progress: Progress) -> str:
    """What a run has done, in a line."""
    totals = progress.totals()
    if not progress.parts and not progress.errors:
        return "Nothing to do: all parts are in the output already"
    return (
        f"{_outcomes(totals) or 'no pages'} in {_duration(progress.seconds)}, "
        f"{totals.total() / max(progress.seconds, 1e-9):.0f} pages a second"
    )


class _Bar:
    """A line on standard error, where that is a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._next = 0.0

    def show(self, progress: Progress) -> None:
        if self._shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + _LOOK
            print(f"\r\x1b[K{bar(progress)}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def bar(progress: Progress) -> str:
    """How far a run is: a bar, the rate, the remaining time, pages by outcome."""
    totals = progress.totals()
    remaining = progress.remaining()
    done = progress.share()
    left = "" if remaining is None else f", {_duration(remaining)} left"
    return (
        f"[{'#' * int(_BAR * done):{_BAR}}] {100 * done:.0f} %, "
        f"{progress.rate():.0f} pages a second{left}: {_outcomes(totals)}"
    )


def _outcomes(counts: Any) -> str:
    return ", ".join(
        f"{count:,} {name.replace('_', ' ')}" for name, count in counts.most_common()
    )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _diff(said: argparse.Namespace) -> int:
    from scrapy_eatext.archive.diff import compare
    from scrapy_eatext.commands.show import cut, table

    found = compare(said.old, said.new, said.output, said.top)

    def row(name: str, one: Any) -> list[str]:
        share = f"{100 * one.changed / max(one.pages, 1):.1f} %"
        counts = (one.pages, one.changed, one.gained, one.lost)
        pages, changed, gained, lost = (f"{count:,}" for count in counts)
        return [cut(name, 50), pages, changed, share, gained, lost]

    def shown(title: str, groups: Iterable[tuple[str, Any]]) -> None:
        head = (title, "pages", "changed", "share", "words gained", "lost")
        print(f"\n{table(head, [row(name, one) for name, one in groups])}")

    print(
        f"{found.total.pages:,} pages in both, {found.total.changed:,} changed; "
        f"{found.only_old:,} only in the old, {found.only_new:,} only in the new"
    )
    shown("all", [("all", found.total)])
    shown("host", found.most("host"))
    shown("kind", found.most("kind"))
    if found.outcomes:
        rows = [[f"{a} -> {b}", f"{n:,}"] for (a, b), n in found.outcomes.most_common()]
        print(f"\n{table(('outcome', 'pages'), rows)}")
    if found.top:
        rows = [
            [f"+{one.gained:,}", f"-{one.lost:,}", cut(one.url or one.id, 70)]
            for one in found.top
        ]
        print(f"\n{table(('gained', 'lost', 'most changed'), rows)}")
    return 0
