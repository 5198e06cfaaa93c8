"""The columns of the walk's tables: all that reads or writes one has its place here.

setup.py turns them into columns.pxd for the compiled modules, so this module imports
nothing that a build has not got.
"""

from __future__ import annotations

from enum import IntEnum, auto


class _Column(IntEnum):
    """A column's number, counted from 0 in the order in which they are declared."""

    @staticmethod
    def _generate_next_value_(
        name: str, start: int, count: int, last_values: list[int]
    ) -> int:
        return count


class ElementColumn(_Column):
    """What the walk tells of an element that is shown; each has a row."""

    PARENT = auto()  # the row of the element around it, -1 for the root
    TAG = auto()
    DEPTH = auto()
    FIRST_BLOCK = auto()  # the first block inside
    LAST_BLOCK = auto()  # the first block behind it
    FIRST_TOKEN = auto()  # where its hashed attribute tokens begin
    TOKENS = auto()  # how many they are
    PLACE = auto()  # its number among its parent's children, as lxml counts them


class BlockColumn(_Column):
    """What the walk tells of a block.

    Elements are told by their rows in the element table, -1 for none; characters are
    counted by class.
    """

    START = auto()  # bytes of the text buffer
    END = auto()
    ELEMENT = auto()  # the innermost block-level element around it
    INNER = auto()  # the innermost element at its first character
    ITEM = auto()  # the list item or table cell that it stands in
    ROW = auto()  # the table row that it stands in
    KIND = auto()
    LEVEL = auto()
    CHARS = auto()
    WORDS = auto()
    WIDTH = auto()  # characters, the wide ones counted double
    LINES = auto()
    LINK_CHARS = auto()
    LINKS = auto()
    STRONG_CHARS = auto()
    UPPER = auto()
    DIGITS = auto()
    ENDS = auto()
    COMMAS = auto()
    MARKS = auto()
    MONEY = auto()
    RIGHTS = auto()
    WIDE = auto()
    OTHER = auto()
    FIRST = auto()  # the class of the first character
    LAST = auto()
    IMAGES = auto()  # met since the block before, as are controls and elements
    CONTROLS = auto()
    ELEMENTS = auto()
    HASH = auto()


class MarkColumn(_Column):
    """What the walk tells of what is in a line.

    A mark stands where text begins, the white space before it included, that differs
    from the text before it, or that is not plain at a block's beginning.  There are
    none in preformatted text.
    """

    BLOCK = auto()
    START = auto()  # a byte of the text, or -1 for images that stand apart before it
    STYLE = auto()  # or IMAGE, for an image
    LINK = auto()  # the row of the link that it is in, -1 for none
    # Style and link of that white space; of an image the row of the element around
    # it, and its place among its children.
    AROUND_STYLE = auto()
    AROUND_LINK = auto()


TABLES: dict[str, type[_Column]] = {
    "ELEMENT": ElementColumn,
    "BLOCK": BlockColumn,
    "MARK": MarkColumn,
}
ELEMENT_COLUMNS, BLOCK_COLUMNS, MARK_COLUMNS = (
    tuple(column.name.lower() for column in table) for table in TABLES.values()
)


def declarations() -> str:
    """The columns as Cython declares numbers: BLOCK_START and so on, and how many."""
    lines = ["# Made by setup.py from columns.py, where each column is explained.", ""]
    for name, table in TABLES.items():
        lines.append("cdef enum:")
        lines += [f"    {name}_{column.name} = {column:d}" for column in table]
        lines += [f"    {name}_COLUMNS = {len(table)}", ""]
    return "\n".join(lines)
