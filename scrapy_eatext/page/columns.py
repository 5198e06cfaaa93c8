"""The columns of the tables of numbers, those of the walk and those of output.

All that reads or writes such a column has its place here.

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
    END = auto()  # the row after its last descendant


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
    # A byte of the text, or -1 for what is no text and stands apart before it.
    START = auto()
    STYLE = auto()  # or IMAGE, EMBED or RULE
    LINK = auto()  # the row of the link that it is in, -1 for none
    # Style and link of that white space; of what is no text the row of the element
    # around it, and its place among its children.
    AROUND_STYLE = auto()
    AROUND_LINK = auto()


class NodeColumn(_Column):
    """What output tells of a node: a block, or what holds blocks on the page."""

    KIND = auto()  # one of NodeKind
    PARENT = auto()  # the node around it, -1 for the document
    ROW = auto()  # its row of the element table, -1 for a node without an element
    DEPTH = auto()  # how many nodes renderers see around it
    LAST = auto()  # the last node right inside it, -1 for none
    UNIT = auto()  # the number of the block, -1 for none
    LEVEL = auto()  # of a heading
    FIRST_SPAN = auto()  # the first of its spans
    LAST_SPAN = auto()  # the first span behind its own


class SpanColumn(_Column):
    """What output tells of a span: text of a block in one style and link, or an image."""

    START = auto()  # a byte of the walk's text, -1 for text that the walk has not got
    END = auto()
    STYLE = auto()
    LINK = auto()  # the number of an address, 0 for none
    IMAGE = auto()


class NodeKind:
    """The kinds of nodes: first those of blocks, then those of what holds blocks.

    They are plain numbers, as an enum's take long to look up.
    """

    PARAGRAPH, HEADING, CAPTION, CODE, IMAGE = range(5)
    EMBED, RULE = range(5, 7)
    BYLINE = 7  # of a post, which is no block of the page
    TABLE_CAPTION = 8  # of a data table, which structure.py tells from others
    DOCUMENT, LIST, NUMBERED, ITEM, QUOTE, TABLE, ROW, CELL = range(9, 17)
    DEFINITIONS, TERM, DEFINITION, FIGURE = range(17, 21)


TABLES: dict[str, type[_Column]] = {
    "ELEMENT": ElementColumn,
    "BLOCK": BlockColumn,
    "MARK": MarkColumn,
    "NODE": NodeColumn,
    "SPAN": SpanColumn,
}
ELEMENT_COLUMNS, BLOCK_COLUMNS, MARK_COLUMNS = (
    tuple(column.name.lower() for column in table)
    for table in (ElementColumn, BlockColumn, MarkColumn)
)


def declarations() -> str:
    """Columns as Cython declares numbers, BLOCK_START and so on, and how many; kinds."""
    lines = ["# Made by setup.py from columns.py, where each column is explained.", ""]
    for name, table in TABLES.items():
        lines.append("cdef enum:")
        lines += [f"    {name}_{column.name} = {column:d}" for column in table]
        lines += [f"    {name}_COLUMNS = {len(table)}", ""]
    kinds = {name: kind for name, kind in vars(NodeKind).items() if name.isupper()}
    lines += ["cdef enum:", *(f"    IS_{name} = {kinds[name]}" for name in kinds), ""]
    return "\n".join(lines)
