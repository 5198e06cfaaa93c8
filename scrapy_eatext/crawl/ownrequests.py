"""This package's keys in the meta of requests, and the requests that it makes.

Requests for retries and continuations pass through all downloader middlewares but not
through the scheduler: a scheduled request would have to hold the first response, and
could be written to disk.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrapy.http.request import NO_CALLBACK
from twisted.internet.defer import CancelledError

from scrapy_eatext.crawl.tally import shortened
from scrapy_eatext.execution.choice import to_json_value

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

    from scrapy_eatext.crawl.tally import Tally

# The keys in a request's meta: overrides of settings, and the result.
INPUT = "eatext"
RESULT = "main_text"
# The keys that mark a request of this package, and a first request with a retry's meta.
OWN, DIRECT = "_eatext_second", "_eatext_direct"

# Keys that a download adds to its request's meta, which no other request may inherit.
_OF_DOWNLOAD = re.compile(
    r"download_|redirect_|retry_times$|cached$|cached_response$|cache_timestamp$"
    r"|_dont_cache$|_eatext|_auth_|main_text$"
)
# Keys by which a spider controls a download; continuations of the page inherit them.
_BY_SPIDER = re.compile("download_(?!latency$)")
# Keys of scrapy-playwright for a browser page that stays open for the spider.
_OPEN = frozenset(("playwright_page", "playwright_include_page"))
# Keys that only a retry has.
_ONLY_RETRY = frozenset(("dont_cache", "dont_retry", OWN))


async def download(
    crawler: Crawler, request: Request, meta: dict[Any, Any], url: str = ""
) -> Response:
    """The response to a copy of a request with another meta, and a URL if any."""
    again = request.replace(
        url=url or request.url, meta=meta, callback=NO_CALLBACK, errback=None
    )
    return await crawler.engine.download_async(again)


@contextmanager
def counted_failure(
    tally: Tally, name: str, message: str, **values: object
) -> Iterator[None]:
    """Count and log an error of a further request, which the page does not need."""
    try:
        yield
    except CancelledError:  # Twisted's; asyncio's is not an Exception
        raise
    except Exception as error:  # noqa: BLE001
        tally.inc(name)
        values["error"] = shortened(error)
        tally.log(logging.INFO, f"{message}: %(error)s", values)


def is_closing(crawler: Crawler) -> bool:
    """Whether the spider is being closed, and waits for its requests."""
    # Scrapy has no public API for this.
    slot = getattr(crawler.engine, "_slot", None)
    return slot is not None and slot.closing is not None


def retry_meta(meta: Mapping[Any, Any], added: Mapping[Any, Any]) -> dict[Any, Any]:
    """The meta of a page's retry, with the keys of EATEXT_WEAK in ``added``.

    It bypasses Scrapy's cache, which would return the first response, as both requests
    have the same fingerprint.  RetryMiddleware does not repeat a retry that fails.
    """
    return {**_inherited(meta), **added, **dict.fromkeys(_ONLY_RETRY, True)}


def continuation_meta(meta: Mapping[Any, Any]) -> dict[Any, Any]:
    """The meta of a continuation: it has no browser page that stays open for the first."""
    by_spider = {
        k: v for k, v in meta.items() if isinstance(k, str) and _BY_SPIDER.match(k)
    }
    inherited = {k: v for k, v in _inherited(meta).items() if k not in _OPEN}
    return {**inherited, **by_spider, OWN: True}


def adopt_retry(meta: dict[Any, Any], retry: Mapping[Any, Any]) -> None:
    """Put the meta of a retry into the page's request, whose response it replaces."""
    urls = [*meta.get("redirect_urls", ()), *retry.get("redirect_urls", ())]
    for key in [key for key in meta if _is_of_download(key)]:
        del meta[key]
    meta.update({key: v for key, v in retry.items() if key not in _ONLY_RETRY})
    if urls:
        meta["redirect_urls"] = urls


def has_retry_meta(meta: Mapping[Any, Any], added: Mapping[Any, Any]) -> bool:
    """Whether a request already has the meta that a retry would add."""
    return all(key in meta and meta[key] == added[key] for key in added)


def make_direct(meta: dict[Any, Any], added: Mapping[Any, Any]) -> None:
    """Add a retry's meta to a page's first request."""
    meta[DIRECT] = "dont_cache" in meta
    meta.update(added, dont_cache=True)


def was_direct(meta: dict[Any, Any]) -> bool:
    """Whether a request was made direct.  Removes the mark."""
    if DIRECT not in meta:
        return False
    if not meta.pop(DIRECT):
        meta.pop("dont_cache", None)
    return True


def clean(request: Request) -> None:
    """Make the meta of a request serializable, before it is queued."""
    request.meta.pop(RESULT, None)
    if INPUT in request.meta:
        request.meta[INPUT] = to_json_value(request.meta[INPUT])


def _inherited(meta: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in meta.items() if not _is_of_download(key)}


def _is_of_download(key: object) -> bool:
    return isinstance(key, str) and _OF_DOWNLOAD.match(key) is not None
