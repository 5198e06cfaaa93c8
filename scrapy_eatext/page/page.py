"""A page: bytes, text or a tree that is parsed already, as algorithms read it."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast
from weakref import proxy

from lxml import etree

from scrapy_eatext.deadline import TimeLimitError
from scrapy_eatext.page.behind import ends_early, source_with_behind, without_ends
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.decode import decode, is_misread, utf8_of
from scrapy_eatext.page.depth import flattened, is_cut_off
from scrapy_eatext.page.guard import tame
from scrapy_eatext.page.head import Head, head_of, title_of
from scrapy_eatext.page.memory import raise_memory
from scrapy_eatext.page.unclosed import (
    is_swallowed,
    with_end_of_title,
    without_open_objects,
)
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.values import primary_tag
from scrapy_eatext.page.walk import walk

if TYPE_CHECKING:
    from parsel import Selector
    from scrapy.http import TextResponse

    from scrapy_eatext.page.selectors import Matcher


__all__ = ["Page"]

# A page with fewer characters than this is looked at again for a hidden text,
# which has to be longer by so much.
POOR = 3000
HIDDEN_SHARE, HIDDEN_CHARS = 3, 500


class Page:
    """One page, parsed once and walked once.

    ``root`` is its root element, which nothing here changes; ``url`` and
    ``body`` (the raw bytes) are None where they are not known.  Page.of()
    makes one from whatever there is.
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
        # Whether the blocks are also of what a browser hides.
        self.is_lenient = False

    @classmethod
    def of(
        cls, html: bytes | str | Selector | TextResponse, url: str | None = None
    ) -> Page:
        """A page from bytes, str, a parsel Selector or a scrapy TextResponse.

        Selectors and responses hand over their own tree, unless a response was misread
        (page/decode.py), its tree is cut off (page/depth.py) or ends before its text
        (page/behind.py).  Raises TypeError for anything else.
        """
        if isinstance(html, bytes):
            # Not a subclass, which the compiled modules do not take.
            return cls._of_bytes(bytes(html), url)
        if isinstance(html, str):
            return cls(parse(html), url=url, html=html)
        # Looked up in the class, as access on a response parses the page.
        if hasattr(type(html), "selector"):
            return cls._of_response(cast("TextResponse", html), url)
        # A pathlib.Path has a root too.
        if not (hasattr(html, "root") and hasattr(html, "xpath")):
            kind = type(html).__name__
            raise TypeError(
                f"a page is bytes, str, Selector or TextResponse, not {kind}"
            )
        selector = cast("Selector", html)
        root = _root_of(selector)
        if root is not None and selector.type == "html":
            root = _to_its_end(root)
        return cls(etree.Element("html") if root is None else root, url=url)

    @classmethod
    def _of_bytes(cls, body: bytes, url: str | None, known: str | None = None) -> Page:
        source = utf8_of(body, known)
        if source is not None:
            root = parse_source(tame(trim(source)))
            return cls(root, url=url, body=body, source=source)
        _, text = decode(body, known)
        return cls(parse(text), url=url, body=body, html=text)

    @classmethod
    def _of_response(cls, response: TextResponse, url: str | None) -> Page:
        body = bytes(response.body)
        url = url or str(response.url)
        if is_misread(response):
            return cls._of_bytes(body, url, response.encoding)
        utf8 = utf8_of(body, response.encoding) if body else None
        source = trim(utf8) if utf8 is not None else encode(response.text)
        harmless = tame(source)
        root = None
        if without_open_objects(harmless) is source:
            selector = response.selector
            root = _root_of(selector)
            if root is not None and selector.type == "html":
                is_bad = is_cut_off(root) or is_swallowed(root)
                root = None if is_bad else _to_its_end(root)
            # The two refer to each other, and a page's tree would stay until the
            # garbage collector comes across them: then hundreds of trees are freed
            # at once, and the crawl stands still.  With a reference that does not
            # count each goes with its response.
            if hasattr(selector, "response"):
                selector.response = proxy(response)
        if root is None:
            # The response's own tree may be cut off, and is of the source as it came.
            # Older releases take a page that is also JSON ("2") for JSON.
            root = parse_source(harmless)
        return cls(
            root,
            url=url,
            body=body,
            html=response.text,
            source=utf8,
        )

    @cached_property
    def html(self) -> str:
        """The page's source, decoded; a bare tree is serialised."""
        if self._html is not None:
            return self._html
        if self._source is not None:
            return self._source.decode()
        source: str = etree.tostring(self.root, encoding="unicode", method="html")
        return source

    @property
    def source(self) -> bytes | None:
        """The page's source in UTF-8, where there is one at hand."""
        if self._source is None and self._html is not None:
            return self._html.encode("utf-8", "replace")
        return self._source

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of text, from the one walk.

        A page that shows next to nothing, but hides a text, is read leniently:
        its script would have shown the text, or its markup has gone wrong.
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
        """Matches CSS selectors, whose answers it remembers."""
        from scrapy_eatext.page.selectors import Matcher  # few pages have rules

        return Matcher(self.root)

    @cached_property
    def head(self) -> Head:
        """The values in the page's head."""
        return head_of(self.root)

    @cached_property
    def title(self) -> str:
        """The text of the page's title element, its white space collapsed."""
        if self.head.title is not None:
            return self.head.title
        found = next(self.root.iter("title"), None)
        return "" if found is None else title_of(found)

    @cached_property
    def language(self) -> str:
        """The language that the page declares: its primary tag, or nothing."""
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
        """Whether 3/4/2024 is the third of April, as it is in most languages.

        In English it is where the page names another country than the few with the month
        first, or has its address in one.
        """
        if self.language != "en":
            return True
        region = self._declared.strip()[:_LONGEST_TAG].lower().replace("_", "-")
        if region not in _MONTH_FIRST:
            return True
        return host_of(self.url or "").rpartition(".")[2] in _DAY_FIRST


# How pages in English with the month first declare it.  Many others say en or en-US, for
# software has this by default, but their addresses may tell where they are.
_MONTH_FIRST = frozenset(("en", "en-us", "en-ca", "en-ph"))
_DAY_FIRST = frozenset("au gh hk ie in ke mt my ng nz pk sg uk za".split())
_LONGEST_TAG = 10

# The ASCII characters that str.strip() strips.
_BLANKS = b" \t\n\r\v\f\x1c\x1d\x1e\x1f"


def trim(source: bytes) -> bytes:
    """The source of a page in UTF-8 as parsel hands it to the parser."""
    source = source.strip(_BLANKS)
    if not (source[:1] + source[-1:]).isascii():
        return encode(source.decode())
    return source.replace(b"\0", b"")


def encode(text: str) -> bytes:
    """The source of a page as parsel hands it to the parser."""
    return text.strip().replace("\x00", "").encode("utf-8", "replace")


def parse(text: str) -> Any:
    """The root element of a page."""
    return parse_source(tame(encode(text)))


def parse_source(source: bytes) -> Any:
    """The root element of a page, which is mended if the parser would misread it.

    It is flattened if it is too deep for the parser.  A title or an object without an
    end is closed.  What stands behind the end of the page becomes a part of it, if that
    is most of the text.  Raises MemoryError if there is not enough memory.
    """
    source = without_open_objects(source)
    root = _parsed(source)
    if is_swallowed(root):
        root = _parsed(with_end_of_title(source))
    # If the time is up, the page ends where the parser stopped.
    with suppress(TimeLimitError):
        if is_cut_off(root):
            root = _parsed(flattened(source))
    return _to_its_end(root)


def _to_its_end(root: Any) -> Any:
    """A root, or if most of the text stands behind it, a root with all of the text."""
    with suppress(TimeLimitError):
        if ends_early(root):
            return _parsed(without_ends(source_with_behind(root)))
    return root


def _parsed(source: bytes) -> Any:
    """The root element of a page, by the parser and options that parsel takes."""
    # Without a table of ids the tree is the same and made faster.
    parser = etree.HTMLParser(
        recover=True, encoding="utf-8", huge_tree=True, collect_ids=False
    )
    try:
        root = etree.fromstring(source or b"<html/>", parser)
    except etree.XMLSyntaxError as error:
        raise_memory(error)
        root = None
    return etree.Element("html") if root is None else root


def _root_of(selector: Selector) -> Any:
    """A selector's root, or None: it may also hold a string or JSON data."""
    root = selector.root
    if not isinstance(root, etree._Element):
        return None
    return _readable(root) if selector.type == "xml" else root


def _readable(root: Any) -> Any:
    """A root that was parsed as XML, or a copy of it without half surrogate pairs.

    Where it is told to recover, libxml2's parser of XML may let them through, and
    lxml raises UnicodeDecodeError wherever such a text is asked for.
    """
    source: bytes = etree.tostring(root, encoding="utf-8", with_tail=False)
    try:
        source.decode()
    except UnicodeDecodeError:
        parser = etree.XMLParser(recover=True, resolve_entities=False, huge_tree=True)
        return etree.fromstring(source.decode("utf-8", "replace").encode(), parser)
    return root
