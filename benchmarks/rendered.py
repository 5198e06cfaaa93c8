"""Whether CommonMark renderers give back what Markdown was made of, on labelled pages.

Markdown and HTML of a page are written from the same nodes.  The Markdown is rendered by
markdown-it-py, mistune and cmark (with GitHub's extensions), and the text of what comes
out must be that of the HTML: a word that is lost, and a sign of Markdown that stays, are
differences.  White space and quotation marks do not count, which Markdown may change.
Boxes of tasks are GitHub's alone, and left out.  Formulas are for renderers that know TeX,
and alerts for GitHub: texts that differ in ASCII punctuation or an alert's label alone are
counted apart.

    pip install scrapy-eatext[test]
    python -m benchmarks.rendered labelled-dev labelled-web [--every 1] [--show]
"""

from __future__ import annotations

import argparse
import re
import string
import sys
from collections import Counter

import lxml.html

from scrapy_eatext import extract
from scrapy_eatext.learning.data import read_folder
from tests.support.unsafe import RENDERERS

QUOTATION_MARKS = str.maketrans("", "", "\"'“”‘’„«»")
ALERT = re.compile(r"(?i)\[!(?:note|tip|important|warning|caution)\]")
NOTE = re.compile(r"\[\^[\w-]+\]")
LABEL = re.compile(r"(?i)note|tip|important|warning|caution")
TASKS = re.compile(r"(<li>\s*(?:<p>)?)\[[ x]\]\s")
PUNCTUATION = str.maketrans("", "", string.punctuation)


def words(html: str) -> str:
    """The text of HTML without white space and quotation marks."""
    text = lxml.html.fragment_fromstring(html, create_parent=True).text_content()
    return "".join(text.translate(QUOTATION_MARKS).split())


def bare(text: str) -> str:
    """A text without ASCII punctuation and the labels of alerts."""
    return LABEL.sub("", text.translate(PUNCTUATION))


def main() -> int:
    parser = argparse.ArgumentParser(description="Markdown rendered, beside the HTML.")
    parser.add_argument("folders", nargs="+", help="labelled pages")
    parser.add_argument("--every", type=int, default=1, help="each of so many pages")
    parser.add_argument("--show", action="store_true", help="what differs first")
    arguments = parser.parse_args()
    renderers = {name: load() for name, load in RENDERERS.items()}
    differ: Counter[str] = Counter()
    apart: Counter[str] = Counter()
    pages = noted = 0
    for folder in arguments.folders:
        for page in list(read_folder(folder).pages)[:: arguments.every]:
            pages += 1
            result = extract(page.html, url=page.url or None)
            expected = words(result.html)
            if NOTE.search(result.markdown) and not NOTE.search(expected):
                noted += 1
                continue
            for name, render in renderers.items():
                found = words(TASKS.sub(r"\1", render(result.markdown)))
                if found == expected:
                    continue
                is_apart = "$" in expected or ALERT.search(found)
                if is_apart and bare(found) == bare(expected):
                    apart[name] += 1
                    continue
                differ[name] += 1
                if arguments.show:
                    print(f"{page.name} {name}: {_first(expected, found)}")
    print(f"{pages} pages, {noted} with footnotes, which HTML has otherwise, left out")
    for name in renderers:
        print(
            f"{name}: {differ[name]} differ, {apart[name]} in formulas and alerts alone"
        )
    return 1 if differ else 0


def _first(expected: str, found: str) -> str:
    """Where two texts begin to differ."""
    start = next(
        (i for i, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b),
        min(len(expected), len(found)),
    )
    begin = max(0, start - 20)
    return f"{expected[begin : start + 40]!r} became {found[begin : start + 40]!r}"


if __name__ == "__main__":
    sys.exit(main())
