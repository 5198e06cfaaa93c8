"""Executors, which run extraction inline, in threads, or in processes.

submit() takes a Job and returns a concurrent.futures.Future of its Outcome, and close()
ends threads and processes.  wait() awaits a future under any reactor, or without one.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent import futures
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Event, Lock, Thread, current_thread
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy.utils.asyncio import is_asyncio_available

from scrapy_eatext.execution.cascade import TURN, Job, Outcome, extract_page
from scrapy_eatext.execution.process import InProcess

if TYPE_CHECKING:
    from scrapy_eatext.execution.choice import Choice

logger = logging.getLogger(__name__)

# A job is given up this many seconds after the time that its algorithms and the last
# resort have.  If so many jobs that were given up still run, all others get the last
# resort.
_GRACE = 5.0
_MOST_ENDLESS = 8
# The interval of the checks whether a job is late.
_CHECK_SECONDS = 0.5

_T = TypeVar("_T")


class InPlace:
    """Runs jobs in the calling thread."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def run(self, job: Job) -> Outcome:
        return extract_page(job)

    def close(self) -> None:
        pass


Runner = InPlace | InProcess


_Task = tuple[Job, "Future[Outcome]"]


@dataclass(eq=False, slots=True)
class _Seat:
    """What one thread after the other works with; ``end`` is done when the last ends.

    The thread in it is late with its task, if it has one, at ``late_at``.
    """

    runner: Runner
    end: Future[None]
    task: _Task | None = None
    late_at: float = math.inf


class Pool:
    """Daemon threads that each have a runner and take jobs from one queue.

    A thread is started when all others are busy, calls ``begin``, and is replaced after
    a turn (cascade.TURN).  If none can be started, submit() runs the job.  After close()
    each job gets a thread and a runner of its own, one after the other.

    As a thread cannot be stopped, one whose job does not end is left to it; another takes
    its place, and the page gets the last resort.  Worker processes are stopped instead.
    """

    def __init__(
        self,
        size: int,
        make_runner: Callable[[], Runner],
        begin: Callable[[], None] | None = None,
    ) -> None:
        self._size = size
        self._make_runner = make_runner
        self._begin = begin
        self._queue: SimpleQueue[_Task | None] = SimpleQueue()
        # Keeps jobs from being queued behind the None that ends a thread.
        self._lock = Lock()
        self._one_at_a_time = Lock()
        self._closed = False
        self._open = 0  # the number of jobs that are not done
        self._seats: list[_Seat] = []
        self._endless = 0  # the number of jobs that were given up and still run
        self._ended = Event()

    def submit(self, job: Job) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        with self._lock:
            if self._closed:
                has_thread = _start(self._do_alone, (job, future), "eatext-after")
            else:
                self._open += 1
                if len(self._seats) < min(self._open, self._size):
                    self._start_thread()
                has_thread = bool(self._seats)
                if has_thread:
                    self._queue.put((job, future))
        if not has_thread:
            _do(InPlace(), job, future)
        return future

    def _start_thread(self) -> None:
        number = len(self._seats)
        seat = _Seat(self._make_runner(), Future())
        seat.end.set_running_or_notify_cancel()  # so that no waiter can cancel it
        if _start(self._work, (seat,), f"eatext-{number}"):
            self._seats.append(seat)
            if not number and isinstance(seat.runner, InPlace):
                _start(self._watch, (), "eatext-watch")
            return
        message = "Extraction has %d of %d threads (the system gives no more)%s"
        where = "" if number else ": it runs in the crawl's own thread"
        logger.error(message, number, self._size, where)
        self._size = number

    def _work(self, seat: _Seat, given_up: _Task | None = None) -> None:
        if self._begin:
            self._begin()
        if given_up:
            _do(seat.runner, *given_up, spent=2 * given_up[0].limits.timeout + _GRACE)
            given_up = None
        size = 0
        while task := self._queue.get():
            job, future = task
            size += job.size
            if self._endless >= _MOST_ENDLESS:
                job = replace(job, give_up=job.give_up or "timed_out")
            limit = 2 * job.limits.timeout
            seat.task = task = job, future
            seat.late_at = time.monotonic() + limit + _GRACE if limit else math.inf
            _do(seat.runner, job, future)
            with self._lock:
                if seat.task is not task:
                    self._endless -= 1
                    return  # another thread has taken the seat
                seat.task, seat.late_at = None, math.inf
                self._open -= 1
            # A waiting thread must not keep its last page in memory.
            del task, job, future
            name = current_thread().name
            if size >= TURN and _start(self._work, (seat,), name):
                return
        _close(seat.runner)
        seat.end.set_result(None)  # close() waits for it

    def _watch(self) -> None:
        """Give up the jobs that are late."""
        while not self._ended.wait(_CHECK_SECONDS):
            now = time.monotonic()
            with self._lock:
                late = [(s, s.task) for s in self._seats if s.task and s.late_at < now]
                for seat, _ in late:
                    seat.task, seat.late_at = None, math.inf
                self._endless += len(late)
                self._open -= len(late)
            while late:
                self._give_up(*late.pop())

    def _give_up(self, seat: _Seat, task: _Task) -> None:
        """Leave a thread to its job, and start another that begins with the last resort."""
        job, future = task
        message = "The extraction of %s does not end, and keeps its thread; %s"
        advice = 'with EATEXT_EXECUTOR = "process" it would be stopped'
        logger.warning(message, job.url, advice)
        easier = job.cut(job.size, "timed_out")
        if not isinstance(job.html, (str, bytes)):
            # The endless job may read the tree, so that the callback gets another.
            job.html._cached_selector = None  # noqa: SLF001
        args = (seat, (easier, future))
        if not _start(self._work, args, "eatext-again"):
            self._work(*args)

    def _do_alone(self, job: Job, future: Future[Outcome]) -> None:
        with self._one_at_a_time:
            runner = self._make_runner()
            if self._begin:
                self._begin()
            _do(runner, job, future)
            _close(runner)

    async def close(self) -> None:
        """Finish the jobs in the queue, then end the threads."""
        with self._lock:
            self._closed = True
            for _ in self._seats:
                self._queue.put(None)
        for seat in self._seats:
            await wait(seat.end)
        self._ended.set()

    def counts(self) -> Mapping[str, int]:
        """The number of workers that ``started``, ``died``, and so on."""
        return sum((seat.runner.counts for seat in self._seats), Counter())


class Inline(Pool):
    """Runs jobs in another thread while the caller waits.

    Unlike the caller's own thread, it can be replaced after a turn.
    """

    def __init__(self) -> None:
        super().__init__(1, InPlace)

    def submit(self, job: Job) -> Future[Outcome]:
        future = super().submit(job)
        futures.wait((future,))
        return future


def _start(target: Callable[..., None], args: tuple[Any, ...], name: str) -> bool:
    """Start a daemon thread; returns False if the system gives none."""
    try:
        Thread(target=target, args=args, name=name, daemon=True).start()
    except RuntimeError:
        return False
    return True


def _do(
    runner: Runner, job: Job, future: Future[Outcome], *, spent: float = 0.0
) -> None:
    """Run a job, unless its future is cancelled.  A second result is ignored.

    ``spent`` are the seconds of the job's run that was given up, 0 without one.
    """
    if spent or future.set_running_or_notify_cancel():
        with suppress(InvalidStateError):
            try:
                outcome = runner.run(job)
                if spent:
                    outcome = replace(outcome, seconds=spent + outcome.seconds)
            except BaseException as error:  # noqa: BLE001
                future.set_exception(error)
            else:
                future.set_result(outcome)


def _close(runner: Runner) -> None:
    try:
        runner.close()
    except Exception:
        logger.exception("Closing an extraction thread failed")


def make_executor(
    kind: str,
    workers: int,
    choice: Choice,
    memory: int,
    begin: Callable[[], None] | None = None,
) -> Pool:
    """An executor: "inline", or a pool of ``workers`` of "thread" or "process".

    Threads call ``begin`` first.  Processes warm up for ``choice``, and may use
    ``memory`` MiB each; 0 is no limit.
    """
    if kind == "inline":
        return Inline()
    if kind == "thread":
        return Pool(workers, InPlace, begin)
    return Pool(workers, lambda: InProcess(choice, memory))


async def wait(future: Future[_T], *, shared: bool = False) -> _T:
    """Await a future that another thread completes.

    Under asyncio, cancelling the waiter cancels the future unless it is shared.
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
