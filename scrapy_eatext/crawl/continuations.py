"""Articles of several pages: requests their further pages and joins the results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from twisted.internet.defer import CancelledError

from scrapy_eatext.crawl.extractor import further_pages
from scrapy_eatext.crawl.ownrequests import (
    continuation_meta,
    counted_failure,
    download,
    is_closing,
)
from scrapy_eatext.page.continued import page_of
from scrapy_eatext.result import joined

if TYPE_CHECKING:
    from scrapy.http import Request, Response, TextResponse

    from scrapy_eatext.crawl.extractor import Extracted
    from scrapy_eatext.crawl.service import Service
    from scrapy_eatext.execution.cascade import Outcome

# Kinds of pages whose next pages are not joined, as they have other content.
_LISTS = frozenset(("collection", "listing", "forum", "product", "service"))


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
            if is_closing(service.crawler):
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
    choice, _ = service.admission.choice_for(request, response)
    # A redirect may lead anywhere, and a spider may handle error pages.
    is_page = page_of(response.url) == page_of(url) and 200 <= response.status < 300
    if choice is None or not is_page:
        return None
    choice = choice.of_continuation
    outcome = await service.extractor.run(response, response.url, choice, sought)
    service.extractor.counted(response.url, outcome, choice)
    return (response, outcome) if outcome.result.text else None
