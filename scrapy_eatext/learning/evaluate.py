"""Scores of extracted texts against true texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, astuple, dataclass
from operator import add
from typing import TYPE_CHECKING

from scrapy_eatext.learning.refinement import bag, folded

if TYPE_CHECKING:
    from scrapy_eatext.learning.data import LabelledPage


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and their harmonic mean, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


def _score(hits: float, extracted: float, wanted: float) -> Score:
    """Scores from counts; if nothing is wanted, only an empty answer is right."""
    if not wanted:
        value = 0.0 if extracted else 1.0
        return Score(value, value, value)
    if not hits:
        return Score(0.0, 0.0, 0.0)
    precision, recall = hits / extracted, hits / wanted
    return Score(precision, recall, 2 * precision * recall / (precision + recall))


def word_score(text: str, true: str) -> Score:
    """WCXB's measure: words in lower case, each counted as often as it occurs.

    A Chinese, Japanese or Korean character is a word.
    """
    words, wanted = bag(text), bag(true)
    return _score((words & wanted).total(), words.total(), wanted.total())


@dataclass(frozen=True, slots=True)
class SegmentCounts:
    """Numbers of segments: wanted (tp, fn) or not, extracted (tp, fp) or not."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    def __add__(self, other: SegmentCounts) -> SegmentCounts:
        return SegmentCounts(*map(add, astuple(self), astuple(other)))

    def score(self) -> Score:
        return _score(self.tp, self.tp + self.fp, self.tp + self.fn)


def segment_counts(text: str, page: LabelledPage) -> SegmentCounts:
    """Count the page's segments in a text; runs of white space count as one space."""
    text = folded(text)
    tp, fp = (
        sum(folded(segment) in text for segment in segments)
        for segments in (page.wanted, page.unwanted)
    )
    return SegmentCounts(tp, fp, len(page.wanted) - tp, len(page.unwanted) - fp)


@dataclass(frozen=True)
class Report:
    """Mean scores over pages: of all, and by kind.

    ``errors`` has the exceptions of the extractor by pages' names; these pages score as
    empty text.
    """

    mean: Score
    kinds: dict[str, Score]
    pages: int
    errors: dict[str, str]

    def figures(self) -> dict[str, object]:
        """The scores as JSON data, rounded to four digits."""
        kinds = {kind: rounded(score) for kind, score in self.kinds.items()}
        return {"pages": self.pages, "mean": rounded(self.mean), "kinds": kinds}


def rounded(score: Score) -> dict[str, float]:
    """A score as JSON data, to four digits."""
    return {name: round(value, 4) for name, value in asdict(score).items()}


def report(
    rows: Iterable[tuple[str, Score]], errors: dict[str, str] | None = None
) -> Report:
    """The report of pages, given by kind and score."""
    kinds: dict[str, list[Score]] = {}
    for kind, score in rows:
        kinds.setdefault(kind, []).append(score)
    all_scores = [score for scores in kinds.values() for score in scores]
    return Report(
        mean=_mean(all_scores),
        kinds={kind: _mean(kinds[kind]) for kind in sorted(kinds)},
        pages=len(all_scores),
        errors=errors or {},
    )


def _mean(scores: Sequence[Score]) -> Score:
    if not scores:
        return Score(0.0, 0.0, 0.0)
    columns = zip(*map(astuple, scores), strict=True)
    return Score(*(sum(values) / len(scores) for values in columns))


def evaluate(
    extract: Callable[[LabelledPage], str], pages: Iterable[LabelledPage]
) -> Report:
    """Run an extractor over pages and score it by words, or all together by segments.

    If the extractor raises an exception, the page scores as empty text.
    """
    rows: list[tuple[str, Score]] = []
    counts: list[SegmentCounts] = []
    errors: dict[str, str] = {}
    for page in pages:
        try:
            text = extract(page)
        except Exception as error:  # noqa: BLE001 - any failure is a result here
            errors[page.name] = repr(error)
            text = ""
        if page.has_segments:
            counts.append(segment_counts(text, page))
        else:
            rows.append((page.kind, word_score(text, page.text)))
    if counts:
        score = sum(counts, SegmentCounts()).score()
        return Report(score, {}, len(counts), errors)
    return report(rows, errors)
