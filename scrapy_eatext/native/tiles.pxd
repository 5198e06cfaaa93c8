# Loops over the numbers of a tile of blocks, written so that compilers vectorize them.
# With gcc and glibc there are two of each, one for AVX2; the dynamic loader chooses one,
# before sanitizers start.
from libc.stdint cimport int16_t, int32_t, uint8_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* The number of blocks in a tile, and of those that fill vector registers. */
    #define EATEXT_TILE 128
    #define EATEXT_LANES 32

    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) \\
        && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
    #define EATEXT_CLONES __attribute__((target_clones("avx2", "default")))
    #else
    #define EATEXT_CLONES
    #endif
    /* gcc vectorizes from -O3 on, and only comparisons that cannot trap. */
    #if defined(__GNUC__) && !defined(__clang__)
    #define EATEXT_VECTORS \\
        EATEXT_CLONES __attribute__((optimize("O3", "no-trapping-math")))
    #else
    #define EATEXT_VECTORS EATEXT_CLONES
    #endif

    /* For each value the number of borders that are less. */
    EATEXT_VECTORS static void eatext_count(
        const int32_t *values, int width, const int32_t *borders, int count,
        uint8_t *bins)
    {
        int32_t counts[EATEXT_TILE];
        int i, k;
        memset(counts, 0, (size_t)width * sizeof(*counts));
        /* Four borders at a time: the counts are read and written less often. */
        for (k = 0; k + 3 < count; k += 4) {
            const int32_t a = borders[k], b = borders[k + 1], c = borders[k + 2],
                          d = borders[k + 3];
            for (i = 0; i < width; i++)
                counts[i] += (values[i] > a) + (values[i] > b) + (values[i] > c)
                    + (values[i] > d);
        }
        for (; k < count; k++) {
            const int32_t border = borders[k];
            for (i = 0; i < width; i++) counts[i] += values[i] > border;
        }
        for (i = 0; i < width; i++) bins[i] = (uint8_t)counts[i];
    }

    /* The places of a tile's blocks in the table of one tree. */
    EATEXT_VECTORS static void eatext_place(
        const uint8_t *bins, int width, int depth, const int32_t *row,
        const uint8_t *bin, uint8_t *place)
    {
        int i, level;
        memset(place, 0, (size_t)width);
        for (level = 0; level < depth; level++) {
            const uint8_t *of = bins + (size_t)row[level] * EATEXT_TILE;
            const uint8_t above = bin[level], bit = (uint8_t)(1 << level);
            /* Without a branch. */
            for (i = 0; i < width; i++) place[i] |= bit & -(of[i] > above);
        }
    }

    EATEXT_VECTORS static void eatext_add(
        const int16_t *leaves, const uint8_t *place, int width, int32_t *sums)
    {
        int i;
        for (i = 0; i < width; i++) sums[i] += leaves[place[i]];
    }
    """
    enum:
        TILE "EATEXT_TILE"
        LANES "EATEXT_LANES"
    void count_borders "eatext_count" (
        const int32_t* values, int width, const int32_t* borders, int count,
        uint8_t* bins
    ) noexcept nogil
    void find_places "eatext_place" (
        const uint8_t* bins, int width, int depth, const int32_t* row,
        const uint8_t* bin, uint8_t* place
    ) noexcept nogil
    void add_leaves "eatext_add" (
        const int16_t* leaves, const uint8_t* place, int width, int32_t* sums
    ) noexcept nogil
