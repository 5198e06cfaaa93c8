"""Nodes without links or images, for Markdown that is to have none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_eatext.output.nodes import merged, quoted
from scrapy_eatext.page.columns import NodeKind

if TYPE_CHECKING:
    from scrapy_eatext.output.nodes import Cell, Nodes, Table
    from scrapy_eatext.output.placing import Span


def without(nodes: Nodes, *, links: bool, images: bool) -> Nodes:
    """Nodes without links unless ``links``, and without images unless ``images``.

    A link is replaced by its text, and an embed, which is nothing else, goes.  A node that held only images is left out too.
    """
    bare = _Bare(nodes, links=links, images=images)
    return replace(
        nodes, spans=bare.spans, children=bare.children(), tables=bare.tables
    )


class _Bare:
    def __init__(self, nodes: Nodes, *, links: bool, images: bool) -> None:
        self._nodes, self._links = nodes, links
        self.spans = [_reduced(spans, links, images) for spans in nodes.spans]
        self.tables: dict[int, Table] = {}
        self._kept: dict[int, list[int]] = {}

    def children(self) -> dict[int, list[int]]:
        """For each node with children, the children that remain."""
        self._kept[0] = self._left(self._nodes.children[0])
        return self._kept

    def _left(self, inside: Iterable[int]) -> list[int]:
        return [node for node in inside if self._stays(node)]

    def _stays(self, node: int) -> bool:
        nodes = self._nodes
        if node in nodes.tables:
            table = self._table(nodes.tables[node])
            rows = (*table.head, *table.body)
            if not any(cell and cell.leaves for row in rows for cell in row):
                return False
            self.tables[node] = table
            self._kept[node] = nodes.children[node]
        elif node in nodes.children:
            left = self._left(nodes.children[node])
            if not left:
                return False
            self._kept[node] = left
        else:
            if node in nodes.embeds and not self._links:
                return False
            emptied = nodes.spans[node] and not self.spans[node]
            return nodes.kinds[node] == NodeKind.CODE or not emptied
        return True

    def _table(self, table: Table) -> Table:
        return replace(
            table,
            caption=self._left(table.caption),
            head=[self._row(row) for row in table.head],
            body=[self._row(row) for row in table.body],
        )

    def _row(self, row: Sequence[Cell | None]) -> list[Cell | None]:
        return [cell and cell._replace(leaves=self._left(cell.leaves)) for cell in row]


def _reduced(spans: Sequence[Span], links: bool, images: bool) -> Sequence[Span]:
    """Spans without addresses of links, or without images.

    Neighbours that then have the same style and link are joined.
    """
    left = [
        (text, style, link if links else "", image, signs)
        for text, style, link, image, signs in quoted(spans)
        if images or not image
    ]
    return left if len(left) < 2 else merged(left)
