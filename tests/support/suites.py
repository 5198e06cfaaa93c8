"""Files of cases: suites of small pages, and what must come out of each; tables.

A folder has a file a topic.  In it a case begins with a line `%% name`; its HTML
follows, then for each output a line `%%=`, with what the output is behind it where a
suite has several, and the output itself.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests import CASES, SITE

# The pages of the bundled site.
EXAMPLE = [path.read_bytes() for path in sorted(SITE.rglob("*.html"))]


class Case(NamedTuple):
    """A page, and its outputs: of each what it is, and how it must be."""

    topic: str
    name: str
    source: str
    outputs: tuple[tuple[str, str], ...]

    @property
    def id(self) -> str:
        return f"{self.topic}: {self.name}"


def cases(folder: str) -> Iterator[Case]:
    """The cases of a folder beside this file, in the order of its files."""
    for file in sorted((CASES / folder).glob("*.txt")):
        _, *written = re.split(r"^%% ", file.read_text("utf-8"), flags=re.MULTILINE)
        for case in written:
            source, *outputs = re.split(r"^%%=", case, flags=re.MULTILINE)
            name, _, html = source.removesuffix("\n").partition("\n")
            parts = (output.removesuffix("\n").partition("\n") for output in outputs)
            told = tuple((kind.strip(), body) for kind, _, body in parts)
            yield Case(file.stem, name, html, told)


def values_of(file: str) -> list[Any]:
    """The rows of a table of values: a line has those of a row, as Python writes them."""
    lines = (CASES / file).read_text("utf-8").splitlines()
    return [literal_eval(line) for line in lines if not line.startswith("#")]


def table_of(file: str) -> list[tuple[str, ...]]:
    """The rows of a table: two spaces or more are between cells, and - is nothing."""
    lines = (CASES / file).read_text("utf-8").splitlines()
    rows = [re.split(" {2,}", line) for line in lines if not line.startswith("#")]
    return [tuple("" if cell == "-" else cell for cell in row) for row in rows]


def column_of(file: str) -> list[str]:
    """The rows of a table that has one column."""
    return [row for (row,) in table_of(file)]
