"""Tasks of an engine: lists of parts to read, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from scrapy_eatext.archive.readers import (
    Part,
    Reading,
    find,
    read_part,
    size_for,
    sized,
    split,
)

if TYPE_CHECKING:
    from scrapy_eatext.archive.record import Record

# With this many files per task, tasks are about equal without splitting files.
_FILES = 8


def tasks(inputs: str | Sequence[str], of: int, base: str = "") -> list[str]:
    """At most ``of`` tasks that together read all archives; for ``base`` see find().

    Few files are split.  Every call returns the same tasks.  Raises ArchiveError.
    """
    sources = [inputs] if isinstance(inputs, str) else inputs
    items = [archive for source in sources for archive in find(source, base)]
    if len(items) < _FILES * of:
        items = sized(items)
        items = list(split(items, size_for(items, of)))
    shares = [items[rank::of] for rank in range(of)]
    return [json.dumps([asdict(part) for part in share]) for share in shares if share]


def records_of(task: str, reading: Reading | None = None) -> Iterator[Record]:
    """The records of a task, without skipped ones.  Raises ArchiveError."""
    for part in json.loads(task):
        for record in read_part(Part(**part), reading or Reading()):
            if not record.outcome.startswith("skipped_"):
                yield record
