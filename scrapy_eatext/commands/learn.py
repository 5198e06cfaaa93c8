"""`scrapy eatext learn`: site files, learned from labelled pages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_eatext.algorithms.modelfile import ModelError
from scrapy_eatext.commands.pages import progress
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.sites import study, write
from scrapy_eatext.sites.evidence import bare_host
from scrapy_eatext.sites.learning import learn

if TYPE_CHECKING:
    from scrapy_eatext.sites.learning import Studied


def parser(prog: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog=prog,
        description="Learn where on a site main text stands, and which texts never are main text: a "
        "file for each host, for EATEXT_SITE_FILES.",
    )
    made.add_argument(
        "source",
        nargs="+",
        help="labelled pages, in the layout of review or of WCXB",
    )
    made.add_argument(
        "--sites", required=True, metavar="FOLDER", help="where the site files go"
    )
    made.add_argument(
        "--host", default="", help="the host of pages that do not tell their address"
    )
    made.add_argument(
        "--model", default="", metavar="FILE", help="the default algorithm's model"
    )
    return made


def main(arguments: Sequence[str], prog: str) -> int:
    """Learn, write site files, and print what helps; the exit code."""
    args = parser(prog).parse_args(arguments)
    try:
        return _learn(args)
    except (DataError, ModelError, OSError) as error:
        print(f"scrapy eatext: {error}", file=sys.stderr)
        return 2


def _learn(args: argparse.Namespace) -> int:
    if args.host:
        named = bare_host(args.host if "//" in args.host else f"//{args.host}")
        if not named:
            raise DataError(f"--host is {args.host!r}, it must be a host's name")
        args.host = named
    hosts: dict[str, list[Studied]] = {}
    homeless = 0
    for host, page in _labelled(args):
        if host:
            hosts.setdefault(host, []).append(page)
        else:
            homeless += 1
    folder = Path(args.sites)
    folder.mkdir(parents=True, exist_ok=True)
    for host in sorted(hosts):
        found = learn(host, hosts[host])
        print(f"{found.told}: {write(found, folder) or 'no file is written'}")
    if homeless:
        print(
            f"scrapy eatext: {homeless} pages do not tell their address; --host names "
            "their host",
            file=sys.stderr,
        )
    return 0 if hosts else 1


def _labelled(args: argparse.Namespace) -> Iterator[tuple[str, Studied]]:
    for source in args.source:
        for page in progress(read_folder(source).pages):
            try:
                yield bare_host(page.url) or args.host, study(page, args.model)
            except DataError as error:  # noqa: PERF203 - of one page
                print(f"scrapy eatext: {error}; it is left out", file=sys.stderr)
