"""Files with a person's labels, one for each page, written atomically.

The folder has the layout that training and evaluation read: ``ground-truth/NAME.json``
has each block's label and the labelled texts, ``html/NAME.html.gz`` is the page, and
``marked/NAME.html`` the page with its main text between comments, as the n-gram model
reads it.  A name has a digest of the page's bytes, so that labels are never applied to
another version of the page.
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
from typing import TYPE_CHECKING, Any

from scrapy_eatext.durable import lock, sync_folder, write_whole
from scrapy_eatext.learning.labels import label

if TYPE_CHECKING:
    from scrapy_eatext.result import MainText

VERSION = 1
MAIN, COMMENT, NEITHER = "m", "c", "-"
_NAMES = {MAIN: "main", COMMENT: "comment", NEITHER: ""}
_SIGNS = {name: sign for sign, name in _NAMES.items()}

NEW, DRAFT, ACCEPTED = "new", "draft", "accepted"
CHANGED, DAMAGED, FOREIGN = "changed", "damaged", "foreign"

_UNSAFE = re.compile(r"[^A-Za-z0-9.]+")
_LONGEST_NAME = 60


class LabelError(ValueError):
    """A label folder that cannot be used, or labels that do not fit their page."""


@dataclass(frozen=True, slots=True)
class Found:
    """The labels of a page.

    ``state`` is NEW without labels, CHANGED if they are of another version or of other
    blocks of the page, and FOREIGN if they are in another format; ``why`` explains the
    last two and DAMAGED.  ``labels`` has a sign for each block: the labels themselves,
    or those carried over from other blocks.
    """

    state: str
    labels: str = ""
    why: str = ""

    @classmethod
    def own(cls, labels: str, *, accepted: bool) -> Found:
        return cls(ACCEPTED if accepted else DRAFT, labels)

    @property
    def written(self) -> str:
        """State and labels if they are of the page's own blocks, else ""."""
        return f"{self.state} {self.labels}" if self.state in (DRAFT, ACCEPTED) else ""


class LabelFolder:
    """An open label folder.  Raises LabelError if it is open in another review."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts = [folder / name for name in ("html", "marked", "ground-truth")]
        self._html, self._marked, self._truth = self._parts
        for part in self._parts:
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
        others = self._truth.glob(f"{stem_of(where)}-*.json")
        latest = max(others, key=lambda file: file.stat().st_mtime_ns, default=None)
        return self._found(latest, texts, same=False) if latest else Found(NEW)

    def _found(self, file: Path, texts: Sequence[str], *, same: bool) -> Found:
        try:
            data, review = _read(file)
            truth = data["ground_truth"]
            version = review.get("version")
            if version != VERSION:
                reason = f"is of version {version}" if version else "has no blocks"
                names = ("main_content", "comments")
                labels = by_text(texts, *(str(truth.get(name) or "") for name in names))
                return Found(FOREIGN, labels, f"{file.name} {reason}")
            blocks = [(_SIGNS[sign], str(text)) for sign, text in review["blocks"]]
            accepted = bool(review["accepted"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return Found(DAMAGED, why=f"{file.name} is damaged: {error!r}")
        if same and [text for _, text in blocks] == list(texts):
            labels = "".join(sign for sign, _ in blocks)
            return Found.own(labels, accepted=accepted)
        carried, matches = carry(blocks, texts)
        what = "other blocks" if same else "an earlier version of the page"
        total = sum(sign != NEITHER for sign, _ in blocks)
        why = (
            f"the labels are of {what}: {matches} of {total} labelled blocks are found"
        )
        return Found(CHANGED, carried, why)

    def write(
        self,
        where: str,
        html: bytes,
        labels: str,
        texts: Sequence[str],
        *,
        url: str,
        kind: str,
        marked: str,
        accepted: bool,
    ) -> None:
        """Write the labels of a page, and ``marked``, its marked_source() if any.

        Raises OSError if they cannot be written; the previous labels then remain.
        """
        name = name_of(where, html)
        packed = self._html / f"{name}.html.gz"
        if not packed.exists():
            write_whole(packed, gzip.compress(html, 1, mtime=0))
        source = self._marked / f"{name}.html"
        if marked:
            # With a byte order mark, as its source may declare another encoding.
            write_whole(source, marked.encode("utf-8-sig", "replace"))
        else:
            source.unlink(missing_ok=True)
        file = self._truth / f"{name}.json"
        if file.exists() and _state_of(file) in (DAMAGED, FOREIGN):
            # Keep a file that this version cannot read.
            file.replace(file.with_suffix(".json.before"))
        rows = zip(labels, texts, strict=True)
        data = {
            "url": url,
            "file_id": name,
            "ground_truth": {
                "main_content": text_of(labels, texts, MAIN),
                "comments": text_of(labels, texts, COMMENT),
            },
            "_internal": {"page_type": {"primary": kind or "page"}},
            "review": {
                "version": VERSION,
                "where": where,
                "accepted": accepted,
                "blocks": [[_NAMES[sign], text] for sign, text in rows],
            },
        }
        written = json.dumps(data, ensure_ascii=False)
        write_whole(file, written.encode("utf-8", "replace"))
        for part in self._parts:
            sync_folder(part)


def text_of(labels: Sequence[str], texts: Sequence[str], sign: str) -> str:
    """The texts of the blocks with a sign, as lines."""
    rows = zip(labels, texts, strict=True)
    return "\n".join(text for label, text in rows if label == sign)


def _state_of(file: Path) -> str:
    try:
        _, review = _read(file)
    except LabelError:
        return DAMAGED
    if review.get("version") != VERSION:
        return FOREIGN
    return ACCEPTED if review.get("accepted") else DRAFT


def filed_under(file: Path) -> str:
    """The address or name by which a file's labels are filed, "" if unknown."""
    with suppress(LabelError):
        return str(_read(file)[1].get("where") or "")
    return ""


def name_of(where: str, html: bytes) -> str:
    return f"{stem_of(where)}-{hashlib.sha256(html).hexdigest()[:8]}"


def stem_of(where: str) -> str:
    """The part of the name that all versions of the page share."""
    safe = _UNSAFE.sub("-", where.partition("://")[2] or where).strip("-.")
    digest = hashlib.sha256(where.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{safe[:_LONGEST_NAME]}-{digest}".lstrip("-")


def carry(blocks: Sequence[tuple[str, str]], texts: Sequence[str]) -> tuple[str, int]:
    """Labels for a page's ``texts``, carried over from earlier ``blocks``.

    A text gets the label of an equal one, or else one by the words that it shares with
    the labelled texts.  Also returns the number of MAIN and COMMENT labels that come
    from equal texts.
    """
    known: dict[str, deque[str]] = {}
    for sign, text in blocks:
        known.setdefault(text, deque()).append(sign)
    signs = [known[text].popleft() if known.get(text) else "" for text in texts]
    found = sum(sign in (MAIN, COMMENT) for sign in signs)
    if "" in signs:
        old_signs, old_texts = zip(*blocks, strict=True) if blocks else ("", ())
        main, comments = (text_of(old_signs, old_texts, s) for s in (MAIN, COMMENT))
        guessed = by_text(texts, main, comments)
        signs = [a or b for a, b in zip(signs, guessed, strict=True)]
    return "".join(signs), found


def by_text(texts: Sequence[str], main: str, comments: str) -> str:
    """Labels of blocks by the words that they share with the labelled texts.

    All are NEITHER if these are too long to be aligned.
    """
    try:
        shares = [label(texts, text).share for text in (main, comments)]
    except ValueError:
        return NEITHER * len(texts)
    return "".join(
        MAIN if in_main >= 0.5 else COMMENT if in_comments >= 0.5 else NEITHER
        for in_main, in_comments in zip(*shares, strict=True)
    )


def kept_blocks(result: MainText, texts: Sequence[str]) -> list[bool]:
    """For each of a page's blocks, given as texts, whether a result keeps it.

    If the algorithm judges other units, the words of the result's text decide.
    """
    if [block.text for block in result.blocks] == list(texts):
        return [block.kept for block in result.blocks]
    return [sign == MAIN for sign in by_text(texts, result.text, "")]


def _read(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """A file's JSON object, and its member ``review``, {} if it has none."""
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise LabelError(str(error)) from error
    if not isinstance(data, dict):
        raise LabelError("it holds no JSON object")
    review = data.get("review")
    return data, review if isinstance(review, dict) else {}
