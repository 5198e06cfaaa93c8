# A page: its tables, the memory for its facts, groups of blocks.

cdef enum Status:
    NOT_SOUND = -2
    TIME_IS_UP = -3

cdef struct Element:
    int32_t parent
    int32_t tag
    int32_t depth
    int32_t first
    int32_t last
    int32_t up
    int32_t top
    # The element's number among the containers, where 0 is the page, and the number of
    # its group of similar siblings, where 0 is that of elements without blocks.
    int32_t box
    int32_t like
    uint32_t way
    uint32_t tags
    uint64_t mask


cdef struct Weights:
    # The sum of words' weights, the minimum or 0, and the maximum or 0.
    int64_t sum
    int32_t low
    int32_t high


cdef struct Named:
    # The weights of an element's own words, and those of all words from the root to it.
    Weights near
    Weights far
    uint64_t flags


cdef struct Page:
    const int32_t* elements
    const int32_t* blocks
    const uint32_t* tokens
    const uint8_t* text
    const uint8_t* descriptions[SOURCES]
    size_t[SOURCES] description_size
    size_t element_count
    size_t count
    size_t token_count
    size_t text_size
    # The votes of the page's names for each kind of page.
    int64_t* votes
    int kinds
    # The time of the deadline, or 0.
    double end
    # All allocated memory, and whether an allocation failed.
    Array parts
    bint failed
    # All columns by their numbers, and the number of rows of each domain.
    Column[MAX_COLUMNS] column
    size_t[MAX_DOMAINS] rows
    int64_t one
    Element* element
    Named* named
    # The number of containers besides the page, their elements, and the number of
    # groups of similar siblings.
    int32_t boxes
    int32_t* box_element
    int32_t likes
    # Memory for sorting keys, and for temporary values.
    uint64_t* keys
    uint64_t* spare


cdef int open_page(Page* p, walk, int64_t[::1] votes) except -1:
    """Set pointers to a walk's tables, which is_sound() checks later, and to its votes."""
    cdef const int32_t[:, ::1] elements = walk.elements
    cdef const int32_t[:, ::1] blocks = walk.blocks
    cdef const uint32_t[::1] tokens = walk.tokens
    cdef const uint8_t[::1] text = walk.text
    cdef tuple descriptions = walk.descriptions
    cdef int i
    memset(p, 0, sizeof(Page))
    if elements.shape[1] != ELEMENT_COLUMNS or blocks.shape[1] != BLOCK_COLUMNS:
        raise ValueError("a table has another number of columns")
    p.element_count, p.count = elements.shape[0], blocks.shape[0]
    p.token_count, p.text_size = tokens.shape[0], text.shape[0]
    p.kinds = <int>votes.shape[0]
    # Nothing is read at a pointer to an empty table.
    p.elements, p.blocks = &elements[0, 0], &blocks[0, 0]
    p.tokens, p.text, p.votes = &tokens[0], &text[0], &votes[0]
    if descriptions and len(descriptions) != SOURCES:
        raise ValueError("the walk has descriptions from another number of sources")
    for i, one in enumerate(descriptions):
        p.descriptions[i], p.description_size[i] = <const uint8_t*><const char*>one, len(one)
    for i in range(BLOCK_COLUMNS):
        p.column[i] = Column(
            <const char*>(p.blocks + i), BLOCK_COLUMNS * sizeof(int32_t), False
        )
    p.one = 1
    p.column[ONES] = Column(<const char*>&p.one, 0, True)
    return 0


cdef void close_page(Page* p) noexcept nogil:
    cdef void** parts = <void**>p.parts.data
    cdef size_t i
    for i in range(p.parts.used // sizeof(void*)):
        free(parts[i])
    free(p.parts.data)


cdef void* room_for(Page* p, size_t count, size_t size, bint zeros=True) noexcept nogil:
    """Allocate ``count`` entries of a size and one more; NULL if that fails."""
    cdef void* made = calloc(count + 1, size) if zeros else malloc((count + 1) * size)
    if made == NULL or add_bytes(&p.parts, <char*>&made, sizeof(void*)):
        free(made)
        p.failed = True
        return NULL
    return made


cdef void open_columns(Page* p, int first, int width, size_t rows, bint one_row) noexcept nogil:
    """Allocate ``width`` columns from ``first`` on."""
    cdef size_t size, most = 0
    cdef char* made
    cdef int i
    # An even number of rows aligns the columns with 64 bits.
    rows += rows & 1
    for i in range(first, first + width):
        most += rows * (8 if IS_WIDE[i] else 4)
    made = <char*>room_for(p, most, 1)
    if made == NULL:
        return
    for i in range(first, first + width):
        size = 8 if IS_WIDE[i] else 4
        p.column[i] = Column(made, 0 if one_row else size, IS_WIDE[i])
        made += rows * size


cdef void open_facts(Page* p, int later, int domain, size_t rows) noexcept nogil:
    """Allocate the facts of a domain."""
    cdef const Table* table = &TABLES[later][domain]
    p.rows[domain] = rows
    open_columns(p, table.first, table.width, rows, domain == D_PAGE)


cdef inline int32_t* narrow(Page* p, int name, int behind=0) noexcept nogil:
    """A column of Narrow, or the one ``behind`` places after it."""
    return <int32_t*>p.column[NUMBER[name] + behind].at


cdef inline int64_t* wide(Page* p, int name) noexcept nogil:
    """A column of Wide."""
    return <int64_t*>p.column[NUMBER[name]].at


cdef inline int64_t* fact(Page* p, int later, int domain, int place) noexcept nogil:
    """A fact of a domain by its place."""
    return <int64_t*>p.column[TABLES[later][domain].first + place].at


cdef inline int32_t* rows_of(Page* p, int domain) noexcept nogil:
    """Each block's row in a domain of groups of blocks."""
    return narrow(p, OF_COPIES + domain - D_COPIES)


cdef void sum_up(Page* p, int later, int domain) noexcept nogil:
    """The facts of a domain that are sums."""
    cdef Table table = TABLES[later][domain]
    cdef const int64_t* first = wide(p, BOX_FIRST)
    cdef const int64_t* last = wide(p, BOX_LAST)
    cdef const Element* e
    cdef const int32_t* of
    cdef Column column
    cdef int64_t* out
    cdef size_t i
    cdef int at
    for at in range(table.first, table.first + table.width):
        if SOURCE[at] < 0:
            continue
        column = p.column[SOURCE[at]]
        out = <int64_t*>p.column[at].at
        if domain == D_SUM:
            for i in range(p.count):
                out[i + 1] = out[i] + cell(&column, i)
        elif domain == D_PAGE:
            for i in range(p.count):
                out[0] += cell(&column, i)
        elif domain == D_BOX:
            for i in range(<size_t>p.boxes + 1):
                out[i] = cell(&column, last[i]) - cell(&column, first[i])
        elif domain == D_LIKE:
            for i in range(p.element_count):
                e = p.element + i
                if e.last > e.first:
                    out[e.like] += cell(&column, e.last) - cell(&column, e.first)
        else:
            of = rows_of(p, domain)
            for i in range(p.count):
                out[of[i]] += cell(&column, i)

# -- groups


cdef inline void set_key(Page* p, size_t i, uint32_t value) noexcept nogil:
    p.keys[i] = <uint64_t>value << 32 | i


cdef int32_t group(Page* p, size_t count, int32_t* of) noexcept nogil:
    """Number the groups of equal keys; returns their count.

    The lower 32 bits of a key are the number of its entry.  Keys are sorted by the upper
    32 bits with a radix sort, which takes linear time.
    """
    cdef uint64_t* keys = p.keys
    cdef uint64_t* spare = p.spare
    cdef uint32_t[256] starts
    cdef uint32_t start, size
    cdef int32_t last = NONE
    cdef size_t i
    cdef int shift, byte
    for shift in range(32, 64, 8):
        memset(starts, 0, sizeof(starts))
        for i in range(count):
            starts[keys[i] >> shift & 0xFF] += 1
        start = 0
        for byte in range(256):
            size = starts[byte]
            starts[byte] = start
            start += size
        for i in range(count):
            byte = keys[i] >> shift & 0xFF
            spare[starts[byte]] = keys[i]
            starts[byte] += 1
        keys, spare = spare, keys
    for i in range(count):
        last += i == 0 or keys[i] >> 32 != keys[i - 1] >> 32
        of[<uint32_t>keys[i]] = last
    return last + 1


cdef bint is_sound(const Page* p) noexcept nogil:
    """Whether all indexes are in range, and sums of numbers cannot overflow."""
    cdef const int32_t* e = p.elements
    cdef const int32_t* b = p.blocks
    cdef int32_t count = <int32_t>p.count
    cdef int32_t below
    cdef size_t i
    cdef int column
    if p.count >> 31 or p.element_count >> 31 or p.token_count >> 31:
        return False
    for i in range(p.element_count):
        if not (
            NONE <= e[ELEMENT_PARENT] < <int32_t>i
            and 0 <= e[ELEMENT_TAG] < TAG_COUNT
            and 0 <= e[ELEMENT_DEPTH]
            and 0 <= e[ELEMENT_FIRST_BLOCK] <= e[ELEMENT_LAST_BLOCK] <= count
            and 0 <= e[ELEMENT_FIRST_TOKEN]
            and 0 <= e[ELEMENT_TOKENS]
            and <size_t>e[ELEMENT_FIRST_TOKEN] + <size_t>e[ELEMENT_TOKENS] <= p.token_count
        ):
            return False
        e += ELEMENT_COLUMNS
    for i in range(p.count):
        below = b[BLOCK_ELEMENT] | b[BLOCK_INNER]
        for column in range(BLOCK_KIND, BLOCK_HASH):
            below |= b[column]
        if (
            below < 0
            or <size_t>b[BLOCK_ELEMENT] >= p.element_count
            or <size_t>b[BLOCK_INNER] >= p.element_count
            or b[BLOCK_KIND] >> 15
        ):
            return False
        b += BLOCK_COLUMNS
    return True


cdef inline bint is_late(const Page* p) noexcept nogil:
    return p.end != 0 and eatext_clock() > p.end
