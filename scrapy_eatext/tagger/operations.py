"""The operations that features are made of, and what evaluates tables of them.

A line of a table is a name, one of these operations and what it reads: columns by
their names, and numbers.  A column has a number for each row of its domain, which its
name begins with ("box.chars"); those of blocks begin with none, and "page" has one
row, for all.  Facts are the columns that code makes (facts.py, context.py, whole.py);
figures are columns that lines make of these, and features what the trees see.

What is here is plain and serves where nothing is compiled; otherwise the compiled
twin evaluates the same lines, encoded as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Rows = dict[str, Ints]

# What columns have rows for: blocks, the page, the places between blocks, containers,
# siblings that look alike, and blocks with equal texts, in equal elements, in elements
# of the same tags, and of one kind and depth.  Those of what is kept have one row too.
DOMAINS = "", "page", "sum", "box", "like", "copies", "way", "tags", "kind", "kept"
ONE_ROW = "page", "kept"

# No figure is larger than this, so that all fit 32 bits.
CAP = 1_000_000
# Where there is nothing to count.
NONE = -1


def copy(values: Ints) -> Ints:
    """The values as they are."""
    return values


def ratio(part: Ints, whole: Ints) -> Ints:
    """Thousandths of the whole, which is at least 1."""
    return part * 1000 // np.maximum(whole, 1)


def quotient(part: Ints, whole: Ints) -> Ints:
    """The part for each one of the whole, which is at least 1."""
    return part // np.maximum(whole, 1)


def left(whole: Ints, part: Ints) -> Ints:
    """What is left without the part."""
    return whole - part


def bit(mask: Ints, number: int) -> Ints:
    """One of the mask's bits."""
    return mask >> number & 1


def shift(values: Ints, by: int) -> Ints:
    """The values of the blocks so many places before (or, below 0, behind)."""
    place = np.arange(len(values)) - by
    there = (place >= 0) & (place < len(values))
    return np.where(there, values.take(place, mode="clip"), NONE)


def step(values: Ints, by: int) -> Ints:
    """How much more there is at the block so many places before (or behind)."""
    return shift(values, by) - values


def span(sums: Ints, radius: int) -> Ints:
    """The sum over the blocks up to so many places away; given sums up to each block."""
    place, count = np.arange(len(sums) - 1), len(sums) - 1
    first, last = np.maximum(place - radius, 0), np.minimum(place + radius + 1, count)
    return sums[last] - sums[first]


def span_ratio(part: Ints, whole: Ints, radius: int) -> Ints:
    """Thousandths of the whole over the blocks around."""
    return ratio(span(part, radius), span(whole, radius))


def span_quotient(part: Ints, whole: Ints, radius: int) -> Ints:
    """The part for each one of the whole over the blocks around."""
    return quotient(span(part, radius), span(whole, radius))


def pick(values: Ints, of: Ints) -> Ints:
    """The values of what each block is of; -1 is the last."""
    return values[of]


def place(of: Ints, first: Ints, last: Ints) -> Ints:
    """How far on each block stands, in thousandths, between two places of what it is of."""
    return ratio(np.arange(len(of)) - first[of], last[of] - first[of])


# What each of them reads: "r" is a column with a row for each row that is made, or
# for the page; "s" one of sums; "n" a number; "i" the rows in another domain, and "o"
# a column of that domain.  These and the order are the compiled twin's too.
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
    """What a column has rows for; nothing for blocks."""
    return name.rpartition(".")[0]


Table = Mapping[str, Line]


def table(*lines: tuple[Any, ...], of: str = "") -> dict[str, Line]:
    """A table of tuples: each a name, an operation, and what it reads.

    Figures are those ``of`` a domain, which names without one are of.
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
    """The lines of some features, and those of the figures that they read.

    Figures come first, each behind those that it reads itself.  Raises ValueError for
    a name that no feature has.
    """
    found: dict[str, Line] = {}

    def add(line: Line) -> None:
        for read in line.reads:
            if read in figures and read not in found:
                add(figures[str(read)])
                found[str(read)] = figures[str(read)]

    lines = []
    for name in names:
        if name not in features:
            raise ValueError(f"no feature is called {name!r}")
        lines.append(features[name])
        add(lines[-1])
    return [list(found.values()), lines]


def evaluate(lines: Iterable[Line], columns: Mapping[str, Ints]) -> Rows:
    """What lines make of columns, capped."""
    made = {}
    for line in lines:
        reads = (columns[of] if isinstance(of, str) else of for of in line.reads)
        # Faster by far on short rows than clip().
        made[line.name] = np.minimum(np.maximum(line.operation(*reads), -CAP), CAP)
    return made


def evaluate_all(
    names: Iterable[str],
    features: Table,
    figures: Table,
    columns: MutableMapping[str, Ints],
) -> Rows:
    """Features by their names; the figures that they need become columns."""
    before, lines = wanted(names, features, figures)
    for line in before:
        columns.update(evaluate([line], columns))
    return evaluate(lines, columns)


def encoded(lines: Sequence[Line], columns: Sequence[str]) -> npt.NDArray[np.int32]:
    """Lines as numbers for the compiled twin.

    A row has the number of the operation, three of what it reads (numbers are the
    last), that of the domain and that of the column that is made, if it is one of ``columns``; those that are
    read are by their places there too.  Raises ValueError for a line that reads what
    is not there, or what its operation can't read.
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
