"""Pages of which every block is kept, or all but some."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.output.code import content
from scrapy_eatext.output.forms import Forms
from scrapy_eatext.output.structure import tree_of
from scrapy_eatext.page.columns import NodeKind
from scrapy_eatext.page.tags import TEX_TEXT
from scrapy_eatext.rendering import render, with_outputs
from tests.support.pages import any_pages
from tests.support.rich import rich_page

# Pages of any sort, among them those that say much of themselves.
PAGES = st.one_of(
    any_pages(), st.integers(0, 2**32).map(lambda seed: rich_page(Random(seed)))
)


def all_but(units, dropped=()):
    """Whether each unit is kept: all but those of some texts."""
    return [units.text(i) not in dropped for i in range(len(units))]


def whole(page, algorithm=DEFAULT, dropped=()):
    """An algorithm's verdict, with all units kept but those of some texts."""
    verdict = get_algorithm(algorithm).judge(page)
    return replace(verdict, kept=all_but(verdict.units, dropped))


def rendered(page, verdict, forms=Forms()):  # noqa: B008 - it is frozen
    """A page's result in certain forms."""
    return with_outputs(render(verdict, page, "", ""), forms)


def texts_of(units, shown):
    """The texts of the units that are shown, code as its author wrote it."""
    return [shown.code.get(i) or units.text(i) for i in shown.units]


def document(page, kept=None):
    """The nodes of the kept units of a page, all if it is not said which."""
    units = page.blocks
    return tree_of(
        page, units, content(units, all_but(units) if kept is None else kept)
    )


def bylines(nodes):
    """The texts of bylines and embeds, whose words are in no block."""
    return [
        "".join(text for text, *_ in nodes.spans[leaf])
        for leaf in nodes.leaves()
        if nodes.kinds[leaf] in (NodeKind.BYLINE, NodeKind.EMBED)
    ]


def noted(nodes):
    """The text of nodes for Markdown with the references to notes, and without them."""
    texts = [[], []]
    for leaf in nodes.leaves():
        if leaf in nodes.code:
            spans = [(nodes.code[leaf].text, 0, "", "", 0)]
        else:
            spans = nodes.spans[leaf]
        for text, style, _, image, _ in spans:
            is_reference = style & TEX_TEXT and text.startswith("[^")
            if not image:
                texts[0].append(text.replace("\\", "") if is_reference else text)
                texts[1].append(text.partition("\\")[2] if is_reference else text)
    return ["".join(text) for text in texts]
