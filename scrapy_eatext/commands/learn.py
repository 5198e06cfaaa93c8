"""`scrapy eatext learn`: what sites teach, from labels or from what repeats."""

from __future__ import annotations

import argparse
import hashlib
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_eatext.algorithms.modelfile import ModelError
from scrapy_eatext.archive.readers import ArchiveError, Reading, read
from scrapy_eatext.commands.pages import progress
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.sites import studied, study, write
from scrapy_eatext.page import Page
from scrapy_eatext.review.sources import page_of
from scrapy_eatext.sites.evidence import bare_host
from scrapy_eatext.sites.learning import (
    MOST_PAGES,
    REST,
    learn,
    learn_unlabelled,
)

if TYPE_CHECKING:
    from scrapy_eatext.sites.learning import Studied


def parser(prog: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog=prog,
        description="Learn where on a site main text stands, and which texts repeat: a "
        "file for each host, for EATEXT_SITE_FILES.",
    )
    made.add_argument(
        "source",
        nargs="+",
        help="labelled pages, in the layout of review or of WCXB; with --unlabelled "
        "archives or folders of pages",
    )
    made.add_argument(
        "--sites", required=True, metavar="FOLDER", help="where the site files go"
    )
    made.add_argument(
        "--unlabelled",
        action="store_true",
        help="learn from what repeats on the pages of a host, of which there have to "
        "be 20",
    )
    made.add_argument(
        "--host", default="", help="the host of pages that do not tell their address"
    )
    made.add_argument(
        "--model", default="", metavar="FILE", help="the default algorithm's model"
    )
    return made


def main(arguments: Sequence[str], prog: str, most: int) -> int:
    """Learn, write site files, and print what helps; the exit code."""
    args = parser(prog).parse_args(arguments)
    try:
        return _learn(args, most)
    except (ArchiveError, DataError, ModelError, OSError) as error:
        print(f"scrapy eatext: {error}", file=sys.stderr)
        return 2


def _learn(args: argparse.Namespace, most: int) -> int:
    if args.host:
        named = bare_host(args.host if "//" in args.host else f"//{args.host}")
        if not named:
            raise DataError(f"--host is {args.host!r}, it must be a host's name")
        args.host = named
    pages = _unlabelled(args, most) if args.unlabelled else _labelled(args)
    hosts: dict[str, list[Studied]] = {}
    homeless = 0
    for host, page in pages:
        if host:
            hosts.setdefault(host, []).append(page)
        else:
            homeless += 1
    folder = Path(args.sites)
    folder.mkdir(parents=True, exist_ok=True)
    for host in sorted(hosts):
        found = (
            learn_unlabelled(host, hosts[host])
            if args.unlabelled
            else learn(host, hosts[host])
        )
        if found is None:
            print(f"{host}: too few pages ({len(hosts[host])})")
        else:
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


def _unlabelled(args: argparse.Namespace, most: int) -> Iterator[tuple[str, Studied]]:
    """Pages of archives; of a large host always the same, whatever their order."""
    hosts: dict[str, dict[bytes, tuple[bytes, str]]] = {}
    for source in args.source:
        for record in read(source, Reading(most)):
            if record.outcome:
                continue
            html = page_of(record)
            pages = hosts.setdefault(bare_host(record.url) or args.host, {})
            pages[hashlib.sha256(html).digest()] = zlib.compress(html, 1), record.url
            if len(pages) > MOST_PAGES:
                del pages[max(pages)]
    for host, pages in hosts.items():
        for packed, url in pages.values():
            page = Page.of(zlib.decompress(packed), url or None)
            if len(page.blocks):
                yield host, studied(page, REST * len(page.blocks), args.model)
