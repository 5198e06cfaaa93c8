"""A clock that long work looks at, so that it can give up cleanly.

A thread cannot be stopped from outside.  Whoever starts work on a page sets a
time limit for the thread; loops that a page can make long call check() now and
then.  Where no limit is set, check() does nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class TimeLimitError(Exception):
    """The time for a page is up."""


class _Clock(threading.local):
    end: float | None = None


_clock = _Clock()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Give the calling thread this many seconds; 0 sets no limit.

    A limit within a limit can only end earlier.
    """
    before = _clock.end
    if seconds:
        end = time.monotonic() + seconds
        _clock.end = end if before is None else min(end, before)
    try:
        yield
    finally:
        _clock.end = before


def check() -> None:
    """Raise TimeLimitError when the calling thread's time is up."""
    if _clock.end is not None and time.monotonic() > _clock.end:
        raise TimeLimitError
