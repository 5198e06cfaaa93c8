"""Tasks of an engine: what each of so many reads, as texts that can be sent anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from scrapy_eatext.archive.readers import (
    Part,
    Reading,
    cut,
    find,
    places,
    read_part,
    size_for,
    sized,
)

if TYPE_CHECKING:
    from scrapy_eatext.archive.record import Record

# With so many files for each task, tasks have about as much to do.
_FILES = 8


def tasks(inputs: str | Sequence[str], of: int, base: str = "") -> list[str]:
    """So many tasks that read archives together, or fewer; ``base`` is find()'s.

    Files are cut if they are few.  The tasks are the same whoever asks for them.
    Raises ArchiveError.
    """
    sources = [inputs] if isinstance(inputs, str) else inputs
    found = [whole for source in sources for whole in find(source, base)]
    if len(found) < _FILES * of:
        found = sized(found)
        size = size_for(found, of)
        found = [part for one in found for part in cut(one, places(one, size))]
    shares = [found[rank::of] for rank in range(of)]
    return [json.dumps([asdict(part) for part in some]) for some in shares if some]


def records_of(task: str, reading: Reading | None = None) -> Iterator[Record]:
    """What gets a row, of what a task reads.  Raises ArchiveError."""
    for part in json.loads(task):
        for record in read_part(Part(**part), reading or Reading()):
            if not record.outcome.startswith("skipped_"):
                yield record
