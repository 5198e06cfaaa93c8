# The numbers and operations of operations.py.

cdef inline int32_t clip(int64_t value) noexcept nogil:
    value = CAP if value > CAP else value
    return <int32_t>(-CAP if value < -CAP else value)


cdef inline int64_t quotient(int64_t part, int64_t whole) noexcept nogil:
    """The part divided by the whole and rounded down; a whole below 1 counts as 1.

    Division of floats is faster than of whole numbers, and exact below 2^53.
    """
    whole = whole if whole > 1 else 1
    if 0 <= part < <int64_t>1 << 53 and whole < <int64_t>1 << 53:
        return <int64_t>(<double>part / <double>whole)
    return part // whole if part >= 0 else -((whole - 1 - part) // whole)


cdef inline int64_t ratio(int64_t part, int64_t whole) noexcept nogil:
    """The part in thousandths of the whole."""
    return quotient(part * 1000, whole)

# -- operations

cdef struct Column:
    # The address of the first row, the bytes from row to row (0 if all blocks share a
    # row), and whether the numbers have 64 bits or 32.
    const char* at
    size_t step
    bint wide


cdef struct Line:
    # A row of operations.encoded().
    int32_t operation
    int32_t a
    int32_t b
    int32_t c
    int32_t domain
    int32_t column


cdef inline int64_t cell(const Column* column, size_t row) noexcept nogil:
    cdef const char* at = column.at + row * column.step
    return (<const int64_t*>at)[0] if column.wide else (<const int32_t*>at)[0]


ctypedef fused Number:
    int64_t
    double


cdef inline void take(
    const Column* column, size_t start, int count, Number* to
) noexcept nogil:
    """Copy ``count`` cells of a column, from row ``start`` on."""
    cdef Column of = column[0]
    cdef int i
    for i in range(count):
        to[i] = <Number>cell(&of, start + i)


cdef inline void take_span(
    const Column* column, size_t start, int count, size_t radius, size_t end, Number* to
) noexcept nogil:
    """Sums within ``radius`` of ``count`` rows, given a column of cumulative sums."""
    cdef const int64_t* sums = <const int64_t*>column.at
    cdef size_t row
    cdef int i
    for i in range(count):
        row = start + i
        to[i] = <Number>(
            sums[min(row + radius + 1, end)] - sums[row - radius if row > radius else 0]
        )


cdef void take_both(
    const Line* line,
    const Column* columns,
    size_t start,
    int count,
    size_t end,
    Number* part,
    Number* whole,
) noexcept nogil:
    """The dividends and divisors of a line for ``count`` rows, from ``start`` on."""
    cdef const Column* a = columns + line.a
    cdef const Column* b = columns + line.b
    cdef const Column* c
    cdef const int32_t* of
    cdef int64_t first
    cdef int i
    if line.operation == O_SPAN_RATIO or line.operation == O_SPAN_QUOTIENT:
        take_span(a, start, count, line.c, end, part)
        take_span(b, start, count, line.c, end, whole)
    elif line.operation == O_PLACE:
        c = columns + line.c
        of = <const int32_t*>a.at + start
        for i in range(count):
            first = cell(b, of[i])
            part[i] = <Number>(<int64_t>start + i - first)
            whole[i] = <Number>(cell(c, of[i]) - first)
    else:
        take(a, start, count, part)
        take(b, start, count, whole)


cdef void divide(
    const Line* line, const Column* columns, size_t start, int count, size_t end, int32_t* out
) noexcept nogil:
    """Evaluate a line with a division, for ``count`` rows from ``start``."""
    cdef double[TILE] part
    cdef double[TILE] whole
    cdef int64_t[TILE] exact_part
    cdef int64_t[TILE] exact_whole
    cdef int times = 1000
    cdef int i
    if line.operation == O_QUOTIENT or line.operation == O_SPAN_QUOTIENT:
        times = 1
    take_both(line, columns, start, count, end, part, whole)
    if divide_numbers(part, times, whole, count, CAP, out):
        return
    take_both(line, columns, start, count, end, exact_part, exact_whole)
    for i in range(count):
        out[i] = clip(quotient(exact_part[i] * times, exact_whole[i]))


cdef void evaluate(
    const Line* line, const Column* columns, size_t start, size_t count, size_t end, int32_t* out
) noexcept nogil:
    """Evaluate a line for ``count`` rows from ``start``, of ``end`` rows."""
    cdef Column a = columns[line.a]
    cdef const int32_t* of = <const int32_t*>a.at
    cdef int32_t number = line.c
    cdef int64_t found
    cdef size_t i, row, stop = start + count
    out -= start
    if line.operation == O_COPY and not a.wide and a.step == sizeof(int32_t):
        for i in range(start, stop):
            out[i] = min(max(of[i], <int32_t>-CAP), <int32_t>CAP)
    elif line.operation == O_COPY:
        for i in range(start, stop):
            out[i] = clip(cell(&a, i))
    elif line.operation == O_LEFT:
        for i in range(start, stop):
            out[i] = clip(cell(&a, i) - cell(columns + line.b, i))
    elif line.operation == O_BIT and not a.wide and a.step == sizeof(int32_t):
        for i in range(start, stop):
            out[i] = of[i] >> number & 1
    elif line.operation == O_BIT:
        for i in range(start, stop):
            out[i] = cell(&a, i) >> number & 1
    elif line.operation == O_SHIFT or line.operation == O_STEP:
        for i in range(start, stop):
            # Before the first row it is a large number.
            row = i - <size_t>number
            found = cell(&a, row) if row < end else NONE
            out[i] = clip(found - cell(&a, i) if line.operation == O_STEP else found)
    elif line.operation == O_PICK:
        of = <const int32_t*>columns[line.b].at
        if a.wide:
            for i in range(start, stop):
                out[i] = clip(cell(&a, of[i]))
        else:
            # Of a figure, which is capped.
            for i in range(start, stop):
                out[i] = (<const int32_t*>a.at)[of[i]]
    else:
        i = start
        while i < stop:
            divide(line, columns, i, <int>min(stop - i, <size_t>TILE), end, out + i)
            i += TILE
