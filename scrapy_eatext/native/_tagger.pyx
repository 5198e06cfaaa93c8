# cython: language_level=3, cdivision=True, boundscheck=False, wraparound=False
"""The compiled twin of facts, context, page figures, operations and trees, without the GIL.

Facts, then figures, are computed for the whole page.  Features are evaluated for a tile
of blocks at a time, so that a tile's features, bins and sums stay in a cache.  Only the
figures and features that the model uses are evaluated.

To add a fact: name it in FACTS of facts.py or context.py, and compute it there.  A sum
of a column of blocks with the same name ("box.commas" of "commas") needs no code here,
see SOURCE.  Otherwise, name it in Narrow or Wide of tagger_names.pxi, with the domain
first ("page.titles" is PAGE_TITLES), and fill narrow() or wide() of that name in one of
the read_...() functions.  Its place in FACTS does not matter; a fact that is missing
here, or not in FACTS, raises ImportError.
"""

from libc.math cimport sqrt
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from scrapy_eatext.native.columns cimport *
from scrapy_eatext.native.common cimport (
    Array, DONE, EATEXT_CHECKSUM, NO_MEMORY, add_bytes, decode, eatext_clock
)
from scrapy_eatext.native.tiles cimport LANES, TILE, add_leaves, count_borders, find_places

import numpy as np

from scrapy_eatext.deadline import TimeLimitError, remaining
from scrapy_eatext.page import characters, tags
from scrapy_eatext.page.columns import BLOCK_COLUMNS as BLOCK_NAMES
from scrapy_eatext.tagger import columns, context, descriptions, facts, operations, words

CHECKSUM = EATEXT_CHECKSUM

# The most bytes of the first round's features that are kept for the second round.  The
# features of further blocks are computed again.
cdef size_t most_bins


def keep_bins(size_t most):
    """Set the most bytes of the first round's features to keep."""
    global most_bins
    most_bins = most


keep_bins(1 << 23)

include "tagger_names.pxi"
include "tagger_operations.pxi"
include "tagger_words.pxi"
include "tagger_page.pxi"
include "tagger_facts.pxi"
include "tagger_context.pxi"
include "tagger_trees.pxi"

# -- the tagger


cdef int raise_for(int status) except -1:
    if status == NO_MEMORY:
        raise MemoryError
    if status == TIME_IS_UP:
        raise TimeLimitError
    if status == NOT_SOUND:
        raise ValueError("the tables of the walk do not fit together")
    return 0


cdef class Tagger:
    """The twin of model.PythonTagger."""

    cdef WordTable words
    cdef int flags
    cdef Program own
    cdef Program around
    cdef Forest first
    cdef Forest second

    def __init__(self, names, first, second):
        own, around = context.asked_features(first.names, second.names, names.flags)
        self.words, self.flags = WordTable(names), names.flags
        self.own = Program(own, self.flags, False, first, second)
        self.around = Program(around, self.flags, True, first, second)
        self.first, self.second = first.forest, second.forest

    def likelihoods(self, walk):
        """See PythonTagger.likelihoods().

        Raises TimeLimitError when the page's time is over.
        """
        cdef Page page
        cdef int status
        cdef int64_t[::1] out
        made = np.zeros(len(walk.blocks), dtype=np.int64)
        votes = np.zeros(self.words.kinds.shape[1], dtype=np.int64)
        if not len(made):
            return made, votes
        out = made
        open_page(&page, walk, votes)
        page.end = eatext_clock() + remaining()
        with nogil:
            status = self.run(&page, &out[0])
            close_page(&page)
        raise_for(status)
        return made, votes

    def features(self, walk, names, const int64_t[::1] likelihood=None):
        """See PythonTagger.features()."""
        cdef Page page
        cdef Program program = Program(names, self.flags, likelihood is not None)
        cdef const Line* line
        cdef int32_t[:, ::1] out
        cdef Py_ssize_t k
        made = np.zeros((len(names), len(walk.blocks)), dtype=np.int32)
        if made.size:
            out = made
            votes = np.zeros(self.words.kinds.shape[1], dtype=np.int64)
            open_page(&page, walk, votes)
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
        """Both rounds, a tile at a time, of a page with blocks."""
        # Blocks in a tile, so that the tiles are about equal.
        cdef size_t lanes = (p.count + TILE - 1) // TILE * LANES
        cdef size_t width = (p.count + lanes - 1) // lanes * LANES
        cdef size_t tiles = (p.count + width - 1) // width
        # The size of a tile's bins in the second round, and the number of tiles for
        # which the first round keeps its part of them.
        cdef size_t size = <size_t>self.second.features * TILE
        cdef size_t kept = min(tiles, most_bins // size) if size else 0
        cdef size_t classes = max(self.first.classes, self.second.classes)
        cdef size_t i
        cdef int32_t* sums
        cdef uint8_t* bins
        cdef uint8_t* later
        cdef uint8_t* here
        cdef int status = read_page(p, self.words) or self.own.make_figures(p)
        if status:
            return status
        bins = <uint8_t*>room_for(p, self.first.features, TILE)
        # room_for() adds one more, for the tiles that are not kept.
        later = <uint8_t*>room_for(p, kept, size, False)
        sums = <int32_t*>room_for(p, classes, TILE * sizeof(int32_t))
        if p.failed:
            return NO_MEMORY
        for i in range(tiles):
            if is_late(p):
                return TIME_IS_UP
            here = later + i * size if i < kept else NULL
            self.make_bins(self.own, p, i * width, width, bins, here)
            self.first.likelihoods(p, i * width, width, bins, sums, out)
        status = read_likelihoods(p, out) or self.around.make_figures(p)
        if status:
            return status
        for i in range(tiles):
            if is_late(p):
                return TIME_IS_UP
            here = later + min(i, kept) * size
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
        """Write the bins of a tile's blocks in each round's forest, unless NULL is given.

        Each feature is used while it is in the first-level cache.
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
                self.first.count_row(program.numbers[i, 0], values, width, same, first)
            if second != NULL:
                self.second.count_row(program.numbers[i, 1], values, width, same, second)

include "tagger_whole.pxi"
