"""A page's metadata in JSON-LD, with the vocabulary of schema.org."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
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
OF_EVENTS = ("startDate", "endDate")
_GOODS = frozenset(("Product", "ProductGroup"))
_SITE = frozenset(("WebSite", "Organization", "NewsMediaOrganization", "Corporation"))

_MAX_SCRIPTS = 30
_MAX_CHARS, _MAX_ALL_CHARS = 500_000, 2_000_000
_MAX_OBJECTS = 500
# Numbers with more digits are no counts.
_COUNT_DIGITS = 9
# The beginning and the end of JSON-LD's media type; some servers escape the plus sign.
_TYPE, _TYPE_END = b"application/ld", re.compile(rb"(?:\+|&#x2[bB];|&#43;)json")
_WEB = re.compile(r"\s*https?://")


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
            if isinstance(key, str) and len(thing) > 1:
                self._by_id.setdefault(key, thing)
            self.days += (_dated(thing.get(key)) for key in OF_EVENTS)
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

    def known(self, thing: dict[str, Any]) -> dict[str, Any]:
        """A thing; if it is only a reference, the thing that it refers to."""
        if len(thing) > 1:
            return thing
        return self._of_id(thing.get("@id")) or thing

    def _of_id(self, key: Any) -> dict[str, Any]:
        """The thing with an @id, empty if there is none or too many were read."""
        thing = self._by_id.get(key, {}) if isinstance(key, str) else {}
        if self._left <= 0:
            return {}
        check()
        self._left -= _size(thing, self._left)
        return thing

    def title(self) -> str:
        return _first(
            text_of(thing.get(key))
            for rank, thing in self._ranked
            # A JobPosting has a title, and may have a name too.
            for key in (("headline", "name", "title") if rank == 1 else ("headline",))
        )

    def authors(self) -> tuple[list[str], bool]:
        """The authors' names, and whether any of them is a person."""
        for rank, thing in self._ranked:
            for key in ("author", "creator"):
                value = thing.get(key)
                names = different(self._names(value))
                if names and (rank < 2 or len(names) == 1):
                    return names, not all(map(_is_organization, listed(value)))
        return [], False

    def first(self, key: str) -> str:
        """The first text under a key."""
        return _first(text_of(thing.get(key)) for thing in self.things)

    def date(self, *keys: str) -> str:
        """The text of the first date under one of the keys."""
        return _first(_dated(thing.get(key)) for key in keys for thing in self.things)

    def address(self, *keys: str) -> str:
        """The first address, of the best thing that has one under one of the keys."""
        return _first(
            self._url(thing.get(key)) for thing in self.things for key in keys
        )

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
        for medium in listed(value)[:MOST_VALUES]:
            if isinstance(medium, str):
                yield medium, "", 0, 0
            elif isinstance(medium, dict):
                thing = self.known(medium)
                url = next((thing[key] for key in keys if thing.get(key)), "")
                text = thing.get("caption") or thing.get("name")
                yield url, text_of(text), thing.get("width"), thing.get("height")

    def comments(self) -> int:
        """The number of comments, 0 if it is unknown."""
        for thing in self.things:
            counts = [thing.get("commentCount")]
            counts += [
                statistic.get("userInteractionCount")
                for statistic in _things_of(thing.get("interactionStatistic"))
                if "Comment" in str(statistic.get("interactionType"))[:200]
            ]
            for number in map(_whole, counts):
                if number is not None:
                    return number
        return 0

    def breadcrumbs(self) -> Iterator[tuple[str, str]]:
        """The names and addresses of the steps of the first path with any name."""
        for thing in self.crumbs[:MOST_VALUES]:
            steps = _things_of(thing.get("itemListElement"))
            steps.sort(key=lambda step: _whole(step.get("position")) or 0)
            items = [step.get("item") for step in steps]
            names = [
                text_of(step.get("name")) or text_of(_named(item))
                for step, item in zip(steps, items, strict=True)
            ]
            if any(names):
                yield from zip(names, map(self._url, items), strict=True)
                return

    def site_name(self) -> str:
        for thing in self.things:
            names = self._names(thing.get("publisher"))
            if names:
                return names[0]
        return _first(text_of(site.get("name")) for site in self._sites)

    def tags(self) -> list[str]:
        for rank, thing in self._ranked:
            if rank < 2:
                tags = different(
                    tag.strip()
                    for part in listed(thing.get("keywords"))
                    for tag in COMMA.split(text_of(_named(part)))
                    if tag.strip()
                )
                if tags:
                    return tags
        return []

    def _names(self, value: Any, depth: int = 0) -> list[str]:
        if depth > 3:
            return []
        if isinstance(value, str):
            # An address is no name.
            return [text_of(value)] if value.strip() and not _WEB.match(value) else []
        if isinstance(value, list):
            return [
                name
                for one in value[:MOST_VALUES]
                for name in self._names(one, depth + 1)
            ]
        if isinstance(value, dict):
            name = value.get("name") or value.get("@value")
            if not name:
                parts = map(text_of, (value.get("givenName"), value.get("familyName")))
                name = " ".join(filter(None, parts))
            name = name or self._of_id(value.get("@id")).get("name")
            return self._names(name, depth + 1)
        return []

    def _url(self, value: Any, depth: int = 0) -> str:
        if depth > 3:
            return ""
        if isinstance(value, list):
            return _first(self._url(one, depth + 1) for one in value[:MOST_VALUES])
        if isinstance(value, dict):
            url = value.get("url") or value.get("contentUrl")
            key = value.get("@id")
            if not url and isinstance(key, str):
                known = self._of_id(key)
                url = known.get("url") or known.get("contentUrl")
                # An @id with a fragment identifies a thing, and is not its address.
                url = url or ("" if "#" in key else key)
            return self._url(url, depth + 1)
        return value.strip() if isinstance(value, str) else ""


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


def _things_of(value: Any) -> list[dict[str, Any]]:
    """The things among the first items of a value."""
    return [one for one in listed(value)[:MOST_VALUES] if isinstance(one, dict)]


def _whole(value: Any) -> int | None:
    """A whole number, also one given as a text; None for anything else."""
    digits = _dated(value)
    return int(digits) if digits.isdecimal() and len(digits) <= _COUNT_DIGITS else None


def text_of(value: Any) -> str:
    """A value as text: that of its first item, or of its "@value"; "" for any other."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        value = value.get("@value")
    if not isinstance(value, str):
        return ""
    value = value[: 2 * LONGEST_READ]
    # JSON needs no character references: those in it were escaped once too often.
    return shortened(unescaped_again(unescaped(value)) if "&" in value else value)


def _dated(value: Any) -> str:
    """The text of a value that may be a number."""
    return text_of(str(value) if isinstance(value, (int, float)) else value)


def _named(value: Any) -> Any:
    """The name of a thing, such as a DefinedTerm; any other value unchanged."""
    return value.get("name", value) if isinstance(value, dict) else value


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
            into = _INTO[:1] if _QUESTIONS in types_of(value) else _INTO
            todo += [value[key] for key in into if key in value]


def scripts_of(page: Page) -> Iterator[str]:
    """The text of a page's JSON-LD scripts."""
    source = page.source
    if source is not None:
        yield from scripts_in(source)
        return
    for script in page.root.iter("script"):
        if "ld+json" in (script.get("type") or "").lower() and script.text:
            yield script.text
