"""The Page that algorithms read, made from bytes, text or a parsed tree."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, cast
from weakref import proxy

from lxml import etree

from scrapy_eatext.page import parsing
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.decode import corrected, decode, is_misdeclared, utf8_of
from scrapy_eatext.page.guard import tame
from scrapy_eatext.page.head import Head, head_of, title_of
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.values import primary_tag
from scrapy_eatext.page.walk import walk

if TYPE_CHECKING:
    from parsel import Selector
    from scrapy.http import TextResponse

    from scrapy_eatext.page.selectors import Matcher

# How many title elements are looked at where the head has none.
_MAX_TITLES = 100
# If a page shows fewer characters than POOR, a hidden text is used instead, if it has
# HIDDEN_CHARS more than HIDDEN_SHARE times as many.
POOR = 3000
HIDDEN_SHARE, HIDDEN_CHARS = 3, 500


class Page:
    """A page, parsed once and walked once.  Page.of() makes one.

    ``root`` is its root element, which is not changed; ``url`` and ``body`` (the raw
    bytes) are None if they are unknown.
    """

    def __init__(
        self,
        root: Any,
        *,
        url: str | None = None,
        body: bytes | None = None,
        html: str | None = None,
        source: bytes | None = None,
    ) -> None:
        self.root = root
        self.url = url
        self.body = body
        self._html = html
        self._source = source
        # Whether the blocks include hidden elements.
        self.is_lenient = False

    @classmethod
    def of(
        cls, html: bytes | str | Selector | TextResponse, url: str | None = None
    ) -> Page:
        """A page from bytes, str, a parsel Selector, or a response of scrapy or web-poet.

        The tree of a selector or response is used as it is, unless a response was
        misread (page/decode.py), or its tree has to be mended (page/parsing.py).
        Raises TypeError for other types.
        """
        if isinstance(html, bytes):
            # The compiled modules take no subclass of bytes.
            return cls._of_bytes(bytes(html), url)
        if isinstance(html, str):
            return cls(parsing.parse(html), url=url, html=html)
        held = held_by(html)
        if hasattr(held, "body") and hasattr(type(held), "selector"):
            return cls._of_response(held, url)
        source = getattr(held, "html", None)
        if isinstance(source, str):  # that of a BrowserResponse
            return cls.of(source, url or str(held.url))
        # A pathlib.Path has a root too.
        if not (hasattr(html, "root") and hasattr(html, "xpath")):
            kind = type(html).__name__
            raise TypeError(
                f"a page is bytes, str, Selector or TextResponse, not {kind}"
            )
        selector = cast("Selector", html)
        if isinstance(selector.root, str):  # a text, or HTML in JSON
            return cls.of(str(selector.root), url)
        root = _root_of(selector)
        if root is not None and selector.type == "html":
            root = parsing.to_its_end(root)
        return cls(etree.Element("html") if root is None else root, url=url)

    @classmethod
    def _of_bytes(cls, body: bytes, url: str | None, known: str | None = None) -> Page:
        source = utf8_of(body, known)
        if source is not None:
            root = parsing.parse_source(tame(parsing.trim(source)))
            return cls(root, url=url, body=body, source=source)
        _, text = decode(body, known)
        return cls(parsing.parse(text), url=url, body=body, html=text)

    @classmethod
    def _of_response(cls, response: TextResponse, url: str | None) -> Page:
        body = bytes(response.body)
        url = url or str(response.url)
        encoding = corrected(response)
        if encoding is not None:
            return cls._of_bytes(body, url, encoding)
        utf8 = utf8_of(body, response.encoding) if body else None
        if utf8 is None and response.encoding == "utf-8" and is_misdeclared(body):
            return cls._of_bytes(body, url, "utf-8")
        source = parsing.encode(response.text) if utf8 is None else parsing.trim(utf8)
        harmless = tame(source)
        root = None
        selector = None
        if parsing.mended(harmless) is source:
            with suppress(ValueError):  # Scrapy's, of the URL of a base element
                selector = response.selector
        if selector is not None:
            root = _root_of(selector)
            if root is not None and selector.type == "html":
                is_bad = parsing.is_cut_off(root) or parsing.is_swallowed(root)
                root = None if is_bad else parsing.to_its_end(root)
            # Response and selector refer to each other, so their trees would stay until
            # the garbage collector frees hundreds at once, which stalls the crawl.
            # With a weak reference each tree is freed with its response.
            if hasattr(selector, "response"):
                selector.response = proxy(response)
        if root is None:
            # Besides the faults above: older releases of Scrapy take a page that is
            # valid JSON ("2") for JSON.
            root = parsing.parse_source(harmless)
        return cls(root, url=url, body=body, html=response.text, source=utf8)

    @cached_property
    def html(self) -> str:
        """The page's source as text; a tree without a source is serialised."""
        if self._html is not None:
            return self._html
        if self._source is not None:
            return self._source.decode()
        source: str = etree.tostring(self.root, encoding="unicode", method="html")
        return source

    @property
    def source(self) -> bytes | None:
        """The page's source in UTF-8, None if there is only a tree."""
        if self._source is None and self._html is not None:
            return self._html.encode("utf-8", "replace")
        return self._source

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of text.

        If a page shows little but hides a long text, hidden elements are included: a
        script would show the text, or the markup is wrong.
        """
        shown = Blocks(walk(self.root))
        chars = sum(shown.chars)
        if chars < POOR:
            hidden = Blocks(walk(self.root, lenient=True))
            if sum(hidden.chars) > HIDDEN_SHARE * chars + HIDDEN_CHARS:
                self.is_lenient = True
                return hidden
        return shown

    @cached_property
    def selectors(self) -> Matcher:
        """Matches CSS selectors on the page, and caches the results."""
        from scrapy_eatext.page.selectors import Matcher  # few pages have rules

        return Matcher(self.root)

    @cached_property
    def head(self) -> Head:
        """The values in the page's head."""
        return head_of(self.root)

    @cached_property
    def title(self) -> str:
        """The text of the first title element with one, its white space collapsed."""
        if self.head.title:
            return self.head.title
        found = (
            title_of(title)
            for title in islice(self.root.iter("title"), _MAX_TITLES)
            # The title of an SVG image is not the page's.
            if next(title.iterancestors("svg"), None) is None
        )
        return next(filter(None, found), "")

    @cached_property
    def language(self) -> str:
        """The primary tag of the language that the page declares, or ""."""
        return primary_tag(self._declared)

    @property
    def _declared(self) -> str:
        return (
            self.root.get("lang")
            or self.root.get("{http://www.w3.org/XML/1998/namespace}lang")
            or ""
        )

    @cached_property
    def is_day_first(self) -> bool:
        """Whether 3/4/2024 is the third of April, as in most languages.

        In English it depends on the country of the page's language tag or domain.
        """
        if self.language != "en":
            return True
        region = self._declared.strip()[:_LONGEST_TAG].lower().replace("_", "-")
        if region not in _MONTH_FIRST:
            return True
        return host_of(self.url or "").rpartition(".")[2] in _DAY_FIRST


# Language tags of pages in English that write the month first.  As software declares en
# or en-US by default, pages of domains with the day first may have these tags too.
_MONTH_FIRST = frozenset(("en", "en-us", "en-ca", "en-ph"))
_DAY_FIRST = frozenset("au gh hk ie in ke mt my ng nz pk sg uk za".split())
_LONGEST_TAG = 10


def held_by(html: Any) -> Any:
    """The response in an AnyResponse of web-poet, or else the argument."""
    # Looked up in the class, as reading the property would parse the page.
    is_response = hasattr(type(html), "selector")
    return getattr(html, "response", html) if is_response else html


def _root_of(selector: Selector) -> Any:
    """A selector's root element, None if the selector holds a string or JSON data."""
    root = selector.root
    if not isinstance(root, etree._Element):
        return None
    return _readable(root) if selector.type == "xml" else root


def _readable(root: Any) -> Any:
    """A root that was parsed as XML, or a copy of it without lone surrogates.

    With recover=True libxml2's XML parser may accept them, and lxml raises
    UnicodeDecodeError whenever such a text is read.
    """
    source: bytes = etree.tostring(root, encoding="utf-8", with_tail=False)
    try:
        source.decode()
    except UnicodeDecodeError:
        parser = etree.XMLParser(recover=True, resolve_entities=False, huge_tree=True)
        return etree.fromstring(source.decode("utf-8", "replace").encode(), parser)
    return root
