"""The crawl's side of worker processes, whose death does not harm the crawl."""

from __future__ import annotations

import atexit
import logging
import math
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from threading import Lock, Thread
from typing import IO, TYPE_CHECKING, Any, cast
from weakref import WeakSet

from scrapy_eatext.execution.cascade import Failure, Job, Outcome, extract_page
from scrapy_eatext.execution.worker import (
    READY,
    command,
    pack_job,
    receive,
    send,
    unpack_outcome,
)
from scrapy_eatext.result import NOTHING

if TYPE_CHECKING:
    from scrapy_eatext.execution.choice import Choice

logger = logging.getLogger(__name__)

# In seconds: the start of a worker may take _START_GRACE more than the time limit of the
# page that waits for it, and _START_SECONDS at most; its end may take _END_SECONDS; a page
# may take _GRACE more than its time limit, for the last resort.
_START_GRACE = 10.0
_START_SECONDS = 60.0
_END_SECONDS = 2.0
_GRACE = 1.0
# The interval of the checks whether a worker is late.
_CHECK_SECONDS = 0.1
# A page at which _MAX_DEATHS workers die is given up.  After _MAX_FAILED_STARTS failed
# starts in a row none is tried for _PAUSE seconds.
_MAX_DEATHS = 2
_MAX_FAILED_STARTS = 3
_PAUSE = 600.0
# How many bytes the last resort reads of a page that no worker survives.
_BEGINNING = 100_000
# Kinds of outcome in which a page ended its worker.
_ENDED = frozenset({"timed_out", "worker_died"})


class InProcess:
    """Runs jobs in a worker process, and starts a new one when that ends.

    If a page takes too long, or two workers die of it, a new worker runs the last
    resort; one may die for another reason.  If workers do not survive the last resort
    either, it reads only the page's beginning.  A worker that runs out of memory is
    replaced.  If none can be started, the calling thread extracts the page.
    """

    def __init__(self, choice: Choice, memory: int) -> None:
        self._hello = {"choice": asdict(choice.of_page), "memory": memory}
        self._worker: _Worker | None = None
        self._failed_starts = 0
        self._next_start = 0.0
        self.counts: Counter[str] = Counter()

    def run(self, job: Job) -> Outcome:
        started = time.perf_counter()
        outcome = self._run(job)
        return replace(outcome, seconds=time.perf_counter() - started)

    def _run(self, job: Job) -> Outcome:
        deaths = 0
        failures: tuple[Failure, ...] = ()
        while worker := self._ready_worker(job.limits.timeout):
            outcome = worker.extract(job)
            if outcome is None:
                self._end_worker("stopped" if worker.stopped else "died")
                deaths += not worker.stopped
                if not worker.stopped and deaths < _MAX_DEATHS:
                    continue
                kind = "timed_out" if worker.stopped else "worker_died"
                give_up = replace(job, give_up=kind)
                easier = _beginning(job, kind) if job.give_up else give_up
                if easier is None:
                    break
            elif not any(f.name == "MemoryError" for f in outcome.failures):
                if worker.stopped:  # right after it answered
                    self._end_worker()
                return replace(outcome, failures=failures or outcome.failures)
            else:
                self._end_worker("out_of_memory")
                if worker.jobs > 1:  # earlier pages may have used the memory
                    continue
                failures += outcome.failures
                # Without a result, the last resort has run out of memory too.
                has_result = bool(outcome.result.algorithm)
                easier = None if has_result else _beginning(job, outcome.kind)
                if easier is None:
                    return replace(outcome, failures=failures)
            job = easier
        if deaths or failures or job.give_up in _ENDED:
            # A page that ended a worker must not be extracted in the crawl's process.
            kind = job.give_up or "worker_died"
            return Outcome(NOTHING, kind, failures=failures)
        return extract_page(job)

    def _ready_worker(self, timeout: float) -> _Worker | None:
        if self._worker is not None and self._worker.process.poll() is not None:
            self._end_worker("died")  # between two pages
        if self._worker is None and time.monotonic() >= self._next_start:
            limit = timeout + _START_GRACE if timeout else _START_SECONDS
            try:
                self._worker = _Worker(self._hello, min(limit, _START_SECONDS))
                self.counts["started"] += 1
                self._failed_starts = 0
            except OSError as error:
                self._failed_starts += 1
                self.counts["not_started"] += 1
                if self._failed_starts >= _MAX_FAILED_STARTS:
                    self._next_start = time.monotonic() + _PAUSE
                message = "No worker process could be started (%s); %s"
                logger.error(message, error, "extraction goes on in a thread")
        return self._worker

    def _end_worker(self, why: str = "") -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None
        if why:
            self.counts[why] += 1

    def close(self) -> None:
        if self._worker is not None and self._worker.close():
            self.counts["died"] += 1  # after its last page
        self._worker = None


def _beginning(job: Job, kind: str) -> Job | None:
    """A last resort for the page's beginning, None if that is the whole page."""
    if job.size <= _BEGINNING or job.limits.last_resort == "empty":
        return None
    return job.cut(_BEGINNING, job.give_up or kind)


class Process:
    """A process that answers messages, and is killed if an answer is late.

    Raises OSError if the process or its watching thread cannot be started.
    """

    def __init__(self, program: Sequence[str]) -> None:
        self.stopped = False
        # In a session of its own, so that Ctrl-C does not reach it.
        self.process = subprocess.Popen(  # noqa: S603
            program,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            # glibc would reserve an arena for each thread, which counts against the
            # memory limit; as the threads run one after the other, one is enough.
            env={"MALLOC_ARENA_MAX": "1", **os.environ},
        )
        _live.add(self.process)
        self._to = cast("IO[bytes]", self.process.stdin)
        self._from = cast("IO[bytes]", self.process.stdout)
        self._late_at = math.inf
        self._lock = Lock()
        try:
            Thread(target=self._watch, name="eatext-watch", daemon=True).start()
        except RuntimeError as error:  # the system gives no more threads
            self.close()
            raise ChildProcessError(str(error)) from error

    def exchange(
        self,
        head: Any,
        body: bytes = b"",
        limit: float = 0.0,
        goes_on: Callable[[Any], bool] = lambda head: False,
    ) -> Any:
        """Send a message, and return the head of the last answer, None if there is none.

        Another follows if ``goes_on`` says so of its head.  Each may take ``limit``
        seconds; 0 is no limit.
        """
        answer = None
        try:
            self._expect(limit)
            send(self._to, head, body)
            while (answer := receive(self._from)) and goes_on(answer[0]):
                self._expect(limit)
        except (OSError, ValueError):  # the process is gone, or the answer is invalid
            answer = None
        finally:
            # From here on the process is not killed for this message.
            with self._lock:
                self._late_at = math.inf
        return answer and answer[0]

    def _expect(self, limit: float) -> None:
        self._late_at = time.monotonic() + limit if limit else math.inf

    def _watch(self) -> None:
        """Kill the process when it is late: one thread for all messages."""
        while self.process.returncode is None and not self.stopped:
            time.sleep(_CHECK_SECONDS)
            with self._lock:
                if time.monotonic() > self._late_at:
                    self.stopped = True
                    self.process.kill()

    def close(self, seconds: float = 0.0) -> bool:
        """Close the process's input, and return whether it ended with an error.

        It is killed after ``seconds``; 0 stands for _END_SECONDS.
        """
        for pipe in (self._to, self._from):
            with suppress(OSError):
                pipe.close()
        try:
            died = self.process.wait(seconds or _END_SECONDS) != 0
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            died = False
        _live.discard(self.process)
        return died

    def kill(self) -> None:
        self.process.kill()
        self.close()


class _Worker(Process):
    """A worker process.  Raises OSError if it is not ready after ``start_seconds``."""

    def __init__(self, hello: dict[str, Any], start_seconds: float) -> None:
        super().__init__(command())
        self.jobs = 0
        ready = None
        try:
            ready = self.exchange(hello, limit=start_seconds)
        finally:
            if ready != READY:
                self.close()
        if ready != READY:
            end = f"ended at its start, with {self.process.returncode}"
            if isinstance(ready, str):
                end += f": {ready}"
            if self.stopped:
                end = f"was not ready after {start_seconds:g} seconds"
            raise ChildProcessError(f"a worker {end}")

    def extract(self, job: Job) -> Outcome | None:
        """Run a job; None if the worker died, or was killed because it was late."""
        self.jobs += 1
        limit = job.limits.timeout + _GRACE if job.limits.timeout else 0.0
        head = self.exchange(*pack_job(job), limit)
        return None if head is None else unpack_outcome(head)


# All live processes, as a crawl that is ended by force does not close its pool.
_live: WeakSet[subprocess.Popen[bytes]] = WeakSet()


@atexit.register
def _kill_workers() -> None:
    for process in list(_live):
        process.kill()
