"""A page's head: its title, meta and link elements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from scrapy_eatext.page.values import BOUNDS, LONGEST_READ, MOST_VALUES, shortened

Metas = dict[str, list[str]]
# The link relations that are read besides _FEED, that of feeds.
RELATIONS = frozenset(("canonical", "image_src", "license"))
_FEED = "alternate"
LONGEST_LINK = BOUNDS["canonical_url"].most
# The attributes that may name the content of a meta element.
_NAMING = ("property", "name", "itemprop")
# The names that pages also use in http-equiv.
_HEADERS = frozenset(("author", "content-language", "description", "keywords"))
# The number of characters that are read of an attribute with several names.
_LONGEST_NAMES = 200
_FEEDS = frozenset(
    ("application/rss+xml", "application/atom+xml", "application/feed+json")
)
_MOST_FEEDS = 10


class Head(NamedTuple):
    """The non-empty values in a head, within bounds."""

    title: str | None  # None without a title element
    metas: Metas  # the contents of meta elements by their names in lower case
    links: dict[str, str]  # the first URL of each of RELATIONS
    feeds: list[str]  # URLs


def head_of(root: Any) -> Head:
    """The head of a page; children of the body count too, as parsers end a head early."""
    title = None
    metas: Metas = {}
    links: dict[str, str] = {}
    feeds: list[str] = []
    for part in root.iterchildren("head", "body"):
        for meta in part.iterchildren("meta"):
            _add_meta(metas, meta)
        for link, names, href in _links(part, RELATIONS | {_FEED}):
            for name in RELATIONS.intersection(names):
                links.setdefault(name, href)
            kind = (link.get("type") or "")[:_LONGEST_NAMES].partition(";")[0]
            if _FEED in names and kind.strip().lower() in _FEEDS:
                feeds.append(href)
        if title is None and part.tag == "head":
            element = next(part.iterchildren("title"), None)
            title = None if element is None else title_of(element)
    return Head(title, metas, links, feeds[:_MOST_FEEDS])


def canonical_of(root: Any) -> str:
    """The canonical URL in head_of(root), or ""; much faster than head_of()."""
    for part in root.iterchildren("head", "body"):
        for _, _, href in _links(part, frozenset(("canonical",))):
            return href
    return ""


def _links(
    part: Any, relations: frozenset[str]
) -> Iterator[tuple[Any, tuple[str, ...], str]]:
    """The links with any of the relations: the element, its relations and its URL."""
    for link in part.iterchildren("link"):
        rel = link.get("rel")
        names = _names(rel[:_LONGEST_NAMES]) if rel else ()
        if not relations.isdisjoint(names):
            href = link.get("href")
            if href and len(href) <= LONGEST_LINK:
                yield link, names, href


def title_of(element: Any) -> str:
    """The text of a title element, its white space collapsed."""
    return shortened(element.text or "", BOUNDS["title"].most)


def _add_meta(metas: Metas, meta: Any) -> None:
    """Add the content of a meta element by its names."""
    content = meta.get("content")
    if not content:
        return
    naming = [*map(meta.get, _NAMING)]
    header = meta.get("http-equiv")
    if header and header.strip().lower() in _HEADERS:
        naming.append(header)
    for attribute in filter(None, naming):
        for name in _names(attribute[:_LONGEST_NAMES]):
            if name not in metas:
                metas[name] = [content[:LONGEST_READ]]
            elif len(metas[name]) < MOST_VALUES:
                metas[name].append(content[:LONGEST_READ])


@lru_cache(1000)  # most pages have the same
def _names(attribute: str) -> tuple[str, ...]:
    return tuple(attribute.lower().split())
