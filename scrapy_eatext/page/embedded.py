"""Text that a page carries as data only: in JSON-LD, or in a framework's state.

Where a page's script would write the text, what is there without the script is
a menu at best; the text itself often stands in the page's data all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

# Scripts that hold data, by their type, and by their id.
_LINKED_DATA = "application/ld+json"
_STATE_IDS = frozenset(("__NEXT_DATA__", "__NUXT_DATA__"))
# Properties of schema.org's types that hold the text of what a page is about.
_TEXTS = ("articleBody", "reviewBody", "text", "recipeInstructions", "description")
# Keys that hold a text in what frameworks keep, in lower case.
_STATE_KEYS = frozenset(
    "articlebody body bodyhtml body_html content contenthtml content_html "
    "description descriptionhtml html longdescription markdown text".split()
)
# A text has so many characters, and no page's data is read beyond so many.
_MIN_CHARS = 200
_MAX_DATA = 4_000_000
# How many values of the data are looked at.
_MAX_VALUES = 200_000
# One character class without repetition, so linear on any text.
_TAG = re.compile(r"</(?:p|div|li|h[1-6]|span|a)>|<br", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text from a page's data: where it was found, and its paragraphs."""

    origin: str
    paragraphs: tuple[str, ...]

    @property
    def chars(self) -> int:
        """How long it is."""
        return sum(map(len, self.paragraphs))


def embedded_text(page: Page) -> Embedded | None:
    """The longest text in a page's data, from JSON-LD where that has one."""
    linked: list[str] = []
    state: list[str] = []
    for script in page.root.iter("script"):
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        source = script.text or ""
        if len(source) > _MAX_DATA:
            continue
        if kind == _LINKED_DATA:
            linked += _texts_of(source, _of_thing)
        elif script.get("id") in _STATE_IDS:
            state += _texts_of(source, _of_state)
    for origin, found in (("json-ld", linked), ("state", state)):
        long = [text for text in found if len(text) >= _MIN_CHARS]
        if long:
            paragraphs = _paragraphs(max(long, key=len), page)
            if paragraphs:
                return Embedded(origin, paragraphs)
    return None


def _texts_of(source: str, read: Any) -> list[str]:
    try:
        data = json.loads(source)
    except (ValueError, RecursionError):
        return []
    return [text for value in _values(data) for text in read(value)]


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


def _of_thing(thing: dict[str, Any]) -> Iterator[str]:
    if "@type" not in thing:
        return
    for name in _TEXTS:
        value = thing.get(name)
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            steps = [
                step.get("text") if isinstance(step, dict) else step for step in value
            ]
            yield "\n".join(step for step in steps if isinstance(step, str))


def _of_state(value: dict[str, Any]) -> Iterator[str]:
    for key, text in value.items():
        if isinstance(text, str) and key.lower() in _STATE_KEYS:
            yield text


def _paragraphs(text: str, page: Page) -> tuple[str, ...]:
    """The paragraphs of a text that may be HTML."""
    if _TAG.search(text):
        blocks = type(page).of(f"<html><body>{text}</body></html>").blocks
        return tuple(blocks.text(i) for i in range(len(blocks)))
    lines = (" ".join(line.split()) for line in text.splitlines())
    return tuple(line for line in lines if line)
