"""Training of every algorithm that learns, and the card beside each model."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timezone
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from numpy.typing import NDArray

from scrapy_eatext.algorithms.modelfile import save_card, save_model
from scrapy_eatext.extraction import extract
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.augmentation import stripped
from scrapy_eatext.learning.data import Dataset, LabelledPage, contradictions
from scrapy_eatext.learning.evaluate import (
    Score,
    SegmentCounts,
    report,
    rounded,
    segment_counts,
    word_score,
)
from scrapy_eatext.learning.splits import folds, site_of

if TYPE_CHECKING:
    from scrapy_eatext.result import MainText

# name of an algorithm -> (module, class) of its trainer.
TRAINERS = {
    "dragnet": ("scrapy_eatext.learning.dragnet", "DragnetTrainer"),
    "eatext": ("scrapy_eatext.learning.tagger", "EatextTrainer"),
    "ngram": ("scrapy_eatext.learning.ngram", "NgramTrainer"),
    "perceptron": ("scrapy_eatext.learning.perceptron", "PerceptronTrainer"),
}

T = TypeVar("T")

_REMEDY = "; --skip-bad leaves out such pages"

# The scores of pages without names that a card has.
_WHOLE = ("mean", "segments")
_HTML5 = re.compile(
    rb"<(?:article|aside|footer|header|main|nav|section)[\s>]", re.IGNORECASE
)


class Progress(Protocol):
    """Wraps items and shows the progress through them, under a label."""

    def __call__(self, items: Sequence[T], label: str) -> Iterable[T]: ...


def silent(items: Sequence[T], label: str) -> Iterable[T]:
    """A Progress that shows nothing."""
    return items


@dataclass(frozen=True)
class Fitted:
    """A model as a trainer leaves it.

    ``file`` is the name that it is shipped under; ``notes`` go into the card.
    """

    file: str
    arrays: Mapping[str, NDArray[Any]]
    header: Mapping[str, Any]
    features: Sequence[str]
    notes: Mapping[str, Any]

    @property
    def version(self) -> str:
        """A model's version: a short digest of its arrays."""
        digest = hashlib.sha256()
        for name in sorted(self.arrays):
            digest.update(name.encode())
            digest.update(self.arrays[name].tobytes())
        return digest.hexdigest()[:8]


class Trainer(Protocol):
    """How one algorithm is trained.

    sample() takes the data for fit() from a page, once, however often fit() is called;
    it raises DataError, naming the file, for a page that can't be learned from.  fit()
    must give the same model for the same samples and seed, and raises DataError for
    samples that lack one of the classes.  ``segments`` says whether it can learn from
    pages of which only segments are known; if not, they are left out.
    """

    segments: bool

    def sample(self, page: LabelledPage) -> Any: ...

    def fit(self, samples: Sequence[Any], seed: int, progress: Progress) -> Fitted: ...


def trainer(name: str) -> Trainer:
    """The trainer of an algorithm; ValueError if there is none."""
    if name not in TRAINERS:
        known = ", ".join(sorted(TRAINERS))
        raise ValueError(f"{name!r} is not trained; those that are: {known}")
    module, cls = TRAINERS[name]
    made: Trainer = getattr(import_module(module), cls)()
    return made


@dataclass(frozen=True)
class Samples:
    """The pages that could be learned from, with the trainer's sample of each.

    ``skipped`` has the reason for each page that was left out, by its file.
    """

    pages: Sequence[LabelledPage]
    data: Sequence[Any]
    skipped: Mapping[Path, str]


def take_samples(
    made: Trainer, pages: Sequence[LabelledPage], *, skip: bool, progress: Progress
) -> Samples:
    """Take samples of all pages.

    With ``skip`` bad pages are left out, else the first bad page raises DataError.
    """
    skipped: dict[Path, str] = {}
    for first, second in contradictions(pages):
        message = f"{second.name} is the same page as {first.name}, with another text"
        if not skip:
            raise DataError(message + _REMEDY)
        # Neither can be trusted.
        skipped[first.file] = skipped[second.file] = message
    good, samples = [], []
    for page in progress(pages, "labels"):
        if page.file in skipped:
            continue
        try:
            if page.correction and page.correction.doubt:
                raise DataError(f"{page.file}: {page.correction.doubt}")
            sample = made.sample(page)
        except DataError as error:
            if not skip:
                raise DataError(f"{error}{_REMEDY}") from error
            skipped[page.file] = str(error)
            continue
        good.append(page)
        samples.append(sample)
    if not good:
        raise DataError("no page of the data could be learned from")
    return Samples(good, samples, skipped)


def train(
    name: str,
    data: Dataset,
    *,
    seed: int = 0,
    count: int = 5,
    skip: bool = False,
    progress: Progress = silent,
    on_scores: Callable[[Sequence[Judged]], None] | None = None,
) -> tuple[Fitted, dict[str, Any]]:
    """Train an algorithm on the data: its model and the model's card.

    The scores on the card are from cross-validation over sites, in ``count`` folds; with
    ``count`` 0 there are no scores.  ``on_scores`` is called with the score of each
    page.  ``skip`` leaves out pages that can't be learned from, and the card counts
    them; otherwise the first such page raises DataError.
    """
    made = trainer(name)
    pages = [page for page in data.pages if made.segments or not page.has_segments]
    samples = take_samples(made, pages, skip=skip, progress=progress)
    judged: list[Judged] = []
    if count:
        judged = cross_validate(name, pages, samples, seed, count, progress)
        if on_scores is not None:
            on_scores(judged)
    model = made.fit(samples.data, seed, progress)
    card = {
        "algorithm": name,
        "data": "; ".join(dict.fromkeys(page.data for page in pages)) or data.name,
        "licence": data.licence,
        "date": _today().isoformat(),
        "seed": seed,
        "pages": len(samples.pages),
        "kinds": Dataset(samples.pages, data.name).kinds(),
        "sites": len({site_of(page) for page in samples.pages}),
        "skipped": len(samples.skipped),
        # Of all pages, so that evaluate recognises them.
        "digests": digests(pages),
        "model": model.file,
        "version": model.version,
        "features": list(model.features),
        **model.notes,
    }
    if judged:
        card["scores"] = {
            "measure": "words, mean over all pages, the skipped ones too",
            "split": f"{count} folds by site",
            **figures(judged),
        }
    return model, card


def digests(pages: Iterable[LabelledPage]) -> str:
    """The digests of pages, as a card has them."""
    return " ".join(sorted(page.digest for page in pages))


def cross_validate(
    name: str,
    pages: Sequence[LabelledPage],
    samples: Samples,
    seed: int,
    count: int,
    progress: Progress,
) -> list[Judged]:
    """What a trainer's models make of pages of sites that they were not trained on.

    All pages are scored, even those that could not be learned from.
    """
    made = trainer(name)
    judged: list[Judged] = []
    parts = list(held_out(pages, samples, seed, count))
    for training, testing in progress(parts, "folds"):
        model = made.fit(training, seed, silent)
        with temporary(name, model) as run:
            for page in progress(testing, model.file):
                bare = Judged.of(page, run(page, stripped(page.html)))
                judged.append(replace(Judged.of(page, run(page)), bare=bare))
    return judged


@dataclass(frozen=True)
class Judged:
    """What a model made of a page: its expected score, and the score of its text.

    ``segments`` are counted on pages of which only these are known; ``groups`` are what
    else the page is one of.  ``bare`` is what the model made of the page without the
    names of its elements and without sectioning elements.
    """

    page: LabelledPage
    expected: float
    score: Score
    segments: SegmentCounts | None = None
    groups: Sequence[str] = ()
    bare: Judged | None = None

    @classmethod
    def of(cls, page: LabelledPage, found: MainText) -> Judged:
        """The judgement of a text that was found."""
        if page.has_segments:
            counts = segment_counts(found.text, page)
            return cls(page, found.score, counts.score(), counts)
        score = word_score(found.text, page.text)
        return cls(page, found.score, score, groups=groups(page))


def groups(page: LabelledPage) -> list[str]:
    """What is known to be hard of pages: readers' comments, and old-fashioned HTML."""
    found = {
        "with comments": bool(page.comments),
        "without HTML5's elements": not _HTML5.search(page.html),
    }
    return [name for name, is_one in found.items() if is_one]


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """The scores of pages: of all, and, where there are several data, of each."""
    whole = _figures(judged)
    names = sorted({one.page.data for one in judged})
    if len(names) > 1:
        whole["data"] = {
            name: _figures([one for one in judged if one.page.data == name])
            for name in names
        }
    return whole


def _figures(judged: Sequence[Judged]) -> dict[str, Any]:
    scored = [one for one in judged if one.segments is None]
    made = report((one.page.kind, one.score) for one in scored).figures()
    of_groups = report((name, one.score) for one in scored for name in one.groups)
    if of_groups.kinds:
        made["groups"] = of_groups.figures()["kinds"]
    counts = [one.segments for one in judged if one.segments is not None]
    if counts:
        made["segments"] = rounded(sum(counts, SegmentCounts()).score())
    bare = [one.bare for one in judged if one.bare is not None]
    if bare:
        found = _figures(bare)
        made["stripped"] = {key: found[key] for key in _WHOLE if key in found}
    made["calibration"] = calibration([(one.expected, one.score.f1) for one in judged])
    return made


def calibration(pairs: Sequence[tuple[float, float]]) -> list[dict[str, float]]:
    """Scores against F1: the means of both, by tenths of the score."""
    bins: dict[int, list[tuple[float, float]]] = {}
    for pair in pairs:
        bins.setdefault(min(int(pair[0] * 10), 9), []).append(pair)
    return [
        {
            "pages": len(bins[i]),
            "score": round(sum(score for score, _ in bins[i]) / len(bins[i]), 4),
            "f1": round(sum(f1 for _, f1 in bins[i]) / len(bins[i]), 4),
        }
        for i in sorted(bins)
    ]


def held_out(
    pages: Sequence[LabelledPage], samples: Samples, seed: int, count: int
) -> Iterator[tuple[list[Any], list[LabelledPage]]]:
    """For each fold the samples of the other folds, and all of the fold's pages."""
    places = folds([site_of(page) for page in pages], count, seed)
    fold_of = {page.file: fold for page, fold in zip(pages, places, strict=True)}
    for fold in range(count):
        learned = zip(samples.pages, samples.data, strict=True)
        training = [sample for page, sample in learned if fold_of[page.file] != fold]
        yield training, [page for page in pages if fold_of[page.file] == fold]


@contextmanager
def temporary(name: str, model: Fitted) -> Iterator[Callable[..., MainText]]:
    """Within the context, a model that is not shipped, as a function of a page.

    The page's HTML may be given, where it is to be another one.
    """
    with tempfile.TemporaryDirectory() as folder:
        options = {"model": str(save(name, model, folder))}

        def run(page: LabelledPage, html: str = "") -> MainText:
            url = page.url or None
            source = html or page.html
            return extract(source, url=url, algorithm=name, options=options)

        yield run


def save(
    name: str,
    model: Fitted,
    folder: str | Path,
    card: Mapping[str, Any] | None = None,
) -> Path:
    """Write a model, and beside it its card, into a folder; the model's path."""
    path = Path(folder) / model.file
    save_model(path, name, model.version, model.arrays, model.header)
    if card is not None:
        save_card(path, card)
    return path


def _today() -> date:
    """Today, or the day of SOURCE_DATE_EPOCH, so that a card can be made again."""
    stamp = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.now(timezone.utc)
    return (datetime.fromtimestamp(int(stamp), timezone.utc) if stamp else now).date()
