"""What the default algorithm gives for many pages, as one number to compare.

    python -m tests.digest [FOLDER ...]

prints a hash of the texts, of each block's chance and of every other output, together
with what it was run with: it must be the same on every Python, with every numpy,
compiled and in Python (SCRAPY_EATEXT_PURE=1), given one release of lxml.  The pages are
those of the example site, the hostile ones, and the labelled ones of folders.  With
``--pages`` the hashes of each page's outputs come before, to compare two runs by diff.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator
from hashlib import sha256

import numpy as np
from lxml import etree

from scrapy_eatext import compiled
from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.page import Page
from scrapy_eatext.rendering import render
from scrapy_eatext.result import ATTRIBUTES
from tests import SITE
from tests.support.hostile import every_page


def pages(folders: list[str]) -> Iterator[tuple[str, str | bytes]]:
    """The pages with their names."""
    for path in sorted(SITE.rglob("*.html")):
        yield path.relative_to(SITE).as_posix(), path.read_bytes()
    yield from sorted(every_page(5000).items())
    for folder in folders:
        for page in read_folder(folder).pages:
            yield page.name, page.html


def digests(html: str | bytes) -> dict[str, str]:
    """The hashes of one page's outputs, by their names."""
    algorithm = get_algorithm("eatext")
    page = Page.of(html)
    verdict = algorithm.judge(page)
    result = render(verdict, page, algorithm.name, algorithm.version)
    values = {name: result.value(name) for name in ATTRIBUTES}
    values["chances"] = [round(score * 1000) for score in verdict.scores]
    values["kept"] = list(verdict.kept)
    return {
        name: sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:8]
        for name, value in values.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", help="labelled pages besides")
    parser.add_argument("--pages", action="store_true", help="print each page's hashes")
    args = parser.parse_args()
    whole = sha256()
    for count, (name, html) in enumerate(pages(args.folders), 1):  # noqa: B007
        outputs = " ".join(f"{key}={value}" for key, value in digests(html).items())
        whole.update(outputs.encode())
        if args.pages:
            print(name, outputs)
    versions = ".".join(map(str, etree.LIBXML_VERSION))
    print(
        f"{whole.hexdigest()[:16]}  {count} pages  Python {platform.python_version()}  "
        f"numpy {np.__version__}  libxml2 {versions}  "
        f"{'compiled' if compiled else 'in Python'}"
    )


if __name__ == "__main__":
    main()
