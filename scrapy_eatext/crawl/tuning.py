"""Changes to the whole process that shorten stalls of the event loop.

These effects reach beyond this package, so EATEXT_TUNE_PROCESS has to ask for them:

- Python's garbage collector stops everything while it looks at all objects, for a tenth
  of a second in a crawl.  Objects that exist when a crawl starts, mostly modules, are
  put where it does not look.
- A thread that wants Python's lock waits for 5 ms before it asks for the lock.  The
  crawl's own thread gives the lock away whenever it sends or receives, so these waits
  add up; they become shorter for all threads.
- Threads that extract get a lower priority than the crawl's own.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from weakref import WeakSet

_SWITCH_SECONDS = 0.001
# How much nicer (of lower priority) a thread that extracts is than the crawl's own.
_NICER = 5

# The crawls that run tuned in this process.
_crawls: WeakSet[object] = WeakSet()
_switch_seconds = sys.getswitchinterval()


def tune(crawl: object) -> None:
    """When a crawl starts: tune the process, for one crawl more."""
    global _switch_seconds  # noqa: PLW0603
    if not _crawls:
        _switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(min(_switch_seconds, _SWITCH_SECONDS))
    gc.collect()
    gc.freeze()
    _crawls.add(crawl)


def restore(crawl: object) -> None:
    """When a crawl ends: after the last tuned crawl, restore what tune() changed."""
    if crawl in _crawls:
        _crawls.remove(crawl)
        if not _crawls:
            gc.unfreeze()
            sys.setswitchinterval(_switch_seconds)


def lower_priority() -> None:
    """Let the crawl's own thread go first if it and the calling thread want a processor.

    On Linux each thread has a priority of its own; elsewhere a process has it.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            own = os.getpriority(os.PRIO_PROCESS, os.getpid())
            os.setpriority(os.PRIO_PROCESS, 0, own + _NICER)
