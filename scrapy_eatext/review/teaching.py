"""Learns a site file in a review, and shows its effect on the host's other pages."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from scrapy_eatext.algorithms import DEFAULT
from scrapy_eatext.learning.sites import studied, write
from scrapy_eatext.review.labels import ACCEPTED, DRAFT, NEITHER
from scrapy_eatext.sites.evidence import Lesson
from scrapy_eatext.sites.learning import learn

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_eatext.review.pages import Opened, Review
    from scrapy_eatext.sites.learning import Studied

# The seconds within which other pages are judged.
_SECONDS = 5.0


def teach(review: Review, host: str, folder: Path, *, keep: bool) -> dict[str, Any]:
    """Learn from a host's labelled pages, and apply the result to its other pages.

    With ``keep``, a site file that helps is written to the folder.  Raises ValueError
    if no page of the host is labelled.
    """
    rows = list(review.rows)
    own = [i for i, row in enumerate(rows) if row.host == host and host]
    labelled = {}
    for i in own:
        # A row's state is by the files' names; their labels may be of other blocks.
        if rows[i].state in (ACCEPTED, DRAFT) and _labels_of(page := review.opened(i)):
            labelled[i] = _studied(page)
    if not labelled:
        raise ValueError(f"no page of {host or 'no host'} is labelled")
    learned = learn(host, list(labelled.values()))
    written = ""
    if keep:
        folder.mkdir(parents=True, exist_ok=True)
        written = write(learned, folder)
    lesson = Lesson(learned.site)
    changes: list[dict[str, Any]] = []
    judged_pages = 0
    end = time.monotonic() + _SECONDS
    for i in own:
        if i in labelled or rows[i].error:
            continue
        if time.monotonic() > end:
            break
        try:
            page = review.opened(i)
        except (OSError, ValueError):  # the browser shows why when it opens the page
            continue
        if not page.texts:
            continue
        judged_pages += 1
        judged = _studied(page)
        before = judged.kept_blocks()
        after = judged.kept_blocks(lesson.evidence(judged.walk)[0])
        gained = int(judged.words[after & ~before].sum())
        lost = int(judged.words[before & ~after].sum())
        if gained or lost:
            name = rows[i].url or rows[i].name
            changes.append({"id": i, "name": name, "gained": gained, "lost": lost})
    changes.sort(key=lambda row: (-row["gained"] - row["lost"], row["id"]))
    return {
        "summary": learned.summary,
        "helps": learned.helps,
        "written": written,
        "changes": changes,
        "looked": judged_pages,
    }


def _labels_of(page: Opened) -> str:
    """A page's labels, "" if they are of other blocks or missing."""
    return page.found.labels if page.found.written else ""


def _studied(page: Opened) -> Studied:
    """A page that has blocks, for learn(); unlabelled blocks are NEITHER."""
    labels = _labels_of(page) or NEITHER * len(page.texts)
    model = page.choice.options.get(DEFAULT, {}).get("model", "")
    return studied(page.page, labels, model)
