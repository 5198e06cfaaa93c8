# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twin of text.python_join()."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free

from scrapy_eatext.native.bytes cimport Array, add_bytes
from scrapy_eatext.native.checksum cimport EATEXT_CHECKSUM
from scrapy_eatext.native.columns cimport *

from scrapy_eatext.page import tags

CHECKSUM = EATEXT_CHECKSUM

cdef int ITEM = tags.ITEM
cdef int CELL = tags.CELL
cdef int NUMBERED = tags.TAG_ID["ol"]

cdef enum How:
    # How a unit stands in the text.
    NOTHING
    LISTED
    IN_ROW
    APART

cdef struct Place:
    # Of an element as an item or cell: 1 plus the kind of its first unit, 0 before
    # any; whether a unit of a row stood in it.
    int32_t begun
    uint8_t seen
    # As a row: whether it lays out the page, see text._tabular(), and, as cells, the
    # number of its units.  As the parent of rows: whether a row of a table is in it.
    uint8_t other
    uint8_t table
    int32_t cells
    # As a numbered list: its items so far.
    int32_t number


cdef int indent(Array* out, int32_t level, int32_t deepest) except -1:
    """Two spaces for each level, if there are any."""
    cdef int32_t i
    for i in range(min(level, deepest)):
        add(out, b"  ", 2)
    return 0


cdef inline int add(Array* out, const char* text, size_t size) except -1:
    if add_bytes(out, text, size):
        raise MemoryError
    return 0


cdef int check_text(const int32_t[:, ::1] blocks, Py_ssize_t i, Py_ssize_t size) except -1:
    """Raise unless there is a block of this number, with its text within bounds."""
    if not 0 <= i < blocks.shape[0]:
        raise IndexError(f"there is no block {i}")
    if not 0 <= blocks[i, BLOCK_START] <= blocks[i, BLOCK_END] <= size:
        raise ValueError("the tables of the walk do not fit together")
    return 0


cdef int check_holder(const int32_t[:, ::1] elements, int32_t row) except -1:
    """Raise unless there is an element of this number, and its parent, or neither is."""
    cdef Py_ssize_t count = elements.shape[0]
    if not -1 <= row < count or not (
        row < 0 or -1 <= elements[row, ELEMENT_PARENT] < count
    ):
        raise ValueError("the tables of the walk do not fit together")
    return 0


def join(walk, list kept not None, list first not None, int32_t deepest):
    """The text of some blocks of a walk, see text.python_join()."""
    cdef bytes text = walk.text
    cdef const int32_t[:, ::1] elements = walk.elements
    cdef const int32_t[:, ::1] blocks = walk.blocks
    cdef Py_ssize_t count = len(kept), n, i, size = len(text)
    cdef Py_ssize_t element_count = elements.shape[0]
    cdef const char* source = text
    cdef const int32_t* block
    cdef Place* places = NULL
    cdef Array out = Array(NULL, 0, 0)
    cdef bint placed = False
    cdef How before = NOTHING
    cdef int32_t before_row = -1
    if elements.shape[1] != ELEMENT_COLUMNS or blocks.shape[1] != BLOCK_COLUMNS:
        raise ValueError("a table has another number of columns")
    for i in kept:
        check_text(blocks, i, size)
        block = &blocks[i, 0]
        check_holder(elements, block[BLOCK_ITEM])
        check_holder(elements, block[BLOCK_ROW])
        placed |= block[BLOCK_ITEM] >= 0 or block[BLOCK_ROW] >= 0
    try:
        if placed:
            # One more entry, before the first, for units that are in no element.
            places = <Place*>calloc(element_count + 1, sizeof(Place))
            if places == NULL:
                raise MemoryError
            for i in kept:
                note_row(places + 1, &blocks[i, 0])
            for i in kept:
                note_table(places + 1, elements, blocks[i, BLOCK_ROW])
            for i, n in first:
                if 0 <= i < element_count:
                    places[i + 1].number = n - 1
        for i in kept:
            block = &blocks[i, 0]
            before = lead(
                &out,
                block,
                elements,
                places + 1 if placed else NULL,
                before,
                before_row,
                deepest,
            )
            before_row = block[BLOCK_ROW]
            add(&out, source + block[BLOCK_START], block[BLOCK_END] - block[BLOCK_START])
        return out.data[: out.used].decode() if out.used else ""
    finally:
        free(places)
        free(out.data)


cdef void note_row(Place* places, const int32_t* block) noexcept nogil:
    """Note what a unit tells of its row, see text._tabular()."""
    cdef Place* row
    cdef Place* item
    if block[BLOCK_ROW] < 0:
        return
    row, item = places + block[BLOCK_ROW], places + block[BLOCK_ITEM]
    if block[BLOCK_KIND] != CELL or item.seen:
        row.other = True
    item.seen = True
    row.cells += 1


cdef void note_table(
    Place* places, const int32_t[:, ::1] elements, int32_t row
) noexcept nogil:
    """Note what is around a row with several cells: all rows in it are a table's."""
    if row >= 0 and places[row].cells > 1 and not places[row].other:
        places[elements[row, ELEMENT_PARENT]].table = True


cdef How lead(
    Array* out,
    const int32_t* block,
    const int32_t[:, ::1] elements,
    Place* places,
    How before,
    int32_t before_row,
    int32_t deepest,
) except *:
    """Add the gap and the mark before a unit's text, and return how the unit stands."""
    cdef int32_t item = block[BLOCK_ITEM], row = block[BLOCK_ROW], level = block[BLOCK_LEVEL]
    cdef int32_t ordered
    cdef int kind = block[BLOCK_KIND]
    cdef bint again = item >= 0 and places[item].begun > 0
    cdef char[16] number
    cdef int size
    cdef How how
    if item >= 0 and not again:
        places[item].begun = kind + 1
    if kind == ITEM and (item < 0 or places[item].begun == kind + 1):
        if before != NOTHING:
            add(out, b"\n\n", 1 if before == LISTED else 2)
        indent(out, level - 1 + again, deepest)
        if not again:
            ordered = elements[item, ELEMENT_PARENT] if item >= 0 else -1
            if ordered >= 0 and elements[ordered, ELEMENT_TAG] == NUMBERED:
                places[ordered].number += 1
                size = snprintf(number, sizeof(number), b"%d. ", places[ordered].number)
                add(out, number, size)
            else:
                add(out, b"- ", 2)
        return LISTED
    how = APART
    if row >= 0 and not places[row].other and places[elements[row, ELEMENT_PARENT]].table:
        how = IN_ROW
    if before != NOTHING:
        if how == IN_ROW and before == IN_ROW:
            if row == before_row:
                add(out, b" | ", 3)
            else:
                add(out, b"\n", 1)
        else:
            add(out, b"\n\n", 2)
    return how
