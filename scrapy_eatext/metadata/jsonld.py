"""A page's metadata in JSON-LD, with the vocabulary of schema.org."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from math import isfinite
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from scrapy_eatext.deadline import check
from scrapy_eatext.page.source import find
from scrapy_eatext.page.values import (
    COMMA,
    LONGEST_READ,
    MOST_VALUES,
    different,
    shortened,
    unescaped,
    unescaped_again,
    values_in,
)

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

# Keys whose values may also describe the page.
_INTO = ("@graph", "mainEntity", "mainEntityOfPage", "breadcrumb")
# These lead to the product of a page that is described by its offers.
_TO_OFFERED = ("offers", "itemOffered")
# A page of this type has questions as its main entities; none of them is its title.
_QUESTIONS = "FAQPage"
# Types of objects that may describe the page, the best rank first.
_BY_RANK = (
    """Article AdvertiserContentArticle NewsArticle AnalysisNewsArticle
    BackgroundNewsArticle OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle Report
    SatiricalArticle ScholarlyArticle MedicalScholarlyArticle SocialMediaPosting
    BlogPosting LiveBlogPosting DiscussionForumPosting TechArticle APIReference""",
    """Question HowTo Recipe Review CreativeWork Blog Book Course Event Movie
    PodcastEpisode Product ProductGroup SoftwareApplication VideoObject JobPosting""",
    "WebPage AboutPage CollectionPage FAQPage ItemPage MedicalWebPage ProfilePage QAPage",
)
_RANKS = {name: rank for rank, names in enumerate(_BY_RANK) for name in names.split()}
_CRUMBS = "BreadcrumbList"
OF_EVENTS = frozenset(("startDate", "endDate"))
_GOODS = frozenset(("Product", "ProductGroup"))
_SITE = frozenset(("WebSite", "Organization", "NewsMediaOrganization", "Corporation"))

_MAX_SCRIPTS = 30
_MAX_CHARS, _MAX_ALL_CHARS = 500_000, 2_000_000
_MAX_OBJECTS = 500
# Numbers with more digits are no counts.
_COUNT_DIGITS = 9
# The beginning and the end of JSON-LD's media type; some servers escape the plus sign.
_TYPE, _TYPE_END = b"application/ld", re.compile(rb"(?:\+|&#x2[bB];|&#43;)json")
_WEB = re.compile(r"https?://")
# The keys of a thing that is only a reference to another.
_REFERENCE = frozenset(("@id", "@type"))
# How many values are read at one path, and how deep an address may be nested.
_MOST_TEXTS, _DEEPEST = 500, 3


class JsonLd:
    """The metadata in a page's JSON-LD scripts.

    The best object that has a value counts.
    """

    def __init__(self, scripts: Iterable[str]) -> None:
        self._by_id: dict[str, dict[str, Any]] = {}
        # References multiply things: all that are followed come to no more than this.
        self._left = _MAX_ALL_CHARS
        ranked: list[tuple[int, dict[str, Any]]] = []
        self._sites: list[dict[str, Any]] = []
        self.given = _values(scripts)
        self.crumbs: list[Any] = []
        # The texts of the days on which events begin and end.
        self.days: list[str] = []
        for thing in _things(self.given):
            key = thing.get("@id")
            if isinstance(key, str) and not _REFERENCE.issuperset(thing):
                self._by_id.setdefault(key, thing)
            for name in OF_EVENTS.intersection(thing):
                self.days += self.texts(thing, name)
            types = types_of(thing)
            ranks = [_RANKS[name] for name in types if name in _RANKS]
            if ranks:
                ranked.append((min(ranks), thing))
            elif any(name in _SITE for name in types):
                self._sites.append(thing)
            elif _CRUMBS in types:
                self.crumbs.append(thing)
        self._ranked = sorted(ranked, key=itemgetter(0))
        # The things that may describe the page, the best first.
        self.things = [thing for _, thing in self._ranked]

    @property
    def is_product(self) -> bool:
        """Whether the page is a product's: its names and dates are of reviews."""
        return any(not _GOODS.isdisjoint(types_of(best)) for best in self.things[:1])

    def at(self, value: Any, *path: str) -> Iterator[Any]:
        """The values at a path of properties, in all items of lists on the way."""
        for item in map(self._known, listed(value)[:MOST_VALUES]):
            if path and isinstance(item, dict):
                yield from self.at(item.get(path[0]), *path[1:])
            elif not path and item is not None and not isinstance(item, list):
                yield item

    def _known(self, value: Any) -> Any:
        """A value; for a thing that is only a reference, the thing referred to.

        After too many references they are values themselves.
        """
        if not isinstance(value, dict) or not _REFERENCE.issuperset(value):
            return value
        thing = self._by_id.get(str(value.get("@id")))
        if thing is None or self._left <= 0:
            return value
        check()
        self._left -= _size(thing, self._left)
        return thing

    def texts(self, value: Any, *path: str) -> Iterator[str]:
        """The texts at a path, numbers as text, and the names of things."""
        for item in islice(self.at(value, *path), _MOST_TEXTS):
            contents = listed(_name_of(item)) if isinstance(item, dict) else [item]
            yield from filter(None, map(text_of, contents[:MOST_VALUES]))

    def title(self) -> str:
        return _first(
            text
            for rank, thing in self._ranked
            # A JobPosting has a title, and may have a name too.
            for key in (("headline", "name", "title") if rank == 1 else ("headline",))
            if key in thing
            for text in self.texts(thing[key])
        )

    def authors(self) -> tuple[list[str], bool]:
        """The authors' names, and whether any of them is a person."""
        for rank, thing in self._ranked:
            for key in ("author", "creator"):
                names = different(self._names(thing, key)) if key in thing else []
                if names and (rank < 2 or len(names) == 1):
                    return names, not all(map(_is_organization, self.at(thing, key)))
        return [], False

    def first(self, key: str) -> str:
        """The first text under a key, of the best thing that has one."""
        things = (thing for thing in self.things if key in thing)
        return _first(text for thing in things for text in self.texts(thing[key]))

    def licence(self) -> str:
        """The address of the licence."""
        return _first(self._url(thing.get("license")) for thing in self.things)

    def images(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """The raw address, caption, width and height of each image."""
        for thing in self.things:
            for key in ("image", "primaryImageOfPage", "thumbnailUrl"):
                yield from self._media(thing.get(key), "url", "contentUrl")

    def videos(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        for thing in self.things:
            if "VideoObject" in types_of(thing):
                yield from self._media(thing, "contentUrl", "embedUrl")
            yield from self._media(thing.get("video"), "contentUrl", "embedUrl", "url")

    def _media(self, value: Any, *keys: str) -> Iterator[tuple[Any, Any, Any, Any]]:
        for medium in self.at(value):
            if isinstance(medium, dict):
                url = _first(self._url(medium.get(key)) for key in keys)
                text = text_of(medium.get("caption") or medium.get("name"))
                yield url, text, medium.get("width"), medium.get("height")
            else:
                yield medium, "", 0, 0

    def comments(self) -> Iterator[str]:
        """The numbers of comments."""
        for thing in self.things:
            yield from self.texts(thing, "commentCount")
            for statistic in self.at(thing, "interactionStatistic"):
                kinds = islice(self.at(statistic, "interactionType"), 1)
                if any("Comment" in str(kind)[:200] for kind in kinds):
                    yield from self.texts(statistic, "userInteractionCount")

    def breadcrumbs(self) -> Iterator[tuple[str, str]]:
        """The names and addresses of the steps of the first path with any name."""
        for thing in self.crumbs[:MOST_VALUES]:
            items = self.at(thing, "itemListElement")
            steps = [step for step in items if isinstance(step, dict)]
            steps.sort(key=lambda step: count_of(_first(self.texts(step, "position"))))
            names = [
                _first(chain(self.texts(step, "name"), self.texts(step, "item")))
                for step in steps
            ]
            if any(names):
                urls = (self._url(step.get("item")) for step in steps)
                yield from zip(names, urls, strict=True)
                return

    def site_name(self) -> str:
        names = (
            name for thing in self.things for name in self._names(thing, "publisher")
        )
        of_sites = (text_of(site.get("name")) for site in self._sites)
        return _first(chain(names, of_sites))

    def tags(self) -> list[str]:
        for rank, thing in self._ranked:
            if rank < 2:
                texts = self.texts(thing, "keywords")
                tags = (tag.strip() for text in texts for tag in COMMA.split(text))
                if found := different(filter(None, tags)):
                    return found
        return []

    def _names(self, thing: dict[str, Any], key: str) -> Iterator[str]:
        """The names of people or organizations; an address is no name."""
        return (name for name in self.texts(thing, key) if not _WEB.match(name))

    def _url(self, value: Any, depth: int = 0) -> str:
        """The first address in a value."""
        urls = (
            self._url(_address_of(one), depth + 1) if isinstance(one, dict) else one
            for one in (self.at(value) if depth <= _DEEPEST else ())
        )
        return _first(url.strip() for url in urls if isinstance(url, str))


def _address_of(thing: dict[str, Any]) -> Any:
    key = thing.get("@id")
    # An @id with a fragment identifies a thing, and is not its address.
    own = key if isinstance(key, str) and "#" not in key else ""
    return thing.get("url") or thing.get("contentUrl") or own


def _name_of(thing: dict[str, Any]) -> Any:
    parts = map(text_of, (thing.get("givenName"), thing.get("familyName")))
    return thing.get("name", thing.get("@value")) or " ".join(filter(None, parts))


def _first(texts: Iterable[str]) -> str:
    """The first text that is not empty, "" if there is none."""
    return next(filter(None, texts), "")


def _size(value: Any, most: int) -> int:
    """The number of values and characters in a value, counted up to ``most``."""
    size, todo = 0, [value]
    while todo and size < most:
        one = todo.pop()
        size += len(one) if isinstance(one, str) else 1
        if isinstance(one, (dict, list)):
            todo += one.values() if isinstance(one, dict) else one
    return size


def listed(value: Any) -> list[Any]:
    """A value as a list, which is the value itself if it is a list."""
    return value if isinstance(value, list) else [value]


def count_of(digits: str) -> int:
    """A whole number; 0 for anything else."""
    return int(digits) if digits.isdecimal() and len(digits) <= _COUNT_DIGITS else 0


def text_of(value: Any) -> str:
    """A value as text: that of its first item, or of its "@value"; "" for any other.

    A number is a text too, but for infinity and NaN, which Python reads from 1e999 and NaN.
    """
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        value = value.get("@value")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:.15g}" if isfinite(value) else ""
    if not isinstance(value, str):
        return ""
    value = value[: 2 * LONGEST_READ]
    # JSON needs no character references: those in it were escaped once too often.
    return shortened(unescaped_again(unescaped(value)) if "&" in value else value)


def _is_organization(thing: Any) -> bool:
    return isinstance(thing, dict) and any(
        name.endswith(("Organization", "Corporation")) for name in types_of(thing)
    )


def types_of(thing: dict[str, Any]) -> list[str]:
    """The names of a thing's types, without addresses and prefixes."""
    return [
        unprefixed(name) for name in listed(thing.get("@type")) if isinstance(name, str)
    ]


def unprefixed(name: str) -> str:
    """A name of schema.org's without address and prefix."""
    return name.rpartition("/")[2].rpartition(":")[2]


def scripts_in(source: bytes) -> Iterator[str]:
    """The texts of the JSON-LD scripts in a page's source."""
    # One pattern for the whole tag would take three times as long.
    at = find(source, _TYPE)
    while at >= 0:
        begin = at + len(_TYPE)
        tag = source.rfind(b"<", max(0, at - 1000), at)
        is_script = tag >= 0 and source[tag : tag + 7].lower() == b"<script"
        if is_script and _TYPE_END.match(source, begin):
            begin = source.find(b">", at) + 1
            end = find(source, b"</", begin) if begin else -1
            while end >= 0 and source[end + 2 : end + 8].lower() != b"script":
                end = find(source, b"</", end + 2)
            if end < 0:
                return
            yield source[begin:end].decode("utf-8", "replace")
            begin = end
        at = find(source, _TYPE, begin)


def _values(scripts: Iterable[str]) -> list[Any]:
    """The values in scripts, without scripts over the limits of size."""
    values: list[Any] = []
    left = _MAX_ALL_CHARS
    for script in islice(scripts, _MAX_SCRIPTS):
        if len(script) <= min(_MAX_CHARS, left):
            left -= len(script)
            values += values_in(script)
    return values


def _things(values: list[Any]) -> Iterator[dict[str, Any]]:
    """The objects in values, and those in them that may also describe the page."""
    left = _MAX_OBJECTS
    todo = values[::-1]
    while todo and left:
        value = todo.pop()
        if isinstance(value, list):
            todo += reversed(value[:_MAX_OBJECTS])
        elif isinstance(value, dict):
            left -= 1
            yield value
            types = types_of(value)
            into: tuple[str, ...] = _INTO[:1] if _QUESTIONS in types else _INTO
            # A product's own offers would use up what may be read.
            into += _TO_OFFERED if _GOODS.isdisjoint(types) else ()
            todo += [value[key] for key in into if key in value]


def scripts_of(page: Page) -> Iterator[str]:
    """The text of a page's JSON-LD scripts."""
    if page.source is not None:
        return scripts_in(page.source)
    scripts = page.root.iter("script")
    linked = (one for one in scripts if "ld+json" in (one.get("type") or "").lower())
    return (script.text for script in linked if script.text)
