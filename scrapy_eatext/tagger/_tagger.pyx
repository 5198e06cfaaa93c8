# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twin of features, context and trees, without the GIL.

Blocks are looked at a tile at a time, so that all figures of a tile, and what the
trees make of them, stay in a cache.  Functions are named and ordered as in the
Python modules.  Each row of features is asked for by name, in one order whatever
the page, see row(); one that no tree asks about is not written.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from scrapy_eatext.page.clock cimport eatext_clock

import numpy as np

from scrapy_eatext.deadline import TimeLimitError, remaining
from scrapy_eatext.page import tags
from scrapy_eatext.page.walk import BLOCK_COLUMNS, ELEMENT_COLUMNS
from scrapy_eatext.tagger import context, features

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

cdef enum:
    # Columns of the element table.
    PARENT
    TAG
    DEPTH
    FIRST_BLOCK
    LAST_BLOCK
    FIRST_TOKEN
    TOKENS
    PLACE
    ELEMENT_WIDTH

cdef enum:
    # Columns of the block table.
    START
    END
    ELEMENT
    INNER
    ITEM
    ROW
    KIND
    LEVEL
    CHARS
    WORDS
    WIDTH
    LINES
    LINK_CHARS
    LINKS
    STRONG_CHARS
    UPPER
    DIGITS
    ENDS
    COMMAS
    MARKS
    MONEY
    RIGHTS
    WIDE
    OTHER
    FIRST
    LAST
    IMAGES
    CONTROLS
    ELEMENTS
    HASH
    BLOCK_WIDTH

assert ELEMENT_COLUMNS == tuple(
    "parent tag depth first_block last_block first_token tokens place".split()
)
assert BLOCK_COLUMNS == tuple(
    "start end element inner item row kind level chars words width lines link_chars "
    "links strong_chars upper digits ends commas marks money rights wide other first "
    "last images controls elements hash".split()
)

cdef enum:
    MAX_TAGS = 256
    MAX_DEPTH = 8
    MAX_FLAGS = 64
    MAX_CHANCES = 2048
    MAX_SETS = 64
    NONE = -1

assert (features.NONE, len(tags.TAGS) <= MAX_TAGS) == (NONE, True)
assert context.HIGHEST < MAX_CHANCES

cdef int32_t CAP = features.CAP
cdef int32_t FAR = features.FAR
cdef int32_t LONG = features.LONG
cdef int32_t LONGER = features.LONGER
cdef int CONTAINERS = features.CONTAINERS
cdef int NEAR = features.NEAR
cdef int PARAGRAPH = tags.PARAGRAPH
cdef int HEADING = tags.HEADING
cdef int QUOTE = tags.QUOTE
cdef int TAG_COUNT = len(tags.TAGS)
cdef uint64_t[MAX_TAGS] TAG_BITS
cdef int32_t[MAX_TAGS] TAG_CLASS
cdef int32_t ZERO = context.ZERO
cdef int32_t HIGHEST = context.HIGHEST
cdef int32_t SURE = context.SURE
cdef int32_t LIKELY = context.LIKELY
cdef int CONTEXT_CONTAINERS = context.CONTAINERS
cdef int32_t[MAX_CHANCES] CHANCE


cdef enum:
    MAX_LIST = 64

ctypedef const char* Name

cdef struct List:
    # Names, each with a number: a column of a table, a bit, a radius.
    int count
    Name name[MAX_LIST]
    int[MAX_LIST] number


# The names stay alive here.
_NAMES = []


cdef int make_list(List* made, pairs) except -1:
    made.count = len(pairs)
    assert made.count <= MAX_LIST
    for i, (name, number) in enumerate(pairs):
        name = name.encode()
        _NAMES.append(name)
        made.name[i] = name
        made.number[i] = number
    return 0


def _columns(names):
    return [(name, BLOCK_COLUMNS.index(name)) for name in names.split()]


cdef List OWN, SHARES, INSIDE, PAGE_HAS, WINDOWS, RADII
make_list(
    &OWN,
    _columns(
        "kind level chars width lines links first last images controls elements ends "
        "commas digits"
    ),
)
make_list(
    &SHARES,
    _columns(
        "link_chars strong_chars upper digits ends commas marks money rights wide other"
    ),
)
make_list(&INSIDE, [(name, features._bit(name)) for name in features.ANCESTORS])
make_list(&PAGE_HAS, [(name, features._bit(name)) for name in features.PAGE_HAS])
make_list(&WINDOWS, [("", radius) for radius in features.WINDOWS])
make_list(&RADII, [("", radius) for radius in context.RADII])
cdef int BIT_DIV = features._bit("div")
cdef int BIT_P = features._bit("p")
cdef int BIT_SPAN = features._bit("span")
cdef int BIT_MAIN = features._bit("main")
cdef int BIT_ARTICLE = features._bit("article")
cdef int[6] NEIGHBOURS = [1, 2, 3, -1, -2, -3]
cdef int[8] AROUND = context.AROUND


cdef void fill_tables() except *:
    for i, (bits, tag_class) in enumerate(zip(features.TAG_BITS, features.TAG_CLASS)):
        TAG_BITS[i] = bits
        TAG_CLASS[i] = tag_class
    for i, chance in enumerate(context.CHANCE):
        CHANCE[i] = chance


fill_tables()

# -- numbers


cdef inline int32_t clip(int64_t value) noexcept nogil:
    return <int32_t>(-CAP if value < -CAP else CAP if value > CAP else value)


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


# -- memory

cdef enum Status:
    DONE = 0
    NO_MEMORY = -1
    NOT_SOUND = -2
    TIME_IS_UP = -3

cdef enum:
    MAX_PARTS = 64
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


# -- rows


cdef struct Rows:
    # Where each row is written, or NULL, and the number of the next one.
    int32_t** out
    int next
    # Instead the names of all are written here, when only these are asked for.
    char* names
    size_t used
    size_t room


cdef int32_t* row(
    Rows* rows, const char* begin, int number=NONE, const char* end=b""
) noexcept nogil:
    """Where the next row of a tile is written, or NULL if nobody asks for it.

    It has a name in up to three parts.
    """
    rows.next += 1
    if rows.names == NULL:
        return rows.out[rows.next - 1]
    cdef char* at = rows.names + rows.used
    cdef size_t room = rows.room - rows.used
    cdef int size
    if number == NONE:
        size = snprintf(at, room, b"%s%s ", begin, end)
    else:
        size = snprintf(at, room, b"%s%d%s ", begin, number, end)
    if size > 0 and <size_t>size < room:
        rows.used += size
    else:
        rows.room = rows.used
    return NULL


cdef inline void fill(int32_t* out, int64_t value) noexcept nogil:
    """A row of one value on all of the page, which is written once."""
    cdef int i
    if out != NULL:
        for i in range(TILE):
            out[i] = clip(value)


cdef inline void copy(
    int32_t* out, const int32_t* values, int step, int count
) noexcept nogil:
    cdef int i
    if out != NULL:
        for i in range(count):
            out[i] = clip(values[i * step])


cdef inline void pick(
    int32_t* out, const int32_t* values, int step, const int32_t* index, int count
) noexcept nogil:
    """Copy the values that the blocks' numbers point to."""
    cdef int i
    if out != NULL:
        for i in range(count):
            out[i] = values[<size_t>index[i] * step]


cdef inline void test_bit(
    int32_t* out, const uint64_t* masks, int bit, int count
) noexcept nogil:
    cdef int i
    if out != NULL:
        for i in range(count):
            out[i] = masks[i] >> bit & 1


# -- groups

cdef struct Groups:
    # The group of each entry, each group's size, and how many there are.
    int32_t* of
    int32_t* size
    int32_t count


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


cdef void group(
    Groups* groups, uint64_t* keys, uint64_t* spare, size_t count
) noexcept nogil:
    """Number the groups of equal keys; the lower 32 bits of each are its entry."""
    cdef uint64_t* found = sort_keys(keys, spare, count)
    cdef int32_t last = NONE
    cdef size_t i
    for i in range(count):
        if i == 0 or found[i] >> 32 != found[i - 1] >> 32:
            last += 1
        groups.size[last] += 1
        groups.of[<uint32_t>found[i]] = last
    groups.count = last + 1


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


# -- features: what the first trees see

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


cdef struct Totals:
    # Sums over the blocks before one.
    int64_t w
    int64_t chars
    int64_t link
    int64_t ends
    int64_t links
    int64_t heads
    int64_t images
    int64_t controls
    int64_t money
    int64_t long_
    int64_t flowing


cdef struct Expected:
    # Likewise, of the likelihoods.
    int64_t logits
    int64_t weights
    int64_t expected


cdef struct Outermost:
    # Of likely or of sure blocks the first and the last, and how far the nearest are.
    int32_t first
    int32_t last
    int32_t* since
    int32_t* to


cdef List BOX
make_list(
    &BOX,
    [
        (f"_{name}", 0)
        for name in (
            "n w density mean share ends long links heads flowing images money controls "
            "depth start"
        ).split()
    ],
)
cdef List LIKE
make_list(&LIKE, [("_likes", 0), ("_like_mean", 0), ("_like_density", 0)])
cdef List GROUP
make_list(
    &GROUP,
    [
        (name, 0)
        for name in "n mean share density copied spread start longest".split()
    ],
)
cdef enum:
    # As many as the lists above have.
    BOX_WIDTH = 15
    LIKE_WIDTH = 3
    GROUP_WIDTH = 8
    CONTEXT_WIDTH = 3

assert (BOX.count, LIKE.count, GROUP.count) == (BOX_WIDTH, LIKE_WIDTH, GROUP_WIDTH)


cdef struct GroupSums:
    # The place of the first, and that behind the last.
    int64_t first
    int64_t last
    int64_t words
    int64_t chars
    int64_t links
    int64_t copied
    int64_t longest


cdef struct Alike:
    # Blocks that are alike in one way, and what there is to say of the groups.
    Groups groups
    int32_t* figures
    GroupSums* sums
    # The group with the most words, and the words in groups of some size.
    int32_t top
    int64_t many


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
    int flags
    # Of each element, and of each container; the first of these is the page.
    Element* element
    Named* named
    int32_t boxes
    int32_t* box_element
    int32_t* box
    # Of each group of siblings.
    int32_t likes
    int32_t* like
    # Of each block, and one more for the sums.
    Totals* before
    int64_t* w
    int32_t* words
    int32_t* density
    int32_t* depth
    int32_t* heading
    int32_t* since_long
    int32_t* to_long
    Groups copies
    Alike ways
    Alike tags
    # Of the page.
    uint64_t has
    int64_t articles
    int32_t title
    int64_t titles
    # What the context needs besides.
    int32_t* likelihood
    Expected* expected
    int32_t* rank
    int64_t* words_to_rank
    int64_t* expected_to_rank
    Outermost[2] outermost
    int32_t* box_context
    int32_t* like_chance
    int32_t* group_mean[4]
    Groups kinds
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
    memset(p, 0, sizeof(Page))
    if elements.shape[1] != ELEMENT_WIDTH or blocks.shape[1] != BLOCK_WIDTH:
        raise ValueError("a table has another number of columns")
    p.element_count, p.count = elements.shape[0], blocks.shape[0]
    p.token_count = tokens.shape[0]
    if p.element_count:
        p.elements = &elements[0, 0]
    if p.count:
        p.blocks = &blocks[0, 0]
    if p.token_count:
        p.tokens = &tokens[0]
    return 0


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
            NONE <= e[PARENT] < <int32_t>i
            and 0 <= e[TAG] < TAG_COUNT
            and 0 <= e[DEPTH]
            and 0 <= e[FIRST_BLOCK] <= e[LAST_BLOCK] <= count
            and 0 <= e[FIRST_TOKEN]
            and 0 <= e[TOKENS]
            and <size_t>e[FIRST_TOKEN] + <size_t>e[TOKENS] <= p.token_count
        ):
            return False
        e += ELEMENT_WIDTH
    for i in range(p.count):
        below = b[ELEMENT] | b[INNER]
        for column in range(KIND, HASH):
            below |= b[column]
        if (
            below < 0
            or <size_t>b[ELEMENT] >= p.element_count
            or <size_t>b[INNER] >= p.element_count
            or b[KIND] >> 15
        ):
            return False
        b += BLOCK_WIDTH
    return True


cdef int read_page(Page* p, Words words) noexcept nogil:
    """Gather what the features need of a page as a whole."""
    if not is_sound(p):
        return NOT_SOUND
    cdef Memory* memory = &p.memory
    cdef size_t n = p.count
    cdef size_t most = n if n > p.element_count else p.element_count
    p.element = <Element*>room_for(memory, p.element_count, sizeof(Element))
    p.named = <Named*>room_for(memory, p.element_count, sizeof(Named))
    p.box_element = <int32_t*>room_for(memory, p.element_count, sizeof(int32_t))
    p.before = <Totals*>room_for(memory, n, sizeof(Totals))
    p.w = <int64_t*>room_for(memory, n, sizeof(int64_t))
    p.words = <int32_t*>room_for(memory, n, sizeof(int32_t))
    p.density = <int32_t*>room_for(memory, n, sizeof(int32_t))
    p.depth = <int32_t*>room_for(memory, n, sizeof(int32_t))
    p.heading = <int32_t*>room_for(memory, n, sizeof(int32_t))
    p.since_long = <int32_t*>room_for(memory, n, sizeof(int32_t))
    p.to_long = <int32_t*>room_for(memory, n, sizeof(int32_t))
    p.keys = <uint64_t*>room_for(memory, most, sizeof(uint64_t))
    p.spare = <uint64_t*>room_for(memory, most, sizeof(uint64_t))
    if memory.failed:
        return NO_MEMORY
    read_elements(p)
    read_tokens(p, words)
    if is_late(p):
        return TIME_IS_UP
    read_blocks(p)
    read_distances(p)
    if is_late(p):
        return TIME_IS_UP
    if read_likes(p) or read_boxes(p):
        return NO_MEMORY
    if is_late(p):
        return TIME_IS_UP
    if read_alike(p):
        return NO_MEMORY
    return DONE


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
        e.parent, e.tag, e.depth = from_[PARENT], from_[TAG], from_[DEPTH]
        e.first, e.last = from_[FIRST_BLOCK], from_[LAST_BLOCK]
        e.up, e.top = NONE, <int32_t>i
        e.mask = TAG_BITS[e.tag]
        p.has |= e.mask
        p.articles += e.mask >> BIT_ARTICLE & 1
        name = p.tokens[from_[FIRST_TOKEN]] if from_[TOKENS] > 0 else 0
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
        from_ += ELEMENT_WIDTH
        e += 1


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
        if from_[PARENT] >= 0:
            parent = p.named + from_[PARENT]
            named.far = parent.far
            named.far_low = parent.far_low
            named.far_high = parent.far_high
            named.flags = parent.flags
        for k in range(from_[TOKENS]):
            slot = find_word(words, p.tokens[from_[FIRST_TOKEN] + k])
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
        from_ += ELEMENT_WIDTH
        named += 1


cdef void read_blocks(Page* p) noexcept nogil:
    """The blocks' words, and the sums of all that is summed up over runs of them."""
    cdef const int32_t* b = p.blocks
    cdef Totals* sums = p.before
    cdef int32_t kind
    cdef int64_t w
    cdef size_t i
    for i in range(p.count):
        kind = b[KIND]
        w = <int64_t>b[WORDS] + b[WIDE] // 2
        p.w[i] = w
        p.words[i] = clip(w)
        p.density[i] = clip(ratio(b[LINK_CHARS], b[CHARS]))
        p.depth[i] = p.element[b[ELEMENT]].depth
        sums[1] = sums[0]
        sums += 1
        sums.w += w
        sums.chars += b[CHARS]
        sums.link += b[LINK_CHARS]
        sums.ends += b[ENDS]
        sums.links += b[LINKS]
        sums.heads += kind == HEADING
        sums.images += b[IMAGES]
        sums.controls += b[CONTROLS]
        sums.money += b[MONEY]
        sums.long_ += w if w >= LONG else 0
        sums.flowing += w if kind == PARAGRAPH or kind == QUOTE else 0
        b += BLOCK_WIDTH


cdef void read_distances(Page* p) noexcept nogil:
    """The last heading up to each block, and how far the nearest long ones are."""
    cdef const int32_t* b = p.blocks
    cdef int32_t heading = NONE, last = NONE
    cdef int32_t i, count = <int32_t>p.count
    p.title = NONE
    for i in range(count):
        if b[KIND] == HEADING:
            heading = i
            if b[LEVEL] == 1:
                if p.titles == 0:
                    p.title = i
                p.titles += 1
        p.heading[i] = heading
        if p.w[i] >= LONGER:
            last = i
        p.since_long[i] = i - last if last >= 0 else FAR
        b += BLOCK_WIDTH
    last = NONE
    for i in range(count - 1, -1, -1):
        if p.w[i] >= LONGER:
            last = i
        p.to_long[i] = last - i if last >= 0 else FAR


cdef int read_likes(Page* p) noexcept nogil:
    """Siblings that look alike, whose text is taken together."""
    cdef Groups groups
    cdef Totals* sums
    cdef const Totals* first
    cdef const Totals* last
    cdef Element* e
    cdef size_t i
    cdef int32_t k
    groups.of = <int32_t*>room_for(&p.memory, p.element_count, sizeof(int32_t))
    groups.size = <int32_t*>room_for(&p.memory, p.likes, sizeof(int32_t))
    sums = <Totals*>room_for(&p.memory, p.likes, sizeof(Totals))
    p.like = <int32_t*>room_for(&p.memory, p.likes, LIKE_WIDTH * sizeof(int32_t))
    if p.memory.failed:
        return NO_MEMORY
    group(&groups, p.keys, p.spare, p.likes)
    p.likes = groups.count
    for i in range(p.element_count):
        e = p.element + i
        if e.last == e.first:
            continue
        e.like = k = groups.of[i] + 1
        first, last = p.before + e.first, p.before + e.last
        sums[k].w += last.w - first.w
        sums[k].chars += last.chars - first.chars
        sums[k].link += last.link - first.link
    p.like[0] = 1
    for k in range(1, p.likes + 1):
        p.like[k * LIKE_WIDTH] = clip(groups.size[k - 1])
        p.like[k * LIKE_WIDTH + 1] = clip(quotient(sums[k].w, groups.size[k - 1]))
        p.like[k * LIKE_WIDTH + 2] = clip(ratio(sums[k].link, sums[k].chars))
    return DONE


cdef int read_boxes(Page* p) noexcept nogil:
    """What there is to say of containers, the page first."""
    cdef const Totals* first
    cdef const Totals* last
    cdef const Element* e
    cdef int32_t* out
    cdef int64_t[BOX_WIDTH] of
    cdef int64_t n, w, whole = p.before[p.count].w
    cdef int32_t k
    cdef int i
    p.box = <int32_t*>room_for(&p.memory, p.boxes, BOX_WIDTH * sizeof(int32_t))
    if p.box == NULL:
        return NO_MEMORY
    for k in range(p.boxes + 1):
        e = p.element + p.box_element[k]
        first, last = p.before, p.before + p.count
        n = p.count
        if k:
            first, last = p.before + e.first, p.before + e.last
            n = e.last - e.first
        w = last.w - first.w
        out = p.box + <size_t>k * BOX_WIDTH
        of = [
            n,
            w,
            ratio(last.link - first.link, last.chars - first.chars),
            ratio(w, n),
            ratio(w, whole),
            ratio(last.ends - first.ends, w),
            ratio(last.long_ - first.long_, w),
            ratio(last.links - first.links, n),
            ratio(last.heads - first.heads, n),
            ratio(last.flowing - first.flowing, w),
            ratio(last.images - first.images, n),
            last.money - first.money,
            last.controls - first.controls,
            e.depth if k else 0,
            ratio(e.first if k else 0, p.count),
        ]
        for i in range(BOX_WIDTH):
            out[i] = clip(of[i])
    return DONE


cdef int read_alike(Page* p) noexcept nogil:
    """Blocks with the same text, and blocks that stand alike on the page."""
    cdef const int32_t* b = p.blocks
    cdef size_t i
    p.copies.of = <int32_t*>room_for(&p.memory, p.count, sizeof(int32_t))
    p.copies.size = <int32_t*>room_for(&p.memory, p.count, sizeof(int32_t))
    if p.memory.failed:
        return NO_MEMORY
    for i in range(p.count):
        p.keys[i] = <uint64_t><uint32_t>b[i * BLOCK_WIDTH + HASH] << 32 | i
    group(&p.copies, p.keys, p.spare, p.count)
    for i in range(p.count):
        p.keys[i] = <uint64_t>p.element[b[i * BLOCK_WIDTH + INNER]].way << 32 | i
    if read_group(p, &p.ways):
        return NO_MEMORY
    for i in range(p.count):
        p.keys[i] = <uint64_t>p.element[b[i * BLOCK_WIDTH + ELEMENT]].tags << 32 | i
    return read_group(p, &p.tags)


cdef int read_group(Page* p, Alike* a) noexcept nogil:
    cdef const int32_t* b = p.blocks
    cdef int64_t whole = p.before[p.count].w
    cdef int64_t[GROUP_WIDTH] of
    cdef int32_t* out
    cdef int32_t size, k, top = 0
    cdef size_t i
    cdef int j
    a.groups.of = <int32_t*>room_for(&p.memory, p.count, sizeof(int32_t))
    a.groups.size = <int32_t*>room_for(&p.memory, p.count, sizeof(int32_t))
    if p.memory.failed:
        return NO_MEMORY
    group(&a.groups, p.keys, p.spare, p.count)
    size = a.groups.count
    a.figures = <int32_t*>room_for(&p.memory, size, GROUP_WIDTH * sizeof(int32_t))
    a.sums = <GroupSums*>room_for(&p.memory, size, sizeof(GroupSums))
    if p.memory.failed:
        return NO_MEMORY
    cdef GroupSums* g
    for i in range(p.count):
        k = a.groups.of[i]
        g = a.sums + k
        if g.last == 0:
            g.first = i
        # One more, so that 0 says that none was seen.
        g.last = i + 1
        g.words += p.w[i]
        g.chars += b[CHARS]
        g.links += b[LINK_CHARS]
        g.copied += p.copies.size[p.copies.of[i]] > 1
        g.longest = max(g.longest, p.w[i])
        b += BLOCK_WIDTH
    for k in range(size):
        g = a.sums + k
        out = a.figures + <size_t>k * GROUP_WIDTH
        of = [
            a.groups.size[k],
            quotient(g.words, a.groups.size[k]),
            ratio(g.words, whole),
            ratio(g.links, g.chars),
            ratio(g.copied, a.groups.size[k]),
            ratio(g.last - 1 - g.first, p.count),
            ratio(g.first, p.count),
            g.longest,
        ]
        for j in range(GROUP_WIDTH):
            out[j] = clip(of[j])
        if a.groups.size[k] >= 4:
            a.many += g.words
        # The first of the groups with the most words.
        if g.words > a.sums[top].words or (
            g.words == a.sums[top].words and g.first < a.sums[top].first
        ):
            top = k
    a.top = top
    return DONE


cdef void page_rows(Page* p, Rows* rows) noexcept nogil:
    """The rows that are the same for all blocks of a page, written once."""
    cdef const Totals* whole = p.before + p.count
    cdef int64_t w = whole.w, chars = whole.chars, count = p.count
    cdef int64_t wide = 0, longest = 0, copied = 0, in_main = 0, in_article = 0
    cdef const int32_t* b = p.blocks
    cdef uint64_t mask
    cdef size_t i
    cdef int k
    for i in range(p.count):
        wide += b[WIDE]
        longest = max(longest, p.w[i])
        copied += p.copies.size[p.copies.of[i]] > 1
        mask = p.element[b[ELEMENT]].mask | TAG_BITS[p.element[b[INNER]].tag]
        in_main += p.w[i] * <int64_t>(mask >> BIT_MAIN & 1)
        in_article += p.w[i] * <int64_t>(mask >> BIT_ARTICLE & 1)
        b += BLOCK_WIDTH
    fill(row(rows, b"titles"), p.titles)
    page_group(p, &p.ways, rows, b"page_way_")
    page_group(p, &p.tags, rows, b"page_tags_")
    fill(row(rows, b"page_n"), count)
    fill(row(rows, b"page_w"), w)
    fill(row(rows, b"page_density"), ratio(whole.link, chars))
    fill(row(rows, b"page_mean"), ratio(w, count))
    fill(row(rows, b"page_long"), ratio(whole.long_, w))
    fill(row(rows, b"page_ends"), ratio(whole.ends, w))
    fill(row(rows, b"page_heads"), ratio(whole.heads, count))
    fill(row(rows, b"page_images"), ratio(whole.images, count))
    fill(row(rows, b"page_money"), whole.money)
    fill(row(rows, b"page_controls"), whole.controls)
    fill(row(rows, b"page_flowing"), ratio(whole.flowing, w))
    fill(row(rows, b"page_elements"), ratio(p.element_count, count))
    fill(row(rows, b"page_wide"), ratio(wide, chars))
    fill(row(rows, b"page_longest"), longest)
    fill(row(rows, b"page_copied"), copied)
    fill(row(rows, b"page_articles"), p.articles)
    for k in range(PAGE_HAS.count):
        fill(
            row(rows, b"page_has_", NONE, PAGE_HAS.name[k]),
            p.has >> PAGE_HAS.number[k] & 1,
        )
    fill(row(rows, b"page_share_main"), ratio(in_main, w))
    fill(row(rows, b"page_share_article"), ratio(in_article, w))


cdef void page_group(
    const Page* p, const Alike* a, Rows* rows, const char* of
) noexcept nogil:
    cdef int64_t w = p.before[p.count].w
    cdef const GroupSums* top = a.sums + a.top
    cdef int64_t size = a.groups.size[a.top]
    fill(row(rows, of, NONE, b"top"), ratio(top.words, w))
    fill(row(rows, of, NONE, b"top_n"), size)
    fill(row(rows, of, NONE, b"top_mean"), quotient(top.words, size if size else 1))
    fill(row(rows, of, NONE, b"many"), ratio(a.many, w))
    fill(row(rows, of, NONE, b"groups"), ratio(a.groups.count, p.count))


cdef struct Tile:
    # Some blocks of a page that stand in a row, and what their rows share.
    size_t start
    int count
    int32_t[TILE] place
    int32_t[TILE] inside
    int32_t[TILE] branch
    int32_t[TILE] number
    uint64_t[TILE] mask


cdef void block_rows(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    """The first features of a tile's blocks."""
    own(p, t, rows)
    ancestry(p, t, rows)
    containers(p, t, rows)
    neighbours(p, t, rows)
    windows(p, t, rows)
    distances(p, t, rows)
    alike(p, t, rows)
    places(p, t, rows)
    token_rows(p, t, rows)


cdef void own(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef const int32_t* b = p.blocks + t.start * BLOCK_WIDTH
    cdef const int32_t* at
    cdef int32_t* out
    cdef int i, k, column
    for k in range(OWN.count):
        copy(row(rows, OWN.name[k]), b + OWN.number[k], BLOCK_WIDTH, t.count)
    copy(row(rows, b"w"), p.words + t.start, 1, t.count)
    for k in range(SHARES.count):
        out = row(rows, SHARES.name[k], NONE, b"_share")
        if out != NULL:
            column = SHARES.number[k]
            at = b
            for i in range(t.count):
                out[i] = clip(ratio(at[column], at[CHARS]))
                at += BLOCK_WIDTH
    out = row(rows, b"word_length")
    if out != NULL:
        at = b
        for i in range(t.count):
            out[i] = clip(ratio(at[CHARS], at[WORDS]))
            at += BLOCK_WIDTH
    out = row(rows, b"plain_chars")
    if out != NULL:
        at = b
        for i in range(t.count):
            out[i] = clip(<int64_t>at[CHARS] - at[LINK_CHARS])
            at += BLOCK_WIDTH
    out = row(rows, b"in_item")
    if out != NULL:
        for i in range(t.count):
            out[i] = b[i * BLOCK_WIDTH + ITEM] >= 0
    out = row(rows, b"in_row")
    if out != NULL:
        for i in range(t.count):
            out[i] = b[i * BLOCK_WIDTH + ROW] >= 0


cdef void ancestry(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef const int32_t* b = p.blocks + t.start * BLOCK_WIDTH
    cdef int i, k
    for i in range(t.count):
        t.mask[i] = (
            p.element[b[i * BLOCK_WIDTH + ELEMENT]].mask
            | TAG_BITS[p.element[b[i * BLOCK_WIDTH + INNER]].tag]
        )
    for k in range(INSIDE.count):
        test_bit(row(rows, b"in_", NONE, INSIDE.name[k]), t.mask, INSIDE.number[k], t.count)
    for i in range(t.count):
        t.mask[i] = TAG_BITS[p.element[b[i * BLOCK_WIDTH + ELEMENT]].tag]
    test_bit(row(rows, b"is_div"), t.mask, BIT_DIV, t.count)
    test_bit(row(rows, b"is_p"), t.mask, BIT_P, t.count)
    for i in range(t.count):
        t.mask[i] = TAG_BITS[p.element[b[i * BLOCK_WIDTH + INNER]].tag]
    test_bit(row(rows, b"is_span"), t.mask, BIT_SPAN, t.count)
    copy(row(rows, b"depth"), p.depth + t.start, 1, t.count)


cdef void enter_element(const Page* p, Tile* t) noexcept nogil:
    """Begin at the block-level elements around the blocks, to climb() from there."""
    cdef const int32_t* b = p.blocks + t.start * BLOCK_WIDTH
    cdef int i
    for i in range(t.count):
        t.inside[i] = b[i * BLOCK_WIDTH + ELEMENT]


cdef void climb(const Page* p, Tile* t) noexcept nogil:
    """Go to the next containers; branches and containers' numbers are left."""
    cdef int32_t inside
    cdef int i
    for i in range(t.count):
        inside = t.inside[i]
        t.branch[i] = p.element[inside if inside >= 0 else 0].top
        if inside >= 0:
            inside = p.element[inside].up
        t.inside[i] = inside
        t.number[i] = p.element[inside].box if inside >= 0 else 0


cdef void containers(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    """The elements around a block, each with more blocks than the one before."""
    cdef int32_t[TILE] like
    cdef const Element* e
    cdef int32_t* out
    cdef int i, j, k
    enter_element(p, t)
    for i in range(t.count):
        like[i] = p.element[t.inside[i]].like
    pick(row(rows, b"likes"), p.like, LIKE_WIDTH, like, t.count)
    for k in range(1, CONTAINERS + 1):
        climb(p, t)
        for j in range(BOX.count):
            pick(row(rows, b"c", k, BOX.name[j]), p.box + j, BOX_WIDTH, t.number, t.count)
        out = row(rows, b"c", k, b"_place")
        if out != NULL:
            for i in range(t.count):
                if t.inside[i] < 0:
                    out[i] = <int32_t>ratio(t.start + i, p.count)
                else:
                    e = p.element + t.inside[i]
                    out[i] = clip(
                        ratio(<int64_t>(t.start + i) - e.first, e.last - e.first)
                    )
        for i in range(t.count):
            like[i] = p.element[t.branch[i]].like
        for j in range(LIKE.count):
            pick(row(rows, b"c", k, LIKE.name[j]), p.like + j, LIKE_WIDTH, like, t.count)
        out = row(rows, b"c", k, b"_branch")
        if out != NULL:
            for i in range(t.count):
                out[i] = TAG_CLASS[p.element[t.branch[i]].tag]


cdef void shifted(
    int32_t* out, const int32_t* values, int step, const Page* p, const Tile* t, int by
) noexcept nogil:
    """The values of the blocks so many places before (or, below 0, behind)."""
    cdef int i
    cdef size_t place
    if out == NULL:
        return
    for i in range(t.count):
        # Before the first one it is a large number.
        place = t.start + i - by
        out[i] = clip(values[place * step]) if place < p.count else NONE


cdef void neighbours(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef const char* of
    cdef int32_t* out
    cdef int64_t depth
    cdef size_t place
    cdef int by, far, i, k
    for k in range(6):
        by = NEIGHBOURS[k]
        far = by if by > 0 else -by
        of = b"before" if by > 0 else b"behind"
        shifted(row(rows, of, far, b"_w"), p.words, 1, p, t, by)
        shifted(row(rows, of, far, b"_density"), p.density, 1, p, t, by)
        if far <= 2:
            shifted(row(rows, of, far, b"_kind"), p.blocks + KIND, BLOCK_WIDTH, p, t, by)
            shifted(row(rows, of, far, b"_ends"), p.blocks + ENDS, BLOCK_WIDTH, p, t, by)
            shifted(row(rows, of, far, b"_last"), p.blocks + LAST, BLOCK_WIDTH, p, t, by)
            out = row(rows, of, far, b"_depth")
            if out != NULL:
                for i in range(t.count):
                    place = t.start + i - by
                    depth = p.depth[place] if place < p.count else NONE
                    out[i] = clip(depth - p.depth[t.start + i])
        if far == 1:
            shifted(
                row(rows, of, far, b"_elements"),
                p.blocks + ELEMENTS,
                BLOCK_WIDTH,
                p,
                t,
                by,
            )
            shifted(
                row(rows, of, far, b"_level"), p.blocks + LEVEL, BLOCK_WIDTH, p, t, by
            )


cdef inline size_t window_first(const Page* p, size_t place, size_t radius) noexcept nogil:
    return place - radius if place > radius else 0


cdef inline size_t window_last(const Page* p, size_t place, size_t radius) noexcept nogil:
    return min(place + radius + 1, p.count)


cdef void windows(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef int32_t* mean
    cdef int32_t* density
    cdef int32_t* ends
    cdef int32_t* long_
    cdef const Totals* first
    cdef const Totals* last
    cdef int i, k, radius
    for k in range(WINDOWS.count):
        radius = WINDOWS.number[k]
        mean = row(rows, b"window", radius, b"_mean")
        density = row(rows, b"window", radius, b"_density")
        ends = row(rows, b"window", radius, b"_ends")
        long_ = row(rows, b"window", radius, b"_long")
        for i in range(t.count):
            first = p.before + window_first(p, t.start + i, radius)
            last = p.before + window_last(p, t.start + i, radius)
            if mean != NULL:
                mean[i] = clip(ratio(last.w - first.w, last - first))
            if density != NULL:
                density[i] = clip(ratio(last.link - first.link, last.chars - first.chars))
            if ends != NULL:
                ends[i] = clip(ratio(last.ends - first.ends, last.w - first.w))
            if long_ != NULL:
                long_[i] = clip(ratio(last.long_ - first.long_, last.w - first.w))


cdef void distances(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef const int32_t* last = p.heading + t.start
    cdef int32_t place = <int32_t>t.start
    cdef int32_t* out = row(rows, b"since_heading")
    cdef int i
    if out != NULL:
        for i in range(t.count):
            out[i] = clip(place + i - last[i]) if last[i] >= 0 else NONE
    out = row(rows, b"heading_level")
    if out != NULL:
        for i in range(t.count):
            out[i] = 0
            if last[i] >= 0:
                out[i] = clip(p.blocks[<size_t>last[i] * BLOCK_WIDTH + LEVEL])
    out = row(rows, b"from_title")
    if out != NULL:
        for i in range(t.count):
            out[i] = clip(place + i - p.title) if p.title >= 0 else -FAR
    copy(row(rows, b"since_long"), p.since_long + t.start, 1, t.count)
    copy(row(rows, b"to_long"), p.to_long + t.start, 1, t.count)


cdef void alike(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef int32_t* out = row(rows, b"copies")
    cdef const int32_t* of = p.copies.of + t.start
    cdef int i
    if out != NULL:
        for i in range(t.count):
            out[i] = clip(p.copies.size[of[i]])
    alike_in(&p.ways, t, rows, b"way_")
    alike_in(&p.tags, t, rows, b"tags_")


cdef void alike_in(
    const Alike* a, Tile* t, Rows* rows, const char* name
) noexcept nogil:
    cdef const int32_t* of = a.groups.of + t.start
    cdef const GroupSums* g
    cdef int32_t* out
    cdef int i, j
    for j in range(GROUP.count):
        pick(row(rows, name, NONE, GROUP.name[j]), a.figures + j, GROUP_WIDTH, of, t.count)
    out = row(rows, name, NONE, b"place")
    if out != NULL:
        for i in range(t.count):
            g = a.sums + of[i]
            out[i] = <int32_t>ratio(t.start + i - g.first, g.last - g.first)


cdef void places(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef int32_t* place = row(rows, b"place")
    cdef int32_t* left = row(rows, b"places_left")
    cdef int32_t* share = row(rows, b"place_share")
    cdef int32_t* words = row(rows, b"words_before")
    cdef int64_t w = p.before[p.count].w
    cdef size_t at
    cdef int i
    for i in range(t.count):
        at = t.start + i
        if place != NULL:
            place[i] = clip(at)
        if left != NULL:
            left[i] = clip(p.count - 1 - at)
        if share != NULL:
            share[i] = <int32_t>ratio(at, p.count)
        if words != NULL:
            words[i] = <int32_t>ratio(p.before[at].w, w)


cdef void token_rows(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    """What the names of the elements around the blocks tell."""
    cdef const int32_t* b = p.blocks + t.start * BLOCK_WIDTH
    cdef int32_t* out[7]
    cdef const Named* named
    cdef int64_t total, low, high, far, far_low, far_high
    cdef int32_t element
    cdef int i, k
    out[0] = row(rows, b"names_near")
    out[1] = row(rows, b"names_far")
    out[2] = row(rows, b"names")
    out[3] = row(rows, b"names_near_low")
    out[4] = row(rows, b"names_near_high")
    out[5] = row(rows, b"names_far_low")
    out[6] = row(rows, b"names_far_high")
    for i in range(t.count):
        element = b[i * BLOCK_WIDTH + INNER]
        t.mask[i] = p.named[element].flags
        total = low = high = far = far_low = far_high = 0
        for k in range(NEAR):
            if element < 0:
                break
            named = p.named + element
            total += named.near
            low, high = min(low, named.near_low), max(high, named.near_high)
            element = p.element[element].parent
        if element >= 0:
            named = p.named + element
            far, far_low, far_high = named.far, named.far_low, named.far_high
        if out[0] != NULL:
            out[0][i] = clip(total)
        if out[1] != NULL:
            out[1][i] = clip(far)
        if out[2] != NULL:
            out[2][i] = clip(total + far)
        if out[3] != NULL:
            out[3][i] = clip(low)
        if out[4] != NULL:
            out[4][i] = clip(high)
        if out[5] != NULL:
            out[5][i] = clip(far_low)
        if out[6] != NULL:
            out[6][i] = clip(far_high)
    for k in range(p.flags):
        test_bit(row(rows, b"name", k), t.mask, k, t.count)

# -- context: what the second trees see besides


cdef int read_likelihoods(Page* p, const int64_t* likelihood) noexcept nogil:
    """Gather what the second features need of the likelihoods as a whole."""
    cdef Memory* memory = &p.memory
    cdef Expected* sums
    cdef size_t n = p.count
    cdef size_t i
    cdef int64_t chance
    p.likelihood = <int32_t*>room_for(memory, n, sizeof(int32_t))
    p.expected = <Expected*>room_for(memory, n, sizeof(Expected))
    if memory.failed:
        return NO_MEMORY
    sums = p.expected
    for i in range(n):
        if not 0 <= likelihood[i] <= HIGHEST:
            return NOT_SOUND
        p.likelihood[i] = <int32_t>likelihood[i]
        chance = CHANCE[likelihood[i]]
        sums[1] = sums[0]
        sums += 1
        sums.logits += likelihood[i]
        sums.weights += p.words[i]
        sums.expected += chance * p.words[i]
    if (
        read_ranks(p)
        or read_runs(p, &p.outermost[0], LIKELY)
        or read_runs(p, &p.outermost[1], SURE)
    ):
        return NO_MEMORY
    if is_late(p):
        return TIME_IS_UP
    if (
        read_likely_likes(p)
        or read_likely_boxes(p)
        or read_kinds(p)
        or read_means(p, &p.copies, &p.group_mean[0])
        or read_means(p, &p.ways.groups, &p.group_mean[1])
        or read_means(p, &p.tags.groups, &p.group_mean[2])
        or read_means(p, &p.kinds, &p.group_mean[3])
    ):
        return NO_MEMORY
    return DONE


cdef int read_ranks(Page* p) noexcept nogil:
    """The blocks from the likeliest down; of equals the first one first."""
    cdef int32_t[MAX_CHANCES] starts
    cdef int32_t* ranked
    cdef int64_t words = 0, expected = 0
    cdef int32_t start = 0, size, place
    cdef size_t i
    cdef int value
    # Nothing is being sorted at the moment.
    ranked = <int32_t*>p.spare
    p.rank = <int32_t*>room_for(&p.memory, p.count, sizeof(int32_t))
    p.words_to_rank = <int64_t*>room_for(&p.memory, p.count, sizeof(int64_t))
    p.expected_to_rank = <int64_t*>room_for(&p.memory, p.count, sizeof(int64_t))
    if p.memory.failed:
        return NO_MEMORY
    memset(starts, 0, sizeof(starts))
    for i in range(p.count):
        starts[p.likelihood[i]] += 1
    for value in range(HIGHEST, -1, -1):
        size = starts[value]
        starts[value] = start
        start += size
    for i in range(p.count):
        value = p.likelihood[i]
        ranked[starts[value]] = <int32_t>i
        starts[value] += 1
    for i in range(p.count):
        place = ranked[i]
        words += p.words[place]
        expected += <int64_t>CHANCE[p.likelihood[place]] * p.words[place]
        p.rank[place] = <int32_t>i
        p.words_to_rank[place] = words
        p.expected_to_rank[place] = expected
    return DONE


cdef int read_runs(Page* p, Outermost* o, int32_t least) noexcept nogil:
    """How far the nearest blocks are that are so likely, and the outermost ones."""
    cdef int32_t last = NONE
    cdef int32_t i, count = <int32_t>p.count
    o.since = <int32_t*>room_for(&p.memory, p.count, sizeof(int32_t))
    o.to = <int32_t*>room_for(&p.memory, p.count, sizeof(int32_t))
    if p.memory.failed:
        return NO_MEMORY
    o.first = NONE
    for i in range(count):
        if CHANCE[p.likelihood[i]] >= least:
            last = i
            if o.first < 0:
                o.first = i
        o.since[i] = i - last if last >= 0 else FAR
    o.last = last
    last = NONE
    for i in range(count - 1, -1, -1):
        if CHANCE[p.likelihood[i]] >= least:
            last = i
        o.to[i] = last - i if last >= 0 else FAR
    return DONE


cdef int read_likely_likes(Page* p) noexcept nogil:
    cdef Expected* sums = <Expected*>room_for(&p.memory, p.likes, sizeof(Expected))
    cdef const Element* e
    cdef size_t i
    cdef int32_t k
    p.like_chance = <int32_t*>room_for(&p.memory, p.likes, sizeof(int32_t))
    if p.memory.failed:
        return NO_MEMORY
    for i in range(p.element_count):
        e = p.element + i
        if e.last > e.first:
            sums[e.like].weights += p.expected[e.last].weights - p.expected[e.first].weights
            sums[e.like].expected += (
                p.expected[e.last].expected - p.expected[e.first].expected
            )
    for k in range(1, p.likes + 1):
        p.like_chance[k] = clip(
            quotient(sums[k].expected, sums[k].weights if sums[k].weights else 1)
        )
    return DONE


cdef int read_likely_boxes(Page* p) noexcept nogil:
    cdef const Expected* first
    cdef const Expected* last
    cdef const Element* e
    cdef int64_t n, here, weights
    cdef int32_t* out
    cdef int32_t k
    p.box_context = <int32_t*>room_for(
        &p.memory, p.boxes, CONTEXT_WIDTH * sizeof(int32_t)
    )
    if p.memory.failed:
        return NO_MEMORY
    for k in range(p.boxes + 1):
        first, last = p.expected, p.expected + p.count
        n = p.count
        if k:
            e = p.element + p.box_element[k]
            first, last = p.expected + e.first, p.expected + e.last
            n = e.last - e.first
        here = last.expected - first.expected
        weights = last.weights - first.weights
        out = p.box_context + <size_t>k * CONTEXT_WIDTH
        out[0] = clip(quotient(last.logits - first.logits, n if n else 1))
        out[1] = clip(quotient(here, weights if weights else 1))
        out[2] = clip(ratio(here, p.expected[p.count].expected))
    return DONE


cdef int read_kinds(Page* p) noexcept nogil:
    """Blocks of one kind at one depth."""
    cdef uint32_t depth
    cdef size_t i
    p.kinds.of = <int32_t*>room_for(&p.memory, p.count, sizeof(int32_t))
    p.kinds.size = <int32_t*>room_for(&p.memory, p.count, sizeof(int32_t))
    if p.memory.failed:
        return NO_MEMORY
    for i in range(p.count):
        depth = p.depth[i] if p.depth[i] < 65535 else 65535
        p.keys[i] = <uint64_t>p.blocks[i * BLOCK_WIDTH + KIND] << 48
        p.keys[i] |= <uint64_t>depth << 32 | i
    group(&p.kinds, p.keys, p.spare, p.count)
    return DONE


cdef int read_means(Page* p, const Groups* groups, int32_t** mean) noexcept nogil:
    """The likelihood that blocks alike have on average."""
    cdef int64_t* sums
    cdef size_t i
    cdef int32_t k
    sums = <int64_t*>room_for(&p.memory, groups.count, sizeof(int64_t))
    mean[0] = <int32_t*>room_for(&p.memory, groups.count, sizeof(int32_t))
    if p.memory.failed:
        return NO_MEMORY
    for i in range(p.count):
        sums[groups.of[i]] += p.likelihood[i]
    for k in range(groups.count):
        mean[0][k] = clip(quotient(sums[k], groups.size[k]))
    return DONE


cdef void page_context(const Page* p, Rows* rows) noexcept nogil:
    """The second features that are the same for all blocks of a page."""
    cdef const Expected* whole = p.expected + p.count
    cdef int64_t weights = whole.weights if whole.weights else 1
    cdef int64_t likely_words = 0, likely = 0, unsure = 0, chance
    cdef int32_t best = 0
    cdef size_t i
    for i in range(p.count):
        chance = CHANCE[p.likelihood[i]]
        if chance >= LIKELY:
            likely_words += p.words[i]
            likely += 1
        best = max(best, p.likelihood[i])
        unsure += min(chance, 1000 - chance) * p.words[i]
    fill(row(rows, b"page_expected"), quotient(whole.expected, 1000))
    fill(row(rows, b"page_expected_share"), quotient(whole.expected, weights))
    fill(row(rows, b"page_likely_words"), likely_words)
    fill(row(rows, b"page_likely"), likely)
    fill(row(rows, b"page_best"), best)
    fill(row(rows, b"page_unsure"), quotient(unsure, weights))


cdef void context_rows(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    """The second features of a tile's blocks."""
    cdef int by, k
    copy(row(rows, b"likelihood"), p.likelihood + t.start, 1, t.count)
    for k in range(8):
        by = AROUND[k]
        shifted(
            row(
                rows,
                b"before" if by > 0 else b"behind",
                by if by > 0 else -by,
                b"_likelihood",
            ),
            p.likelihood,
            1,
            p,
            t,
            by,
        )
    likely_windows(p, t, rows)
    expectations(p, t, rows)
    ranks(p, t, rows)
    runs(p, &p.outermost[0], t, rows, b"likely")
    runs(p, &p.outermost[1], t, rows, b"sure")
    likely_containers(p, t, rows)
    pick_mean(row(rows, b"copies_likelihood"), p.group_mean[0], &p.copies, t)
    pick_mean(row(rows, b"way_likelihood"), p.group_mean[1], &p.ways.groups, t)
    pick_mean(row(rows, b"tags_likelihood"), p.group_mean[2], &p.tags.groups, t)
    pick_mean(row(rows, b"kind_likelihood"), p.group_mean[3], &p.kinds, t)


cdef void likely_windows(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef int32_t* chance
    cdef int32_t* mean
    cdef const Expected* first
    cdef const Expected* last
    cdef int64_t weights
    cdef int i, k, radius
    for k in range(RADII.count):
        radius = RADII.number[k]
        chance = row(rows, b"within", radius, b"_chance")
        mean = row(rows, b"within", radius, b"_likelihood")
        for i in range(t.count):
            first = p.expected + window_first(p, t.start + i, radius)
            last = p.expected + window_last(p, t.start + i, radius)
            if chance != NULL:
                weights = last.weights - first.weights
                chance[i] = clip(
                    quotient(last.expected - first.expected, weights if weights else 1)
                )
            if mean != NULL:
                mean[i] = clip(quotient(last.logits - first.logits, last - first))


cdef void expectations(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef const Expected* at = p.expected + t.start
    cdef int64_t total = p.expected[p.count].expected
    cdef int32_t* before = row(rows, b"expected_before")
    cdef int32_t* behind = row(rows, b"expected_behind")
    cdef int32_t* share = row(rows, b"expected_share_before")
    cdef int i
    for i in range(t.count):
        if before != NULL:
            before[i] = clip(quotient(at[i].expected, 1000))
        if behind != NULL:
            behind[i] = clip(quotient(total - at[i + 1].expected, 1000))
        if share != NULL:
            share[i] = clip(ratio(at[i].expected, total))


cdef void ranks(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    """Where a block stands among all of the page, and how much text until there."""
    cdef const int64_t* words = p.words_to_rank + t.start
    cdef const int64_t* expected = p.expected_to_rank + t.start
    cdef const Expected* whole = p.expected + p.count
    cdef int32_t* out
    cdef int i
    copy(row(rows, b"rank"), p.rank + t.start, 1, t.count)
    out = row(rows, b"words_to_rank")
    if out != NULL:
        for i in range(t.count):
            out[i] = clip(words[i])
    out = row(rows, b"words_share_to_rank")
    if out != NULL:
        for i in range(t.count):
            out[i] = clip(ratio(words[i], whole.weights))
    out = row(rows, b"expected_share_to_rank")
    if out != NULL:
        for i in range(t.count):
            out[i] = clip(ratio(expected[i], whole.expected))


cdef void runs(
    const Page* p, const Outermost* o, Tile* t, Rows* rows, const char* name
) noexcept nogil:
    cdef int32_t place = <int32_t>t.start
    cdef int32_t* out
    cdef int i
    copy(row(rows, b"since_", NONE, name), o.since + t.start, 1, t.count)
    copy(row(rows, b"to_", NONE, name), o.to + t.start, 1, t.count)
    out = row(rows, b"from_first_", NONE, name)
    if out != NULL:
        for i in range(t.count):
            out[i] = clip(<int64_t>place + i - o.first)
    out = row(rows, b"to_last_", NONE, name)
    if out != NULL:
        for i in range(t.count):
            out[i] = clip(<int64_t>o.last - place - i)


cdef void likely_containers(const Page* p, Tile* t, Rows* rows) noexcept nogil:
    cdef bint[TILE] there
    cdef int32_t* out
    cdef int i, k
    enter_element(p, t)
    for k in range(1, CONTEXT_CONTAINERS + 1):
        for i in range(t.count):
            there[i] = t.inside[i] >= 0
        climb(p, t)
        out = row(rows, b"c", k, b"_like_chance")
        if out != NULL:
            for i in range(t.count):
                out[i] = NONE
                if there[i]:
                    out[i] = p.like_chance[p.element[t.branch[i]].like]
        pick(
            row(rows, b"c", k, b"_likelihood"),
            p.box_context,
            CONTEXT_WIDTH,
            t.number,
            t.count,
        )
        pick(
            row(rows, b"c", k, b"_chance"),
            p.box_context + 1,
            CONTEXT_WIDTH,
            t.number,
            t.count,
        )
        pick(
            row(rows, b"c", k, b"_expected_share"),
            p.box_context + 2,
            CONTEXT_WIDTH,
            t.number,
            t.count,
        )


cdef inline void pick_mean(
    int32_t* out, const int32_t* mean, const Groups* groups, const Tile* t
) noexcept nogil:
    pick(out, mean, 1, groups.of + t.start, t.count)


# -- trees


cdef class Forest:
    """The numbers of a Trees, in the order that they are asked for."""

    cdef tuple names
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
    # Where the tile's row of each feature is, and whether it is of the context.
    cdef int32_t[::1] slot

    def __init__(self, trees):
        feature = np.array(trees.feature, dtype=np.int32, order="C")
        self.names = tuple(trees.names)
        self.features = len(self.names)
        self.trees, self.depth = feature.shape
        self.classes = len(trees.bias)
        self.scale = trees.scale
        starts = np.array(trees.starts, dtype=np.int32, order="C")
        size = 1 << self.depth if 0 < self.depth <= MAX_DEPTH else 0
        if not (
            size
            and self.features
            # The sums fit 32 bits.
            and self.trees < 65536
            and trees.bin.shape == feature.shape
            and trees.leaves.shape == (self.classes, self.trees, size)
            and starts.shape == (self.features + 1,)
            and starts[0] == 0
            and starts[self.features] == len(trees.borders)
            and ((np.diff(starts) >= 0) & (np.diff(starts) < 256)).all()
            and ((feature >= 0) & (feature < self.features)).all()
            and (trees.bin < np.diff(starts)[feature]).all()
            and self.scale > 0
        ):
            raise ValueError("the trees do not fit together")
        self.borders = _padded(trees.borders, np.int32)
        self.starts = starts
        self.feature = _padded(feature, np.int32)
        self.bin = _padded(trees.bin, np.uint8)
        self.leaves = _padded(trees.leaves.transpose(1, 0, 2), np.int16)
        self.bias = _padded(trees.bias, np.int32)
        self.slot = np.arange(self.features, dtype=np.int32)

    cdef void count_bins(
        self, const int32_t* rows, int first, int end, int width, uint8_t* bins
    ) noexcept nogil:
        """Turn the values of a tile's rows from one on to another into bins."""
        cdef int i, slot, start
        for i in range(self.features):
            slot = self.slot[i]
            if first <= slot < end:
                start = self.starts[i]
                count_borders(
                    rows + <size_t>slot * TILE,
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


def _padded(array, dtype):
    """A copy in one row, and so much more that there is something in it."""
    if array.dtype != dtype and dtype is not np.int32:
        raise ValueError(f"numbers of {array.dtype}, not {np.dtype(dtype)}")
    return np.append(np.ascontiguousarray(array).ravel(), np.zeros(64)).astype(dtype)


# -- all together


cdef inline int tile_width(size_t count) noexcept nogil:
    """How many blocks of so many are taken at once: all tiles are about as full."""
    cdef size_t tiles = (count + TILE - 1) // TILE
    cdef size_t width = (count + tiles - 1) // tiles if tiles else 0
    return <int>((width + LANES - 1) // LANES * LANES)


def _names_of(Words words):
    """The names of all rows of both kinds, in the order that they are written in."""
    cdef Page page
    cdef Tile tile
    cdef Rows rows
    cdef bytearray names
    found = []
    memset(&page, 0, sizeof(Page))
    memset(&tile, 0, sizeof(Tile))
    page.flags = words.flags
    try:
        if (
            read_page(&page, words) != DONE
            or read_likelihoods(&page, NULL) != DONE
        ):
            raise MemoryError
        for kind in range(2):
            names = bytearray(1 << 16)
            memset(&rows, 0, sizeof(Rows))
            rows.names = names
            rows.room = len(names)
            if kind == 0:
                page_rows(&page, &rows)
                block_rows(&page, &tile, &rows)
            else:
                page_context(&page, &rows)
                context_rows(&page, &tile, &rows)
            found.append(names[: rows.used].decode().split())
            assert len(found[kind]) == rows.next
    finally:
        give_back(&page.memory)
        free(page.memory.kept)
    return found


cdef class _Places:
    """Where the rows are in a tile, of those that are wanted."""

    cdef int32_t[::1] slot
    cdef int wanted

    def __init__(self, names, wanted, int first):
        slots = {name: first + i for i, name in enumerate(wanted)}
        self.wanted = len(wanted)
        self.slot = np.array([slots.get(name, NONE) for name in names], dtype=np.int32)
        
    cdef void point(self, int32_t** out, int32_t* rows) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.slot.shape[0]):
            out[i] = NULL
            if self.slot[i] >= 0:
                out[i] = rows + <size_t>self.slot[i] * TILE


cdef class Tagger:
    """The tagger of one model."""

    cdef Words words
    cdef Forest first
    cdef Forest second
    cdef _Places own
    cdef _Places context
    # Kept from page to page; a thread that finds it taken gets its own.
    cdef char* kept
    cdef size_t room

    def __dealloc__(self):
        free(self.kept)

    def __init__(self, table, first, second):
        self.words = Words(table)
        self.first, self.second = Forest(first), Forest(second)
        own, context_ = _names_of(self.words)
        asked = dict.fromkeys([*self.first.names, *self.second.names])
        first_rows = [name for name in asked if name in own]
        second_rows = [name for name in self.second.names if name in context_]
        slots = {name: i for i, name in enumerate([*first_rows, *second_rows])}
        for name in asked:
            if name not in slots or (name in context_ and name in self.first.names):
                raise ValueError(f"no feature is called {name!r}")
        for forest in (self.first, self.second):
            (<Forest>forest).slot = np.array(
                [slots[name] for name in (<Forest>forest).names], dtype=np.int32
            )
        self.own = _Places(own, first_rows, 0)
        self.context = _Places(context_, second_rows, len(first_rows))

    def features(self, walk, names):
        return _features(walk, self.words, names, None)

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
        page.flags = self.words.flags
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
        cdef int first_rows = self.own.wanted
        cdef int all_rows = first_rows + self.context.wanted
        cdef int status
        cdef size_t most = min(tiles, most_bins // room) if room else 0
        cdef size_t i
        cdef int fixed, context_fixed
        cdef Tile tile
        cdef Rows rows
        cdef int32_t* values
        cdef int32_t* sums
        cdef uint8_t* bins
        cdef uint8_t* second_bins
        cdef uint8_t* here
        status = read_page(p, self.words)
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
        rows.names = NULL
        rows.out = <int32_t**>room_for(
            &p.memory,
            max(self.own.slot.shape[0], self.context.slot.shape[0]),
            sizeof(int32_t*),
        )
        if p.memory.failed:
            return NO_MEMORY
        self.own.point(rows.out, values)
        rows.next = 0
        page_rows(p, &rows)
        fixed = rows.next
        for i in range(tiles):
            if is_late(p):
                return TIME_IS_UP
            tile.start = i * width
            tile.count = <int>min(p.count - tile.start, <size_t>width)
            rows.next = fixed
            block_rows(p, &tile, &rows)
            self.first.count_bins(values, 0, first_rows, width, bins)
            self.first.likelihoods(bins, width, sums, out + tile.start, tile.count)
            if i < most:
                self.second.count_bins(
                    values, 0, first_rows, width, second_bins + i * room
                )
        status = read_likelihoods(p, out)
        if status:
            return status
        self.context.point(rows.out, values)
        rows.next = 0
        page_context(p, &rows)
        context_fixed = rows.next
        for i in range(tiles):
            if is_late(p):
                return TIME_IS_UP
            tile.start = i * width
            tile.count = <int>min(p.count - tile.start, <size_t>width)
            here = second_bins + min(i, most) * room
            if i >= most:
                self.own.point(rows.out, values)
                rows.next = fixed
                block_rows(p, &tile, &rows)
                self.second.count_bins(values, 0, first_rows, width, here)
                self.context.point(rows.out, values)
            rows.next = context_fixed
            context_rows(p, &tile, &rows)
            self.second.count_bins(values, first_rows, all_rows, width, here)
            self.second.likelihoods(here, width, sums, out + tile.start, tile.count)
        return DONE


cdef int raise_for(int status) except -1:
    if status == NO_MEMORY:
        raise MemoryError
    if status == TIME_IS_UP:
        raise TimeLimitError
    if status == NOT_SOUND:
        raise ValueError("the tables of the walk do not fit together")
    return 0


def block_features(walk, table, names=None):
    """The first features of those names, or all: a dict of rows, as the Python twin."""
    return _features(walk, Words(table), names, None)


def context_features(walk, likelihood, table, names=None):
    """The second features, given the likelihoods."""
    return _features(
        walk, Words(table), names, np.ascontiguousarray(likelihood, dtype=np.int64)
    )


def _features(walk, Words words, names, const int64_t[::1] likelihood):
    cdef Page page
    cdef Tile tile
    cdef Rows rows
    cdef int32_t[:, ::1] out, values
    cdef int64_t[::1] pointers
    cdef int width, k, fixed
    cdef bint second = likelihood is not None
    known = _names_of(words)[second]
    names = known if names is None else names
    places = _Places(known, names, 0)
    made = np.zeros((len(names), len(walk.blocks)), dtype=np.int32)
    values = np.zeros((len(names) + 1, TILE), dtype=np.int32)
    pointers = np.zeros(len(known) + 1, dtype=np.int64)
    out = made
    open_page(&page, walk.elements, walk.blocks, walk.tokens)
    page.flags = words.flags
    if not page.count:
        return dict(zip(names, made))
    if second and likelihood.shape[0] != <Py_ssize_t>page.count:
        raise ValueError("as many likelihoods as blocks are needed")
    try:
        raise_for(read_page(&page, words))
        if second:
            raise_for(read_likelihoods(&page, &likelihood[0]))
        memset(&rows, 0, sizeof(Rows))
        rows.out = <int32_t**>&pointers[0]
        (<_Places>places).point(rows.out, &values[0, 0])
        if second:
            page_context(&page, &rows)
        else:
            page_rows(&page, &rows)
        fixed = rows.next
        width = tile_width(page.count)
        tile.start = 0
        while tile.start < page.count:
            tile.count = <int>min(page.count - tile.start, <size_t>width)
            rows.next = fixed
            if second:
                context_rows(&page, &tile, &rows)
            else:
                block_rows(&page, &tile, &rows)
            for k in range(out.shape[0]):
                memcpy(
                    &out[k, tile.start], &values[k, 0], tile.count * sizeof(int32_t)
                )
            tile.start += width
    finally:
        give_back(&page.memory)
        free(page.memory.kept)
    return dict(zip(names, made))


def sums(trees, matrix):
    """The answers of an ensemble for each block, as Trees.sums()."""
    cdef Forest forest = Forest(trees)
    cdef int count = matrix.shape[1]
    cdef int32_t[:, ::1] values = np.zeros((forest.features, TILE), dtype=np.int32)
    cdef uint8_t[:, ::1] bins = np.zeros((forest.features, TILE), dtype=np.uint8)
    cdef int32_t[:, ::1] found = np.zeros((forest.classes, TILE), dtype=np.int32)
    made = np.zeros((forest.classes, count), dtype=np.int64)
    for start in range(0, count, TILE):
        part = matrix[:, start : start + TILE]
        np.asarray(values)[:, : part.shape[1]] = part
        forest.count_bins(&values[0, 0], 0, forest.features, TILE, &bins[0, 0])
        forest.add(&bins[0, 0], TILE, &found[0, 0])
        made[:, start : start + TILE] = np.asarray(found)[:, : part.shape[1]]
    return made + np.asarray(forest.bias)[: forest.classes, None]


# -- what is chosen, and the page as a whole


cdef int check_likelihoods(const int64_t[::1] likelihood, const int64_t[::1] w) except -1:
    cdef Py_ssize_t i
    if likelihood.shape[0] != w.shape[0]:
        raise ValueError("as many words as likelihoods are needed")
    for i in range(likelihood.shape[0]):
        if not 0 <= likelihood[i] <= HIGHEST:
            raise ValueError(f"no likelihood is {likelihood[i]}")
    return 0


def choose(
    const int64_t[::1] likelihood,
    const int64_t[::1] w,
    int sets,
    int64_t square,
    least,
):
    """Which blocks to keep, and the F1 to expect of them, as choice.python_choice()."""
    cdef int64_t[MAX_SETS] words
    cdef int64_t hits, whole, worth, same, best = -1, kept_words = 0, expected = 0
    cdef int64_t lowest = least if least is not None else 0
    cdef Py_ssize_t i, count = likelihood.shape[0]
    cdef int level, other, step
    cdef bint is_given = least is not None
    if not 0 < sets <= MAX_SETS or 1000 % sets:
        raise ValueError(f"chances are not told apart in {sets} steps")
    step = 1000 // sets
    check_likelihoods(likelihood, w)
    kept = np.zeros(count, dtype=np.bool_)
    cdef uint8_t[::1] out = kept.view(np.uint8)
    memset(words, 0, sizeof(words))
    # First the words of the blocks in so many of the sets, then those in each set.
    for i in range(count):
        level = (CHANCE[likelihood[i]] + step // 2) // step
        if level:
            words[level - 1] += w[i]
    for level in range(sets - 1, 0, -1):
        words[level - 1] += words[level]
    level = 0
    while level < sets and not is_given:
        worth = 0
        other = 0
        while other < sets:
            hits = min(words[level], words[other])
            whole = 1000 * words[level] + square * words[other]
            # Sets that are equal, as most are on a page of few blocks, count at once.
            same = 1
            while other + same < sets and words[other + same] == words[other]:
                same += 1
            worth += same * ((1000 + square) * 1000 * hits // (whole if whole else 1))
            other += same
        if worth > best:
            best = worth
            # The chance from which on a block is in this set.
            lowest = (level + 1) * step - step // 2
        level += 1
        while level < sets and words[level] == words[level - 1]:
            level += 1
    for i in range(count):
        out[i] = CHANCE[likelihood[i]] >= lowest
        if out[i]:
            kept_words += w[i]
    if kept_words == 0:
        return np.zeros(count, dtype=np.bool_), 0
    for level in range(sets):
        expected += 2000 * min(words[level], kept_words) // (words[level] + kept_words)
    return kept, expected // sets


cdef class Whole:
    """What is known of a page as a whole, as whole.python_figures()."""

    cdef int64_t[::1] per_word
    cdef int64_t[::1] per_block
    cdef int64_t[::1] kinds
    cdef int64_t[::1] tags

    def __init__(self, per_word, per_block, kinds, tags_):
        """The columns that are summed up, and the kinds and tags that are counted."""
        self.per_word, self.per_block, self.kinds, self.tags = (
            np.array(numbers, dtype=np.int64)
            for numbers in (per_word, per_block, kinds, tags_)
        )
        if not all(0 <= i < BLOCK_WIDTH for i in [*per_word, *per_block]):
            raise ValueError("a block has no such column")
        if not all(0 <= i < MAX_TAGS for i in [*kinds, *tags_]):
            raise ValueError("there is no such kind or tag")

    def figures(
        self,
        const int32_t[:, ::1] elements,
        const int32_t[:, ::1] blocks,
        const int64_t[::1] likelihood,
        const int64_t[::1] w,
        const uint8_t[::1] kept,
        int64_t expected,
    ):
        cdef int64_t[2][BLOCK_WIDTH] totals
        cdef int64_t[2][MAX_TAGS] kinds
        cdef int64_t[MAX_TAGS] tags
        cdef int64_t[2] words = [0, 0]
        cdef int64_t[2] counts = [0, 0]
        cdef int64_t[2] longest = [0, 0]
        cdef int64_t[2] hits = [0, 0]
        cdef int64_t chance, best = 0, unsure = 0, undecided = 0
        cdef int64_t first = NONE, last = NONE
        cdef Py_ssize_t i, count = blocks.shape[0]
        cdef int column, part, at
        cdef int64_t[::1] out
        check_likelihoods(likelihood, w)
        if (
            elements.shape[1] != ELEMENT_WIDTH
            or blocks.shape[1] != BLOCK_WIDTH
            or not likelihood.shape[0] == kept.shape[0] == count > 0
        ):
            raise ValueError("the tables of the page do not fit together")
        memset(totals, 0, sizeof(totals))
        memset(kinds, 0, sizeof(kinds))
        memset(tags, 0, sizeof(tags))
        for i in range(count):
            # Of the whole page, and then of what is kept of it.
            chance = CHANCE[likelihood[i]]
            best = max(best, likelihood[i])
            unsure += min(chance, 1000 - chance) * w[i]
            undecided += 300 < chance < 700
            if kept[i]:
                first = i if first < 0 else first
                last = i
            for part in range(1 if kept[i] else 0, -1, -1):
                counts[part] += 1
                words[part] += w[i]
                hits[part] += chance * w[i]
                longest[part] = max(longest[part], w[i])
                kinds[part][blocks[i, KIND] & (MAX_TAGS - 1)] += 1
                for column in range(KIND, HASH):
                    totals[part][column] += blocks[i, column]
        for i in range(elements.shape[0]):
            tags[elements[i, TAG] & (MAX_TAGS - 1)] += 1
        made = np.empty(
            16 + 2 * (len(self.per_word) + len(self.per_block) + len(self.kinds))
            + len(self.tags),
            dtype=np.int64,
        )
        out = made
        out[0] = expected
        out[1] = words[0]
        out[2] = ratio(words[1], words[0])
        out[3] = quotient(hits[0], max(words[0], 1))
        out[4] = count
        out[5] = ratio(counts[1], count)
        out[6] = ratio(elements.shape[0], count)
        out[7] = ratio(words[1], counts[1])
        out[8] = longest[1]
        out[9] = longest[0]
        out[10] = ratio(first, count) if first >= 0 else NONE
        out[11] = ratio(last, count) if last >= 0 else NONE
        out[12] = quotient(hits[1], max(words[1], 1))
        out[13] = best
        out[14] = quotient(unsure, max(words[0], 1))
        out[15] = ratio(undecided, count)
        at = 16
        for part in range(1, -1, -1):
            for i in range(self.per_word.shape[0]):
                out[at] = ratio(totals[part][self.per_word[i]], words[part])
                at += 1
            for i in range(self.per_block.shape[0]):
                out[at] = ratio(totals[part][self.per_block[i]], counts[part])
                at += 1
            for i in range(self.kinds.shape[0]):
                out[at] = ratio(kinds[part][self.kinds[i]], counts[part])
                at += 1
        for i in range(self.tags.shape[0]):
            out[at] = ratio(tags[self.tags[i]], count)
            at += 1
        return made


cdef class Asked:
    """Trees that are asked about one thing at a time, as trees.Asked."""

    cdef int64_t[:, ::1] which
    cdef int64_t[:, ::1] borders
    # A row for each leaf of each tree, so that what is added stands together.
    cdef int32_t[:, :, ::1] leaves
    cdef int64_t[::1] bias

    def __init__(self, which, borders, leaves, bias):
        """The figures asked about, their borders, a table a class and tree."""
        self.which = np.ascontiguousarray(which, dtype=np.int64)
        self.borders = np.ascontiguousarray(borders, dtype=np.int64)
        self.leaves = np.ascontiguousarray(leaves.transpose(1, 2, 0), dtype=np.int32)
        self.bias = np.ascontiguousarray(bias, dtype=np.int64)
        if not (
            which.shape == borders.shape
            and leaves.shape == (len(bias), len(which), 1 << which.shape[1])
        ):
            raise ValueError("the trees do not fit together")

    def answers(self, const int64_t[::1] figures):
        cdef Py_ssize_t tree, k, of
        cdef int level, leaf
        made = np.array(self.bias)
        cdef int64_t[::1] out = made
        for tree in range(self.which.shape[0]):
            leaf = 0
            for level in range(self.which.shape[1]):
                of = self.which[tree, level]
                if not 0 <= of < figures.shape[0]:
                    raise ValueError(f"there is no figure {of}")
                leaf |= (figures[of] > self.borders[tree, level]) << level
            for k in range(out.shape[0]):
                out[k] += self.leaves[tree, leaf, k]
        return made
