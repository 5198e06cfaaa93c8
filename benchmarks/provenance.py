"""What comes out of every labelled page, held against the page that it came from.

    python benchmarks/provenance.py wcxb-dev [--algorithm NAME] [--pages N]

For each page: the words of the Markdown, rendered by a CommonMark library, and of the
HTML are those of the text; and the xpath of every kept block evaluates to the one
element that has the block.  The library passes over formulas, as one does that knows of
them, and the signs around them do not count.  Ends with exit code 1 where something does
not hold.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from typing import TYPE_CHECKING

import lxml.html
from markdown_it import MarkdownIt

from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.output.code import content
from scrapy_eatext.output.html import html
from scrapy_eatext.output.judged import JudgedPage
from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.page import Page
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.tags import TEX_TEXT

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline

    from scrapy_eatext.algorithms.base import Verdict
    from scrapy_eatext.output.nodes import Nodes

# What stands around formulas, in one way on the page and in another one in the outputs.
SIGNS = re.compile(r"\$|\\[()\[\]]")


def formula(state: StateInline, silent: bool) -> bool:
    """A rule for markdown-it by which formulas are text."""
    found = state.env["formulas"].match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        state.push("text", "", 0).content = found[0]
    state.pos = found.end()
    return True


RENDERER = MarkdownIt("commonmark").enable("table")
RENDERER.inline.ruler.before("escape", "formula", formula)


def letters(text: str) -> str:
    """A text without its white space, which Markdown may change."""
    return "".join(SIGNS.sub("", text).split())


def formulas_of(tree: Nodes) -> re.Pattern[str]:
    """What matches one of the formulas of a page."""
    found = {
        text for spans in tree.spans for text, style, *_ in spans if style & TEX_TEXT
    }
    longest = sorted(found, key=len, reverse=True)
    lines = [r"\s+".join(map(re.escape, text.split())) for text in longest]
    return re.compile("|".join(lines) or "(?!)")


def rendered(source: str) -> str:
    if not source:
        return ""
    return lxml.html.fragment_fromstring(source, create_parent=True).text_content()


def words_of(verdict: Verdict) -> str:
    """The words of the kept units, in one row."""
    shown = content(verdict.units, verdict.kept)
    texts = (shown.code.get(i) or verdict.units.text(i) for i in shown.units)
    return letters("".join(texts))


def wrong_words(page: Page, verdict: Verdict) -> list[str]:
    """The outputs whose words are not those of the text."""
    tree = JudgedPage(page, verdict).nodes
    said = letters("".join(tree.bylines()))
    wanted = words_of(verdict)
    shown_by = RENDERER.render(markdown(tree), {"formulas": formulas_of(tree)})
    outputs = {"markdown": shown_by, "html": html(tree)}
    wrong = []
    for name, source in outputs.items():
        found = letters(rendered(source))
        if found != wanted and not (said and is_with(found, wanted)):
            wrong.append(name)
    return wrong


def is_with(found: str, wanted: str) -> bool:
    """Whether one text has another one's letters, in their order, and more."""
    rest = iter(found)
    return all(letter in rest for letter in wanted)


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
    blocks = paths = words = 0
    for labelled in pages:
        page = Page.of(labelled.html, labelled.url or None)
        verdict = algorithm.judge(page)
        count, lost = lost_paths(page, verdict)
        blocks += count
        paths += len(lost)
        wrong = wrong_words(page, verdict)
        words += bool(wrong)
        for path in lost:
            print(f"{labelled.name}: {path} does not lead back")
        for name in wrong:
            print(f"{labelled.name}: {name} has other words")
    print(
        f"{len(pages)} pages, {args.algorithm}: {paths} of {blocks} paths are lost, "
        f"{words} pages have other words in Markdown or HTML"
    )
    return 1 if paths or words else 0


if __name__ == "__main__":
    raise SystemExit(main())
