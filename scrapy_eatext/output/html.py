"""Clean HTML from a document tree: a few elements, fewer attributes, no script.

Nothing is copied from the page: each element is written from what the tree says,
each text and attribute escaped, each address one of a safe scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrapy_eatext.output.structure import Cell, Leaf, Node, Table
from scrapy_eatext.page.tags import (
    CODE_TEXT,
    DEL_TEXT,
    EM_TEXT,
    STRONG_TEXT,
    SUB_TEXT,
    SUP_TEXT,
)

if TYPE_CHECKING:
    from scrapy_eatext.output.inline import Span

# Every element and attribute that can come out.
ALLOWED = {
    "a": frozenset(("href",)),
    "blockquote": frozenset[str](),
    "br": frozenset[str](),
    "caption": frozenset[str](),
    "code": frozenset(("class",)),
    "dd": frozenset[str](),
    "del": frozenset[str](),
    "dl": frozenset[str](),
    "dt": frozenset[str](),
    "em": frozenset[str](),
    "figcaption": frozenset[str](),
    "figure": frozenset[str](),
    **{f"h{level}": frozenset[str]() for level in range(1, 7)},
    "img": frozenset(("alt", "src")),
    "li": frozenset[str](),
    "ol": frozenset(("start",)),
    "p": frozenset[str](),
    "pre": frozenset[str](),
    "strong": frozenset[str](),
    "sub": frozenset[str](),
    "sup": frozenset[str](),
    "table": frozenset[str](),
    "tbody": frozenset[str](),
    "td": frozenset(("colspan", "rowspan")),
    "th": frozenset(("colspan", "rowspan")),
    "thead": frozenset[str](),
    "tr": frozenset[str](),
    "ul": frozenset[str](),
}

_STYLES = (
    (STRONG_TEXT, "strong"),
    (EM_TEXT, "em"),
    (DEL_TEXT, "del"),
    (SUP_TEXT, "sup"),
    (SUB_TEXT, "sub"),
    (CODE_TEXT, "code"),
)
_ELEMENT_OF = {
    "list": "ul",
    "numbered": "ol",
    "item": "li",
    "quote": "blockquote",
    "definitions": "dl",
    "term": "dt",
    "definition": "dd",
    "figure": "figure",
}


def html(tree: Node) -> str:
    """A document tree as HTML, a block a line."""
    parts: list[str] = []
    for child in tree.children:
        _add(child, parts, tree)
    return "\n".join(parts)


def escaped(text: str) -> str:
    """Text for HTML, also between double quotes."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")


def _add(part: Node | Leaf, parts: list[str], around: Node) -> None:
    if isinstance(part, Leaf):
        parts.append(_leaf(part, around))
        return
    if part.table is not None:
        _add_table(part.table, parts)
        return
    name = _ELEMENT_OF.get(part.kind)
    if name is None:
        for child in part.children:
            _add(child, parts, around)
        return
    if part.kind in ("item", "term", "definition") and len(part.children) == 1:
        only = part.children[0]
        if isinstance(only, Leaf) and only.kind == "paragraph":
            parts.append(f"<{name}>{inline(only.spans)}</{name}>")
            return
    start = f' start="{part.start}"' if name == "ol" and part.start != 1 else ""
    parts.append(f"<{name}{start}>")
    for child in part.children:
        _add(child, parts, part)
    parts.append(f"</{name}>")


def _leaf(leaf: Leaf, around: Node) -> str:
    if leaf.kind == "code":
        language = (
            f' class="language-{escaped(leaf.language)}"' if leaf.language else ""
        )
        return f"<pre><code{language}>{escaped(leaf.text)}\n</code></pre>"
    inside = inline(leaf.spans)
    if leaf.kind == "heading":
        return f"<h{leaf.level}>{inside}</h{leaf.level}>"
    if around.kind == "figure":
        if leaf.kind == "image":
            return inside
        if leaf.kind == "caption":
            return f"<figcaption>{inside}</figcaption>"
    return f"<p>{inside}</p>"


def _add_table(table: Table, parts: list[str]) -> None:
    parts.append("<table>")
    if table.caption:
        caption = "<br>".join(inline(leaf.spans) for leaf in table.caption)
        parts.append(f"<caption>{caption}</caption>")
    for name, rows in (("thead", table.head), ("tbody", table.body)):
        if rows:
            parts.append(f"<{name}>")
            parts += ["<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows]
            parts.append(f"</{name}>")
    parts.append("</table>")


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    name = "th" if cell.header else "td"
    spans = ""
    if cell.columns > 1:
        spans += f' colspan="{cell.columns}"'
    if cell.rows > 1:
        spans += f' rowspan="{cell.rows}"'
    inside = "<br>".join(
        f"<code>{escaped(leaf.text)}</code>"
        if leaf.kind == "code"
        else inline(leaf.spans)
        for leaf in cell.leaves
    )
    return f"<{name}{spans}>{inside}</{name}>"


def inline(spans: Sequence[Span]) -> str:
    """Spans as HTML."""
    parts: list[str] = []
    # What is open, outermost first: what several spans share stays open.
    opened: list[str] = []
    for span in spans:
        wanted = [f'a href="{escaped(span.link)}"'] if span.link else []
        wanted += [name for style, name in _STYLES if span.style & style]
        shared = 0
        for one, other in zip(opened, wanted, strict=False):
            if one != other:
                break
            shared += 1
        _close(opened, shared, parts)
        parts += [f"<{tag}>" for tag in wanted[shared:]]
        opened = wanted
        if span.image:
            parts.append(
                f'<img src="{escaped(span.image)}" alt="{escaped(span.text)}">'
            )
        else:
            parts.append(escaped(span.text).replace("\n", "<br>\n"))
    _close(opened, 0, parts)
    return "".join(parts)


def _close(opened: Sequence[str], left: int, parts: list[str]) -> None:
    parts += [f"</{tag.partition(' ')[0]}>" for tag in reversed(opened[left:])]
