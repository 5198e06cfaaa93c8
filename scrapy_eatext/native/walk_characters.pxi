# The classes of characters of characters.py.

cdef int UPPER = characters.UPPER
cdef int DIGIT = characters.DIGIT
cdef int WIDE = characters.WIDE
# Characters of classes below SPACE are copied into the text unchanged.
cdef int SPACE = characters.SPACE
cdef int INVISIBLE = SPACE + 1
cdef int SURROGATE = SPACE + 2
# A byte that starts a multi-byte character, whose class is looked up; and the text's
# end.
cdef int LOOK = SPACE + 3
cdef int STOP = SPACE + 4
cdef uint32_t WIDE_FIRST = characters.WIDE_PLANES[0]
cdef uint32_t WIDE_LAST = characters.WIDE_PLANES[1]

cdef enum:
    PLAIN = 0
    # Room for a count of each class.
    CLASS_ROOM = 16
    # The properties of some characters besides their class.
    SPACELESS = 1
    PERMALINK = 2
    ASKING = 4

assert SPACE > 0 and STOP < CLASS_ROOM

# For each code point of the Basic Multilingual Plane its class and properties.
cdef uint8_t[0x10000] CLASSES
cdef uint8_t[0x10000] SIGNS
# For each byte PLAIN, SPACE, INVISIBLE, LOOK or STOP.
cdef uint8_t[256] BYTES
# zlib's CRC of each byte.
cdef uint32_t[256] CRC


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
    for sign in elements.QUESTION_MARKS:
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
        CRC[i] = value


fill_tables()


cdef inline int class_of(uint32_t code) noexcept nogil:
    if code < 0x10000:
        return CLASSES[code]
    return WIDE if WIDE_FIRST <= code <= WIDE_LAST else PLAIN


cdef inline int class_at(const uint8_t* at, int* size) noexcept nogil:
    """The class of a character, PLAIN for all below SPACE; sets its number of bytes."""
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
    while at < end:
        value = value >> 8 ^ CRC[(value ^ at[0]) & 0xFF]
        at += 1
    return ~value


cdef const char* after_characters(
    const char* at, const char* end, size_t* count
) noexcept nogil:
    """The end of ``count`` characters, or of the text; ``count`` is what it lacks."""
    while at < end:
        if not goes_on(<uint8_t>at[0]):
            if not count[0]:
                break
            count[0] -= 1
        at += 1
    return at
