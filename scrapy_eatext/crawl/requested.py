"""Remembers the requests of a crawl, and their URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakSet

from scrapy_eatext.crawl.ownrequests import INPUT, RESULT
from scrapy_eatext.crawl.recent import UrlSet, keys_of
from scrapy_eatext.execution.choice import to_json_value

if TYPE_CHECKING:
    from scrapy.http import Request


class Requested:
    """The requests that a crawl has made, and the URLs that it has or will request."""

    def __init__(self) -> None:
        self._requests: WeakSet[Request] = WeakSet()
        self._urls = UrlSet()
        # Whether items find their pages by URLs.
        self.keeps_urls = False

    def prepare(self, request: Request) -> None:
        """Remember a request before it is downloaded."""
        # A request made with the meta of a response inherits that response's text.
        request.meta.pop(RESULT, None)
        self.add(request)
        self.add_url(request.url)
        # If the crawl was paused or shares its queue, another process may have
        # requested the referring page.
        if found_on := request.headers.get("Referer"):
            self.add_url(found_on.decode("latin-1"))

    def add(self, request: Request) -> None:
        """Remember that this crawl sent a request, or got a response to it."""
        self._requests.add(request)

    def __contains__(self, request: Request) -> bool:
        return request in self._requests

    def add_url(self, url: str) -> None:
        """Remember that this crawl has requested a URL, or will request it."""
        if self.keeps_urls:
            self._urls.add(url)

    def has_url(self, url: str) -> bool:
        """Whether this crawl has requested a URL, as far as that is remembered."""
        return any(key in self._urls for key in keys_of(url))


def clean(request: Request) -> None:
    """Make the meta of a request serializable, before it is queued."""
    request.meta.pop(RESULT, None)
    if INPUT in request.meta:
        request.meta[INPUT] = to_json_value(request.meta[INPUT])
