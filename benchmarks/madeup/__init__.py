"""Eight made-up sites, which a crawler is tried on.

    with MadeUp() as made:
        site = made.sites["newspaper"]
        ...  # crawl site.start
        found = {site.canonical(seen.url) for seen in made.seen}
        share = len(found & site.wanted) / len(site.wanted)

``python -m benchmarks.madeup`` serves them to a browser.
"""

from benchmarks.madeup.server import SITES, MadeUp, Seen
from benchmarks.madeup.site import Site

__all__ = ["SITES", "MadeUp", "Seen", "Site"]
