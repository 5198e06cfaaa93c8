"""A page as lines with text densities, as the original perceptron read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.algorithms.perceptron import written_lines
from scrapy_eatext.review.labels import COMMENT, MAIN, by_text, text_of

if TYPE_CHECKING:
    from scrapy_eatext.review.pages import Opened

_LONGEST_LINE = 400


def lines_of(page: Opened, labels: str) -> dict[str, Any]:
    """The lines of the perceptron's original, with labels from those of the blocks."""
    lines = written_lines(page.page)
    verdict = get_algorithm("perceptron", {"reference": True}).judge(page.page)
    texts = [lines.units.text(i) for i in range(len(lines.units))]
    main, comments = (text_of(labels, page.texts, sign) for sign in (MAIN, COMMENT))
    return {
        "texts": [text[:_LONGEST_LINE] for text in texts],
        "density": np.minimum(lines.density, 1.0).round(3).tolist(),
        "bytes": lines.bytes.astype(int).tolist(),
        "kept": "".join("1" if kept else "0" for kept in verdict.kept),
        "labels": by_text(texts, main, comments),
    }
