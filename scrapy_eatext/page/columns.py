"""The columns of the integer tables of the walk and of output.

setup.py makes columns.pxd of them for the compiled modules, so this module imports the
standard library alone.
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
    """The columns of the element table, with a row for each element that is shown."""

    PARENT = auto()  # the row of the element around it, -1 for the root
    TAG = auto()
    DEPTH = auto()
    FIRST_BLOCK = auto()  # the first block inside
    LAST_BLOCK = auto()  # the first block behind it
    FIRST_TOKEN = auto()  # where its hashed attribute tokens begin
    TOKENS = auto()  # how many they are
    PLACE = auto()  # its index among its parent's children, as lxml counts them


class BlockColumn(_Column):
    """The columns of the block table.

    Elements are given by their rows in the element table, -1 for none.  Characters are
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
    IMAGES = auto()  # since the end of the previous block, as CONTROLS and ELEMENTS
    CONTROLS = auto()
    ELEMENTS = auto()
    HASH = auto()


class MarkColumn(_Column):
    """The columns of the table of marks: changes of style or link inside a block.

    A mark stands at the beginning of text, with the white space before it, whose style
    or link differs from that of the text before; a block begins plain.  An image, embed
    or rule has a mark too.  Preformatted text has none.
    """

    BLOCK = auto()
    # A byte of the text, or -1 for what is outside of text, before the block.
    START = auto()
    STYLE = auto()  # or IMAGE, EMBED or RULE
    LINK = auto()  # the row of the link that it is in, -1 for none
    # Style and link of the white space before.  Outside of text: the row of the parent
    # element, and the index among its children.
    AROUND_STYLE = auto()
    AROUND_LINK = auto()


class NodeColumn(_Column):
    """The columns of output's nodes: blocks, and the structures that contain them."""

    KIND = auto()  # one of NodeKind
    PARENT = auto()  # the node around it, -1 for the document
    ROW = auto()  # its row of the element table, -1 for a node without an element
    DEPTH = auto()  # the number of its ancestors, as renderers count them
    LAST = auto()  # its last child, -1 for none
    UNIT = auto()  # the number of the block, -1 for none
    LEVEL = auto()  # of a heading
    FIRST_SPAN = auto()  # the first of its spans
    LAST_SPAN = auto()  # the first span behind its own


class SpanColumn(_Column):
    """The columns of output's spans: text of one style and link, or an image."""

    START = auto()  # a byte of the walk's text, -1 for text that it does not have
    END = auto()
    STYLE = auto()
    LINK = auto()  # the number of a URL, 0 for none
    IMAGE = auto()


class NodeKind:
    """The kinds of nodes: first those of blocks, then those of structures.

    They are plain integers, as looking up an enum's members is slow.
    """

    PARAGRAPH, HEADING, CAPTION, CODE, IMAGE = range(5)
    EMBED, RULE = range(5, 7)
    BYLINE = 7  # of a post; it is made up and no block of the page
    DOCUMENT, LIST, NUMBERED, ITEM, QUOTE, TABLE, ROW, CELL = range(8, 16)
    DEFINITIONS, TERM, DEFINITION, FIGURE = range(16, 20)


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
    """The Cython declarations of columns (BLOCK_START), their numbers, and node kinds."""
    lines = ["# Made by setup.py from columns.py, where each column is explained.", ""]
    for name, table in TABLES.items():
        lines.append("cdef enum:")
        lines += [f"    {name}_{column.name} = {column:d}" for column in table]
        lines += [f"    {name}_COLUMNS = {len(table)}", ""]
    kinds = {name: kind for name, kind in vars(NodeKind).items() if name.isupper()}
    lines += ["cdef enum:", *(f"    IS_{name} = {kinds[name]}" for name in kinds), ""]
    return "\n".join(lines)
