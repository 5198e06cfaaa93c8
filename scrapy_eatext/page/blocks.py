"""The blocks of a page: pieces of text that stand apart on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.elements import is_hidden
from scrapy_eatext.page.paths import Paths
from scrapy_eatext.page.tables import values_of
from scrapy_eatext.page.tags import KINDS, TAG_ID
from scrapy_eatext.page.walk import nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk

_START, _END = BlockColumn.START, BlockColumn.END


class Blocks:
    """The blocks that a walk found, in the order of the page.

    The columns are lists with an entry for each block: ``chars`` and ``words`` of its
    text, and ``link_chars``, its characters in links.  ``walk`` has all other columns.

    Methods for many blocks return a list of each value, not a tuple for each block:
    Python's garbage collector would track the tuples, which is slow in a large crawl.
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
        """The list item or table cell of each block, and its parent if that is ol.

        Both are rows of the element table, -1 for none.
        """
        items = self.walk.blocks[of, BlockColumn.ITEM]
        elements = self.walk.elements
        # Without an item the index is -1, the last element, and the result is dropped.
        lists = elements[items, ElementColumn.PARENT]
        lists[(items < 0) | (elements[lists, ElementColumn.TAG] != TAG_ID["ol"])] = -1
        return items.tolist(), lists.tolist()

    def text(self, i: int) -> str:
        begin, end = self.place(i)
        return self.walk.text[begin:end].decode()

    def texts(self, of: list[int] | None = None) -> list[str]:
        """The texts of some of the blocks, or of all."""
        text = self.walk.text
        rows = list(range(len(self))) if of is None else of
        places = zip(*values_of(self.walk.blocks, rows, (_START, _END)), strict=True)
        return [text[start:end].decode() for start, end in places]

    def place(self, i: int) -> tuple[int, int]:
        """The start and end of a block's text in the walk's text, in bytes."""
        value = self.walk.blocks.item
        return value(i, _START), value(i, _END)

    def some(self, of: list[int]) -> tuple[list[str], list[str], list[int]]:
        """The texts, kinds and levels of some of the blocks."""
        columns = BlockColumn.KIND, BlockColumn.LEVEL
        kinds, levels = values_of(self.walk.blocks, of, columns)
        return self.texts(of), [KINDS[kind] for kind in kinds], levels

    @cached_property
    def kinds(self) -> list[str]:
        """The kinds of all blocks."""
        return [KINDS[kind] for kind in self.column("kind")]

    def kind(self, i: int) -> str:
        return self.kinds[i]

    def level(self, i: int) -> int:
        return int(self.walk.blocks.item(i, BlockColumn.LEVEL))

    def element(self, i: int) -> Any:
        """The lxml element that a block stands in."""
        return self.walk.node(self.walk.blocks.item(i, BlockColumn.ELEMENT))

    def elements(self, of: list[int]) -> list[Any]:
        """The elements of some of the blocks, which must be in order.

        For a few blocks this is faster than element().
        """
        (rows,) = values_of(self.walk.blocks, of, (BlockColumn.ELEMENT,))
        return nodes_of(self.walk, rows)

    @cached_property
    def _paths(self) -> Paths:
        return Paths()

    def xpath(self, i: int) -> str:
        return self._paths.of(self.element(i))

    def xpaths(self, of: list[int]) -> list[str]:
        """The XPaths of the elements of some of the blocks, which must be in order."""
        return list(map(Paths().of, self.elements(of)))

    def origin(self, kept: Sequence[bool]) -> str:
        """Where most of the kept text stands: "noscript", "hidden" or "page"."""
        parents = self.walk.elements[:, ElementColumn.PARENT]
        places = {-1: "page"}

        def place(row: int) -> str:
            above = []
            while row not in places:
                above.append(row)
                row = parents.item(row)
            found = places[row]
            for row in reversed(above):
                if found == "page":
                    element = self.walk.node(row)
                    if element.tag == "noscript":
                        found = "noscript"
                    elif is_hidden(dict(element.items()), element.tag):
                        found = "hidden"
                places[row] = found
            return found

        chars: Counter[str] = Counter()
        for inner, count, is_kept in zip(
            self.column("inner"), self.chars, kept, strict=True
        ):
            if is_kept:
                chars[place(inner)] += count
        return max(chars, key=chars.__getitem__, default="page")
