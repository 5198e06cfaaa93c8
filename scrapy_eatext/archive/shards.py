"""A process that extracts parts of archives, and the files that it writes.

It reads messages from standard input, a part each, and writes to standard output
how far it is.
"""

from __future__ import annotations

import errno
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from scrapy_eatext.archive.conditions import Conditions
from scrapy_eatext.archive.core import Extractor, batches_of, schema
from scrapy_eatext.archive.manifest import digest_of, sync
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
# Seconds between two messages about how far it is.
_BETWEEN_REPORTS = 0.5
# Rows that are written at a time, and the bytes of text after which fewer are.
_ROWS, _BYTES = 1000, 1 << 24
# No other part can be written either.
_FULL = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EFBIG, errno.EIO)
)


@dataclass(frozen=True, slots=True)
class Task:
    """What to do with every part: plain values, sent once."""

    settings: Mapping[str, Any]
    reading: Mapping[str, Any]
    where: tuple[str, ...] = ()
    sample: float = 1.0
    html: bool = False
    form: str = "parquet"


def _write_parquet(file: IO[bytes], batches: Iterable[Any], columns: Any) -> None:
    from pyarrow import Table
    from pyarrow.parquet import ParquetWriter

    with ParquetWriter(file, columns, compression="zstd") as writer:
        for some in _gathered(batches):
            writer.write_table(Table.from_batches(some, columns))


def _gathered(batches: Iterable[Any]) -> Iterator[list[Any]]:
    """Batches in groups that are large enough to be written at once."""
    some: list[Any] = []
    for batch in batches:
        some.append(batch)
        rows = sum(one.num_rows for one in some)
        if rows >= _ROWS or sum(one.nbytes for one in some) >= _BYTES:
            yield some
            some = []
    if some:
        yield some


def _write_lines(file: IO[bytes], batches: Iterable[Any], columns: Any) -> None:
    for batch in batches:
        for row in batch.to_pylist():
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


_WRITERS: dict[str, Callable[[IO[bytes], Iterable[Any], Any], None]] = {
    "parquet": _write_parquet,
    "jsonl": _write_lines,
}


def main() -> None:
    """Serve the process that started this one, for as long as it is there."""
    end_with_parent()
    with suppress(BrokenPipeError):
        _serve()


def _serve() -> None:
    source, answers = pipes()
    hello = receive(source)
    if hello is None:
        return
    task = Task(**hello[0])
    report = _Report(answers)
    extractor = Extractor(task.settings, html=task.html, tick=report.send)
    send(answers, {"ready": True})
    while message := receive(source):
        head = message[0]
        report.counts, report.share = Counter(), 0.0
        try:
            part, to = Part(**head["part"]), Path(head["to"])
            answer: dict[str, Any] = {"done": _do(part, to, task, extractor, report)}
        except (ArchiveError, MissingError) as error:
            answer = {"error": str(error)}
        except OSError as error:
            full = error.errno in _FULL
            answer = {"error": f"{head['to']}: {error.strerror or error}", "full": full}
        except Exception as error:  # noqa: BLE001
            answer = {"error": f"{type(error).__name__}: {error}"}
        if "error" in answer:
            with suppress(OSError):
                Path(head["to"]).unlink(missing_ok=True)
        send(answers, answer)
    extractor.close()


class _Report:
    """Sent to the process that started this one now and then: how far this one is."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers = answers
        self._next = 0.0
        self.counts: Counter[str] = Counter()
        self.share = 0.0

    def send(self) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _BETWEEN_REPORTS
            send(self._answers, {"counts": self.counts, "share": self.share})


def _do(
    part: Part, to: Path, task: Task, extractor: Extractor, report: _Report
) -> dict[str, Any]:
    """Extract a part into a file; what to enter into the manifest."""
    place = Place()
    rows = 0

    def extracted() -> Iterator[Any]:
        nonlocal rows
        conditions = Conditions.of(task.where)
        found = read_part(part, Reading(**task.reading), place)
        for batch in batches_of(_chosen(found, task, conditions, report)):
            done = extractor.batch(batch)
            report.counts.update(done.column("outcome").to_pylist())
            done = conditions.of_rows(done)
            report.counts["left_out"] += batch.num_rows - done.num_rows
            report.share = place.share
            if done.num_rows:
                rows += done.num_rows
                yield done

    with to.open("w+b") as file:
        _WRITERS[task.form](file, extracted(), schema(html=task.html))
        sync(file)
        digest = digest_of(file) if rows else ""
    if not rows:
        to.unlink()
    counts = {name: count for name, count in sorted(report.counts.items()) if count}
    return {
        "digest": digest,
        "rows": rows,
        "counts": counts,
        "damaged": place.damaged,
        "cut_off": place.cut_off,
    }


def _chosen(
    records: Iterable[Record], task: Task, conditions: Conditions, report: _Report
) -> Iterator[Record]:
    """The records that get a row: pages that are wanted, and what is unreadable."""
    for record in records:
        report.send()
        if record.outcome.startswith("skipped_"):
            report.counts[record.outcome] += 1
        elif not (_in_sample(record, task.sample) and conditions.of_url(record.url)):
            report.counts["left_out"] += 1
        else:
            yield record


def _in_sample(record: Record, share: float) -> bool:
    """Whether a page is in a sample: always the same pages, in whichever order."""
    if share >= 1:
        return True
    name = f"{record.url} {record.id}".encode("utf-8", "replace")
    number = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big")
    return number < share * (1 << 64)
