"""Conditions for rows: `host=example.com`, `page_type=article,forum`, `score>=0.5`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from scrapy_eatext.algorithms.base import PAGE_TYPES
from scrapy_eatext.execution.cascade import GIVEN_UP, TEXTS
from scrapy_eatext.execution.choice import SettingError
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.walls import WALLS

NAMES = ("host", "page_type", "language", "outcome", "algorithm", "score")
_SKIPPED = ("skipped_off", "skipped_status", "skipped_type")
# The values of the columns that have no others.
_VALUES = {
    "page_type": frozenset(PAGE_TYPES),
    "outcome": frozenset((*TEXTS, *WALLS, *GIVEN_UP, *_SKIPPED, "unreadable")),
}
_CONDITION = re.compile(r"\s*(\w+)\s*(>=|<=|!=|=|>|<)\s*(.*?)\s*$")
_COMPARE = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq, "!=": ne}


@dataclass(frozen=True, slots=True)
class _Condition:
    name: str
    sign: str
    values: tuple[str, ...]

    def holds(self, value: Any) -> bool:
        if self.name == "score":
            return bool(_COMPARE[self.sign](value, float(self.values[0])))
        if self.name == "host":
            matches = any(value == v or value.endswith(f".{v}") for v in self.values)
        else:
            matches = value.lower() in self.values
        return matches is (self.sign == "=")


class Conditions:
    """Conditions of a command line, all of which have to hold.  Raises SettingError."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._all = [_condition(text) for text in texts]
        # The columns that the conditions read.
        self.names = {condition.name for condition in self._all}

    def of_url(self, url: str) -> bool:
        """Whether a page's address meets the conditions on hosts."""
        return self.of_row({"host": host_of(url)})

    def of_row(self, row: Mapping[str, Any]) -> bool:
        """Whether a page's row meets the conditions on its columns."""
        return all(c.holds(row[c.name]) for c in self._all if c.name in row)


def _condition(text: str) -> _Condition:
    match = _CONDITION.match(text)
    name, sign, value = match.groups() if match else ("", "", "")
    if name not in NAMES or not value:
        names = ", ".join(NAMES)
        raise SettingError(
            "--where", text, f"NAME=VALUE or score>=NUMBER, NAME one of {names}"
        )
    values = tuple(part.strip() for part in value.lower().split(","))
    if name == "score":
        try:
            float(value)
        except ValueError:
            raise SettingError("--where", text, "a score and a number") from None
    elif sign not in ("=", "!="):
        raise SettingError("--where", text, f"{name}= or {name}!= and values")
    elif name == "host" and re.search("[/:]", value):
        raise SettingError("--where", text, "host= and names like example.com")
    elif name in _VALUES and not _VALUES[name].issuperset(values):
        known = ", ".join(sorted(_VALUES[name]))
        raise SettingError("--where", text, f"{name}= and some of {known}")
    return _Condition(name, sign, values)
