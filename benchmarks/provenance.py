"""Whether the xpath of each kept block of labelled pages leads back to its element.

    python -m benchmarks.provenance wcxb-dev [--algorithm NAME] [--pages N]

The exit code is 1 if one does not evaluate to exactly the block's element.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.page import Page
from scrapy_eatext.page.blocks import Blocks

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Verdict


def lost_paths(page: Page, verdict: Verdict) -> tuple[int, list[str]]:
    """How many blocks are kept, and the paths that do not lead to their element."""
    units = verdict.units
    # A text from the page's data alone is not on the page.
    if not isinstance(units, Blocks) or verdict.page is not None:
        return 0, []
    kept = [i for i, keep in enumerate(verdict.kept) if keep]
    tree = page.root.getroottree()
    lost = []
    for i in kept:
        path = units.xpath(i)
        found: Sequence[object] = tree.xpath(path) if path else []
        if len(found) != 1 or found[0] is not units.element(i):
            lost.append(path)
    return len(kept), lost


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", help="labelled pages")
    parser.add_argument("--algorithm", default=DEFAULT)
    parser.add_argument("--pages", type=int, help="only so many")
    args = parser.parse_args()
    algorithm = get_algorithm(args.algorithm)
    pages = read_folder(args.folder).pages[: args.pages]
    blocks = paths = 0
    for labelled in pages:
        page = Page.of(labelled.html, labelled.url or None)
        count, lost = lost_paths(page, algorithm.judge(page))
        blocks += count
        paths += len(lost)
        for path in lost:
            print(f"{labelled.name}: {path} does not lead back")
    print(f"{len(pages)} pages, {args.algorithm}: {paths} of {blocks} paths are lost")
    return 1 if paths else 0


if __name__ == "__main__":
    raise SystemExit(main())
