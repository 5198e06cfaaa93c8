"""Notes and warnings set apart from the text, as documentation has them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection
from typing import TYPE_CHECKING

from scrapy_eatext.page.columns import BlockColumn, ElementColumn, NodeKind
from scrapy_eatext.page.names import CALLOUTS
from scrapy_eatext.page.tables import blocks_within
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.walk import attribute_values

if TYPE_CHECKING:
    from scrapy_eatext.output.nodes import Nodes
    from scrapy_eatext.page.walk import Walk

# GitHub's kinds of callouts, and the words for each in classes of pages.
_KINDS = {
    "note": "note info information seealso see question todo example abstract",
    "tip": "tip hint success",
    "important": "important",
    "warning": "warning warn attention",
    "caution": "caution danger error failure bug",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
# Words in classes of callouts, beside a word for the kind.
_CALLOUT_WORDS = frozenset(
    "admonition admonitionblock alert callout custom notecard".split()
)
_WORD = re.compile("[a-z]+")
_TAGS = frozenset(
    TAG_ID[name] for name in ("article", "aside", "blockquote", "div", "p", "section")
)
_BOUNDS = [ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK]
_PLACE = [BlockColumn.START, BlockColumn.END]
_LABEL = 20  # a label is shorter
# Nodes in which no quote can stand between the children.
_CLOSED = (NodeKind.LIST, NodeKind.NUMBERED, NodeKind.TABLE, NodeKind.ROW,
           NodeKind.DEFINITIONS)  # fmt: skip


def wrap_callouts(
    nodes: Nodes, walk: Walk, gone: Collection[int], parents: list[int]
) -> None:
    """Put the nodes of each callout into a quote, and note the quote's kind.

    The nodes ``gone`` are not shown, and ``parents`` has the parent of each node.  It
    runs before the structure is decided.
    """
    kinds = _kinds(walk, CALLOUTS.rows(walk))
    if not kinds:
        return
    of_unit = {
        unit: node
        for node, unit in enumerate(nodes.units)
        if unit >= 0 and node not in gone
    }
    # The first node, the last node and the kind of each callout, by their parent.
    inside: dict[int, list[tuple[int, int, str]]] = {}
    for row, first, last in blocks_within(walk.elements, list(kinds)):
        shown = [of_unit[unit] for unit in range(first, last) if unit in of_unit]
        if not shown:
            continue
        begin, end = (
            _outermost(nodes, parents, node, row, walk.ends[row])
            for node in (shown[0], shown[-1])
        )
        around = parents[begin]
        if begin == end and nodes.rows[begin] == row:
            if nodes.kinds[begin] == NodeKind.QUOTE:
                nodes.callouts[begin] = kinds[row]
        elif around == parents[end] and nodes.kinds[around] not in _CLOSED:
            inside.setdefault(around, []).append((begin, end, kinds[row]))
    if inside:
        # Children stay after their parents in this dict.
        children = dict(nodes.children)
        nodes.children.clear()
        for node, within in children.items():
            nodes.children[node] = within
            if node in inside:
                _wrap(nodes, node, inside[node])


def _kinds(walk: Walk, rows: list[int]) -> dict[int, str]:
    """The kind of each element that is a callout; nested ones are left out."""
    kinds: dict[int, str] = {}
    done = 0
    classes = attribute_values(walk, rows, "class")
    for row, value in zip(rows, classes, strict=True):
        words = _WORD.findall((value or "")[:500].lower())
        kind = next((_KIND_OF[word] for word in words if word in _KIND_OF), "")
        if (
            kind
            and row >= done
            and walk.elements.item(row, ElementColumn.TAG) in _TAGS
            and (not _CALLOUT_WORDS.isdisjoint(words) or _is_labelled(walk, row, words))
        ):
            done = walk.ends[row]
            kinds[row] = kind
    return kinds


def _is_labelled(walk: Walk, row: int, words: list[str]) -> bool:
    """Whether an element's class is one of GitHub's kinds, which its first block says."""
    first, last = walk.elements[row, _BOUNDS].tolist()
    if first == last or len(words) > 1 or words[0] not in _KINDS:
        return False
    start, end = walk.blocks[first, _PLACE].tolist()
    label = walk.text[start : min(end, start + _LABEL)].decode(errors="ignore")
    return label.rstrip(":").lower() == words[0]


def _outermost(nodes: Nodes, parents: list[int], node: int, row: int, end: int) -> int:
    """The outermost node around a node that is inside an element, by their rows."""
    while row <= nodes.rows[parents[node]] < end:
        node = parents[node]
    return node


def _wrap(nodes: Nodes, around: int, callouts: list[tuple[int, int, str]]) -> None:
    """Move the children of a node that are in callouts into quotes."""
    within = nodes.children[around]
    nodes.children[around] = made = []
    done = 0
    for begin, end, kind in callouts:
        first = bisect_left(within, begin, done)
        quote = nodes.add(NodeKind.QUOTE)
        made += [*within[done:first], quote]
        done = bisect_right(within, end, first)
        nodes.callouts[quote], nodes.children[quote] = kind, within[first:done]
    made += within[done:]
