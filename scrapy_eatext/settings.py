"""Every EATEXT_* setting: its type, its default, its range and its errors."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.utils.misc import load_object

from scrapy_eatext.cascade import Limits
from scrapy_eatext.choice import (
    BELOW,
    Choice,
    SettingError,
    algorithm_names,
    check_loadable,
    check_options,
    fraction,
    one_of,
    overridden,
    seconds,
    whole,
)
from scrapy_eatext.result import ATTRIBUTES

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

EXECUTORS = ("inline", "thread", "process")
LAST_RESORTS = ("density", "empty")
ON_DECAY = ("ignore", "warn", "close_spider")
ITEMS = ("all", "declared")

# One processor is the crawl's own: with as many threads as processors its event loop
# waits for its turn, and no more pages get done.
_WORKERS = min(4, max(1, (os.cpu_count() or 1) - 1))


@dataclass(frozen=True)
class Config:
    """The settings of a crawl, each found good.

    ``sites`` has a choice a host, None where the host's pages are not to be
    extracted.  ``items`` is one of ITEMS, or the classes of the items to fill.
    ``memory`` is in MiB.
    """

    enabled: bool = True
    choice: Choice = field(default_factory=Choice)
    sites: Mapping[str, Choice | None] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=lambda: {"main_text": "text"})
    items: str | tuple[type, ...] = "all"
    html_field: str = ""
    url_field: str = "url"
    executor: str = "thread"
    workers: int = _WORKERS
    limits: Limits = field(
        default_factory=lambda: Limits(timeout=10.0, max_size=10_000_000)
    )
    memory: int = 1024
    on_decay: str = "warn"

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Config:
        """Read a crawl's settings; SettingError names the first that is wrong."""
        _refuse_unknown(settings)
        given = {
            key: settings.get(key) for key in KEYS if settings.get(key) is not None
        }
        values = {
            key: parse(given[key], key)
            for key, parse in _PARSERS.items()
            if key in given
        }
        default = cls()
        fields = values.get("EATEXT_FIELDS", default.fields)
        if (html_field := values.get("EATEXT_HTML_FIELD")) in fields:
            # What is taken out of an item is not to be filled.
            raise SettingError(
                "EATEXT_HTML_FIELD", html_field, "none of the fields in EATEXT_FIELDS"
            )
        choice = Choice(
            algorithms=values.get("EATEXT_ALGORITHM", default.choice.algorithms),
            options=values.get("EATEXT_OPTIONS", {}),
            min_chars=values.get("EATEXT_MIN_CHARS", 0),
            min_score=values.get("EATEXT_MIN_SCORE", 0.0),
            below=values.get("EATEXT_BELOW", "keep"),
        )
        check_loadable(choice, "EATEXT_ALGORITHM", "EATEXT_OPTIONS")
        limits = replace(
            default.limits,
            **{
                name: values[key]
                for name, key in (
                    ("timeout", "EATEXT_TIMEOUT"),
                    ("max_size", "EATEXT_MAX_SIZE"),
                    ("last_resort", "EATEXT_LAST_RESORT"),
                )
                if key in values
            },
        )
        config = replace(
            default,
            choice=choice,
            limits=limits,
            sites=_sites(given.get("EATEXT_SITES", {}), choice),
            **{
                name: values[key]
                for name, key in (
                    ("enabled", "EATEXT_ENABLED"),
                    ("fields", "EATEXT_FIELDS"),
                    ("items", "EATEXT_ITEMS"),
                    ("html_field", "EATEXT_HTML_FIELD"),
                    ("url_field", "EATEXT_URL_FIELD"),
                    ("executor", "EATEXT_EXECUTOR"),
                    ("workers", "EATEXT_WORKERS"),
                    ("memory", "EATEXT_MEMORY"),
                    ("on_decay", "EATEXT_ON_DECAY"),
                )
                if key in values
            },
        )
        if config.executor == "process":
            _check_sendable(choice, "EATEXT_OPTIONS")
            for host, site in config.sites.items():
                if site is not None:
                    _check_sendable(site, f"EATEXT_SITES[{host!r}]['options']")
        return config

    def choice_for(self, url: str, said: object = None) -> Choice | None:
        """How to extract the page at a URL, None where it is not to be.

        ``said`` is what the request's meta has under ``eatext``; SettingError
        where it is wrong.
        """
        choice = self._of_site(url)
        if said is None:
            return choice
        # What is said for one request also overrides a site that is off.
        base = self.choice if choice is None else choice
        return overridden(base, said, "request.meta['eatext']")

    def site_of(self, url: str) -> str:
        """The host among ``sites`` that says what holds at a URL, "" where none does."""
        host = host_of(url) if self.sites else ""
        while host and host not in self.sites:
            host = host.partition(".")[2]
        return host

    def _of_site(self, url: str) -> Choice | None:
        host = self.site_of(url)
        return self.sites[host] if host else self.choice


def host_of(url: str) -> str:
    """A URL's host in lower case, "" where it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # an IPv6 address that is none
        return ""


def _switch(value: object, key: str) -> bool:
    for word, meaning in (("true", True), ("false", False), ("1", True), ("0", False)):
        if str(value).lower() == word:
            return meaning
    raise SettingError(key, value, "True or False")


def _dict(value: object, key: str, meaning: str) -> Mapping[Any, Any]:
    """A dict, also as the JSON that a command line has."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise SettingError(key, value, meaning) from None
    if not isinstance(value, Mapping):
        raise SettingError(key, value, meaning)
    return value


def _listed(value: object) -> object:
    """A list, also from the names or the JSON that a command line has."""
    if isinstance(value, str) and ("," in value or "[" in value):
        # What is no JSON stays as it is, for the error to show.
        with suppress(ValueError):
            names = [name.strip() for name in value.split(",")]
            value = json.loads(value) if "[" in value else names
    return value


def _algorithm(value: object, key: str) -> tuple[str, ...]:
    return algorithm_names(_listed(value), key)


def _options(value: object, key: str) -> dict[str, Mapping[str, Any]]:
    meaning = "a dict of options per algorithm"
    given = _dict(value, key, meaning)
    if given and not any(isinstance(options, Mapping) for options in given.values()):
        # Most likely the options of one, without its name.
        raise SettingError(key, value, f"{meaning}: {{'name': {{'option': value}}}}")
    return {
        name: check_options(name, options, f"{key}[{name!r}]")
        for name, options in given.items()
    }


def _fields(value: object, key: str) -> dict[str, str]:
    meaning = "a dict: item field -> one of " + ", ".join(ATTRIBUTES)
    fields = dict(_dict(value, key, meaning))
    if not all(isinstance(name, str) and name for name in fields):
        raise SettingError(key, value, meaning)
    for name, attribute in fields.items():
        one_of(attribute, f"{key}[{name!r}]", ATTRIBUTES)
    return fields


def _items(value: object, key: str) -> str | tuple[type, ...]:
    if isinstance(value, str) and value in ITEMS:
        return value
    given = _listed(value)
    given = given if isinstance(given, (list, tuple)) else [given]
    allowed = "'all', 'declared', or a list of classes or their import paths"
    if not given:
        raise SettingError(key, value, allowed)
    try:
        classes = tuple(map(_class, given))
    except Exception as error:  # whatever importing a module raises
        raise SettingError(key, value, f"{allowed} ({error})") from error
    return classes


def _class(said: Any) -> type:
    """A class, or what an import path leads to; "dict" is one too."""
    path = f"builtins.{said}" if isinstance(said, str) and "." not in said else said
    found = load_object(path)
    if not isinstance(found, type):
        raise TypeError(f"{said!r} is no class")
    return found


def _name(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise SettingError(key, value, "the name of an item field")
    return value


def _sites(value: object, choice: Choice) -> dict[str, Choice | None]:
    key = "EATEXT_SITES"
    sites: dict[str, Choice | None] = {}
    for host, said in _dict(value, key, "a dict: host -> what holds there").items():
        where = f"{key}[{host!r}]"
        name = _host(host, where)
        if name in sites:
            raise SettingError(where, said, "there once: another key is the same host")
        site = overridden(choice, said, where)
        if site is not None:
            check_loadable(site, where, f"{where}['options']")
        sites[name] = site
    return sites


def _check_sendable(choice: Choice, key: str) -> None:
    """Raise SettingError unless the options are the same where JSON has held them.

    As JSON they are sent to worker processes; an algorithm of one's own may have
    options that are anything.
    """
    options = {name: dict(given) for name, given in choice.options.items()}
    try:
        if json.loads(json.dumps(options)) == options:
            return
    except (TypeError, ValueError):
        pass
    raise SettingError(key, options, "what JSON can hold, as processes are sent it")


def _host(host: object, key: str) -> str:
    """A host as URLs in Scrapy have it."""
    meaning = "under a host's name, such as 'example.com'"
    if not isinstance(host, str):
        raise SettingError(key, host, meaning)
    name = host.strip().lower().removeprefix("*").strip(".")
    try:
        name = name if name.isascii() else name.encode("idna").decode()
    except UnicodeError:
        raise SettingError(key, host, meaning) from None
    if not name or any(c in "/:@?#*" or c.isspace() for c in name):
        if alone := host_of(name if "//" in name else f"//{name}"):
            meaning = f"under a host's name alone, no port, scheme or path: {alone!r}"
        raise SettingError(key, host, meaning)
    return name


# key -> what makes a good value of what was given, or raises SettingError.
# EATEXT_SITES is not here: its defaults are the other settings.
_PARSERS: dict[str, Callable[[object, str], Any]] = {
    "EATEXT_ENABLED": _switch,
    "EATEXT_ALGORITHM": _algorithm,
    "EATEXT_OPTIONS": _options,
    "EATEXT_FIELDS": _fields,
    "EATEXT_ITEMS": _items,
    "EATEXT_HTML_FIELD": _name,
    "EATEXT_URL_FIELD": _name,
    "EATEXT_MIN_CHARS": whole,
    "EATEXT_MIN_SCORE": fraction,
    "EATEXT_BELOW": lambda value, key: one_of(value, key, BELOW),
    "EATEXT_EXECUTOR": lambda value, key: one_of(value, key, EXECUTORS),
    "EATEXT_WORKERS": lambda value, key: whole(value, key, low=1),
    "EATEXT_TIMEOUT": seconds,
    "EATEXT_MAX_SIZE": whole,
    "EATEXT_MEMORY": whole,
    "EATEXT_LAST_RESORT": lambda value, key: one_of(value, key, LAST_RESORTS),
    "EATEXT_ON_DECAY": lambda value, key: one_of(value, key, ON_DECAY),
}
KEYS = (*_PARSERS, "EATEXT_SITES")


def _refuse_unknown(settings: BaseSettings) -> None:
    for key in settings:
        if key.startswith("EATEXT_") and key not in KEYS:
            # The prefix would make every key a near one.
            names = [known.removeprefix("EATEXT_") for known in KEYS]
            near = get_close_matches(key.removeprefix("EATEXT_"), names, n=1)
            allowed = (
                f"spelt EATEXT_{near[0]}"
                if near
                else "left out: there is no such setting"
            )
            raise SettingError(key, settings.get(key), allowed)
