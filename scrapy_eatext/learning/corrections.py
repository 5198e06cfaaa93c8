"""Labels of pages that were read once more, in place of those of their data.

The file has no text: a page is known by the digest of its bytes, and its blocks by
hashes.  A page whose labels are in doubt has a reason instead, and is not learned from.
Scores are by the data's own texts all the same.
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

if TYPE_CHECKING:
    from scrapy_eatext.learning.data import Dataset


@dataclass(frozen=True, slots=True)
class Correction:
    """The kind of a page and the hashes of its blocks, or a doubt.

    ``main`` are the blocks of the main text, ``comments`` those of readers' comments.
    """

    kind: str = ""
    main: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset()
    doubt: str = ""


def read_corrections(file: str | Path) -> Mapping[str, Correction]:
    """The corrections in a JSON file, by the digests of pages.

    A row is ``{"kind": ..., "main": [hash, ...], "comments": [...]}``, of which the last
    may be missing, or ``{"doubt": reason}``.  Raises DataError for a file that is not
    made so, OSError where it can't be read.
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
    except (AttributeError, TypeError, ValueError) as error:
        raise DataError(f"{file} holds no corrections: {error}") from error


def corrected(data: Dataset, corrections: Mapping[str, Correction]) -> Dataset:
    """The data whose pages know their corrections."""
    if not corrections:
        return data
    pages = [
        replace(page, correction=corrections.get(page.digest)) for page in data.pages
    ]
    return replace(data, pages=pages)


def hashes(texts: Sequence[str]) -> list[str]:
    """A hash of each block's text, with the running number of equal texts behind."""
    seen: Counter[str] = Counter()
    found = []
    for text in texts:
        digest = blake2b(" ".join(text.split()).encode(), digest_size=5).hexdigest()
        seen[digest] += 1
        found.append(f"{digest}.{seen[digest]}")
    return found
