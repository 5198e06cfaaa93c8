"""Declared values: settings, overrides of sites and requests, options of algorithms.

Each value is a field of a dataclass, made by declare() or one of the functions below it
from a default, a kind of values, and a meaning.  From this declaration come the check
of a value, the error for a wrong one, and the documentation's tables.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from functools import lru_cache
from os import PathLike, fspath
from typing import Any, ClassVar


class OptionError(ValueError):
    """An option that does not exist or has a wrong value.

    ``name`` and ``value`` are as given; ``allowed`` describes the values allowed, as
    the end of a sentence: "a number from 0 to 1".
    """

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{name} is {value!r:.200}, it must be {allowed}")
        self.name = name
        self.value = value
        self.allowed = allowed


class Kind(ABC):
    """A kind of values, which checks them."""

    @abstractmethod
    def allowed(self) -> str:
        """The values allowed, as the end of a sentence."""

    @abstractmethod
    def take(self, value: Any, key: str) -> Any:
        """The value as its field holds it; OptionError, with the key, otherwise."""

    def parse(self, value: object) -> object:
        """The value that a command line's text stands for; other values as they are."""
        return value

    def error(self, value: object, key: str, why: object = "") -> OptionError:
        allowed = self.allowed()
        return OptionError(key, value, f"{allowed} ({why})" if why else allowed)


def _listed(values: tuple[Any, ...]) -> str:
    return "one of " * (len(values) > 1) + ", ".join(map(repr, values))


@dataclass(frozen=True)
class OneOf(Kind):
    values: tuple[Any, ...]

    def allowed(self) -> str:
        return _listed(self.values)

    def take(self, value: Any, key: str) -> Any:
        for known in self.values:
            # 1 == True, but 1 is no switch.
            alike = isinstance(value, bool) is isinstance(known, bool)
            if alike and isinstance(value, type(known)) and value == known:
                return known
        raise self.error(value, key)


@dataclass(frozen=True)
class Switch(OneOf):
    values: tuple[bool, ...] = (True, False)

    def allowed(self) -> str:
        return " or ".join(map(repr, self.values))

    def parse(self, value: object) -> object:
        words = {"true": True, "false": False, "1": True, "0": False}
        return words.get(str(value).lower(), value)


@dataclass(frozen=True)
class Number(Kind):
    """A number from low to high, both included, or one of the words ``others``.

    ``unit`` is the unit of a limit, where 0 means no limit.
    """

    low: float
    high: float
    whole: bool
    others: tuple[str, ...] = ()
    unit: str = ""

    def allowed(self) -> str:
        words = "a whole number" if self.whole else "a number"
        low, high = f"{self.low:.15g}", f"{self.high:.15g}"
        if self.unit:
            words, low = f"{words} of {self.unit}", f"{low} (no limit)"
        words += f", {low} or more" if high == "inf" else f" from {low} to {high}"
        if self.others:
            words += f" or {_listed(self.others)}"
        return words

    def take(self, value: Any, key: str) -> Any:
        if isinstance(value, str) and value in self.others:
            return value
        if (
            isinstance(value, bool)
            or not isinstance(value, int if self.whole else (int, float))
            or not self.low <= value <= self.high  # as NaN never is
        ):
            raise self.error(value, key)
        return value

    def parse(self, value: object) -> object:
        # Other text stays as it is, for the error to show.
        with suppress(ValueError):
            if isinstance(value, str) and value not in self.others:
                if not self.whole:
                    return float(value)
                return int(value) if value.strip().isdecimal() else value
        return value


@dataclass(frozen=True)
class Text(Kind):
    meaning: str
    type_: ClassVar[type] = str

    def allowed(self) -> str:
        return self.meaning

    def take(self, value: Any, key: str) -> Any:
        if not isinstance(value, self.type_):
            raise self.error(value, key)
        return value

    def parse(self, value: object) -> object:
        return fspath(value) if isinstance(value, PathLike) else value


@dataclass(frozen=True)
class Dict(Text):
    """A dict, on a command line in JSON."""

    type_: ClassVar[type] = Mapping

    def parse(self, value: object) -> object:
        try:
            return json.loads(value) if isinstance(value, str) else value
        except (ValueError, RecursionError) as error:
            raise self.error(value, "", f"invalid JSON: {error}") from error


class Several(Kind):
    """A list, or one value alone; as text in JSON or separated by commas."""

    def listed(self, value: Any, key: str) -> list[Any] | tuple[Any, ...]:
        """The values of a list, or one value in a list."""
        values = [value] if isinstance(value, (str, type)) else value
        if not isinstance(values, (list, tuple)):
            raise self.error(value, key)
        return values

    def parse(self, value: object) -> object:
        if isinstance(value, str) and ("," in value or "[" in value):
            # Invalid JSON remains, so that the error shows it.
            with suppress(ValueError, RecursionError):
                names = [name.strip() for name in value.split(",")]
                return json.loads(value) if "[" in value else names
        return value


def declare(
    default: Any,
    kind: Kind,
    doc: str = "",
    *,
    name: str = "",
    shown: str = "",
    setting: bool = True,
) -> Any:
    """A dataclass field that holds values of a kind; ``doc`` is their meaning.

    ``name`` is the name under which the value is given, "" for the field's own.
    ``shown`` is the default in words, if it is no fixed value.  With ``setting`` False
    the value is for sites and requests only, not for a whole crawl.
    """
    meta = {"kind": kind, "doc": doc, "name": name, "shown": shown, "setting": setting}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=meta)
    return field(default=default, metadata=meta)


def one_of(default: Any, *values: Any, doc: str = "") -> Any:
    """A dataclass field that holds one of the values."""
    return declare(default, OneOf(values), doc)


def number(
    default: float | str,
    low: float,
    high: float,
    *others: str,
    doc: str = "",
    shown: str = "",
) -> Any:
    """A dataclass field that holds a number from low to high, or a word of ``others``.

    If the default is a whole number, only whole numbers are allowed.
    """
    kind = Number(low, high, isinstance(default, int), others)
    return declare(default, kind, doc, shown=shown)


def limit(default: float, unit: str, most: float = math.inf, *, doc: str = "") -> Any:
    """A dataclass field that holds a limit in a unit; 0 is no limit."""
    kind = Number(0, most, isinstance(default, int), unit=unit)
    return declare(default, kind, doc)


def switch(default: bool, doc: str = "") -> Any:
    """A dataclass field that holds True or False."""
    return declare(default, Switch(), doc)


def text(default: str, meaning: str, doc: str = "") -> Any:
    """A dataclass field that holds a string; the meaning ends the error's sentence."""
    return declare(default, Text(meaning), doc)


@lru_cache(maxsize=64)
def declarations(cls: type) -> dict[str, Field[Any]]:
    """The declared fields of a dataclass by the names under which they are given."""
    return {
        f.metadata["name"] or f.name: f for f in fields(cls) if "kind" in f.metadata
    }
