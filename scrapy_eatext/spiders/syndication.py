"""The URLs in sitemaps, and in feeds in RSS, Atom and JSON Feed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from lxml.etree import XMLParser, XMLSyntaxError, _Element, fromstring
from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import Sitemap

from scrapy_eatext.page.dates import iso
from scrapy_eatext.page.urls import joined

# The sitemap protocol's limit on the size of an unpacked sitemap.
_MAX_SIZE = 50 << 20
_LONGEST_DATE = 64
_BARE_AMPERSAND = re.compile(rb"&(?!#?\w{1,10};)")


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
    """The URLs in a feed, each with the time of its last change in UTC, or "".

    ``url`` is the feed's own.  Data that is not a feed gives none, and a broken feed
    those that lxml recovers.
    """
    if body.lstrip()[:1] == b"{":
        yield from _pages_of_json(body)
        return
    root = _root(body, url)
    for entry in root.iter("{*}item", "{*}entry") if root is not None else ():
        # lxml raises UnicodeDecodeError at half a surrogate pair.
        with suppress(UnicodeError):
            if link := _link(entry):
                yield joined(entry.base or url, link), _last_change(entry)


def _root(body: bytes, url: str) -> _Element | None:
    """The root of a feed.

    feedparser is not used, as it takes quadratic time for some feeds, and opens files
    that a feed names.
    """
    for recover in (False, True):
        parser = XMLParser(recover=recover, resolve_entities=False, no_network=True)
        with suppress(XMLSyntaxError, ValueError):
            return fromstring(body, parser, base_url=url)
        # Addresses with & are the most frequent error.
        body = _BARE_AMPERSAND.sub(b"&amp;", body)
    return None


def _link(entry: _Element) -> str:
    """The URL of an entry's page: the first of its links that is no other version."""
    for link in entry.iterchildren("{*}link"):
        address = (link.get("href") or link.text or "").strip()
        if address and link.get("rel", "alternate") == "alternate":
            return address
    guid = entry.findtext("{*}guid", "").strip()
    return guid if guid.startswith(("http://", "https://")) else ""


def _last_change(entry: _Element) -> str:
    for name in ("updated", "modified", "date", "pubDate", "published", "issued"):
        with suppress(ValueError, OverflowError):
            text = entry.findtext(f"{{*}}{name}", "")[:_LONGEST_DATE]
            # A mail's date may have two digits of the year, which iso() does not read.
            date = iso(text)
            time = datetime.fromisoformat(date) if date else parsedate_to_datetime(text)
            if time.tzinfo:
                time = time.astimezone(timezone.utc)
            return time.strftime("%Y-%m-%dT%H:%M:%SZ")
    return ""


def _pages_of_json(body: bytes) -> Iterator[tuple[str, str]]:
    try:
        items = json.loads(body)["items"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and isinstance(item.get("url"), str):
            date = item.get("date_modified") or item.get("date_published") or ""
            yield item["url"], date if isinstance(date, str) else ""
