"""Text that a page carries as data only: JSON-LD, a framework's state, a frame's source.

Where a page's script would write the text, what is there without the script is
a menu at best; the text itself often stands in the page's data all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
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
# Keys of the pieces of such a text where it is a list of them.
_PIECE_KEYS = _STATE_KEYS | frozenset("blocks children paragraphs value".split())
# A text has so many characters, a description fewer, and no page's data is read
# beyond so many.
_MIN_CHARS, _MIN_DESCRIPTION = 200, 80
_LONGER = 3
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
    pieces: bool = False

    def is_long(self) -> bool:
        return len(self.text) >= (_MIN_DESCRIPTION if self.rank == 1 else _MIN_CHARS)

    def worth(self) -> tuple[int, int]:
        return self.rank, len(self.text)


class _Best:
    """The best of the texts that are found: one in one piece, and one in several.

    No other is kept, as all of them together may be many times the data.
    """

    def __init__(self) -> None:
        self._best: dict[bool, _Found] = {}

    def add(self, all_found: Iterator[_Found]) -> None:
        for found in all_found:
            best = self._best.get(found.pieces)
            if found.is_long() and (best is None or found.worth() > best.worth()):
                self._best[found.pieces] = found

    def choose(self) -> _Found | None:
        """The text that is worth most.

        One in pieces has to have what is one piece elsewhere, or be much longer: it
        may as well be a list of anything.
        """
        whole, pieces = self._best.get(False), self._best.get(True)
        if whole is None or pieces is None:
            return whole or pieces
        longer = len(pieces.text) > _LONGER * len(whole.text)
        return pieces if longer or whole.text in pieces.text else whole


def embedded_text(page: Page) -> Embedded | None:
    """The longest text in a page's data, from JSON-LD where that has one."""
    linked, state, framed = _Best(), _Best(), _Best()
    for frame in page.root.iter("iframe"):
        source = frame.get("srcdoc") or ""
        if len(source) <= _MAX_DATA:
            framed.add(iter((_Found(source),)))
    for script in page.root.iter("script"):
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        source = script.text or ""
        if len(source) > _MAX_DATA:
            continue
        if kind == _LINKED_DATA:
            linked.add(_of_things(values_in(source)))
        elif script.get("id") == _NEXT:
            state.add(_of_state(_parsed(source)))
        elif script.get("id") == _NUXT:
            state.add(_of_state(_resolved(_parsed(source))))
    for origin, found in (("json-ld", linked), ("state", state), ("srcdoc", framed)):
        best = found.choose()
        if best is not None:
            alone = _page_of(best.text, page)
            blocks = _Placeless(alone.blocks.walk)
            if len(blocks):
                return Embedded(origin, alone, blocks, best.page_type)
    return None


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


def _of_things(data: Any) -> Iterator[_Found]:
    for thing in _values(data):
        yield from _of_thing(thing)


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


def _of_state(data: Any) -> Iterator[_Found]:
    """The texts in one piece, and the longest of those in several."""
    trees = _Trees(data)
    longest: list[Any] = []
    for value in _values(data):
        for key, text in value.items():
            if key.lower() not in _STATE_KEYS:
                continue
            if isinstance(text, str):
                yield _Found(text)
            elif isinstance(text, list) and trees.chars(text) > trees.chars(longest):
                longest = text
    yield _Found(trees.text(longest), pieces=True)


class _Trees:
    """The texts in JSON data that are written as trees; of what is twice, once.

    How long they are is known before any is made.  Each may be a part of others, so
    to make them all could take the square of the data's size.
    """

    def __init__(self, data: Any) -> None:
        self._data = data

    def chars(self, pieces: list[Any]) -> int:
        """How long the text of a list of pieces is."""
        return _length(pieces, self._chars) + max(len(pieces) - 1, 0)

    def text(self, pieces: list[Any]) -> str:
        """The text of a list of pieces, a line each."""
        return "\n".join("".join(self._parts(piece)) for piece in pieces)

    @cached_property
    def _chars(self) -> dict[int, int]:
        """The length of each list's and object's text, by its id, where it has one."""
        waiting, all_nodes = [self._data], []
        for node in watched(_popped(waiting)):
            if isinstance(node, (dict, list)):
                all_nodes.append(node)
                waiting.extend(node.values() if isinstance(node, dict) else node)
        found: dict[int, int] = {}
        # What is inside comes before what it is inside of.
        for node in watched(reversed(all_nodes)):
            if isinstance(node, list):
                chars = sum(_length(part, found) for part in node)
            else:
                told = _text_value(node, found)
                chars = _length(told, found) + isinstance(told, list)
            if chars:
                found[id(node)] = chars
        return found

    def _parts(self, piece: Any) -> Iterator[str]:
        waiting = [piece]
        for node in watched(_popped(waiting)):
            if isinstance(node, str):
                yield node
            elif isinstance(node, list):
                waiting.extend(reversed(node))
            elif isinstance(node, dict):
                told = _text_value(node, self._chars)
                waiting.extend(["\n", told] if isinstance(told, list) else [told])


def _popped(waiting: list[Any]) -> Iterator[Any]:
    """What is in a list, from its end, with what is put there meanwhile."""
    while waiting:
        yield waiting.pop()


def _length(node: Any, chars: dict[int, int]) -> int:
    return len(node) if isinstance(node, str) else chars.get(id(node), 0)


def _text_value(node: dict[str, Any], chars: dict[int, int]) -> Any:
    """The value of an object that is its text, or None."""
    for kind in (str, list, dict):
        for key, value in node.items():
            if (
                isinstance(value, kind)
                and key.lower() in _PIECE_KEYS
                and _length(value, chars)
            ):
                return value
    return None


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
