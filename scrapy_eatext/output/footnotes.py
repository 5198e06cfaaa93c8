"""Footnotes of Markdown: references in the text, and the notes that they lead to.

A reference is a short link to a place on the page, such as a number.  A note is an item
of a list, or a paragraph and what belongs to it, that stands behind its first reference;
it links back to a block with a reference, or its element, or one around, is named so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from operator import itemgetter
from typing import TYPE_CHECKING
from unicodedata import normalize
from urllib.parse import unquote

import numpy as np

from scrapy_eatext.output.nodes import cut, text_of
from scrapy_eatext.page.columns import BlockColumn, ElementColumn, MarkColumn, NodeKind
from scrapy_eatext.page.names import FOOTNOTES
from scrapy_eatext.page.tables import covered, rows_around, rows_with
from scrapy_eatext.page.tags import (
    CODE_TEXT,
    HEADING,
    RAISED,
    SUP_TEXT,
    TAG_ID,
    TEX_TEXT,
)
from scrapy_eatext.page.values import beginning
from scrapy_eatext.page.walk import attribute_values, nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Removed
    from scrapy_eatext.output.nodes import Nodes
    from scrapy_eatext.output.placing import Span
    from scrapy_eatext.page.walk import Walk

# What may stand around a number or sign, and what it may be: anywhere, and raised or in
# brackets.
_BRACKETS = " \t\n[]()【】.:,"
_MARK = re.compile(r"\d{1,4}|[*\u2020\u2021\u00a7\u00b6]{1,4}")
_RAISED_MARK = re.compile(r"[\w*\u2020\u2021\u00a7\u00b6 .-]{1,9}")
# The mark of an endnote of Word, or of a comment: not "[top]".
_LETTERS = re.compile(r"\[(?:[ivxl]{1,8}|[a-z])\]")
_NO_LABEL = re.compile("[^A-Za-z0-9_-]+")
# The most characters of a link from a note back to the text.
_LONGEST_BACK = 24
# What may stand before a link back at the beginning of a note, and what is left of the
# signs around links when these have gone.
_BEFORE_BACK = re.compile(r"[\s^\u2191\[(,]*")
_LEFT_BEFORE = re.compile(r"[\s^\u2191,]*(?:[\[(]\s*[\])])?[.:)\]]?\s*")
_BEHIND_MARK = re.compile(r"\s*[\])】][.:]?\s*|[.:]?(?:\s+|$)")
_LEFT_BEHIND = re.compile(r"\s*(?:[\[(]\s*[\])]\s*)?$")
# What a bare address has.
_ADDRESS = re.compile(r"://|www\.", re.IGNORECASE)
_NOTHING: Span = ("", 0, "", "", 0)
# How many elements around a note may have a name that says what it is.
_LEVELS = 8
_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK
# The elements that a note may be, and the most words of all notes that are dropped.
_TAGS = frozenset(TAG_ID[name] for name in "aside dd div li p tr".split())
_WORDS = 150
_LINK = TAG_ID["a"]


@dataclass(slots=True, eq=False)
class _Note:
    """A note: where it stands, its blocks, and the marks and units of its references.

    ``parts`` are the children of ``holder``, or of the item ``item``.
    """

    unit: int
    holder: int
    parts: list[int]
    item: int = -1
    is_numbered: bool = False
    marks: list[str] = field(default_factory=list)
    units: set[int] = field(default_factory=set)
    label: str = ""
    # The parts without those that have only a mark or a link back.
    shown: list[int] = field(default_factory=list)


def with_notes(
    walk: Walk, units: list[int], url: str, removed: Removed | None
) -> list[int]:
    """The kept blocks, and the notes that they refer to, unless these are long.

    A note stands in an element that is named as footnotes or references, or begins with
    a number or sign that links back.
    """
    kept = np.zeros(len(walk.blocks) + 1, dtype=bool)
    kept[units] = True
    links = walk.marks[kept[walk.marks[:, MarkColumn.BLOCK]], MarkColumn.LINK]
    own = "#", f"{url.partition('#')[0]}#"
    names = {
        unquote(href.partition("#")[2])
        for href in attribute_values(walk, sorted({*links.tolist()} - {-1}), "href")
        if href and href.startswith(own)
    }
    if not names:
        return units
    named = {row for at in FOOTNOTES.rows(walk) for row in range(at, walk.ends[at])}
    rows = sorted(named.union(rows_with(walk.elements, ElementColumn.TAG, _LINK)))
    cell = walk.elements.item
    notes: set[int] = set()
    for attribute in ("id", "name"):
        for row, name in zip(
            rows, attribute_values(walk, rows, attribute), strict=True
        ):
            if name in names and (row in named or _is_back(walk, row, own)):
                around = rows_around(walk.elements, row, _LEVELS)
                of_note = (at for at in around if cell(at, ElementColumn.TAG) in _TAGS)
                notes.add(next(of_note, row))
    if not notes:
        return units
    firsts, lasts = walk.elements[list(notes)][:, [_FIRST, _LAST]].T
    added = covered(firsts, lasts, len(kept)) & ~kept
    added[list(removed.units) if removed else []] = False
    words = walk.blocks[added[:-1], BlockColumn.WORDS].sum()
    if words > _WORDS:
        return units
    numbers: list[int] = (added | kept).nonzero()[0].tolist()
    return numbers


def _is_back(walk: Walk, row: int, own: tuple[str, ...]) -> bool:
    """Whether a link is a number or sign that begins a note and leads back to the text."""
    block = walk.elements.item(row, _FIRST)
    if walk.blocks[block : block + 1, BlockColumn.KIND].tolist() in ([], [HEADING]):
        return False
    node = nodes_of(walk, [row])[0]
    mark = beginning(node, _LONGEST_BACK).strip()
    is_mark = _MARK.fullmatch(mark.strip(_BRACKETS)) or _LETTERS.fullmatch(mark)
    return bool(is_mark) and node.get("href", "").startswith(own)


def with_footnotes(nodes: Nodes, walk: Walk) -> Nodes:
    """Nodes in which references and notes are those of Markdown, or the same nodes."""
    found = _Footnotes(nodes, walk)
    return found.written() if found.read() else nodes


class _Footnotes:
    def __init__(self, nodes: Nodes, walk: Walk) -> None:
        self._nodes = nodes
        self._walk = walk
        self._cell = walk.elements.item
        self._leaves = list(nodes.leaves())
        # Those with a link to a place on the page.
        self._linked = [
            leaf
            for leaf in self._leaves
            if any(span[2] in nodes.fragments for span in nodes.spans[leaf])
        ]
        # The notes by the names of their places, and by their leaves.
        self._notes: dict[str, _Note] = {}
        self._note_of: dict[int, _Note] = {}
        self._spans: dict[int, list[Span]] = {}
        self._accepted: list[_Note] = []

    def read(self) -> bool:
        """Find the references and their notes; returns whether there are any."""
        nodes = self._nodes
        names = {
            nodes.fragments[link]
            for leaf in self._linked
            for link, spans in _by_link(nodes.spans[leaf])
            if link in nodes.fragments and _mark_of(spans)
        }
        if not names:
            return False
        self._rows = self._places()
        self._find_notes(names)
        for note, leaf, mark in self._references():
            note.marks.append(mark)
            note.units.add(nodes.units[leaf])
        self._named = frozenset(FOOTNOTES.rows(self._walk))
        found = dict.fromkeys(self._notes.values())
        candidates = [note for note in found if note.marks and self._is_note(note)]
        # A reference may have gone as another note's link back.
        first: dict[_Note, int] = {}
        for note, leaf, _ in self._references():
            first.setdefault(note, nodes.units[leaf])
        for note in candidates:
            if first.get(note, note.unit) < note.unit:
                self._accepted.append(note)
            else:
                for leaf in self._nodes.leaves_among(note.parts):
                    self._spans.pop(leaf, None)
        _give_labels(self._accepted)
        return bool(self._accepted)

    def _references(self) -> Iterator[tuple[_Note, int, str]]:
        """The references, in order: the note, the leaf, and the mark."""
        for leaf in self._linked:
            for link, spans in _by_link(self._spans.get(leaf, self._nodes.spans[leaf])):
                note = self._note_at(leaf, link)
                if note is not None and (mark := _mark_of(spans)):
                    yield note, leaf, mark

    def _note_at(self, leaf: int, link: str) -> _Note | None:
        """The note that a link in a leaf leads to, if the leaf is no part of it."""
        note = self._notes.get(self._nodes.fragments.get(link, ""))
        return None if note is self._note_of.get(leaf) else note

    def _places(self) -> dict[str, int]:
        """The row of the first element of each name that a link leads to."""
        wanted = frozenset(self._nodes.fragments.values())
        every = list(range(len(self._walk.elements)))
        rows: dict[str, int] = {}
        for attribute in ("id", "name"):
            for row, name in enumerate(attribute_values(self._walk, every, attribute)):
                if name in wanted:
                    rows.setdefault(name, row)
        return rows

    def _find_notes(self, names: set[str]) -> None:
        """Find what may be a note at the places of some names."""
        nodes, cell = self._nodes, self._cell
        leaf_of = {
            nodes.units[leaf]: leaf for leaf in self._leaves if nodes.units[leaf] >= 0
        }
        items, places = self._stands()
        at = sorted(
            (row, name) for name in names if (row := self._rows.get(name, -1)) >= 0
        )
        targets = [(leaf_of.get(cell(row, _FIRST), -1), row, name) for row, name in at]
        begun = {leaf for leaf, *_ in targets}
        for leaf, row, name in targets:
            if leaf in self._note_of:
                self._notes[name] = self._note_of[leaf]
                continue
            unit = nodes.units[leaf]
            if leaf in items and 0 <= nodes.rows[items[leaf][1]] <= row:
                holder, item = items[leaf]
                is_numbered = nodes.kinds[holder] == NodeKind.NUMBERED
                note = _Note(unit, holder, nodes.children[item], item, is_numbered)
            elif leaf in places:
                holder, place = places[leaf]
                block = self._walk.blocks.item(unit, BlockColumn.ELEMENT)
                # A block with a mark alone has its text in the blocks behind it.
                only = _mark_of(nodes.spans[leaf]) and cell(block, _FIRST) == unit
                last = max(cell(row, _LAST), cell(block, _LAST) if only else 0)
                parts = [leaf]
                beside = nodes.children[holder]
                for part in map(beside.__getitem__, range(place + 1, len(beside))):
                    first = next(self._nodes.leaves_among([part]), part)
                    if not unit < nodes.units[first] < last or first in begun:
                        break
                    parts.append(part)
                note = _Note(unit, holder, parts)
            else:
                continue
            self._notes[name] = note
            self._note_of |= dict.fromkeys(self._nodes.leaves_among(note.parts), note)

    def _stands(self) -> tuple[dict[int, tuple[int, int]], dict[int, tuple[int, int]]]:
        """Where notes may stand: neither in tables nor in lists in lists.

        Returns the list and the item of each paragraph that an item begins with, and
        the holder of each other paragraph and its place there.
        """
        nodes, kinds = self._nodes, self._nodes.kinds
        items: dict[int, tuple[int, int]] = {}
        places: dict[int, tuple[int, int]] = {}
        self._holders = holders = [0]
        for holder in holders:
            for place, child in enumerate(nodes.children[holder]):
                if kinds[child] == NodeKind.PARAGRAPH:
                    places[child] = holder, place
                elif kinds[child] == NodeKind.QUOTE and child not in nodes.callouts:
                    holders.append(child)
                elif kinds[child] in (NodeKind.LIST, NodeKind.NUMBERED):
                    items |= {
                        nodes.children[item][0]: (child, item)
                        for item in nodes.children[child]
                    }
        return items, places

    def _is_note(self, note: _Note) -> bool:
        """Whether what is referred to is a note; if so, its links back are left out."""
        nodes, backs = self._nodes, 0
        if min(note.units) >= note.unit:
            return False
        made: dict[int, list[Span]] = {}
        for leaf in self._nodes.leaves_among(note.parts):
            spans, count_of_leaf = self._without_backs(note, leaf)
            backs += count_of_leaf
            if leaf == note.parts[0] and not note.is_numbered:
                spans = _without_mark(spans, note.marks[0])
            if spans or leaf in note.parts:
                made[leaf] = spans
        shown = [part for part in note.parts if made.get(part) or not nodes.spans[part]]
        if not (backs or self._is_named(note)) or not shown:
            return False
        if nodes.kinds[shown[0]] != NodeKind.PARAGRAPH:
            return False
        self._spans |= made
        note.shown = shown
        return True

    def _is_named(self, note: _Note) -> bool:
        """Whether the name of an element around a note says that it is one."""
        row = self._walk.blocks.item(note.unit, BlockColumn.ELEMENT)
        around = rows_around(self._walk.elements, row, _LEVELS)
        return not self._named.isdisjoint(around)

    def _without_backs(self, note: _Note, leaf: int) -> tuple[list[Span], int]:
        """The spans of a note's block without links back, and how many there were."""
        made: list[Span] = []
        backs, begin, is_begin = 0, False, True
        for link, spans in _by_link(self._nodes.spans[leaf]):
            row = self._rows.get(self._nodes.fragments.get(link, ""), -1)
            is_back = row >= 0 and self._cell(row, _FIRST) in note.units
            if is_back and len(text_of(spans).strip()) <= _LONGEST_BACK:
                begin = begin or is_begin
            else:
                made += spans
                is_begin = is_begin and bool(_BEFORE_BACK.fullmatch(text_of(spans)))
            backs += is_back
        if backs:
            text = text_of(made)
            left = _LEFT_BEFORE.match(text) if begin else None
            start = left.end() if left else 0
            right = _LEFT_BEHIND.search(text, max(start, len(text) - _LONGEST_BACK))
            made = cut(made, start, right.start() if right else len(text))
        return made, backs

    def written(self) -> Nodes:
        """The nodes with the references and notes in Markdown's form."""
        nodes, spans = self._nodes, [*self._nodes.spans]
        for leaf, inside in self._spans.items():
            spans[leaf] = inside
        for leaf in self._linked:
            spans[leaf] = self._referring(leaf, spans[leaf])
        made = replace(
            nodes,
            kinds=[*nodes.kinds],
            rows=[*nodes.rows],
            units=[*nodes.units],
            levels=[*nodes.levels],
            spans=spans,
            children={**nodes.children},
        )
        # The node of each note, by its first part or its item.
        note_at: dict[int, int] = {}
        gone: set[int] = set()
        for note in self._accepted:
            node = made.hold(NodeKind.QUOTE, note.shown)
            made.notes[node] = note.label
            note_at[note.parts[0] if note.item < 0 else note.item] = node
            gone.update(note.parts[1:])
        lists = {note.holder for note in self._accepted if note.item >= 0}
        for holder in self._holders:
            within: list[int] = []
            for child in nodes.children[holder]:
                if child in lists:
                    within += _parted_list(made, child, note_at)
                elif child not in gone:
                    within.append(note_at.get(child, child))
            made.children[holder] = within
        return made

    def _referring(self, leaf: int, spans: Sequence[Span]) -> Sequence[Span]:
        """Spans with the references to notes as Markdown has them."""
        made: list[Span] = []
        at: list[int] = []
        for link, inside in _by_link(spans):
            note = self._note_at(leaf, link)
            if note is not None and note.label and _mark_of(inside):
                at.append(len(made))
                # It is written as it is, as a formula.
                style = inside[0][1] & ~(RAISED | CODE_TEXT) | TEX_TEXT
                made.append((f"[^{note.label}]", style, "", "", 0))
            else:
                made += inside
        for place in at:
            _adapt(made, place)
        return [span for span in made if span[0] or span[3]] if at else spans


def _adapt(spans: list[Span], place: int) -> None:
    """Fit the texts around a reference: leave out brackets, escape a sign behind it."""
    label, before = spans[place], spans[place - 1] if place else _NOTHING
    behind = spans[place + 1] if place + 1 < len(spans) else _NOTHING
    first, text = before[0], behind[0]
    if not _is_text(before):
        first = ""
    elif _is_text(behind) and first[-1:] + text[:1] in ("[]", "()"):
        first, text = first[:-1], text[1:]
    if (
        _ADDRESS.search(first, first.rfind(" ") + 1)
        and before[1] == label[1] & ~TEX_TEXT
    ):
        first += " "  # GitHub would read the label as a part of the address
    if text[:1] in ("(", ":") and _is_text(behind):
        # With it the label would be read as a link, or as the beginning of a note.
        spans[place] = (f"{label[0]}\\{text[0]}", *label[1:])
        text = text[1:]
    if place and _is_text(before):
        spans[place - 1] = (first, *before[1:])
    if place + 1 < len(spans):
        spans[place + 1] = (text, *behind[1:])


def _is_text(span: Span) -> bool:
    """Whether a span is neither a link, an image, code nor a formula."""
    return not (span[1] & (CODE_TEXT | TEX_TEXT) or span[2] or span[3])


def _parted_list(nodes: Nodes, holder: int, note_at: dict[int, int]) -> Iterator[int]:
    """The notes among the items of a list, and lists of the other items."""
    for is_note, run in groupby(nodes.children[holder], note_at.__contains__):
        items = list(run)
        if is_note:
            yield from (note_at[item] for item in items)
        else:
            yield nodes.hold(nodes.kinds[holder], items, nodes.levels[items[0]])


def _give_labels(notes: list[_Note]) -> None:
    """Label each note by the mark of its first reference, or else by a number."""
    used = {""}
    for note in notes:
        label = _NO_LABEL.sub("-", normalize("NFKC", note.marks[0])).strip("-")
        if label.lower() not in used:
            used.add(label.lower())
            note.label = label
    numbers = (str(number) for number in count(1))
    for note in notes:
        note.label = note.label or next(n for n in numbers if n not in used)


def _by_link(spans: Sequence[Span]) -> Iterator[tuple[str, list[Span]]]:
    """The address of each link, "" for none, with the consecutive spans in it."""
    return ((link, list(inside)) for link, inside in groupby(spans, itemgetter(2)))


def _mark_of(spans: Sequence[Span]) -> str:
    """The number or sign of a reference, "" if a link is none."""
    if len(spans[0][0]) > _LONGEST_BACK or any(span[3] for span in spans):
        return ""
    text = text_of(spans).strip()
    if not text or len(text) > _LONGEST_BACK:
        return ""
    mark = text.strip(_BRACKETS)
    if _MARK.fullmatch(mark):
        return mark
    is_set_off = text[0] in "[(\u3010" or spans[0][1] & SUP_TEXT
    return mark if is_set_off and _RAISED_MARK.fullmatch(mark) else ""


def _without_mark(spans: list[Span], mark: str) -> list[Span]:
    """The spans of a note without the number or sign that it begins with."""
    text = text_of(spans)
    inner = text.lstrip(" \n[(\u3010")
    begin = len(text) - len(inner) + len(mark)
    if not inner.startswith(mark):
        return spans
    behind = _BEHIND_MARK.match(text, begin)
    if behind is not None:
        return cut(spans, behind.end(), len(text))
    is_raised = spans[0][1] & SUP_TEXT and len(spans[0][0].rstrip()) <= begin
    return spans if mark.isalnum() and not is_raised else cut(spans, begin, len(text))
