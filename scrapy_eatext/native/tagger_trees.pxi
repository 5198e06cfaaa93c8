# Rounds, and the trees of trees.py.

cdef class Program:
    """The features of one round, their figures, and the ensembles that use them."""

    cdef const int32_t[:, ::1] figures
    cdef const int32_t[:, ::1] lines
    # The number of each feature in each of the ensembles, or NONE.
    cdef const int32_t[:, :] numbers

    def __init__(self, names, flags, later, *ensembles):
        self.figures, self.lines = columns.program(tuple(names), flags, later)
        numbers = np.full((len(names), len(ensembles)), NONE, dtype=np.int32)
        for i, trees in enumerate(ensembles):
            number = {name: k for k, name in enumerate(trees.names)}
            numbers[:, i] = [number.get(name, NONE) for name in names]
        self.numbers = numbers

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
    """The arrays of a Trees, which has checked them, in the order of evaluation."""

    cdef int features
    cdef int trees
    cdef int depth
    cdef int classes
    cdef int64_t scale
    cdef int32_t[::1] borders
    cdef int32_t[::1] starts
    # The feature of each level of each tree, tree by tree.
    cdef int32_t[::1] feature
    cdef uint8_t[::1] bin
    # The tables of leaves, tree by tree, and class by class.
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
        """Turn a feature's values in a tile into bins, unless the feature is NONE.

        If ``same``, the first value is that of all blocks.
        """
        cdef int start
        if feature == NONE:
            return
        start = self.starts[feature]
        bins += <size_t>feature * TILE
        count_borders(
            values,
            LANES if same else width,
            &self.borders[start],
            self.starts[feature + 1] - start,
            bins,
        )
        if same:
            memset(bins, bins[0], width)

    cdef void likelihoods(
        self,
        const Page* p,
        size_t start,
        int width,
        const uint8_t* bins,
        int32_t* sums,
        int64_t* out,
    ) noexcept nogil:
        """The likelihoods of a tile's blocks, from the trees' sums for the first class.

        ``sums`` has room for a row of each class.
        """
        cdef uint8_t[TILE] place
        cdef const int16_t* leaves = &self.leaves[0]
        cdef int tree, k
        cdef int64_t value
        cdef size_t i
        memset(sums, 0, <size_t>self.classes * TILE * sizeof(int32_t))
        for tree in range(self.trees):
            k = tree * self.depth
            find_places(bins, width, self.depth, &self.feature[k], &self.bin[k], place)
            for k in range(self.classes):
                add_leaves(leaves, place, width, sums + k * TILE)
                leaves += 1 << self.depth
        for i in range(min(p.count - start, <size_t>width)):
            value = quotient((<int64_t>sums[i] + self.bias[0]) * 100, self.scale)
            out[start + i] = min(max(value, -ZERO), HIGHEST - ZERO) + ZERO

    def answers(self, const int64_t[::1] figures, const Py_ssize_t[::1] places):
        """See PythonForest.answers(); a single sample is compared without bins."""
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
    """A flat copy with zeros after it, so that it is never empty."""
    return np.append(np.ascontiguousarray(array).ravel(), np.zeros(64)).astype(dtype)
