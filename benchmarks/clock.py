"""The processor's time of steps, and the parse that they are compared with."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from lxml import etree

from scrapy_eatext.page.decode import decode


class Clock:
    """Adds up the processor's time of named steps, in seconds."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()

    def time(self, name: str, step: Callable[..., Any], *given: Any) -> Any:
        start = time.process_time()
        try:
            return step(*given)
        finally:
            self.spent[name] += time.process_time() - start


def source_of(html: bytes) -> bytes:
    """A page in UTF-8, for bare_parse()."""
    return decode(html)[1].encode("utf-8", "replace")


def bare_parse(source: bytes) -> Any:
    return etree.fromstring(source, etree.HTMLParser(huge_tree=True, encoding="utf-8"))
