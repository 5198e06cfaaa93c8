"""How many characters of a page are markup: by block, or by line of the source."""

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
# A comment, an element of these with its content, a tag, or a declaration.  The end of
# the page ends each of them too: otherwise one without an end would be looked for over
# the rest of the page again and again, in quadratic time.  A > in a quoted value does
# not end a tag.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    rf"|<({_UNSEEN})(?=[\s/>]).*?(?:</\1(?=[\s/>])[^>]*(?:>|\Z)|\Z)"
    r"|</?([a-z][^\s/>]*)(?:[^>=]+|=\s*(?:\"[^\"]*\"|'[^']*')?)*(?:>|\Z)"
    r"|<[!?/][^>]*(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_NEWLINE = re.compile(r"\r\n|\r|\n")
# Tags between which a word ends: those of blocks and of what shows like a word.
_APART = BLOCK | {"br", "img", "input", "select", "button", "textarea", "iframe"}


def block_markup(page: Page) -> npt.NDArray[np.int64]:
    """How many characters of markup belong to each of a page's blocks.

    These are the start and end tags of all shown elements that began since the block
    before, as long as they are when the tree is written as HTML.  White space between
    tags, comments, and elements that show no text count for nothing.
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
    """For each line of the source its text, and how many of its characters are markup.

    Scripts, styles and comments are markup; a tag may span lines.  In the text,
    references are resolved and white space is collapsed.
    """
    text = _MARKUP.sub(_leave_lines, html)
    lines = zip(_NEWLINE.split(html), _NEWLINE.split(text), strict=True)
    for line, shown in watched(lines):
        words = INVISIBLE.sub("", unescaped(shown)).split()
        yield " ".join(words), len(line) - len(shown.replace(_BORDER, ""))


# Stands for a tag between two words; split() takes it for white space.
_BORDER = "\x1f"


def _leave_lines(found: re.Match[str]) -> str:
    """What takes the place of markup: its line breaks, and a border between words."""
    name = found[2]
    border = _BORDER if name and name.lower() in _APART else ""
    return border + "".join(_NEWLINE.findall(found[0]))
