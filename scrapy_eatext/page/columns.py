"""The columns of the walk's tables of numbers, and the kinds of the output's nodes.

setup.py writes them to columns.pxd for the compiled modules, so this module imports
only the standard library.
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
    """The columns of the walk's elements, with a row for each one that is shown."""

    PARENT = auto()  # the row of the element around it, -1 for the root
    TAG = auto()
    DEPTH = auto()
    FIRST_BLOCK = auto()  # the first block inside
    LAST_BLOCK = auto()  # the first block behind it
    FIRST_TOKEN = auto()  # where its hashed attribute tokens begin
    TOKENS = auto()  # how many they are
    PLACE = auto()  # its number among its parent's children, as lxml counts them
    END = auto()  # the row after its last descendant


class BlockColumn(_Column):
    """The columns of the walk's blocks.

    Elements are given by their rows in the element table, -1 for none.  UPPER to OTHER
    count characters by their class.
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
    IMAGES = auto()  # since the previous block, as are controls and elements
    CONTROLS = auto()
    ELEMENTS = auto()
    HASH = auto()


class MarkColumn(_Column):
    """The columns of the walk's marks.

    A mark is where a text begins, with the white space before it, whose style or link
    differs from that of the text before; at the beginning of a block, from plain text.
    Images, embeds and rules have marks too.  Preformatted text has none.
    """

    BLOCK = auto()
    START = auto()  # a byte of the text, -1 for an image or the like before the block
    STYLE = auto()  # or IMAGE, EMBED or RULE
    LINK = auto()  # the row of the link that it is in, -1 for none
    # The style and the link of the white space; for an image, embed or rule the row of
    # its parent, and its index there.
    AROUND_STYLE = auto()
    AROUND_LINK = auto()


class NodeKind:
    """The kinds of the output's nodes; those from DOCUMENT on contain blocks.

    They are plain numbers, as the look-up of an enum's members is slow.
    """

    PARAGRAPH, HEADING, CAPTION, CODE, IMAGE = range(5)
    EMBED, RULE = range(5, 7)
    BYLINE = 7  # of a post, which is no block of the page
    TABLE_CAPTION = 8  # of a data table, which structure.py recognizes
    DOCUMENT, LIST, NUMBERED, ITEM, QUOTE, TABLE, ROW, CELL = range(9, 17)
    DEFINITIONS, TERM, DEFINITION, FIGURE = range(17, 21)


ELEMENT_COLUMNS, BLOCK_COLUMNS, MARK_COLUMNS = (
    tuple(column.name.lower() for column in table)
    for table in (ElementColumn, BlockColumn, MarkColumn)
)


def declarations() -> str:
    """The columns, their counts and the kinds of nodes as enums of Cython."""
    lines = ["# Made by setup.py from columns.py, where each column is explained.", ""]
    for table in (ElementColumn, BlockColumn, MarkColumn):
        name = table.__name__.removesuffix("Column").upper()
        lines.append("cdef enum:")
        lines += [f"    {name}_{column.name} = {column:d}" for column in table]
        lines += [f"    {name}_COLUMNS = {len(table)}", ""]
    kinds = [(name, kind) for name, kind in vars(NodeKind).items() if name.isupper()]
    lines += ["cdef enum:", *(f"    IS_{name} = {kind}" for name, kind in kinds), ""]
    return "\n".join(lines)
