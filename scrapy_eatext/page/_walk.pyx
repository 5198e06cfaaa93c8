# cython: language_level=3, cdivision=True
"""The compiled twin of walk.walk(): over libxml2's own nodes, without the GIL.

It calls nothing of libxml2, it only reads: an element of lxml leads to its node,
and from there pointers lead on.  What the nodes look like is in the headers that
lxml brings.  Nothing may change the tree meanwhile, as always in lxml.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memmove, memset, strcmp, strlen
from lxml.includes cimport tree
from scrapy_eatext.page.bytes cimport (
    Array, DONE, NO_MEMORY, add_row, decode, goes_on, reserve
)
from scrapy_eatext.page.clock cimport eatext_clock
from scrapy_eatext.page.columns cimport *

import numpy as np
from lxml import etree

from scrapy_eatext.deadline import TimeLimitError, remaining
from scrapy_eatext.page import characters, tags
from scrapy_eatext.page.walk import (
    IMAGE as IMAGE_STYLE,
    MAX_TEXT,
    PANELS,
    TOKEN_ATTRIBUTES,
    TOKEN_LIMITS,
    Walk,
    fnv1a,
)
from scrapy_eatext.page.walk import attribute_values as python_values
from scrapy_eatext.page.walk import child_values as python_child_values
from scrapy_eatext.page.walk import nodes_of as python_nodes_of
from scrapy_eatext.page.walk import walk as python_walk

cdef extern from *:
    const unsigned int EATEXT_CHECKSUM

# Of the sources that this is built from, see checksum.py.
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
    # The element of a node, which is made where there is none yet.
    _Element elementFactory(_Document document, tree.xmlNode* node)

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define eatext_prefetch(at) __builtin_prefetch(at)
    #else
    #define eatext_prefetch(at) ((void)(at))
    #endif
    """
    # Says what will be read soon.  A tree is spread over the memory, and to wait for
    # it takes longer than what is done with it.
    void prefetch "eatext_prefetch" (const void* at) noexcept nogil

import_lxml__etree()

# The versions of lxml and of libxml2 whose headers it was built with, and the
# size that an element of lxml has by them.
BUILT_FOR = (
    tuple(int(n) for n in LXML_VERSION_STRING.decode().split(".")[:2]),
    divmod(tree.LIBXML_VERSION // 100, 100),
    sizeof(LxmlElement),
)

cdef enum:
    # Beside DONE and NO_MEMORY, what may become of a walk.
    TOO_LONG = -2
    TIME_IS_UP = -3
    # Something that is better left to the Python twin.
    NOT_MINE = -4


cdef class Table:
    """Rows of 32-bit integers, as numpy reads them without a copy."""

    cdef Array array
    cdef Py_ssize_t shape[2]
    cdef Py_ssize_t strides[2]
    cdef int dimensions
    cdef const char* format

    def __cinit__(self, Py_ssize_t columns, bint signed):
        self.shape[1] = columns
        self.strides[0] = columns * sizeof(int32_t)
        self.strides[1] = sizeof(int32_t)
        self.dimensions = 2 if columns > 1 else 1
        self.format = b"i" if signed else b"I"

    def __dealloc__(self):
        free(self.array.data)

    cdef object finish(self):
        """The numpy array; no room is kept that is not used."""
        cdef char* data
        # The tables refer to each other's rows by 32-bit numbers.
        if self.array.used // <size_t>self.strides[0] > <size_t>MAX_TEXT:
            raise OverflowError(f"the page has more than {MAX_TEXT} of something")
        if self.array.used:
            data = <char*>realloc(self.array.data, self.array.used)
            if data != NULL:
                self.array.data = data
        self.shape[0] = self.array.used // self.strides[0]
        return np.asarray(self)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        buffer.buf = self.array.data if self.array.data != NULL else <char*>&NOTHING
        buffer.obj = self
        buffer.len = self.array.used
        buffer.readonly = 0
        buffer.itemsize = sizeof(int32_t)
        buffer.format = <char*>self.format
        buffer.ndim = self.dimensions
        buffer.shape = self.shape
        buffer.strides = self.strides
        buffer.suboffsets = NULL
        buffer.internal = NULL


cdef int32_t NOTHING = 0

# -- characters

cdef enum:
    WORD = 0
    SPACE = 10
    INVISIBLE = 11
    SURROGATE = 12
    # Of a byte: it goes into the text as it is, or the character that starts
    # with it has to be looked up, or the text ends.
    PLAIN = 0
    LOOK = 20
    STOP = 21

assert (characters.WORD, characters.SPACE) == (WORD, SPACE)
assert characters.CLASS_COUNT == INVISIBLE

# A class for each code point of the Basic Multilingual Plane.
cdef uint8_t[0x10000] CLASSES
# Whether a code point is of a script that has no spaces.
cdef uint8_t[0x10000] SPACELESS
# For each byte PLAIN, SPACE, INVISIBLE, LOOK or STOP.
cdef uint8_t[256] BYTES
cdef uint32_t WIDE_FIRST = characters.WIDE_PLANES[0]
cdef uint32_t WIDE_LAST = characters.WIDE_PLANES[1]
cdef int WIDE = characters.WIDE
cdef int UPPER = characters.UPPER
# The CRC of zlib: of each byte, with 0 to 7 bytes of zero behind it.
cdef uint32_t[8][256] CRC


cdef void fill_tables():
    cdef int code, i, k
    cdef uint32_t value
    for code in range(0x10000):
        CLASSES[code] = characters.CLASSES[code]
    for first, last in characters.INVISIBLE_RANGES:
        for code in range(first, last + 1):
            CLASSES[code] = INVISIBLE
    for first, last in characters.SPACELESS_RANGES:
        for code in range(first, last + 1):
            SPACELESS[code] = True
    for code in range(0xD800, 0xE000):
        CLASSES[code] = SURROGATE
    for code in range(0x80):
        BYTES[code] = CLASSES[code] if CLASSES[code] >= SPACE else PLAIN
    BYTES[0] = STOP
    for code in range(0x80, 0x10000):
        if CLASSES[code] >= SPACE:
            BYTES[chr(code).encode("utf-8", "surrogatepass")[0]] = LOOK
    for i in range(256):
        value = i
        for k in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        CRC[0][i] = value
    for k in range(1, 8):
        for i in range(256):
            CRC[k][i] = (CRC[k - 1][i] >> 8) ^ CRC[0][CRC[k - 1][i] & 0xFF]


fill_tables()


cdef inline int class_of(uint32_t code) noexcept nogil:
    if code < 0x10000:
        return CLASSES[code]
    return WIDE if WIDE_FIRST <= code <= WIDE_LAST else WORD


cdef uint32_t crc32(const uint8_t* at, size_t size) noexcept nogil:
    """zlib's, eight bytes at a time."""
    cdef uint32_t value = 0xFFFFFFFF
    while size >= 8:
        value = (
            CRC[7][(value ^ at[0]) & 0xFF]
            ^ CRC[6][(value >> 8 ^ at[1]) & 0xFF]
            ^ CRC[5][(value >> 16 ^ at[2]) & 0xFF]
            ^ CRC[4][value >> 24 ^ at[3]]
            ^ CRC[3][at[4]]
            ^ CRC[2][at[5]]
            ^ CRC[1][at[6]]
            ^ CRC[0][at[7]]
        )
        at += 8
        size -= 8
    while size:
        value = value >> 8 ^ CRC[0][(value ^ at[0]) & 0xFF]
        at += 1
        size -= 1
    return ~value


cdef size_t characters_of(const char* at, const char* end) noexcept nogil:
    """The number of characters in UTF-8."""
    cdef size_t count = 0
    while at < end:
        if not goes_on(<uint8_t>at[0]):
            count += 1
        at += 1
    return count


# -- elements

cdef enum:
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


cdef struct Tag:
    const char* name
    int32_t number
    # The kind of block it makes, or -1, and of a heading its level.
    int32_t kind
    int32_t level
    uint32_t traits
    # What it makes of the text inside, where it is no block.
    int32_t style


cdef enum:
    # Of the table of tags; a power of two, four times as many as there are tags.
    SLOTS = 512

cdef Tag[SLOTS] TAGS
cdef Tag UNKNOWN
UNKNOWN.name = NULL
UNKNOWN.number = 0
UNKNOWN.kind = -1
UNKNOWN.level = 0
UNKNOWN.traits = 0
UNKNOWN.style = 0

cdef int PARAGRAPH = tags.PARAGRAPH
cdef int HEADING = tags.HEADING
cdef int ITEM = tags.ITEM
cdef int QUOTE = tags.QUOTE
cdef int CODE = tags.CODE
cdef int CELL = tags.CELL
# The names stay alive here.
_NAMES = {name: name.encode() for name in (*tags.TAGS, *tags.STYLE_OF)}
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
}


cdef inline uint32_t hash_name(const char* name) noexcept nogil:
    cdef uint32_t value = 0
    while name[0]:
        value = value * 31 + <uint8_t>name[0]
        name += 1
    return value ^ value >> 9


cdef void fill_tags() except *:
    cdef Tag tag
    cdef uint32_t slot
    assert len(_NAMES) * 3 < SLOTS
    for name in _NAMES:
        tag.name = _NAMES[name]
        tag.number = tags.TAG_ID.get(name, 0)
        tag.style = tags.STYLE_OF.get(name, 0)
        tag.kind = tags.KIND_OF.get(name, -1)
        tag.level = int(name[1]) if tag.kind == HEADING else 0
        tag.traits = 0
        for trait, members in _TRAITS.items():
            if name in members:
                tag.traits |= trait
        slot = hash_name(tag.name) % SLOTS
        while TAGS[slot].name != NULL:
            slot = (slot + 1) % SLOTS
        TAGS[slot] = tag
    for members in _TRAITS.values():
        assert members <= tags.TAG_ID.keys()


fill_tags()


cdef const Tag* find_tag(const char* name) noexcept nogil:
    cdef uint32_t slot = hash_name(name) % SLOTS
    while TAGS[slot].name != NULL:
        if strcmp(TAGS[slot].name, name) == 0:
            return &TAGS[slot]
        slot = (slot + 1) % SLOTS
    return &UNKNOWN


cdef const char* local_name(const tree.xmlNode* node) noexcept nogil:
    """A name without what lxml takes for its namespace."""
    cdef const char* name = <const char*>node.name
    cdef const char* at
    if (node.ns != NULL and node.ns.href != NULL) or name[0] == b"{":
        at = name
        while at[0]:
            if at[0] == b"}":
                name = at + 1
            at += 1
    return name


# -- attributes

cdef enum:
    TOKEN_KINDS = 4
    MAX_TOKENS = 16
    MIN_TOKEN = 2
    MAX_TOKEN = 24
    MAX_VALUE = 1000

assert TOKEN_LIMITS == (MAX_TOKENS, MIN_TOKEN, MAX_TOKEN, MAX_VALUE)

cdef enum Meaning:
    # What an attribute tells: words, or that it is there, or its value in part.
    WORDS
    WORDS_OF_ID
    WORDS_OF_ROLE
    STYLE
    HREF
    HIDDEN
    LABELLED
    OPEN
    SHADOW


cdef struct Attribute:
    const char* name
    Meaning meaning
    # The hash of what is put before each of its words.
    uint32_t seed


# Those that count, by the first letter of their names, the rest is empty.
cdef Attribute[128][4] ATTRIBUTES
_MEANINGS = {
    **dict.fromkeys(TOKEN_ATTRIBUTES, WORDS),
    "id": WORDS_OF_ID,
    "role": WORDS_OF_ROLE,
    "style": STYLE,
    "href": HREF,
    "hidden": HIDDEN,
    "aria-labelledby": LABELLED,
    "open": OPEN,
    "shadowrootmode": SHADOW,
}
cdef enum:
    KNOWN = 13

assert len(_MEANINGS) == KNOWN
# The names stay alive here.
_ATTRIBUTE_NAMES = {name: name.encode() for name in _MEANINGS}


cdef void fill_attributes() except *:
    cdef int i
    for name, meaning in _MEANINGS.items():
        i = 0
        while ATTRIBUTES[ord(name[0])][i].name != NULL:
            i += 1
        assert i < 3
        ATTRIBUTES[ord(name[0])][i] = Attribute(
            _ATTRIBUTE_NAMES[name],
            meaning,
            fnv1a(TOKEN_ATTRIBUTES.get(name, "").encode()),
        )


fill_attributes()


cdef enum Role:
    # What an element plays: none, that of a panel, another.
    NO_ROLE
    PANEL_ROLE
    OTHER_ROLE


cdef struct Attributes:
    # What counts of an element's attributes.
    bint hiding
    bint hidden
    bint streamed
    bint opened
    bint link
    bint shadow
    bint labelled
    Role role


cdef inline bint is_blank(char c) noexcept nogil:
    return c == 32 or c == 9 or c == 10 or c == 13 or c == 12


cdef const char* after_word(const char* at, const char* word) noexcept nogil:
    """What stands behind a word in lower case, in any case; NULL if it is another."""
    while word[0]:
        if at[0] != word[0] and not (65 <= at[0] <= 90 and at[0] + 32 == word[0]):
            return NULL
        at += 1
        word += 1
    return at


cdef bint is_word(const char* value, const char* word) noexcept nogil:
    """Whether a value is a word in lower case, in any case."""
    cdef const char* end = after_word(value, word)
    return end != NULL and end[0] == 0


cdef Role role_of(const char* value) noexcept nogil:
    """What a role says of an element that is hidden."""
    if value[0] == 0:
        return NO_ROLE
    if strcmp(value, b"tabpanel") == 0 or strcmp(value, b"region") == 0:
        return PANEL_ROLE
    return OTHER_ROLE


assert PANELS == {"tabpanel", "region"}


cdef bint is_hiding(const char* style) noexcept nogil:
    """Whether a style says display: none or visibility: hidden."""
    cdef const char* at
    cdef const char* value
    while style[0]:
        at = NULL
        value = b"none"
        if (style[0] | 32) == b"d":
            at = after_word(style, b"display")
        elif (style[0] | 32) == b"v":
            at = after_word(style, b"visibility")
            value = b"hidden"
        style += 1
        if at == NULL:
            continue
        while is_blank(at[0]):
            at += 1
        if at[0] != b":":
            continue
        at += 1
        while is_blank(at[0]):
            at += 1
        if after_word(at, value) != NULL:
            return True
    return False


cdef int value_of(const tree.xmlAttr* attribute, const char** value) noexcept nogil:
    """The value of an attribute, which is in one piece but in odd XML."""
    cdef const tree.xmlNode* node = attribute.children
    value[0] = b""
    if node == NULL:
        return DONE
    if node.next != NULL or not (
        node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE
    ):
        return NOT_MINE
    if node.content != NULL:
        value[0] = <const char*>node.content
    return DONE


cdef int read_tokens(
    Array* tokens, const char* at, uint32_t seed, size_t most
) noexcept nogil:
    """Add the hashes of the words in a value, while there are fewer bytes of them."""
    cdef const char* end = at + strlen(at)
    cdef const char* word
    cdef uint32_t value
    if end - at > MAX_VALUE:
        end = cut_value(at, end)
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
            if reserve(tokens, sizeof(uint32_t)):
                return NO_MEMORY
            (<uint32_t*>(tokens.data + tokens.used))[0] = value
            tokens.used += sizeof(uint32_t)
    return DONE


cdef const char* cut_value(const char* at, const char* end) noexcept nogil:
    """Where the part of a long value ends that is looked at."""
    cdef int count = 0
    while at < end:
        if not goes_on(<uint8_t>at[0]):
            if count == MAX_VALUE:
                break
            count += 1
        at += 1
    return at


cdef const Attribute* find_attribute(const char* name) noexcept nogil:
    """What an attribute tells, or NULL where it tells nothing."""
    cdef const Attribute* found
    if <uint8_t>name[0] >= 128:
        return NULL
    found = ATTRIBUTES[<uint8_t>name[0]]
    while found.name != NULL:
        if strcmp(found.name, name) == 0:
            return found
        found += 1
    return NULL


cdef bint is_again(
    const Attribute* found, const Attribute** seen, int* count
) noexcept nogil:
    """Whether an attribute was seen before, as may be in what is no HTML; note it."""
    cdef int i
    for i in range(count[0]):
        if seen[i] == found:
            return True
    seen[count[0]] = found
    count[0] += 1
    return False


cdef int read_attributes(
    const tree.xmlNode* node, Attributes* has, Array* tokens
) noexcept nogil:
    """Read what counts of an element's attributes, and add its tokens."""
    cdef const tree.xmlAttr* attribute = node.properties
    cdef const Attribute* found
    cdef const Attribute* seen[KNOWN]
    cdef int count = 0
    cdef const char* value
    cdef size_t most = tokens.used + MAX_TOKENS * sizeof(uint32_t)
    while attribute != NULL:
        prefetch(attribute.children)
        prefetch(attribute.next)
        found = find_attribute(<const char*>attribute.name)
        if (
            found == NULL
            or attribute.type != tree.XML_ATTRIBUTE_NODE
            or (attribute.ns != NULL and attribute.ns.href != NULL)
            or is_again(found, seen, &count)
        ):
            pass
        elif found.meaning == HREF:
            has.link = True
        elif found.meaning == LABELLED:
            has.labelled = True
        elif found.meaning == OPEN:
            has.opened = True
        elif found.meaning == SHADOW:
            has.shadow = True
        elif value_of(attribute, &value):
            return NOT_MINE
        elif found.meaning == STYLE:
            has.hiding = is_hiding(value)
        elif found.meaning == HIDDEN:
            has.hidden = not is_word(value, b"until-found")
        else:
            if found.meaning == WORDS_OF_ID:
                has.streamed = value[0] == b"S" and value[1] == b":"
            elif found.meaning == WORDS_OF_ROLE:
                has.role = role_of(value)
            if read_tokens(tokens, value, found.seed, most):
                return NO_MEMORY
        attribute = attribute.next
    return DONE


# -- the walk

cdef enum:
    NONE = 0
    BLANK = 1
    LINE = 2
    # How much there is between two looks at the clock: nodes, and bytes of text.
    CLOCK = 4096
    CLOCK_BYTES = 64

cdef enum:
    # The style of an image's mark, and what no text is marked with.
    PICTURE = -1
    UNMARKED = -2

assert IMAGE_STYLE == PICTURE
# The counts of characters by class stand side by side, in the order of the classes.
assert BLOCK_OTHER - BLOCK_UPPER == SPACE - 1 - characters.UPPER


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
    # An open element, and what is around it.
    const tree.xmlNode* node
    int32_t here
    int32_t place
    Frame frame
    bint is_block
    bint is_link


cdef struct Walker:
    Array* elements
    Array* blocks
    Array* tokens
    Array* marks
    Array text
    Array open
    bint lenient
    size_t longest
    double end
    int32_t patience
    # The element that is walked through, and its frame.
    int32_t here
    Frame frame
    # The text gathered for the next block is the end of the text, from start.
    size_t start
    int32_t inner
    int32_t pending
    size_t link_chars
    size_t strong_chars
    # The marks of that text begin here; how the text before is marked, and the
    # white space that is pending.
    size_t first_mark
    int32_t style
    int32_t anchor
    int32_t around_style
    int32_t around_anchor
    # Whether a carriage return was the last character of preformatted text.
    bint returned
    # Whether the text that was last looked at so is a permalink.
    bint permalink
    # What was met since the last block.
    int32_t links
    int32_t images
    int32_t controls
    int32_t started


cdef inline void clear(Walker* w) noexcept nogil:
    w.start = w.text.used
    w.pending = NONE
    w.link_chars = w.strong_chars = 0
    w.first_mark = w.marks.used
    w.style = 0
    w.anchor = -1


cdef inline void stand_around(Walker* w) noexcept nogil:
    """Note what white space that is pending stands in."""
    w.around_style = w.frame.style
    w.around_anchor = w.frame.anchor


cdef inline void add_space(Walker* w) noexcept nogil:
    """Add a space, unless one stands there."""
    if w.text.used > w.start and w.pending == NONE:
        w.pending = BLANK
        stand_around(w)


cdef int add_mark(
    Walker* w, int32_t style, int32_t around_style, int32_t around_anchor
) noexcept nogil:
    """Mark what comes next, in the link that is open."""
    cdef int32_t* row = add_row(w.marks, MARK_COLUMNS)
    if row == NULL:
        return NO_MEMORY
    row[MARK_BLOCK] = w.blocks.used // (BLOCK_COLUMNS * sizeof(int32_t))
    row[MARK_START] = w.text.used
    row[MARK_STYLE] = style
    row[MARK_LINK] = w.frame.anchor
    row[MARK_AROUND_STYLE] = around_style
    row[MARK_AROUND_LINK] = around_anchor
    return DONE


cdef inline int mark_text(Walker* w) noexcept nogil:
    """Mark the text that comes next, unless it is as the text before."""
    cdef int32_t style = w.frame.style, anchor = w.frame.anchor
    cdef bint alike = w.pending == NONE or (
        w.around_style == style and w.around_anchor == anchor
    )
    if alike and w.style == style and w.anchor == anchor:
        return DONE
    w.style = style
    w.anchor = anchor
    if w.pending != NONE:
        return add_mark(w, style, w.around_style, w.around_anchor)
    return add_mark(w, style, style, anchor)


cdef void set_apart(Walker* w) noexcept nogil:
    """Take the marks since the border before for images that stand apart."""
    cdef size_t at = w.first_mark
    while at < w.marks.used:
        (<int32_t*>(w.marks.data + at))[MARK_START] = -1
        at += MARK_COLUMNS * sizeof(int32_t)
    w.first_mark = w.marks.used
    w.style = 0
    w.anchor = -1


cdef int add_line(Walker* w) noexcept nogil:
    """Begin a line in preformatted text, unless one has just begun."""
    if w.text.used > w.start and w.text.data[w.text.used - 1] != b"\n":
        if reserve(&w.text, 1):
            return NO_MEMORY
        w.text.data[w.text.used] = b"\n"
        w.text.used += 1
    return DONE


cdef void count_chars(Walker* w, const char* begin, const char* end) noexcept nogil:
    """Count what has been added to the text, where it is in a link or strong."""
    cdef size_t count
    if w.frame.link or w.frame.strong:
        count = characters_of(begin, end)
        if w.frame.link:
            w.link_chars += count
        if w.frame.strong:
            w.strong_chars += count


cdef inline bint is_text(const tree.xmlNode* node) noexcept nogil:
    return (
        node.type == tree.XML_TEXT_NODE
        or node.type == tree.XML_CDATA_SECTION_NODE
        or node.type == tree.XML_XINCLUDE_START
        or node.type == tree.XML_XINCLUDE_END
    )


cdef bint is_permalink(const tree.xmlNode* node) noexcept nogil:
    """Whether a text, which may be in several nodes, is one of PERMALINKS alone."""
    cdef const uint8_t* at
    cdef uint32_t code
    cdef int found = 0
    while node.prev != NULL and is_text(node.prev):
        node = node.prev
    while node != NULL and is_text(node):
        at = NULL
        if node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE:
            at = <const uint8_t*>node.content
        while at != NULL and at[0]:
            if at[0] not in b" \t\r\n\f":
                decode(at, &code)
                if found or (code != 0x23 and code != 0xA7 and code != 0xB6):
                    return False
                found = 1
                at += code > 0x7F
            at += 1
        node = node.next
    return found


cdef bint is_in_permalink(Walker* w, const tree.xmlNode* node) noexcept nogil:
    """Whether a node's text is of a permalink; a text in many nodes is read once."""
    cdef const tree.xmlNode* before = node.prev
    while before != NULL and is_text(before) and not (
        before.type != tree.XML_XINCLUDE_START
        and before.type != tree.XML_XINCLUDE_END
        and before.content != NULL
        and before.content[0]
    ):
        before = before.prev
    if before == NULL or not is_text(before):
        w.permalink = is_permalink(node)
    return w.permalink


cdef bint is_broken_line(const tree.xmlNode* node, const uint8_t* at) noexcept nogil:
    """Whether all that parts a node's character from the one before is a broken line.

    That is so where neither is of a script that has spaces, see BROKEN_LINE.
    """
    cdef uint32_t before, behind
    cdef bint broken = False
    cdef const uint8_t* source = <const uint8_t*>node.content
    decode(at, &behind)
    if behind >= 0x10000 or not SPACELESS[behind]:
        return False
    while True:
        while at > source and at[-1] in b" \t\r\n\f":
            at -= 1
            broken |= at[0] == b"\n"
        if at > source:
            break
        # A text may be in several nodes.
        node = node.prev
        while node != NULL and (
            node.type == tree.XML_XINCLUDE_START or node.type == tree.XML_XINCLUDE_END
        ):
            node = node.prev
        if node == NULL or not is_text(node):
            return False
        source = <const uint8_t*>node.content
        if source == NULL:
            return False
        at = source + strlen(<const char*>source)
    if not broken or at - source < 3 or decode(at - 3, &before) != 3:
        return False
    return before < 0x10000 and SPACELESS[before]


cdef int add_text(Walker* w, const tree.xmlNode* node) noexcept nogil:
    """Add text as it stands in the source; its white space is collapsed."""
    cdef uint8_t* out
    cdef uint8_t* first
    cdef const uint8_t* begin
    cdef uint32_t code
    cdef int kind, size, pending = w.pending
    cdef const uint8_t* at = <const uint8_t*>node.content
    cdef size_t length
    if w.frame.link and w.frame.kind == HEADING and is_in_permalink(w, node):
        return DONE
    length = strlen(<const char*>at)
    # What is pending takes a byte more.
    if reserve(&w.text, length + 1):
        return NO_MEMORY
    begin = out = <uint8_t*>w.text.data + w.text.used
    first = <uint8_t*>w.text.data + w.start
    # What is pending stands in what it began in, what is here in what is open.
    if pending == NONE:
        stand_around(w)
    while True:
        kind = BYTES[at[0]]
        size = 1
        if kind == LOOK:
            size = decode(at, &code)
            kind = class_of(code)
            if kind < SPACE:
                kind = PLAIN
        if kind == PLAIN:
            if out == begin:
                w.pending = pending
                if mark_text(w):
                    return NO_MEMORY
                stand_around(w)
            if out == first:
                w.inner = w.here
            elif pending and not (at[0] > 0xE0 and is_broken_line(node, at)):
                out[0] = b"\n" if pending == LINE else b" "
                out += 1
            pending = NONE
            while True:
                while size:
                    out[0] = at[0]
                    out += 1
                    at += 1
                    size -= 1
                while BYTES[at[0]] == PLAIN:
                    out[0] = at[0]
                    out += 1
                    at += 1
                if BYTES[at[0]] != LOOK:
                    break
                size = decode(at, &code)
                if class_of(code) >= SPACE:
                    break
            continue
        if kind == STOP:
            break
        if kind == SURROGATE:
            return NOT_MINE
        if kind == SPACE and pending == NONE and out != first:
            pending = BLANK
        at += size
    w.pending = pending
    count_chars(w, <char*>begin, <char*>out)
    w.text.used = <char*>out - w.text.data
    w.patience -= length // CLOCK_BYTES
    return DONE


cdef int add_preformatted(Walker* w, const uint8_t* at) noexcept nogil:
    """Add text whose white space counts."""
    cdef uint8_t* out
    cdef const uint8_t* begin
    cdef uint32_t code
    cdef int kind, size
    cdef bint returned = w.returned
    cdef size_t length = strlen(<const char*>at)
    if reserve(&w.text, length):
        return NO_MEMORY
    begin = out = <uint8_t*>w.text.data + w.text.used
    while at[0]:
        size = decode(at, &code)
        kind = class_of(code)
        if kind == INVISIBLE:
            at += size
            continue
        if kind == SURROGATE:
            return NOT_MINE
        if kind == SPACE:
            if not (returned and code == b"\n"):
                if code == b"\n" or code == b"\t":
                    out[0] = code
                else:
                    out[0] = b"\n" if code == b"\r" else b" "
                out += 1
            returned = code == b"\r"
            at += size
            continue
        returned = False
        while size:
            out[0] = at[0]
            out += 1
            at += 1
            size -= 1
    if out > begin and w.text.used == w.start:
        w.inner = w.here
    w.returned = returned
    count_chars(w, <char*>begin, <char*>out)
    w.text.used = <char*>out - w.text.data
    w.patience -= length // CLOCK_BYTES
    return DONE


cdef void strip_outside(Walker* w) noexcept nogil:
    """Take empty lines before preformatted text away, and the space after it."""
    cdef char* begin = w.text.data + w.start
    cdef char* end = w.text.data + w.text.used
    cdef char* at = begin
    cdef char* line = begin
    while end > begin and is_blank(end[-1]):
        end -= 1
    while at < end and (at[0] == b" " or at[0] == b"\t" or at[0] == b"\n"):
        at += 1
        if at[-1] == b"\n":
            line = at
    if line > begin and end > line:
        memmove(begin, line, end - line)
    w.text.used = w.start + (end - line)


cdef int add_block(Walker* w) noexcept nogil:
    """Make a block of the text gathered."""
    # Each of them waits for the last one like it, so four take turns.
    cdef int32_t[4][13] counts
    cdef const uint8_t* begin = <const uint8_t*>w.text.data + w.start
    cdef const uint8_t* end = <const uint8_t*>w.text.data + w.text.used
    cdef const uint8_t* at = begin
    cdef int32_t chars = 0, words = 0, lines = 0
    cdef int kind = SPACE, before = SPACE, first, i
    cdef uint32_t code
    cdef int32_t* row = add_row(w.blocks, BLOCK_COLUMNS)
    if row == NULL or reserve(&w.text, 4):
        return NO_MEMORY
    # Ends the last character, should it be cut.
    w.text.data[w.text.used] = 0
    begin = at = <const uint8_t*>w.text.data + w.start
    end = <const uint8_t*>w.text.data + w.text.used
    if w.text.used > w.longest:
        return TOO_LONG
    memset(counts, 0, sizeof(counts))
    decode(at, &code)
    first = class_of(code)
    while at < end:
        if at[0] < 0x80:
            kind = CLASSES[at[0]]
            lines += at[0] == b"\n"
            at += 1
        else:
            at += decode(at, &code)
            kind = class_of(code)
        counts[chars & 3][kind] += 1
        words += (before == SPACE) & (kind != SPACE)
        before = kind
        chars += 1
    for i in range(13):
        counts[0][i] += counts[1][i] + counts[2][i] + counts[3][i]
    row[BLOCK_START] = w.start
    row[BLOCK_END] = w.text.used
    row[BLOCK_ELEMENT] = w.frame.block
    row[BLOCK_INNER] = w.inner
    row[BLOCK_ITEM] = w.frame.item
    row[BLOCK_ROW] = w.frame.row
    row[BLOCK_KIND] = w.frame.kind
    row[BLOCK_LEVEL] = w.frame.level
    row[BLOCK_CHARS] = chars
    row[BLOCK_WORDS] = words
    row[BLOCK_WIDTH] = chars + counts[0][WIDE]
    row[BLOCK_LINES] = lines
    row[BLOCK_LINK_CHARS] = chars if w.link_chars > <size_t>chars else w.link_chars
    row[BLOCK_LINKS] = w.links
    row[BLOCK_STRONG_CHARS] = (
        chars if w.strong_chars > <size_t>chars else w.strong_chars
    )
    for i in range(UPPER, SPACE):
        row[BLOCK_UPPER + i - UPPER] = counts[0][i]
    row[BLOCK_FIRST] = first
    row[BLOCK_LAST] = kind
    row[BLOCK_IMAGES] = w.images
    row[BLOCK_CONTROLS] = w.controls
    row[BLOCK_ELEMENTS] = w.started
    row[BLOCK_HASH] = crc32(begin, end - begin)
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
    """Whether a head has in it what is none of a head."""
    cdef const tree.xmlNode* node = head.children
    while node != NULL:
        if (
            node.type == tree.XML_ELEMENT_NODE
            and not find_tag(local_name(node)).traits & SKIP
        ):
            return True
        node = node.next
    return False


cdef bint is_skipped(
    Walker* w, const tree.xmlNode* node, const Tag* tag, const Attributes* has
) noexcept nogil:
    """Whether an element's content is none of the page's text by its tag alone."""
    if tag.traits & TEMPLATE:
        return not has.shadow
    if tag.traits & HEAD:
        return not holds_body(node)
    if w.lenient:
        return tag.traits & LENIENT_SKIP
    return tag.traits & SKIP or (tag.traits & BUTTON and w.frame.kind != HEADING)


cdef bint is_hidden(const Tag* tag, const Attributes* has) noexcept nogil:
    """Whether a browser hides an element for good, as far as its attributes tell."""
    if tag.traits & DIALOG and not has.opened:
        return True
    if not has.hiding and (not has.hidden or has.streamed):
        return False
    return has.role == OTHER_ROLE or (has.role == NO_ROLE and not has.labelled)


cdef void enter_frame(
    Frame* frame, const Tag* tag, const Attributes* has, int32_t row
) noexcept nogil:
    """Make of the frame outside an element the one inside."""
    if not tag.traits & BLOCK:
        if tag.traits & LINK and has.link:
            frame.link = True
            frame.anchor = row
        elif tag.traits & STRONG:
            frame.strong = True
        frame.style |= tag.style
        return
    frame.block = row
    frame.style = 0
    if tag.kind >= 0:
        if tag.kind == HEADING:
            frame.level = tag.level
        elif tag.kind == ITEM:
            frame.level = frame.lists
            frame.item = row
        elif tag.kind == QUOTE:
            frame.level = frame.level + 1 if frame.kind == QUOTE else 1
        else:
            frame.level = 0
            if tag.kind == CELL:
                frame.item = row
            elif tag.kind == CODE:
                frame.pre = True
        frame.kind = tag.kind
    elif tag.traits & LIST:
        frame.lists += 1
    elif tag.traits & TABLE_ROW:
        frame.row = row


cdef int enter(
    Walker* w, const tree.xmlNode* node, int32_t place, bint link_ended, bint* entered
) noexcept nogil:
    """Begin an element; where its content is text of the page it is opened."""
    cdef const Tag* tag = find_tag(local_name(node))
    cdef Attributes has = [
        False, False, False, False, False, False, False, NO_ROLE
    ]
    cdef size_t tokens = w.tokens.used
    cdef bint is_block = tag.traits & BLOCK
    cdef int32_t* row
    cdef Open* open
    cdef int status
    entered[0] = False
    if node.properties != NULL:
        status = read_attributes(node, &has, w.tokens)
        if status:
            return status
    if is_skipped(w, node, tag, &has):
        w.tokens.used = tokens
        if tag.traits & CONTROL:
            w.controls += 1
        elif tag.traits & IMAGE:
            w.images += 1
        if tag.traits & (IMAGE | SOURCE) and not w.frame.pre:
            if add_mark(w, PICTURE, w.here, place):
                return NO_MEMORY
            w.style = UNMARKED
        if tag.traits & SPACER:
            add_space(w)
        return DONE
    if tag.traits & (BREAK | RULE):
        w.tokens.used = tokens
        if tag.traits & RULE:
            return border(w, w.frame.pre)
        if w.frame.pre:
            return add_line(w)
        if w.pending == LINE:
            return flush(w)
        if w.text.used > w.start:
            w.pending = LINE
            stand_around(w)
        return DONE
    if not w.lenient and is_hidden(tag, &has):
        w.tokens.used = tokens
        return DONE
    if is_block:
        status = border(w, w.frame.pre)
        if status:
            return status
    elif link_ended and tag.traits & LINK:
        # Two links side by side are never one word.
        add_space(w)
    if reserve(&w.open, sizeof(Open)):
        return NO_MEMORY
    open = <Open*>(w.open.data + w.open.used)
    w.open.used += sizeof(Open)
    open.node = node
    open.here = w.here
    open.place = place
    open.frame = w.frame
    open.is_block = is_block
    open.is_link = tag.traits & LINK
    row = add_row(w.elements, ELEMENT_COLUMNS)
    if row == NULL:
        return NO_MEMORY
    row[ELEMENT_PARENT] = w.here
    row[ELEMENT_TAG] = tag.number
    row[ELEMENT_DEPTH] = w.open.used // sizeof(Open)
    row[ELEMENT_FIRST_BLOCK] = w.blocks.used // (BLOCK_COLUMNS * sizeof(int32_t))
    row[ELEMENT_LAST_BLOCK] = row[ELEMENT_FIRST_BLOCK]
    row[ELEMENT_FIRST_TOKEN] = tokens // sizeof(uint32_t)
    row[ELEMENT_TOKENS] = (w.tokens.used - tokens) // sizeof(uint32_t)
    row[ELEMENT_PLACE] = place
    w.here = w.elements.used // (ELEMENT_COLUMNS * sizeof(int32_t)) - 1
    w.started += 1
    enter_frame(&w.frame, tag, &has, w.here)
    if w.frame.link and tag.traits & LINK:
        w.links += 1
    entered[0] = True
    return DONE


cdef int walk_tree(Walker* w, const tree.xmlNode* root) noexcept nogil:
    """Walk from a root element to its end."""
    cdef const tree.xmlNode* node
    cdef Open* open
    cdef bint entered, link_ended = False
    # Whether text that comes is of the tree as lxml sees it.
    cdef bint reading = True
    cdef int32_t place = 0
    cdef int32_t* row
    cdef int status = enter(w, root, 0, False, &entered)
    if status:
        return status
    if not entered:
        return flush(w)
    node = root.children
    while True:
        w.patience -= 1
        if w.patience < 0:
            w.patience = CLOCK
            if eatext_clock() > w.end:
                return TIME_IS_UP
        if node == NULL:
            # The end of the innermost open element.
            open = <Open*>(w.open.data + w.open.used) - 1
            if open.is_block:
                status = border(w, open.frame.pre)
                if status:
                    return status
            row = <int32_t*>w.elements.data + <size_t>w.here * ELEMENT_COLUMNS
            row[ELEMENT_LAST_BLOCK] = w.blocks.used // (BLOCK_COLUMNS * sizeof(int32_t))
            link_ended = open.is_link
            w.here = open.here
            w.frame = open.frame
            place = open.place + 1
            w.open.used -= sizeof(Open)
            if w.open.used == 0:
                return flush(w)
            node = open.node.next
            reading = True
            w.returned = False
        elif (
            node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE
        ):
            if reading and node.content != NULL and node.content[0]:
                link_ended = False
                if w.frame.pre:
                    status = add_preformatted(w, <const uint8_t*>node.content)
                else:
                    status = add_text(w, node)
                if status:
                    return status
            node = node.next
        elif node.type == tree.XML_ELEMENT_NODE:
            prefetch(node.children)
            prefetch(node.next)
            status = enter(w, node, place, link_ended, &entered)
            if status:
                return status
            link_ended = False
            reading = True
            w.returned = False
            if entered:
                place = 0
                node = node.children
            else:
                place += 1
                node = node.next
        elif (
            node.type == tree.XML_COMMENT_NODE
            or node.type == tree.XML_PI_NODE
            or node.type == tree.XML_ENTITY_REF_NODE
        ):
            link_ended = False
            reading = True
            w.returned = False
            place += 1
            node = node.next
        else:
            # The text goes on behind the marks of an XInclude, and no further
            # than any other odd node.
            if (
                node.type != tree.XML_XINCLUDE_START
                and node.type != tree.XML_XINCLUDE_END
            ):
                reading = False
            node = node.next


def walk(_Element root not None, bint lenient=False, *, size_t longest=MAX_TEXT):
    """Walk a tree from its root element; the tree is not changed.

    The GIL is free meanwhile.  A text of more than so many bytes raises
    OverflowError, and TimeLimitError is raised as by the Python twin.
    """
    cdef Table elements = Table(ELEMENT_COLUMNS, True)
    cdef Table blocks = Table(BLOCK_COLUMNS, True)
    cdef Table tokens = Table(1, False)
    cdef Table marks = Table(MARK_COLUMNS, True)
    cdef const tree.xmlNode* node = root._c_node
    cdef int status = DONE
    cdef Walker w
    cdef bytes text
    if node == NULL:
        raise ValueError("the element is none of a tree")
    w.elements = &elements.array
    w.blocks = &blocks.array
    w.tokens = &tokens.array
    w.marks = &marks.array
    w.text.data = w.open.data = NULL
    w.text.used = w.text.room = w.open.used = w.open.room = 0
    w.lenient = lenient
    w.longest = longest
    w.patience = 0
    w.here = -1
    w.frame = [0, PARAGRAPH, 0, -1, -1, 0, False, False, False, 0, -1]
    w.around_style = 0
    w.around_anchor = -1
    w.inner = 0
    w.returned = w.permalink = False
    w.links = w.images = w.controls = w.started = 0
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
            return python_walk(root, lenient)
        text = w.text.data[: w.text.used] if w.text.used else b""
    finally:
        free(w.text.data)
        free(w.open.data)
    return Walk(
        text,
        elements.finish(),
        blocks.finish(),
        tokens.finish(),
        root,
        marks.finish(),
    )


# -- attributes of some elements

cdef struct Step:
    # An element on the way down to the last one that was found, and of its children
    # the one that comes next on that way.
    int32_t row
    int32_t place
    const tree.xmlNode* node
    const tree.xmlNode* child


cdef const tree.xmlNode* child_at(Step* step, int32_t place) noexcept nogil:
    """A child by its number; going on from the last one is linear."""
    cdef const tree.xmlNode* node = step.child
    cdef int32_t number = step.place
    if node == NULL or number > place:
        node = step.node.children
        number = 0
    while node != NULL:
        if (
            node.type == tree.XML_ELEMENT_NODE
            or node.type == tree.XML_COMMENT_NODE
            or node.type == tree.XML_PI_NODE
            or node.type == tree.XML_ENTITY_REF_NODE
        ):
            if number == place:
                step.child = node
                step.place = place
                return node
            number += 1
        node = node.next
    return NULL


cdef int find_node(
    Array* way,
    const int32_t[:, ::1] elements,
    const tree.xmlNode* root,
    int32_t row,
    Step** found,
) noexcept nogil:
    """Go to a row of the element table; what is found is NULL if the tree has changed.

    The steps are kept by depth: rows in rising order share most of their way, so only
    what is new of it is gone.
    """
    cdef size_t deepest = elements[row, ELEMENT_DEPTH], depth = deepest
    cdef int32_t at = row
    cdef Step* steps
    cdef const tree.xmlNode* node
    found[0] = NULL
    if way.used < deepest * sizeof(Step):
        if reserve(way, deepest * sizeof(Step) - way.used):
            return NO_MEMORY
        memset(way.data + way.used, 0xFF, deepest * sizeof(Step) - way.used)
        way.used = deepest * sizeof(Step)
    steps = <Step*>way.data - 1
    while depth and steps[depth].row != at:
        # What is gone to lies on the way back up.
        steps[depth].row = at
        steps[depth].node = NULL
        at = elements[at, ELEMENT_PARENT]
        depth -= 1
    while depth < deepest:
        depth += 1
        at = steps[depth].row
        node = root if depth == 1 else child_at(
            &steps[depth - 1], elements[at, ELEMENT_PLACE]
        )
        if node == NULL:
            steps[depth].row = -1
            return DONE
        steps[depth].node = node
        steps[depth].child = NULL
        steps[depth].place = 0
    found[0] = &steps[deepest]
    return DONE


cdef const tree.xmlAttr* find_plain(
    const tree.xmlNode* node, const char* name
) noexcept nogil:
    """An element's attribute, by a name without a namespace."""
    cdef const tree.xmlAttr* attribute = node.properties
    while attribute != NULL:
        if (
            attribute.type == tree.XML_ATTRIBUTE_NODE
            and (attribute.ns == NULL or attribute.ns.href == NULL)
            and strcmp(<const char*>attribute.name, name) == 0
        ):
            return attribute
        attribute = attribute.next
    return NULL


cdef bint declares(const tree.xmlNode* node) noexcept nogil:
    """Whether a DTD declares attributes: lxml gives an element those that it lacks."""
    cdef const tree.xmlDoc* doc = node.doc
    if doc == NULL or doc.intSubset == NULL:
        return False
    return doc.intSubset.attributes != NULL or (
        doc.extSubset != NULL and doc.extSubset.attributes != NULL
    )


def attribute_values(found not None, list rows, str name not None):
    """The compiled twin of walk.attribute_values()."""
    values = read_values(found, rows, None, (name,))
    if values is None:
        return python_values(found, rows, name)
    return [value for (value,) in values]


def child_values(
    found not None, list rows, list places, str tag not None, tuple names not None
):
    """The compiled twin of walk.child_values()."""
    values = read_values(found, rows, places, names, tag.encode())
    if values is None:
        return python_child_values(found, rows, places, tag, names)
    return values


cdef list read_values(found, list rows, list places, tuple names, bytes tag=None):
    """Some attributes of elements, or of one of the children of each.

    None where the Python twin is to look.
    """
    cdef _Element root = found.root
    cdef const int32_t[:, ::1] elements = found.elements
    cdef const tree.xmlNode* node
    cdef const tree.xmlAttr* attribute
    cdef const char* value
    cdef list wanted = [one.encode() for one in names]
    cdef bytes name
    cdef list values = []
    cdef list given
    cdef int32_t row
    cdef Py_ssize_t number
    cdef Step* step
    cdef Array way
    if (
        root is None
        or root._c_node == NULL
        or not elements.shape[0]
        or declares(root._c_node)
    ):
        return None
    way.data = NULL
    way.used = way.room = 0
    try:
        for number, row in enumerate(rows):
            if not 0 <= row < elements.shape[0]:
                raise IndexError(row)
            if find_node(&way, elements, root._c_node, row, &step):
                raise MemoryError
            node = NULL
            if step != NULL:
                node = step.node
                if places is not None:
                    node = child_at(step, places[number])
            if node == NULL or node.type != tree.XML_ELEMENT_NODE:
                raise IndexError("the tree has changed")
            if tag is not None and not is_called(node, tag):
                values.append(None)
                continue
            given = []
            for name in wanted:
                attribute = find_plain(node, name)
                if attribute == NULL:
                    given.append(None)
                elif value_of(attribute, &value):
                    return None
                else:
                    given.append(value.decode("utf-8", "replace"))
            values.append(given)
    finally:
        free(way.data)
    return values


def nodes_of(found not None, list rows):
    """The compiled twin of walk.nodes_of()."""
    cdef _Element root = found.root
    cdef const int32_t[:, ::1] elements
    cdef list nodes = []
    cdef int32_t row
    cdef Step* step
    cdef Array way
    if not rows:
        return nodes
    if root is None or root._c_node == NULL:
        return python_nodes_of(found, rows)
    elements = found.elements
    way.data = NULL
    way.used = way.room = 0
    try:
        for row in rows:
            if not 0 <= row < elements.shape[0]:
                raise IndexError(row)
            if find_node(&way, elements, root._c_node, row, &step):
                raise MemoryError
            if step == NULL or step.node.type != tree.XML_ELEMENT_NODE:
                raise IndexError("the tree has changed")
            nodes.append(elementFactory(root._doc, <tree.xmlNode*>step.node))
    finally:
        free(way.data)
    return nodes


cdef bint is_called(const tree.xmlNode* node, const char* name) noexcept nogil:
    return (
        node.type == tree.XML_ELEMENT_NODE
        and (node.ns == NULL or node.ns.href == NULL)
        and strcmp(<const char*>node.name, name) == 0
    )


# -- the names of elements

@cython.boundscheck(False)
@cython.wraparound(False)
def named(
    const uint32_t[::1] tokens,
    const int32_t[:, ::1] elements,
    const uint8_t[::1] maybe,
    const uint32_t[::1] hashes,
    const uint32_t[::1] bits_of,
    int count,
):
    """The compiled twin of names.python_named()."""
    cdef list found = [[] for _ in range(count)]
    cdef Py_ssize_t i, low, high, middle, step, row = 0, rows_there = elements.shape[0]
    cdef uint32_t mask = 8 * maybe.shape[0] - 1, bits
    cdef list rows
    cdef int number
    if bits_of.shape[0] != hashes.shape[0]:
        raise ValueError("a hash has no bits")
    for i in range(tokens.shape[0]):
        bits = tokens[i] & mask
        if not maybe[bits >> 3] >> (bits & 7) & 1:
            continue
        low, high = 0, hashes.shape[0]
        while low < high:
            middle = (low + high) // 2
            if hashes[middle] < tokens[i]:
                low = middle + 1
            else:
                high = middle
        if low == hashes.shape[0] or hashes[low] != tokens[i]:
            continue
        # The last element whose tokens begin here or before: in steps that grow, then
        # between the last two, as few of the rows are of interest.
        step = 1
        while (
            row + step < rows_there and elements[row + step, ELEMENT_FIRST_TOKEN] <= i
        ):
            row += step
            step *= 2
        while step > 1:
            step //= 2
            if (
                row + step < rows_there
                and elements[row + step, ELEMENT_FIRST_TOKEN] <= i
            ):
                row += step
        bits = bits_of[low]
        for number in range(count):
            if bits >> number & 1:
                rows = found[number]
                if not rows or rows[len(rows) - 1] != row:
                    rows.append(row)
    return found
