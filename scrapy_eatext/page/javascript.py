"""Reads the values that JavaScript holds: its strings, arrays and objects, and JSON."""

from __future__ import annotations

import re
from typing import Any

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.values import JSON

# Strings, comments and regular expressions end with the text at the latest, so that each
# token is read once.
_TOKEN = re.compile(
    r"""(?P<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?
      |`[^`\\]*(?:\\.[^`\\]*)*`?)(?P<keyed>\s{0,9}:)?
    |/(?:/[^\n]*|\*[^*]*(?:\*(?!/)[^*]*)*|(?:(?<=[=(,:!&|?]/)|(?<=[=(,:!&|?][ ]/))(?:[^/\\\n]|\\.)*)
    |(?P<open>[\[{(])|(?P<close>[\]})])|(?P<end>[,;])
    |(?P<name>[\w$.]+)(?P<key>\s{0,9}(?::|=(?![=>])))?""",
    re.VERBOSE | re.DOTALL,
)
# What JSON may begin with.
_BEGIN = re.compile(r"""\{\s{0,99}["}]|\[\s{0,99}["\[{\]\d]""")
_ESCAPE = re.compile(r'\\x[0-9a-fA-F]{2}|\\.|"', re.DOTALL)
# How many tokens are read, and how many values may be no JSON: each error costs a search
# for line feeds.
_MAX_TOKENS, _MOST_FAILED = 500_000, 100


class _Name(str):
    """A name or a number that stands for a value."""

    __slots__ = ()


def values_of(script: str) -> dict[str, Any]:
    """The values in JavaScript by the names that they are assigned to, as read.

    A block of code is an object, whose values without a name are those of "".  Arguments
    of a function that is called at once take the place of their names.
    """
    reader = _Reader(script)
    for _ in watched(range(_MAX_TOKENS)):
        if not reader.read():
            break
    return reader.result()


class _Reader:
    """Reads a script token by token, and JSON in it at once."""

    def __init__(self, script: str) -> None:
        self.script = script
        self.at = self.retry = self.failed = 0
        # The open objects and arrays, and the key of each whose value follows.
        self.stack: list[Any] = [{}]
        self.keys = [""]
        self.is_empty = True
        # Where names stand for values, and the values that are known.
        self.places: list[tuple[Any, Any, str]] = []
        self.names: dict[str, Any] = {}

    def read(self) -> bool:
        """Read the next token; return whether there was one."""
        found = _TOKEN.search(self.script, self.at)
        if not found:
            return False
        self.at = found.end()
        match found.lastgroup:
            case "string":
                self._put(_unquoted(found[0]))
            case "name":
                self._put(_Name(found[0]))
            case "open":
                self._open(found)
            case "close":
                self._close(found[0])
            case "end":
                if self.is_empty and isinstance(self.stack[-1], list):
                    self.stack[-1].append(None)
                self.keys[-1] = ""
                self.is_empty = True
            case "key" | "keyed":
                name = found["name"]
                name = name.rpartition(".")[2] if name else found["string"][1:-1]
                self.keys[-1] = name
        return True

    def _put(self, value: Any) -> None:
        """Put a value into the innermost object or array."""
        holder = self.stack[-1]
        place: Any = self.keys[-1]
        is_name = isinstance(value, _Name)
        if isinstance(holder, list):
            # In f(1), new Date(1) and void 0, the last part stands for all.
            if not self.is_empty and holder and isinstance(holder[-1], _Name):
                holder.pop()
            place = len(holder)
            holder.append(value)
        elif place and (place not in holder or isinstance(holder[place], _Name)):
            holder[place] = value
        elif not place and not is_name:
            holder.setdefault("", []).append(value)
        if is_name and place != "":
            self.places.append((holder, place, value))
        self.is_empty = False

    def _open(self, found: re.Match[str]) -> None:
        start = found.start()
        may_be_json = start >= self.retry and self.failed < _MOST_FAILED
        if may_be_json and _BEGIN.match(self.script, start):
            try:
                value, self.at = JSON.raw_decode(self.script, start)
            except (ValueError, RecursionError) as error:
                self.retry = getattr(error, "pos", self.at)
                self.failed += 1
            else:
                self._put(value)
                return
        opened: Any = {} if found[0] == "{" else []
        self._put(opened)
        self.stack.append(opened)
        self.keys.append("")
        self.is_empty = True

    def _close(self, sign: str) -> None:
        self.is_empty = False
        if len(self.stack) > 1:
            self.stack.pop()
            self.keys.pop()
        match self.stack[-1]:
            case [*_, [*parameters], {}, [*arguments]] if sign == ")":
                names = map(str, parameters)
                self.names.update(zip(names, arguments, strict=False))

    def result(self) -> dict[str, Any]:
        for holder, place, name in self.places:
            is_left = isinstance(holder, dict) or place < len(holder)
            if name in self.names and is_left and holder[place] is name:
                holder[place] = self.names[name]
        values: dict[str, Any] = self.stack[0]
        return values


def _unquoted(quoted: str) -> str:
    """The text of a string, or "" if it does not end or has wrong escapes."""
    if len(quoted) < 2 or quoted[0] != quoted[-1]:
        return ""
    inside = quoted[1:-1]
    if "\\" not in inside:
        return inside
    try:
        text: str = JSON.decode('"' + _ESCAPE.sub(_escape_of_json, inside) + '"')
    except ValueError:
        return ""
    return text


def _escape_of_json(found: re.Match[str]) -> str:
    escaped = found[0]
    if escaped == '"':
        return '\\"'
    if len(escaped) > 2:
        return f"\\u00{escaped[2:]}"
    if escaped[1] in '"\\/bfnrtu':
        return escaped
    return "" if escaped[1] == "\n" else escaped[1]
