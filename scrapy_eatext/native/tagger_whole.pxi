# The choice of blocks of selection.py, and the figures of whole.py.

cdef int check_likelihoods(const int64_t[::1] likelihood) except -1:
    cdef Py_ssize_t i
    for i in range(likelihood.shape[0]):
        if not 0 <= likelihood[i] <= HIGHEST:
            raise ValueError(f"no likelihood is {likelihood[i]}")
    return 0


def kept_of(
    const int64_t[::1] likelihood, const int64_t[::1] w, int square, int least, int sets
):
    """See selection.python_kept_of()."""
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

# -- the page as a whole


cdef class page_figures:
    """See whole.python_page_figures()."""

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
        # Four, the columns that are summed up, and the kinds.
        self.part_width = 4 + BLOCK_HASH - BLOCK_KIND + len(kinds)
        assert self.width == 7 + 2 * self.part_width + len(tags_)

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
