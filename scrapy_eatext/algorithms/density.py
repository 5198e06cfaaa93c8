"""Text density: keeps lines with more text than markup.

After an article on boilerplate removal with a density filter in Java, whose lines are
those of the page's source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.algorithms.base import (
    Algorithm,
    Options,
    Unit,
    UnitList,
    Verdict,
    number,
    one_of,
)
from scrapy_eatext.algorithms.markup import block_markup, source_lines
from scrapy_eatext.deadline import watched

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.page import Page

# The line ends of Java's BufferedReader; str.splitlines() has more.
_NEWLINE = re.compile(r"\r\n|\r|\n")
# The characters that Java's trim() removes: all up to the space.
_TRIMMED = "".join(map(chr, range(0x21)))
# The original's markup within a line; an unclosed tag ends with the line.
_TAG = re.compile(r"<[^>]*(?:>|\Z)|>")


@dataclass(frozen=True)
class DensityOptions(Options):
    """What lines are, and what their density must exceed.

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

    With ``joined`` they are lines of the source, of which the kept ones, joined, are
    the text; otherwise they are blocks, which are rendered.
    """

    units: Units
    chars: npt.NDArray[np.int64]
    markup: npt.NDArray[np.int64]
    joined: bool


def measure(page: Page, options: DensityOptions) -> Measured:
    """The lines of a page that the options ask for."""
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
    """A line's text, and its number of characters of markup, as in the original.

    Every line starts outside markup; < and > count as neither text nor markup.
    """
    line = line.strip(_TRIMMED)
    text = _TAG.sub("", line)
    brackets = line.count("<") + line.count(">")
    return text, utf16_length(line) - utf16_length(text) - brackets


def utf16_length(text: str) -> int:
    """The length in UTF-16 code units, as in Java."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def densities(
    chars: npt.NDArray[np.int64], markup: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """The density of each line: (text + 1) / (text + 1 + markup), in single precision."""
    text = (chars + 1).astype(np.float32)
    density: npt.NDArray[np.float32] = text / (text + markup.astype(np.float32))
    return density


def limit(density: npt.NDArray[np.float32], threshold: float | str) -> float:
    """What a line's density must exceed, given the densities of the page's long lines.

    It is the threshold if that is a number, the mean for "mean", and for "stddev" 0.5
    minus the sample's standard deviation, which is 0 for a single line.
    """
    if not isinstance(threshold, str):
        return float(threshold)
    # The original has densities in single precision, and statistics in double.
    values = density.astype(np.float64)
    if threshold == "mean":
        return float(values.mean()) if len(values) else 0.0
    return 0.5 - (float(values.std(ddof=1)) if len(values) > 1 else 0.0)


@dataclass(frozen=True)
class Filtered:
    """For each line its density, whether it is long enough, and whether it is kept."""

    density: npt.NDArray[np.float32]
    long: npt.NDArray[np.bool_]
    kept: npt.NDArray[np.bool_]


def filter_lines(lines: Measured, options: DensityOptions) -> Filtered:
    """Keep the lines that are long enough and dense enough.

    Short lines do not count in the mean or the standard deviation.
    """
    density = densities(lines.chars, lines.markup)
    long = lines.chars >= options.min_chars
    # In double precision, as in Java.
    dense = density.astype(np.float64) > limit(density[long], options.threshold)
    return Filtered(density, long, long & dense)


class Density(Algorithm[DensityOptions]):
    """Keeps lines by their text density."""

    name = "density"
    version = "1"
    options_class = DensityOptions

    def judge(self, page: Page) -> Verdict:
        lines = measure(page, self.options)
        filtered = filter_lines(lines, self.options)
        return verdict(lines, filtered.kept, filtered.density, reasons(filtered))


def reasons(filtered: Filtered) -> list[str]:
    """The reason why each line is kept or not."""
    flags = zip(filtered.kept.tolist(), filtered.long.tolist(), strict=True)
    return ["dense" if kept else "sparse" if long else "short" for kept, long in flags]


def verdict(
    lines: Measured,
    kept: npt.NDArray[np.bool_],
    scores: npt.NDArray[Any],
    why: Sequence[str],
) -> Verdict:
    """The verdict on measured lines."""
    text = None
    if lines.joined:
        text = "\n".join(lines.units.text(i) for i in np.flatnonzero(kept).tolist())
    return Verdict(
        units=lines.units,
        kept=kept.tolist(),
        scores=scores.tolist(),
        reasons=why,
        text=text,
        score=mean_score(kept, scores, lines.chars),
    )


def mean_score(
    kept: npt.NDArray[np.bool_],
    scores: npt.NDArray[Any],
    chars: npt.NDArray[Any],
) -> float:
    """The mean score of the kept lines, weighted by length; 0 if none is kept."""
    weights = chars[kept].astype(np.float64)
    if not weights.sum():
        return 0.0
    return float(np.average(scores[kept].astype(np.float64), weights=weights))
