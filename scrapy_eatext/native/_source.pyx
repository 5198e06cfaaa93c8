# cython: language_level=3
"""The compiled twins of the functions that read a page's source.

They are decode.is_utf8(), misread.has_controls(), those of source.py, and
guard.without_surplus().
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memcpy
from scrapy_eatext.native.common cimport (
    Array, DONE, EATEXT_CHECKSUM, NO_MEMORY, SHORT, add_bytes, decode
)

from scrapy_eatext.page import tags

CHECKSUM = EATEXT_CHECKSUM

cdef enum:
    # The number of bytes that are tested for ASCII at once: four words.
    STRIDE = 32
    # The number of places at which a name is searched for at once.
    PLACES = 128


cdef bint is_ascii(const unsigned char* at) noexcept nogil:
    """Whether the next STRIDE bytes are ASCII."""
    cdef uint64_t[4] words
    memcpy(words, at, STRIDE)
    return not (words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080ULL


cdef int sequence(const unsigned char* at) noexcept nogil:
    """The length of the multi-byte character that starts here, 0 if it is invalid."""
    cdef uint32_t code
    cdef int size = decode(at, &code)
    # Overlong forms, surrogates and codes beyond Unicode are invalid.
    if size == 1 or at[0] > 0xF4 or 0xD800 <= code < 0xE000 or code >= 0x110000:
        return 0
    return size if code >= (0x80 if size == 2 else 0x800 if size == 3 else 0x10000) else 0


cdef bint is_whole(const unsigned char* at, const unsigned char* end) noexcept nogil:
    """Whether all bytes up to the end are valid UTF-8."""
    cdef const unsigned char* stop
    cdef int size
    while at < end:
        if end - at >= STRIDE and is_ascii(at):
            at += STRIDE
            continue
        stop = at + STRIDE if end - at > STRIDE else end
        while at < stop:
            if at[0] < 0x80:
                at += 1
                continue
            size = sequence(at)
            if size == 0:
                return False
            at += size
    return True


def is_utf8(bytes source not None):
    """Whether the bytes are valid UTF-8."""
    cdef const unsigned char* at = source
    cdef const unsigned char* end = at + len(source)
    cdef bint whole
    if end - at < SHORT:
        return is_whole(at, end)
    with nogil:
        whole = is_whole(at, end)
    return whole


def has_controls(bytes source not None):
    """Whether a source in UTF-8 has control characters from U+80 to U+9F."""
    cdef const unsigned char* at = source
    cdef const unsigned char* end = at + len(source)
    while at != NULL:
        at = <const unsigned char*>memchr(at, 0xC2, end - at)
        if at != NULL:
            at += 1
            # A zero byte follows the last one.
            if at[0] >= 0x80 and at[0] < 0xA0:
                return True
    return False


# -- the guard: characters, and places in the source

cdef enum:
    # The characters that end the name of an attribute.
    BLANK = 1
    SLASH = 2
    CLOSE = 4
    EQUALS = 8
    # The characters that end the name of a tag.
    NAME_END = BLANK | SLASH | CLOSE

cdef unsigned char[256] SIGNS
for _sign in " \t\n\r\f":
    SIGNS[ord(_sign)] = BLANK
SIGNS[ord("/")] = SLASH
SIGNS[ord(">")] = CLOSE
SIGNS[ord("=")] = EQUALS


cdef struct Cursor:
    # The next byte to read, and the end.
    const unsigned char* at
    const unsigned char* end


cdef inline bint is_letter(unsigned char c) noexcept nogil:
    return 97 <= (c | 32) <= 122


cdef inline void skip_to(Cursor* c, unsigned char sign) noexcept nogil:
    """Move to the next character ``sign``, or to the end."""
    cdef const void* found = memchr(c.at, sign, c.end - c.at)
    c.at = <const unsigned char*>found if found != NULL else c.end


cdef bint starts(const Cursor* c, const char* word) noexcept nogil:
    """Whether a word is at the cursor in any case, given in lower case."""
    cdef const unsigned char* at = c.at
    while word[0]:
        if at >= c.end or (at[0] | 32 if is_letter(at[0]) else at[0]) != word[0]:
            return False
        at += 1
        word += 1
    return True


# -- searches

cdef inline Py_ssize_t place_of(
    const unsigned char* at,
    Py_ssize_t count,
    const unsigned char* name,
    Py_ssize_t size,
    unsigned char fold,
) noexcept nogil:
    """The first of ``count`` places at which a name of ``size`` bytes begins, or -1.

    With a ``fold`` of 32 a name in lower case is found in any case; otherwise it is 0.
    """
    cdef Py_ssize_t i = 0, j
    cdef Py_ssize_t middle = size // 2, last = size - 1
    cdef unsigned char a = name[0], b = name[middle], c = name[last]
    cdef unsigned char other, least
    cdef Cursor cursor
    cursor.end = at + count + last
    while i < count:
        if count - i >= PLACES:
            # The compiler makes a few wide operations of this.
            least = 255
            for j in range(PLACES):
                other = (
                    (at[i + j] | fold) ^ a
                    | (at[i + j + middle] | fold) ^ b
                    | (at[i + j + last] | fold) ^ c
                )
                least = other if other < least else least
            if least:
                i += PLACES
                continue
        for j in range(i, min(i + PLACES, count)):
            cursor.at = at + j
            if starts(&cursor, <const char*>name) if fold else (
                at[j] == a and memcmp(at + j, name, size) == 0
            ):
                return j
        i += PLACES
    return -1


cdef Py_ssize_t search(
    const unsigned char* at, Py_ssize_t count, const char* name, Py_ssize_t size, bint fold
) noexcept nogil:
    # The compiler makes a loop for each case.
    if fold:
        return place_of(at, count, <const unsigned char*>name, size, 32)
    return place_of(at, count, <const unsigned char*>name, size, 0)


cdef Py_ssize_t first_place(bytes source, bytes name, Py_ssize_t begin, bint fold):
    cdef const unsigned char* at = source
    cdef const char* first = name
    cdef Py_ssize_t size = len(name), count = len(source) - size + 1 - begin
    cdef Py_ssize_t found
    if count < SHORT:
        found = search(at + begin, count, first, size, fold)
    else:
        with nogil:
            found = search(at + begin, count, first, size, fold)
    return found + begin if found >= 0 else -1


def find(bytes source not None, bytes name not None, Py_ssize_t begin=0):
    """The first index of a non-empty name in a source from ``begin``, or -1."""
    return first_place(source, name, begin, False)


def holds_tag(bytes source not None, bytes tag not None):
    """Whether a source holds the beginning of a tag, given in lower case, in any case."""
    return first_place(source, tag, 0, True) >= 0


# -- names of elements

cdef enum:
    # The properties of an element: it has only text inside, it has no end tag, it is
    # the body, a script, or ends with the page.
    RAW = 1
    VOID = 2
    BODY = 4
    SCRIPT = 8
    ENDLESS = 16
    # The number of keys of names.
    KEYS = 1 << 14


cdef struct Element:
    const char* name
    Py_ssize_t size
    int traits


cdef inline int key_of(const unsigned char* name, Py_ssize_t size) noexcept nogil:
    return (name[0] & 31) << 9 | (name[size - 1] & 31) << 4 | min(size, 15)


# The known elements, by their keys.
cdef Element[KEYS] ELEMENTS
cdef Element UNKNOWN = Element(NULL, 0, 0)
# The bytes of the names stay alive here.
_NAMES = [name.encode() for name in (*tags.RAW, *tags.VOID, "body")]


cdef void fill_elements() except *:
    cdef int key
    for name in _NAMES:
        key = key_of(name, len(name))
        assert ELEMENTS[key].name == NULL
        known = name.decode()
        ELEMENTS[key] = Element(name, len(name), (
            (known in tags.RAW) * RAW
            | (known in tags.VOID) * VOID
            | (known == "body") * BODY
            | (known == "script") * SCRIPT
            | (known == "plaintext") * ENDLESS
        ))


fill_elements()


cdef const Element* find_element(Cursor* c, int* key) noexcept nogil:
    """The element whose name is at the cursor; moves behind the name."""
    cdef Cursor name = c[0]
    cdef const Element* found
    while c.at < c.end and not SIGNS[c.at[0]] & NAME_END:
        c.at += 1
    key[0] = key_of(name.at, c.at - name.at)
    found = &ELEMENTS[key[0]]
    if found.name != NULL and found.size == c.at - name.at and starts(&name, found.name):
        return found
    return &UNKNOWN


cdef bint is_name(const Cursor* c, const Element* element) noexcept nogil:
    """Whether the name of an element is at the cursor, and its end follows."""
    return (
        c.end - c.at > element.size
        and SIGNS[c.at[element.size]] & NAME_END
        and starts(c, element.name)
    )


# -- attributes, comments and text

cdef inline bint skip_attribute(Cursor* c) noexcept nogil:
    """Move behind the next attribute of a tag; False if it has no more."""
    cdef const unsigned char* at = c.at
    cdef const unsigned char* end = c.end
    cdef unsigned char quote
    while at < end and SIGNS[at[0]] & (BLANK | SLASH):
        at += 1
    if at >= end or at[0] == b">":
        c.at = at
        return False
    # An equals sign at the start is a part of the name.
    at += 1
    while at < end and not SIGNS[at[0]]:
        at += 1
    c.at = at
    while at < end and SIGNS[at[0]] & BLANK:
        at += 1
    if at >= end or at[0] != b"=":
        return True
    at += 1
    while at < end and SIGNS[at[0]] & BLANK:
        at += 1
    if at < end:
        quote = at[0]
        if quote == b'"' or quote == b"'":
            at = <const unsigned char*>memchr(at + 1, quote, end - at - 1)
            at = at + 1 if at != NULL else end
        else:
            while at < end and not SIGNS[at[0]] & (BLANK | CLOSE):
                at += 1
    c.at = at
    return True


cdef void skip_comment(Cursor* c) noexcept nogil:
    """Move behind the comment that starts here."""
    cdef const unsigned char* start = c.at
    c.at += 4
    while True:
        skip_to(c, b">")
        if c.at >= c.end:
            return
        c.at += 1
        if c.at[-2] == b"-" and c.at[-3] == b"-":  # they may be those of <!--
            return
        if c.at - start >= 8 and memcmp(c.at - 4, b"--!", 3) == 0:
            return


cdef bint ends_comment(Cursor c, const unsigned char* end) noexcept nogil:
    """Whether there is a --> between the cursor and ``end``."""
    cdef const unsigned char* start = c.at
    c.end = end
    while True:
        skip_to(&c, b">")
        if c.at == end:
            return False
        if c.at - start >= 2 and c.at[-1] == b"-" and c.at[-2] == b"-":
            return True
        c.at += 1


cdef void skip_raw(Cursor* c, const Element* element) noexcept nogil:
    """Move to the end tag of an element with only text inside."""
    cdef bint script = element.traits & SCRIPT
    cdef bint commented = False, nested = False
    cdef Cursor before
    if element.traits & ENDLESS:
        c.at = c.end
        return
    while True:
        before = c[0]
        skip_to(c, b"<")
        if commented and ends_comment(before, c.at):
            commented = nested = False
        if c.end - c.at < 2:
            c.at = c.end
            return
        c.at += 1
        if c.at[0] == b"/":
            c.at += 1
            if is_name(c, element):
                if not nested:
                    c.at -= 2
                    return
                nested = False
        elif commented and is_name(c, element):
            nested = True
        elif script and starts(c, b"!--"):
            commented = True
            c.at += 1  # its dashes may be those of its end


# -- tags

cdef struct Tag:
    const unsigned char* start
    # The element, and the key of the name.
    const Element* element
    int key
    bint opens
    # Whether the tag ends with a slash that does not belong to an attribute.
    bint closed
    # The ends of the last attribute, and of the last one that may stay.
    const unsigned char* last
    const unsigned char* allowed


cdef bint find_tag(Cursor* c, Tag* tag, Py_ssize_t most) noexcept nogil:
    """Move behind the next tag and describe it; False if there is none."""
    cdef Py_ssize_t count = 0
    while True:
        skip_to(c, b"<")
        tag.start = c.at
        if c.end - c.at < 2:
            return False
        tag.opens = c.at[1] != b"/"
        c.at += 1 if tag.opens else 2
        if c.at < c.end and is_letter(c.at[0]):
            break
        if tag.opens and starts(c, b"!--"):
            c.at -= 1
            skip_comment(c)
        elif not tag.opens or c.at[0] == b"!" or c.at[0] == b"?":
            skip_to(c, b">")
    tag.element = find_element(c, &tag.key)
    tag.last = tag.allowed = c.at
    while skip_attribute(c):
        count += 1
        tag.last = c.at
        if count <= most:
            tag.allowed = c.at
    tag.closed = c.at > tag.last and c.at[-1] == b"/"
    if c.at < c.end:
        c.at += 1
    return True


cdef struct Copy:
    # The output so far, up to the place from which the source is copied next.
    Array kept
    const unsigned char* done


cdef int leave_out(
    Copy* copy, const unsigned char* start, const unsigned char* end
) noexcept nogil:
    """Copy the source up to ``start``, and leave out the piece up to ``end``."""
    cdef const unsigned char* done = copy.done
    copy.done = end
    return add_bytes(&copy.kept, <const char*>done, start - done) if start > done else DONE


cdef int copy_source(
    Copy* copy, Cursor* c, int32_t* opened, Py_ssize_t most, Py_ssize_t stray
) noexcept nogil:
    """Copy a source without surplus, if it has any."""
    cdef Tag tag
    while find_tag(c, &tag, most):
        if tag.opens and not tag.element.traits & BODY:
            opened[tag.key] += not (tag.closed or tag.element.traits & VOID)
        elif not tag.opens and opened[tag.key]:
            opened[tag.key] -= 1
        elif stray:
            stray -= 1
        else:
            if leave_out(copy, tag.start, c.at) or add_bytes(&copy.kept, b"</>", 3):
                return NO_MEMORY
            continue
        if tag.opens and tag.allowed < tag.last and leave_out(copy, tag.allowed, tag.last):
            return NO_MEMORY
        if tag.opens and tag.element.traits & RAW and not tag.closed:
            skip_raw(c, tag.element)
    return leave_out(copy, c.end, c.end) if copy.kept.used else DONE


def without_surplus(bytes source not None, Py_ssize_t most, Py_ssize_t stray):
    """A source without surplus attributes and stray tags, or the source itself."""
    cdef int status
    cdef const unsigned char* begin = source
    cdef Cursor c = Cursor(begin, begin + len(source))
    cdef Copy copy = Copy(Array(NULL, 0, 0), begin)
    cdef int32_t* opened = <int32_t*>calloc(KEYS, sizeof(int32_t))
    if opened == NULL:
        raise MemoryError
    try:
        if len(source) < SHORT:
            status = copy_source(&copy, &c, opened, most, stray)
        else:
            with nogil:
                status = copy_source(&copy, &c, opened, most, stray)
        if status == NO_MEMORY:
            raise MemoryError
        return copy.kept.data[: copy.kept.used] if copy.kept.used else source
    finally:
        free(copy.kept.data)
        free(opened)
