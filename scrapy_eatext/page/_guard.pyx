# cython: language_level=3
"""The compiled twin of guard.python_without_surplus()."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr, memcpy

cdef extern from *:
    const unsigned int EATEXT_CHECKSUM

# Of the sources that this is built from, see checksum.py.
CHECKSUM = EATEXT_CHECKSUM


cdef struct Cursor:
    # The byte that is read next, and the one behind the last.
    const unsigned char* at
    const unsigned char* end


cdef enum:
    # What ends the name of an attribute.
    BLANK = 1
    SLASH = 2
    CLOSE = 4
    EQUALS = 8

cdef enum:
    # Fewer bytes take less time than a thread waits for Python's lock, which is kept.
    SHORT = 1 << 18
    # How many keys there are of elements' names.
    KEYS = 1 << 14

cdef unsigned char[256] KINDS
for _sign in " \t\n\r\f":
    KINDS[ord(_sign)] = BLANK
KINDS[ord("/")] = SLASH
KINDS[ord(">")] = CLOSE
KINDS[ord("=")] = EQUALS


cdef inline bint is_letter(unsigned char c) noexcept nogil:
    return 97 <= (c | 32) <= 122


cdef inline void skip_to(Cursor* c, unsigned char sign) noexcept nogil:
    """Move to the next such sign, or to the end."""
    cdef const void* found = memchr(c.at, sign, c.end - c.at)
    c.at = <const unsigned char*>found if found != NULL else c.end


cdef bint starts(Cursor* c, const char* word) noexcept nogil:
    """Whether the source goes on with a word in lower case, whatever its case is."""
    cdef const unsigned char* at = c.at
    while word[0]:
        if at >= c.end or (at[0] | 32 if is_letter(at[0]) else at[0]) != word[0]:
            return False
        at += 1
        word += 1
    return True


cdef bint is_name(Cursor* c, const char* word, Py_ssize_t size) noexcept nogil:
    """Whether a tag's name here is this one."""
    if c.end - c.at <= size or not starts(c, word):
        return False
    return KINDS[c.at[size]] & (BLANK | SLASH | CLOSE)


cdef const char* raw_name(Cursor* c) noexcept nogil:
    """The name here, where it is of an element with text alone inside, else NULL."""
    cdef unsigned char first = c.at[0] | 32
    if first == b"s":
        if is_name(c, b"script", 6):
            return b"script"
        if is_name(c, b"style", 5):
            return b"style"
    elif first == b"t":
        if is_name(c, b"title", 5):
            return b"title"
        if is_name(c, b"textarea", 8):
            return b"textarea"
    elif first == b"i":
        if is_name(c, b"iframe", 6):
            return b"iframe"
    elif first == b"n":
        if is_name(c, b"noembed", 7):
            return b"noembed"
        if is_name(c, b"noframes", 8):
            return b"noframes"
    elif first == b"p":
        if is_name(c, b"plaintext", 9):
            return b"plaintext"
    elif first == b"x":
        if is_name(c, b"xmp", 3):
            return b"xmp"
    return NULL


cdef bint is_void(Cursor* c) noexcept nogil:
    """Whether the name here is of an element without an end tag."""
    cdef unsigned char first = c.at[0] | 32
    if first == b"a":
        return is_name(c, b"area", 4)
    if first == b"b":
        return is_name(c, b"br", 2) or is_name(c, b"base", 4)
    if first == b"c":
        return is_name(c, b"col", 3)
    if first == b"e":
        return is_name(c, b"embed", 5)
    if first == b"f":
        return is_name(c, b"frame", 5)
    if first == b"h":
        return is_name(c, b"hr", 2)
    if first == b"i":
        return is_name(c, b"img", 3) or is_name(c, b"input", 5)
    if first == b"l":
        return is_name(c, b"link", 4)
    if first == b"m":
        return is_name(c, b"meta", 4)
    if first == b"p":
        return is_name(c, b"param", 5)
    if first == b"s":
        return is_name(c, b"source", 6)
    if first == b"t":
        return is_name(c, b"track", 5)
    return first == b"w" and is_name(c, b"wbr", 3)


cdef inline bint skip_attribute(Cursor* c) noexcept nogil:
    """Move behind the next attribute of a tag, if it has one."""
    cdef const unsigned char* at = c.at
    cdef const unsigned char* end = c.end
    cdef unsigned char quote
    while at < end and KINDS[at[0]] & (BLANK | SLASH):
        at += 1
    if at >= end or at[0] == b">":
        c.at = at
        return False
    # An equals sign at its start is a part of the name.
    at += 1
    while at < end and not KINDS[at[0]]:
        at += 1
    c.at = at
    while at < end and KINDS[at[0]] & BLANK:
        at += 1
    if at >= end or at[0] != b"=":
        return True
    at += 1
    while at < end and KINDS[at[0]] & BLANK:
        at += 1
    if at < end:
        quote = at[0]
        if quote == b'"' or quote == b"'":
            at = <const unsigned char*>memchr(at + 1, quote, end - at - 1)
            at = at + 1 if at != NULL else end
        else:
            while at < end and not KINDS[at[0]] & (BLANK | CLOSE):
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
        if c.at[-2] == b"-" and c.at[-3] == b"-":  # those of <!-- serve too
            return
        if c.at - start >= 8 and (
            c.at[-2] == b"!" and c.at[-3] == b"-" and c.at[-4] == b"-"
        ):
            return


cdef void skip_raw(Cursor* c, const char* name) noexcept nogil:
    """Move to the end tag of an element with text alone inside."""
    cdef Py_ssize_t size = 0
    cdef bint script = name[0] == b"s" and name[1] == b"c"
    cdef bint commented = False
    cdef bint nested = False
    cdef const unsigned char* start
    if name[0] == b"p":
        c.at = c.end
        return
    while name[size]:
        size += 1
    while True:
        start = c.at
        skip_to(c, b"<")
        if commented:
            # Up to here the comment may have ended.
            if ends_comment(start, c.at):
                commented = nested = False
        if c.at >= c.end:
            return
        c.at += 1
        if c.at >= c.end:
            return
        if c.at[0] == b"/":
            c.at += 1
            if is_name(c, name, size):
                if not nested:
                    c.at -= 2
                    return
                nested = False
        elif script and commented and is_name(c, name, size):
            nested = True
        elif script and starts(c, b"!--"):
            commented = True
            c.at += 1  # its dashes may be those of its end


cdef bint ends_comment(
    const unsigned char* at, const unsigned char* end
) noexcept nogil:
    """Whether --> stands between the two."""
    cdef const unsigned char* found
    while True:
        found = <const unsigned char*>memchr(at, b">", end - at)
        if found == NULL:
            return False
        if found - at >= 2 and found[-1] == b"-" and found[-2] == b"-":
            return True
        # What is before this sign may not serve another one twice, as dashes
        # stand right before it or not at all.
        at = found + 1


cdef struct Copy:
    # What is kept of a source, up to where that was done; no room where all is.
    unsigned char* out
    Py_ssize_t used
    const unsigned char* done


cdef bint leave_out(
    Copy* copy, Cursor* c, const unsigned char* start, const unsigned char* end
) noexcept nogil:
    """Copy what stands before a piece that is left out, if there is memory for it."""
    if copy.out == NULL:
        # What stands instead of a tag is no longer than it.
        copy.out = <unsigned char*>malloc(c.end - copy.done + 1)
        if copy.out == NULL:
            return False
    memcpy(copy.out + copy.used, copy.done, start - copy.done)
    copy.used += start - copy.done
    copy.done = end
    return True


cdef bint copy_rest(
    Copy* copy, Cursor* c, int32_t* opened, Py_ssize_t most, Py_ssize_t stray
) noexcept nogil:
    """Copy a source, without surplus, if there is any; and memory for it."""
    cdef const unsigned char* start
    cdef const unsigned char* name
    cdef const unsigned char* allowed
    cdef const unsigned char* last
    cdef const unsigned char* after
    cdef const char* raw
    cdef Py_ssize_t count
    cdef int key
    cdef bint opens, body, element, closed
    while True:
        skip_to(c, b"<")
        if c.end - c.at < 2:
            break
        start = c.at
        c.at += 1
        opens = c.at[0] != b"/"
        if not opens:
            c.at += 1
            if c.at >= c.end:
                break
        if not is_letter(c.at[0]):
            if opens and c.end - c.at >= 3 and starts(c, b"!--"):
                c.at -= 1
                skip_comment(c)
            elif not opens or c.at[0] == b"!" or c.at[0] == b"?":
                skip_to(c, b">")
            continue
        name = c.at
        raw = raw_name(c) if opens else NULL
        body = opens and (
            starts(c, b"body")
            and (c.end - c.at == 4 or KINDS[c.at[4]] & (BLANK | SLASH | CLOSE))
        )
        element = opens and not body and not is_void(c)
        while c.at < c.end and not KINDS[c.at[0]] & (BLANK | SLASH | CLOSE):
            c.at += 1
        key = (name[0] & 31) << 9 | (c.at[-1] & 31) << 4 | min(c.at - name, 15)
        count = 0
        allowed = last = c.at
        while skip_attribute(c):
            count += 1
            last = c.at
            if count == most:
                allowed = last
        # A slash counts where it is none of an attribute's.
        closed = c.at > last and c.at[-1] == b"/"
        after = c.at + 1 if c.at < c.end else c.end
        if opens and not body:
            opened[key] += element and not closed
        elif not opens and opened[key]:
            opened[key] -= 1
        elif stray:
            stray -= 1
        else:
            if not leave_out(copy, c, start, after):
                return False
            memcpy(copy.out + copy.used, b"</>", 3)
            copy.used += 3
            c.at = after
            continue
        if opens and count > most:
            if not leave_out(copy, c, allowed, last):
                return False
        if c.at >= c.end:
            break
        c.at = after
        if raw != NULL and not closed:
            skip_raw(c, raw)
    return copy.out == NULL or leave_out(copy, c, c.end, c.end)


def without_surplus(bytes source not None, Py_ssize_t most, Py_ssize_t stray):
    """A source without tags and attributes that are too much, itself without any."""
    cdef Cursor c
    cdef Copy copy
    cdef bint good
    cdef const unsigned char* base = source
    cdef int32_t* opened = <int32_t*>calloc(KEYS, sizeof(int32_t))
    if opened == NULL:
        raise MemoryError
    c.at = base
    c.end = base + len(source)
    copy.out = NULL
    copy.used = 0
    copy.done = base
    try:
        if len(source) < SHORT:
            good = copy_rest(&copy, &c, opened, most, stray)
        else:
            with nogil:
                good = copy_rest(&copy, &c, opened, most, stray)
        if not good:
            raise MemoryError
        if copy.out == NULL:
            return source
        return PyBytes_FromStringAndSize(<char*>copy.out, copy.used)
    finally:
        free(copy.out)
        free(opened)
