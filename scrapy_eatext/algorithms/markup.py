"""How much of a page's source is markup: by block of the tree, by line of the source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.characters import INVISIBLE
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tags import BLOCK
from scrapy_eatext.page.values import unescaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from scrapy_eatext.page import Page

_STARTED = BlockColumn.ELEMENTS

# Elements whose content a browser never shows as text of the page.
_UNSEEN = "script|style|title|textarea|noscript|noframes|noembed|iframe|template"
# A comment, an element of the above with its content, a tag, a declaration.
# Each alternative also ends where the page ends, so none is ever tried in vain
# over the rest of the page, and the time is linear on any input.  Inside a tag,
# a > in a quoted value does not end it.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    rf"|<({_UNSEEN})(?=[\s/>]).*?(?:</\1(?=[\s/>])[^>]*(?:>|\Z)|\Z)"
    r"|</?([a-z][^\s/>]*)(?:[^>=]+|=\s*(?:\"[^\"]*\"|'[^']*')?)*(?:>|\Z)"
    r"|<[!?/][^>]*(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_NEWLINE = re.compile(r"\r\n|\r|\n")
# Where the text before and after is not one word, besides at blocks.
_APART = BLOCK | {"br", "img", "input", "select", "button", "textarea", "iframe"}


def block_markup(page: Page) -> npt.NDArray[np.int64]:
    """The characters of markup that each of a page's blocks took.

    A block pays for the tags, end tags included, of all elements that are
    shown and began since the block before: what they take when the tree is
    written as HTML.  What lies between the tags of the source, and elements
    that show no text, cost nothing.
    """
    walk = page.blocks.walk
    lengths = [0]
    total = 0
    for node in watched(walk.nodes):
        # <name></name>, and name="value" after a space for each attribute.
        total += 2 * len(node.tag) + 5
        for name, value in node.items():
            total += len(name) + len(value) + 4
        lengths.append(total)
    ends = np.cumsum(walk.blocks[:, _STARTED], dtype=np.int64)
    return np.diff(np.array(lengths, dtype=np.int64)[ends], prepend=0)


def source_lines(html: str) -> Iterator[tuple[str, int]]:
    """The text of each line of the source and how many characters are markup.

    Scripts, styles and comments are markup, and a tag may span lines;
    references are resolved and white space is collapsed.
    """
    text = _MARKUP.sub(_leave_lines, html)
    lines = zip(_NEWLINE.split(html), _NEWLINE.split(text), strict=True)
    for line, shown in watched(lines):
        words = INVISIBLE.sub("", unescaped(shown)).split()
        yield " ".join(words), len(line) - len(shown.replace(_BORDER, ""))


# Stands in the text for a tag between blocks; split() takes it for white space.
_BORDER = "\x1f"


def _leave_lines(found: re.Match[str]) -> str:
    """Of markup, its line breaks, so that lines stay lines, and borders of blocks."""
    name = found[2]
    border = _BORDER if name and name.lower() in _APART else ""
    return border + "".join(_NEWLINE.findall(found[0]))
