"""What is known of the pages seen last, by their URLs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Generic, TypeVar

from w3lib.url import canonicalize_url

# How many URLs are remembered, and with how much text.  An item follows its page,
# so that a crawl seldom looks further back than its concurrency.
MAX_URLS = 1000
MAX_CHARS = 10_000_000

_T = TypeVar("_T")


class RecentPages(Generic[_T]):
    """A table of bounded size; URLs that mean the same page find the same."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, tuple[_T, int]] = OrderedDict()
        self._chars = 0

    def __len__(self) -> int:
        return len(self._pages)

    def remember(self, urls: Iterable[str], page: _T, chars: int) -> None:
        """Remember what is known of a page, which takes so many characters."""
        for key in {_key(url) for url in set(urls)}:
            if key in self._pages:
                self._chars -= self._pages.pop(key)[1]
            self._pages[key] = page, chars
            self._chars += chars
        while len(self._pages) > MAX_URLS or self._chars > MAX_CHARS:
            _, (_, least) = self._pages.popitem(last=False)
            self._chars -= least

    def find(self, url: str) -> _T | None:
        """What is known of the page last seen at a URL."""
        found = self._pages.get(_key(url))
        return None if found is None else found[0]


def _key(url: str) -> str:
    try:
        key: str = canonicalize_url(url)
    except ValueError:  # it is no URL
        return url
    return key
