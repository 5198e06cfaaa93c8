# cython: language_level=3, cdivision=True
"""The compiled twins of the walk, and of the look-up of elements by rows.

They read libxml2's nodes, the walk without the GIL, and call no function of libxml2: an
element of lxml has a pointer to its node, and nodes have pointers to other nodes, with
the layout in lxml's headers.  The tree must not change meanwhile.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memmove, memset, strcmp, strlen, strrchr, strstr
from lxml.includes cimport tree
from scrapy_eatext.native.columns cimport *
from scrapy_eatext.native.common cimport (
    Array, DONE, EATEXT_CHECKSUM, NO_MEMORY, add_bytes, add_row, decode, eatext_clock,
    extend, goes_on, reserve
)

import numpy as np
from lxml import etree

from scrapy_eatext.deadline import TimeLimitError, remaining
from scrapy_eatext.page import characters, elements, tags
from scrapy_eatext.page import walk as specification
from scrapy_eatext.page.replacements import replacement_of

CHECKSUM = EATEXT_CHECKSUM

cdef extern from "lxml-version.h":
    const char* LXML_VERSION_STRING

cdef extern from "etree_api.h":
    cdef struct LxmlElement:
        pass

    cdef class lxml.etree._Document [object LxmlDocument, check_size ignore]:
        pass

    cdef class lxml.etree._Element [object LxmlElement, check_size ignore]:
        cdef _Document _doc
        cdef tree.xmlNode* _c_node

    int import_lxml__etree() except -1
    # The element of a node; lxml creates it if there is none yet.
    _Element elementFactory(_Document document, tree.xmlNode* node)

import_lxml__etree()

# The versions of lxml and libxml2 of the headers at build time, and the size of lxml's
# elements in them.
BUILT_FOR = (
    tuple(int(n) for n in LXML_VERSION_STRING.decode().split(".")[:2]),
    divmod(tree.LIBXML_VERSION // 100, 100),
    sizeof(LxmlElement),
)

cdef enum:
    # The ends of a walk, besides DONE and NO_MEMORY.
    TOO_LONG = -2
    TIME_IS_UP = -3
    # Only the Python twin can walk this tree.
    UNSUPPORTED = -4

include "walk_characters.pxi"
include "walk_names.pxi"
include "walk_attributes.pxi"

# -- the walk

cdef enum:
    # Pending white space: none, a space, a line break.
    NONE = 0
    BLANK = 1
    LINE = 2
    # The number of nodes between two readings of the clock, and the bytes of text that
    # count as a node.
    CLOCK = 4096
    CLOCK_BYTES = 64
    # The style of the previous text after an image, which no text has.
    UNMARKED = -4

cdef int32_t IMAGE_STYLE = specification.IMAGE
cdef int32_t EMBED_STYLE = specification.EMBED, RULE_STYLE = specification.RULE
assert UNMARKED < min(IMAGE_STYLE, EMBED_STYLE, RULE_STYLE)
# The columns with counts of characters are adjacent, in the order of the classes.
assert BLOCK_OTHER - BLOCK_UPPER == SPACE - 1 - UPPER


cdef struct Frame:
    # The properties that a piece of text has from the elements around it.
    int32_t block
    int32_t kind
    int32_t level
    int32_t item
    int32_t row
    int32_t lists
    bint link
    bint near
    bint strong
    bint pre
    int32_t style
    int32_t anchor


cdef struct Open:
    # An open element, the row of its parent, its place there, and the frame around it.
    const tree.xmlNode* node
    int32_t outside
    int32_t place
    Frame frame
    bint is_block
    bint is_apart


cdef struct Walker:
    # The tables.
    Array elements
    Array blocks
    Array tokens
    Array marks
    Array gaps
    Array text
    Array open
    CachedName[CACHED_NAMES] names
    bint lenient
    # The ID of the element that the last question or heading shows.
    const char* answer
    # lxml's document of the tree.
    void* document
    size_t longest
    double end
    int32_t patience
    # The innermost open element and its frame, and the place of its next child.
    int32_t here
    Frame frame
    int32_t place
    # The place in the text where an element of APART ended.
    size_t apart
    # Where the next block begins in the text.
    size_t start
    int32_t inner
    int32_t pending
    size_t link_chars
    size_t strong_chars
    # Where the marks of that block begin; the style and the link of the previous text,
    # and those of pending white space.
    size_t first_mark
    size_t first_gap
    int32_t style
    int32_t anchor
    int32_t around_style
    int32_t around_anchor
    # Counts since the last block.
    int32_t links
    int32_t images
    int32_t controls
    int32_t started

include "walk_text.pxi"

cdef inline int border(Walker* w, bint inside_pre) noexcept nogil:
    """End the block, or inside preformatted text the line."""
    return add_line(w) if inside_pre else flush(w)


cdef bint holds_body(const tree.xmlNode* head) noexcept nogil:
    """Whether a head has an element that belongs in a body."""
    cdef const tree.xmlNode* node = head.children
    while node != NULL:
        if (
            node.type == tree.XML_ELEMENT_NODE
            and not find_name(local_name(node)).traits & SKIP
        ):
            return True
        node = node.next
    return False


cdef bint is_question(const uint8_t* begin, const uint8_t* end) noexcept nogil:
    """Whether a text ends in a question mark."""
    cdef uint32_t code
    if end == begin:
        return False
    end -= 1
    while end > begin and goes_on(end[0]):
        end -= 1
    decode(end, &code)
    return has_sign(code, ASKING)


cdef bint ends_in_question(const tree.xmlNode* node) noexcept nogil:
    """Whether the text that begins at a node ends in a question mark."""
    cdef bint found = False
    cdef const uint8_t* begin
    cdef const uint8_t* end
    while node != NULL and is_text(node):
        if has_text(node) and node.content != NULL:
            begin = <const uint8_t*>node.content
            end = begin + strlen(<const char*>begin)
            while end > begin and is_blank(end[-1]):
                end -= 1
            if end > begin:
                found = is_question(begin, end)
        node = node.next
    return found


cdef bint has_question(const tree.xmlNode* element, int* left) noexcept nogil:
    """Whether any text in an element ends in a question mark; searches ``left`` nodes."""
    cdef const tree.xmlNode* node = element.children
    if ends_in_question(node):
        return True
    while node != NULL and left[0] > 0:
        if is_child(node):
            left[0] -= 1
            if ends_in_question(node.next) or (
                node.type == tree.XML_ELEMENT_NODE and has_question(node, left)
            ):
                return True
        node = node.next
    return False


cdef bint is_skipped(
    Walker* w, const tree.xmlNode* node, uint32_t traits, uint32_t attributes
) noexcept nogil:
    """Whether an element's tag excludes its content from the page's text."""
    if traits & TEMPLATE:
        return not attributes & SHADOW
    if traits & HEAD:
        return not holds_body(node)
    if w.lenient:
        return traits & LENIENT_SKIP
    return traits & SKIP or (traits & BUTTON and w.frame.kind != HEADING)


cdef bint is_hidden(
    Walker* w, const tree.xmlNode* node, uint32_t traits, uint32_t attributes
) noexcept nogil:
    """Whether an element's attributes hide it permanently."""
    cdef const uint8_t* text = <const uint8_t*>w.text.data
    cdef const tree.xmlNode* before = node.prev
    cdef int left = QUESTION_NODES - 1
    if traits & DIALOG and not attributes & OPEN:
        return True
    if not attributes & HIDES and (not attributes & HIDDEN or attributes & REVEALED):
        return False
    if attributes & (PANEL if attributes & HAS_ROLE else LABELLED):
        return False
    if traits & BLOCK and not attributes & HAS_ROLE and is_question(text, text + w.text.used):
        while before != NULL and not is_child(before):
            before = before.prev
        if before != NULL and before.type == tree.XML_ELEMENT_NODE and has_question(before, &left):
            return False
    return not w.answer[0] or not attributes & ID or strcmp(value_named(node, b"id"), w.answer)


cdef bint is_edit_link(Walker* w, size_t at) noexcept nogil:
    """Whether an element, whose tokens begin at ``at``, is a wiki's link in a heading."""
    if w.frame.kind != HEADING:
        return False
    while at < w.tokens.used:
        if (<uint32_t*>(w.tokens.data + at))[0] == EDITING:
            return True
        at += sizeof(uint32_t)
    return False


cdef int mark_other(Walker* w, int32_t style) noexcept nogil:
    """Mark an image, embed or rule, by its parent's row and its place there."""
    if w.frame.pre:
        return DONE
    w.style = UNMARKED
    return add_mark(w, style, w.here, w.place)


cdef int skip(Walker* w, uint32_t traits) noexcept nogil:
    """Process an element whose content is no text of the page."""
    w.controls += (traits & CONTROL) != 0
    w.images += (traits & IMAGE) != 0
    cdef int32_t style = EMBED_STYLE if traits & EMBED else IMAGE_STYLE
    if traits & (IMAGE | SOURCE | EMBED) and mark_other(w, style):
        return NO_MEMORY
    if traits & SHOWN and add_gap(w, w.text.used):
        return NO_MEMORY
    if traits & SPACER:
        add_space(w)
    return DONE


cdef int break_line(Walker* w, uint32_t traits) noexcept nogil:
    """End a line; end the block at a rule, and at the second of two line breaks."""
    if traits & RULE:
        return border(w, w.frame.pre) or mark_other(w, RULE_STYLE)
    if w.frame.pre:
        return add_bytes(&w.text, b"\n", 1) if w.text.used > w.start else DONE
    if w.pending == LINE:
        return flush(w)
    if w.text.used > w.start:
        wait_with(w, LINE)
    return DONE


cdef int add_replacement(
    Walker* w, const tree.xmlNode* node, bint* found
) noexcept with gil:
    """Add the text of replacement_of(); ``found`` is set if it is not None."""
    cdef int32_t style = w.frame.style
    cdef size_t begin = w.text.used
    cdef int status = DONE
    cdef bytes text
    try:
        element = elementFactory(<_Document>w.document, <tree.xmlNode*>node)
        replacement = replacement_of(element)
        if replacement is None:
            return DONE
        text = replacement.encode()
    except Exception:
        return UNSUPPORTED
    found[0] = True
    if text and w.frame.pre:
        status = add_preformatted(w, text)
    elif text:
        w.frame.style |= TEX_STYLE
        status = add_text(w, text)
        w.frame.style = style
    return status or add_gap(w, begin)


cdef void enter_frame(
    Frame* frame, const Name* tag, uint32_t attributes, int32_t row
) noexcept nogil:
    """Change the frame around an element to the frame inside it."""
    if not tag.traits & BLOCK:
        if tag.traits & LINK and attributes & HREF:
            frame.link = True
            frame.near = attributes & NEAR != 0
            frame.anchor = row
        elif tag.traits & STRONG:
            frame.strong = True
        frame.style |= tag.style
        return
    frame.block = row
    frame.style = 0
    if tag.kind < 0:
        if tag.traits & LIST:
            frame.lists += 1
        elif tag.traits & TABLE_ROW:
            frame.row = row
        return
    if tag.kind == QUOTE:
        frame.level = frame.level + 1 if frame.kind == QUOTE else 1
    else:
        frame.level = frame.lists if tag.kind == ITEM else tag.level
    if tag.kind == ITEM or tag.kind == CELL:
        frame.item = row
    elif tag.kind == CODE:
        frame.pre = True
    frame.kind = tag.kind


cdef int open_element(
    Walker* w, const tree.xmlNode* node, const Name* tag, uint32_t attributes, size_t tokens
) noexcept nogil:
    """Begin an element whose content is text; its tokens begin at ``tokens``."""
    cdef bint is_block = tag.traits & BLOCK != 0, is_apart = tag.traits & APART != 0
    cdef Open* open
    cdef int32_t* row
    cdef int status = DONE
    if is_block:
        status = border(w, w.frame.pre)
    elif tag.style & RAISED_STYLE:
        # The number of a footnote stays directly after the link before it.
        w.apart = 0
    elif is_apart and w.text.used == w.apart:
        if w.text.used > w.start and w.pending == NONE:
            status = add_gap(w, w.text.used)
        add_space(w)
    elif tag.traits & BUTTON and w.text.used > w.start:
        status = add_gap(w, w.text.used)
    if status:
        return status
    open = <Open*>extend(&w.open, sizeof(Open))
    row = add_row(&w.elements, ELEMENT_COLUMNS)
    if open == NULL or row == NULL:
        return NO_MEMORY
    open[0] = Open(node, w.here, w.place, w.frame, is_block, is_apart)
    row[ELEMENT_PARENT] = w.here
    row[ELEMENT_TAG] = tag.number
    row[ELEMENT_DEPTH] = w.open.used // sizeof(Open)
    row[ELEMENT_FIRST_BLOCK] = rows_of(&w.blocks, BLOCK_COLUMNS)
    row[ELEMENT_LAST_BLOCK] = row[ELEMENT_FIRST_BLOCK]
    row[ELEMENT_FIRST_TOKEN] = tokens // sizeof(uint32_t)
    row[ELEMENT_TOKENS] = (w.tokens.used - tokens) // sizeof(uint32_t)
    row[ELEMENT_PLACE] = w.place
    row[ELEMENT_END] = 0  # until it ends
    w.here = rows_of(&w.elements, ELEMENT_COLUMNS) - 1
    w.place = 0
    w.started += 1
    enter_frame(&w.frame, tag, attributes, w.here)
    w.links += w.frame.link and tag.traits & LINK != 0
    return DONE


cdef int enter(Walker* w, const tree.xmlNode** node) noexcept nogil:
    """Begin an element; go to its first child, or to the next node if it is skipped."""
    cdef const Name* tag = look_up(w.names, local_name(node[0]))
    cdef size_t tokens = w.tokens.used
    cdef uint32_t attributes = 0
    cdef Name heading
    cdef bint found = False
    cdef int status = DONE, left = QUESTION_NODES - 1
    # The attributes of other skipped elements have no effect.
    if tag.traits & (TEMPLATE | HEAD) or not tag.traits & (LENIENT_SKIP if w.lenient else SKIP):
        status = read_attributes(node[0], w.names, &w.tokens, &attributes)
    if status:
        return status
    if tag.traits & BUTTON and w.frame.kind != HEADING and has_question(node[0], &left):
        tag = &QUESTION
    if is_special(node[0], tag):
        status = add_replacement(w, node[0], &found)
    if status or found:
        pass
    elif is_skipped(w, node[0], tag.traits, attributes):
        status = skip(w, tag.traits)
    elif tag.traits & (BREAK | RULE):
        status = break_line(w, tag.traits)
    elif tag.traits & AMP_IMAGE and mark_other(w, IMAGE_STYLE):
        status = NO_MEMORY
    elif not is_edit_link(w, tokens) and (
        w.lenient or not is_hidden(w, node[0], tag.traits, attributes)
    ):
        if attributes & AS_HEADING and (tag.traits & HEADED or not tag.number):
            heading = tag[0]
            heading.kind = HEADING
            heading.level = attributes >> LEVEL_AT or DEFAULT_HEADING_LEVEL
            heading.traits |= BLOCK
            tag = &heading
        status = open_element(w, node[0], tag, attributes, tokens)
        if attributes & CONTROLS and (tag == &QUESTION or w.frame.kind == HEADING):
            w.answer = value_named(node[0], b"aria-controls")
        node[0] = node[0].children
        return status
    else:
        status = add_gap(w, w.text.used)
    w.tokens.used = tokens
    w.place += 1
    node[0] = node[0].next
    return status


cdef bint begins_quote(Walker* w, const tree.xmlNode* behind) noexcept nogil:
    """Whether the open cite begins a quote, and a word follows directly."""
    cdef uint32_t code
    cdef int found
    if w.frame.kind != QUOTE or w.text.used == w.start or w.inner < w.here:
        return False
    if behind == NULL or not has_text(behind) or behind.content == NULL:
        return False
    decode(<const uint8_t*>behind.content, &code)
    found = class_of(code)
    return found <= DIGIT or found == WIDE


cdef int leave(Walker* w, const tree.xmlNode** node) noexcept nogil:
    """End the innermost open element, and go to the node behind it."""
    cdef Open* open = <Open*>(w.open.data + w.open.used) - 1
    cdef int32_t* row = <int32_t*>w.elements.data + <size_t>w.here * ELEMENT_COLUMNS
    cdef int status = border(w, open.frame.pre) if open.is_block else DONE
    row[ELEMENT_LAST_BLOCK] = rows_of(&w.blocks, BLOCK_COLUMNS)
    row[ELEMENT_END] = rows_of(&w.elements, ELEMENT_COLUMNS)
    w.frame = open.frame
    if row[ELEMENT_TAG] == CITE and begins_quote(w, open.node.next):
        wait_with(w, LINE)
    w.here = open.outside
    w.place = open.place + 1
    if open.is_apart:
        w.apart = w.text.used
    w.open.used -= sizeof(Open)
    node[0] = open.node.next
    return status


cdef int walk_tree(Walker* w, const tree.xmlNode* root) noexcept nogil:
    """Walk from a root element to its end."""
    cdef const tree.xmlNode* node = root
    cdef const uint8_t* text
    # Text behind a node that is no child is no element's text or tail in lxml.
    cdef bint reading = True
    cdef int status = enter(w, &node)
    while status == DONE and w.open.used:
        w.patience -= 1
        if w.patience < 0:
            w.patience = CLOCK
            if eatext_clock() > w.end:
                return TIME_IS_UP
        if node == NULL:
            reading = True
            status = leave(w, &node)
        elif node.type == tree.XML_ELEMENT_NODE:
            reading = True
            status = enter(w, &node)
        elif is_text(node):
            # A changed tree may have a text in several nodes, which lxml joins.
            if not has_text(node) or (node.next != NULL and is_text(node.next)):
                return UNSUPPORTED
            text = <const uint8_t*>node.content
            if reading and text != NULL and text[0]:
                status = add_preformatted(w, text) if w.frame.pre else add_text(w, text)
            node = node.next
        else:
            reading = is_child(node)
            if reading:
                w.place += 1
            node = node.next
    return status if status else flush(w)


cdef object table(const Array* array, Py_ssize_t columns):
    """Rows of numbers as a numpy array."""
    cdef Py_ssize_t rows = array.used // (columns * sizeof(int32_t))
    cdef int32_t[:, ::1] made
    # The tables refer to each other's rows by 32-bit numbers.
    if rows > specification.MAX_TEXT:
        raise OverflowError(f"the walk made more than {specification.MAX_TEXT} rows")
    made = np.empty((rows, columns), np.int32)
    if rows:
        memcpy(&made[0, 0], array.data, array.used)
    return made.base


def walk(
    _Element root not None,
    bint lenient=False,
    *,
    size_t longest=specification.MAX_TEXT,
):
    """Walk a tree from its root element; the tree is not changed.

    The GIL is released.  Raises OverflowError for a text of more bytes than
    ``longest``, and TimeLimitError as the Python twin does.
    """
    cdef const tree.xmlNode* node = root._c_node
    cdef int status = DONE
    cdef Walker w
    if node == NULL:
        raise ValueError("the element is in no tree")
    memset(&w, 0, sizeof(Walker))
    w.lenient = lenient
    w.answer = b""
    w.document = <void*>root._doc
    w.longest = longest
    w.frame.kind = PARAGRAPH
    w.here = w.frame.item = w.frame.row = w.frame.anchor = w.around_anchor = -1
    clear(&w)
    w.end = eatext_clock() + remaining()
    try:
        with nogil:
            if node.type == tree.XML_ELEMENT_NODE:
                status = walk_tree(&w, node)
        if status == NO_MEMORY:
            raise MemoryError
        if status == TIME_IS_UP:
            raise TimeLimitError
        if status == TOO_LONG:
            raise OverflowError(f"the page has more than {longest} bytes of text")
        if status == UNSUPPORTED:
            return specification.python_walk(root, lenient)
        return specification.Walk(
            w.text.data[: w.text.used] if w.text.used else b"",
            table(&w.elements, ELEMENT_COLUMNS),
            table(&w.blocks, BLOCK_COLUMNS),
            table(&w.tokens, 1).reshape(-1).view(np.uint32),
            root,
            table(&w.marks, MARK_COLUMNS),
            gaps=table(&w.gaps, 2),
        )
    finally:
        free(w.elements.data)
        free(w.blocks.data)
        free(w.tokens.data)
        free(w.marks.data)
        free(w.gaps.data)
        free(w.text.data)
        free(w.open.data)

include "walk_rows.pxi"
