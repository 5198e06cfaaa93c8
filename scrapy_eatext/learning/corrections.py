"""Corrected labels of pages, to train with instead of those of their dataset.

The file has no texts: pages are identified by the digest of their bytes, blocks by
hashes.  A page whose labels are in doubt has a reason instead, and is not learned from.
Scores are still by the dataset's own texts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.refinement import folded

if TYPE_CHECKING:
    from scrapy_eatext.learning.data import Dataset


@dataclass(frozen=True, slots=True)
class Correction:
    """The kind of a page and the hashes of its main text and comments, or a doubt."""

    kind: str = ""
    main: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset()
    doubt: str = ""


def read_corrections(file: str | Path) -> Mapping[str, Correction]:
    """The corrections in a JSON file, by the digests of pages.

    Rows have the fields of a Correction.  Raises DataError for a file in another format,
    and OSError if it can't be read.
    """
    try:
        rows = json.loads(Path(file).read_text("utf-8"))
        return {
            digest: Correction(
                row.get("kind", ""),
                frozenset(row.get("main", ())),
                frozenset(row.get("comments", ())),
                row.get("doubt", ""),
            )
            for digest, row in rows.items()
        }
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        raise DataError(f"{file} holds no corrections: {error}") from error


def corrected(data: Dataset, corrections: Mapping[str, Correction]) -> Dataset:
    pages = [
        replace(page, correction=corrections.get(page.digest)) for page in data.pages
    ]
    return replace(data, pages=pages)


def hashes(texts: Sequence[str]) -> list[str]:
    """A hash of each block's text, followed by a running number for equal texts."""
    counts: Counter[str] = Counter()
    names = []
    for text in texts:
        digest = blake2b(folded(text).encode(), digest_size=5).hexdigest()
        counts[digest] += 1
        names.append(f"{digest}.{counts[digest]}")
    return names
