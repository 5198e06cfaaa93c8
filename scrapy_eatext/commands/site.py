"""`scrapy eatext site`: crawls whole sites into a feed."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from scrapy import signals
from scrapy.exceptions import UsageError
from scrapy.utils.conf import feed_process_params_from_cli
from w3lib.url import file_uri_to_path

from scrapy_eatext.commands.choosing import add_options
from scrapy_eatext.commands.fetching import process_of, run_crawl
from scrapy_eatext.commands.terminal import StatusLine, fail, table
from scrapy_eatext.spiders.arguments import ARGUMENTS, FIELDS
from scrapy_eatext.spiders.site import BROKEN, SiteSpider

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand
    from scrapy.crawler import Crawler
    from scrapy.settings import Settings

ERRORS = (ValueError, OSError)
_NAMES = [name for name in ARGUMENTS if name != "urls"]
# The minimum number of seconds between updates of the status line.
_INTERVAL = 0.2


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Crawl sites and write the main texts of their pages into a feed, without"
        " selectors. Pages are found by sitemaps, feeds, lists and links."
    )
    parser.add_argument("urls", nargs="+", metavar="URL", help="a URL or a host")
    meanings = {
        f"--{name.replace('_', '-')} VALUE": ARGUMENTS[name].meaning for name in _NAMES
    } | {
        "-m --markdown": "write Markdown instead of text",
        "-o --output FILE": "append the items to this file",
        "-O --overwrite-output FILE": "write the items to this file",
    }
    add_options(parser, meanings, output=[], overwrite_output=[])


def run(args: Namespace, command: ScrapyCommand) -> int:
    """Crawl the sites and return the exit code.  Raises ERRORS."""
    settings = cast("Settings", command.settings)
    if args.output or args.overwrite_output:
        feeds = feed_process_params_from_cli(
            settings, args.output, overwrite_output=args.overwrite_output
        )
        settings.set("FEEDS", feeds, "cmdline")
    if args.state or settings.get("JOBDIR"):
        _check_feeds(settings.getdict("FEEDS"))
    if args.markdown:
        fields = {**FIELDS, "markdown": "markdown"}
        del fields["text"]
        settings.set("EATEXT_FIELDS", fields, "cmdline")
    values = {name: getattr(args, name) for name in _NAMES}
    arguments = {name: value for name, value in values.items() if value is not None}
    # Raises for wrong arguments before the crawl starts.
    SiteSpider(urls=args.urls, **arguments)
    if not settings.getdict("FEEDS") and not settings.getdict("ITEM_PIPELINES"):
        raise UsageError("the pages need a feed: -O FILE")
    process = process_of(command)
    crawler = process.create_crawler(SiteSpider)
    # Signals have weak references, so the variable keeps it alive.
    progress = _Progress(crawler)
    if error := run_crawl(process, crawler, urls=args.urls, **arguments):
        raise error
    progress.clear()
    stats = crawler.stats.get_stats() if crawler.stats else {}
    is_in_use = any(str(uri).startswith("stdout:") for uri in settings.getdict("FEEDS"))
    print(summary(stats), file=sys.stderr if is_in_use else sys.stdout)
    if str(reason := stats.get("finish_reason")).startswith(BROKEN):
        return fail(f"{reason}: the next crawl resumes")
    if "eatext/site/failed/start" in stats:
        return 1
    spider = cast("SiteSpider", crawler.spider)
    if "item_scraped_count" not in stats and not spider.known.is_kept:
        is_start_all = stats.get("eatext/site/asked/page", 0) <= len(spider.urls)
        why = "the start pages lead to no others" if is_start_all else "none was wanted"
        return fail(f"no page is in the feed: {why}")
    return 0


def _check_feeds(feeds: dict[str, Any]) -> None:
    """Raise UsageError for a feed that another crawl cannot append items to."""
    for uri, options in feeds.items():
        path = Path(file_uri_to_path(uri) if uri.startswith("file:") else uri)
        is_kept = (
            not options.get("overwrite") and path.is_file() and path.stat().st_size
        )
        if is_kept and options.get("format") in ("json", "xml"):
            what = "has items of an earlier crawl: none can be appended to it"
            raise UsageError(f"{uri} {what}, only to JSON Lines (.jsonl)")


class _Progress(StatusLine):
    def __init__(self, crawler: Crawler) -> None:
        super().__init__()
        self._crawler = crawler
        self._start, self._next = time.monotonic(), 0.0
        crawler.signals.connect(self.received, signals.response_received)

    def received(self) -> None:
        now, stats = time.monotonic(), self._crawler.stats
        if now < self._next or stats is None:
            return
        self._next = now + _INTERVAL
        responses = stats.get_value("response_received_count", 0)
        items = stats.get_value("item_scraped_count", 0)
        rate = responses / max(now - self._start, 0.1)
        queued = self._crawler.spider.known.waiting()  # type: ignore[union-attr]
        self.show(
            f"{responses} responses, {items} items, {rate:.1f} responses a second,"
            f" {queued} URLs in the queue"
        )


def summary(stats: dict[str, Any]) -> str:
    """A table of the crawl's stats below eatext/site/."""
    prefix = "eatext/site/"
    rows = [
        [*[*key.removeprefix(prefix).split("/"), ""][:3], str(count)]
        for key, count in sorted(stats.items())
        if key.startswith(prefix)
    ]
    return table(["", "kind", "host", "count"], rows)
