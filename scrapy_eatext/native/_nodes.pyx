# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twin of placing.python_place().

Each method is described at the method of the same name in placing.py.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport free

import numpy as np

from scrapy_eatext.native.columns cimport *
from scrapy_eatext.native.common cimport Array, EATEXT_CHECKSUM, extend

from scrapy_eatext.output import inline, placing
from scrapy_eatext.page import tags, walk as walking

CHECKSUM = EATEXT_CHECKSUM

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef int STRONG = tags.STRONG_TEXT
cdef int EM = tags.EM_TEXT
cdef int QUOTED = tags.QUOTE_TEXT
cdef int IMAGE = walking.IMAGE, EMBED = walking.EMBED, RULE = walking.RULE
cdef int32_t MAX_TEXT = walking.MAX_TEXT
cdef int HEADING = tags.HEADING
cdef int CAPTION = tags.CAPTION
cdef int CODE = tags.CODE
cdef int DEEPEST = placing.DEEPEST
cdef Py_ssize_t ADDRESS_CHARS = inline.ADDRESS_CHARS
cdef bytes KIND_OF_TAG = placing.KIND_OF_TAG
# For each byte, the bits of the formats that have it as a sign.
cdef int[256] SIGNS
for _bit, _signs in placing.SIGNS.items():
    for _sign in _signs.encode():
        SIGNS[_sign] |= <int>_bit


cdef struct Node:
    # As in placing.py; its spans are those from ``first`` to before ``end``.
    int32_t kind, parent, row, depth, unit, level, first, end, last

cdef struct Span:
    # Bytes of the walk's text, the style, and the numbers of two addresses, 0 for none.
    int32_t start, end, style, link, image


cdef class Placing:
    cdef object inlines
    cdef bytes text
    cdef const char* data
    cdef const int32_t[:, ::1] elements, blocks, marks
    # The number of each block's first mark; the last entries are for the page's end.
    cdef const Py_ssize_t[::1] bounds
    # For each element the numbers of its node and of its address, counted from 1.
    cdef int32_t[::1] node_of, link_of
    cdef Array nodes, spans
    cdef list texts, addresses
    cdef dict numbers
    cdef Py_ssize_t used, next
    cdef list others

    def __cinit__(self, walk, inlines, list others):
        cdef Py_ssize_t block_count, element_count
        self.inlines = inlines
        self.text = walk.text
        self.data = self.text
        self.elements, self.blocks, self.marks = walk.elements, walk.blocks, walk.marks
        if (
            self.elements.shape[1] != ELEMENT_COLUMNS
            or self.blocks.shape[1] != BLOCK_COLUMNS
            or self.marks.shape[1] != MARK_COLUMNS
        ):
            raise ValueError("a table has another number of columns")
        self.others = others
        self.texts = []
        self.addresses = [""]
        self.numbers = {"": 0}
        block_count, element_count = self.blocks.shape[0], self.elements.shape[0]
        self.node_of = np.zeros(element_count, np.int32)
        self.link_of = np.zeros(element_count, np.int32)
        self.bounds = walk.marks[:, MARK_BLOCK].searchsorted(np.arange(block_count + 2))
        self.add(IS_DOCUMENT, -1)

    def __dealloc__(self):
        free(self.nodes.data)
        free(self.spans.data)

    cdef read(self, list units):
        cdef Py_ssize_t mark
        cdef int32_t unit
        cdef set links = set(), others = set(self.others)
        cdef list in_order
        for unit in units:
            for mark in range(self.bounds[unit], self.bounds[unit + 1]):
                if self.marks[mark, MARK_STYLE] < 0:
                    others.add(mark)
                else:
                    links.add(self.marks[mark, MARK_LINK])
                    links.add(self.marks[mark, MARK_AROUND_LINK])
        in_order = sorted(others)
        links.update([self.marks[mark, MARK_LINK] for mark in in_order])
        links.discard(-1)
        self.inlines.read(
            sorted(links),
            [self.marks[mark, MARK_AROUND_STYLE] for mark in in_order],
            [self.marks[mark, MARK_AROUND_LINK] for mark in in_order],
        )

    cdef result(self):
        cdef Py_ssize_t number
        cdef Node* node
        cdef list spans = [self.written(number) for number in range(len(self.texts))]
        cdef list kinds = [], parents = [], rows = [], units = [], levels = [], inside = []
        for number in range(<Py_ssize_t>(self.nodes.used // sizeof(Node))):
            node = self.at(number)
            kinds.append(node.kind)
            parents.append(node.parent)
            rows.append(node.row)
            units.append(node.unit)
            levels.append(node.level)
            inside.append(spans[node.first : node.end])
        return placing.Placed(kinds, parents, rows, units, levels, inside)

    cdef tuple written(self, Py_ssize_t number):
        cdef Span* span = self.span(number)
        cdef Py_ssize_t i, size = span.end - span.start
        cdef const char* data = self.data + span.start
        cdef str text = self.texts[number]
        cdef int signs = 0
        if text is None:
            text = data[:size].decode()
        else:
            data = PyUnicode_AsUTF8AndSize(text, &size)
        for i in range(size):
            signs |= SIGNS[<unsigned char>data[i]]
        link, image = self.addresses[span.link], self.addresses[span.image]
        return text, span.style, link, image, signs

    # -- nodes

    cdef inline Node* at(self, Py_ssize_t node) noexcept:
        return <Node*>self.nodes.data + node

    cdef Py_ssize_t add(
        self,
        int kind,
        int32_t parent,
        int32_t row=-1,
        int depth=0,
        int32_t unit=-1,
        int level=0,
        int32_t first=0,
        int32_t end=0,
    ) except -1:
        cdef Py_ssize_t number = self.nodes.used // sizeof(Node)
        cdef Node* made = <Node*>extend(&self.nodes, sizeof(Node))
        if made == NULL:
            raise MemoryError
        made[0] = Node(kind, parent, row, depth, unit, level, first, end, -1)
        if parent >= 0:
            self.at(parent).last = number
        return number

    cdef Py_ssize_t node(self, int32_t row) except -1:
        cdef list way = []
        cdef Py_ssize_t node
        cdef int32_t passed
        cdef int kind
        while row >= 0 and not self.node_of[row]:
            way.append(row)
            row = self.elements[row, ELEMENT_PARENT]
        node = 0 if row < 0 else self.node_of[row] - 1
        for passed in reversed(way):
            kind = KIND_OF_TAG[self.elements[passed, ELEMENT_TAG]]
            if kind and self.at(node).depth < DEEPEST:
                node = self.holder(kind, passed, node)
            self.node_of[passed] = node + 1
        return node

    cdef Py_ssize_t holder(self, int kind, int32_t row, Py_ssize_t parent) except -1:
        cdef bint into_item
        if kind == IS_ITEM and not is_list(self.at(parent)):
            parent = self.loose_list(parent)
        into_item = kind != IS_ITEM and is_list(self.at(parent))
        return self.add(kind, parent, row, self.at(parent).depth + 1 + into_item)

    cdef Py_ssize_t loose_list(self, Py_ssize_t parent) except -1:
        cdef int32_t last = self.at(parent).last
        if last >= 0 and self.at(last).kind == IS_LIST and self.at(last).row < 0:
            return last
        return self.add(IS_LIST, parent, -1, self.at(parent).depth + 1)

    cdef add_byline(self, byline):
        cdef Py_ssize_t node = self.node(byline.row), first = len(self.texts)
        for text, style in byline.texts:
            self.add_span(-1, -1, style, 0, 0, text)
        self.add(IS_BYLINE, node, -1, 0, -1, 0, first, len(self.texts))

    cdef int add_block(self, int32_t unit, bint is_code) except -1:
        cdef Py_ssize_t parent = self.node(self.blocks[unit, BLOCK_ELEMENT])
        cdef Py_ssize_t first_span, last_span
        cdef int kind = self.blocks[unit, BLOCK_KIND], level = 0
        if is_code or kind == CODE:
            self.add(IS_CODE, parent, -1, 0, unit)
            return 0
        first_span = len(self.texts)
        self.add_spans(unit)
        last_span = len(self.texts)
        if kind == HEADING:
            kind, level = IS_HEADING, self.blocks[unit, BLOCK_LEVEL]
        else:
            kind = IS_CAPTION if kind == CAPTION else IS_PARAGRAPH
        self.add(kind, parent, -1, 0, unit, level, first_span, last_span)
        return 0

    cdef int add_before(self, Py_ssize_t unit, int32_t start=MAX_TEXT) except -1:
        cdef Py_ssize_t mark, first, span, parent
        cdef int link
        while self.next < len(self.others):
            mark = self.others[self.next]
            if mark >= self.bounds[unit] or self.marks[mark, MARK_START] > start:
                break
            self.next += 1
            if self.marks[mark, MARK_STYLE] == RULE:
                parent = self.node(self.marks[mark, MARK_AROUND_STYLE])
                self.add(IS_RULE, parent)
                continue
            if self.marks[mark, MARK_STYLE] == EMBED:
                self.add_embed(mark)
                continue
            first = len(self.texts)
            link = self.link(self.marks[mark, MARK_LINK])
            if not self.allows(self.addresses[link]):
                link = 0
            self.add_images(mark, link, False)
            for span in range(first, len(self.texts)):
                parent = self.node(self.marks[mark, MARK_AROUND_STYLE])
                self.add(IS_IMAGE, parent, -1, 0, -1, 0, span, span + 1)
        return 0

    cdef int add_embed(self, Py_ssize_t mark) except -1:
        cdef int32_t row = self.marks[mark, MARK_AROUND_STYLE]
        cdef Py_ssize_t first = len(self.texts)
        label, url = self.inlines.embed(row, self.marks[mark, MARK_AROUND_LINK])
        if url and self.allows(url):
            self.add_span(-1, -1, 0, self.number(url), 0, label)
            self.add(IS_EMBED, self.node(row), -1, 0, -1, 0, first, first + 1)
        return 0

    # -- spans

    cdef inline Span* span(self, Py_ssize_t number) noexcept:
        return <Span*>self.spans.data + number

    cdef int add_spans(self, int32_t unit) except -1:
        cdef int32_t start = self.blocks[unit, BLOCK_START]
        cdef int32_t stop = self.blocks[unit, BLOCK_END], at, until
        cdef Py_ssize_t mark = self.bounds[unit], end = self.bounds[unit + 1]
        cdef Py_ssize_t first_span = len(self.texts)
        cdef int style, link = 0, row, linked = -1, around
        while mark < end and self.marks[mark, MARK_START] < 0:
            mark += 1
        until = self.marks[mark, MARK_START] if mark < end else stop
        if until > start:
            self.add_text(first_span, start, until, 0, 0)
        while mark < end:
            at = self.marks[mark, MARK_START]
            style = self.marks[mark, MARK_STYLE]
            row = self.marks[mark, MARK_LINK]
            if row != linked:
                link, linked = self.link(row), row
                if not self.allows(self.addresses[link]):
                    link = 0
            mark += 1
            if style < 0:
                if style == IMAGE:
                    self.add_images(mark - 1, link, True)
                continue
            around = self.link(self.marks[mark - 1, MARK_AROUND_LINK])
            until = self.marks[mark, MARK_START] if mark < end else stop
            if at > start and (self.data[at] == b" " or self.data[at] == b"\n"):
                at += self.add_space(first_span, &self.marks[mark - 1, 0], link, around)
            self.add_text(first_span, at, until, style, link)
        return 0

    cdef int add_space(
        self, Py_ssize_t first_span, const int32_t* mark, int link, int around
    ) except -1:
        """Add the space before a piece, unless its style and link are the piece's.

        Returns the number of characters added.
        """
        cdef Span* last = self.span(len(self.texts) - 1)
        cdef int32_t at = mark[MARK_START]
        cdef int style = mark[MARK_STYLE], differ = last.style ^ style
        cdef int common = last.style & style & mark[MARK_AROUND_STYLE]
        cdef int common_link = link
        if not last.link == link == around:
            common = common_link = 0
        elif differ & QUOTED:
            common = 0
        elif differ & STRONG:
            common &= QUOTED
        elif differ & EM:
            common &= STRONG | QUOTED
        if common == style and common_link == link:
            return 0
        self.add_text(first_span, at, at + 1, common, common_link)
        return 1

    cdef int add_text(
        self, Py_ssize_t first_span, int32_t start, int32_t end, int style, int link
    ) except -1:
        cdef Span* last
        if len(self.texts) > first_span:
            last = self.span(len(self.texts) - 1)
            if last.style == style and last.link == link and not last.image:
                last.end = end
                return 0
        return self.add_span(start, end, style, link, 0, None)

    cdef int add_span(
        self, int32_t start, int32_t end, int style, int link, int image, object text
    ) except -1:
        cdef Span* made = <Span*>extend(&self.spans, sizeof(Span))
        if made == NULL:
            raise MemoryError
        made[0] = Span(start, end, style, link, image)
        self.texts.append(text)
        return 0

    cdef int add_images(self, Py_ssize_t mark, int link, bint in_line) except -1:
        cdef object row = self.marks[mark, MARK_AROUND_STYLE]
        cdef object place = self.marks[mark, MARK_AROUND_LINK]
        for text, url, breaks in self.inlines.images(row, place, in_line):
            if self.allows(url):
                self.add_span(-1, -1, breaks, link, self.number(url), text)
        return 0

    # -- addresses

    cdef bint is_full(self) except -1:
        return self.used > ADDRESS_CHARS and self.used > self.inlines.most

    cdef bint allows(self, str url) except -1:
        self.used += len(url)
        return not self.is_full()

    cdef int link(self, int32_t row) except -1:
        if row < 0 or self.is_full():
            return 0
        if not self.link_of[row]:
            self.link_of[row] = self.number(self.inlines.link(row)) + 1
        return self.link_of[row] - 1

    cdef int number(self, str url) except -1:
        number = self.numbers.get(url)
        if number is None:
            number = self.numbers[url] = len(self.addresses)
            self.addresses.append(url)
        return number


cdef inline bint is_list(Node* node) noexcept:
    return node.kind == IS_LIST or node.kind == IS_NUMBERED


def place(
    walk not None,
    list units not None,
    code not None,
    bylines not None,
    inlines,
    list others not None,
):
    cdef Placing placed = Placing(walk, inlines, others)
    cdef int32_t unit
    for unit in units:
        if not 0 <= unit < placed.blocks.shape[0]:
            raise IndexError(f"there is no block {unit}")
    for mark in others:
        if not 0 <= mark < placed.marks.shape[0]:
            raise IndexError(f"there is no mark {mark}")
    placed.read(units)
    for unit in units:
        placed.add_before(unit)
        if bylines and unit in bylines:
            placed.add_byline(bylines[unit])
        placed.add_before(unit + 1, placed.blocks[unit, BLOCK_START])
        placed.add_block(unit, bool(code) and unit in code)
    placed.add_before(placed.blocks.shape[0] + 1)
    return placed.result()
