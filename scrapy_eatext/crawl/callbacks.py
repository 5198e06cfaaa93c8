"""main_text(): the main text of a response, for callbacks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.http import Response, TextResponse

from scrapy_eatext.crawl.reextraction import attached
from scrapy_eatext.crawl.service import running_services
from scrapy_eatext.extraction import extract
from scrapy_eatext.result import NOTHING

if TYPE_CHECKING:
    from scrapy_eatext.result import MainText

# Not in the meta of requests, which other requests may inherit.
_extracted_here: WeakKeyDictionary[Response, MainText] = WeakKeyDictionary()


def main_text(response: Response) -> MainText:
    """The main text of a response, for callbacks.

    It is the result that the downloader middleware attached.  If there is none, or the
    response has been replaced since, the response is extracted here and now, by the
    settings of the crawl that got a response to its request; without a request, by
    those of the only crawl in this process.  The default algorithm extracts it if no
    component of this package is on, or if it is not clear which crawl the response
    is of; a warning says the latter.

    A response that is no text, such as an image, has an empty result.  Raises TypeError
    for what is no response, and SettingError for a wrong ``eatext`` in the meta of the
    request where the response is extracted here.
    """
    if not isinstance(response, Response):
        raise TypeError(
            f"main_text() takes a response of Scrapy, not {type(response).__name__}; "
            "extract() takes HTML and selectors"
        )
    if not isinstance(response, TextResponse):
        return NOTHING
    request = response.request
    if request is not None and (found := attached(request, response)):
        return found
    if response not in _extracted_here:
        _extracted_here[response] = _known_or_extracted(response)
    return _extracted_here[response]


def _known_or_extracted(response: TextResponse) -> MainText:
    crawls = running_services()
    # In downloader middlewares a response has no request yet.
    for crawl in crawls:
        if known := crawl.extractor.known(response):
            return known
    # A response does not know its crawl; a replaced response still has its request.
    request = response.request
    own = [c for c in crawls if request is None or request in c.requested]
    if len(own) == 1:
        return own[0].extractor.now(response)
    if own:
        own[0].tally.log(
            logging.WARNING,
            "main_text(): no request tells which of %(count)d crawls %(response)s is "
            "of, so it is extracted by the default algorithm; give the response its "
            "request: response.replace(request=...)",
            {"count": len(own), "response": response},
            once="main_text",
        )
    elif crawls:
        # It is not for another crawl to lend its settings, or to count this page.
        crawls[0].tally.log(
            logging.WARNING,
            "main_text(): %(response)s answers no request of a crawl that has this "
            "package's components, so it is extracted by the default algorithm; put "
            'ADDONS = {"scrapy_eatext.Addon": 500} into the settings of its crawl, or '
            "give the response its request: response.replace(request=...)",
            {"response": response},
            once="main_text of no crawl",
        )
    return extract(response)
