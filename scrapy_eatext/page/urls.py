"""Addresses as they go into output: absolute where the page's own is known, and safe."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any
from urllib.parse import urljoin, urlsplit

# What a link may lead to.  All else, javascript: above all, may be active.
SCHEMES = frozenset(("http", "https", "mailto", "tel", "ftp"))
# What an image may be had from.
IMAGE_SCHEMES = frozenset(("http", "https"))

# Query parameters that identify a session or a campaign, and not the page.
SESSION_PARAMETERS = (
    r"utm_\w+|(?:fb|g|ms)clid|mc_[ce]id|_ga|igshid|srsltid|sid|s?ess?(?:ion)?_?id"
    r"|phpsessid|jsessionid|oscsid|zenid|aspsessionid\w*"
)

# How the addresses begin that a link and an image may have.
_WHOLE = ("http://", "https://")

# Each relative address comes out with the base in it, so a long base could make the
# output of a page with many links thousands of times as large.  A base that is longer,
# or has more parts (which cost time), loses its query; if that is not enough, it is
# ignored.
_LONGEST_BASE, _MOST_PARTS = 2000, 100

# Browsers take these away before they read an address.
_OUTER = "".join(map(chr, range(0x21)))
_INNER = re.compile(r"[\t\n\r]")
# What comes before the path, the query and the fragment.
_HEAD = re.compile(r"[^/?#\\]*")
# A path that says where it goes from: ../ or ./
_DOTS = re.compile(r"/\.{1,2}(?:[/?#]|$)")
# White space, controls, and what would end an address in Markdown or HTML.
UNSAFE = re.compile(r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f"
                     r"\u2060-\u206f\u3000\ufeff\ufff9-\ufffb\ud800-\udfff"
                     r'"<>\\^`{|}]')  # fmt: skip


class Addresses:
    """Makes the addresses on one page absolute."""

    def __init__(self, root: Any, url: str | None) -> None:
        self._root = root
        self._url = (url or "").strip(_OUTER)
        self._known: dict[str, str] = {}

    @cached_property
    def base(self) -> str:
        """The address that others are relative to, "" if it is not known."""
        base = _bounded(self._url)
        for head in self._root.iterchildren("head"):
            for element in head.iterchildren("base"):
                given = element.get("href")
                if given and len(given) <= _LONGEST_BASE:
                    said = _web_only(_bounded(joined(base, _cleaned(given))))
                    # A base of no web, as javascript:, counts for nothing.
                    return said or _web_only(base)
        return _web_only(base)

    @cached_property
    def origin(self) -> str:
        """What comes before a path, nothing where that is not known."""
        if not self.base:
            return ""
        parts = urlsplit(self.base)
        return _quoted(f"{parts.scheme}://{parts.netloc}")

    def link(self, href: str) -> str:
        """Where a link leads to; nothing where that is not safe to follow."""
        found = self._known.get(href)
        if found is None:
            found = self._known[href] = self._absolute(href, SCHEMES)
        return found

    def image(self, src: str) -> str:
        """Where an image is; nothing for one that is written out in place."""
        return self._absolute(src, IMAGE_SCHEMES) if src else ""

    def _absolute(self, href: str, schemes: frozenset[str]) -> str:
        if not UNSAFE.search(href):
            # Nothing to clean or to quote: most addresses are whole, or paths.
            if href.startswith(_WHOLE):
                return href
            if href[:1] == "/" != href[1:2] and self.origin and not _DOTS.search(href):
                return self.origin + href
        href = _cleaned(href)
        if not href or href == "#":
            return ""
        scheme, colon, _ = _HEAD.match(href)[0].partition(":")  # type: ignore[index]
        if colon:
            return _quoted(href) if scheme.lower() in schemes else ""
        if not self.base:
            # Quoting escapes backslashes, so that a scheme may stand there now.
            href = _quoted(href)
            return "" if ":" in _HEAD.match(href)[0] else href  # type: ignore[index]
        if href[0] == "/" and "\\" not in href:
            if href.startswith("//"):
                return _quoted(self.base.partition(":")[0] + ":" + href)
            if not _DOTS.search(href):
                return self.origin + _quoted(href)
        return _quoted(joined(self.base, href))


def host_of(url: str) -> str:
    """A URL's host in lower case, without a dot at its end, "" where it has none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:  # a wrong IPv6 address
        return ""


def _cleaned(href: str) -> str:
    href = href.strip(_OUTER)
    return _INNER.sub("", href)


def _bounded(url: str) -> str:
    """A base without its query where that makes it too long, nothing where all does."""
    if len(url) > _LONGEST_BASE:
        url = re.split("[?#]", url, maxsplit=1)[0]
    return "" if len(url) > _LONGEST_BASE or url.count("/") > _MOST_PARTS else url


def _web_only(url: str) -> str:
    """An address on the web as it is, nothing for any other."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.netloc else ""


def joined(base: str, href: str) -> str:
    """Where a reference on a page leads to, "" where that cannot be told."""
    try:
        return urljoin(base, href)
    except ValueError:  # as in http://[
        return ""


def _quoted(url: str) -> str:
    if not UNSAFE.search(url):
        return url
    return UNSAFE.sub(_percent, url)


def _percent(match: re.Match[str]) -> str:
    encoded = match[0].encode("utf-8", "replace")
    return "".join(f"%{byte:02X}" for byte in encoded)
