"""Data augmentation: training pages of which some names and elements are replaced.

A model whose training pages all have class names and sectioning elements relies on
them, and fails on pages without.  Augmentation changes the walk's tables alone: words
of attributes become unknown words, sectioning elements become divs, as on old pages,
and some pages lose the words of their text, or their title, description and address.  A
part of the names and pages stays, so that names keep their weight.

Few labelled pages are short and plain, but many pages of the web are.  plain_copy()
makes such a page of a labelled one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from lxml.html import fromstring, tostring

from scrapy_eatext.page import Page
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.tags import CODE, HEADING, ITEM, TAG_ID
from scrapy_eatext.page.walk import TOKEN_ATTRIBUTES

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Flags

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
# The number of blocks of main text on a plain copy: 4 in the mean, at most 12.
_GOES_ON, _MOST = 0.75, 12
# The most blocks before and after these, and the characters of each.
_BEFORE, _AFTER, _CHARS = 6, 3, 120
_TAG_OF_KIND = {HEADING: "h2", ITEM: "li", CODE: "pre"}


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


def plain_copy(
    walk: Walk, texts: Sequence[str], main: Flags, random: np.random.Generator
) -> bytes:
    """The source of a short page with the first blocks of a page's main text.

    Some have a title, links before the text, and a footer, with other blocks' texts.
    ``main`` marks the blocks of main text, of which there must be at least one.
    """

    def elements(tag: str, blocks: Sequence[int]) -> str:
        return "".join(f"<{tag}>{escape(texts[i][:_CHARS])}</{tag}>" for i in blocks)

    count = min(int(random.geometric(1 - _GOES_ON)), _MOST)
    shown = np.flatnonzero(main)[:count].tolist()
    others = np.flatnonzero(~main)
    before = others[others < shown[0]][: random.integers(_BEFORE + 1)].tolist()
    after = others[others > shown[-1]][-random.integers(1, _AFTER + 1) :].tolist()
    body = ""
    for i in shown:
        kind = int(walk.blocks[i, BlockColumn.KIND])
        tag = _TAG_OF_KIND.get(kind, "p")
        if tag == "h2" and "<h1>" not in body:
            tag = "h1"
        body += f"<{tag}>{escape(texts[i])}</{tag}>"
    around = random.choice(["body", "main", "article", "div"])
    body = f"<{around}>{body}</{around}>"
    if random.random() < 0.6:
        menu = random.choice(["nav", "div", "header"])
        body = f"<{menu}>{elements('a', before)}</{menu}>{body}"
    if random.random() < 0.6:
        footer = random.choice(["footer", "div"])
        body += f"<{footer}>{elements('p', after)}</{footer}>"
    if random.random() < 0.6:
        body = elements("title", shown[:1]) + body
    return body.encode("utf-8", "replace")


def stripped(html: bytes) -> str:
    """The source of a page without class names and ids, with divs for sections."""
    root = fromstring(tostring(Page.of(html).root, encoding="unicode"))
    for element in root.iter("*"):
        if element.tag in SECTIONING:
            element.tag = "div"
        for name in TOKEN_ATTRIBUTES:
            element.attrib.pop(name, None)
    return tostring(root, encoding="unicode")
