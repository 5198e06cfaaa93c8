"""Scores of extracted texts against true texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, astuple, dataclass
from operator import add
from typing import TYPE_CHECKING, Any

from scrapy_eatext.learning.augmentation import SECTIONING
from scrapy_eatext.learning.refinement import bag, folded
from scrapy_eatext.result import MainText

if TYPE_CHECKING:
    from scrapy_eatext.learning.data import LabelledPage


# The scores of stripped pages that a card has.
_WHOLE = ("mean", "segments")
_HTML5 = re.compile(f"<(?:{'|'.join(SECTIONING)})[\\s>]".encode(), re.IGNORECASE)


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
    """Mean scores of all pages, and by kind; the extractor's errors by pages' names."""

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


@dataclass(frozen=True)
class Judged:
    """A page with the score that a model expected, and the true score of its text.

    ``segments`` has the counts for a page of which only segments are known.  ``bare``
    is the judgement of the same page without class names, ids and sectioning elements.
    """

    page: LabelledPage
    expected: float
    score: Score
    segments: SegmentCounts | None = None
    bare: Judged | None = None

    @classmethod
    def of(cls, page: LabelledPage, result: MainText) -> Judged:
        counts = segment_counts(result.text, page) if page.has_segments else None
        score = counts.score() if counts else word_score(result.text, page.text)
        return cls(page, result.score, score, counts)


def groups(page: LabelledPage) -> list[str]:
    """The difficult groups of pages that a page is in."""
    members = {
        "with comments": bool(page.comments),
        "without HTML5's elements": not _HTML5.search(page.html),
    }
    return [name for name, is_member in members.items() if is_member]


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """The scores of all pages and, if they are of several datasets, of each."""
    scores = _figures(judged)
    names = sorted({item.page.data for item in judged})
    if len(names) > 1:
        scores["data"] = {
            name: _figures([item for item in judged if item.page.data == name])
            for name in names
        }
    return scores


def _figures(judged: Sequence[Judged]) -> dict[str, Any]:
    by_words = [item for item in judged if item.segments is None]
    scores = report((item.page.kind, item.score) for item in by_words).figures()
    of_groups = report(
        (name, item.score) for item in by_words for name in groups(item.page)
    )
    if of_groups.kinds:
        scores["groups"] = of_groups.figures()["kinds"]
    counts = [item.segments for item in judged if item.segments is not None]
    if counts:
        scores["segments"] = rounded(sum(counts, SegmentCounts()).score())
    bare = [item.bare for item in judged if item.bare is not None]
    if bare:
        of_bare = _figures(bare)
        scores["stripped"] = {key: of_bare[key] for key in _WHOLE if key in of_bare}
    pairs = [(item.expected, item.score.f1) for item in judged]
    scores["calibration"] = calibration(pairs)
    return scores


def calibration(pairs: Sequence[tuple[float, float]]) -> list[dict[str, float]]:
    """The mean expected score and the mean F1, for each tenth of the expected score."""
    bins: dict[int, list[tuple[float, float]]] = {}
    for pair in pairs:
        bins.setdefault(min(int(pair[0] * 10), 9), []).append(pair)
    rows = []
    for _, bin_pairs in sorted(bins.items()):
        score, f1 = (
            round(sum(values) / len(bin_pairs), 4)
            for values in zip(*bin_pairs, strict=True)
        )
        rows.append({"pages": len(bin_pairs), "score": score, "f1": f1})
    return rows


def evaluate(
    extract: Callable[[LabelledPage], str], pages: Iterable[LabelledPage]
) -> Report:
    """Run an extractor over pages and score it by words, or all together by segments.

    If the extractor raises an exception, the page scores as empty text.
    """
    judged: list[Judged] = []
    errors: dict[str, str] = {}
    for page in pages:
        try:
            text = extract(page)
        except Exception as error:  # noqa: BLE001 - any failure is a result here
            errors[page.name] = repr(error)
            text = ""
        judged.append(Judged.of(page, MainText(text=text)))
    if counts := [one.segments for one in judged if one.segments]:
        return Report(sum(counts, SegmentCounts()).score(), {}, len(counts), errors)
    return report(((one.page.kind, one.score) for one in judged), errors)
