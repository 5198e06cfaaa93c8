"""Reads folders of labelled pages: in WCXB's layout, with segments, or a user's own."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_eatext.learning import DataError

if TYPE_CHECKING:
    from scrapy_eatext.learning.corrections import Correction


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page and its labels.

    ``text`` is the main text.  ``comments`` are the readers' comments, "" for none,
    None if they are unknown.  ``kind`` is the kind of page, "page" if it is unknown.
    ``wanted`` and ``unwanted`` are segments that must and must not be extracted.
    ``data`` is the name of the page's dataset, and ``correction`` has corrected labels.
    The HTML stays in its file until it is read.
    """

    name: str
    file: Path
    url: str = ""
    kind: str = "page"
    text: str = ""
    comments: str | None = None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    data: str = ""
    correction: Correction | None = None

    @property
    def html(self) -> bytes:
        """The page's bytes.  Raises DataError if the file is damaged."""
        data = self.file.read_bytes()
        if self.file.suffix != ".gz":
            return data
        try:
            return gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{self.file} is damaged: {error}") from error

    @property
    def has_segments(self) -> bool:
        """Whether only segments of the page's text are known."""
        return bool(self.wanted or self.unwanted)

    @property
    def digest(self) -> str:
        """A short hash of the page's bytes.  Raises DataError if the file is damaged."""
        return hashlib.sha256(self.html).hexdigest()[:8]


@dataclass(frozen=True)
class Dataset:
    """Labelled pages, with a name and a licence for a model's card."""

    pages: Sequence[LabelledPage]
    name: str
    licence: str = ""

    def named(self, name: str, licence: str) -> Dataset:
        """The same pages under another name and licence; "" keeps the present one."""
        name = name or self.name
        pages = [replace(page, data=name) for page in self.pages]
        return Dataset(pages, name, licence or self.licence)

    def kinds(self) -> dict[str, int]:
        """The number of pages of each kind."""
        return dict(sorted(Counter(page.kind for page in self.pages).items()))


def read_folder(folder: str | Path) -> Dataset:
    """The labelled pages of a folder in one of three layouts.

    Raises DataError for a folder without pages, and for a missing or damaged file.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder")
    if (folder / "ground-truth").is_dir():
        return read_wcxb(folder)
    if (folder / "truth.json").is_file():
        return read_segments(folder)
    return read_own(folder)


def read_wcxb(folder: Path) -> Dataset:
    """WCXB's layout: ground-truth/NAME.json, perhaps with comments; html/NAME.html.gz."""
    pages = []
    for file in sorted((folder / "ground-truth").glob("*.json")):
        data = _json(file)
        try:
            truth = data["ground_truth"]
            text = _string(truth.get("main_content"))
            comments = truth.get("comments")
            comments = None if comments is None else _string(comments)
            url = _string(data.get("url"))
            kind = _string(
                data.get("_internal", {}).get("page_type", {}).get("primary")
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{file} has not the fields of WCXB") from error
        html = _existing(folder / "html" / f"{file.stem}.html.gz", file)
        pages.append(LabelledPage(file.stem, html, url, kind or "page", text, comments))
    return _dataset(folder, pages)


def read_segments(folder: Path) -> Dataset:
    """Pages with segments that must and must not be extracted: truth.json, html/NAME.gz."""
    truth = folder / "truth.json"
    pages = []
    for name, row in sorted(_json(truth).items()):
        html = _existing(folder / "html" / f"{name}.gz", truth)
        try:
            wanted, unwanted = _strings(row["with"]), _strings(row["without"])
            url = _string(row.get("url"))
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"{truth}: {name} has no segments") from error
        pages.append(LabelledPage(name, html, url, wanted=wanted, unwanted=unwanted))
    return _dataset(folder, pages)


def read_own(folder: Path) -> Dataset:
    """A user's own pages: NAME.html (or .html.gz), NAME.txt, perhaps NAME.comments.txt."""
    pages = []
    files = html_files(folder)
    names = {name for name, _ in files}
    for other in sorted(folder.glob("*.txt")):
        name = other.name.removesuffix(".txt")
        if names.isdisjoint((name, name.removesuffix(".comments"))):
            raise DataError(f"{other} has no {name}.html to go with it")
    for name, file in files:
        text = _text(_existing(folder / f"{name}.txt", file))
        file_of_comments = folder / f"{name}.comments.txt"
        comments = _text(file_of_comments) if file_of_comments.is_file() else None
        pages.append(LabelledPage(name, file, text=text, comments=comments))
    return _dataset(folder, pages)


def html_files(folder: Path) -> list[tuple[str, Path]]:
    """The files NAME.html and NAME.html.gz of a folder, each with its NAME."""
    files = sorted([*folder.glob("*.html"), *folder.glob("*.html.gz")])
    return [(f.name.removesuffix(".gz").removesuffix(".html"), f) for f in files]


def joined(parts: Sequence[Dataset]) -> Dataset:
    """Several datasets as one; each page has the name of its own."""
    licences = [part.licence for part in parts if part.licence]
    return Dataset(
        [page for part in parts for page in part.pages],
        "; ".join(part.name for part in parts),
        "; ".join(licences),
    )


def contradictions(
    pages: Sequence[LabelledPage],
) -> list[tuple[LabelledPage, LabelledPage]]:
    """Pairs of pages with the same bytes and different true texts."""
    seen: dict[bytes, LabelledPage] = {}
    pairs = []
    for page in pages:
        first = seen.setdefault(hashlib.sha256(page.html).digest(), page)
        if (first.text, first.comments) != (page.text, page.comments):
            pairs.append((first, page))
    return pairs


def _dataset(folder: Path, pages: Sequence[LabelledPage]) -> Dataset:
    if not pages:
        raise DataError(f"{folder} holds no labelled pages")
    return Dataset(pages, folder.resolve().name, _licence(folder))


def _existing(file: Path, other: Path) -> Path:
    if not file.is_file():
        raise DataError(f"{other} has no {file.name} to go with it")
    return file


def _string(value: object) -> str:
    """A text, "" for null.  Raises TypeError for other JSON."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no text")
    return value or ""


def _strings(values: object) -> tuple[str, ...]:
    """A list of texts.  Raises TypeError for other JSON."""
    if not isinstance(values, list):
        raise TypeError(f"{values!r:.40} is no list")
    return tuple(map(_string, values))


def _text(file: Path) -> str:
    try:
        # Some editors put a byte order mark before the text.
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{file} is not UTF-8 text") from error


def _json(file: Path) -> Mapping[str, Any]:
    text = _text(file)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file} is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise DataError(f"{file} holds no JSON object")
    return data


def _licence(folder: Path) -> str:
    """The licence of a folder: the first two lines of its LICENSE file."""
    file = folder / "LICENSE"
    if not file.is_file():
        return ""
    lines = [line.strip() for line in _text(file).splitlines() if line.strip()]
    return "; ".join(lines[:2])
