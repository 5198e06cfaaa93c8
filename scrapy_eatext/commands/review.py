"""`scrapy eatext review`: pages in the browser, to be seen, corrected and taught from."""

from __future__ import annotations

import webbrowser
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.http import TextResponse
from w3lib.url import is_url

from scrapy_eatext.archive.readers import ArchiveError, Reading
from scrapy_eatext.commands.choosing import (
    add_choice_arguments,
    choice_for,
    project_config,
)
from scrapy_eatext.commands.fetching import fetch_all
from scrapy_eatext.commands.terminal import fail
from scrapy_eatext.learning import DataError
from scrapy_eatext.page.decode import text_of
from scrapy_eatext.review.labels import LabelError, LabelFolder
from scrapy_eatext.review.pages import Review, Stored, unreadable
from scrapy_eatext.review.server import ReviewServer
from scrapy_eatext.review.sources import Spool, stored_in, text_page

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand

ERRORS = (ArchiveError, DataError, LabelError, OSError)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Show pages in the browser, with what is kept of them, to be corrected by mouse "
        "and keyboard."
    )
    parser.add_argument(
        "source",
        nargs="+",
        help="a folder of pages, a feed with url and html, an HTTPCACHE, a WARC file, "
        "or a URL",
    )
    parser.add_argument(
        "--labels",
        default="labels",
        metavar="FOLDER",
        help="where the labels go, for train, evaluate and learn (default: labels)",
    )
    parser.add_argument(
        "--sites",
        default="",
        metavar="FOLDER",
        help="where site files go (default: EATEXT_SITE_FILES, or else sites)",
    )
    parser.add_argument(
        "--html-field",
        default="html",
        metavar="NAME",
        help="the field of a feed that has the page (default: html)",
    )
    parser.add_argument(
        "--url-field",
        default="url",
        metavar="NAME",
        help="the field of a feed that has its address (default: url)",
    )
    parser.add_argument(
        "--port", type=int, default=0, help="the port (default: a free one)"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, and open nothing"
    )
    add_choice_arguments(parser)


def run(args: Namespace, command: ScrapyCommand) -> int:
    """Serve a review until Ctrl-C; the exit code.  Raises SettingError and ERRORS."""
    config = project_config(command)
    choose = partial(choice_for, args, config)
    choose("")  # Wrong options show before anything is read.
    reading = Reading(config.limits.max_size, args.html_field, args.url_field)
    with closing(Spool()) as spool:
        pages = _pages(command, spool, args.source, reading)
        first = next(pages, None)
        if first is None:
            raise DataError("there are no pages to review")
        labels = LabelFolder(Path(args.labels))
        review = Review(chain([first], pages), labels, choose, config.limits)
        sites = Path(args.sites or config.site_files or "sites")
        try:
            server = ReviewServer(review, sites, args.port)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            return fail(f"port {args.port}: {why}", 2)
        _serve(server, browser=not args.no_browser)
    return 0


def _serve(server: ReviewServer, *, browser: bool) -> None:
    server.start()
    print(f"Review at {server.url}", "Ctrl-C ends it.", sep="\n", flush=True)
    if browser:
        webbrowser.open(server.url)
    try:
        server.wait()
    except KeyboardInterrupt:
        print()
    finally:
        server.close()


def _pages(
    command: ScrapyCommand, spool: Spool, sources: Sequence[str], reading: Reading
) -> Iterator[Stored]:
    """The pages of files and URLs, fetched ones first."""
    urls = [source for source in sources if is_url(source)]
    # A source that is not there is an error before anything is shown.
    files = [stored_in(one, reading, spool) for one in sources if one not in urls]
    for response in fetch_all(command, urls) if urls else ():
        url = response.url
        if isinstance(response, TextResponse):
            yield spool.keep(url, url, text_page(text_of(response)))
        else:
            yield Stored(url, url, partial(unreadable, f"{url} is no page"))
    yield from chain.from_iterable(files)
