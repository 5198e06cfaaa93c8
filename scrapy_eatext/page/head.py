"""What a page's head tells of it: its title, meta and link elements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from scrapy_eatext.page.values import BOUNDS, LONGEST_READ, MOST_VALUES, shortened

Metas = dict[str, list[str]]
# The relations of the links that are looked at; most are to style sheets and icons.
RELATIONS = frozenset(("canonical", "image_src"))
LONGEST_LINK = BOUNDS["canonical_url"].most


class Head(NamedTuple):
    """What a head tells, without what is empty, and within bounds.

    The title, None where there is no such element, the contents of the meta elements
    by their names in lower case, and the first address of each of RELATIONS.
    """

    title: str | None
    metas: Metas
    links: dict[str, str]


def head_of(root: Any) -> Head:
    """What is right in the head and the body, as parsers end a head early."""
    title = None
    metas: Metas = {}
    links: dict[str, str] = {}
    for part in root.iterchildren("head", "body"):
        add_metas(metas, part.iterchildren("meta"))
        for element in part.iterchildren("link"):
            rel, href = element.get("rel"), element.get("href")
            if href and rel in RELATIONS and len(href) <= LONGEST_LINK:
                links.setdefault(rel, href)
        if title is None and part.tag == "head":
            found = next(part.iterchildren("title"), None)
            title = None if found is None else title_of(found)
    return Head(title, metas, links)


def title_of(element: Any) -> str:
    """What a title element says, its white space collapsed."""
    return shortened(element.text or "", BOUNDS["title"].most)


def add_metas(metas: Metas, elements: Iterable[Any]) -> None:
    """Add the contents of some meta elements by their names."""
    for element in elements:
        get = element.get
        name = get("property") or get("name") or get("itemprop")
        content = get("content")
        if name and content:
            contents = metas.setdefault(name.strip().lower(), [])
            if len(contents) < MOST_VALUES:
                contents.append(content[:LONGEST_READ])
