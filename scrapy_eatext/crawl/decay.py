"""Whether a site's texts have turned bad, or its site file fits no page any more."""

from __future__ import annotations

import logging
from collections import Counter, OrderedDict, deque
from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from scrapy_eatext.crawl.settings import Config
    from scrapy_eatext.crawl.tally import Tally

# A site is judged by its last WINDOW pages, of which _AGREE must be alike: among any
# twenty pages one or two are of another kind.
WINDOW = 20
_AGREE = 18
# The most sites that are watched; those seen last stay.
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
    """The last texts of each host, and whether its site file fitted them."""

    def __init__(self) -> None:
        # A number for each of a host's last pages: of their texts, of their template.
        self._last: OrderedDict[int, deque[int]] = OrderedDict()

    def add(self, host: str, text: str, template: str = "") -> str | None:
        """Add a page's text, and its ``template`` as in MainText; return the decay.

        It is "empty" or "alike" if the host's last texts are nearly all so, "unmatched"
        if its site file fits hardly any of its last pages, and None otherwise.  After a
        decay the pages are counted anew.
        """
        # Only equality counts, so hashes suffice; 0 stands for an empty text.
        numbers = {"text": (hash(text) or 1) if text else 0}
        if template:
            numbers["template"] = template == "matched"
        for what, number in numbers.items():
            # A host's name may have any length.
            key = hash((what, host))
            last = self._last.setdefault(key, deque(maxlen=WINDOW))
            last.append(number)
            self._last.move_to_end(key)
            if len(self._last) > _MAX_HOSTS:
                self._last.popitem(last=False)
            ((most, count),) = Counter(last).most_common(1)
            if len(last) < WINDOW or count < _AGREE:
                continue
            del self._last[key]
            if what == "text":
                return "alike" if most else "empty"
            if not most:
                return "unmatched"
        return None


def report_decay(
    crawler: Crawler, config: Config, tally: Tally, host: str, kind: str
) -> None:
    """Count and log a site's decay.

    Where its texts are bad, the spider is closed if EATEXT_ON_DECAY says so.
    """
    tally.inc(f"decay/{kind}")
    once = f"decay {kind} {host}"
    tally.log(logging.WARNING, _MESSAGES[kind], {"host": host}, once=once)
    if config.on_decay == "close_spider" and kind != "unmatched":
        # Not awaited: the engine waits for this very response.
        deferred_from_coro(crawler.engine.close_spider_async(reason="eatext_decay"))
