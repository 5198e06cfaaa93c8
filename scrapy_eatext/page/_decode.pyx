# cython: language_level=3
"""The compiled twins of what looks at all bytes of a page's source."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef extern from *:
    const unsigned int EATEXT_CHECKSUM

# Of the sources that this is built from, see checksum.py.
CHECKSUM = EATEXT_CHECKSUM

cdef enum:
    # Bytes that are looked at in one go, four words, as most of a page is ASCII.
    STRIDE = 32
    # Fewer bytes take less time than a thread waits for Python's lock, which is kept.
    SHORT = 1 << 18


cdef bint is_ascii(const unsigned char* at) noexcept nogil:
    """Whether the next STRIDE bytes are."""
    cdef uint64_t[4] words
    memcpy(words, at, STRIDE)
    return not (words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080ULL


cdef inline bint goes_on(unsigned char c) noexcept nogil:
    return (c & 0xC0) == 0x80


cdef int sequence(const unsigned char* at, Py_ssize_t left) noexcept nogil:
    """The length of the character that starts here, behind ASCII; 0 if none does."""
    cdef unsigned char first = at[0]
    cdef unsigned char low = 0x80
    cdef unsigned char high = 0xBF
    if first < 0xC2 or first > 0xF4 or left < 2:
        return 0
    if first < 0xE0:
        return 2 if goes_on(at[1]) else 0
    # Not the long forms of short characters, surrogates, or what is beyond Unicode.
    if first == 0xE0:
        low = 0xA0
    elif first == 0xED:
        high = 0x9F
    elif first == 0xF0:
        low = 0x90
    elif first == 0xF4:
        high = 0x8F
    if not low <= at[1] <= high or left < 3 or not goes_on(at[2]):
        return 0
    if first < 0xF0:
        return 3
    return 4 if left > 3 and goes_on(at[3]) else 0


cdef bint is_whole(const unsigned char* at, const unsigned char* end) noexcept nogil:
    """Whether all of what stands here is valid UTF-8."""
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
            size = sequence(at, end - at)
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
