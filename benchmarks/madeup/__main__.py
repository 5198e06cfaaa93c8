"""``python -m benchmarks.madeup`` serves the sites until its input ends."""

import sys

from benchmarks.madeup import MadeUp

with MadeUp() as made:
    for site in made.sites.values():
        print(f"{site.name:12}{site.start}", flush=True)
    sys.stdin.read()
