# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twins of functions of sites, output and metadata that search the walk's
tables, or a page's source.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memset

from scrapy_eatext.native.bytes cimport Array, add_bytes, decode
from scrapy_eatext.native.checksum cimport EATEXT_CHECKSUM
from scrapy_eatext.native.columns cimport *

import numpy as np

from scrapy_eatext.page import tags

CHECKSUM = EATEXT_CHECKSUM

cdef int ITEM = tags.ITEM
cdef int CELL = tags.CELL
cdef int WHOLE = len(tags.KINDS)
cdef int NUMBERED = tags.TAG_ID["ol"]

cdef enum How:
    # How a unit stands in the text.
    NOTHING
    LISTED
    IN_ROW
    APART

cdef enum:
    # The columns of evidence.Table.facts.
    EVIDENCE
    SPOKEN
    USUAL
    FACTS


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


def lines_in(
    str text not None,
    list lengths not None,
    list kinds not None,
    list words not None,
    list items not None,
    Py_ssize_t end,
):
    """The compiled twin of chunks.python_lines_in()."""
    cdef list starts = [], ends = [], begins = []
    cdef Py_ssize_t i, begin, before, length, count = len(kinds)
    cdef Py_ssize_t first = end, last = 0, item = 0
    cdef int kind
    cdef bint is_first
    cdef str said, mark
    if not count == len(lengths) == len(words):
        raise ValueError("the columns differ in length")
    for i in range(count):
        length, kind, is_first, before = lengths[i], kinds[i], True, 0
        begin = end + 2
        if (kind == ITEM or kind == CELL) and end > first:
            begin = end + (2 if text.startswith("\n\n", end) else 1)
        if kind == ITEM:
            if item >= len(items):
                raise IndexError("a list item has no text")
            said = items[item]
            item += 1
            if text.startswith("- ", begin) and text.startswith(said, begin + 2):
                words[i] += 1
                before = 2
            else:
                # It imports this module, and is there only later.
                from scrapy_eatext.output.chunks import mark_of
                mark = mark_of(text, said, begin)
                words[i] += len(mark.split())
                before = len(mark)
        elif kind == CELL and begin == end + 1:
            kinds[last] = kinds[i] = WHOLE
            is_first = not text.startswith(" | ", end)
            if not is_first:
                begin = end + 3
                words[last] += words[i] + 1
                ends[last] = begin + length
        end = begin + before + length
        if is_first:
            last = i
        starts.append(begin)
        ends.append(end)
        begins.append(is_first)
    return starts, ends, begins


def with_kept(const int32_t[:, ::1] elements, list rows not None, list kept not None):
    """The compiled twin of posts.python_with_kept()."""
    cdef list found = []
    cdef Py_ssize_t low, high, middle
    cdef int32_t row
    for row in rows:
        if not 0 <= row < elements.shape[0]:
            raise IndexError(f"there is no element {row}")
        low, high = 0, len(kept)
        while low < high:
            middle = (low + high) // 2
            if <int32_t>kept[middle] < elements[row, ELEMENT_FIRST_BLOCK]:
                low = middle + 1
            else:
                high = middle
        if low < len(kept) and <int32_t>kept[low] < elements[row, ELEMENT_LAST_BLOCK]:
            found.append(row)
    return found


def texts(bytes text not None, const int32_t[:, ::1] blocks, list numbers not None):
    """The compiled twin of blocks.python_texts()."""
    cdef list found = []
    cdef Py_ssize_t i, size = len(text)
    cdef const char* data = text
    for i in numbers:
        check_text(blocks, i, size)
        found.append(data[blocks[i, BLOCK_START] : blocks[i, BLOCK_END]].decode())
    return found


def with_bytes(
    bytes text not None,
    const int32_t[:, ::1] blocks,
    list numbers not None,
    bytes wanted not None,
):
    """The compiled twin of blocks.python_with_bytes()."""
    cdef list found = []
    cdef Py_ssize_t i, at, size = len(text)
    cdef const uint8_t* data = text
    cdef uint8_t[256] is_wanted
    cdef uint8_t byte
    memset(is_wanted, 0, sizeof(is_wanted))
    for byte in wanted:
        is_wanted[byte] = True
    for i in numbers:
        check_text(blocks, i, size)
        for at in range(blocks[i, BLOCK_START], blocks[i, BLOCK_END]):
            if is_wanted[data[at]]:
                found.append(i)
                break
    return found


def place_of(
    bytes source not None, bytes word not None, Py_ssize_t sign, Py_ssize_t begin
):
    """The compiled twin of jsonld.python_place_of()."""
    cdef const char* wanted = word
    cdef const char* data = source
    cdef const char* at
    cdef Py_ssize_t size = len(word), last = len(source) - size
    if not (0 <= sign < size and begin >= 0):
        raise IndexError("a place is outside of the word or the source")
    # One byte is found many times as quickly as a word.
    while begin <= last:
        at = <const char*>memchr(data + begin + sign, wanted[sign], last - begin + 1)
        if at == NULL:
            break
        begin = at - data - sign
        if memcmp(data + begin, wanted, size) == 0:
            return begin
        begin += 1
    return -1


def rows_with(const int32_t[:, ::1] table, Py_ssize_t column, int32_t value):
    """The compiled twin of tables.python_rows_with()."""
    cdef Py_ssize_t row
    if not 0 <= column < table.shape[1]:
        raise IndexError(f"there is no column {column}")
    return [row for row in range(table.shape[0]) if table[row, column] == value]


def values_of(
    const int32_t[:, ::1] table, list rows not None, tuple columns not None
):
    """The compiled twin of tables.python_values_of()."""
    cdef list found = []
    cdef Py_ssize_t row, column
    for row in rows:
        if not 0 <= row < table.shape[0]:
            raise IndexError(f"there is no row {row}")
    for column in columns:
        if not 0 <= column < table.shape[1]:
            raise IndexError(f"there is no column {column}")
        found.append([table[row, column] for row in rows])
    return found


ctypedef fused Key:
    uint32_t
    uint64_t


cdef inline Py_ssize_t find(const Key[::1] keys, Key wanted) noexcept nogil:
    """Where a key stands among keys in their order, or else the last place."""
    cdef Py_ssize_t at = 0, half, count = keys.shape[0]
    while count > 1:
        half = count // 2
        # As a compiler takes it without a branch.
        at += half if keys[at + half - 1] < wanted else 0
        count -= half
    return at if keys[at] == wanted else keys.shape[0] - 1


def named(
    const uint32_t[::1] tokens,
    const int32_t[:, ::1] elements,
    const uint8_t[::1] maybe,
    const uint32_t[::1] hashes,
    const uint32_t[::1] bits,
    int count,
):
    """The compiled twin of names.python_named()."""
    cdef list found = [[] for _ in range(count)], mine
    cdef Py_ssize_t at, place, row = -1, rows = elements.shape[0]
    cdef uint32_t token, mask = maybe.shape[0] - 1, wanted
    cdef int i
    if (
        elements.shape[1] != ELEMENT_COLUMNS
        or not 0 < bits.shape[0] == hashes.shape[0]
        or maybe.shape[0] & mask
    ):
        raise ValueError("the tables do not fit together")
    for at in range(tokens.shape[0]):
        token = tokens[at]
        if not maybe[token & mask]:
            continue
        place = find(hashes, token)
        if hashes[place] != token:
            continue
        while row + 1 < rows and elements[row + 1, ELEMENT_FIRST_TOKEN] <= at:
            row += 1
        wanted = bits[place]
        for i in range(count):
            mine = <list>found[i]
            # An element may have several of the words.
            if wanted >> i & 1 and not (mine and mine[len(mine) - 1] == row):
                mine.append(row)
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
        check_text(blocks, i, size)
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
    cdef uint32_t code
    while at < stop and not is_year:
        if not is_digit(at[3]):
            # This byte is no digit, so no year includes it.
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
        at += decode(<const uint8_t*>at, &code)
        count += Py_UNICODE_ISDECIMAL(<Py_UCS4>code)
    return count > YEAR_DIGITS


cdef inline uint64_t mixed(uint64_t value, uint64_t spread, int shift) noexcept nogil:
    value *= spread
    return (value ^ value >> shift) * spread


cdef class evidence_of:
    """The compiled twin of evidence.python_evidence_of()."""

    cdef uint64_t spread, down
    cdef int shift, html, body, dropped
    cdef double alike

    def __init__(self, hashing, nameless, alike, dropped):
        self.spread, self.down, self.shift = hashing
        self.html, self.body = nameless
        self.alike, self.dropped = alike, dropped

    def __call__(self, walk, list tables not None, const uint64_t[::1] dropped):
        cdef const int32_t[:, ::1] blocks = walk.blocks
        cdef Py_ssize_t i, count = blocks.shape[0]
        cdef uint64_t text
        added, spoken = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.bool_)
        cdef int64_t[::1] sums = added
        if blocks.shape[1] != BLOCK_COLUMNS:
            raise ValueError("a table has another number of columns")
        if not dropped.shape[0]:
            raise ValueError("no end of the texts")
        if tables:
            self.add_places(tables, self.places(walk), sums, spoken.view(np.uint8))
        for i in range(count):
            text = <uint32_t>blocks[i, BLOCK_HASH]
            if dropped[find(dropped, text)] == text:
                sums[i] += self.dropped
        return added, spoken

    cdef int add_places(
        self, list tables, here, int64_t[::1] added, uint8_t[::1] spoken
    ) except -1:
        """Add the evidence of the template that a page with some places is most like."""
        cdef const uint64_t[::1] keys, of_blocks = here
        cdef uint64_t[::1] met = np.sort(here)
        cdef const int64_t[:, ::1] facts
        cdef Py_ssize_t i, at, usual, both, count = 0
        cdef double alike, best = self.alike
        cdef object found = None
        for i in range(met.shape[0]):
            if i == 0 or met[i] != met[count - 1]:
                met[count] = met[i]
                count += 1
        for table in tables:
            keys, facts, usual = table.keys, table.facts, table.usual
            if not (0 < keys.shape[0] == facts.shape[0] and facts.shape[1] == FACTS):
                raise ValueError("a template's places lack facts")
            both = 0
            for i in range(count):
                both += facts[find(keys, met[i]), USUAL]
            alike = <double>both / max(usual + count - both, 1)
            if alike >= best:
                best, found = alike, table
        if found is None:
            return 0
        keys, facts = found.keys, found.facts
        for i in range(of_blocks.shape[0]):
            at = find(keys, of_blocks[i])
            added[i], spoken[i] = facts[at, EVIDENCE], facts[at, SPOKEN]
        return 0

    cdef places(self, walk):
        """What places.places() gives."""
        cdef const int32_t[:, ::1] elements = walk.elements
        cdef const int32_t[:, ::1] blocks = walk.blocks
        cdef const uint32_t[::1] tokens = walk.tokens
        made = np.empty(blocks.shape[0], dtype=np.uint64)
        cdef uint64_t[::1] here = made
        # Of each element; the first entry stands for the parent of the root.
        cdef uint64_t[::1] found = np.zeros(elements.shape[0] + 1, dtype=np.uint64)
        cdef uint64_t names, spread = self.spread
        cdef int32_t parent, tag, first, count
        cdef Py_ssize_t i, k
        if elements.shape[1] != ELEMENT_COLUMNS:
            raise ValueError("a table has another number of columns")
        for i in range(elements.shape[0]):
            parent, tag = elements[i, ELEMENT_PARENT], elements[i, ELEMENT_TAG]
            first, count = elements[i, ELEMENT_FIRST_TOKEN], elements[i, ELEMENT_TOKENS]
            if not (-1 <= parent < i and 0 <= first <= <Py_ssize_t>first + count <= tokens.shape[0]):
                raise ValueError("the tables of the walk do not fit together")
            names = 0
            if tag != self.html and tag != self.body:
                for k in range(first, first + count):
                    names += mixed(tokens[k], spread, self.shift)
            found[i + 1] = mixed(names + <uint64_t>tag, spread, self.shift)
            found[i + 1] += self.down * found[parent + 1]
        for i in range(blocks.shape[0]):
            if not 0 <= blocks[i, BLOCK_INNER] < elements.shape[0]:
                raise ValueError("the tables of the walk do not fit together")
            here[i] = found[blocks[i, BLOCK_INNER] + 1]
        return made
