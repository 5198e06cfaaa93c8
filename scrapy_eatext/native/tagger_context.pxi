# The facts of context.py.

cdef int read_likelihoods(Page* p, const int64_t* found) noexcept nogil:
    """Compute all facts of the second round."""
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
    # The other domains have the same rows as in the first round.
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
    # The last row is for a missing branch: its c_like_chance is -1.
    fact(p, 1, D_LIKE, 0)[p.likes + 1] = 1
    fact(p, 1, D_LIKE, 1)[p.likes + 1] = NONE
    return DONE


cdef void read_runs(Page* p, int32_t least, int since, int to, int first) noexcept nogil:
    """The distances to blocks with a chance of ``least``, and the outermost of these."""
    cdef const int32_t* chances = <const int32_t*>p.spare
    cdef int64_t found = NONE, last = NONE
    cdef size_t i
    distances(chances, 1, least, <int32_t>p.count, narrow(p, since), narrow(p, to))
    for i in range(p.count):
        if chances[i] >= least:
            found = i if found < 0 else found
            last = i
    wide(p, first)[0], wide(p, first + 1)[0] = found, last


cdef void read_ranks(Page* p) noexcept nogil:
    """The blocks in descending order of likelihood; ties keep their order."""
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
