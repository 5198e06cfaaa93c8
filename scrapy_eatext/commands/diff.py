"""`scrapy eatext diff`: what changed between two runs over archives."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from scrapy_eatext.archive.diff import KEYS, Difference, Group, compare
from scrapy_eatext.archive.manifest import OutputError
from scrapy_eatext.archive.readers import ArchiveError
from scrapy_eatext.archive.record import MissingError
from scrapy_eatext.commands.choosing import number
from scrapy_eatext.commands.terminal import cut, table

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand

ERRORS = (ArchiveError, MissingError, OutputError, OSError)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Tell what changed between two outputs of `archive`, or two files of Parquet or"
        " JSON Lines with texts."
    )
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument(
        "--by",
        choices=tuple(KEYS),
        default="page",
        help="which pages are the same: those of one address and place in their archive"
        " (page), or of one address (url) (default: page)",
    )
    parser.add_argument(
        "--top",
        type=number(int, 0),
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


def run(args: Namespace, command: ScrapyCommand) -> int:
    """Compare two outputs; the exit code.  Raises ERRORS."""
    _print(compare(args.old, args.new, args.output, args.top, args.by))
    return 0


def _print(found: Difference) -> None:
    def row(name: str, one: Group) -> list[str]:
        share = f"{100 * one.changed / max(one.pages, 1):.1f} %"
        counts = (one.pages, one.changed, one.gained, one.lost)
        pages, changed, gained, lost = (f"{count:,}" for count in counts)
        return [cut(name, 50), pages, changed, share, gained, lost]

    def shown(title: str, groups: Iterable[tuple[str, Group]]) -> None:
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
