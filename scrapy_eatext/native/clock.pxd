# The clock of time.monotonic(), without the GIL, in seconds.
cdef extern from *:
    """
    #if defined(_WIN32)
    #include <windows.h>
    static double eatext_clock(void) { return GetTickCount64() / 1e3; }
    #else
    #include <time.h>
    static double eatext_clock(void) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec + now.tv_nsec / 1e9;
    }
    #endif
    """
    double eatext_clock() noexcept nogil
