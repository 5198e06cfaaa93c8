"""Text that is only in a page's data: JSON-LD, a framework's state, a frame's srcdoc.

If a script writes a page's text, the HTML has a menu at best, but the text is often in
the page's data.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml.etree import XPath

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.state import Own, texts_in
from scrapy_eatext.page.values import unescaped, values_in

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

_LINKED_DATA = "application/ld+json"
# Properties of schema.org types that hold a text.
_TEXTS = ("articleBody", "text", "recipeInstructions", "reviewBody")
# Types of users' comments, whose texts count if there is no other text.
_COMMENTS = frozenset(("Review", "Comment", "UserReview", "CriticReview"))
# Types whose description does not count as text: sites, their publishers, pages.
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
# The minimum length of a text and of a description, and the maximum length of a script.
_MIN_CHARS, _MIN_DESCRIPTION = 200, 80
_MAX_DATA = 4_000_000
# The maximum length of all that may be state: reading JavaScript takes time.
_MAX_STATE = 8_000_000
# On a page without main text, a text of an object without the page's title has so many
# characters at least, and so many times those of the page's blocks.
_LONG, _LONGER = 1000, 3
# How many values of the data are searched for texts.
_MAX_VALUES = 200_000
# JSON outside of scripts: in attributes, templates, hidden fields and comments.
_ELSEWHERE = XPath(
    "(//@*|//template/text()|//textarea/text()|//code/comment())"
    "[string-length()>999][contains('{[', substring(., 1, 1))]",
    smart_strings=False,
)
# One character class without repetition, so linear on any text.
_TAG = re.compile(r"</(?:p|div|li|h[1-6]|span|a)>|<(?:br|img)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text from a page's data, as a page of its own.

    ``origin`` is the source of the data, ``is_main`` is whether it is surely the page's
    main text, and ``page_type`` is "" if the data do not show the kind of page.
    """

    origin: str
    page: Page
    blocks: Blocks
    is_main: bool
    page_type: str = ""


class _BlocksWithoutXPaths(Blocks):
    """Blocks whose elements are not on the page."""

    def xpath(self, i: int) -> str:
        return ""

    def xpaths(self, of: list[int]) -> list[str]:
        return [""] * len(of)


class _Found(NamedTuple):
    """A text in the data.

    ``rank`` is 2 for a main text, 1 for a description or a text of unknown kind, 0 for a
    user's comment or a frame.
    """

    text: str
    rank: int = 2
    page_type: str = ""


def embedded_text(page: Page, *, shows_some: bool = False) -> Embedded | None:
    """The best text in a page's data: in JSON-LD, else in state, else in a frame.

    ``shows_some`` is whether the page shows some main text.
    """
    stated = partial(_stated, shows_some=shows_some)
    best: _Found | None = None
    source = ""
    for origin, read in (("json-ld", _linked), ("state", stated), ("srcdoc", _framed)):
        # One at a time, as all texts together may exceed the data by far.
        for found in read(page):
            least = _MIN_DESCRIPTION if found.rank == 1 else _MIN_CHARS
            if len(found.text) < least or (best and best.rank > found.rank):
                continue
            is_longer = best and source == origin and len(found.text) > len(best.text)
            if not best or found.rank > best.rank or is_longer:
                best, source = found, origin
        if best and best.rank == 2:
            break
    if best is None:
        return None
    alone = _page_of(best.text, page)
    blocks = _BlocksWithoutXPaths(alone.blocks.walk)
    if not len(blocks):
        return None
    return Embedded(source, alone, blocks, best.rank == 2, best.page_type)


def _scripts(root: Any) -> Iterator[tuple[Any, str]]:
    """The scripts of a page up to _MAX_DATA characters, with their texts."""
    for script in root.iter("script"):
        source = script.text or ""
        if len(source) <= _MAX_DATA:
            yield script, source


def _linked(page: Page) -> Iterator[_Found]:
    for script, source in _scripts(page.root):
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        if kind == _LINKED_DATA:
            for thing in _values(values_in(source)):
                yield from _of_thing(thing)


def _stated(page: Page, *, shows_some: bool) -> Iterator[_Found]:
    least = max(_LONG, _LONGER * sum(page.blocks.chars))
    least = sys.maxsize if shows_some else least
    metas = page.head.metas
    titles = [page.title, *metas.get("og:title", ())]
    described = [*metas.get("description", ()), *metas.get("og:description", ()), ""]
    own = Own(titles, described[0], metas.get("og:site_name", [""])[0])
    for text, is_main in texts_in(_states(page.root), own, least):
        yield _Found(text, 1 + is_main)


def _states(root: Any) -> Iterator[tuple[str, str]]:
    """The data of scripts, and of other places that scripts read, with their ids."""
    left = _MAX_STATE
    for script, source in _scripts(root):
        left -= len(source)
        if left >= 0 and "ld+json" not in (script.get("type") or "").lower():
            yield script.get("id") or "", source
    for found in _ELSEWHERE(root):
        source = found if isinstance(found, str) else found.text
        left -= len(source)
        if left >= 0:
            yield "", source


def _framed(page: Page) -> Iterator[_Found]:
    for frame in page.root.iter("iframe"):
        source = frame.get("srcdoc") or ""
        if len(source) <= _MAX_DATA:
            yield _Found(source, 0)


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
    """The texts of a schema.org object."""
    value = thing.get("@type")
    names = value if isinstance(value, list) else [value]
    types = [name for name in names if isinstance(name, str)]
    if not types:
        return
    page_type = next(
        (kind for kind, pattern in _KIND_OF_TYPE if any(map(pattern.search, types))),
        "",
    )
    rank = 0 if _COMMENTS.intersection(types) else 2
    for name in _TEXTS:
        value = thing.get(name)
        if isinstance(value, str):
            yield _Found(value, rank, page_type)
        elif isinstance(value, list):
            steps = (
                step.get("text") if isinstance(step, dict) else step for step in value
            )
            text = "\n".join(step for step in steps if isinstance(step, str))
            yield _Found(text, rank, page_type)
    description = thing.get("description")
    if isinstance(description, str) and not any(map(_NOT_DESCRIBED.search, types)):
        yield _Found(description, min(rank, 1), page_type)


def _page_of(text: str, page: Page) -> Page:
    """A page made of text, HTML or escaped HTML, with the URL and base of ``page``."""
    if not _TAG.search(text):
        text = unescaped(text)
    if not _TAG.search(text):
        text = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    base = next(page.root.iter("base"), None)
    href = escape(base.get("href") or "") if base is not None else ""
    head = f'<head><base href="{href}"></head>' if href else ""
    return type(page).of(f"<html>{head}<body>{text}</body></html>", page.url)
