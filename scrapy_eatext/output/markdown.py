"""Markdown from a document tree: CommonMark, with GitHub's tables.

What a text has of characters that mean something to Markdown is escaped, where
they would; so rendering gives the same words back.  Where Markdown has no sign
(subscripts), or has one that would not be read as such (emphasis that ends in
punctuation before a letter, as often in Chinese), HTML's element stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING
from unicodedata import category

from scrapy_eatext.output.inline import joined
from scrapy_eatext.output.structure import Cell, Leaf, Node, Table, tree_of
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.tags import (
    CODE_TEXT,
    DEL_TEXT,
    EM_TEXT,
    STRONG_TEXT,
    SUB_TEXT,
    SUP_TEXT,
)
from scrapy_eatext.page.twins import load

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.output.code import Content
    from scrapy_eatext.output.inline import Span
    from scrapy_eatext.page import Page

_compiled = load("output._markdown")

# Punctuation that a backslash before it makes plain.
_PUNCTUATION = "!-/:-@\\[-`{-~"
# Characters that may mean something in the middle of a line.
_MAY_MEAN = re.compile(r"[\\`*_\]<&~]|\[\^")
# Where they do: not an underscore behind a letter, which begins no emphasis, not a
# star between spaces, not a bracket that no address can follow; but one that begins
# a footnote, as they are on GitHub.  A piece may be
# followed by another one, so its last character is taken to mean what it might; and
# in place of a line feed there will be what is no space, a backslash or an element.
_MEANS = re.compile(
    rf"\\(?=[{_PUNCTUATION}\n]|\Z)|[`~]|(?<![^\S\n])\*|\*(?![^\S\n])"
    r"|(?<![^\W_])_(?=[\S\n]|\Z)|\](?=[(\[:]|\Z)|\[(?=\^)|<(?=[A-Za-z/!?]|\Z)"
    r"|&(?=\#|[A-Za-z][A-Za-z0-9]{0,40};|\Z)"
)
_MEANS_IN_LINK = re.compile(rf"{_MEANS.pattern}|[\[\]]")
# What means something at the beginning of a line: marks of headings, quotes,
# items, rules, tables, tasks.
_LINE_MARK = re.compile(
    r"^(?:\#{1,6}(?=[ \t\\\n]|\Z)|>|[-+](?=[ \t\\\n]|\Z)|\*(?=[ \t])|\[(?=[ xX]\]\s)"
    r"|(?P<number>\d{1,9})(?=[.)](?:[ \t\\\n]|\Z))"
    r"|(?=[-=|:])(?=[-=|: \t]*[-=|:]?\\?$).)",
    re.MULTILINE,
)
_LINE_MAY = re.compile(r"^[\#>\-+*\[\d=|:]", re.MULTILINE)
# A paragraph that would be the definition of an address, by brackets of which one may
# be in code.
_DEFINITION = re.compile(r"\[(?:[^\[\]\\]|\\.)*\]:", re.DOTALL)
_CLOSING_MARK = re.compile(r"(?:(?<=[ \t])|^)(\#+)$")
_TICKS = re.compile(r"`+")
_FENCES = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)

# HTML's elements for what Markdown has no sign of its own for, outermost first.
_ELEMENTS = ((DEL_TEXT, "del"), (SUP_TEXT, "sup"), (SUB_TEXT, "sub"))
_TAG_OF = {STRONG_TEXT: "strong", EM_TEXT: "em"}
_SIGN_OF = {STRONG_TEXT: "**", EM_TEXT: "*"}


def markdown_of(page: Page, units: Units, shown: Content) -> str:
    """What comes out of a page's units, as Markdown."""
    if _compiled is not None and isinstance(units, Blocks):
        made: str = _compiled.markdown(page, units, shown)
        return made
    return markdown(tree_of(page, units, shown))


def markdown(tree: Node) -> str:
    """A document tree as Markdown, without a line feed at its end."""
    return _blocks(tree.children)


def _blocks(parts: Sequence[Node | Leaf], *, tight: bool = False) -> str:
    """Blocks one below the other, an empty line between them.

    In a tight item a nested list follows on the next line.
    """
    made: list[str] = []
    other = False
    before: Node | Leaf | None = None
    for part in parts:
        if isinstance(part, Leaf):
            text = _leaf(part)
        else:
            # A list right after one of its sort would be one with it.
            other = isinstance(before, Node) and before.kind == part.kind and not other
            text = _node(part, other)
        if not text:
            continue
        if made:
            close = tight and isinstance(part, Node) and _joins(part)
            made.append("\n" if close else "\n\n")
        made.append(text)
        before = part
    return "".join(made)


def _joins(node: Node) -> bool:
    """Whether a list may stand right below a line of text and yet be a list."""
    return node.kind == "list" or (node.kind == "numbered" and node.start == 1)


def _node(node: Node, other: bool) -> str:
    kind = node.kind
    if kind in ("list", "numbered"):
        return _list(node, other)
    if kind == "quote":
        return _indented(_blocks(node.children), "> ", "> ")
    if kind == "table" and node.table is not None:
        return _table(node.table)
    if kind == "definitions":
        return _definitions(node)
    return _blocks(node.children)


def _list(node: Node, other: bool) -> str:
    tight = all(_is_tight(item) for item in node.children)
    parts: list[str] = []
    for number, item in enumerate(node.children, node.start):
        if node.kind == "list":
            mark = "* " if other else "- "
        else:
            mark = f"{number}) " if other else f"{number}. "
        inside = (
            _leaf(item)
            if isinstance(item, Leaf)
            else _blocks(item.children, tight=tight)
        )
        parts.append(_indented(inside, mark, " " * len(mark)))
    return ("\n" if tight else "\n\n").join(parts)


def _is_tight(item: Node | Leaf) -> bool:
    """Whether an item is a line of text, or one with a list below it."""
    if isinstance(item, Leaf):
        return True
    first, *rest = item.children
    if isinstance(first, Node) or first.kind not in ("paragraph", "image"):
        return not rest and isinstance(first, Leaf) and first.kind == "code"
    return all(isinstance(part, Node) and _joins(part) for part in rest)


def _definitions(node: Node) -> str:
    """Terms and what they mean: an item a term, as Markdown has nothing for it."""
    items: list[list[str]] = []
    fresh = True
    for child in node.children:
        if isinstance(child, Node) and child.kind == "term":
            if fresh or not items:
                items.append([])
            fresh = False
            items[-1].append(_term(child))
        else:
            fresh = True
            if not items:
                items.append([])
            part = [child] if isinstance(child, Leaf) else child.children
            items[-1].append(_blocks(part))
    return "\n\n".join(_indented("\n\n".join(item), "- ", "  ") for item in items)


def _term(node: Node) -> str:
    parts = []
    for child in node.children:
        if isinstance(child, Leaf) and child.kind in ("paragraph", "caption"):
            text = inline(child.spans, plain=STRONG_TEXT)
            parts.append(_lines(_emphasised(text, STRONG_TEXT, "", "")))
        else:
            parts.append(_blocks([child]))
    return "\n\n".join(parts)


def _indented(text: str, first: str, rest: str) -> str:
    if "\n" not in text:
        return first + text
    bare = rest.rstrip()
    head, *lines = text.split("\n")
    return "\n".join((first + head, *(rest + line if line else bare for line in lines)))


# -- blocks


def _leaf(leaf: Leaf) -> str:
    kind = leaf.kind
    if kind == "heading":
        text = inline(leaf.spans, plain=STRONG_TEXT).replace("\n", " ")
        text = _CLOSING_MARK.sub(r"\\\1", text)
        return f"{'#' * min(max(leaf.level, 1), 6)} {text}"
    if kind == "code":
        return _fenced(leaf.text, leaf.language)
    return _paragraph(leaf.spans)


def _paragraph(spans: Sequence[Span]) -> str:
    return _lines(inline(spans))


def _lines(text: str) -> str:
    """Text as a paragraph, its lines apart, none of which begins with a mark."""
    if text.startswith("[") and _DEFINITION.match(text):
        text = f"\\{text}"
    if _LINE_MAY.search(text):
        text = _LINE_MARK.sub(_escaped_mark, text)
    return text.replace("\n", "\\\n")


def _escaped_mark(match: re.Match[str]) -> str:
    # A number's own digits need no escape, the sign after them does.
    return f"{match[0]}\\" if match["number"] else f"\\{match[0]}"


def _fenced(text: str, language: str) -> str:
    ticks = max((len(run) for run in _FENCES.findall(text)), default=2)
    fence = "`" * max(3, ticks + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _table(table: Table) -> str:
    lines = [_leaf(leaf) + "\n" for leaf in table.caption]
    head, *more = table.head or [[None] * table.width]
    lines.append(_row(head))
    lines.append("|" + " --- |" * table.width)
    lines += [_row(row) for row in (*more, *table.body)]
    return "\n".join(lines)


def _row(row: Sequence[Cell | None]) -> str:
    cells = ["" if cell is None else _cell(cell) for cell in row]
    return "| " + " | ".join(cells) + " |"


def _cell(cell: Cell) -> str:
    parts = []
    for leaf in cell.leaves:
        if leaf.kind == "code":
            parts.append(_code_span(leaf.text))
        else:
            plain = STRONG_TEXT if cell.header else 0
            parts.append(inline(leaf.spans, plain=plain))
    return "<br>".join(parts).replace("\n", "<br>").replace("|", "\\|")


# -- what is inside a block


def inline(spans: Sequence[Span], *, plain: int = 0) -> str:
    """Spans as Markdown; styles in plain are not shown."""
    if len(spans) == 1 and not (spans[0].style or spans[0].link or spans[0].image):
        return _escaped(spans[0].text, _MEANS)
    if plain:
        spans = joined([span._replace(style=span.style & ~plain) for span in spans])
    emphasised = any(span.style & (STRONG_TEXT | EM_TEXT) for span in spans)
    styles = (STRONG_TEXT, EM_TEXT) if emphasised else ()
    # Pieces, as a text that grows would be copied for each of them.
    out: list[str] = []
    groups = [(link, list(group)) for link, group in groupby(spans, _link_of)]
    for number, (link, group) in enumerate(groups, 1):
        if link:
            if out and out[-1].endswith("!"):
                out[-1] = out[-1][:-1] + "\\!"
            inside = _styled(group, styles, "", "", _MEANS_IN_LINK)
            out.append(f"[{_label(inside)}]({link})")
        else:
            # What follows is a link, or it would be of this group.
            after = "[" if number < len(groups) else ""
            before = out[-1][-1:] if out else ""
            out.append(_styled(group, styles, before, after))
    return "".join(out)


def _label(inside: str) -> str:
    """What stands in the brackets of a link or image, which is no footnote's mark."""
    return f"\\{inside}" if inside.startswith("^") else inside


def _link_of(span: Span) -> str:
    return span.link


def _styled(
    spans: Sequence[Span],
    styles: tuple[int, ...],
    before: str,
    after: str,
    means: re.Pattern[str] = _MEANS,
) -> str:
    """Spans in the first of the styles, or not.

    ``before`` and ``after`` are the characters on both sides, or nothing.
    """
    if not styles:
        return _plain(spans, before, means)
    style, *others = styles
    rest = tuple(others)
    groups = [
        (shown, list(group))
        for shown, group in groupby(spans, lambda span: bool(span.style & style))
    ]
    out: list[str] = []
    for number, (shown, group) in enumerate(groups):
        following = after
        if number + 1 < len(groups):
            following = _first(groups[number + 1][1], sum(styles))
        if shown:
            inside = _styled(group, rest, "", "", means)
            out.append(_emphasised(inside, style, before, following))
        else:
            out.append(_styled(group, rest, before, following, means))
        before = out[-1][-1:] or before
    return "".join(out)


def _emphasised(inside: str, style: int, before: str, after: str) -> str:
    """Emphasis by stars where they will be read as such, else by an element."""
    sign = _SIGN_OF[style]
    # Emphasis at the edge of strong text is one row of stars with it.
    bare = inside.strip("*")
    if (
        bare
        and (style == STRONG_TEXT or len(bare) == len(inside))
        and not inside.startswith("**")
        and not inside.endswith(("**", "\\*"))
        and before != "*"
        and after != "*"
        # Renderers differ in which symbols they count as punctuation.
        and (bare[0].isalnum() or not before or (_parts(before) and before.isascii()))
        and (bare[-1].isalnum() or not after or (_parts(after) and after.isascii()))
    ):
        return f"{sign}{inside}{sign}"
    tag = _TAG_OF[style]
    return f"<{tag}>{inside}</{tag}>"


def _parts(character: str) -> bool:
    """Whether emphasis may begin after a character, or end before it."""
    return character.isspace() or category(character)[0] in "PS"


def _first(spans: Sequence[Span], styles: int) -> str:
    """The character that spans begin with when styles are shown, or one like it."""
    span = spans[0]
    if span.image:
        return "["
    if span.style & styles:
        return "*"
    return "<" if span.style & ~(STRONG_TEXT | EM_TEXT) else span.text[0]


def _plain(spans: Sequence[Span], before: str, means: re.Pattern[str]) -> str:
    """Spans in no more than what stands in for code and HTML's elements."""
    out: list[str] = []
    behind_image = False
    for span in spans:
        if span.image:
            if out:
                before = out[-1][-1:] or before
            space = " " if before.isalnum() else ""
            alt = _label(_escaped(span.text, _MEANS_IN_LINK))
            out.append(f"{space}![{alt}]({span.image})")
            behind_image = True
            continue
        if behind_image and span.text[0].isalnum():
            out.append(" ")
        behind_image = False
        if not span.style:
            out.append(_escaped(span.text, means))
            continue
        code = span.style & CODE_TEXT
        if code and not (means is _MEANS_IN_LINK and "]:" in span.text):
            made = _code_span(span.text)
        else:
            made = _escaped(span.text, means)
            # What is in signs of code could end a link's text, as nothing escapes it.
            made = f"<code>{made}</code>" if code else made
        for style, tag in _ELEMENTS:
            if span.style & style:
                made = f"<{tag}>{made}</{tag}>"
        out.append(made)
    return "".join(out)


def _code_span(text: str) -> str:
    """Code in a line; where it has several, a span for each."""
    if "\n" in text:
        return "\n".join(_code_span(line) if line.strip() else "" for line in
                         text.split("\n"))  # fmt: skip
    if "`" not in text:
        return f"`{text}`" if text.strip() == text else f"` {text} `"
    ticks = "`" * (max(map(len, _TICKS.findall(text))) + 1)
    return f"{ticks} {text} {ticks}"


def _escaped(text: str, means: re.Pattern[str]) -> str:
    if not _MAY_MEAN.search(text) and (means is _MEANS or "[" not in text):
        return text
    return means.sub(_backslash, text)


def _backslash(match: re.Match[str]) -> str:
    return "\\" + match[0]
