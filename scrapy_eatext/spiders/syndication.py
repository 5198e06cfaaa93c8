"""The URLs in sitemaps, and in feeds in RSS, Atom and JSON Feed."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from time import strftime

from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import Sitemap

logger = logging.getLogger(__name__)

# The sitemap protocol's limit on the size of an unpacked sitemap.
_MAX_SIZE = 50 << 20


def read_sitemap(body: bytes) -> Iterator[tuple[str, str, str]]:
    """The entries of a sitemap: "page" or "sitemap", URL, and lastmod or "".

    It may be text with a URL in each line.  A broken sitemap gives the entries before the
    error, and other data gives none.
    """
    # Broken data makes gzip and lxml raise many kinds of exceptions.
    with suppress(Exception):
        if body.startswith(b"\x1f\x8b\x08"):
            body = gunzip(body, max_size=_MAX_SIZE)
        if b"<" not in body:
            for line in body.decode("utf-8-sig").splitlines():
                if line.startswith(("http://", "https://")):
                    yield "page", line.strip(), ""
            return
        sitemap = Sitemap(body)
        role = {"sitemapindex": "sitemap", "urlset": "page"}.get(sitemap.type, "")
        for entry in sitemap if role else ():
            yield role, entry["loc"], entry.get("lastmod", "")


def pages_of_feed(body: bytes, url: str) -> Iterator[tuple[str, str]]:
    """The URLs in a feed, each with the time of its last change, or "".

    ``url`` is the feed's own.  Data that is not a feed gives none.  Without feedparser
    RSS and Atom give none, and a warning is logged.
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
        feed = feedparser.parse(body, response_headers={"content-location": url})
    except Exception:  # noqa: BLE001 - broken feeds make it raise any exception
        return
    for entry in feed.entries:
        # feedparser's get() returns "published" for "updated", and warns.
        time = dict.get(entry, "updated_parsed") or dict.get(entry, "published_parsed")
        date = strftime("%Y-%m-%dT%H:%M:%SZ", time) if time else ""
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
