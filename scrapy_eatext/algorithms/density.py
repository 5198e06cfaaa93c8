"""Text density: keeps lines with more text than markup.

After an article on boilerplate removal with a density filter in Java, whose lines are
those of the page's source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.algorithms.base import Algorithm, Options, Unit, UnitList, Verdict
from scrapy_eatext.deadline import watched
from scrapy_eatext.declared import number, one_of
from scrapy_eatext.page.characters import INVISIBLE
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tags import BLOCK
from scrapy_eatext.page.values import unescaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.page import Page

    Ints = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]
    Densities = npt.NDArray[np.float32]

# The line ends of Java's BufferedReader; str.splitlines() has more.
_NEWLINE = re.compile(r"\r\n|\r|\n")
# The characters that Java's trim() removes: all up to the space.
_TRIMMED = "".join(map(chr, range(0x21)))
# The original's markup within a line; an unclosed tag ends with the line.
_TAG = re.compile(r"<[^>]*(?:>|\Z)|>")
# Elements whose content is never shown as text of the page.
_UNSEEN = "script|style|title|textarea|noscript|noframes|noembed|iframe|template"
# A comment, one of these elements with its content, a tag, or a declaration.  Each may
# end with the page: otherwise the end of unclosed ones would be searched again and
# again, in quadratic time.  A > in a quoted value does not end a tag.
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    rf"|<({_UNSEEN})(?=[\s/>]).*?(?:</\1(?=[\s/>])[^>]*(?:>|\Z)|\Z)"
    r"|</?([a-z][^\s/>]*)(?:[^>=]+|=\s*(?:\"[^\"]*\"|'[^']*')?)*(?:>|\Z)"
    r"|<[!?/][^>]*(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
# Tags at which a word ends: those of blocks, and of inline elements shown like words.
_APART = BLOCK | {"br", "img", "input", "select", "button", "textarea", "iframe"}
# Replaces a tag between two words; split() treats it as white space.
_BORDER = "\x1f"


@dataclass(frozen=True)
class DensityOptions(Options):
    """The kind of lines, and the limit of their density.

    With ``reference`` the lines are the source's, whatever ``lines`` is.
    """

    lines: str = one_of(
        "rendered",
        "rendered",
        "source",
        doc='What a line is. `"rendered"`: a block of the page, which has the text that '
        "a browser shows together; its markup are the tags of all elements that began "
        "since the block before, as long as they are when the tree is written as HTML. "
        '`"source"`: a line of the page\'s source.',
    )
    threshold: float | str = number(
        "stddev",
        0,
        1,
        "mean",
        "stddev",
        doc='What a line must exceed. `"mean"`: the mean density of the lines that are '
        'long enough; `"stddev"`: 0.5 less their standard deviation (that of a sample, '
        "0 for a single line).",
    )
    min_chars: int = number(
        60,
        0,
        1_000_000,
        doc="A line with fewer characters of text is dropped, and is not counted in the "
        "mean or the deviation.",
    )


@dataclass(frozen=True)
class Measured:
    """Lines as units, with their numbers of characters of text and of markup.

    With ``joined`` the text is the kept lines, joined; otherwise blocks are rendered.
    """

    units: Units
    chars: Ints
    markup: Ints
    joined: bool


def measure(page: Page, options: DensityOptions) -> Measured:
    if options.reference:
        lines = watched(_NEWLINE.split(page.html))
        read = [read_line(line) for line in lines if line.strip(_TRIMMED)]
        return _measured([(t, utf16_length(t.strip(_TRIMMED)), m) for t, m in read])
    if options.lines == "source":
        return _measured([(t, len(t), m) for t, m in source_lines(page.html) if t])
    chars = np.array(page.blocks.chars, dtype=np.int64)
    return Measured(page.blocks, chars, block_markup(page), joined=False)


def _measured(rows: Sequence[tuple[str, int, int]]) -> Measured:
    numbers = np.array([row[1:] for row in rows], dtype=np.int64).reshape(-1, 2)
    units = UnitList([Unit(row[0], "line") for row in rows])
    return Measured(units, numbers[:, 0], numbers[:, 1], joined=True)


def read_line(line: str) -> tuple[str, int]:
    """A line's text and its characters of markup, without < and >, as in the original."""
    line = line.strip(_TRIMMED)
    text = _TAG.sub("", line)
    brackets = line.count("<") + line.count(">")
    return text, utf16_length(line) - utf16_length(text) - brackets


def block_markup(page: Page) -> Ints:
    """The number of characters of markup of each block; see ``lines`` above.

    White space between tags, comments, and elements that show no text do not count.
    """
    walk = page.blocks.walk
    lengths = [0]
    total = 0
    for node in watched(walk.nodes):
        # <name></name>, and name="value" after a space for each attribute.
        total += 2 * len(node.tag) + 5
        for name, value in node.items():
            total += len(name) + len(value) + 4
        lengths.append(total)
    ends = np.cumsum(walk.blocks[:, BlockColumn.ELEMENTS], dtype=np.int64)
    return np.diff(np.array(lengths, dtype=np.int64)[ends], prepend=0)


def source_lines(html: str) -> Iterator[tuple[str, int]]:
    """For each line of the source its text, and its number of characters of markup.

    Scripts, styles and comments are markup; a tag may span lines.
    """
    text = _MARKUP.sub(_leave_lines, html)
    lines = zip(_NEWLINE.split(html), _NEWLINE.split(text), strict=True)
    for line, shown in watched(lines):
        words = INVISIBLE.sub("", unescaped(shown)).split()
        yield " ".join(words), len(line) - len(shown.replace(_BORDER, ""))


def _leave_lines(match: re.Match[str]) -> str:
    """The replacement of markup: a border if a word ends, and its line breaks."""
    name = match[2]
    border = _BORDER if name and name.lower() in _APART else ""
    return border + "".join(_NEWLINE.findall(match[0]))


def utf16_length(text: str) -> int:
    """The length in UTF-16 code units, as in Java."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def densities(chars: Ints, markup: Ints) -> Densities:
    """The density of each line: (text + 1) / (text + 1 + markup), in single precision."""
    text = (chars + 1).astype(np.float32)
    return text / (text + markup.astype(np.float32))


def limit(density: npt.NDArray[Any], threshold: float | str) -> float:
    """The limit that a line must exceed, by the densities of the page's long lines."""
    if not isinstance(threshold, str):
        return float(threshold)
    # The original has densities in single precision, and statistics in double.
    values = density.astype(np.float64)
    if threshold == "mean":
        return float(values.mean()) if len(values) else 0.0
    return 0.5 - (float(values.std(ddof=1)) if len(values) > 1 else 0.0)


def filter_lines(
    lines: Measured, options: DensityOptions
) -> tuple[Densities, Flags, list[str]]:
    """For each line its density, whether it is kept, and the reason.

    Kept are lines that are long and dense enough.  Short lines do not count in the mean
    or the standard deviation.
    """
    density = densities(lines.chars, lines.markup)
    long = lines.chars >= options.min_chars
    # In double precision, as in Java.
    dense = density.astype(np.float64) > limit(density[long], options.threshold)
    kept = long & dense
    return density, kept, np.select([kept, long], ["dense", "sparse"], "short").tolist()


class Density(Algorithm[DensityOptions]):
    """Keeps lines by their text density."""

    name = "density"
    version = "1"
    options_class = DensityOptions

    def judge(self, page: Page) -> Verdict:
        lines = measure(page, self.options)
        density, kept, reasons = filter_lines(lines, self.options)
        return verdict(lines, kept, density, reasons)


def verdict(
    lines: Measured, kept: Flags, scores: npt.NDArray[Any], why: Sequence[str]
) -> Verdict:
    text = None
    if lines.joined:
        text = "\n".join(lines.units.text(i) for i in np.flatnonzero(kept).tolist())
    score = mean_score(kept, scores, lines.chars)
    return Verdict(lines.units, kept.tolist(), scores.tolist(), why, text, score)


def mean_score(kept: Flags, scores: npt.NDArray[Any], chars: npt.NDArray[Any]) -> float:
    """The mean score of the kept lines, weighted by length; 0 if none is kept."""
    weights = chars[kept].astype(np.float64)
    if not weights.sum():
        return 0.0
    return float(np.average(scores[kept].astype(np.float64), weights=weights))
