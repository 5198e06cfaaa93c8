"""The pages that a site itself names: in sitemaps, RSS, Atom and JSON Feed."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from time import strftime

from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import Sitemap

logger = logging.getLogger(__name__)

# How large a sitemap may be, as its protocol says.
_LARGEST = 50 << 20


def read_sitemap(body: bytes) -> Iterator[tuple[str, str, str]]:
    """What a sitemap names: whether it is a "page" or a "sitemap", its address and date.

    The date is when it was changed, as the sitemap says.  What is none names none, and of
    a broken one it is what stands before the fault.
    """
    # Whatever gzip and lxml raise on a broken one.
    with suppress(Exception):
        if body.startswith(b"\x1f\x8b\x08"):
            body = gunzip(body, max_size=_LARGEST)
        sitemap = Sitemap(body)
        role = {"sitemapindex": "sitemap", "urlset": "page"}.get(sitemap.type, "")
        for one in sitemap if role else ():
            yield role, one["loc"], one.get("lastmod", "")


def pages_of_feed(body: bytes, url: str) -> Iterator[tuple[str, str]]:
    """The addresses that a feed names, each with when it was changed, in ISO 8601 or "".

    ``url`` is the feed's own.  What is no feed names none.  A warning says where RSS
    or Atom cannot be read.
    """
    if body.lstrip()[:1] == b"{":
        yield from _pages_of_json(body)
        return
    try:
        import feedparser
    except ImportError:
        hint = 'pip install "scrapy-eatext[site]"'
        logger.warning("feeds in RSS and Atom need feedparser: %s", hint)
        return
    try:
        found = feedparser.parse(body, response_headers={"content-location": url})
    except Exception:  # noqa: BLE001 - whatever it raises on a broken feed
        return
    for entry in found.entries:
        # By itself it would give one for the other, with a warning.
        moment = dict.get(entry, "updated_parsed") or dict.get(
            entry, "published_parsed"
        )
        date = strftime("%Y-%m-%dT%H:%M:%SZ", moment) if moment else ""
        if link := entry.get("link"):
            yield link, date


def _pages_of_json(body: bytes) -> Iterator[tuple[str, str]]:
    try:
        items = json.loads(body)["items"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and isinstance(item.get("url"), str):
            date = item.get("date_modified") or item.get("date_published") or ""
            yield item["url"], date if isinstance(date, str) else ""
