"""Time limits that long loops check, as a thread cannot be stopped from outside.

The caller that starts work on a page sets a time limit for the thread; loops that a page
can make long call check() at intervals.  Without a limit check() does nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_T = TypeVar("_T")


class TimeLimitError(Exception):
    """The time for a page is up."""


class _Clock(threading.local):
    end: float | None = None


_clock = _Clock()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Give the calling thread this many seconds, no more than it has left; 0: no limit."""
    before = _clock.end
    if seconds:
        end = time.monotonic() + seconds
        _clock.end = end if before is None else min(end, before)
    try:
        yield
    finally:
        _clock.end = before


def remaining() -> float:
    """The seconds that the calling thread has left, negative when its time is up."""
    return float("inf") if _clock.end is None else _clock.end - time.monotonic()


def check() -> None:
    """Raise TimeLimitError when the calling thread's time is up."""
    if _clock.end is not None and time.monotonic() > _clock.end:
        raise TimeLimitError


def watched(items: Iterable[_T], often: int = 1024) -> Iterator[_T]:
    """The items one by one, with a check() before each ``often`` of them."""
    for i, item in enumerate(items):
        if i % often == 0:
            check()
        yield item
