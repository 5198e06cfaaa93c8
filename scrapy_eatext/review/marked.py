"""A page's source with its main text between comments, as the n-gram model reads it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from html import escape
from typing import TYPE_CHECKING

from scrapy_eatext.learning.marked import BEGIN, FINISH
from scrapy_eatext.review.markup import START, TEXT, VOID, events, name_of

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

# Elements without shown text; a line in one could look like a mark.
_LEFT_OUT = frozenset(("script", "style"))


def marked_source(page: Page, main: Container[int]) -> str:
    """The source of a page, with comments around the blocks in ``main``."""
    return "".join(_parts(page, main))


def _parts(page: Page, main: Container[int]) -> Iterator[str]:
    inside = False
    for event in events(page):
        name = name_of(event.element)
        if name in _LEFT_OUT:
            continue
        if event.what == TEXT:
            if event.block >= 0 and (event.block in main) != inside:
                inside = not inside
                yield f"\n{BEGIN if inside else FINISH}\n"
            yield escape(event.text, quote=False)
        elif event.what == START:
            attributes = event.element.attrib.items()
            written = "".join(f' {key}="{escape(value)}"' for key, value in attributes)
            yield f"<{name}{written}>"
        elif name not in VOID:
            yield f"</{name}>"
    if inside:
        yield f"\n{FINISH}\n"
