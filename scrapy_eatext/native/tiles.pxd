# Loops over the numbers of a tile of blocks, shaped so that compilers take many numbers
# at a time.  With gcc and glibc there are two of each, one for AVX2, and the machine is
# asked which to run when the module is loaded; sanitizers start too late for that.
from libc.stdint cimport int16_t, int32_t, uint8_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* Blocks that are looked at together, and those whose numbers fill registers. */
    #define EATEXT_TILE 128
    #define EATEXT_LANES 32

    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) \\
        && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
    #define EATEXT_CLONES __attribute__((target_clones("avx2", "default")))
    #else
    #define EATEXT_CLONES
    #endif
    /* gcc takes many numbers at a time only where no comparison may trap, and from -O3
       on. */
    #if defined(__GNUC__) && !defined(__clang__)
    #define EATEXT_VECTORS \\
        EATEXT_CLONES __attribute__((optimize("O3", "no-trapping-math")))
    #else
    #define EATEXT_VECTORS EATEXT_CLONES
    #endif

    /* Compilers keep what two of the loops find in memory; by hand it stays in registers. */
    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    typedef int32_t eatext_numbers __attribute__((vector_size(32)));
    typedef uint8_t eatext_bytes __attribute__((vector_size(32)));

    __attribute__((target("avx2"))) static void eatext_count_avx2(
        const int32_t *values, int width, const int32_t *borders, int count,
        uint8_t *bins)
    {
        const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        __m256i bytes;
        int i, k;
        for (i = 0; i < width; i += EATEXT_LANES) {
            eatext_numbers a, b, c, d, border;
            eatext_numbers of_a = {0}, of_b = {0}, of_c = {0}, of_d = {0};
            memcpy(&a, values + i, 32);
            memcpy(&b, values + i + 8, 32);
            memcpy(&c, values + i + 16, 32);
            memcpy(&d, values + i + 24, 32);
            for (k = 0; k < count; k++) {
                border = borders[k] - (eatext_numbers){0};
                of_a -= a > border;
                of_b -= b > border;
                of_c -= c > border;
                of_d -= d > border;
            }
            /* From 32 bits to 8; half a register at a time, so they are put in order. */
            bytes = _mm256_packus_epi16(
                _mm256_packs_epi32((__m256i)of_a, (__m256i)of_b),
                _mm256_packs_epi32((__m256i)of_c, (__m256i)of_d));
            bytes = _mm256_permutevar8x32_epi32(bytes, order);
            _mm256_storeu_si256((__m256i *)(bins + i), bytes);
        }
    }

    __attribute__((target("avx2"))) static void eatext_place_avx2(
        const uint8_t *bins, int width, int depth, const int32_t *row,
        const uint8_t *bin, uint8_t *place)
    {
        int i, level;
        for (i = 0; i < width; i += EATEXT_LANES) {
            eatext_bytes found = {0}, of;
            for (level = 0; level < depth; level++) {
                memcpy(&of, bins + (size_t)row[level] * EATEXT_TILE + i, EATEXT_LANES);
                of = (eatext_bytes)(of > bin[level]);
                found |= of & (uint8_t)(1 << level);
            }
            memcpy(place + i, &found, EATEXT_LANES);
        }
    }
    #define EATEXT_HAS_AVX2 __builtin_cpu_supports("avx2")
    #else
    #define eatext_count_avx2(values, width, borders, count, bins) ((void)0)
    #define eatext_place_avx2(bins, width, depth, row, bin, place) ((void)0)
    #define EATEXT_HAS_AVX2 0
    #endif

    /* How many of the borders each of the values is above. */
    EATEXT_VECTORS static void eatext_count(
        const int32_t *values, int width, const int32_t *borders, int count,
        uint8_t *bins)
    {
        int i, k;
        if (EATEXT_HAS_AVX2) {
            eatext_count_avx2(values, width, borders, count, bins);
            return;
        }
        memset(bins, 0, (size_t)width);
        for (k = 0; k < count; k++) {
            const int32_t border = borders[k];
            for (i = 0; i < width; i++) bins[i] += values[i] > border;
        }
    }

    /* The places of a tile's blocks in the table of one tree. */
    EATEXT_VECTORS static void eatext_place(
        const uint8_t *bins, int width, int depth, const int32_t *row,
        const uint8_t *bin, uint8_t *place)
    {
        int i, level;
        if (EATEXT_HAS_AVX2) {
            eatext_place_avx2(bins, width, depth, row, bin, place);
            return;
        }
        memset(place, 0, (size_t)width);
        for (level = 0; level < depth; level++) {
            const uint8_t *of = bins + (size_t)row[level] * EATEXT_TILE;
            const uint8_t above = bin[level], bit = (uint8_t)(1 << level);
            /* As a compiler takes it without a branch. */
            for (i = 0; i < width; i++) place[i] |= bit & -(of[i] > above);
        }
    }

    EATEXT_VECTORS static void eatext_add(
        const int16_t *leaves, const uint8_t *place, int width, int32_t *sums)
    {
        int i;
        for (i = 0; i < width; i++) sums[i] += leaves[place[i]];
    }

    /* So many times the parts, divided by wholes of 1 at least, rounded down and capped.
       Fractions are divided many at a time, and exactly below 2^53: whether all were. */
    EATEXT_VECTORS static int eatext_divide(
        const double *parts, double times, const double *wholes, int count, int cap,
        int32_t *out)
    {
        const double limit = 9007199254740992.0, most = cap;
        int64_t large = 0;
        int i;
        for (i = 0; i < count; i++) {
            const double part = parts[i] * times;
            const double whole = wholes[i] > 1 ? wholes[i] : 1;
            double found = part / whole;
            large |= -(int64_t)(part >= limit) | -(int64_t)(-part >= limit)
                | -(int64_t)(whole >= limit);
            found = found < most ? found : most;
            found = found > -most ? found : -most;
            out[i] = (int32_t)found - ((int32_t)found > found);
        }
        return !large;
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
    bint divide_numbers "eatext_divide" (
        const double* parts, double times, const double* wholes, int count, int cap,
        int32_t* out
    ) noexcept nogil
