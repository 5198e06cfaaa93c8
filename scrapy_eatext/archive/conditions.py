"""Which pages to take: `host=example.com`, `page_type=article,forum`, `score>=0.5`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scrapy_eatext.execution.choice import SettingError
from scrapy_eatext.page.urls import host_of

NAMES = ("host", "page_type", "language", "outcome", "algorithm", "score")
_CONDITION = re.compile(r"\s*(\w+)\s*(>=|<=|!=|=|>|<)\s*(.*?)\s*$")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True, slots=True)
class _Condition:
    name: str
    sign: str
    values: tuple[str, ...]

    def holds(self, value: Any) -> bool:
        if self.name == "score":
            return _COMPARE[self.sign](value, float(self.values[0]))
        if self.name == "host":
            found = any(value == v or value.endswith(f".{v}") for v in self.values)
        else:
            found = value.lower() in self.values
        return found is (self.sign == "=")


@dataclass(frozen=True, slots=True)
class Conditions:
    """All of which have to hold."""

    _all: tuple[_Condition, ...]

    @classmethod
    def of(cls, given: Iterable[str]) -> Conditions:
        """Conditions as a command line has them.  Raises SettingError."""
        return cls(tuple(map(_condition, given)))

    def of_url(self, url: str) -> bool:
        """Whether a page may be among those to take, by its address."""
        host = host_of(url)
        return all(one.holds(host) for one in self._all if one.name == "host")

    def of_row(self, row: Mapping[str, Any]) -> bool:
        """Whether a page is among those to take, by its row."""
        return all(one.holds(row[one.name]) for one in self._all if one.name != "host")

    def names(self) -> set[str]:
        """What is asked about."""
        return {one.name for one in self._all}


def _condition(text: str) -> _Condition:
    match = _CONDITION.match(text)
    name, sign, value = match.groups() if match else ("", "", "")
    if name not in NAMES or not value:
        names = ", ".join(NAMES)
        raise SettingError(
            "--where", text, f"NAME=VALUE or score>=NUMBER, NAME one of {names}"
        )
    values = tuple(one.strip() for one in value.lower().split(","))
    if name == "score":
        try:
            float(value)
        except ValueError:
            raise SettingError("--where", text, "a score and a number") from None
    elif sign not in ("=", "!="):
        raise SettingError("--where", text, f"{name}= or {name}!= and values")
    return _Condition(name, sign, values)
