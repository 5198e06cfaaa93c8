"""Where extraction runs: in place, in threads, or in processes of its own.

Each executor has submit(), which takes a Job and gives a future of its Outcome, and
close(), which ends its threads and processes.  Futures are those of concurrent.futures;
wait() awaits a future under any reactor, or none.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent import futures
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Lock, Thread, current_thread
from typing import IO, TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, cast
from weakref import WeakSet

from scrapy.utils.asyncio import is_asyncio_available

from scrapy_eatext.execution.cascade import TURN, Failure, Job, Outcome, extract_page
from scrapy_eatext.execution.worker import (
    command,
    pack_choice,
    pack_job,
    receive,
    send,
    unpack_outcome,
)
from scrapy_eatext.result import NOTHING

if TYPE_CHECKING:
    from scrapy_eatext.execution.choice import Choice

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

# A worker may take to start: the time limit of the page that waits for it and
# _START_GRACE, but no longer than _START_SECONDS.  It may take _END_SECONDS to end, and
# for a page _GRACE beyond the page's time limit, so that a page that looks at the clock
# may still get its last resort.
_START_GRACE = 10.0
_START_SECONDS = 60.0
_END_SECONDS = 2.0
_GRACE = 1.0
# Seconds between two looks whether a worker is late.
_LOOK_SECONDS = 0.1
# Bytes that a pipe to or from a worker holds: a page, or its outcome.
_PIPE_SIZE = 1 << 20
# A page that ends _MAX_DEATHS workers is at fault.  After _MAX_FAILED_STARTS failed
# starts in a row none is tried for _PAUSE seconds.
_MAX_DEATHS = 2
_MAX_FAILED_STARTS = 3
_PAUSE = 600.0
# The bytes that are read of a page that no worker survives: few enough for any limit.
_BEGINNING = 100_000
# How much nicer (of lower priority) a thread that extracts is than the crawl's own.
_NICER = 5
# Kinds of outcome in which a page ended its worker.
_ENDED = frozenset({"timed_out", "worker_died"})


class Executor(Protocol):
    def submit(self, job: Job) -> Future[Outcome]: ...
    async def close(self) -> None: ...
    def counts(self) -> Mapping[str, int]: ...


class Runner(Protocol):
    """Runs the jobs of a pool's thread, one by one, until it is closed.

    begin() is called in each thread that takes the runner over.
    """

    counts: Counter[str]

    def begin(self) -> None: ...
    def run(self, job: Job) -> Outcome: ...
    def close(self) -> None: ...


class InPlace:
    """Runs jobs in the calling thread."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def begin(self) -> None:
        pass

    def run(self, job: Job) -> Outcome:
        return extract_page(job)

    def close(self) -> None:
        pass


class InThread(InPlace):
    """Runs jobs in a thread that leaves time to the crawl's own."""

    def __init__(self) -> None:
        super().__init__()
        self._gives_way = False

    def begin(self) -> None:
        _Switching.quicken(self)
        # A thread has the priority of the one that started it: here the one before.
        if not self._gives_way:
            _give_way()
            self._gives_way = True

    def close(self) -> None:
        _Switching.restore(self)


class _Switching:
    """How long a thread may keep Python's lock while others want it.

    The crawl's own thread gives the lock away whenever it sends or receives, and then
    waits for as long as a thread that extracts may keep the lock: the 5 ms that Python
    allows add up to stalls of the event loop.
    """

    _SECONDS = 0.001
    _lock = Lock()
    _users: ClassVar[set[object]] = set()
    _before = 0.0

    @classmethod
    def quicken(cls, user: object) -> None:
        """Let threads take turns sooner, for one user more."""
        with cls._lock:
            if not cls._users:
                cls._before = sys.getswitchinterval()
                sys.setswitchinterval(min(cls._before, cls._SECONDS))
            cls._users.add(user)

    @classmethod
    def restore(cls, user: object) -> None:
        """For one user less; after the last user, restore the interval."""
        with cls._lock:
            cls._users.discard(user)
            if not cls._users:
                sys.setswitchinterval(cls._before)


def _give_way() -> None:
    """Let the crawl's own thread go first if both want a processor.

    On Linux each thread has a priority of its own; elsewhere a process has it.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            before = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, 0, before + _NICER)


class InProcess:
    """Runs jobs in a worker process, and starts another when that one ends.

    If a page is not done in time, its worker is stopped, and the page gets the last
    resort in a new worker.  So does a page over which two workers died; the first death
    may have another cause.  A worker that has run out of memory is replaced.  If no
    worker survives the last resort, or has the memory for it, only the page's beginning
    is read.  If no worker can be started, the page is done in this thread.
    """

    def __init__(self, choice: Choice, memory: int) -> None:
        self._hello = {"choice": pack_choice(choice), "memory": memory}
        self._worker: _Worker | None = None
        self._failed_starts = 0
        self._next_start = 0.0
        self.counts: Counter[str] = Counter()

    def begin(self) -> None:
        pass

    def run(self, job: Job) -> Outcome:
        started = time.perf_counter()
        outcome = self._run(job)
        return replace(outcome, seconds=time.perf_counter() - started)

    def _run(self, job: Job) -> Outcome:
        deaths = 0
        failures: tuple[Failure, ...] = ()
        while worker := self._ready_worker(job.limits.timeout):
            answer = worker.ask(job)
            if answer is None:
                self._end_worker()
                self.counts["stopped" if worker.stopped else "died"] += 1
                deaths += not worker.stopped
                if not worker.stopped and deaths < _MAX_DEATHS:
                    continue
                kind = "timed_out" if worker.stopped else "worker_died"
                left = _easier(job, kind)
                if left is None:
                    break
            else:
                full = any(f.name == "MemoryError" for f in answer.failures)
                if full or worker.stopped:  # stopped just after its answer
                    self._end_worker()
                if full:
                    self.counts["out_of_memory"] += 1
                    # Earlier pages may have taken the memory: try a new worker.
                    if worker.jobs > 1:
                        continue
                    failures += answer.failures
                # The last resort too may have run out of memory.
                told = not full or answer.result.algorithm
                left = None if told else _beginning(job, answer.kind)
                if left is None:
                    return replace(answer, failures=failures or answer.failures)
            job = left
        if deaths or failures or job.give_up in _ENDED:
            # A page that ended a worker is not extracted in the crawl's process.
            kind = job.give_up or "worker_died"
            return Outcome(NOTHING, kind, failures=failures)
        return extract_page(job)

    def _ready_worker(self, timeout: float) -> _Worker | None:
        if self._worker is not None and self._worker.process.poll() is not None:
            # It died between two pages.
            self.counts["died"] += 1
            self._end_worker()
        if self._worker is None and time.monotonic() >= self._next_start:
            limit = min(timeout + _START_GRACE, _START_SECONDS) if timeout else 0.0
            try:
                self._worker = _Worker(self._hello, limit or _START_SECONDS)
                self.counts["started"] += 1
                self._failed_starts = 0
            except OSError as error:
                self._failed_starts += 1
                self.counts["not_started"] += 1
                if self._failed_starts >= _MAX_FAILED_STARTS:
                    self._next_start = time.monotonic() + _PAUSE
                logger.error(
                    "No worker process could be started (%s); "
                    "extraction goes on in a thread",
                    error,
                )
        return self._worker

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def close(self) -> None:
        if self._worker is not None and self._worker.close():
            # It died after its last page.
            self.counts["died"] += 1
        self._worker = None


def _easier(job: Job, kind: str) -> Job | None:
    """An easier job for a page that ended its worker, None if there is none."""
    return _beginning(job, kind) if job.give_up else replace(job, give_up=kind)


def _beginning(job: Job, kind: str) -> Job | None:
    """The last resort for a page's beginning, None if the page is no longer."""
    if job.size <= _BEGINNING or job.limits.last_resort == "empty":
        return None
    return job.cut(_BEGINNING, job.give_up or kind)


class _Worker:
    """A worker process.  Raises OSError if it is not ready in so many seconds."""

    def __init__(self, hello: dict[str, Any], start_seconds: float) -> None:
        self.stopped = False
        self.jobs = 0
        # In a session of its own, so that no Ctrl-C reaches it.
        self.process = subprocess.Popen(  # noqa: S603
            command(),
            bufsize=_PIPE_SIZE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            # Its threads follow each other, so one arena of memory will do; the C
            # library's reserve for each thread would count to the limit.
            env={"MALLOC_ARENA_MAX": "1", **os.environ},
        )
        self._to = cast("IO[bytes]", self.process.stdin)
        self._from = cast("IO[bytes]", self.process.stdout)
        _widen(self._to)
        _widen(self._from)
        _live.add(self.process)
        self._late_at = math.inf
        self._lock = Lock()
        self._over = Event()
        ready = None
        try:
            Thread(target=self._watch, name="eatext-watch", daemon=True).start()
            ready = self._exchange(hello, b"", start_seconds)
        except RuntimeError as error:  # the system gives no more threads
            raise ChildProcessError(str(error)) from error
        finally:
            if ready is None:
                self.close()
        if ready is None:
            end = f"ended at its start, with {self.process.returncode}"
            if self.stopped:
                end = f"was not ready after {start_seconds:g} seconds"
            raise ChildProcessError(f"a worker {end}")

    def ask(self, job: Job) -> Outcome | None:
        """Have a job done; None if the worker ended over it.

        A worker that is not done in time is stopped.
        """
        self.jobs += 1
        limit = job.limits.timeout + _GRACE if job.limits.timeout else 0.0
        head = self._exchange(*pack_job(job), limit)
        return None if head is None else unpack_outcome(head)

    def _exchange(self, head: Any, body: bytes, limit: float) -> Any:
        self._late_at = time.monotonic() + limit if limit else math.inf
        try:
            send(self._to, head, body)
            answer = receive(self._from)
        except (OSError, ValueError):  # it is gone, or its answer is none
            answer = None
        finally:
            # From here on the worker is not stopped for this message.
            with self._lock:
                self._late_at = math.inf
        return None if answer is None else answer[0]

    def _watch(self) -> None:
        """Stop the process when it is late, whatever it is doing.

        One thread for all pages: a timer for each page would be a thread for each page.
        """
        while not self._over.wait(_LOOK_SECONDS):
            with self._lock:
                if time.monotonic() > self._late_at:
                    self.stopped = True
                    self.process.kill()
                    return

    def close(self) -> bool:
        """End the process: it ends by itself when its input is closed.

        Tells whether it had died before.
        """
        self._over.set()
        for pipe in (self._to, self._from):
            with suppress(OSError):
                pipe.close()
        try:
            died = self.process.wait(_END_SECONDS) != 0
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            died = False
        _live.discard(self.process)
        return died


def _widen(pipe: IO[bytes]) -> None:
    """Let a pipe hold a whole page, if the system can.

    A thread that waits for room, or for the rest of an answer, has to wait for Python's
    lock again.
    """
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)


# All live workers: a crawl that is ended by force closes no pool.
_live: WeakSet[subprocess.Popen[bytes]] = WeakSet()


@atexit.register
def _kill_workers() -> None:
    for process in list(_live):
        process.kill()


class Pool:
    """Threads that each have a runner and take jobs from one queue.

    The threads are started by the first job, are replaced after a turn (see
    cascade.TURN), and do not keep the interpreter alive.  If no thread can be started,
    jobs are done at once.  A job that comes after the pool was closed has a thread and
    a runner for itself, one such job after the other.
    """

    def __init__(self, size: int, make_runner: Callable[[], Runner]) -> None:
        self._size = size
        self._make_runner = make_runner
        self._queue: SimpleQueue[tuple[Job, Future[Outcome]] | None] = SimpleQueue()
        # No job may get behind the None that ends a thread.
        self._lock = Lock()
        self._after = Lock()
        self._started = self._closed = False
        self._ends: list[Future[None]] = []
        self._runners: list[Runner] = []

    def submit(self, job: Job) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        with self._lock:
            if self._closed:
                taken = _start(self._do_alone, (job, future), "eatext-after")
            else:
                if not self._started:
                    self._start()
                taken = bool(self._ends)
                if taken:
                    self._queue.put((job, future))
        if not taken:
            _do(InPlace(), job, future)
        return future

    def _start(self) -> None:
        self._started = True
        for number in range(self._size):
            end: Future[None] = Future()
            # A waiter for it may be cancelled; the future may not.
            end.set_running_or_notify_cancel()
            runner = self._make_runner()
            if not _start(self._work, (runner, end), f"eatext-{number}"):
                logger.error(
                    "Extraction has %d of %d threads (the system gives no more)%s",
                    number,
                    self._size,
                    "" if number else ": it is done in the crawl's own",
                )
                return
            self._ends.append(end)
            self._runners.append(runner)

    def _work(self, runner: Runner, end: Future[None]) -> None:
        runner.begin()
        done = 0
        while task := self._queue.get():
            done += task[0].size
            _do(runner, *task)
            # A thread that waits for the next page must not hold this one.
            del task
            name = current_thread().name
            if done >= TURN and _start(self._work, (runner, end), name):
                return
        _close(runner)
        end.set_result(None)  # which the crawl waits for

    def _do_alone(self, job: Job, future: Future[Outcome]) -> None:
        with self._after:
            runner = self._make_runner()
            runner.begin()
            _do(runner, job, future)
            _close(runner)

    async def close(self) -> None:
        """Let the jobs in the queue come to their end, then the threads."""
        with self._lock:
            self._closed = True
            for _ in self._ends:
                self._queue.put(None)
        for end in self._ends:
            await wait(end)

    def counts(self) -> Mapping[str, int]:
        """What happened to workers: ``started``, ``died``, and so on."""
        return sum((runner.counts for runner in self._runners), Counter())


def _start(target: Callable[..., None], args: tuple[Any, ...], name: str) -> bool:
    """Start a thread, if the system gives one."""
    try:
        Thread(target=target, args=args, name=name, daemon=True).start()
    except RuntimeError:
        return False
    return True


def _do(runner: Runner, job: Job, future: Future[Outcome]) -> None:
    """Do a job that somebody still waits for."""
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(runner.run(job))
        except BaseException as error:  # noqa: BLE001
            future.set_exception(error)


def _close(runner: Runner) -> None:
    try:
        runner.close()
    except Exception:
        logger.exception("A thread of extraction did not end as it should")


class Inline(Pool):
    """Extraction in another thread, while the caller waits.

    The caller's own thread could not be replaced after a turn.
    """

    def __init__(self) -> None:
        super().__init__(1, InPlace)

    def submit(self, job: Job) -> Future[Outcome]:
        future = super().submit(job)
        futures.wait((future,))
        return future


def make_executor(kind: str, workers: int, choice: Choice, memory: int) -> Executor:
    """An executor: "inline", or a pool of ``workers`` of the kind "thread" or "process".

    Processes warm up for ``choice`` and have ``memory`` bytes each, 0 for any.
    """
    if kind == "inline":
        return Inline()
    if kind == "thread":
        return Pool(workers, InThread)
    return Pool(workers, lambda: InProcess(choice, memory))


async def wait(future: Future[_T], *, shared: bool = False) -> _T:
    """Await a future that another thread fulfils.

    If the waiter is cancelled, so is the future, unless it is shared.
    """
    if future.done():
        return future.result()
    if is_asyncio_available():
        awaited = asyncio.wrap_future(future)
        return await (asyncio.shield(awaited) if shared else awaited)
    from twisted.internet import reactor
    from twisted.internet.defer import Deferred

    done: Deferred[None] = Deferred()
    future.add_done_callback(lambda _: reactor.callFromThread(done.callback, None))
    await done
    return future.result()
