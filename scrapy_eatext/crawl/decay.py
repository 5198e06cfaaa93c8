"""Whether a site's texts have turned empty or alike, as after a change of layout."""

from __future__ import annotations

import logging
from collections import Counter, OrderedDict, deque
from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from scrapy_eatext.crawl.settings import Config
    from scrapy_eatext.crawl.tally import Tally

# A site is judged by its last WINDOW texts, of which _AGREE must be empty or the same:
# among any twenty pages one or two are of another kind.
WINDOW = 20
_AGREE = 18
# The most sites that are watched; those seen last stay.
_MAX_HOSTS = 1000


class DecayWatch:
    """The last texts of each host."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, deque[int]] = OrderedDict()

    def add(self, host: str, text: str) -> str | None:
        """Add a page's text; return ``empty`` or ``alike`` for bad news, else None.

        The news is bad if the host's last texts are nearly all empty, or nearly all the
        same.  After bad news the host's texts are counted from the beginning.
        """
        # Hashes do, as only equality counts, and a host's name may have any length; 0
        # stands for an empty text.
        key = hash(host)
        last = self._hosts.setdefault(key, deque(maxlen=WINDOW))
        last.append((hash(text) or 1) if text else 0)
        self._hosts.move_to_end(key)
        if len(self._hosts) > _MAX_HOSTS:
            self._hosts.popitem(last=False)
        if len(last) < WINDOW:
            return None
        ((most, count),) = Counter(last).most_common(1)
        if count < _AGREE:
            return None
        del self._hosts[key]
        return "alike" if most else "empty"


def report_decay(
    crawler: Crawler, config: Config, tally: Tally, host: str, news: str
) -> None:
    """Count and log a site's decay, and close the spider if EATEXT_ON_DECAY says so."""
    tally.inc(f"decay/{news}")
    tally.log(
        logging.WARNING,
        "The last texts of %(host)s are nearly all %(news)s: its layout may "
        "have changed, or it may block this crawl",
        {"host": host, "news": news},
        once=f"decay {host}",
    )
    if config.on_decay == "close_spider":
        # Not awaited: the engine waits for this very response.
        deferred_from_coro(crawler.engine.close_spider_async(reason="eatext_decay"))
