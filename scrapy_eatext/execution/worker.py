"""The program of a worker process, and the messages from and to it.

It does not import Scrapy.  It reads messages from standard input until the end, and
writes an answer to each to standard output.  A message consists of the lengths of its
head and body (8 bytes each, big-endian), a head in JSON, and a body: a page's bytes.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from threading import Thread
from typing import IO, Any, TypeVar

from scrapy_eatext.execution.cascade import (
    TURN,
    Failure,
    Job,
    Limits,
    Outcome,
    describe_error,
    extract_page,
    warm_up,
)
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.page.decode import text_of
from scrapy_eatext.result import NOTHING, MainText, from_json

_T = TypeVar("_T")

_LENGTHS = struct.Struct(">QQ")
_MAX_LENGTH = 1 << 32
# A worker's first answer, in place of an error that kept it from starting.
READY = "ready"
# The interval of the checks whether the crawl's process still exists.
_CHECK_SECONDS = 2.0
# If a page keeps these checks from running, the worker ends itself this many seconds
# after the page's time limit.
_ORPHAN_SECONDS = 5.0


def send(stream: IO[bytes], head: Any, body: bytes = b"") -> None:
    data = json.dumps(head).encode()
    stream.write(_LENGTHS.pack(len(data), len(body)) + data)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Any, bytes] | None:
    """Read the head and body of a message; None if the stream ends first.

    Raises ValueError for other bytes.  After a MemoryError the next can be read.
    """
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_size, body_size = _LENGTHS.unpack(lengths)
    if max(head_size, body_size) > _MAX_LENGTH:
        raise ValueError("these bytes are not a message")
    head = stream.read(head_size)
    try:
        body = stream.read(body_size)
    except MemoryError:
        while body_size > 0 and (skipped := len(stream.read(min(body_size, 1 << 16)))):
            body_size -= skipped
        raise
    if len(head) < head_size or len(body) < body_size:
        return None
    return json.loads(head), body


def pack_job(job: Job) -> tuple[dict[str, Any], bytes]:
    html = job.html if isinstance(job.html, (str, bytes)) else text_of(job.html)
    head = asdict(replace(job, html="", choice=job.choice.of_page))
    head["raw"] = isinstance(html, bytes)
    body = html if isinstance(html, bytes) else html.encode("utf-8", "surrogatepass")
    return head, body


def unpack_job(head: dict[str, Any], body: bytes) -> Job:
    return Job(
        html=body if head["raw"] else body.decode("utf-8", "surrogatepass"),
        url=head["url"],
        choice=from_json(Choice, head["choice"]),
        limits=Limits(**head["limits"]),
        fields=tuple(head["fields"]),
        sought=head["sought"] and tuple(head["sought"]),
        give_up=head["give_up"],
    )


def pack_outcome(outcome: Outcome) -> dict[str, Any]:
    bare = asdict(replace(outcome, result=NOTHING))
    return {**bare, "result": outcome.result.as_dict()}


def unpack_outcome(head: dict[str, Any]) -> Outcome:
    failures = tuple(Failure(**failure) for failure in head["failures"])
    result = MainText.from_dict(head["result"])
    return Outcome(**{**head, "result": result, "failures": failures})


def main() -> None:
    """Serve the process that started this one."""
    end_with_parent()
    source, answers = pipes()
    hello = receive(source)
    if hello is None:
        return
    try:
        choice = from_json(Choice, hello[0]["choice"])
        # In a thread, as for jobs, so that its stack is allocated before the limit is
        # set.
        _in_thread(warm_up, choice)
        limit_memory(hello[0]["memory"])
    except Exception as error:
        send(answers, describe_error(error))
        raise
    try:
        send(answers, READY)
        while _in_thread(_serve, source, answers):
            pass
    except BrokenPipeError:  # the crawl's process was killed
        os._exit(1)


def pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The streams of messages from the parent process, and of answers to it."""
    source = os.fdopen(os.dup(0), "rb", closefd=False)
    answers = os.fdopen(os.dup(1), "wb", closefd=False)
    # The output of libraries goes to standard error, not into the answers.
    os.dup2(2, 1)
    # The parent process handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return source, answers


def _in_thread(function: Callable[..., _T], *args: Any) -> _T:
    """Call a function in a new thread, or in this one if the system gives none."""
    with ThreadPoolExecutor(1) as thread:
        try:
            future = thread.submit(function, *args)
        except RuntimeError:
            return function(*args)
        return future.result()


def _serve(source: IO[bytes], answers: IO[bytes]) -> bool:
    """Answer messages for a thread's turn.  Returns False at the end of the stream."""
    size = 0
    while size < TURN:
        try:
            message = receive(source)
            if message is None:
                return False
            job = unpack_job(*message)
            del message
            size += job.size
            _set_alarm(job.limits.timeout and job.limits.timeout + _ORPHAN_SECONDS)
            send(answers, pack_outcome(extract_page(job)))
        except MemoryError as error:
            # Out of memory for the page or for its outcome.
            failed = Outcome(NOTHING, "failed", failures=(Failure.of(error),))
            send(answers, pack_outcome(failed))
        _set_alarm(0.0)
    return True


def limit_memory(mebibytes: int) -> None:
    """Limit the memory of this process beyond its present size; 0 sets no limit.

    A lower existing limit stays.  Does nothing on systems other than Linux.
    """
    if not mebibytes:
        return
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (ImportError, OSError):
        return
    limit = pages * resource.getpagesize() + (mebibytes << 20)
    existing = resource.getrlimit(resource.RLIMIT_AS)
    limit = min([limit, *(size for size in existing if size != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def end_with_parent() -> None:
    """End this process soon after its parent process has ended."""
    Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK_SECONDS)
    os._exit(1)


def _set_alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        # By default the signal ends the process.
        signal.setitimer(signal.ITIMER_REAL, seconds)


# The code that a worker runs, with the crawl's sys.path.  Unlike with multiprocessing,
# the crawl's `__main__` is not run again.
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from scrapy_eatext.execution.worker import main; main()"
)


def command(module: str = __name__) -> list[str]:
    """The command that runs main() of this or another module.  Raises OSError."""
    if getattr(sys, "frozen", False):  # as by PyInstaller: it would start itself
        raise ChildProcessError(f"{sys.executable} is not Python")
    # Entries that are not strings are ignored, as Python does.
    path = [entry or str(Path.cwd()) for entry in sys.path if isinstance(entry, str)]
    code = START.replace(__name__, module)
    return [sys.executable, "-c", code, json.dumps(path)]
