"""Code as its author wrote it, every character, but without line numbers.

Most code stands in pre elements, whose white space the walk keeps.  Some pages put line
numbers beside the code or into it, or have its lines in code elements without a pre, or
in the rows of a table.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.characters import INVISIBLE
from scrapy_eatext.page.columns import BlockColumn, ElementColumn, MarkColumn
from scrapy_eatext.page.elements import is_hidden
from scrapy_eatext.page.names import CODE_LINES, LINE_NUMBERS
from scrapy_eatext.page.tables import blocks_within, rows_with
from scrapy_eatext.page.tags import BLOCK, CODE, CODE_TEXT, PARAGRAPH, SKIP, TAG_ID
from scrapy_eatext.page.walk import RULE, attribute_values, nodes_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.algorithms.base import Units

# Classes of elements that hold line numbers.
_NUMBERS = re.compile(
    r"(?:^|[\s_-])(?:gutter|line[_-]?(?:no|nos|num|nums|number|numbers)|lnt|blob-num"
    r"|crayon-nums?|ln-(?:num|nums|numbers|n))(?:$|[\s_-])|^(?:ln|lines)$"
)
# Classes of elements that hold a line of code.
_LINE = re.compile(
    r"(?:^|[\s_-])(?:blob-code|lines?-code|code-line|crayon-line|line number\d+)"
    r"(?:$|[\s_-])"
)
# The fewest consecutive blocks, each one code element, that are lines of one piece of
# code.
LONE_LINES = 3
# How many elements, from the code outwards, may name its language.
_LEVELS = 8
# How many children an element around code may have: a button, a label, the code, numbers.
_BESIDE = 4
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:sourceCode\s+|hljs\s+)?lang(?:uage)?[-:]|(?:sourceCode|hljs)\s+"
    r"|gatsby-code-|highlight-source-|mw-highlight-lang-|brush:\s?|src\s+src-"
    r"|highlight-(?=\S+\s+notranslate))"
    r"([a-z0-9][a-z0-9+#._-]{0,30})",
    re.IGNORECASE,
)
_LANGUAGE_ATTRIBUTES = ("data-lang", "data-language", "data-enlighter-language")
_LANGUAGE_NAME = re.compile(r"[a-z0-9][a-z0-9+#._-]{0,30}")
_NO_LANGUAGE = frozenset(
    "auto console-output default hljs linenumbers linenums none nohighlight notranslate "
    "plain plaintext source text txt undefined".split()
)

# What notebooks of Jupyter have before code and what it returned.
_PROMPT = re.compile(r"(?:In|Out)\s?\[[\d *]{0,5}\]:")

_CODE_TAG, _ROW_TAG = TAG_ID["code"], TAG_ID["tr"]
_ELEMENT, _INNER, _KIND = BlockColumn.ELEMENT, BlockColumn.INNER, BlockColumn.KIND
_ITEM, _ROW, _LINES = BlockColumn.ITEM, BlockColumn.ROW, BlockColumn.LINES
_PLACE = [_ELEMENT, _ITEM, _ROW, _KIND]
_MARKS = [MarkColumn.BLOCK, MarkColumn.START, MarkColumn.STYLE]
_TAG, _PARENT = ElementColumn.TAG, ElementColumn.PARENT
_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK
_SPACE = re.compile(r"[^\S\n\t]")
_JOINER = "\u200d"
_NEWLINES = re.compile(r"\r\n?")
_SOURCE_LINE = re.compile(r"\A[ \t]*[\r\n][ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Content:
    """The units that are shown, by their numbers.

    ``code`` has the text of each unit that is code and whose text differs from the
    walk's; it is not empty.
    """

    units: Sequence[int]
    code: Mapping[int, str]

    @property
    def several_lines(self) -> list[int]:
        """The units of ``code`` that have more than one line."""
        return [unit for unit, text in self.code.items() if "\n" in text]


def content(units: Units, kept: Sequence[bool]) -> Content:
    """The kept units as they are shown: lines of code joined, without line numbers.

    A line that only names the language of the code below it is left out too, the prompts
    of a notebook, and a line that only has a zero-width joiner, as empty ones of Webflow.
    """
    numbers = list(compress(range(len(kept)), kept))
    if isinstance(units, Blocks) and _JOINER.encode() in units.walk.text:
        texts = zip(numbers, units.texts(numbers), strict=True)
        numbers = [n for n, text in texts if text.strip(_JOINER)]
    if not isinstance(units, Blocks) or not numbers:
        return Content(numbers, {})
    reader = _Reader(units, numbers)
    return Content(reader.numbers, reader.code)


def language(element: Any) -> str:
    """The language that a pre, its code element or an element around it names."""
    first = _child(element, 0)
    if first is not None and first.tag == "pre":  # as mdBook nests them
        first = _child(first, 0)
    if first is not None and first.tag == "code" and (name := _language_of(first)):
        return name
    for _ in range(_LEVELS):
        if name := _language_of(element):
            return name
        element = element.getparent()
        if element is None or _child(element, _BESIDE) is not None:
            break
    return ""


def _child(element: Any, place: int) -> Any:
    """The child at a place, or None, without counting all children as len() would."""
    return next(islice(element, place, None), None)


def _language_of(element: Any) -> str:
    said = element.get("data-syntaxhighlighter-params") or element.get("class") or ""
    match = _LANGUAGE.search(said[:500])
    names = [match[1]] if match else []
    names += [element.get(attribute) or "" for attribute in _LANGUAGE_ATTRIBUTES]
    if element.tag == "pre":
        lang = element.get("lang") or ""
        # With two letters or a hyphen it is a human language.
        names.append(lang if len(lang) > 2 and "-" not in lang else "")
    for name in (name.strip(" ;").lower() for name in names):
        if name not in _NO_LANGUAGE and _LANGUAGE_NAME.fullmatch(name):
            return name
    return ""


def verbatim(element: Any, *, by_breaks: bool = False) -> str:
    """The text of an element with its white space, but without line numbers.

    If ``by_breaks``, a line break in the source right after a br does not count.
    """
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
                if parent.tag in BLOCK or (
                    _is_line(parent) and not _SOURCE_LINE.match(parent.tail or "")
                ):
                    new_line()
                add(parent.tail)
            continue
        name = child.tag
        if name == "br":
            parts.append("\n")
            if by_breaks and child.tail:
                add(_SOURCE_LINE.sub("", child.tail, count=1))
                continue
        elif (
            isinstance(name, str)
            and name not in SKIP
            and not is_hidden(dict(child.items()), name)
            and not _holds_numbers(child)
        ):
            if name in BLOCK or _is_line(child):
                new_line()
            add(child.text)
            todo.append((child, iter(child)))
            continue
        add(child.tail)
    return "".join(parts)


def _is_line(element: Any) -> bool:
    return _LINE.search((element.get("class") or "")[:500]) is not None


def _holds_numbers(element: Any) -> bool:
    """Whether an element in code holds line numbers, by its class."""
    classes = element.get("class") or ""
    if classes not in ("ln", "lines"):
        return _names_numbers(classes)
    # These may also be the lines of the code; then the element has more than a number.
    first = _child(element, 0)
    text = (element.text or "") + ("" if first is None else first.text or "")
    return text.strip().isdecimal()


def _names_numbers(classes: str | None) -> bool:
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
            named = zip(rows, names, strict=True)
            gutters = [row for row, name in named if _names_numbers(name)]
            if gutters:
                self._drop_gutters(gutters)
        self._drop_languages()
        self._join_lines()

    def _near(self, rows: list[int]) -> list[int]:
        """The elements that have a kept block inside or right after them."""
        numbers = [*self.numbers, len(self._blocks) + 1]
        return [
            row
            for row, first, last in blocks_within(self._walk.elements, rows)
            if numbers[bisect_left(numbers, first)] < max(last, first + 1)
        ]

    # -- line numbers

    def _drop_gutters(self, rows: list[int]) -> None:
        numbers, text = self.numbers, self._blocks.text
        # Elements of line numbers may be nested, so each block is read once, and the
        # places where ranges of numbers begin and end are counted.
        others = [0, *accumulate(not _is_numbers(text(i)) for i in numbers)]
        begins = [0] * len(others)
        beside: set[int] = set()
        for _, first, last in blocks_within(self._walk.elements, rows):
            begin, end = bisect_left(numbers, first), bisect_left(numbers, last)
            if first < last:
                if others[begin] == others[end]:
                    begins[begin] += 1
                    begins[end] -= 1
            elif numbers[begin : begin + 1] == [first] and (
                self._blocks.kinds[first] == "code"
            ):
                beside.add(first)
        dropped = set(compress(numbers, accumulate(begins)))
        for i in beside:
            code = trimmed(verbatim(self._blocks.element(i)))
            if code:
                self.code[i] = code
            elif _is_numbers(text(i)):
                dropped.add(i)
        self.numbers = [i for i in numbers if i not in dropped]

    def _drop_languages(self) -> None:
        pres = {*rows_with(self._walk.blocks, _KIND, CODE)}
        if not pres:  # the usual case
            return
        blocks, kinds = self._blocks, self._walk.blocks[:, _KIND]
        dropped = {
            before
            for before, i in pairwise(self.numbers)
            if kinds[before] == PARAGRAPH
            and (
                _PROMPT.fullmatch(name := blocks.text(before))
                or (
                    i in pres
                    and _LANGUAGE_NAME.fullmatch(name := name.lower())
                    and name == language(blocks.element(i))
                )
            )
        }
        if dropped:
            self.numbers = [i for i in self.numbers if i not in dropped]

    # -- lines of code without a pre around them

    def _join_lines(self) -> None:
        walk = self._walk
        self._lines = self._named_lines()
        # Lines in rows of a table may be pre elements.
        pres = rows_with(walk.blocks, _KIND, CODE)
        if not (self._lines or pres or rows_with(walk.elements, _TAG, _CODE_TAG)):
            return
        may_be = self._all_code()
        may_be[list(self._lines)] = True
        cell = walk.blocks.item
        in_rows = [i for i in pres if cell(i, _ROW) >= 0 and not cell(i, _LINES)]
        may_be[in_rows] = True
        dropped: set[int] = set()
        for run in self._runs(may_be):
            if self._is_joined(run):
                dropped.update(run[1:])
            elif len(run) > 1:
                for i in run:
                    self._is_joined([i])
        if dropped:
            self.numbers = [i for i in self.numbers if i not in dropped]

    def _named_lines(self) -> frozenset[int]:
        """The blocks that are lines of code by the class of an element that holds each.

        Where such elements stand in a pre, their lines are parted.
        """
        rows = CODE_LINES.rows(self._walk)
        rows = self._near(rows) if rows else rows
        if not rows:  # the usual case
            return frozenset()
        names = attribute_values(self._walk, rows, "class")
        places = blocks_within(self._walk.elements, rows)
        named: set[tuple[int, int]] = set()
        fragments: list[tuple[int, int, int]] = []
        for (row, first, last), name in zip(places, names, strict=True):
            if name == "fragment" and first < last:
                fragments.append((row, first, last))
            elif _LINE.search((name or "")[:500]):
                named.add((first, last - first))
        named.update((i, 1) for i in self._doxygen_lines(fragments))
        for i in {first for first, count in named if not count} & {*self.numbers}:
            if self._blocks.kinds[i] == "code" and i not in self.code:
                self.code[i] = trimmed(verbatim(self._blocks.element(i)))
        return frozenset(first for first, count in named if count == 1)

    def _doxygen_lines(self, fragments: list[tuple[int, int, int]]) -> list[int]:
        """The lines of Doxygen's code.

        The notes behind them, which browsers do not show, are dropped.
        """
        block, cell = self._walk.blocks.item, self._walk.elements.item
        found = {
            begin: fragment
            for fragment in fragments
            if cell(begin := block(fragment[1], _ELEMENT), _PARENT) == fragment[0]
        }
        classes = attribute_values(self._walk, list(found), "class")
        lines: list[int] = []
        notes: set[int] = set()
        for (row, first, last), name in zip(found.values(), classes, strict=True):
            for i in range(first, last if name == "line" else first):
                is_line = cell(block(i, _ELEMENT), _PARENT) == row
                lines.append(i) if is_line else notes.add(i)
        self.numbers = [i for i in self.numbers if i not in notes]
        return lines

    def _runs(self, may_be: npt.NDArray[np.bool_]) -> Iterator[list[int]]:
        """Runs of consecutive blocks that may be one piece of code.

        All are parts of one element, or all are lines with the same parent.
        """
        run: list[int] = []
        last_element, last_parent = -1, -1
        for i in self.numbers:
            if not may_be[i] or "\n" in self.code.get(i, ""):
                continue
            element, line = self._walk.blocks.item(i, _ELEMENT), self._line(i)
            parent = self._walk.elements.item(line, _PARENT) if line >= 0 else -1
            if run and not (
                (i == run[-1] + 1 and element == last_element)
                or (0 <= parent == last_parent and self._follows(i, run[-1]))
            ):
                yield run
                run = []
            run.append(i)
            last_element, last_parent = element, parent
        if run:
            yield run

    def _line(self, i: int) -> int:
        """The element that holds a block as a line of code, maybe numbered, else -1."""
        element, item, row, kind = self._walk.blocks[i, _PLACE].tolist()
        # The cell before is that of the line's number.
        if row >= 0 and (i in self._lines or item > row + 1):
            first, last = self._ends(row)
            at = bisect_left(self.numbers, first)
            if bisect_left(self.numbers, last) - at == 1:
                return int(row)
        is_line = kind == PARAGRAPH or i in self._lines
        first, last = self._ends(element)
        return int(element) if is_line and last - first == 1 else -1

    def _ends(self, row: int) -> tuple[int, int]:
        cell = self._walk.elements.item
        return cell(row, _FIRST), cell(row, _LAST)

    def _follows(self, i: int, before: int) -> bool:
        """Whether there are only line numbers, left out, between two blocks."""
        places = bisect_left(self.numbers, before), bisect_left(self.numbers, i)
        between = map(self._blocks.text, range(before + 1, i))
        return places[1] - places[0] == 1 and all(map(_is_numbers, between))

    def _all_code(self) -> npt.NDArray[np.bool_]:
        """Whether each block is in no pre, and all of its text in elements for code."""
        walk = self._walk
        begins = walk.blocks[:, BlockColumn.START]
        marks = walk.marks
        marks = marks[
            (marks[:, MarkColumn.START] >= 0) & (marks[:, MarkColumn.STYLE] > RULE)
        ]
        blocks, starts, styles = marks[:, _MARKS].T
        is_code = (styles >= 0) & (styles & CODE_TEXT > 0)
        all_code = np.zeros(len(walk.blocks) + 1, dtype=np.bool_)
        all_code[blocks[is_code & (starts == begins.take(blocks, mode="clip"))]] = True
        all_code[blocks[~is_code]] = False
        all_code[:-1] &= walk.blocks[:, _KIND] != CODE
        return all_code

    def _is_joined(self, run: list[int]) -> bool:
        """Whether a run of blocks is code of several lines; if so, notes its text."""
        nodes = nodes_of(self._walk, self._holders(run))
        lines = [verbatim(_code_in(node), by_breaks=True) for node in nodes]
        text = trimmed("\n".join([line.rstrip().lstrip("\n") for line in lines]))
        if "\n" not in text:
            return False
        words = [word for i in run for word in self._blocks.text(i).split()]
        if text.split() != words:
            return False
        self.code[run[0]] = text
        return True

    def _holders(self, run: list[int]) -> list[int]:
        """The elements that hold the blocks of a run and nothing else.

        It is one element for the parts of a block, the outermost that is in or around a
        code element; or an element for each line, with the empty ones between.  It is
        empty if there are no such elements.
        """
        block, cell = self._walk.blocks.item, self._walk.elements.item
        if block(run[-1], _ELEMENT) != block(run[0], _ELEMENT):
            lines = {self._line(i): i for i in run}
            is_named = self._lines.issuperset(run)
            if not is_named and (
                len(run) < LONE_LINES or not all(map(self._in_code, run))
            ):
                return []
            row, last = min(lines), max(lines)
            tag = cell(row, _TAG)
            rows: list[int] = []
            while row <= last:
                if cell(row, _TAG) == tag:
                    in_row = tag == _ROW_TAG and row in lines
                    rows.append(block(lines[row], _ITEM) if in_row else row)
                row = cell(row, ElementColumn.END)
            return rows
        holder = -1
        is_code = False
        is_paragraph = block(run[0], _KIND) == PARAGRAPH
        for row in self._path(run[0]):
            is_code_tag = cell(row, _TAG) == _CODE_TAG
            is_code = is_code or is_code_tag
            # An inline element does not count the block that goes on after it.
            is_whole = cell(row, _FIRST) == run[0] and (
                0 <= cell(row, _LAST) - run[-1] <= 1
            )
            if is_whole and (is_code if is_paragraph else is_code_tag):
                holder = row
        return [holder] if holder >= 0 else []

    def _in_code(self, i: int) -> bool:
        cell = self._walk.elements.item
        if i in self._lines or self._walk.blocks.item(i, _KIND) == CODE:
            return True
        return any(cell(row, _TAG) == _CODE_TAG for row in self._path(i))

    def _path(self, i: int) -> Iterator[int]:
        """The elements from a block's beginning outwards, up to the block's element."""
        around, row = self._walk.blocks[i, [_ELEMENT, _INNER]].tolist()
        while row > around:
            yield row
            row = self._walk.elements.item(row, _PARENT)
        yield around


def _code_in(element: Any) -> Any:
    """The code or pre that is all of an element, else the element."""
    only, text = _child(element, 0), element.text
    if (
        only is None
        or only.tag not in ("code", "pre")
        or _child(element, 1) is not None
    ):
        return element
    return only if not text or _SOURCE_LINE.fullmatch(text) else element


def _is_numbers(text: str) -> bool:
    return all(word.isdecimal() for word in text.split())
