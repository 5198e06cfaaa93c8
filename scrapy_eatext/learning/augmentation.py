"""Data augmentation: training pages of which some names and elements are replaced.

A model whose training pages all have class names and sectioning elements relies on
them, and fails on pages without.  Augmentation changes the walk's tables alone: words
of attributes become unknown words, sectioning elements become divs, as on old pages,
and some pages lose the words of their text, or their title, description and address.  A
part of the names and pages stays, so that names keep their weight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from lxml.html import fromstring, tostring

from scrapy_eatext.page import Page
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.walk import TOKEN_ATTRIBUTES

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk

# The share of the words in a page's attributes that is replaced is one of these.
_WORDS = (0.3, 0.6, 1.0)
# The share of pages whose sectioning elements are replaced, and the share of tags
# replaced.
_ELEMENTS, _KINDS = 0.5, 0.7
# The share of pages that lose the words of their text, as in an unknown language.
_WORDLESS = 0.3
# The share of pages that lose title, headline, description and address.
_UNTITLED = 0.3
SECTIONING = tuple("article aside footer header main nav section".split())


def augmented(walk: Walk, random: np.random.Generator) -> Walk:
    """A page's walk with part of its names and sectioning elements replaced."""
    known, token_number = np.unique(walk.tokens, return_inverse=True)
    unknown = random.integers(0, 1 << 32, len(known), dtype=np.uint32)
    replaced = random.random(len(known)) < random.choice(_WORDS)
    tokens = np.where(replaced, unknown, known)[token_number].astype(walk.tokens.dtype)
    elements = walk.elements.copy()
    if random.random() < _ELEMENTS:
        tag_ids = [TAG_ID[tag] for tag in SECTIONING if random.random() < _KINDS]
        tags = elements[:, ElementColumn.TAG]
        tags[np.isin(tags, tag_ids)] = TAG_ID["div"]
    text = b"" if random.random() < _WORDLESS else walk.text
    descriptions = () if random.random() < _UNTITLED else walk.descriptions
    return replace(
        walk, text=text, elements=elements, tokens=tokens, descriptions=descriptions
    )


def stripped(html: bytes) -> str:
    """The source of a page without class names and ids, with divs for sections."""
    root = fromstring(tostring(Page.of(html).root, encoding="unicode"))
    for element in root.iter("*"):
        if element.tag in SECTIONING:
            element.tag = "div"
        for name in TOKEN_ATTRIBUTES:
            element.attrib.pop(name, None)
    return tostring(root, encoding="unicode")
