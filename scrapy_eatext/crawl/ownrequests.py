"""Requests that this package makes itself, for retries and continuations.

They pass all middlewares but not the scheduler: a scheduled request would have to hold
the first response meanwhile, and could be written to disk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrapy.http.request import NO_CALLBACK

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

# The keys in a request's meta: how to extract its page, and its response's result.
INPUT = "eatext"
RESULT = "main_text"
# Marks a request that this package made, and a page's first one with a retry's meta.
OWN, DIRECT = "_eatext_second", "_eatext_direct"

# Keys that a download puts into its request's meta; no other request may inherit them.
_OF_DOWNLOAD = re.compile(
    r"download_|redirect_|retry_times$|cached$|cached_response$|cache_timestamp$"
    r"|_dont_cache$|_eatext|_auth_|main_text$"
)
# Keys by which a spider controls a download; continuations of the page inherit them.
_BY_SPIDER = re.compile("download_(?!latency$)")
# A page of scrapy-playwright's browser that is left open for the spider.
_OPEN = frozenset(("playwright_page", "playwright_include_page"))
# Keys that only a retry has.
_ONLY_RETRY = frozenset(("dont_cache", "dont_retry", OWN))


async def download(
    crawler: Crawler, request: Request, meta: dict[Any, Any], url: str = ""
) -> Response:
    """The response to a request with another meta, and with another URL if any."""
    again = request.replace(
        url=url or request.url, meta=meta, callback=NO_CALLBACK, errback=None
    )
    response: Response = await crawler.engine.download_async(again)
    return response


def is_closing(crawler: Crawler) -> bool:
    """Whether the spider is being closed, and waits for what is under way."""
    # Scrapy has no signal for it.
    slot = getattr(crawler.engine, "_slot", None)
    return slot is not None and slot.closing is not None


def retry_meta(meta: Mapping[Any, Any], added: Mapping[Any, Any]) -> dict[Any, Any]:
    """The meta of a page's retry, with what EATEXT_WEAK adds.

    It has no key of the first request's download.  It bypasses Scrapy's cache, which
    would give the first response again, as both requests have one fingerprint; and a
    retry that fails is not retried.
    """
    return {
        **_inherited(meta),
        **added,
        "dont_cache": True,
        "dont_retry": True,
        OWN: True,
    }


def continuation_meta(meta: Mapping[Any, Any]) -> dict[Any, Any]:
    """The meta of a request for a page that continues another.

    It has the spider's time limit and slot, but no browser's page that the spider keeps
    open: that one stays on the first page.
    """
    by_spider = {
        k: v for k, v in meta.items() if isinstance(k, str) and _BY_SPIDER.match(k)
    }
    inherited = {k: v for k, v in _inherited(meta).items() if k not in _OPEN}
    return {**inherited, **by_spider, OWN: True}


def adopt_retry(meta: dict[Any, Any], retry: Mapping[Any, Any]) -> None:
    """Give a page's request its retry's meta, as the retry's response is kept."""
    urls = [*meta.get("redirect_urls", ()), *retry.get("redirect_urls", ())]
    for key in [key for key in meta if _is_of_download(key)]:
        del meta[key]
    meta.update({key: v for key, v in retry.items() if key not in _ONLY_RETRY})
    if urls:
        meta["redirect_urls"] = urls


def has_retry_meta(meta: Mapping[Any, Any], added: Mapping[Any, Any]) -> bool:
    """Whether a request has already what a retry would add."""
    return all(key in meta and meta[key] == added[key] for key in added)


def make_direct(meta: dict[Any, Any], added: Mapping[Any, Any]) -> None:
    """Give a page's first request what a retry would add."""
    meta[DIRECT] = "dont_cache" in meta
    meta.update(added, dont_cache=True)


def was_direct(meta: dict[Any, Any]) -> bool:
    """Whether a request was made direct; it is not marked any more."""
    if DIRECT not in meta:
        return False
    if not meta.pop(DIRECT):
        meta.pop("dont_cache", None)
    return True


def _inherited(meta: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in meta.items() if not _is_of_download(key)}


def _is_of_download(key: object) -> bool:
    return isinstance(key, str) and _OF_DOWNLOAD.match(key) is not None
