"""Whether a crawl of a made-up site that is killed many times yields each page once.

    python -m benchmarks.killed [--kills 20] [--site newspaper]

Each run goes on from the state file and writes a feed of its own; each is killed (SIGKILL)
at a random moment, until there were --kills of them; the last one ends by itself.
Then a run over the unchanged site shows how many requests the next round takes.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.madeup import MadeUp


def command(start: str, folder: Path, number: int) -> list[str]:
    return [
        *(sys.executable, "-m", "scrapy", "eatext", "site", start),
        *("--state", str(folder / "site.db"), "-O", str(folder / f"{number}.jsonl")),
        *("-s", "AUTOTHROTTLE_ENABLED=0", "-s", "LOG_LEVEL=ERROR"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--site", default="newspaper")
    args = parser.parse_args()
    rng = random.Random(1)
    with MadeUp() as made, tempfile.TemporaryDirectory() as name:
        folder, site = Path(name), made.sites[args.site]
        kills = number = 0
        while True:
            number += 1
            process = subprocess.Popen(
                command(site.start, folder, number), stdout=subprocess.DEVNULL
            )
            try:
                # A process takes a second to begin.
                seconds = rng.uniform(1.0, 2.5) if kills < args.kills else None
                process.wait(seconds)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
        requests = len(made.seen)
        lines = [
            line
            for feed in folder.glob("*.jsonl")
            for line in feed.read_bytes().splitlines()
        ]
        counts = Counter(site.canonical(json.loads(line)["url"]) for line in lines)
        counts.pop("", None)
        made.seen.clear()
        last = folder / f"{number + 1}.jsonl"
        subprocess.run(
            command(site.start, folder, number + 1),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        again = len(last.read_bytes().splitlines()) if last.exists() else 0
        print(f"{kills} kills, {requests} requests")
        print(
            f"wanted pages: {len(site.wanted)}, in the feeds: {len(counts)},", end=" "
        )
        print(f"more than once: {sum(count > 1 for count in counts.values())}")
        print(f"the next round: {again} items, {len(made.seen)} requests")


if __name__ == "__main__":
    main()
