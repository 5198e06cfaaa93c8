# How the walk writes text, marks and blocks.

cdef inline int32_t rows_of(const Array* array, size_t columns) noexcept nogil:
    return array.used // (columns * sizeof(int32_t))


cdef inline void clear(Walker* w) noexcept nogil:
    """Begin to collect the text of a block."""
    w.start = w.text.used
    w.apart = 0
    w.pending = NONE
    w.link_chars = w.strong_chars = 0
    w.first_mark = w.marks.used
    w.first_gap = w.gaps.used
    w.style = 0
    w.anchor = -1


cdef inline void wait_with(Walker* w, int32_t pending) noexcept nogil:
    """Note pending white space, and the elements that it is in."""
    w.pending = pending
    w.around_style = w.frame.style
    w.around_anchor = w.frame.anchor


cdef inline void add_space(Walker* w) noexcept nogil:
    """Add a space, unless one is pending."""
    if w.text.used > w.start and w.pending == NONE:
        wait_with(w, BLANK)


cdef int add_mark(
    Walker* w, int32_t style, int32_t around_style, int32_t around_anchor
) noexcept nogil:
    """Add a mark at the end of the text, in the open link."""
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


cdef int add_gap(Walker* w, size_t begin) noexcept nogil:
    """Note that browsers do not show the text from ``begin`` on, or show more."""
    cdef int32_t* row = add_row(&w.gaps, 2)
    if row == NULL:
        return NO_MEMORY
    row[0] = begin
    row[1] = w.text.used
    return DONE


cdef inline int mark_text(Walker* w, int32_t pending) noexcept nogil:
    """Add a mark for a text, unless the previous text has its style and link."""
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
    """Turn the marks since the last block into those of images between blocks."""
    cdef size_t at = w.first_mark
    while at < w.marks.used:
        (<int32_t*>(w.marks.data + at))[MARK_START] = -1
        at += MARK_COLUMNS * sizeof(int32_t)
    clear(w)


cdef int add_line(Walker* w) noexcept nogil:
    """Start a new line in preformatted text, unless the last one is empty."""
    if w.text.used > w.start and w.text.data[w.text.used - 1] != b"\n":
        return add_bytes(&w.text, b"\n", 1)
    return DONE


cdef void end_text(Walker* w, const uint8_t* begin, const uint8_t* end) noexcept nogil:
    """Count the characters added to the text, if they are in a link or strong."""
    # The most characters possible, minus those that remain of them.
    cdef size_t most = end - begin, left = most
    w.text.used = <char*>end - w.text.data
    if w.frame.link or w.frame.strong:
        after_characters(<const char*>begin, <const char*>end, &left)
        w.link_chars += (most - left) * w.frame.link
        w.strong_chars += (most - left) * w.frame.strong


cdef bint is_permalink(const uint8_t* at) noexcept nogil:
    """Whether a text is one of PERMALINKS, apart from white space in ASCII and U+A0."""
    cdef bint found = False
    cdef uint32_t code
    while at[0]:
        if is_blank(at[0]):
            at += 1
            continue
        at += decode(at, &code)
        if code == 0xA0:
            continue
        if found or not has_sign(code, PERMALINK):
            return False
        found = True
    return found


cdef bint is_broken_line(const uint8_t* source, const uint8_t* at) noexcept nogil:
    """Whether a line break is all between a character and the previous one.

    Both must be of scripts without spaces, see BROKEN_LINE.
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
    """Add text of the source, with its white space collapsed."""
    cdef const uint8_t* source = at
    cdef uint8_t* out
    cdef uint8_t* first
    cdef const uint8_t* begin
    cdef int found, size, pending = w.pending
    if w.frame.link and (
        w.frame.kind == HEADING or (w.frame.near and not w.frame.style & RAISED_STYLE)
    ) and is_permalink(at):
        return add_gap(w, w.text.used)
    # Pending white space takes one more byte.
    if reserve(&w.text, strlen(<const char*>at) + 1):
        return NO_MEMORY
    begin = out = <uint8_t*>w.text.data + w.text.used
    first = <uint8_t*>w.text.data + w.start
    # White space of this text has the style and link of the open elements; that which
    # is pending keeps its own.
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
            elif pending and at[0] > 0xE0 and is_broken_line(source, at):
                w.text.used = <char*>out - w.text.data
                if add_gap(w, w.text.used):  # browsers show a space
                    return NO_MEMORY
            elif pending:
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
            return UNSUPPORTED
        if found == SPACE and pending == NONE and out != first:
            pending = BLANK
        at += size
        found = class_at(at, &size)
    w.pending = pending
    w.patience -= (at - source) // CLOCK_BYTES
    end_text(w, begin, out)
    return DONE


cdef int add_preformatted(Walker* w, const uint8_t* at) noexcept nogil:
    """Add text with its white space preserved."""
    cdef const uint8_t* source = at
    cdef const uint8_t* begin
    cdef uint8_t* out
    cdef uint8_t sign
    cdef int found, size
    # Whether the last character was a carriage return, with which a line feed is one.
    cdef bint returned = False
    if reserve(&w.text, strlen(<const char*>at)):
        return NO_MEMORY
    begin = out = <uint8_t*>w.text.data + w.text.used
    found = class_at(at, &size)
    while found != STOP:
        if found == SURROGATE:
            return UNSUPPORTED
        if found == PLAIN:
            memcpy(out, at, size)
            out += size
            returned = False
        elif found == SPACE:
            sign = at[0]
            if sign != b"\n" or not returned:
                out[0] = b"\n" if sign == b"\r" else sign if sign in b"\n\t" else b" "
                out += 1
            returned = sign == b"\r"
        at += size
        found = class_at(at, &size)
    if out > begin and w.text.used == w.start:
        w.inner = w.here
    w.patience -= (at - source) // CLOCK_BYTES
    end_text(w, begin, out)
    return DONE


cdef void strip_outside(Walker* w) noexcept nogil:
    """Remove empty lines before preformatted text, and white space after it."""
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
    cdef int32_t* gap = <int32_t*>(w.gaps.data + w.first_gap)
    if line > begin and end > line:
        memmove(begin, line, end - line)
    w.text.used = w.start + (end - line)
    while gap < <int32_t*>(w.gaps.data + w.gaps.used):
        gap[0] = min(max(gap[0] - (line - begin), <Py_ssize_t>w.start), <Py_ssize_t>w.text.used)
        gap += 1


cdef void count_characters(
    int32_t* row, const uint8_t* begin, const uint8_t* end
) noexcept nogil:
    """Fill the columns of a block that are computed from its text."""
    cdef int32_t[CLASS_ROOM] counts
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
        counts[found] += 1
        words += (before == SPACE) & (found != SPACE)
        before = found
        chars += 1
    row[BLOCK_LAST] = found
    for i in range(UPPER, SPACE):
        row[BLOCK_UPPER + i - UPPER] = counts[i]
    row[BLOCK_CHARS] = chars
    row[BLOCK_WORDS] = words
    row[BLOCK_WIDTH] = chars + row[BLOCK_WIDE]
    row[BLOCK_LINES] = lines
    row[BLOCK_HASH] = crc32(begin, end)


cdef int add_block(Walker* w) noexcept nogil:
    """Make a block of the collected text."""
    cdef int32_t* row = add_row(&w.blocks, BLOCK_COLUMNS)
    cdef const uint8_t* text
    if row == NULL or reserve(&w.text, 4):
        return NO_MEMORY
    if w.text.used > w.longest:
        return TOO_LONG
    # A terminator, in case the last character is cut off.
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
    """Make a block of the collected text, if there is any."""
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
