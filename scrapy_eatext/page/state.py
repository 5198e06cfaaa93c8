"""Texts in the data from which a script draws a page.

Frameworks write their state into scripts as JSON, or into JavaScript as objects and
strings of JSON.  A text in it is a string, or a tree of nodes, as editors store it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.values import JSON, values_in

# Frameworks' own scripts, by their id.  Nuxt's is a list of all values, and an object's
# values are indices of that list.
_NEXT, _NUXT = "__NEXT_DATA__", "__NUXT_DATA__"
# Keys that hold a text, in lower case.
_KEYS = frozenset(
    "articlebody body bodyhtml body_html content contenthtml content_html description "
    "descriptionhtml html longdescription markdown paragraphs rendered "
    "shortdescription text".split()
)
# How many values of the data are searched for texts, and how deep they are nested.
_MAX_VALUES, _MAX_DEPTH = 200_000, 30
# The minimum length of a string that may hold JSON or be a text.
_MIN_CHARS = 200
# The part of the page's title that a title has at least.
_SHARE = 0.5

# So many values of a script may be no JSON: each error costs a search for line feeds.
_MOST_FAILED = 100
# Where a value may begin in JavaScript.
_BEGIN = re.compile(r"[=(]\s{0,9}(?=[\[{\"])")
# A key of a text or a title, and a string, in JavaScript.  Each loop ends at another
# character, so this is linear.
_KEYED = re.compile(
    rf"\b(?:(?P<key>{'|'.join(sorted(_KEYS))})|title|headline)[\"']?\s{{0,9}}:\s{{0,9}}"
    r"""(?:"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"|'(?P<single>[^'\\]*(?:\\.[^'\\]*)*)')""",
    re.IGNORECASE | re.DOTALL,
)
_HEX = re.compile(r"\\x([0-9a-fA-F]{2})")
# Angular's escapes of the signs of HTML and JSON.
_ANGULAR = (("&q;", '"'), ("&l;", "<"), ("&g;", ">"), ("&s;", "'"), ("&a;", "&"))
# Code, styles and templates are no texts.
_CODE = re.compile(r"\{\{|[{;]\s{0,9}\}|\}\s{0,9}[.#]|\bfunction\s?\(")
_MARKUP = re.compile(r"<[^<>]*>")
_NO_LETTER = re.compile(r"[\W_]+")

# The kinds of nodes of rich text, without signs, and the elements that they become.
_ELEMENTS = {
    **dict.fromkeys("paragraph p unstyled normal".split(), "p"),
    **dict.fromkeys("heading header subheading".split(), "h2"),
    **dict.fromkeys(
        "listitem li bullet unorderedlistitem orderedlistitem".split(), "li"
    ),
    **dict.fromkeys("bulletlist unorderedlist list ul".split(), "ul"),
    **dict.fromkeys("orderedlist numberedlist ol".split(), "ol"),
    **dict.fromkeys("blockquote quote pullquote".split(), "blockquote"),
    **dict.fromkeys("codeblock code pre".split(), "pre"),
    **{
        f"{before}{sign}": f"h{level}"
        for level, signs in enumerate(("1 one", "2 two", "3 three", "4 four"), start=1)
        for sign in signs.split()
        for before in ("h", "heading", "header")
    },
}
_KINDS = ("nodeType", "style", "listItem", "tag", "type", "_type")
_TEXTS = ("text", "value", "content", "html")
_CHILDREN = ("children", "content", "blocks", "nodes", "items")


def texts_in(
    scripts: Iterable[tuple[Any, str]], title: str, least: int
) -> Iterator[tuple[str, bool]]:
    """The texts in the state of a page, as plain text, Markdown or HTML.

    Each comes with whether it is a main text: it stands below the page's title, and is no
    description.  Below another title, or none, a text has ``least`` characters at least,
    unless the script is a framework's.
    """
    title = _letters(title)
    for script, source in scripts:
        name, kind = script.get("id"), (script.get("type") or "").lower()
        if "ld+json" in kind:
            continue
        data: list[Any]
        if "json" in kind or name in (_NEXT, _NUXT):
            data = values_in(source) or values_in(_with_signs(source))
            data = [*map(_resolved, data)] if name == _NUXT else data
        else:
            data = [*_assigned(source)]
        is_known = name in (_NEXT, _NUXT)
        for text, key, is_entitled in _texts_of(data, title):
            if (is_known or is_entitled) or _is_long(text, least):
                yield text, is_entitled and "description" not in key


def _with_signs(source: str) -> str:
    for sign, meant in _ANGULAR:
        source = source.replace(sign, meant)
    return source


def _is_long(text: str, least: int) -> bool:
    """Whether a text that may be code, or about anything, is long enough."""
    if len(text) < least or _CODE.search(text):
        return False
    return len(_MARKUP.sub("", text)) >= least


def _assigned(script: str) -> Iterator[Any]:
    """The JSON values in JavaScript, and the texts in the rest of it."""
    at, count, failed = 0, 0, 0
    while failed < _MOST_FAILED and (begin := _BEGIN.search(script, at)):
        at = begin.end()
        try:
            value, at = JSON.raw_decode(script, at)
        except (ValueError, RecursionError) as error:
            at = max(at, getattr(error, "pos", 0))
            failed += 1
        else:
            yield value
            count += 1
    if failed or not count:
        yield from _keyed(script)


def _keyed(script: str) -> Iterator[dict[str, str]]:
    """The texts in JavaScript, each with the title before it."""
    title = ""
    for found in _KEYED.finditer(script):
        if not found["key"]:
            title = _unquoted(found)
        elif found.end() - found.start() > _MIN_CHARS:
            yield {"title": title, "text": _unquoted(found)}


def _unquoted(found: re.Match[str]) -> str:
    quoted = found["double"]
    if quoted is None:
        quoted = found["single"].replace("\\'", "'").replace('"', '\\"')
    try:
        text: str = JSON.decode('"' + _HEX.sub(r"\\u00\1", quoted) + '"')
    except ValueError:
        return ""
    return text


def _resolved(data: Any) -> Any:
    """The objects of Nuxt's state with their texts."""
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


def _texts_of(data: Any, title: str) -> Iterator[tuple[str, str, bool]]:
    """The texts in some data, their keys, and whether they stand below a title."""
    waiting = [(data, "", False)]
    for _ in watched(range(_MAX_VALUES)):
        if not waiting:
            return
        value, key, is_entitled = waiting.pop()
        if isinstance(value, dict):
            is_own = any(_is_title(text, title) for text in value.values())
            for spelled, part in value.items():
                name = spelled.lower()
                # An object within the titled one has a description of its own.
                is_below = is_own or (is_entitled and "description" not in name)
                waiting.append((part, name, is_below))
        elif isinstance(value, list):
            if key in _KEYS and all(isinstance(part, str) for part in value):
                yield "\n".join(value), key, is_entitled
            elif sum(_element_of(part) is not None for part in value) > 1:
                yield _html_of(value), key, is_entitled
            else:
                waiting += [(part, "", is_entitled) for part in value]
        elif isinstance(value, str) and len(value) >= _MIN_CHARS:
            inside = _json_in(value) if value[0] in "[{" else None
            if inside is not None:
                waiting.append((inside, key, is_entitled))
            elif key in _KEYS:
                yield value, key, is_entitled
            else:  # a stream of React's components, for example
                waiting.append(([*_keyed(value)], "", is_entitled))


def _json_in(text: str) -> Any:
    try:
        return JSON.decode(text)
    except (ValueError, RecursionError):
        return None


def _is_title(text: Any, title: str) -> bool:
    if not isinstance(text, str) or not title or len(text) > 2 * len(title) + 99:
        return False
    letters = _letters(text)
    return len(letters) >= _SHARE * len(title) and (
        letters in title or title in letters
    )


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text.lower())


# -- rich text


def _element_of(node: Any) -> str | None:
    """The element that a node of rich text becomes, None for another value."""
    if not isinstance(node, dict):
        return None
    for name in _KINDS:
        kind = node.get(name)
        element = _ELEMENTS.get(_letters(kind)) if isinstance(kind, str) else None
        if element == "h2":
            parts = node, _part(node, "attrs"), _part(node, "data")
            levels = (part.get("level") for part in parts)
            return next((f"h{n}" for n in levels if type(n) is int and 0 < n < 7), "h2")
        if element is not None:
            return element
    # A paragraph between headings, rather than a text inside one.
    return "p" if node.get("type") == "text" and "content" in node else None


def _part(node: dict[str, Any], name: str) -> dict[str, Any]:
    part = node.get(name)
    return part if isinstance(part, dict) else {}


def _html_of(nodes: list[Any], depth: int = 0) -> str:
    """Nodes of rich text as HTML."""
    parts = []
    for node in nodes if depth < _MAX_DEPTH else ():
        if isinstance(node, str):
            parts.append(f"<li>{node}</li>")
            continue
        if not isinstance(node, dict):
            continue
        data = {**_part(node, "data"), **node}
        children = next(
            (data[name] for name in _CHILDREN if isinstance(data.get(name), list)), None
        )
        if children is None:
            inside = next(
                (data[name] for name in _TEXTS if isinstance(data.get(name), str)), ""
            )
            inside = inside if "<" in inside else escape(inside, quote=False)
        else:
            inside = _html_of(children, depth + 1)
        element = _element_of(node)
        address = data.get("url") or data.get("uri") or _part(node, "attrs").get("href")
        if element is None and inside and isinstance(address, str):
            inside = f'<a href="{escape(address)}">{inside}</a>'
        parts.append(f"<{element}>{inside}</{element}>" if element else inside)
    return "".join(parts)
