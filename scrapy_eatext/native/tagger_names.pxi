# Names of facts.  The numbers of columns, and which of them are sums, are read from the
# Python modules at import.

# The facts that are computed by code, by name.  These are facts of blocks, of 32 bits:
cpdef enum Narrow:
    PLACE, DEPTH, AROUND, OWN, FLAGS0, FLAGS1, SINCE_HEADING, HEADING_LEVEL, FROM_TITLE
    TO_HEADING, SINCE_LONG, TO_LONG, SINCE_MONEY, TO_MONEY, SINCE_CONTROLS, TO_CONTROLS
    NAMES_NEAR, NAMES_FAR, NAMES, NAMES_NEAR_LOW, NAMES_NEAR_HIGH
    NAMES_FAR_LOW, NAMES_FAR_HIGH, TEXT, TEXT_LOW, TEXT_HIGH
    HEADING_TEXT, SINCE_AGAINST, TO_AGAINST
    TOLD, TOLD_WORDS, TOLD_TOP, TOLD_TITLE, TOLD_HEADLINE, TOLD_SUMMARY, TOLD_ADDRESS
    HEADLINE, FROM_HEADLINE, FROM_SUMMARY
    # In the order of their domains; that of kinds is of the context.
    OF_COPIES, OF_WAY, OF_TAGS, OF_KIND
    OF_LIKE, OF_BOX1
    OF_LIKE1, BRANCH1
    HEADINGS, COPIED, WEIGHT
    # Of the context.
    LIKELIHOOD, RANK, SINCE_LIKELY, TO_LIKELY, SINCE_SURE, TO_SURE, EXPECTED

# These have 64 bits, as have all facts of other domains:
cpdef enum Wide:
    W = 100
    WORDS_BEFORE, LONG, FLOWING, BOX_FIRST, BOX_LAST, BOX_DEPTH, LIKE_N
    WAY_N, WAY_W, WAY_FIRST, WAY_LAST, WAY_REACH, WAY_LONGEST
    PAGE_WAY_TOP, PAGE_WAY_TOP_N, PAGE_WAY_MANY, PAGE_WAY_GROUPS
    # The facts of tags have the order of those of way.
    TAGS_N, TAGS_W, TAGS_FIRST, TAGS_LAST, TAGS_REACH, TAGS_LONGEST
    PAGE_TAGS_TOP, PAGE_TAGS_TOP_N, PAGE_TAGS_MANY, PAGE_TAGS_GROUPS
    PAGE_LAST, PAGE_ELEMENTS, PAGE_LONGEST, PAGE_ARTICLES, PAGE_TAG_GROUPS, PAGE_MAIN
    PAGE_ARTICLE, PAGE_TITLES
    # In the order of the kinds of pages.
    PAGE_VOTES0, PAGE_VOTES1, PAGE_VOTES2, PAGE_VOTES3, PAGE_VOTES4, PAGE_VOTES5
    PAGE_VOTES6, PAGE_VOTES7, PAGE_VOTES8, PAGE_VOTES9, PAGE_VOTES10, PAGE_VOTES11
    PAGE_VOTES12, PAGE_VOTES13, PAGE_VOTES14, PAGE_VOTES15
    PAGE_TOLD_TITLE, PAGE_TOLD_HEADLINE, PAGE_TOLD_SUMMARY
    PAGE_BEST_HEADLINE, PAGE_BEST_SUMMARY
    # Of the context.
    WORDS_TO_RANK, EXPECTED_TO_RANK, EXPECTED_BEFORE, EXPECTED_BEHIND
    PAGE_LIKELY_WORDS, PAGE_LIKELY, PAGE_BEST, PAGE_UNSURE, PAGE_THOUSAND
    PAGE_FIRST_LIKELY, PAGE_LAST_LIKELY, PAGE_FIRST_SURE, PAGE_LAST_SURE

# The operations of operations.py, in its order.
cpdef enum Operation:
    O_COPY, O_RATIO, O_QUOTIENT, O_LEFT, O_BIT, O_SHIFT, O_STEP, O_SPAN_RATIO
    O_SPAN_QUOTIENT, O_PICK, O_PLACE

cpdef enum Domain:
    D_, D_PAGE, D_SUM, D_BOX, D_LIKE, D_COPIES, D_WAY, D_TAGS, D_KIND, D_KEPT

cdef enum:
    MAX_KNOWN = 200
    MAX_TAGS = 256
    MAX_FLAGS = 64
    MAX_VOTES = 16
    MAX_CHANCES = 2048
    MAX_COLUMNS = 512
    MAX_SETS = 100
    MAX_DOMAINS = 16
    NONE = -1
    # The flag of an empty place in a table of words.
    EMPTY = -2
    CAP = 1_000_000

NARROW, WIDE, OPERATION, DOMAIN = (
    globals()[name].__members__ for name in ("Narrow", "Wide", "Operation", "Domain")
)
SUMS = columns.sums_of_facts(NARROW, WIDE)
columns.check_order(OPERATION, DOMAIN)
COLUMNS, VALUES = columns.COLUMNS, columns.VALUES

cdef struct Table:
    # The facts of a domain: the number of the first among all columns, and their count.
    int first
    int width


# The tables of the first round's facts, and of the second's.
cdef Table[2][MAX_DOMAINS] TABLES
# The columns of the facts named above.
cdef int[MAX_KNOWN] NUMBER
cdef bint[MAX_COLUMNS] IS_WIDE
# The column that a fact sums up, or -1.  Facts of containers and of similar siblings
# read a column of cumulative sums, those of other domains a column of blocks.
cdef int[MAX_COLUMNS] SOURCE
# The first of the columns in VALUES, and their count.
cdef int ONES = len(context.COLUMNS)
cdef int VALUE_COUNT = len(VALUES)


assert (operations.NONE, operations.CAP) == (NONE, CAP) and context.HIGHEST < MAX_CHANCES
assert len(tags.TAGS) <= MAX_TAGS and len(COLUMNS) <= MAX_COLUMNS
assert len(facts.VOTES) == MAX_VOTES

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
