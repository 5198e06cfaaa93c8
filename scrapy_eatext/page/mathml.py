"""Converts MathML to TeX.  The text alone would turn the fraction 1/2 into 12."""

from __future__ import annotations

import re
from typing import Any

from lxml.etree import Comment

from scrapy_eatext.page.characters import INVISIBLE

# A formula with more elements, or with deeper nesting, is not converted.
_MOST, _DEEPEST = 2000, 40

# Elements that show their children one after the other.
_ROWS = frozenset(
    "maction math menclose merror mpadded mrow mstyle mtd semantics".split()
)
# The number of children of an element, and its TeX with the children's indices.
_SHAPES = {
    "mfrac": (2, r"\frac{%(0)s}{%(1)s}"),
    "mroot": (2, r"\sqrt[%(1)s]{%(0)s}"),
    "msub": (2, "{%(0)s}_{%(1)s}"),
    "msup": (2, "{%(0)s}^{%(1)s}"),
    "msubsup": (3, "{%(0)s}_{%(1)s}^{%(2)s}"),
    "munder": (2, r"\underset{%(1)s}{%(0)s}"),
    "mover": (2, r"\overset{%(1)s}{%(0)s}"),
    "munderover": (3, r"\underset{%(1)s}{\overset{%(2)s}{%(0)s}}"),
}
# A fraction without a line, and its replacement between parentheses.
_STACKED, _BINOMIAL = r"\genfrac{}{}{0pt}{}", r"\binom"
_NO_LINE = re.compile(r"\s*0+(?:\.0*)?(?:[a-z]+|%)?\s*")
# On an operator with limits these elements are written as sub- and superscripts, which
# TeX places below and above.
_LIMITS = {"munder": "msub", "mover": "msup", "munderover": "msubsup"}
_HAS_LIMITS = re.compile(
    "[\u220f\u2210\u2211\u22c0-\u22c3]|\\\\operatorname\\{(?:inf|lim|max|min|sup)\\}"
)
# Token elements, and the TeX command for a text of several letters.
_TOKENS = {
    "mi": "operatorname",
    "mn": "",
    "mo": "operatorname",
    "ms": "text",
    "mtext": "text",
}
_ESCAPED = {
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    "\\": "\\backslash ",
    "^": "\\hat{}",
    "~": "\\sim ",
}
_SIGNS = re.compile("[{}$&#%_\\\\^~]")
# Invisible operators, such as function application.
_INVISIBLE_OPERATORS = re.compile("[\u2061-\u2064]")
_SPACE = re.compile(r"\s+")
# A base that needs no braces before its index.
_SIMPLE = re.compile(r"[^\\{}]|\\[{}$&#%_]|\\operatorname\{\w+\}")


class _UnknownError(Exception):
    """A part of the formula is not supported."""


def tex_of(math: Any) -> str:
    """The TeX of a formula, "" if a part of it is not supported."""
    try:
        return _Writer().tex(math, 0).strip()
    except _UnknownError:
        return ""


class _Writer:
    def __init__(self) -> None:
        self._left = _MOST
        # The fractions without a line.
        self._stacked: set[str] = set()

    def tex(self, element: Any, depth: int) -> str:
        name = element.tag.rpartition("}")[2]
        self._left -= 1
        if not self._left or depth > _DEEPEST:
            raise _UnknownError
        if name in _TOKENS:
            return _token(element, _TOKENS[name])
        inside = _children(element)
        if name == "mspace":
            return " "
        if name == "mphantom":
            return ""
        if name == "semantics":
            # The other children are annotations with the same content.
            inside = inside[:1]
        if name == "mtable":
            return self._table(inside, depth)
        parts = [self.tex(child, depth + 1) for child in inside]
        if name in _ROWS:
            return self._row(parts)
        if name == "msqrt":
            return rf"\sqrt{{{self._row(parts)}}}"
        if name == "mfenced":
            return self._row(_fenced(element, parts))
        count, shape = _SHAPES.get(name, (-1, ""))
        if len(parts) != count:
            raise _UnknownError
        if name in _LIMITS and _HAS_LIMITS.fullmatch(parts[0]):
            _, shape = _SHAPES[_LIMITS[name]]
        if shape.startswith("{") and _SIMPLE.fullmatch(parts[0]):
            shape = shape.replace("{%(0)s}", "%(0)s", 1)
        thickness = dict(element.items()).get("linethickness")
        is_stacked = name == "mfrac" and thickness and _NO_LINE.fullmatch(thickness)
        if is_stacked:
            shape = shape.replace(r"\frac", _STACKED)
        tex = shape % {str(place): part for place, part in enumerate(parts)}
        if is_stacked:
            self._stacked.add(tex)
        return tex

    def _row(self, parts: list[str]) -> str:
        """Concatenated parts, with binomials."""
        for at in range(1, len(parts) - 1):
            if parts[at] in self._stacked and parts[at - 1 : at + 2 : 2] == ["(", ")"]:
                binomial = parts[at].replace(_STACKED, _BINOMIAL, 1)
                parts[at - 1 : at + 2] = "", binomial, ""
        return "".join(parts)

    def _table(self, rows: list[Any], depth: int) -> str:
        lines = []
        for row in rows:
            if row.tag.rpartition("}")[2] != "mtr":
                raise _UnknownError
            cells = [self.tex(cell, depth + 2) for cell in _children(row)]
            lines.append(" & ".join(cells))
        inside = r" \\ ".join(lines)
        return rf"\begin{{matrix}} {inside} \end{{matrix}}"


def _children(element: Any) -> list[Any]:
    """The children of an element, which may have no text but white space."""
    texts = [element.text, *(child.tail for child in element)]
    if any(text and not text.isspace() for text in texts):
        raise _UnknownError
    return [child for child in element if isinstance(child.tag, str)]


def _token(element: Any, command: str) -> str:
    if any(child.tag is not Comment for child in element):
        raise _UnknownError
    text = "".join([element.text or "", *(child.tail or "" for child in element)])
    text = INVISIBLE.sub("", _INVISIBLE_OPERATORS.sub("", text))
    # A no-break space is shown, so it is not stripped.
    text = _SPACE.sub(" ", text.strip(" \t\n\r\f"))
    tex = _escaped(text)
    # Operators that are not letters need no command.
    if command == "text" or (command and len(text) > 1 and text.isalpha()):
        return f"\\{command}{{{tex}}}" if tex else ""
    return tex


def _escaped(text: str) -> str:
    return _SIGNS.sub(lambda sign: _ESCAPED[sign[0]], text)


def _fenced(element: Any, parts: list[str]) -> list[str]:
    attributes = dict(element.items())
    begin, end, separator = (
        _escaped(attributes.get(name, default).strip()[:8])
        for name, default in (("open", "("), ("close", ")"), ("separators", ","))
    )
    parts = [piece for part in parts for piece in (separator[:1], part)]
    return [begin, *parts[1:], end]
