"""Crawl the bundled site and show the feed.

Arguments go to ``scrapy crawl``: a spider, which is ``site`` if none is named, and
options after it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHOWN = 3


def main() -> int:
    arguments = sys.argv[1:]
    if not arguments or arguments[0].startswith("-"):
        arguments = ["site", *arguments]
    command = [sys.executable, "-m", "scrapy", "crawl", *arguments]
    status = subprocess.run(command, cwd=HERE, check=False).returncode
    if status:
        return status
    name = arguments[0]
    feed = HERE / "output" / f"{name}.jsonl"
    items = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
    for item in items[:SHOWN]:
        print(f"\n{item['url']}\n{'-' * len(item['url'])}\n{item['main_text']}")
    print(f"\n{len(items)} items, each with its main_text, are in")
    for path in sorted(feed.parent.glob(f"{name}.*")):
        print(f"  {path.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
