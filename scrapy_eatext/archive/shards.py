"""The plan of a run, and the process that extracts parts of its archives.

The process reads messages from standard input, one for each part, and writes progress
and results to standard output.
"""

from __future__ import annotations

import errno
import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import scrapy_eatext
from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.archive import core, files
from scrapy_eatext.archive.manifest import digest_of
from scrapy_eatext.archive.progress import Tally
from scrapy_eatext.archive.readers import ArchiveError, Part, Place, Reading, read_part
from scrapy_eatext.archive.record import MissingError, Record
from scrapy_eatext.execution.worker import end_with_parent, pipes, receive, send

# The seconds between two reports of progress.
_BETWEEN_REPORTS = 0.5
# A row group is written after this many rows or bytes.
_ROWS, _BYTES = 1000, 1 << 24
# Errors that every other part would meet too when it is written.
_FULL = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EFBIG, errno.EIO)
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The inputs of a run, its output folder, and its options.

    ``lists`` are files with paths of more inputs, relative to ``base``.  ``settings``
    are EATEXT_* settings.  ``part_size`` is the most bytes of input for an output file;
    0 chooses it by the inputs and the workers.
    """

    inputs: Sequence[str]
    output: str | Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    html_column: str = "html"
    url_column: str = "url"
    columns: Sequence[str] = core.DEFAULT_COLUMNS
    where: Sequence[str] = ()
    sample: float = 1.0
    form: str = "parquet"
    workers: int = 1
    part_size: int = 0
    lists: Sequence[str] = ()
    base: str = ""

    @property
    def folder(self) -> str:
        """The output folder's path."""
        return files.local_path(str(self.output))

    def as_json(self) -> dict[str, Any]:
        """Plan's arguments, for another process."""
        settings = core.settings_for_rows(self.settings)
        return {**asdict(self), "output": self.folder, "settings": settings}

    def reading(self) -> Reading:
        """The options of the readers.  Raises SettingError."""
        most = core.config_of(self.settings).limits.max_size
        return Reading(most, self.html_column, self.url_column)

    def made_by(self) -> dict[str, Any]:
        """All versions and options that rows depend on, by names for messages."""
        config = core.config_of(self.settings)
        choices = [config.choice, *filter(None, config.sites.values())]
        versions = {
            name: get_algorithm(name, choice.options.get(name)).version
            for choice in choices
            for name in choice.algorithms
        }
        folders = {
            str(options["site_files"])
            for choice in choices
            for options in choice.options.values()
            if options.get("site_files")
        }
        return {
            "scrapy-eatext": scrapy_eatext.__version__,
            "schema": core.SCHEMA,
            **{f"algorithm {name}": version for name, version in versions.items()},
            # By content, as learning again keeps the files' names.
            **{f"site files {path}": _hash_of(path) for path in sorted(folders)},
            **core.settings_for_rows(self.settings),
            "columns": self.columns,
            "where": self.where,
            "sample": self.sample,
            "form": self.form,
            "html-column": self.html_column,
            "url-column": self.url_column,
            "most bytes of a page": config.limits.max_size,
        }


def _hash_of(folder: str) -> str:
    """A hash of the site files in a folder."""
    digest = hashlib.sha256()
    for file in sorted(Path(folder).glob("*.json")):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _write_parquet(file: IO[bytes], batches: Iterable[Any], columns: Any) -> None:
    from pyarrow import Table
    from pyarrow.parquet import ParquetWriter

    with ParquetWriter(file, columns, compression="zstd") as writer:
        for group in _grouped(batches):
            writer.write_table(Table.from_batches(group, columns))


def _grouped(batches: Iterable[Any]) -> Iterator[list[Any]]:
    """Batches in groups, each large enough for a row group of Parquet."""
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


# The formats of the output.
WRITERS: dict[str, Callable[[IO[bytes], Iterable[Any], Any], None]] = {
    "parquet": _write_parquet,
    "jsonl": _write_lines,
}


def main() -> None:
    """Serve the parent process until it ends."""
    end_with_parent()
    with suppress(BrokenPipeError):
        serve(*pipes())


def serve(source: IO[bytes], answers: IO[bytes]) -> None:
    """Answer messages until they end; the first one is the plan."""
    if hello := receive(source):
        worker = _Worker(Plan(**hello[0]), answers)
        send(answers, {"ready": True})
        while message := receive(source):
            send(answers, worker.answer(message[0]))
        worker.extractor.close()


class _Worker:
    """Extracts parts by a plan, and sends progress at intervals."""

    def __init__(self, plan: Plan, answers: IO[bytes]) -> None:
        self._plan = plan
        self._reading = plan.reading()
        self._answers = answers
        self._next_report = 0.0
        self._place = Place()
        self.extractor = core.Extractor(
            plan.settings, columns=plan.columns, where=plan.where, tick=self._report
        )

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Extract a part; returns the values of its Entry as "done", or an "error"."""
        self.extractor.tally, self._place = Tally(), Place()
        to = str(message["to"])
        try:
            return {"done": self._extract(Part(**message["part"]), to)}
        except (ArchiveError, MissingError) as error:
            return {"error": str(error)}
        except OSError as error:
            full = error.errno in _FULL
            return {"error": f"{to}: {error.strerror or error}", "full": full}
        except Exception as error:  # noqa: BLE001
            return {"error": f"{type(error).__name__}: {error}"}

    def _extract(self, part: Part, to: str) -> dict[str, Any]:
        began = time.monotonic()
        records = read_part(part, self._reading, self._place)
        batches = self.extractor.results(self._chosen(records))
        rows, digest = 0, ""

        def counted() -> Iterator[Any]:
            nonlocal rows
            for batch in chain(first, batches):
                rows += batch.num_rows
                yield batch

        # No file is written without rows.
        if first := list(islice(batches, 1)):
            with files.written(to) as file:
                WRITERS[self._plan.form](file, counted(), self.extractor.schema)
                digest = digest_of(file)
        return {
            "digest": digest,
            "rows": rows,
            "tally": self.extractor.tally.as_json(),
            "bytes": part.bytes(),
            "seconds": round(time.monotonic() - began, 3),
            "damaged": self._place.damaged,
            "cut_off": self._place.cut_off,
        }

    def _chosen(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records of the sample, without skipped ones; these and others are counted."""
        counts = self.extractor.tally.outcomes
        for record in records:
            self._report()
            if record.outcome.startswith("skipped_"):
                counts[record.outcome] += 1
            elif _in_sample(record, self._plan.sample):
                yield record
            else:
                counts["left_out"] += 1

    def _report(self) -> None:
        now = time.monotonic()
        if now >= self._next_report:
            self._next_report = now + _BETWEEN_REPORTS
            counts = self.extractor.tally.outcomes
            send(self._answers, {"counts": counts, "share": self._place.share})


def _in_sample(record: Record, share: float) -> bool:
    """Whether a page is in a sample, by a hash of its address and id."""
    if share >= 1:
        return True
    name = f"{record.url} {record.id}".encode("utf-8", "replace")
    number = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big")
    return number < share * (1 << 64)
