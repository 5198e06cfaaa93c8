"""eatiht: the element of a page with the most sentences.

After the package eatiht of Rodrigo Palacios.  Each block that is long enough counts for
the parent of its element: in version 1 as many times as it has sentences, in version 2
(etv2) once, if it is no shorter than the mean.  The long blocks inside the parent with
the highest count are the text.

With ``reference`` a page is read exactly as by the original, which reads the
descendants of each element, and compares their paths as strings, in quadratic time.
Here, one walk numbers the page's texts and elements.  Then the content of an element is
a slice of the texts, and paths are compared by ancestors.  Only the output can be more
than linear: in version 1, a text in nested selected elements is written once for each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate, chain, compress
from typing import TYPE_CHECKING, Any

from lxml import etree, html

from scrapy_eatext.algorithms.base import Algorithm, Options, Unit, UnitList, Verdict
from scrapy_eatext.algorithms.scripts import letters, script_language
from scrapy_eatext.algorithms.trail import PageError, Trail, TrailUnits
from scrapy_eatext.deadline import check, watched
from scrapy_eatext.declared import number, one_of
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.decode import decode
from scrapy_eatext.page.events import events
from scrapy_eatext.page.guard import tame
from scrapy_eatext.page.memory import raise_memory
from scrapy_eatext.page.tags import TAG_ID

if TYPE_CHECKING:
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.blocks import Blocks

detect: Callable[[bytes], Any] | None
try:
    from chardet import detect
except ImportError:  # it is in the extra "reference"
    detect = None

# The end of a sentence.  In scripts with spaces between words it is a run of stops,
# closing quotes and brackets, then white space, but not after a title before a name; in
# scripts without spaces it is a run of stops.  A match begins with the first stop of a
# run and takes the whole run, so the search is linear.  The lookbehinds come after the
# first character, as a search for a single character is fast.
_STOPS = ".!?\u2026\u061f\u06d4\u0964\u0965\u0589\u1362"
_CLOSERS = "\"'\u2019\u201d\u00bb\u203a)\\]"
_WIDE_STOPS = "\u3002\uff01\uff1f\uff0e\uff61\u17d4\u104b"
_SENTENCE_END = re.compile(
    rf"[{_STOPS}](?<![{_STOPS}].)"
    + "".join(rf"(?<!\b{title}.)" for title in "Mr Mrs Ms Jr Dr Prof Sr St".split())
    + rf"[{_STOPS}]*[{_CLOSERS}]*(?!\S)"
    + f"|[{_WIDE_STOPS}]+"
)
# Thai and Lao end sentences, but also phrases, with a space: there this many characters
# count as a sentence.
_WITHOUT_STOPS = frozenset(("th", "lo"))
_SENTENCE_LENGTH = 100
# With this many sentences (version 1) or elements (version 2) the confidence is halved.
_FEW = 4

# The original's: texts directly in these elements are not counted.
_PASSED_OVER = frozenset("script style i b strong span a".split())
_PASSED_OVER_2 = _PASSED_OVER | {"noscript"}
_XPATH_SPACE = re.compile(r"[ \t\r\n]+")
_BRACKETED_DIGITS = re.compile(r"\[\d*\]")
# The most characters to read, as nested elements are read once each: only hostile pages
# have more.
_MOST = 50_000_000
# Splits at white space after the end of a sentence, with or without a straight quote,
# unless it ends with a title before a name.
split_sentences = re.compile(
    r"\s(?:(?<=[.!?]\s)|(?<=[.!?]['\"]\s))"
    + "".join(rf"(?<!{t}\.\s)" for t in ("Mr", "Mrs", "Jr", "Dr", "Prof", "Sr"))
    + r"\s*",
    re.IGNORECASE,
).split
_ENDINGS = (".", '"', "?", "!", "'")


@dataclass(frozen=True)
class EatihtOptions(Options):
    """Which of eatiht's versions, and how long a block must be to count."""

    version: int = one_of(1, 1, 2, doc="Which of the original's versions.")
    min_length: int = number(
        20,
        0,
        1_000_000,
        doc="A block counts only if it has more characters than this. A Chinese "
        "character counts as three, kana and Hangul as two.",
    )


class Eatiht(Algorithm[EatihtOptions]):
    """eatiht on a page's blocks, or, with ``reference``, exactly as the original."""

    name = "eatiht"
    version = "1"
    options_class = EatihtOptions

    def judge(self, page: Page) -> Verdict:
        if self.options.reference:
            source = page.html if page.body is None else page.body
            try:
                return read(source, self.options.version, self.options.min_length)
            except PageError:
                return Verdict(UnitList(()), (), (), (), text="")
        blocks = page.blocks
        counts = self._counts(blocks)
        parents = _parents(blocks)
        histogram: Counter[int] = Counter()
        for parent, count in zip(parents, counts, strict=True):
            histogram[parent] += count or 0
        top, highest = histogram.most_common(1)[0] if histogram else (-1, 0)
        first, last = _span(blocks, top) if highest else (0, 0)
        considered = [count is not None for count in counts]
        kept = [first <= i < last and considered[i] for i in range(len(blocks))]
        scores = [
            1.0 if k else histogram[parent] / (highest or 1) if seen else 0.0
            for k, parent, seen in zip(kept, parents, considered, strict=True)
        ]
        inside = sum(count or 0 for count in compress(counts, kept))
        return Verdict(
            blocks,
            kept,
            scores,
            _reasons(considered, kept),
            score=_sureness(inside, histogram.total()),
        )

    def _counts(self, blocks: Blocks) -> list[int | None]:
        """How many times each block counts; None for one that is too short."""
        texts = [blocks.text(i) for i in watched(range(len(blocks)))]
        lengths = [letters(text) for text in watched(texts)]
        long = [length > self.options.min_length for length in lengths]
        if self.options.version == 1:
            return [
                (is_long and count_sentences(text)) or None
                for text, is_long in zip(texts, long, strict=True)
            ]
        mean = sum(compress(lengths, long)) / max(sum(long), 1)
        return [
            int(length >= mean) if is_long else None
            for length, is_long in zip(lengths, long, strict=True)
        ]


def count_sentences(text: str) -> int:
    ends = sum(1 for _ in _SENTENCE_END.finditer(text))
    if not ends and script_language(text) in _WITHOUT_STOPS:
        return 1 + len(text) // _SENTENCE_LENGTH
    return ends


def _parents(blocks: Blocks) -> list[int]:
    """For each block the row of its element's parent; of the body's text the body's."""
    elements = blocks.walk.elements
    parents = elements[:, ElementColumn.PARENT].tolist()
    bodies = (elements[:, ElementColumn.TAG] == TAG_ID["body"]).tolist()
    return [
        -1 if element < 0 else element if bodies[element] else parents[element]
        for element in blocks.column("element")
    ]


def _span(blocks: Blocks, element: int) -> tuple[int, int]:
    """The first block inside an element, and the one after its last."""
    if element < 0:
        return 0, len(blocks)
    row = blocks.walk.elements[element]
    return int(row[ElementColumn.FIRST_BLOCK]), int(row[ElementColumn.LAST_BLOCK])


def _reasons(considered: Sequence[bool], kept: Sequence[bool]) -> list[str]:
    return [
        "no sentence" if not seen else "among most sentences" if k else "elsewhere"
        for seen, k in zip(considered, kept, strict=True)
    ]


def _sureness(inside: int, total: int) -> float:
    """The share of the total that is inside, lowered if there is little inside."""
    return inside / total * inside / (inside + _FEW) if inside else 0.0


# -- the original

# A selected element: its number, and the slice of the texts that it contains.
_Selected = tuple[int, int, int]
# A sentence (version 1) or an element's text (version 2), the number of its element, and
# whether it counts.
_Piece = tuple[str, int, bool]


def read(source: bytes | str, version: int, min_length: int) -> Verdict:
    """The verdict of a version on a page.  Raises PageError where the original fails."""
    root = _parse(source)
    if version == 2 and root.find(".//title") is None:
        raise PageError("the page has no title")
    passed_over = _PASSED_OVER if version == 1 else _PASSED_OVER_2
    texts, selected, trail = _read(root, passed_over, min_length)
    starts = list(accumulate(map(len, texts), initial=0))
    if sum(starts[end] - starts[first] for _, first, end in selected) > _MOST:
        raise PageError("the page's text is nested too deeply")
    if version == 1:
        pieces = _sentences(texts, selected)
    else:
        pieces = _elements(texts, starts, selected)
    places = [place for _, place, _ in pieces]
    parents = [trail.parents[place] for place in places]
    counted = [counts for _, _, counts in pieces]
    counts = Counter(compress(parents, counted))
    if not counts:
        raise PageError("no text counts")
    top, highest = counts.most_common(1)[0]
    beneath = _beneath(trail, top)
    kept = [beneath[place] for place in places]
    parts = compress((text for text, _, _ in pieces), kept)
    kind = "sentence" if version == 1 else "paragraph"
    return Verdict(
        TrailUnits([Unit(text.strip(), kind) for text, _, _ in pieces], places, trail),
        kept,
        [1.0 if k else counts[p] / highest for k, p in zip(kept, parents, strict=True)],
        _reasons([True] * len(kept), kept),
        text=" ".join(parts)[2:] if version == 1 else "\n\n".join(parts),
        score=_sureness(sum(compress(counted, kept)), counts.total()),
    )


def _parse(source: bytes | str) -> html.HtmlElement:
    try:
        body, encoding = _encoded(source)
        if encoding is not None and encoding.lower().startswith(("utf-16", "utf-32")):
            # The guard reads encodings in which ASCII characters are single bytes.
            body, encoding = body.decode(encoding, "replace").encode(), "utf-8"
        parser = html.HTMLParser(encoding=encoding, remove_blank_text=True)
        root = html.parse(BytesIO(tame(body)), parser=parser).getroot()
    except (etree.LxmlError, LookupError) as e:
        raise_memory(e)
        raise PageError(f"the page cannot be parsed: {e}") from e
    if root is None:
        raise PageError("the page is empty")
    return root


def _encoded(source: bytes | str) -> tuple[bytes, str | None]:
    """The page as bytes, and their encoding by chardet if it is installed."""
    if isinstance(source, bytes):
        if detect is not None:
            return source, detect(source)["encoding"]
        _, source = decode(source)
    return source.encode("utf-8", "replace"), "utf-8"


def _read(
    root: html.HtmlElement, passed_over: frozenset[str], min_length: int
) -> tuple[list[str], list[_Selected], Trail]:
    """The page's texts, its selected elements, and their trail."""
    texts: list[str] = []
    trail = Trail()
    bodies = 0
    # For each open element its number, its first text, whether its texts count, and
    # whether one of them is long enough.
    open_elements: list[list[int]] = []
    selected: list[_Selected] = []

    def read(text: str | None) -> None:
        if text and open_elements:
            texts.append(text)
            if open_elements[-1][2] and _longer(text, min_length):
                open_elements[-1][3] = True

    # Elements after </html> may be siblings of the root, and count as well.
    tops = (root, *root.itersiblings(etree.Element))
    for event, node in chain.from_iterable(map(events, tops)):
        if event == "start":
            name = str(node.tag)
            counts = bodies > 0 and name not in passed_over
            open_elements.append([trail.enter(name), len(texts), counts, False])
            bodies += name == "body"
            read(node.text)
            continue
        if event == "end":
            place, first, _, long_enough = open_elements.pop()
            trail.leave()
            bodies -= node.tag == "body"
            if long_enough:
                selected.append((place, first, len(texts)))
        read(node.tail)
    selected.sort()
    return texts, selected, trail


def _longer(text: str, length: int) -> bool:
    """Whether a text is longer, after its white space is normalised as by XPath."""
    if len(text) <= length:
        return False
    return len(_XPATH_SPACE.sub(" ", text.strip(" \t\r\n"))) > length


def _sentences(texts: Sequence[str], selected: Sequence[_Selected]) -> list[_Piece]:
    """The sentences, which all count; before an element's first is an empty line."""
    sentences = []
    for place, first, end in selected:
        check()
        text = _BRACKETED_DIGITS.sub("", "".join(texts[first:end]))
        for i, piece in enumerate(split_sentences(text)):
            if piece.endswith(_ENDINGS):
                sentences.append((piece if i else "\n\n" + piece, place, True))
    return sentences


def _elements(
    texts: Sequence[str], starts: Sequence[int], selected: Sequence[_Selected]
) -> list[_Piece]:
    """The selected elements; those longer than the mean text count."""
    if not selected:
        raise PageError("no text is long enough")
    # Not by sum(), which rounds differently since Python 3.12.
    total = 0.0
    for _, first, end in selected:
        total += (starts[end] - starts[first]) / (end - first)
    threshold = total / len(selected)
    return [
        ("".join(texts[first:end]), place, starts[end] - starts[first] > threshold)
        for place, first, end in selected
    ]


def _beneath(trail: Trail, top: int) -> list[bool]:
    """For each element whether its path contains the path of ``top``, as a string.

    So a sibling "section" counts as beneath an "s" that is the only child of its name;
    otherwise the path of "s" ends with an index.
    """
    name, parent = trail.names[top], trail.parents[top]
    only = trail.counts[parent, name] == 1
    beneath = [False]
    # An element's number is greater than its parent's.
    for element in range(1, len(trail.parents)):
        own = trail.parents[element]
        is_like_top = only and own == parent and trail.names[element].startswith(name)
        beneath.append(element == top or is_like_top or beneath[own])
    return beneath
