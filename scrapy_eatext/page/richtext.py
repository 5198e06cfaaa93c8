"""Makes HTML of the trees of nodes as which editors and frameworks store texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any

from scrapy_eatext.deadline import check

# Elements by the kinds of nodes, without signs and what stands around many names.
_AROUND = re.compile(r"^core|(?:block|element|node)+$|[\W_]+")
_ELEMENTS = {
    name: element
    for element, names in {
        "p": "paragraph p unstyled normal plain",
        "h2": "heading header subheading subheader",
        "h3": "subsubheader",
        "ul": "bulletlist bulletedlist unorderedlist list ul",
        "ol": "orderedlist numberedlist ol",
        "li": "listitem li bullet unorderedlistitem orderedlistitem bulletlistitem uli oli"
        " numberedlistitem olistitem bulletedlistitem number",
        "blockquote": "blockquote quote pullquote bq",
        "pre": "codeblock code pre preformatted",
        "table": "table",
        "tr": "tablerow tr",
        "td": "tablecell td",
        "th": "tableheader tableheadercell th",
        "img": "image img upload",
        "a": "a",
        "b": "b strong",
        "i": "em i",
    }.items()
    for name in names.split()
}
_ELEMENTS.update(
    (f"{before}{sign}", f"h{level}")
    for level, signs in enumerate(("1 one", "2 two", "3 three", "4 four"), start=1)
    for sign in signs.split()
    for before in ("h", "heading", "header")
)
_INLINE = frozenset("a b i".split())
_MARKS = {"bold": "b", "strong": "b", "italic": "i", "em": "i", "code": "code"}
_KINDS = "listItem nodeType style tag type _type __typename name".split()
_TEXTS = "text value content html code originalContent".split()
_CHILDREN = (
    "content children blocks nodes items content_elements rich_text innerBlocks header "
    "rows spans"
).split()
_ORDERED = frozenset(("ordered", "numbered", "number"))
# Strings in these elements are elements of their own.
_PARTS = {"tr": "td", "ul": "li", "ol": "li"}
# React's elements that have no text of a page.
_LEFT_OUT = frozenset("footer head header nav script style svg title".split())
_HTML = re.compile(r"</?[a-zA-Z]|&[#\w]{2,9};")
# How deep nodes are nested, and how many characters they have, as nodes may be shared; a
# node itself counts for some.
_MAX_DEPTH, _MAX_CHARS, _NODE = 30, 4_000_000, 40


class RichText:
    """Makes HTML of nodes, which may refer to other ones by names."""

    def __init__(self, named: dict[str, Any]) -> None:
        self.named = named
        self._left = _MAX_CHARS

    def meant(self, value: Any) -> Any:
        """The value that another one refers to, or that one."""
        name = value.get("__ref") if isinstance(value, dict) else value
        if not isinstance(name, str) or (name is value and name[:1] != "$"):
            return value
        return self.named.get(name.replace("$L", "$", 1), value)

    def is_text(self, values: list[Any]) -> bool:
        """Whether a list has several blocks of a text."""
        elements = (_element_of(self._node(value)) for value in values)
        return (
            sum(element not in _INLINE and element is not None for element in elements)
            > 1
        )

    def html(self, nodes: list[Any], depth: int = 0, outer: str | None = None) -> str:
        """Nodes within an outer element as HTML."""
        check()
        parts = []
        is_open = False
        for value in nodes if depth < _MAX_DEPTH else ():
            self._left -= _NODE
            if self._left < 0:
                break
            node, inside = self._node(value), ""
            element = _element_of(node)
            if isinstance(node, str) and outer and node[:1] != "$":
                element, inside = _PARTS.get(outer), _as_html(node)
            elif isinstance(node, list):
                element = "tr" if outer == "table" else None
                inside = self.html(node, depth + 1, element)
            elif isinstance(node, dict):
                if outer in ("ul", "ol") and element in (None, "div"):
                    element = "li"
                element, inside = self._inside(node, element, depth)
            self._left -= len(inside)
            is_loose = element == "li" and outer not in ("ul", "ol")
            if is_loose != is_open:
                parts.append("<ul>" if is_loose else "</ul>")
                is_open = is_loose
            if element and (inside or element in ("td", "th")):
                inside = f"<{element}>{inside}</{element}>"
            parts.append(inside)
        return "".join(parts)

    def _node(self, value: Any) -> Any:
        """The node that a value is, or refers to; elements of React and Nuxt are lists."""
        value = self.meant(value)
        match value:
            case ["$", str(tag), _, {**attributes}, *_]:
                children = attributes.get("children")
                children = children if isinstance(children, list) else [children]
                if isinstance(html := attributes.get("dangerouslySetInnerHTML"), dict):
                    children = [{"html": html.get("__html")}]
            case [str(tag), {**attributes}, *children] if tag in _ELEMENTS:
                pass
            case _:
                return value
        return {
            **{name: attributes.get(name) for name in ("href", "src", "alt")},
            "tag": tag,
            "children": [
                {"text": part} if isinstance(part, str) and part[:1] != "$" else part
                for part in (children if tag not in _LEFT_OUT else ())
            ],
        }

    def _inside(
        self, node: dict[str, Any], element: str | None, depth: int
    ) -> tuple[str | None, str]:
        """The element of a node, as its attributes have it, and the HTML in it."""
        data: dict[str, Any] = {}
        for part in node.values():  # attributes, by whatever name
            if isinstance(part, dict):
                data.update(part)
        data.update(node)
        self._left -= len(data)
        if element == "img":
            return None, _image(data)
        if element == "h2" and data.get("level") in (1, 3, 4, 5, 6):
            element = f"h{data['level']}"
        elif element == "ul" and not _ORDERED.isdisjoint(
            filter(_is_text, data.values())
        ):
            element = "ol"
        lists = [data[name] for name in _CHILDREN if isinstance(data.get(name), list)]
        if element == "li" and data.get("items"):
            lists = [[{"type": "list", "items": data["items"]}]]
        inside = "".join(self.html(part, depth + 1, element) for part in lists)
        text = self.meant(next(filter(_is_text, map(data.get, _TEXTS)), ""))
        if isinstance(text, str) and ("items" in data or not inside):
            text = escape(text, quote=False) if element == "pre" else _as_html(text)
            inside = text + inside
        if inside and (element is None or element == "a"):
            element = None
            address = data.get("href") or data.get("url") or data.get("uri")
            for name, mark in _marks(data):
                address = address or mark.get("href")
                if tag := _MARKS.get(_named(name)):
                    inside = f"<{tag}>{inside}</{tag}>"
            if isinstance(address, str):
                inside = f'<a href="{escape(address)}">{inside}</a>'
        return element, inside


def _element_of(node: Any) -> str | None:
    """The element that a node of rich text becomes, None for another value."""
    if not isinstance(node, dict):
        return None
    for name in _KINDS:
        kind = node.get(name)
        if isinstance(kind, str) and (name != "name" or "/" in kind):
            element = _ELEMENTS.get(_named(kind))
            if element is not None:
                return element
    if node.get("type") == "text":
        # A paragraph between headings, rather than a text inside one.
        is_block = "content" in node or isinstance(node.get("model"), dict)
        return "div" if is_block else None
    if len(node) < 3 and "tag" not in node and isinstance(node.get("children"), list):
        return "p"
    return "div" if "html" in node and any(map(node.get, _KINDS)) else None


def _named(kind: str) -> str:
    return _AROUND.sub("", _AROUND.sub("", kind[:99].lower()))


def _marks(data: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The marks of a text with their attributes."""
    marks: list[Any] = [name for name in ("bold", "italic") if data.get(name) is True]
    for name in ("marks", "decorations"):
        part = data.get(name)
        marks += part if isinstance(part, list) else ()
    if data.get("format") == 1:
        marks.append("bold")
    for mark in marks:
        kind, attributes = mark, None
        if isinstance(mark, dict):
            kind, attributes = mark.get("type"), mark.get("attrs")
        if isinstance(kind, str):
            yield kind, attributes if isinstance(attributes, dict) else {}


def _image(data: dict[str, Any]) -> str:
    address = data.get("src") or data.get("url")
    alt = data.get("alt") or data.get("caption") or ""
    if not isinstance(address, str) or not isinstance(alt, str):
        return ""
    return f'<img src="{escape(address)}" alt="{escape(alt)}">'


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _as_html(text: str) -> str:
    return text if _HTML.search(text) else escape(text, quote=False)
