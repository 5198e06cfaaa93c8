# Votes of a page's names for its kind, as in kinds.py.


cdef class NameVotes:
    """See kinds.PythonNameVotes."""

    cdef Words names
    cdef const int16_t[:, ::1] weight

    def __init__(self, hashes, weight):
        none = np.zeros(len(hashes), dtype=np.int32)
        self.names = Words(hashes, none, none, np.arange(len(hashes)))
        self.weight = weight

    def figures(self, walk):
        """See PythonNameVotes.figures()."""
        cdef const uint32_t[::1] tokens = walk.tokens
        cdef const Word* word
        cdef int64_t[::1] total
        cdef int64_t count = 0
        cdef Py_ssize_t i, k, n = tokens.shape[0], kinds = self.weight.shape[1]
        cdef uint8_t[::1] seen = np.zeros(self.weight.shape[0], dtype=np.uint8)
        votes = np.zeros(kinds, dtype=np.int64)
        total = votes
        for i in range(n):
            if i + AHEAD < n:
                fetch(self.names, tokens[i + AHEAD])
            word = find(self.names, tokens[i])
            if word == NULL or seen[word.flag]:
                continue
            seen[word.flag] = True
            count += 1
            for k in range(kinds):
                total[k] += self.weight[word.flag, k]
        return votes * 100 // max(isqrt(count * 10_000), 1)
