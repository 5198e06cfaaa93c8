"""What a page's head tells of it: its meta and link elements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Pairs = list[tuple[str, str]]


def head_of(root: Any) -> tuple[Pairs, Pairs]:
    """The names and contents of the meta elements, the relations and addresses of links.

    Those right in the head and the body, as parsers end a head early; without what is
    empty.
    """
    links = []
    parts = list(root.iterchildren("head", "body"))
    for part in parts:
        for element in part.iterchildren("link"):
            rel, href = element.get("rel"), element.get("href")
            if rel and href:
                links.append((rel, href))
    return metas_of(e for part in parts for e in part.iterchildren("meta")), links


def metas_of(elements: Iterable[Any]) -> Pairs:
    """The names and contents of meta elements."""
    metas = []
    for element in elements:
        get = element.get
        name = get("property") or get("name") or get("itemprop")
        content = get("content")
        if name and content:
            metas.append((name, content))
    return metas
