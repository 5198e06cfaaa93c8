# cython: language_level=3, cdivision=True
"""The compiled twins of the walk, and of what leads from its rows to elements and paths.

They read libxml2's own nodes, the walk without the GIL, and call no function of libxml2:
an element of lxml leads to its node, and pointers lead from there to the other nodes.
Their layout is in the headers that lxml brings.  As always in lxml, nothing may change
the tree meanwhile.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memmove, memset, strcmp, strlen, strrchr, strstr
from lxml.includes cimport tree
from scrapy_eatext.native.bytes cimport (
    Array, DONE, NO_MEMORY, add_bytes, add_row, decode, extend, goes_on, prefetch,
    reserve
)
from scrapy_eatext.native.checksum cimport EATEXT_CHECKSUM
from scrapy_eatext.native.clock cimport eatext_clock
from scrapy_eatext.native.columns cimport *

import numpy as np
from lxml import etree

from scrapy_eatext.deadline import TimeLimitError, remaining
from scrapy_eatext.page import characters, tags
from scrapy_eatext.page import walk as specification

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
    # The element of a node; lxml makes one for a node that has none yet.
    _Element elementFactory(_Document document, tree.xmlNode* node)

import_lxml__etree()

# The versions of lxml and of libxml2 whose headers this module was built with, and the
# size of an element of lxml by these headers.
BUILT_FOR = (
    tuple(int(n) for n in LXML_VERSION_STRING.decode().split(".")[:2]),
    divmod(tree.LIBXML_VERSION // 100, 100),
    sizeof(LxmlElement),
)

cdef enum:
    # How a walk may end, besides DONE and NO_MEMORY.
    TOO_LONG = -2
    TIME_IS_UP = -3
    # The page has something that is left to the Python twin.
    NOT_MINE = -4

# -- characters

cdef int UPPER = characters.UPPER
cdef int WIDE = characters.WIDE
# The classes below SPACE are those of characters that go into the text as they are.
cdef int SPACE = characters.SPACE
cdef int INVISIBLE = SPACE + 1
cdef int SURROGATE = SPACE + 2
# Of a byte: a character of several bytes starts with it, whose class has to be looked
# up; or the text ends.
cdef int LOOK = SPACE + 3
cdef int STOP = SPACE + 4
cdef uint32_t WIDE_FIRST = characters.WIDE_PLANES[0]
cdef uint32_t WIDE_LAST = characters.WIDE_PLANES[1]

cdef enum:
    PLAIN = 0
    # Room for a count of each class.
    CLASS_ROOM = 16
    # What is to know of some characters besides their class.
    SPACELESS = 1
    PERMALINK = 2
    ASKING = 4

assert SPACE > 0 and STOP < CLASS_ROOM

# For each code point of the Basic Multilingual Plane its class, and what else is known.
cdef uint8_t[0x10000] CLASSES
cdef uint8_t[0x10000] SIGNS
# For each byte PLAIN, SPACE, INVISIBLE, LOOK or STOP.
cdef uint8_t[256] BYTES
# The CRC of each byte, as zlib has it, and of each with so many zeros behind it.
cdef uint32_t[8][256] CRC


cdef void fill_tables():
    cdef int code, i, k
    cdef uint32_t value
    for code in range(0x10000):
        CLASSES[code] = characters.CLASSES[code]
    for first, last in characters.INVISIBLE_RANGES:
        for code in range(first, last + 1):
            CLASSES[code] = INVISIBLE
    for code in range(0xD800, 0xE000):
        CLASSES[code] = SURROGATE
    for first, last in characters.SPACELESS_RANGES:
        for code in range(first, last + 1):
            SIGNS[code] |= SPACELESS
    for sign in characters.PERMALINKS:
        SIGNS[ord(sign)] |= PERMALINK
    for sign in specification.QUESTION_MARKS:
        SIGNS[ord(sign)] |= ASKING
    for code in range(0x10000):
        if CLASSES[code] >= SPACE:
            i = chr(code).encode("utf-8", "surrogatepass")[0]
            BYTES[i] = CLASSES[code] if code < 0x80 else LOOK
    BYTES[0] = STOP
    for i in range(256):
        value = i
        for k in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        CRC[0][i] = value
    for k in range(1, 8):
        for i in range(256):
            CRC[k][i] = CRC[k - 1][i] >> 8 ^ CRC[0][CRC[k - 1][i] & 0xFF]


fill_tables()


cdef inline int class_of(uint32_t code) noexcept nogil:
    if code < 0x10000:
        return CLASSES[code]
    return WIDE if WIDE_FIRST <= code <= WIDE_LAST else PLAIN


cdef inline int class_at(const uint8_t* at, int* size) noexcept nogil:
    """The class of the character here, PLAIN for all below SPACE, and its bytes."""
    cdef int found = BYTES[at[0]]
    cdef uint32_t code
    size[0] = 1
    if found != LOOK:
        return found
    size[0] = decode(at, &code)
    found = class_of(code)
    return found if found >= SPACE else PLAIN


cdef inline bint has_sign(uint32_t code, uint8_t sign) noexcept nogil:
    return code < 0x10000 and SIGNS[code] & sign


cdef inline bint is_blank(uint8_t c) noexcept nogil:
    return c == 32 or c == 9 or c == 10 or c == 13 or c == 12


cdef uint32_t crc32(const uint8_t* at, const uint8_t* end) noexcept nogil:
    cdef uint32_t value = 0xFFFFFFFF
    # Byte by byte each would wait for the one before, so eight are taken together.
    while end - at >= 8:
        value ^= at[0] | at[1] << 8 | at[2] << 16 | <uint32_t>at[3] << 24
        value = (
            CRC[7][value & 0xFF] ^ CRC[6][value >> 8 & 0xFF]
            ^ CRC[5][value >> 16 & 0xFF] ^ CRC[4][value >> 24]
            ^ CRC[3][at[4]] ^ CRC[2][at[5]] ^ CRC[1][at[6]] ^ CRC[0][at[7]]
        )
        at += 8
    while at < end:
        value = value >> 8 ^ CRC[0][(value ^ at[0]) & 0xFF]
        at += 1
    return ~value


cdef const char* after_characters(
    const char* at, const char* end, size_t* count
) noexcept nogil:
    """Where so many characters of UTF-8 end, or the end; how many fewer there are."""
    while at < end:
        if not goes_on(<uint8_t>at[0]):
            if not count[0]:
                break
            count[0] -= 1
        at += 1
    return at


# -- names of elements, attributes and roles

cdef enum:
    # What an element's name tells, a bit each.
    BLOCK = 1 << 0
    SKIP = 1 << 1
    LENIENT_SKIP = 1 << 2
    CONTROL = 1 << 3
    SPACER = 1 << 4
    LIST = 1 << 5
    STRONG = 1 << 6
    LINK = 1 << 7
    BREAK = 1 << 8
    RULE = 1 << 9
    TABLE_ROW = 1 << 10
    IMAGE = 1 << 11
    BUTTON = 1 << 12
    DIALOG = 1 << 13
    TEMPLATE = 1 << 14
    SOURCE = 1 << 15
    HEAD = 1 << 16
    SPECIAL = 1 << 17
    # A role can make the element a heading.
    HEADED = 1 << 18
    # What a role tells: a control shows the element that plays it, or that is a heading.
    PANEL_ROLE = 1 << 19
    HEADING_ROLE = 1 << 20

cdef enum:
    # What an element's attributes tell, a bit each: that the attribute is there ...
    HREF = 1 << 0
    LABELLED = 1 << 1
    OPEN = 1 << 2
    SHADOW = 1 << 3
    STYLE = 1 << 4
    HIDDEN = 1 << 5
    ID = 1 << 6
    ROLE = 1 << 7
    LEVEL = 1 << 8
    # ... that the style hides the element; that what hides it is taken away later;
    # that it plays a role; that the role is a panel's or a heading's
    HIDES = 1 << 9
    LATER = 1 << 10
    PLAYS = 1 << 11
    PANEL = 1 << 12
    HEADS = 1 << 13
    # ... and from this bit on, that another one of TOKEN_ATTRIBUTES is there.
    OTHERS = 1 << 14
    # The highest bits have a heading's level.
    LEVEL_AT = 28
    # Attributes whose values are not read, and those whose values have no words.
    VALUELESS = HREF | LABELLED | OPEN | SHADOW
    WORDLESS = VALUELESS | STYLE | HIDDEN | LEVEL

cdef enum:
    # Room in the table of names; a power of two, three times as many as there are.
    SLOTS = 512


cdef struct Name:
    # What the walk knows of a name, whatever it is the name of.
    const char* name
    # Of an element: its number, its kind of block or -1, its level as a heading, the
    # style of text inside, and what else it tells.
    int32_t number
    int32_t kind
    int32_t level
    int32_t style
    uint32_t traits
    # Of an attribute: its bit, or 0, and the hash of what stands before its words.
    uint32_t bit
    uint32_t seed


cdef Name[SLOTS] NAMES
# A button that asks what it shows the answer to, as an element.
cdef Name QUESTION
cdef int UNTOLD_LEVEL = int(specification.UNTOLD_LEVEL)
cdef int QUESTION_NODES = specification.QUESTION_NODES
cdef int PARAGRAPH = tags.PARAGRAPH
cdef int HEADING = tags.HEADING
cdef int ITEM = tags.ITEM
cdef int QUOTE = tags.QUOTE
cdef int CODE = tags.CODE
cdef int CELL = tags.CELL
_TRAITS = {
    BLOCK: tags.BLOCK,
    SKIP: tags.SKIP,
    LENIENT_SKIP: tags.LENIENT_SKIP,
    CONTROL: tags.CONTROLS,
    SPACER: tags.SPACERS,
    LIST: tags.LISTS,
    STRONG: tags.STRONG,
    LINK: {"a"},
    BREAK: {"br"},
    RULE: {"hr"},
    TABLE_ROW: {"tr"},
    IMAGE: {tags.IMG},
    SOURCE: {tags.SOURCE},
    BUTTON: {"button"},
    DIALOG: {"dialog"},
    TEMPLATE: {"template"},
    HEAD: {"head"},
    SPECIAL: tags.SPECIAL_TAGS,
    HEADED: specification.HEADED,
    PANEL_ROLE: specification.PANELS,
    HEADING_ROLE: specification.HEADING_ROLES,
}
cdef int TEX_STYLE = tags.TEX_TEXT, RAISED_STYLE = tags.RAISED
cdef enum:
    HINTS = 5
cdef const char* SPECIAL_HINTS[HINTS]
# Their bytes stay alive here.
_HINTS = [hint.encode() for hint in tags.SPECIAL_HINTS]
assert len(_HINTS) == HINTS
for _number in range(HINTS):
    SPECIAL_HINTS[_number] = _HINTS[_number]
_ATTRIBUTES = {
    "href": HREF,
    "aria-labelledby": LABELLED,
    "open": OPEN,
    "shadowrootmode": SHADOW,
    "style": STYLE,
    "hidden": HIDDEN,
    "id": ID,
    "role": ROLE,
    "aria-level": LEVEL,
}
for _name in specification.TOKEN_ATTRIBUTES:
    _ATTRIBUTES.setdefault(_name, OTHERS << len(_ATTRIBUTES))
assert max(_ATTRIBUTES.values()) < 1 << LEVEL_AT
# The bytes of the names stay alive here.
_NAMES = {
    name: name.encode()
    for name in (
        *tags.TAGS,
        *tags.STYLE_OF,
        *_ATTRIBUTES,
        *specification.PANELS,
        *specification.HEADING_ROLES,
    )
}


cdef inline uint32_t hash_name(const char* name) noexcept nogil:
    cdef uint32_t value = 0
    cdef int i
    # The beginning tells names apart well enough.
    for i in range(8):
        if not name[i]:
            break
        value = value * 31 + <uint8_t>name[i]
    return value ^ value >> 9


cdef inline Name* find_name(const char* name) noexcept nogil:
    """The entry of a name; that of an unknown name is empty."""
    cdef uint32_t slot = hash_name(name) % SLOTS
    while NAMES[slot].name != NULL and strcmp(NAMES[slot].name, name) != 0:
        slot = (slot + 1) % SLOTS
    return &NAMES[slot]


cdef enum:
    # Room for the names that were looked up last; a power of two.
    SEEN = 512


cdef struct Seen:
    const char* name
    const Name* found


cdef inline const Name* look_up(Seen* seen, const char* name) noexcept nogil:
    """The entry of a name, of which the parser has one copy for all of a tree."""
    cdef size_t place = <size_t>name
    seen += (place ^ place >> 9) & (SEEN - 1)
    if seen.name != name:
        seen[0] = Seen(name, find_name(name))
    return seen.found


cdef void fill_names() except *:
    cdef Name* entry
    cdef int i
    assert len(_NAMES) * 2 < SLOTS
    for members in (_TRAITS[trait] for trait in _TRAITS if trait < PANEL_ROLE):
        assert members <= tags.TAG_ID.keys()
    for i in range(SLOTS):
        NAMES[i].kind = -1
    for name, encoded in _NAMES.items():
        entry = find_name(encoded)
        entry.name = encoded
        entry.number = tags.TAG_ID.get(name, 0)
        entry.kind = tags.KIND_OF.get(name, -1)
        entry.level = int(name[1]) if entry.kind == HEADING else 0
        entry.style = tags.STYLE_OF.get(name, 0)
        entry.traits = sum(trait for trait in _TRAITS if name in _TRAITS[trait])
        entry.bit = _ATTRIBUTES.get(name, 0)
        prefix = specification.TOKEN_ATTRIBUTES.get(name, "")
        entry.seed = specification.fnv1a(prefix.encode())


fill_names()
QUESTION = find_name(b"button")[0]
QUESTION.traits = BLOCK


cdef const char* local_name(const tree.xmlNode* node) noexcept nogil:
    """An element's name without its namespace, as lxml understands the name."""
    cdef const char* name = <const char*>node.name
    cdef const char* brace = NULL
    if (node.ns != NULL and node.ns.href != NULL) or name[0] == b"{":
        brace = strrchr(name, b"}")
    return name if brace == NULL else brace + 1


# -- attributes

cdef enum:
    # A node takes two lines of a cache or three.
    FAR_LINE = 64

cdef size_t MAX_TOKENS = specification.MAX_TOKENS
cdef int MIN_TOKEN = specification.MIN_TOKEN
cdef int MAX_TOKEN = specification.MAX_TOKEN
cdef size_t MAX_VALUE = specification.MAX_VALUE


cdef inline bint is_plain(const tree.xmlAttr* attribute) noexcept nogil:
    """Whether an attribute is one of the element's own, in no namespace."""
    return attribute.type == tree.XML_ATTRIBUTE_NODE and (
        attribute.ns == NULL or attribute.ns.href == NULL
    )


cdef int value_of(const tree.xmlAttr* attribute, const char** value) noexcept nogil:
    """The value of an attribute, which is in one piece except in odd XML."""
    cdef const tree.xmlNode* node = attribute.children
    value[0] = b""
    if node == NULL:
        return DONE
    if node.next != NULL or not has_text(node):
        return NOT_MINE
    if node.content != NULL:
        value[0] = <const char*>node.content
    return DONE


cdef bint is_special(const tree.xmlNode* node, const Name* tag) noexcept nogil:
    """Whether instead_of() has to look at an element."""
    cdef const tree.xmlAttr* attribute = node.properties
    cdef const char* value
    cdef int i
    if not tag.traits & SPECIAL:
        return not tag.number and strcmp(local_name(node), b"math") == 0
    while attribute != NULL:
        value = <const char*>attribute.name
        if (value[0] == b"c" and strcmp(value, b"class") == 0) or (
            value[0] == b"t" and strcmp(value, b"type") == 0
        ):
            if value_of(attribute, &value):
                return True
            for i in range(HINTS):
                if strstr(value, SPECIAL_HINTS[i]) != NULL:
                    return True
        attribute = attribute.next
    return False


cdef const char* after_word(const char* at, const char* word) noexcept nogil:
    """The end of a word here, whatever its case is; NULL if it does not stand here.

    The word is given in lower case.
    """
    while word[0]:
        if at[0] != word[0] and not (65 <= at[0] <= 90 and at[0] + 32 == word[0]):
            return NULL
        at += 1
        word += 1
    return at


cdef bint declares(const char* at, const char* name, const char* value) noexcept nogil:
    """Whether a style here sets a property to a value."""
    at = after_word(at, name)
    if at == NULL:
        return False
    while is_blank(at[0]):
        at += 1
    if at[0] != b":":
        return False
    at += 1
    while is_blank(at[0]):
        at += 1
    return after_word(at, value) != NULL


cdef bint is_hiding(const char* style) noexcept nogil:
    while style[0]:
        if declares(style, b"display", b"none"):
            return True
        if declares(style, b"visibility", b"hidden"):
            return True
        style += 1
    return False


cdef uint32_t told_by(uint32_t bit, const char* value) noexcept nogil:
    """What an attribute's value tells besides its words."""
    cdef const char* end
    cdef uint32_t traits
    if bit == STYLE and is_hiding(value):
        return HIDES
    if bit == HIDDEN:
        end = after_word(value, b"until-found")
        return LATER if end != NULL and end[0] == 0 else 0
    if bit == ID and value[0] == b"S" and value[1] == b":":
        return LATER
    if bit == ROLE and value[0]:
        traits = find_name(value).traits
        return (
            PLAYS
            | (PANEL if traits & PANEL_ROLE else 0)
            | (HEADS if traits & HEADING_ROLE else 0)
        )
    if bit == LEVEL and 49 <= value[0] <= 54 and not value[1]:
        return <uint32_t>(value[0] - 48) << LEVEL_AT
    return 0


cdef int read_words(
    Array* tokens, const char* at, uint32_t seed, size_t most
) noexcept nogil:
    """Add the hashes of a value's words, as long as there are fewer bytes of them."""
    cdef const char* end = at + strlen(at)
    cdef const char* word
    cdef uint32_t value
    cdef uint32_t* token
    cdef size_t count = MAX_VALUE
    if <size_t>(end - at) > MAX_VALUE:
        end = after_characters(at, end, &count)
    while at < end:
        if not 97 <= (at[0] | 32) <= 122:
            at += 1
            continue
        word = at
        value = seed
        while at < end and 65 <= at[0] <= 90:
            value = (value ^ (at[0] | 32)) * 0x01000193
            at += 1
        while at < end and 97 <= at[0] <= 122:
            value = (value ^ at[0]) * 0x01000193
            at += 1
        if MIN_TOKEN <= at - word <= MAX_TOKEN:
            if tokens.used >= most:
                return DONE
            token = <uint32_t*>extend(tokens, sizeof(uint32_t))
            if token == NULL:
                return NO_MEMORY
            token[0] = value
    return DONE


cdef int read_attributes(
    const tree.xmlNode* node, Seen* seen, Array* tokens, uint32_t* told
) noexcept nogil:
    """Read what an element's attributes tell, and add their tokens."""
    cdef const tree.xmlAttr* attribute = node.properties
    cdef const Name* name
    cdef const char* value
    cdef size_t most = tokens.used + MAX_TOKENS * sizeof(uint32_t)
    told[0] = 0
    while attribute != NULL:
        # A value's address stands far behind the beginning of its node.
        prefetch(<const char*>attribute.children + FAR_LINE)
        prefetch(attribute.next)
        name = look_up(seen, <const char*>attribute.name)
        # Odd XML may have an attribute twice; the first one counts.
        if name.bit & ~told[0] and is_plain(attribute):
            told[0] |= name.bit
            if not name.bit & VALUELESS:
                if value_of(attribute, &value):
                    return NOT_MINE
                told[0] |= told_by(name.bit, value)
                if not name.bit & WORDLESS:
                    if read_words(tokens, value, name.seed, most):
                        return NO_MEMORY
        attribute = attribute.next
    return DONE


# -- nodes, as lxml sees them

cdef inline bint has_text(const tree.xmlNode* node) noexcept nogil:
    return (
        node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE
    )


cdef inline bint is_text(const tree.xmlNode* node) noexcept nogil:
    """Whether a node is part of a text, as the marks of an XInclude are."""
    return (
        has_text(node)
        or node.type == tree.XML_XINCLUDE_START
        or node.type == tree.XML_XINCLUDE_END
    )


cdef inline bint is_child(const tree.xmlNode* node) noexcept nogil:
    """Whether lxml counts a node among the children of its parent."""
    return (
        node.type == tree.XML_ELEMENT_NODE
        or node.type == tree.XML_COMMENT_NODE
        or node.type == tree.XML_PI_NODE
        or node.type == tree.XML_ENTITY_REF_NODE
    )


cdef inline void fetch_node(const tree.xmlNode* node) noexcept nogil:
    prefetch(node)
    prefetch(<const char*>node + FAR_LINE)


# -- the walk

cdef enum:
    # White space that is pending: none, a space, a line break.
    NONE = 0
    BLANK = 1
    LINE = 2
    # The nodes between two looks at the clock, and the bytes of text that count as a
    # node.
    CLOCK = 4096
    CLOCK_BYTES = 64
    # The style that the text before an image is taken to have: that of no text.
    UNMARKED = -2

cdef int32_t IMAGE_STYLE = specification.IMAGE
assert UNMARKED < IMAGE_STYLE < 0
# The counts of characters by class stand side by side, in the order of the classes.
assert BLOCK_OTHER - BLOCK_UPPER == SPACE - 1 - UPPER


cdef struct Frame:
    # What the elements around a piece of text make of it.
    int32_t block
    int32_t kind
    int32_t level
    int32_t item
    int32_t row
    int32_t lists
    bint link
    bint strong
    bint pre
    int32_t style
    int32_t anchor


cdef struct Open:
    # An open element, its row and place among its siblings, and the frame outside it.
    const tree.xmlNode* node
    int32_t outside
    int32_t place
    Frame frame
    bint is_block
    bint is_link


cdef struct Walker:
    # The tables.
    Array elements
    Array blocks
    Array tokens
    Array marks
    Array text
    # The elements that are open, and room for a text that is in several nodes.
    Array open
    Array joined
    Seen[SEEN] seen
    bint lenient
    # The document of lxml's that the tree is in.
    void* document
    size_t longest
    double end
    int32_t patience
    # The innermost open element and its frame, and the place of its next child.
    int32_t here
    Frame frame
    int32_t place
    # Where in the text a link ended.
    size_t linked
    # The text gathered for the next block is the end of the text, from start.
    size_t start
    int32_t inner
    int32_t pending
    size_t link_chars
    size_t strong_chars
    # Where the marks of that text begin; the style and the link of the text before,
    # and those of the white space that is pending.
    size_t first_mark
    int32_t style
    int32_t anchor
    int32_t around_style
    int32_t around_anchor
    # What was met since the last block.
    int32_t links
    int32_t images
    int32_t controls
    int32_t started


cdef inline int32_t rows_of(const Array* array, size_t columns) noexcept nogil:
    return array.used // (columns * sizeof(int32_t))


cdef inline void clear(Walker* w) noexcept nogil:
    """Begin to gather the text of a block."""
    w.start = w.text.used
    w.linked = 0
    w.pending = NONE
    w.link_chars = w.strong_chars = 0
    w.first_mark = w.marks.used
    w.style = 0
    w.anchor = -1


cdef inline void wait_with(Walker* w, int32_t pending) noexcept nogil:
    """Note white space that is pending, and what it stands in."""
    w.pending = pending
    w.around_style = w.frame.style
    w.around_anchor = w.frame.anchor


cdef inline void add_space(Walker* w) noexcept nogil:
    """Add a space, unless one stands there."""
    if w.text.used > w.start and w.pending == NONE:
        wait_with(w, BLANK)


cdef int add_mark(
    Walker* w, int32_t style, int32_t around_style, int32_t around_anchor
) noexcept nogil:
    """Mark what comes next, in the link that is open."""
    cdef int32_t* row = add_row(&w.marks, MARK_COLUMNS)
    if row == NULL:
        return NO_MEMORY
    row[MARK_BLOCK] = rows_of(&w.blocks, BLOCK_COLUMNS)
    row[MARK_START] = w.text.used
    row[MARK_STYLE] = style
    row[MARK_LINK] = w.frame.anchor
    row[MARK_AROUND_STYLE] = around_style
    row[MARK_AROUND_LINK] = around_anchor
    return DONE


cdef inline int mark_text(Walker* w, int32_t pending) noexcept nogil:
    """Mark the text that comes next, unless it is as the text before."""
    cdef int32_t style = w.frame.style, anchor = w.frame.anchor
    cdef bint alike = pending == NONE or (
        w.around_style == style and w.around_anchor == anchor
    )
    if alike and w.style == style and w.anchor == anchor:
        return DONE
    w.style = style
    w.anchor = anchor
    if pending == NONE:
        return add_mark(w, style, style, anchor)
    return add_mark(w, style, w.around_style, w.around_anchor)


cdef void set_apart(Walker* w) noexcept nogil:
    """Take the marks since the border before for those of images that stand apart."""
    cdef size_t at = w.first_mark
    while at < w.marks.used:
        (<int32_t*>(w.marks.data + at))[MARK_START] = -1
        at += MARK_COLUMNS * sizeof(int32_t)
    clear(w)


cdef int add_line(Walker* w) noexcept nogil:
    """Begin a line in preformatted text, unless one has just begun."""
    if w.text.used > w.start and w.text.data[w.text.used - 1] != b"\n":
        return add_bytes(&w.text, b"\n", 1)
    return DONE


cdef void end_text(Walker* w, const uint8_t* begin, const uint8_t* end) noexcept nogil:
    """Count what has been added to the text, where it is in a link or strong."""
    # More characters than there can be, less those that are left of them.
    cdef size_t most = end - begin, left = most
    w.text.used = <char*>end - w.text.data
    if w.frame.link or w.frame.strong:
        after_characters(<const char*>begin, <const char*>end, &left)
        w.link_chars += (most - left) * w.frame.link
        w.strong_chars += (most - left) * w.frame.strong


cdef bint is_permalink(const uint8_t* at) noexcept nogil:
    """Whether a text is one of PERMALINKS and white space."""
    cdef bint found = False
    cdef uint32_t code
    while at[0]:
        if is_blank(at[0]):
            at += 1
            continue
        at += decode(at, &code)
        if found or not has_sign(code, PERMALINK):
            return False
        found = True
    return found


cdef bint is_broken_line(const uint8_t* source, const uint8_t* at) noexcept nogil:
    """Whether a broken line alone parts a text's character from the one before it.

    Both are of scripts that have no spaces, see BROKEN_LINE.
    """
    cdef uint32_t code
    cdef bint broken = False
    decode(at, &code)
    if not has_sign(code, SPACELESS):
        return False
    while at > source and is_blank(at[-1]):
        at -= 1
        broken |= at[0] == b"\n"
    if not broken or at - source < 3 or decode(at - 3, &code) != 3:
        return False
    return has_sign(code, SPACELESS)


cdef int add_text(Walker* w, const uint8_t* at) noexcept nogil:
    """Add text as it stands in the source; its white space is collapsed."""
    cdef const uint8_t* source = at
    cdef uint8_t* out
    cdef uint8_t* first
    cdef const uint8_t* begin
    cdef int found, size, pending = w.pending
    if w.frame.link and w.frame.kind == HEADING and is_permalink(at):
        return DONE
    # White space that is pending takes a byte more.
    if reserve(&w.text, strlen(<const char*>at) + 1):
        return NO_MEMORY
    begin = out = <uint8_t*>w.text.data + w.text.used
    first = <uint8_t*>w.text.data + w.start
    # White space that is pending keeps what it stands in; this text's own stands in
    # what is open.
    if pending == NONE:
        wait_with(w, NONE)
    found = class_at(at, &size)
    while found != STOP:
        if found == PLAIN:
            if out == begin:
                if mark_text(w, pending):
                    return NO_MEMORY
                wait_with(w, NONE)
            if out == first:
                w.inner = w.here
            elif pending and not (at[0] > 0xE0 and is_broken_line(source, at)):
                out[0] = b"\n" if pending == LINE else b" "
                out += 1
            pending = NONE
            while found == PLAIN:
                while size:
                    out[0] = at[0]
                    out += 1
                    at += 1
                    size -= 1
                while BYTES[at[0]] == PLAIN:
                    out[0] = at[0]
                    out += 1
                    at += 1
                found = class_at(at, &size)
            continue
        if found == SURROGATE:
            return NOT_MINE
        if found == SPACE and pending == NONE and out != first:
            pending = BLANK
        at += size
        found = class_at(at, &size)
    w.pending = pending
    w.patience -= (at - source) // CLOCK_BYTES
    end_text(w, begin, out)
    return DONE


cdef int add_preformatted(Walker* w, const uint8_t* at) noexcept nogil:
    """Add text whose white space counts."""
    cdef const uint8_t* source = at
    cdef const uint8_t* begin
    cdef uint8_t* out
    cdef uint8_t sign
    cdef int found, size
    # Whether a carriage return was the last sign: a line feed behind it is a part of it.
    cdef bint returned = False
    if reserve(&w.text, strlen(<const char*>at)):
        return NO_MEMORY
    begin = out = <uint8_t*>w.text.data + w.text.used
    while True:
        found = class_at(at, &size)
        if found == STOP:
            break
        if found == SURROGATE:
            return NOT_MINE
        if found == PLAIN:
            memcpy(out, at, size)
            out += size
            returned = False
        elif found == SPACE:
            sign = at[0]
            if sign == b"\r":
                sign = b"\n"
            elif sign != b"\n" and sign != b"\t":
                sign = b" "
            if at[0] != b"\n" or not returned:
                out[0] = sign
                out += 1
            returned = at[0] == b"\r"
        at += size
    if out > begin and w.text.used == w.start:
        w.inner = w.here
    w.patience -= (at - source) // CLOCK_BYTES
    end_text(w, begin, out)
    return DONE


cdef void strip_outside(Walker* w) noexcept nogil:
    """Take empty lines before preformatted text away, and the space after it."""
    cdef char* begin = w.text.data + w.start
    cdef char* end = w.text.data + w.text.used
    cdef char* at = begin
    cdef char* line = begin
    while end > begin and is_blank(end[-1]):
        end -= 1
    while at < end and is_blank(at[0]):
        at += 1
        if at[-1] == b"\n":
            line = at
    if line > begin and end > line:
        memmove(begin, line, end - line)
    w.text.used = w.start + (end - line)


cdef void count_characters(
    int32_t* row, const uint8_t* begin, const uint8_t* end
) noexcept nogil:
    """Fill in the columns of a block that are read off its text."""
    # A count waits for the last one of the same class, so four tables take turns.
    cdef int32_t[4][CLASS_ROOM] counts
    cdef int32_t chars = 0, words = 0, lines = 0
    cdef const uint8_t* at = begin
    cdef int found = SPACE, before = SPACE, i
    cdef uint32_t code
    memset(counts, 0, sizeof(counts))
    decode(at, &code)
    row[BLOCK_FIRST] = class_of(code)
    while at < end:
        if at[0] < 0x80:
            found = CLASSES[at[0]]
            lines += at[0] == b"\n"
            at += 1
        else:
            at += decode(at, &code)
            found = class_of(code)
        counts[chars & 3][found] += 1
        words += (before == SPACE) & (found != SPACE)
        before = found
        chars += 1
    row[BLOCK_LAST] = found
    for i in range(UPPER, SPACE):
        row[BLOCK_UPPER + i - UPPER] = (
            counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i]
        )
    row[BLOCK_CHARS] = chars
    row[BLOCK_WORDS] = words
    row[BLOCK_WIDTH] = chars + row[BLOCK_WIDE]
    row[BLOCK_LINES] = lines
    row[BLOCK_HASH] = crc32(begin, end)


cdef int add_block(Walker* w) noexcept nogil:
    """Make a block of the text gathered."""
    cdef int32_t* row = add_row(&w.blocks, BLOCK_COLUMNS)
    cdef const uint8_t* text
    if row == NULL or reserve(&w.text, 4):
        return NO_MEMORY
    if w.text.used > w.longest:
        return TOO_LONG
    # Ends the last character, should it be cut.
    w.text.data[w.text.used] = 0
    text = <const uint8_t*>w.text.data
    count_characters(row, text + w.start, text + w.text.used)
    row[BLOCK_START] = w.start
    row[BLOCK_END] = w.text.used
    row[BLOCK_ELEMENT] = w.frame.block
    row[BLOCK_INNER] = w.inner
    row[BLOCK_ITEM] = w.frame.item
    row[BLOCK_ROW] = w.frame.row
    row[BLOCK_KIND] = w.frame.kind
    row[BLOCK_LEVEL] = w.frame.level
    row[BLOCK_LINK_CHARS] = min(w.link_chars, <size_t>row[BLOCK_CHARS])
    row[BLOCK_LINKS] = w.links
    row[BLOCK_STRONG_CHARS] = min(w.strong_chars, <size_t>row[BLOCK_CHARS])
    row[BLOCK_IMAGES] = w.images
    row[BLOCK_CONTROLS] = w.controls
    row[BLOCK_ELEMENTS] = w.started
    w.links = w.images = w.controls = w.started = 0
    return DONE


cdef int flush(Walker* w) noexcept nogil:
    """Make a block of the text gathered, if there is any."""
    cdef int status = DONE
    if w.text.used > w.start:
        if w.frame.pre:
            strip_outside(w)
        if w.text.used > w.start:
            status = add_block(w)
        clear(w)
    elif w.marks.used > w.first_mark:
        set_apart(w)
    return status


cdef inline int border(Walker* w, bint inside_pre) noexcept nogil:
    """A border between blocks, which inside preformatted text is a new line."""
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


cdef bint ends_in_question(const tree.xmlNode* node) noexcept nogil:
    """Whether the text that begins at a node ends in a question mark."""
    cdef bint found = False
    cdef const uint8_t* begin
    cdef const uint8_t* end
    cdef uint32_t code
    while node != NULL and is_text(node):
        if has_text(node) and node.content != NULL:
            begin = <const uint8_t*>node.content
            end = begin + strlen(<const char*>begin)
            while end > begin and is_blank(end[-1]):
                end -= 1
            if end > begin:
                end -= 1
                while end > begin and goes_on(end[0]):
                    end -= 1
                decode(end, &code)
                found = has_sign(code, ASKING)
        node = node.next
    return found


cdef inline const tree.xmlNode* not_text(const tree.xmlNode* node) noexcept nogil:
    """The first node from one on that is no text."""
    while node != NULL and is_text(node):
        node = node.next
    return node


cdef int ask(const tree.xmlNode* button, bint* found) noexcept nogil:
    """Whether a text in a button ends in a question mark, icons beside it or not."""
    cdef const tree.xmlNode* node = button
    cdef const tree.xmlNode* inside
    cdef bint is_element
    cdef int left = QUESTION_NODES
    found[0] = False
    while left:
        left -= 1
        if not is_child(node):
            return NOT_MINE
        is_element = node.type == tree.XML_ELEMENT_NODE
        if (is_element and ends_in_question(node.children)) or (
            node != button and ends_in_question(node.next)
        ):
            found[0] = True
            break
        inside = not_text(node.children) if is_element else NULL
        while inside == NULL and node != button:
            inside = not_text(node.next)
            node = node.parent
        if inside == NULL:
            break
        node = inside
    return DONE


cdef bint is_skipped(
    Walker* w, const tree.xmlNode* node, uint32_t traits, uint32_t told
) noexcept nogil:
    """Whether an element's tag alone says that its content is no text of the page."""
    if traits & TEMPLATE:
        return not told & SHADOW
    if traits & HEAD:
        return not holds_body(node)
    if w.lenient:
        return traits & LENIENT_SKIP
    return traits & SKIP or (traits & BUTTON and w.frame.kind != HEADING)


cdef bint is_hidden(uint32_t traits, uint32_t told) noexcept nogil:
    """Whether a browser hides an element for good, as far as its attributes tell."""
    if traits & DIALOG and not told & OPEN:
        return True
    if not told & HIDES and (not told & HIDDEN or told & LATER):
        return False
    return not told & (PANEL if told & PLAYS else LABELLED)


cdef int skip(Walker* w, uint32_t traits) noexcept nogil:
    """Pass an element by whose content is no text of the page."""
    w.controls += (traits & CONTROL) != 0
    w.images += (traits & IMAGE) != 0
    if traits & (IMAGE | SOURCE) and not w.frame.pre:
        if add_mark(w, IMAGE_STYLE, w.here, w.place):
            return NO_MEMORY
        w.style = UNMARKED
    if traits & SPACER:
        add_space(w)
    return DONE


cdef int break_line(Walker* w, uint32_t traits) noexcept nogil:
    """End a line, or a block where a line has just ended or a rule stands."""
    if traits & RULE or w.frame.pre:
        return border(w, w.frame.pre)
    if w.pending == LINE:
        return flush(w)
    if w.text.used > w.start:
        wait_with(w, LINE)
    return DONE


cdef int say_instead(
    Walker* w, const tree.xmlNode* node, bint* found
) noexcept with gil:
    """Add what an element says as instead_of() has it, if that has anything."""
    cdef int32_t style = w.frame.style
    cdef bytes text
    try:
        element = elementFactory(<_Document>w.document, <tree.xmlNode*>node)
        said = specification.instead_of(element)
        if said is None:
            return DONE
        text = said.encode()
    except Exception:
        return NOT_MINE
    found[0] = True
    if not text:
        return DONE
    if w.frame.pre:
        return add_preformatted(w, text)
    w.frame.style |= TEX_STYLE
    status = add_text(w, text)
    w.frame.style = style
    return status


cdef void enter_frame(
    Frame* frame, const Name* tag, bint leads, int32_t row
) noexcept nogil:
    """Make of the frame outside an element the one inside."""
    if not tag.traits & BLOCK:
        if tag.traits & LINK and leads:
            frame.link = True
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
    Walker* w, const tree.xmlNode* node, const Name* tag, bint leads, size_t tokens
) noexcept nogil:
    """Begin an element whose content is text of the page; its tokens are read."""
    cdef bint is_block = tag.traits & BLOCK != 0, is_link = tag.traits & LINK != 0
    cdef Open* open
    cdef int32_t* row
    cdef int status = DONE
    if is_block:
        status = border(w, w.frame.pre)
    elif tag.style & RAISED_STYLE:
        # The number of a note stays with the link before it.
        w.linked = 0
    elif is_link and w.text.used == w.linked:
        # Two links side by side are never one word, each in an element or not.
        add_space(w)
    if status:
        return status
    open = <Open*>extend(&w.open, sizeof(Open))
    row = add_row(&w.elements, ELEMENT_COLUMNS)
    if open == NULL or row == NULL:
        return NO_MEMORY
    open[0] = Open(node, w.here, w.place, w.frame, is_block, is_link)
    row[ELEMENT_PARENT] = w.here
    row[ELEMENT_TAG] = tag.number
    row[ELEMENT_DEPTH] = w.open.used // sizeof(Open)
    row[ELEMENT_FIRST_BLOCK] = rows_of(&w.blocks, BLOCK_COLUMNS)
    row[ELEMENT_LAST_BLOCK] = row[ELEMENT_FIRST_BLOCK]
    row[ELEMENT_FIRST_TOKEN] = tokens // sizeof(uint32_t)
    row[ELEMENT_TOKENS] = (w.tokens.used - tokens) // sizeof(uint32_t)
    row[ELEMENT_PLACE] = w.place
    w.here = rows_of(&w.elements, ELEMENT_COLUMNS) - 1
    w.place = 0
    w.started += 1
    enter_frame(&w.frame, tag, leads, w.here)
    w.links += w.frame.link and is_link
    return DONE


cdef Name as_heading(const Name* tag, int32_t level) noexcept nogil:
    """An element's name as that of a heading."""
    cdef Name heading = tag[0]
    heading.kind = HEADING
    heading.level = level or UNTOLD_LEVEL
    heading.traits |= BLOCK
    return heading


cdef int enter(Walker* w, const tree.xmlNode** node) noexcept nogil:
    """Begin an element, and go to its first child, or if it is passed by to the next."""
    cdef const Name* tag = look_up(w.seen, local_name(node[0]))
    cdef size_t tokens = w.tokens.used
    cdef uint32_t told = 0
    cdef Name heading
    cdef bint found = False
    cdef int status = DONE
    # Whatever its attributes are, a skipped element stays that.
    if tag.traits & (TEMPLATE | HEAD) or not tag.traits & (LENIENT_SKIP if w.lenient else SKIP):
        status = read_attributes(node[0], w.seen, &w.tokens, &told)
    if not status and tag.traits & BUTTON and w.frame.kind != HEADING:
        status = ask(node[0], &found)
        if found:
            tag, found = &QUESTION, False
    if status:
        return status
    if is_special(node[0], tag):
        status = say_instead(w, node[0], &found)
    if status or found:
        pass
    elif is_skipped(w, node[0], tag.traits, told):
        status = skip(w, tag.traits)
    elif tag.traits & (BREAK | RULE):
        status = break_line(w, tag.traits)
    elif w.lenient or not is_hidden(tag.traits, told):
        if told & HEADS and (tag.traits & HEADED or not tag.number):
            heading = as_heading(tag, told >> LEVEL_AT)
            tag = &heading
        status = open_element(w, node[0], tag, told & HREF, tokens)
        node[0] = node[0].children
        return status
    w.tokens.used = tokens
    w.place += 1
    node[0] = node[0].next
    return status


cdef int leave(Walker* w, const tree.xmlNode** node) noexcept nogil:
    """End the innermost open element, and go to the node behind it."""
    cdef Open* open = <Open*>(w.open.data + w.open.used) - 1
    cdef int32_t* row = <int32_t*>w.elements.data + <size_t>w.here * ELEMENT_COLUMNS
    cdef int status = border(w, open.frame.pre) if open.is_block else DONE
    row[ELEMENT_LAST_BLOCK] = rows_of(&w.blocks, BLOCK_COLUMNS)
    w.here = open.outside
    w.place = open.place + 1
    w.frame = open.frame
    if open.is_link:
        w.linked = w.text.used
    w.open.used -= sizeof(Open)
    node[0] = open.node.next
    return status


cdef int take_text(
    Walker* w, const tree.xmlNode** node, const uint8_t** text
) noexcept nogil:
    """The text that begins at a node; go to the node behind it.

    A tree that was changed may have a text in several nodes, which lxml joins.
    """
    cdef const tree.xmlNode* at = node[0]
    text[0] = <const uint8_t*>b""
    if has_text(at) and (at.next == NULL or not is_text(at.next)):
        if at.content != NULL:
            text[0] = <const uint8_t*>at.content
        node[0] = at.next
        return DONE
    w.joined.used = 0
    while at != NULL and is_text(at):
        if has_text(at) and at.content != NULL:
            if add_bytes(
                &w.joined, <const char*>at.content, strlen(<const char*>at.content)
            ):
                return NO_MEMORY
        w.patience -= 1
        at = at.next
    if add_bytes(&w.joined, b"\0", 1):
        return NO_MEMORY
    text[0] = <const uint8_t*>w.joined.data
    node[0] = at
    return DONE


cdef int walk_tree(Walker* w, const tree.xmlNode* root) noexcept nogil:
    """Walk from a root element to its end."""
    cdef const tree.xmlNode* node = root
    cdef const uint8_t* text
    # Text behind a node that lxml does not know is not there for lxml.
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
            fetch_node(node.children)
            fetch_node(node.next)
            reading = True
            status = enter(w, &node)
        elif is_text(node):
            status = take_text(w, &node, &text)
            if status == DONE and reading and text[0]:
                status = add_preformatted(w, text) if w.frame.pre else add_text(w, text)
        else:
            reading = is_child(node)
            if reading:
                w.place += 1
            node = node.next
    return status if status else flush(w)


cdef object table(const Array* array, Py_ssize_t columns):
    """Rows of numbers as numpy has them."""
    cdef Py_ssize_t rows = array.used // (columns * sizeof(int32_t))
    cdef int32_t[:, ::1] made
    # The tables refer to each other's rows by 32-bit numbers.
    if rows > specification.MAX_TEXT:
        raise OverflowError(f"the page has more than {specification.MAX_TEXT} of something")
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

    The GIL is free meanwhile.  A text of more bytes than ``longest`` raises
    OverflowError, and TimeLimitError is raised as by the Python twin.
    """
    cdef const tree.xmlNode* node = root._c_node
    cdef int status = DONE
    cdef Walker w
    if node == NULL:
        raise ValueError("the element is in no tree")
    memset(&w, 0, sizeof(Walker))
    w.lenient = lenient
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
        if status == NOT_MINE:
            return specification.python_walk(root, lenient)
        return specification.Walk(
            w.text.data[: w.text.used] if w.text.used else b"",
            table(&w.elements, ELEMENT_COLUMNS),
            table(&w.blocks, BLOCK_COLUMNS),
            table(&w.tokens, 1).reshape(-1).view(np.uint32),
            root,
            table(&w.marks, MARK_COLUMNS),
        )
    finally:
        free(w.elements.data)
        free(w.blocks.data)
        free(w.tokens.data)
        free(w.marks.data)
        free(w.text.data)
        free(w.open.data)
        free(w.joined.data)


# -- elements by their rows

cdef struct Step:
    # An element on the way down to the last one that was found: its row and node, and
    # the last of its children that was looked for, with its place.
    int32_t row
    int32_t place
    tree.xmlNode* node
    tree.xmlNode* child


cdef tree.xmlNode* child_at(Step* step, int32_t place) noexcept nogil:
    """A child by its place; going on from the last one is linear."""
    cdef tree.xmlNode* node = step.child
    cdef int32_t passed = step.place
    if node == NULL or passed > place:
        node = step.node.children
        passed = 0
    while node != NULL:
        if is_child(node):
            if passed == place:
                step.child = node
                step.place = place
                return node
            passed += 1
        node = node.next
    return NULL


cdef class Finder:
    """Finds the nodes of a walk's rows, in a tree that has not changed.

    The steps to a node are kept by depth: rows in rising order share most of their way,
    and only new steps are gone.
    """

    cdef _Element root
    cdef const int32_t[:, ::1] elements
    cdef Array way

    def __init__(self, found):
        self.root = found.root
        self.elements = found.elements

    def __dealloc__(self):
        free(self.way.data)

    cdef tree.xmlNode* find(self, Py_ssize_t row, int32_t place) except NULL:
        """The node of a row, or if a place is given (not -1) of its child there."""
        cdef int32_t deepest, depth, at
        cdef size_t size
        cdef Step* steps
        cdef tree.xmlNode* node = NULL
        if not 0 <= row < self.elements.shape[0]:
            raise IndexError(row)
        at = row
        depth = deepest = self.elements[row, ELEMENT_DEPTH]
        size = deepest * sizeof(Step)
        if self.way.used < size:
            if reserve(&self.way, size - self.way.used):
                raise MemoryError
            memset(self.way.data + self.way.used, 0xFF, size - self.way.used)
            self.way.used = size
        steps = <Step*>self.way.data - 1
        # Up to an element that the last way led through ...
        while depth and steps[depth].row != at:
            steps[depth].row = at
            at = self.elements[at, ELEMENT_PARENT]
            depth -= 1
        # ... and down from there.
        while depth < deepest:
            depth += 1
            node = self.root._c_node
            if depth > 1:
                at = self.elements[steps[depth].row, ELEMENT_PLACE]
                node = child_at(&steps[depth - 1], at)
            if node == NULL:
                break
            steps[depth] = Step(steps[depth].row, 0, node, NULL)
        else:
            node = steps[deepest].node
            if place >= 0:
                node = child_at(&steps[deepest], place)
        if node == NULL or node.type != tree.XML_ELEMENT_NODE:
            self.way.used = 0
            raise IndexError("the tree has changed")
        return node


cdef bint has_tree(found):
    cdef _Element root = found.root
    return root is not None and root._c_node != NULL


def nodes_of(found not None, list rows, list places=None):
    """The compiled twin of walk.nodes_of()."""
    if not has_tree(found):
        return specification.python_nodes_of(found, rows, places)
    cdef Finder finder = Finder(found)
    return [
        elementFactory(finder.root._doc, finder.find(row, place))
        for row, place in zip(rows, places or [-1] * len(rows), strict=True)
    ]


cdef object value_called(_Document document, tree.xmlNode* node, bytes name):
    """The value of an element's attribute in no namespace, None if it has none."""
    cdef const tree.xmlAttr* attribute = node.properties
    cdef const char* wanted = name
    cdef const char* value
    # Odd XML may have an attribute twice; the first one counts.
    while attribute != NULL:
        prefetch(attribute.next)
        if strcmp(<const char*>attribute.name, wanted) == 0 and is_plain(attribute):
            if value_of(attribute, &value):
                return (<object>elementFactory(document, node)).get(name.decode())
            return value.decode()
        attribute = attribute.next
    return None


def attribute_values(found not None, list rows not None, str name not None):
    """The compiled twin of walk.python_attribute_values()."""
    cdef bytes wanted = name.encode()
    cdef Finder finder
    if not has_tree(found):
        return specification.python_attribute_values(found, rows, name)
    finder = Finder(found)
    return [value_called(finder.root._doc, finder.find(row, -1), wanted) for row in rows]
