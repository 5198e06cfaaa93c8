# Votes of a page's words for its kind, as kinds.py has them.

cdef class KindVotes:
    """What kinds.PythonKindVotes is."""

    cdef Words names
    cdef Words words
    cdef const int16_t[:, ::1] of_names
    cdef const int16_t[:, ::1] of_words
    cdef Py_ssize_t kinds

    def __init__(self, names, words):
        self.names, self.words = words_of_table(names), words_of_table(words)
        self.of_names, self.of_words = names.weight, words.weight
        self.kinds = names.weight.shape[1]

    def figures(self, walk):
        """What PythonKindVotes.figures() gives."""
        cdef Page page
        cdef int64_t[2] count
        cdef int64_t[:, ::1] total
        cdef int i
        made = np.zeros((2, self.kinds), dtype=np.int64)
        if self.kinds:
            total = made
            open_page(&page, walk)
            with nogil:
                self.add_names(&page, &total[0, 0], &count[0])
                self.add_words(&page, &total[1, 0], &count[1])
                close_page(&page)
            raise_for(NO_MEMORY if page.failed else DONE)
            for i in range(2):
                made[i] = made[i] * 100 // max(isqrt(count[i] * 10_000), 1)
        return made

    cdef void add_names(self, Page* p, int64_t* total, int64_t* count) noexcept nogil:
        cdef uint8_t* seen = <uint8_t*>room_for(p, self.of_names.shape[0], 1)
        cdef int32_t k, token_count = <int32_t>p.token_count
        count[0] = 0
        if seen == NULL:
            return
        for k in range(token_count):
            if k + AHEAD < token_count:
                fetch(self.names, p.tokens[k + AHEAD])
            add_votes(self.names, self.of_names, p.tokens[k], seen, total, count)

    cdef void add_words(self, Page* p, int64_t* total, int64_t* count) noexcept nogil:
        cdef uint8_t* seen = <uint8_t*>room_for(p, self.of_words.shape[0], 1)
        cdef const int32_t* b = p.blocks
        cdef Head head
        cdef uint32_t[MOST_SEEN] found
        cdef uint32_t[MOST_TOKENS] tokens
        cdef size_t i
        cdef int k, made
        count[0] = 0
        if seen == NULL or not p.text_size or not self.of_words.shape[0]:
            return
        for i in range(p.count):
            if not 0 <= b[BLOCK_START] <= b[BLOCK_END] or <size_t>b[BLOCK_END] > p.text_size:
                return
            read_head(&head, p.text + b[BLOCK_START], p.text + b[BLOCK_END], SEEN)
            made = words_in(&head, head.count, FIRST_WORDS + 1, found)
            made = tokens_of(found, made, b[BLOCK_CHARS] <= SEEN, tokens)
            for k in range(made):
                add_votes(self.words, self.of_words, tokens[k], seen, total, count)
            b += BLOCK_COLUMNS


cdef Words words_of_table(table):
    """The words of a table, each with its row."""
    cdef int count = len(table.hashes)
    none = np.zeros(count, dtype=np.int32)
    return Words(table.hashes, none, none, np.arange(count, dtype=np.int32))


cdef inline void add_votes(
    Words words,
    const int16_t[:, ::1] weight,
    uint32_t token,
    uint8_t* seen,
    int64_t* total,
    int64_t* count,
) noexcept nogil:
    """Add the weights of a word that is met for the first time."""
    cdef const Word* word = find(words, token)
    cdef Py_ssize_t k
    if word == NULL or seen[word.flag]:
        return
    seen[word.flag] = True
    count[0] += 1
    for k in range(weight.shape[1]):
        total[k] += weight[word.flag, k]

