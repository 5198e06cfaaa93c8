"""Trains any algorithm that has a model, and writes the model's card."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from numpy.typing import NDArray

from scrapy_eatext.algorithms.modelfile import save_card, save_model
from scrapy_eatext.extraction import extract
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.augmentation import stripped
from scrapy_eatext.learning.data import Dataset, LabelledPage, contradictions
from scrapy_eatext.learning.evaluate import Judged, figures
from scrapy_eatext.learning.splits import folds, site_of

if TYPE_CHECKING:
    from scrapy_eatext.result import MainText

# The trainer of each algorithm: a module.
TRAINERS = {
    "dragnet": "scrapy_eatext.learning.dragnet",
    "eatext": "scrapy_eatext.learning.tagger",
    "ngram": "scrapy_eatext.learning.ngram",
    "perceptron": "scrapy_eatext.learning.perceptron",
}

T = TypeVar("T")

_REMEDY = "; --skip-bad leaves out such pages"


class Progress(Protocol):
    """Wraps items and shows the progress through them, under a label."""

    def __call__(self, items: Sequence[T], label: str) -> Iterable[T]: ...


def silent(items: Sequence[T], label: str) -> Iterable[T]:
    return items


@dataclass(frozen=True)
class Fitted:
    """A trained model: the content of its file, and notes for its card."""

    arrays: Mapping[str, NDArray[Any]]
    header: Mapping[str, Any]
    features: Sequence[str]
    notes: Mapping[str, Any]

    @property
    def version(self) -> str:
        """A short digest of the arrays."""
        digest = hashlib.sha256()
        for name in sorted(self.arrays):
            digest.update(name.encode())
            digest.update(self.arrays[name].tobytes())
        return digest.hexdigest()[:8]


class Trainer(Protocol):
    """A module by which one algorithm is trained.

    sample() reads the training data of a page, once for all calls of fit(); it raises
    DataError, naming the file, for a page that can't be learned from.  fit() returns
    the same model for the same samples and seed, and raises DataError for samples that
    lack a class.  ``segments`` says whether it can learn from pages of which only
    segments are known; otherwise they are left out.
    """

    segments: bool

    def sample(self, page: LabelledPage) -> Any: ...

    def fit(self, samples: Sequence[Any], seed: int, progress: Progress) -> Fitted: ...


def trainer(name: str) -> Trainer:
    """The trainer of an algorithm.  Raises ValueError if there is none."""
    if name not in TRAINERS:
        known = ", ".join(sorted(TRAINERS))
        raise ValueError(f"{name!r} is not trained; those that are: {known}")
    return cast("Trainer", import_module(TRAINERS[name]))


@dataclass(frozen=True)
class Samples:
    """The pages to learn from, the sample of each, and why others are skipped, by file."""

    pages: Sequence[LabelledPage]
    data: Sequence[Any]
    skipped: Mapping[Path, str]


def take_samples(
    trainer: Trainer, pages: Sequence[LabelledPage], *, skip: bool, progress: Progress
) -> Samples:
    """The samples of all pages; bad ones are left out, or raise DataError."""
    skipped: dict[Path, str] = {}
    for first, second in contradictions(pages):
        message = f"{second.name} is the same page as {first.name}, with another text"
        if not skip:
            raise DataError(message + _REMEDY)
        # Neither text can be trusted.
        skipped[first.file] = skipped[second.file] = message
    good, samples = [], []
    for page in progress(pages, "labels"):
        if page.file in skipped:
            continue
        try:
            if page.correction and page.correction.doubt:
                raise DataError(f"{page.file}: {page.correction.doubt}")
            sample = trainer.sample(page)
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
    """Train an algorithm on the data; returns the model and its card.

    The scores on the card, with which ``on_scores`` is called, are from
    cross-validation over sites, in ``count`` folds; with ``count`` 0 there are none.
    For ``skip`` see take_samples().
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
    # So that cards are reproducible.
    now = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    card = {
        "algorithm": name,
        "data": "; ".join(dict.fromkeys(page.data for page in pages)) or data.name,
        "licence": data.licence,
        "date": datetime.fromtimestamp(now, timezone.utc).date().isoformat(),
        "seed": seed,
        "pages": len(samples.pages),
        "kinds": Dataset(samples.pages, data.name).kinds(),
        "sites": len({site_of(page) for page in samples.pages}),
        "skipped": len(samples.skipped),
        # Of all pages, so that evaluation recognises them.
        "digests": " ".join(sorted(page.digest for page in pages)),
        "model": f"{name}.model",
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


def cross_validate(
    name: str,
    pages: Sequence[LabelledPage],
    samples: Samples,
    seed: int,
    count: int,
    progress: Progress,
) -> list[Judged]:
    """Judge each page, also a bad one, by a model trained without the page's site."""
    made = trainer(name)
    judged: list[Judged] = []
    parts = list(held_out(pages, samples, seed, count))
    for training, testing in progress(parts, "folds"):
        model = made.fit(training, seed, silent)
        with temporary(name, model) as run:
            for page in progress(testing, f"{name}.model"):
                bare = Judged.of(page, run(page, stripped(page.html)))
                judged.append(replace(Judged.of(page, run(page)), bare=bare))
    return judged


def held_out(
    pages: Sequence[LabelledPage], samples: Samples, seed: int, count: int
) -> Iterator[tuple[list[Any], list[LabelledPage]]]:
    """For each fold, the samples of all other folds, and the fold's pages."""
    places = folds([site_of(page) for page in pages], count, seed)
    fold_of = {page.file: fold for page, fold in zip(pages, places, strict=True)}
    for fold in range(count):
        learned = zip(samples.pages, samples.data, strict=True)
        training = [sample for page, sample in learned if fold_of[page.file] != fold]
        yield training, [page for page in pages if fold_of[page.file] == fold]


@contextmanager
def temporary(name: str, model: Fitted) -> Iterator[Callable[..., MainText]]:
    """A function that extracts a page, or HTML in its place, with a model."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"model": str(save(name, model, folder))}

        def run(page: LabelledPage, html: str = "") -> MainText:
            url = page.url or None
            source = html or page.html
            return extract(source, url=url, algorithm=name, options=options)

        yield run


def save(
    name: str, model: Fitted, folder: str | Path, card: Mapping[str, Any] | None = None
) -> Path:
    """Write a model, and its card if there is one, into a folder; returns the path."""
    path = Path(folder) / f"{name}.model"
    save_model(path, name, model.version, model.arrays, model.header)
    if card is not None:
        save_card(path, card)
    return path
