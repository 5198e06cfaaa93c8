"""The pages of a review, read and scored in the background, and what a host teaches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.algorithms.base import Verdict
from scrapy_eatext.algorithms.perceptron import written_lines
from scrapy_eatext.deadline import time_limit
from scrapy_eatext.execution.cascade import BREAKS, cascade, describe_error, run_one
from scrapy_eatext.learning.sites import studied, write
from scrapy_eatext.metadata import read_metadata
from scrapy_eatext.page import Page
from scrapy_eatext.rendering import render
from scrapy_eatext.review.labels import (
    ACCEPTED,
    CHANGED,
    COMMENT,
    DRAFT,
    MAIN,
    NEITHER,
    NEW,
    Found,
    LabelFolder,
    by_text,
    kept_blocks,
    name_of,
    stem_of,
    text_of,
)
from scrapy_eatext.review.markup import marked_source
from scrapy_eatext.sites.evidence import Lesson, bare_host
from scrapy_eatext.sites.learning import learn

if TYPE_CHECKING:
    from scrapy_eatext.execution.cascade import Limits
    from scrapy_eatext.execution.choice import Choice
    from scrapy_eatext.result import MainText
    from scrapy_eatext.sites.learning import Studied

# How many pages stay parsed: the current one and those before it.
_OPEN = 6
# Scoring in the background waits this many seconds after each request.
_PAUSE = 0.4
_LONGEST_LINE = 400
# The seconds within which a host's other pages are judged.
_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Stored:
    """A page in its archive: its name, its URL or "", a function that reads its bytes.

    ``filed`` is the URL or name by which labels in the archive are filed.
    """

    name: str
    url: str
    load: Callable[[], bytes]
    filed: str = ""

    @property
    def where(self) -> str:
        """The address or name by which the page's labels are filed."""
        return self.filed or self.url or self.name


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list of pages; ``score`` is None until it is known."""

    name: str
    url: str
    host: str
    kind: str = ""
    score: float | None = None
    share: float = 0.0
    words: int = 0
    state: str = NEW
    error: str = ""


class Review:
    """The pages of a review, with their labels and the settings of extraction."""

    def __init__(
        self,
        pages: Iterable[Stored],
        labels: LabelFolder,
        choose: Callable[[str], Choice],
        limits: Limits,
    ) -> None:
        self.labels = labels
        self.choose = choose
        self.limits = limits
        self.pages: list[Stored] = []
        self.rows: list[Row] = []
        self.reading = True
        self._source = iter(pages)
        # For each row the revision of its last change.
        self._changed: list[int] = []
        self._revision = 0
        self._lock = Lock()
        self._opened: dict[int, Opened] = {}
        self._busy = 0.0
        self._ended = False
        # The states of the labels by the names of their files.
        self._states: dict[str, str] = {}
        self._worker = Thread(target=self._work, name="review", daemon=True)

    def start(self) -> None:
        self._worker.start()

    def close(self) -> None:
        self._ended = True
        self._worker.join()
        self.labels.close()

    def news(self, since: int) -> dict[str, Any]:
        """The rows that changed after a revision."""
        with self._lock:
            return {
                "revision": self._revision,
                "reading": self.reading,
                "rows": [
                    {"id": number, **asdict(self.rows[number])}
                    for number, changed in enumerate(self._changed)
                    if changed > since
                ],
            }

    def opened(self, number: int) -> Opened:
        """A parsed page.  Raises LookupError if there is none.  Not thread-safe."""
        # Let the background wait, as a person waits for the answer.
        self._busy = time.monotonic() + _PAUSE
        if not 0 <= number < len(self.pages):
            raise LookupError(f"there is no page {number}")
        page = self._opened.pop(number, None) or Opened(self, self.pages[number])
        # As the last in the dict: the first is closed.
        self._opened[number] = page
        if len(self._opened) > _OPEN:
            del self._opened[next(iter(self._opened))]
        return page

    def write(self, number: int, labels: str, *, accepted: bool) -> Row:
        page = self.opened(number)
        page.write(labels, accepted=accepted)
        return self._change(number, state=page.found.state)

    def _change(self, number: int, **values: Any) -> Row:
        with self._lock:
            self._revision += 1
            self.rows[number] = replace(self.rows[number], **values)
            self._changed[number] = self._revision
            return self.rows[number]

    # -- in the background

    def _work(self) -> None:
        self._states = self.labels.states()
        try:
            for stored in self._source:
                self._add(stored)
                if self._ended:
                    return
        except BREAKS as error:
            # The pages read before the error can be reviewed.
            why = f"no page after these can be read: {describe_error(error)}"
            self._add(Stored("the end of the pages", "", partial(unreadable, why)))
        self.reading = False
        for number in range(len(self.pages)):
            while time.monotonic() < self._busy and not self._ended:
                time.sleep(0.02)
            if self._ended:
                return
            self._score(number)

    def _add(self, stored: Stored) -> None:
        with self._lock:
            self._revision += 1
            self.pages.append(stored)
            self.rows.append(Row(stored.name, stored.url, bare_host(stored.url)))
            self._changed.append(self._revision)

    def _score(self, number: int) -> None:
        stored = self.pages[number]
        try:
            html = stored.load()
            with time_limit(self.limits.timeout):
                page = Page.of(html, stored.url or None)
                result, _ = cascade(self.choose(stored.url), page, [])
                chars = sum(page.blocks.chars)
        except BREAKS as error:
            self._change(number, score=0.0, error=describe_error(error))
            return
        values: dict[str, Any] = {
            "kind": result.page_type,
            "score": round(result.score, 3),
            "share": round(min(len(result.text) / chars, 1.0), 3) if chars else 0.0,
            "words": len(result.text.split()),
        }
        if not stored.url:
            values["host"] = bare_host(result.metadata.canonical_url)
        if self.rows[number].state == NEW:
            values["state"] = self._state(stored.where, html)
        self._change(number, **values)

    def _state(self, where: str, html: bytes) -> str:
        if own := self._states.get(name_of(where, html)):
            return own
        stem = f"{stem_of(where)}-"
        return CHANGED if any(n.startswith(stem) for n in self._states) else NEW


class Opened:
    """A parsed page with its labels and the results of algorithms."""

    def __init__(self, review: Review, stored: Stored) -> None:
        self.stored = stored
        self._limits = review.limits
        self._labels = review.labels
        self.choice = review.choose(stored.url)
        self.html = stored.load()
        if self._limits.max_size and len(self.html) > self._limits.max_size:
            raise ValueError(
                f"the page has {len(self.html):,} bytes, "
                f"EATEXT_MAX_SIZE is {self._limits.max_size:,}"
            )
        self.page = Page.of(self.html, stored.url or None)
        self.texts = self.page.blocks.texts()
        # The algorithm of the settings, or the first of a cascade.
        self.first = self.choice.algorithms[0]
        self._results: dict[str, MainText] = {}
        self.look()

    def result(self, name: str) -> MainText:
        if name not in self._results:
            with time_limit(self._limits.timeout):
                result = run_one(self.choice, name, self.page)
                result.value("blocks")  # computed within the time limit
                self._results[name] = result
        return self._results[name]

    def proposed(self, name: str) -> str:
        main = kept_blocks(self.result(name), self.texts)
        with_comments = [False] * len(main)
        if name == "eatext":
            options = {**self.choice.options.get(name, {}), "comments": True}
            verdict = get_algorithm(name, options).judge(self.page)
            if verdict.units is self.page.blocks:
                with_comments = [bool(kept) for kept in verdict.kept]
        return "".join(
            MAIN if is_main else COMMENT if is_kept else NEITHER
            for is_main, is_kept in zip(main, with_comments, strict=True)
        )

    def scores(self, name: str) -> tuple[list[float], list[str]]:
        """The scores and reasons of blocks, empty if the algorithm judges other units."""
        blocks = self.result(name).blocks
        if len(blocks) != len(self.texts):
            return [], []
        return [round(b.score, 3) for b in blocks], [b.reason for b in blocks]

    def shown(self, labels: str, form: str) -> str:
        """The text or the Markdown of the blocks that labels mark as main text."""
        count = len(labels)
        kept = [sign == MAIN for sign in labels]
        verdict = Verdict(self.page.blocks, kept, [1.0] * count, [""] * count)
        result = render(verdict, self.page, "labels", "1")
        return result.markdown if form == "markdown" else result.text

    def lines(self, labels: str) -> dict[str, Any]:
        """The lines and text densities that the perceptron reads, labelled as the blocks."""
        lines = written_lines(self.page)
        verdict = get_algorithm("perceptron", {"reference": True}).judge(self.page)
        texts = [lines.units.text(i) for i in range(len(lines.units))]
        main, comments = (text_of(labels, self.texts, sign) for sign in (MAIN, COMMENT))
        return {
            "texts": [text[:_LONGEST_LINE] for text in texts],
            "density": np.minimum(lines.density, 1.0).round(3).tolist(),
            "bytes": lines.bytes.astype(int).tolist(),
            "kept": "".join("1" if kept else "0" for kept in verdict.kept),
            "labels": by_text(texts, main, comments),
        }

    def checked(self, labels: object) -> str:
        """Labels that a browser sent.  Raises ValueError unless each block has one."""
        signs = labels if isinstance(labels, str) else ""
        if unknown := set(signs) - {MAIN, COMMENT, NEITHER}:
            raise ValueError(f"there are no labels {''.join(sorted(unknown))[:20]!r}")
        if len(signs) != len(self.texts):
            raise ValueError(f"{len(signs)} labels are not of {len(self.texts)} blocks")
        return signs

    def write(self, labels: str, *, accepted: bool) -> None:
        main = {i for i, sign in enumerate(labels) if sign == MAIN}
        kind = ""
        with suppress(*BREAKS):
            kind = self.result(self.first).page_type
        self._labels.write(
            self.stored.where,
            self.html,
            labels,
            self.texts,
            url=self.stored.url or read_metadata(self.page).canonical_url,
            kind=kind,
            marked="".join(marked_source(self.page, main)) if main else "",
            accepted=accepted,
        )
        self.found = Found.own(labels, accepted=accepted)

    def studied(self) -> Studied:
        """The page, if it has blocks, for learn(); unlabelled blocks are NEITHER."""
        own = self.found.labels if self.found.written else ""
        model = self.choice.options.get(DEFAULT, {}).get("model", "")
        return studied(self.page, own or NEITHER * len(self.texts), model)

    def look(self) -> Found:
        """Read the labels from disk, as a review may have the same page twice."""
        self.found = self._labels.find(self.stored.where, self.html, self.texts)
        return self.found


def unreadable(why: str) -> bytes:
    """Raise the reason why a page has no bytes; for Stored.load."""
    raise ValueError(why)


# -- teaching


def teach(review: Review, host: str, folder: Path, *, keep: bool) -> dict[str, Any]:
    """Learn from a host's labelled pages, and apply the result to its other pages.

    With ``keep``, a site file that helps is written to the folder.  Raises ValueError
    if no page of the host is labelled.
    """
    rows = list(review.rows)
    own = [i for i, row in enumerate(rows) if row.host == host and host]
    labelled = {
        i: page.studied()
        for i in own
        # A row's state is by the files' names; their labels may be of other blocks.
        if rows[i].state in (ACCEPTED, DRAFT)
        and (page := review.opened(i)).found.written
    }
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
        judged = page.studied()
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
