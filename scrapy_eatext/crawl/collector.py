"""Python's garbage collector, kept from objects that stay for the whole of a crawl.

Now and then the collector looks at every object, and nothing else runs meanwhile: a
tenth of a second for the modules of a crawl alone, again and again.  Objects that exist
when a crawl starts are put aside, where the collector does not look.
"""

from __future__ import annotations

import gc
from itertools import count
from weakref import WeakSet

# The crawls that run in this process, and those that have run.
_crawls: WeakSet[object] = WeakSet()
_begun = count()


def put_aside(crawl: object) -> None:
    """When a crawl starts: put all objects aside, except garbage."""
    # Before a process' first crawl there are modules, and no garbage to speak of.
    if next(_begun):
        gc.collect()
    gc.freeze()
    _crawls.add(crawl)


def take_back(crawl: object) -> None:
    """When a crawl ends: if it is the last, let the collector look everywhere again."""
    if crawl in _crawls:
        _crawls.remove(crawl)
        if not _crawls:
            gc.unfreeze()
