"""What stands in a page's source, which is faster to search than its tree."""

from __future__ import annotations

from scrapy_eatext.native.loading import twin


def python_find(source: bytes, name: bytes, begin: int = 0) -> int:
    """Where the bytes of a name, at least one, stand in a source from ``begin``, or -1."""
    return source.find(name, begin)


find = twin(python_find, "_source")


def holds(source: bytes, name: bytes) -> bool:
    """Whether the bytes of a name stand in a source."""
    return find(source, name) >= 0
