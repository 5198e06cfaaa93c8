"""`scrapy eatext review`: pages in the browser, to be seen, corrected and taught from."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from w3lib.url import is_url

from scrapy_eatext.archive.readers import ArchiveError, Reading
from scrapy_eatext.learning import DataError
from scrapy_eatext.page.decode import text_of
from scrapy_eatext.review.labels import LabelError, LabelFolder
from scrapy_eatext.review.pages import Review, Stored
from scrapy_eatext.review.server import ReviewServer
from scrapy_eatext.review.sources import Spool, stored_in, text_page
from scrapy_eatext.review.teaching import Teacher

if TYPE_CHECKING:
    from scrapy.http import Response

    from scrapy_eatext.execution.cascade import Limits
    from scrapy_eatext.execution.choice import Choice


def parser(prog: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog=prog,
        description="Show pages in the browser, with what is kept of them, to be "
        "corrected by mouse and keyboard.",
    )
    made.add_argument(
        "source",
        nargs="+",
        help="a folder of pages, a feed with url and html, an HTTPCACHE, a WARC file, "
        "or a URL",
    )
    made.add_argument(
        "--labels",
        default="labels",
        metavar="FOLDER",
        help="where the labels go, for train, evaluate and learn (default: labels)",
    )
    made.add_argument(
        "--sites",
        default="",
        metavar="FOLDER",
        help="where site files go (default: EATEXT_SITE_FILES, or else sites)",
    )
    made.add_argument(
        "--html-field",
        default="html",
        metavar="NAME",
        help="the field of a feed that has the page (default: html)",
    )
    made.add_argument(
        "--url-field",
        default="url",
        metavar="NAME",
        help="the field of a feed that has its address (default: url)",
    )
    made.add_argument(
        "--port", type=int, default=0, help="the port (default: a free one)"
    )
    made.add_argument(
        "--no-browser", action="store_true", help="print the address, and open nothing"
    )
    return made


def main(
    arguments: Sequence[str],
    prog: str,
    *,
    limits: Limits,
    choose: Callable[[str], Choice],
    sites: str,
    fetch: Callable[[Sequence[str]], Sequence[Response]],
) -> int:
    """Serve a review until Ctrl-C; the exit code."""
    args = parser(prog).parse_args(arguments)
    choose("")  # Wrong options show before anything is read.
    with closing(Spool()) as spool:
        return _review(args, limits, choose, sites, partial(_pages, fetch, spool))


def _review(
    args: argparse.Namespace,
    limits: Limits,
    choose: Callable[[str], Choice],
    sites: str,
    read: Callable[[Sequence[str], Reading], Iterator[Stored]],
) -> int:
    reading = Reading(limits.max_size, args.html_field, args.url_field)
    try:
        pages = _first(read(args.source, reading))
        labels = LabelFolder(Path(args.labels))
    except (ArchiveError, DataError, LabelError, OSError) as error:
        print(f"scrapy eatext: {error}", file=sys.stderr)
        return 2
    review = Review(pages, labels, choose, limits)
    try:
        teacher = Teacher(review, Path(args.sites or sites or "sites"))
        server = ReviewServer(review, teacher, args.port)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        print(f"scrapy eatext: port {args.port}: {why}", file=sys.stderr)
        return 2
    server.start()
    print(f"Review at {server.url}", "Ctrl-C ends it.", sep="\n", flush=True)
    if not args.no_browser:
        webbrowser.open(server.url)
    try:
        server.wait()
    except KeyboardInterrupt:
        print()
    finally:
        server.close()
    return 0


def _pages(
    fetch: Callable[[Sequence[str]], Sequence[Response]],
    spool: Spool,
    sources: Sequence[str],
    reading: Reading,
) -> Iterator[Stored]:
    urls = [source for source in sources if is_url(source)]
    # A source that is not there is an error before anything is shown.
    others = [
        stored_in(source, reading, spool) for source in sources if not is_url(source)
    ]
    if urls:
        for response in fetch(urls):
            yield _fetched(response, spool)
    for pages in others:
        yield from pages


def _fetched(response: Any, spool: Spool) -> Stored:
    if hasattr(response, "text"):
        return spool.keep(response.url, response.url, text_page(text_of(response)))
    return Stored(response.url, response.url, partial(_no_page, response.url))


def _no_page(url: str) -> bytes:
    raise ValueError(f"{url} is no page")


def _first(pages: Iterator[Stored]) -> Iterator[Stored]:
    """The pages, of which there has to be one."""
    first = next(pages, None)
    if first is None:
        raise DataError("there are no pages to review")

    def every() -> Iterator[Stored]:
        yield first
        yield from pages

    return every()
