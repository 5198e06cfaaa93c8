"""The recipe in a page's data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_eatext.metadata.schema import Data
from scrapy_eatext.page.values import bounded
from scrapy_eatext.result import Recipe

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage

# The properties of each field, the best first.
_TEXTS = {
    "name": ("name",),
    "prep_time": ("prepTime",),
    "cook_time": ("cookTime",),
    "total_time": ("totalTime",),
    "yields": ("recipeYield", "yield"),
}
_LISTS = {
    "ingredients": ("recipeIngredient", "ingredients", "ingredient"),
    "steps": ("recipeInstructions", "instructions"),
}
_MOST_PARTS, _MOST_CHARS, _MAX_DEPTH = 200, 50_000, 3
_BREAK = re.compile(r"<br ?/?>|</(?:p|li|div)>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,300}>")
_LETTER = re.compile(r"[^\W\d_]")


def write_recipe(judged: JudgedPage) -> Recipe | None:
    """The recipe of a page, from the first one in each source, JSON-LD first."""
    data = Data.of(judged.page)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for thing in data.of_types("Recipe"):
        if thing.source in sources.values():
            continue  # another recipe, which the page links to
        for field, value in _values(data, thing.values):
            if value and field not in values:
                values[field], sources[field] = value, thing.source
    return Recipe(**values, sources=sources) if values else None


def _values(data: Data, thing: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for field, names in _TEXTS.items():
        for name in names:
            texts = list(data.texts(thing, name))
            # "4 servings" is preferred to "4".
            for text in sorted(texts, key=lambda text: not _LETTER.search(text)):
                yield field, bounded(field, text)
    for field, names in _LISTS.items():
        for name in names:
            yield (
                field,
                tuple(_within_bounds(field, _parts(data, _single(thing.get(name))))),
            )


def _single(value: Any) -> Any:
    """The only item of a list; any other value unchanged."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _parts(data: Data, value: Any, depth: int = 0) -> Iterator[str]:
    """The ingredients or steps in a value: texts, steps, and sections of steps."""
    for part in data.at(value):
        if not isinstance(part, dict):
            # If the value is a text, it has all parts, one a line.
            text = _BREAK.sub("\n", part) if isinstance(part, str) else ""
            lines = text.splitlines() if isinstance(value, str) else [text]
            yield from (t for line in lines for t in data.texts(_TAG.sub("", line)))
        elif "itemListElement" in part and depth < _MAX_DEPTH:
            yield from _parts(data, part["itemListElement"], depth + 1)
        else:
            name = "text" if "text" in part else "name"
            yield from islice(data.texts(part, name), 1)


def _within_bounds(field: str, parts: Iterator[str]) -> Iterator[str]:
    left = _MOST_CHARS
    for part in islice(parts, _MOST_PARTS):
        text = bounded(field, part)
        left -= len(text)
        if left < 0:
            return
        yield text
