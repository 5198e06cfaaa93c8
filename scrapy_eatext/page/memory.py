"""Errors that mean one thing: there was no more memory."""

from __future__ import annotations

from lxml import etree

_NO_MEMORY = etree.ErrorTypes.ERR_NO_MEMORY


def lacks_memory(error: BaseException) -> bool:
    """Whether an error came of a lack of memory, whatever its class.

    Where libxml2 is refused memory lxml raises what it raises over any other
    fault, as over a page without an element; its log alone tells.
    """
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, etree.LxmlError) and any(
        entry.type == _NO_MEMORY for entry in error.error_log
    )


def raise_memory(error: BaseException) -> None:
    """Raise MemoryError over an error that came of a lack of memory, else nothing."""
    if lacks_memory(error):
        raise MemoryError("the parser was refused memory") from error
