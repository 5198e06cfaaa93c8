"""A page's metadata in JSON-LD, by the vocabulary of schema.org."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from scrapy_eatext.page.jsondata import values_in
from scrapy_eatext.page.values import (
    COMMA,
    MOST_VALUES,
    different,
    shortened,
    unescaped,
    unescaped_again,
)

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

# Keys whose values may be about the page too.
_INTO = ("@graph", "mainEntity", "mainEntityOfPage", "breadcrumb")
# The main entities of such a page are its questions, of which none is its title.
_QUESTIONS = "FAQPage"
# Types of objects by rank: 0 describes the page best.  Others, such as breadcrumbs, are
# not read.
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
_GOODS = frozenset(("Product", "ProductGroup"))
_SITE = frozenset(("WebSite", "Organization", "NewsMediaOrganization", "Corporation"))

_MAX_SCRIPTS = 30
_MAX_CHARS, _MAX_ALL_CHARS = 500_000, 2_000_000
_MAX_OBJECTS = 500
# Numbers of more digits count nothing.
_COUNT_DIGITS = 9
# How the type of JSON-LD begins, and how it ends: some servers escape the sign in it.
_TYPE, _TYPE_END = b"application/ld", re.compile(rb"(?:\+|&#x2[bB];|&#43;)json")
_WEB = re.compile(r"\s*https?://")


class JsonLd:
    """The metadata in a page's JSON-LD scripts, of the best object first."""

    def __init__(self, scripts: Iterable[str]) -> None:
        self._by_id: dict[str, dict[str, Any]] = {}
        ranked: list[tuple[int, dict[str, Any]]] = []
        self._sites: list[dict[str, Any]] = []
        self.given = _values(scripts)
        self.crumbs: list[Any] = []
        for thing in _things(self.given):
            key = thing.get("@id")
            if isinstance(key, str) and len(thing) > 1:
                self._by_id.setdefault(key, thing)
            types = types_of(thing)
            ranks = [_RANKS[name] for name in types if name in _RANKS]
            if ranks:
                ranked.append((min(ranks), thing))
            elif any(name in _SITE for name in types):
                self._sites.append(thing)
            elif _CRUMBS in types:
                self.crumbs.append(thing)
        self._ranked = sorted(ranked, key=itemgetter(0))

    @property
    def is_product(self) -> bool:
        """Whether the page is about goods, so that its names and dates are of reviews."""
        return bool(self._ranked) and not _GOODS.isdisjoint(
            types_of(self._ranked[0][1])
        )

    def known(self, thing: dict[str, Any]) -> dict[str, Any]:
        """A thing, or the one that it refers to."""
        if len(thing) > 1:
            return thing
        return self._by_id.get(str(thing.get("@id")), thing)

    def things(self) -> list[dict[str, Any]]:
        """The things that the page may be about, the best first."""
        return [thing for _, thing in self._ranked]

    def title(self) -> str:
        for rank, thing in self._ranked:
            title = text_of(thing.get("headline"))
            if not title and rank == 1:
                # Jobs have a title, and some a name too.
                title = text_of(thing.get("name")) or text_of(thing.get("title"))
            if title:
                return title
        return ""

    def authors(self) -> tuple[list[str], bool]:
        """The authors' names, and whether any of them is a person."""
        for rank, thing in self._ranked:
            for key in ("author", "creator"):
                given = thing.get(key)
                names = different(self._names(given))
                if names and (rank < 2 or len(names) == 1):
                    makers = given if isinstance(given, list) else [given]
                    return names, not all(map(_is_organization, makers))
        return [], False

    def first(self, key: str) -> str:
        """The first text under a key."""
        found = (text_of(thing.get(key)) for _, thing in self._ranked)
        return next(filter(None, found), "")

    def date(self, *keys: str) -> str:
        """The first date under one of the keys, which may be a number."""
        found = (_dated(thing.get(key)) for key in keys for _, thing in self._ranked)
        return next(filter(None, found), "")

    def image(self) -> str:
        keys = ("image", "thumbnailUrl", "primaryImageOfPage")
        urls = (self._url(thing.get(key)) for _, thing in self._ranked for key in keys)
        return next(filter(None, urls), "")

    def images(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """The address, caption, width and height of each image, as the data have them."""
        for _, thing in self._ranked:
            for key in ("image", "primaryImageOfPage", "thumbnailUrl"):
                yield from self._media(thing.get(key), "url", "contentUrl")

    def videos(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        for _, thing in self._ranked:
            if "VideoObject" in types_of(thing):
                yield from self._media(thing, "contentUrl", "embedUrl")
            yield from self._media(thing.get("video"), "contentUrl", "embedUrl", "url")

    def _media(self, value: Any, *keys: str) -> Iterator[tuple[Any, Any, Any, Any]]:
        for one in value[:MOST_VALUES] if isinstance(value, list) else [value]:
            known = self.known(one) if isinstance(one, dict) else one
            if isinstance(known, str):
                yield known, "", 0, 0
            elif isinstance(known, dict):
                url = next((known[key] for key in keys if known.get(key)), "")
                text = known.get("caption") or known.get("name")
                yield url, text_of(text), known.get("width"), known.get("height")

    def licence(self) -> str:
        found = (self._url(thing.get("license")) for _, thing in self._ranked)
        return next(filter(None, found), "")

    def comments(self) -> int:
        """How many comments there are, 0 if the data do not say it."""
        for _, thing in self._ranked:
            counts = thing.get("interactionStatistic")
            counted = [
                one.get("userInteractionCount")
                for one in (counts if isinstance(counts, list) else [counts])[
                    :MOST_VALUES
                ]
                if isinstance(one, dict)
                and "Comment" in str(one.get("interactionType"))[:200]
            ]
            for count in (thing.get("commentCount"), *counted):
                number = _whole(count)
                if number is not None:
                    return number
        return 0

    def breadcrumbs(self) -> Iterator[tuple[str, str]]:
        """The names and the addresses of the first path with any."""
        for thing in self.crumbs[:MOST_VALUES]:
            steps = thing.get("itemListElement")
            steps = steps[:MOST_VALUES] if isinstance(steps, list) else [steps]
            found = [
                (text_of(step.get("name")) or text_of(_named(step.get("item"))), url)
                for step in sorted(filter(_is_dict, steps), key=_position)
                for url in [self._url(step.get("item"))]
            ]
            if any(name for name, _ in found):
                yield from found
                return

    def site_name(self) -> str:
        for _, thing in self._ranked:
            names = self._names(thing.get("publisher"))
            if names:
                return names[0]
        return next(filter(None, (text_of(one.get("name")) for one in self._sites)), "")

    def tags(self) -> list[str]:
        for rank, thing in self._ranked:
            if rank < 2:
                given = thing.get("keywords")
                parts = given if isinstance(given, list) else [given]
                tags = different(
                    tag.strip()
                    for part in parts
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
            # The address of a person or a site is no name.
            return [text_of(value)] if value.strip() and not _WEB.match(value) else []
        if isinstance(value, list):
            return [name for one in value[:50] for name in self._names(one, depth + 1)]
        if isinstance(value, dict):
            name = value.get("name") or value.get("@value")
            if not name:
                parts = map(text_of, (value.get("givenName"), value.get("familyName")))
                name = " ".join(filter(None, parts))
            if not name and isinstance(value.get("@id"), str):
                name = self._by_id.get(value["@id"], {}).get("name")
            return self._names(name, depth + 1)
        return []

    def _url(self, value: Any, depth: int = 0) -> str:
        if depth > 3:
            return ""
        if isinstance(value, list):
            urls = (self._url(one, depth + 1) for one in value[:MOST_VALUES])
            return next(filter(None, urls), "")
        if isinstance(value, dict):
            url = value.get("url") or value.get("contentUrl")
            key = value.get("@id")
            if not url and isinstance(key, str):
                known = self._by_id.get(key, {})
                url = known.get("url") or known.get("contentUrl")
                # A part of a page is no image.
                url = url or ("" if "#" in key else key)
            return self._url(url, depth + 1)
        return value.strip() if isinstance(value, str) else ""


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def _position(step: dict[str, Any]) -> int:
    return _whole(step.get("position")) or 0


def _whole(value: Any) -> int | None:
    """A whole number, which may be a text; None for anything else."""
    digits = _dated(value)
    return int(digits) if digits.isdecimal() and len(digits) <= _COUNT_DIGITS else None


def text_of(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        value = value.get("@value")
    if not isinstance(value, str):
        return ""
    # JSON needs no references of HTML, so that those in it were escaped once too often.
    return shortened(unescaped_again(unescaped(value)) if "&" in value else value)


def _dated(value: Any) -> str:
    """The text of a date, which may be a number."""
    return text_of(str(value) if isinstance(value, (int, float)) else value)


def _named(value: Any) -> Any:
    """The name of a thing, as of a DefinedTerm; any other value as it is."""
    return value.get("name", value) if isinstance(value, dict) else value


def _is_organization(thing: Any) -> bool:
    return isinstance(thing, dict) and any(
        name.endswith(("Organization", "Corporation")) for name in types_of(thing)
    )


def types_of(thing: dict[str, Any]) -> list[str]:
    given = thing.get("@type")
    names = given if isinstance(given, list) else [given]
    return [
        name.rpartition("/")[2].rpartition(":")[2]
        for name in names
        if isinstance(name, str)
    ]  # a type may be a whole address, or have a prefix


def scripts_in(source: bytes) -> Iterator[str]:
    """The text of the JSON-LD scripts in a page's source; HTML has it unescaped."""
    # A search by the pattern as a whole would take three times as long.
    at = source.find(_TYPE)
    while at >= 0:
        begin = at + len(_TYPE)
        tag = source.rfind(b"<", max(0, at - 1000), at)
        is_script = tag >= 0 and source[tag : tag + 7].lower() == b"<script"
        if is_script and _TYPE_END.match(source, begin):
            begin = source.find(b">", at) + 1
            end = source.find(b"</", begin) if begin else -1
            while end >= 0 and source[end + 2 : end + 8].lower() != b"script":
                end = source.find(b"</", end + 2)
            if end < 0:
                return
            yield source[begin:end].decode("utf-8", "replace")
            begin = end
        at = source.find(_TYPE, begin)


def _values(scripts: Iterable[str]) -> list[Any]:
    """The values of scripts, of none that is too long by itself or with those before."""
    values: list[Any] = []
    left = _MAX_ALL_CHARS
    for script in islice(scripts, _MAX_SCRIPTS):
        if len(script) <= min(_MAX_CHARS, left):
            left -= len(script)
            values += values_in(script)
    return values


def _things(values: list[Any]) -> Iterator[dict[str, Any]]:
    """The objects in values, and those in them that may be about the page too."""
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
