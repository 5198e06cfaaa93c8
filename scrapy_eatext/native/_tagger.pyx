# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twin of facts, context, page figures, operations and trees, without the GIL.

Facts and then figures are made for the page as a whole.  Features are evaluated for a
tile of blocks at a time, so that a tile's features, bins and sums stay in a cache.  Only
the figures and features that the model asks for are evaluated.

To add a fact: name it in a FACTS of facts.py or context.py, and make it there.  If it
is a sum of a column of blocks with the same name ("box.commas" of "commas"), it is
here already, see SOURCE.  If not, name it in Narrow or Wide below, domain first
("page.titles" is PAGE_TITLES), and fill narrow() or wide() of that name in one of the
read_...() functions.  Its place in FACTS does not matter here; a fact that is missing
here, or one that FACTS do not have, is an ImportError.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from scrapy_eatext.native.bytes cimport DONE, NO_MEMORY, Array, add_bytes, decode, prefetch
from scrapy_eatext.native.checksum cimport EATEXT_CHECKSUM
from scrapy_eatext.native.clock cimport eatext_clock
from scrapy_eatext.native.columns cimport *
from scrapy_eatext.native.tiles cimport (
    TILE, add_leaves, count_borders, divide_numbers, find_places
)

import numpy as np

from scrapy_eatext.deadline import TimeLimitError, remaining
from scrapy_eatext.page import characters, tags
from scrapy_eatext.page.columns import BLOCK_COLUMNS as BLOCK_NAMES
from scrapy_eatext.tagger import columns, context, facts, operations, told, words

CHECKSUM = EATEXT_CHECKSUM

# How many bytes of the first round's features are kept for the second round.  On a page
# with more blocks, the features of the other blocks are made again.
cdef size_t most_bins


def keep_bins(size_t most):
    """Keep at most so many bytes of the first round's features."""
    global most_bins
    most_bins = most


keep_bins(1 << 23)

# -- names: numbers of columns, and which of them are sums, are read from the Python
# modules when this is imported

# The facts that code has to make, by name.  These are facts of blocks, with 32 bits:
cpdef enum Narrow:
    PLACE, DEPTH, AROUND, OWN, FLAGS0, FLAGS1, SINCE_HEADING, HEADING_LEVEL, FROM_TITLE
    SINCE_LONG, TO_LONG, NAMES_NEAR, NAMES_FAR, NAMES, NAMES_NEAR_LOW, NAMES_NEAR_HIGH
    NAMES_FAR_LOW, NAMES_FAR_HIGH, TEXT, TEXT_LOW, TEXT_HIGH
    HEADING_TEXT, SINCE_AGAINST, TO_AGAINST
    TOLD, TOLD_WORDS, TOLD_TOP, TOLD_TITLE, TOLD_HEADLINE, TOLD_SUMMARY, TOLD_ADDRESS
    HEADLINE, FROM_HEADLINE, FROM_SUMMARY
    # In the order of these domains; that of kinds is of the context.
    OF_COPIES, OF_WAY, OF_TAGS, OF_KIND
    OF_LIKE, OF_BOX1
    OF_LIKE1, BRANCH1
    HEADINGS, COPIED, WEIGHT
    # Of the context.
    LIKELIHOOD, RANK, SINCE_LIKELY, TO_LIKELY, SINCE_SURE, TO_SURE, EXPECTED

# These have 64 bits, as all facts of other domains do:
cpdef enum Wide:
    W = 100
    WORDS_BEFORE, LONG, FLOWING, BOX_FIRST, BOX_LAST, BOX_DEPTH, LIKE_N
    WAY_N, WAY_W, WAY_FIRST, WAY_LAST, WAY_REACH, WAY_LONGEST
    PAGE_WAY_TOP, PAGE_WAY_TOP_N, PAGE_WAY_MANY, PAGE_WAY_GROUPS
    # Facts of tags have the same order as those of way.
    TAGS_N, TAGS_W, TAGS_FIRST, TAGS_LAST, TAGS_REACH, TAGS_LONGEST
    PAGE_TAGS_TOP, PAGE_TAGS_TOP_N, PAGE_TAGS_MANY, PAGE_TAGS_GROUPS
    PAGE_LAST, PAGE_ELEMENTS, PAGE_LONGEST, PAGE_ARTICLES, PAGE_TAG_GROUPS, PAGE_MAIN
    PAGE_ARTICLE, PAGE_TITLES
    PAGE_TOLD_TITLE, PAGE_TOLD_HEADLINE, PAGE_TOLD_SUMMARY
    PAGE_BEST_HEADLINE, PAGE_BEST_SUMMARY
    # Of the context.
    WORDS_TO_RANK, EXPECTED_TO_RANK, EXPECTED_BEFORE, EXPECTED_BEHIND
    PAGE_LIKELY_WORDS, PAGE_LIKELY, PAGE_BEST, PAGE_UNSURE, PAGE_THOUSAND
    PAGE_FIRST_LIKELY, PAGE_LAST_LIKELY, PAGE_FIRST_SURE, PAGE_LAST_SURE

# As operations.py has them, and in its order.
cpdef enum Operation:
    O_COPY, O_RATIO, O_QUOTIENT, O_LEFT, O_BIT, O_SHIFT, O_STEP, O_SPAN_RATIO
    O_SPAN_QUOTIENT, O_PICK, O_PLACE

cpdef enum Domain:
    D_, D_PAGE, D_SUM, D_BOX, D_LIKE, D_COPIES, D_WAY, D_TAGS, D_KIND, D_KEPT

cdef enum:
    MAX_KNOWN = 200
    MAX_TAGS = 256
    MAX_FLAGS = 64
    MAX_CHANCES = 2048
    MAX_COLUMNS = 512
    MAX_SETS = 100
    MAX_DOMAINS = 16
    # A word's place in a table is prefetched so many words before it is looked up.
    AHEAD = 16
    NONE = -1
    # The flag of an empty place in a table of words.
    EMPTY = -2
    CAP = 1_000_000
    # A tile has a multiple of so many blocks, which fill registers.
    LANES = 32

NARROW, WIDE, OPERATION, DOMAIN = (
    globals()[name].__members__ for name in ("Narrow", "Wide", "Operation", "Domain")
)
SUMS = columns.sums_of_facts(NARROW, WIDE)
columns.check_order(OPERATION, DOMAIN)
COLUMNS, VALUES = columns.COLUMNS, columns.VALUES

cdef struct Table:
    # The facts of a domain: the first one's number among all columns, and their count.
    int first
    int width


# The tables of the first round's facts, and of the second's.
cdef Table[2][MAX_DOMAINS] TABLES
# The columns of the facts that are named above.
cdef int[MAX_KNOWN] NUMBER
cdef bint[MAX_COLUMNS] IS_WIDE
# The column that a fact sums up, or -1.  Facts of containers and of siblings alike read a
# column of cumulative sums, those of other domains a column of blocks.
cdef int[MAX_COLUMNS] SOURCE
# The first of the columns in VALUES, and how many there are.
cdef int ONES = len(context.COLUMNS)
cdef int VALUE_COUNT = len(VALUES)


assert (operations.NONE, operations.CAP) == (NONE, CAP) and context.HIGHEST < MAX_CHANCES
assert len(tags.TAGS) <= MAX_TAGS and len(COLUMNS) <= MAX_COLUMNS
assert facts.OWN == ("div", "p", "span", "item", "row")
assert context.FACTS["like"] == ("weight", "expected")

cdef int CONTAINERS = facts.CONTAINERS
cdef int32_t FAR = facts.FAR
cdef int32_t LONG_FROM = facts.LONG
cdef int32_t LONGER_FROM = facts.LONGER
cdef int32_t AGAINST = facts.AGAINST
cdef int NEAR = facts.NEAR
cdef int32_t PARAGRAPH = tags.PARAGRAPH
cdef int32_t HEADING = tags.HEADING
cdef int32_t QUOTE = tags.QUOTE
cdef int TAG_COUNT = len(tags.TAGS)
cdef int32_t ZERO = context.ZERO
cdef int32_t HIGHEST = context.HIGHEST
cdef int32_t SURE_FROM = context.SURE
cdef int32_t LIKELY_FROM = context.LIKELY
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


cdef void fill_tables() except *:
    for i, (bits, tag_class) in enumerate(zip(facts.TAG_BITS, facts.TAG_CLASS)):
        TAG_BITS[i], TAG_CLASS[i] = bits, tag_class
    for i, chance in enumerate(context.CHANCE):
        CHANCE[i] = chance
    number = {name: i for i, name in enumerate(COLUMNS)}
    for i, declared in enumerate((facts.FACTS, context.FACTS)):
        for of, names in declared.items():
            names = [name for name in names if of or name not in BLOCK_NAMES]
            first = number[operations.names_of({of: names})[0]]
            TABLES[i][operations.DOMAINS.index(of)] = Table(first, len(names))
    for i in range(len(COLUMNS)):
        SOURCE[i], IS_WIDE[i] = NONE, False
    for name, source in SUMS.items():
        SOURCE[number[name]] = number.get(source, NONE)
        IS_WIDE[number[name]] = "." in name
    known = {name.replace(".", "_").upper(): i for name, i in number.items()}
    for name, i in [*NARROW.items(), *WIDE.items()]:
        NUMBER[i] = known[name]
        IS_WIDE[known[name]] = name in WIDE


fill_tables()

# -- numbers


cdef inline int32_t clip(int64_t value) noexcept nogil:
    value = CAP if value > CAP else value
    return <int32_t>(-CAP if value < -CAP else value)


cdef inline int64_t quotient(int64_t part, int64_t whole) noexcept nogil:
    """The part divided by the whole and rounded down; a whole below 1 counts as 1.

    Processors divide floats faster than whole numbers, and exactly below 2^53.
    """
    whole = whole if whole > 1 else 1
    if 0 <= part < <int64_t>1 << 53 and whole < <int64_t>1 << 53:
        return <int64_t>(<double>part / <double>whole)
    return part // whole if part >= 0 else -((whole - 1 - part) // whole)


cdef inline int64_t ratio(int64_t part, int64_t whole) noexcept nogil:
    """The part in thousandths of the whole."""
    return quotient(part * 1000, whole)

# -- operations, as operations.py has them

cdef struct Column:
    # The address of the first row, the number of bytes from row to row (0 if all blocks
    # share one row), and whether the numbers have 64 bits or 32.
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


ctypedef fused Number:
    int64_t
    double


cdef inline void take(
    const Column* column, size_t start, int count, Number* to
) noexcept nogil:
    """Copy ``count`` cells of a column, from row ``start`` on."""
    cdef Column of = column[0]
    cdef int i
    for i in range(count):
        to[i] = <Number>cell(&of, start + i)


cdef inline void take_span(
    const Column* column, size_t start, int count, size_t radius, size_t end, Number* to
) noexcept nogil:
    """Sums within ``radius`` of ``count`` rows, given a column of cumulative sums."""
    cdef const int64_t* sums = <const int64_t*>column.at
    cdef size_t row
    cdef int i
    for i in range(count):
        row = start + i
        to[i] = <Number>(
            sums[min(row + radius + 1, end)] - sums[row - radius if row > radius else 0]
        )


cdef void take_both(
    const Line* line,
    const Column* columns,
    size_t start,
    int count,
    size_t end,
    Number* part,
    Number* whole,
) noexcept nogil:
    """The dividends and divisors of a line for ``count`` rows, from ``start`` on."""
    cdef const Column* a = columns + line.a
    cdef const Column* b = columns + line.b
    cdef const Column* c
    cdef const int32_t* of
    cdef int64_t first
    cdef int i
    if line.operation == O_SPAN_RATIO or line.operation == O_SPAN_QUOTIENT:
        take_span(a, start, count, line.c, end, part)
        take_span(b, start, count, line.c, end, whole)
    elif line.operation == O_PLACE:
        c = columns + line.c
        of = <const int32_t*>a.at + start
        for i in range(count):
            first = cell(b, of[i])
            part[i] = <Number>(<int64_t>start + i - first)
            whole[i] = <Number>(cell(c, of[i]) - first)
    else:
        take(a, start, count, part)
        take(b, start, count, whole)


cdef void divide(
    const Line* line, const Column* columns, size_t start, int count, size_t end, int32_t* out
) noexcept nogil:
    """Evaluate a line that divides, for ``count`` rows from ``start`` on: at most a tile."""
    cdef double[TILE] part
    cdef double[TILE] whole
    cdef int64_t[TILE] exact_part
    cdef int64_t[TILE] exact_whole
    cdef int times = 1000
    cdef int i
    if line.operation == O_QUOTIENT or line.operation == O_SPAN_QUOTIENT:
        times = 1
    take_both(line, columns, start, count, end, part, whole)
    if divide_numbers(part, times, whole, count, CAP, out):
        return
    take_both(line, columns, start, count, end, exact_part, exact_whole)
    for i in range(count):
        out[i] = clip(quotient(exact_part[i] * times, exact_whole[i]))


cdef void evaluate(
    const Line* line, const Column* columns, size_t start, size_t count, size_t end, int32_t* out
) noexcept nogil:
    """Evaluate a line for ``count`` rows from ``start`` on, out of ``end`` rows."""
    cdef Column a = columns[line.a]
    cdef const int32_t* of = <const int32_t*>a.at
    cdef int32_t number = line.c
    cdef int64_t found
    cdef size_t i, row, stop = start + count
    out -= start
    if line.operation == O_COPY and not a.wide and a.step == sizeof(int32_t):
        for i in range(start, stop):
            out[i] = min(max(of[i], <int32_t>-CAP), <int32_t>CAP)
    elif line.operation == O_COPY:
        for i in range(start, stop):
            out[i] = clip(cell(&a, i))
    elif line.operation == O_LEFT:
        for i in range(start, stop):
            out[i] = clip(cell(&a, i) - cell(columns + line.b, i))
    elif line.operation == O_BIT and not a.wide and a.step == sizeof(int32_t):
        for i in range(start, stop):
            out[i] = of[i] >> number & 1
    elif line.operation == O_BIT:
        for i in range(start, stop):
            out[i] = cell(&a, i) >> number & 1
    elif line.operation == O_SHIFT or line.operation == O_STEP:
        for i in range(start, stop):
            # Before the first row it is a large number.
            row = i - <size_t>number
            found = cell(&a, row) if row < end else NONE
            out[i] = clip(found - cell(&a, i) if line.operation == O_STEP else found)
    elif line.operation == O_PICK:
        of = <const int32_t*>columns[line.b].at
        if a.wide:
            for i in range(start, stop):
                out[i] = clip(cell(&a, of[i]))
        else:
            # Of a figure, which is capped.
            for i in range(start, stop):
                out[i] = (<const int32_t*>a.at)[of[i]]
    else:
        i = start
        while i < stop:
            divide(line, columns, i, <int>min(stop - i, <size_t>TILE), end, out + i)
            i += TILE


# -- words in attributes and in texts


cdef struct Word:
    # A row of a table: a word's hash, its weights near a block and farther out, and the
    # number of its own feature, or NONE.
    uint32_t hash
    int32_t near
    int32_t far
    int32_t flag


cdef class Words:
    """Words that are found by their hashes at once, in a table half full at most.

    ``maybe`` has eight bits for each place of the table.  A hash whose bit is not set is
    not in the table, and most words of a page are not.  ``maybe`` is small enough to stay
    in a cache; the table is not.
    """

    cdef int32_t[:, ::1] table
    cdef uint8_t[::1] maybe
    cdef uint32_t mask

    def __init__(self, *columns):
        cdef int32_t[:, ::1] rows = np.stack([of.astype(np.int32) for of in columns], 1)
        cdef Py_ssize_t i
        self.mask = (1 << (2 * len(rows)).bit_length()) - 1
        self.table = np.full((self.mask + 1, 4), (0, 0, 0, EMPTY), dtype=np.int32)
        self.maybe = np.zeros(self.mask + 1, dtype=np.uint8)
        for i in range(len(rows)):
            self.maybe[<uint32_t>rows[i, 0] >> 3 & self.mask] |= 1 << (rows[i, 0] & 7)
            memcpy(<void*>place_of(self, rows[i, 0]), &rows[i, 0], sizeof(Word))


cdef inline const Word* place_of(Words words, uint32_t wanted) noexcept nogil:
    """The word of a hash, or the empty place where it would be."""
    cdef uint32_t at = wanted & words.mask
    cdef const Word* word = <const Word*>&words.table[at, 0]
    while word.hash != wanted and word.flag != EMPTY:
        at = (at + 1) & words.mask
        word = <const Word*>&words.table[at, 0]
    return word


cdef inline void fetch(Words words, uint32_t wanted) noexcept nogil:
    """Fetch what find() will read."""
    prefetch(&words.maybe[wanted >> 3 & words.mask])
    prefetch(&words.table[wanted & words.mask, 0])


cdef inline const Word* find(Words words, uint32_t wanted) noexcept nogil:
    """The word of a hash, or NULL."""
    cdef const Word* word
    if not words.maybe[wanted >> 3 & words.mask] >> (wanted & 7) & 1:
        return NULL
    word = place_of(words, wanted)
    return word if word.flag != EMPTY else NULL


cdef class WordTable:
    """A TokenTable: the words in attributes, and those in texts, which are near."""

    cdef Words names
    cdef Words texts

    def __init__(self, table):
        if table.flags > MAX_FLAGS:
            raise ValueError(f"more than {MAX_FLAGS} words with a feature")
        hashes, weight = table.words.hashes, table.words.weight
        self.names = Words(table.hashes, table.near, table.far, table.flag)
        self.texts = Words(hashes, weight, weight, np.full(len(hashes), NONE))

# -- the words that a text begins with, as words.py and told.py have them

cdef enum:
    # The most characters that are read of a text, which is also the most words in them,
    # and the most tokens that are made of a block's first words.
    MOST_SEEN = 240
    MOST_TOKENS = 24
    # Sources of what a page says of its text, and slots for their words.
    SOURCES = 4
    SLOTS = 4096

cdef int SEEN = words.SEEN
cdef int FIRST_WORDS = words.FIRST_WORDS
cdef int WORD_CHARS = words.WORD_CHARS
cdef int SHORT_WORDS = words.SHORT
cdef uint32_t BEGIN = words.BEGIN
cdef uint32_t PRIME = words.PRIME
cdef uint32_t BEGINS = words.BEGINS
cdef uint32_t ENDS = words.ENDS
cdef uint32_t ALONE = words.ALONE
cdef uint32_t NUMBER_WORD = ord(words.NUMBER)
cdef uint8_t UPPER = characters.UPPER
cdef uint8_t LETTER = characters.WORD
cdef uint8_t DIGIT = characters.DIGIT
cdef uint8_t WIDE_LETTER = characters.WIDE
cdef uint32_t WIDE_FIRST, WIDE_LAST
WIDE_FIRST, WIDE_LAST = characters.WIDE_PLANES
# Classes of characters, upper and lower case in one, and what they are in lower case.
cdef uint8_t[0x10000] CLASSES
cdef uint16_t[0x10000] LOWER
assert SEEN <= MOST_SEEN and 2 * FIRST_WORDS + 2 <= MOST_TOKENS
cdef int TOLD_SEEN = told.SEEN
cdef int MEASURED = len(told.MEASURED)
cdef int32_t HEADLINE_MOST = told.HEADLINE_WORDS
cdef int64_t HEADLINE_LEAST = told.HEADLINE_LEAST
cdef int64_t SUMMARY_LEAST = told.SUMMARY_LEAST
assert TOLD_SEEN <= MOST_SEEN and len(told.SOURCES) == SOURCES
assert tuple(told.SOURCES) == (told.TITLE, told.HEADLINE, told.SUMMARY, told.ADDRESS)


cdef void fill_characters() except *:
    for code, kind in enumerate(characters.CLASSES):
        CLASSES[code] = LETTER if kind == UPPER else kind
        LOWER[code] = words.LOWER.get(code, code)


fill_characters()


cdef inline uint32_t mix(uint32_t value, uint32_t more) noexcept nogil:
    return (value ^ more) * PRIME


cdef inline uint32_t pair(uint32_t one, uint32_t other) noexcept nogil:
    return mix(one * 31, other)


cdef struct Head:
    # The first characters of a text, folded, and their classes.
    int count
    uint32_t[MOST_SEEN] codes
    uint8_t[MOST_SEEN] kinds


cdef void read_head(Head* head, const uint8_t* at, const uint8_t* end, int most) noexcept nogil:
    """Read at most ``most`` characters of a text."""
    cdef uint32_t code
    cdef int seen = 0
    while at < end and seen < most:
        at += decode(at, &code)
        if code < 0x10000:
            head.codes[seen], head.kinds[seen] = LOWER[code], CLASSES[code]
        else:
            head.codes[seen] = code
            head.kinds[seen] = (
                WIDE_LETTER if WIDE_FIRST <= code <= WIDE_LAST else LETTER
            )
        seen += 1
    head.count = seen


cdef int words_in(const Head* head, int seen, int most, uint32_t* found) noexcept nogil:
    """Write the hashes of at most ``most`` words of a head; return how many there are."""
    cdef uint32_t value
    cdef uint8_t kind
    cdef int i = 0, first, count = 0
    while i < seen and count < most:
        kind, first = head.kinds[i], i
        i += 1
        if kind == LETTER:
            value = mix(BEGIN, head.codes[first])
            while i < seen and head.kinds[i] == LETTER:
                value = mix(value, head.codes[i]) if i - first < WORD_CHARS else value
                i += 1
            found[count] = value
            count += 1
        elif kind == DIGIT:
            while i < seen and head.kinds[i] == DIGIT:
                i += 1
            found[count] = mix(BEGIN, NUMBER_WORD)
            count += 1
        elif kind == WIDE_LETTER and i < seen and head.kinds[i] == WIDE_LETTER:
            # Each two neighbours, of which the next two share one.
            found[count] = mix(mix(BEGIN, head.codes[first]), head.codes[i])
            count += 1
    return count


cdef int tokens_of(
    const uint32_t* found, int count, bint whole, uint32_t* tokens
) noexcept nogil:
    """The hashes of a block's words, given the first of them; how many there are."""
    cdef uint32_t value
    cdef bint ended
    cdef int i, made = 0
    if count == 0:
        return 0
    ended = whole and count <= FIRST_WORDS
    count = min(count, FIRST_WORDS)
    for i in range(count):
        tokens[made] = found[i]
        made += 1
        if i:
            tokens[made] = pair(found[i - 1], found[i])
            made += 1
    tokens[made] = pair(BEGINS, found[0])
    made += 1
    if ended:
        tokens[made] = pair(ENDS, found[count - 1])
        made += 1
        if count <= SHORT_WORDS:
            value = ALONE
            for i in range(count):
                value = pair(value, found[i])
            tokens[made] = value
            made += 1
    return made


cdef struct Told:
    # The different words of what a page says of its text: slots of hashes, the sources of
    # each as bits, none where a slot is empty, and the last block that it was found in.
    uint32_t[SLOTS] hashes
    uint8_t[SLOTS] sources
    int32_t[SLOTS] last
    # How many words each source has, and whether there is any.
    int64_t[SOURCES] count
    bint any


cdef inline uint32_t told_slot(const Told* told, uint32_t word) noexcept nogil:
    """The slot of a word, or the empty one where it would be."""
    cdef uint32_t at = word & (SLOTS - 1)
    while told.sources[at] and told.hashes[at] != word:
        at = (at + 1) & (SLOTS - 1)
    return at


cdef void add_source(Told* told, int source, const uint8_t* at, size_t size) noexcept nogil:
    """Add the words of one source, which are far fewer than there are slots."""
    cdef Head head
    cdef uint32_t[MOST_SEEN] found
    cdef uint32_t slot
    cdef int i
    read_head(&head, at, at + size, TOLD_SEEN)
    for i in range(words_in(&head, head.count, MOST_SEEN, found)):
        slot = told_slot(told, found[i])
        if not told.sources[slot]:
            told.hashes[slot], told.last[slot] = found[i], NONE
        if not told.sources[slot] >> source & 1:
            told.sources[slot] |= <uint8_t>(1 << source)
            told.count[source] += 1
            told.any = True

# -- facts of a page, as facts.py has them

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
    # The element's number among the containers, where 0 is the page's, and the number of
    # its group of siblings, where 0 is the group of the elements without blocks.
    int32_t box
    int32_t like
    uint32_t way
    uint32_t tags
    uint64_t mask


cdef struct Weights:
    # The sum of words' weights, the lowest or 0, and the highest or 0.
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
    const uint8_t* told[SOURCES]
    size_t[SOURCES] told_size
    size_t element_count
    size_t count
    size_t token_count
    size_t text_size
    # The time of the clock to give up at, or 0.
    double end
    # All allocated memory, and whether an allocation failed.
    Array parts
    bint failed
    # All columns by their numbers, and how many rows there are in each domain.
    Column[MAX_COLUMNS] column
    size_t[MAX_DOMAINS] rows
    int64_t one
    Element* element
    Named* named
    # The elements that are containers; the first of these is the page.
    int32_t boxes
    int32_t* box_element
    int32_t likes
    # Room for sorting keys, and for values that are not kept.
    uint64_t* keys
    uint64_t* spare


cdef int open_page(Page* p, walk) except -1:
    """Point to a walk's tables, whose numbers are not trusted yet."""
    cdef const int32_t[:, ::1] elements = walk.elements
    cdef const int32_t[:, ::1] blocks = walk.blocks
    cdef const uint32_t[::1] tokens = walk.tokens
    cdef const uint8_t[::1] text = walk.text
    cdef tuple told = walk.told
    cdef bytes said
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
    p.text_size = text.shape[0]
    if p.text_size:
        p.text = &text[0]
    if told and len(told) != SOURCES:
        raise ValueError("the walk tells of another number of sources")
    for i, said in enumerate(told):
        p.told[i], p.told_size[i] = <const uint8_t*><const char*>said, len(said)
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
    """A column of Narrow, or the column ``behind`` places after it."""
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
    """Number the groups of equal keys, and say how many there are.

    The lower 32 bits of a key are the number of its entry.  Keys are sorted by the upper
    32 bits, byte by byte, which takes linear time whatever the keys are.
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
    """Whether all indexes are in range, and no numbers are too large to be summed up."""
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


cdef int read_page(Page* p, WordTable words) noexcept nogil:
    """Make all facts of the first round."""
    if not is_sound(p):
        return NOT_SOUND
    cdef size_t n = p.count
    cdef size_t most = n if n > p.element_count else p.element_count
    cdef Told* told
    p.element = <Element*>room_for(p, p.element_count, sizeof(Element))
    p.named = <Named*>room_for(p, p.element_count, sizeof(Named))
    told = <Told*>room_for(p, 1, sizeof(Told))
    p.box_element = <int32_t*>room_for(p, p.element_count, sizeof(int32_t))
    p.keys = <uint64_t*>room_for(p, most, sizeof(uint64_t))
    p.spare = <uint64_t*>room_for(p, most, sizeof(uint64_t))
    open_facts(p, 0, D_, n)
    open_columns(p, ONES + 1, VALUE_COUNT - 1, n, False)
    open_facts(p, 0, D_SUM, n + 1)
    open_facts(p, 0, D_PAGE, 1)
    if p.failed:
        return NO_MEMORY
    read_elements(p)
    read_tokens(p, words.names)
    if is_late(p):
        return TIME_IS_UP
    read_blocks(p)
    read_distances(p)
    read_names(p)
    read_texts(p, words.texts, told)
    read_against(p)
    if is_late(p):
        return TIME_IS_UP
    sum_up(p, 0, D_SUM)
    if read_boxes(p) or read_likes(p):
        return NO_MEMORY
    read_containers(p)
    if is_late(p):
        return TIME_IS_UP
    if read_copies(p) or read_group(p, D_WAY) or read_group(p, D_TAGS):
        return NO_MEMORY
    sum_up(p, 0, D_PAGE)
    return DONE


cdef void read_elements(Page* p) noexcept nogil:
    """Hand values down from ancestors; parents stand before their children."""
    cdef const int32_t* from_ = p.elements
    cdef Element* e = p.element
    cdef const Element* parent
    cdef int64_t* groups = wide(p, PAGE_TAG_GROUPS)
    cdef int64_t* articles = wide(p, PAGE_ARTICLES)
    cdef uint32_t name, way, same_tags
    cdef size_t i
    for i in range(p.element_count):
        e.parent, e.tag, e.depth = from_[ELEMENT_PARENT], from_[ELEMENT_TAG], from_[ELEMENT_DEPTH]
        e.first, e.last = from_[ELEMENT_FIRST_BLOCK], from_[ELEMENT_LAST_BLOCK]
        e.up, e.top = NONE, <int32_t>i
        e.mask = TAG_BITS[e.tag]
        groups[0] |= e.mask
        articles[0] += e.mask >> BIT_ARTICLE & 1
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
    wide(p, PAGE_ELEMENTS)[0] = p.element_count


cdef inline void add_weight(Weights* to, int64_t sum, int32_t low, int32_t high) noexcept nogil:
    to.sum += sum
    to.low, to.high = min(to.low, low), max(to.high, high)


cdef void read_tokens(Page* p, Words words) noexcept nogil:
    cdef const int32_t* from_ = p.elements
    cdef Named* named = p.named
    cdef const Word* word
    cdef size_t i
    cdef int32_t k, token_count = <int32_t>p.token_count
    for i in range(p.element_count):
        if from_[ELEMENT_PARENT] >= 0:
            named.far = p.named[from_[ELEMENT_PARENT]].far
            named.flags = p.named[from_[ELEMENT_PARENT]].flags
        for k in range(from_[ELEMENT_FIRST_TOKEN], from_[ELEMENT_FIRST_TOKEN] + from_[ELEMENT_TOKENS]):
            if k + AHEAD < token_count:
                fetch(words, p.tokens[k + AHEAD])
            word = find(words, p.tokens[k])
            if word == NULL:
                continue
            add_weight(&named.near, word.near, word.near, word.near)
            add_weight(&named.far, word.far, word.far, word.far)
            if word.flag >= 0:
                named.flags |= <uint64_t>1 << word.flag
        from_ += ELEMENT_COLUMNS
        named += 1


cdef void read_blocks(Page* p) noexcept nogil:
    """The facts of single blocks, and of the page, by their elements and columns."""
    cdef const int32_t* b = p.blocks
    cdef const Element* e
    cdef int64_t* longest = wide(p, PAGE_LONGEST)
    cdef uint64_t own, inner, mask
    cdef int64_t w, before = 0, in_main = 0, in_article = 0
    cdef int32_t kind
    cdef size_t i
    for i in range(p.count):
        w = <int64_t>b[BLOCK_WORDS] + b[BLOCK_WIDE] // 2
        kind = b[BLOCK_KIND]
        e = p.element + b[BLOCK_ELEMENT]
        own, inner = TAG_BITS[e.tag], TAG_BITS[p.element[b[BLOCK_INNER]].tag]
        mask = (e.mask | inner) & ANCESTORS
        narrow(p, PLACE)[i] = <int32_t>i
        wide(p, W)[i] = w
        wide(p, WORDS_BEFORE)[i] = before
        narrow(p, WEIGHT)[i] = clip(w)
        narrow(p, DEPTH)[i] = e.depth
        narrow(p, AROUND)[i] = <int32_t>mask
        narrow(p, OWN)[i] = <int32_t>(
            (own >> BIT_DIV & 1)
            | (own >> BIT_P & 1) << 1
            | (inner >> BIT_SPAN & 1) << 2
            | <uint64_t>(b[BLOCK_ITEM] >= 0) << 3
            | <uint64_t>(b[BLOCK_ROW] >= 0) << 4
        )
        narrow(p, HEADINGS)[i] = kind == HEADING
        wide(p, LONG)[i] = w if w >= LONG_FROM else 0
        wide(p, FLOWING)[i] = w if kind == PARAGRAPH or kind == QUOTE else 0
        before += w
        longest[0] = max(longest[0], w)
        in_main += w if mask >> BIT_MAIN & 1 else 0
        in_article += w if mask >> BIT_ARTICLE & 1 else 0
        b += BLOCK_COLUMNS
    wide(p, PAGE_MAIN)[0], wide(p, PAGE_ARTICLE)[0] = in_main, in_article
    wide(p, PAGE_LAST)[0] = p.count - 1


cdef void distances(
    const int32_t* values, int32_t least, int32_t count, int32_t* since, int32_t* to
) noexcept nogil:
    """How far back and on the nearest blocks with ``least`` or more are, or FAR."""
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
    cdef int64_t* titles = wide(p, PAGE_TITLES)
    cdef int32_t heading = NONE, title = NONE, level = 0
    cdef int32_t i, count = <int32_t>p.count
    for i in range(count):
        if b[BLOCK_KIND] == HEADING:
            heading, level = i, b[BLOCK_LEVEL]
            if level == 1:
                title = i if title < 0 else title
                titles[0] += 1
        narrow(p, SINCE_HEADING)[i] = i - heading if heading >= 0 else NONE
        narrow(p, HEADING_LEVEL)[i] = level
        b += BLOCK_COLUMNS
    for i in range(count):
        narrow(p, FROM_TITLE)[i] = i - title if title >= 0 else -FAR
    distances(narrow(p, WEIGHT), LONGER_FROM, count, narrow(p, SINCE_LONG), narrow(p, TO_LONG))


cdef void read_names(Page* p) noexcept nogil:
    """The weights and flags of the words in attributes around each block."""
    cdef const Named* named
    cdef Weights near, far
    cdef int32_t element
    cdef size_t i
    cdef int k
    for i in range(p.count):
        element = p.blocks[i * BLOCK_COLUMNS + BLOCK_INNER]
        narrow(p, FLAGS0)[i] = <int32_t>p.named[element].flags
        narrow(p, FLAGS1)[i] = <int32_t>(p.named[element].flags >> 32)
        near = far = Weights(0, 0, 0)
        for k in range(NEAR):
            if element < 0:
                break
            named = p.named + element
            add_weight(&near, named.near.sum, named.near.low, named.near.high)
            element = p.element[element].parent
        if element >= 0:
            far = p.named[element].far
        narrow(p, NAMES_NEAR)[i] = clip(near.sum)
        narrow(p, NAMES_FAR)[i] = clip(far.sum)
        narrow(p, NAMES)[i] = clip(near.sum + far.sum)
        narrow(p, NAMES_NEAR_LOW)[i] = clip(near.low)
        narrow(p, NAMES_NEAR_HIGH)[i] = clip(near.high)
        narrow(p, NAMES_FAR_LOW)[i] = clip(far.low)
        narrow(p, NAMES_FAR_HIGH)[i] = clip(far.high)


cdef void read_texts(Page* p, Words words, Told* told) noexcept nogil:
    """The weights of the blocks' words, and the words shared with the page's title etc."""
    cdef const int32_t* b = p.blocks
    cdef Head head
    cdef uint32_t[MOST_SEEN] found
    cdef uint32_t[MOST_SEEN] first
    cdef uint32_t[2][MOST_TOKENS] tokens
    cdef int[2] made
    cdef const uint32_t* begin
    cdef size_t i
    cdef int source, count, k
    cdef bint whole
    for i in range(p.count):
        narrow(p, FROM_HEADLINE)[i] = narrow(p, FROM_SUMMARY)[i] = -FAR
    if not p.text_size:
        return
    for source in range(SOURCES):
        add_source(told, source, p.told[source], p.told_size[source])
        if source < MEASURED:
            wide(p, PAGE_TOLD_TITLE + source)[0] = told.count[source]
    for i in range(p.count):
        if not 0 <= b[BLOCK_START] <= b[BLOCK_END] or <size_t>b[BLOCK_END] > p.text_size:
            return
        read_head(
            &head,
            p.text + b[BLOCK_START],
            p.text + b[BLOCK_END],
            TOLD_SEEN if told.any else SEEN,
        )
        begin = found
        if told.any:
            count = words_in(&head, head.count, MOST_SEEN, found)
            read_told(p, i, found, count, told)
        if head.count > SEEN or not told.any:
            begin = first
            count = words_in(&head, min(head.count, SEEN), FIRST_WORDS + 1, first)
        whole = b[BLOCK_CHARS] <= SEEN
        made[i & 1] = tokens_of(begin, min(count, FIRST_WORDS + 1), whole, tokens[i & 1])
        for k in range(made[i & 1]):
            fetch(words, tokens[i & 1][k])
        # By the next block they are fetched.
        if i:
            read_words(p, i - 1, tokens[~i & 1], made[~i & 1], words)
        b += BLOCK_COLUMNS
    read_words(p, i, tokens[i & 1], made[i & 1], words)
    if told.any:
        read_best(p)


cdef void read_words(
    Page* p, size_t i, const uint32_t* tokens, int count, Words words
) noexcept nogil:
    """The weights of the words that a block begins with."""
    cdef Weights found = Weights(0, 0, 0)
    cdef const Word* word
    cdef int k
    for k in range(count):
        word = find(words, tokens[k])
        if word != NULL:
            add_weight(&found, word.near, word.near, word.near)
    narrow(p, TEXT)[i] = clip(found.sum)
    narrow(p, TEXT_LOW)[i] = found.low
    narrow(p, TEXT_HIGH)[i] = found.high


cdef void read_told(
    Page* p, size_t i, const uint32_t* found, int count, Told* told
) noexcept nogil:
    """The facts of told.TOLD for a block, given its words."""
    cdef int32_t[1 << SOURCES] counts
    cdef uint32_t slot
    cdef int32_t top = 0, summary = 0, of
    cdef int64_t cover
    cdef int k, bits, source
    cdef bint some = False
    narrow(p, TOLD_WORDS)[i] = count
    memset(counts, 0, sizeof(counts))
    for k in range(count):
        slot = told_slot(told, found[k])
        if told.sources[slot] and told.last[slot] != <int32_t>i:
            told.last[slot] = <int32_t>i
            counts[told.sources[slot]] += 1
            some = True
    if not some:
        return
    for bits in range(1, 1 << SOURCES):
        of = counts[bits]
        top += of if bits & 3 else 0
        summary += of if bits >> 2 & 1 else 0
        for source in range(SOURCES):
            narrow(p, TOLD_TITLE + source)[i] += of if bits >> source & 1 else 0
    cover = max(
        ratio(narrow(p, TOLD_TITLE)[i], told.count[0]),
        ratio(narrow(p, TOLD_HEADLINE)[i], told.count[1]),
    )
    narrow(p, TOLD)[i] = 2 * top + summary
    narrow(p, TOLD_TOP)[i] = top
    if wide(p, W)[i] <= HEADLINE_MOST:
        # In millionths; read_best() turns it into thousandths.
        narrow(p, HEADLINE)[i] = <int32_t>(cover * ratio(top, count))


cdef void read_best(Page* p) noexcept nogil:
    """How far each block is after the best headline and after the best summary."""
    cdef const int32_t* of_summary = narrow(p, TOLD_SUMMARY)
    cdef int32_t* headline = narrow(p, HEADLINE)
    cdef int64_t covered
    cdef size_t i, title = 0, summary = 0
    for i in range(p.count):
        title = i if headline[i] > headline[title] else title
        summary = i if of_summary[i] > of_summary[summary] else summary
    covered = ratio(of_summary[summary], wide(p, PAGE_TOLD_SUMMARY)[0])
    wide(p, PAGE_BEST_HEADLINE)[0] = headline[title] // 1000
    wide(p, PAGE_BEST_SUMMARY)[0] = covered
    for i in range(p.count):
        if wide(p, PAGE_BEST_HEADLINE)[0] * 1000 >= HEADLINE_LEAST:
            narrow(p, FROM_HEADLINE)[i] = <int32_t>i - <int32_t>title
        if covered >= SUMMARY_LEAST:
            narrow(p, FROM_SUMMARY)[i] = <int32_t>i - <int32_t>summary
    for i in range(p.count):
        headline[i] //= 1000


cdef void read_against(Page* p) noexcept nogil:
    """The text of the last heading, and how far blocks are that words tell against."""
    cdef const int32_t* b = p.blocks
    cdef int32_t* against = <int32_t*>p.spare
    cdef int32_t text = 0
    cdef size_t i
    for i in range(p.count):
        against[i] = -narrow(p, TEXT)[i]
        text = narrow(p, TEXT)[i] if b[BLOCK_KIND] == HEADING else text
        narrow(p, HEADING_TEXT)[i] = text
        b += BLOCK_COLUMNS
    distances(
        against, AGAINST, <int32_t>p.count, narrow(p, SINCE_AGAINST), narrow(p, TO_AGAINST)
    )


cdef int read_boxes(Page* p) noexcept nogil:
    """The containers, the page first."""
    cdef const Element* e
    cdef int32_t k
    open_facts(p, 0, D_BOX, p.boxes + 1)
    if p.failed:
        return NO_MEMORY
    wide(p, BOX_LAST)[0] = p.count
    for k in range(1, p.boxes + 1):
        e = p.element + p.box_element[k]
        wide(p, BOX_FIRST)[k] = e.first
        wide(p, BOX_LAST)[k] = e.last
        wide(p, BOX_DEPTH)[k] = e.depth
    sum_up(p, 0, D_BOX)
    return DONE


cdef int read_likes(Page* p) noexcept nogil:
    """Siblings that look alike, whose text is taken together."""
    cdef int32_t* of = <int32_t*>room_for(p, p.element_count, sizeof(int32_t))
    cdef Element* e
    cdef int64_t* like
    cdef size_t i
    cdef int k
    if of == NULL:
        return NO_MEMORY
    p.likes = group(p, p.likes, of)
    # The last row stands for a missing branch.
    open_facts(p, 0, D_LIKE, p.likes + 2)
    if p.failed:
        return NO_MEMORY
    wide(p, LIKE_N)[0] = 1
    for i in range(p.element_count):
        e = p.element + i
        if e.last > e.first:
            e.like = of[i] + 1
            wide(p, LIKE_N)[e.like] += 1
    sum_up(p, 0, D_LIKE)
    for k in range(TABLES[0][<int>D_LIKE].width):
        like = fact(p, 0, D_LIKE, k)
        like[p.likes + 1] = like[p.element[p.element[0].top].like]
    for i in range(p.count):
        narrow(p, OF_LIKE)[i] = p.element[p.blocks[i * BLOCK_COLUMNS + BLOCK_ELEMENT]].like
    return DONE


cdef void read_containers(Page* p) noexcept nogil:
    """The containers of blocks and their branches, see facts._containers()."""
    cdef int32_t* inside = <int32_t*>p.spare
    cdef int32_t* of_box
    cdef int32_t* of_like
    cdef int32_t* branches
    cdef int32_t branch
    cdef size_t i
    cdef int k
    for i in range(p.count):
        inside[i] = p.blocks[i * BLOCK_COLUMNS + BLOCK_ELEMENT]
    for k in range(CONTAINERS):
        of_box = narrow(p, OF_BOX1, k)
        of_like = narrow(p, OF_LIKE1, k)
        branches = narrow(p, BRANCH1, k)
        for i in range(p.count):
            branch = p.element[inside[i] if inside[i] >= 0 else 0].top
            of_like[i] = p.element[branch].like if inside[i] >= 0 else p.likes + 1
            branches[i] = TAG_CLASS[p.element[branch].tag]
            inside[i] = p.element[inside[i]].up if inside[i] >= 0 else NONE
            of_box[i] = p.element[inside[i]].box if inside[i] >= 0 else 0


cdef int open_groups(Page* p, int domain) noexcept nogil:
    """Number a domain's groups of blocks by their keys, and allocate its first facts."""
    open_facts(p, 0, domain, group(p, p.count, rows_of(p, domain)))
    return NO_MEMORY if p.failed else DONE


cdef int read_copies(Page* p) noexcept nogil:
    """The facts of groups of blocks with the same text."""
    cdef const int32_t* of = rows_of(p, D_COPIES)
    cdef const int64_t* n
    cdef size_t i
    for i in range(p.count):
        set_key(p, i, <uint32_t>p.blocks[i * BLOCK_COLUMNS + BLOCK_HASH])
    if open_groups(p, D_COPIES):
        return NO_MEMORY
    sum_up(p, 0, D_COPIES)
    n = fact(p, 0, D_COPIES, 0)
    for i in range(p.count):
        narrow(p, COPIED)[i] = n[of[i]] > 1
    return DONE


cdef int read_group(Page* p, int domain) noexcept nogil:
    """The facts of groups of blocks with the same way, or of those with the same tags."""
    cdef const int32_t* b = p.blocks
    cdef const int32_t* of = rows_of(p, domain)
    # How far a fact of the domain is from that of way.
    cdef int more = (domain - D_WAY) * (TAGS_N - WAY_N)
    cdef uint32_t key
    cdef int64_t* n
    cdef int64_t* words
    cdef int64_t* first
    cdef int64_t* last
    cdef int64_t* longest
    cdef size_t i, k, top = 0
    for i in range(p.count):
        key = p.element[b[BLOCK_ELEMENT]].tags if more else p.element[b[BLOCK_INNER]].way
        set_key(p, i, key)
        b += BLOCK_COLUMNS
    if open_groups(p, domain):
        return NO_MEMORY
    n, words = wide(p, WAY_N + more), wide(p, WAY_W + more)
    first, last = wide(p, WAY_FIRST + more), wide(p, WAY_LAST + more)
    longest = wide(p, WAY_LONGEST + more)
    for i in range(p.count):
        k = of[i]
        if n[k] == 0:
            first[k] = i
        n[k] += 1
        words[k] += wide(p, W)[i]
        last[k] = i + 1
        longest[k] = max(longest[k], wide(p, W)[i])
    sum_up(p, 0, domain)
    for k in range(p.rows[domain]):
        wide(p, WAY_REACH + more)[k] = last[k] - 1 - first[k]
        wide(p, PAGE_WAY_MANY + more)[0] += words[k] if n[k] >= 4 else 0
        # Of several groups with the most words, the one that begins first.
        if words[k] > words[top] or (words[k] == words[top] and first[k] < first[top]):
            top = k
    wide(p, PAGE_WAY_TOP + more)[0] = words[top]
    wide(p, PAGE_WAY_TOP_N + more)[0] = n[top]
    wide(p, PAGE_WAY_GROUPS + more)[0] = p.rows[domain]
    return DONE

# -- the context, as context.py has it


cdef int read_likelihoods(Page* p, const int64_t* found) noexcept nogil:
    """Make all facts of the second round."""
    cdef const int32_t* w = narrow(p, WEIGHT)
    cdef int32_t* chances = <int32_t*>p.spare
    cdef int64_t* best
    cdef int64_t before = 0, likely = 0, likely_words = 0, unsure = 0
    cdef int32_t chance
    cdef uint32_t kind
    cdef size_t i
    cdef int domain
    open_facts(p, 1, D_, p.count)
    if p.failed:
        return NO_MEMORY
    for i in range(p.count):
        kind = p.blocks[i * BLOCK_COLUMNS + BLOCK_KIND]
        set_key(p, i, kind << 16 | <uint32_t>min(narrow(p, DEPTH)[i], DEEPEST))
    p.rows[<int>D_KIND] = group(p, p.count, rows_of(p, D_KIND))
    # The other domains have the rows that they had in the first round.
    for domain in range(D_PAGE, D_KIND + 1):
        open_facts(p, 1, domain, p.rows[domain])
    if p.failed:
        return NO_MEMORY
    best = wide(p, PAGE_BEST)
    for i in range(p.count):
        if not 0 <= found[i] <= HIGHEST:
            return NOT_SOUND
        chances[i] = chance = CHANCE[found[i]]
        narrow(p, LIKELIHOOD)[i] = <int32_t>found[i]
        narrow(p, EXPECTED)[i] = chance * w[i]
        wide(p, EXPECTED_BEFORE)[i] = before
        before += narrow(p, EXPECTED)[i]
        wide(p, EXPECTED_BEHIND)[i] = -before
        likely += chance >= LIKELY_FROM
        likely_words += w[i] if chance >= LIKELY_FROM else 0
        unsure += <int64_t>min(chance, 1000 - chance) * w[i]
        best[0] = max(best[0], found[i])
    for i in range(p.count):
        wide(p, EXPECTED_BEHIND)[i] += before
    wide(p, PAGE_LIKELY)[0], wide(p, PAGE_LIKELY_WORDS)[0] = likely, likely_words
    wide(p, PAGE_UNSURE)[0], wide(p, PAGE_THOUSAND)[0] = unsure, 1000
    read_runs(p, LIKELY_FROM, SINCE_LIKELY, TO_LIKELY, PAGE_FIRST_LIKELY)
    read_runs(p, SURE_FROM, SINCE_SURE, TO_SURE, PAGE_FIRST_SURE)
    read_ranks(p)
    if is_late(p):
        return TIME_IS_UP
    for domain in range(D_PAGE, D_KIND + 1):
        sum_up(p, 1, domain)
    # The last row stands for a missing branch: the chance of its siblings is -1.
    fact(p, 1, D_LIKE, 0)[p.likes + 1] = 1
    fact(p, 1, D_LIKE, 1)[p.likes + 1] = NONE
    return DONE


cdef void read_runs(Page* p, int32_t least, int since, int to, int first) noexcept nogil:
    """How far the nearest blocks with ``least`` chance are, and where the outermost are."""
    cdef const int32_t* chances = <const int32_t*>p.spare
    cdef int64_t found = NONE, last = NONE
    cdef size_t i
    distances(chances, least, <int32_t>p.count, narrow(p, since), narrow(p, to))
    for i in range(p.count):
        if chances[i] >= least:
            found = i if found < 0 else found
            last = i
    wide(p, first)[0], wide(p, first + 1)[0] = found, last


cdef void read_ranks(Page* p) noexcept nogil:
    """The blocks by falling likelihood; equally likely blocks keep their order."""
    cdef int32_t[MAX_CHANCES] starts
    cdef const int32_t* likelihood = narrow(p, LIKELIHOOD)
    cdef int32_t* ranked = <int32_t*>p.spare
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
        words += narrow(p, WEIGHT)[place]
        expected += narrow(p, EXPECTED)[place]
        narrow(p, RANK)[place] = <int32_t>i
        wide(p, WORDS_TO_RANK)[place] = words
        wide(p, EXPECTED_TO_RANK)[place] = expected

# -- rounds


cdef class Program:
    """Features of one round, the figures that they need, and who asks about them."""

    cdef const int32_t[:, ::1] figures
    cdef const int32_t[:, ::1] lines
    # The number of each feature in each of the ensembles that ask, or NONE.
    cdef const int32_t[:, :] asked

    def __init__(self, names, flags, later, *asking):
        self.figures, self.lines = columns.program(tuple(names), flags, later)
        asked = np.full((len(names), len(asking)), NONE, dtype=np.int32)
        for i, trees in enumerate(asking):
            number = {name: k for k, name in enumerate(trees.names)}
            asked[:, i] = [number.get(name, NONE) for name in names]
        self.asked = asked

    cdef int make_figures(self, Page* p) noexcept nogil:
        cdef const Line* line
        cdef Py_ssize_t i
        cdef size_t rows
        for i in range(self.figures.shape[0]):
            line = <const Line*>&self.figures[i, 0]
            rows = p.rows[line.domain]
            open_columns(p, line.column, 1, rows, line.domain == D_PAGE)
            if p.failed:
                return NO_MEMORY
            evaluate(line, p.column, 0, rows, rows, <int32_t*>p.column[line.column].at)
        return DONE


# -- trees


cdef class Forest:
    """The numbers of a Trees, which has checked them, in the order of evaluation."""

    cdef int features
    cdef int trees
    cdef int depth
    cdef int classes
    cdef int64_t scale
    cdef int32_t[::1] borders
    cdef int32_t[::1] starts
    # The features that each level of each tree asks about, tree by tree.
    cdef int32_t[::1] feature
    cdef uint8_t[::1] bin
    # Tree by tree, and in it class by class, a table of leaves.
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

    cdef void count_row(
        self, int feature, const int32_t* values, int width, bint same, uint8_t* bins
    ) noexcept nogil:
        """Turn a feature's values in a tile into bins; the first may be ``same`` for all.

        No feature is NONE.
        """
        cdef int start
        if feature == NONE:
            return
        start = self.starts[feature]
        bins += <size_t>feature * TILE
        count_borders(
            values,
            1 if same else width,
            &self.borders[start],
            self.starts[feature + 1] - start,
            bins,
        )
        if same:
            memset(bins, bins[0], width)

    cdef void add(self, const uint8_t* bins, int width, int32_t* sums) noexcept nogil:
        """The trees' sums of a tile's blocks, a row a class."""
        cdef uint8_t[TILE] place
        cdef const int16_t* leaves = &self.leaves[0]
        cdef int tree, k
        memset(sums, 0, <size_t>self.classes * TILE * sizeof(int32_t))
        for tree in range(self.trees):
            k = tree * self.depth
            find_places(bins, width, self.depth, &self.feature[k], &self.bin[k], place)
            for k in range(self.classes):
                add_leaves(leaves, place, width, sums + k * TILE)
                leaves += 1 << self.depth

    cdef void likelihoods(
        self,
        const Page* p,
        size_t start,
        size_t width,
        const uint8_t* bins,
        int32_t* sums,
        int64_t* out,
    ) noexcept nogil:
        """The first class's sums of a tile's blocks as likelihoods."""
        cdef int64_t value
        cdef size_t i
        self.add(bins, <int>width, sums)
        for i in range(min(p.count - start, width)):
            value = quotient((<int64_t>sums[i] + self.bias[0]) * 100, self.scale)
            out[start + i] = min(max(value, -ZERO), HIGHEST - ZERO) + ZERO

    def sums(self, const int32_t[:, :] matrix):
        """The answers for each block, as Trees.sums()."""
        cdef int32_t[TILE] values
        cdef int32_t[:, ::1] found = np.zeros((self.classes + 1, TILE), dtype=np.int32)
        cdef uint8_t[:, ::1] bins = np.zeros((self.features + 1, TILE), dtype=np.uint8)
        cdef int count = <int>matrix.shape[1]
        cdef int start, width, full, i, k
        made = np.zeros((self.classes, count), dtype=np.int64)
        cdef int64_t[:, ::1] out = made
        for start in range(0, count, TILE):
            width = min(TILE, count - start)
            full = tile_width(width)
            for k in range(self.features):
                for i in range(width):
                    values[i] = matrix[k, start + i]
                self.count_row(k, values, full, False, &bins[0, 0])
            self.add(&bins[0, 0], full, &found[0, 0])
            for k in range(self.classes):
                for i in range(width):
                    out[k, start + i] = <int64_t>found[k, i] + self.bias[k]
        return made

    def answers(self, const int64_t[::1] figures, const Py_ssize_t[::1] places):
        """What PythonForest.answers() gives; a single sample is compared without bins."""
        cdef int tree, level, k, feature, place
        cdef const int16_t* leaves = &self.leaves[0]
        made = self.bias.base[: self.classes].astype(np.int64)
        cdef int64_t[::1] out = made
        if places.shape[0] != self.features:
            raise ValueError("each feature needs a figure")
        for k in range(self.features):
            if not 0 <= places[k] < figures.shape[0]:
                raise IndexError(f"there is no figure {places[k]}")
        for tree in range(self.trees):
            place = 0
            for level in range(self.depth):
                k = tree * self.depth + level
                feature = self.feature[k]
                place |= (
                    figures[places[feature]]
                    > self.borders[self.starts[feature] + self.bin[k]]
                ) << level
            for k in range(self.classes):
                out[k] += leaves[place]
                leaves += 1 << self.depth
        return made


def _padded(array, dtype):
    """A copy in one row, with zeros after it, so that it is never empty."""
    return np.append(np.ascontiguousarray(array).ravel(), np.zeros(64)).astype(dtype)


# -- all together


cdef inline int tile_width(size_t count) noexcept nogil:
    """How many blocks make a tile, out of ``count``: all tiles are about equally full."""
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
    """What model.PythonTagger is."""

    cdef WordTable words
    cdef int flags
    cdef Program own
    cdef Program around
    cdef Forest first
    cdef Forest second

    def __init__(self, names, first, second):
        own, around = context.asked(first.names, second.names, names.flags)
        self.words, self.flags = WordTable(names), names.flags
        self.own = Program(own, self.flags, False, first, second)
        self.around = Program(around, self.flags, True, first, second)
        self.first, self.second = first.forest, second.forest

    def likelihoods(self, walk):
        """What PythonTagger.likelihoods() gives.

        Raises TimeLimitError where the time for the page is up.
        """
        cdef Page page
        cdef int status
        cdef int64_t[::1] out
        made = np.zeros(len(walk.blocks), dtype=np.int64)
        if not len(made):
            return made
        out = made
        open_page(&page, walk)
        page.end = eatext_clock() + remaining()
        with nogil:
            status = self.run(&page, &out[0])
            close_page(&page)
        raise_for(status)
        return made

    def features(self, walk, names, const int64_t[::1] likelihood=None):
        """What PythonTagger.features() gives."""
        cdef Page page
        cdef Program program = Program(names, self.flags, likelihood is not None)
        cdef const Line* line
        cdef int32_t[:, ::1] out
        cdef Py_ssize_t k
        made = np.zeros((len(names), len(walk.blocks)), dtype=np.int32)
        if made.size:
            out = made
            open_page(&page, walk)
            if likelihood is not None and likelihood.shape[0] != out.shape[1]:
                raise ValueError("as many likelihoods as blocks are needed")
            try:
                raise_for(read_page(&page, self.words))
                if likelihood is not None:
                    raise_for(read_likelihoods(&page, &likelihood[0]))
                raise_for(program.make_figures(&page))
                for k in range(out.shape[0]):
                    line = <const Line*>&program.lines[k, 0]
                    evaluate(line, page.column, 0, page.count, page.count, &out[k, 0])
            finally:
                close_page(&page)
        return dict(zip(names, made))

    cdef int run(self, Page* p, int64_t* out) noexcept nogil:
        """Both rounds, a tile at a time."""
        cdef size_t width = tile_width(p.count)
        cdef size_t tiles = (p.count + width - 1) // width
        # The room that the second round's bins of a tile take, and of how many tiles
        # the first round keeps its part of these.
        cdef size_t room = <size_t>self.second.features * TILE
        cdef size_t kept = min(tiles, most_bins // room) if room else 0
        cdef size_t classes = max(self.first.classes, self.second.classes)
        cdef size_t i
        cdef int status
        cdef int32_t* sums
        cdef uint8_t* bins
        cdef uint8_t* later
        cdef uint8_t* here
        status = read_page(p, self.words) or self.own.make_figures(p)
        if status:
            return status
        bins = <uint8_t*>room_for(p, self.first.features, TILE)
        # room_for() adds one more, for the tiles that are not kept.
        later = <uint8_t*>room_for(p, kept, room, False)
        sums = <int32_t*>room_for(p, classes, TILE * sizeof(int32_t))
        if p.failed:
            return NO_MEMORY
        for i in range(tiles):
            if is_late(p):
                return TIME_IS_UP
            here = later + i * room if i < kept else NULL
            self.make_bins(self.own, p, i * width, width, bins, here)
            self.first.likelihoods(p, i * width, width, bins, sums, out)
        status = read_likelihoods(p, out) or self.around.make_figures(p)
        if status:
            return status
        for i in range(tiles):
            if is_late(p):
                return TIME_IS_UP
            here = later + min(i, kept) * room
            if i >= kept:
                self.make_bins(self.own, p, i * width, width, NULL, here)
            self.make_bins(self.around, p, i * width, width, NULL, here)
            self.second.likelihoods(p, i * width, width, here, sums, out)
        return DONE

    cdef void make_bins(
        self,
        Program program,
        const Page* p,
        size_t start,
        size_t width,
        uint8_t* first,
        uint8_t* second,
    ) noexcept nogil:
        """The bins of a tile's blocks in each round's forest, where these are wanted.

        Each feature is used while it is in the nearest cache.
        """
        cdef int32_t[TILE] values
        cdef const Line* line
        cdef size_t count = min(p.count - start, width)
        cdef Py_ssize_t i
        cdef bint same
        memset(values, 0, sizeof(values))
        for i in range(program.lines.shape[0]):
            line = <const Line*>&program.lines[i, 0]
            same = line.operation == O_COPY and p.column[line.a].step == 0
            evaluate(line, p.column, start, 1 if same else count, p.count, values)
            if first != NULL:
                self.first.count_row(program.asked[i, 0], values, width, same, first)
            if second != NULL:
                self.second.count_row(program.asked[i, 1], values, width, same, second)


# -- which blocks to keep, as selection.py has it


cdef int check_likelihoods(const int64_t[::1] likelihood) except -1:
    cdef Py_ssize_t i
    for i in range(likelihood.shape[0]):
        if not 0 <= likelihood[i] <= HIGHEST:
            raise ValueError(f"no likelihood is {likelihood[i]}")
    return 0


def kept_of(
    const int64_t[::1] likelihood, const int64_t[::1] w, int square, int least, int sets
):
    """What selection.python_kept_of() gives."""
    cdef double[MAX_SETS + 2] words
    cdef double all_hits = 1000 * (1000 + square)
    cdef int32_t worth, best = NONE
    cdef int64_t count = 0, expected = 0
    cdef Py_ssize_t k, n = w.shape[0]
    cdef int i, j, step = 1000 // sets
    made = np.zeros(n, dtype=np.bool_)
    cdef uint8_t[::1] kept = made.view(np.uint8)
    if likelihood.shape[0] != n or sets > MAX_SETS:
        raise ValueError("as many likelihoods as blocks are needed")
    memset(words, 0, sizeof(words))
    check_likelihoods(likelihood)
    for k in range(n):
        words[(CHANCE[likelihood[k]] + step // 2) // step] += w[k]
    for i in range(sets, 0, -1):
        words[i] += words[i + 1]
    for i in range(1, sets + 1 if least == NONE else 0):
        worth = 0
        for j in range(1, sets + 1):
            worth += <int32_t>(
                min(words[i], words[j]) * all_hits
                / (max(1000 * words[i], 1) + square * words[j])
            )
        if worth > best:
            best, least = worth, i * step - step // 2
    for k in range(n):
        kept[k] = CHANCE[likelihood[k]] >= least
        count += w[k] if kept[k] else 0
    if not count:
        return np.zeros(n, dtype=np.bool_), 0
    for i in range(1, sets + 1):
        expected += <int64_t>(2000 * min(words[i], count) / (words[i] + count))
    return made, expected // sets

# -- the page as a whole, as whole.py has it


cdef class page_figures:
    """The figures of a page as a whole, as whole.python_page_figures() gives them."""

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
        part = ["n", "w", "hits", "longest", *BLOCK_NAMES[BLOCK_KIND:BLOCK_HASH]]
        self.part_width = len(part) + len(kinds)
        names = [name.rpartition(".")[2] for name in names]
        for start in (7, 7 + self.part_width):
            assert names[start : start + len(part)] == part
        assert names[:7] == (
            "all_elements best unsure undecided expected first_place last_place".split()
        )

    def __call__(
        self, walk, const int64_t[::1] likelihood, const int64_t[::1] w, choice
    ):
        cdef const int32_t[:, ::1] elements = walk.elements
        cdef const int32_t[:, ::1] blocks = walk.blocks
        cdef const uint8_t[::1] kept = choice.kept
        cdef int64_t expected = choice.expected
        cdef int64_t[::1] facts = np.zeros(self.width, dtype=np.int64)
        cdef int64_t[MAX_TAGS] tags
        cdef Column[MAX_COLUMNS] columns
        cdef int64_t* of
        cdef int64_t chance, best = 0, unsure = 0, undecided = 0, first = NONE, last = NONE
        cdef int32_t figure
        cdef Py_ssize_t i, count = blocks.shape[0]
        cdef int part, j
        if (
            elements.shape[1] != ELEMENT_COLUMNS
            or blocks.shape[1] != BLOCK_COLUMNS
            or not likelihood.shape[0] == w.shape[0] == kept.shape[0] == count > 0
        ):
            raise ValueError("the tables of the page do not fit together")
        check_likelihoods(likelihood)
        for i in range(count):
            chance = CHANCE[likelihood[i]]
            best = max(best, likelihood[i])
            unsure += min(chance, 1000 - chance) * w[i]
            undecided += self.least < chance < self.most
            if kept[i]:
                last = ratio(i, count)
                first = last if first < 0 else first
            # The facts of all blocks, and then those of the kept ones.
            for part in range(2 if kept[i] else 1):
                of = &facts[7 + part * self.part_width]
                of[0] += 1
                of[1] += w[i]
                of[2] += chance * w[i]
                of[3] = max(of[3], w[i])
                of += 4
                for j in range(BLOCK_KIND, BLOCK_HASH):
                    of[j - BLOCK_KIND] += blocks[i, j]
                of += BLOCK_HASH - BLOCK_KIND
                for j in range(self.kinds.shape[0]):
                    of[j] += blocks[i, BLOCK_KIND] == self.kinds[j]
        for i, value in enumerate(
            (elements.shape[0], best, unsure, undecided, expected, first, last)
        ):
            facts[i] = value
        memset(tags, 0, sizeof(tags))
        for i in range(elements.shape[0]):
            tags[elements[i, ELEMENT_TAG] & (MAX_TAGS - 1)] += 1
        for i in range(self.tags.shape[0]):
            facts[7 + 2 * self.part_width + i] = tags[self.tags[i]]
        for i in range(self.width):
            columns[i] = Column(<const char*>&facts[i], 0, True)
        made = np.empty(self.lines.shape[0], dtype=np.int64)
        cdef int64_t[::1] out = made
        for i in range(self.lines.shape[0]):
            evaluate(<const Line*>&self.lines[i, 0], columns, 0, 1, 1, &figure)
            out[i] = figure
        return made
