"""Addresses of a site: which are the same page, which are alike, which are traps."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, urlsplit

from w3lib.url import canonicalize_url

from scrapy_eatext.page.urls import OF_VISIT

_LONGEST = 2000
# What a query or a path says of the visit, and not of the page.
_OF_VISIT = re.compile(OF_VISIT, re.IGNORECASE)
_SESSION = re.compile(
    r";jsessionid=[^/?#;]*|/\(S\([0-9a-z]{8,40}\)\)|/s(?:ess(?:ion)?)?[-_=][0-9a-f]{8,64}(?=/)",
    re.IGNORECASE,
)
# Pages that lead to no other page and are none to want, by words in paths, by the names
# of queries, and by both.
_PATHS = {
    "calendar": r"calendar|kalender|calendario|calendrier",
    "login": r"(?:wp-)?log-?in|log-?out|sign-?(?:in|up|out)|register|registration"
    r"|my-?account|account|password|cart|basket|checkout|wishlist|auth",
    "print": r"print|printable|printer|amp|pdf",
    "reply": r"reply|respond|report|share|newreply|newthread|posting",
    "search": r"search|suche|buscar|recherche|ricerca",
}
_QUERIES = {
    "calendar": r"month|year|day|week|caldate|cal_?month|ical",
    "login": r"redirect_to|returnto|return_url|next_url|continue",
    "print": r"print|printable|output|format|amp|mobile|m",
    "reply": r"replytocom|reply|quote|report|share|action|mode|do",
    "sort": r"sort|sortby|sort_by|order|orderby|order_by|dir|direction|display|view"
    r"|per_?page|limit|pagesize|layout",
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
_LANGUAGE = re.compile(r"/([a-z]{2})(?:[-_][a-z]{2})?(?:/|$)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_ENDING = re.compile(r"(?:/(?:index|default)(?=\.))?(?:\.(?:s?html?|php|aspx?))?/?$")


@lru_cache(maxsize=1024)
def canonical(url: str) -> str:
    """An address without what it says of the visit; "" for one that is not of the web."""
    try:
        parts = urlsplit(url)
        if len(url) > _LONGEST or parts.scheme not in ("http", "https"):
            return ""
        # Decoding would lose bytes that are not UTF-8.
        query = "&".join(
            part
            for part in parts.query.split("&")
            if not _OF_VISIT.fullmatch(part.partition("=")[0])
        )
        path = _SESSION.sub("", parts.path) or "/"
        found = parts._replace(path=path, query=query, fragment="")
        own = canonicalize_url(found.geturl())
    except ValueError:  # as in http://[, or a surrogate
        return ""
    return own if parts.netloc and len(own) <= _LONGEST else ""


def is_of_visit(url: str) -> bool:
    """Whether an address has the number of a visit."""
    parts = urlsplit(url)
    names = (name for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    return bool(_SESSION.search(parts.path)) or any(map(_OF_VISIT.fullmatch, names))


def is_same_page(url: str, other: str, *, with_query: bool = False) -> bool:
    """Whether two addresses differ in the ending of their paths, or their query, alone."""
    one, two = urlsplit(url), urlsplit(other)
    is_same = _ENDING.sub("", one.path) == _ENDING.sub("", two.path)
    return is_same and (one.query == two.query or not with_query)


def language_of(url: str) -> str:
    """The language that the first folder of an address seems to name, or ""."""
    found = _LANGUAGE.match(urlsplit(url).path)
    return found[1] if found else ""


def trap(url: str) -> str:
    """The name of what an address leads to that no reader looks for, "" for none."""
    parts = urlsplit(url)
    for segment in parts.path.split("/"):
        if found := _IN_PATH.fullmatch(segment):
            return found.lastgroup or ""
    for name, _ in parse_qsl(parts.query, keep_blank_values=True):
        if found := _IN_QUERY.fullmatch(name.rstrip("[]").partition("[")[0]):
            return found.lastgroup or ""
    return ""


def shapes(url: str) -> list[str]:
    """What an address has in common with those that are made alike.

    First its path without numbers and without its last part, with the names of its
    queries; then each of these names alone, and the folders of its path.  Of a trap it
    is the trap's name.
    """
    parts = urlsplit(url)
    if name := trap(url):
        return [f"{parts.netloc} {name}"]
    path = _path_shape(parts)
    names = sorted(dict(parse_qsl(parts.query, keep_blank_values=True)))
    found = [f"{path}?{'&'.join(names)}"]
    if len(names) > 1:
        found += [f"{path}?{name}" for name in names]
    folders = path.split("/")[:-1]
    return found + ["/".join(folders[: 2 + n]) + "/**" for n in range(len(folders) - 2)]


def _path_shape(parts: SplitResult) -> str:
    *folders, last = parts.path.rstrip("/").split("/")
    if not _DIGITS.fullmatch(last) and not (parts.query and "." in last):
        last = "*"
    return parts.netloc + _DIGITS.sub("0", "/".join([*folders, last]))
