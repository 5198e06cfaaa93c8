# Words in attributes and in texts, see words.py.

cdef struct Word:
    # A row of a table: a word's hash, its weights near a block and on outer elements,
    # and the number of its own feature, or NONE.
    uint32_t hash
    int32_t near
    int32_t far
    int32_t flag


cdef class Words:
    """A hash table of words, at most half full.

    ``maybe`` is a bit filter with eight bits for each place of the table: a hash whose
    bit is not set is not in the table, which is so for most words of a page.  Unlike
    the table, it is small enough to stay in a cache.
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
    """The place of a hash, or the empty place where it would be."""
    cdef uint32_t at = wanted & words.mask
    cdef const Word* word = <const Word*>&words.table[at, 0]
    while word.hash != wanted and word.flag != EMPTY:
        at = (at + 1) & words.mask
        word = <const Word*>&words.table[at, 0]
    return word


cdef inline Py_ssize_t number_of(Words words, const Word* place) noexcept nogil:
    return place - <const Word*>&words.table[0, 0]


cdef inline const Word* find(Words words, uint32_t wanted) noexcept nogil:
    """The word of a hash, or NULL."""
    cdef const Word* word
    if not words.maybe[wanted >> 3 & words.mask] >> (wanted & 7) & 1:
        return NULL
    word = place_of(words, wanted)
    return word if word.flag != EMPTY else NULL


cdef class WordTable:
    """A TokenTable: the words in attributes, and those in texts, which are near.

    ``kinds`` has a row for each place of the table ``names``.
    """

    cdef Words names
    cdef Words texts
    cdef int16_t[:, ::1] kinds

    def __init__(self, table):
        cdef const uint32_t[::1] known = table.hashes
        cdef const int16_t[:, :] weight = table.kinds
        cdef Py_ssize_t i
        if table.flags > MAX_FLAGS:
            raise ValueError(f"more than {MAX_FLAGS} words with a feature")
        hashes, of_texts = table.words.hashes, table.words.weight
        self.names = Words(table.hashes, table.near, table.far, table.flag)
        self.texts = Words(hashes, of_texts, of_texts, np.full(len(hashes), NONE))
        self.kinds = np.zeros((self.names.mask + 1, weight.shape[1]), dtype=np.int16)
        for i in range(weight.shape[0]):
            self.kinds[number_of(self.names, place_of(self.names, known[i]))] = weight[i]

# -- the words at the beginning of a text, see words.py and descriptions.py

cdef enum:
    # The most characters that are read of a text, which is also the most words of it,
    # and the most tokens of a block's first words.
    MOST_READ = 240
    MOST_TOKENS = 24
    # The number of sources of descriptions, and of slots for their words.
    SOURCES = 4
    SLOTS = 4096

cdef int READ_CHARS = words.SEEN
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
# Classes of characters, without a distinction of case, and their lower case.
cdef uint8_t[0x10000] CLASSES
cdef uint16_t[0x10000] LOWER
assert READ_CHARS <= MOST_READ and 2 * FIRST_WORDS + 2 <= MOST_TOKENS
cdef int DESCRIPTION_CHARS = descriptions.SEEN
cdef int MEASURED = len(descriptions.MEASURED)
cdef int32_t HEADLINE_MOST = descriptions.HEADLINE_WORDS
cdef int64_t HEADLINE_LEAST = descriptions.HEADLINE_LEAST
cdef int64_t SUMMARY_LEAST = descriptions.SUMMARY_LEAST
assert DESCRIPTION_CHARS <= MOST_READ and len(descriptions.SOURCES) == SOURCES


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
    uint32_t[MOST_READ] codes
    uint8_t[MOST_READ] kinds


cdef void read_head(Head* head, const uint8_t* at, const uint8_t* end, int most) noexcept nogil:
    """Read at most ``most`` characters of a text."""
    cdef uint32_t code
    cdef int i = 0
    while at < end and i < most:
        at += decode(at, &code)
        if code < 0x10000:
            head.codes[i], head.kinds[i] = LOWER[code], CLASSES[code]
        else:
            head.codes[i] = code
            head.kinds[i] = WIDE_LETTER if WIDE_FIRST <= code <= WIDE_LAST else LETTER
        i += 1
    head.count = i


cdef int words_in(const Head* head, int size, int most, uint32_t* found) noexcept nogil:
    """Write the hashes of at most ``most`` words of ``size`` characters of a head.

    Returns the number of words.
    """
    cdef uint32_t value
    cdef uint8_t kind
    cdef int i = 0, first, count = 0
    while i < size and count < most:
        kind, first = head.kinds[i], i
        i += 1
        if kind == LETTER:
            value = mix(BEGIN, head.codes[first])
            while i < size and head.kinds[i] == LETTER:
                value = mix(value, head.codes[i]) if i - first < WORD_CHARS else value
                i += 1
        elif kind == DIGIT:
            value = mix(BEGIN, NUMBER_WORD)
            while i < size and head.kinds[i] == DIGIT:
                i += 1
        elif kind == WIDE_LETTER and i < size and head.kinds[i] == WIDE_LETTER:
            # Each pair of neighbours; consecutive pairs overlap.
            value = mix(mix(BEGIN, head.codes[first]), head.codes[i])
        else:
            continue
        found[count] = value
        count += 1
    return count


cdef int tokens_of(
    const uint32_t* found, int count, bint whole, uint32_t* tokens
) noexcept nogil:
    """Write the hashes for a block's first words; returns their number."""
    cdef uint32_t value
    cdef bint ended = whole and count <= FIRST_WORDS
    cdef int i, made = 0
    if count == 0:
        return 0
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


cdef struct Sources:
    # The distinct words of a page's descriptions: slots of hashes, the sources of each
    # as bits, 0 for an empty slot, and the last block in which it was found.
    uint32_t[SLOTS] hashes
    uint8_t[SLOTS] sources
    int32_t[SLOTS] last
    # The number of words of each source, and whether there is any.
    int64_t[SOURCES] count
    bint any


cdef inline uint32_t slot_of(const Sources* known, uint32_t word) noexcept nogil:
    """The slot of a word, or the empty slot where it would be."""
    cdef uint32_t at = word & (SLOTS - 1)
    while known.sources[at] and known.hashes[at] != word:
        at = (at + 1) & (SLOTS - 1)
    return at


cdef void add_source(Sources* known, int source, const uint8_t* at, size_t size) noexcept nogil:
    """Add the words of one source, which are far fewer than there are slots."""
    cdef Head head
    cdef uint32_t[MOST_READ] found
    cdef uint32_t slot
    cdef int i
    read_head(&head, at, at + size, DESCRIPTION_CHARS)
    for i in range(words_in(&head, head.count, MOST_READ, found)):
        slot = slot_of(known, found[i])
        if not known.sources[slot]:
            known.hashes[slot], known.last[slot] = found[i], NONE
        if not known.sources[slot] >> source & 1:
            known.sources[slot] |= <uint8_t>(1 << source)
            known.count[source] += 1
            known.any = True
