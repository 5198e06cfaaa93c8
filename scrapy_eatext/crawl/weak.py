"""When to retry a weak page, and which pages to request with the retry's meta at once.

What helps one site is in vain on another, and often costly: of each host it is counted
how often the retry's answer was the better one.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_eatext.declared import Dict, declare, limit, number, switch
from scrapy_eatext.execution.choice import SettingError, override_fields, part_of
from scrapy_eatext.page.walls import PASSABLE, WALLS, has_scripts

if TYPE_CHECKING:
    from scrapy_eatext.execution.cascade import Outcome


@dataclass(frozen=True, slots=True)
class Weak:
    """Which pages are weak, and what a request's meta has when they are retried.

    No page is retried where ``meta`` is empty.
    """

    meta: Mapping[Any, Any] = declare(
        {}, Dict("a dict: what the second request's meta has"), setting=False
    )
    min_score: float = number(0.3, 0, 1)
    min_chars: int = number(200, 0, math.inf)
    only_if_scripts: bool = switch(True)
    per_host: int = limit(50, "pages")
    share: float = number(0.2, 0, 1)


# No page is retried.
NEVER = Weak()


class WeakPages(Dict):
    """A Weak, from a dict of its fields; False turns it off."""

    def take(self, value: Any, key: str) -> Weak:
        return value if isinstance(value, Weak) else override_weak(NEVER, value, key)


def override_weak(base: Weak, given: object, key: str) -> Weak:
    """A Weak with some of its fields changed, or turned off.  Raises SettingError."""
    if given is False:
        return NEVER
    made = override_fields(base, given, key, "False, or ")
    if given and not made.meta:
        allowed = "a dict of what a browser or an API is asked by: it is missing"
        raise SettingError(part_of(key, "meta"), made.meta, allowed)
    return made


# Marks the second request for a page, and a first one that went the second's way.
SECOND, DIRECT = "_eatext_second", "_eatext_direct"

# A host is judged by so many answers at least; its pages go the second way at once where
# it helped so often among the last of them.
_TRIES = 10
_NEARLY_ALWAYS = 9
# The most hosts that are known; those seen last stay.
_MAX_HOSTS = 1000
# How much longer a weak text has to be than another to be the better of two.
_LONGER = 2

# What a request's meta has from its own download, as no other may inherit it.
_OWN = re.compile(
    r"download_|redirect_|retry_times$|cached$|cached_response$|cache_timestamp$"
    r"|_dont_cache$|_eatext|_auth_|main_text$"
)

# What a spider says of a download, which is good for the pages that continue it.
_WAY = re.compile("download_(?!latency$)")

# A page of scrapy-playwright's browser that is left open for the spider.
_OPEN = frozenset(("playwright_page", "playwright_include_page"))

# What only a second request has.
_ONLY_SECOND = frozenset(("dont_cache", "dont_retry", SECOND))


@dataclass(slots=True)
class _Host:
    """What is known of a host."""

    asked: int = 0
    answers: int = 0
    better: int = 0
    # Of the last pages whether the second way was the one for them.
    last: deque[bool] = field(default_factory=lambda: deque(maxlen=_TRIES))

    @property
    def goes_direct(self) -> bool:
        return len(self.last) == _TRIES and sum(self.last) >= _NEARLY_ALWAYS


class SecondAnswers:
    """The hosts of a crawl, and how often a second answer helped there."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, _Host] = OrderedDict()

    def _host(self, host: str) -> _Host:
        # A host may have a name of any length.
        key = hash(host)
        known = self._hosts.setdefault(key, _Host())
        self._hosts.move_to_end(key)
        if len(self._hosts) > _MAX_HOSTS:
            self._hosts.popitem(last=False)
        return known

    def at_once(self, host: str) -> bool:
        """Whether a host's pages are asked for the second way at once."""
        known = self._hosts.get(hash(host))
        return known is not None and known.goes_direct

    def may_ask(self, host: str, weak: Weak) -> bool:
        """Whether a host's weak page is asked for once more; it counts as asked then.

        A host is left alone where too few of its second answers were better, or all of
        ``per_host`` are spent.
        """
        known = self._host(host)
        in_vain = known.answers >= _TRIES and known.better < weak.share * known.answers
        if in_vain or (weak.per_host and known.asked >= weak.per_host):
            return False
        known.asked += 1
        return True

    def answered(self, host: str, *, better: bool) -> None:
        """Take note of a second answer."""
        known = self._host(host)
        known.answers += 1
        known.better += better
        known.last.append(better)

    def passed(self, host: str, *, direct: bool, strong: bool) -> None:
        """Take note of a page that was not asked for once more.

        A first answer that is no better for the second way ends it, as does one that
        would not have needed it.
        """
        self._host(host).last.append(direct and strong)


def is_weak(outcome: Outcome, weak: Weak, body: bytes) -> bool:
    """Whether a page's text is such that another answer may have a better one."""
    kind, result = outcome.kind, outcome.result
    if kind in WALLS:
        return kind in PASSABLE
    if kind not in ("extracted", "below", "empty"):
        return False
    poor = len(result.body) < weak.min_chars or result.score < weak.min_score
    return poor and (not weak.only_if_scripts or has_scripts(body))


def is_better(second: Outcome, first: Outcome, weak: Weak) -> bool:
    """Whether the second answer's text is better than the first one's, a weak one."""
    if second.kind not in ("extracted", "below"):
        return False
    text, score = second.result.body, second.result.score
    if len(text) >= weak.min_chars and score >= weak.min_score:
        return True
    return len(text) > _LONGER * len(first.result.body)


def is_second(meta: Mapping[Any, Any], weak: Weak) -> bool:
    """Whether a request goes the second way already."""
    return all(key in meta and meta[key] == weak.meta[key] for key in weak.meta)


def second_meta(meta: Mapping[Any, Any], weak: Weak) -> dict[Any, Any]:
    """The meta of a page's second request.

    Nothing in it is of the first one's download.  Scrapy's cache would give the first
    answer again, as both requests have one fingerprint; and a failure is not retried.
    """
    return {
        **_inherited(meta),
        **weak.meta,
        "dont_cache": True,
        "dont_retry": True,
        SECOND: True,
    }


def further_meta(meta: Mapping[Any, Any]) -> dict[Any, Any]:
    """The meta of a request for a page that continues another.

    It is downloaded in the same way, with the spider's time limit or slot, but not in a
    browser's page that the spider keeps: that one stays on the first page.
    """
    way = {k: v for k, v in meta.items() if isinstance(k, str) and _WAY.match(k)}
    kept = {k: v for k, v in _inherited(meta).items() if k not in _OPEN}
    return {**kept, **way, SECOND: True}


def _inherited(meta: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in meta.items() if not _is_own(key)}


def keep_second(meta: dict[Any, Any], second: Mapping[Any, Any]) -> None:
    """Put into the meta of a page what its second answer told, which is kept."""
    urls = [*meta.get("redirect_urls", ()), *second.get("redirect_urls", ())]
    told = {key: v for key, v in second.items() if key not in _ONLY_SECOND}
    for key in [key for key in meta if _is_own(key)]:
        del meta[key]
    meta.update(told)
    if urls:
        meta["redirect_urls"] = urls


def go_direct(meta: dict[Any, Any], weak: Weak) -> None:
    """Send a request the second way at once."""
    meta[DIRECT] = "dont_cache" in meta
    meta.update(weak.meta, dont_cache=True)


def came_direct(meta: dict[Any, Any]) -> bool:
    """Whether a request went the second way at once; it is not marked any more."""
    if DIRECT not in meta:
        return False
    if not meta.pop(DIRECT):
        meta.pop("dont_cache", None)
    return True


def _is_own(key: object) -> bool:
    return isinstance(key, str) and _OWN.match(key) is not None
