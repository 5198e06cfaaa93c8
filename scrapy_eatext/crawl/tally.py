"""The stats of a crawl below eatext/, and its log messages."""

from __future__ import annotations

import logging
import math
from collections import Counter
from typing import TYPE_CHECKING

from scrapy_eatext.execution.cascade import GIVEN_UP, Failure
from scrapy_eatext.execution.choice import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler

    from scrapy_eatext.execution.cascade import Outcome

logger = logging.getLogger(__name__)

# The maximum number of remembered messages that are logged once.  Only a crawl of very
# many sites has more, and may repeat some.
_MAX_LOGGED = 10_000
# The upper bounds of the histogram of seconds per page.
_STEPS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)
# The maximum length of an exception or a URL in the log.
_SHOWN = 300


class Tally:
    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        # A stats collector may not return counts, or add those of other processes.
        self._counts: Counter[str] = Counter()
        self._logged: dict[int, None] = {}  # hashes, in order
        self._pages = 0
        self._seconds = self._most = 0.0
        self._least = math.inf

    def inc(self, name: str, count: int = 1) -> None:
        self._counts[name] += count
        self._stats.inc_value(f"eatext/{name}", count)

    def log(
        self, level: int, message: str, values: Mapping[str, object], *, once: str = ""
    ) -> None:
        """Log a message, but only the first with the same non-empty ``once``."""
        if once and not self._is_new(once):
            return
        logger.log(level, message, values, extra={"spider": self._crawler.spider})

    def _is_new(self, message: str) -> bool:
        """Whether a message is logged for the first time; it counts as logged then."""
        key = hash(message)  # as a host's name may have any length
        if key in self._logged:
            return False
        self._logged[key] = None
        if len(self._logged) > _MAX_LOGGED:
            del self._logged[next(iter(self._logged))]
        return True

    def outcome(self, url: str, outcome: Outcome) -> None:
        """Count the outcome of a page that was extracted."""
        if outcome.result.algorithm:
            self.inc(f"algorithm/{outcome.result.algorithm}")
        if outcome.result.page_type:
            self.inc(f"page_type/{outcome.result.page_type}")
        for failure in outcome.failures:
            self._failure(url, failure)
        if outcome.kind in GIVEN_UP and outcome.kind != "failed":
            message = "%(url)s gets the last resort: %(kind)s"
            values = {"url": url, "kind": outcome.kind.replace("_", " ")}
            self.log(logging.WARNING, message, values)
        seconds = outcome.seconds
        self._pages += 1
        self._seconds += seconds
        self._least = min(self._least, seconds)
        self._most = max(self._most, seconds)
        step = next((f"up_to_{step}" for step in _STEPS if seconds <= step), "longer")
        self.inc(f"time/{step}")

    def error(self, url: str, error: Exception) -> None:
        """Count an error outside of the algorithms."""
        if not isinstance(error, SettingError):
            self._failure(url, Failure.of(error))
            return
        # No traceback is needed to correct a setting.
        self.inc("exception_count/SettingError")
        values = {"url": url, "error": error}
        self.log(logging.ERROR, "No main text for %(url)s: %(error)s", values)

    def _failure(self, url: str, failure: Failure) -> None:
        """Count and log a failure, with a traceback if it is the first of its kind."""
        self.inc(f"exception_count/{failure.name}")
        what = "Extraction"
        if failure.field:
            self.inc(f"field_failed/{failure.field}")
            what = f"Only computing {failure.field}"
        is_new = self._is_new(f"{failure.name} {failure.field}")
        message = "%(what)s failed with %(name)s on %(url)s%(traceback)s"
        shown = f"\n{failure.traceback}" if is_new else ""
        values = {"what": what, "name": failure.name, "url": url, "traceback": shown}
        self.log(logging.ERROR, message, values)

    def write_times(self) -> None:
        """Set the stats of times, which later pages may change."""
        if self._pages:
            # Not page by page: a collector that several processes share may take only
            # integers, and the errors of rounding each page would add up.
            more = round(1000 * self._seconds) - self._counts["time/milliseconds"]
            self.inc("time/milliseconds", more)
            self._stats.set_value("eatext/time/min", self._least)
            self._stats.set_value("eatext/time/mean", self._seconds / self._pages)
            self._stats.set_value("eatext/time/max", self._most)

    def close(self) -> None:
        """Set the stats of times, and log a summary of the crawl."""
        self.write_times()
        message = "Main text: responses: %(responses)s; items: %(items)s"
        values: dict[str, object] = {}
        if self._pages:
            message += "; %(mean).1f ms a page, %(max).1f at most"
            mean = 1000 * self._seconds / self._pages
            values = {"mean": mean, "max": 1000 * self._most}

        def under(prefix: str) -> str:
            names = sorted(name for name in self._counts if name.startswith(prefix))
            counts = [f"{self._counts[n]} {n.removeprefix(prefix)}" for n in names]
            return ", ".join(counts) or "0"

        values |= {"responses": under("response/"), "items": under("item/")}
        self.log(logging.INFO, message, values)


def shortened(value: Exception | str) -> str:
    """An exception or a URL, cut for the log."""
    return (value if isinstance(value, str) else repr(value))[:_SHOWN]
