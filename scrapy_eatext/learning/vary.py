"""Pages to learn from that are unlike themselves: some names and elements are others.

A model that always finds its training pages' names and sectioning elements leans on
them, and is lost where there are none.  Only tables of the walk change: words of
attributes become words that nobody knows, sectioning elements become divs, as old pages
have them, and the words of some pages tell nothing.  A part of each page stays, so that names go on to count.
"""

from __future__ import annotations

import numpy as np
from lxml.html import fromstring, tostring

from scrapy_eatext.page import Page
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.walk import TOKEN_ATTRIBUTES, Walk

# Of the words of a page one of these shares is varied, and with this chance some kinds
# of sectioning elements, each with the other one.
_WORDS = (0.3, 0.6, 1.0)
_ELEMENTS, _EACH = 0.5, 0.7
# The share of the varied pages that are taken to be in a language that nobody knows.
_SPEECHLESS = 0.3
# The share of the varied pages that say nothing of their text.
_UNTOLD = 0.3
SECTIONING = tuple("article aside footer header main nav section".split())


def varied(walk: Walk, chance: np.random.Generator) -> Walk:
    """The walk of a page that differs in part of its names and sectioning elements."""
    known, which = np.unique(walk.tokens, return_inverse=True)
    unknown = chance.integers(0, 1 << 32, len(known), dtype=np.uint32)
    replaced = chance.random(len(known)) < chance.choice(_WORDS)
    tokens = np.where(replaced, unknown, known)[which].astype(walk.tokens.dtype)
    elements = walk.elements.copy()
    if chance.random() < _ELEMENTS:
        kinds = [TAG_ID[tag] for tag in SECTIONING if chance.random() < _EACH]
        tags = elements[:, ElementColumn.TAG]
        tags[np.isin(tags, kinds)] = TAG_ID["div"]
    text = b"" if chance.random() < _SPEECHLESS else walk.text
    told = () if chance.random() < _UNTOLD else walk.told
    return Walk(text, elements, walk.blocks, tokens, None, told=told)


def stripped(html: bytes) -> str:
    """The source of a page without any names, its sectioning elements turned into divs."""
    root = fromstring(tostring(Page.of(html).root, encoding="unicode"))
    for element in root.iter("*"):
        if element.tag in SECTIONING:
            element.tag = "div"
        for name in TOKEN_ATTRIBUTES:
            element.attrib.pop(name, None)
    source: str = tostring(root, encoding="unicode")
    return source
