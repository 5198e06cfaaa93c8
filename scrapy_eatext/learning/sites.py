"""Labelled pages as data for learning a site file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.durable import write_whole
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.labels import label_content, label_page, parsed
from scrapy_eatext.learning.refinement import bag, noisy, refine
from scrapy_eatext.sites.learning import BOILERPLATE, COMMENT, MAIN, UNKNOWN, Studied
from scrapy_eatext.tagger.descriptions import described_walk
from scrapy_eatext.tagger.facts import weights

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_eatext.algorithms.eatext import Eatext
    from scrapy_eatext.learning.data import LabelledPage
    from scrapy_eatext.page import Page
    from scrapy_eatext.sites.files import SiteFile

_SIGNS = {"main": MAIN, "comment": COMMENT, "": BOILERPLATE}


def studied(page: Page, labels: str, model: str = "") -> Studied:
    """A page to learn from; ``labels`` has a sign for each block."""
    algorithm: Eatext = get_algorithm(DEFAULT, {"model": model})  # type: ignore[assignment]
    walk = described_walk(page)
    likelihood, _ = algorithm.model.judged(walk, weights(walk))
    return Studied(page.blocks, labels, likelihood)


def study(page: LabelledPage, model: str = "") -> Studied:
    """A page to learn from, labelled by its file's labels of blocks or by its true text.

    Raises DataError for a page without blocks, or whose text is not on it.
    """
    if page.has_segments:
        raise DataError(f"{page.file}: of its text only segments are known")
    source, texts = parsed(page)
    if not texts:
        raise DataError(f"{page.file} shows no text")
    labels = _of_blocks(page.file, page.name, texts)
    if labels is None:
        labels = _of_text(page, source, texts)
    return studied(source, labels, model)


def _of_blocks(html: Path, name: str, texts: Sequence[str]) -> str | None:
    """The labels of blocks in the file with the true text, if they fit these blocks."""
    file = html.parent.parent / "ground-truth" / f"{name}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        rows = json.loads(file.read_text("utf-8"))["review"]["blocks"]
        if [text for _, text in rows] == list(texts):
            return "".join(_SIGNS[sign] for sign, _ in rows)
    return None


def _of_text(page: LabelledPage, source: Page, texts: Sequence[str]) -> str:
    share = label_content(texts, page).share
    comments = label_page(texts, page, page.comments or "").share >= 0.5
    bags = [bag(text) for text in texts]
    main = refine(share >= 0.5, bags, bag(page.text))
    noise = noisy(main.astype(np.float32), source.blocks.walk)
    signs = np.select([main, noise, comments], [MAIN, UNKNOWN, COMMENT], BOILERPLATE)
    return "".join(signs.tolist())


def write(found: SiteFile, folder: Path) -> str:
    """Write a site's file if it helps; returns its path, or ""."""
    if not found.helps:
        return ""
    path = folder / found.name
    write_whole(path, found.as_json().encode("utf-8", "replace"))
    return str(path)
