"""How often the address of a page's next page is found, and how often it is right.

    python -m benchmarks.next_pages FOLDER

The folder has labelled-web, labelled-dev and wcxb-dev.  next_pages.json has the pages
that were read: of those that link to a next page the hashes of its addresses (few have
two), and the names of those that do not.  The rules were written on "development"; the
sites of "held_out" are others.  "articles" are mostly articles, few of them continued.
What was wrong on these two led to further rules, so their figures are not of pages that
were never looked at: on such pages fewer are found.

If autopager is installed (pip install autopager), it is measured too; it learned from 58
of these pages.
Writes benchmarks/results/next_pages.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from benchmarks.tables import write_json
from scrapy_eatext import __version__
from scrapy_eatext.page import Page
from scrapy_eatext.page.continued import next_page

TRUTH = Path(__file__).with_suffix(".json")
FOLDERS = ("labelled-web", "labelled-dev", "wcxb-dev")
Finder = Callable[[bytes, str], str]


def pages_in(folder: Path) -> Iterator[tuple[str, tuple[bytes, str]]]:
    for path in sorted((folder / "html").glob("*.html.gz")):
        name = path.name.removesuffix(".html.gz")
        about = folder / "ground-truth" / f"{name}.json"
        if about.exists():
            url = json.loads(about.read_text("utf-8")).get("url") or ""
            yield f"{folder.name}/{name}", (gzip.decompress(path.read_bytes()), url)


def digest(url: str) -> str:
    return sha256(url.encode()).hexdigest()[:16]


def finders() -> dict[str, Finder]:
    found: dict[str, Finder] = {
        "scrapy-eatext": lambda html, url: next_page(Page.of(html, url))
    }
    with suppress(ImportError):
        urls_of = import_module("autopager").urls

        def autopager(html: bytes, url: str) -> str:
            text = html.decode("utf-8", "replace")
            found = urls_of(text, url, direct=False, prev=False)
            return found[0] if found else ""

        found["autopager"] = autopager
    return found


def measured(pages: dict[str, tuple[bytes, str]], find: Finder) -> dict[str, object]:
    truth = json.loads(TRUTH.read_text("utf-8"))
    figures: dict[str, object] = {}
    for name, part in truth.items():
        right = wrong = 0
        for page in (*part["next"], *part["none"]):
            url = find(*pages[page]).partition("#")[0]
            if url:
                is_right = digest(url) in part["next"].get(page, ())
                right, wrong = right + is_right, wrong + (not is_right)
        figures[name] = {
            "pages": len(part["next"]) + len(part["none"]),
            "with a next page": len(part["next"]),
            "found": right + wrong,
            "right": right,
            "precision": round(right / max(right + wrong, 1), 3),
            "recall": round(right / len(part["next"]), 3),
        }
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    pages = dict(page for name in FOLDERS for page in pages_in(folder / name))
    results = {
        "version": __version__,
        **{name: measured(pages, find) for name, find in finders().items()},
    }
    print(write_json("next_pages", results))


if __name__ == "__main__":
    main()
