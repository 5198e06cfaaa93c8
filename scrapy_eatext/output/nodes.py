"""The kept part of a page as a tree of nodes, from which Markdown and HTML are written.

Nodes are numbered, and each list has an entry for each node.  Node 0 is the document;
every other node is a block, or holds blocks.  structure.py decides which nodes there are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate, chain, groupby
from operator import itemgetter, or_
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

from scrapy_eatext.output.inline import BREAK_BEFORE, BREAK_BEHIND, is_emoji
from scrapy_eatext.output.placing import Span, signs_of
from scrapy_eatext.page.columns import NodeKind
from scrapy_eatext.page.tags import QUOTE_TEXT

if TYPE_CHECKING:
    from scrapy_eatext.result import Embed

# Signs after which, and before which, no space stands; so it is with brackets and
# quotes.
_OPENING, _CLOSING = frozenset("/¿¡"), frozenset(",.;:!?…、。，！？：；")
# The quotation mark to write, which is no markup in Markdown, and those that pages
# have.
_QUOTE = '"'
_QUOTES = frozenset(
    "\"'\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a\u300c\u300d\u300e\u300f"
)
_BEGINS, _ENDS = ("Ps", "Pi"), ("Pe", "Pf")
# Kinds of blocks that may be links as a whole.
_LINKED = frozenset(
    (NodeKind.PARAGRAPH, NodeKind.HEADING, NodeKind.CAPTION, NodeKind.IMAGE)
)
# How many blocks, such as a date, may stand between two links to one address.
_UNLINKED = 2
_LINE_END = ("\n", 0, "", "", signs_of("\n"))


def text_of(spans: Iterable[Span]) -> str:
    """The text of spans, without images."""
    return "".join([text for text, _, _, image, _ in spans if not image])


def bounds_of(spans: Iterable[Span]) -> list[int]:
    """Where each span begins in the text_of() spans, and where the last one ends."""
    lengths = (0 if image else len(text) for text, _, _, image, _ in spans)
    return [0, *accumulate(lengths)]


def cut(
    spans: Sequence[Span], start: int, end: int, bounds: Sequence[int] = ()
) -> list[Span]:
    """Spans cut to a range of the characters of their text.

    ``bounds`` are the bounds_of() the spans, if they are known.
    """
    made: list[Span] = []
    bounds = bounds or bounds_of(spans)
    first = bisect_left(bounds, start)
    if first and bounds[first] > start:
        first -= 1
    for number in range(first, len(spans)):
        text, style, link, image, signs = spans[number]
        at = bounds[number]
        if at >= end and not (image and end == bounds[-1]):
            break
        if image:
            made.append(spans[number])
        elif part := text[max(start - at, 0) : end - at]:
            made.append((part, style, link, "", signs))
    return made


def merged(spans: Sequence[Span]) -> list[Span]:
    """Spans in which neighbours of equal style and link are joined; images are not."""
    made: list[Span] = []
    for (style, link, image), group in groupby(spans, itemgetter(1, 2, 3)):
        pieces = list(group)
        if image or len(pieces) == 1:
            made += pieces
        else:
            text = "".join([piece[0] for piece in pieces])
            signs = reduce(or_, [piece[4] for piece in pieces])
            made.append((text, style, link, image, signs))
    return made


def parted(spans: Sequence[Span]) -> Sequence[Span]:
    """Spans with the spaces and line breaks between images and words.

    The walk has at most one of these around an image, and always after it.
    """
    if not any(image for _, _, _, image, _ in spans):
        return spans
    made: list[Span] = []
    last, was_image, link_before = "", False, ""
    # Whether the line ends here; whether it ended before the images right before.
    ends, has_ended = False, False
    next_links = [*(link for _, _, link, _, _ in spans[1:]), ""]
    for (text, style, link, image, signs), next_link in zip(
        spans, next_links, strict=True
    ):
        shown, span_link, ends_behind = text, link, False
        if image:
            ends = bool(made) and (ends or bool(style & BREAK_BEFORE))
            ends_behind = bool(style & BREAK_BEHIND)
            has_ended = has_ended or ends
            needs_space = not was_image and _wants_space_behind(last)
        else:
            if ends:
                shown = text[text[0] in " \n" :]
            elif has_ended and text[0] == "\n":
                shown = f" {text[1:]}"
            if was_image and _closes(shown):
                shown = shown[1:]
            elif was_image and shown == " " and link_before == next_link:
                span_link = link_before  # the space is inside a link
            needs_space = was_image and shown[:1].isalnum()
            has_ended = False
        if ends:
            made.append(_LINE_END)
        elif needs_space:
            made.append((" ", 0, link if link == link_before else "", "", 0))
        if shown or image:
            made.append((shown, 0 if image else style, span_link, image, signs))
        last, was_image, link_before = text[-1:], bool(image), span_link
        ends = ends_behind
    return made


def quoted(spans: Sequence[Span]) -> Sequence[Span]:
    """Spans with quotation marks around quotations, which may contain links."""
    within = [bool(span[1] & QUOTE_TEXT) for span in spans]
    if not any(within):
        return spans
    for n in range(1, len(spans) - 1):
        # A space before or after a link has neither link nor style.
        links = {spans[n - 1][2], spans[n][2], spans[n + 1][2]}
        is_space = len(links) > 1 and spans[n][0].isspace()
        within[n] = within[n] or (is_space and within[n - 1] and within[n + 1])
    made: list[Span] = []
    for is_quote, numbers in groupby(range(len(spans)), within.__getitem__):
        inside = [without_styles(spans[n], QUOTE_TEXT) for n in numbers]
        before = made[-1][0][-1:] if made else ""
        # The page may have quotation marks of its own.
        is_marked = before in _QUOTES or inside[0][0][:1] in _QUOTES
        if is_quote and not is_marked and not all(image for *_, image, _ in inside):
            first, last = inside[0][2], inside[-1][2]
            inside = [(_QUOTE, 0, first, "", 0), *inside, (_QUOTE, 0, last, "", 0)]
        made += inside
    return merged(made)


def link_once(
    kinds: Sequence[int], parents: Sequence[int], spans: list[Sequence[Span]]
) -> None:
    """Leave one of the links to one address that near blocks of a node consist of.

    Cards repeat the address of their picture, title and teaser.  The link stays on the
    first heading, or else on the first text; ``spans`` of other blocks lose it.
    """
    links: list[int] = []
    last_around, last_address = -1, ""
    unlinked = 0
    for node, inside in enumerate(spans):
        kind, around = kinds[node], parents[node]
        if kind == NodeKind.FIGURE:
            continue
        if around >= 0 and kinds[around] == NodeKind.FIGURE:
            around = parents[around]
        # The address to which all of the block is linked.
        address = inside[0][2] if inside and kind in _LINKED else ""
        if address and len(inside) > 1 and any(span[2] != address for span in inside):
            address = ""
        if not address and around == last_around and unlinked < _UNLINKED:
            unlinked += 1
            continue
        if around != last_around or address != last_address:
            _link_one(links, kinds, spans)
            links, last_around, last_address = [], around, address
        if address:
            links.append(node)
        unlinked = 0
    _link_one(links, kinds, spans)


def _link_one(
    nodes: Sequence[int], kinds: Sequence[int], spans: list[Sequence[Span]]
) -> None:
    """Take the link from all of some linked nodes but one."""
    if len(nodes) < 2:
        return
    headings = [node for node in nodes if kinds[node] == NodeKind.HEADING]
    texts = [node for node in nodes if not all(image for *_, image, _ in spans[node])]
    linked = next(chain(headings, texts, nodes))
    for node in nodes:
        if node != linked:
            spans[node] = [
                (text, style, "", image, signs)
                for text, style, _, image, signs in spans[node]
            ]


def without_styles(span: Span, hidden: int) -> Span:
    """A span without some styles."""
    text, style, link, image, signs = span
    return text, style & ~hidden, link, image, signs


def with_emoji(
    kinds: list[int], blocks: Sequence[Sequence[Span]]
) -> list[Sequence[Span]]:
    """The spans of nodes with images of emoji as text; adapts the nodes' kinds."""
    made = [*blocks]
    for node, spans in enumerate(blocks):
        if any(image and is_emoji(text) for text, _, _, image, _ in spans):
            made[node] = merged(
                [
                    (text, style, link, "", signs_of(text))
                    if image and is_emoji(text)
                    else (text, style, link, image, signs)
                    for text, style, link, image, signs in parted(spans)
                ]
            )
            if kinds[node] == NodeKind.IMAGE:
                kinds[node] = NodeKind.PARAGRAPH
    return made


def _wants_space_behind(last: str) -> bool:
    """Whether a space belongs between a character, "" for none, and an image."""
    if not last or last.isspace():
        return False
    return last not in _OPENING and category(last) not in _BEGINS


def _closes(text: str) -> bool:
    """Whether a text begins with a space and closing punctuation."""
    if len(text) < 2 or text[0] != " ":
        return False
    if text[1] in _CLOSING:
        return not text[2:3].isalnum()  # as in .5
    return category(text[1]) in _ENDS


class Code(NamedTuple):
    """The text of a block of code, and its language, "" if the page names none."""

    text: str
    language: str


@dataclass(slots=True, eq=False)
class Cell:
    """A cell of a table: its blocks.

    ``inside`` are its child nodes: blocks, and nodes that hold blocks.
    """

    leaves: Sequence[int] = ()
    header: bool = False
    inside: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A data table: its header rows and its other rows.

    A row has a cell for each column: one that spans several columns or rows stands in
    all of its places.
    """

    head: Sequence[Sequence[Cell]]
    body: Sequence[Sequence[Cell]]
    width: int


@dataclass(slots=True, eq=False)
class Nodes:
    """Numbered nodes.

    ``rows`` are the nodes' rows in the walk's element table, -1 for a node without an
    element, and ``units`` the units of blocks, -1 for other nodes.  ``levels`` has the
    level of each heading, the first number of each numbered list and the number of each
    of its items.  ``tasks`` has the items that are tasks, and whether each is done.
    ``spans`` has the spans of each block that is not code, and ``code`` the blocks that
    are.  ``children`` has the children of each node that holds blocks; ``tables`` has
    the cells of each table, which are written instead of its rows.  ``embeds`` has the
    content of each embed, and ``callouts`` the kind of each quote that is a note or
    warning.  ``fragments`` has the name of the place of each link that leads to one on
    the page, by the link's address, and ``notes`` the label of each node that is a
    footnote.
    """

    kinds: list[int]
    rows: list[int]
    units: list[int]
    levels: list[int]
    spans: list[Sequence[Span]]
    code: dict[int, Code] = field(default_factory=dict)
    children: dict[int, list[int]] = field(default_factory=dict)
    tables: dict[int, Table] = field(default_factory=dict)
    tasks: dict[int, bool] = field(default_factory=dict)
    embeds: dict[int, Embed] = field(default_factory=dict)
    callouts: dict[int, str] = field(default_factory=dict)
    fragments: dict[str, str] = field(default_factory=dict)
    notes: dict[int, str] = field(default_factory=dict)

    def add(
        self, kind: int, spans: Sequence[Span] = (), level: int = 0, unit: int = -1
    ) -> int:
        """A new node without an element."""
        self.kinds.append(kind)
        self.rows.append(-1)
        self.units.append(unit)
        self.levels.append(level)
        self.spans.append(spans)
        return len(self.kinds) - 1

    def hold(self, kind: int, inside: list[int], level: int = 0) -> int:
        """A new node without an element, with children."""
        node = self.add(kind, level=level)
        self.children[node] = inside
        return node

    def entitle(self, headline: str) -> None:
        """Put a heading of the first level before everything."""
        spans = ((headline, 0, "", "", signs_of(headline)),)
        self.children[0].insert(0, self.add(NodeKind.HEADING, spans, 1))

    def caption(self, table: int) -> list[int]:
        """The blocks of a table's caption."""
        kinds, inside = self.kinds, self.children[table]
        return [node for node in inside if kinds[node] == NodeKind.TABLE_CAPTION]

    def leaves(self, node: int = 0) -> Iterator[int]:
        """All blocks in a node, in order."""
        return self.leaves_among(self.children[node])

    def leaves_among(self, parts: Iterable[int]) -> Iterator[int]:
        """The blocks among some nodes and in them, in order."""
        for part in parts:
            if part in self.children:
                yield from self.leaves(part)
            else:
                yield part
