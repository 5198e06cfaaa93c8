"""How one page is to be extracted, as plain values that any process can be sent."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from scrapy_eatext.algorithms import DEFAULT, algorithm_class, get_algorithm
from scrapy_eatext.algorithms.base import Algorithm, OptionError, make_options

BELOW = ("keep", "empty", "drop")
# What a choice may be told for a site or a request.
OVERRIDES = (
    "algorithm",
    "options",
    "min_chars",
    "min_score",
    "below",
    "keep",
    "remove",
)


class SettingError(OptionError):
    """A setting, or a part of one, that has a value it may not have.

    Its name says where the value stands.
    """

    @property
    def key(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Choice:
    """How one page is to be extracted.

    The first of ``algorithms`` whose text passes wins: it is not empty, has
    ``min_chars`` characters and ``min_score``.  ``below`` says what becomes of
    a page where none passes.  ``options`` has a mapping an algorithm.  Blocks
    under an element that the XPath expression ``keep`` finds are main text,
    those under one that ``remove`` finds are not; "" finds none.
    """

    algorithms: tuple[str, ...] = (DEFAULT,)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    min_chars: int = 0
    min_score: float = 0.0
    below: str = "keep"
    keep: str = ""
    remove: str = ""

    def passes(self, text: str, score: float) -> bool:
        """Whether a text is good enough."""
        return bool(text) and len(text) >= self.min_chars and score >= self.min_score


def overridden(choice: Choice, value: object, key: str) -> Choice | None:
    """A choice changed by what was said for a site or in a request's meta.

    The value is None or True (nothing changes), False (do not extract: None
    comes back), an algorithm's name, a list of names, or a dict with some of
    OVERRIDES.  Raises SettingError, in which the key says where it stood.
    """
    if value is None or value is True:
        return choice
    if value is False:
        return None
    if not isinstance(value, Mapping):
        return replace(choice, algorithms=algorithm_names(value, key))
    return changed(choice, value, key)


def changed(choice: Choice, said: Mapping[Any, object], key: str = "") -> Choice:
    """A choice with some of OVERRIDES, under a key or each by its own name.

    Raises SettingError.
    """
    changes: dict[str, Any] = {}
    for name, given in said.items():
        where = _part(key, name)
        if name == "algorithm":
            changes["algorithms"] = algorithm_names(given, where)
        elif name == "min_chars":
            changes[name] = whole(given, where)
        elif name == "min_score":
            changes[name] = fraction(given, where)
        elif name == "below":
            changes[name] = one_of(given, where, BELOW)
        elif name in ("keep", "remove"):
            changes[name] = css(given, where)
        elif name != "options":
            raise SettingError(
                where, given, "left out: the keys are " + ", ".join(OVERRIDES)
            )
    if "options" in said:
        changes["options"] = _merged(
            choice.options,
            said["options"],
            changes.get("algorithms", choice.algorithms),
            _part(key, "options"),
        )
    return replace(choice, **changes)


def _part(key: str, name: object) -> str:
    return f"{key}[{name!r}]" if key else str(name)


def _merged(
    base: Mapping[str, Mapping[str, Any]],
    given: object,
    algorithms: tuple[str, ...],
    key: str,
) -> dict[str, Mapping[str, Any]]:
    """The base options with others on top.

    Those given are for the one algorithm, or a dict of options per algorithm.
    """
    if not isinstance(given, Mapping):
        raise SettingError(key, given, "a dict of options")
    if all(isinstance(v, Mapping) for v in given.values()):
        per_algorithm: Mapping[Any, Any] = given
        prefix = True
    elif len(algorithms) == 1:
        per_algorithm = {algorithms[0]: given}
        prefix = False
    else:
        raise SettingError(
            key, given, "a dict of options per algorithm, as there are several"
        )
    merged = dict(base)
    for name, options in per_algorithm.items():
        where = f"{key}[{name!r}]" if prefix else key
        merged[name] = {**base.get(name, {}), **check_options(name, options, where)}
    return merged


def check_options(name: Any, options: object, key: str) -> Mapping[str, Any]:
    """An algorithm's options, found good; SettingError otherwise."""
    cls = _algorithm(name, key, name)
    if not isinstance(options, Mapping):
        raise SettingError(key, options, "a dict of options")
    try:
        make_options(cls.options_class, options)
    except OptionError as error:
        raise SettingError(
            f"{key}[{error.name!r}]", error.value, error.allowed
        ) from error
    return options


def check_loadable(choice: Choice, key: str, options_key: str) -> None:
    """Build a choice's algorithms, so that what they lack shows at once.

    The keys are those by which the user knows algorithms and their options.
    """
    for name in choice.algorithms:
        options = choice.options.get(name)
        where = f"{options_key}[{name!r}]"
        try:
            get_algorithm(name, options)
        except OptionError as error:
            raise SettingError(
                f"{where}[{error.name!r}]", error.value, error.allowed
            ) from error
        except (ImportError, OSError, ValueError) as error:
            if options:  # such as the path of a model
                raise SettingError(
                    where, options, f"options that can be loaded: {error}"
                ) from error
            raise SettingError(
                key, name, f"an algorithm that can be loaded: {error}"
            ) from error


def options_from(given: Iterable[str], key: str) -> dict[str, Any]:
    """Options from NAME=VALUE, in which values are JSON or else words, or from JSON."""
    options: dict[str, Any] = {}
    for part in given:
        name, sign, value = part.partition("=")
        if part.lstrip().startswith("{"):
            try:
                options |= json.loads(part)
            except ValueError as error:
                raise SettingError(key, part, f"JSON ({error})") from error
        elif not sign:
            raise SettingError(key, part, "NAME=VALUE, or a JSON object")
        else:
            options[name.strip()] = value
            with suppress(ValueError):
                # JSON's numbers have a digit before the point.
                options[name.strip()] = json.loads(re.sub(r"^\.(?=\d)", "0.", value))
    return options


def algorithm_names(value: object, key: str) -> tuple[str, ...]:
    """One algorithm or a cascade: a name, or a list of names; classes have paths."""
    given = [value] if isinstance(value, (str, type)) else value
    if not isinstance(given, (list, tuple)) or not given:
        raise SettingError(key, value, "the name of an algorithm or a list of names")
    names = [
        f"{one.__module__}.{one.__qualname__}" if isinstance(one, type) else one
        for one in given
    ]
    for name in names:
        _algorithm(name, key, value)
    return tuple(names)


def _algorithm(name: Any, key: str, value: object) -> type[Algorithm[Any]]:
    try:
        return algorithm_class(name)
    except OptionError as error:
        raise SettingError(key, value, error.allowed) from error


def whole(value: object, key: str, low: int = 0) -> int:
    """A whole number from low up, also as a string of digits."""
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise SettingError(key, value, f"a whole number, {low} or more")
    return value


def _number(value: object) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def fraction(value: object, key: str) -> float:
    """A number from 0 to 1, also as a string."""
    number = _number(value)
    if number is None or not 0 <= number <= 1:
        raise SettingError(key, value, "a number from 0 to 1")
    return number


def seconds(value: object, key: str) -> float:
    """A number of seconds, 0 or more, also as a string."""
    number = _number(value)
    if number is None or number < 0 or not math.isfinite(number):
        raise SettingError(key, value, "a number of seconds, 0 (no limit) or more")
    return number


def one_of(value: object, key: str, allowed: Iterable[str]) -> str:
    """One of the words."""
    if not isinstance(value, str) or value not in allowed:
        raise SettingError(key, value, "one of " + ", ".join(map(repr, allowed)))
    return value


def css(value: object, key: str) -> str:
    """A CSS selector, or a list of them, as one XPath expression."""
    selectors = [value] if isinstance(value, str) else value
    if not isinstance(selectors, (list, tuple)):
        raise SettingError(key, value, "a CSS selector or a list of them")
    if not selectors:
        return ""
    # Worker processes are sent expressions, and start sooner without these.
    from cssselect import SelectorError

    try:
        return " | ".join(_xpath(selector) for selector in selectors)
    except (SelectorError, TypeError, AttributeError) as error:
        raise SettingError(
            key, value, f"CSS selectors for elements ({error})"
        ) from error


# Bounded: selectors can come with every request.
@lru_cache(maxsize=256)
def _xpath(selector: str) -> str:
    from parsel import css2xpath

    xpath = css2xpath(selector)
    # parsel's ::text and ::attr() find no elements.
    if "::text" in selector or "::attr" in selector:
        raise TypeError("::text and ::attr() are no elements")
    return xpath
