"""Where extraction runs: in place, in threads, or in processes of its own.

Each executor has submit(), which takes a Job and gives a future of its
Outcome, and close(), which ends what it started.  Futures are those of
concurrent.futures; wait() awaits one under any reactor, or none.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Protocol, TypeVar

from scrapy.utils.asyncio import is_asyncio_available

from scrapy_eatext.cascade import Job, Outcome, extract_page

if TYPE_CHECKING:
    from scrapy_eatext.settings import Config

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class Executor(Protocol):
    def submit(self, job: Job) -> Future[Outcome]: ...
    async def close(self) -> None: ...


class Runner(Protocol):
    """What a thread of a pool works with: it takes jobs until it is closed."""

    def run(self, job: Job) -> Outcome: ...
    def close(self) -> None: ...


class Inline:
    """Extraction in the caller's own thread."""

    def submit(self, job: Job) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        future.set_result(extract_page(job))
        return future

    async def close(self) -> None:
        pass


class InThread:
    """Runs jobs in the pool's thread itself."""

    def run(self, job: Job) -> Outcome:
        return extract_page(job)

    def close(self) -> None:
        pass


class Pool:
    """Threads that each have a runner and take jobs from one queue.

    They are started by the first job, and do not keep the interpreter alive.
    """

    def __init__(self, size: int, make_runner: Callable[[], Runner]) -> None:
        self._size = size
        self._make_runner = make_runner
        self._queue: SimpleQueue[tuple[Job, Future[Outcome]] | None] = SimpleQueue()
        self._ends: list[Future[None]] = []

    def submit(self, job: Job) -> Future[Outcome]:
        if not self._ends:
            self._start()
        future: Future[Outcome] = Future()
        self._queue.put((job, future))
        return future

    def _start(self) -> None:
        for number in range(self._size):
            end: Future[None] = Future()
            self._ends.append(end)
            Thread(
                target=self._work, args=(end,), name=f"eatext-{number}", daemon=True
            ).start()

    def _work(self, end: Future[None]) -> None:
        runner = self._make_runner()
        while task := self._queue.get():
            job, future = task
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(runner.run(job))
                except BaseException as error:  # noqa: BLE001
                    future.set_exception(error)
            # A thread that waits for the next page must not hold this one.
            del task, job, future
        runner.close()
        end.set_result(None)

    async def close(self) -> None:
        """Let the jobs in the queue come to their end, then the threads."""
        for _ in self._ends:
            self._queue.put(None)
        for end in self._ends:
            await wait(end)


def make_executor(config: Config) -> Executor:
    """The executor that the settings ask for."""
    if config.executor == "inline":
        return Inline()
    return Pool(config.workers, InThread)


async def wait(future: Future[_T]) -> _T:
    """Await a future that another thread fulfils."""
    if future.done():
        return future.result()
    if is_asyncio_available():
        return await asyncio.wrap_future(future)
    from twisted.internet import reactor
    from twisted.internet.defer import Deferred

    done: Deferred[None] = Deferred()
    future.add_done_callback(lambda _: reactor.callFromThread(done.callback, None))
    await done
    return future.result()
