"""What a page says of itself in JSON-LD, by the vocabulary of schema.org."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from scrapy_eatext.page.values import JSON, different, shortened, unescaped

# Keys whose values are objects about the page itself too.
_INTO = ("@graph", "mainEntity", "mainEntityOfPage")
# Types of objects by how much they say of the page, the best first; others, such as
# breadcrumbs, are of no use here.
_RANKS = {
    **dict.fromkeys(
        "Article AdvertiserContentArticle NewsArticle AnalysisNewsArticle "
        "BackgroundNewsArticle OpinionNewsArticle ReportageNewsArticle "
        "ReviewNewsArticle Report SatiricalArticle ScholarlyArticle "
        "MedicalScholarlyArticle SocialMediaPosting BlogPosting LiveBlogPosting "
        "DiscussionForumPosting TechArticle APIReference".split(),
        0,
    ),
    **dict.fromkeys(
        "Question HowTo Recipe Review CreativeWork Blog Book Course Event Movie "
        "PodcastEpisode Product SoftwareApplication VideoObject JobPosting".split(),
        1,
    ),
    **dict.fromkeys(
        "WebPage AboutPage CollectionPage FAQPage ItemPage MedicalWebPage ProfilePage "
        "QAPage".split(),
        2,
    ),
}
_SITE = frozenset(("WebSite", "Organization", "NewsMediaOrganization", "Corporation"))

_MAX_SCRIPTS = 30
_MAX_CHARS = 500_000
_MAX_OBJECTS = 500
# White space in JSON, and characters that stand around it by mistake.
_BLANKS = " \t\r\n"
_OUTER = _BLANKS + ";"
_WRAPPINGS = (("<!--", "-->"), ("//<![CDATA[", "//]]>"), ("/*<![CDATA[*/", "/*]]>*/"))
_LAST_COMMA = re.compile(r",(\s{0,100}[}\]])")
_TYPE = b"application/ld+json"


class JsonLd:
    """The objects in a page's scripts that are about the page, the best first."""

    def __init__(self, scripts: Iterable[str]) -> None:
        self._by_id: dict[str, dict[str, Any]] = {}
        ranked: list[tuple[int, int, dict[str, Any]]] = []
        self._sites: list[dict[str, Any]] = []
        for number, thing in enumerate(_things(scripts)):
            key = thing.get("@id")
            if isinstance(key, str) and len(thing) > 1:
                self._by_id.setdefault(key, thing)
            types = _types(thing)
            ranks = [_RANKS[name] for name in types if name in _RANKS]
            if ranks:
                ranked.append((min(ranks), number, thing))
            elif any(name in _SITE for name in types):
                self._sites.append(thing)
        self._ranked = [(rank, thing) for rank, _, thing in sorted(ranked, key=_order)]

    def __bool__(self) -> bool:
        return bool(self._ranked or self._sites)

    def title(self) -> str:
        for rank, thing in self._ranked:
            title = _text(thing.get("headline"))
            if not title and rank == 1:
                title = _text(thing.get("name"))
            if title:
                return title
        return ""

    def authors(self) -> tuple[list[str], bool]:
        """The authors' names, and whether they are people."""
        for rank, thing in self._ranked:
            for key in ("author", "creator"):
                given = thing.get(key)
                names = different(self._names(given))
                if names and (rank < 2 or len(names) == 1):
                    makers = given if isinstance(given, list) else [given]
                    return names, not all(map(_is_organization, makers))
        return [], False

    def first(self, *keys: str, site: bool = False) -> str:
        """The first text under one of the keys."""
        things = [thing for _, thing in self._ranked] + (self._sites if site else [])
        for key in keys:
            for thing in things:
                value = _text(thing.get(key))
                if value:
                    return value
        return ""

    def image(self) -> str:
        for _, thing in self._ranked:
            for key in ("image", "thumbnailUrl", "primaryImageOfPage"):
                url = self._url(thing.get(key))
                if url:
                    return url
        return ""

    def site_name(self) -> str:
        for _, thing in self._ranked:
            names = self._names(thing.get("publisher"))
            if names:
                return names[0]
        for thing in self._sites:
            name = _text(thing.get("name"))
            if name:
                return name
        return ""

    def tags(self) -> list[str]:
        for rank, thing in self._ranked:
            if rank < 2:
                given = thing.get("keywords")
                parts = given if isinstance(given, list) else [given]
                tags = different(
                    tag.strip()
                    for part in parts
                    for tag in _text(part).split(",")
                    if tag.strip()
                )
                if tags:
                    return tags
        return []

    def _names(self, value: Any, depth: int = 0) -> list[str]:
        if depth > 3:
            return []
        if isinstance(value, str):
            return [_text(value)] if value.strip() else []
        if isinstance(value, list):
            return [name for one in value[:50] for name in self._names(one, depth + 1)]
        if isinstance(value, dict):
            name = value.get("name")
            if not name and isinstance(value.get("@id"), str):
                name = self._by_id.get(value["@id"], {}).get("name")
            return self._names(name, depth + 1)
        return []

    def _url(self, value: Any, depth: int = 0) -> str:
        if depth > 3:
            return ""
        if isinstance(value, list) and value:
            return self._url(value[0], depth + 1)
        if isinstance(value, dict):
            url = value.get("url") or value.get("contentUrl")
            if not url and isinstance(value.get("@id"), str):
                url = self._by_id.get(value["@id"], {}).get("url") or value["@id"]
            return self._url(url, depth + 1)
        return value.strip() if isinstance(value, str) else ""


def _order(entry: tuple[int, int, Any]) -> tuple[int, int]:
    return entry[:2]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return shortened(unescaped(value) if "&" in value else value)


def _is_organization(thing: Any) -> bool:
    return isinstance(thing, dict) and any(
        name.endswith(("Organization", "Corporation")) for name in _types(thing)
    )


def _types(thing: dict[str, Any]) -> list[str]:
    given = thing.get("@type")
    names = given if isinstance(given, list) else [given]
    return [
        name.rpartition("/")[2] for name in names if isinstance(name, str)
    ]  # a type may be a whole address


def scripts_in(source: bytes) -> Iterator[str]:
    """The JSON-LD scripts of a page's source, which are raw text in HTML."""
    at = source.find(_TYPE)
    while at >= 0:
        begin = at + len(_TYPE)
        tag = source.rfind(b"<", max(0, at - 1000), at)
        if tag >= 0 and source[tag : tag + 7].lower() == b"<script":
            begin = source.find(b">", at) + 1
            end = source.find(b"</", begin) if begin else -1
            while end >= 0 and source[end + 2 : end + 8].lower() != b"script":
                end = source.find(b"</", end + 2)
            if end < 0:
                return
            yield source[begin:end].decode("utf-8", "replace")
            begin = end
        at = source.find(_TYPE, begin)


def _things(scripts: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The objects in some scripts that are about the page or its site."""
    left = _MAX_OBJECTS
    for number, script in enumerate(scripts):
        if number >= _MAX_SCRIPTS:
            return
        todo = [_parsed(script)]
        while todo and left:
            value = todo.pop()
            if isinstance(value, list):
                todo += reversed(value[:_MAX_OBJECTS])
            elif isinstance(value, dict):
                left -= 1
                yield value
                todo += [value[key] for key in _INTO if key in value]


def _value(script: str) -> Any:
    """A script's JSON value.  Raises ValueError if it is no JSON."""
    script = script.strip(_BLANKS)
    value, end = JSON.raw_decode(script)
    if end != len(script):
        raise ValueError("there is more behind it")
    return value


def _parsed(script: str) -> Any:
    if len(script) > _MAX_CHARS:
        return None
    try:
        return _value(script)
    except (ValueError, RecursionError):
        pass
    # Common slips: a comment around it, a semicolon behind it, a comma too many.
    script = script.strip(_OUTER)
    for begin, end in _WRAPPINGS:
        script = script.removeprefix(begin).removesuffix(end).strip(_OUTER)
    try:
        return _value(_LAST_COMMA.sub(r"\1", script))
    except (ValueError, RecursionError):
        return None
