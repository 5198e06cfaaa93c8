"""The Choice: how a page is extracted, in plain values that can be sent to processes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike, fspath
from typing import Any, TypeVar

from scrapy_eatext.algorithms import DEFAULT, algorithm_class, get_algorithm
from scrapy_eatext.algorithms.base import make_options
from scrapy_eatext.declared import (
    Dict,
    Kind,
    OneOf,
    OptionError,
    Several,
    declarations,
    declare,
    limit,
    number,
    switch,
)
from scrapy_eatext.output.forms import ChunkForm, Forms, MarkdownForm


class SettingError(OptionError):
    """A setting, or a part of a setting, with a wrong value.

    Its name is the place of the value, like ``EATEXT_OPTIONS['justext']``.
    """

    # The error ends a crawl, whose log needs the message alone: a traceback does not help
    # to correct a setting.
    __traceback__ = None
    __cause__ = None
    __suppress_context__ = True


class Algorithms(Several):
    """An algorithm or a cascade: a name, an import path, a class, or a list."""

    def allowed(self) -> str:
        return "the name of an algorithm, the import path of one, or a list of these"

    def take(self, value: Any, key: str) -> tuple[str, ...]:
        names = to_json_value(self.listed(value, key))
        if not names:
            raise self.error(value, key)
        with _keyed(lambda _: key):
            for name in names:
                algorithm_class(name)
        return tuple(names)


class Css(Kind):
    """A CSS selector, or a list of them, which are joined."""

    def allowed(self) -> str:
        return "a CSS selector or a list of them"

    def take(self, value: Any, key: str) -> str:
        selectors = [value] if isinstance(value, str) else value
        if not isinstance(selectors, (list, tuple)):
            raise self.error(value, key)
        if not selectors:
            return ""
        # Imported here, as few crawls have rules.
        from cssselect import SelectorError

        from scrapy_eatext.page.selectors import check_selector

        try:
            for selector in selectors:
                check_selector(selector)
            return ", ".join(selectors)
        except (SelectorError, TypeError, AttributeError, RecursionError) as error:
            allowed = f"CSS selectors for elements ({error})"
            raise OptionError(key, value, allowed) from error


class Part(Dict):
    """A dataclass of declared values: a dict overrides some of them."""

    def changed(self, base: Any, overrides: object, key: str) -> Any:
        return changed(base, overrides, key)


class WeakPart(Part):
    """A Weak; False turns it off."""

    def take(self, value: Any, key: str) -> Any:
        return value

    def changed(self, base: Weak, overrides: object, key: str) -> Weak:
        if overrides is False:
            return NEVER
        weak = changed(base, overrides, key, "False, or ")
        if overrides and not weak.meta:
            allowed = "the meta of a request to a browser or an API, not empty"
            raise SettingError(part_of(key, "meta"), weak.meta, allowed)
        return weak


class PerAlgorithm(Dict):
    """Options per algorithm, or those of the only algorithm."""

    def merged(
        self, choice: Choice, given: Mapping[Any, Any], key: str
    ) -> dict[str, Mapping[str, Any]]:
        """A choice's options with those given, which are checked."""
        per_algorithm = [(name, given[name], part_of(key, name)) for name in given]
        if given and not any(isinstance(one, Mapping) for one in given.values()):
            if len(choice.algorithms) > 1:
                allowed = f"{self.allowed()}, as there are several"
                raise SettingError(key, given, allowed)
            per_algorithm = [(choice.algorithms[0], given, key)]
        merged = dict(choice.options)
        for name, options, where in per_algorithm:
            try:
                cls = algorithm_class(name)
            except OptionError as error:
                raise SettingError(where, options, f"under {error.allowed}") from error
            if not isinstance(options, Mapping):
                raise SettingError(where, options, "a dict of options")
            with _keyed(partial(part_of, where)):
                make_options(cls.options_class, options)
            merged[name] = {**merged.get(name, {}), **options}
        return merged


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


NEVER = Weak()


@dataclass(frozen=True, slots=True)
class Choice:
    """How a page is extracted, and in a crawl whether it is retried.

    The first of ``algorithms`` whose text passes() is used; ``below`` is what to do if
    none does.  ``options`` has a mapping for each algorithm.  ``keep`` and ``remove`` are
    CSS selectors for elements that are, and are not, main text; "" matches none.
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
    keep_walls: bool = switch(
        False, "whether walls (errors, log-ins and the like) keep their text"
    )
    title: bool = switch(
        False, "whether text, Markdown and HTML begin with the page's headline"
    )
    markdown: MarkdownForm = declare(  # noqa: RUF009 - it makes a field
        MarkdownForm(),
        Part("a dict with `front_matter`, `links`, `images`"),
        'what Markdown has: `{"front_matter": True, "links": False, "images": False}`',
        shown="`{}`",
    )
    chunks: ChunkForm = declare(  # noqa: RUF009 - it makes a field
        ChunkForm(),
        Part("a dict with `size`, `overlap`, `unit`, `markdown`"),
        'what chunks are like: `{"size": 200, "unit": "words", "markdown": True}`',
        shown="`{}`",
    )
    keep: str = declare("", Css(), setting=False)
    remove: str = declare("", Css(), setting=False)
    weak: Weak = declare(  # noqa: RUF009 - it makes a field
        NEVER,
        WeakPart("a dict with `meta` and more"),
        "which pages to request again, with other meta, as for a browser: "
        '`{"meta": {"playwright": True}, "min_chars": 200}`',
        shown="`{}`",
    )

    def passes(self, text: str, score: float) -> bool:
        return bool(text) and len(text) >= self.min_chars and score >= self.min_score

    @property
    def forms(self) -> Forms:
        return Forms(self.title, self.markdown, self.chunks)

    @property
    def of_continuation(self) -> Choice:
        return replace(
            self, title=False, markdown=replace(self.markdown, front_matter=False)
        )

    @property
    def of_page(self) -> Choice:
        """The choice without ``weak``, whose meta may have what JSON cannot hold."""
        return replace(self, weak=NEVER)


# The names of the values that a site or a request may override.
OVERRIDES = tuple(declarations(Choice))

_Declared = TypeVar("_Declared")


def overridden(choice: Choice, overrides: object, key: str) -> Choice | None:
    """A choice with the overrides of a site or of a request's meta.

    ``overrides`` is None or True, which change nothing; False, for which None is
    returned; the names of algorithms; or a dict as changed() takes it.
    """
    if overrides is None or overrides is True:
        return choice
    if overrides is False:
        return None
    if not isinstance(overrides, Mapping):
        return replace(choice, algorithms=take(Algorithms(), overrides, key))
    return changed(choice, overrides, key)


def changed(
    base: _Declared, overrides: object, key: str = "", others: str = ""
) -> _Declared:
    """A dataclass of declared values with some of them changed.

    Raises SettingError, whose key starts with ``key``, and whose message names
    ``others`` as values that are allowed beside a dict.
    """
    cls: type = type(base)
    names = declarations(cls)
    if not isinstance(overrides, Mapping):
        allowed = f"{others}a dict with some of " + ", ".join(names)
        raise SettingError(key, overrides, allowed)
    for name in overrides:
        if name not in names:
            allowed = "left out: the keys are " + ", ".join(names)
            raise SettingError(part_of(key, name), overrides[name], allowed)
    values = taken(base, overrides, partial(part_of, key))
    with _keyed(partial(part_of, key)):  # for values that contradict each other
        made: _Declared = replace(base, **values)  # type: ignore[type-var]
    return made


def taken(
    base: Any, given: Mapping[str, object], place: Callable[[str], str]
) -> dict[str, Any]:
    """The checked values of a declared dataclass's fields, of other names nothing.

    Raises SettingError with the key place(name).
    """
    values: dict[str, Any] = {}
    for name, field in declarations(base.__class__).items():
        if name in given:
            kind, key = field.metadata["kind"], place(name)
            value = take(kind, given[name], key)
            if isinstance(kind, Part):
                value = kind.changed(getattr(base, field.name), value, key)
            elif isinstance(kind, PerAlgorithm):
                value = kind.merged(replace(base, **values), value, key)
            values[field.name] = value
    return values


@contextmanager
def _keyed(place: Callable[[str], str]) -> Iterator[None]:
    """Raise an OptionError as a SettingError with the key place(name)."""
    try:
        yield
    except OptionError as error:
        key = place(error.name)
        raise SettingError(key, error.value, error.allowed) from error


def take(kind: Kind, value: object, key: str) -> Any:
    """A value or a command line's text, read by its kind.  Raises SettingError."""
    with _keyed(lambda name: name or key):
        return kind.take(kind.parse(value), key)


def part_of(key: str, name: object) -> str:
    """The key of a value within another one."""
    return f"{key}[{name!r}]" if key else str(name)


def check_loadable(choice: Choice, key: str, options_key: str) -> None:
    """Raise SettingError, with one of the keys, if an algorithm lacks model or module."""
    for name in choice.algorithms:
        options = choice.options.get(name)
        where = f"{options_key}[{name!r}]"
        try:
            with _keyed(partial(part_of, where)):
                get_algorithm(name, options)
        except SettingError:
            raise
        except (ImportError, OSError, ValueError) as error:
            why = f"that can be loaded: {error}"
            if options:  # such as the path of a model
                raise SettingError(where, options, f"options {why}") from error
            raise SettingError(key, name, f"an algorithm {why}") from error


def options_from(texts: Iterable[str], key: str) -> dict[str, Any]:
    """Options from texts: NAME=VALUE, with JSON or a word as value, or JSON objects."""
    options: dict[str, Any] = {}
    for part in texts:
        name, sign, value = part.partition("=")
        if part.lstrip().startswith("{"):
            try:
                options |= json.loads(part)
            except (ValueError, RecursionError) as error:
                raise SettingError(key, part, f"JSON ({error})") from error
        elif not sign:
            raise SettingError(key, part, "NAME=VALUE, or a JSON object")
        else:
            options[name.strip()] = value
            with suppress(ValueError, RecursionError):
                # JSON requires a digit before the decimal point.
                options[name.strip()] = json.loads(re.sub(r"^\.(?=\d)", "0.", value))
    return options


def to_json_value(value: Any) -> Any:
    """A value with texts for classes and paths, and with plain dicts and lists."""
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return {to_json_value(k): to_json_value(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json_value(each) for each in value]
    return value
