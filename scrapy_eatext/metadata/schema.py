"""The things of schema.org that a page gives: in JSON-LD, microdata and RDFa.

All have the form of JSON-LD: a dict of properties, each a value or a list of values, with
the types under "@type".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from lxml import etree

from scrapy_eatext.deadline import watched
from scrapy_eatext.metadata.jsonld import JsonLd, scripts_of, text_of, types_of
from scrapy_eatext.metadata.visible import is_of_readers
from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.page.values import MOST_VALUES, beginning, shortened
from scrapy_eatext.result import Thing

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page import Page


class _Syntax(NamedTuple):
    """By what attributes elements say what they are about."""

    source: str
    # How the attribute is written in a page's source; of 3,000 pages none has others.
    written: tuple[bytes, ...]
    scope: str
    types: str
    prop: str
    # Finds all elements with the first or the last attribute.
    find: etree.XPath


_MICRODATA = _Syntax(
    "microdata",
    (b"itemscope", b"itemScope"),
    "itemscope",
    "itemtype",
    "itemprop",
    etree.XPath("descendant-or-self::*[@itemscope|@itemprop]"),
)
_RDFA = _Syntax(
    "rdfa",
    (b"typeof=",),
    "typeof",
    "typeof",
    "property",
    etree.XPath("descendant-or-self::*[@typeof|@property]"),
)
# How many elements are read, how many characters of one value, and of all.
_MAX_ELEMENTS, _LONGEST, _MAX_CHARS = 3000, 5000, 300_000
_MAX_NAMES = 200
# Properties whose values are addresses, and the attributes that have them.
_ADDRESSES = frozenset(
    "availability contentUrl image itemCondition item license logo sameAs url".split()
)
_ADDRESS_IN = ("href", "src", "data-src")
# Where else than in its text an element may have its value.
_VALUE_IN = ("content", "datetime", "value", "alt")
# How many values are looked at in one place.
_MOST_TEXTS = 500
# Bounds on structured_data: how deep it is nested, and how many values it has.
_MAX_DEPTH, _MAX_COPIED = 12, 5000
# No number of use is as large.
_TOO_LARGE = 1e300


def _things_in(page: Page, syntax: _Syntax) -> Iterator[Thing]:
    """The things that elements of a page give in a syntax, in their order."""
    source = page.source
    # To look for them in the tree takes longer.
    if source is not None and not any(name in source for name in syntax.written):
        return
    left = _MAX_CHARS
    scopes: dict[Any, dict[str, Any]] = {}
    for element in watched(islice(syntax.find(page.root), _MAX_ELEMENTS)):
        owner, names = None, _names(element, syntax.prop)
        for around in element.iterancestors():
            if around in scopes:
                owner = scopes[around]
                break
            if is_of_readers(around):
                names = []  # what is said of the reader is not of the page
        value: Any
        if element.get(syntax.scope) is not None:
            value = scopes[element] = {"@type": _names(element, syntax.types)}
            if not names or owner is None:
                yield Thing(syntax.source, value)
        else:
            value = _value(element, names, left)
            left -= len(value)
        if owner is not None and value:
            for name in names:
                owner.setdefault(name, []).append(value)


def _names(element: Any, attribute: str) -> list[str]:
    """The names in an attribute, without prefix or address."""
    names = (element.get(attribute) or "")[:_MAX_NAMES].split()
    return [name.rpartition("/")[2].rpartition(":")[2] for name in names]


def _value(element: Any, names: Iterable[str], most: int) -> str:
    """The value of an element: an address, an attribute or the text."""
    is_address = element.tag == "link" or not _ADDRESSES.isdisjoint(names)
    attributes = (*_ADDRESS_IN, *_VALUE_IN) if is_address else _VALUE_IN
    value = next(filter(None, map(element.get, attributes)), None)
    longest = min(_LONGEST, most)
    return shortened(beginning(element, longest) if value is None else value, longest)


class Data:
    """All things of a page, JSON-LD's first; read once for all outputs."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def json_ld(self) -> JsonLd:
        return JsonLd(scripts_of(self._page))

    @cached_property
    def _microdata(self) -> list[Thing]:
        return list(_things_in(self._page, _MICRODATA))

    @cached_property
    def _elements(self) -> list[Thing]:
        return [*self._microdata, *_things_in(self._page, _RDFA)]

    @classmethod
    def of(cls, page: Page) -> Data:
        found: Data | None = page.__dict__.get("_data")
        if found is None:
            found = page.__dict__["_data"] = cls(page)
        return found

    @property
    def given(self) -> Iterator[Thing]:
        """The things as they stand in the page, those in others within these."""
        for value in self.json_ld.given:
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict):
                    yield Thing("json-ld", one)
        yield from self._elements

    def of_types(self, *names: str) -> Iterator[Thing]:
        """The things of some types that the page may be about, those of JSON-LD first."""
        for one in self.json_ld.things():
            if not set(names).isdisjoint(types_of(one)):
                yield Thing("json-ld", one)
        for thing in self._elements:
            if not set(names).isdisjoint(types_of(thing.values)):
                yield thing

    def in_microdata(self, name: str) -> str:
        """The first text of a property in microdata; others may be commenters'."""
        things = (self.texts(one.values, name) for one in self._microdata)
        return next(chain.from_iterable(things), "")

    def at(self, value: Any, *path: str) -> Iterator[Any]:
        """What stands in a value at a path of properties, of lists each part."""
        for one in value[:MOST_VALUES] if isinstance(value, list) else (value,):
            if isinstance(one, dict):
                known = self.json_ld.known(one)
                if path:
                    yield from self.at(known.get(path[0]), *path[1:])
                else:
                    yield known
            elif not path and one is not None and not isinstance(one, list):
                yield one

    def texts(self, value: Any, *path: str) -> Iterator[str]:
        """The texts, numbers, and names of things at a path."""
        for one in islice(self.at(value, *path), _MOST_TEXTS):
            found = one.get("name", one.get("@value")) if isinstance(one, dict) else one
            if _is_number(found):
                found = f"{found:.15g}"
            text = text_of(found)
            if text:
                yield text


def write_structured_data(judged: JudgedPage) -> tuple[Thing, ...]:
    """Each thing of a page, cut where it is too deep or the page has too many."""
    left = [_MAX_COPIED, _MAX_CHARS]
    copied = (
        Thing(thing.source, _copy(thing.values, left))
        for thing in Data.of(judged.page).given
    )
    return tuple(thing for thing in copied if thing.values)


def _copy(value: Any, left: list[int], depth: int = 0) -> Any:
    """A value without what is too deep, too much or cannot be stored."""
    left[0] -= 1
    if depth > _MAX_DEPTH or min(left) < 0:
        return None
    if isinstance(value, str):
        left[1] -= len(value)
        return strip_unstorable(value) if left[1] >= 0 else None
    if isinstance(value, list):
        copies = (_copy(one, left, depth + 1) for one in value[:_MAX_COPIED])
        return [one for one in copies if one is not None]
    if isinstance(value, dict):
        copied = {}
        for key, one in islice(value.items(), _MAX_COPIED):
            left[1] -= len(key)
            copy = _copy(one, left, depth + 1)
            if copy is not None:
                copied[strip_unstorable(key)] = copy
        return copied
    # JSON has no word for the rest, which Python's reader takes from NaN and 1e999.
    return value if not isinstance(value, float) or isfinite(value) else None


def _is_number(value: Any) -> TypeGuard[int | float]:
    """Whether it is a number that a float can be; JSON's may have 1,000 digits."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) < _TOO_LARGE
    )
