"""Articles of several pages: requests their further pages and joins the results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

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
            page = await _download(service, request, url)
            sought = response.url, len(results) + 2
            outcome = page and await _outcome(service, request, page, url, sought)
            if not page or not outcome:
                break
            if any(outcome.result.text == earlier.body for earlier in results):
                break
            results.append(outcome.result)
            pages.append(page)
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


async def _download(
    service: Service, request: Request, url: str
) -> TextResponse | None:
    """The continuation at a URL, None if it cannot be downloaded."""
    tally = service.tally
    tally.inc("pages/asked")
    meta = continuation_meta(request.meta)
    message = "No further page of %(first)s at %(url)s"
    response = None
    with counted_failure(tally, "pages/failed", message, first=request.url, url=url):
        response = await download(service.crawler, request, meta, url)
    return cast("TextResponse | None", response)


async def _outcome(
    service: Service,
    request: Request,
    page: TextResponse,
    url: str,
    sought: tuple[str, int],
) -> Outcome | None:
    """The outcome of a continuation, None if it has no text or is another page."""
    choice, _ = service.admission.choice_for(request, page)
    # A redirect may lead anywhere, and a spider may handle error pages.
    is_page = page_of(page.url) == page_of(url) and 200 <= page.status < 300
    if choice is None or not is_page:
        return None
    choice = choice.of_continuation
    outcome = await service.extractor.run(page, page.url, choice, sought)
    service.extractor.counted(page.url, outcome, choice)
    return outcome if outcome.result.text else None
