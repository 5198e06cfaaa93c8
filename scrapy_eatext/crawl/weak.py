"""Decides which pages are weak, and so retried, and which of two answers is better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_eatext.declared import Dict, declare, limit, number, switch
from scrapy_eatext.execution.choice import SettingError, override_fields, part_of
from scrapy_eatext.page.walls import PASSABLE, WALLS, has_scripts

if TYPE_CHECKING:
    from scrapy_eatext.execution.cascade import Outcome


@dataclass(frozen=True, slots=True)
class Weak:
    """Which pages are weak, and the ``meta`` of their retry; {} for no retries."""

    meta: Mapping[Any, Any] = declare(
        {}, Dict("a dict: the meta of the second request"), setting=False
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


def override_weak(base: Weak, overrides: object, key: str) -> Weak:
    """A Weak with some of its fields changed, or turned off.  Raises SettingError."""
    if overrides is False:
        return NEVER
    weak = override_fields(base, overrides, key, "False, or ")
    if overrides and not weak.meta:
        allowed = (
            "a dict, which is missing: the meta of a request to a browser or an API"
        )
        raise SettingError(part_of(key, "meta"), weak.meta, allowed)
    return weak


# A text that is itself weak is better if it is more than this many times as long.
_LONGER = 2


def is_weak(outcome: Outcome, weak: Weak, body: bytes) -> bool:
    """Whether a retry may give a better text of a page."""
    kind, result = outcome.kind, outcome.result
    if kind in WALLS:
        return kind in PASSABLE
    if kind not in ("extracted", "below", "empty"):
        return False
    poor = len(result.body) < weak.min_chars or result.score < weak.min_score
    return poor and (not weak.only_if_scripts or has_scripts(body))


def is_better(second: Outcome, first: Outcome, weak: Weak) -> bool:
    """Whether the text of a retry is better than that of the weak page."""
    if second.kind not in ("extracted", "below"):
        return False
    text, score = second.result.body, second.result.score
    if len(text) >= weak.min_chars and score >= weak.min_score:
        return True
    return len(text) > _LONGER * len(first.result.body)
