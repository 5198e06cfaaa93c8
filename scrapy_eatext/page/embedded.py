"""Text that a page carries as data only: in JSON-LD, or in a framework's state.

Where a page's script would write the text, what is there without the script is
a menu at best; the text itself often stands in the page's data all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from scrapy_eatext.page.blocks import Blocks

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

# Scripts that hold data, by their type, and by their id.
_LINKED_DATA = "application/ld+json"
_NEXT, _NUXT = "__NEXT_DATA__", "__NUXT_DATA__"
# Properties of schema.org's types that hold the text of what a page is about.
_TEXTS = ("articleBody", "text", "recipeInstructions", "reviewBody")
# What is said of it counts where nothing else is there.
_SAID_OF_IT = frozenset(("Review", "Comment", "UserReview", "CriticReview"))
# What a description is a text of: not a site, whoever runs it, or a page as such.
_NOT_DESCRIBED = re.compile(
    r"(?:Page|Site|Organization|Business|Person|Corporation|Brand|List|Item|Object"
    r"|Action|Place|Offer)$"
)
# Kinds of pages that schema.org's types tell.
_KIND_OF_TYPE = (
    ("article", re.compile(r"(?:Article|Report|Recipe|BlogPosting|Review)$")),
    ("forum", re.compile(r"(?:DiscussionForumPosting|Question|Answer|Comment)$")),
    ("product", re.compile(r"Product(?:Group|Model)?$")),
    ("documentation", re.compile(r"(?:APIReference|HowTo|SoftwareSourceCode)$")),
    ("service", re.compile(r"Service$")),
)
# Keys that hold a text in what frameworks keep, in lower case.
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
# How many values of the data are looked at, and how deep a text may be nested.
_MAX_VALUES = 200_000
_MAX_DEPTH = 50
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


def embedded_text(page: Page) -> Embedded | None:
    """The longest text in a page's data, from JSON-LD where that has one."""
    linked: list[_Found] = []
    state: list[_Found] = []
    for script in page.root.iter("script"):
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        source = script.text or ""
        if len(source) > _MAX_DATA:
            continue
        if kind == _LINKED_DATA:
            linked += _texts_of(source, _of_thing)
        elif script.get("id") == _NEXT:
            state += _texts_of(source, _of_state)
        elif script.get("id") == _NUXT:
            state += _texts_of(source, _of_state, _resolved)
    for origin, found in (("json-ld", linked), ("state", state)):
        long = [one for one in found if one.is_long()]
        if long:
            best = _best(long)
            alone = _page_of(best.text, page)
            blocks = _Placeless(alone.blocks.walk)
            if len(blocks):
                return Embedded(origin, alone, blocks, best.page_type)
    return None


def _best(found: list[_Found]) -> _Found:
    """The text that is worth most.

    One in pieces has to have what is one piece elsewhere, or be much longer: it may
    as well be a list of anything.
    """
    pieces = max((one for one in found if one.pieces), key=_Found.worth, default=None)
    whole = max(
        (one for one in found if not one.pieces), key=_Found.worth, default=None
    )
    if pieces is None or whole is None:
        return max(found, key=_Found.worth)
    longer = len(pieces.text) > _LONGER * len(whole.text)
    return pieces if longer or whole.text in pieces.text else whole


def _texts_of(
    source: str,
    read: Callable[[dict[str, Any]], Iterator[_Found]],
    prepare: Callable[[Any], Any] = lambda data: data,
) -> list[_Found]:
    try:
        # Line feeds within strings are wrong, and frequent.
        data = json.loads(source, strict=False)
    except (ValueError, RecursionError):
        return []
    return [found for value in _values(prepare(data)) for found in read(value)]


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
    for _ in range(_MAX_VALUES):
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


def _of_state(value: dict[str, Any]) -> Iterator[_Found]:
    for key, text in value.items():
        if key.lower() not in _STATE_KEYS:
            continue
        if isinstance(text, str):
            yield _Found(text)
        elif isinstance(text, list):
            yield _Found("\n".join(_told(piece) for piece in text), pieces=True)


def _told(piece: Any, depth: int = 0) -> str:
    """The text of a piece of one that is written as a tree; of what is twice, once."""
    if isinstance(piece, str):
        return piece
    if depth == _MAX_DEPTH:
        return ""
    if isinstance(piece, list):
        return "".join(_told(part, depth + 1) for part in piece)
    if not isinstance(piece, dict):
        return ""
    for kind, end in ((str, ""), (list, "\n"), (dict, "")):
        for key, value in piece.items():
            if isinstance(value, kind) and key.lower() in _PIECE_KEYS:
                text = _told(value, depth + 1)
                if text:
                    return text + end
    return ""


def _page_of(text: str, page: Page) -> Page:
    """A page of a text that may be HTML, or escaped HTML, in the place of another."""
    if not _TAG.search(text):
        text = unescape(text)
    if not _TAG.search(text):
        text = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    base = next(page.root.iter("base"), None)
    href = escape(base.get("href") or "") if base is not None else ""
    head = f'<head><base href="{href}"></head>' if href else ""
    return type(page).of(f"<html>{head}<body>{text}</body></html>", page.url)
