"""The operations that features are computed with, and the evaluation of their tables.

A line of a table has a name, an operation, and the operation's arguments: names of
columns, and numbers.  A column's name begins with its domain ("box.chars"), or has no
prefix for the domain of blocks.  A column has a number for each row of its domain; the
domain "page" has one row.  Facts are columns computed by code (facts.py, context.py,
whole.py), figures are computed from facts by lines, and features are the columns that
trees test.

These functions run where there is no compiled module; otherwise the compiled twin
evaluates the same lines, encoded as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Rows = dict[str, Ints]

# The domains.  A row is: a block; the page; a place between blocks; a container; a
# group of similar siblings; a group of blocks with equal texts, with equal paths of
# tags and names, with equal paths of tags, or of equal kind and depth; and all kept
# blocks.
DOMAINS = "", "page", "sum", "box", "like", "copies", "way", "tags", "kind", "kept"
ONE_ROW = "page", "kept"

# The bound of all figures, so that they fit 32 bits.
CAP = 1_000_000
# The value for a missing row or block.
NONE = -1


def copy(values: Ints) -> Ints:
    return values


def ratio(part: Ints, whole: Ints) -> Ints:
    """The part in thousandths of the whole; a whole below 1 counts as 1."""
    return part * 1000 // np.maximum(whole, 1)


def quotient(part: Ints, whole: Ints) -> Ints:
    """The part divided by the whole; a whole below 1 counts as 1."""
    return part // np.maximum(whole, 1)


def left(whole: Ints, part: Ints) -> Ints:
    return whole - part


def bit(mask: Ints, number: int) -> Ints:
    return mask >> number & 1


def shift(values: Ints, by: int) -> Ints:
    """For each block the value of the block ``by`` places before it, or NONE.

    A negative number means places after it.
    """
    place = np.arange(len(values)) - by
    exists = (place >= 0) & (place < len(values))
    return np.where(exists, values.take(place, mode="clip"), NONE)


def step(values: Ints, by: int) -> Ints:
    """The value of the block ``by`` places before each block, minus its own."""
    return shift(values, by) - values


def span(sums: Ints, radius: int) -> Ints:
    """The sum over the blocks within ``radius`` places, given cumulative sums."""
    place, count = np.arange(len(sums) - 1), len(sums) - 1
    first, last = np.maximum(place - radius, 0), np.minimum(place + radius + 1, count)
    return sums[last] - sums[first]


def span_ratio(part: Ints, whole: Ints, radius: int) -> Ints:
    """The ratio() of two sums over the blocks within ``radius`` places."""
    return ratio(span(part, radius), span(whole, radius))


def span_quotient(part: Ints, whole: Ints, radius: int) -> Ints:
    """The quotient() of two sums over the blocks within ``radius`` places."""
    return quotient(span(part, radius), span(whole, radius))


def pick(values: Ints, of: Ints) -> Ints:
    """For each block the value in row ``of`` of another domain; -1 is the last row."""
    return values[of]


def place(of: Ints, first: Ints, last: Ints) -> Ints:
    """Each block's place in its group: thousandths of the way from first to last."""
    return ratio(np.arange(len(of)) - first[of], last[of] - first[of])


# The kinds of each operation's arguments: "r" is a column of the line's own domain or
# of one with a single row, "s" a column of cumulative sums, "n" a number, "i" a column
# of blocks with row numbers of another domain, and "o" a column of that domain.  The
# compiled twin has the same operations in the same order.
READS: Mapping[Callable[..., Ints], str] = {
    copy: "r",
    ratio: "rr",
    quotient: "rr",
    left: "rr",
    bit: "rn",
    shift: "rn",
    step: "rn",
    span_ratio: "ssn",
    span_quotient: "ssn",
    pick: "oi",
    place: "ioo",
}


class Line(NamedTuple):
    """A line of a table."""

    name: str
    operation: Callable[..., Ints]
    reads: tuple[str | int, ...]

    @property
    def domain(self) -> str:
        return domain_of(self.name)


def domain_of(name: str) -> str:
    """The domain in a column's name, "" for blocks."""
    return name.rpartition(".")[0]


Table = Mapping[str, Line]


def table(*lines: tuple[Any, ...], of: str = "") -> dict[str, Line]:
    """A table from tuples of a name, an operation, and the operation's arguments.

    ``of`` is the domain of all names without one.
    """

    def full(name: str) -> str:
        return name if not of or "." in name else f"{of}.{name}"

    made = [
        Line(
            full(name),
            operation,
            tuple(full(read) if isinstance(read, str) else read for read in reads),
        )
        for name, operation, *reads in lines
    ]
    return {line.name: line for line in made}


def wanted(names: Iterable[str], features: Table, figures: Table) -> list[list[Line]]:
    """Two lists of lines: the figures that some features need, and the features.

    A figure comes after those that it reads.  Raises ValueError for an unknown feature.
    """
    needed: dict[str, Line] = {}

    def add(line: Line) -> None:
        for read in line.reads:
            if read in figures and read not in needed:
                add(figures[str(read)])
                needed[str(read)] = figures[str(read)]

    lines = []
    for name in names:
        if name not in features:
            raise ValueError(f"no feature is called {name!r}")
        lines.append(features[name])
        add(lines[-1])
    return [list(needed.values()), lines]


def evaluate(lines: Iterable[Line], columns: Mapping[str, Ints]) -> Rows:
    """The columns of some lines, computed from other columns; from -CAP to CAP."""
    made = {line.name: _column(line, columns) for line in lines}
    if not made:
        return made
    # One call for all, as most columns are short.
    whole = _capped(np.concatenate(list(made.values())))
    end = 0
    for name, column in made.items():
        start, end = end, end + len(column)
        made[name] = whole[start:end]
    return made


def _column(line: Line, columns: Mapping[str, Ints]) -> Ints:
    return line.operation(
        *[columns[of] if isinstance(of, str) else of for of in line.reads]
    )


def _capped(values: Ints) -> Ints:
    # Much faster than clip() on short arrays.
    return np.minimum(np.maximum(values, -CAP), CAP)


def evaluate_all(lines: list[list[Line]], columns: MutableMapping[str, Ints]) -> Rows:
    """The features of the lines from wanted(), by name; adds figures to ``columns``."""
    figures, features = lines
    for line in figures:
        columns[line.name] = _capped(_column(line, columns))
    return evaluate(features, columns)


def encoded(lines: Sequence[Line], columns: Sequence[str]) -> npt.NDArray[np.int32]:
    """Lines as numbers for the compiled twin.

    A line's row has the number of its operation, three arguments, the number of its
    domain, and the position of its own column in ``columns``, or -1.  An argument is
    the position of a column in ``columns``; a number is always the third argument.
    Raises ValueError for a line that reads an unknown column, or one that its operation
    can't read.
    """
    number = {name: i for i, name in enumerate(columns)}
    operations = list(READS)
    out = np.zeros((len(lines), 6), dtype=np.int32)
    for row, line in zip(out, lines, strict=True):
        kinds = READS[line.operation]
        index = line.reads[kinds.index("i")] if "i" in kinds else None
        allowed = {
            "r": {line.domain, *ONE_ROW},
            "s": {"sum"},
            "i": {""},
            "o": {str(index).removeprefix("of_").rstrip("0123456789")},
        }
        if len(line.reads) != len(kinds) or not all(
            isinstance(read, int)
            if kind == "n"
            else read in number and domain_of(str(read)) in allowed[kind]
            for kind, read in zip(kinds, line.reads, strict=False)
        ):
            raise ValueError(f"{line.name!r} can't be made of {line.reads}")
        row[0] = operations.index(line.operation)
        for i, (kind, read) in enumerate(zip(kinds, line.reads, strict=True)):
            row[3 if kind == "n" else 1 + i] = number.get(str(read), read)
        row[4:] = DOMAINS.index(line.domain), number.get(line.name, NONE)
    return out


def names_of(facts: Mapping[str, Iterable[str]]) -> list[str]:
    """The full names of the facts of several domains."""
    return [
        f"{of}.{name}" if of else name for of, names in facts.items() for name in names
    ]
