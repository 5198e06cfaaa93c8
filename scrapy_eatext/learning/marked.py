"""Reads pages whose true text is marked in their source, not in a separate file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from cssselect import SelectorError

from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.data import Dataset, LabelledPage, html_files
from scrapy_eatext.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEWLINE = re.compile(r"\r\n|\r|\n")
# The comments by which the author of the density filter marked lines of content.
BEGIN, FINISH = "<!-- content -->", "<!-- /content -->"
# Comments that exclude parts of a page from Google's search appliance.  The word after
# the colon (index, anchor, snippet, all) makes no difference here; its length is
# bounded, so that matching takes linear time.
_GOOGLE = re.compile(r"<!--\s*google(on|off)(?::[^>]{0,99}?)?\s*-->", re.IGNORECASE)

CONTENT, GOOGLE = "content", "google"


def read_marked(folder: str | Path, marks: str) -> Dataset:
    """The pages of a folder, NAME.html or NAME.html.gz, with their true_text().

    Raises DataError for a folder without pages, and for a page without marks.
    """
    folder = Path(folder)
    pages = []
    for name, file in html_files(folder):
        html = LabelledPage(name, file).html
        try:
            text = true_text(html, marks)
        except DataError as error:
            raise DataError(f"{file}: {error}") from error
        pages.append(LabelledPage(name, file, text=text))
    if not pages:
        raise DataError(f"{folder} holds no pages")
    return Dataset(pages, folder.resolve().name)


def true_text(html: bytes, marks: str) -> str:
    """The text of the marked parts of a page.

    ``marks`` "content" takes the lines between those with ``<!-- content -->`` and
    those with ``<!-- /content -->``; "google" takes all but the parts between
    ``<!--googleoff: all-->`` and ``<!--googleon: all-->``; any other value is a CSS
    selector for the elements that hold the content.  Raises DataError if nothing is
    marked, or the selector is invalid.
    """
    page = Page.of(html)
    if marks == CONTENT:
        lines = [line for line, kept in marked_lines(page.html) if kept]
        return _text(Page.of("\n".join(lines)), "no <!-- content --> is in it")
    if marks == GOOGLE:
        if not _GOOGLE.search(page.html):
            raise DataError("neither googleon nor googleoff is in it")
        return _text(Page.of(_google_on(page.html)), "googleoff leaves nothing of it")
    return _selected(page, marks)


def marked_lines(html: str) -> Iterator[tuple[str, bool]]:
    """Lines of source, each with whether it is content by the comments around it.

    A line with a comment belongs to the part that it begins, one with both to content.
    """
    keep = False
    for line in _NEWLINE.split(html):
        if BEGIN in line:
            keep = True
        elif FINISH in line:
            keep = False
        yield line, keep


def _google_on(html: str) -> str:
    first, *rest = _GOOGLE.split(html)
    parts = zip(rest[::2], rest[1::2], strict=True)
    return first + "".join(part for mark, part in parts if mark.lower() == "on")


def _selected(page: Page, selector: str) -> str:
    """The text of the blocks inside the elements that a CSS selector finds."""
    try:
        chosen = set(page.root.cssselect(selector))
    except SelectorError as error:
        raise DataError(f"{selector!r} is no CSS selector: {error}") from error
    if not chosen:
        raise DataError(f"no element of it is {selector!r}")
    walk, blocks = page.blocks.walk, page.blocks
    # Elements come after their parents.
    inside: list[bool] = []
    for node, parent in zip(walk.nodes, walk.elements[:, 0].tolist(), strict=True):
        inside.append(node in chosen or (parent >= 0 and inside[parent]))
    places = blocks.column("inner")
    return "\n".join(blocks.text(i) for i, place in enumerate(places) if inside[place])


def _text(page: Page, otherwise: str) -> str:
    text = "\n".join(page.blocks.texts())
    if not text:
        raise DataError(otherwise)
    return text
