"""What is written to a terminal: tables, progress, and lines about errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar
from unicodedata import east_asian_width

T = TypeVar("T")

_BAR = 30


def fail(error: object, code: int = 1) -> int:
    """Write a line about an error; the exit code to end with."""
    print(f"scrapy eatext: {' '.join(str(error).split())}", file=sys.stderr)
    return code


def encoding() -> str:
    """The encoding of standard output."""
    return sys.stdout.encoding or "utf-8"


def print_text(text: str) -> bool:
    """Print a text; return whether anybody still reads the output."""
    try:
        print(text.encode(encoding(), "replace").decode(encoding()), flush=True)
    except BrokenPipeError:
        close_output()
        return False
    return True


def close_output() -> None:
    """Drop what is written from now on: the reader of standard output has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class StatusLine:
    """A line on standard error, if that is a terminal, which the next one replaces.

    With ``unless_printed`` there is none if standard output is a terminal too.
    """

    def __init__(self, *, unless_printed: bool = False) -> None:
        is_beside_output = unless_printed and sys.stdout.isatty()
        self._shown = sys.stderr.isatty() and not is_beside_output

    def show(self, text: str) -> None:
        if self._shown:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        self.show("")


def progress(items: Sequence[T]) -> Iterator[T]:
    """The items, with a bar on standard error."""
    status = StatusLine(unless_printed=True)
    for done, item in enumerate(items):
        status.show(f"[{'#' * (_BAR * done // len(items)):{_BAR}}] {done}/{len(items)}")
        yield item
    status.clear()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under their names, each as wide as its widest cell."""
    lines = [head, *rows]
    widths = [max(map(width, column)) for column in zip_longest(*lines, fillvalue="")]
    return "\n".join(
        "  ".join(
            cell + " " * (wide - width(cell))
            for cell, wide in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def width(text: str) -> int:
    """The columns that a text takes at a terminal."""
    if text.isascii():
        return len(text)
    return len(text) + sum(east_asian_width(c) in "WF" for c in text)


def cut(text: str, columns: int) -> str:
    """The beginning of a text on one line, with … where something is left out."""
    line = printable(" ".join(text[: 4 * columns].split()))
    if width(line) <= columns and len(text) <= 4 * columns:
        return line
    while width(line) > columns - 1:
        line = line[:-1]
    return line + "…"


def printable(text: str) -> str:
    """A text without characters that a terminal would take for commands."""
    return "".join(c for c in text if c.isprintable() or c in "\n\t")
