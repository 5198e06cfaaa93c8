"""Changes to the whole process that shorten stalls of the event loop.

As they affect other code too, they are made only with EATEXT_TUNE_PROCESS:

- A full garbage collection stops all threads for a tenth of a second in a crawl.
  Objects that exist when a crawl starts, mostly modules, are exempt (gc.freeze()).
- A thread that waits for the GIL requests it after the switch interval of 5 ms.  The
  crawl's own thread releases the GIL whenever it sends or receives, so these waits add
  up.  The interval is shortened for all threads.
- Threads that extract get a lower priority than the crawl's own.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from weakref import WeakSet

_SWITCH_SECONDS = 0.001
_NICER = 5

# The crawls that run tuned in this process.
_crawls: WeakSet[object] = WeakSet()
_switch_seconds = sys.getswitchinterval()


def tune(crawl: object) -> None:
    """Tune the process at the start of a crawl."""
    global _switch_seconds  # noqa: PLW0603
    if not _crawls:
        _switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(min(_switch_seconds, _SWITCH_SECONDS))
    gc.collect()
    gc.freeze()
    _crawls.add(crawl)


def restore(crawl: object) -> None:
    """Undo tune() at the end of the last tuned crawl."""
    if crawl in _crawls:
        _crawls.remove(crawl)
        if not _crawls:
            gc.unfreeze()
            sys.setswitchinterval(_switch_seconds)


def lower_priority() -> None:
    """Lower the calling thread's priority on Linux, which has one for each thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            own = os.getpriority(os.PRIO_PROCESS, os.getpid())
            os.setpriority(os.PRIO_PROCESS, 0, own + _NICER)
