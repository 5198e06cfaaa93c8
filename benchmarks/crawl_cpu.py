"""The processor's time that extraction adds to a whole crawl.

The example project crawls its bundled site with each executor and without the add-on;
its spider reads each page with selectors.  Each crawl is a process of its own, and they
take turns.  Compared are the medians of their times of the processor, in user and system
mode, from start to end, worker processes included.

Writes benchmarks/results/crawl_cpu.json and the table in docs/robustness.md.

    python -m benchmarks.crawl_cpu [--runs N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.tables import ROOT, save, table
from scrapy_eatext import __version__
from scrapy_eatext.algorithms import DEFAULT
from scrapy_eatext.crawl.settings import EXECUTORS

PROJECT = ROOT / "example_project"
CRAWLS = {
    "without": ["ADDONS={}"],
    **{name: [f"EATEXT_EXECUTOR={name}"] for name in EXECUTORS},
}
# The default executor may cost at most so many times as much.
LIMIT = 1.25


def crawl(settings: list[str], folder: str) -> float:
    """Crawl the site in another process; returns its seconds of the processor."""
    command = [sys.executable, "-m", "scrapy", "crawl", "pages"]
    for setting in settings:
        command += ["-s", setting]
    env = {
        **os.environ,
        "SCRAPY_SETTINGS_MODULE": "example.settings",
        "PYTHONPATH": os.pathsep.join([str(PROJECT), str(ROOT)]),
    }
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=folder, env=env, stderr=quiet)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description="A crawl's time of the processor.")
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    seconds: dict[str, list[float]] = {name: [] for name in CRAWLS}
    with tempfile.TemporaryDirectory() as folder:
        for settings in CRAWLS.values():  # once for the files' sake
            crawl(settings, folder)
        for _ in range(runs):
            for name, settings in CRAWLS.items():
                seconds[name].append(crawl(settings, folder))
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    rows = []
    for name, median in medians.items():
        ratio = median / medians["without"]
        print(f"{name:10}{median:8.3f} s {ratio:6.2f}")
        rows.append([name, f"{median:.2f}", f"{ratio:.2f}"])
    about = {"version": __version__, "algorithm": DEFAULT, "seconds": seconds}
    save("crawl_cpu", about, table(["extraction", "CPU s", "times"], rows))
    return 1 if medians["thread"] > LIMIT * medians["without"] else 0


if __name__ == "__main__":
    sys.exit(main())
