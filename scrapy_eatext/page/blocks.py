"""The blocks of a page: pieces of text that stand apart on it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.paths import Paths, paths_of
from scrapy_eatext.page.tables import values_of
from scrapy_eatext.page.tags import KINDS, TAG_ID
from scrapy_eatext.page.walk import nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk

_START, _END = BlockColumn.START, BlockColumn.END
_KIND_AND_LEVEL = (BlockColumn.KIND, BlockColumn.LEVEL)


class Blocks:
    """The blocks that a walk found, in the order of the page.

    The columns are lists with an entry a block: ``chars`` and ``words`` of
    its text, and ``link_chars``, how many of the characters are in links.
    All else of the walk is in ``walk``.  What is looked up of many blocks comes in
    lists of plain values, never a list or tuple for each: these would set off
    Python's garbage collector, which on a large crawl takes long.
    """

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def __len__(self) -> int:
        return len(self.walk.blocks)

    def column(self, name: str) -> list[int]:
        """One of the walk's columns as a list."""
        values: list[int] = self.walk.blocks[:, BlockColumn[name.upper()]].tolist()
        return values

    @cached_property
    def chars(self) -> list[int]:
        return self.column("chars")

    @cached_property
    def words(self) -> list[int]:
        return self.column("words")

    @cached_property
    def link_chars(self) -> list[int]:
        return self.column("link_chars")

    def items_and_lists(self, of: list[int]) -> tuple[list[int], list[int]]:
        """The list item or table cell of some of the blocks, and its numbered list.

        Both are rows of the element table, -1 where there is none.
        """
        items = self.walk.blocks[of, BlockColumn.ITEM]
        there = items >= 0
        if not there.any():
            return [-1] * len(of), [-1] * len(of)
        elements = self.walk.elements
        # A block without an item has row -1, the last element; its result is dropped.
        lists = elements[items, ElementColumn.PARENT]
        lists[~there | (elements[lists, ElementColumn.TAG] != TAG_ID["ol"])] = -1
        return items.tolist(), lists.tolist()

    @cached_property
    def _elements(self) -> list[int]:
        return self.column("element")

    def text(self, i: int) -> str:
        begin, end = self.place(i)
        return self.walk.text[begin:end].decode()

    def texts(self, of: list[int]) -> list[str]:
        """The texts of some of the blocks."""
        text = self.walk.text
        starts, ends = values_of(self.walk.blocks, of, (_START, _END))
        return [text[a:b].decode() for a, b in zip(starts, ends, strict=True)]

    def place(self, i: int) -> tuple[int, int]:
        """Where a block's text stands in the walk's, in bytes."""
        cell = self.walk.blocks.item
        return cell(i, _START), cell(i, _END)

    def some(self, of: list[int]) -> tuple[list[str], list[str], list[int]]:
        """The texts, kinds and levels of some of the blocks."""
        kinds, levels = values_of(self.walk.blocks, of, _KIND_AND_LEVEL)
        return self.texts(of), [KINDS[kind] for kind in kinds], levels

    @cached_property
    def kinds(self) -> list[str]:
        """The kinds of all blocks."""
        return [KINDS[kind] for kind in self.column("kind")]

    def kind(self, i: int) -> str:
        return self.kinds[i]

    @cached_property
    def _levels(self) -> list[int]:
        return self.column("level")

    def level(self, i: int) -> int:
        return self._levels[i]

    def element(self, i: int) -> Any:
        """The lxml element that a block stands in."""
        return self.walk.node(self._elements[i])

    def elements(self, of: list[int]) -> list[Any]:
        """The elements of some of the blocks, which are in order; a few take less time so."""
        (rows,) = values_of(self.walk.blocks, of, (BlockColumn.ELEMENT,))
        return nodes_of(self.walk, rows)

    @cached_property
    def _paths(self) -> Paths:
        return Paths()

    def xpath(self, i: int) -> str:
        return self._paths.of(self.element(i))

    def xpaths(self, of: list[int]) -> list[str]:
        """The paths of the elements of some of the blocks, which are in order."""
        (rows,) = values_of(self.walk.blocks, of, (BlockColumn.ELEMENT,))
        return paths_of(self.walk, rows)
