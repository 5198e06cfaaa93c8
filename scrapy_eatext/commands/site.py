"""`scrapy eatext site`: crawls whole sites into a feed."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from scrapy import signals
from scrapy.exceptions import UsageError
from scrapy.utils.conf import feed_process_params_from_cli

from scrapy_eatext.commands.fetching import run_crawl
from scrapy_eatext.commands.terminal import StatusLine, fail, table
from scrapy_eatext.spiders.arguments import ARGUMENTS
from scrapy_eatext.spiders.site import FIELDS, SiteSpider

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand
    from scrapy.crawler import Crawler, CrawlerProcessBase
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
    for name in _NAMES:
        flag, meaning = f"--{name.replace('_', '-')}", ARGUMENTS[name].meaning
        parser.add_argument(flag, metavar="VALUE", help=meaning)
    parser.add_argument(
        "-m", "--markdown", action="store_true", help="write Markdown instead of text"
    )
    add = partial(parser.add_argument, metavar="FILE", action="append")
    add("-o", "--output", help="append the items to this file")
    add("-O", "--overwrite-output", help="write the items to this file")


def run(args: Namespace, command: ScrapyCommand) -> int:
    """Crawl the sites and return the exit code.  Raises ERRORS."""
    settings = cast("Settings", command.settings)
    process = cast("CrawlerProcessBase", command.crawler_process)
    if args.output or args.overwrite_output:
        feeds = feed_process_params_from_cli(
            settings, args.output or [], overwrite_output=args.overwrite_output
        )
        settings.set("FEEDS", feeds, "cmdline")
    if args.markdown:
        fields = {**FIELDS, "markdown": "markdown"}
        del fields["text"]
        settings.set("EATEXT_FIELDS", fields, "cmdline")
    values = {name: getattr(args, name) for name in _NAMES}
    arguments = {name: value for name, value in values.items() if value is not None}
    # Raises for wrong arguments before the crawl starts.
    SiteSpider(urls=args.urls, **arguments)
    if not settings.getdict("FEEDS") and not settings.getdict("ITEM_PIPELINES"):
        raise UsageError("the pages need a feed: -O FILE", print_help=False)
    crawler = process.create_crawler(SiteSpider)
    # Signals have weak references, so the variable keeps it alive.
    progress = _Progress(crawler)
    for error in run_crawl(process, crawler, urls=args.urls, **arguments):
        raise error
    progress.clear()
    stats = crawler.stats.get_stats() if crawler.stats else {}
    is_in_use = any(str(uri).startswith("stdout:") for uri in settings.getdict("FEEDS"))
    print(summary(stats), file=sys.stderr if is_in_use else sys.stdout)
    if "eatext/site/failed/start" in stats:
        return 1
    spider = cast("SiteSpider", crawler.spider)
    if "item_scraped_count" not in stats and not spider.known.is_kept:
        is_start_all = stats.get("eatext/site/asked/page", 0) <= len(spider.urls)
        why = "the start pages lead to no others" if is_start_all else "none was wanted"
        return fail(f"no page is in the feed: {why}")
    return 0


class _Progress:
    """A status line that shows the progress of a crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler, self._status = crawler, StatusLine()
        self._start, self._next = time.monotonic(), 0.0
        crawler.signals.connect(self.show, signals.response_received)

    def show(self) -> None:
        now, stats = time.monotonic(), self._crawler.stats
        if now < self._next or stats is None:
            return
        self._next = now + _INTERVAL
        responses = stats.get_value("response_received_count", 0)
        items = stats.get_value("item_scraped_count", 0)
        rate = responses / max(now - self._start, 0.1)
        queued = self._crawler.spider.known.waiting()  # type: ignore[union-attr]
        self._status.show(
            f"{responses} responses, {items} items, {rate:.1f} responses a second,"
            f" {queued} URLs in the queue"
        )

    def clear(self) -> None:
        self._status.clear()


def summary(stats: dict[str, Any]) -> str:
    """A table of the crawl's stats below eatext/site/."""
    prefix = "eatext/site/"
    rows = [
        [*[*key.removeprefix(prefix).split("/"), ""][:3], str(count)]
        for key, count in sorted(stats.items())
        if key.startswith(prefix)
    ]
    return table(["", "kind", "host", "count"], rows)
