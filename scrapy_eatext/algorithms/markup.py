"""Counts the characters of markup of each block, or of each line of the source."""

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

# Elements whose content is never shown as text of the page.
_UNSEEN = "script|style|title|textarea|noscript|noframes|noembed|iframe|template"
# A comment, one of these elements with its content, a tag, or a declaration.  Each may
# end with the page: otherwise the end of unclosed ones would be searched again and
# again, in quadratic time.  A > in a quoted value does not end a tag.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    rf"|<({_UNSEEN})(?=[\s/>]).*?(?:</\1(?=[\s/>])[^>]*(?:>|\Z)|\Z)"
    r"|</?([a-z][^\s/>]*)(?:[^>=]+|=\s*(?:\"[^\"]*\"|'[^']*')?)*(?:>|\Z)"
    r"|<[!?/][^>]*(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_NEWLINE = re.compile(r"\r\n|\r|\n")
# Tags at which a word ends: those of blocks, and of inline elements shown like words.
_APART = BLOCK | {"br", "img", "input", "select", "button", "textarea", "iframe"}


def block_markup(page: Page) -> npt.NDArray[np.int64]:
    """The number of characters of markup of each of a page's blocks.

    These are the start and end tags of all shown elements that begin after the previous
    block, as they are when the tree is written as HTML.  White space between tags,
    comments, and elements that show no text do not count.
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
    """For each line of the source its text, and its number of characters of markup.

    Scripts, styles and comments are markup; a tag may span lines.  In the text,
    character references are resolved and white space is collapsed.
    """
    text = _MARKUP.sub(_leave_lines, html)
    lines = zip(_NEWLINE.split(html), _NEWLINE.split(text), strict=True)
    for line, shown in watched(lines):
        words = INVISIBLE.sub("", unescaped(shown)).split()
        yield " ".join(words), len(line) - len(shown.replace(_BORDER, ""))


# Replaces a tag between two words; split() treats it as white space.
_BORDER = "\x1f"


def _leave_lines(match: re.Match[str]) -> str:
    """The replacement of markup: a border if a word ends, and its line breaks."""
    name = match[2]
    border = _BORDER if name and name.lower() in _APART else ""
    return border + "".join(_NEWLINE.findall(match[0]))
