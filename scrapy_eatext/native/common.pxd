# For all compiled modules: the checksum, a clock, arrays that grow, characters in UTF-8.

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy

cdef extern from *:
    """
    #if defined(_WIN32)
    #include <windows.h>
    static inline double eatext_clock(void) { return GetTickCount64() / 1e3; }
    #else
    #include <time.h>
    static inline double eatext_clock(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec + now.tv_nsec / 1e9;
    }
    #endif
    """
    # The checksum of the sources that a module is built from, see loading.py.
    const unsigned int EATEXT_CHECKSUM
    # The clock of time.monotonic(), in seconds.
    double eatext_clock() noexcept nogil

cdef enum:
    # For a source with fewer bytes the GIL is kept, as it takes less time than a thread
    # waits for the GIL.
    SHORT = 1 << 18

# -- arrays that grow; the owner of an array frees its data


cdef enum Status:
    DONE = 0
    NO_MEMORY = -1


cdef enum:
    LEAST = 1 << 13


cdef struct Array:
    # Bytes in use, and bytes that there is room for.
    char* data
    size_t used
    size_t room


cdef inline int reserve(Array* array, size_t more) noexcept nogil:
    """Make room for ``more`` bytes."""
    if array.room - array.used >= more:
        return DONE
    return grow(array, more)


cdef inline int grow(Array* array, size_t more) noexcept nogil:
    cdef size_t room = array.used + more
    cdef char* data
    if room < more or room > (<size_t>-1) // 4:
        return NO_MEMORY
    # The room doubles while it is small, and then grows by half.
    room += room if room < 1 << 20 else room // 2
    room = room if room > LEAST else LEAST
    data = <char*>realloc(array.data, room)
    if data == NULL:
        return NO_MEMORY
    array.data = data
    array.room = room
    return DONE


cdef inline char* extend(Array* array, size_t size) noexcept nogil:
    """The address of ``size`` new bytes at the end; NULL without memory."""
    if reserve(array, size):
        return NULL
    array.used += size
    return array.data + array.used - size


cdef inline int add_bytes(Array* array, const char* data, size_t size) noexcept nogil:
    cdef char* at = extend(array, size)
    if at == NULL:
        return NO_MEMORY
    memcpy(at, data, size)
    return DONE


cdef inline int32_t* add_row(Array* array, size_t columns) noexcept nogil:
    """A new row of 32-bit integers at the end; NULL without memory."""
    return <int32_t*>extend(array, columns * sizeof(int32_t))


# -- characters


cdef inline bint goes_on(uint8_t c) noexcept nogil:
    """Whether a byte continues a character of UTF-8."""
    return (c & 0xC0) == 0x80


cdef inline int decode(const uint8_t* at, uint32_t* code) noexcept nogil:
    """Decode a character, and return its number of bytes; a byte 0 ends the text."""
    cdef uint32_t c = at[0]
    if c >= 0xC0 and goes_on(at[1]):
        if c < 0xE0:
            code[0] = (c & 0x1F) << 6 | (at[1] & 0x3F)
            return 2
        if goes_on(at[2]):
            code[0] = (c & 0xF) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)
            if c < 0xF0:
                return 3
            if goes_on(at[3]):
                code[0] = (code[0] & 0x7FFF) << 6 | (at[3] & 0x3F)
                return 4
    code[0] = c if c < 0x80 else 0xFFFD
    return 1
