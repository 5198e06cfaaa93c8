"""Searches a page's source, which is faster than a search of its tree."""

from __future__ import annotations

from scrapy_eatext.native.loading import twin


def python_find(source: bytes, name: bytes, begin: int = 0) -> int:
    """The first index of a non-empty name in a source from ``begin``, or -1."""
    return source.find(name, begin)


def python_holds_tag(source: bytes, tag: bytes) -> bool:
    """Whether a source holds the beginning of a tag, given in lower case, in any case."""
    return tag in source.lower()


find = twin(python_find, "_source")
holds_tag = twin(python_holds_tag, "_source")


def holds(source: bytes, name: bytes) -> bool:
    return find(source, name) >= 0
