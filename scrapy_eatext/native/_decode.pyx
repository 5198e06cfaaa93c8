# cython: language_level=3
"""The compiled twins of decode.is_utf8() and source.holds()."""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp, memcpy
from scrapy_eatext.native.bytes cimport SHORT, decode
from scrapy_eatext.native.checksum cimport EATEXT_CHECKSUM

CHECKSUM = EATEXT_CHECKSUM

cdef enum:
    # The number of bytes that are tested for ASCII at once: four words.
    STRIDE = 32
    # The number of places at which a name is sought at once.
    PLACES = 64


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


cdef bint is_in(
    const unsigned char* at, Py_ssize_t count, const unsigned char* name, Py_ssize_t size
) noexcept nogil:
    """Whether a name of ``size`` bytes begins at one of ``count`` places."""
    cdef Py_ssize_t i = 0, j
    cdef Py_ssize_t middle = size // 2, last = size - 1
    cdef unsigned char a = name[0], b = name[middle], c = name[last]
    cdef unsigned char hit
    while i < count:
        if count - i >= PLACES:
            # The compiler makes a few wide operations of this.
            hit = 0
            for j in range(PLACES):
                hit |= (at[i + j] == a) & (at[i + j + middle] == b) & (at[i + j + last] == c)
            if not hit:
                i += PLACES
                continue
        for j in range(i, min(i + PLACES, count)):
            if at[j] == a and memcmp(at + j, name, size) == 0:
                return True
        i += PLACES
    return False


def holds(bytes source not None, bytes name not None):
    """Whether the bytes of a name, at least one, stand in a source."""
    cdef const unsigned char* at = source
    cdef const unsigned char* sought = name
    cdef Py_ssize_t size = len(name), count = len(source) - size + 1
    cdef bint found
    if count < SHORT:
        return is_in(at, count, sought, size)
    with nogil:
        found = is_in(at, count, sought, size)
    return found
