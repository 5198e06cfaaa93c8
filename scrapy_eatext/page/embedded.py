"""Text that a page carries as data only: JSON-LD, a framework's state, a frame's source.

Where a page's script would write the text, what is there without the script is
a menu at best; the text itself often stands in the page's data all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.jsondata import JSON, values_in
from scrapy_eatext.page.values import unescaped

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

# Scripts that hold data, by their type, and by their id.
_LINKED_DATA = "application/ld+json"
_NEXT, _NUXT = "__NEXT_DATA__", "__NUXT_DATA__"
# Properties of schema.org's types that hold the text of what a page is about.
_TEXTS = ("articleBody", "text", "recipeInstructions", "reviewBody")
# Types of what others write of it, whose texts count if there is no other.
_SAID_OF_IT = frozenset(("Review", "Comment", "UserReview", "CriticReview"))
# Types whose description is no text: sites, those who run them, pages as such.
_NOT_DESCRIBED = re.compile(
    r"(?:Page|Site|Organization|Business|Person|Corporation|Brand|List|Item|Object"
    r"|Action|Place|Offer)$"
)
# Kinds of pages by schema.org's types.
_KIND_OF_TYPE = (
    ("article", re.compile(r"(?:Article|Report|Recipe|BlogPosting|Review)$")),
    ("forum", re.compile(r"(?:DiscussionForumPosting|Question|Answer|Comment)$")),
    ("product", re.compile(r"Product(?:Group|Model)?$")),
    ("documentation", re.compile(r"(?:APIReference|HowTo|SoftwareSourceCode)$")),
    ("service", re.compile(r"Service$")),
)
# Keys that hold a text in a framework's state, in lower case.
_STATE_KEYS = frozenset(
    "articlebody body bodyhtml body_html content contenthtml content_html "
    "description descriptionhtml html longdescription markdown text".split()
)
# A text has so many characters, a description fewer, and no page's data is read
# beyond so many.
_MIN_CHARS, _MIN_DESCRIPTION = 200, 80
_MAX_DATA = 4_000_000
# How many values of the data are searched for texts.
_MAX_VALUES = 200_000
# One character class without repetition, so linear on any text.
_TAG = re.compile(r"</(?:p|div|li|h[1-6]|span|a)>|<br", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text from a page's data: where it was found, and a page of it alone.

    ``page_type`` is empty where the data do not tell the kind of page.
    """

    origin: str
    page: Page
    blocks: Blocks
    page_type: str = ""

    @property
    def chars(self) -> int:
        """How long it is."""
        return sum(self.blocks.chars)


class _Placeless(Blocks):
    """Blocks whose elements are not on the page."""

    def xpath(self, i: int) -> str:
        return ""

    def xpaths(self, of: list[int]) -> list[str]:
        return [""] * len(of)


@dataclass(frozen=True, slots=True)
class _Found:
    """A text as it stands in the data.

    ``rank`` is 2 for what is the text of something, 1 for a description, 0 for what
    somebody says of it.
    """

    text: str
    rank: int = 2
    page_type: str = ""

    def is_long(self) -> bool:
        return len(self.text) >= (_MIN_DESCRIPTION if self.rank == 1 else _MIN_CHARS)

    def worth(self) -> tuple[int, int]:
        return self.rank, len(self.text)


def _best(all_found: Iterator[_Found]) -> _Found | None:
    """The text that is worth most; all of them together may be many times the data."""
    return max(filter(_Found.is_long, all_found), key=_Found.worth, default=None)


def embedded_text(page: Page) -> Embedded | None:
    """The longest text in a page's data, from JSON-LD where that has one."""
    readers = (("json-ld", _linked), ("state", _states), ("srcdoc", _framed))
    for origin, texts_in in readers:
        best = _best(texts_in(page.root))
        if best is not None:
            alone = _page_of(best.text, page)
            blocks = _Placeless(alone.blocks.walk)
            if len(blocks):
                return Embedded(origin, alone, blocks, best.page_type)
    return None


def _scripts(root: Any) -> Iterator[tuple[Any, str]]:
    """The scripts of a page that are not too long, with their texts."""
    for script in root.iter("script"):
        source = script.text or ""
        if len(source) <= _MAX_DATA:
            yield script, source


def _linked(root: Any) -> Iterator[_Found]:
    for script, source in _scripts(root):
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        if kind == _LINKED_DATA:
            for thing in _values(values_in(source)):
                yield from _of_thing(thing)


def _states(root: Any) -> Iterator[_Found]:
    for script, source in _scripts(root):
        name = script.get("id")
        if name in (_NEXT, _NUXT):
            data = _parsed(source)
            for value in _values(_resolved(data) if name == _NUXT else data):
                for key, text in value.items():
                    if isinstance(text, str) and key.lower() in _STATE_KEYS:
                        yield _Found(text)


def _framed(root: Any) -> Iterator[_Found]:
    for frame in root.iter("iframe"):
        source = frame.get("srcdoc") or ""
        if len(source) <= _MAX_DATA:
            yield _Found(source)


def _parsed(source: str) -> Any:
    try:
        return JSON.decode(source)
    except (ValueError, RecursionError):
        return None


def _resolved(data: Any) -> Any:
    """The objects of Nuxt's state with the texts that they refer to.

    It is a list of all values; in an object each is a place in that list.
    """
    if not isinstance(data, list):
        return data
    return [
        {
            key: data[at]
            for key, at in value.items()
            if type(at) is int and 0 < at < len(data) and isinstance(data[at], str)
        }
        for value in data
        if isinstance(value, dict)
    ]


def _values(data: Any) -> Iterator[dict[str, Any]]:
    """All objects in JSON data, the outer ones first."""
    waiting = [data]
    for _ in watched(range(_MAX_VALUES)):
        if not waiting:
            return
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _of_thing(thing: dict[str, Any]) -> Iterator[_Found]:
    given = thing.get("@type")
    types = [
        name
        for name in (given if isinstance(given, list) else [given])
        if isinstance(name, str)
    ]
    if not types:
        return
    page_type = next(
        (kind for kind, pattern in _KIND_OF_TYPE if any(map(pattern.search, types))),
        "",
    )
    rank = 0 if _SAID_OF_IT.intersection(types) else 2
    for name in _TEXTS:
        value = thing.get(name)
        if isinstance(value, str):
            yield _Found(value, rank, page_type)
        elif isinstance(value, list):
            steps = [
                step.get("text") if isinstance(step, dict) else step for step in value
            ]
            text = "\n".join(step for step in steps if isinstance(step, str))
            yield _Found(text, rank, page_type)
    description = thing.get("description")
    if isinstance(description, str) and not any(map(_NOT_DESCRIBED.search, types)):
        yield _Found(description, min(rank, 1), page_type)


def _page_of(text: str, page: Page) -> Page:
    """A page of a text that may be HTML, or escaped HTML, in the place of another."""
    if not _TAG.search(text):
        text = unescaped(text)
    if not _TAG.search(text):
        text = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    base = next(page.root.iter("base"), None)
    href = escape(base.get("href") or "") if base is not None else ""
    head = f'<head><base href="{href}"></head>' if href else ""
    return type(page).of(f"<html>{head}<body>{text}</body></html>", page.url)
