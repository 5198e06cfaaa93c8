"""How one page is to be extracted, as plain values that any process can be sent."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from scrapy_eatext.algorithms import DEFAULT, algorithm_class, get_algorithm
from scrapy_eatext.algorithms.base import Algorithm, make_options
from scrapy_eatext.declared import (
    Dict,
    Kind,
    OneOf,
    OptionError,
    declarations,
    declare,
    number,
)


class SettingError(OptionError):
    """A setting, or a part of a setting, with a wrong value.

    Its name says where the value stands, as in ``EATEXT_OPTIONS['justext']``.
    """

    @property
    def key(self) -> str:
        return self.name


class Algorithms(Kind):
    """An algorithm or a cascade: a name or a list of names; a class has a path."""

    def allowed(self) -> str:
        return "the name of an algorithm or a list of names"

    def take(self, value: Any, key: str) -> tuple[str, ...]:
        given = [value] if isinstance(value, (str, type)) else value
        if not isinstance(given, (list, tuple)) or not given:
            raise self.error(value, key)
        names = [
            f"{one.__module__}.{one.__qualname__}" if isinstance(one, type) else one
            for one in given
        ]
        for name in names:
            _algorithm(name, key, value)
        return tuple(names)

    def plain(self, value: object) -> object:
        return listed(value)


class PerAlgorithm(Dict):
    """Options per algorithm, each checked."""

    def take(self, value: Any, key: str) -> dict[str, Mapping[str, Any]]:
        given = super().take(value, key)
        if given and not any(isinstance(said, Mapping) for said in given.values()):
            # Most likely one algorithm's options without its name.
            allowed = f"{self.allowed()}: {{'name': {{'option': value}}}}"
            raise OptionError(key, value, allowed)
        return {
            name: check_options(name, options, f"{key}[{name!r}]")
            for name, options in given.items()
        }


class Css(Kind):
    """A CSS selector, or a list of them, as one XPath expression."""

    def allowed(self) -> str:
        return "a CSS selector or a list of them"

    def take(self, value: Any, key: str) -> str:
        selectors = [value] if isinstance(value, str) else value
        if not isinstance(selectors, (list, tuple)):
            raise self.error(value, key)
        if not selectors:
            return ""
        # Worker processes get XPath expressions, and start sooner without these
        # modules.
        from cssselect import SelectorError

        try:
            return " | ".join(_xpath(selector) for selector in selectors)
        except (SelectorError, TypeError, AttributeError) as error:
            allowed = f"CSS selectors for elements ({error})"
            raise OptionError(key, value, allowed) from error


@dataclass(frozen=True, slots=True)
class Choice:
    """How one page is to be extracted.

    The first of ``algorithms`` whose text passes wins.  A text passes if it is not
    empty, and has at least ``min_chars`` characters and a score of ``min_score``.
    ``below`` says what becomes of a page of which no text passes.  ``options`` has a
    mapping for each algorithm.  ``keep`` and ``remove`` are XPath expressions: blocks
    inside an element found by ``keep`` are main text, blocks inside an element found by
    ``remove`` are not; "" finds none.
    """

    algorithms: tuple[str, ...] = declare(
        (DEFAULT,),
        Algorithms(),
        "a name, the import path of a class, or a list: the first whose text passes "
        "wins",
        name="algorithm",
    )
    options: Mapping[str, Mapping[str, Any]] = declare(
        {},
        PerAlgorithm("a dict of options per algorithm"),
        'options of algorithms: `{"justext": {"length_low": 50}}`',
    )
    min_chars: int = number(0, 0, math.inf, doc="a shorter text does not pass")
    min_score: float = number(0.0, 0, 1, doc="a text with a lower score does not pass")
    below: str = declare(
        "keep",
        OneOf(("keep", "empty", "drop")),
        "what becomes of a text that does not pass: `keep` it, leave an `empty` "
        "one, or `drop` the item",
    )
    keep: str = declare("", Css(), setting=False)
    remove: str = declare("", Css(), setting=False)

    def passes(self, text: str, score: float) -> bool:
        """Whether a text is good enough."""
        return bool(text) and len(text) >= self.min_chars and score >= self.min_score


# The fields that a site or a request may override.
OVERRIDES = tuple(declarations(Choice))


def overridden(choice: Choice, value: object, key: str) -> Choice | None:
    """A choice with the overrides of a site or of a request's meta.

    The value is None or True (nothing changes), False (do not extract: None
    comes back), an algorithm's name, a list of names, or a dict with some of
    OVERRIDES.  Raises SettingError; the key says where the value stood.
    """
    if value is None or value is True:
        return choice
    if value is False:
        return None
    if not isinstance(value, Mapping):
        return replace(choice, algorithms=take(Algorithms(), value, key))
    return changed(choice, value, key)


def changed(choice: Choice, said: Mapping[Any, object], key: str = "") -> Choice:
    """A choice with some of OVERRIDES; errors name them under the key, or by their own
    names.

    Raises SettingError.
    """
    for name in said:
        if name not in OVERRIDES:
            allowed = "left out: the keys are " + ", ".join(OVERRIDES)
            raise SettingError(_part(key, name), said[name], allowed)
    others = {name: given for name, given in said.items() if name != "options"}
    changes = taken(Choice, others, partial(_part, key))
    if "options" in said:
        changes["options"] = _merged(
            choice.options,
            said["options"],
            changes.get("algorithms", choice.algorithms),
            _part(key, "options"),
        )
    return replace(choice, **changes)


def taken(
    cls: type, given: Mapping[str, object], place: Callable[[str], str]
) -> dict[str, Any]:
    """The fields of a declared class that are given, by the names of its declarations.

    Other names are ignored.  Raises SettingError, whose key is place(name).
    """
    return {
        declaration.name: take(declaration.metadata["kind"], given[name], place(name))
        for name, declaration in declarations(cls).items()
        if name in given
    }


def take(kind: Kind, value: object, key: str) -> Any:
    """A value, or a command line's text, as its kind takes it; or SettingError."""
    try:
        return kind.take(kind.plain(value), key)
    except OptionError as error:
        wrong = value if error.name == key else error.value
        raise SettingError(error.name, wrong, error.allowed) from error


def _part(key: str, name: object) -> str:
    return f"{key}[{name!r}]" if key else str(name)


def _merged(
    base: Mapping[str, Mapping[str, Any]],
    given: object,
    algorithms: tuple[str, ...],
    key: str,
) -> dict[str, Mapping[str, Any]]:
    """The base options with others on top.

    Given are the options of the one algorithm, or a dict of options per algorithm.
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
    """An algorithm's options, checked; SettingError if one is wrong."""
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
    """Build a choice's algorithms, so that a missing model or module shows at once.

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
    """Options from NAME=VALUE, where a value is JSON or else a word, or from JSON."""
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


def listed(value: object) -> object:
    """A list, also from the names or the JSON that a command line has."""
    if isinstance(value, str) and ("," in value or "[" in value):
        # Invalid JSON stays as it is, for the error to show.
        with suppress(ValueError):
            names = [name.strip() for name in value.split(",")]
            value = json.loads(value) if "[" in value else names
    return value


def _algorithm(name: Any, key: str, value: object) -> type[Algorithm[Any]]:
    try:
        return algorithm_class(name)
    except OptionError as error:
        raise SettingError(key, value, error.allowed) from error


# Bounded: selectors can come with every request.
@lru_cache(maxsize=256)
def _xpath(selector: str) -> str:
    from parsel import css2xpath

    xpath = css2xpath(selector)
    # parsel's ::text and ::attr() find no elements.
    if "::text" in selector or "::attr" in selector:
        raise TypeError("::text and ::attr() are no elements")
    return xpath
