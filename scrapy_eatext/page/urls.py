"""Makes the URLs on a page safe, and absolute if the page's own URL is known."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any
from urllib.parse import urljoin, urlsplit

# The schemes of images and of pages, and those of all safe links.  Others, above all
# javascript:, may run code.
_WEB_SCHEMES = frozenset(("http", "https"))
SCHEMES = _WEB_SCHEMES | {"mailto", "tel", "ftp"}

# Query parameters that identify a session or a campaign, and not the page.
SESSION_PARAMETERS = (
    r"utm_\w+|(?:fb|g|ms)clid|mc_[ce]id|_ga|igshid|srsltid|sid|s?ess?(?:ion)?_?id"
    r"|phpsessid|jsessionid|oscsid|zenid|aspsessionid\w*"
)

# Segments of paths of pages to log in or to register.
LOGIN_SEGMENTS = (
    r"(?:wp-)?log[-_]?(?:in|on|out)|sign[-_]?(?:in|up|out)|register|registration"
)

# The beginnings of absolute URLs that are safe for links and images.
_WHOLE = ("http://", "https://")

# Each relative URL is prefixed with the base, so a long base could make the output of a
# page with many links thousands of times as large, and many path segments take time.  A
# base beyond these limits loses its query; if that is not enough, it is ignored.
_LONGEST_BASE, _MOST_PARTS = 2000, 100

# Browsers remove these characters before they parse a URL.
_OUTER = "".join(map(chr, range(0x21)))
_INNER = re.compile(r"[\t\n\r]")
# The part before the path, the query and the fragment.
_HEAD = re.compile(r"[^/?#\\]*")
# A dot segment in a path: ../ or ./
_DOTS = re.compile(r"/\.{1,2}(?:[/?#]|$)")
# White space, controls, and characters that would end a URL in Markdown or HTML.
UNSAFE = re.compile(r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f"
                     r"\u2060-\u206f\u3000\ufeff\ufff9-\ufffb\ud800-\udfff"
                     r'"<>\\^`{|}]')  # fmt: skip
# Most URLs have only these characters, which is found out in half the time.
_SAFE = re.compile(r"[!#-;=?-\[\]_a-z~]+")


def _is_safe(url: str) -> bool:
    """Whether no character of a URL has to be quoted."""
    return _SAFE.fullmatch(url) is not None or not UNSAFE.search(url)


class Addresses:
    """Makes the URLs on one page absolute and safe."""

    def __init__(self, root: Any, url: str | None) -> None:
        self._root = root
        self._url = (url or "").strip(_OUTER)
        self._links: dict[str, str] = {}
        self._images: dict[str, str] = {}

    @cached_property
    def base(self) -> str:
        """The base URL of the page, "" if it is not known."""
        page_url = _bounded(self._url)
        for head in self._root.iterchildren("head"):
            for element in head.iterchildren("base"):
                href = element.get("href")
                if href and len(href) <= _LONGEST_BASE:
                    base = _web_only(_bounded(joined(page_url, _cleaned(href))))
                    # A base that is not HTTP, such as javascript:, is ignored.
                    return base or _web_only(page_url)
        return _web_only(page_url)

    @cached_property
    def origin(self) -> str:
        """The scheme and host of the base, "" if it is not known."""
        if not self.base:
            return ""
        parts = urlsplit(self.base)
        return _quoted(f"{parts.scheme}://{parts.netloc}")

    def link(self, href: str) -> str:
        """The URL of a link, "" if it is not safe to follow."""
        return self._resolved(self._links, href, SCHEMES)

    def image(self, src: str) -> str:
        """The URL of an image, "" for other schemes, such as data:."""
        return self._resolved(self._images, src, _WEB_SCHEMES) if src else ""

    def _resolved(
        self, cache: dict[str, str], href: str, schemes: frozenset[str]
    ) -> str:
        """The absolute URL, "" for one that is not of the schemes."""
        url = cache.get(href)
        if url is None:
            url = cache[href] = self._absolute(href, schemes)
        return url

    def _absolute(self, href: str, schemes: frozenset[str]) -> str:
        if _is_safe(href):
            # A fast path without cleaning or quoting: most URLs are absolute, or paths.
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
            # Quoting escapes backslashes, after which a scheme may appear.
            href = _quoted(href)
            return "" if ":" in _HEAD.match(href)[0] else href  # type: ignore[index]
        if href[0] == "/" and "\\" not in href:
            if href.startswith("//"):
                return _quoted(self.base.partition(":")[0] + ":" + href)
            if not _DOTS.search(href):
                return self.origin + _quoted(href)
        return _quoted(joined(self.base, href))


def host_of(url: str) -> str:
    """A URL's host in lower case, without a trailing dot; "" if it has none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:  # an invalid IPv6 address
        return ""


def _cleaned(href: str) -> str:
    return _INNER.sub("", href.strip(_OUTER))


def _bounded(url: str) -> str:
    """A base within the limits: without its query if it is too long, or else ""."""
    if len(url) > _LONGEST_BASE:
        url = re.split("[?#]", url, maxsplit=1)[0]
    return "" if len(url) > _LONGEST_BASE or url.count("/") > _MOST_PARTS else url


def _web_only(url: str) -> str:
    """A URL of HTTP as it is, "" for any other."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in _WEB_SCHEMES and parts.netloc else ""


def joined(base: str, href: str) -> str:
    """The URL of a reference on a page, "" if it is invalid."""
    try:
        return urljoin(base, href)
    except ValueError:  # as in http://[
        return ""


def _quoted(url: str) -> str:
    return url if _is_safe(url) else UNSAFE.sub(_percent, url)


def _percent(match: re.Match[str]) -> str:
    encoded = match[0].encode("utf-8", "replace")
    return "".join(f"%{byte:02X}" for byte in encoded)
