"""Detects decay: a site's texts are empty or alike, or its site file no longer fits."""

from __future__ import annotations

import logging
from collections import Counter, OrderedDict, deque
from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from scrapy_eatext.crawl.settings import Config
    from scrapy_eatext.crawl.tally import Tally

# A host is judged by its last WINDOW pages.  It decays if _AGREE of them are alike: on any
# site one or two of twenty pages are of another kind.
WINDOW = 20
_AGREE = 18
# The maximum number of watched hosts; the least recent is dropped.
_MAX_HOSTS = 1000

# The log's message on each kind of decay.
_MESSAGES = {
    "empty": "The last texts of %(host)s are nearly all empty: its layout may "
    "have changed, or it may block this crawl",
    "alike": "The last texts of %(host)s are nearly all alike: its layout may "
    "have changed, or it may block this crawl",
    "unmatched": "The site file of %(host)s fits hardly any of its last pages: its "
    "layout may have changed; label new pages (scrapy eatext review), and learn again",
}


class DecayWatch:
    """For each host its last texts, and whether the site file fitted its last pages."""

    def __init__(self) -> None:
        # The last values of each property and host, by hash.
        self._last: OrderedDict[int, deque[int]] = OrderedDict()

    def add(self, host: str, text: str, template: str = "") -> str | None:
        """Add a page's text, and its ``template`` as in MainText; return the decay.

        It is one of _MESSAGES, or None.  After a decay counting starts again.
        """
        # Only equality matters, so hashes suffice; 0 stands for an empty text.
        values = {"text": (hash(text) or 1) if text else 0}
        if template:
            values["template"] = template == "matched"
        for name, value in values.items():
            key = hash((name, host))  # as a host's name may have any length
            last = self._last.setdefault(key, deque(maxlen=WINDOW))
            last.append(value)
            self._last.move_to_end(key)
            if len(self._last) > _MAX_HOSTS:
                self._last.popitem(last=False)
            ((most_common, count),) = Counter(last).most_common(1)
            if len(last) < WINDOW or count < _AGREE:
                continue
            del self._last[key]
            if name == "text":
                return "alike" if most_common else "empty"
            if not most_common:
                return "unmatched"
        return None


def report_decay(
    crawler: Crawler, config: Config, tally: Tally, host: str, kind: str
) -> None:
    """Count and log a site's decay, and close the spider if EATEXT_ON_DECAY says so."""
    tally.inc(f"decay/{kind}")
    once = f"decay {kind} {host}"
    tally.log(logging.WARNING, _MESSAGES[kind], {"host": host}, once=once)
    if config.on_decay == "close_spider" and kind != "unmatched":
        # Not awaited, as closing waits for the response that is being processed.
        deferred_from_coro(crawler.engine.close_spider_async(reason="eatext_decay"))
