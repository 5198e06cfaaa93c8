"""Tasks of an engine: lists of parts to read, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from scrapy_eatext.archive import readers

if TYPE_CHECKING:
    from scrapy_eatext.archive.record import Record

# With this many files per task, tasks are about equal without splitting files.
_FILES = 8


def tasks(inputs: str | Sequence[str], of: int, base: str = "") -> list[str]:
    """At most ``of`` tasks that together read all archives; for ``base`` see find().

    Few files are split.  Every call returns the same tasks.  Raises ArchiveError.
    """
    sources = [inputs] if isinstance(inputs, str) else inputs
    items = [archive for source in sources for archive in readers.find(source, base)]
    if len(items) < _FILES * of:
        items = readers.sized(items)
        items = list(readers.split(items, readers.size_for(items, of)))
    shares = [items[rank::of] for rank in range(of)]
    return [json.dumps([asdict(part) for part in share]) for share in shares if share]


def records_of(task: str, reading: readers.Reading | None = None) -> Iterator[Record]:
    """The records of a task, without skipped ones.  Raises ArchiveError."""
    reading = reading or readers.Reading()
    for part in json.loads(task):
        for record in readers.read_part(readers.Part(**part), reading):
            if not record.outcome.startswith("skipped_"):
                yield record
