"""Output to a terminal: tables, progress and error messages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar
from unicodedata import east_asian_width

T = TypeVar("T")

_BAR = 30


def fail(error: object, code: int = 1) -> int:
    """Print an error as one line on standard error, and return the exit code."""
    line = printable(" ".join(str(error).split()))
    print(f"scrapy eatext: {line}", file=sys.stderr)
    return code


def encoding() -> str:
    return sys.stdout.encoding or "utf-8"


def print_text(text: str) -> bool:
    """Print a text.  Returns False if the reader of standard output has gone.

    Raises OSError with the name of standard output, as for a full disk.
    """
    try:
        print(text.encode(encoding(), "replace").decode(encoding()), flush=True)
    except BrokenPipeError:
        close_output()
        return False
    except OSError as error:
        close_output()
        raise OSError(error.errno, error.strerror, "standard output") from error
    return True


def open_streams() -> None:
    """Have the null device in place of standard streams that the caller has closed."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            null = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, null)


def close_output() -> None:
    """Redirect standard output to the null device when its reader has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class StatusLine:
    """A status line on standard error that is overwritten; only shown in a terminal.

    With ``unless_printed`` it is not shown if standard output is a terminal too.
    """

    def __init__(self, *, unless_printed: bool = False) -> None:
        is_beside_output = unless_printed and sys.stdout.isatty()
        self._is_shown = sys.stderr.isatty() and not is_beside_output

    def show(self, text: str) -> None:
        if self._is_shown:
            print(f"\r\x1b[K{printable(text)}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        self.show("")


def progress(
    items: Sequence[T], label: str = "", *, unless_printed: bool = False
) -> Iterator[T]:
    """The items, with a progress bar and a label on standard error, as a StatusLine."""
    status = StatusLine(unless_printed=unless_printed)
    for done, item in enumerate(items):
        bar = f"[{'#' * (_BAR * done // len(items)):{_BAR}}]"
        status.show(f"{bar} {done}/{len(items)} {label}")
        yield item
    status.clear()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A text table with a heading, each column as wide as its widest cell."""
    lines = [head, *rows]
    widths = [max(map(width, column)) for column in zip_longest(*lines, fillvalue="")]
    return "\n".join(
        "  ".join(
            cell + " " * (column_width - width(cell))
            for cell, column_width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def width(text: str) -> int:
    """The number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    return len(text) + sum(east_asian_width(c) in "WF" for c in text)


def cut(text: str, columns: int) -> str:
    """The beginning of a text on one line; it ends in … if the text is cut."""
    line = printable(" ".join(text[: 4 * columns].split()))
    if width(line) <= columns and len(text) <= 4 * columns:
        return line
    while width(line) > columns - 1:
        line = line[:-1]
    return line + "…"


def printable(text: str) -> str:
    """A text without control characters, which a terminal could execute."""
    return "".join(c for c in text if c.isprintable() or c in "\n\t")
