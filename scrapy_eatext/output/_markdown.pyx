# cython: language_level=3, cdivision=True, boundscheck=False
"""The compiled twin of structure.document() and markdown.markdown(), in one go.

The tree is of one class here, and what is written goes into one buffer, each line
behind the marks of the quotes and items that it stands in.  What a function does is
told where its namesake is, in structure.py, inline.py and markdown.py.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memchr, memcpy, memmove

from scrapy_eatext.output import inline, structure, urls
from scrapy_eatext.output.code import language
from scrapy_eatext.output.inline import Inlines
from scrapy_eatext.output.posts import Posts
from scrapy_eatext.page.columns cimport *

from scrapy_eatext.page import tags
from scrapy_eatext.page.characters import INVISIBLE
from scrapy_eatext.page.twins import attribute_values, child_values, nodes_of
from scrapy_eatext.page.walk import IMAGE as IMAGE_STYLE

cdef extern from *:
    const unsigned int EATEXT_CHECKSUM

# Of the sources that this is built from, see checksum.py.
CHECKSUM = EATEXT_CHECKSUM

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 c) noexcept
    bint Py_UNICODE_ISSPACE(Py_UCS4 c) noexcept
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 c) noexcept
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    STRONG = 1
    EM = 2
    DEL = 4
    SUP = 8
    SUB = 16
    CODE = 32
    IMAGE = -1

assert (tags.STRONG_TEXT, tags.EM_TEXT, tags.DEL_TEXT) == (STRONG, EM, DEL)
assert (tags.SUP_TEXT, tags.SUB_TEXT, tags.CODE_TEXT) == (SUP, SUB, CODE)
assert IMAGE_STYLE == IMAGE

cdef enum Kind:
    # Blocks, and what holds them.
    PARAGRAPH
    HEADING_BLOCK
    CAPTION_BLOCK
    CODE_BLOCK
    IMAGE_BLOCK
    BYLINE
    LAST_LEAF = BYLINE
    DOCUMENT
    LIST
    NUMBERED
    ITEM
    QUOTE
    TABLE
    ROW
    CELL
    DEFINITIONS
    TERM
    DEFINITION
    FIGURE

_KIND_OF = {
    "": 0,
    "list": LIST,
    "numbered": NUMBERED,
    "item": ITEM,
    "quote": QUOTE,
    "table": TABLE,
    "row": ROW,
    "cell": CELL,
    "definitions": DEFINITIONS,
    "term": TERM,
    "definition": DEFINITION,
    "figure": FIGURE,
}
cdef enum:
    TAG_ROOM = 512

# What each tag is in the tree, 0 for nothing.
cdef int[TAG_ROOM] KIND_OF_TAG
for _tag, _name in enumerate(structure.NODE_OF_TAG):
    KIND_OF_TAG[_tag] = _KIND_OF[_name]

cdef int HEADING_KIND = tags.HEADING
cdef int CAPTION_KIND = tags.CAPTION
cdef int CODE_KIND = tags.CODE
cdef Py_ssize_t ADDRESS_CHARS = inline.ADDRESS_CHARS
cdef int DEEPEST = structure.DEEPEST
cdef int LONG_CELL = structure.LONG_CELL
cdef int WIDEST = structure.WIDEST
cdef Py_ssize_t PLACES = structure.PLACES
cdef Py_ssize_t PLACES_OF_CELL = structure.PLACES_OF_CELL

# -- characters


cdef inline bint is_space(Py_UCS4 c) noexcept:
    return Py_UNICODE_ISSPACE(c)


cdef inline Py_UCS4 after(const char* at, const char* end) noexcept:
    """The character that begins here, 0 at the end."""
    cdef unsigned char c
    if at >= end:
        return 0
    c = at[0]
    if c < 0x80:
        return c
    if c < 0xE0:
        return (c & 0x1F) << 6 | (at[1] & 0x3F)
    if c < 0xF0:
        return (c & 0xF) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)
    return (
        (c & 0x7) << 18 | (at[1] & 0x3F) << 12 | (at[2] & 0x3F) << 6 | (at[3] & 0x3F)
    )


cdef inline Py_UCS4 before(const char* begin, const char* at) noexcept:
    """The character that ends here, 0 at the beginning."""
    cdef const char* end = at
    if at <= begin:
        return 0
    at -= 1
    while at > begin and (<unsigned char>at[0] & 0xC0) == 0x80:
        at -= 1
    return after(at, end)


cdef inline bint is_punctuation(char c) noexcept:
    return 33 <= c <= 47 or 58 <= c <= 64 or 91 <= c <= 96 or 123 <= c <= 126


cdef inline bint is_letter(char c) noexcept:
    return 65 <= c <= 90 or 97 <= c <= 122


cdef inline bint is_one_of(char c, const char* signs) noexcept:
    while signs[0]:
        if c == signs[0]:
            return True
        signs += 1
    return False


cdef bint parts(Py_UCS4 c) noexcept:
    """Whether emphasis may begin after an ASCII character, or end before it."""
    return c < 0x80 and (is_space(c) or is_punctuation(<char>c))


# What may need a backslash, in the middle of a line.
cdef bint[256] MAY_MEAN
for _sign in bytearray(b"\\`*_]<&~["):
    MAY_MEAN[_sign] = True


cdef bint begins_entity(const char* at, const char* end) noexcept:
    """Whether what stands behind an ampersand makes it one of a character."""
    cdef int count = 0
    if at >= end or at[0] == b"#":
        return True
    if not is_letter(at[0]):
        return False
    at += 1
    while at < end and count < 40 and (is_letter(at[0]) or 48 <= at[0] <= 57):
        at += 1
        count += 1
    return at < end and at[0] == b";"


cdef bint means(
    const char* begin, const char* at, const char* end, bint in_link
) noexcept:
    """Whether a character of a text is to be escaped."""
    cdef char c = at[0]
    cdef char follows
    cdef bint last = at + 1 >= end
    follows = 0 if last else at[1]
    if c == b"`" or c == b"~":
        return True
    if c == b"\\":
        return last or follows == b"\n" or is_punctuation(follows)
    if c == b"*":
        return (
            last
            or at == begin
            or follows == b"\n"
            or at[-1] == b"\n"
            or not is_space(before(begin, at))
            or not is_space(after(at + 1, end))
        )
    if c == b"_":
        if at > begin and Py_UNICODE_ISALNUM(before(begin, at)):
            return False
        return last or follows == b"\n" or not is_space(after(at + 1, end))
    if c == b"[":
        return in_link or follows == b"^"
    if c == b"]":
        return in_link or last or is_one_of(follows, b"([:")
    if c == b"<":
        return last or is_letter(follows) or is_one_of(follows, b"/!?")
    return begins_entity(at + 1, end)


cdef bint is_definition(const char* at, const char* end) noexcept:
    """Whether a paragraph would be the definition of an address."""
    if at >= end or at[0] != b"[":
        return False
    at += 1
    while at < end and at[0] != b"[" and at[0] != b"]":
        at += 2 if at[0] == b"\\" else 1
    return end - at >= 2 and at[0] == b"]" and at[1] == b":"


cdef bint has_definition(const char* at, const char* end) noexcept:
    """Whether a piece of code has what ends the label of a definition."""
    while True:
        at = <const char*>memchr(at, b"]", end - at)
        if at == NULL:
            return False
        at += 1
        if at < end and at[0] == b":":
            return True


cdef Py_ssize_t line_mark(
    const char* begin, const char* end, const char* all_end
) noexcept:
    """Where in a line a backslash takes its meaning from its beginning, or -1."""
    cdef const char* at = begin
    cdef Py_UCS4 code
    cdef char c
    cdef int count = 0
    if begin == end:
        return -1
    c = begin[0]
    if <unsigned char>c >= 0x80 or 48 <= c <= 57:
        while at < end and count < 10:
            code = after(at, end)
            if not Py_UNICODE_ISDECIMAL(code):
                break
            count += 1
            at += 1
            while at < end and (<unsigned char>at[0] & 0xC0) == 0x80:
                at += 1
        if not 1 <= count <= 9 or at == end or not (at[0] == b"." or at[0] == b")"):
            return -1
        if at + 1 == end or is_one_of(at[1], b" \t\\"):
            return at - begin
        return -1
    if c == b">":
        return 0
    if c == b"#":
        while at < end and at[0] == b"#":
            at += 1
        return 0 if at - begin <= 6 and (at == end or is_one_of(at[0], b" \t\\")) else -1
    if c == b"*":
        return 0 if begin + 1 < end and is_one_of(begin[1], b" \t") else -1
    if c == b"[":
        if end - begin < 3 or not is_one_of(begin[1], b" xX") or begin[2] != b"]":
            return -1
        at = begin + 3
        if at == end:
            # A line feed is white space too.
            return 0 if end < all_end else -1
        return 0 if is_space(after(at, end)) else -1
    if c == b"-" or c == b"+":
        if begin + 1 == end or is_one_of(begin[1], b" \t\\"):
            return 0
    if is_one_of(c, b"-=|:"):
        if end[-1] == b"\\":
            end -= 1
        while at < end and is_one_of(at[0], b"-=|: \t"):
            at += 1
        return 0 if at == end else -1
    return -1


# -- addresses

# What is not taken into an address as it is, of ASCII.
cdef bint[256] UNSAFE
for _sign in range(0x80):
    UNSAFE[_sign] = urls.UNSAFE.search(chr(_sign)) is not None

# What is read of an image: where it may be had from, and what it says of itself.
IMAGE_NAMES = (*inline.SOURCES, "alt", "width", "height")
cdef enum:
    SOURCES = 7

assert len(inline.SOURCES) == SOURCES
# Which of the first are lists of addresses.
IS_SET = [name.endswith("srcset") for name in inline.SOURCES]

# -- the tree


cdef class Part:
    """A block, or what holds blocks.

    ``unit`` is the number of a block; what is no block of the page has its text, and
    images have their address too.
    """

    cdef int kind
    cdef int row
    cdef int depth
    cdef int unit
    cdef int level
    cdef int start
    cdef list children
    cdef object text
    cdef object more
    cdef Grid grid

    def __cinit__(self):
        self.row = self.unit = -1
        self.start = 1


cdef inline Part leaf(int kind, int unit):
    cdef Part made = Part.__new__(Part)
    made.kind = kind
    made.unit = unit
    return made


cdef inline Part holder(int kind, int row, int depth):
    cdef Part made = Part.__new__(Part)
    made.kind = kind
    made.row = row
    made.depth = depth
    made.children = []
    return made


cdef inline bint is_leaf(Part part) noexcept:
    return part.kind <= LAST_LEAF


cdef inline bint is_list(Part part) noexcept:
    return part.kind == LIST or part.kind == NUMBERED


cdef class Cell:
    cdef list leaves
    cdef bint header
    cdef int columns
    cdef int rows

    def __cinit__(self):
        self.columns = self.rows = 1


cdef class Grid:
    """A table that holds data."""

    cdef list caption
    cdef list lines
    cdef int head
    cdef int width


cdef list leaves_of(Part part, list found):
    cdef Part child
    for child in part.children:
        if is_leaf(child):
            found.append(child)
        else:
            leaves_of(child, found)
    return found


cdef list dissolved(Part part, list found):
    cdef Part child
    for child in part.children:
        if child.kind == ITEM or child.kind == ROW or child.kind == CELL:
            dissolved(child, found)
        else:
            found.append(child)
    return found


# -- what comes out


cdef int32_t* zeros(Py_ssize_t count) except NULL:
    """Room for so many numbers."""
    cdef int32_t* numbers = <int32_t*>calloc(count + 1, sizeof(int32_t))
    if numbers == NULL:
        raise MemoryError
    return numbers


cdef int32_t* bounds_of(const int32_t[:, :] marks, Py_ssize_t blocks) except NULL:
    """For each block and what is behind all, the number of its first mark."""
    cdef int32_t* bounds = zeros(blocks + 1)
    cdef Py_ssize_t mark, count = marks.shape[0], block = 0
    for mark in range(count):
        while block <= min(marks[mark, MARK_BLOCK], blocks):
            bounds[block] = mark
            block += 1
    while block <= blocks:
        bounds[block] = count
        block += 1
    return bounds


cdef struct Span:
    const char* text
    Py_ssize_t size
    int style
    # The number of an address, 0 for none, and of an image, -1 for none.
    int link
    int image


cdef const char* HEADINGS = b"###### "


cdef class Writer:
    cdef object page
    cdef object units
    cdef object walk
    cdef object inlines
    cdef object addresses
    cdef object shown
    cdef bytes text
    cdef const char* data
    cdef const int32_t[:, :] blocks
    cdef const int32_t[:, :] elements
    cdef const int32_t[:, :] marks
    # For each block its first mark, and what is behind all.
    cdef int32_t* bounds
    cdef list nodes
    cdef Part root
    # The rows of the element table that are tables and their rows, and lxml's elements.
    cdef set table_rows
    cdef dict table_nodes
    # The address that each anchor has, and its number; that of each address as it is
    # written and as it comes out; and these by number.
    cdef dict href_of_row
    cdef dict link_of_row
    cdef dict link_of_href
    cdef dict link_of_url
    cdef list links
    cdef list link_chars
    # How many characters of addresses came out, and how many may.
    cdef Py_ssize_t address_chars
    cdef Py_ssize_t most
    # For each mark of a kept block the number of its link and of that around.
    cdef int32_t* link_of_mark
    cdef int32_t* around_of_mark
    cdef dict images_of_mark
    # Images: by row and place what they say, then descriptions and addresses.
    cdef dict said
    cdef list alts
    cdef list sources
    # The spans of the block at hand.
    cdef Span* spans
    cdef Py_ssize_t span_count
    cdef Py_ssize_t span_room
    # What is written.
    cdef char* out
    cdef Py_ssize_t used
    cdef Py_ssize_t room
    # What each new line begins with, and whether one has begun without it.
    cdef bytearray prefix
    cdef bint at_begin

    def __cinit__(self, page, units, shown):
        self.page = page
        self.units = units
        self.walk = walk = units.walk
        self.inlines = Inlines(page)
        self.addresses = self.inlines.addresses
        self.shown = shown
        self.text = walk.text
        self.data = self.text
        self.blocks = walk.blocks
        self.elements = walk.elements
        self.marks = walk.marks
        self.bounds = bounds_of(self.marks, len(walk.blocks))
        self.link_of_mark = zeros(self.marks.shape[0])
        self.around_of_mark = zeros(self.marks.shape[0])
        self.images_of_mark = {}
        self.root = holder(DOCUMENT, -1, 0)
        self.nodes = [None] * len(walk.elements)
        self.table_rows = set()
        self.link_of_row = {}
        self.link_of_href = {None: 0}
        self.link_of_url = {"": 0}
        self.said = {}
        self.links = [b""]
        self.link_chars = [0]
        self.alts = []
        self.sources = []
        self.prefix = bytearray()

    def __dealloc__(self):
        free(self.bounds)
        free(self.link_of_mark)
        free(self.around_of_mark)
        free(self.spans)
        free(self.out)

    # -- the tree

    cdef build(self):
        cdef list units = list(self.shown.units)
        cdef dict code = dict(self.shown.code)
        cdef set introduced = set()
        cdef dict post_of = {}
        cdef Part node, made
        cdef int i, row, kind, last = -2
        cdef Py_ssize_t mark
        for i in units:
            if not 0 <= i < self.blocks.shape[0]:
                raise IndexError(f"there is no block {i}")
        posts = Posts(self.units, units)
        if len(posts):
            post_of = posts.around([self.blocks[n, BLOCK_ELEMENT] for n in units])
        self.read_links(units)
        code_nodes = self.elements_of(
            {
                self.blocks[n, BLOCK_ELEMENT]
                for n in units
                if self.blocks[n, BLOCK_KIND] == CODE_KIND or n in code
            }
        )
        for i in units:
            row = self.blocks[i, BLOCK_ELEMENT]
            kind = self.blocks[i, BLOCK_KIND]
            if post_of:
                post = post_of.get(row, -1)
                if post >= 0 and post not in introduced:
                    introduced.add(post)
                    byline = posts.byline(post)
                    if byline:
                        made = leaf(BYLINE, -1)
                        made.more = [
                            (span.text.encode(), span.style) for span in byline
                        ]
                        self.node(post).children.append(made)
            node = self.node(row)
            if kind == CODE_KIND or i in code:
                made = leaf(CODE_BLOCK, i)
                made.text = (code.get(i) or self.units.text(i)).encode()
                made.more = language(code_nodes[row]).encode()
                node.children.append(made)
                last = i
                continue
            self.read_marks(i)
            if last == i - 1 or kind == CAPTION_KIND:
                for mark in range(self.bounds[i], self.bounds[i + 1]):
                    if self.marks[mark, MARK_START] >= 0:
                        break
                    for image in self.images_at(mark, False):
                        node.children.append(leaf(IMAGE_BLOCK, image))
            if kind == HEADING_KIND:
                made = leaf(HEADING_BLOCK, i)
                made.level = self.blocks[i, BLOCK_LEVEL]
            else:
                made = leaf(CAPTION_BLOCK if kind == CAPTION_KIND else PARAGRAPH, i)
            node.children.append(made)
            last = i
        self.table_nodes = self.elements_of(self.table_rows)
        self.settle(self.root)

    cdef dict elements_of(self, set rows):
        """lxml's elements of some rows, looked up at once."""
        cdef list in_order
        if not rows:
            return {}
        in_order = sorted(rows)
        return dict(zip(in_order, nodes_of(self.walk, in_order)))

    cdef read_links(self, list units):
        """Number the addresses that the kept blocks link to, and read their images."""
        cdef Py_ssize_t mark
        cdef int i
        cdef set rows = set()
        cdef list around = []
        cdef list places = []
        for i in units:
            for mark in range(self.bounds[i], self.bounds[i + 1]):
                if self.marks[mark, MARK_LINK] >= 0:
                    rows.add(self.marks[mark, MARK_LINK])
                if self.marks[mark, MARK_STYLE] == IMAGE:
                    around.append(self.marks[mark, MARK_AROUND_STYLE])
                    places.append(self.marks[mark, MARK_AROUND_LINK])
                elif self.marks[mark, MARK_AROUND_LINK] >= 0:
                    rows.add(self.marks[mark, MARK_AROUND_LINK])
        self.said.update(
            zip(
                zip(around, places),
                child_values(self.walk, around, places, tags.IMG, IMAGE_NAMES),
            )
        )
        in_order = sorted(rows)
        self.href_of_row = dict(
            zip(in_order, attribute_values(self.walk, in_order, "href"))
        )

    cdef int read_marks(self, int block) except -1:
        """Number a block's links and images, as far as their addresses may come out."""
        cdef Py_ssize_t mark = self.bounds[block], last = self.bounds[block + 1]
        cdef int row, link = 0, linked = -1
        while mark < last and self.marks[mark, MARK_START] < 0:
            mark += 1
        while mark < last:
            row = self.marks[mark, MARK_LINK]
            if row != linked:
                link = self.link(row)
                if not self.allowed(self.link_chars[link]):
                    link = 0
                linked = row
            self.link_of_mark[mark] = link
            if self.marks[mark, MARK_STYLE] == IMAGE:
                self.images_of_mark[mark] = self.images_at(mark, True)
            else:
                self.around_of_mark[mark] = self.link(self.marks[mark, MARK_AROUND_LINK])
            mark += 1
        return 0

    cdef int is_full(self) except -1:
        """Whether addresses have come out enough."""
        if self.address_chars <= ADDRESS_CHARS:
            return False
        if not self.most:
            self.most = self.inlines.most
        return self.address_chars > self.most

    cdef int allowed(self, Py_ssize_t chars) except -1:
        """Whether an address of so many characters may come out."""
        self.address_chars += chars
        return not self.is_full()

    cdef int link(self, int row) except -1:
        """The number of an anchor's address, 0 for none."""
        if row < 0 or self.is_full():
            return 0
        number = self.link_of_row.get(row)
        if number is None:
            href = self.href_of_row[row]
            number = self.link_of_href.get(href)
            if number is None:
                number = self.link_of_href[href] = self.number_of(href)
            self.link_of_row[row] = number
        return number

    cdef object number_of(self, str href):
        """The number of the address that a link leads to."""
        url = self.plain_address(href)
        if url is None:
            url = self.addresses.link(href)
        number = self.link_of_url.get(url)
        if number is None:
            number = self.link_of_url[url] = len(self.links)
            self.links.append(url.encode())
            self.link_chars.append(len(url))
        return number

    cdef object plain_address(self, str href):
        """An address that needs no more than the site before it, else None.

        Like the first lines of urls.Addresses._absolute(), for what is ASCII.
        """
        cdef const char* at
        cdef Py_ssize_t size, i
        if not href or not href.isascii():
            return None
        at = PyUnicode_AsUTF8AndSize(href, &size)
        for i in range(size):
            if UNSAFE[<unsigned char>at[i]]:
                return None
        if href.startswith(("http://", "https://")):
            return href
        if at[0] != b"/" or (size > 1 and at[1] == b"/"):
            return None
        for i in range(size - 1):
            # It may say where it goes from: ../ or ./
            if at[i] == b"/" and at[i + 1] == b".":
                return None
        origin = self.addresses.origin
        return origin + href if origin else None

    # -- images

    cdef int add_image(self, str alt, str url) except -1:
        self.alts.append(alt.encode())
        self.sources.append(url.encode())
        return len(self.alts) - 1

    cdef list images_at(self, Py_ssize_t mark, bint small):
        """The numbers of the images at a mark, see Inlines.images_at()."""
        cdef int row = self.marks[mark, MARK_AROUND_STYLE]
        cdef int place = self.marks[mark, MARK_AROUND_LINK]
        cdef list said = self.said.get((row, place))
        if said is not None:
            if not small and (is_small(said[-2]) or is_small(said[-1])):
                return []
            url = self.plain_source(said)
            if url is not None:
                alt = " ".join((said[-3] or "").split())
                if not alt.isascii():
                    alt = INVISIBLE.sub("", alt)
                return [self.add_image(alt, url)] if self.allowed(len(url)) else []
        return [
            self.add_image(image.text, image.image)
            for image in self.inlines.images_at(row, place, small=small)
            if self.allowed(len(image.image))
        ]

    cdef object plain_source(self, list said):
        """The address of an image, None where it has none by itself."""
        cdef Py_ssize_t i
        for i in range(SOURCES):
            source = said[i]
            if source and IS_SET[i]:
                source = inline.largest(source)
            if source:
                url = self.plain_address(source) or self.addresses.image(source)
                if url:
                    return url
        return None

    cdef Part node(self, int row):
        cdef list way = []
        cdef Part node, child
        cdef int kind, passed, k
        while row >= 0 and self.nodes[row] is None:
            way.append(row)
            row = self.elements[row, ELEMENT_PARENT]
        node = self.root if row < 0 else <Part>self.nodes[row]
        for k in range(len(way) - 1, -1, -1):
            passed = way[k]
            kind = KIND_OF_TAG[self.elements[passed, ELEMENT_TAG]]
            if kind and node.depth < DEEPEST:
                if kind == ITEM and not is_list(node):
                    node = self.loose_list(node)
                child = holder(
                    kind, passed, node.depth + 1 + (kind != ITEM and is_list(node))
                )
                node.children.append(child)
                node = child
                if kind == TABLE or kind == ROW:
                    self.table_rows.add(passed)
            self.nodes[passed] = node
        return node

    cdef Part loose_list(self, Part node):
        cdef Part last
        if node.children:
            last = node.children[-1]
            if last.kind == LIST and last.row < 0:
                return last
        last = holder(LIST, -1, node.depth + 1)
        node.children.append(last)
        return last

    cdef settle(self, Part node):
        cdef Part child
        cdef list settled = []
        for child in node.children:
            if is_leaf(child):
                settled.append(child)
                continue
            self.settle(child)
            if self.stands(child, node.kind):
                settled.append(child)
            else:
                dissolved(child, settled)
        node.children = settled

    cdef bint stands(self, Part node, int around) except -1:
        cdef int kind = node.kind
        cdef Part child
        if is_list(node):
            return self.is_list_of_items(node)
        if kind == TABLE:
            node.grid = self.grid_of(node)
            return node.grid is not None
        if kind == DEFINITIONS:
            for child in node.children:
                if child.kind == TERM:
                    return True
            return False
        if kind == TERM or kind == DEFINITION:
            return around == DEFINITIONS
        if kind == ROW:
            return around == TABLE
        if kind == CELL:
            return around == ROW
        return True

    cdef bint is_list_of_items(self, Part node) except -1:
        cdef list items = []
        cdef Part child, item, part
        cdef bint there = False
        for child in node.children:
            if child.kind == ITEM:
                for part in child.children:
                    if part.kind != BYLINE:
                        if part.kind == HEADING_BLOCK:
                            return False  # cards
                        break
                items.append(child)
                there = there or child.row >= 0
            elif items:
                item = items[-1]
                item.children.append(child)
            else:
                item = holder(ITEM, -1, 0)
                item.children.append(child)
                items.append(item)
        if not there:
            return False
        node.children = items
        if node.kind == NUMBERED:
            item = items[0]
            node.start = structure.first_number(self.walk, node.row, item.row)
        return True

    cdef Grid grid_of(self, Part node):
        cdef Grid grid
        cdef Part child
        cdef list caption = []
        cdef list rows = []
        cdef list lines
        cdef int head = 0
        if structure.is_for_layout(self.table_nodes[node.row]):
            return None
        for child in node.children:
            if is_leaf(child):
                if child.kind != CAPTION_BLOCK or rows:
                    return None
                caption.append(child)
            elif child.kind == ROW:
                rows.append(child)
            else:
                return None
        lines = self.lines_of(rows)
        if lines is None or not self.holds_data(lines):
            return None
        while head < len(lines) and is_head(lines[head]):
            head += 1
        if head == len(lines):
            head = 1
        grid = Grid.__new__(Grid)
        grid.caption = caption
        grid.lines = lines
        grid.head = head
        grid.width = len(lines[0])
        return grid

    cdef list lines_of(self, list rows):
        cdef list lines = []
        cdef list line
        cdef dict below = {}
        cdef dict kept
        cdef Part row, child
        cdef Cell cell
        cdef int column
        for row in rows:
            kept = {}
            for child in row.children:
                if child.kind != CELL:
                    return None
                if self.elements[child.row, ELEMENT_PARENT] != row.row:
                    return None
                kept[self.elements[child.row, ELEMENT_PLACE]] = child
            line = []
            for place, header, columns, down in structure.cells(
                self.table_nodes[row.row]
            ):
                fill_from_above(line, below)
                child = kept.get(place)
                cell = Cell.__new__(Cell)
                cell.leaves = [] if child is None else leaves_of(child, [])
                cell.header = header
                cell.columns = columns
                cell.rows = down
                for column in range(len(line), len(line) + cell.columns):
                    below[column] = cell.rows - 1
                line.append(cell)
                for column in range(cell.columns - 1):
                    line.append(None)
                if len(line) > WIDEST:
                    return None
            fill_from_above(line, below)
            if len(line) > WIDEST:
                return None
            lines.append(line)
        return trimmed(lines)

    cdef bint holds_data(self, list lines) except -1:
        cdef list line
        cdef Cell cell
        cdef Part part
        cdef int filled
        cdef bint several = False, header = False, heading = False, long_one = False
        cdef Py_ssize_t chars
        for line in lines:
            filled = 0
            for cell in line:
                if cell is None or not cell.leaves:
                    continue
                filled += 1
                header = header or cell.header
                chars = 0
                for part in cell.leaves:
                    if part.kind == CODE_BLOCK:
                        if b"\n" in part.text:
                            return False
                        continue
                    heading = heading or part.kind == HEADING_BLOCK
                    chars += self.chars_of(part)
                long_one = long_one or chars >= LONG_CELL
            several = several or filled > 1
        if not several:
            return False
        if header:
            return True
        return len(lines) >= 2 and not heading and not long_one

    cdef Py_ssize_t chars_of(self, Part part) except -1:
        """The characters of a block, and of what its images show."""
        cdef Py_ssize_t chars = 0, i
        self.take_spans(part, 0)
        for i in range(self.span_count):
            chars += characters(self.spans[i].text, self.spans[i].size)
        return chars

    # -- spans

    cdef int add_span(
        self, const char* text, Py_ssize_t size, int style, int link, int image
    ) except -1:
        """Add a span, to the last one if it goes on in its style and link."""
        cdef Span* last
        cdef void* data
        if self.span_count and image < 0:
            last = &self.spans[self.span_count - 1]
            if (
                last.image < 0
                and last.style == style
                and last.link == link
                and last.text + last.size == text
            ):
                last.size += size
                return 0
        if self.span_count == self.span_room:
            self.span_room = 2 * self.span_room + 16
            data = realloc(self.spans, self.span_room * sizeof(Span))
            if data == NULL:
                raise MemoryError
            self.spans = <Span*>data
        last = &self.spans[self.span_count]
        last.text = text
        last.size = size
        last.style = style
        last.link = link
        last.image = image
        self.span_count += 1
        return 0

    cdef int take_image(self, int number, int link) except -1:
        cdef bytes alt = self.alts[number]
        return self.add_span(
            PyBytes_AS_STRING(alt), PyBytes_GET_SIZE(alt), 0, link, number
        )

    cdef int take_spans(self, Part part, int plain) except -1:
        """Make the spans of a block; styles in plain are not shown."""
        cdef Py_ssize_t i
        cdef bytes text
        self.span_count = 0
        if part.kind == IMAGE_BLOCK:
            self.take_image(part.unit, 0)
        elif part.kind == BYLINE:
            for text, style in part.more:
                self.add_span(
                    PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text), style, 0, -1
                )
        else:
            self.read_spans(part.unit)
        if plain:
            self.leave_plain(plain)
        return 0

    cdef leave_plain(self, int plain):
        """Take styles from the spans, of which some may go on in one style then."""
        cdef Py_ssize_t i, count = self.span_count
        self.span_count = 0
        for i in range(count):
            self.add_span(
                self.spans[i].text,
                self.spans[i].size,
                self.spans[i].style & ~plain,
                self.spans[i].link,
                self.spans[i].image,
            )

    cdef int read_spans(self, int block) except -1:
        cdef Py_ssize_t start = self.blocks[block, BLOCK_START]
        cdef Py_ssize_t stop = self.blocks[block, BLOCK_END]
        cdef Py_ssize_t mark = self.bounds[block], last = self.bounds[block + 1]
        cdef Py_ssize_t at, until
        cdef int style, link
        while mark < last and self.marks[mark, MARK_START] < 0:
            mark += 1
        if mark == last:
            return self.add_span(self.data + start, stop - start, 0, 0, -1)
        at = self.marks[mark, MARK_START]
        if at > start:
            self.add_span(self.data + start, at - start, 0, 0, -1)
        while mark < last:
            at = self.marks[mark, MARK_START]
            style = self.marks[mark, MARK_STYLE]
            link = self.link_of_mark[mark]
            mark += 1
            if style == IMAGE:
                for image in self.images_of_mark[mark - 1]:
                    self.take_image(image, link)
                continue
            until = self.marks[mark, MARK_START] if mark < last else stop
            if at > start and (self.data[at] == b" " or self.data[at] == b"\n"):
                at += self.add_space(at, mark - 1, style, link)
            self.add_span(self.data + at, until - at, style, link, -1)
        return 0

    cdef int add_space(
        self, Py_ssize_t at, Py_ssize_t mark, int style, int link
    ) except -1:
        """Add the space before a piece, unless it is of one style with it.

        Gives how many characters that takes.
        """
        cdef Span* last = &self.spans[self.span_count - 1]
        cdef int around_link = self.around_of_mark[mark]
        cdef int common = last.style & style & self.marks[mark, MARK_AROUND_STYLE]
        cdef int around = link, differ = last.style ^ style
        if not (last.link == link and link == around_link):
            common = around = 0
        elif differ & STRONG:
            common = 0
        elif differ & EM:
            common &= STRONG
        if common == style and around == link:
            return 0
        self.add_span(self.data + at, 1, common, around, -1)
        return 1

    # -- writing

    cdef int make_room(self, Py_ssize_t more) except -1:
        cdef void* data
        if self.room - self.used < more:
            self.room = 2 * self.room + more + 4096
            data = realloc(self.out, self.room)
            if data == NULL:
                raise MemoryError
            self.out = <char*>data
        return 0

    cdef int put(self, const char* text, Py_ssize_t size) except -1:
        if size == 0:
            return 0  # there may be no buffer yet
        self.make_room(size)
        memcpy(self.out + self.used, text, size)
        self.used += size
        return 0

    cdef int put_bytes(self, bytes text) except -1:
        return self.put(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))

    cdef int put_one(self, char c) except -1:
        self.make_room(1)
        self.out[self.used] = c
        self.used += 1
        return 0

    cdef int insert(self, Py_ssize_t at, const char* text, Py_ssize_t size) except -1:
        if size == 0:
            return 0
        self.make_room(size)
        memmove(self.out + at + size, self.out + at, self.used - at)
        memcpy(self.out + at, text, size)
        self.used += size
        return 0

    cdef int new_line(self, bint empty) except -1:
        """Begin a line, behind the marks of what it stands in."""
        cdef const char* prefix = self.prefix
        cdef Py_ssize_t size = len(self.prefix)
        while empty and size and prefix[size - 1] == b" ":
            size -= 1
        self.put_one(b"\n")
        return self.put(prefix, size)

    cdef int put_lines(self, const char* text, Py_ssize_t size) except -1:
        """Write text of several lines, which is not in the buffer."""
        cdef const char* end = text + size
        cdef const char* line
        while True:
            line = <const char*>memchr(text, b"\n", end - text)
            if line == NULL:
                return self.put(text, end - text)
            self.put(text, line - text)
            text = line + 1
            self.new_line(text == end or text[0] == b"\n")

    cdef int apart(self, bint close) except -1:
        """What stands between two blocks."""
        if not close:
            self.new_line(True)
        return self.new_line(False)

    cdef int blocks_of(self, list parts, bint tight) except -1:
        cdef Part part, last = None
        cdef bint other = False
        for part in parts:
            if last is not None:
                self.apart(tight and not is_leaf(part) and joins(part))
            if is_leaf(part):
                self.block(part)
            else:
                other = last is not None and last.kind == part.kind and not other
                self.group(part, other)
            last = part
        return 0

    cdef int group(self, Part node, bint other) except -1:
        cdef Py_ssize_t outer = len(self.prefix)
        if is_list(node):
            return self.list_of(node, other)
        if node.kind == QUOTE:
            self.put(b"> ", 2)
            self.prefix += b"> "
            self.blocks_of(node.children, False)
            del self.prefix[outer:]
            return 0
        if node.grid is not None:
            return self.table(node.grid)
        if node.kind == DEFINITIONS:
            return self.definitions(node)
        return self.blocks_of(node.children, False)

    cdef int list_of(self, Part node, bint other) except -1:
        cdef bint tight = True
        cdef Part item
        cdef int number = node.start
        cdef bytes mark
        cdef Py_ssize_t outer = len(self.prefix)
        for item in node.children:
            tight = tight and is_tight(item)
        for item in node.children:
            if number > node.start:
                self.apart(tight)
            if node.kind == LIST:
                mark = b"* " if other else b"- "
            else:
                mark = b"%d) " % number if other else b"%d. " % number
            self.put_bytes(mark)
            self.prefix += b" " * len(mark)
            self.blocks_of(item.children, tight)
            del self.prefix[outer:]
            number += 1
        return 0

    cdef int definitions(self, Part node) except -1:
        cdef Part child
        cdef bint fresh = True, begun = False
        cdef Py_ssize_t outer = len(self.prefix)
        for child in node.children:
            if not begun or (child.kind == TERM and fresh):
                if begun:
                    del self.prefix[outer:]
                    self.apart(False)
                self.put(b"- ", 2)
                self.prefix += b"  "
                begun = True
            else:
                self.apart(False)
            fresh = child.kind != TERM
            if child.kind == TERM:
                self.term(child)
            elif is_leaf(child):
                self.block(child)
            else:
                self.blocks_of(child.children, False)
        del self.prefix[outer:]
        return 0

    cdef int term(self, Part node) except -1:
        cdef Part child
        cdef Py_ssize_t begin
        cdef bint first = True
        for child in node.children:
            if not first:
                self.apart(False)
            first = False
            if child.kind == PARAGRAPH or child.kind == CAPTION_BLOCK:
                begin = self.used
                self.write(child, STRONG)
                self.emphasise(begin, begin, STRONG, 0)
                self.lines_from(begin)
            else:
                self.blocks_of([child], False)
        return 0

    cdef int block(self, Part part) except -1:
        cdef Py_ssize_t begin, at
        cdef int level
        if part.kind == CODE_BLOCK:
            return self.fenced(part)
        if part.kind == HEADING_BLOCK:
            level = min(max(part.level, 1), 6)
            self.put(HEADINGS + 6 - level, level + 1)
            begin = self.used
            self.write(part, STRONG)
            for at in range(begin, self.used):
                if self.out[at] == b"\n":
                    self.out[at] = b" "
            # Number signs at the end would close it.
            at = self.used
            while at > begin and self.out[at - 1] == b"#":
                at -= 1
            if at < self.used and (at == begin or is_one_of(self.out[at - 1], b" \t")):
                self.insert(at, b"\\", 1)
            return 0
        begin = self.used
        self.write(part, 0)
        return self.lines_from(begin)

    cdef int lines_from(self, Py_ssize_t begin) except -1:
        """Make what was written last a paragraph, none of whose lines is marked."""
        cdef const char* at = self.out + begin
        cdef const char* end = self.out + self.used
        cdef Py_ssize_t mark
        cdef bytes text
        if is_definition(at, end):
            self.insert(begin, b"\\", 1)
            at = self.out + begin
            end = self.out + self.used
        if memchr(at, b"\n", end - at) == NULL:
            mark = line_mark(at, end, end)
            if mark >= 0:
                self.insert(begin + mark, b"\\", 1)
            return 0
        text = at[: end - at]
        self.used = begin
        at = text
        end = at + len(text)
        return self.put_paragraph(at, end)

    cdef int put_paragraph(self, const char* at, const char* end) except -1:
        cdef const char* stop
        cdef Py_ssize_t mark
        while True:
            stop = <const char*>memchr(at, b"\n", end - at)
            if stop == NULL:
                stop = end
            mark = line_mark(at, stop, end)
            if mark >= 0:
                self.put(at, mark)
                self.put_one(b"\\")
                at += mark
            self.put(at, stop - at)
            if stop == end:
                return 0
            self.put_one(b"\\")
            at = stop + 1
            self.new_line(at == end)

    cdef int fenced(self, Part part) except -1:
        cdef bytes text = part.text
        cdef bytes more = part.more
        cdef const char* at = text
        cdef const char* end = at + len(text)
        cdef int most = 2, count, i
        cdef bint fresh = True
        while at < end:
            if fresh:
                while at < end and is_one_of(at[0], b" \t"):
                    at += 1
                count = 0
                while at < end and at[0] == b"`":
                    at += 1
                    count += 1
                if count >= 3:
                    most = max(most, count)
            if at < end:
                fresh = at[0] == b"\n"
                at += 1
        most = max(3, most + 1)
        for i in range(most):
            self.put_one(b"`")
        self.put_bytes(more)
        self.new_line(not text or text[:1] == b"\n")
        self.put_lines(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))
        self.new_line(False)
        for i in range(most):
            self.put_one(b"`")
        return 0

    cdef int table(self, Grid grid) except -1:
        cdef Part part
        cdef int i
        for part in grid.caption:
            self.block(part)
            self.apart(False)
        if grid.head:
            self.line(grid.lines[0])
        else:
            self.line([None] * grid.width)
        self.new_line(False)
        self.put_one(b"|")
        for i in range(grid.width):
            self.put(b" --- |", 6)
        for i in range(1 if grid.head else 0, len(grid.lines)):
            self.new_line(False)
            self.line(grid.lines[i])
        return 0

    cdef int line(self, list cells) except -1:
        cdef Cell cell
        self.put(b"| ", 2)
        for number, cell in enumerate(cells):
            if number:
                self.put(b" | ", 3)
            if cell is not None:
                self.cell(cell)
        return self.put(b" |", 2)

    cdef int cell(self, Cell cell) except -1:
        cdef Py_ssize_t begin = self.used, i
        cdef Part part
        cdef bytes text
        cdef const char* at
        cdef const char* end
        cdef bint first = True
        for part in cell.leaves:
            if not first:
                self.put(b"<br>", 4)
            first = False
            if part.kind == CODE_BLOCK:
                text = part.text
                self.code_span(text, PyBytes_GET_SIZE(text))
            else:
                self.write(part, STRONG if cell.header else 0)
        for i in range(begin, self.used):
            if self.out[i] == b"\n" or self.out[i] == b"|":
                break
        else:
            return 0
        text = self.out[i : self.used]
        self.used = i
        at = text
        end = at + len(text)
        while at < end:
            if at[0] == b"\n":
                self.put(b"<br>", 4)
            elif at[0] == b"|":
                self.put(b"\\|", 2)
            else:
                self.put_one(at[0])
            at += 1
        return 0

    # -- what is inside a block

    cdef int write(self, Part part, int plain) except -1:
        cdef Py_ssize_t i, begin = self.used, first, stop, inside
        cdef int styles = 0
        cdef Py_UCS4 follows
        cdef int link
        cdef bytes url
        self.take_spans(part, plain)
        if self.span_count == 1:
            i = 0
            if not (self.spans[0].style or self.spans[0].link) and (
                self.spans[0].image < 0
            ):
                return self.escaped(self.spans[0].text, self.spans[0].size, False)
        for i in range(self.span_count):
            if self.spans[i].style & (STRONG | EM):
                styles = STRONG | EM
        first = 0
        while first < self.span_count:
            link = self.spans[first].link
            stop = first + 1
            while stop < self.span_count and self.spans[stop].link == link:
                stop += 1
            if link:
                if self.used > begin and self.out[self.used - 1] == b"!":
                    self.insert(self.used - 1, b"\\", 1)
                self.put_one(b"[")
                inside = self.used
                self.styled(first, stop, styles, inside, 0, True)
                self.label(inside)
                self.put(b"](", 2)
                url = self.links[link]
                self.put_bytes(url)
                self.put_one(b")")
            else:
                follows = "[" if stop < self.span_count else 0
                self.styled(first, stop, styles, begin, follows, False)
            first = stop
        return 0

    cdef int label(self, Py_ssize_t inside) except -1:
        """Make what was written in the brackets of a link or image no footnote's mark."""
        if inside < self.used and self.out[inside] == b"^":
            self.insert(inside, b"\\", 1)
        return 0

    cdef Py_UCS4 first_of(self, Py_ssize_t i, int styles) noexcept:
        cdef Span* span = &self.spans[i]
        if span.image >= 0:
            return "["
        if span.style & styles:
            return "*"
        if span.style & ~(STRONG | EM):
            return "<"
        return after(span.text, span.text + span.size)

    cdef int styled(
        self,
        Py_ssize_t first,
        Py_ssize_t end,
        int styles,
        Py_ssize_t begin,
        Py_UCS4 follows,
        bint in_link,
    ) except -1:
        """Write spans in the styles; what is there so far stands from begin on."""
        cdef int style
        cdef Py_ssize_t stop, inside
        cdef Py_UCS4 following
        cdef bint shown
        if not styles:
            return self.plain(first, end, begin, in_link)
        style = STRONG if styles & STRONG else EM
        while first < end:
            shown = self.spans[first].style & style != 0
            stop = first + 1
            while stop < end and (self.spans[stop].style & style != 0) == shown:
                stop += 1
            following = follows
            if stop < end:
                following = self.first_of(stop, styles)
            if not shown:
                self.styled(first, stop, styles & ~style, begin, following, in_link)
            else:
                inside = self.used
                self.styled(first, stop, styles & ~style, inside, 0, in_link)
                self.emphasise(inside, begin, style, following)
            first = stop
        return 0

    cdef int emphasise(
        self, Py_ssize_t inside, Py_ssize_t begin, int style, Py_UCS4 follows
    ) except -1:
        """Emphasise what was written last, by stars where they will be read as such."""
        cdef const char* text = self.out + inside
        cdef const char* end = self.out + self.used
        cdef const char* bare = text
        cdef const char* bare_end = end
        cdef Py_UCS4 precedes = before(self.out + begin, text)
        cdef bint good
        while bare < bare_end and bare[0] == b"*":
            bare += 1
        while bare < bare_end and bare_end[-1] == b"*":
            bare_end -= 1
        good = (
            bare < bare_end
            and (style == STRONG or (bare == text and bare_end == end))
            and not (end - text >= 2 and text[0] == b"*" and text[1] == b"*")
            and not (
                end - text >= 2
                and end[-1] == b"*"
                and (end[-2] == b"*" or end[-2] == b"\\")
            )
            and precedes != "*"
            and follows != "*"
            and (
                Py_UNICODE_ISALNUM(after(bare, bare_end))
                or not precedes
                or parts(precedes)
            )
            and (
                Py_UNICODE_ISALNUM(before(bare, bare_end))
                or not follows
                or parts(follows)
            )
        )
        if good:
            self.insert(inside, b"**", 2 if style == STRONG else 1)
            return self.put(b"**", 2 if style == STRONG else 1)
        if style == STRONG:
            self.insert(inside, b"<strong>", 8)
            return self.put(b"</strong>", 9)
        self.insert(inside, b"<em>", 4)
        return self.put(b"</em>", 5)

    cdef int plain(
        self, Py_ssize_t first, Py_ssize_t end, Py_ssize_t begin, bint in_link
    ) except -1:
        cdef Span* span
        cdef Py_ssize_t i, inside
        cdef bint behind_image = False, element
        cdef bytes source
        for i in range(first, end):
            span = &self.spans[i]
            if span.image >= 0:
                if Py_UNICODE_ISALNUM(before(self.out + begin, self.out + self.used)):
                    self.put_one(b" ")
                self.put(b"![", 2)
                inside = self.used
                self.escaped(span.text, span.size, True)
                self.label(inside)
                self.put(b"](", 2)
                source = self.sources[span.image]
                self.put_bytes(source)
                self.put_one(b")")
                behind_image = True
                continue
            if behind_image and Py_UNICODE_ISALNUM(
                after(span.text, span.text + span.size)
            ):
                self.put_one(b" ")
            behind_image = False
            # Outermost last, each around those before.
            if span.style & SUB:
                self.put(b"<sub>", 5)
            if span.style & SUP:
                self.put(b"<sup>", 5)
            if span.style & DEL:
                self.put(b"<del>", 5)
            element = (
                in_link
                and span.style & CODE
                and has_definition(span.text, span.text + span.size)
            )
            if span.style & CODE and not element:
                self.code_span(span.text, span.size)
            else:
                if element:
                    self.put(b"<code>", 6)
                self.escaped(span.text, span.size, in_link)
                if element:
                    self.put(b"</code>", 7)
            if span.style & DEL:
                self.put(b"</del>", 6)
            if span.style & SUP:
                self.put(b"</sup>", 6)
            if span.style & SUB:
                self.put(b"</sub>", 6)
        return 0

    cdef int code_span(self, const char* text, Py_ssize_t size) except -1:
        cdef const char* end = text + size
        cdef const char* stop
        while True:
            stop = <const char*>memchr(text, b"\n", end - text)
            if stop == NULL:
                return self.code_line(text, end, size == end - text)
            self.code_line(text, stop, False)
            self.put_one(b"\n")
            text = stop + 1

    cdef int code_line(
        self, const char* text, const char* end, bint alone
    ) except -1:
        cdef const char* at = text
        cdef int most = 0, count = 0, i
        cdef bint blank
        # White space alone is left out, but where it is all there is.
        while at < end and is_space(after(at, end)):
            at += 1
            while at < end and (<unsigned char>at[0] & 0xC0) == 0x80:
                at += 1
        blank = at == end
        if blank and not alone:
            return 0
        at = text
        while at < end:
            count = count + 1 if at[0] == b"`" else 0
            most = max(most, count)
            at += 1
        for i in range(most + 1):
            self.put_one(b"`")
        blank = most or (
            text < end
            and (is_space(after(text, end)) or is_space(before(text, end)))
        )
        if blank:
            self.put_one(b" ")
        self.put(text, end - text)
        if blank:
            self.put_one(b" ")
        for i in range(most + 1):
            self.put_one(b"`")
        return 0

    cdef int escaped(self, const char* text, Py_ssize_t size, bint in_link) except -1:
        cdef const char* at = text
        cdef const char* end = text + size
        cdef const char* done = text
        while at < end:
            if MAY_MEAN[<unsigned char>at[0]] and means(text, at, end, in_link):
                self.put(done, at - done)
                self.put_one(b"\\")
                done = at
            at += 1
        return self.put(done, end - done)

    cdef object result(self):
        return self.out[: self.used].decode("utf-8") if self.used else ""


cdef bint is_small(str value) except -1:
    """Whether a width or height says that an image is too small to show anything."""
    if value is None:
        return False
    value = value.strip()
    if value.endswith("px"):
        value = value[:-2]
    return value.isascii() and value.isdigit() and int(value[:9]) < inline.SMALL


cdef Py_ssize_t characters(const char* text, Py_ssize_t size) noexcept:
    cdef Py_ssize_t count = 0, i
    for i in range(size):
        if (<unsigned char>text[i] & 0xC0) != 0x80:
            count += 1
    return count


cdef inline bint joins(Part node) noexcept:
    return node.kind == LIST or (node.kind == NUMBERED and node.start == 1)


cdef bint is_tight(Part item) except -1:
    cdef Part first = item.children[0]
    cdef Part part
    cdef Py_ssize_t i
    if first.kind != PARAGRAPH and first.kind != IMAGE_BLOCK:
        return len(item.children) == 1 and first.kind == CODE_BLOCK
    for i in range(1, len(item.children)):
        part = item.children[i]
        if is_leaf(part) or not joins(part):
            return False
    return True


cdef bint is_head(list line) except -1:
    cdef Cell cell
    for cell in line:
        if cell is not None and not cell.header and cell.leaves:
            return False
    return True


cdef fill_from_above(list line, dict below):
    while below.get(len(line), 0) > 0:
        below[len(line)] -= 1
        line.append(None)


cdef list trimmed(list lines):
    cdef Py_ssize_t width = 0, column, count = 0
    cdef list line, kept, made, used
    cdef Cell cell, other
    # One for all places that have none: there may be hundreds for each cell.
    cdef Cell empty = Cell.__new__(Cell)
    empty.leaves = []
    for line in lines:
        width = max(width, len(line))
    used = [False] * width
    for line in lines:
        for column, cell in enumerate(line):
            if cell is not None:
                count += 1
                if cell.leaves:
                    used[column] = True
    if sum(used) * len(lines) > PLACES + PLACES_OF_CELL * count:
        return None
    for line in lines:
        for column in range(len(line), width):
            line.append(empty)
    if all(used):
        return lines
    made = []
    for line in lines:
        kept = []
        for column in range(width):
            if not used[column]:
                continue
            cell = line[column]
            if cell is not None and cell.columns > 1:
                other = Cell.__new__(Cell)
                other.leaves = cell.leaves
                other.header = cell.header
                other.rows = cell.rows
                other.columns = sum(used[column : column + cell.columns])
                cell = other
            kept.append(cell)
        made.append(kept)
    return made


def markdown(page, units, shown):
    """The Markdown of what a page's blocks show."""
    cdef Writer writer = Writer(page, units, shown)
    writer.build()
    writer.blocks_of(writer.root.children, False)
    return writer.result()
