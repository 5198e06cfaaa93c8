"""Extraction on one machine: a pool of processes, an output file for each part.

Each part is written atomically, then entered in the folder's manifest.  A run that was
stopped for any reason can be continued: only the missing parts are extracted.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from scrapy_eatext.archive import files, readers, shards
from scrapy_eatext.archive.core import SCHEMA, config_of
from scrapy_eatext.archive.manifest import Entry, Manifest
from scrapy_eatext.archive.progress import REPORTED, Progress, Tally, UnderWay
from scrapy_eatext.archive.readers import ArchiveError, Part
from scrapy_eatext.execution.process import Process
from scrapy_eatext.execution.worker import command

# A part is given up after its process died this many times.
_MAX_DEATHS = 3
# A process hangs if it reports nothing for _PATIENCE seconds plus _PAGES times the
# timeout of a page: a page may take several timeouts, as workers are restarted for it.
_PATIENCE, _PAGES = 60.0, 6
# The seconds within which a process has to end.
_END_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Job:
    """A part to extract, its name in the manifest, and its input's state."""

    name: str
    part: Part
    state: str


class Run:
    """A run over a plan's inputs.  Raises ArchiveError, SettingError and OutputError."""

    def __init__(self, plan: shards.Plan) -> None:
        self._plan = plan
        timeout = config_of(plan.settings).limits.timeout
        self._patience = _PATIENCE + _PAGES * timeout if timeout else 0.0
        self._archives = _inputs(plan)
        self.progress = Progress()
        self.manifest = Manifest(plan.folder, plan.made_by())
        self._lock = Lock()
        self._stopped = ""
        self._has_started = False
        self._processes: dict[int, Process] = {}
        # The names of all parts of the inputs.
        self._seen: set[str] = set()

    def go(self, show: Callable[[Progress], None] = lambda _: None) -> Progress:
        """Extract the parts that no earlier run did; ``show`` is called regularly."""
        try:
            self.progress.size = sum(archive.bytes() for archive in self._archives)
            todo = self._todo()
            threads = [
                Thread(target=self._work, args=(i, todo), daemon=True)
                for i in range(self._plan.workers)
            ]
            for thread in threads:
                thread.start()
            while alive := [thread for thread in threads if thread.is_alive()]:
                alive[0].join(0.2)
                self.progress.note(time.monotonic())
                show(self.progress)
            if self._stopped:
                self.progress.errors["the run stopped"] = self._stopped
            else:
                self._drop_gone()
        finally:
            self._stopped = self._stopped or "stopped"
            for process in list(self._processes.values()):
                process.kill()
            self.manifest.close()
        return self.progress

    def report(self) -> dict[str, Any]:
        """The totals of the output, of this run and earlier ones."""
        tally = Tally()
        entries = [entry for entry in self.manifest.entries.values() if entry.input]
        for entry in entries:
            tally.merge(entry.tally)
        return {
            "schema_version": SCHEMA,
            "rows": sum(entry.rows for entry in entries),
            "parts": len(entries),
            **tally.as_json(REPORTED),
            "bytes_in": sum(entry.bytes for entry in entries),
            "bytes_out": sum(entry.size for entry in entries),
            "seconds": round(sum(entry.seconds for entry in entries), 3),
            "seconds_of_this_run": round(self.progress.seconds, 3),
            "damaged_records": self.progress.damaged,
            "files_cut_off": list(self.progress.cut_off),
            "errors": self.progress.errors,
        }

    def _todo(self) -> Iterator[_Job]:
        """The parts that no earlier run extracted."""
        plan = self._plan
        most = plan.part_size or readers.size_for(self._archives, plan.workers)
        for archive in self._archives:
            try:
                state = _state_of(archive)
                source = files.canonical(archive.source)
                at = self.manifest.places(source, state)
                if at is None or archive.kind in readers.NAMED:
                    at = readers.places(archive, most)
                    # So that a later run with other workers has the same parts.
                    if len(at) > 1 and archive.kind not in readers.NAMED:
                        self.manifest.cut(source, state, at)
            except (OSError, ArchiveError) as error:
                self.progress.errors[archive.source] = str(error)
                self.progress.skipped += archive.bytes()
                continue
            for part in readers.cut(archive, at):
                name = f"{source}#{part.kind}-{part.start}"
                job = _Job(name, part, _state_of(part) if part.names else state)
                self._seen.add(name)
                if self.manifest.is_done(name, job.state):
                    self.progress.skipped += part.bytes()
                    self._note_damage(part, self.manifest.entries[name])
                else:
                    yield job

    def _next(self, todo: Iterator[_Job]) -> _Job | None:
        with self._lock:
            return None if self._stopped else next(todo, None)

    def _work(self, number: int, todo: Iterator[_Job]) -> None:
        try:
            while job := self._next(todo):
                output = _name_of(job.part, self._plan.form)
                to = files.joined(self._plan.folder, output)
                answer = self._extract(number, job, to)
                with self._lock:
                    self._enter(number, job, answer, output)
        except OSError as error:  # of the manifest's file system, or no process
            self._stopped = self._stopped or str(error)
        finally:
            self.progress.under_way.pop(number, None)
            if process := self._processes.get(number):
                process.close(_END_SECONDS)

    def _extract(self, number: int, job: _Job, to: str) -> dict[str, Any] | None:
        """A process's answer for a part; None if all died, or the run is stopped."""
        message = {"part": asdict(job.part), "to": to}

        def goes_on(answer: Mapping[str, Any]) -> bool:
            is_progress = "counts" in answer
            if is_progress:
                self._note(number, job.part, answer)
            return is_progress

        for _ in range(_MAX_DEATHS):
            if self._stopped:
                break
            process = self._processes.get(number) or self._start(number)
            answer = process.exchange(message, limit=self._patience, goes_on=goes_on)
            if answer is not None:
                return dict(answer)
            self._processes.pop(number).kill()
        if not (self._has_started or self._stopped):
            raise ChildProcessError("processes end at their start")
        return None

    def _start(self, number: int) -> Process:
        process = self._processes[number] = Process(command(shards.__name__))
        hello = self._plan.as_json()
        self._has_started |= bool(process.exchange(hello, limit=self._patience))
        return process

    def _enter(self, number: int, job: _Job, answer: Any, output: str) -> None:
        """Enter the result of a part into the manifest, and count it."""
        error = ""
        if answer is None:
            error = f"its process died {_MAX_DEATHS} times"
        elif "error" in answer:
            error = answer["error"]
        elif _changed(job.part):
            error = "it changed while it was read"
        if self._stopped or error:
            if answer and answer.get("full"):
                self._stopped = self._stopped or error
            elif error and (answer or not self._stopped):
                self.progress.errors[job.name] = error
            self.progress.under_way[number] = UnderWay()
            self.progress.skipped += job.part.bytes()
            return
        done = answer["done"]
        entry = Entry(job.name, job.state, output if done["rows"] else "", **done)
        self.manifest.add(entry)
        self.progress.under_way[number] = UnderWay()
        self.progress.counts.update(entry.tally["outcomes"])
        self._note_damage(job.part, entry)
        self.progress.done += job.part.bytes()
        self.progress.parts += 1

    def _note(self, number: int, part: Part, report: Mapping[str, Any]) -> None:
        if not self.progress.under_way and not self.progress.counts:
            # The rate does not include the time in which processes started.
            self.progress.started = time.monotonic()
        counts = Counter(report["counts"])
        under_way = UnderWay(part.bytes(), report["share"], counts)
        self.progress.under_way[number] = under_way

    def _note_damage(self, part: Part, entry: Entry) -> None:
        self.progress.damaged += entry.damaged
        if entry.cut_off:
            self.progress.cut_off[part.source] = None

    def _drop_gone(self) -> None:
        """Drop the parts whose input is gone, unless there were errors."""
        inputs = [files.canonical(source) for source in self._plan.inputs]
        for name, entry in list(self.manifest.entries.items()):
            source = f"{name.rpartition('#')[0]}/"
            is_of_inputs = any(source.startswith(f"{path}/") for path in inputs)
            if entry.input and is_of_inputs and name not in self._seen:
                if self.progress.errors:
                    self.progress.orphaned += 1
                else:
                    self.manifest.add(Entry(name, ""))


def _inputs(plan: shards.Plan) -> list[Part]:
    """The archives of a plan, without its own output, and each file only once."""
    archives: list[Part] = []
    known: set[str] = set()
    output = f"{files.canonical(plan.folder)}/"

    def is_new(path: str) -> bool:
        path = files.canonical(path)
        if path in known or f"{path}/".startswith(output):
            return False
        known.add(path)
        return True

    sources = [(str(path), "") for path in plan.inputs]
    sources += [(path, "paths") for path in plan.lists]
    found = (readers.find(path, plan.base, kind) for path, kind in sources)
    for part in readers.sized(chain.from_iterable(found)):
        names = part.names
        if part.kind in readers.FILES:
            names = [name for name in names if is_new(files.joined(part.source, name))]
        elif not is_new(part.source):
            continue
        if names or not part.names:
            archives.append(replace(part, names=names))
    if not archives:
        raise ArchiveError(f"{plan.output} is the output: it cannot be the input too")
    return archives


def _state_of(part: Part) -> str:
    """A hash that changes with a part's input."""
    if part.kind == "dbm":
        path = Path(part.source)
        own = sorted(path.parent.glob(f"{path.name}*"))
        stats = [(file.name, files.stat(str(file))) for file in own]
    elif part.kind in readers.FILES:
        folder = part.source
        inside = "response_body" if part.kind == "httpcache" else ""
        stats = [
            (name, files.known(files.joined(folder, name, inside)))
            for name in part.names
        ]
    elif part.kind == "cdx":
        # A store's archives are too many to look each up, and do not change.
        is_remote = files.is_remote(part.source)
        stats = [] if is_remote else [("", files.stat(part.source))]
    else:
        stats = [("", files.Stat(part.size, part.changed))]
    state = [[name, stat.size, stat.changed] for name, stat in stats]
    known = json.dumps([part.kind, state, list(part.names)])
    return hashlib.sha256(known.encode()).hexdigest()


def _changed(part: Part) -> bool:
    """Whether a local file has changed; of a remote one the reader checks the size."""
    if part.names or files.is_remote(part.source) or files.INSIDE in part.source:
        return False
    return files.known(part.source) != files.Stat(part.size, part.changed)


def _name_of(part: Part, form: str) -> str:
    """A part's name in the output folder: unique, and the same in each run."""
    base = part.source.rstrip("/").rpartition("/")[2]
    # A name has 255 bytes at most; pyarrow and Spark leave out files whose names begin
    # with a point or _ when they read a folder.
    base = re.sub(r"[^\w.-]+", "_", base).encode()[-80:].decode("utf-8", "ignore")
    base = base.lstrip("._") or "pages"
    known = f"{part.kind} {files.canonical(part.source)}"
    source = known.encode("utf-8", "surrogateescape")
    mark = hashlib.sha256(source).hexdigest()[:8]
    return f"{base}-{mark}-{part.start:012d}.{form}"
