"""The pages that a site's feed names: RSS, Atom and JSON Feed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from time import strftime


class MissingParserError(ImportError):
    """feedparser is not installed."""


def pages_of_feed(body: bytes, url: str) -> Iterator[tuple[str, str]]:
    """The addresses that a feed names, each with when it was changed, in ISO 8601 or "".

    ``url`` is the feed's own.  What is no feed names none.  Raises MissingParserError
    where RSS or Atom cannot be read.
    """
    if body.lstrip()[:1] == b"{":
        yield from _pages_of_json(body)
        return
    try:
        import feedparser
    except ImportError as error:
        raise MissingParserError(
            'feeds in RSS and Atom need feedparser: pip install "scrapy-eatext[site]"'
        ) from error
    found = feedparser.parse(body, response_headers={"content-location": url})
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
