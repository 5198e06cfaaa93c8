"""The blocks of a page: pieces of text that stand apart on it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from scrapy_eatext.page.paths import Paths
from scrapy_eatext.page.tags import KINDS, TAG_ID
from scrapy_eatext.page.walk import BLOCK_COLUMNS, ELEMENT_COLUMNS, Walk

_COLUMN = {name: i for i, name in enumerate(BLOCK_COLUMNS)}
_PARENT, _TAG = (ELEMENT_COLUMNS.index(name) for name in ("parent", "tag"))


class Blocks:
    """The blocks that a walk found, in the order of the page.

    The columns are lists with an entry a block: ``chars`` and ``words`` of
    its text, and ``link_chars``, how many of the characters are in links.
    All else of the walk is in ``walk``.
    """

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def __len__(self) -> int:
        return len(self.walk.blocks)

    def column(self, name: str) -> list[int]:
        """One of the walk's columns as a list."""
        values: list[int] = self.walk.blocks[:, _COLUMN[name]].tolist()
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

    @cached_property
    def places(self) -> list[tuple[int, int, int]]:
        """Where in lists and tables the blocks stand.

        For each block its list item or table cell, its table row, and the
        numbered list that the item is of, all as rows of the element table, or
        -1 where there is none.
        """
        elements = self.walk.elements
        items = self.walk.blocks[:, _COLUMN["item"]]
        rows = self.walk.blocks[:, _COLUMN["row"]]
        if not len(elements):
            return []
        # Of a block without an item the last element is looked at, in vain.
        lists = elements[items, _PARENT]
        numbered = (items >= 0) & (elements[lists, _TAG] == TAG_ID["ol"])
        lists[~numbered] = -1
        return list(zip(items.tolist(), rows.tolist(), lists.tolist(), strict=True))

    @cached_property
    def _elements(self) -> list[int]:
        return self.column("element")

    @cached_property
    def _spans(self) -> list[list[int]]:
        spans: list[list[int]] = self.walk.blocks[:, :2].tolist()
        return spans

    def text(self, i: int) -> str:
        start, end = self._spans[i]
        return self.walk.text[start:end].decode()

    @cached_property
    def kinds(self) -> list[str]:
        """The kinds of all blocks."""
        return [KINDS[kind] for kind in self.column("kind")]

    def kind(self, i: int) -> str:
        return KINDS[self.walk.blocks[i, _COLUMN["kind"]]]

    def level(self, i: int) -> int:
        return int(self.walk.blocks[i, _COLUMN["level"]])

    def element(self, i: int) -> Any:
        """The lxml element that a block stands in."""
        return self.walk.node(self._elements[i])

    @cached_property
    def _paths(self) -> Paths:
        return Paths()

    def xpath(self, i: int) -> str:
        return self._paths.of(self.element(i))
