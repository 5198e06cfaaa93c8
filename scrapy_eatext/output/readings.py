"""Readings of ruby annotations, which the walk leaves out of the text."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from scrapy_eatext.page import walk as walking
from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tags import SKIP

if TYPE_CHECKING:
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.walk import Walk

_TAGS = frozenset(("rt", "rp"))
_PLACE = [BlockColumn.START, BlockColumn.END]
# White space and the page's own brackets around a reading.
_AROUND = " \t\n\r\f\u3000()\uff08\uff09"


def with_readings(page: Page, walk: Walk) -> Walk:
    """The walk of a page with each reading in brackets behind what it annotates.

    Only texts and the places of blocks and marks in them differ.
    """
    if next(page.root.iter("rt"), None) is None:
        return walk
    root = deepcopy(page.root)
    done: set[Any] = set()
    for element in list(root.iter(*_TAGS)):
        # An element without an end tag has the next ones inside.
        if element not in done:
            done.update(element.iter(*_TAGS))
            _write(element)
    made = walking.walk(root, page.is_lenient)
    if not np.array_equal(made.elements, walk.elements):
        return walk  # a reading alone has become a block
    blocks = walk.blocks.copy()
    blocks[:, _PLACE] = made.blocks[:, _PLACE]
    return replace(walk, text=made.text, blocks=blocks, marks=made.marks)


def _write(element: Any) -> None:
    """Write the reading in an element of a ruby annotation before the element."""
    ruby, before = element.getparent(), element.getprevious()
    tags = {one.tag for one in element.iter(etree.Element)}
    reading = " ".join("".join(element.itertext(etree.Element)).split()).strip(_AROUND)
    if not reading or ruby.tag != "ruby" or "rt" not in tags or tags & SKIP - _TAGS:
        return
    text = (ruby.text if before is None else before.tail) or ""
    text = strip_unstorable(f"{text}({reading})")
    if before is None:
        ruby.text = text
    else:
        before.tail = text
