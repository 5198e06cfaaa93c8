"""Code as its author wrote it: to the character, and without line numbers.

Most code stands in pre elements, of which the walk keeps every space.  Some pages
put line numbers beside it or into it, or have its lines in a code element alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice, zip_longest
from typing import TYPE_CHECKING, Any

from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.characters import INVISIBLE
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.elements import is_hidden
from scrapy_eatext.page.names import LINE_NUMBERS
from scrapy_eatext.page.tables import rows_with, values_of
from scrapy_eatext.page.tags import BLOCK, CODE, SKIP, TAG_ID
from scrapy_eatext.page.walk import attribute_values

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units

# Classes of elements that hold line numbers.
_NUMBERS = re.compile(
    r"(?:^|[\s_-])(?:gutter|line[_-]?(?:no|nos|num|nums|number|numbers)|lnt|blob-num"
    r"|crayon-nums?|ln-(?:num|nums|numbers|n))(?:$|[\s_-])|^ln$"
)
# How many elements around code may name its language.
_LEVELS = 8

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:sourceCode\s+|hljs\s+)?lang(?:uage)?[-:]|(?:sourceCode|hljs)\s+"
    r"|highlight-source-|mw-highlight-lang-|brush:\s?|highlight-(?=\S+\s+notranslate))"
    r"([a-z0-9][a-z0-9+#._-]{0,30})",
    re.IGNORECASE,
)
_LANGUAGE_ATTRIBUTES = ("data-lang", "data-language", "data-enlighter-language")
_LANGUAGE_NAME = re.compile(r"[a-z0-9][a-z0-9+#._-]{0,30}")
_NO_LANGUAGE = frozenset(
    "auto console-output default hljs linenumbers linenums none nohighlight notranslate "
    "plain plaintext source text txt undefined".split()
)

_CODE_TAG = TAG_ID["code"]
_INNER, _KIND = (BlockColumn.INNER, BlockColumn.KIND)
_TAG, _DEPTH, _FIRST, _LAST = (
    ElementColumn.TAG,
    ElementColumn.DEPTH,
    ElementColumn.FIRST_BLOCK,
    ElementColumn.LAST_BLOCK,
)
_SPACE = re.compile(r"[^\S\n\t]")
_NEWLINES = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class Content:
    """The units that are shown: their numbers, and other texts for some of them.

    ``code`` has the units that are code with another text than the walk has.
    """

    units: Sequence[int]
    code: Mapping[int, str]

    @property
    def several_lines(self) -> list[int]:
        """The units that are code of more than one line, where the walk has none."""
        return [unit for unit, text in self.code.items() if "\n" in text]


def content(units: Units, kept: Sequence[bool]) -> Content:
    """The kept units as they are shown: no line numbers, lines of code joined."""
    numbers = list(compress(range(len(kept)), kept))
    if not isinstance(units, Blocks) or not numbers:
        return Content(numbers, {})
    reader = _Reader(units, numbers)
    return Content(reader.numbers, reader.code)


def language(element: Any) -> str:
    """The language that a pre, the code element in it or an element around it names."""
    first = _child(element, 0)
    if first is not None and first.tag == "code":
        name = _language_of(first)
        if name:
            return name
    for _ in range(_LEVELS):
        name = _language_of(element)
        if name:
            return name
        element = element.getparent()
        if element is None or _child(element, 3) is not None:
            break
    return ""


def _child(element: Any, place: int) -> Any:
    """The child at a place, or None; len() would count all children."""
    return next(islice(element, place, None), None)


def _language_of(element: Any) -> str:
    called = (element.get("class") or "")[:500]
    found = _LANGUAGE.search(called)
    given = [found[1]] if found else []
    given += [element.get(name) or "" for name in _LANGUAGE_ATTRIBUTES]
    if element.tag == "pre":
        human = element.get("lang") or ""  # human if it has two letters or a hyphen
        given.append(human if len(human) > 2 and "-" not in human else "")
    for name in (one.strip(" ;").lower() for one in given):
        if name not in _NO_LANGUAGE and _LANGUAGE_NAME.fullmatch(name):
            return name
    return ""


def verbatim(element: Any) -> str:
    """The text of an element, each space as it is, without line numbers."""
    parts: list[str] = []

    def add(text: str | None) -> None:
        if text:
            if not text.isascii():
                text = INVISIBLE.sub("", text)
            parts.append(_SPACE.sub(" ", _NEWLINES.sub("\n", text)))

    def new_line() -> None:
        if parts and not parts[-1].endswith("\n"):
            parts.append("\n")

    add(element.text)
    todo: list[tuple[Any, Iterator[Any]]] = [(element, iter(element))]
    while todo:
        parent, children = todo[-1]
        child = next(children, None)
        if child is None:
            todo.pop()
            if todo:
                if parent.tag in BLOCK:
                    new_line()
                add(parent.tail)
            continue
        name = child.tag
        if name == "br":
            parts.append("\n")
        elif (
            isinstance(name, str)
            and name not in SKIP
            and not is_hidden(dict(child.items()), name)
            and not _holds_numbers(child)
        ):
            if name in BLOCK:
                new_line()
            add(child.text)
            todo.append((child, iter(child)))
            continue
        add(child.tail)
    return "".join(parts)


def _holds_numbers(element: Any) -> bool:
    """Whether an element in code is called line numbers, and may be some."""
    called = element.get("class") or ""
    if called != "ln":
        return _calls_numbers(called)
    # The name is short for a line as well.
    first = _child(element, 0)
    text = (element.text or "") + ("" if first is None else first.text or "")
    return text.strip().isdecimal()


def _calls_numbers(classes: str | None) -> bool:
    return _NUMBERS.search((classes or "")[:500]) is not None


def trimmed(text: str) -> str:
    """Code without empty lines before it and white space behind it."""
    text = text.rstrip()
    blank = len(text) - len(text.lstrip())
    return text[text.rfind("\n", 0, blank) + 1 :]


class _Reader:
    def __init__(self, blocks: Blocks, numbers: list[int]) -> None:
        self._blocks = blocks
        self._walk = blocks.walk
        self.numbers = numbers
        self.code: dict[int, str] = {}
        rows = LINE_NUMBERS.rows(self._walk)
        if rows:
            rows = self._near(rows)
            names = attribute_values(self._walk, rows, "class")
            called = zip(rows, names, strict=True)
            self._gutters([row for row, name in called if _calls_numbers(name)])
        self._alone()

    def _near(self, rows: list[int]) -> list[int]:
        """The elements that have a kept block inside, or right behind them."""
        numbers = [*self.numbers, len(self._blocks) + 1]
        firsts, lasts = values_of(self._walk.elements, rows, (_FIRST, _LAST))
        return [
            row
            for row, first, last in zip(rows, firsts, lasts, strict=True)
            if numbers[bisect_left(numbers, first)] < max(last, first + 1)
        ]

    # -- line numbers

    def _gutters(self, rows: list[int]) -> None:
        numbers = self.numbers
        dropped: set[int] = set()
        beside: set[int] = set()
        # Elements of line numbers may be nested, so each block is read only once:
        # blocks before the place ``same`` are numbers, the block at ``other`` is not.
        same, other, done = 0, -1, 0
        for row in rows:
            first, last = self._walk.elements[row, [_FIRST, _LAST]].tolist()
            begin, end = bisect_left(numbers, first), bisect_left(numbers, last)
            if first < last:
                same = max(same, begin)
                while same < end and same != other:
                    if not _is_numbers(self._blocks.text(numbers[same])):
                        other = same
                        break
                    same += 1
                if same >= end:
                    dropped.update(numbers[max(begin, done) : end])
                    done = max(done, end)
            elif numbers[begin : begin + 1] == [first] and (
                self._blocks.kinds[first] == "code"
            ):
                beside.add(first)
        for i in beside:
            text = trimmed(verbatim(self._blocks.element(i)))
            if text:
                self.code[i] = text
            elif _is_numbers(self._blocks.text(i)):
                dropped.add(i)
        self.numbers = [i for i in numbers if i not in dropped]

    def _innermost(self, rows: list[int]) -> list[int]:
        """The elements, which are in rising order, that hold no other of them."""
        depths = self._walk.elements[:, _DEPTH]
        return [
            row
            for row, following in zip_longest(rows, rows[1:])
            if following is None or depths[row + 1 : following + 1].min() <= depths[row]
        ]

    # -- code that has its lines without a pre around it

    def _alone(self) -> None:
        walk = self._walk
        if not rows_with(walk.elements, _TAG, _CODE_TAG):
            return
        inner = walk.blocks[:, _INNER]
        # The walk has marked code in a pre already.
        alone = (walk.elements[inner, _TAG] == _CODE_TAG) & (
            walk.blocks[:, _KIND] != CODE
        )
        if not alone.any():
            return
        numbers = [i for i in self.numbers if alone[i] and i not in self.code]
        around: list[int] = inner[numbers].tolist()
        # The text of an element with several blocks is not the text of one block.
        times = Counter(around)
        innermost = frozenset(self._innermost(sorted(times)))
        for i, row in zip(numbers, around, strict=True):
            if times[row] > 1 or row not in innermost:
                continue
            element = walk.node(row)
            text = trimmed(verbatim(element))
            if "\n" in text and text.split() == self._blocks.text(i).split():
                self.code[i] = text


def _is_numbers(text: str) -> bool:
    return all(word.isdecimal() for word in text.split())
