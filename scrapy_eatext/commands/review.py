"""`scrapy eatext review`: shows pages in the browser, to be corrected."""

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
from scrapy_eatext.commands import choosing
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
        "Show pages in the browser with their main text marked, to be corrected by "
        "mouse and keyboard."
    )
    parser.add_argument(
        "source",
        nargs="+",
        help="a folder of pages, a feed with url and html, an HTTPCACHE folder, a WARC "
        "file, or a URL",
    )
    meanings = {
        "--labels FOLDER": "where the labels go, for train, evaluate and learn (default:"
        " labels)",
        "--sites FOLDER": "where site files go (default: EATEXT_SITE_FILES, or else"
        " sites)",
        "--html-field NAME": "the field of a feed that has the page's HTML (default:"
        " html)",
        "--url-field NAME": "the field of a feed that has the page's URL (default: url)",
        "--port PORT": "the port (default: a free one)",
        "--no-browser": "only print the URL of the review",
    }
    fields = {"html_field": "html", "url_field": "url"}
    choosing.add_options(parser, meanings, labels="labels", sites="", port=0, **fields)
    choosing.add_choice_arguments(parser)


def run(args: Namespace, command: ScrapyCommand) -> int:
    """Serve a review until Ctrl-C.  Raises SettingError and ERRORS."""
    config = choosing.project_config(command)
    choose = partial(choosing.choice_for, args, config)
    choose("")  # raises for wrong options before anything is read
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
            reason = getattr(error, "strerror", None) or error
            return fail(f"port {args.port}: {reason}", 2)
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
    """The pages of URLs, then those of files."""
    urls = [source for source in sources if is_url(source)]
    # A list, so that a missing source is an error before anything is fetched.
    files = [
        stored_in(source, reading, spool) for source in sources if source not in urls
    ]
    for response in fetch_all(command, urls) if urls else ():
        url = response.url
        if isinstance(response, TextResponse):
            yield spool.keep(url, url, text_page(text_of(response)))
        else:
            yield Stored(url, url, partial(unreadable, f"{url} is not text"))
    yield from chain.from_iterable(files)
