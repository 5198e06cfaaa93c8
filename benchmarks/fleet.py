"""Simulates a fleet of rented workers that extract an archive from a queue.

    python -m benchmarks.fleet [--pages 1e9] [--ms 6]

Each worker takes a part from a queue, reads it from an object store, extracts it,
writes the texts, and enters them in a list that takes one entry at a time.  Workers
start late, are taken away now and then (their part is done again), and parts differ.
Assumed has the assumptions; measured figures are arguments.
"""

from __future__ import annotations

import argparse
import heapq
import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Assumed:
    """A rented machine of 16 cores, and an object store."""

    cores: int = 16
    dollars_an_hour: float = 0.35  # a machine that may be taken away
    start_seconds: float = 90.0
    hours_until_taken_away: float = 24.0
    part_pages: int = 2000
    bytes_in: int = 20_000  # of a page, packed
    bytes_out: int = 3_000
    machine_bytes_a_second: float = 1.0e9
    store_bytes_a_second: float = 2.0e11  # of the whole store
    entry_seconds: float = 0.004  # an entry that lasts
    # How much longer than the mean a part takes: its pages are of one site.
    spread: float = 0.35


def simulate(
    pages: float, ms: float, machines: int, seed: int = 1
) -> tuple[float, float]:
    """The hours that a fleet takes, and the dollars."""
    a = Assumed()
    rng = random.Random(seed)
    workers = machines * a.cores
    # Beyond so many parts they are simulated in groups.
    parts = pages / a.part_pages
    # Groups must be small beside what a worker does in all.
    step = max(1.0, parts / max(300_000, 50 * workers))
    groups = round(parts / step)
    share = min(a.machine_bytes_a_second / a.cores, a.store_bytes_a_second / workers)
    moving = a.part_pages * (a.bytes_in + a.bytes_out) / share
    working = a.part_pages * ms / 1000
    taken_away = 1 / (a.hours_until_taken_away * 3600)

    def took() -> float:
        seconds = moving + working * rng.lognormvariate(-(a.spread**2) / 2, a.spread)
        if rng.random() < seconds * taken_away:
            # Half a part is lost, and a machine has to start.
            seconds += (moving + working) / 2 + a.start_seconds
        return seconds * step

    starts = (rng.uniform(0.5, 1.5) * a.start_seconds for _ in range(workers))
    done = [start + took() for start in starts]
    heapq.heapify(done)
    listed = 0.0
    for number in range(groups):
        # A worker goes on when its part is entered.
        listed = max(listed, heapq.heappop(done)) + a.entry_seconds * step
        if number + workers < groups:
            heapq.heappush(done, listed + took())
    hours = listed / 3600
    return hours, hours * machines * a.dollars_an_hour


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=float, default=1e9)
    parser.add_argument(
        "--ms", type=float, default=6.0, help="processor time of a page"
    )
    args = parser.parse_args()
    a = Assumed()
    print("| machines | cores | hours | pages a second | of ideal | dollars |")
    print("|---|---|---|---|---|---|")
    for machines in (1, 4, 16, 64, 256, 1024):
        hours, dollars = simulate(args.pages, args.ms, machines)
        rate = args.pages / hours / 3600
        ideal = machines * a.cores * 1000 / args.ms
        print(
            f"| {machines:,} | {machines * a.cores:,} | {hours:,.1f} | {rate:,.0f} "
            f"| {100 * rate / ideal:.0f} % | {dollars:,.0f} |"
        )


if __name__ == "__main__":
    main()
