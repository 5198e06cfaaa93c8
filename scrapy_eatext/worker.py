"""A process that extracts the pages it is sent, and the messages to it and back.

It knows nothing of Scrapy.  It reads messages from standard input until that
ends, and writes one answer to each to standard output.  A message is the length
of its head and of its body (8 bytes each, big-endian), a head in JSON, and a
body: a page's bytes.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import time
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from typing import IO, Any

from scrapy_eatext.cascade import Failure, Job, Limits, Outcome, extract_page, warm_up
from scrapy_eatext.choice import Choice
from scrapy_eatext.page.decode import text_of
from scrapy_eatext.result import MainText

_LENGTHS = struct.Struct(">QQ")
# Seconds after which a worker looks whether its crawl is still there.
_LOOK_UP = 2.0
# Where a page does not let it look: seconds after the page's time was up in which
# a worker that has not been stopped yet ends itself.
_ORPHAN = 5.0


def send(stream: IO[bytes], head: Any, body: bytes = b"") -> None:
    """Write one message."""
    data = json.dumps(head).encode()
    stream.write(_LENGTHS.pack(len(data), len(body)) + data)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Any, bytes] | None:
    """Read one message, None where the stream ends before its end."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_size, body_size = _LENGTHS.unpack(lengths)
    head = stream.read(head_size)
    body = stream.read(body_size)
    if len(head) < head_size or len(body) < body_size:
        return None
    return json.loads(head), body


def pack_job(job: Job) -> tuple[dict[str, Any], bytes]:
    """A job as a message's head and body."""
    html: Any = job.html
    raw = isinstance(html, bytes)
    if not isinstance(html, (str, bytes)):
        html = text_of(html)
    head = {
        "url": job.url,
        "choice": asdict(job.choice),
        "limits": asdict(job.limits),
        "give_up": job.give_up,
        "fields": job.fields,
        "raw": raw,
    }
    return head, html if raw else html.encode("utf-8", "surrogatepass")


def unpack_job(head: dict[str, Any], body: bytes) -> Job:
    """What pack_job() packed."""
    return Job(
        html=body if head["raw"] else body.decode("utf-8", "surrogatepass"),
        url=head["url"],
        choice=unpack_choice(head["choice"]),
        limits=Limits(**head["limits"]),
        give_up=head["give_up"],
        fields=tuple(head["fields"]),
    )


def unpack_choice(fields: dict[str, Any]) -> Choice:
    """A Choice from its fields in JSON."""
    return Choice(**{**fields, "algorithms": tuple(fields["algorithms"])})


def pack_outcome(outcome: Outcome) -> dict[str, Any]:
    """An outcome as a message's head."""
    failures = [asdict(failure) for failure in outcome.failures]
    return {
        "result": outcome.result.as_dict(),
        "kind": outcome.kind,
        "seconds": outcome.seconds,
        "failures": failures,
    }


def unpack_outcome(head: dict[str, Any]) -> Outcome:
    """What pack_outcome() packed."""
    failures = tuple(Failure(**failure) for failure in head["failures"])
    result = MainText.from_dict(head["result"])
    return Outcome(**{**head, "result": result, "failures": failures})


def main() -> None:
    """Serve the process that started this one."""
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    source = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    # What a library prints goes to the log's stream, not into the answers.
    os.dup2(2, 1)
    # Ctrl-C is the crawl's to handle.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hello = receive(source)
    if hello is None:
        return
    choice = unpack_choice(hello[0]["choice"])
    warm_up(choice)
    limit_memory(hello[0]["memory"])
    send(answers, "ready")
    while message := receive(source):
        job = unpack_job(*message)
        _set_alarm(job.limits.timeout and job.limits.timeout + _ORPHAN)
        send(answers, pack_outcome(extract_page(job)))
        _set_alarm(0.0)


def limit_memory(mebibytes: int) -> None:
    """Let this process take so much more than it has now; 0 sets no limit.

    Does nothing where the system has no such limits.
    """
    if not mebibytes:
        return
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (ImportError, OSError):
        return
    most = pages * resource.getpagesize() + (mebibytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _end_with(parent: int) -> None:
    """End this process, whatever it is at, soon after the one that started it."""
    while os.getppid() == parent:
        time.sleep(_LOOK_UP)
    os._exit(1)


def _set_alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        # The signal's default is to end the process, whatever it is at.
        signal.setitimer(signal.ITIMER_REAL, seconds)


# What a new interpreter runs to become a worker, with the path of the one that
# starts it: modules are found in the same places, but `__main__` is not run
# again, as multiprocessing would.
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from scrapy_eatext.worker import main; main()"
)


def command() -> list[str]:
    """The command that starts a worker."""
    path = [entry or str(Path.cwd()) for entry in sys.path]
    return [sys.executable, "-c", START, json.dumps(path)]
