"""The lines of a page as the original perceptron separated them, and their bytes.

The original used Python 2's htmllib and formatter, which no longer exist.  This module
reproduces them: an SGML parser that knows neither script nor div, and a formatter that
breaks lines at the elements of HTML 2.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from html.entities import name2codepoint
from typing import NamedTuple

from scrapy_eatext.deadline import check

# White space among bytes, which Python 2 read: not the no-break space.
_SPACE = " \t\n\r\x0b\x0c"
_SPACES = re.compile(f"[{_SPACE}]+")
# The characters at which text may end.
_INTERESTING = re.compile("[&<]")
_BRACKET = re.compile("[<>]")
_START_TAG = re.compile("<[>a-zA-Z]")
_NAME = re.compile("[a-zA-Z][-_.a-zA-Z0-9]*")
# SGML's short form <name/text/; the parser took every <br/> for one.
_SHORT_OPEN = re.compile("<([a-zA-Z][-.a-zA-Z0-9]*)/")
_CHARACTER = re.compile("&#([0-9]+)[^0-9]")
_ENTITY = re.compile("&([a-zA-Z][-.a-zA-Z0-9]*)[^a-zA-Z0-9]")
# A < or &, with the letters after it: text, if no tag or reference begins here.
_STRAY = re.compile("&(?:[a-zA-Z][a-zA-Z0-9]*|#[0-9]*)?|<")
_COMMENT_END = re.compile(r"--\s*>")
_ATTRIBUTE = re.compile(
    r"\s*([a-zA-Z_][-:.a-zA-Z_0-9]*)"
    r"(\s*=\s*('[^']*'|\"[^\"]*\"|[][\-a-zA-Z0-9./,:;+*%?!&$()_#=~'\"@]*))?"
)

_IN_ATTRIBUTE = re.compile("&(?:([a-zA-Z][-.a-zA-Z0-9]*)|#([0-9]+))(;?)")

_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_FONTS = (
    frozenset("b cite code em i kbd samp strong tt var address".split()) | _HEADINGS
)
# Elements around which paragraphs end, with the number of empty lines.
_BLANK = {**dict.fromkeys([*_HEADINGS, "blockquote", "p"], 1), "address": 0}
_LITERAL = frozenset(("xmp", "listing"))
_PRE = _LITERAL | {"pre"}
_LISTS = frozenset("ul ol menu dir".split())
# Elements that stay open until their end tag; all others have none.
_OPENING = (
    _FONTS | _PRE | _LISTS | {"a", "blockquote", "body", "dl", "head", "html", "title"}
)  # fmt: skip


class Line(NamedTuple):
    """A line's text with its line feed, and the bytes of HTML that were read for it."""

    text: str
    bytes: int


class _Writer:
    """Writes lines: decides on white space and breaks, and counts the bytes of source.

    ``index`` is the place in the source; its bytes are counted up to ``_counted``.  The
    last output was a line break (``broken``), the end of a paragraph (``ended``) or a
    list item's label (``label``).  ``skipped`` counts empty lines.  No space may come
    next if ``tight``, one must if ``space``.
    """

    def __init__(self) -> None:
        self.lines: list[Line] = []
        # The parts of the current line's text, and its bytes.
        self._parts: list[str] = []
        self._bytes = 0
        self.index = self._counted = 0
        self._broken = self._ended = self._tight = True
        self._label = self._space = False
        self._skipped = 0

    def _add(self, data: str) -> None:
        self.index += len(data)
        self._bytes += self.index - self._counted
        self._counted = self.index
        self._parts.append(data)

    def _end_line(self, breaks: int = 1) -> None:
        """End the line, unless it is empty."""
        if self._parts:
            self.close(breaks)

    def close(self, breaks: int = 0) -> None:
        text = "".join(self._parts) + "\n" * breaks
        self.lines.append(Line(text, self._bytes + 2 * breaks))
        self._parts, self._bytes = [], 0

    def end_paragraph(self, blank: int) -> None:
        if not self._broken:
            self._end_line()
            self._label = False
        if self._skipped < blank and not self._label:
            self._end_line(blank - self._skipped + 1)
            self._skipped = blank
        self._broken = self._tight = self._ended = True
        self._space = False

    def line_break(self) -> None:
        if not (self._broken or self._ended):
            self._end_line()
            self._label = False
            self._skipped = 0
        self._broken = self._tight = True
        self._space = False

    def rule(self) -> None:
        if not self._broken:
            self._end_line()
        self._sent(False)
        self._broken = self._tight = True

    def label(self) -> None:
        """The label of a list item, which has an effect on white space alone."""
        self.end_paragraph(0)
        self._label = True
        self._skipped = 0

    def font(self) -> None:
        """A change of font, before which a pending space is written."""
        if self._space:
            self._broken = self._ended = self._space = False
            self._tight = True
            self._add(" ")

    def flow(self, data: str) -> None:
        """Text whose white space is collapsed."""
        before, after = data[0] in _SPACE, data[-1] in _SPACE
        # Not split() alone, which knows more white space.
        data = " ".join(filter(None, _SPACES.split(data)))
        if not data:
            if not self._tight:
                self._space = True
                self._skipped = 0
            return
        if (before or self._space) and not self._tight:
            data = " " + data
        self._sent(after)
        self._add(data)

    def literal(self, data: str) -> None:
        """Text that is written unchanged, in an element that begins a paragraph."""
        self._sent(False)
        self._broken = data[-1] == "\n"
        self._add(data)

    def _sent(self, space: bool) -> None:
        self._broken = self._tight = self._ended = self._label = False
        self._skipped = 0
        self._space = space


class _Reader:
    """Parses tags and text as the original's parser did, for a writer."""

    def __init__(self, html: str) -> None:
        self._html = html
        self.to = _Writer()
        self._open: list[str] = []
        # The number of open elements of each name: a search for every end tag would
        # take quadratic time on deep pages.
        self._counts: Counter[str] = Counter()
        self._lists: list[str] = []
        self._last_name = ""
        self._in_title = False
        # In xmp and listing only end tags are markup, after plaintext nothing is.
        self._literal = self._no_more_tags = False
        self._filled = 0
        self._linked = False
        self._links = 0

    def read(self) -> list[Line]:
        html, at, size = self._html, 0, len(self._html)
        while at < size and not self._no_more_tags:
            check()
            match = _INTERESTING.search(html, at)
            stop = match.start() if match else size
            if at < stop:
                self._data(html[at:stop])
                at = stop
            if at < size:
                after = self._tag(at) if html[at] == "<" else self._reference(at)
                if after is None:
                    # An unfinished tag or reference: it and all after it are text.
                    break
                at = after
        if at < size:
            self._data(html[at:])
        self.to.close()
        return self.to.lines

    def _tag(self, at: int) -> int | None:
        """Read markup that begins with <; returns its end, None if it has none."""
        html = self._html
        if html.startswith("</", at):
            return self._end_tag(at)
        if self._literal:
            self._data("<")
            return at + 1
        if _START_TAG.match(html, at):
            return self._start_tag(at)
        if html.startswith("<!--", at):
            comment_end = _COMMENT_END.search(html, at + 4)
            return comment_end.end() if comment_end else None
        if html.startswith("<?", at):
            return html.find(">", at) + 1 or None
        if html.startswith("<!", at):
            return self._declaration(at)
        return self._stray(at)

    def _declaration(self, at: int) -> int | None:
        """Read a declaration, as <!DOCTYPE>; where the original failed, to the next >."""
        html = self._html
        if html.startswith("<![", at):
            word = _NAME.match(html, at + 3)
            known = word is not None and word[0].lower() in ("if", "else", "endif")
            mark = "]>" if known else "]]>"
            end = html.find(mark, at)
            return end + len(mark) if end >= 0 else None
        return html.find(">", at) + 1 or None

    def _reference(self, at: int) -> int | None:
        html = self._html
        if self._literal:
            self._data("&")
            return at + 1
        if match := _CHARACTER.match(html, at):
            self._data(_numbered(match[1]))
        elif match := _ENTITY.match(html, at):
            self._data(_named(match[1]))
        else:
            return self._stray(at)
        end = match.end()
        return end if html[end - 1] == ";" else end - 1

    def _stray(self, at: int) -> int | None:
        """Read a < or & that begins no markup as text."""
        match = _STRAY.match(self._html, at)
        if match is None or match.end() == len(self._html):
            return None
        self._data(match[0])
        return match.end()

    def _data(self, data: str) -> None:
        if not data or self._in_title:
            return
        (self.to.literal if self._filled else self.to.flow)(data)

    def _start_tag(self, at: int) -> int | None:
        html = self._html
        short = _SHORT_OPEN.match(html, at)
        if short:
            end = html.find("/", short.end())
            if end < 0:
                return None
            name = short[1].lower()
            self._start(name, at, at)
            self._data(html[short.end() : end])
            self._end(name)
            self.to.index = end + 1
            return end + 1
        bracket = _BRACKET.search(html, at + 1)
        if not bracket:
            return None
        stop = bracket.start()
        word = _NAME.match(html, at + 1)
        if word:
            self._last_name = word[0].lower()
        self._start(self._last_name, word.end() if word else stop, stop)
        self.to.index = stop + (html[stop] == ">")
        return self.to.index

    def _end_tag(self, at: int) -> int | None:
        html = self._html
        self.to.index = at
        bracket = _BRACKET.search(html, at + 1)
        if not bracket:
            return None
        stop = bracket.start()
        name = html[at + 2 : stop].strip(_SPACE).lower()
        if name:
            self._end(name)
        elif self._open:
            self._end(self._open[-1])
        self._literal = False
        return stop + (html[stop] == ">")

    def _start(self, name: str, at: int, stop: int) -> None:
        """Begin an element with attributes from ``at`` to ``stop``."""
        if name in _OPENING:
            self._open.append(name)
            self._counts[name] += 1
        if name in _BLANK:
            self.to.end_paragraph(_BLANK[name])
        if name in _FONTS:
            self.to.font()
        elif name in _STARTS:
            _STARTS[name](self)
        elif name == "a":
            href = self._attributes(at, stop).get("href", "")
            self._linked = bool(href.strip(_SPACE))
            self._links += self._linked
        elif name == "img":
            self._data(self._attributes(at, stop).get("alt", "(image)"))

    def _end(self, name: str) -> None:
        """End an element and all open elements in it."""
        while self._counts[name]:
            last = self._open.pop()
            self._counts[last] -= 1
            if last in _BLANK:
                self.to.end_paragraph(_BLANK[last])
            elif last in _ENDS:
                _ENDS[last](self)
            if last == name:
                break

    def _attributes(self, at: int, stop: int) -> dict[str, str]:
        """A tag's attributes; of repeated ones the last counts."""
        attributes = {}
        while at < stop:
            match = _ATTRIBUTE.match(self._html, at)
            if not match:
                break
            name, has_value, value = match.groups()
            if not has_value:
                value = name
            elif value[:1] in ("'", '"') and value[:1] == value[-1:]:
                value = value[1:-1]
            attributes[name.lower()] = _IN_ATTRIBUTE.sub(_resolved, value)
            at = match.end()
        return attributes

    def start_pre(self, *, literal: bool = False, last: bool = False) -> None:
        """Begin text with its own white space: ``literal``, or the ``last`` element."""
        self.to.end_paragraph(1)
        self.to.font()
        self._filled += 1
        self._literal = self._literal or literal
        self._no_more_tags = last

    def end_pre(self) -> None:
        self.to.end_paragraph(1)
        self._filled = max(0, self._filled - 1)

    def start_list(self, name: str = "list") -> None:
        self.to.end_paragraph(name == "dl" or not self._lists)
        self._lists.append(name)

    def end_list(self) -> None:
        del self._lists[-1:]
        self.to.end_paragraph(not self._lists)

    def end_definitions(self) -> None:
        self.term(1)
        del self._lists[-1:]

    def term(self, blank: int = 0) -> None:
        """End a definition, if one is open."""
        self.to.end_paragraph(blank)
        if self._lists and self._lists[-1] == "dd":
            self._lists.pop()

    def definition(self) -> None:
        self.term()
        self._lists.append("dd")

    def title(self, begins: bool) -> None:
        self._in_title = begins

    def end_link(self) -> None:
        """Write a link's number after it, counted from 1."""
        if self._linked:
            self._data(f"[{self._links}]")
            self._linked = False


_Action = Callable[[_Reader], None]


_STARTS: dict[str, _Action] = {
    **dict.fromkeys(_LISTS, _Reader.start_list),
    **dict.fromkeys(_LITERAL, lambda r: r.start_pre(literal=True)),
    "br": lambda r: r.to.line_break(),
    "dd": _Reader.definition,
    "dl": lambda r: r.start_list("dl"),
    "dt": _Reader.term,
    "hr": lambda r: r.to.rule(),
    "li": lambda r: r.to.label(),
    "plaintext": lambda r: r.start_pre(last=True),
    "pre": lambda r: r.start_pre(),
    "title": lambda r: r.title(True),
}
_ENDS: dict[str, _Action] = {
    **dict.fromkeys(_LISTS, _Reader.end_list),
    **dict.fromkeys(_PRE, _Reader.end_pre),
    "a": _Reader.end_link,
    "dl": _Reader.end_definitions,
    "title": lambda r: r.title(False),
}


def write_lines(html: str) -> list[Line]:
    return _Reader(html).read()


def _numbered(digits: str) -> str:
    """The character of a number if it is ASCII, as in the original; else ""."""
    digits = digits.lstrip("0") or "0"
    return chr(int(digits)) if len(digits) <= 3 and int(digits) <= 127 else ""


def _named(name: str) -> str:
    """The character of a name; beyond Latin 1 a reference, as in the original."""
    code = name2codepoint.get(name)
    if code is None:
        return ""
    return chr(code) if code < 256 else f"&#{code};"


def _resolved(found: re.Match[str]) -> str:
    """The character of a reference in an attribute; an unknown reference unchanged."""
    name, digits, end = found.groups()
    if digits is not None:
        return _numbered(digits) or found[0]
    return (_named(name) if end else "") or found[0]
