"""What the cells of tables say of themselves, and which tables hold no data."""

from __future__ import annotations

# Cells with more characters lay out a page, unless the table has headers.
LONG_CELL = 600
# How many columns or rows one cell may span.
MAX_SPAN = 50


def span(value: str | None, zero: int = 1) -> int:
    """How many columns or rows a cell spans, by the value of its attribute.

    ``zero`` is what a value of 0 stands for.
    """
    value = (value or "").strip()
    if value.isascii() and value.isdigit():
        return min(int(value[:9]) or zero, MAX_SPAN)
    return 1


def lays_out(role: str | None) -> bool:
    """Whether a table with this role holds no data."""
    return (role or "").lower() in ("presentation", "none")
