"""Errors that a lack of memory causes."""

from __future__ import annotations

from lxml import etree

_NO_MEMORY = etree.ErrorTypes.ERR_NO_MEMORY


def lacks_memory(error: BaseException) -> bool:
    """Whether a lack of memory caused an error.

    If libxml2 gets no memory, lxml raises the same error as for other faults, such as a
    page without elements; only the error's log distinguishes them.
    """
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, etree.LxmlError) and any(
        entry.type == _NO_MEMORY for entry in error.error_log
    )


def raise_memory(error: BaseException) -> None:
    """Raise MemoryError if a lack of memory caused the error."""
    if lacks_memory(error):
        raise MemoryError("the parser ran out of memory") from error
