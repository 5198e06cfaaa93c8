"""Declares the EATEXT_* settings: type, default, range and meaning."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from scrapy_eatext.algorithms import DEFAULT
from scrapy_eatext.declared import (
    Dict,
    OneOf,
    Several,
    declarations,
    declare,
    limit,
    number,
    switch,
    text,
)
from scrapy_eatext.execution.cascade import Limits
from scrapy_eatext.execution.choice import (
    Choice,
    SettingError,
    check_loadable,
    overridden,
    part_of,
    taken,
)
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.result import ATTRIBUTES
from scrapy_eatext.sites.evidence import ascii_host, hosts_of
from scrapy_eatext.sites.files import SiteFileError, load_lessons

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

EXECUTORS = ("inline", "thread", "process")
ITEMS = ("all", "declared")

# One core is left to the crawl's own thread: with more workers its event loop would
# wait for a core, and the throughput would not grow.
_WORKERS = min(4, max(1, (os.cpu_count() or 1) - 1))
# A maximum of seconds and MiB that is valid on every system.
_MAX = 1_000_000_000


class Fields(Dict):
    """Item fields, each with the attribute of the result that fills it."""

    def take(self, value: Any, key: str) -> dict[str, str]:
        fields = super().take(value, key)
        if not all(isinstance(name, str) and name for name in fields):
            raise self.error(value, key)
        kind = OneOf(ATTRIBUTES)
        return {name: kind.take(fields[name], f"{key}[{name!r}]") for name in fields}


class Attributes(Several):
    """Attributes of the result, in a list or separated by commas."""

    def allowed(self) -> str:
        return "a list of " + ", ".join(ATTRIBUTES)

    def take(self, value: Any, key: str) -> tuple[str, ...]:
        kind = OneOf(ATTRIBUTES)
        return tuple(kind.take(name, key) for name in self.listed(value, key))


class Items(Several):
    """The items to fill: one of ITEMS, or their classes."""

    def allowed(self) -> str:
        return "'all', 'declared', or a list of classes or their import paths"

    def take(self, value: Any, key: str) -> str | tuple[type, ...]:
        if isinstance(value, str) and value in ITEMS:
            return value
        classes = self.listed(value, key)
        if not classes:
            raise self.error(value, key)
        try:
            return tuple(map(_class, classes))
        except Exception as error:  # importing a module may raise anything
            raise self.error(value, key, error) from error


@dataclass(frozen=True)
class Config:
    """The settings of a crawl, each checked.

    Each field, also of ``choice``, is a setting, named EATEXT_ and the field's name in
    capitals.  Sites and requests may override the fields of ``choice``.  ``sites`` has
    the choice of each host, None if its pages are not extracted.
    """

    choice: Choice = field(default_factory=Choice)
    sites: Mapping[str, Choice | None] = declare(
        {},
        Dict("a dict: host -> what holds there"),
        "host → how to extract its pages: an algorithm, `False`, or a dict as in "
        "`request.meta`",
    )
    fields: Mapping[str, str] = declare(
        {"main_text": "text"},
        Fields("a dict: item field -> one of " + ", ".join(ATTRIBUTES)),
        "item field → `text`, `markdown`, `html`, `title`, `author`, `date`, `score`, "
        "`page_type`, `algorithm`, `version` and more",
    )
    ahead: tuple[str, ...] = declare(
        (),
        Attributes(),
        'attributes that callbacks read, computed with the text: `["entries"]`',
        shown="`[]`",
    )
    items: str | tuple[type, ...] = declare(
        "all",
        Items(),
        "which items are filled: `all`, those with a field `declared`, or classes by "
        "import path",
    )
    html_field: str = text(
        "",
        "the name of an item field",
        "an item field with raw HTML: extracted, and removed from the item",
    )
    url_field: str = text(
        "url",
        "the name of an item field",
        "the item field with the URL of the item's page",
    )
    pages: int = number(
        0,
        0,
        1000,
        doc="pages of an article that are joined at most, the first included",
    )
    site_files: str = text(
        "",
        "the path of a folder",
        "the folder of site files, which `scrapy eatext learn` writes",
    )
    executor: str = declare(
        "thread",
        OneOf(EXECUTORS),
        "where extraction runs: `inline`, `thread` or `process`",
    )
    workers: int = number(
        _WORKERS,
        1,
        256,
        doc="threads or processes",
        shown="cores less one, 1 to 4",
    )
    timeout: float = limit(
        10.0, "seconds", _MAX, doc="seconds that a page may take; 0 is no limit"
    )
    max_size: int = limit(
        10_000_000, "bytes", doc="bytes that a page may have; 0 is no limit"
    )
    memory: int = limit(
        1024,
        "MiB",
        _MAX,
        doc="MiB that a worker process may take for its pages; 0 is no limit",
    )
    last_resort: str = declare(
        "density",
        OneOf(("density", "empty")),
        "what a page beyond these limits gets: its long blocks with few links "
        "(`density`), or nothing (`empty`)",
    )
    on_decay: str = declare(
        "warn",
        OneOf(("ignore", "warn", "close_spider")),
        "when a host's texts have become empty or the same: `ignore`, `warn` or "
        "`close_spider`",
    )
    tune_process: bool = switch(
        False,
        "whether to change the whole process for shorter stalls of the event loop",
    )
    enabled: bool = switch(True, "off: no component does anything")

    @cached_property
    def limits(self) -> Limits:
        return Limits(self.timeout, self.max_size, self.last_resort)

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Config:
        """Read a crawl's settings.  Raises SettingError for the first that is wrong."""
        _refuse_unknown(settings)
        raw_values = {
            name: value
            for name in SETTINGS
            if (value := settings.get(_key(name))) is not None
        }
        choice = _with_site_files(
            Choice(**taken(Choice(), raw_values, _key)), raw_values.get("site_files")
        )
        values = taken(cls(), raw_values, _key)
        sites: dict[str, Choice | None] = {}
        placed: list[tuple[Choice, str, Callable[[str], str]]]
        placed = [(choice, "EATEXT_ALGORITHM", _key)]
        for given_host, site in values.pop("sites", {}).items():
            key = f"EATEXT_SITES[{given_host!r}]"
            host = _host(given_host, key)
            if host in sites:
                allowed = "left out: another key is the same host"
                raise SettingError(key, site, allowed)
            site_choice = sites[host] = overridden(choice, site, key)
            if site_choice is not None:
                placed.append((site_choice, key, partial(part_of, key)))
        config = cls(choice=choice, sites=sites, **values)
        for each, key, place in placed:
            check_loadable(each, key, place("options"))
            if config.executor == "process":
                _check_sendable(each, place)
        html, url, filled = config.html_field, config.url_field, config.fields
        # A field that is removed from an item can neither be filled nor read.
        if html in filled or (html and html == url):
            allowed = "none of the fields in EATEXT_FIELDS, nor EATEXT_URL_FIELD"
            raise SettingError("EATEXT_HTML_FIELD", html, allowed)
        if filled.get(url, "canonical_url") != "canonical_url":
            allowed = "none of the fields in EATEXT_FIELDS"
            raise SettingError("EATEXT_URL_FIELD", url, allowed)
        return config

    def choice_for(self, url: str, overrides: object = None) -> Choice | None:
        """How to extract the page at a URL, None if it is not extracted.

        ``overrides`` are those of the request's meta; wrong ones raise SettingError.
        """
        choice: Choice | None = self.choice
        if self.sites:
            site = next((host for host in hosts_of(url) if host in self.sites), "")
            choice = self.sites.get(site, choice)
        if overrides is None:
            return choice
        # A request's meta also overrides a site that is off.
        return overridden(choice or self.choice, overrides, "request.meta['eatext']")


def _with_site_files(choice: Choice, folder: object) -> Choice:
    """A choice whose default algorithm uses the site files of a folder."""
    if not folder:
        return choice
    try:
        load_lessons(str(folder))
    except (SiteFileError, OSError) as error:
        allowed = f"a folder of site files: {error}"
        raise SettingError("EATEXT_SITE_FILES", folder, allowed) from error
    options = {**choice.options.get(DEFAULT, {}), "site_files": str(folder)}
    return replace(choice, options={**choice.options, DEFAULT: options})


def _class(value: Any) -> type:
    """A class, the class at an import path, or a built-in class such as "dict"."""
    path = f"builtins.{value}" if isinstance(value, str) and "." not in value else value
    loaded = load_object(path)
    if not isinstance(loaded, type):
        raise TypeError(f"{value!r} is not a class")
    return loaded


def _check_sendable(choice: Choice, place: Callable[[str], str]) -> None:
    """Raise SettingError, with the key place(name), for what processes cannot use."""
    unit = part_of(place("chunks"), "unit"), choice.chunks.unit
    for key, path in (unit, *((place("algorithm"), a) for a in choice.algorithms)):
        if not isinstance(path, str) or path.startswith("__main__."):
            allowed = (
                "an import path, as processes are sent it, not of the crawl's script"
            )
            raise SettingError(key, path, allowed)
    options = {name: dict(given) for name, given in choice.options.items()}
    with suppress(TypeError, ValueError):
        if json.loads(json.dumps(options)) == options:
            return
    allowed = "what JSON can hold, as processes are sent it"
    raise SettingError(place("options"), options, allowed)


def _host(host: object, key: str) -> str:
    """A host in the form of host_of(): lower case, IDNA.  Raises SettingError."""
    meaning = "under a host's name, such as 'example.com'"
    if not isinstance(host, str):
        raise SettingError(key, host, meaning)
    name = ascii_host(host.strip().lower().removeprefix("*").strip("."))
    if not name.isascii():
        raise SettingError(key, host, meaning)
    if not name or any(c in "/:@?#*" or c.isspace() for c in name):
        if alone := host_of(name if "//" in name else f"//{name}"):
            meaning = f"under a host's name alone, no port, scheme or path: {alone!r}"
        raise SettingError(key, host, meaning)
    return name


# The declarations of all settings, by their names in lower case without the prefix.
SETTINGS = {
    name: declaration
    for cls in (Choice, Config)
    for name, declaration in declarations(cls).items()
    if declaration.metadata["setting"]
}


def _key(name: str) -> str:
    return f"EATEXT_{name.upper()}"


KEYS = tuple(map(_key, SETTINGS))


def _refuse_unknown(settings: BaseSettings) -> None:
    for key in settings:
        if key.startswith("EATEXT_") and key not in KEYS:
            # Without the prefix, which would make all keys similar.
            name = key.removeprefix("EATEXT_").lower()
            near = get_close_matches(name, SETTINGS, n=1)
            missing = "left out: there is no such setting"
            allowed = f"spelt {_key(near[0])}" if near else missing
            raise SettingError(key, settings.get(key), allowed)
