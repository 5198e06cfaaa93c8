"""The process that extracts parts of archives and writes their files.

It reads messages from standard input, one for each part, and writes progress and
results to standard output.
"""

from __future__ import annotations

import errno
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, Any

from scrapy_eatext.archive import files
from scrapy_eatext.archive.core import USUAL, Extractor
from scrapy_eatext.archive.manifest import digest_of
from scrapy_eatext.archive.progress import Tally
from scrapy_eatext.archive.readers import (
    ArchiveError,
    Part,
    Place,
    Reading,
    read_part,
)
from scrapy_eatext.archive.record import MissingError, Record
from scrapy_eatext.execution.worker import end_with_parent, pipes, receive, send

FORMATS = ("parquet", "jsonl")
# Seconds between two messages of progress.
_BETWEEN_REPORTS = 0.5
# A row group is written after this many rows or bytes.
_ROWS, _BYTES = 1000, 1 << 24
# Errors after which no other part can be written either.
_FULL = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EFBIG, errno.EIO)
)


@dataclass(frozen=True, slots=True)
class Task:
    """The options for all parts, as plain values; sent once."""

    settings: Mapping[str, Any]
    reading: Mapping[str, Any]
    columns: Sequence[str] = USUAL
    where: Sequence[str] = ()
    sample: float = 1.0
    form: str = "parquet"


def _write_parquet(file: IO[bytes], batches: Iterable[Any], columns: Any) -> None:
    from pyarrow import Table
    from pyarrow.parquet import ParquetWriter

    with ParquetWriter(file, columns, compression="zstd") as writer:
        for some in _gathered(batches):
            writer.write_table(Table.from_batches(some, columns))


def _gathered(batches: Iterable[Any]) -> Iterator[list[Any]]:
    """Batches in groups that are large enough for a row group."""
    group: list[Any] = []
    for batch in batches:
        group.append(batch)
        rows = sum(part.num_rows for part in group)
        if rows >= _ROWS or sum(part.nbytes for part in group) >= _BYTES:
            yield group
            group = []
    if group:
        yield group


def _write_lines(file: IO[bytes], batches: Iterable[Any], columns: Any) -> None:
    for batch in batches:
        for row in batch.to_pylist():
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


_WRITERS: dict[str, Callable[[IO[bytes], Iterable[Any], Any], None]] = {
    "parquet": _write_parquet,
    "jsonl": _write_lines,
}


def main() -> None:
    """Serve the parent process, as long as it exists."""
    end_with_parent()
    with suppress(BrokenPipeError):
        serve(*pipes())


def serve(source: IO[bytes], answers: IO[bytes]) -> None:
    """Answer messages until they end; the first one is the Task."""
    hello = receive(source)
    if hello is None:
        return
    task = Task(**hello[0])
    report = _Report(answers)
    extractor = Extractor(
        task.settings, columns=task.columns, where=task.where, tick=report.send
    )
    send(answers, {"ready": True})
    while message := receive(source):
        head = message[0]
        extractor.tally = Tally()
        report.counts, report.place = extractor.tally.outcomes, Place()
        try:
            part, to = Part(**head["part"]), str(head["to"])
            answer: dict[str, Any] = {"done": _do(part, to, task, extractor, report)}
        except (ArchiveError, MissingError) as error:
            answer = {"error": str(error)}
        except OSError as error:
            full = error.errno in _FULL
            answer = {"error": f"{head['to']}: {error.strerror or error}", "full": full}
        except Exception as error:  # noqa: BLE001
            answer = {"error": f"{type(error).__name__}: {error}"}
        send(answers, answer)
    extractor.close()


class _Report:
    """Sends progress to the parent process, at intervals."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers = answers
        self._next = 0.0
        self.counts: Counter[str] = Counter()
        self.place = Place()

    def send(self) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _BETWEEN_REPORTS
            send(self._answers, {"counts": self.counts, "share": self.place.share})


def _do(
    part: Part, to: str, task: Task, extractor: Extractor, report: _Report
) -> dict[str, Any]:
    """Extract a part into a file; returns its values for the manifest."""
    began = time.monotonic()
    records = read_part(part, Reading(**task.reading), report.place)
    batches = extractor.results(_chosen(records, task, report))
    rows, digest = 0, ""

    def counted() -> Iterator[Any]:
        nonlocal rows
        for batch in chain(first, batches):
            rows += batch.num_rows
            yield batch

    # No file is written without rows.
    if first := list(islice(batches, 1)):
        with files.written(to) as file:
            _WRITERS[task.form](file, counted(), extractor.schema)
            digest = digest_of(file)
    return {
        "digest": digest,
        "rows": rows,
        "tally": extractor.tally.as_json(),
        "bytes": part.bytes(),
        "seconds": round(time.monotonic() - began, 3),
        "damaged": report.place.damaged,
        "cut_off": report.place.cut_off,
    }


def _chosen(records: Iterable[Record], task: Task, report: _Report) -> Iterator[Record]:
    """The records for rows: pages and unreadable records, if they are in the sample."""
    for record in records:
        report.send()
        if record.outcome.startswith("skipped_"):
            report.counts[record.outcome] += 1
        elif _in_sample(record, task.sample):
            yield record
        else:
            report.counts["left_out"] += 1


def _in_sample(record: Record, share: float) -> bool:
    """Whether a page is in a sample, by a hash of its address and id."""
    if share >= 1:
        return True
    name = f"{record.url} {record.id}".encode("utf-8", "replace")
    number = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big")
    return number < share * (1 << 64)
