"""Sums up the logs of fuzzing, as `python -m tests.fuzz --log FILE` writes them.

Processes that ran at the same time have a log each.  Inputs that broke something are kept
in tests/cases/corpus/; they are tried again, and count as mended if they break nothing.
Prints a table; writes benchmarks/results/fuzz.json and docs/robustness.md.

    python -m benchmarks.fuzzed LOG ...
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.tables import save, table
from tests.fuzz import CORPUS, check, check_tables


def holds(name: str) -> bool:
    """Whether a kept input breaks nothing any more."""
    data = (CORPUS / name).read_bytes()
    try:
        check(data)
        check_tables(data)
    except Exception:  # noqa: BLE001
        return False
    return True


def ranges(numbers: list[int]) -> str:
    """Numbers as "1 to 3, 7 to 9"."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return ", ".join(f"{a} to {b}" for a, b in zip(starts, ends, strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description="Sum up the logs of fuzzing.")
    parser.add_argument("logs", nargs="+", type=Path)
    lines = [line for log in parser.parse_args().logs for line in log.open()]
    rounds = [json.loads(line) for line in lines]
    found = {name for each in rounds for name in each["found"]}
    about = {
        "rounds": len(rounds),
        "seeds": sorted({r["seed"] for r in rounds}),
        "pages": sum(r["pages"] for r in rounds),
        "compared": sum(r["compared"] for r in rounds),
        "fields": sum(r["fields"] for r in rounds),
        "seconds": round(sum(r["seconds"] for r in rounds)),
        "found": len(found),
        "mended": sum(map(holds, found)),
        "lxml": sorted({r["lxml"] for r in rounds}),
        "libxml2": sorted({r["libxml2"] for r in rounds}),
    }
    if not all(r["compiled"] for r in rounds):
        sys.exit("The compiled modules did not run in all of the rounds.")
    if len(about["seeds"]) < len(rounds):
        sys.exit("Some rounds have the same seed, and so the same pages.")
    minutes = about["seconds"] / 60
    rows = [
        ["pages", f"{about['pages']:,}"],
        ["compared with the twins in Python", f"{about['compared']:,}"],
        ["with all outputs", f"{about['fields']:,}"],
        ["minutes, one process", f"{minutes:.0f}"],
        ["inputs that broke something, mended", f"{about['found']}, {about['mended']}"],
        ["seeds", ranges(about["seeds"])],
    ]
    text = table(["the long runs", ""], rows)
    print(text)
    save("fuzz", about, text)
    return 1 if about["found"] > about["mended"] else 0


if __name__ == "__main__":
    sys.exit(main())
