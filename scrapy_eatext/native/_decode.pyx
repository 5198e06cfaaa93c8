# cython: language_level=3
"""The compiled twin of decode.is_utf8()."""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy
from scrapy_eatext.native.bytes cimport SHORT, decode
from scrapy_eatext.native.checksum cimport EATEXT_CHECKSUM

CHECKSUM = EATEXT_CHECKSUM

cdef enum:
    # The number of bytes that are tested for ASCII at once: four words.
    STRIDE = 32


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
