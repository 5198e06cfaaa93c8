"""The settings of `SiteSpider`, and its arguments, which `scrapy eatext site` has too."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date
from math import inf
from typing import Any, NamedTuple

from scrapy_eatext.algorithms.base import PAGE_TYPES
from scrapy_eatext.declared import OptionError
from scrapy_eatext.spiders.addresses import canonical

# EATEXT_FIELDS of the items, which also have "url" and, with a state, "change".
FIELDS = {
    "title": "title",
    "date": "date",
    "authors": "authors",
    "language": "language",
    "kind": "page_type",
    "score": "score",
    "text": "text",
}
# Settings with the priority of an add-on: a project's settings override them.
SETTINGS = {
    "EATEXT_FIELDS": FIELDS,
    "EATEXT_AHEAD": ["entries", "next_page", "metadata"],
    "AUTOTHROTTLE_ENABLED": True,
    # Scrapy's default of 5 seconds would be most of a small site's crawl.
    "AUTOTHROTTLE_START_DELAY": 0.5,
    "ROBOTSTXT_OBEY": True,
}
Texts = str | Sequence[str]


class Argument(NamedTuple):
    """A default, what reads a value (None or an error if it is wrong), and a meaning."""

    default: Any
    read: Callable[[Any], Any]
    meaning: str

    def take(self, name: str, value: Any) -> Any:
        """The converted value.  Raises OptionError for a wrong one."""
        with suppress(ValueError, TypeError, re.error):
            if (converted := self.read(value)) is not None:
                return converted
        raise OptionError(name, value, self.meaning)


def _parts(value: Texts) -> list[str]:
    """The parts of a comma-separated text, or of a list, without empty ones."""
    parts = value.split(",") if isinstance(value, str) else value
    return [part.strip() for part in parts if part.strip()]


def _urls(value: Texts) -> list[str] | None:
    parts = _parts(value)
    urls = [canonical(p if re.match(r"\w+://", p) else f"https://{p}") for p in parts]
    return urls if urls and all(urls) else None


def _kinds(value: Texts) -> frozenset[str] | None:
    kinds = frozenset(_parts(value))
    return kinds if kinds <= frozenset(PAGE_TYPES) else None


def _day(value: str) -> str:
    return value and date.fromisoformat(value).isoformat()


def _pattern(value: Texts) -> re.Pattern[str]:
    return re.compile(value if isinstance(value, str) else "|".join(value))


def _code(value: str) -> str | None:
    is_code = re.fullmatch(r"(?:[a-z]{2,3}(-[a-z0-9]{2,8})*)?", value.lower())
    return value.lower() if is_code else None


def _number(kind: type, maximum: float = inf) -> Callable[[Any], Any]:
    return lambda value: kind(value) if 0 <= kind(value) <= maximum else None


ARGUMENTS = {
    "urls": Argument((), _urls, "URLs or hosts to start at"),
    "kinds": Argument(
        "",
        _kinds,
        f"kinds of pages to yield: {', '.join(PAGE_TYPES)} (default: all but"
        " collection and listing)",
    ),
    "since": Argument("", _day, "the first day of publication: 2024-03-01"),
    "until": Argument("", _day, "the last day of publication, not before the first"),
    "max_pages": Argument(
        0, _number(int), "a whole number of pages to stop at, 0 for no limit"
    ),
    "max_depth": Argument(
        2,
        _number(int),
        "a whole number: the maximum depth at which ordinary links are followed (2)",
    ),
    "include": Argument("", _pattern, "a regular expression for URLs to yield"),
    "exclude": Argument("", _pattern, "a regular expression for URLs not to request"),
    "language": Argument("", _code, "the code of the pages' language: en"),
    "min_score": Argument(
        0.3,
        _number(float, 1),
        "a number from 0 to 1: the minimum score of a page (0.3)",
    ),
    "state": Argument(
        "",
        str,
        "a file for the crawl's state: a crawl that was stopped resumes, and the next"
        " one yields only pages that are new or changed; use -o FILE.jsonl then, not -O",
    ),
}
