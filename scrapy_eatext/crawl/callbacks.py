"""main_text(): the main text of a response, for callbacks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.http import JsonResponse, Response, TextResponse

from scrapy_eatext.crawl.extractor import attached
from scrapy_eatext.crawl.service import services
from scrapy_eatext.extraction import extract
from scrapy_eatext.page.decode import is_binary
from scrapy_eatext.result import NOTHING

if TYPE_CHECKING:
    from scrapy_eatext.result import MainText

# Not kept in request.meta, which other requests may inherit.
_extracted_here: WeakKeyDictionary[Response, MainText] = WeakKeyDictionary()


def main_text(response: Response) -> MainText:
    """The main text of a response, for callbacks.

    It is the result that the downloader middleware attached.  If there is none, or the
    response has been replaced since, the response is extracted now, with the settings
    of its request's crawl; without a request, with those of the only crawl in this
    process.  Without this package's components, or if the crawl is unknown, which is
    logged as a warning, the default algorithm extracts it.

    The result is empty for JSON and for what is not text, by its type or its bytes,
    such as an image.  Raises TypeError for other objects, and SettingError for a wrong
    ``eatext`` in the request's meta.
    """
    if not isinstance(response, Response):
        raise TypeError(
            f"main_text() takes a Scrapy response, not {type(response).__name__}; "
            "extract() takes HTML and selectors"
        )
    if (
        not isinstance(response, TextResponse)
        or isinstance(response, JsonResponse)
        or is_binary(response.body, response.encoding)
    ):
        return NOTHING
    request = response.request
    if request is not None and (found := attached(request, response)):
        return found
    if response not in _extracted_here:
        _extracted_here[response] = _known_or_extracted(response)
    return _extracted_here[response]


def _known_or_extracted(response: TextResponse) -> MainText:
    # The service of a crawl that could not start may still exist.
    crawls = [s for s in services.values() if s.crawler.crawling]
    # In downloader middlewares a response has no request yet.
    for crawl in crawls:
        if known := crawl.extractor.known(response):
            return known
    # A response has no reference to its crawl.  A replaced one keeps its request.
    request = response.request
    own = [c for c in crawls if request is None or request in c.requested]
    if len(own) == 1:
        return own[0].extractor.now(response)
    if crawls:
        # The settings and stats of another crawl would be wrong.
        why = f"has no request, and {len(own)} crawls run"
        if not own:
            why = "belongs to no request of a crawl with this package's components"
        crawls[0].tally.log(
            logging.WARNING,
            "main_text(): %(response)s %(why)s, so the default algorithm extracts it; "
            'put ADDONS = {"scrapy_eatext.Addon": 500} into the settings of its crawl, '
            "or give it its request: response.replace(request=...)",
            {"response": response, "why": why},
            once=f"main_text() {bool(own)}",
        )
    return extract(response)
