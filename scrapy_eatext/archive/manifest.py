"""The list of what an output folder has: which part of which input is in which file.

It is a file of lines in JSON that only grows.  A line is written after its file is
whole and has its name, so what the list has is there, also after a crash.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from scrapy_eatext.archive import files
from scrapy_eatext.durable import lock, sync_folder

NAME = "manifest.jsonl"


class OutputError(ValueError):
    """An output folder that cannot be used; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A part that is done.

    ``input`` is a hash of what the part was read from.  ``output`` is the file with its
    rows, "" without any; ``digest``, ``size`` and ``changed`` are the file's hash, bytes
    and last change in nanoseconds.  ``damaged`` counts records with an error.
    """

    part: str
    input: str
    output: str = ""
    digest: str = ""
    rows: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    size: int = 0
    changed: int = 0
    damaged: int = 0
    cut_off: bool = False


class Manifest:
    """The manifest of a folder, locked for this process until it is closed.

    ``made_by`` are the version and the options that determine the rows.  Raises
    OutputError for a folder of another version or of other options, and for one that
    another run is writing to.
    """

    def __init__(self, folder: Path, made_by: Mapping[str, Any]) -> None:
        self.entries: dict[str, Entry] = {}
        # The output files that were cut or changed after they were written.
        self.damaged_outputs: list[str] = []
        self._places: dict[str, tuple[str, list[int]]] = {}
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = (folder / NAME).open("a+b")
        except OSError as error:
            raise OutputError(f"{folder}: {error.strerror or error}") from error
        try:
            lock(self._file.fileno())
        except OSError:
            self._file.close()
            raise OutputError(f"{folder}: another run is writing to it") from None
        try:
            self._read(json.loads(json.dumps(made_by)))
            for file in folder.glob("*.part"):
                file.unlink(missing_ok=True)
        except BaseException:
            self._file.close()
            raise

    def _read(self, made_by: dict[str, Any]) -> None:
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        # A line without an end was being written when a run was killed.
        if lines[-1]:
            self._file.truncate(sum(len(line) + 1 for line in lines[:-1]))
        entered = _parsed(self._folder / NAME, lines[:-1])
        if not entered:
            others = [path for path in self._folder.iterdir() if path.name != NAME]
            if any(not path.name.endswith(".part") for path in others):
                (self._folder / NAME).unlink(missing_ok=True)
                raise OutputError(
                    f"{self._folder} is not empty, and has no {NAME} of an earlier run"
                )
            self._write({"made_by": made_by})
        elif entered[0].get("made_by") != made_by:
            before = entered[0].get("made_by") or {}
            raise OutputError(self._difference(before, made_by))
        for line in entered[1:]:
            if "places" in line:
                self._places[line["source"]] = line["state"], line["places"]
            else:
                self.entries[line["part"]] = Entry(**line)

    def _difference(self, before: dict[str, Any], now: dict[str, Any]) -> str:
        changes = [
            f"{name}: {_in_words(before.get(name))} then, {_in_words(now.get(name))} now"
            for name in {**before, **now}
            if before.get(name) != now.get(name)
        ]
        return (
            f"{self._folder} was written with other versions or options: "
            f"{'; '.join(changes)}. Name another folder, or delete this one"
        )

    def places(self, source: str, state: str) -> list[int] | None:
        """Where a file in this state was cut before, None if that is not known."""
        known, found = self._places.get(source, ("", []))
        return found if known == state else None

    def cut(self, source: str, state: str, places: list[int]) -> None:
        self._places[source] = state, places
        self._write({"source": source, "state": state, "places": places})

    def add(self, entry: Entry, written: Path | None) -> None:
        """Give a file that is written whole its name, and enter it.  Raises OSError."""
        if written is not None:
            file = self._folder / entry.output
            written.replace(file)
            with suppress(OSError):
                sync_folder(self._folder)
            found = files.stat(str(file))
            entry = replace(entry, size=found.size, changed=found.changed)
        before = self.entries.get(entry.part)
        self._write(asdict(entry))
        self.entries[entry.part] = entry
        if before is not None and before.output not in ("", entry.output):
            (self._folder / before.output).unlink(missing_ok=True)

    def drop(self, part: str) -> None:
        """Take a part out that its input no longer has.  Raises OSError."""
        before = self.entries.pop(part)
        self._write(asdict(Entry(part, "")))
        if before.output:
            (self._folder / before.output).unlink(missing_ok=True)

    def is_done(self, part: str, state: str) -> bool:
        """Whether a part is in the folder as its input is now."""
        entry = self.entries.get(part)
        if entry is None or entry.input != state:
            return False
        return not entry.output or self._is_whole(entry)

    def _is_whole(self, entry: Entry) -> bool:
        """Whether a part's file is there as it was written."""
        path = self._folder / entry.output
        try:
            found = files.stat(str(path))
            if (found.size, found.changed) == (entry.size, entry.changed):
                return True
            with path.open("rb") as file:
                if found.size == entry.size and digest_of(file) == entry.digest:
                    return True
        except FileNotFoundError:
            return False
        self.damaged_outputs.append(entry.output)
        return False

    def _write(self, line: Mapping[str, Any]) -> None:
        place = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError:
            # No line may follow half of another.
            with suppress(OSError):
                self._file.truncate(place)
            raise

    def close(self) -> None:
        with suppress(OSError):
            self._file.close()


def outputs(folder: Path) -> list[Path]:
    """The files of a folder that its manifest has.  Raises OutputError."""
    try:
        lines = (folder / NAME).read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise OutputError(
            f"{folder} is no output of `scrapy eatext archive`: {error.strerror}"
        ) from error
    entered = _parsed(folder / NAME, lines)
    names = {line["part"]: line.get("output") for line in entered if "part" in line}
    return [folder / name for name in sorted(filter(None, names.values()))]


def _parsed(file: Path, lines: Sequence[bytes]) -> list[dict[str, Any]]:
    try:
        return [dict(json.loads(line)) for line in lines]
    except (ValueError, TypeError) as error:
        raise OutputError(f"{file} is damaged: {error}") from error


def digest_of(file: IO[bytes]) -> str:
    """The hash of a file's content."""
    file.seek(0)
    digest = hashlib.sha256()
    while data := file.read(1 << 20):
        digest.update(data)
    return digest.hexdigest()


def _in_words(value: Any) -> str:
    """An option's value as a reader of the command's help knows it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return ", ".join(map(_in_words, value)) or "none"
    if isinstance(value, dict):
        return json.dumps(value) if value else "none"
    return "none" if value in (None, "") else str(value)


def sync(file: IO[bytes]) -> None:
    """Have what was written to a file outlast a crash of the system."""
    file.flush()
    os.fsync(file.fileno())
