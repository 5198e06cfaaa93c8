"""URLs of a site: which are the same page, which share a pattern, which are traps."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, urlsplit

from w3lib.url import canonicalize_url

from scrapy_eatext.page.urls import LOGIN_SEGMENTS, SESSION_PARAMETERS

_MAX_LENGTH = 2000
# Session IDs and tracking parameters in queries, and session IDs in paths.
_IN_SESSION_QUERY = re.compile(SESSION_PARAMETERS, re.IGNORECASE)
_IN_SESSION_PATH = re.compile(
    r";jsessionid=[^/?#;]*|/\(S\([0-9a-z]{8,40}\)\)|/s(?:ess(?:ion)?)?[-_=][0-9a-f]{8,64}(?=/)",
    re.IGNORECASE,
)
# Traps: pages that nobody wants and that lead to no wanted page.  A path segment or the
# name of a query parameter shows each kind.
_PATHS = {
    "calendar": r"calendar|kalender|calendario|calendrier",
    "login": LOGIN_SEGMENTS
    + r"|my-?account|account|password|cart|basket|checkout|wishlist|auth",
    "print": r"print|printable|printer|amp|pdf",
    "reply": r"reply|respond|report|share|newreply|newthread|posting",
    "search": r"search|suche|buscar|recherche|ricerca",
}
_QUERIES = {
    "calendar": r"month|year|day|week|caldate|cal_?month|ical",
    "login": r"redirect_to|returnto|return_url|next_url|continue",
    "print": r"print|printable|output|format|amp|mobile|m",
    "reply": r"replytocom|reply|quote|report|share|action|mode|do",
    "sort": r"sort|sortby|sort_by|order|orderby|order_by|dir|direction|display"
    r"|per_?page|limit|pagesize",
    "filter": r"filters?|facets?|min_?price|max_?price|price|colou?rs?|size|brand|material"
    r"|rating|availability|in_?stock|refine|tags?",
}
_IN_PATH = re.compile(
    "|".join(
        rf"(?P<{name}>(?:{words})(?:\.(?:s?html?|php|aspx?))?)"
        for name, words in _PATHS.items()
    ),
    re.IGNORECASE,
)
_IN_QUERY = re.compile(
    "|".join(
        f"(?P<{name}>(?:filter_)?(?:{words}))" for name, words in _QUERIES.items()
    ),
    re.IGNORECASE,
)
# With other values these parameters may name a page.
_VIEW = re.compile(
    r"(?:^|&)(?:view|layout)=(?:gallery|grid|list|next|previous|print|table|tiles?)(?:&|$)",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(r"/([a-z]{2})(?:[-_][a-z]{2})?(?:/|$)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
# How paths of the same page may end: /a, /a/, /a.html, /a/index.html.
_ENDING = re.compile(r"(?:/(?:index|default)(?=\.))?(?:\.(?:s?html?|php|aspx?))?/?$")


@lru_cache(maxsize=1024)
def canonical(url: str) -> str:
    """A URL in canonical form, without its session; "" if it is invalid or not HTTP."""
    try:
        parts = urlsplit(url)
        if len(url) > _MAX_LENGTH or parts.scheme not in ("http", "https"):
            return ""
        # Decoding would lose bytes that are not UTF-8.
        query = "&".join(
            parameter
            for parameter in parts.query.split("&")
            if not _IN_SESSION_QUERY.fullmatch(parameter.partition("=")[0])
        )
        path = _IN_SESSION_PATH.sub("", parts.path) or "/"
        stripped = parts._replace(path=path, query=query, fragment="")
        result = canonicalize_url(stripped.geturl())
    except ValueError:  # as in http://[, or a surrogate
        return ""
    return result if parts.netloc and len(result) <= _MAX_LENGTH else ""


def has_session(url: str) -> bool:
    """Whether a URL has a session ID or a tracking parameter."""
    parts = urlsplit(url)
    return bool(_IN_SESSION_PATH.search(parts.path)) or any(
        map(_IN_SESSION_QUERY.fullmatch, _parameters(parts))
    )


def is_same_page(url: str, other: str, *, with_query: bool = False) -> bool:
    """Whether URLs differ in their paths' ends and, without ``with_query``, queries."""
    parts, others = urlsplit(url), urlsplit(other)
    is_same = _ENDING.sub("", parts.path) == _ENDING.sub("", others.path)
    return is_same and (parts.query == others.query or not with_query)


def language_of(url: str) -> str:
    """The code of a language that the first folder of a URL seems to be, or ""."""
    match = _LANGUAGE.match(urlsplit(url).path)
    return match[1] if match else ""


def trap(url: str) -> str:
    """The kind of trap that a URL leads to, "" for none."""
    parts = urlsplit(url)
    for segment in parts.path.split("/"):
        if match := _IN_PATH.fullmatch(segment):
            return match.lastgroup or ""
    for name in _parameters(parts):
        if match := _IN_QUERY.fullmatch(name.rstrip("[]").partition("[")[0]):
            return match.lastgroup or ""
    return "sort" if _VIEW.search(parts.query) else ""


def shapes(url: str) -> list[str]:
    """The patterns of a URL, its own first, then the wider ones.

    Its own is its path, with 0 for numbers and * for its last segment, and the names of
    its query parameters.  The wider ones have a single parameter, or a parent folder.
    A trap has one alone: its host and its kind.
    """
    parts = urlsplit(url)
    if name := trap(url):
        return [f"{parts.netloc} {name}"]
    path = _path_shape(parts)
    names = sorted(set(_parameters(parts)))
    result = [f"{path}?{'&'.join(names)}"]
    if len(names) > 1:
        result += [f"{path}?{name}" for name in names]
    folders = path.split("/")[:-1]
    result += ["/".join(folders[:n]) + "/**" for n in range(2, len(folders))]
    return result


def _parameters(parts: SplitResult) -> list[str]:
    """The names of a query's parameters."""
    return [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]


def _path_shape(parts: SplitResult) -> str:
    *folders, last = parts.path.rstrip("/").split("/")
    if not _DIGITS.fullmatch(last) and not (parts.query and "." in last):
        last = "*"
    return parts.netloc + _DIGITS.sub("0", "/".join([*folders, last]))
