"""Detects decay: a site's texts are empty or alike, or its site file no longer fits."""

from __future__ import annotations

import logging
from collections import Counter, deque
from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro

from scrapy_eatext.crawl.recent import by_host

if TYPE_CHECKING:
    from scrapy_eatext.crawl.service import Service

# A host is judged by its last WINDOW pages.  It decays if _AGREE of them are alike: on any
# site one or two of twenty pages are of another kind.
WINDOW = 20
_AGREE = 18

_MESSAGES = {
    **{
        kind: f"The last texts of %(host)s are nearly all {kind}: its layout may have "
        "changed, or it may block this crawl"
        for kind in ("empty", "alike")
    },
    "unmatched": "The site file of %(host)s fits hardly any of its last pages: its "
    "layout may have changed; label new pages (scrapy eatext review), and learn again",
}


class DecayWatch:
    """For each host its last texts, and whether the site file fitted its last pages."""

    def __init__(self) -> None:
        self._last = by_host(lambda: deque[int](maxlen=WINDOW))

    def add(self, host: str, text: str, template: str = "") -> str | None:
        """Add a page's text, and its ``template`` as in MainText; return the decay.

        It is one of _MESSAGES, or None.  After a decay counting starts again.
        """
        # Only equality matters, so hashes suffice; 0 stands for an empty text.
        values = {"text": (hash(text) or 1) if text else 0}
        if template:
            values["template"] = template == "matched"
        for name, value in values.items():
            last = self._last(hash((name, host)))
            last.append(value)
            ((most_common, count),) = Counter(last).most_common(1)
            if len(last) < WINDOW or count < _AGREE:
                continue
            last.clear()
            if name == "text":
                return "alike" if most_common else "empty"
            if not most_common:
                return "unmatched"
        return None


def report_decay(service: Service, host: str, kind: str) -> None:
    """Count and log a site's decay, and close the spider if EATEXT_ON_DECAY says so."""
    service.tally.inc(f"decay/{kind}")
    once = f"decay {kind} {host}"
    service.tally.log(logging.WARNING, _MESSAGES[kind], {"host": host}, once=once)
    if service.config.on_decay == "close_spider" and kind != "unmatched":
        # Not awaited, as closing waits for the response that is being processed.
        closing = service.crawler.engine.close_spider_async(reason="eatext_decay")
        deferred_from_coro(closing)
