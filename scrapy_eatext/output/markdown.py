"""Markdown from nodes: CommonMark, with GitHub's tables.

Characters of a text are escaped where Markdown would read them as markup, so that
rendering gives the same words back.  Where Markdown has no sign (subscripts), or
would not read its sign as markup (emphasis that ends in punctuation before a letter,
as often in Chinese), an element of HTML is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, groupby
from typing import TYPE_CHECKING
from unicodedata import category

from scrapy_eatext.native.loading import twin
from scrapy_eatext.output.formulas import MAILBOX, for_markdown
from scrapy_eatext.output.nodes import (
    Cell,
    merged,
    parted,
    quoted,
    text_of,
    without_styles,
)
from scrapy_eatext.output.placing import MARKDOWN, SIGNS
from scrapy_eatext.page.columns import NodeKind
from scrapy_eatext.page.tags import (
    CODE_TEXT,
    DEL_TEXT,
    EM_TEXT,
    MARK_TEXT,
    QUOTE_TEXT,
    STRONG_TEXT,
    STYLE_ELEMENTS,
    SUB_TEXT,
    SUP_TEXT,
    TEX_TEXT,
)

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.output.nodes import Nodes
    from scrapy_eatext.output.placing import Span

# Punctuation that a backslash escapes, as ranges of characters.
_PUNCTUATION = "!-/:-@\\[-`{-~"
# Signs that are markup where they stand.  An underscore after a letter opens no
# emphasis, nor does a star between spaces; a bracket is plain where no address can
# follow, unless it begins a footnote of GitHub's.  Another text may follow this one, so
# a sign at the end is markup if any next character could make it so.  A line feed is no
# space here, as it will be written as a backslash or an element.
_MARKUP = re.compile(
    rf"\\(?=[{_PUNCTUATION}\n]|\Z)|`|(?<!/)~|~(?![^\W_])|(?<![^\S\n])\*|\*(?![^\S\n])"
    rf"|(?<![^\W_])_(?=[\S\n]|\Z)|\](?=[(\[:]|\Z)|\[(?=\^)|<(?=[A-Za-z/!?]|{MAILBOX}(?:@|\Z))"
    r"|&(?=\#|[A-Za-z][A-Za-z0-9]{0,40};|\Z)"
)
_MARKUP_IN_LINK = re.compile(rf"{_MARKUP.pattern}|[\[\]]")
# With more brackets in a block all are escaped: where twenty are open, markdown-it reads
# no link.
BRACKETS = 10
# The first character of all of these: a quick test.
_SIGN = re.compile(f"[{re.escape(SIGNS[MARKDOWN])}]")
# Signs that are markup at the beginning of a line: marks of headings, quotes, items,
# rules, tables, tasks.
_LINE_MARK = re.compile(
    r"^(?:\#{1,6}(?=[ \t\\\n]|\Z)|>|[-+](?=[ \t\\\n]|\Z)|\*(?=[ \t])|\[(?=[ xX]\]\s)"
    r"|(?P<number>\d{1,9})(?=[.)](?:[ \t\\\n]|\Z))"
    r"|(?=[-=|:])(?=[-=|: \t]*[-=|:]?\\?$).)",
    re.MULTILINE,
)
# The beginning of a paragraph that would be read as the definition of a link's address;
# one of its brackets may be in code, where nothing is escaped.
_DEFINITION = re.compile(r"\[(?:[^\[\]\\]|\\.)*\]:", re.DOTALL)
_CLOSING_MARK = re.compile(r"(?:(?<=[ \t])|^)(\#+)$")
# What would be read as a character reference in an address.
_REFERENCE = re.compile(
    r"&(?=(?:\#\d{1,7}|\#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{0,40});)"
)
# An address whose brackets are balanced and not nested.
_BALANCED = re.compile(r"[^()]*(?:\([^()]*\)[^()]*)*")
_TICKS = re.compile(r"`+")
_FENCES = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)

# The styles that have neither a sign in Markdown nor code's.
_UNSIGNED = MARK_TEXT | DEL_TEXT | SUP_TEXT | SUB_TEXT
_SIGN_OF = {STRONG_TEXT: "**", EM_TEXT: "*"}


# Kinds of blocks that are no lines of text alone.
_MARKED = frozenset((NodeKind.CODE, NodeKind.RULE, NodeKind.HEADING))
# Kinds of blocks that are one line in a tight item.
_LINES = frozenset((NodeKind.PARAGRAPH, NodeKind.IMAGE, NodeKind.EMBED))
# What cannot begin on the line below a line of text.
_APART = frozenset((NodeKind.NUMBERED, NodeKind.TABLE))
# The first and the last character of a title in the definition of a link's address.
_TITLES = {'"': '"', "'": "'", "(": ")"}
# A space that cannot be part of such a definition.
_SPACE = " &nbsp;"
# The first characters of _LINE_MARK, apart from digits.
_LINE_SIGNS = frozenset("#>-+*[=|:")
# The styles with a sign in Markdown, outermost first.
_SIGNED = (STRONG_TEXT, EM_TEXT)
_EMPHASIS = sum(_SIGNED)


def write_markdown(judged: JudgedPage) -> str:
    """The Markdown of a page's main text, in the form that is asked for."""
    form, text = judged.forms.markdown, markdown(judged.markdown_nodes)
    if not form.front_matter or not text:
        return text
    from scrapy_eatext.output.frontmatter import front_matter

    metadata = front_matter(judged.readable_metadata, judged.page.url or "")
    return f"{metadata}\n{text}" if metadata else text


def markdown(nodes: Nodes) -> str:
    """Nodes as Markdown, without a line feed at its end."""
    writer = _Writer(nodes)
    writer.blocks(nodes.children[0])
    return "".join(writer.out)


class _Writer:
    """Writes nodes line by line.

    Each line begins with the marks of quotes and items.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._kinds = nodes.kinds
        self.out: list[str] = []
        self._within("")

    def _within(self, prefix: str) -> None:
        """Begin each further line with a prefix: the marks of quotes and items."""
        self._prefix = prefix
        self._line, self._gap = _edges(prefix)

    def _put(self, text: str) -> None:
        if self._prefix and "\n" in text:
            first, *lines = text.split("\n")
            empty = self._line.rstrip(" ")
            more = [self._line + line if line else empty for line in lines]
            text = first + "".join(more)
        self.out.append(text)

    # -- what holds blocks

    def blocks(self, parts: Iterable[int], *, tight: bool = False) -> None:
        """Blocks with an empty line between them.

        In a tight item a nested list follows on the next line.
        """
        kinds = self._kinds
        # Whether the list just written has the other of the two list marks.
        other = False
        before = -1
        for part in parts:
            kind = kinds[part]
            if before >= 0:
                is_close = tight and self._joins(part)
                self.out.append(self._line if is_close else self._gap)
            if kind < NodeKind.DOCUMENT:
                self._put(self._leaf(part))
                before = NodeKind.DOCUMENT
            else:
                # Consecutive lists of one kind with the same mark would be read as one.
                like = NodeKind.LIST if kind == NodeKind.DEFINITIONS else kind
                other = before == like and not other
                self._node(part, other)
                before = like

    def _node(self, node: int, other: bool) -> None:
        """Write a node with children, a list maybe with the other mark."""
        kind, children = self._kinds[node], self._nodes.children[node]
        if kind in (NodeKind.LIST, NodeKind.NUMBERED):
            self._list(node, other)
        elif kind == NodeKind.QUOTE:
            if node in self._nodes.notes:
                self._note(children, self._nodes.notes[node])
            elif node in self._nodes.callouts:
                self._callout(children, self._nodes.callouts[node])
            else:
                self._marked(children, "> ", "> ")
        elif kind == NodeKind.TABLE:
            self._table(node)
        elif kind == NodeKind.DEFINITIONS:
            self._definitions(children, "* " if other else "- ")
        else:
            self.blocks(children)

    def _callout(self, parts: Sequence[int], kind: str) -> None:
        """A note or warning in GitHub's form.

        A title that only names its kind is left out.
        """
        first = f"> [!{kind.upper()}]"
        if text_of(self._nodes.spans[parts[0]]).strip(" :!").lower() == kind:
            parts = parts[1:]
        if parts:
            line, gap = _edges(f"{self._prefix}> ")
            first += gap if self._kinds[parts[0]] in _APART else line
        self._marked(parts, first, "> ")

    def _note(self, parts: Sequence[int], label: str) -> None:
        """A footnote."""
        outer = self._prefix
        self.out.append(f"[^{label}]:")
        self._within(f"{outer}    ")
        first, *more = parts
        if self._kinds[first] == NodeKind.PARAGRAPH:
            self._put(f" {_undefined(self._leaf(first))}")
        else:
            more = [*parts]
        if more:
            self.out.append(self._gap)
            self.blocks(more)
        self._within(outer)

    def _marked(
        self, parts: Iterable[int], first: str, others: str, *, tight: bool = False
    ) -> None:
        """Blocks: the first line begins with ``first``, all others with ``others``."""
        outer = self._prefix
        self.out.append(first)
        self._within(outer + others)
        self.blocks(parts, tight=tight)
        self._within(outer)

    def _joins(self, part: int) -> bool:
        """Whether a node is a list that may stand right below a line of text."""
        kind = self._kinds[part]
        return kind == NodeKind.LIST or (
            kind == NodeKind.NUMBERED and self._nodes.levels[part] == 1
        )

    def _list(self, node: int, other: bool) -> None:
        children, levels = self._nodes.children, self._nodes.levels
        items = children[node]
        tight = all(self._is_tight(children[item]) for item in items)
        between = self._line if tight else self._gap
        mark = "* " if other else "- "
        is_numbered = self._kinds[node] == NodeKind.NUMBERED
        for item in items:
            if item != items[0]:
                self.out.append(between)
            if is_numbered:
                mark = f"{levels[item]}{')' if other else '.'} "
            box = self._box(item)
            self._marked(children[item], mark + box, " " * len(mark), tight=tight)

    def _box(self, item: int) -> str:
        """The checkbox of a task; only one whose text is a paragraph can have it."""
        done = self._nodes.tasks.get(item)
        first = self._nodes.children[item][0]
        if done is None or self._kinds[first] != NodeKind.PARAGRAPH:
            return ""
        return "[x] " if done else "[ ] "

    def _is_tight(self, inside: Sequence[int]) -> bool:
        """Whether an item holds a line of text, maybe with a list below it."""
        first = self._kinds[inside[0]]
        if len(inside) == 1:
            return first in _LINES or first == NodeKind.CODE
        return first in _LINES and all(map(self._joins, inside[1:]))

    def _definitions(self, parts: Sequence[int], mark: str) -> None:
        """Definitions as a list with an item for each term: Markdown has no syntax."""
        kinds, children = self._kinds, self._nodes.children
        outer = self._prefix
        begun = False
        for is_term, group in groupby(parts, lambda part: kinds[part] == NodeKind.TERM):
            inside = list(chain.from_iterable(map(children.__getitem__, group)))
            if is_term or not begun:
                self._within(outer)
                if begun:
                    self.out.append(self._gap)
                self.out.append(mark)
                self._within(outer + "  ")
            else:
                self.out.append(self._gap)
            begun = True
            if is_term:
                self._term(inside)
            else:
                self.blocks(inside)
        self._within(outer)

    def _term(self, parts: Sequence[int]) -> None:
        for number, part in enumerate(parts):
            if number:
                self.out.append(self._gap)
            if self._kinds[part] in (NodeKind.PARAGRAPH, NodeKind.CAPTION):
                text = inline(self._nodes.spans[part], hidden=STRONG_TEXT)
                self._put(_lines(_emphasised(text, STRONG_TEXT, "", "")))
            else:
                self.blocks((part,))

    # -- blocks

    def _leaf(self, leaf: int) -> str:
        kind = self._kinds[leaf]
        if kind not in _MARKED:
            return _lines(inline(self._nodes.spans[leaf]))
        if kind == NodeKind.CODE:
            return _fenced(*self._nodes.code[leaf])
        if kind == NodeKind.RULE:
            return "---"
        text = inline(self._nodes.spans[leaf], hidden=STRONG_TEXT).replace("\n", " ")
        if text.endswith("#"):
            text = _CLOSING_MARK.sub(r"\\\1", text)
        return f"{'#' * min(max(self._nodes.levels[leaf], 1), 6)} {text}"

    def _table(self, node: int) -> None:
        table = self._nodes.tables[node]
        for leaf in self._nodes.caption(node):
            self._put(self._leaf(leaf))
            self.out.append(self._gap)
        # A cell is written in the first of its places alone.
        written: set[Cell] = set()
        lines: list[str] = []
        for row in (*(table.head or [[Cell()] * table.width]), *table.body):
            texts: list[str] = []
            for cell in row:
                texts.append("" if cell in written else self._cell(cell))
                written.add(cell)
            lines.append("| " + " | ".join(texts) + " |")
        lines.insert(1, "|" + " --- |" * table.width)
        self._put("\n".join(lines))

    def _cell(self, cell: Cell) -> str:
        nodes, hidden = self._nodes, STRONG_TEXT if cell.header else 0
        parts = [
            _code_span(nodes.code[leaf].text)
            if nodes.kinds[leaf] == NodeKind.CODE
            else inline(nodes.spans[leaf], hidden=hidden)
            for leaf in cell.leaves
        ]
        return "<br>".join(parts).replace("\n", "<br>").replace("|", "\\|")


@lru_cache(maxsize=512)
def _edges(prefix: str) -> tuple[str, str]:
    """A line break with the next line's prefix, and the same after an empty line."""
    line = f"\n{prefix}"
    return line, line.rstrip(" ") + line


def _lines(text: str) -> str:
    """Text as a paragraph: hard line breaks, and marks at line starts escaped."""
    if text[:1] == "[" and "]:" in text and _DEFINITION.match(text):
        text = f"\\{text}"
    if "\n" in text:
        *lines, last = _LINE_MARK.sub(_escaped_mark, text).split("\n")
        return "".join(map(_broken, lines)) + last
    first = text[:1]
    if first in _LINE_SIGNS or first.isdecimal():
        # match() tries the beginning alone, sub() would try each character.
        mark = _LINE_MARK.match(text)
        return text if mark is None else _escaped_mark(mark) + text[mark.end() :]
    return text


def _broken(line: str) -> str:
    """A line with a hard line break."""
    word = line.rpartition(" ")[2]
    # GitHub would take a backslash for the end of an address that is no link yet.
    is_address = "://" in word or word.startswith("www.")
    return f"{line}  \n" if is_address and word[-1] != ")" else f"{line}\\\n"


def _undefined(text: str) -> str:
    """The first paragraph of a footnote, with a space if it needs one.

    Without footnotes, renderers would read the definition of a link's address, and not
    show it: if a line has no spaces, or if a title seems to follow the first word.
    """
    line, feed, more = text.partition("\n")
    # The line's break is a backslash or two spaces.
    shown = (line[:-1] if line[-1:] == "\\" else line.rstrip(" ")) if feed else line
    word, _, behind = shown.partition(" ")
    if not behind:
        return f"{shown}{_SPACE}{line[len(shown) :]}{feed}{more}"
    is_title = behind[0] in _TITLES and text[-1] == _TITLES[behind[0]]
    return f"{text}{_SPACE}" if is_title or word[0] == "<" else text


def _escaped_mark(match: re.Match[str]) -> str:
    # Of "1." the sign after the digits is escaped.
    return f"{match[0]}\\" if match["number"] else f"\\{match[0]}"


def _fenced(text: str, language: str) -> str:
    ticks = max((len(run) for run in _FENCES.findall(text)), default=2)
    fence = "`" * max(3, ticks + 1)
    return f"{fence}{language}\n{text}\n{fence}"


# -- what is inside a block


def python_inline(spans: Sequence[Span], *, hidden: int = 0) -> str:
    """Spans as Markdown; the styles in ``hidden`` are not shown."""
    if len(spans) == 1:
        text, style, link, image, signs = spans[0]
        if not (style & ~hidden or link or image):
            return _escaped(text, signs, _MARKUP)
    styles, has_images, brackets = 0, False, 0
    for text, style, _, image, signs in spans:
        styles |= style
        has_images = has_images or bool(image)
        brackets += signs & MARKDOWN and text.count("[")
    markup = _MARKUP if brackets <= BRACKETS else _MARKUP_IN_LINK
    if styles & QUOTE_TEXT:
        spans = quoted(spans)
    if hidden:
        spans = _without(spans, hidden)
    if has_images:
        spans = parted(spans)
    out: list[str] = []
    count, end = len(spans), 0
    while end < count:
        first, link = end, spans[end][2]
        while end < count and spans[end][2] == link:
            end += 1
        if link:
            if out and out[-1].endswith("!"):
                out[-1] = out[-1][:-1] + "\\!"
            inside = _styled(spans[first:end], _SIGNED, "", "", _MARKUP_IN_LINK)
            out.append(f"[{_label(inside)}]({_address(link)})")
        else:
            # The next span begins a link, or it would be in this group.
            after = "[" if end < count else ""
            before = out[-1][-1:] if out else ""
            out.append(_styled(spans[first:end], _SIGNED, before, after, markup))
    return "".join(out)


def _address(url: str) -> str:
    """An address, in angle brackets if its own brackets would end it."""
    if "&" in url:
        # Not with a backslash: GitHub's renderer reads references before backslashes.
        url = _REFERENCE.sub("&amp;", url)
    if ("(" in url or ")" in url) and not _BALANCED.fullmatch(url):
        return f"<{url}>"
    return url


def _without(spans: Sequence[Span], hidden: int) -> list[Span]:
    """Spans without some styles; neighbours that become alike are joined."""
    return merged([without_styles(span, hidden) for span in spans])


def _label(inside: str) -> str:
    """The text of a link or image, escaped where it would be read as a footnote."""
    return f"\\{inside}" if inside.startswith("^") else inside


def _styled(
    spans: Sequence[Span],
    styles: tuple[int, ...],
    before: str,
    after: str,
    markup: re.Pattern[str],
) -> str:
    """Spans as Markdown, with the signs of ``styles``, which are outermost first.

    ``before`` and ``after`` are the neighbouring characters, or "".  ``markup`` matches
    the signs to escape.
    """
    in_all, in_any = ~0, 0
    for span in spans:
        in_all &= span[1]
        in_any |= span[1]
    while styles and not in_any & styles[0]:
        styles = styles[1:]
    if not styles:
        return _without_emphasis(spans, markup)
    style, inner = styles[0], styles[1:]
    if in_all & style:
        return _emphasised(_styled(spans, inner, "", "", markup), style, before, after)
    out: list[str] = []
    count, end = len(spans), 0
    while end < count:
        first = end
        shown = spans[first][1] & style
        while end < count and spans[end][1] & style == shown:
            end += 1
        following = _first(spans[end], sum(styles)) if end < count else after
        group = spans[first:end]
        if shown:
            made = _styled(group, inner, "", "", markup)
            out.append(_emphasised(made, style, before, following))
        else:
            out.append(_styled(group, inner, before, following, markup))
        before = out[-1][-1:] or before
    return "".join(out)


def _emphasised(inside: str, style: int, before: str, after: str) -> str:
    """Text emphasised with stars, or with an element where stars would not be read."""
    if inside.isspace():
        # Stars around a space alone, between two quotations, are not read.
        return inside
    sign = _SIGN_OF[style]
    # The stars of emphasis at the edge of strong text would join the outer stars.
    bare = inside.strip("*")
    if (
        bare
        and (style == STRONG_TEXT or len(bare) == len(inside))
        and not inside.startswith("**")
        and not inside.endswith(("**", "\\*"))
        and before != "*"
        and after != "*"
        # Renderers differ in which symbols they count as punctuation.
        and (bare[0].isalnum() or not before or _may_open(style, before))
        and (bare[-1].isalnum() or not after or _is_ascii_border(after))
    ):
        return f"{sign}{inside}{sign}"
    tag = STYLE_ELEMENTS[style]
    return f"<{tag}>{inside}</{tag}>"


def _may_open(style: int, before: str) -> bool:
    """Whether stars between a character and punctuation can only open emphasis.

    A single star between two signs could close emphasis inside strong text.
    """
    return before.isspace() if style == EM_TEXT else _is_ascii_border(before)


def _is_ascii_border(character: str) -> bool:
    """Whether emphasis may begin after a character, or end before it, everywhere."""
    return character.isascii() and (
        character.isspace() or category(character)[0] in "PS"
    )


def _first(span: Span, styles: int) -> str:
    """The first character of a span in Markdown, or one of the same class."""
    text, style, _, image, _ = span
    if image:
        return "["
    if style & styles:
        return "*"
    return "<" if style & ~(_EMPHASIS | TEX_TEXT) else text[0]


def _without_emphasis(spans: Sequence[Span], markup: re.Pattern[str]) -> str:
    """Spans with code spans and HTML's elements, but no emphasis."""
    out: list[str] = []
    for text, style, _, image, signs in spans:
        if image:
            alt = _label(_escaped(text, signs, _MARKUP_IN_LINK))
            out.append(f"![{alt}]({_address(image)})")
        elif style & ~_EMPHASIS:
            out.append(_in_elements(text, style, signs, markup))
        else:
            out.append(_escaped(text, signs, markup) if signs & MARKDOWN else text)
    return "".join(out)


def _in_elements(text: str, style: int, signs: int, markup: re.Pattern[str]) -> str:
    """Text as a code span, a formula or escaped text, in the elements of its style."""
    code = style & CODE_TEXT
    if code and not (markup is _MARKUP_IN_LINK and "]:" in text):
        made = _code_span(text)
    elif style & TEX_TEXT and markup is not _MARKUP_IN_LINK:
        made = for_markdown(text)  # the typesetting script knows no escapes
    else:
        made = _escaped(text, signs, markup)
        # Nothing is escaped in a code span: a bracket in it could end the link's text.
        made = f"<code>{made}</code>" if code else made
    for shown, tag in STYLE_ELEMENTS.items():
        if style & shown & _UNSIGNED:
            made = f"<{tag}>{made}</{tag}>"
    return made


def _code_span(text: str) -> str:
    """A code span; code of several lines has a span for each line."""
    if "\n" in text:
        return "\n".join(_code_span(line) if line.strip() else "" for line in
                         text.split("\n"))  # fmt: skip
    if "`" not in text:
        return f"`{text}`" if text.strip() == text else f"` {text} `"
    ticks = "`" * (max(map(len, _TICKS.findall(text))) + 1)
    return f"{ticks} {text} {ticks}"


def _escaped(text: str, signs: int, markup: re.Pattern[str]) -> str:
    """Text with a backslash before each sign that ``markup`` matches."""
    if not signs & MARKDOWN:
        return text
    parts: list[str] = []
    begin = 0
    for sign in _SIGN.finditer(text):
        at = sign.start()
        if markup.match(text, at):
            parts += (text[begin:at], "\\")
            begin = at
    return "".join([*parts, text[begin:]]) if parts else text


inline = twin(
    python_inline,
    "_text",
    (_escaped, _address, _in_elements, _emphasised, _first, quoted, _without, parted),
    (_MARKUP, _MARKUP_IN_LINK),
    MARKDOWN,
    BRACKETS,
)
