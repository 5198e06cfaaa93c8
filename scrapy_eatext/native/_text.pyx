# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twins of text.python_join() and markdown.python_inline()."""

from libc.stdint cimport int32_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free

from scrapy_eatext.native.columns cimport *
from scrapy_eatext.native.common cimport Array, EATEXT_CHECKSUM, add_bytes

from scrapy_eatext.page import tags

CHECKSUM = EATEXT_CHECKSUM

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8(object text) except NULL

cdef int STRONG = tags.STRONG_TEXT, EM = tags.EM_TEXT, QUOTED = tags.QUOTE_TEXT
cdef int EMPHASIS = STRONG | EM
cdef int ITEM = tags.ITEM
cdef int NUMBERED = tags.TAG_ID["ol"]

cdef enum How:
    # How a unit is placed in the text.
    NOTHING
    LISTED
    APART

cdef struct Item:
    # For an item: 1 plus the kind of its first unit, 0 before it.
    int32_t begun
    # For a numbered list: the number of its last item.
    int32_t number


cdef inline int add(Array* out, const char* text, size_t size) except -1:
    if add_bytes(out, text, size):
        raise MemoryError
    return 0


cdef const int32_t* block_of(
    const int32_t[:, ::1] blocks, const int32_t[:, ::1] elements, Py_ssize_t i, Py_ssize_t size
) except NULL:
    """A block; raises unless the tables have its text, its item and the item's parent."""
    cdef const int32_t* block
    cdef int32_t item
    if not 0 <= i < blocks.shape[0]:
        raise IndexError(f"there is no block {i}")
    block = &blocks[i, 0]
    item = block[BLOCK_ITEM]
    if not (
        0 <= block[BLOCK_START] <= block[BLOCK_END] <= size
        and -1 <= item < elements.shape[0]
        and (item < 0 or -1 <= elements[item, ELEMENT_PARENT] < elements.shape[0])
    ):
        raise ValueError("the tables of the walk do not fit together")
    return block


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
    cdef Item* items
    cdef Array out = Array(NULL, 0, 0)
    cdef How before = NOTHING
    cdef str gap
    if elements.shape[1] != ELEMENT_COLUMNS or blocks.shape[1] != BLOCK_COLUMNS:
        raise ValueError("a table has another number of columns")
    if gaps and len(gaps) != len(kept):
        raise ValueError("there is not a gap for each block")
    items = <Item*>calloc(element_count + 1, sizeof(Item))
    if items == NULL:
        raise MemoryError
    try:
        for i, n in first:
            if 0 <= i < element_count:
                items[i].number = n - 1
        for at, i in enumerate(kept):
            block = block_of(blocks, elements, i, size)
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
    cdef int32_t item = block[BLOCK_ITEM], level, ordered
    cdef int kind = block[BLOCK_KIND]
    cdef bint again = item >= 0 and items[item].begun > 0
    cdef char[16] number
    cdef int size
    if item >= 0 and not again:
        items[item].begun = kind + 1
    if kind == ITEM and (item < 0 or items[item].begun == kind + 1):
        if before != NOTHING:
            add(out, b"\n\n", 1 if before == LISTED else 2)
        for level in range(min(block[BLOCK_LEVEL] - 1 + again, deepest)):
            add(out, b"  ", 2)
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


cdef class inline:
    """See markdown.python_inline(); rare spans are left to the given functions."""

    cdef object escaped, address, in_elements, emphasised, first_of, quoted, without, parted
    cdef object markup, in_link
    # The bit of spans with signs, and the most brackets.
    cdef Py_ssize_t signs, most

    def __init__(self, functions, patterns, signs, most):
        (self.escaped, self.address, self.in_elements, self.emphasised, self.first_of,
         self.quoted, self.without, self.parted) = functions
        self.markup, self.in_link = patterns
        self.signs, self.most = signs, most

    def __call__(self, spans not None, *, int hidden=0):
        cdef int styles = 0
        cdef Py_ssize_t brackets = 0, first, end = 0, count
        cdef bint has_images = False
        cdef list inside, out = []
        cdef tuple span
        cdef str text, link, last = ""
        cdef object markup
        for span in spans:
            styles |= <int>span[1]
            has_images |= span[3] != ""
            if <int>span[4] & self.signs:
                brackets += (<str>span[0]).count("[")
        if len(spans) == 1 and not (styles & ~hidden or has_images or span[2]):
            return self.escape(span[0], span[4], self.markup)
        markup = self.markup if brackets <= self.most else self.in_link
        if styles & QUOTED:
            spans = self.quoted(spans)
        if hidden:
            spans = self.without(spans, hidden)
        if has_images:
            spans = self.parted(spans)
        inside = spans if type(spans) is list else list(spans)
        count = len(inside)
        while end < count:
            first = end
            link = (<tuple>inside[first])[2]
            end += 1
            while end < count and (<tuple>inside[end])[2] == link:
                end += 1
            if link:
                if last.endswith("!"):
                    out[len(out) - 1] = f"{last[: len(last) - 1]}\\!"
                text = self.styled(inside, first, end, EMPHASIS, "", "", self.in_link)
                last = f"[{label(text)}]({self.address(link)})"
            else:
                last = self.styled(
                    inside, first, end, EMPHASIS, ending(last),
                    "[" if end < count else "", markup,
                )
            out.append(last)
        return last if len(out) == 1 else "".join(out)

    cdef str escape(self, str text, int signs, markup):
        return self.escaped(text, signs, markup) if signs & self.signs else text

    cdef str styled(
        self, list spans, Py_ssize_t first, Py_ssize_t end, int styles, str before,
        str after, markup
    ):
        """The spans from ``first`` to before ``end``, see markdown._styled()."""
        cdef int in_all = ~0, in_any = 0, style, inner, shown
        cdef Py_ssize_t at, begin = first
        cdef list out = []
        cdef str made, following
        for at in range(first, end):
            style = (<tuple>spans[at])[1]
            in_all &= style
            in_any |= style
        style = STRONG if styles & in_any & STRONG else styles & in_any & EM
        if not style:
            return self.plain(spans, first, end, markup)
        inner = EM & styles & ~style
        if in_all & style:
            made = self.styled(spans, first, end, inner, "", "", markup)
            return self.emphasised(made, style, before, after)
        while begin < end:
            at = begin
            shown = <int>(<tuple>spans[at])[1] & style
            while at < end and <int>(<tuple>spans[at])[1] & style == shown:
                at += 1
            following = self.first_of(spans[at], style | inner) if at < end else after
            if shown:
                made = self.styled(spans, begin, at, inner, "", "", markup)
                made = self.emphasised(made, style, before, following)
            else:
                made = self.styled(spans, begin, at, inner, before, following, markup)
            out.append(made)
            before = ending(made) or before
            begin = at
        return "".join(out)

    cdef str plain(self, list spans, Py_ssize_t first, Py_ssize_t end, object markup):
        """Spans without emphasis, see markdown._without_emphasis()."""
        cdef list out = []
        cdef str text, image
        cdef int style, signs
        for text, style, _, image, signs in spans[first:end]:
            if image:
                text = label(self.escape(text, signs, self.in_link))
                text = f"![{text}]({self.address(image)})"
            elif style & ~EMPHASIS:
                text = self.in_elements(text, style, signs, markup)
            else:
                text = self.escape(text, signs, markup)
            out.append(text)
        return text if len(out) == 1 else "".join(out)


cdef str ending(str text):
    """The last character, "" of an empty text."""
    return text[max(len(text) - 1, 0) :]


cdef str label(str inside):
    return f"\\{inside}" if inside.startswith("^") else inside
