"""`scrapy eatext learn`: learns site files from labelled pages."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_eatext.algorithms.modelfile import ModelError
from scrapy_eatext.commands.choosing import add_options
from scrapy_eatext.commands.terminal import fail, progress
from scrapy_eatext.declared import OptionError
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.sites import study, write
from scrapy_eatext.sites.evidence import bare_host
from scrapy_eatext.sites.learning import learn

if TYPE_CHECKING:
    from scrapy_eatext.sites.learning import Studied

ERRORS = (DataError, ModelError, OSError)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Learn where on a site main text stands, and which texts never are main text."
        " Writes a file for each host, for EATEXT_SITE_FILES."
    )
    parser.add_argument(
        "source", nargs="+", help="labelled pages, in the layout of review or of WCXB"
    )
    meanings = {
        "--sites FOLDER": "where the site files go",
        "--host HOST": "the host of pages without a URL in their labels",
        "--model FILE": "the default algorithm's model",
    }
    add_options(parser, meanings, sites={"required": True}, host="", model="")


def run(args: Namespace, command: object) -> int:
    """Learn, write site files, print summaries.  Raises OptionError and ERRORS."""
    if args.host:
        host = bare_host(args.host if "//" in args.host else f"//{args.host}")
        if not host:
            raise OptionError("--host", args.host, "a host's name")
        args.host = host
    hosts: dict[str, list[Studied]] = {}
    for host, page in _labelled(args):
        hosts.setdefault(host, []).append(page)
    without_host = len(hosts.pop("", ()))
    folder = Path(args.sites)
    folder.mkdir(parents=True, exist_ok=True)
    for host in sorted(hosts):
        learned = learn(host, hosts[host])
        print(f"{learned.summary}: {write(learned, folder) or 'no file is written'}")
    if without_host:
        fail(f"{without_host} pages have no URL; give their host with --host")
    return 0 if hosts else 1


def _labelled(args: Namespace) -> Iterator[tuple[str, Studied]]:
    """The labelled pages, each with its host, "" if that is unknown."""
    for source in args.source:
        for page in progress(read_folder(source).pages, unless_printed=True):
            try:
                yield bare_host(page.url) or args.host, study(page, args.model)
            except DataError as error:  # noqa: PERF203 - each page may raise
                fail(f"{error}; it is left out")
