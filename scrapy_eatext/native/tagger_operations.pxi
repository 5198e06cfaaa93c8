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


cdef inline int64_t span(
    const Column* column, size_t row, size_t radius, size_t end
) noexcept nogil:
    """The sum within ``radius`` of a row, given a column of cumulative sums."""
    cdef const int64_t* sums = <const int64_t*>column.at
    return sums[min(row + radius + 1, end)] - sums[row - radius if row > radius else 0]


cdef void evaluate(
    const Line* line, const Column* columns, size_t start, size_t count, size_t end, int32_t* out
) noexcept nogil:
    """Evaluate a line for ``count`` rows from ``start``, of ``end`` rows."""
    cdef Column a = columns[line.a], b = columns[line.b], c
    cdef const int32_t* of = <const int32_t*>a.at
    cdef int32_t number = line.c
    cdef int64_t first, times = 1000 if line.operation == O_SPAN_RATIO else 1
    cdef size_t i, row, stop = start + count
    out -= start
    if line.operation == O_COPY:
        for i in range(start, stop):
            out[i] = clip(cell(&a, i))
    elif line.operation == O_RATIO:
        for i in range(start, stop):
            out[i] = clip(ratio(cell(&a, i), cell(&b, i)))
    elif line.operation == O_QUOTIENT:
        for i in range(start, stop):
            out[i] = clip(quotient(cell(&a, i), cell(&b, i)))
    elif line.operation == O_LEFT:
        for i in range(start, stop):
            out[i] = clip(cell(&a, i) - cell(&b, i))
    elif line.operation == O_BIT:
        for i in range(start, stop):
            out[i] = cell(&a, i) >> number & 1
    elif line.operation == O_SHIFT or line.operation == O_STEP:
        for i in range(start, stop):
            # Before the first row it is a large number.
            row = i - <size_t>number
            first = cell(&a, row) if row < end else NONE
            out[i] = clip(first - cell(&a, i) if line.operation == O_STEP else first)
    elif line.operation == O_PICK:
        of = <const int32_t*>b.at
        if a.wide:
            for i in range(start, stop):
                out[i] = clip(cell(&a, of[i]))
        else:
            # Of a figure, which is capped.
            for i in range(start, stop):
                out[i] = (<const int32_t*>a.at)[of[i]]
    elif line.operation == O_PLACE:
        c = columns[number]
        for i in range(start, stop):
            first = cell(&b, of[i])
            out[i] = clip(ratio(<int64_t>i - first, cell(&c, of[i]) - first))
    else:
        for i in range(start, stop):
            out[i] = clip(
                quotient(span(&a, i, number, end) * times, span(&b, i, number, end))
            )
