"""The things of schema.org in a page's JSON-LD, microdata and RDFa.

All have the form of JSON-LD: a dict of properties, each a value or a list of values, with
the types under "@type".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from math import isfinite
from typing import TYPE_CHECKING, Any
from weakref import proxy

from lxml import etree

from scrapy_eatext.deadline import watched
from scrapy_eatext.metadata.jsonld import (
    OF_EVENTS,
    JsonLd,
    listed,
    scripts_of,
    types_of,
    unprefixed,
)
from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.page.source import find, holds
from scrapy_eatext.page.values import beginning, shortened
from scrapy_eatext.result import Thing

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page import Page


# The thing of each element that is one, and what _place_in() returns for an element.
_Scopes = dict[Any, dict[str, Any]]
_Places = dict[Any, tuple[dict[str, Any] | None, bool]]


@dataclass(frozen=True)
class _Syntax:
    """The attributes of a syntax for things in elements."""

    source: str
    # The spellings of ``scope`` in a page's source; none of 3,000 pages had others.
    spellings: tuple[bytes, ...]
    scope: str
    types: str
    prop: str

    @cached_property
    def find(self) -> etree.XPath:
        """Finds all elements with the scope or a property."""
        return etree.XPath(f"descendant-or-self::*[@{self.scope}|@{self.prop}]")


_ITEMSCOPE, _ITEMPROP = (b"itemscope", b"itemScope"), (b"itemprop", b"itemProp")
_MICRODATA = _Syntax("microdata", _ITEMSCOPE, "itemscope", "itemtype", "itemprop")
_RDFA = _Syntax("rdfa", (b"typeof=",), "typeof", "typeof", "property")
# Properties that readers wrote, with names and dates of their own.
_READERS_PROPS = frozenset(
    ("review", "reviews", "comment", "comments", "suggestedanswer", "acceptedanswer")
)
# Types of things that readers wrote.
_READERS_TYPES = frozenset(("Answer", "Comment", "UserComments"))
# How many elements are read, and the most characters of one value and of all.
_MAX_ELEMENTS, _LONGEST, _MAX_CHARS = 3000, 5000, 300_000
_MAX_NAMES = 200
# The properties that metadata are read from, and those that texts() reads of a thing.
_OF_PAGES = frozenset(
    (*"author dateModified datePublished headline name @id @value".split(), *OF_EVENTS)
)
# Properties whose values are addresses, and the attributes that have them.
_ADDRESSES = frozenset(
    "availability contentUrl image itemCondition item license logo sameAs url".split()
)
_ADDRESS_IN = ("href", "src", "data-src")
# Attributes that have an element's value, before its text.
_VALUE_IN = ("content", "datetime", "value", "alt")
# Properties whose text has an item a line.
_LISTS = frozenset(
    "ingredients instructions recipeIngredient recipeInstructions".split()
)
# Bounds on structured_data: how deep it is nested, and how many values it has.
_MAX_DEPTH, _MAX_COPIED = 12, 5000


def _elements_in(page: Page, syntax: _Syntax) -> list[Any]:
    """The elements of a page with the attributes of a syntax, in document order."""
    source = page.source
    # A search in the source is faster than one in the tree.
    if source is not None and not any(holds(source, name) for name in syntax.spellings):
        return []
    found: list[Any] = syntax.find(page.root)
    return found[:_MAX_ELEMENTS]


def _things_in(
    elements: list[Any], syntax: _Syntax, wanted: frozenset[str] | None = None
) -> Iterator[Thing]:
    """The things that some elements make, in document order.

    If some properties are ``wanted``, the things lack other texts.
    """
    left = _MAX_CHARS
    scopes: _Scopes = {}
    places: _Places = {None: (None, False)}
    for element in watched(elements):
        names = _names(element.get(syntax.prop))
        is_thing = element.get(syntax.scope) is not None
        if wanted is not None and not is_thing and wanted.isdisjoint(names):
            continue
        owner, is_readers = _place_in(element.getparent(), scopes, places)
        if is_readers:
            names = []  # a reader's properties are not the page's
        value: Any
        if is_thing:
            value = scopes[element] = {"@type": _names(element.get(syntax.types))}
            is_own = not names or owner is None
            # Of those that metadata are read from, comments are left out.
            if is_own and (wanted is None or not _is_of_readers(element)):
                yield Thing(syntax.source, value)
        else:
            value = _value(element, names, left)
            left -= len(value)
        if owner is not None and value:
            for name in names:
                owner.setdefault(name, []).append(value)


def _place_in(
    element: Any, scopes: _Scopes, places: _Places
) -> tuple[dict[str, Any] | None, bool]:
    """The thing that an element is in, and whether a reader's text in it is around."""
    path = []
    while element not in places:
        path.append(element)
        element = element.getparent()
    owner, is_readers = places[element]
    for around in reversed(path):
        if around in scopes:
            owner, is_readers = scopes[around], False
        elif _is_of_readers(around):
            is_readers = True
        places[around] = owner, is_readers
    return owner, is_readers


def _is_of_readers(element: Any) -> bool:
    """Whether an element is marked as a comment, a review or an answer."""
    prop = (element.get("itemprop") or "")[:_MAX_NAMES].lower()
    types = _names(element.get("itemtype"))
    return prop in _READERS_PROPS or not _READERS_TYPES.isdisjoint(types)


def _names(value: str | None) -> list[str]:
    """The different names in an attribute, without prefix or address."""
    return list(dict.fromkeys(map(unprefixed, (value or "")[:_MAX_NAMES].split())))


def _value(element: Any, names: Iterable[str], most: int) -> str:
    """The value of an element, with at most ``most`` characters."""
    is_address = element.tag == "link" or not _ADDRESSES.isdisjoint(names)
    attributes = (*_ADDRESS_IN, *_VALUE_IN) if is_address else _VALUE_IN
    value = next(filter(None, map(element.get, attributes)), None)
    longest = min(_LONGEST, most)
    if value is None and not _LISTS.isdisjoint(names):
        items = (beginning(item, longest) for item in element.iter("li"))
        if lines := "\n".join(map(shortened, items)):
            return lines[:longest]
    return shortened(beginning(element, longest) if value is None else value, longest)


class Data:
    """All things of a page, those in JSON-LD first; read once for all outputs."""

    def __init__(self, page: Page) -> None:
        # The page has its data in turn; without a cycle its tree is freed at once, and
        # does not stay until the garbage collector frees many.
        self._page = proxy(page)

    @cached_property
    def json_ld(self) -> JsonLd:
        return JsonLd(scripts_of(self._page))

    @cached_property
    def _with_microdata(self) -> list[Any]:
        return _elements_in(self._page, _MICRODATA)

    @cached_property
    def _of_pages(self) -> list[Thing]:
        """The things in microdata, with the texts of _OF_PAGES alone."""
        return list(_things_in(self._with_microdata, _MICRODATA, _OF_PAGES))

    @cached_property
    def _properties(self) -> bytes | None:
        """What stands behind itemprop in tags, None if there is only a tree."""
        source = self._page.source
        if source is None:
            return None
        tags = []
        for name in _ITEMPROP:
            at = find(source, name)
            while at >= 0:
                tags.append(source[at : at + 2 * _MAX_NAMES].partition(b">")[0])
                at = find(source, name, at + len(name))
        return b">".join(tags)

    @cached_property
    def _elements(self) -> list[Thing]:
        in_rdfa = _elements_in(self._page, _RDFA)
        microdata = _things_in(self._with_microdata, _MICRODATA)
        return [*microdata, *_things_in(in_rdfa, _RDFA)]

    @classmethod
    def of(cls, page: Page) -> Data:
        """The data of a page, which are cached in the page."""
        data: Data | None = page.__dict__.get("_data")
        if data is None:
            data = page.__dict__["_data"] = cls(page)
        return data

    @property
    def given(self) -> Iterator[Thing]:
        """The things as they stand in the page; nested things are values of others."""
        for thing in chain.from_iterable(map(listed, self.json_ld.given)):
            if isinstance(thing, dict):
                yield Thing("json-ld", thing)
        yield from self._elements

    def of_types(self, *names: str) -> Iterator[Thing]:
        """The things of some types that may describe the page, JSON-LD's first."""
        in_scripts = (Thing("json-ld", values) for values in self.json_ld.things)
        for thing in chain(in_scripts, self._elements):
            if not set(names).isdisjoint(types_of(thing.values)):
                yield thing

    def in_microdata(self, name: str) -> str:
        """The first text of one of _OF_PAGES in microdata.

        Later ones may be commenters'.
        """
        if self._properties is not None and name.encode() not in self._properties:
            return ""  # most pages have none, and reading all things takes long
        texts = (self.json_ld.texts(thing.values, name) for thing in self._of_pages)
        return next(chain.from_iterable(texts), "")


def write_structured_data(judged: JudgedPage) -> tuple[Thing, ...]:
    """All things of a page, cut at the limits of depth and number."""
    left = [_MAX_COPIED, _MAX_CHARS]
    copied = (
        Thing(thing.source, _copy(thing.values, left))
        for thing in Data.of(judged.page).given
    )
    return tuple(thing for thing in copied if thing.values)


def _copy(value: Any, left: list[int], depth: int = 0) -> Any:
    """A copy of a value without parts that are too deep, too many or not storable.

    ``left`` has how many values and how many characters may still be copied.
    """
    left[0] -= 1
    if depth > _MAX_DEPTH or min(left) < 0:
        return None
    if isinstance(value, str):
        left[1] -= len(value)
        return strip_unstorable(value) if left[1] >= 0 else None
    if isinstance(value, list):
        copies = (_copy(item, left, depth + 1) for item in value[:_MAX_COPIED])
        return [copy for copy in copies if copy is not None]
    if isinstance(value, dict):
        copied = {}
        for key, item in islice(value.items(), _MAX_COPIED):
            left[1] -= len(key)
            copy = _copy(item, left, depth + 1)
            if copy is not None:
                copied[strip_unstorable(key)] = copy
        return copied
    # JSON has no infinity and no NaN, but Python reads them from NaN and 1e999.
    return value if not isinstance(value, float) or isfinite(value) else None
