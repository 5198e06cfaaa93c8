"""Splits pages by site, so that no model is tested on a site of its training data."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy_eatext.learning import DataError, need

if TYPE_CHECKING:
    from scrapy_eatext.learning.data import LabelledPage


@lru_cache(maxsize=1)
def _suffixes() -> Any:
    # The package's own list of public suffixes, without a download.
    return need("tldextract").TLDExtract(suffix_list_urls=(), cache_dir=None)


def site(url: str) -> str:
    """The registered domain of a URL ("bbc.co.uk"), or its host, or ""."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    parts = _suffixes()(host)
    if parts.domain and parts.suffix:
        return f"{parts.domain}.{parts.suffix}".lower()
    return host.lower()


def site_of(page: LabelledPage) -> str:
    """The site of a page; each page without a URL is a site of its own."""
    return site(page.url) or f"{page.name} (no URL)"


def folds(groups: Sequence[str], count: int, seed: int = 0) -> list[int]:
    """A fold from 0 to count - 1 for each page, given the group of each.

    No group is split.  To balance the folds, groups are assigned in descending order of
    size to the fold with the fewest pages; the seed orders groups of equal size.
    Raises DataError for fewer groups than folds.
    """
    sizes = Counter(groups)
    if len(sizes) < count:
        raise DataError(f"{count} folds need {count} sites; the data have {len(sizes)}")
    loads = [0] * count
    places: dict[str, int] = {}
    for group in sorted(sizes, key=lambda name: (-sizes[name], _order(name, seed))):
        fold = loads.index(min(loads))
        places[group] = fold
        loads[fold] += sizes[group]
    return [places[group] for group in groups]


def _order(name: str, seed: int) -> bytes:
    """A sort key that depends on the seed, the same on every machine."""
    return hashlib.sha256(f"{seed}:{name}".encode()).digest()
