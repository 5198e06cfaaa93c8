# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twin of text.python_join()."""

from libc.stdint cimport int32_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free

from scrapy_eatext.native.columns cimport *
from scrapy_eatext.native.common cimport Array, EATEXT_CHECKSUM, add_bytes

from scrapy_eatext.page import tags

CHECKSUM = EATEXT_CHECKSUM

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8(object text) except NULL

cdef int ITEM = tags.ITEM
cdef int NUMBERED = tags.TAG_ID["ol"]

cdef enum How:
    # How a unit is placed in the text.
    NOTHING
    LISTED
    APART

cdef struct Item:
    # For an element that is an item: 1 plus the kind of its first unit, 0 before any.
    int32_t begun
    # For a numbered list: the number of its items so far.
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
    """Raise unless the block exists and its text is within bounds."""
    if not 0 <= i < blocks.shape[0]:
        raise IndexError(f"there is no block {i}")
    if not 0 <= blocks[i, BLOCK_START] <= blocks[i, BLOCK_END] <= size:
        raise ValueError("the tables of the walk do not fit together")
    return 0


cdef int check_holder(const int32_t[:, ::1] elements, int32_t row) except -1:
    """Raise unless the element and its parent exist, or neither is given."""
    cdef Py_ssize_t count = elements.shape[0]
    if not -1 <= row < count or not (
        row < 0 or -1 <= elements[row, ELEMENT_PARENT] < count
    ):
        raise ValueError("the tables of the walk do not fit together")
    return 0


def join(
    walk, list kept not None, list first not None, list gaps not None, int32_t deepest
):
    """The text of some blocks of a walk, see text.python_join()."""
    cdef bytes text = walk.text
    cdef const int32_t[:, ::1] elements = walk.elements
    cdef const int32_t[:, ::1] blocks = walk.blocks
    cdef Py_ssize_t n, i, at, size = len(text)
    cdef Py_ssize_t element_count = elements.shape[0]
    cdef const char* source = text
    cdef const int32_t* block
    cdef Item* items = NULL
    cdef Array out = Array(NULL, 0, 0)
    cdef bint listed = False
    cdef How before = NOTHING
    cdef str gap
    if elements.shape[1] != ELEMENT_COLUMNS or blocks.shape[1] != BLOCK_COLUMNS:
        raise ValueError("a table has another number of columns")
    if gaps and len(gaps) != len(kept):
        raise ValueError("there is not a gap for each block")
    for i in kept:
        check_text(blocks, i, size)
        block = &blocks[i, 0]
        check_holder(elements, block[BLOCK_ITEM])
        listed |= block[BLOCK_ITEM] >= 0
    try:
        if listed:
            items = <Item*>calloc(element_count, sizeof(Item))
            if items == NULL:
                raise MemoryError
            for i, n in first:
                if 0 <= i < element_count:
                    items[i].number = n - 1
        for at, i in enumerate(kept):
            block = &blocks[i, 0]
            gap = gaps[at] if gaps else ""
            if gap:
                if before != NOTHING:
                    add(&out, PyUnicode_AsUTF8(gap), len(gap))
                before = APART
            else:
                before = lead(&out, block, elements, items, before, deepest)
            add(&out, source + block[BLOCK_START], block[BLOCK_END] - block[BLOCK_START])
        return out.data[: out.used].decode() if out.used else ""
    finally:
        free(items)
        free(out.data)


cdef How lead(
    Array* out,
    const int32_t* block,
    const int32_t[:, ::1] elements,
    Item* items,
    How before,
    int32_t deepest,
) except *:
    """Add the gap and the mark before a unit's text; returns the unit's placement."""
    cdef int32_t item = block[BLOCK_ITEM], level = block[BLOCK_LEVEL]
    cdef int32_t ordered
    cdef int kind = block[BLOCK_KIND]
    cdef bint again = item >= 0 and items[item].begun > 0
    cdef char[16] number
    cdef int size
    if item >= 0 and not again:
        items[item].begun = kind + 1
    if kind == ITEM and (item < 0 or items[item].begun == kind + 1):
        if before != NOTHING:
            add(out, b"\n\n", 1 if before == LISTED else 2)
        indent(out, level - 1 + again, deepest)
        if not again:
            ordered = elements[item, ELEMENT_PARENT] if item >= 0 else -1
            if ordered >= 0 and elements[ordered, ELEMENT_TAG] == NUMBERED:
                items[ordered].number += 1
                size = snprintf(number, sizeof(number), b"%d. ", items[ordered].number)
                add(out, number, size)
            else:
                add(out, b"- ", 2)
        return LISTED
    if before != NOTHING:
        add(out, b"\n\n", 2)
    return APART
