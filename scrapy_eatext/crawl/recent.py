"""What a crawl remembers of its pages, requests, hosts and items, in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from sys import getsizeof
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakSet, ref

import numpy as np
from w3lib.url import canonicalize_url

from scrapy_eatext.crawl.ownrequests import RESULT
from scrapy_eatext.result import Block

if TYPE_CHECKING:
    from scrapy.http import Request, Response

# The maximum number of cached URLs, and of bytes of their results.  An item comes soon
# after its page, so few look-ups go further back than the crawl's concurrency.
MAX_URLS = 1000
MAX_BYTES = 20_000_000
# The size of the table of requested URLs, of 8 bytes each.
MAX_IN_TABLE = 1 << 20
# The maximum number of hosts in each table.
MAX_HOSTS = 1000

_OTHER_SCHEMES = {"http": "https", "https": "http"}

_T = TypeVar("_T")
_TEXT, _XPATH = attrgetter("text"), attrgetter("xpath")
# The response of the item that is in the pipelines.  Scrapy runs all pipelines of an
# item in one context.
_current: ContextVar[ref[Response] | None] = ContextVar("response", default=None)


class RecentPages(Generic[_T]):
    """A bounded cache of values by URL; different URLs of the same page share a key."""

    def __init__(self) -> None:
        self._pages: OrderedDict[int, tuple[_T, int]] = OrderedDict()
        self._bytes = 0

    def remember(self, urls: Iterable[str], page: _T, size: int) -> None:
        for key in {hash(_canonical(url)) for url in set(urls)}:
            if key in self._pages:
                self._bytes -= self._pages.pop(key)[1]
            self._pages[key] = page, size
            self._bytes += size
        while len(self._pages) > MAX_URLS or self._bytes > MAX_BYTES:
            _, (_, oldest_size) = self._pages.popitem(last=False)
            self._bytes -= oldest_size

    def find(self, key: int) -> _T | None:
        entry = self._pages.get(key)
        return None if entry is None else entry[0]


class Requested:
    """The requests that a crawl has made, and the URLs that it has or will request.

    URLs are kept in a table of fixed size, in which a URL replaces an earlier one at the
    same place.
    """

    def __init__(self) -> None:
        self._requests: WeakSet[Request] = WeakSet()
        # Whether the pipeline finds the pages of items by their URLs.
        self.keeps_urls = False
        # The operating system allocates only the parts that are written to.
        self._keys = np.zeros(MAX_IN_TABLE, dtype=np.int64)

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
        self._requests.add(request)

    def __contains__(self, request: Request) -> bool:
        return request in self._requests

    def add_url(self, url: str) -> None:
        """Remember that this crawl has requested a URL, or will request it."""
        if self.keeps_urls:
            key = key_of(url)
            self._keys[key % MAX_IN_TABLE] = key

    def has_url(self, url: str) -> bool:
        """Whether the table has a URL, or a variant of it."""
        return any(self._keys[key % MAX_IN_TABLE] == key for key in keys_of(url))


class ItemTies:
    """The responses of a crawl's items."""

    def __init__(self) -> None:
        # Whether a pipeline fills items.
        self.wanted = False
        # By id(), as few items are hashable.  The reference keeps the id from being
        # reused.
        self._tied: dict[int, tuple[Any, list[ref[Response]]]] = {}

    def tie(self, item: object, response: Response) -> None:
        """Remember an item's response until the item enters the pipelines.

        If the item never enters them, the tie ends when the response is freed.
        """
        if not self.wanted:
            return
        key = id(item)
        _, ties = self._tied.setdefault(key, (item, []))
        ties.append(ref(response, lambda tie: self._untie(key, tie)))

    def _untie(self, key: int, tie: ref[Response]) -> None:
        _, ties = self._tied[key]
        ties.remove(tie)
        if not ties:
            del self._tied[key]

    def enter(self, item: Any) -> Any:
        """Untie an item that enters the pipelines, and set its context's response."""
        response = None
        if id(item) in self._tied:
            _, ties = self._tied[id(item)]
            # An item that was yielded twice enters twice, in the same order.
            response = ties.pop(0)()
            if not ties:
                del self._tied[id(item)]
        _current.set(None if response is None else ref(response))
        return item


def current_response() -> Response | None:
    """The response of the item that is in the pipelines in this context."""
    tie = _current.get()
    return None if tie is None else tie()


def by_host(make: Callable[[], _T]) -> Callable[[int], _T]:
    """A table with a value for the hash of each host, which ``make`` makes.

    A host's name may have any length.  The least recent host is dropped.
    """
    return lru_cache(MAX_HOSTS)(lambda key: make())


def key_of(url: str) -> int:
    return hash(_canonical(url))


def keys_of(url: str) -> list[int]:
    """A URL's key, and those of its variants, which most likely are the same page.

    They differ in http or https, and in a slash at the end of the path.
    """
    canonical = _canonical(url)
    path, mark, query = canonical.partition("?")
    other_path = path[:-1] if path.endswith("/") else path + "/"
    variants = [canonical, other_path + mark + query]
    for variant in variants[:]:
        scheme, colon, address = variant.partition(":")
        if scheme in _OTHER_SCHEMES:
            variants.append(_OTHER_SCHEMES[scheme] + colon + address)
    return [hash(url) for url in variants]


def size_of(value: Any) -> int:
    """The bytes of a value and its parts; a part with two references counts twice."""
    size, todo = 0, [value]
    while todo:
        value = todo.pop()
        size += getsizeof(value)
        if isinstance(value, str):
            continue
        if isinstance(value, Mapping):
            todo += (*value, *value.values())
        elif isinstance(value, (list, tuple)):
            if value and isinstance(value[0], Block):
                # A page has thousands of blocks, and they share all other values.
                own = chain(value, map(_TEXT, value), map(_XPATH, value))
                size += sum(map(getsizeof, own))
            else:
                todo += value
        elif is_dataclass(value):
            todo += [getattr(value, field.name) for field in fields(value)]
    return size


def _canonical(url: str) -> str:
    try:
        canonical: str = canonicalize_url(url)
    except ValueError:  # an invalid URL
        return url
    return canonical
