"""What the cells of tables say of themselves, and which tables hold no data."""

from __future__ import annotations

# Cells with more characters lay out a page, unless the table has headers.
LONG_CELL = 600
# How many columns or rows one cell may span.
_MAX_SPAN = 50


def span(value: str | None) -> int:
    """How many columns or rows a cell spans, by the value of its attribute."""
    value = (value or "").strip()
    if value.isascii() and value.isdigit():
        return min(max(int(value[:9]), 1), _MAX_SPAN)
    return 1


def lays_out(role: str | None) -> bool:
    """Whether a table with this role holds no data."""
    return (role or "").lower() in ("presentation", "none")
