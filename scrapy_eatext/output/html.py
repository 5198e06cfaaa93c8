"""Clean HTML from nodes: few elements, few attributes, no scripts.

No markup is copied from the page: elements are written from nodes, all texts and
attributes are escaped, and addresses have safe schemes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain, groupby
from typing import TYPE_CHECKING

from scrapy_eatext.output.nodes import parted
from scrapy_eatext.output.placing import HTML
from scrapy_eatext.page.columns import NodeKind
from scrapy_eatext.page.tags import STYLE_ELEMENTS

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.output.nodes import Cell, Nodes
    from scrapy_eatext.output.placing import Span

# The start tag and the end tag of an element.
_Tags = tuple[str, str]
# Kinds of nodes that are written on one line if they hold a single paragraph.
_ONE_LINE = (NodeKind.ITEM, NodeKind.TERM, NodeKind.DEFINITION)
_ELEMENT_OF = {
    NodeKind.LIST: "ul",
    NodeKind.NUMBERED: "ol",
    NodeKind.ITEM: "li",
    NodeKind.QUOTE: "blockquote",
    NodeKind.DEFINITIONS: "dl",
    NodeKind.TERM: "dt",
    NodeKind.DEFINITION: "dd",
    NodeKind.FIGURE: "figure",
}


def write_html(judged: JudgedPage) -> str:
    """The HTML of a page's main text."""
    return html(judged.nodes)


def html(nodes: Nodes) -> str:
    """Nodes as HTML, each block on a line of its own."""
    writer = _Writer(nodes)
    for child in nodes.children[0]:
        writer.add(child, NodeKind.DOCUMENT)
    return "\n".join(writer.parts)


def escaped(text: str) -> str:
    """Text for HTML, also between double quotes."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")


class _Writer:
    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self.parts: list[str] = []

    def add(self, node: int, around: int) -> None:
        """Add a node; ``around`` is the kind of the node that holds it."""
        nodes, parts = self._nodes, self.parts
        children = nodes.children.get(node)
        if children is None:
            parts.append(self._leaf(node, around))
            return
        kind = nodes.kinds[node]
        if kind == NodeKind.TABLE:
            self._add_table(node)
            return
        name = _ELEMENT_OF[kind]
        begin = f"<{name}>"
        if len(children) == 1 and kind in _ONE_LINE:
            only = children[0]
            if nodes.kinds[only] == NodeKind.PARAGRAPH:
                parts.append(f"{begin}{inline(nodes.spans[only])}</{name}>")
                return
        if kind == NodeKind.NUMBERED and nodes.levels[node] != 1:
            begin = f'<{name} start="{nodes.levels[node]}">'
        parts.append(begin)
        if kind == NodeKind.FIGURE:
            self._add_to_figure(children)
        else:
            for child in children:
                self.add(child, kind)
        parts.append(f"</{name}>")

    def _add_to_figure(self, children: Sequence[int]) -> None:
        """Add the children of a figure, with at most one figcaption."""
        kinds, parts = self._nodes.kinds, self.parts
        captioned = False
        for is_caption, group in groupby(
            children, lambda child: kinds[child] == NodeKind.CAPTION
        ):
            inside = list(group)
            around = NodeKind.FIGURE
            if is_caption and (captioned or len(inside) > 1):
                around = NodeKind.CAPTION
            wraps = around == NodeKind.CAPTION and not captioned
            if wraps:
                parts.append("<figcaption>")
            for child in inside:
                self.add(child, around)
            if wraps:
                parts.append("</figcaption>")
            captioned = captioned or is_caption

    def _leaf(self, leaf: int, around: int) -> str:
        nodes = self._nodes
        kind = nodes.kinds[leaf]
        if kind == NodeKind.CODE:
            text, language = nodes.code[leaf]
            name = f' class="language-{escaped(language)}"' if language else ""
            return f"<pre><code{name}>{escaped(text)}\n</code></pre>"
        if kind == NodeKind.RULE:
            return "<hr>"
        inside = inline(nodes.spans[leaf])
        if kind == NodeKind.HEADING:
            level = nodes.levels[leaf]
            return f"<h{level}>{inside}</h{level}>"
        if around == NodeKind.FIGURE:
            if kind == NodeKind.IMAGE:
                return inside
            if kind == NodeKind.CAPTION:
                return f"<figcaption>{inside}</figcaption>"
        return f"<p>{inside}</p>"

    def _add_table(self, node: int) -> None:
        parts, table = self.parts, self._nodes.tables[node]
        parts.append("<table>")
        if leaves := self._nodes.caption(node):
            caption = "<br>".join(map(self._inline, leaves))
            parts.append(f"<caption>{caption}</caption>")
        head, body = table.head, table.body
        if head and body and not set(head[-1]).isdisjoint(body[0]):
            head, body = (), (*head, *body)  # no cell spans beyond its thead
        # How many rows each cell spans, for those not yet written.
        heights = Counter(chain.from_iterable(map(set, (*head, *body))))
        for name, rows in (("thead", head), ("tbody", body)):
            if rows:
                parts.append(f"<{name}>")
                for row in rows:
                    cells = [
                        self._cell(cell, columns, heights.pop(cell))
                        for cell, columns in Counter(row).items()
                        if cell in heights
                    ]
                    parts.append(f"<tr>{''.join(cells)}</tr>")
                parts.append(f"</{name}>")
        parts.append("</table>")

    def _cell(self, cell: Cell, columns: int, rows: int) -> str:
        name = "th" if cell.header else "td"
        spans = f' colspan="{columns}"' if columns > 1 else ""
        spans += f' rowspan="{rows}"' if rows > 1 else ""
        if any(node in self._nodes.children for node in cell.inside):
            blocks = _Writer(self._nodes)
            for node in cell.inside:
                blocks.add(node, NodeKind.CELL)
            inside = "\n".join(["", *blocks.parts, ""])
        else:
            inside = "<br>".join(map(self._inline, cell.leaves))
        return f"<{name}{spans}>{inside}</{name}>"

    def _inline(self, leaf: int) -> str:
        """A block in a table as inline HTML."""
        nodes = self._nodes
        if nodes.kinds[leaf] == NodeKind.CODE:
            return f"<code>{escaped(nodes.code[leaf].text)}</code>"
        return inline(nodes.spans[leaf])


def inline(spans: Sequence[Span]) -> str:
    """Spans as HTML."""
    if len(spans) == 1:
        text, style, link, image, signs = spans[0]
        if not (style or link or image):
            return _lines(text) if signs & HTML else text
    parts: list[str] = []
    # The open elements, outermost first; those that the next span shares stay open.
    opened: tuple[_Tags, ...] = ()
    for text, style, link, image, signs in parted(spans):
        wanted = _tags_of(style)
        if link:
            wanted = ((f'<a href="{escaped(link)}">', "</a>"), *wanted)
        if wanted != opened:
            shared = 0
            for open_tags, wanted_tags in zip(opened, wanted, strict=False):
                if open_tags != wanted_tags:
                    break
                shared += 1
            parts += [end for _, end in reversed(opened[shared:])]
            parts += [begin for begin, _ in wanted[shared:]]
            opened = wanted
        if image:
            parts.append(f'<img src="{escaped(image)}" alt="{escaped(text)}">')
        else:
            parts.append(_lines(text) if signs & HTML else text)
    parts += [end for _, end in reversed(opened)]
    return "".join(parts)


@cache
def _tags_of(style: int) -> tuple[_Tags, ...]:
    """The tags of the elements of a style, outermost first."""
    return tuple(
        (f"<{name}>", f"</{name}>")
        for bit, name in STYLE_ELEMENTS.items()
        if style & bit
    )


def _lines(text: str) -> str:
    """Text for HTML, with line breaks as elements."""
    return escaped(text).replace("\n", "<br>\n")
