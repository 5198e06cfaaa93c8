"""The manifest of an output folder: which part of which input is in which file.

It is a file of JSON lines, to which a line is appended after its output file is
complete, so that the manifest is valid even after a crash.  On a remote file system,
where files can't be appended to, it is several files, of which the last is rewritten.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from scrapy_eatext.archive import files
from scrapy_eatext.durable import DRAFT, append, lock

# pyarrow and Spark leave out files whose names begin with _ when they read a folder.
NAME = "_manifest.jsonl"
OWN = re.compile(r"_manifest(-\d+)?\.jsonl")


class OutputError(ValueError):
    """An output folder that cannot be used; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An extracted part.

    ``input`` is a hash of the state of its input.  ``output`` is the file with its
    rows, "" without any; ``digest``, ``size`` and ``changed`` are the file's hash, its
    bytes and its last change in nanoseconds.  ``tally`` has the counts of a Tally;
    extracting ``bytes`` of input took ``seconds``.  ``damaged`` is the number of
    records with an error.
    """

    part: str
    input: str
    output: str = ""
    digest: str = ""
    rows: int = 0
    tally: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    bytes: int = 0
    seconds: float = 0.0
    size: int = 0
    changed: int = 0
    damaged: int = 0
    cut_off: bool = False

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Entry:
        """From a line of a manifest.  Raises TypeError for another."""
        entry = cls(**line)
        for name, kind in _TYPES:
            if type(getattr(entry, name)) is not kind:
                raise TypeError(f"{name!r} is no {kind.__name__}")
        return entry


_TYPES = [(name, type(value)) for name, value in asdict(Entry("", "")).items()]


class Manifest:
    """The manifest of a folder, locked for this process until it is closed.

    ``made_by`` are the versions and options that rows depend on.  Raises OutputError for
    a folder of other ones, and for one that another run is writing to.
    """

    def __init__(self, folder: str, made_by: Mapping[str, Any]) -> None:
        self.entries: dict[str, Entry] = {}
        # The output files that were changed or cut off after they were written.
        self.damaged_outputs: list[str] = []
        self._places: dict[str, tuple[str, list[int]]] = {}
        self._folder = folder
        try:
            names = files.names_in(folder)
            drafts = [name for name in names if name.endswith(DRAFT)]
            if len(names) > len(drafts) and not any(map(OWN.fullmatch, names)):
                raise OutputError(
                    f"{folder} is not empty, and has no {NAME} of an earlier run"
                )
            lines = _RemoteLines if files.is_remote(folder) else _Lines
            self._lines = lines(folder)
            try:
                self._read(json.loads(json.dumps(made_by)))
                for name in drafts:
                    files.delete(self._path(name))
            except BaseException:
                self.close()
                raise
        except OSError as error:
            raise OutputError(f"{folder}: {error.strerror or error}") from error

    def _read(self, made_by: dict[str, Any]) -> None:
        lines = _parsed(self._folder, self._lines.read())
        if not lines:
            self._write({"made_by": made_by})
        elif lines[0].get("made_by") != made_by:
            before = lines[0].get("made_by")
            before = before if isinstance(before, dict) else {}
            raise OutputError(self._difference(before, made_by))
        with _damage(self._folder):
            for line in lines[1:]:
                if "places" in line:
                    offsets = [int(offset) for offset in line["places"]]
                    self._places[line["source"]] = line["state"], offsets
                else:
                    self.entries[line["part"]] = Entry.of(line)

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
        """The offsets at which an earlier run split a file in this state, or None."""
        known_state, offsets = self._places.get(source, ("", []))
        return offsets if known_state == state else None

    def cut(self, source: str, state: str, places: list[int]) -> None:
        """Enter the offsets at which a file is split.  Raises OSError."""
        self._places[source] = state, places
        self._write({"source": source, "state": state, "places": places})

    def add(self, entry: Entry) -> None:
        """Enter a part whose file is written, or, without input, one that is gone.

        A file of its own that it had before is deleted.  Raises OSError.
        """
        if entry.output:
            stat = files.stat(self._path(entry.output))
            entry = replace(entry, size=stat.size, changed=stat.changed)
        before = self.entries.get(entry.part)
        self._write(asdict(entry))
        self.entries[entry.part] = entry
        if before is not None and before.output not in ("", entry.output):
            files.delete(self._path(before.output))

    def _path(self, name: str) -> str:
        return files.joined(self._folder, name)

    def is_done(self, part: str, state: str) -> bool:
        """Whether a part was extracted, from the present state of its input."""
        entry = self.entries.get(part)
        if entry is None or entry.input != state:
            return False
        return not entry.output or self._is_whole(entry)

    def _is_whole(self, entry: Entry) -> bool:
        """Whether a part's file exists and is unchanged."""
        path = self._path(entry.output)
        try:
            stat = files.stat(path)
            is_whole = stat == files.Stat(entry.size, entry.changed)
            if not is_whole and stat.size == entry.size:
                with closing(files.open_file(path)) as file:
                    is_whole = digest_of(file) == entry.digest
        except FileNotFoundError:
            return False
        # A missing file of a remote store has a size of 0.
        if stat.size and not is_whole:
            self.damaged_outputs.append(entry.output)
        return is_whole

    def strays(self) -> list[str]:
        """The folder's files of no part, as of a killed run or a lost manifest."""
        known = {entry.output for entry in self.entries.values()}
        names = set(files.names_in(self._folder)) - known
        return sorted(name for name in names if not name.startswith(("_", ".")))

    def _write(self, line: Mapping[str, Any]) -> None:
        self._lines.write(json.dumps(line).encode())

    def close(self) -> None:
        with suppress(OSError):
            self._lines.close()


class _Lines:
    """The lines of a manifest in a local file, which is locked."""

    def __init__(self, folder: str) -> None:
        path = Path(folder, NAME)
        self._file = path.open("a+b", buffering=0)
        try:
            lock(self._file.fileno())
        except OSError:
            self._file.close()
            raise OutputError(f"{folder}: another run is writing to it") from None

    def read(self) -> list[bytes]:
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        # A line without an end was being written when the run was killed.
        if lines[-1]:
            self._file.truncate(sum(len(line) + 1 for line in lines[:-1]))
        return lines[:-1]

    def write(self, line: bytes) -> None:
        try:
            append(self._file, line + b"\n")
            os.fsync(self._file.fileno())
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._file.name) from error

    def close(self) -> None:
        self._file.close()


class _RemoteLines:
    """The lines of a manifest on a remote file system, in several files."""

    # The most lines of a file: it is rewritten for each.
    _MOST = 500

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._names = _manifests(folder)
        self._own: list[bytes] = []
        self._number = len(self._names)

    def read(self) -> list[bytes]:
        return _lines_in(self._folder, self._names)

    def write(self, line: bytes) -> None:
        if len(self._own) == self._MOST:
            self._own, self._number = [], self._number + 1
        name = f"_manifest-{self._number:06}.jsonl"
        with files.written(files.joined(self._folder, name)) as file:
            file.write(b"".join(part + b"\n" for part in [*self._own, line]))
        self._own.append(line)

    def close(self) -> None:
        pass


def _manifests(folder: str) -> list[str]:
    return [name for name in files.names_in(folder) if OWN.fullmatch(name)]


def _lines_in(folder: str, names: Sequence[str]) -> list[bytes]:
    """The whole lines of some manifests."""
    contents = (files.content(files.joined(folder, name), 0) for name in names)
    return [line for content in contents for line in content.split(b"\n")[:-1]]


def outputs(folder: str) -> list[str]:
    """The output files in the manifest of a folder.  Raises OutputError."""
    try:
        names = _manifests(folder)
        lines = _lines_in(folder, names)
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror or error}") from error
    if not names:
        raise OutputError(f"{folder} is no output of `scrapy eatext archive`")
    rows = _parsed(folder, lines)
    # Only the last line of a part is valid.
    with _damage(folder):
        of_parts = {row["part"]: Entry.of(row).output for row in rows if "part" in row}
    return [
        files.joined(folder, name) for name in sorted(filter(None, of_parts.values()))
    ]


def _parsed(folder: str, lines: Sequence[bytes]) -> list[dict[str, Any]]:
    with _damage(folder):
        return [dict(json.loads(line)) for line in lines]


@contextmanager
def _damage(folder: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise OutputError(f"{folder}/{NAME} is damaged: {error}") from error


def digest_of(file: IO[bytes]) -> str:
    """The hash of a file's content."""
    file.seek(0)
    digest = hashlib.sha256()
    while data := file.read(1 << 20):
        digest.update(data)
    return digest.hexdigest()


def _in_words(value: Any) -> str:
    """An option's value in the words of the command's help."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return ", ".join(map(_in_words, value)) or "none"
    if isinstance(value, dict):
        return json.dumps(value) if value else "none"
    return "none" if value in (None, "") else str(value)
