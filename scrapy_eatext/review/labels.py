"""Labels that a person gave, in files: one for each page, written whole or not at all.

The folder has the layout that training and evaluation read: ``ground-truth/NAME.json``
has the label of each block and the texts that come of them, ``html/NAME.html.gz`` the
page.  ``marked/NAME.html`` is the page with its main text between comments, as the
n-gram model's author marked his.  A name has in it where the page is from and a digest
of its bytes, so labels never meet another version of their page.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy_eatext.durable import lock, sync_folder, write_whole
from scrapy_eatext.learning.labels import label

VERSION = 1
MAIN, COMMENT, NEITHER = "m", "c", "-"
_NAMES = {MAIN: "main", COMMENT: "comment", NEITHER: ""}
_SIGNS = {name: sign for sign, name in _NAMES.items()}

# What is known of a page's labels.
NEW, DRAFT, ACCEPTED = "new", "draft", "accepted"
CHANGED, DAMAGED, FOREIGN = "changed", "damaged", "foreign"

_UNSAFE = re.compile(r"[^A-Za-z0-9.]+")
_LONGEST_NAME = 60


class LabelError(ValueError):
    """A label folder that cannot be used, or labels that do not fit their page."""


@dataclass(frozen=True, slots=True)
class Found:
    """The labels that there are of a page.

    ``state`` is "new" (none), "draft" or "accepted"; "changed" (labels of other bytes,
    or other blocks, of the page), "damaged" or "foreign" (of another version of this
    format, or without blocks), and then ``why`` tells more.  ``labels`` has a sign a
    block: of the page's own labels, or what could be carried over, for a person to
    look at.
    """

    state: str
    labels: str = ""
    why: str = ""

    @classmethod
    def own(cls, labels: str, *, accepted: bool) -> Found:
        """The labels of the page itself."""
        return cls(ACCEPTED if accepted else DRAFT, labels)

    @property
    def written(self) -> str:
        """A page's own labels with their state, to be compared; "" without any."""
        return f"{self.state} {self.labels}" if self.state in (DRAFT, ACCEPTED) else ""


class LabelFolder:
    """The one open label folder of a process; LabelError where another has it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._truth = folder / "ground-truth"
        self._html = folder / "html"
        self._marked = folder / "marked"
        for part in (self._truth, self._html, self._marked):
            part.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            lock(self._lock)
        except OSError as error:
            self.close()
            raise LabelError(f"{folder} is open in another review") from error

    def close(self) -> None:
        os.close(self._lock)

    def states(self) -> dict[str, str]:
        """The state of the labels in each file, by the file's name."""
        return {file.stem: _state_of(file) for file in self._truth.glob("*.json")}

    def find(self, where: str, html: bytes, texts: Sequence[str]) -> Found:
        """The labels of a page, or of an earlier version of it."""
        own = self._truth / f"{name_of(where, html)}.json"
        if own.exists():
            return self._found(own, texts, same=True)
        others = [f for f in self._truth.glob(f"{stem_of(where)}-*.json") if f != own]
        if not others:
            return Found(NEW)
        latest = max(others, key=lambda file: file.stat().st_mtime_ns)
        return self._found(latest, texts, same=False)

    def _found(self, file: Path, texts: Sequence[str], *, same: bool) -> Found:
        try:
            data = _read(file)
            truth = data["ground_truth"]
            review = data.get("review")
            main, comments = (
                str(truth.get(name) or "") for name in ("main_content", "comments")
            )
        except (LabelError, KeyError, TypeError, AttributeError) as error:
            return Found(DAMAGED, why=f"{file.name} is damaged: {error}")
        if not isinstance(review, dict):
            why = f"{file.name} has the text alone, not blocks"
            return Found(FOREIGN, by_text(texts, main, comments), why)
        if review.get("version") != VERSION:
            why = f"{file.name} is of version {review.get('version')}"
            return Found(FOREIGN, by_text(texts, main, comments), why)
        try:
            blocks = [(_SIGNS[sign], str(text)) for sign, text in review["blocks"]]
            accepted = bool(review["accepted"])
        except (KeyError, TypeError, ValueError) as error:
            return Found(DAMAGED, why=f"{file.name} is damaged: {error!r}")
        if same and [text for _, text in blocks] == list(texts):
            labels = "".join(sign for sign, _ in blocks)
            return Found.own(labels, accepted=accepted)
        carried, found = carry(blocks, texts)
        what = "other blocks" if same else "an earlier version of the page"
        total = sum(sign != NEITHER for sign, _ in blocks)
        why = f"labelled were {what}: {found} of {total} labelled blocks are found"
        return Found(CHANGED, carried, why)

    def write(self, page: Labelled, *, accepted: bool) -> str:
        """Write a page's labels; the name of their files.

        When this returns, they are on the disk.  Raises OSError where they cannot be
        written, and then the labels from before are still there.
        """
        name = name_of(page.where, page.html)
        html = self._html / f"{name}.html.gz"
        if not html.exists():
            write_whole(html, gzip.compress(page.html, 1, mtime=0))
        marked = self._marked / f"{name}.html"
        if page.marked:
            # With a byte order mark, as its source may say that it is in another encoding.
            write_whole(marked, page.marked.encode("utf-8-sig", "replace"))
        else:
            marked.unlink(missing_ok=True)
        file = self._truth / f"{name}.json"
        self._set_aside(file)
        write_whole(file, _json(page, name, accepted))
        for folder in (self._html, self._marked, self._truth):
            sync_folder(folder)
        return name

    def _set_aside(self, file: Path) -> None:
        """Keep a file that this format cannot hold beside the one to be written."""
        if file.exists() and _state_of(file) in (DAMAGED, FOREIGN):
            file.replace(file.with_suffix(".json.before"))


@dataclass(frozen=True, slots=True)
class Labelled:
    """A page with a sign a block.

    ``where`` is its address, or what stands for it; ``texts`` are its blocks' texts,
    ``marked`` its source with comments around the main text, "" without any.
    """

    where: str
    url: str
    kind: str
    html: bytes
    labels: str
    texts: Sequence[str]
    marked: str


def text_of(labels: str, texts: Sequence[str], sign: str) -> str:
    """The texts of the blocks with a sign, a line each."""
    rows = zip(labels, texts, strict=True)
    return "\n".join(text for own, text in rows if own == sign)


def _json(page: Labelled, name: str, accepted: bool) -> bytes:
    data = {
        "url": page.url,
        "file_id": name,
        "ground_truth": {
            "main_content": text_of(page.labels, page.texts, MAIN),
            "comments": text_of(page.labels, page.texts, COMMENT),
        },
        "_internal": {"page_type": {"primary": page.kind or "page"}},
        "review": {
            "version": VERSION,
            "where": page.where,
            "accepted": accepted,
            "blocks": [
                [_NAMES[sign], text]
                for sign, text in zip(page.labels, page.texts, strict=True)
            ],
        },
    }
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")


def _state_of(file: Path) -> str:
    """The state of the labels in a file, whatever page they are of."""
    try:
        review = _read(file).get("review")
    except LabelError:
        return DAMAGED
    if not isinstance(review, dict) or review.get("version") != VERSION:
        return FOREIGN
    return ACCEPTED if review.get("accepted") else DRAFT


def filed_under(file: Path) -> str:
    """What the labels in a file are filed under, "" where it does not say."""
    with suppress(LabelError):
        review = _read(file).get("review")
        if isinstance(review, dict):
            return str(review.get("where") or "")
    return ""


def name_of(where: str, html: bytes) -> str:
    """The name of a page's files."""
    return f"{stem_of(where)}-{hashlib.sha256(html).hexdigest()[:8]}"


def stem_of(where: str) -> str:
    """The part of these names that all versions of the page share."""
    safe = _UNSAFE.sub("-", where.partition("://")[2] or where).strip("-.")
    digest = hashlib.sha256(where.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{safe[:_LONGEST_NAME]}-{digest}".lstrip("-")


def carry(blocks: Sequence[tuple[str, str]], texts: Sequence[str]) -> tuple[str, int]:
    """Labels for other blocks with the same texts, and how many get a label of old.

    A block whose text is new is labelled by the words that it shares with the labelled
    texts.
    """
    known: dict[str, deque[str]] = {}
    for sign, text in blocks:
        known.setdefault(text, deque()).append(sign)
    signs: list[str | None] = []
    for text in texts:
        same = known.get(text)
        signs.append(same.popleft() if same else None)
    found = sum(sign not in (None, NEITHER) for sign in signs)
    if None in signs:
        old_signs = "".join(sign for sign, _ in blocks)
        old_texts = [text for _, text in blocks]
        main, comments = (text_of(old_signs, old_texts, s) for s in (MAIN, COMMENT))
        guessed = by_text(texts, main, comments)
        signs = [a or b for a, b in zip(signs, guessed, strict=True)]
    return "".join(sign or NEITHER for sign in signs), found


def by_text(texts: Sequence[str], main: str, comments: str) -> str:
    """Labels of blocks by the words that they share with the true texts."""
    try:
        shares = [label(texts, text).share for text in (main, comments)]
    except ValueError:  # too long to be aligned
        return ""
    return "".join(
        MAIN if in_main >= 0.5 else COMMENT if in_comments >= 0.5 else NEITHER
        for in_main, in_comments in zip(*shares, strict=True)
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise LabelError(str(error)) from error
    if not isinstance(data, dict):
        raise LabelError("it holds no JSON object")
    return data
