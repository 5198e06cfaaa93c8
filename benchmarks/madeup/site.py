"""A made-up site: routes from paths to pages, which are made anew for each request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache, cached_property
from html import escape
from random import Random
from typing import Any, ClassVar, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from benchmarks.madeup.words import LANGUAGES, Speech, name, slug

# The day on which the newest page of each site was written.
TODAY = date(2026, 6, 30)
HTML = "text/html; charset=utf-8"
XML = "application/xml"


class Answer(NamedTuple):
    body: str = ""
    status: int = 200
    type: str = HTML
    location: str = ""


class MissingError(Exception):
    """There is no such page."""


Query = dict[str, str]


def route(pattern: str, trap: str = "") -> Callable[[Any], Any]:
    """Make a method answer the paths that a pattern matches; ``trap`` is their name."""

    def mark(method: Any) -> Any:
        method.route = (re.compile(pattern), trap)
        return method

    return mark


class Story(NamedTuple):
    """What is known of an article before its text is made."""

    number: int
    title: str
    slug: str
    author: str
    day: date

    @property
    def iso(self) -> str:
        return f"{self.day.isoformat()}T{6 + self.number % 12:02}:{self.number % 60:02}:00+00:00"


@cache
def story(site: str, speech: Speech, number: int, age: int) -> Story:
    """Article ``number`` of a site, written ``age`` days ago."""
    rng = Random(f"{site} story {number}")
    title = speech.title(rng)
    day = TODAY - timedelta(days=age)
    return Story(number, title, f"{slug(title)}-{number}", name(rng), day)


class Site:
    """One of the sites; ``base`` is its address without a slash at its end."""

    name: ClassVar[str]
    host: ClassVar[str]
    title: ClassVar[str]
    # What one wants of it, as MainText.page_type and language say it.
    kinds: ClassVar[tuple[str, ...]] = ("article",)
    language: ClassVar[str] = ""
    # Parameters that lead to the same pages again and again, with the name of the trap.
    endless: ClassVar[dict[str, str]] = {}
    robots: ClassVar[str] = "User-agent: *\nAllow: /\n"
    _routes: ClassVar[list[tuple[re.Pattern[str], str, str]]]

    def __init_subclass__(cls) -> None:
        methods = {name: getattr(cls, name) for name in dir(cls)}
        cls._routes = [
            (*method.route, name)
            for name, method in methods.items()
            if hasattr(method, "route")
        ]

    def __init__(self, base: str = "") -> None:
        self.base = base or f"http://{self.host}"

    @property
    def start(self) -> str:
        return f"{self.base}/"

    def paths(self) -> Iterator[str]:
        """The paths of the pages that are wanted."""
        raise NotImplementedError

    def others(self) -> int:
        """How many further pages a person may open: lists, profiles, imprints."""
        raise NotImplementedError

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The canonical addresses of the pages that are wanted."""
        return frozenset(f"{self.base}{path}" for path in self.paths())

    @property
    def size(self) -> int:
        """How many pages there are, copies and traps aside."""
        return len(self.wanted) + self.others()

    def canonical(self, url: str) -> str:
        """The wanted address that an address leads to, or ""."""
        target = urlsplit(url)
        path = self._with_slash(target.path or "/")
        path = self.canonical_path(path, dict(parse_qsl(target.query)))
        url = f"{self.base}{path}"
        return url if url in self.wanted else ""

    def canonical_path(self, path: str, asked: Query) -> str:
        return path

    def is_trap(self, url: str) -> str:
        """The name of the trap that an address is part of, or ""."""
        target = urlsplit(url)
        matched = self._match(self._with_slash(target.path or "/"))
        if matched and matched[1]:
            return matched[1]
        asked = dict(parse_qsl(target.query, keep_blank_values=True))
        found = (self.endless[key] for key in asked if key in self.endless)
        return next(found, "")

    def _match(self, path: str) -> tuple[re.Match[str], str, str] | None:
        for pattern, trap, method in self._routes:
            if found := pattern.fullmatch(path):
                return found, trap, method
        return None

    def _with_slash(self, path: str) -> str:
        """A path with the slash at its end that it lacks."""
        slashed = f"{path}/"
        return slashed if not self._match(path) and self._match(slashed) else path

    def answer(self, target: str) -> Answer:
        """The answer to a request of a path with its query."""
        path, _, query = target.partition("?")
        if (slashed := self._with_slash(path)) != path:
            return Answer(
                status=301, location=self.base + slashed + "?" * bool(query) + query
            )
        matched = self._match(path)
        try:
            if matched is None:
                raise MissingError
            asked = dict(parse_qsl(query, keep_blank_values=True))
            found = getattr(self, matched[2])(asked, *matched[0].groups())
        except MissingError:
            return self.missing()
        return found if isinstance(found, Answer) else Answer(found)

    def missing(self) -> Answer:
        text = "<h1>Page not found</h1><p>The page that you asked for is not here.</p>"
        return Answer(self.layout("Page not found", text), 404)

    def layout(self, title: str, main: str, head: str = "") -> str:
        """A whole page around its own part."""
        raise NotImplementedError

    def rng(self, *key: object) -> Random:
        return Random(f"{self.name} {key}")

    @route(r"/robots\.txt")
    def robots_txt(self, asked: Query) -> Answer:
        return Answer(self.robots.replace("BASE", self.base), type="text/plain")

    @route(r"/(?:favicon\.ico|.*\.(?:css|js|png|jpg))")
    def asset(self, asked: Query) -> Answer:
        return Answer(type="application/octet-stream")


class Magazine(Site):
    """A site of articles with numbers from 0, the newest first."""

    count: ClassVar[int]
    # So many articles a day.
    pace: ClassVar[float] = 1.0
    speech: ClassVar[Speech] = LANGUAGES["en"]

    def story(self, number: int) -> Story:
        if not 0 <= number < self.count:
            raise MissingError
        return story(self.name, self.speech, number, int(number / self.pace))

    @cached_property
    def stories(self) -> list[Story]:
        return [self.story(number) for number in range(self.count)]

    def path(self, about: Story) -> str:
        """The path of an article."""
        raise NotImplementedError

    def paths(self) -> Iterator[str]:
        return map(self.path, self.stories)

    def named(self, ending: str) -> Story:
        """The article with a slug, which ends with its number."""
        number = ending.rpartition("-")[2]
        about = self.story(int(number) if number.isdigit() else -1)
        if about.slug != ending:
            raise MissingError
        return about

    def teaser(self, about: Story) -> str:
        """The first sentences of an article."""
        return self.speech.paragraph(self.rng("teaser", about.number), 2)

    def rows(self, pattern: str, found: Iterable[Story]) -> str:
        """A pattern filled with each article, its number from 1, path and teaser."""
        has_teaser = "{teaser}" in pattern
        return "".join(
            pattern.format(
                one, at=at, path=self.path(one), teaser=has_teaser and self.teaser(one)
            )
            for at, one in enumerate(found, 1)
        )

    def body(self, about: Story, least: int = 200, most: int = 600) -> list[str]:
        rng = self.rng("body", about.number)
        return self.speech.text(rng, rng.randint(least, most))


def page_of(items: Sequence[Any], number: int, size: int) -> list[Any]:
    """The part of a list that its page ``number``, from 1, shows."""
    part = items[(number - 1) * size : number * size] if number > 0 else []
    if not part and (number != 1 or items):
        raise MissingError
    return list(part)


def pages(count: int, size: int) -> int:
    """On how many pages a list stands."""
    return max(1, -(-count // size))


def link(href: str, text: str, more: str = "") -> str:
    return f'<a href="{escape(href)}"{more}>{text}</a>'


def each(pattern: str, items: Iterable[Any]) -> str:
    """A pattern filled with each item: ``{}`` with a text, ``{0}`` with a tuple's parts."""
    rows = (item if isinstance(item, tuple) else (item,) for item in items)
    return "".join(pattern.format(*row) for row in rows)


def paragraphs(texts: Iterable[str]) -> str:
    return each("<p>{}</p>\n", texts)


def urlset(entries: Iterable[tuple[str, str]], more: str = "") -> Answer:
    """A sitemap of addresses, each with what else is said of it in XML."""
    rows = each("<url><loc>{}</loc>{}</url>\n", entries)
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    return Answer(
        f'<?xml version="1.0"?>\n<urlset {space}{more}>\n{rows}</urlset>', type=XML
    )


def sitemap_index(entries: Iterable[tuple[str, str]]) -> Answer:
    rows = each("<sitemap><loc>{}</loc><lastmod>{}</lastmod></sitemap>\n", entries)
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    return Answer(
        f'<?xml version="1.0"?>\n<sitemapindex {space}>\n{rows}</sitemapindex>',
        type=XML,
    )
