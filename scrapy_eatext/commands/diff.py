"""`scrapy eatext diff`: shows the changes between two runs over archives."""

from __future__ import annotations

import sqlite3
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from tempfile import gettempdir
from typing import TYPE_CHECKING

from scrapy_eatext.archive.diff import KEYS, Difference, Group, compare
from scrapy_eatext.archive.manifest import OutputError
from scrapy_eatext.archive.readers import ArchiveError
from scrapy_eatext.archive.record import MissingError
from scrapy_eatext.commands.choosing import add_options, number
from scrapy_eatext.commands.terminal import cut, table

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand

ERRORS = (ArchiveError, MissingError, OutputError, OSError)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Compare two outputs of `archive`, or two files of Parquet or JSON Lines with"
        " texts, and show what changed."
    )
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    meanings = {
        "--by KEY": "how to match pages: by URL and place in the archive (page), or by"
        " URL alone (url) (default: page)",
        "--top N": "how many of the most changed pages to show (default: 20)",
        "-o --output FILE": "write the pages that changed, the most changed first, as"
        " JSON Lines",
    }
    by = {"default": "page", "choices": tuple(KEYS)}
    add_options(parser, meanings, by=by, top={"default": 20, "type": number(int, 0)})


def run(args: Namespace, command: ScrapyCommand) -> int:
    """Compare two outputs and return the exit code.  Raises ERRORS."""
    try:
        _print(compare(args.old, args.new, args.output, args.top, args.by))
    except sqlite3.Error as error:
        raise OSError(f"{gettempdir()}: {error}") from error
    return 0


def _print(difference: Difference) -> None:
    def row(name: str, group: Group) -> list[str]:
        share = f"{100 * group.changed / max(group.pages, 1):.1f} %"
        counts = (group.pages, group.changed, group.gained, group.lost)
        pages, changed, gained, lost = (f"{count:,}" for count in counts)
        return [cut(name, 50), pages, changed, share, gained, lost]

    def print_groups(title: str, groups: Iterable[tuple[str, Group]]) -> None:
        head = (title, "pages", "changed", "share", "words gained", "lost")
        print(f"\n{table(head, [row(name, group) for name, group in groups])}")

    total = difference.total
    print(
        f"{total.pages:,} pages in both, {total.changed:,} changed; "
        f"{difference.only_old:,} only in the old, "
        f"{difference.only_new:,} only in the new"
    )
    if difference.moved > total.pages:
        print(
            f"{difference.moved:,} of the new have the URL of an old page in another"
            " place: --by url compares them"
        )
    print_groups("all", [("all", total)])
    print_groups("host", difference.most("host"))
    print_groups("kind", difference.most("kind"))
    if difference.outcomes:
        rows = [
            [f"{old} -> {new}", f"{count:,}"]
            for (old, new), count in difference.outcomes.most_common()
        ]
        print(f"\n{table(('outcome', 'pages'), rows)}")
    if difference.top:
        rows = [
            [f"+{page.gained:,}", f"-{page.lost:,}", cut(page.url or page.id, 70)]
            for page in difference.top
        ]
        print(f"\n{table(('gained', 'lost', 'most changed'), rows)}")
