"""Python's garbage collector, kept from what stays for the whole of a crawl.

Now and then the collector looks at every object that there is, and nothing else runs
meanwhile: a tenth of a second for the modules of a crawl alone, again and again.
What is there when a crawl starts is put aside, where the collector does not look.
"""

from __future__ import annotations

import gc
from itertools import count
from weakref import WeakSet

# The crawls that run in this process, and those that have run.
_crawls: WeakSet[object] = WeakSet()
_begun = count()


def put_aside(crawl: object) -> None:
    """For a crawl that starts: put aside what there is, but for garbage."""
    # What is there before a process' first crawl is modules, and no garbage to speak of.
    if next(_begun):
        gc.collect()
    gc.freeze()
    _crawls.add(crawl)


def take_back(crawl: object) -> None:
    """For a crawl that ends; after the last all is as it was before the first."""
    if crawl in _crawls:
        _crawls.remove(crawl)
        if not _crawls:
            gc.unfreeze()
