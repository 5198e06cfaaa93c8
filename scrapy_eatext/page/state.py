"""Texts in the data from which a script draws a page.

Frameworks write their state into scripts and attributes, as JSON or as objects of
JavaScript.  A text in it is a string, or a tree of nodes, as editors store it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from scrapy_eatext.deadline import check, watched
from scrapy_eatext.page.javascript import values_of
from scrapy_eatext.page.richtext import RichText
from scrapy_eatext.page.values import JSON, unescaped, values_in

# Frameworks' own scripts, by their id.
_KNOWN = ("__NEXT_DATA__", "__NUXT_DATA__")
# Keys that hold a text, in lower case.
_KEYS = frozenset(
    "__html articlebody body body_html body_value bodyhtml content content_html "
    "content_noencode contenthtml cooked desc description descriptionhtml html "
    "longdescription markdown paragraphs post_body processed rendered "
    "shortdescription text".split()
)
# Keys of titles, of objects with the title of the object around them, and of objects with
# texts that are not the page's own.
_ABOUT = re.compile("title|headline|frontmatter|fields|meta|question|seo")
_OTHERS = re.compile(
    "author|comment|cookie|footer|legal|next|polic|prev(?!iew)|recommend|related|repl"
    "|similar|terms"
)
# How many values of the data are searched for texts, at most.
_MAX_VALUES = 200_000
# The minimum length of a string that may hold JSON or be a text.
_MIN_CHARS = 200
# That of a text in a framework's script, and of a main text by its beginning alone.
_MIN_KNOWN, _MIN_MAIN = 500, 600
# The part of the page's title that a title has at least, and its minimum of bytes if it
# is one part between separators.
_SHARE, _MIN_LETTERS = 0.5, 4
_SEPARATOR = re.compile(r"\s[-:·•–—]\s|\s?[|»_]\s?")
# So many letters of the page's description or title, which has _LEAST of them, are among
# the first _BEGINNING characters of its text.
_LETTERS, _LEAST, _BEGINNING = 60, 30, 600

# Angular's escapes of the signs of HTML and JSON.
_ANGULAR = (("&q;", '"'), ("&l;", "<"), ("&g;", ">"), ("&s;", "'"), ("&a;", "&"))
# Code, styles, templates, banners about cookies and addresses are no texts.
_CODE = re.compile(
    r"\{\{|[{;]\s{0,9}\}|\}\s{0,9}[.#]|\bfunction\s?\w{0,9}\(|<script|<%"
)
_LEGAL, _MOST_LEGAL = re.compile("cookie|consent|privacy", re.IGNORECASE), 2
_MARKUP = re.compile(r"<[^<>]*>")
_ADDRESS = re.compile(r"\s*(?:[!-~]{99}|mailto:)|.*%20", re.DOTALL)
_NO_LETTER = re.compile(r"[\W_]+")
# The beginning of Remix's list of all values.
_FLAT = re.compile(r'\[\{"_[0-9]')
# A row of React's stream: its name, and the number of bytes of a text.
_ROW = re.compile(rb"\n?([0-9a-f]*):(?:T([0-9a-f]{1,7}),)?")
# How many characters the texts of a script have at most, as strings may be shared.
_MAX_CHARS = 16_000_000


class Own:
    """What a page says of itself, by which its own text is known."""

    def __init__(
        self, titles: Iterable[str] = (), description: str = "", site: str = ""
    ) -> None:
        whole = [*titles]
        self.titles = [*filter(None, map(_letters, whole))]
        parts = {_letters(part) for title in whole for part in _SEPARATOR.split(title)}
        self.parts = {part for part in parts if len(part.encode()) >= _MIN_LETTERS}
        self.parts.discard(_letters(site))
        self.least = 2 * len(description)
        beginnings = map(_letters, (description, *self.titles, *self.parts))
        self.beginnings = {
            text[:_LETTERS] for text in beginnings if len(text) >= _LEAST
        }

    def is_titled(self, value: dict[str, Any]) -> bool:
        """Whether an object has a title of the page."""
        for name, part in value.items():
            is_about = _ABOUT.match(name.lower())
            for text in (
                part.values() if is_about and isinstance(part, dict) else (part,)
            ):
                if self._is_title(text) or (
                    is_about
                    and isinstance(text, str)
                    and _letters(text[:99]) in self.parts
                ):
                    return True
        return False

    def _is_title(self, text: Any) -> bool:
        if not isinstance(text, str) or not self.titles:
            return False
        if len(text) > 2 * max(map(len, self.titles)) + 99:
            return False
        letters = _letters(text)
        return any(
            len(letters) >= _SHARE * len(title)
            and (letters in title or title in letters)
            for title in self.titles
        )

    def begins(self, text: str) -> bool:
        """Whether a text begins as the page's description or title does."""
        beginning = _MARKUP.sub("", text[:_BEGINNING])
        letters = _letters(beginning)
        return any(known in letters for known in self.beginnings) and not (
            len(text) < self.least or _ADDRESS.match(beginning)
        )


def texts_in(
    scripts: Iterable[tuple[str, str]], own: Own, least: int
) -> Iterator[tuple[str, bool]]:
    """The texts in the state of a page, as plain text, Markdown or HTML.

    Scripts come with their ids.  Each text comes with whether it is a main text: it
    begins as the page's description does, or stands below the page's title and is no
    description.  Below another title, or none, a text has ``least`` characters at least,
    unless the script is a framework's.
    """
    stream: list[str] = []
    for name, source in scripts:
        data = _data_in(source)
        if "__next_f" in source:
            stream += _pushed(data)
            continue
        if name == "__NUXT_DATA__":
            data = _resolved(data)
        yield from _texts_of(
            data, own, min(least, _MIN_KNOWN) if name in _KNOWN else least, {}
        )
    if stream:
        rows = _rows("".join(stream))
        yield from _texts_of(rows, own, least, rows)


def _data_in(source: str) -> Any:
    if source.lstrip()[:1] in ("{", "[", "&", '"', "<"):
        for sign, meant in _ANGULAR if "&q;" in source else ():
            source = source.replace(sign, meant)
        values = values_in(source)
        if values:
            return values[0] if len(values) == 1 else values
    return values_of(source)


def _pushed(value: Any) -> Iterator[str]:
    """The parts of the stream that React's server components come in."""
    waiting = [value]
    for _ in watched(range(_MAX_VALUES)):
        if not waiting:
            return
        value = waiting.pop()
        match value:
            case [1, str(part)] | ["1", str(part)]:
                yield part
            case list():
                waiting += reversed(value)
            case dict():
                waiting += reversed(value.values())


def _rows(stream: str) -> dict[str, Any]:
    """The values of React's stream by the names that refer to them."""
    data = stream.encode("utf-8", "replace")
    rows: dict[str, Any] = {}
    at = 0
    while found := _ROW.match(data, at):
        check()
        at = found.end()
        end = at + int(found[2], 16) if found[2] else data.find(b"\n", at)
        row = data[at : end if end >= 0 else len(data)].decode("utf-8", "replace")
        rows[f"${found[1].decode()}"] = row if found[2] else _json_in(row)
        if end < 0:
            break
        at = end
    return rows


def _resolved(data: Any) -> Any:
    """A list of all values, where those of lists and objects are indices of it."""
    if not isinstance(data, list):
        return data

    def at(i: Any) -> Any:
        return data[i] if type(i) is int and 0 <= i < len(data) else i

    for value in data:
        if isinstance(value, list):
            value[:] = map(at, value)
        elif isinstance(value, dict):
            parts = [
                (at(int(key[1:])) if re.fullmatch("_[0-9]{1,7}", key) else key, at(i))
                for key, i in value.items()
            ]
            value.clear()
            value.update((key, part) for key, part in parts if isinstance(key, str))
    return data[:1]


def _texts_of(
    data: Any, own: Own, least: int, named: dict[str, Any]
) -> Iterator[tuple[str, bool]]:
    """The texts in some data, where values may be referred to by names."""
    rich, left = RichText(named), _MAX_CHARS
    waiting = [(data, "", False)]
    # Values are kept, as an id may be that of another one later.
    seen: dict[tuple[int, bool, bool], Any] = {}
    for _ in watched(range(_MAX_VALUES)):
        if not waiting:
            return
        value, key, is_entitled = waiting.pop()
        value = rich.meant(value)
        is_text = isinstance(value, str) and len(value) >= _MIN_CHARS
        is_main = is_entitled and "desc" not in key
        place = id(value), is_text and key in _KEYS, is_main if is_text else is_entitled
        if place in seen or not (is_text or isinstance(value, (dict, list))):
            continue
        seen[place] = value
        text = ""
        if isinstance(value, dict):
            if "ROOT_QUERY" in value:
                rich.named.update(value)
            is_own = own.is_titled(value)
            for spelled, part in value.items():
                name = spelled.lower()
                # An object within the titled one has a description of its own.
                is_below = is_own or (is_entitled and "desc" not in name)
                is_below = is_below and not _OTHERS.search(name)
                waiting.append((part, name, is_below))
        elif is_text:
            inside = _json_in(value)
            if inside is not None:
                waiting.append((inside, key, is_entitled))
            else:
                text = value
        elif key in _KEYS and all(isinstance(part, str) for part in value):
            text = "\n".join(value) if sum(map(len, value)) < left else ""
        else:
            if rich.is_text(value):
                text = rich.html(value)
            if len(text) < _MIN_CHARS:
                waiting += [(part, "", is_entitled) for part in value]
                continue
            key = "content"
        left -= len(text)
        if left < 0:
            return
        chars = len(_MARKUP.sub("", text)) if text else 0
        if chars < _MIN_CHARS:
            continue
        begins = own.begins(text)
        if begins or (
            key in _KEYS and (is_entitled or (chars >= least and not _is_foreign(text)))
        ):
            yield text, is_main or (begins and chars >= _MIN_MAIN)


def _is_foreign(text: str) -> bool:
    """Whether a text is code, or of a banner about cookies."""
    return (
        bool(_ADDRESS.match(_MARKUP.sub("", text[:_BEGINNING])) or _CODE.search(text))
        or len(_LEGAL.findall(text)) > _MOST_LEGAL
    )


def _json_in(text: str) -> Any:
    if text.startswith(("%7B", "%5B")):
        text = unquote(text)
    elif text.startswith("{&quot;"):
        text = unescaped(text)
    if not text.startswith(("{", "[")):
        return None
    try:
        data = JSON.decode(text)
    except (ValueError, RecursionError):
        return None
    return _resolved(data) if _FLAT.match(text) else data


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text.lower())
