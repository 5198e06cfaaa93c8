# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twins of what output and metadata look for in the walk's tables."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from scrapy_eatext.page.columns cimport *

from scrapy_eatext.page import tags

cdef extern from *:
    const unsigned int EATEXT_CHECKSUM

# Of the sources that this is built from, see checksum.py.
CHECKSUM = EATEXT_CHECKSUM

cdef int ITEM = tags.ITEM
cdef int CELL = tags.CELL
cdef int CODE = tags.CODE
cdef int HEADING = tags.HEADING
cdef int NUMBERED = tags.TAG_ID["ol"]

cdef enum How:
    # What a unit stands as.
    NOTHING
    LISTED
    IN_ROW
    APART


cdef struct Place:
    # Of an element as an item: the kind that it begins with, and one more, 0 for
    # none; whether a unit of a row stood in it.
    int32_t begun
    uint8_t seen
    # As a row: its units, and whether one of them is none of a table's.  As what is
    # around rows: whether one of these has several cells.
    uint8_t other
    uint8_t table
    int32_t cells
    # As a numbered list: its items so far.
    int32_t number


cdef struct Buffer:
    char* data
    size_t used
    size_t room
    bint failed


cdef char* more(Buffer* buffer, size_t size) noexcept nogil:
    """Room for so many bytes at the end, which count as used; NULL for no memory."""
    cdef size_t room = buffer.used + size
    cdef char* data
    if room > buffer.room:
        room += room // 2
        data = <char*>realloc(buffer.data, room)
        if data == NULL:
            buffer.failed = True
            return NULL
        buffer.data = data
        buffer.room = room
    buffer.used += size
    return buffer.data + buffer.used - size


cdef void add(Buffer* buffer, const char* text, size_t size) noexcept nogil:
    cdef char* at = more(buffer, size)
    if at != NULL:
        memcpy(at, text, size)


cdef void indent(Buffer* buffer, int32_t level, int32_t deepest) noexcept nogil:
    """Two spaces for each level, if there are any."""
    cdef char* at
    level = min(level, deepest)
    if level > 0:
        at = more(buffer, 2 * <size_t>level)
        if at != NULL:
            memset(at, b" ", 2 * <size_t>level)


def join(
    bytes text not None,
    const int32_t[:, ::1] elements,
    const int32_t[:, ::1] blocks,
    list kept not None,
    list first_numbers not None,
    int32_t deepest,
):
    """The text of some of the blocks, as it comes out; see text.first_numbers()."""
    cdef Py_ssize_t count = len(kept), n, i, size = len(text)
    cdef Py_ssize_t element_count = elements.shape[0]
    cdef const char* source = text
    cdef const int32_t* block
    cdef Place* places = NULL
    cdef Buffer out
    cdef bint placed = False
    cdef How before = NOTHING
    cdef int32_t before_row = -1
    out.data = NULL
    out.used = out.room = 0
    out.failed = False
    if (
        elements.shape[1] != ELEMENT_COLUMNS
        or blocks.shape[1] != BLOCK_COLUMNS
    ):
        raise ValueError("a table has another number of columns")
    for i in kept:
        if not 0 <= i < blocks.shape[0]:
            raise IndexError(f"there is no block {i}")
        block = &blocks[i, 0]
        if not (
            0 <= block[BLOCK_START] <= block[BLOCK_END] <= size
            and -1 <= block[BLOCK_ITEM] < element_count
            and -1 <= block[BLOCK_ROW] < element_count
            and (block[BLOCK_ROW] < 0 or -1 <= elements[block[BLOCK_ROW], ELEMENT_PARENT] < element_count)
            and (
                block[BLOCK_ITEM] < 0
                or -1 <= elements[block[BLOCK_ITEM], ELEMENT_PARENT] < element_count
            )
        ):
            raise ValueError("the tables of the walk do not fit together")
        placed |= block[BLOCK_ITEM] >= 0 or block[BLOCK_ROW] >= 0
    try:
        if placed:
            # One more, the first, for what is in no element.
            places = <Place*>calloc(element_count + 1, sizeof(Place))
            if places == NULL:
                raise MemoryError
            for i in kept:
                note_row(places + 1, &blocks[i, 0])
            for i in kept:
                note_table(places + 1, elements, blocks[i, BLOCK_ROW])
            for i, n in first_numbers:
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
        if out.failed:
            raise MemoryError
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
    Buffer* out,
    const int32_t* block,
    const int32_t[:, ::1] elements,
    Place* places,
    How before,
    int32_t before_row,
    int32_t deepest,
) noexcept nogil:
    """Add what stands before a unit's text, and tell what it stands as."""
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


def with_kept(const int32_t[:, ::1] elements, list rows not None, list kept not None):
    """The compiled twin of posts.python_with_kept()."""
    cdef list found = []
    cdef Py_ssize_t i, low, high, middle, count = len(kept)
    cdef int32_t* numbers = <int32_t*>calloc(count + 1, sizeof(int32_t))
    cdef int32_t row
    if numbers == NULL:
        raise MemoryError
    try:
        for i in range(count):
            numbers[i] = kept[i]
        for row in rows:
            if not 0 <= row < elements.shape[0]:
                raise IndexError(f"there is no element {row}")
            low, high = 0, count
            while low < high:
                middle = (low + high) // 2
                if numbers[middle] < elements[row, ELEMENT_FIRST_BLOCK]:
                    low = middle + 1
                else:
                    high = middle
            if low < count and numbers[low] < elements[row, ELEMENT_LAST_BLOCK]:
                found.append(row)
    finally:
        free(numbers)
    return found


def tagged(const int32_t[:, ::1] elements, int32_t tag, int32_t begin, int32_t end):
    """The compiled twin of visible.python_tagged()."""
    cdef list found = []
    cdef Py_ssize_t row
    for row in range(elements.shape[0]):
        if elements[row, ELEMENT_FIRST_BLOCK] >= end:
            break
        if elements[row, ELEMENT_TAG] == tag and elements[row, ELEMENT_FIRST_BLOCK] >= begin:
            found.append(row)
    return found


def headings(const int32_t[:, ::1] blocks, int most):
    """The compiled twin of visible.python_headings()."""
    cdef list found = []
    cdef Py_ssize_t i
    for i in range(blocks.shape[0]):
        if blocks[i, BLOCK_KIND] == HEADING and blocks[i, BLOCK_LEVEL] == 1:
            if len(found) == most:
                break
            found.append(i)
    return found


def texts(bytes text not None, const int32_t[:, ::1] blocks, list numbers not None):
    """The compiled twin of blocks.python_texts()."""
    cdef list found = []
    cdef Py_ssize_t i, size = len(text)
    cdef const char* data = text
    for i in numbers:
        if not 0 <= i < blocks.shape[0]:
            raise IndexError(f"there is no block {i}")
        if not 0 <= blocks[i, BLOCK_START] <= blocks[i, BLOCK_END] <= size:
            raise ValueError("the tables of the walk do not fit together")
        found.append(data[blocks[i, BLOCK_START] : blocks[i, BLOCK_END]].decode())
    return found


def short(
    const int32_t[:, ::1] blocks, Py_ssize_t begin, Py_ssize_t end, int longest
):
    """The compiled twin of visible.python_short()."""
    cdef list found = []
    cdef Py_ssize_t i
    for i in range(begin, min(end, blocks.shape[0])):
        if blocks[i, BLOCK_CHARS] <= longest and blocks[i, BLOCK_KIND] != CODE:
            found.append(i)
    return found


cdef extern from "Python.h":
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 c) noexcept

cdef enum:
    YEAR_DIGITS = 4


cdef inline bint is_digit(char c) noexcept nogil:
    return 48 <= c <= 57


def dated(bytes text not None, const int32_t[:, ::1] blocks, int longest):
    """The compiled twin of visible.python_dated()."""
    cdef list found = []
    cdef Py_ssize_t i, size = len(text)
    for i in range(blocks.shape[0]):
        if blocks[i, BLOCK_CHARS] > longest:
            continue
        if not 0 <= blocks[i, BLOCK_START] <= blocks[i, BLOCK_END] <= size:
            raise ValueError("the tables of the walk do not fit together")
        if has_date_digits(
            <const char*>text + blocks[i, BLOCK_START], <const char*>text + blocks[i, BLOCK_END]
        ):
            found.append(i)
    return found


cdef bint has_date_digits(const char* at, const char* end) noexcept:
    """Whether a text has a year in it, and another digit."""
    cdef const char* start = at
    cdef const char* stop = end - 3
    cdef bint is_year = False
    cdef int count = 0
    while at < stop and not is_year:
        if not is_digit(at[3]):
            # No year has this sign.
            at += 4
        elif is_digit(at[2]) and (
            (at[0] == b"1" and at[1] == b"9") or (at[0] == b"2" and at[1] == b"0")
        ):
            is_year = True
        else:
            at += 1
    if not is_year:
        return False
    at = start
    while at < end and count <= YEAR_DIGITS:
        count += Py_UNICODE_ISDECIMAL(<Py_UCS4>after(&at, end))
    return count > YEAR_DIGITS


cdef inline uint32_t after(const char** at, const char* end) noexcept:
    """The character that begins here; what is pointed at moves behind it."""
    cdef unsigned char first = at[0][0]
    cdef uint32_t code
    cdef int size
    if first < 0x80:
        at[0] += 1
        return first
    size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    code = first & (0xFF >> (size + 1))
    at[0] += 1
    while size > 1 and at[0] < end:
        code = code << 6 | (<unsigned char>at[0][0] & 0x3F)
        at[0] += 1
        size -= 1
    return code
