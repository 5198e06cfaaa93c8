# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twin of facts, operations and trees, without the GIL.

Facts are made of a page as a whole, then figures; features are evaluated for a tile
of blocks at a time, so that all of a tile's, and what the trees make of them, stay in
a cache.  Only what the model asks for is evaluated.  Columns are known by the names
that the Python modules declare.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from scrapy_eatext.page.clock cimport eatext_clock
from scrapy_eatext.page.columns cimport *

import numpy as np

from scrapy_eatext.deadline import TimeLimitError, remaining
from scrapy_eatext.page import tags
from scrapy_eatext.page.columns import BLOCK_COLUMNS as BLOCK_NAMES
from scrapy_eatext.tagger import context, facts, operations

cdef extern from *:
    const unsigned int EATEXT_CHECKSUM

# Of the sources that this is built from, see checksum.py.
CHECKSUM = EATEXT_CHECKSUM

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* Blocks that are looked at together, and those whose numbers fill registers. */
    #define EATEXT_TILE 128
    #define EATEXT_LANES 32

    /* How many of the borders each of the values is above. */
    static void eatext_count_any(
        const int32_t *values, int width, const int32_t *borders, int count,
        uint8_t *bins)
    {
        int i, k;
        memset(bins, 0, (size_t)width);
        for (k = 0; k < count; k++) {
            const int32_t border = borders[k];
            for (i = 0; i < width; i++) bins[i] += values[i] > border;
        }
    }

    /* The places of a tile's blocks in the table of one tree. */
    static void eatext_place_any(
        const uint8_t *bins, int width, int depth, const int32_t *row,
        const uint8_t *bin, uint8_t *place)
    {
        int i, level;
        memset(place, 0, (size_t)width);
        for (level = 0; level < depth; level++) {
            const uint8_t *of = bins + (size_t)row[level] * EATEXT_TILE;
            const uint8_t above = bin[level], bit = (uint8_t)(1 << level);
            for (i = 0; i < width; i++) place[i] |= of[i] > above ? bit : 0;
        }
    }

    static void eatext_add_any(
        const int16_t *leaves, const uint8_t *place, int width, int32_t *sums)
    {
        int i;
        for (i = 0; i < width; i++) sums[i] += leaves[place[i]];
    }

    /* The same in wide registers.  Which ones there are is seen when the module is
       loaded: 0 says whatever, 1 AVX2, 2 AVX-512. */
    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>

    typedef int32_t eatext_numbers __attribute__((vector_size(32)));
    typedef uint8_t eatext_bytes __attribute__((vector_size(EATEXT_LANES)));

    __attribute__((target("avx2"))) static void eatext_count_avx2(
        const int32_t *values, int width, const int32_t *borders, int count,
        uint8_t *bins)
    {
        const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        __m256i bytes;
        int i, k;
        for (i = 0; i < width; i += EATEXT_LANES) {
            eatext_numbers a, b, c, d, border;
            eatext_numbers of_a = {0}, of_b = {0}, of_c = {0}, of_d = {0};
            memcpy(&a, values + i, 32);
            memcpy(&b, values + i + 8, 32);
            memcpy(&c, values + i + 16, 32);
            memcpy(&d, values + i + 24, 32);
            for (k = 0; k < count; k++) {
                border = borders[k] - (eatext_numbers){0};
                of_a -= a > border;
                of_b -= b > border;
                of_c -= c > border;
                of_d -= d > border;
            }
            /* From 32 bits to 8; half a register at a time, so they are put in order. */
            bytes = _mm256_packus_epi16(
                _mm256_packs_epi32((__m256i)of_a, (__m256i)of_b),
                _mm256_packs_epi32((__m256i)of_c, (__m256i)of_d));
            bytes = _mm256_permutevar8x32_epi32(bytes, order);
            _mm256_storeu_si256((__m256i *)(bins + i), bytes);
        }
    }

    __attribute__((target("avx2"))) static void eatext_place_avx2(
        const uint8_t *bins, int width, int depth, const int32_t *row,
        const uint8_t *bin, uint8_t *place)
    {
        int i, level;
        for (i = 0; i < width; i += EATEXT_LANES) {
            eatext_bytes found = {0}, of;
            for (level = 0; level < depth; level++) {
                memcpy(&of, bins + (size_t)row[level] * EATEXT_TILE + i, EATEXT_LANES);
                of = (eatext_bytes)(of > bin[level]);
                found |= of & (uint8_t)(1 << level);
            }
            memcpy(place + i, &found, EATEXT_LANES);
        }
    }

    /* A table of 64 numbers fits two registers. */
    __attribute__((target("avx512f,avx512bw"))) static void eatext_add_avx512(
        const int16_t *leaves, const uint8_t *place, int width, int32_t *sums)
    {
        const __m512i low = _mm512_loadu_si512(leaves);
        const __m512i high = _mm512_loadu_si512(leaves + 32);
        int i;
        for (i = 0; i < width; i += EATEXT_LANES) {
            __m512i at = _mm512_cvtepu8_epi16(
                _mm256_loadu_si256((const __m256i *)(place + i)));
            __m512i found = _mm512_permutex2var_epi16(low, at, high);
            __m512i a = _mm512_cvtepi16_epi32(_mm512_castsi512_si256(found));
            __m512i b = _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(found, 1));
            a = _mm512_add_epi32(a, _mm512_loadu_si512(sums + i));
            b = _mm512_add_epi32(b, _mm512_loadu_si512(sums + i + 16));
            _mm512_storeu_si512(sums + i, a);
            _mm512_storeu_si512(sums + i + 16, b);
        }
    }

    static int eatext_best(void)
    {
        __builtin_cpu_init();
        if (!__builtin_cpu_supports("avx2")) return 0;
        return __builtin_cpu_supports("avx512bw") ? 2 : 1;
    }
    #else
    #define eatext_count_avx2 eatext_count_any
    #define eatext_place_avx2 eatext_place_any
    #define eatext_add_avx512 eatext_add_any
    static int eatext_best(void) { return 0; }
    #endif

    static int eatext_level = 0;

    static void eatext_count(
        const int32_t *values, int width, const int32_t *borders, int count,
        uint8_t *bins)
    {
        if (eatext_level) eatext_count_avx2(values, width, borders, count, bins);
        else eatext_count_any(values, width, borders, count, bins);
    }

    static void eatext_place(
        const uint8_t *bins, int width, int depth, const int32_t *row,
        const uint8_t *bin, uint8_t *place)
    {
        if (eatext_level) eatext_place_avx2(bins, width, depth, row, bin, place);
        else eatext_place_any(bins, width, depth, row, bin, place);
    }

    /* Where the table is shorter than 64 numbers there is something behind it. */
    static void eatext_add(
        const int16_t *leaves, int depth, const uint8_t *place, int width,
        int32_t *sums)
    {
        if (eatext_level > 1 && depth <= 6)
            eatext_add_avx512(leaves, place, width, sums);
        else eatext_add_any(leaves, place, width, sums);
    }
    """
    enum:
        TILE "EATEXT_TILE"
        LANES "EATEXT_LANES"
    int best_level "eatext_best" ()
    int level "eatext_level"
    void count_borders "eatext_count" (
        const int32_t* values, int width, const int32_t* borders, int count,
        uint8_t* bins
    ) noexcept nogil
    void find_places "eatext_place" (
        const uint8_t* bins, int width, int depth, const int32_t* row,
        const uint8_t* bin, uint8_t* place
    ) noexcept nogil
    void add_leaves "eatext_add" (
        const int16_t* leaves, int depth, const uint8_t* place, int width,
        int32_t* sums
    ) noexcept nogil


def use_registers(int most):
    """Use registers no wider than those of a level, see above, and say of which."""
    global level
    level = min(most, best_level())
    return level


use_registers(2)

# So many bytes of the first features are kept for the second round of trees; for the
# rest of a page with very many blocks they are made again.
cdef size_t most_bins


def keep_bins(size_t most):
    """Keep no more of the first features than so many bytes."""
    global most_bins
    most_bins = most


keep_bins(1 << 23)

# -- names: as the Python modules declare them, in the same order, which is checked

cdef enum:
    MAX_TAGS = 256
    MAX_FLAGS = 64
    MAX_CHANCES = 2048
    MAX_COLUMNS = 512
    MAX_DOMAINS = 16
    NONE = -1
    CAP = 1_000_000

# The facts of each domain.
cpdef enum:
    F_PLACE, F_W, F_DEPTH, F_AROUND, F_OWN, F_FLAGS0, F_FLAGS1, F_SINCE_HEADING
    F_HEADING_LEVEL, F_FROM_TITLE, F_SINCE_LONG, F_TO_LONG, F_NAMES_NEAR, F_NAMES_FAR
    F_NAMES, F_NAMES_NEAR_LOW, F_NAMES_NEAR_HIGH, F_NAMES_FAR_LOW, F_NAMES_FAR_HIGH
    F_OF_COPIES, F_OF_WAY, F_OF_TAGS, F_OF_LIKE, F_OF_BOX1

cpdef enum:
    S_N, S_W, S_CHARS, S_LINK_CHARS, S_ENDS, S_LINKS, S_HEADINGS, S_IMAGES, S_CONTROLS
    S_MONEY, S_LONG, S_FLOWING, SUM_WIDTH

cpdef enum:
    # Behind the same sums.
    X_FIRST = SUM_WIDTH
    X_LAST, X_DEPTH, BOX_WIDTH

cpdef enum:
    L_N, L_W, L_CHARS, L_LINK_CHARS, LIKE_WIDTH

cpdef enum:
    G_N, G_W, G_CHARS, G_LINK_CHARS, G_COPIED, G_FIRST, G_LAST, G_REACH, G_LONGEST
    GROUP_WIDTH

cpdef enum:
    P_LAST = SUM_WIDTH
    P_ELEMENTS, P_WIDE, P_LONGEST, P_COPIED, P_ARTICLES, P_TAG_GROUPS, P_MAIN, P_ARTICLE
    P_TITLES, P_WAY_TOP, P_WAY_TOP_N, P_WAY_MANY, P_WAY_GROUPS, P_TAGS_TOP, P_TAGS_TOP_N
    P_TAGS_MANY, P_TAGS_GROUPS, PAGE_WIDTH

# Of the context.
cpdef enum:
    C_LIKELIHOOD, C_RANK, C_SINCE_LIKELY, C_TO_LIKELY, C_SINCE_SURE, C_TO_SURE, C_OF_KIND
    LATER_WIDTH

cpdef enum:
    R_WORDS_TO_RANK, R_EXPECTED_TO_RANK, R_EXPECTED_BEHIND, RANK_WIDTH

cpdef enum:
    W_LIKELIHOOD, W_WEIGHT, W_EXPECTED, WEIGHT_WIDTH

cpdef enum:
    Q_LIKELY_WORDS = WEIGHT_WIDTH
    Q_LIKELY, Q_BEST, Q_UNSURE, Q_FIRST_LIKELY, Q_LAST_LIKELY, Q_FIRST_SURE, Q_LAST_SURE
    Q_THOUSAND, LATER_PAGE_WIDTH

cpdef enum:
    O_COPY, O_RATIO, O_QUOTIENT, O_LEFT, O_BIT, O_SHIFT, O_STEP, O_SPAN_RATIO
    O_SPAN_QUOTIENT, O_PICK, O_PLACE

cpdef enum:
    D_, D_PAGE, D_SUM, D_BOX, D_LIKE, D_COPIES, D_WAY, D_TAGS, D_KIND, D_KEPT


FIRST, LATER = facts.FACTS, context.FACTS


def check_names():
    """See that the numbers here are the places of the same names in Python's lists.

    It is called once all is there.  Raises ImportError, which says that this was
    built with other lists.
    """
    operation_names = [operation.__name__ for operation in operations.READS]
    for prefix, first, end, names in (
        ("F", 0, F_OF_BOX1 + 1, FIRST[""][BLOCK_COLUMNS : BLOCK_COLUMNS + F_OF_BOX1 + 1]),
        ("S", 0, SUM_WIDTH, FIRST["sum"]),
        ("X", SUM_WIDTH, BOX_WIDTH, FIRST["box"][SUM_WIDTH:]),
        ("L", 0, LIKE_WIDTH, FIRST["like"]),
        ("G", 0, GROUP_WIDTH, FIRST["way"]),
        ("P", SUM_WIDTH, PAGE_WIDTH, FIRST["page"][SUM_WIDTH:]),
        ("C", 0, LATER_WIDTH, LATER[""][:LATER_WIDTH]),
        ("R", 0, RANK_WIDTH, LATER[""][LATER_WIDTH : LATER_WIDTH + RANK_WIDTH]),
        ("W", 0, WEIGHT_WIDTH, LATER["sum"]),
        ("Q", WEIGHT_WIDTH, LATER_PAGE_WIDTH, LATER["page"][WEIGHT_WIDTH:]),
        ("O", 0, O_PLACE + 1, operation_names),
        ("D", 0, D_KEPT + 1, operations.DOMAINS),
    ):
        if first + len(names) != end:
            raise ImportError(f"it was built with other names than {names}")
        for number, name in enumerate(names, first):
            if globals().get(f"{prefix}_{name.upper()}") != number:
                raise ImportError(f"it was built with another place for {name!r}")


# What is so short that it has no names here.
assert (LATER["like"], LATER["kind"]) == (("weight", "expected"), ("likelihood", "n"))
assert (FIRST["tags"], LATER["box"]) == (FIRST["way"], LATER["sum"])
assert facts.OWN == ("div", "p", "span", "item", "row")
assert (operations.NONE, operations.CAP) == (NONE, CAP) and context.HIGHEST < MAX_CHANCES
assert len(tags.TAGS) <= MAX_TAGS and len(context.COLUMNS) <= MAX_COLUMNS

# Blocks have so many columns of 32 bits behind the walk's.  The last ones are those of
# containers: of each its number, then the branches' siblings, then their classes.
cdef int CONTAINERS = facts.CONTAINERS
cdef int FACT_WIDTH = F_OF_BOX1 + 3 * CONTAINERS
cdef int WORDS_BEFORE = BLOCK_COLUMNS + FACT_WIDTH
assert FIRST[""][WORDS_BEFORE:] == ("words_before",)

cdef struct Table:
    # The facts of a domain: the number of the first among all columns, how many there are.
    int first
    int width


# Those of the first round, and those of the second.
cdef Table[2][MAX_DOMAINS] TABLES
# Of the second round's facts of blocks the first ones have 32 bits, those behind 64.
cdef int LATER_FACTS = context.COLUMNS.index("likelihood")
cdef int EXPECTED_BEFORE = LATER_FACTS + LATER_WIDTH + RANK_WIDTH
assert LATER[""][LATER_WIDTH + RANK_WIDTH :] == ("expected_before",)

cdef int32_t FAR = facts.FAR
cdef int32_t LONG = facts.LONG
cdef int32_t LONGER = facts.LONGER
cdef int NEAR = facts.NEAR
cdef int32_t PARAGRAPH = tags.PARAGRAPH
cdef int32_t HEADING = tags.HEADING
cdef int32_t QUOTE = tags.QUOTE
cdef int TAG_COUNT = len(tags.TAGS)
cdef int32_t ZERO = context.ZERO
cdef int32_t HIGHEST = context.HIGHEST
cdef int32_t SURE = context.SURE
cdef int32_t LIKELY = context.LIKELY
cdef int32_t DEEPEST = context.DEEPEST
cdef uint64_t ANCESTORS = (<uint64_t>1 << len(facts.ANCESTORS)) - 1
cdef int BIT_DIV = facts.group_bit("div")
cdef int BIT_P = facts.group_bit("p")
cdef int BIT_SPAN = facts.group_bit("span")
cdef int BIT_MAIN = facts.group_bit("main")
cdef int BIT_ARTICLE = facts.group_bit("article")
cdef uint64_t[MAX_TAGS] TAG_BITS
cdef int32_t[MAX_TAGS] TAG_CLASS
cdef int32_t[MAX_CHANCES] CHANCE
# Of what is summed up the walk's column, or -1.
cdef int[SUM_WIDTH] SUMMED


cdef void fill_tables() except *:
    later = len(context.FIRST_COLUMNS)
    for i, (bits, tag_class) in enumerate(zip(facts.TAG_BITS, facts.TAG_CLASS)):
        TAG_BITS[i] = bits
        TAG_CLASS[i] = tag_class
    for i, chance in enumerate(context.CHANCE):
        CHANCE[i] = chance
    for i, declared in enumerate((FIRST, LATER)):
        for of, names in declared.items():
            first = context.COLUMNS.index(operations.names_of({of: names})[0], i * later)
            TABLES[i][operations.DOMAINS.index(of)] = Table(first, len(names))
    TABLES[1][D_] = Table(LATER_FACTS + LATER_WIDTH, RANK_WIDTH)
    for i, name in enumerate(facts.SUMMED):
        SUMMED[i] = BLOCK_NAMES.index(name) if name in BLOCK_NAMES else NONE


fill_tables()

# -- numbers


cdef inline int32_t clip(int64_t value) noexcept nogil:
    value = CAP if value > CAP else value
    return <int32_t>(-CAP if value < -CAP else value)


cdef inline int64_t quotient(int64_t part, int64_t whole) noexcept nogil:
    """Divided and rounded down; the whole is above 0.

    Processors divide fractions faster, and what is below 2^53 exactly.
    """
    if 0 <= part < <int64_t>1 << 53 and whole < <int64_t>1 << 53:
        return <int64_t>(<double>part / <double>whole)
    return part // whole if part >= 0 else -((whole - 1 - part) // whole)


cdef inline int64_t ratio(int64_t part, int64_t whole) noexcept nogil:
    """Thousandths of the whole."""
    return quotient(part * 1000, whole if whole > 1 else 1)


cdef inline int64_t share(int64_t part, int64_t whole) noexcept nogil:
    """What there is for each one of the whole."""
    return quotient(part, whole if whole > 1 else 1)

# -- memory

cdef enum Status:
    DONE = 0
    NO_MEMORY = -1
    NOT_SOUND = -2
    TIME_IS_UP = -3

cdef enum:
    MAX_PARTS = 256
    # Things of one page begin on lines of a cache.
    LINE = 64
    # What is kept from page to page has this many bytes at most.
    MAX_KEPT = 1 << 23

cdef struct Memory:
    # All that is needed for one page: what was kept of the page before, how much
    # of it is in use, what had to be allocated besides, and the bytes of both.
    char* kept
    size_t room
    size_t used
    int count
    bint failed
    void* parts[MAX_PARTS]


cdef void* room_for(Memory* memory, size_t count, size_t size) noexcept nogil:
    """Room for so many things of a size and one more, of zeros; NULL if there is none."""
    cdef size_t most = (count + 1) * size
    cdef void* made = NULL
    if most > (<size_t>-1) // 4 or most // size != count + 1:
        memory.failed = True
        return NULL
    most = (most + LINE - 1) // LINE * LINE
    if memory.used <= memory.room and most <= memory.room - memory.used:
        made = memory.kept + memory.used
        memset(made, 0, most)
    elif not memory.failed and memory.count < MAX_PARTS:
        made = calloc(most, 1)
        memory.parts[memory.count] = made
        memory.count += made != NULL
    if made == NULL:
        memory.failed = True
    memory.used += most
    return made


cdef void give_back(Memory* memory) noexcept nogil:
    """Free what was allocated, and keep as much as was needed if that is little."""
    if memory.count and memory.used <= MAX_KEPT:
        free(memory.kept)
        memory.kept = <char*>malloc(memory.used)
        memory.room = memory.used if memory.kept != NULL else 0
    while memory.count:
        memory.count -= 1
        free(memory.parts[memory.count])
    memory.used = 0

# -- operations, as operations.py has them

cdef struct Column:
    # Where its first row is, how many bytes there are from row to row (none where one
    # row is for all), and whether its numbers have 64 bits or 32.
    const char* at
    size_t step
    bint wide


cdef struct Line:
    # As operations.encoded() gives them.
    int32_t operation
    int32_t a
    int32_t b
    int32_t c
    int32_t domain
    int32_t column


cdef inline int64_t cell(const Column* column, size_t row) noexcept nogil:
    cdef const char* at = column.at + row * column.step
    return (<const int64_t*>at)[0] if column.wide else (<const int32_t*>at)[0]


cdef inline int64_t span(
    const Column* sums, size_t row, size_t radius, size_t end
) noexcept nogil:
    return cell(sums, min(row + radius + 1, end)) - cell(
        sums, row - radius if row > radius else 0
    )


cdef void evaluate(
    const Line* line,
    const Column* columns,
    size_t start,
    size_t count,
    size_t end,
    int32_t* out,
) noexcept nogil:
    """What a line makes of so many rows from one on, of those up to an end."""
    cdef Column a = columns[line.a], b = columns[line.b], c
    cdef const int32_t* at
    cdef int32_t number = line.c
    cdef size_t i, row
    cdef int64_t value
    if line.operation == O_COPY:
        for i in range(count):
            out[i] = clip(cell(&a, start + i))
    elif line.operation == O_RATIO:
        for i in range(count):
            out[i] = clip(ratio(cell(&a, start + i), cell(&b, start + i)))
    elif line.operation == O_QUOTIENT:
        for i in range(count):
            out[i] = clip(share(cell(&a, start + i), cell(&b, start + i)))
    elif line.operation == O_LEFT:
        for i in range(count):
            out[i] = clip(cell(&a, start + i) - cell(&b, start + i))
    elif line.operation == O_BIT:
        if a.wide:
            for i in range(count):
                out[i] = cell(&a, start + i) >> number & 1
        else:
            at = <const int32_t*>a.at + start
            for i in range(count):
                out[i] = at[i] >> number & 1
    elif line.operation == O_SHIFT:
        for i in range(count):
            # Before the first row it is a large number.
            row = start + i - <size_t>number
            out[i] = clip(cell(&a, row)) if row < end else NONE
    elif line.operation == O_STEP:
        for i in range(count):
            row = start + i - <size_t>number
            value = cell(&a, row) if row < end else NONE
            out[i] = clip(value - cell(&a, start + i))
    elif line.operation == O_SPAN_RATIO:
        for i in range(count):
            row = start + i
            out[i] = clip(ratio(span(&a, row, number, end), span(&b, row, number, end)))
    elif line.operation == O_SPAN_QUOTIENT:
        for i in range(count):
            row = start + i
            out[i] = clip(share(span(&a, row, number, end), span(&b, row, number, end)))
    elif line.operation == O_PICK:
        at = <const int32_t*>b.at + start
        if a.wide:
            for i in range(count):
                out[i] = clip(cell(&a, at[i]))
        else:
            # Of a figure, which is capped.
            for i in range(count):
                out[i] = (<const int32_t*>a.at)[at[i]]
    elif line.operation == O_PLACE:
        c = columns[number]
        at = <const int32_t*>a.at + start
        for i in range(count):
            value = cell(&b, at[i])
            out[i] = clip(ratio(<int64_t>(start + i) - value, cell(&c, at[i]) - value))


# -- words in attributes

cdef struct Word:
    int32_t near
    int32_t far
    int32_t flag


cdef class Words:
    """A TokenTable as a table of hashes, a quarter full at most."""

    cdef uint32_t* slots
    cdef Word* words
    cdef uint32_t mask
    # What is in a slot where no word is; no word has this hash.
    cdef uint32_t empty
    cdef int flags

    def __cinit__(self, table):
        cdef const uint32_t[::1] hashes = np.ascontiguousarray(table.hashes)
        cdef const int32_t[::1] near = np.ascontiguousarray(table.near)
        cdef const int32_t[::1] far = np.ascontiguousarray(table.far)
        cdef const int32_t[::1] flag = np.ascontiguousarray(table.flag)
        cdef size_t room = 4
        cdef Py_ssize_t i, count = hashes.shape[0]
        cdef uint32_t slot
        self.flags = table.flags
        if not count == near.shape[0] == far.shape[0] == flag.shape[0]:
            raise ValueError("the table's columns differ in length")
        if self.flags > MAX_FLAGS:
            raise ValueError(f"more than {MAX_FLAGS} words with a feature")
        while room < 4 * <size_t>count:
            room *= 2
        self.slots = <uint32_t*>calloc(room, sizeof(uint32_t))
        self.words = <Word*>calloc(room, sizeof(Word))
        if self.slots == NULL or self.words == NULL:
            raise MemoryError
        self.mask = room - 1
        known = set(table.hashes.tolist())
        self.empty = next(i for i in range(count + 1) if i not in known)
        for slot in range(room):
            self.slots[slot] = self.empty
        for i in range(count):
            slot = find_word(self, hashes[i])
            if self.slots[slot] == self.empty:
                self.slots[slot] = hashes[i]
                self.words[slot] = Word(near[i], far[i], flag[i])

    def __dealloc__(self):
        free(self.slots)
        free(self.words)


cdef inline uint32_t find_word(Words w, uint32_t hash) noexcept nogil:
    """The slot of a word, or the empty one where it would be."""
    cdef uint32_t at = hash & w.mask
    while w.slots[at] != hash and w.slots[at] != w.empty:
        at = (at + 1) & w.mask
    return at

# -- facts of a page, as facts.py has them

cdef struct Element:
    int32_t parent
    int32_t tag
    int32_t depth
    int32_t first
    int32_t last
    int32_t up
    int32_t top
    # Its number among the containers, and that of its group of siblings; 0 is
    # the page's, and the group of those without blocks.
    int32_t box
    int32_t like
    uint32_t way
    uint32_t tags
    uint64_t mask


cdef struct Named:
    # What the words of an element tell, and those from the root to it.
    int64_t near
    int64_t far
    uint64_t flags
    int32_t near_low
    int32_t near_high
    int32_t far_low
    int32_t far_high


cdef struct Page:
    const int32_t* elements
    const int32_t* blocks
    const uint32_t* tokens
    size_t element_count
    size_t count
    size_t token_count
    # When to give up, by the clock, or 0.
    double end
    Memory memory
    # All columns by their numbers, and how many rows there are in each domain.
    Column[MAX_COLUMNS] column
    size_t[MAX_DOMAINS] rows
    Element* element
    Named* named
    # The elements that are containers; the first of these is the page.
    int32_t boxes
    int32_t* box_element
    int32_t likes
    # Tables of facts.
    int64_t* sums
    int64_t* box
    int64_t* copies
    int64_t* whole
    # For sorting.
    uint64_t* keys
    uint64_t* spare


cdef int open_page(
    Page* p,
    const int32_t[:, ::1] elements,
    const int32_t[:, ::1] blocks,
    const uint32_t[::1] tokens,
) except -1:
    """Point to a walk's tables, whose numbers are not trusted yet."""
    cdef int i
    memset(p, 0, sizeof(Page))
    if elements.shape[1] != ELEMENT_COLUMNS or blocks.shape[1] != BLOCK_COLUMNS:
        raise ValueError("a table has another number of columns")
    p.element_count, p.count = elements.shape[0], blocks.shape[0]
    p.token_count = tokens.shape[0]
    if p.element_count:
        p.elements = &elements[0, 0]
    if p.count:
        p.blocks = &blocks[0, 0]
    if p.token_count:
        p.tokens = &tokens[0]
    p.rows[D_] = p.count
    for i in range(BLOCK_COLUMNS):
        p.column[i] = Column(
            <const char*>(p.blocks + i), BLOCK_COLUMNS * sizeof(int32_t), False
        )
    return 0


cdef int64_t* open_table(Page* p, int later, int domain, size_t rows) noexcept nogil:
    """Room for the facts of a domain, row by row; NULL if there is none."""
    cdef const Table* table = &TABLES[later][domain]
    cdef int64_t* made
    cdef size_t step = table.width * sizeof(int64_t)
    cdef int i
    made = <int64_t*>room_for(&p.memory, rows, step)
    p.rows[domain] = rows
    for i in range(table.width):
        p.column[table.first + i] = Column(
            <const char*>(made + i), 0 if domain == D_PAGE else step, True
        )
    return made


cdef int32_t* open_columns(Page* p, int first, int width) noexcept nogil:
    """Room for facts of blocks that fit 32 bits, column by column; NULL for none."""
    cdef int32_t* made
    cdef int i
    made = <int32_t*>room_for(&p.memory, p.count, width * sizeof(int32_t))
    for i in range(width):
        p.column[first + i] = Column(
            <const char*>(made + i * p.count), sizeof(int32_t), False
        )
    return made


cdef inline int32_t* fact(Page* p, int number) noexcept nogil:
    """The column of one of the blocks' facts."""
    return <int32_t*>p.column[BLOCK_COLUMNS + number].at


# -- groups


cdef uint64_t* sort_keys(uint64_t* keys, uint64_t* spare, size_t count) noexcept nogil:
    """Sort by the upper 32 bits, byte by byte, so that no keys are slow to sort."""
    cdef uint32_t[256] starts
    cdef uint32_t start, size
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
    return keys


cdef int32_t group(Page* p, size_t count, int32_t* of) noexcept nogil:
    """Number the groups of equal keys, and say how many there are.

    The lower 32 bits of each key are its entry.
    """
    cdef uint64_t* found = sort_keys(p.keys, p.spare, count)
    cdef int32_t last = NONE
    cdef size_t i
    for i in range(count):
        last += i == 0 or found[i] >> 32 != found[i - 1] >> 32
        of[<uint32_t>found[i]] = last
    return last + 1


cdef bint is_sound(const Page* p) noexcept nogil:
    """Whether every number that points into a table or is summed up may do so."""
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


cdef int read_page(Page* p, Words words) noexcept nogil:
    """Gather what the first round needs of a page as a whole."""
    if not is_sound(p):
        return NOT_SOUND
    cdef Memory* memory = &p.memory
    cdef size_t n = p.count
    cdef size_t most = n if n > p.element_count else p.element_count
    p.element = <Element*>room_for(memory, p.element_count, sizeof(Element))
    p.named = <Named*>room_for(memory, p.element_count, sizeof(Named))
    p.box_element = <int32_t*>room_for(memory, p.element_count, sizeof(int32_t))
    p.keys = <uint64_t*>room_for(memory, most, sizeof(uint64_t))
    p.spare = <uint64_t*>room_for(memory, most, sizeof(uint64_t))
    open_columns(p, BLOCK_COLUMNS, FACT_WIDTH)
    p.sums = open_table(p, 0, D_SUM, n + 1)
    p.whole = open_table(p, 0, D_PAGE, 1)
    if memory.failed:
        return NO_MEMORY
    p.column[WORDS_BEFORE] = p.column[TABLES[0][D_SUM].first + S_W]
    read_elements(p)
    read_tokens(p, words)
    if is_late(p):
        return TIME_IS_UP
    read_blocks(p)
    read_distances(p)
    read_names(p)
    if is_late(p):
        return TIME_IS_UP
    if read_likes(p) or read_boxes(p):
        return NO_MEMORY
    read_containers(p)
    if is_late(p):
        return TIME_IS_UP
    return read_alike(p)


cdef inline bint is_late(const Page* p) noexcept nogil:
    return p.end != 0 and eatext_clock() > p.end


cdef void read_elements(Page* p) noexcept nogil:
    """What comes down from ancestors; parents stand before their children."""
    cdef const int32_t* from_ = p.elements
    cdef Element* e = p.element
    cdef const Element* parent
    cdef uint32_t name, way, same_tags
    cdef size_t i
    for i in range(p.element_count):
        e.parent, e.tag, e.depth = from_[ELEMENT_PARENT], from_[ELEMENT_TAG], from_[ELEMENT_DEPTH]
        e.first, e.last = from_[ELEMENT_FIRST_BLOCK], from_[ELEMENT_LAST_BLOCK]
        e.up, e.top = NONE, <int32_t>i
        e.mask = TAG_BITS[e.tag]
        p.whole[P_TAG_GROUPS] |= e.mask
        p.whole[P_ARTICLES] += e.mask >> BIT_ARTICLE & 1
        name = p.tokens[from_[ELEMENT_FIRST_TOKEN]] if from_[ELEMENT_TOKENS] > 0 else 0
        way = same_tags = 17
        if e.parent >= 0:
            parent = p.element + e.parent
            e.mask |= parent.mask
            way, same_tags = parent.way, parent.tags
            if parent.last - parent.first > e.last - e.first:
                e.up = e.parent
                if p.element[e.up].box == 0:
                    p.boxes += 1
                    p.element[e.up].box = p.boxes
                    p.box_element[p.boxes] = e.up
            else:
                e.up, e.top = parent.up, parent.top
        e.way = (way * <uint32_t>31 + <uint32_t>e.tag + 1) * <uint32_t>0x01000193 ^ name
        e.tags = (same_tags * <uint32_t>31 + <uint32_t>e.tag + 1) * <uint32_t>0x01000193
        if e.last > e.first:
            p.keys[p.likes] = <uint64_t>(
                <uint32_t>(e.parent + 1) * <uint32_t>0x9E3779B1
                ^ <uint32_t>e.tag * <uint32_t>0x85EBCA6B
                ^ name
            ) << 32 | i
            p.likes += 1
        from_ += ELEMENT_COLUMNS
        e += 1
    p.whole[P_ELEMENTS] = p.element_count


cdef void read_tokens(Page* p, Words words) noexcept nogil:
    cdef const int32_t* from_ = p.elements
    cdef Named* named = p.named
    cdef const Named* parent
    cdef const Word* word
    cdef uint32_t slot
    cdef int32_t weight
    cdef size_t i
    cdef int k
    for i in range(p.element_count):
        if from_[ELEMENT_PARENT] >= 0:
            parent = p.named + from_[ELEMENT_PARENT]
            named.far = parent.far
            named.far_low = parent.far_low
            named.far_high = parent.far_high
            named.flags = parent.flags
        for k in range(from_[ELEMENT_TOKENS]):
            slot = find_word(words, p.tokens[from_[ELEMENT_FIRST_TOKEN] + k])
            if words.slots[slot] == words.empty:
                continue
            word = words.words + slot
            weight = word.near
            named.near += weight
            named.near_low = min(named.near_low, weight)
            named.near_high = max(named.near_high, weight)
            weight = word.far
            named.far += weight
            named.far_low = min(named.far_low, weight)
            named.far_high = max(named.far_high, weight)
            if word.flag >= 0:
                named.flags |= <uint64_t>1 << word.flag
        from_ += ELEMENT_COLUMNS
        named += 1


cdef inline int64_t weigh(const int32_t* block) noexcept nogil:
    return <int64_t>block[BLOCK_WORDS] + block[BLOCK_WIDE] // 2


cdef void read_blocks(Page* p) noexcept nogil:
    """What the blocks are themselves, and the sums over all before each."""
    cdef const int32_t* b = p.blocks
    cdef int64_t* sums = p.sums
    cdef int64_t* whole = p.whole
    cdef int32_t* place = fact(p, F_PLACE)
    cdef int32_t* words = fact(p, F_W)
    cdef int32_t* depth = fact(p, F_DEPTH)
    cdef int32_t* around = fact(p, F_AROUND)
    cdef int32_t* own = fact(p, F_OWN)
    cdef const Element* e
    cdef uint64_t inner, mask
    cdef int64_t w
    cdef size_t i
    cdef int j
    for i in range(p.count):
        w = weigh(b)
        e = p.element + b[BLOCK_ELEMENT]
        inner = TAG_BITS[p.element[b[BLOCK_INNER]].tag]
        mask = e.mask | inner
        place[i] = <int32_t>i
        words[i] = clip(w)
        depth[i] = e.depth
        around[i] = <int32_t>(mask & ANCESTORS)
        mask = TAG_BITS[e.tag]
        own[i] = <int32_t>(
            (mask >> BIT_DIV & 1)
            | (mask >> BIT_P & 1) << 1
            | (inner >> BIT_SPAN & 1) << 2
            | <uint64_t>(b[BLOCK_ITEM] >= 0) << 3
            | <uint64_t>(b[BLOCK_ROW] >= 0) << 4
        )
        for j in range(SUM_WIDTH):
            sums[SUM_WIDTH + j] = sums[j] + (b[SUMMED[j]] if SUMMED[j] >= 0 else 0)
        sums += SUM_WIDTH
        sums[S_N] += 1
        sums[S_W] += w
        sums[S_HEADINGS] += b[BLOCK_KIND] == HEADING
        sums[S_LONG] += w if w >= LONG else 0
        sums[S_FLOWING] += w if b[BLOCK_KIND] == PARAGRAPH or b[BLOCK_KIND] == QUOTE else 0
        whole[P_WIDE] += b[BLOCK_WIDE]
        whole[P_LONGEST] = max(whole[P_LONGEST], w)
        whole[P_MAIN] += w if around[i] >> BIT_MAIN & 1 else 0
        whole[P_ARTICLE] += w if around[i] >> BIT_ARTICLE & 1 else 0
        b += BLOCK_COLUMNS
    memcpy(whole, sums, SUM_WIDTH * sizeof(int64_t))
    whole[P_LAST] = p.count - 1


cdef void distances(
    const int32_t* values, int32_t least, int32_t count, int32_t* since, int32_t* to
) noexcept nogil:
    """How far the nearest blocks with so much are, back and on, or FAR."""
    cdef int32_t last = NONE
    cdef int32_t i
    for i in range(count):
        last = i if values[i] >= least else last
        since[i] = i - last if last >= 0 else FAR
    last = NONE
    for i in range(count - 1, -1, -1):
        last = i if values[i] >= least else last
        to[i] = last - i if last >= 0 else FAR


cdef void read_distances(Page* p) noexcept nogil:
    """Where the last heading up to each block is, and the first title."""
    cdef const int32_t* b = p.blocks
    cdef int32_t* since = fact(p, F_SINCE_HEADING)
    cdef int32_t* level = fact(p, F_HEADING_LEVEL)
    cdef int32_t* behind = fact(p, F_FROM_TITLE)
    cdef int32_t heading = NONE, title = NONE
    cdef int32_t i, count = <int32_t>p.count
    for i in range(count):
        if b[i * <size_t>BLOCK_COLUMNS + BLOCK_KIND] == HEADING:
            heading = i
            if b[i * <size_t>BLOCK_COLUMNS + BLOCK_LEVEL] == 1:
                title = i if title < 0 else title
                p.whole[P_TITLES] += 1
        since[i] = i - heading if heading >= 0 else NONE
        if heading >= 0:
            level[i] = b[heading * <size_t>BLOCK_COLUMNS + BLOCK_LEVEL]
    for i in range(count):
        behind[i] = i - title if title >= 0 else -FAR
    distances(
        fact(p, F_W), LONGER, count, fact(p, F_SINCE_LONG), fact(p, F_TO_LONG)
    )


cdef void read_names(Page* p) noexcept nogil:
    """What the names of the elements around the blocks tell."""
    cdef int32_t* out = fact(p, F_NAMES_NEAR)
    cdef int32_t* flags = fact(p, F_FLAGS0)
    cdef size_t n = p.count
    cdef const Named* named
    cdef int64_t near, low, high, far, far_low, far_high
    cdef int32_t element
    cdef size_t i
    cdef int k
    for i in range(n):
        element = p.blocks[i * BLOCK_COLUMNS + BLOCK_INNER]
        flags[i] = <int32_t>p.named[element].flags
        flags[n + i] = <int32_t>(p.named[element].flags >> 32)
        near = low = high = far = far_low = far_high = 0
        for k in range(NEAR):
            if element < 0:
                break
            named = p.named + element
            near += named.near
            low, high = min(low, named.near_low), max(high, named.near_high)
            element = p.element[element].parent
        if element >= 0:
            named = p.named + element
            far, far_low, far_high = named.far, named.far_low, named.far_high
        out[i] = clip(near)
        out[n + i] = clip(far)
        out[2 * n + i] = clip(near + far)
        out[3 * n + i] = clip(low)
        out[4 * n + i] = clip(high)
        out[5 * n + i] = clip(far_low)
        out[6 * n + i] = clip(far_high)


cdef int read_likes(Page* p) noexcept nogil:
    """Siblings that look alike, whose text is taken together."""
    cdef int32_t* of
    cdef int64_t* like
    cdef int64_t* row
    cdef const int64_t* first
    cdef const int64_t* last
    cdef Element* e
    cdef int32_t* of_like = fact(p, F_OF_LIKE)
    cdef size_t i
    of = <int32_t*>room_for(&p.memory, p.element_count, sizeof(int32_t))
    if of == NULL:
        return NO_MEMORY
    p.likes = group(p, p.likes, of)
    # And one row for where there is no container any more.
    like = open_table(p, 0, D_LIKE, p.likes + 2)
    if like == NULL:
        return NO_MEMORY
    like[L_N] = 1
    for i in range(p.element_count):
        e = p.element + i
        if e.last == e.first:
            continue
        e.like = of[i] + 1
        row = like + e.like * <size_t>LIKE_WIDTH
        first = p.sums + e.first * <size_t>SUM_WIDTH
        last = p.sums + e.last * <size_t>SUM_WIDTH
        row[L_N] += 1
        row[L_W] += last[S_W] - first[S_W]
        row[L_CHARS] += last[S_CHARS] - first[S_CHARS]
        row[L_LINK_CHARS] += last[S_LINK_CHARS] - first[S_LINK_CHARS]
    memcpy(
        like + (p.likes + 1) * <size_t>LIKE_WIDTH,
        like + p.element[p.element[0].top].like * <size_t>LIKE_WIDTH,
        LIKE_WIDTH * sizeof(int64_t),
    )
    for i in range(p.count):
        of_like[i] = p.element[p.blocks[i * BLOCK_COLUMNS + BLOCK_ELEMENT]].like
    return DONE


cdef void sum_boxes(
    const Page* p, const int64_t* sums, int width, int64_t* out, int step
) noexcept nogil:
    """Sums over the blocks of each container, the page first."""
    cdef const int64_t* first
    cdef const int64_t* last
    cdef const Element* e
    cdef int32_t k
    cdef int j
    for k in range(p.boxes + 1):
        first, last = sums, sums + p.count * width
        if k:
            e = p.element + p.box_element[k]
            first = sums + e.first * <size_t>width
            last = sums + e.last * <size_t>width
        for j in range(width):
            out[j] = last[j] - first[j]
        out += step


cdef int read_boxes(Page* p) noexcept nogil:
    cdef int64_t* box
    cdef const Element* e
    cdef int32_t k
    p.box = box = open_table(p, 0, D_BOX, p.boxes + 1)
    if box == NULL:
        return NO_MEMORY
    sum_boxes(p, p.sums, SUM_WIDTH, box, BOX_WIDTH)
    box[X_LAST] = p.count
    for k in range(1, p.boxes + 1):
        e = p.element + p.box_element[k]
        box += BOX_WIDTH
        box[X_FIRST], box[X_LAST], box[X_DEPTH] = e.first, e.last, e.depth
    return DONE


cdef void read_containers(Page* p) noexcept nogil:
    """The elements around a block, each with more blocks than the one before."""
    cdef int32_t* of_box = fact(p, F_OF_BOX1)
    cdef int32_t* of_like = fact(p, F_OF_BOX1 + CONTAINERS)
    cdef int32_t* branches = fact(p, F_OF_BOX1 + 2 * CONTAINERS)
    cdef size_t n = p.count
    cdef int32_t inside, branch
    cdef size_t i, at
    cdef int k
    for i in range(n):
        inside = p.blocks[i * BLOCK_COLUMNS + BLOCK_ELEMENT]
        for k in range(CONTAINERS):
            at = k * n + i
            branch = p.element[inside if inside >= 0 else 0].top
            of_like[at] = p.element[branch].like if inside >= 0 else p.likes + 1
            branches[at] = TAG_CLASS[p.element[branch].tag]
            inside = p.element[inside].up if inside >= 0 else NONE
            of_box[at] = p.element[inside].box if inside >= 0 else 0


cdef int read_alike(Page* p) noexcept nogil:
    """Blocks with the same text, and blocks that stand alike on the page."""
    cdef const int32_t* b = p.blocks
    cdef int32_t* of = fact(p, F_OF_COPIES)
    cdef size_t i
    for i in range(p.count):
        p.keys[i] = <uint64_t><uint32_t>b[i * BLOCK_COLUMNS + BLOCK_HASH] << 32 | i
    p.copies = open_table(p, 0, D_COPIES, group(p, p.count, of))
    if p.copies == NULL:
        return NO_MEMORY
    for i in range(p.count):
        p.copies[of[i]] += 1
    for i in range(p.count):
        p.whole[P_COPIED] += p.copies[of[i]] > 1
        p.keys[i] = <uint64_t>p.element[b[i * BLOCK_COLUMNS + BLOCK_INNER]].way << 32 | i
    if read_group(p, D_WAY, fact(p, F_OF_WAY), p.whole + P_WAY_TOP):
        return NO_MEMORY
    for i in range(p.count):
        p.keys[i] = <uint64_t>p.element[b[i * BLOCK_COLUMNS + BLOCK_ELEMENT]].tags << 32 | i
    return read_group(p, D_TAGS, fact(p, F_OF_TAGS), p.whole + P_TAGS_TOP)


cdef int read_group(
    Page* p, int domain, int32_t* of, int64_t* whole
) noexcept nogil:
    """The blocks with equal keys; of the page the numbers of facts.MOST."""
    cdef const int32_t* b = p.blocks
    cdef const int32_t* copies = fact(p, F_OF_COPIES)
    cdef int32_t count = group(p, p.count, of)
    cdef int64_t* groups = open_table(p, 0, domain, count)
    cdef int64_t* g
    cdef int64_t* top = groups
    cdef int64_t w
    cdef size_t i
    cdef int32_t k
    if groups == NULL:
        return NO_MEMORY
    for i in range(p.count):
        g = groups + of[i] * <size_t>GROUP_WIDTH
        w = weigh(b)
        if g[G_N] == 0:
            g[G_FIRST] = i
        g[G_N] += 1
        g[G_W] += w
        g[G_CHARS] += b[BLOCK_CHARS]
        g[G_LINK_CHARS] += b[BLOCK_LINK_CHARS]
        g[G_COPIED] += p.copies[copies[i]] > 1
        g[G_LAST] = i + 1
        g[G_REACH] = i - g[G_FIRST]
        g[G_LONGEST] = max(g[G_LONGEST], w)
        b += BLOCK_COLUMNS
    g = groups
    for k in range(count):
        whole[P_WAY_MANY - P_WAY_TOP] += g[G_W] if g[G_N] >= 4 else 0
        # The first of the groups with the most words.
        if g[G_W] > top[G_W] or (g[G_W] == top[G_W] and g[G_FIRST] < top[G_FIRST]):
            top = g
        g += GROUP_WIDTH
    whole[0] = top[G_W]
    whole[P_WAY_TOP_N - P_WAY_TOP] = top[G_N]
    whole[P_WAY_GROUPS - P_WAY_TOP] = count
    return DONE

# -- the context, as context.py has it


cdef int read_likelihoods(Page* p, const int64_t* likelihood) noexcept nogil:
    """Gather what the second round needs of the likelihoods as a whole."""
    cdef const int32_t* words = fact(p, F_W)
    cdef size_t n = p.count
    cdef int32_t* columns
    cdef int64_t* sums
    cdef int64_t* box
    cdef int64_t* ranks
    cdef int64_t* whole
    cdef int64_t chance
    cdef size_t i
    columns = open_columns(p, LATER_FACTS, LATER_WIDTH)
    ranks = open_table(p, 1, D_, n)
    sums = open_table(p, 1, D_SUM, n + 1)
    box = open_table(p, 1, D_BOX, p.boxes + 1)
    whole = open_table(p, 1, D_PAGE, 1)
    if p.memory.failed:
        return NO_MEMORY
    p.column[EXPECTED_BEFORE] = p.column[TABLES[1][D_SUM].first + W_EXPECTED]
    for i in range(n):
        if not 0 <= likelihood[i] <= HIGHEST:
            return NOT_SOUND
        chance = CHANCE[likelihood[i]]
        columns[i] = <int32_t>likelihood[i]
        sums += WEIGHT_WIDTH
        sums[W_LIKELIHOOD] = sums[W_LIKELIHOOD - WEIGHT_WIDTH] + likelihood[i]
        sums[W_WEIGHT] = sums[W_WEIGHT - WEIGHT_WIDTH] + words[i]
        sums[W_EXPECTED] = sums[W_EXPECTED - WEIGHT_WIDTH] + chance * words[i]
        if chance >= LIKELY:
            whole[Q_LIKELY_WORDS] += words[i]
            whole[Q_LIKELY] += 1
        whole[Q_BEST] = max(whole[Q_BEST], likelihood[i])
        whole[Q_UNSURE] += min(chance, 1000 - chance) * words[i]
    memcpy(whole, sums, WEIGHT_WIDTH * sizeof(int64_t))
    whole[Q_THOUSAND] = 1000
    sums -= n * WEIGHT_WIDTH
    sum_boxes(p, sums, WEIGHT_WIDTH, box, WEIGHT_WIDTH)
    for i in range(n):
        ranks[i * RANK_WIDTH + R_EXPECTED_BEHIND] = (
            whole[W_EXPECTED] - sums[(i + 1) * WEIGHT_WIDTH + W_EXPECTED]
        )
    read_ranks(p, columns, ranks)
    read_runs(p, columns, LIKELY, columns + C_SINCE_LIKELY * n, whole + Q_FIRST_LIKELY)
    read_runs(p, columns, SURE, columns + C_SINCE_SURE * n, whole + Q_FIRST_SURE)
    if is_late(p):
        return TIME_IS_UP
    return read_means(p, columns, sums)


cdef void read_ranks(
    Page* p, int32_t* likelihood, int64_t* ranks
) noexcept nogil:
    """The blocks from the likeliest down; of equals the first one first."""
    cdef int32_t[MAX_CHANCES] starts
    # Nothing is being sorted at the moment.
    cdef int32_t* ranked = <int32_t*>p.spare
    cdef const int32_t* w = fact(p, F_W)
    cdef int64_t words = 0, expected = 0
    cdef int32_t start = 0, size, place
    cdef size_t i
    cdef int value
    memset(starts, 0, sizeof(starts))
    for i in range(p.count):
        starts[likelihood[i]] += 1
    for value in range(HIGHEST, -1, -1):
        size = starts[value]
        starts[value] = start
        start += size
    for i in range(p.count):
        ranked[starts[likelihood[i]]] = <int32_t>i
        starts[likelihood[i]] += 1
    for i in range(p.count):
        place = ranked[i]
        words += w[place]
        expected += <int64_t>CHANCE[likelihood[place]] * w[place]
        likelihood[C_RANK * p.count + place] = <int32_t>i
        ranks[place * <size_t>RANK_WIDTH + R_WORDS_TO_RANK] = words
        ranks[place * <size_t>RANK_WIDTH + R_EXPECTED_TO_RANK] = expected


cdef void read_runs(
    Page* p, const int32_t* likelihood, int32_t least, int32_t* since, int64_t* whole
) noexcept nogil:
    """How far the nearest blocks are that are so likely, and the outermost ones."""
    cdef int32_t* chance = <int32_t*>p.spare
    cdef size_t i
    for i in range(p.count):
        chance[i] = CHANCE[likelihood[i]]
    distances(chance, least, <int32_t>p.count, since, since + p.count)
    whole[0] = whole[1] = NONE
    for i in range(p.count):
        if since[i] == 0:
            whole[0] = i if whole[0] < 0 else whole[0]
            whole[1] = i


cdef int read_means(Page* p, int32_t* columns, const int64_t* sums) noexcept nogil:
    """Sums of the likelihoods of siblings that look alike, and of blocks."""
    cdef int64_t* like = open_table(p, 1, D_LIKE, p.likes + 2)
    cdef int64_t* kinds
    cdef int32_t* of = columns + C_OF_KIND * p.count
    cdef const int64_t* first
    cdef const int64_t* last
    cdef const Element* e
    cdef size_t i
    if like == NULL:
        return NO_MEMORY
    for i in range(p.element_count):
        e = p.element + i
        if e.last > e.first:
            first = sums + e.first * <size_t>WEIGHT_WIDTH
            last = sums + e.last * <size_t>WEIGHT_WIDTH
            like[e.like * 2] += last[W_WEIGHT] - first[W_WEIGHT]
            like[e.like * 2 + 1] += last[W_EXPECTED] - first[W_EXPECTED]
    # So that there is no chance where there is no container any more.
    like[(p.likes + 1) * 2] = 1
    like[(p.likes + 1) * 2 + 1] = NONE
    for i in range(p.count):
        p.keys[i] = <uint64_t>p.blocks[i * BLOCK_COLUMNS + BLOCK_KIND] << 48 | i
        p.keys[i] |= <uint64_t>min(fact(p, F_DEPTH)[i], DEEPEST) << 32
    kinds = open_table(p, 1, D_KIND, group(p, p.count, of))
    if kinds == NULL:
        return NO_MEMORY
    for i in range(p.count):
        kinds[of[i] * 2] += columns[i]
        kinds[of[i] * 2 + 1] += 1
    return (
        sum_groups(p, D_COPIES, fact(p, F_OF_COPIES), columns)
        or sum_groups(p, D_WAY, fact(p, F_OF_WAY), columns)
        or sum_groups(p, D_TAGS, fact(p, F_OF_TAGS), columns)
    )


cdef int sum_groups(
    Page* p, int domain, const int32_t* of, const int32_t* likelihood
) noexcept nogil:
    """The sum of the likelihoods of the blocks that are alike."""
    cdef int64_t* sums = open_table(p, 1, domain, p.rows[domain])
    cdef size_t i
    if sums == NULL:
        return NO_MEMORY
    for i in range(p.count):
        sums[of[i]] += likelihood[i]
    return DONE


# -- rounds


cdef class Program:
    """Lines for one round: of the figures that are needed, and of features."""

    cdef int32_t[:, ::1] figures
    cdef int32_t[:, ::1] lines

    def __init__(self, figures, lines):
        self.figures, self.lines = figures, lines

    cdef int make_figures(self, Page* p) noexcept nogil:
        cdef const Line* line
        cdef Py_ssize_t i
        cdef size_t rows
        cdef int32_t* out
        for i in range(self.figures.shape[0]):
            line = <const Line*>&self.figures[i, 0]
            rows = p.rows[line.domain]
            out = <int32_t*>room_for(&p.memory, rows, sizeof(int32_t))
            if out == NULL:
                return NO_MEMORY
            evaluate(line, p.column, 0, rows, rows, out)
            p.column[line.column] = Column(
                <const char*>out, 0 if line.domain == D_PAGE else sizeof(int32_t), False
            )
        return DONE

    cdef void make_rows(
        self, const Page* p, size_t start, size_t count, int32_t* out
    ) noexcept nogil:
        """The features of a tile's blocks, a row of the tile each."""
        cdef const Line* line
        cdef Py_ssize_t i
        for i in range(self.lines.shape[0]):
            line = <const Line*>&self.lines[i, 0]
            # What is the same for all of the page is there since the first tile.
            if start == 0 or line.operation != O_COPY or p.column[line.a].step:
                evaluate(line, p.column, start, count, p.count, out + i * TILE)


# -- trees


cdef class Forest:
    """The numbers of a Trees, which has checked them, in the order they are asked for."""

    cdef int features
    cdef int trees
    cdef int depth
    cdef int classes
    cdef int64_t scale
    cdef int32_t[::1] borders
    cdef int32_t[::1] starts
    # The rows of features where they are asked about, a depth of them a tree.
    cdef int32_t[::1] feature
    cdef uint8_t[::1] bin
    # A table for each class, and so for each tree.
    cdef int16_t[::1] leaves
    cdef int32_t[::1] bias

    def __init__(self, trees):
        self.features, self.classes = len(trees.names), len(trees.bias)
        self.trees, self.depth = trees.feature.shape
        self.scale = trees.scale
        self.borders = _padded(trees.borders, np.int32)
        self.starts = _padded(trees.starts, np.int32)
        self.feature = _padded(trees.feature, np.int32)
        self.bin = _padded(trees.bin, np.uint8)
        self.leaves = _padded(trees.leaves.transpose(1, 0, 2), np.int16)
        self.bias = _padded(trees.bias, np.int32)

    cdef void count_bins(
        self,
        const int32_t* rows,
        const int32_t* places,
        int first,
        int end,
        int width,
        uint8_t* bins,
    ) noexcept nogil:
        """Turn the values of a tile's rows from one on to another into bins.

        ``places`` are the rows of the features, if not their own numbers.
        """
        cdef int i, start, place
        for i in range(self.features):
            place = places[i] if places != NULL else i
            if first <= place < end:
                start = self.starts[i]
                count_borders(
                    rows + <size_t>place * TILE,
                    width,
                    &self.borders[start],
                    self.starts[i + 1] - start,
                    bins + <size_t>i * TILE,
                )

    cdef void add(self, const uint8_t* bins, int width, int32_t* sums) noexcept nogil:
        """The trees' sums of a tile's blocks, a row a class."""
        cdef uint8_t[TILE] place
        cdef const int16_t* leaves = &self.leaves[0]
        cdef const int32_t* feature = &self.feature[0]
        cdef const uint8_t* bin = &self.bin[0]
        cdef int tree, k
        memset(sums, 0, <size_t>self.classes * TILE * sizeof(int32_t))
        for tree in range(self.trees):
            find_places(bins, width, self.depth, feature, bin, place)
            for k in range(self.classes):
                add_leaves(leaves, self.depth, place, width, sums + k * TILE)
                leaves += 1 << self.depth
            feature += self.depth
            bin += self.depth

    cdef void likelihoods(
        self, const uint8_t* bins, int width, int32_t* sums, int64_t* out, int count
    ) noexcept nogil:
        """The first class's sums as likelihoods."""
        cdef int64_t value
        cdef int i
        self.add(bins, width, sums)
        for i in range(count):
            value = <int64_t>sums[i] + self.bias[0]
            value = quotient(value * 100, self.scale)
            out[i] = min(max(value, -ZERO), HIGHEST - ZERO) + ZERO

    def sums(self, const int32_t[:, :] matrix):
        """The answers for each block, as Trees.sums()."""
        cdef int count = <int>matrix.shape[1]
        cdef int start, width, i, k
        cdef Memory memory
        cdef int32_t* values
        cdef int32_t* found
        cdef uint8_t* bins
        cdef int64_t[:, ::1] out
        made = np.zeros((self.classes, count), dtype=np.int64)
        out = made
        memset(&memory, 0, sizeof(Memory))
        values = <int32_t*>room_for(&memory, self.features, TILE * sizeof(int32_t))
        found = <int32_t*>room_for(&memory, self.classes, TILE * sizeof(int32_t))
        bins = <uint8_t*>room_for(&memory, self.features, TILE)
        if not memory.failed:
            for start in range(0, count, TILE):
                width = min(TILE, count - start)
                for k in range(self.features):
                    for i in range(width):
                        values[k * TILE + i] = matrix[k, start + i]
                self.count_bins(values, NULL, 0, self.features, tile_width(width), bins)
                self.add(bins, tile_width(width), found)
                for k in range(self.classes):
                    for i in range(width):
                        out[k, start + i] = <int64_t>found[k * TILE + i] + self.bias[k]
        give_back(&memory)
        free(memory.kept)
        raise_for(NO_MEMORY if memory.failed else DONE)
        return made


def _padded(array, dtype):
    """A copy in one row, and so much more that there is something in it."""
    return np.append(np.ascontiguousarray(array).ravel(), np.zeros(64)).astype(dtype)


# -- all together


cdef inline int tile_width(size_t count) noexcept nogil:
    """How many blocks of so many are taken at once: all tiles are about as full."""
    cdef size_t tiles = (count + TILE - 1) // TILE
    cdef size_t width = (count + tiles - 1) // tiles if tiles else 0
    return <int>((width + LANES - 1) // LANES * LANES)


cdef int raise_for(int status) except -1:
    if status == NO_MEMORY:
        raise MemoryError
    if status == TIME_IS_UP:
        raise TimeLimitError
    if status == NOT_SOUND:
        raise ValueError("the tables of the walk do not fit together")
    return 0


cdef class Tagger:
    """Two rounds: programs, forests, and which rows of all features these ask about."""

    cdef Words words
    cdef Program own
    cdef Program context
    cdef Forest first
    cdef Forest second
    cdef int32_t[::1] first_places
    cdef int32_t[::1] second_places
    # Kept from page to page; a thread that finds it taken gets its own.
    cdef char* kept
    cdef size_t room

    def __dealloc__(self):
        free(self.kept)

    def __init__(self, words, programs, forests, places):
        self.words = words
        self.own, self.context = programs
        self.first, self.second = forests
        self.first_places, self.second_places = (
            _padded(np.array(part, dtype=np.int32), np.int32) for part in places
        )

    def likelihoods(self, walk):
        """The likelihood of each of a page's blocks, after both rounds of trees.

        Raises TimeLimitError where the time for the page is up.
        """
        cdef Page page
        cdef int status
        cdef int64_t[::1] out
        made = np.zeros(len(walk.blocks), dtype=np.int64)
        if not len(made):
            return made
        out = made
        open_page(&page, walk.elements, walk.blocks, walk.tokens)
        page.end = eatext_clock() + remaining()
        page.memory.kept, page.memory.room = self.kept, self.room
        self.kept, self.room = NULL, 0
        with nogil:
            status = self.run(&page, &out[0])
            give_back(&page.memory)
        if page.memory.room > self.room:
            self.kept, page.memory.kept = page.memory.kept, self.kept
            self.room = page.memory.room
        free(page.memory.kept)
        raise_for(status)
        return made

    cdef int run(self, Page* p, int64_t* out) noexcept nogil:
        cdef int width = tile_width(p.count)
        cdef size_t tiles = (p.count + width - 1) // width
        cdef size_t room = <size_t>self.second.features * TILE
        cdef int first_rows = self.own.lines.shape[0]
        cdef int all_rows = first_rows + self.context.lines.shape[0]
        cdef int status, count
        cdef size_t most = min(tiles, most_bins // room) if room else 0
        cdef size_t i, start
        cdef int32_t* values
        cdef int32_t* sums
        cdef uint8_t* bins
        cdef uint8_t* second_bins
        cdef uint8_t* here
        status = read_page(p, self.words) or self.own.make_figures(p)
        if status:
            return status
        values = <int32_t*>room_for(&p.memory, all_rows, TILE * sizeof(int32_t))
        bins = <uint8_t*>room_for(&p.memory, self.first.features, TILE)
        # One more than that is what there is room for.
        second_bins = <uint8_t*>room_for(&p.memory, most, room)
        sums = <int32_t*>room_for(
            &p.memory,
            max(self.first.classes, self.second.classes),
            TILE * sizeof(int32_t),
        )
        if p.memory.failed:
            return NO_MEMORY
        for i in range(tiles):
            if is_late(p):
                return TIME_IS_UP
            start = i * width
            count = <int>min(p.count - start, <size_t>width)
            self.own.make_rows(p, start, count, values)
            self.first.count_bins(
                values, &self.first_places[0], 0, first_rows, width, bins
            )
            self.first.likelihoods(bins, width, sums, out + start, count)
            if i < most:
                here = second_bins + i * room
                self.second.count_bins(
                    values, &self.second_places[0], 0, first_rows, width, here
                )
        status = read_likelihoods(p, out) or self.context.make_figures(p)
        if status:
            return status
        for i in range(tiles):
            if is_late(p):
                return TIME_IS_UP
            start = i * width
            count = <int>min(p.count - start, <size_t>width)
            here = second_bins + min(i, most) * room
            if i >= most:
                self.own.make_rows(p, start, count, values)
                self.second.count_bins(
                    values, &self.second_places[0], 0, first_rows, width, here
                )
            self.context.make_rows(p, start, count, values + first_rows * TILE)
            self.second.count_bins(
                values, &self.second_places[0], first_rows, all_rows, width, here
            )
            self.second.likelihoods(here, width, sums, out + start, count)
        return DONE


def rows(walk, Words words, Program program, const int64_t[::1] likelihood=None):
    """The features of a program, a row each; those of the second round need likelihoods."""
    cdef Page page
    cdef int32_t[:, ::1] out, values
    cdef size_t start
    cdef int width, count, k
    made = np.zeros((program.lines.shape[0], len(walk.blocks)), dtype=np.int32)
    if not made.size:
        return made
    out, values = made, np.zeros((len(made), TILE), dtype=np.int32)
    open_page(&page, walk.elements, walk.blocks, walk.tokens)
    if likelihood is not None and likelihood.shape[0] != <Py_ssize_t>page.count:
        raise ValueError("as many likelihoods as blocks are needed")
    try:
        raise_for(read_page(&page, words))
        if likelihood is not None:
            raise_for(read_likelihoods(&page, &likelihood[0]))
        raise_for(program.make_figures(&page))
        width = tile_width(page.count)
        for start in range(0, page.count, width):
            count = <int>min(page.count - start, <size_t>width)
            program.make_rows(&page, start, count, &values[0, 0])
            for k in range(out.shape[0]):
                memcpy(&out[k, start], &values[k, 0], count * sizeof(int32_t))
    finally:
        give_back(&page.memory)
        free(page.memory.kept)
    return made


# -- the page as a whole, as whole.py has it

cpdef enum:
    V_ALL_ELEMENTS, V_BEST, V_UNSURE, V_UNDECIDED, V_EXPECTED, V_FIRST_PLACE, V_LAST_PLACE
    V_WIDTH

cpdef enum:
    # Of the page and of what is kept; behind these are sums of columns, and kinds.
    T_N, T_W, T_HITS, T_LONGEST, T_COUNTED


cdef class Whole:
    """What is known of a page as a whole, as whole.python_figures()."""

    cdef const int32_t[:, ::1] lines
    cdef const int64_t[::1] kinds
    cdef const int64_t[::1] tags
    cdef int least, most
    cdef Py_ssize_t width, part_width

    def __init__(self, lines, names, kinds, tags_, undecided):
        self.lines = lines
        self.kinds, self.tags = np.array(kinds, np.int64), np.array(tags_, np.int64)
        self.least, self.most = undecided
        self.width = len(names)
        self.part_width = T_COUNTED + BLOCK_HASH - BLOCK_KIND + len(kinds)
        part = ("n", "w", "hits", "longest", *BLOCK_NAMES[BLOCK_KIND:BLOCK_HASH])
        names = [name.rpartition(".")[2] for name in names]
        for start in (V_WIDTH, V_WIDTH + self.part_width):
            assert tuple(names[start : start + len(part)]) == part
        assert names[:V_WIDTH] == (
            "all_elements best unsure undecided expected first_place last_place".split()
        )

    def figures(
        self,
        const int32_t[:, ::1] elements,
        const int32_t[:, ::1] blocks,
        const int64_t[::1] likelihood,
        const int64_t[::1] w,
        const uint8_t[::1] kept,
        int64_t expected,
    ):
        cdef int64_t[::1] facts = np.zeros(self.width, dtype=np.int64)
        cdef int64_t[MAX_TAGS] tags
        cdef Column[MAX_COLUMNS] columns
        cdef int64_t* of
        cdef int64_t chance
        cdef int32_t figure
        cdef Py_ssize_t i, count = blocks.shape[0]
        cdef int part, j
        cdef int64_t[::1] out
        if (
            elements.shape[1] != ELEMENT_COLUMNS
            or blocks.shape[1] != BLOCK_COLUMNS
            or not likelihood.shape[0] == w.shape[0] == kept.shape[0] == count > 0
        ):
            raise ValueError("the tables of the page do not fit together")
        facts[V_ALL_ELEMENTS], facts[V_EXPECTED] = elements.shape[0], expected
        facts[V_FIRST_PLACE] = facts[V_LAST_PLACE] = NONE
        for i in range(count):
            if not 0 <= likelihood[i] <= HIGHEST:
                raise ValueError(f"no likelihood is {likelihood[i]}")
            chance = CHANCE[likelihood[i]]
            facts[V_BEST] = max(facts[V_BEST], likelihood[i])
            facts[V_UNSURE] += min(chance, 1000 - chance) * w[i]
            facts[V_UNDECIDED] += self.least < chance < self.most
            if kept[i]:
                facts[V_LAST_PLACE] = ratio(i, count)
                if facts[V_FIRST_PLACE] < 0:
                    facts[V_FIRST_PLACE] = facts[V_LAST_PLACE]
            # Of the whole page, and then of what is kept of it.
            for part in range(2 if kept[i] else 1):
                of = &facts[V_WIDTH + part * self.part_width]
                of[T_N] += 1
                of[T_W] += w[i]
                of[T_HITS] += chance * w[i]
                of[T_LONGEST] = max(of[T_LONGEST], w[i])
                of += T_COUNTED
                for j in range(BLOCK_KIND, BLOCK_HASH):
                    of[j - BLOCK_KIND] += blocks[i, j]
                of += BLOCK_HASH - BLOCK_KIND
                for j in range(self.kinds.shape[0]):
                    of[j] += blocks[i, BLOCK_KIND] == self.kinds[j]
        memset(tags, 0, sizeof(tags))
        for i in range(elements.shape[0]):
            tags[elements[i, ELEMENT_TAG] & (MAX_TAGS - 1)] += 1
        for i in range(self.tags.shape[0]):
            facts[V_WIDTH + 2 * self.part_width + i] = tags[self.tags[i]]
        for i in range(self.width):
            columns[i] = Column(<const char*>&facts[i], 0, True)
        made = np.empty(self.lines.shape[0], dtype=np.int64)
        out = made
        for i in range(self.lines.shape[0]):
            evaluate(<const Line*>&self.lines[i, 0], columns, 0, 1, 1, &figure)
            out[i] = figure
        return made
