"""Pages by their URLs: what is known of those seen last, and which were seen at all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from sys import getsizeof
from typing import Any, Generic, TypeVar

import numpy as np
from w3lib.url import canonicalize_url

from scrapy_eatext.result import Block

# How many URLs are remembered, and with how many bytes.  An item follows its page,
# so that a crawl seldom looks further back than its concurrency.
MAX_URLS = 1000
MAX_BYTES = 20_000_000
# Of so many URLs at most it is known that they were seen.  They take 8 bytes each.
SEEN_URLS = 1 << 20

_T = TypeVar("_T")


class RecentPages(Generic[_T]):
    """A table of bounded size; URLs that mean the same page find the same."""

    def __init__(self) -> None:
        self._pages: OrderedDict[int, tuple[_T, int]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._pages)

    def remember(self, urls: Iterable[str], page: _T, size: int) -> None:
        """Remember what is known of a page, which takes so many bytes."""
        for key in {key_of(url) for url in set(urls)}:
            if key in self._pages:
                self._bytes -= self._pages.pop(key)[1]
            self._pages[key] = page, size
            self._bytes += size
        while len(self._pages) > MAX_URLS or self._bytes > MAX_BYTES:
            _, (_, least) = self._pages.popitem(last=False)
            self._bytes -= least

    def find(self, key: int) -> _T | None:
        """What is known of the page last seen at the URL that has this key."""
        found = self._pages.get(key)
        return None if found is None else found[0]


class SeenUrls:
    """Whether a URL was seen, in a table that does not grow.

    A URL takes the place of another where both fall on the same one: of very many
    the last are known.
    """

    def __init__(self) -> None:
        # Takes memory only where it is written to.
        self._table = np.zeros(SEEN_URLS, dtype=np.int64)

    def add(self, url: str) -> None:
        key = key_of(url)
        self._table[key % SEEN_URLS] = key

    def __contains__(self, key: int) -> bool:
        return bool(self._table[key % SEEN_URLS] == key)


def key_of(url: str) -> int:
    """What URLs of the same page have in common; of a long one no more is kept."""
    return hash(_canonical(url))


def keys_of(url: str) -> list[int]:
    """A URL's key, and those of the URLs that most likely mean the same page.

    They differ in http and https, and in a slash at the end of the path.
    """
    canonical = _canonical(url)
    path, mark, query = canonical.partition("?")
    other = path[:-1] if path.endswith("/") else path + "/"
    alike = [canonical, other + mark + query]
    alike += [_other_scheme(url) for url in alike]
    return [hash(url) for url in alike]


def size_of(value: Any) -> int:
    """The bytes that a value takes, with all that it holds, each time it holds it."""
    size, todo = 0, [value]
    while todo:
        value = todo.pop()
        size += getsizeof(value)
        if isinstance(value, str):
            continue
        if isinstance(value, Block):
            # There are thousands of them, and what else they hold they share.
            todo += (value.text, value.xpath)
        elif isinstance(value, Mapping):
            todo += (*value, *value.values())
        elif isinstance(value, (list, tuple)):
            todo += value
        elif is_dataclass(value):
            todo += [getattr(value, field.name) for field in fields(value)]
    return size


def _canonical(url: str) -> str:
    try:
        canonical: str = canonicalize_url(url)
    except ValueError:  # it is no URL
        return url
    return canonical


def _other_scheme(url: str) -> str:
    scheme, colon, rest = url.partition(":")
    other = {"http": "https", "https": "http"}.get(scheme, scheme)
    return other + colon + rest
