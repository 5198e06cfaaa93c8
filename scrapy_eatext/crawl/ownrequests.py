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
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from scrapy.http.request import NO_CALLBACK
from twisted.internet.defer import CancelledError

from scrapy_eatext.crawl.tally import shortened
from scrapy_eatext.execution.choice import to_json_value
from scrapy_eatext.page.continued import page_of
from scrapy_eatext.result import joined

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response, TextResponse

    from scrapy_eatext.crawl.extractor import Extracted
    from scrapy_eatext.crawl.service import Service
    from scrapy_eatext.crawl.tally import Tally
    from scrapy_eatext.execution.cascade import Outcome

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
# Kinds of pages whose next pages are not joined, as they have other content.
_LISTS = frozenset(("collection", "listing", "forum", "product", "service"))

# The further pages that were joined to each response.
further_pages: WeakKeyDictionary[TextResponse, list[TextResponse]] = WeakKeyDictionary()


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


def retry_meta(meta: Mapping[Any, Any], added: Mapping[Any, Any]) -> dict[Any, Any]:
    """The meta of a page's retry, with the keys of EATEXT_WEAK in ``added``.

    It bypasses Scrapy's cache, which would return the first response, as both requests
    have the same fingerprint.  RetryMiddleware does not repeat a retry that fails.
    """
    return {**_inherited(meta), **_own(added), **dict.fromkeys(_ONLY_RETRY, True)}


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


def make_direct(meta: dict[Any, Any], added: Mapping[Any, Any]) -> None:
    """Add a retry's meta to a page's first request."""
    meta[DIRECT] = "dont_cache" in meta
    meta.update(_own(added), dont_cache=True)


def _own(value: Any) -> Any:
    """A value with dicts and lists of its own, which middlewares may change."""
    if isinstance(value, Mapping):
        return {key: _own(one) for key, one in value.items()}
    return list(map(_own, value)) if isinstance(value, list) else value


def was_direct(meta: dict[Any, Any]) -> bool:
    """Whether a request was made direct.  Removes the mark."""
    had_dont_cache = meta.pop(DIRECT, None)
    if had_dont_cache is False:
        meta.pop("dont_cache", None)
    return had_dont_cache is not None


def clean(request: Request) -> None:
    """Make the meta of a request serializable, before it is queued."""
    request.meta.pop(RESULT, None)
    if INPUT in request.meta:
        request.meta[INPUT] = to_json_value(request.meta[INPUT])


def _inherited(meta: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in meta.items() if not _is_of_download(key)}


def _is_of_download(key: object) -> bool:
    return isinstance(key, str) and _OF_DOWNLOAD.match(key) is not None


# -- articles of several pages


async def join_continuations(
    service: Service, request: Request, response: Response, first: Extracted, url: str
) -> Extracted:
    """A page's result, joined with those of its continuations.

    ``first`` is the result of ``response``, and ``url`` the URL of the second page.
    """
    if first.kind != "extracted" or first.result.page_type in _LISTS:
        return first
    results, pages = [first.result], [cast("TextResponse", response)]
    try:
        while url and len(results) < service.config.pages and request.method == "GET":
            # Scrapy has no public API for whether the spider is being closed.
            slot = getattr(service.crawler.engine, "_slot", None)
            if slot and slot.closing:
                service.tally.inc("pages/given_up")
                break
            sought = response.url, len(results) + 2
            found = await _continuation(service, request, url, sought)
            if not found:
                break
            page, outcome = found
            if any(outcome.result.text == earlier.body for earlier in results):
                break
            results.append(outcome.result)
            pages.append(cast("TextResponse", page))
            service.tally.inc("pages/joined")
            url = outcome.next_url
    except CancelledError:  # Twisted's; asyncio's is not an Exception
        raise
    except Exception as error:  # noqa: BLE001 - the pages so far are joined
        service.tally.error(response.url, error)
    if len(results) == 1:
        return first
    further_pages[pages[0]] = pages[1:]
    return replace(first, result=joined(results))


async def _continuation(
    service: Service, request: Request, url: str, sought: tuple[str, int]
) -> tuple[Response, Outcome] | None:
    """A continuation and its outcome, None if it fails, has no text or is another page."""
    tally, meta = service.tally, continuation_meta(request.meta)
    tally.inc("pages/asked")
    message = "No further page of %(first)s at %(url)s"
    response: Any = None
    with counted_failure(tally, "pages/failed", message, first=request.url, url=url):
        response = await download(service.crawler, request, meta, url)
    if response is None:
        return None
    choice, _ = service.extractor.choice_for(request, response)
    # A redirect may lead anywhere, and a spider may handle error pages.
    is_page = page_of(response.url) == page_of(url) and 200 <= response.status < 300
    if choice is None or not is_page:
        return None
    choice = choice.of_continuation
    outcome = await service.extractor.run(response, response.url, choice, sought)
    service.extractor.counted(response.url, outcome, choice)
    return (response, outcome) if outcome.result.text else None
